/* Files of a store that somebody else has, swaps, plants or replaces. */
#include "child.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

static char directory[] = "/tmp/adtape-store-files-XXXXXX";

static void put(adtape_store_t *s, const char *name, int64_t value) {
    adtape_checkpoint_t *c = NULL;
    CHECK_OK(adtape_checkpoint_create(s, name, &c));
    CHECK_OK(adtape_checkpoint_write(c, "x", ADTAPE_TYPE_I64, &value, 1));
    CHECK_OK(adtape_checkpoint_commit(c));
}

static void get(adtape_store_t *s, const char *name, int64_t value) {
    adtape_checkpoint_t *c = NULL;
    int64_t found = -1;
    CHECK_OK(adtape_checkpoint_open(s, name, &c));
    CHECK_OK(adtape_checkpoint_read(c, "x", ADTAPE_TYPE_I64, &found, 1));
    CHECK_OK(adtape_checkpoint_close(c));
    CHECK_I64(found, value);
}

static adtape_store_t *files(const char *run, int32_t flags) {
    adtape_store_t *s = NULL;
    CHECK_OK(adtape_store_create_files(directory, run, 0, flags, &s));
    return s;
}

static const char *path_of(const char *file) {
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, file);
    return path;
}

/* What is left in the directory; everything is removed. */
static int64_t removed(void) {
    int64_t count = 0;
    DIR *d = opendir(directory);
    CHECK(d != NULL);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            CHECK(unlink(path_of(entry->d_name)) == 0);
            count++;
        }
    }
    closedir(d);
    return count;
}

/* ---- one store at a time ----------------------------------------------------------------------------------- */

static int32_t flags_of_run;

static void opens_the_run(void *holder) {
    adtape_store_t *s = NULL;
    char text[64], host[64] = "";
    CHECK_STATUS(adtape_store_create_files(directory, "run", 0, flags_of_run, &s), ADTAPE_STATUS_IN_USE);
    CHECK(s == NULL);
    snprintf(text, sizeof text, "in use by process %d on host ", (int)*(const pid_t *)holder);
    CHECK_HAS(adtape_error_message(), text);
    snprintf(text, sizeof text, "this is process %d on host ", (int)getpid());
    CHECK_HAS(adtape_error_message(), text);
    CHECK(gethostname(host, sizeof host - 1) == 0);
    CHECK_HAS(adtape_error_message(), host);
    CHECK_HAS(adtape_error_message(), "run.r0");
    CHECK_OK(adtape_store_create_files(directory, "run", 1, flags_of_run, &s)); /* another rank */
    CHECK_OK(adtape_store_destroy(s));
}

/* Two processes whose launcher's rank is unknown wrote each other's checkpoints: one ended with another gradient. */
static void second_process_with_one_run_and_rank_is_refused_and_both_are_named(void) {
    const pid_t holder = getpid();
    adtape_store_t *s = files("run", flags_of_run);
    put(s, "a", 1);
    for (int i = 0; i < 2; i++) {
        CHECK_EXIT(in_child(opens_the_run, (void *)&holder), 0);
        get(s, "a", 1);
    }
    CHECK_OK(adtape_store_destroy(s));
    s = files("run", flags_of_run);
    get(s, "a", 1);
    CHECK_OK(adtape_store_destroy(s));
    CHECK_I64(removed(), flags_of_run == ADTAPE_STORE_ONE_FILE ? 2 : 1); /* files of ranks 0 and 1, no lock */
}

static void second_store_of_a_process_is_refused_by_any_path(void) {
    adtape_store_t *s = files("run", flags_of_run), *other = NULL;
    char there[200];
    snprintf(there, sizeof there, "%s/../%s", directory, strrchr(directory, '/') + 1);
    const char *paths[] = {directory, there};
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(adtape_store_create_files(paths[i], "run", 0, flags_of_run, &other), ADTAPE_STATUS_BAD_ARGUMENT);
        CHECK_HAS(adtape_error_message(), "another store of this process");
        CHECK(other == NULL);
    }
    CHECK_EXIT(in_child(opens_the_run, (void *)&(pid_t){getpid()}), 0); /* the lock is there still */
    CHECK_OK(adtape_store_destroy(s));
    CHECK_OK(adtape_store_destroy(files("run", flags_of_run)));
    removed();
}

/* A lock that children inherit would outlive its holder. */
static void killed_holder_leaves_a_run_that_can_be_opened_though_its_child_lives(void) {
    int told[2];
    pid_t grandchild = 0;
    CHECK(pipe(told) == 0);
    const pid_t holder = fork();
    CHECK(holder >= 0);
    if (holder == 0) {
        put(files("run", flags_of_run), "a", 7);
        grandchild = fork();
        if (grandchild != 0) {
            CHECK(write(told[1], &grandchild, sizeof grandchild) == sizeof grandchild);
        }
        for (;;) {
            pause();
        }
    }
    CHECK(read(told[0], &grandchild, sizeof grandchild) == sizeof grandchild);
    opens_the_run((void *)&holder);
    CHECK(kill(holder, SIGKILL) == 0 && waitpid(holder, NULL, 0) == holder);
    adtape_store_t *s = files("run", flags_of_run);
    get(s, "a", 7);
    CHECK_OK(adtape_store_destroy(s));
    CHECK(kill(grandchild, SIGKILL) == 0);
    close(told[0]);
    close(told[1]);
    removed();
}

