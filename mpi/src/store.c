/* store.c: a store of files on each rank. */

enum attempt { GOT, IN_USE, FAILED };

API adtape_status_t adtape_mpi_store_create_files(MPI_Comm handle, const char *directory, const char *run, int32_t flags,
                                                  adtape_store_t **out) {
    const void *site = SITE;
    const struct comm *comm = comm_at(handle, site);
    const double begun = MPI_Wtime();
    adtape_store_t *store = NULL;
    adtape_status_t status = ADTAPE_STATUS_OK;
    int mine, most;
    do {
        if (out == NULL) {
            status = refuse(ADTAPE_STATUS_NULL_POINTER, "there is no place for the new handle: it is NULL");
        } else if (store == NULL) {
            status = adtape_store_create_files(directory, run, comm->rank, flags, &store);
        }
        /* The lock goes with the process that has it: a straggler of a killed job keeps it to its end. */
        mine = status == ADTAPE_STATUS_OK ? GOT : status == ADTAPE_STATUS_IN_USE ? IN_USE : FAILED;
        mine = mine == IN_USE && MPI_Wtime() - begun > mpi.timeout ? FAILED : mine;
        agree_together(comm, RUN_CALL, site);
        expect(MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm->twin), site, "MPI_Allreduce");
        if (most == IN_USE) {
            pause_ms(20);
        }
    } while (most == IN_USE);
    status = verdict(comm, mine == FAILED ? status : ADTAPE_STATUS_OK, "a store of files", site);
    if (status != ADTAPE_STATUS_OK) {
        (void)adtape_store_destroy(store);
        store = NULL;
    }
    if (out != NULL) {
        *out = store;
    }
    return status;
}
