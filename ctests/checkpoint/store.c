/* Stores: in memory, in files, memory first, and one that the program supplies. */
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/adtape-store-XXXXXX";

static void put(adtape_store_t *s, const char *name, int64_t value, int64_t count) {
    adtape_checkpoint_t *c = NULL;
    int64_t *x = (int64_t *)malloc((size_t)count * sizeof *x);
    CHECK(x != NULL);
    for (int64_t i = 0; i < count; i++) {
        x[i] = value + i;
    }
    CHECK_OK(adtape_checkpoint_create(s, name, &c));
    CHECK_OK(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_I64, x, count));
    CHECK_OK(adtape_checkpoint_commit(c));
    free(x);
}

static void get(adtape_store_t *s, const char *name, int64_t value, int64_t count) {
    adtape_checkpoint_t *c = NULL;
    int64_t *x = (int64_t *)malloc((size_t)count * sizeof *x);
    CHECK(x != NULL);
    CHECK_OK(adtape_checkpoint_open(s, name, &c));
    CHECK_OK(adtape_checkpoint_read(c, "x", ADTAPE_TYPE_I64, x, count));
    CHECK_OK(adtape_checkpoint_close(c));
    for (int64_t i = 0; i < count; i++) {
        CHECK_I64(x[i], value + i);
    }
    free(x);
}

static int64_t count_of(adtape_store_t *s) {
    int64_t count = -1;
    CHECK_OK(adtape_store_list(s, 0, &count, NULL));
    return count;
}

static int64_t files_in_directory(void) {
    int64_t count = 0;
    DIR *d = opendir(directory);
    CHECK(d != NULL);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        count += entry->d_name[0] != '.' && strstr(entry->d_name, ".lock") == NULL;
    }
    closedir(d);
    return count;
}

static void every_store_keeps_replaces_lists_and_removes(adtape_store_t *s) {
    const char *name = NULL;
    int64_t count = -1;
    CHECK_I64(count_of(s), 0);
    CHECK_OK(adtape_store_list(s, 0, &count, &name));
    CHECK(count == 0 && name == NULL);
    put(s, "step-2", 200, 1000);
    put(s, "step-1", 100, 100000);
    put(s, "step-2", 300, 50);
    get(s, "step-1", 100, 100000);
    get(s, "step-2", 300, 50);
    CHECK_OK(adtape_store_list(s, 0, &count, &name));
    CHECK(count == 2 && strcmp(name, "step-1") == 0);
    CHECK_OK(adtape_store_list(s, 1, NULL, &name));
    CHECK(strcmp(name, "step-2") == 0);
    CHECK_OK(adtape_store_list(s, 2, NULL, &name));
    CHECK(name == NULL);
    CHECK_OK(adtape_store_remove(s, "step-1"));
    CHECK_STATUS(adtape_store_remove(s, "step-1"), ADTAPE_STATUS_NOT_FOUND);
    CHECK_HAS(adtape_error_message(), "step-1");
    CHECK_OK(adtape_store_trim(s));
    get(s, "step-2", 300, 50);
    CHECK_I64(count_of(s), 1);
    CHECK_OK(adtape_store_destroy(s));
}

/* ---- a store of the program's own: a list of entries, newest first ----------------------------------------- */

typedef struct entry {
    struct entry *next;
    char name[101];
    unsigned char *bytes;
    int64_t count;
    int refuses;
} entry_t;
static entry_t *entries;
static int open_entries;

