/* checkpoints.c: checkpoints of all ranks.
 *
 *   checkpoints DIRECTORY failures                  what goes wrong on one rank goes wrong on all
 *   checkpoints DIRECTORY until-killed RANK AFTER   saves for ever; a rank kills itself after so many microseconds; -1:
 *                                                   none does, and there is one save
 *
 * The state is a function of the number of saves and of the rank, so that each start sees whether it has found one
 * state on all ranks. Each start says on which epoch it goes on; rank 0 writes every epoch that was saved to a file, and
 * no start finds an older one. */
#include "check.h"

#include <adtape_mpi_run.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

enum { N = 30000 };
static double x[N];
static int64_t saves;
static char directory[1000];

static double expected(int64_t i) { return (double)(saves * 1000003 + me * 7919 + i); }

static void set_state(int64_t number) {
    saves = number;
    for (int64_t i = 0; i < N; i++) {
        x[i] = expected(i);
    }
}

static void advance(void) { set_state(saves + 1); }

static void check_state(void) {
    int64_t most[2], mine[2] = {saves, -saves};
    MPI_Allreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(most[0] == saves && most[1] == -saves);
    for (int64_t i = 0; i < N; i++) {
        CHECK(x[i] == expected(i));
    }
}

static adtape_status_t write_part(adtape_checkpoint_t *c, void *user) {
    (void)user;
    adtape_status_t status = adtape_checkpoint_write(c, "saves", ADTAPE_TYPE_I64, &saves, 1);
    return status != ADTAPE_STATUS_OK ? status : adtape_checkpoint_write(c, "x", ADTAPE_TYPE_F64, x, N);
}

static adtape_status_t read_part(adtape_checkpoint_t *c, void *user) {
    (void)user;
    adtape_status_t status = adtape_checkpoint_read(c, "saves", ADTAPE_TYPE_I64, &saves, 1);
    return status != ADTAPE_STATUS_OK ? status : adtape_checkpoint_read(c, "x", ADTAPE_TYPE_F64, x, N);
}

static void must(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        fprintf(stderr, "check failed: rank %d: %s\n", me, adtape_error_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static adtape_store_t *store;
static adtape_mpi_checkpoints_t *k;

static void open_all(void) {
    must(adtape_mpi_store_create_files(MPI_COMM_WORLD, directory, "run", ADTAPE_STORE_NO_SYNC, &store));
    must(adtape_mpi_checkpoints_create(MPI_COMM_WORLD, store, "state", &k));
}

static void close_all(void) {
    adtape_mpi_checkpoints_destroy(k);
    must(adtape_store_destroy(store));
}

/* ---- killed ------------------------------------------------------------------------------------------------------ */

static void die(int number) {
    (void)number;
    kill(getpid(), SIGKILL);
}

static void die_after(long microseconds) {
    const struct itimerval wait = {{0, 0}, {microseconds / 1000000, microseconds % 1000000}};
    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &wait, NULL);
}

static int file(const char *name) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return open(path, O_RDWR | O_CREAT, 0600);
}

