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
