/* calls_empty.h: messages to nobody, requests that are none, and ranks that give or get nothing. */
static void check_empty_requests(void) {
    double x[2] = {1, 2}, xb[2] = {3, 4};
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[3];
    active(x, xb, sizeof x, "x");
    adtape_MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    adtape_MPI_Irecv(x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    adtape_MPI_Isend(x + 1, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
    adtape_MPI_Waitall(3, requests, statuses);
    adtape_MPI_Waitall(0, requests, MPI_STATUSES_IGNORE);
    adtape_MPI_Send(x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    adtape_MPI_Recv(x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    adtape_MPI_Recv_b();
    adtape_MPI_Send_b();
    adtape_MPI_Waitall_b();
    adtape_MPI_Waitall_b();
    adtape_MPI_Isend_b();
    adtape_MPI_Irecv_b();
    adtape_MPI_Wait_b();
    CHECK(xb[0] == 3 && xb[1] == 4);
    check_tape_is_empty();
    ended(x);
}

/* MPICH's calls that wait for some pass over a started request to MPI_PROC_NULL, and say that none is active: so the
 * reverse of its start expects no wait. */
static void check_requests_to_nobody_that_are_started(void) {
    double x[2] = {1, 2}, xb[2] = {3, 4};
    MPI_Request requests[2];
    int any = 0, some = 0, index = 0, count = 0, indices[2];
    active(x, xb, sizeof x, "x");
    adtape_MPI_Send_init(x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    adtape_MPI_Recv_init(x + 1, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    adtape_MPI_Startall(2, requests);
    for (; index != MPI_UNDEFINED; any++) {
        adtape_MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    }
    adtape_MPI_Startall(2, requests);
    for (; count != MPI_UNDEFINED; some++) {
        adtape_MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    }
    for (; some > 0; some--) {
        adtape_MPI_Waitsome_b();
    }
    adtape_MPI_Startall_b();
    for (; any > 0; any--) {
        adtape_MPI_Waitany_b();
    }
    adtape_MPI_Startall_b();
    CHECK(xb[0] == 3 && xb[1] == 4);
    check_tape_is_empty();
    ended(x);
    adtape_MPI_Request_free(&requests[0]);
    adtape_MPI_Request_free(&requests[1]);
}

/* The last rank gives nothing, and says so by any datatype, as if its buffer were active. */
static void check_rank_that_gives_nothing(void) {
    enum { N = 8 };
    double x[2] = {me, 1}, xb[2] = {0}, y[N], yb[N];
    int counts[N / 2] = {0}, places[N / 2] = {0};
    MPI_Request request;
    const bool last = me == ranks - 1;
    const int count = last ? 0 : 2;
    const MPI_Datatype type = last ? MPI_INT : MPI_DOUBLE;
    CHECK(ranks <= N / 2);
    for (int i = 0; i < ranks - 1; i++) {
        counts[i] = 2;
        places[i] = 2 * i;
    }
    active(x, xb, sizeof x, "x");
    active(y, yb, sizeof y, "y");
    adtape_MPI_Allgatherv(x, count, type, y, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    adtape_MPI_Iallgatherv(x, count, type, y, counts, places, MPI_DOUBLE, MPI_COMM_WORLD, &request);
    adtape_MPI_Wait(&request, MPI_STATUS_IGNORE);
    adtape_MPI_Scatterv(y, counts, places, MPI_DOUBLE, x, count, type, 0, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        yb[i] = i;
    }
    xb[0] = xb[1] = 1;
    adtape_MPI_Scatterv_b();
    adtape_MPI_Wait_b();
    adtape_MPI_Iallgatherv_b();
    for (int i = 0; i < N; i++) {
        yb[i] = i;
    }
    adtape_MPI_Allgatherv_b();
    for (int i = 0; i < 2; i++) {
        const double own = 2 * me + i;
        CHECK(xb[i] == (last ? 1 : 2 * ranks * own + 1));
    }
    check_tape_is_empty();
    ended(x);
    ended(y);
}

/* Of single precision only the root knows before the values are there. */
static void check_scatter_of_floats(void) {
    float x[4] = {1, 2, 3, 4}, xb[4] = {0}, y, yb = 2;
    CHECK(ranks <= 4);
    active(x, xb, sizeof x, "x");
    active(&y, &yb, sizeof y, "y");
    adtape_MPI_Scatter(x, 1, MPI_FLOAT, &y, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
    adtape_MPI_Scatter_b();
    for (int i = 0; i < ranks; i++) {
        CHECK(y == me + 1 && yb == 0 && xb[i] == (me == 0 ? 2 : 0));
    }
    ended(x);
    ended(&y);
}