static void uses_its_parents_store(void *store) {
    adtape_store_t *s = (adtape_store_t *)store;
    adtape_checkpoint_t *c = NULL;
    CHECK_STATUS(adtape_checkpoint_create(s, "b", &c), ADTAPE_STATUS_IO);
    CHECK_HAS(adtape_error_message(), "its child");
    CHECK_STATUS(adtape_store_remove(s, "a"), ADTAPE_STATUS_IO);
    CHECK_OK(adtape_store_destroy(s));
}

static void child_cannot_write_to_its_parents_store_and_takes_nothing_along(void) {
    const char *runs[] = {"run", NULL};
    for (int i = 0; i < 2; i++) {
        adtape_store_t *s = files(runs[i], flags_of_run);
        adtape_checkpoint_t *c = NULL;
        put(s, "a", 3);
        CHECK_OK(adtape_checkpoint_create(s, "begun", &c)); /* the child has its file, too */
        CHECK_EXIT(in_child(uses_its_parents_store, s), 0);
        CHECK_OK(adtape_checkpoint_commit(c));
        get(s, "a", 3);
        if (i == 0) {
            CHECK_EXIT(in_child(opens_the_run, (void *)&(pid_t){getpid()}), 0);
        }
        CHECK_OK(adtape_store_destroy(s));
        CHECK(i == 0 || removed() == 0);
        removed();
    }
}

/* ---- files that are not what they should be ---------------------------------------------------------------- */

static void refuses(adtape_store_t *s, const char *name, adtape_status_t status, const char *part) {
    adtape_checkpoint_t *c = NULL;
    CHECK_STATUS(adtape_checkpoint_open(s, name, &c), status);
    CHECK_HAS(adtape_error_message(), part);
}

/* An image did not know its name: each of two swapped checkpoints was read as the other. */
static void swapped_or_renamed_files_are_damaged(void) {
    adtape_store_t *s = files("run", 0);
    put(s, "step-10", 10);
    put(s, "step-20", 20);
    CHECK(rename(path_of("run.r0.step-10.adtape"), path_of("aside")) == 0);
    CHECK(rename(path_of("run.r0.step-20.adtape"), path_of("run.r0.step-10.adtape")) == 0);
    CHECK(rename(path_of("aside"), path_of("run.r0.step-20.adtape")) == 0);
    refuses(s, "step-10", ADTAPE_STATUS_DAMAGED, "\"run.r0.step-20\"");
    refuses(s, "step-20", ADTAPE_STATUS_DAMAGED, "\"run.r0.step-10\"");
    CHECK(rename(path_of("run.r0.step-10.adtape"), path_of("other.r0.step-20.adtape")) == 0);
    CHECK_OK(adtape_store_destroy(s));
    s = files("other", 0);
    refuses(s, "step-20", ADTAPE_STATUS_DAMAGED, "\"run.r0.step-20\"");
    CHECK_OK(adtape_store_destroy(s));
    removed();
}

/* A damaged newest record was passed over, and the checkpoint before it read with status OK. */
static void damaged_newest_record_of_one_file_is_damaged_and_not_the_one_before_it(void) {
    adtape_store_t *s = files("run", ADTAPE_STORE_ONE_FILE);
    put(s, "a", 1);
    put(s, "b", 2);
    put(s, "a", 3);
    CHECK_OK(adtape_store_destroy(s));
    FILE *file = fopen(path_of("run.r0.adtapes"), "r+b");
    CHECK(file != NULL && fseek(file, -3 * 4096 + 17, SEEK_END) == 0); /* head, header, the rest */
    CHECK(fputc(0x55, file) == 0x55 && fclose(file) == 0);
    s = files("run", ADTAPE_STORE_ONE_FILE);
    refuses(s, "a", ADTAPE_STATUS_DAMAGED, "the record of checkpoint \"a\"");
    get(s, "b", 2);
    put(s, "a", 4);
    CHECK_OK(adtape_store_destroy(s));
    s = files("run", ADTAPE_STORE_ONE_FILE);
    get(s, "a", 4);
    CHECK_OK(adtape_store_destroy(s));
    removed();
}