static int32_t user_create(void *user, const char *name, void **entry) {
    entry_t *e = (entry_t *)calloc(1, sizeof *e);
    CHECK(user == &entries && e != NULL);
    strcpy(e->name, name);
    e->refuses = strcmp(name, "refused") == 0;
    *entry = e;
    open_entries++;
    return ADTAPE_STATUS_OK;
}
static int32_t user_append(void *user, void *entry, const void *x, int64_t bytes) {
    entry_t *e = (entry_t *)entry;
    (void)user;
    if (e->refuses && bytes > 1000) {
        return ADTAPE_STATUS_IO;
    }
    e->bytes = (unsigned char *)realloc(e->bytes, (size_t)(e->count + bytes));
    CHECK(e->bytes != NULL);
    memcpy(e->bytes + e->count, x, (size_t)bytes);
    e->count += bytes;
    return ADTAPE_STATUS_OK;
}
static int32_t user_remove(void *user, const char *name) {
    (void)user;
    for (entry_t **e = &entries; *e != NULL; e = &(*e)->next) {
        if (strcmp((*e)->name, name) == 0) {
            entry_t *gone = *e;
            *e = gone->next;
            free(gone->bytes);
            free(gone);
            return ADTAPE_STATUS_OK;
        }
    }
    return ADTAPE_STATUS_NOT_FOUND;
}
static int32_t user_commit(void *user, void *entry) {
    entry_t *e = (entry_t *)entry;
    (void)user_remove(user, e->name);
    e->next = entries;
    entries = e;
    open_entries--;
    return ADTAPE_STATUS_OK;
}
static void user_abandon(void *user, void *entry) {
    (void)user;
    free(((entry_t *)entry)->bytes);
    free(entry);
    open_entries--;
}
static int32_t user_open(void *user, const char *name, void **entry, int64_t *bytes) {
    (void)user;
    for (entry_t *e = entries; e != NULL; e = e->next) {
        if (strcmp(e->name, name) == 0) {
            *entry = e;
            *bytes = e->count;
            open_entries++;
            return ADTAPE_STATUS_OK;
        }
    }
    return ADTAPE_STATUS_NOT_FOUND;
}
static int32_t user_read(void *user, void *entry, int64_t offset, void *x, int64_t bytes) {
    const entry_t *e = (const entry_t *)entry;
    (void)user;
    CHECK(offset + bytes <= e->count);
    memcpy(x, e->bytes + offset, (size_t)bytes);
    return ADTAPE_STATUS_OK;
}
static void user_close(void *user, void *entry) {
    (void)user, (void)entry;
    open_entries--;
}
static int32_t user_list(void *user, void (*visit)(void *context, const char *name), void *context) {
    (void)user;
    for (entry_t *e = entries; e != NULL; e = e->next) {
        visit(context, e->name);
    }
    return ADTAPE_STATUS_OK;
}

static adtape_store_t *user_store(void) {
    static const adtape_store_calls_t calls = {user_create, user_append, user_commit, user_abandon, user_open,
                                               user_read,   user_close,  user_remove, user_list};
    adtape_store_t *s = NULL;
    CHECK_OK(adtape_store_create_user(&calls, &entries, &s));
    return s;
}

static void errors_of_a_programs_store_come_back(void) {
    adtape_store_t *s = user_store();
    adtape_checkpoint_t *c = NULL;
    static const char x[2000] = {0};
    CHECK_OK(adtape_checkpoint_create(s, "refused", &c));
    CHECK_OK(adtape_checkpoint_write(c, "short", ADTAPE_TYPE_BYTES, x, 8));
    CHECK_STATUS(adtape_checkpoint_write(c, "long", ADTAPE_TYPE_BYTES, x, 2000), ADTAPE_STATUS_IO);
    CHECK_STATUS(adtape_checkpoint_write(c, "short", ADTAPE_TYPE_BYTES, x, 8), ADTAPE_STATUS_POISONED);
    CHECK_STATUS(adtape_checkpoint_commit(c), ADTAPE_STATUS_POISONED);
    CHECK_I64(open_entries, 0);
    CHECK_STATUS(adtape_checkpoint_open(s, "refused", &c), ADTAPE_STATUS_NOT_FOUND);
    CHECK(c == NULL);
    CHECK_OK(adtape_store_destroy(s));
}

/* ---- files ------------------------------------------------------------------------------------------------- */

static adtape_store_t *files(const char *run, int32_t rank, int32_t flags) {
    adtape_store_t *s = NULL;
    CHECK_OK(adtape_store_create_files(directory, run, rank, flags, &s));
    return s;
}

