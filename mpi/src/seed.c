/* seed.c: whether the reverse sweep is seeded on the ranks that the program means. A result of Allreduce is a variable of
 * each rank: seeded on all of n, the gradient is n times too large. */

/* Whether a buffer has a value that is not zero. */
static bool is_seeded(const void *seed, int count, MPI_Datatype type, const void *site) {
    const struct layout *layout = layout_of(type, site);
    const int64_t values = count * layout->values, bytes = packed_bytes(layout, values);
    if (layout->class != FIELDS && layout->class != NOTHING) {
        refuse_type(layout, site);
    }
    char *packed = allocate((size_t)bytes, site);
    bool found = false;
    /* Only read: COPY leaves the buffer as it is. */
    pack(COPY, (void *)(uintptr_t)seed, packed, layout, values);
    for (int64_t i = 0; i < bytes && !found; i++) {
        /* Minus zero is zero: its sign is the last byte's highest bit. */
        const bool is_last = layout->mixed || (i + 1) % kind_bytes(layout->kind) == 0;
        found = (packed[i] & (is_last ? 0x7f : 0xff)) != 0;
    }
    free(packed);
    return found;
}

API void adtape_mpi_check_seed(const void *seed, int count, MPI_Datatype datatype, int where, MPI_Comm comm_) {
    const void *site = SITE;
    const struct comm *comm = comm_at(comm_, site);
    int mine = is_seeded(seed, count, datatype, site), seeded = 0, first = comm->size;
    char meant[64], found[64] = "";
    int *all = allocate((size_t)comm->size * sizeof *all, site);
    agree_together(comm, SEED_CHECK, site);
    expect(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm->twin), site, "MPI_Allgather");
    for (int i = comm->size - 1; i >= 0; i--) {
        seeded += all[i];
        first = all[i] ? i : first;
    }
    const bool right = where == ADTAPE_MPI_ON_ONE    ? seeded == 1
                       : where == ADTAPE_MPI_ON_ALL  ? seeded == comm->size
                                                     : seeded == 1 && first == where;
    free(all);
    if (right) {
        return;
    }
    (void)snprintf(meant, sizeof meant, where == ADTAPE_MPI_ON_ONE   ? "one rank"
                                        : where == ADTAPE_MPI_ON_ALL ? "all ranks"
                                                                     : "rank %d alone",
                   where);
    if (seeded > 0) {
        (void)snprintf(found, sizeof found, ", rank %d the first of them", first);
    }
    fail(ADTAPE_STATUS_MISMATCH, site,
         "the reverse sweep is seeded on %d of %d ranks%s, and is meant to be on %s\n"
         "  the result of an Allreduce is a variable of each rank, and its adjoint adds their seeds up; only the root has "
         "that of a Reduce",
         seeded, comm->size, found, meant);
}
