/* windows.c: check mode: memory of one-sided calls. They have no reverse, so the derivative of what they move into or out
 * of a buffer with an adjoint is lost. These are MPI's own names, which the program's calls reach before MPI does; they are
 * weak, so that a tool with the same names takes their place.
 *
 *   window   memory that other ranks read and write: it may get an adjoint after it was made, so it is looked up again
 *            where ranks agree on its contents (Win_fence, Win_lock, Win_post, Win_free) */

#define MPIS_OWN API __attribute__((weak))

struct window {
    MPI_Win win;
    const char *base;
    int64_t bytes;
};
static struct {
    struct window *at;
    int count;
} windows;

/* A range with an adjoint that has bytes of these; false: there is none. */
static bool active_range(const char *base, int64_t bytes, adtape_range_t *found, const void *site) {
    int64_t count = 0;
    (void)adtape_live_list(NULL, NULL, 0, &count);
    adtape_range_t *ranges = allocate((size_t)count * sizeof *ranges, site);
    const int64_t capacity = count;
    (void)adtape_live_list(NULL, ranges, capacity, &count);
    bool is_there = false;
    for (int64_t i = 0; i < count && i < capacity && !is_there; i++) {
        const char *low = ranges[i].base;
        is_there = ranges[i].adjoint_base != NULL && low < base + bytes && base < low + ranges[i].bytes;
        *found = ranges[i];
    }
    free(ranges);
    return is_there;
}

static void expect_passive(const struct window *window, const void *site) {
    adtape_range_t range;
    if (window->bytes > 0 && active_range(window->base, window->bytes, &range, site)) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "check mode: a window of %" PRId64 " bytes holds memory of `%s`, which has an adjoint: one-sided calls have "
             "no reverse, and the derivative of what they move is lost\n"
             "  send the values by converted calls, or let the window hold a copy that has no adjoint",
             window->bytes, adtape_range_label(NULL, &range));
    }
}

static void window_add(MPI_Win win, const void *base, MPI_Aint bytes, const void *site) {
    if (!mpi.check) {
        return;
    }
    windows.at = reallocate(windows.at, (size_t)(windows.count + 1) * sizeof *windows.at, site);
    windows.at[windows.count++] = (struct window){win, base, (int64_t)bytes};
    expect_passive(&windows.at[windows.count - 1], site);
}

/* Those of a window, or that of an address in it. */
static void windows_forget(MPI_Win win, const void *base) {
    int left = 0;
    for (int i = 0; i < windows.count; i++) {
        const bool gone = windows.at[i].win == win && (base == NULL || windows.at[i].base == base);
        if (!gone) {
            windows.at[left++] = windows.at[i];
        }
    }
    windows.count = left;
}

static void windows_look(MPI_Win win, const void *site) {
    for (int i = 0; mpi.check && i < windows.count; i++) {
        if (windows.at[i].win == win) {
            expect_passive(&windows.at[i], site);
        }
    }
}

/* The memory of this rank that a one-sided call reads or writes. */
static void expect_passive_buffer(const void *buffer, int count, MPI_Datatype type, const char *call, const void *site) {
    MPI_Aint lower = 0, extent = 0;
    adtape_abi0_buffer_t object;
    if (!mpi.check || count <= 0 || buffer == NULL) {
        return;
    }
    (void)MPI_Type_get_true_extent(type, &lower, &extent);
    if (extent > 0 && adtape_abi0_buffer_find((uint64_t)(uintptr_t)buffer + (uint64_t)lower, &object) &&
        object.adjoint_base != 0) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "check mode: %s of a buffer in `%s`, which has an adjoint: one-sided calls have no reverse, and the "
             "derivative of what they move is lost\n"
             "  send the values by converted calls, or copy them to memory that has no adjoint",
             call, label_of(&object));
    }
}

static void windows_end(void) {
    free(windows.at);
    windows.at = NULL;
    windows.count = 0;
}

/* ---- windows ---- */

MPIS_OWN int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
    const int code = PMPI_Win_create(base, size, unit, info, comm, win);
    if (code == MPI_SUCCESS) {
        window_add(*win, base, size, SITE);
    }
    return code;
}

MPIS_OWN int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win) {
    const int code = PMPI_Win_allocate(size, unit, info, comm, base, win);
    if (code == MPI_SUCCESS) {
        window_add(*win, *(void **)base, size, SITE);
    }
    return code;
}

MPIS_OWN int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win) {
    const int code = PMPI_Win_allocate_shared(size, unit, info, comm, base, win);
    if (code == MPI_SUCCESS) {
        window_add(*win, *(void **)base, size, SITE);
    }
    return code;
}

MPIS_OWN int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size) {
    const int code = PMPI_Win_attach(win, base, size);
    if (code == MPI_SUCCESS) {
        window_add(win, base, size, SITE);
    }
    return code;
}