static void until_killed(int rank, long microseconds) {
    const int record = file("record");
    int64_t recorded = 0, next = 0;
    open_all();
    /* A start begins to count its time here: before, it waits for the processes of the last one. */
    if (me == rank) {
        die_after(microseconds);
    }
    set_state(0);
    if (adtape_mpi_checkpoints_epoch(k) > 0) {
        must(adtape_mpi_checkpoints_load(k, read_part, NULL));
    }
    check_state();
    next = adtape_mpi_checkpoints_epoch(k);
    (void)!pread(record, &recorded, sizeof recorded, 0);
    CHECK(me != 0 || next >= recorded);
    if (me == 0) {
        printf("went on from epoch %lld, state %lld\n", (long long)next, (long long)saves);
        fflush(stdout);
    }
    do {
        advance();
        must(adtape_mpi_checkpoints_save(k, write_part, NULL));
        CHECK(adtape_mpi_checkpoints_epoch(k) > next);
        next = adtape_mpi_checkpoints_epoch(k);
        CHECK(me != 0 || pwrite(record, &next, sizeof next, 0) == (ssize_t)sizeof next);
    } while (rank >= 0);
    close_all();
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static adtape_status_t write_on_all_but_one(adtape_checkpoint_t *c, void *user) {
    const adtape_status_t status = write_part(c, user);
    if (me == *(const int *)user) {
        return adtape_checkpoint_write(c, "too long", ADTAPE_TYPE_F64, NULL, 5);
    }
    return status;
}

static adtape_status_t read_another(adtape_checkpoint_t *c, void *user) {
    return me == *(const int *)user ? adtape_checkpoint_read(c, "y", ADTAPE_TYPE_F64, x, N) : read_part(c, user);
}

static bool says(const char *text) {
    if (strstr(adtape_error_message(), text) == NULL) {
        fprintf(stderr, "not `%s`, but: %s\n", text, adtape_error_message());
        return false;
    }
    return true;
}

static int64_t names_in_store(void) {
    int64_t count = 0;
    must(adtape_store_list(store, 0, &count, NULL));
    return count;
}

/* Files that cannot grow beyond this; 0: they can. */
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* The checkpoint is that of `epoch`, and its state that of so many saves. */
static void check_last(int64_t epoch, int64_t of_saves) {
    CHECK(adtape_mpi_checkpoints_epoch(k) == epoch);
    memset(x, 0, sizeof x);
    must(adtape_mpi_checkpoints_load(k, read_part, NULL));
    CHECK(saves == of_saves);
    check_state();
    CHECK(names_in_store() == (me == 0 ? 2 : 1));
}

static void failures(void) {
    const int last = ranks - 1;
    char text[100];
    open_all();
    CHECK(adtape_mpi_checkpoints_epoch(k) == 0);
    CHECK(adtape_mpi_checkpoints_load(k, read_part, NULL) == ADTAPE_STATUS_NOT_FOUND && says("no complete checkpoint"));
    advance();
    must(adtape_mpi_checkpoints_save(k, write_part, NULL));
    check_last(1, 1);

    /* A function that fails, a disk that is full. */
    advance();
    snprintf(text, sizeof text, "rank %d of %d: its part of the checkpoint could not be written: ", last, ranks);
    CHECK(adtape_mpi_checkpoints_save(k, write_on_all_but_one, (void *)&last) == ADTAPE_STATUS_NULL_POINTER);
    CHECK(says(text));
    check_last(1, 1);
    advance();
    limit_files(me == last ? 100000 : 0);
    CHECK(adtape_mpi_checkpoints_save(k, write_part, NULL) == ADTAPE_STATUS_IO && says(text) && says("too large"));
    check_last(1, 1);
    limit_files(0);
    advance();
    must(adtape_mpi_checkpoints_save(k, write_part, NULL));
    check_last(4, 2);
    snprintf(text, sizeof text, "rank %d of %d: its part of the checkpoint could not be read: ", last, ranks);
    CHECK(adtape_mpi_checkpoints_load(k, read_another, (void *)&last) == ADTAPE_STATUS_MISMATCH && says(text));
    CHECK(adtape_mpi_checkpoints_save(k, NULL, NULL) == ADTAPE_STATUS_NULL_POINTER && says("rank 0"));
    CHECK(adtape_mpi_checkpoints_save(NULL, write_part, NULL) == ADTAPE_STATUS_NULL_HANDLE);

    /* A new start, on as many ranks and on fewer; a rank without its part. */
    close_all();
    open_all();
    check_last(4, 2);
    adtape_mpi_checkpoints_t *other = NULL;
    if (ranks > 1) {
        CHECK(adtape_mpi_checkpoints_create(MPI_COMM_SELF, store, "state", &other) ==
              (me == 0 ? ADTAPE_STATUS_MISMATCH : ADTAPE_STATUS_OK));
        CHECK(me > 0 || says("is one of"));
        adtape_mpi_checkpoints_destroy(other);
    }
    CHECK(adtape_mpi_checkpoints_create(MPI_COMM_WORLD, store, me == last ? "a/b" : "state", &other) ==
          ADTAPE_STATUS_BAD_ARGUMENT);
    snprintf(text, sizeof text, "rank %d of %d: ", last, ranks);
    CHECK(says(text) && says("`a/b` cannot be the name") && other == NULL);
    CHECK(adtape_mpi_checkpoints_create(MPI_COMM_WORLD, NULL, "state", &other) == ADTAPE_STATUS_NULL_HANDLE);
    char name[101] = "";
    for (int64_t i = 0; i < names_in_store(); i++) {
        const char *listed = NULL;
        must(adtape_store_list(store, i, NULL, &listed));
        if (strcmp(listed, "state-manifest") != 0) {
            snprintf(name, sizeof name, "%s", listed);
        }
    }
    if (me == last) {
        must(adtape_store_remove(store, name));
    }
    CHECK(adtape_mpi_checkpoints_load(k, read_part, NULL) == ADTAPE_STATUS_NOT_FOUND && says(text));
    CHECK(adtape_mpi_checkpoints_create(MPI_COMM_WORLD, store, "state", &other) == ADTAPE_STATUS_NOT_FOUND);
    CHECK(says(text) && says("its part of the last checkpoint cannot be opened"));

    /* A part that another start wrote, in place of the right one. */
    saves = 7;
    if (me == last) {
        adtape_checkpoint_t *c;
        const int64_t entry[6] = {1, 1, 4, ranks, me, 5};
        must(adtape_checkpoint_create(store, name, &c));
        must(adtape_checkpoint_write(c, "adtape-mpi-entry", ADTAPE_TYPE_I64, entry, 6));
        must(adtape_checkpoint_commit(c));
    }
    CHECK(adtape_mpi_checkpoints_load(k, read_part, NULL) == ADTAPE_STATUS_MISMATCH);
    CHECK(says(text) && says("is not the entry that the manifest names"));

    /* Two starts at once, which file systems without locks do not keep apart: the later one wins. */
    must(adtape_mpi_checkpoints_remove(k));
    CHECK(names_in_store() == 0);
    set_state(1);
    must(adtape_mpi_checkpoints_save(k, write_part, NULL));
    adtape_mpi_checkpoints_t *straggler = k;
    must(adtape_mpi_checkpoints_create(MPI_COMM_WORLD, store, "state", &k));
    must(adtape_mpi_checkpoints_save(straggler, write_part, NULL));
    advance();
    must(adtape_mpi_checkpoints_save(k, write_part, NULL));
    const int64_t epoch = adtape_mpi_checkpoints_epoch(k);
    check_last(epoch, 2);
    advance();
    CHECK(adtape_mpi_checkpoints_save(straggler, write_part, NULL) == ADTAPE_STATUS_MISMATCH);
    CHECK(says("rank 0") && says("another start of this run, number 3") && says("this is number 2"));
    adtape_mpi_checkpoints_destroy(straggler);
    must(adtape_mpi_checkpoints_load(k, read_part, NULL));
    CHECK(saves == 2);
    advance();
    must(adtape_mpi_checkpoints_save(k, write_part, NULL));
    check_last(epoch + 1, 3);
    must(adtape_mpi_checkpoints_remove(k));
    CHECK(names_in_store() == 0);
    close_all();
    CHECK(adtape_mpi_store_create_files(MPI_COMM_WORLD, me == last ? "/nonexistent" : directory, "run", 0, &store) ==
          ADTAPE_STATUS_IO);
    CHECK(says(text) && store == NULL);
    if (me == 0) {
        printf("all right\n");
    }
}

int main(int argc, char **argv) {
    char name[40];
    begin(&argc, &argv);
    CHECK(argc > 2);
    snprintf(directory, sizeof directory, "%s", argv[1]);
    snprintf(name, sizeof name, "pid.%d", me);
    const int pids = file(name), length = snprintf(name, sizeof name, "%d\n", (int)getpid());
    CHECK(ftruncate(pids, 0) == 0 && pwrite(pids, name, (size_t)length, 0) == length && close(pids) == 0);
    if (strcmp(argv[2], "failures") == 0) {
        failures();
    } else {
        CHECK(argc > 4);
        until_killed(atoi(argv[3]), atol(argv[4]));
    }
    adtape_MPI_Finalize();
    return 0;
}
