/* calls_communicators.h: communicators that come and go. */

/* More communicators, one after the other, than MPI has at a time; one that was made by MPI's own call. */
static void check_communicators(void) {
    double x = 1, xb = 1;
    MPI_Comm comm;
    active(&x, &xb, sizeof x, "x");
    for (int i = 0; i < 5000; i++) {
        adtape_MPI_Comm_split(MPI_COMM_SELF, 0, 0, &comm);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    adtape_mpi_adopt(comm);
    adtape_MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    adtape_MPI_Allreduce_b();
    CHECK(x == 2 && xb == 2);
    adtape_MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? 0 : MPI_UNDEFINED, 0, &comm);
    CHECK((comm == MPI_COMM_NULL) == (me == 1));
    ended(&x);
}

/* A rank may free its communicator behind the call that makes the next one, and the others before it. */
static void check_communicator_that_is_freed_late(void) {
    double x = me + 1, xb = 1;
    MPI_Comm first, next;
    active(&x, &xb, sizeof x, "x");
    for (int i = 0; i < 3; i++) {
        adtape_MPI_Comm_dup(MPI_COMM_WORLD, &first);
        if (me == 0) {
            MPI_Comm_free(&first);
        }
        adtape_MPI_Comm_dup(MPI_COMM_WORLD, &next);
        if (me != 0) {
            MPI_Comm_free(&first);
        }
        adtape_MPI_Bcast(&x, 1, MPI_DOUBLE, 0, next);
        MPI_Comm_free(&next);
        xb = 1;
        adtape_MPI_Bcast_b();
        CHECK(x == 1 && xb == (me == 0 ? ranks : 0));
    }
    ended(&x);
}

/* Rows and columns of a grid, and a group's communicator that its members make alone. */
static void check_parts_of_a_grid(void) {
    const int dims[2] = {2, 1}, periods[2] = {0, 1}, first[2] = {1, 0}, second[2] = {0, 1}, zero = 0;
    double x[2] = {me + 1, 5}, xb[2] = {0};
    MPI_Comm grid, column, row, alone;
    MPI_Group all, group;
    int size, before, behind;
    active(x, xb, sizeof x, "x");
    adtape_MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    adtape_MPI_Cart_sub(grid, first, &column);
    adtape_MPI_Cart_sub(grid, second, &row);
    MPI_Comm_size(row, &size);
    MPI_Cart_shift(column, 0, 1, &before, &behind);
    CHECK(size == 1 && before == (me == 0 ? MPI_PROC_NULL : 0) && behind == (me == 0 ? 1 : MPI_PROC_NULL));
    adtape_MPI_Sendrecv(x, 1, MPI_DOUBLE, behind, 0, x + 1, 1, MPI_DOUBLE, before, 0, column, MPI_STATUS_IGNORE);
    adtape_MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_PROD, row);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &zero, &group);
    if (me == 0) {
        adtape_MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &alone);
        adtape_MPI_Bcast(x, 1, MPI_DOUBLE, 0, alone);
        MPI_Comm_free(&alone);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Comm_free(&grid);
    xb[0] = me + 1;
    xb[1] = 10;
    if (me == 0) {
        adtape_MPI_Bcast_b();
    }
    adtape_MPI_Allreduce_b();
    adtape_MPI_Sendrecv_b();
    CHECK(x[1] == (me == 0 ? 5 : 1) && xb[0] == (me == 0 ? 1 + 10 : 2) && xb[1] == (me == 0 ? 10 : 0));
    ended(x);
    check_tape_is_empty();
}
