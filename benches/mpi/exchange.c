/* exchange: messages and their reverse by adtape_mpi, beside the same by hand in plain MPI, turn and turn about.
 *
 *   exchange
 *
 * On one rank, messages go to itself, and those of 8 bytes are measured. On more, they go round a ring; the time of a
 * round is that of the slowest rank. Rank 0 prints a line for each figure: its name, nanoseconds of an operation by
 * adtape_mpi forward and in reverse, and by hand forward and in reverse; the difference forward, a call, and the ratio
 * in reverse. Each time is one that a hundredth of the rounds did not exceed. Ends with 1 if the two do not come to the same. */
#include <adtape_mpi.h>
#include <adtape.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 16 };
static double out[MOST], outb[MOST], in[MOST], inb[MOST], temporary[MOST];
static int me, ranks, left, right;

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What has come is added up, and what was sent is zero. */
static void add_up(int count) {
    for (int i = 0; i < count; i++) {
        outb[i] += temporary[i];
        inb[i] = 0;
    }
}

/* ---- a halo: one message each way round the ring ---------------------------------------------------------------- */

static void halo(int count) {
    MPI_Request r[2];
    adtape_MPI_Irecv(in, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
    adtape_MPI_Isend(out, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[1]);
    adtape_MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void halo_b(int count) {
    (void)count;
    adtape_MPI_Waitall_b();
    adtape_MPI_Isend_b();
    adtape_MPI_Irecv_b();
}

static void plain_halo(int count) {
    MPI_Request r[2];
    MPI_Status done[2];
    MPI_Irecv(in, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, done);
}

static void plain_halo_b(int count) {
    MPI_Request r[2];
    MPI_Status done[2];
    MPI_Irecv(temporary, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(inb, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, done);
    add_up(count);
}

/* By hand, too, call by call as adtape_mpi is called: the reverse of the wait sends and asks, that of Isend waits for what
 * comes and adds it up, that of Irecv waits until its own is sent, and clears it. */
static void halo_in_turn_b(int count) {
    MPI_Request sent, came;
    MPI_Status status;
    MPI_Isend(inb, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &sent);
    MPI_Irecv(temporary, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &came);
    MPI_Wait(&came, &status);
    for (int i = 0; i < count; i++) {
        outb[i] += temporary[i];
    }
    MPI_Wait(&sent, &status);
    memset(inb, 0, (size_t)count * sizeof *inb);
}

/* ---- Sendrecv ---------------------------------------------------------------------------------------------------- */

static void sendrecv(int count) {
    adtape_MPI_Sendrecv(out, count, MPI_DOUBLE, right, 0, in, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
}

static void sendrecv_b(int count) {
    (void)count;
    adtape_MPI_Sendrecv_b();
}

static void plain_sendrecv(int count) {
    MPI_Sendrecv(out, count, MPI_DOUBLE, right, 0, in, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void plain_sendrecv_b(int count) {
    MPI_Sendrecv(inb, count, MPI_DOUBLE, left, 0, temporary, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    add_up(count);
}

/* By hand, too, where no partner is waited for, as adtape_mpi promises. The adjoint goes from a copy: its place is used
 * again, and MPI may still read what it sends. */
static void unwaited_sendrecv_b(int count) {
    static double copy[MOST];
    MPI_Request request;
    int done = 0;
    memcpy(copy, inb, (size_t)count * sizeof *copy);
    MPI_Isend(copy, count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Recv(temporary, count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add_up(count);
    /* The next one needs the copy. */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- collective calls -------------------------------------------------------------------------------------------- */

static void allreduce(int count) { adtape_MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static void allreduce_b(int count) {
    (void)count;
    adtape_MPI_Allreduce_b();
}

static void plain_allreduce(int count) { MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static void plain_allreduce_b(int count) {
    MPI_Allreduce(inb, temporary, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    add_up(count);
}

static void bcast(int count) { adtape_MPI_Bcast(in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD); }

static void bcast_b(int count) {
    (void)count;
    adtape_MPI_Bcast_b();
}

static void plain_bcast(int count) { MPI_Bcast(in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD); }

static void plain_bcast_b(int count) {
    MPI_Reduce(inb, temporary, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        inb[i] = me == 0 ? temporary[i] : 0;
    }
}

/* ---- figures ------------------------------------------------------------------------------------------------------ */

typedef void exchange(int count);
static const struct figure {
    const char *name;
    int calls; /* of MPI, in the forward sweep */
    exchange *forward, *reverse, *plain_forward, *plain_reverse;
} figures[] = {
    {"halo", 3, halo, halo_b, plain_halo, plain_halo_b},
    {"by hand call by call, halo", 3, plain_halo, halo_in_turn_b, plain_halo, plain_halo_b},
    {"Sendrecv", 1, sendrecv, sendrecv_b, plain_sendrecv, plain_sendrecv_b},
    {"by hand from a copy, Sendrecv", 1, plain_sendrecv, unwaited_sendrecv_b, plain_sendrecv, plain_sendrecv_b},
    {"Allreduce", 1, allreduce, allreduce_b, plain_allreduce, plain_allreduce_b},
    {"Bcast", 1, bcast, bcast_b, plain_bcast, plain_bcast_b},
};
/* How many rounds of each size, and exchanges in each: short, so that many of them pass undisturbed. */
static const struct size {
    int count, rounds, times;
} sizes[] = {{1, 2000, 50}, {512, 600, 20}, {8192, 300, 5}, {65536, 100, 2}};
enum { MOST_ROUNDS = 2000 };

/* ---- results ------------------------------------------------------------------------------------------------------ */

/* Adjoints behind the reverse of an exchange that begins with these. */
static void reversed(exchange *forward, exchange *reverse, int count, double *results) {
    for (int i = 0; i < count; i++) {
        out[i] = in[i] = 0.5 * i;
        outb[i] = i + 7 * me;
        inb[i] = 3 * i - 5 * me + 1;
    }
    forward(count);
    reverse(count);
    memcpy(results, outb, sizeof(double) * (size_t)count);
    memcpy(results + count, inb, sizeof(double) * (size_t)count);
}

static void check(const struct figure *f, int count) {
    static double ours[2 * MOST], by_hand[2 * MOST];
    reversed(f->forward, f->reverse, count, ours);
    reversed(f->plain_forward, f->plain_reverse, count, by_hand);
    if (memcmp(ours, by_hand, 2 * sizeof(double) * (size_t)count) != 0) {
        (void)fprintf(stderr, "exchange: %s of %d bytes: the adjoints are others than by hand, on rank %d\n", f->name,
                      count * 8, me);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* ---- times -------------------------------------------------------------------------------------------------------- */

/* What reading the clock adds to a time. */
static double clock_cost(void) {
    double least = 1e9;
    for (int i = 0; i < 1000; i++) {
        const double begun = now(), took = now() - begun;
        least = took < least ? took : least;
    }
    return least;
}

/* Nanoseconds of each of `times` exchanges, of the slowest rank. */
static double timed(exchange *run, int count, int times, double clock) {
    double took, most;
    MPI_Barrier(MPI_COMM_WORLD);
    took = -now();
    for (int i = 0; i < times; i++) {
        run(count);
    }
    took += now() - clock;
    MPI_Allreduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most / times;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nothing disturbed the rounds that took the least; one of them alone may be luck. */
static double low(double *x, int count) {
    qsort(x, (size_t)count, sizeof *x, by_size);
    return x[count / 100];
}

static void measure(const struct figure *f, const struct size *size, double clock) {
    static double all[4][MOST_ROUNDS];
    double t[4];
    const int count = size->count, times = size->times;
    check(f, count);
    /* The first one touches the tape, and does not count. */
    for (int round = -1; round < size->rounds; round++) {
        for (int turn = 0; turn < 2; turn++) {
            /* Each in turn the first. */
            const bool ours = (round + turn) % 2 == 0;
            memset(outb, 0, sizeof(double) * (size_t)count);
            memset(inb, 0, sizeof(double) * (size_t)count);
            t[ours ? 0 : 2] = timed(ours ? f->forward : f->plain_forward, count, times, clock);
            t[ours ? 1 : 3] = timed(ours ? f->reverse : f->plain_reverse, count, times, clock);
        }
        for (int i = 0; round >= 0 && i < 4; i++) {
            all[i][round] = t[i];
        }
    }
    for (int i = 0; i < 4; i++) {
        t[i] = low(all[i], size->rounds);
    }
    if (me == 0) {
        printf("%s of %d bytes;%.4f;%.4f;%.4f;%.4f;%.4f;%.4f\n", f->name, count * 8, t[0], t[1], t[2], t[3],
               (t[0] - t[2]) / f->calls, t[1] / t[3]);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    adtape_MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (me + ranks - 1) % ranks;
    right = (me + 1) % ranks;
    adtape_live_add(NULL, out, sizeof out, ADTAPE_KIND_STATIC, "out");
    adtape_live_set_adjoint(NULL, out, outb, sizeof outb);
    adtape_live_add(NULL, in, sizeof in, ADTAPE_KIND_STATIC, "in");
    adtape_live_set_adjoint(NULL, in, inb, sizeof inb);
    const double clock = clock_cost();
    for (int f = 0; f < (int)(sizeof figures / sizeof *figures); f++) {
        for (int i = 0; i < (ranks == 1 ? 1 : (int)(sizeof sizes / sizeof *sizes)); i++) {
            measure(&figures[f], &sizes[i], clock);
        }
    }
    adtape_MPI_Finalize();
    return 0;
}
