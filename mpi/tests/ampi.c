/* ampi.c: adjoints by the names of Adjoinable MPI, in the order in which Tapenade writes them, on two ranks: x and y of
 * a program, their adjoints, the forward sweep, the turn, the reverse sweep. Also where Adjoinable MPI's own adjoint
 * was wrong: messages of one tag waited for in another order; MAX; a product with a factor of zero; in place. */
#include <ampi/ampi.h>

#include "check.h"

static double x[4], xb[4], y[4], yb[4];

static void reset(void) {
    for (int i = 0; i < 4; i++) {
        x[i] = 10 * me + i + 1;
        y[i] = -1;
        xb[i] = 0;
        yb[i] = 100 * me + i + 1;
    }
}

/* rank 0: y = what rank 1 makes of 2 x;  rank 1: the square of what came */
static void two_ways(void) {
    AMPI_Request r;
    reset();
    if (me == 0) {
        x[0] = x[0] * 2;
        FW_AMPI_Irecv(y, 1, AMPI_ADOUBLE, 1, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, &r);
        FW_AMPI_Send(x, 1, AMPI_ADOUBLE, 1, 0, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD);
        FW_AMPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK(y[0] == 4);
        ADTOOL_AMPI_Turn(x, xb);
        ADTOOL_AMPI_Turn(y, yb);
        yb[0] = 3 * yb[0];
        BW_AMPI_Wait(&r, MPI_STATUS_IGNORE);
        BW_AMPI_Send(xb, 1, AMPI_ADOUBLE, 1, 0, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD);
        BW_AMPI_Irecv(yb, 1, AMPI_ADOUBLE, 1, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, &r);
        xb[0] = 2 * xb[0];
        CHECK(xb[0] == 2 * 3 * 2 * 2 && yb[0] == 0);
    } else {
        double local, localb = 0;
        FW_AMPI_Irecv(&local, 1, AMPI_ADOUBLE, 0, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, &r);
        FW_AMPI_Wait(&r, MPI_STATUS_IGNORE);
        adtape_push_f64(adtape_self(), local);
        local = local * local;
        FW_AMPI_Send(&local, 1, AMPI_ADOUBLE, 0, 0, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD);
        ADTOOL_AMPI_Turn(&local, &localb);
        BW_AMPI_Send(&localb, 1, AMPI_ADOUBLE, 0, 0, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD);
        adtape_pop_f64(adtape_self(), &local);
        localb = 2 * local * localb;
        BW_AMPI_Wait(&r, MPI_STATUS_IGNORE);
        BW_AMPI_Irecv(&localb, 1, AMPI_ADOUBLE, 0, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, &r);
        CHECK(localb == 0);
    }
    check_tape_is_empty();
}

/* Two messages of one tag. The receiver waits for the second one first, and the sender for its first one last. */
static void another_order(void) {
    AMPI_Request r[2];
    reset();
    if (me == 0) {
        FW_AMPI_Isend(x, 1, AMPI_ADOUBLE, 1, 7, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, &r[0]);
        FW_AMPI_Isend(x + 1, 1, AMPI_ADOUBLE, 1, 7, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, &r[1]);
        FW_AMPI_Wait(&r[1], MPI_STATUS_IGNORE);
        FW_AMPI_Wait(&r[0], MPI_STATUS_IGNORE);
        BW_AMPI_Wait(&r[0], MPI_STATUS_IGNORE);
        BW_AMPI_Wait(&r[1], MPI_STATUS_IGNORE);
        BW_AMPI_Isend(xb + 1, 1, AMPI_ADOUBLE, 1, 7, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, &r[1]);
        BW_AMPI_Isend(xb, 1, AMPI_ADOUBLE, 1, 7, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, &r[0]);
        CHECK(xb[0] == 101 && xb[1] == 102);
    } else {
        FW_AMPI_Irecv(y, 1, AMPI_ADOUBLE, 0, 7, AMPI_FROM_ISEND_WAIT, MPI_COMM_WORLD, &r[0]);
        FW_AMPI_Irecv(y + 1, 1, AMPI_ADOUBLE, 0, 7, AMPI_FROM_ISEND_WAIT, MPI_COMM_WORLD, &r[1]);
        FW_AMPI_Wait(&r[1], MPI_STATUS_IGNORE);
        FW_AMPI_Wait(&r[0], MPI_STATUS_IGNORE);
        CHECK(y[0] == 1 && y[1] == 2);
        ADTOOL_AMPI_Turn(y, yb);
        ADTOOL_AMPI_Turn(y + 1, yb + 1);
        BW_AMPI_Wait(&r[0], MPI_STATUS_IGNORE);
        BW_AMPI_Wait(&r[1], MPI_STATUS_IGNORE);
        BW_AMPI_Irecv(yb + 1, 1, AMPI_ADOUBLE, 0, 7, AMPI_FROM_ISEND_WAIT, MPI_COMM_WORLD, &r[1]);
        BW_AMPI_Irecv(yb, 1, AMPI_ADOUBLE, 0, 7, AMPI_FROM_ISEND_WAIT, MPI_COMM_WORLD, &r[0]);
        CHECK(yb[0] == 0 && yb[1] == 0);
    }
    check_tape_is_empty();
}

