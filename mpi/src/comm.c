/* comm.c: communicators. Each has a twin, a duplicate that only the library uses, and a number that records name.
 *
 * The twin stays when the program frees its communicator: the reverse sweep needs it. It serves the next communicator
 * that the program makes of the same ranks in the same order, so that a loop which makes and frees one needs one twin.
 * All ranks have to choose the same one, and one of them may free a communicator later than the others: so they agree,
 * by a number that each twin has on all of its ranks. */

struct request;
struct arrival;
struct comm {
    MPI_Comm twin;
    MPI_Comm mirrored;   /* the ranks in reverse order, or MPI_COMM_NULL */
    bool in_use;         /* the program's communicator is there */
    int number;          /* of this one among all */
    int64_t common;      /* a number that twins of the same ranks have each their own, from 1 */
    int rank, size;
    uint64_t collectives; /* nonblocking ones so far, which all ranks begin in one order */
    struct table next;   /* the number of the next message, by direction, peer and tag */
    struct request *unsettled, **unsettled_end; /* receives whose number is not known yet, in the order of posting */
    struct arrival *arrivals; /* headed messages that came before they were asked for */
};
static struct {
    struct comm **at;
    int count;
    int64_t common;      /* the largest so far */
    /* The last one that was asked for. */
    MPI_Comm last_handle;
    struct comm *last;
} comms;

static int comm_gone(MPI_Comm handle, int key, void *value, void *extra) {
    (void)handle, (void)key, (void)extra;
    ((struct comm *)value)->in_use = false;
    comms.last = NULL;
    return MPI_SUCCESS;
}

static struct comm *comm_find(MPI_Comm handle) {
    void *value = NULL;
    int found = 0;
    if (handle == MPI_COMM_NULL) {
        return NULL;
    }
    (void)MPI_Comm_get_attr(handle, mpi.comm_key, &value, &found);
    return found ? value : NULL;
}

static struct comm *comm_at(MPI_Comm handle, const void *site) {
    expect_ready(site);
    if (comms.last != NULL && comms.last_handle == handle) {
        return comms.last;
    }
    struct comm *comm = comm_find(handle);
    if (comm == NULL) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "a communicator that adtape_mpi does not know\n"
             "  make it by adtape_MPI_Comm_dup, …_split, …_create, adtape_MPI_Cart_create or one of their like, or call "
             "adtape_mpi_adopt on all of its ranks");
    }
    comms.last_handle = handle;
    comms.last = comm;
    return comm;
}

/* Whether neighbours are the same: without a topology nobody has any. Graphs are not compared. */
static bool has_topology_of(MPI_Comm a, MPI_Comm b) {
    enum { MANY = 16 };
    int kinds[2], ranks[2] = {0}, sizes[2][MANY], around[2][MANY], place[MANY];
    (void)MPI_Topo_test(a, &kinds[0]);
    (void)MPI_Topo_test(b, &kinds[1]);
    if (kinds[0] != MPI_CART || kinds[1] != MPI_CART) {
        return kinds[0] == MPI_UNDEFINED && kinds[1] == MPI_UNDEFINED;
    }
    (void)MPI_Cartdim_get(a, &ranks[0]);
    (void)MPI_Cartdim_get(b, &ranks[1]);
    if (ranks[0] != ranks[1] || ranks[0] > MANY) {
        return false;
    }
    (void)MPI_Cart_get(a, MANY, sizes[0], around[0], place);
    (void)MPI_Cart_get(b, MANY, sizes[1], around[1], place);
    const size_t bytes = (size_t)ranks[0] * sizeof(int);
    return memcmp(sizes[0], sizes[1], bytes) == 0 && memcmp(around[0], around[1], bytes) == 0;
}

/* A twin that no communicator has any more, of the same ranks in the same order. */
static struct comm *comm_unused(MPI_Comm handle) {
    for (int i = 0; i < comms.count; i++) {
        int same = MPI_UNEQUAL;
        if (!comms.at[i]->in_use) {
            (void)MPI_Comm_compare(comms.at[i]->twin, handle, &same);
            if (same == MPI_CONGRUENT && has_topology_of(comms.at[i]->twin, handle)) {
                return comms.at[i];
            }
        }
    }
    return NULL;
}

static struct comm *comm_new(MPI_Comm handle, const void *site) {
    struct comm *comm = allocate_zeros(sizeof *comm, site);
    expect(MPI_Comm_dup(handle, &comm->twin), site, "MPI_Comm_dup");
    (void)MPI_Comm_set_errhandler(comm->twin, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(comm->twin, &comm->rank);
    (void)MPI_Comm_size(comm->twin, &comm->size);
    comm->mirrored = MPI_COMM_NULL;
    comm->unsettled_end = &comm->unsettled;
    comm->number = comms.count;
    comms.at = reallocate(comms.at, (size_t)(comms.count + 1) * sizeof *comms.at, site);
    comms.at[comms.count++] = comm;
    return comm;
}

/* Gives a communicator its twin. Collective. */
static void comm_adopt(MPI_Comm handle, const void *site) {
    int inter = 0;
    if (handle == MPI_COMM_NULL || comm_find(handle) != NULL) {
        return;
    }
    (void)MPI_Comm_test_inter(handle, &inter);
    if (inter) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site, "an intercommunicator\n  adtape_mpi reverses intracommunicators only");
    }
    struct comm *comm = comm_unused(handle);
    const int64_t unused = comm != NULL ? comm->common : 0, mine[3] = {unused, -unused, comms.common + 1};
    int64_t most[3];
    expect(MPI_Allreduce(mine, most, 3, MPI_INT64_T, MPI_MAX, handle), site, "MPI_Allreduce");
    if (unused == 0 || most[0] != unused || most[1] != -unused) {
        comm = comm_new(handle, site);
        comm->common = comms.common = most[2];
    }
    comm->in_use = true;
    expect(MPI_Comm_set_attr(handle, mpi.comm_key, comm), site, "MPI_Comm_set_attr");
}

/* Passes the code of the call that made a communicator on, and gives it its twin. */
static int comm_made(int code, const MPI_Comm *made, const void *site) {
    if (code == MPI_SUCCESS) {
        comm_adopt(*made, site);
    }
    return code;
}

API int adtape_MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) {
    expect_ready(SITE);
    return comm_made(MPI_Comm_dup(comm, newcomm), newcomm, SITE);
}

API int adtape_MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm) {
    expect_ready(SITE);
    return comm_made(MPI_Comm_split(comm, color, key, newcomm), newcomm, SITE);
}

API int adtape_MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm) {
    expect_ready(SITE);
    return comm_made(MPI_Comm_split_type(comm, split_type, key, info, newcomm), newcomm, SITE);
}

API int adtape_MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm) {
    expect_ready(SITE);
    return comm_made(MPI_Comm_create(comm, group, newcomm), newcomm, SITE);
}

API int adtape_MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm) {
    expect_ready(SITE);
    return comm_made(MPI_Comm_create_group(comm, group, tag, newcomm), newcomm, SITE);
}

API int adtape_MPI_Cart_create(MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder,
                               MPI_Comm *comm_cart) {
    expect_ready(SITE);
    return comm_made(MPI_Cart_create(old_comm, ndims, dims, periods, reorder, comm_cart), comm_cart, SITE);
}

API int adtape_MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm) {
    expect_ready(SITE);
    return comm_made(MPI_Cart_sub(comm, remain_dims, newcomm), newcomm, SITE);
}

API void adtape_mpi_adopt(MPI_Comm comm) {
    expect_ready(SITE);
    comm_adopt(comm, SITE);
}
