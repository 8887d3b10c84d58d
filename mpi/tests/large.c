/* large.c: large messages, whose adjoints go from where they stand if the partner receives them, and else from a copy. For
 * three ranks or more. */
#include "check.h"
#include <unistd.h>

enum { N = 1 << 16 };
static double *x, *xb; /* what is sent, and behind it what is received */

static void reset(void) {
    for (int i = 0; i < N; i++) {
        x[i] = me + i;
        x[N + i] = -1;
        xb[i] = 1;
        xb[N + i] = i + 10 * me;
    }
}

static int next(void) { return (me + 1) % ranks; }
static int previous(void) { return (me + ranks - 1) % ranks; }

/* Each rank sends to the next one. `late` comes late to the reverse, and finds messages that were copied. */
static void check_ring(int late) {
    reset();
    adtape_MPI_Sendrecv(x, N, MPI_DOUBLE, next(), 0, x + N, N, MPI_DOUBLE, previous(), 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    adtape_MPI_Sendrecv_replace(x, N, MPI_DOUBLE, next(), 0, previous(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(x[N + 5] == previous() + 5 && x[7] == previous() + 7);
    if (me == late) {
        usleep(50000);
    }
    adtape_MPI_Sendrecv_replace_b();
    adtape_MPI_Sendrecv_b();
    for (int i = 0; i < N; i++) {
        CHECK(xb[i] == 1 + i + 10 * next() && xb[N + i] == 0);
    }
    check_tape_is_empty();
}

/* Rank 1 reverses its Sendrecv before the others can get to what rank 0 sent it: it must not wait for them. */
static void check_message_that_was_buffered(void) {
    int bytes = N * (int)sizeof *x + MPI_BSEND_OVERHEAD;
    char *buffer = malloc((size_t)bytes);
    MPI_Buffer_attach(buffer, bytes);
    reset();
    if (me == 0) {
        adtape_MPI_Bsend(x, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        adtape_MPI_Send(x, N, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD);
        adtape_MPI_Recv(x + N, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Recv_b();
        adtape_MPI_Send_b();
        adtape_MPI_Bsend_b();
        CHECK(xb[3] == 1 + 20 + 3 + 10 + 3);
    } else if (me == 1) {
        adtape_MPI_Recv(x, 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Sendrecv(x, N, MPI_DOUBLE, 0, 0, x + N, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Sendrecv_b();
        adtape_MPI_Recv_b();
        CHECK(xb[0] == 0 && xb[3] == 1 + 3 && xb[N + 3] == 0);
    } else if (me == 2) {
        adtape_MPI_Recv(x + N, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Send(x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        adtape_MPI_Send_b();
        adtape_MPI_Recv_b();
        CHECK(xb[0] == 1 + 1 && xb[N + 3] == 0);
    }
    check_tape_is_empty();
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
}

/* More messages under one tag than plain tags have numbers for, while as many requests of another tag are under way. */
static void check_numbers_that_come_again(void) {
#ifdef OPEN_MPI
    enum { MANY = 1 << 16, MORE = 3 };
#else
    enum { MANY = 1 << 14, MORE = 3 };
#endif
    static MPI_Request requests[MANY];
    static double came, came_b;
    active(&came, &came_b, sizeof came, "came");
    reset();
    for (int i = 0; i < MANY + MORE; i++) {
        if (i == MANY) {
            for (int k = 0; k < MANY; k++) {
                adtape_MPI_Irecv(x + N + k, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[k]);
            }
        }
        adtape_MPI_Sendrecv(x + i % N, 1, MPI_DOUBLE, 0, 0, &came, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF,
                            MPI_STATUS_IGNORE);
    }
    for (int k = 0; k < MANY; k++) {
        adtape_MPI_Send(x + k, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
    }
    adtape_MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    CHECK(x[N] == me && x[N + MANY - 1] == me + MANY - 1);
    adtape_MPI_Waitall_b();
    for (int k = 0; k < MANY; k++) {
        adtape_MPI_Send_b();
    }
    for (int i = MANY + MORE - 1; i >= 0; i--) {
        came_b = i;
        adtape_MPI_Sendrecv_b();
        for (int k = 0; i == MANY && k < MANY; k++) {
            adtape_MPI_Irecv_b();
        }
    }
    for (int i = 0; i < N; i++) {
        const int received_b = i + 10 * me;
        double expected = 1 + (i < MANY ? received_b : 0);
        for (int k = i; k < MANY + MORE; k += N) {
            expected += k;
        }
        CHECK(xb[i] == expected && xb[N + i] == (i < MANY ? 0 : received_b));
    }
    ended(&came);
    check_tape_is_empty();
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    CHECK(ranks >= 3);
    x = malloc(2 * N * sizeof *x);
    xb = malloc(2 * N * sizeof *xb);
    active(x, xb, 2 * N * sizeof *x, "x");
    for (int late = -1; late < ranks; late++) {
        check_ring(late);
    }
    check_message_that_was_buffered();
    check_numbers_that_come_again();
    ended(x);
    adtape_MPI_Finalize();
    free(xb);
    free(x);
    return 0;
}