static void from_any_source(void) {
    MPI_Status status;
    reset();
    if (me == 0) {
        FW_AMPI_Recv(y, 2, AMPI_ADOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, AMPI_FROM_SEND, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_SOURCE == 1 && y[1] == 12);
        BW_AMPI_Recv(yb, 2, AMPI_ADOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, AMPI_FROM_SEND, MPI_COMM_WORLD, &status);
        CHECK(yb[0] == 0 && yb[1] == 0 && yb[2] == 3);
    } else {
        FW_AMPI_Send(x, 2, AMPI_ADOUBLE, 0, 3, AMPI_TO_RECV, MPI_COMM_WORLD);
        BW_AMPI_Send(xb, 2, AMPI_ADOUBLE, 0, 3, AMPI_TO_RECV, MPI_COMM_WORLD);
        CHECK(xb[0] == 1 && xb[1] == 2);
    }
}

static void reductions(void) {
    reset();
    x[0] = 5; /* of two equal ones rank 0's */
    x[1] = me; /* a factor of zero */
    FWS_AMPI_Reduce(x, y, 1, AMPI_ADOUBLE, MPI_MAX, 1, MPI_COMM_WORLD);
    FWS_AMPI_Reduce(x + 1, y + 1, 2, AMPI_ADOUBLE, MPI_PROD, 1, MPI_COMM_WORLD);
    CHECK(me == 0 || (y[0] == 5 && y[1] == 0 && y[2] == 39));
    BWS_AMPI_Reduce(x + 1, xb + 1, y + 1, yb + 1, 2, AMPI_ADOUBLE, AMPI_ADOUBLE, MPI_PROD, NULL, 1, MPI_COMM_WORLD);
    BWS_AMPI_Reduce(x, xb, y, yb, 1, AMPI_ADOUBLE, AMPI_ADOUBLE, MPI_MAX, NULL, 1, MPI_COMM_WORLD);
    CHECK(xb[0] == (me == 0 ? 101 : 0) && xb[1] == (me == 0 ? 102 : 0) && xb[2] == (me == 0 ? 103 * 13 : 103 * 3));
    CHECK(yb[0] == (me == 0 ? 1 : 0) && yb[2] == (me == 0 ? 3 : 0));
    reset();
    FW_AMPI_Allreduce(MPI_IN_PLACE, x, 2, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(x[0] == 12 && x[1] == 14);
    xb[0] = 1 + me;
    BW_AMPI_Allreduce(MPI_IN_PLACE, xb, 2, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(xb[0] == 3 && xb[1] == 0);
    check_tape_is_empty();
}

static void of_all_ranks(void) {
    int counts[2] = {1, 2}, places[2] = {2, 0};
    reset();
    FW_AMPI_Bcast(x + 3, 1, AMPI_ADOUBLE, 1, MPI_COMM_WORLD);
    FW_AMPI_Barrier(MPI_COMM_WORLD);
    FW_AMPI_Gather(x, 1, AMPI_ADOUBLE, y, 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    FW_AMPI_Scatter(x, 1, AMPI_ADOUBLE, y + 2, 1, AMPI_ADOUBLE, 1, MPI_COMM_WORLD);
    FW_AMPI_Allgather(x + 1, 1, AMPI_ADOUBLE, y, 1, AMPI_ADOUBLE, MPI_COMM_WORLD);
    CHECK(x[3] == 14 && y[0] == 2 && y[1] == 12 && y[2] == 11 + me);
    BW_AMPI_Allgather(xb + 1, 1, AMPI_ADOUBLE, yb, 1, AMPI_ADOUBLE, MPI_COMM_WORLD);
    CHECK(xb[1] == (me == 0 ? 1 + 101 : 2 + 102) && yb[0] == 0 && yb[1] == 0);
    BW_AMPI_Scatter(xb, 1, AMPI_ADOUBLE, yb + 2, 1, AMPI_ADOUBLE, 1, MPI_COMM_WORLD);
    CHECK(xb[0] == (me == 0 ? 0 : 3) && xb[1] == (me == 0 ? 102 : 104 + 103) && yb[2] == 0);
    yb[0] = 7;
    yb[1] = 8;
    BW_AMPI_Gather(xb, 1, AMPI_ADOUBLE, yb, 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    CHECK(xb[0] == (me == 0 ? 7 : 3 + 8));
    BW_AMPI_Barrier(MPI_COMM_WORLD);
    xb[3] = 1;
    BW_AMPI_Bcast(xb + 3, 1, AMPI_ADOUBLE, 1, MPI_COMM_WORLD);
    CHECK(xb[3] == 2 * me);
    reset();
    FW_AMPI_Gatherv(x, me + 1, AMPI_ADOUBLE, y, counts, places, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    FW_AMPI_Allgatherv(x, me + 1, AMPI_ADOUBLE, y, counts, places, AMPI_ADOUBLE, MPI_COMM_WORLD);
    FW_AMPI_Scatterv(x, counts, places, AMPI_ADOUBLE, y + 3 - me, me + 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    CHECK(y[0] == 11 && (me == 0 ? y[2] == 1 && y[3] == 3 : y[2] == 1 && y[3] == 2));
    BW_AMPI_Scatterv(xb, counts, places, AMPI_ADOUBLE, yb + 3 - me, me + 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    CHECK(me == 1 || (xb[0] == 103 && xb[1] == 104 && xb[2] == 4));
    BW_AMPI_Allgatherv(xb, me + 1, AMPI_ADOUBLE, yb, counts, places, AMPI_ADOUBLE, MPI_COMM_WORLD);
    CHECK(me == 0 ? xb[0] == 103 + 3 : xb[0] == 1 + 101 && xb[1] == 2 + 102);
    yb[0] = 5;
    yb[1] = 0;
    yb[2] = 6;
    BW_AMPI_Gatherv(xb, me + 1, AMPI_ADOUBLE, yb, counts, places, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    CHECK(xb[0] == (me == 0 ? 103 + 3 + 6 : 102 + 5));
    check_tape_is_empty();
}

int main(int argc, char **argv) {
    if (argc > 1) {
        /* A receive into a buffer that no turn names. */
        AMPI_Request r;
        AMPI_Init_NT(&argc, &argv);
        FW_AMPI_Irecv(y, 1, AMPI_ADOUBLE, MPI_PROC_NULL, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, &r);
        FW_AMPI_Wait(&r, MPI_STATUS_IGNORE);
        BW_AMPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    AMPI_Init_NT(&argc, &argv);
    AMPI_Comm_rank(MPI_COMM_WORLD, &me);
    AMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(ranks == 2);
    two_ways();
    another_order();
    from_any_source();
    reductions();
    of_all_ranks();
    AMPI_Finalize_NT();
    return 0;
}