static void files_of_a_run_stay_and_private_ones_go(void) {
    adtape_store_t *mine = files(NULL, -1, 0), *other = files(NULL, -1, 0);
    put(mine, "a", 1, 10);
    put(other, "a", 2, 10);
    CHECK_I64(files_in_directory(), 2);
    get(mine, "a", 1, 10);
    CHECK_OK(adtape_store_destroy(mine));
    CHECK_OK(adtape_store_destroy(other));
    CHECK_I64(files_in_directory(), 0);
    mine = files("run", 3, 0);
    put(mine, "a", 5, 10);
    CHECK_OK(adtape_store_destroy(mine));
    other = files("run", 4, 0); /* of another rank */
    CHECK_I64(count_of(other), 0);
    CHECK_OK(adtape_store_destroy(other));
    mine = files("run", 3, ADTAPE_STORE_COMPRESS);
    get(mine, "a", 5, 10);
    CHECK_OK(adtape_store_remove(mine, "a"));
    CHECK_OK(adtape_store_destroy(mine));
    CHECK_I64(files_in_directory(), 0);
}

static void one_file_for_all_stays_too(void) {
    adtape_store_t *s = files("one", 3, ADTAPE_STORE_ONE_FILE);
    char path[200];
    put(s, "a", 5, 10);
    put(s, "b", 6, 10000);
    CHECK_OK(adtape_store_remove(s, "a"));
    CHECK_I64(files_in_directory(), 1);
    CHECK_OK(adtape_store_destroy(s));
    s = files("one", 3, ADTAPE_STORE_ONE_FILE | ADTAPE_STORE_COMPRESS);
    CHECK_I64(count_of(s), 1);
    get(s, "b", 6, 10000);
    CHECK_OK(adtape_store_destroy(s));
    snprintf(path, sizeof path, "%s/one.r3.adtapes", directory);
    CHECK(unlink(path) == 0);
}

static void rank_is_that_of_the_launcher(void) {
    adtape_store_t *s;
    CHECK(setenv("PMI_RANK", "17", 1) == 0);
    s = files("launched", -1, 0);
    put(s, "a", 1, 10);
    CHECK_OK(adtape_store_destroy(s));
    s = files("launched", 17, 0);
    get(s, "a", 1, 10);
    CHECK_OK(adtape_store_remove(s, "a"));
    CHECK_OK(adtape_store_destroy(s));
    CHECK(unsetenv("PMI_RANK") == 0);
}

/* The checksum of the header of a file: its first 4092 bytes (docs/format.md). */
static uint32_t crc32_of(const unsigned char *bytes, int count) {
    uint32_t crc = 0xFFFFFFFF;
    for (int i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
        }
    }
    return ~crc;
}
static void exchange(unsigned char *bytes, int64_t offset, int64_t count, int writing) {
    char path[200];
    snprintf(path, sizeof path, "%s/changed.r0.a.adtape", directory);
    FILE *file = fopen(path, writing ? "r+b" : "rb");
    CHECK(file != NULL && fseek(file, (long)offset, SEEK_SET) == 0);
    CHECK((writing ? fwrite(bytes, 1, (size_t)count, file) : fread(bytes, 1, (size_t)count, file)) == (size_t)count);
    CHECK(fclose(file) == 0);
}

static void file_that_was_changed_is_refused(void) {
    unsigned char header[4096], byte;
    adtape_checkpoint_t *c = NULL;
    adtape_store_t *s = files("changed", 0, ADTAPE_STORE_NO_SYNC);
    put(s, "a", 1, 1000);
    exchange(&byte, 4296, 1, 0);
    byte ^= 1;
    exchange(&byte, 4296, 1, 1);
    CHECK_STATUS(adtape_checkpoint_open(s, "a", &c), ADTAPE_STATUS_DAMAGED);
    CHECK_HAS(adtape_error_message(), "changed.r0.a.adtape");
    put(s, "a", 1, 1000);
    exchange(header, 0, 4096, 0);
    header[8] = 3; /* the version */
    const uint32_t crc = crc32_of(header, 4092);
    for (int i = 0; i < 4; i++) {
        header[4092 + i] = (unsigned char)(crc >> 8 * i);
    }
    exchange(header, 0, 4096, 1);
    CHECK_STATUS(adtape_checkpoint_open(s, "a", &c), ADTAPE_STATUS_OTHER_VERSION);
    CHECK_OK(adtape_store_remove(s, "a"));
    CHECK_OK(adtape_store_destroy(s));
}