MPIS_OWN int MPI_Win_detach(MPI_Win win, const void *base) {
    windows_look(win, SITE);
    windows_forget(win, base);
    return PMPI_Win_detach(win, base);
}

MPIS_OWN int MPI_Win_free(MPI_Win *win) {
    windows_look(*win, SITE);
    windows_forget(*win, NULL);
    return PMPI_Win_free(win);
}

MPIS_OWN int MPI_Win_fence(int assertion, MPI_Win win) {
    windows_look(win, SITE);
    return PMPI_Win_fence(assertion, win);
}

MPIS_OWN int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win) {
    windows_look(win, SITE);
    return PMPI_Win_lock(type, rank, assertion, win);
}

MPIS_OWN int MPI_Win_lock_all(int assertion, MPI_Win win) {
    windows_look(win, SITE);
    return PMPI_Win_lock_all(assertion, win);
}

MPIS_OWN int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
    windows_look(win, SITE);
    return PMPI_Win_post(group, assertion, win);
}

/* ---- one-sided calls: a, n, T are this rank's memory, at, m, U that of rank p ---- */

MPIS_OWN int MPI_Put(const void *a, int n, MPI_Datatype T, int p, MPI_Aint at, int m, MPI_Datatype U, MPI_Win win) {
    expect_passive_buffer(a, n, T, "MPI_Put", SITE);
    return PMPI_Put(a, n, T, p, at, m, U, win);
}

MPIS_OWN int MPI_Get(void *a, int n, MPI_Datatype T, int p, MPI_Aint at, int m, MPI_Datatype U, MPI_Win win) {
    expect_passive_buffer(a, n, T, "MPI_Get", SITE);
    return PMPI_Get(a, n, T, p, at, m, U, win);
}

MPIS_OWN int MPI_Rput(const void *a, int n, MPI_Datatype T, int p, MPI_Aint at, int m, MPI_Datatype U, MPI_Win win,
                      MPI_Request *request) {
    expect_passive_buffer(a, n, T, "MPI_Rput", SITE);
    return PMPI_Rput(a, n, T, p, at, m, U, win, request);
}

MPIS_OWN int MPI_Rget(void *a, int n, MPI_Datatype T, int p, MPI_Aint at, int m, MPI_Datatype U, MPI_Win win,
                      MPI_Request *request) {
    expect_passive_buffer(a, n, T, "MPI_Rget", SITE);
    return PMPI_Rget(a, n, T, p, at, m, U, win, request);
}

MPIS_OWN int MPI_Accumulate(const void *a, int n, MPI_Datatype T, int p, MPI_Aint at, int m, MPI_Datatype U, MPI_Op op,
                            MPI_Win win) {
    expect_passive_buffer(a, n, T, "MPI_Accumulate", SITE);
    return PMPI_Accumulate(a, n, T, p, at, m, U, op, win);
}

MPIS_OWN int MPI_Raccumulate(const void *a, int n, MPI_Datatype T, int p, MPI_Aint at, int m, MPI_Datatype U, MPI_Op op,
                             MPI_Win win, MPI_Request *request) {
    expect_passive_buffer(a, n, T, "MPI_Raccumulate", SITE);
    return PMPI_Raccumulate(a, n, T, p, at, m, U, op, win, request);
}

MPIS_OWN int MPI_Get_accumulate(const void *a, int n, MPI_Datatype T, void *b, int k, MPI_Datatype V, int p, MPI_Aint at,
                                int m, MPI_Datatype U, MPI_Op op, MPI_Win win) {
    if (op != MPI_NO_OP) {
        expect_passive_buffer(a, n, T, "MPI_Get_accumulate", SITE);
    }
    expect_passive_buffer(b, k, V, "MPI_Get_accumulate", SITE);
    return PMPI_Get_accumulate(a, n, T, b, k, V, p, at, m, U, op, win);
}

MPIS_OWN int MPI_Rget_accumulate(const void *a, int n, MPI_Datatype T, void *b, int k, MPI_Datatype V, int p, MPI_Aint at,
                                 int m, MPI_Datatype U, MPI_Op op, MPI_Win win, MPI_Request *request) {
    if (op != MPI_NO_OP) {
        expect_passive_buffer(a, n, T, "MPI_Rget_accumulate", SITE);
    }
    expect_passive_buffer(b, k, V, "MPI_Rget_accumulate", SITE);
    return PMPI_Rget_accumulate(a, n, T, b, k, V, p, at, m, U, op, win, request);
}

MPIS_OWN int MPI_Fetch_and_op(const void *a, void *b, MPI_Datatype T, int p, MPI_Aint at, MPI_Op op, MPI_Win win) {
    if (op != MPI_NO_OP) {
        expect_passive_buffer(a, 1, T, "MPI_Fetch_and_op", SITE);
    }
    expect_passive_buffer(b, 1, T, "MPI_Fetch_and_op", SITE);
    return PMPI_Fetch_and_op(a, b, T, p, at, op, win);
}