/* Opening it waited for somebody who writes to it. */
static void fifo_or_device_or_directory_in_place_of_a_file_is_an_error(void) {
    adtape_store_t *s = files("run", 0), *other = NULL;
    alarm(60);
    CHECK(mkfifo(path_of("run.r0.a.adtape"), 0600) == 0);
    refuses(s, "a", ADTAPE_STATUS_IO, "not a regular file");
    put(s, "a", 1); /* takes its place */
    get(s, "a", 1);
    CHECK(symlink("/dev/zero", path_of("run.r0.b.adtape")) == 0);
    refuses(s, "b", ADTAPE_STATUS_IO, "not a regular file");
    CHECK(symlink("/", path_of("run.r0.c.adtape")) == 0);
    refuses(s, "c", ADTAPE_STATUS_IO, "not a regular file");
    CHECK(mkfifo(path_of("one.r0.adtapes"), 0600) == 0);
    CHECK_STATUS(adtape_store_create_files(directory, "one", 0, ADTAPE_STORE_ONE_FILE, &other), ADTAPE_STATUS_IO);
    CHECK(mkfifo(path_of("fifo.r0.lock"), 0600) == 0);
    CHECK_STATUS(adtape_store_create_files(directory, "fifo", 0, 0, &other), ADTAPE_STATUS_IO);
    alarm(0);
    CHECK_OK(adtape_store_destroy(s));
    removed();
}

/* The names of files that are being written could be foreseen, and a link planted there was followed. */
static void planted_links_are_not_followed(void) {
    adtape_store_t *s = NULL;
    char victim[400];
    struct stat file;
    snprintf(victim, sizeof victim, "%s", path_of("victim"));
    FILE *f = fopen(victim, "w");
    CHECK(f != NULL && fputs("precious", f) >= 0 && fclose(f) == 0);
    s = files("run", 0);
    for (int i = 0; i < 50; i++) {
        char part[64];
        snprintf(part, sizeof part, "run.r0.a.part-%d", i);
        CHECK(symlink(victim, path_of(part)) == 0);
    }
    put(s, "a", 1);
    get(s, "a", 1);
    CHECK_OK(adtape_store_destroy(s));
    CHECK_OK(adtape_store_destroy(files("run", 0))); /* removes the links, not what they lead to */
    CHECK(symlink(victim, path_of("locked.r0.lock")) == 0);
    CHECK_STATUS(adtape_store_create_files(directory, "locked", 0, 0, &s), ADTAPE_STATUS_IO);
    CHECK_OK(adtape_store_destroy(files("one", ADTAPE_STORE_ONE_FILE)));
    CHECK(rename(path_of("one.r0.adtapes"), path_of("elsewhere")) == 0);
    CHECK(symlink(path_of("elsewhere"), path_of("one.r0.adtapes")) == 0);
    CHECK_STATUS(adtape_store_create_files(directory, "one", 0, ADTAPE_STORE_ONE_FILE, &s), ADTAPE_STATUS_IO);
    CHECK(stat(victim, &file) == 0 && file.st_size == 8);
    CHECK_I64(removed(), 5); /* a, victim, elsewhere, two links */
}

static unsigned mode_of(const char *file) {
    struct stat found;
    CHECK(stat(path_of(file), &found) == 0);
    return found.st_mode & 0777;
}

static void files_are_their_owners_alone_unless_they_are_shared(void) {
    const mode_t mask = umask(022);
    adtape_store_t *s = files("run", 0), *one = files("one", ADTAPE_STORE_ONE_FILE);
    put(s, "a", 1);
    CHECK(mode_of("run.r0.a.adtape") == 0600 && mode_of("run.r0.lock") == 0600 && mode_of("one.r0.adtapes") == 0600);
    CHECK_OK(adtape_store_destroy(one));
    CHECK_OK(adtape_store_destroy(s));
    removed();
    s = files("run", ADTAPE_STORE_SHARED), one = files("one", ADTAPE_STORE_ONE_FILE | ADTAPE_STORE_SHARED);
    put(s, "a", 1);
    CHECK(mode_of("run.r0.a.adtape") == 0644 && mode_of("one.r0.adtapes") == 0644);
    CHECK_OK(adtape_store_destroy(one));
    CHECK_OK(adtape_store_destroy(s));
    umask(mask);
    removed();
}

int main(void) {
    CHECK(mkdtemp(directory) != NULL);
    const int32_t kinds[] = {0, ADTAPE_STORE_ONE_FILE, ADTAPE_STORE_NO_SYNC};
    for (int i = 0; i < 3; i++) {
        flags_of_run = kinds[i];
        second_process_with_one_run_and_rank_is_refused_and_both_are_named();
        second_store_of_a_process_is_refused_by_any_path();
        killed_holder_leaves_a_run_that_can_be_opened_though_its_child_lives();
        child_cannot_write_to_its_parents_store_and_takes_nothing_along();
    }
    swapped_or_renamed_files_are_damaged();
    damaged_newest_record_of_one_file_is_damaged_and_not_the_one_before_it();
    fifo_or_device_or_directory_in_place_of_a_file_is_an_error();
    planted_links_are_not_followed();
    files_are_their_owners_alone_unless_they_are_shared();
    CHECK(rmdir(directory) == 0);
    return 0;
}