static void file_that_was_cut_off_is_refused(void) {
    static const int64_t left[] = {0, 5, 4095, 4127, 4200, 12000};
    char path[200];
    struct stat status;
    adtape_checkpoint_t *c = NULL;
    adtape_store_t *s = files("cut", 0, ADTAPE_STORE_NO_SYNC);
    snprintf(path, sizeof path, "%s/cut.r0.a.adtape", directory);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        put(s, "a", 1, 1000);
        CHECK(stat(path, &status) == 0 && status.st_size > left[i]);
        CHECK(truncate(path, (off_t)left[i]) == 0);
        CHECK_STATUS(adtape_checkpoint_open(s, "a", &c), ADTAPE_STATUS_DAMAGED);
        CHECK_HAS(adtape_error_message(), "cut.r0.a.adtape");
        CHECK_HAS(adtape_error_message(), "cut off");
        CHECK_HAS(adtape_error_message(), "go back to an older checkpoint");
    }
    CHECK_OK(adtape_store_remove(s, "a"));
    CHECK_OK(adtape_store_destroy(s));
}

/* The limit on file sizes: the system writes a part of the bytes, and then refuses. */
static void file_that_cannot_be_written_whole_leaves_the_old_checkpoint(void) {
    static double x[200000];
    struct rlimit before, limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    limit = before;
    limit.rlim_cur = 1 << 20;
    for (int flags = 0; flags <= ADTAPE_STORE_ONE_FILE; flags += ADTAPE_STORE_ONE_FILE) {
        adtape_checkpoint_t *c = NULL;
        adtape_store_t *s = files("short", 0, flags);
        put(s, "a", 1, 1000);
        CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        CHECK_OK(adtape_checkpoint_create(s, "a", &c));
        adtape_status_t status = adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, x, 200000);
        if (status == ADTAPE_STATUS_OK) {
            status = adtape_checkpoint_commit(c);
        } else {
            CHECK_OK(adtape_checkpoint_close(c));
        }
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
        CHECK_I64(status, ADTAPE_STATUS_IO);
        CHECK_HAS(adtape_error_message(), "short.r0");
        CHECK_HAS(adtape_error_message(), "ulimit -f");
        get(s, "a", 1, 1000);
        CHECK_I64(count_of(s), 1);
        CHECK_I64(files_in_directory(), 1);
        put(s, "a", 2, 300000);
        get(s, "a", 2, 300000);
        CHECK_OK(adtape_store_destroy(s));
        char path[200];
        snprintf(path, sizeof path, "%s/short.r0%s", directory, flags == 0 ? ".a.adtape" : ".adtapes");
        CHECK(unlink(path) == 0);
    }
}

static void compressed_files_of_smooth_values_are_smaller(void) {
    static double x[100000];
    char path[200];
    struct stat status[2];
    for (int i = 0; i < 100000; i++) {
        x[i] = 1 + i * 1e-9;
    }
    for (int i = 0; i < 2; i++) {
        adtape_store_t *s = files("smooth", 0, i == 1 ? ADTAPE_STORE_COMPRESS : ADTAPE_STORE_NO_SYNC);
        adtape_checkpoint_t *c = NULL;
        CHECK_OK(adtape_checkpoint_create(s, "a", &c));
        CHECK_OK(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, x, 100000));
        CHECK_OK(adtape_checkpoint_commit(c));
        snprintf(path, sizeof path, "%s/smooth.r0.a.adtape", directory);
        CHECK(stat(path, &status[i]) == 0);
        CHECK_OK(adtape_store_remove(s, "a"));
        CHECK_OK(adtape_store_destroy(s));
    }
    CHECK(status[1].st_size < status[0].st_size * 3 / 4);
}

static void checkpoints_beyond_the_memory_of_a_store_are_files(void) {
    adtape_store_t *below = files(NULL, -1, 0), *s = NULL;
    CHECK_OK(adtape_store_create_memory(1 << 20, below, &s));
    CHECK_OK(adtape_store_destroy(below));
    for (int i = 0; i < 5; i++) {
        char name[20];
        snprintf(name, sizeof name, "step-%d", i);
        put(s, name, i, 60000); /* two of them fit */
    }
    CHECK_I64(files_in_directory(), 3);
    CHECK_I64(count_of(s), 5);
    get(s, "step-0", 0, 60000);
    get(s, "step-4", 4, 60000);
    CHECK_OK(adtape_store_destroy(s));
    CHECK_I64(files_in_directory(), 0);
}

static void arguments_that_make_no_sense_are_refused(void) {
    adtape_store_t *s = NULL;
    adtape_store_calls_t calls;
    memset(&calls, 0, sizeof calls);
    CHECK_STATUS(adtape_store_create_memory(0, NULL, NULL), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_store_create_files(NULL, NULL, 0, 0, &s), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_store_create_files(directory, "a/b", 0, 0, &s), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_STATUS(adtape_store_create_files(directory, "a", 0, 64, &s), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_STATUS(adtape_store_create_files(directory, "a", -2, 0, &s), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_STATUS(adtape_store_create_files("/nowhere/at/all", "a", 0, 0, &s), ADTAPE_STATUS_IO);
    CHECK_HAS(adtape_error_message(), "/nowhere/at/all");
    CHECK_STATUS(adtape_store_create_memory(-1, NULL, &s), ADTAPE_STATUS_COUNT_RANGE);
    CHECK_STATUS(adtape_store_trim(NULL), ADTAPE_STATUS_NULL_HANDLE);
    CHECK_STATUS(adtape_store_create_user(&calls, NULL, &s), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_store_create_user(NULL, NULL, &s), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_store_remove(NULL, "a"), ADTAPE_STATUS_NULL_HANDLE);
    CHECK_STATUS(adtape_store_list(NULL, 0, NULL, NULL), ADTAPE_STATUS_NULL_HANDLE);
    CHECK_OK(adtape_store_destroy(NULL));
}

int main(void) {
    adtape_store_t *memory = NULL, *s = NULL;
    CHECK(mkdtemp(directory) != NULL);
    CHECK_OK(adtape_store_create_memory(0, NULL, &memory));
    every_store_keeps_replaces_lists_and_removes(memory);
    every_store_keeps_replaces_lists_and_removes(files(NULL, -1, 0));
    every_store_keeps_replaces_lists_and_removes(files(NULL, -1, ADTAPE_STORE_COMPRESS | ADTAPE_STORE_NO_SYNC));
    every_store_keeps_replaces_lists_and_removes(files(NULL, -1, ADTAPE_STORE_ONE_FILE));
    memory = files(NULL, -1, 0);
    CHECK_OK(adtape_store_create_memory(100000, memory, &s));
    CHECK_OK(adtape_store_destroy(memory));
    every_store_keeps_replaces_lists_and_removes(s);
    every_store_keeps_replaces_lists_and_removes(user_store());
    CHECK_I64(open_entries, 0);
    errors_of_a_programs_store_come_back();
    CHECK_OK(user_remove(NULL, "step-2"));
    files_of_a_run_stay_and_private_ones_go();
    one_file_for_all_stays_too();
    rank_is_that_of_the_launcher();
    file_that_was_changed_is_refused();
    file_that_was_cut_off_is_refused();
    file_that_cannot_be_written_whole_leaves_the_old_checkpoint();
    compressed_files_of_smooth_values_are_smaller();
    checkpoints_beyond_the_memory_of_a_store_are_files();
    arguments_that_make_no_sense_are_refused();
    CHECK(rmdir(directory) == 0);
    return 0;
}
