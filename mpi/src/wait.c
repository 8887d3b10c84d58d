/* wait.c: calls that wait for requests, or ask whether they are complete. The record has a leg for each request that
 * the call has completed, in MPI's order: none, for a test that found nothing. */

/* The requests of a call, which MPI overwrites, and room for statuses that the program does not want. */
struct waiting {
    MPI_Request *handles, few_handles[FEW];
    MPI_Status *statuses, few_statuses[FEW];
    int count;
};

static void waiting_begin(struct waiting *waiting, int count, const MPI_Request *requests, MPI_Status *statuses,
                          const void *site) {
    expect_ready(site);
    waiting->count = count;
    const size_t bytes = (size_t)count * sizeof *requests;
    waiting->handles = count <= FEW ? waiting->few_handles : allocate(bytes, site);
    waiting->statuses = statuses;
    if (statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE) {
        waiting->statuses =
            count <= FEW ? waiting->few_statuses : allocate((size_t)count * sizeof *statuses, site);
    }
    for (int i = 0; i < count; i++) {
        waiting->handles[i] = requests[i];
        if (requests[i] != MPI_REQUEST_NULL && table_find(&requests_by_handle, handle_bits(requests[i])) == NULL &&
            persistent_find(requests[i]) == NULL) {
            fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
                 "a wait on an unknown request, number %d of those given\n"
                 "  make it by adtape_MPI_Isend or adtape_MPI_Irecv; requests of MPI's own calls go to its own wait",
                 i);
        }
    }
}

/* ---- check mode: nonblocking collective calls that ranks do not agree about ---- */

/* The comparison of a collective call among the requests to which not all ranks have come; NULL: none. */
static const struct comparison *comparison_of(const struct waiting *waiting) {
    compare_some();
    for (int i = 0; comparisons.first != NULL && i < waiting->count; i++) {
        const uint64_t *first = table_find(&requests_by_handle, handle_bits(waiting->handles[i]));
        const struct request *request = first != NULL ? (const struct request *)(uintptr_t)*first : NULL;
        for (; request != NULL; request = request->twin) {
            const struct comparison *c = comparison_find(request->comparison);
            if (c != NULL) {
                return c;
            }
        }
    }
    return NULL;
}

/* Waits until all ranks have come to the collective calls among the requests, which are all waited for. */
static void expect_agreement(const struct waiting *waiting, const void *site) {
    if (!mpi.check) {
        return;
    }
    const double begun = MPI_Wtime();
    for (const struct comparison *c; (c = comparison_of(waiting)) != NULL;) {
        expect_in_time(c, begun, site);
    }
}

/* Where one of the requests is enough, it may be another one: so MPI is asked until one is complete. `begun`: the time
 * of the call. Whether to ask again. */
static bool is_to_ask_again(const struct waiting *waiting, double begun, const void *site) {
    const struct comparison *c = comparison_of(waiting);
    if (c != NULL) {
        expect_in_time(c, begun, site);
    }
    return c != NULL;
}

/* The record of a call that has completed some requests: those with these indices, or the first ones. Statuses stand in
 * the same order. */
static void waiting_end(struct waiting *waiting, MPI_Status *given, enum operation operation, int completed,
                        const int *indices, const void *site) {
    struct request *few_requests[FEW], **requests =
        completed <= FEW ? few_requests : allocate((size_t)completed * sizeof *requests, site);
    struct leg few_drafts[FEW], *drafts =
        completed <= FEW ? few_drafts : allocate((size_t)completed * sizeof *drafts, site);
    for (int i = 0; i < completed; i++) {
        const MPI_Request handle = waiting->handles[indices != NULL ? indices[i] : i];
        requests[i] = handle != MPI_REQUEST_NULL ? request_take(handle) : NULL;
        if (requests[i] != NULL) {
            request_complete(requests[i], &waiting->statuses[i]);
        }
    }
    for (int i = 0; i < completed; i++) {
        drafts[i] = request_end(requests[i], site);
    }
    record_push(operation, drafts, completed, site);
    if (completed > FEW) {
        free(drafts);
        free(requests);
    }
    if (waiting->count > FEW) {
        free(waiting->handles);
        if (waiting->statuses != given) {
            free(waiting->statuses);
        }
    }
}

/* ---- all ---- */

API int adtape_MPI_Wait(MPI_Request *request, MPI_Status *status) {
    struct waiting waiting;
    waiting_begin(&waiting, 1, request, status, SITE);
    expect_agreement(&waiting, SITE);
    const int code = MPI_Wait(request, waiting.statuses);
    if (code == MPI_SUCCESS) {
        waiting_end(&waiting, status, OP_Wait, 1, NULL, SITE);
    }
    return code;
}

API int adtape_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses) {
    struct waiting waiting;
    waiting_begin(&waiting, count, array_of_requests, array_of_statuses, SITE);
    expect_agreement(&waiting, SITE);
    const int code = MPI_Waitall(count, array_of_requests, waiting.statuses);
    if (code == MPI_SUCCESS) {
        waiting_end(&waiting, array_of_statuses, OP_Waitall, count, NULL, SITE);
    }
    return code;
}

API int adtape_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    struct waiting waiting;
    waiting_begin(&waiting, 1, request, status, SITE);
    compare_some();
    const int code = MPI_Test(request, flag, waiting.statuses);
    if (code == MPI_SUCCESS) {
        waiting_end(&waiting, status, OP_Test, *flag ? 1 : 0, NULL, SITE);
    }
    return code;
}

API int adtape_MPI_Testall(int count, MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses) {
    struct waiting waiting;
    waiting_begin(&waiting, count, array_of_requests, array_of_statuses, SITE);
    compare_some();
    const int code = MPI_Testall(count, array_of_requests, flag, waiting.statuses);
    if (code == MPI_SUCCESS) {
        waiting_end(&waiting, array_of_statuses, OP_Testall, *flag ? count : 0, NULL, SITE);
    }
    return code;
}

/* ---- one of several ---- */

API int adtape_MPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status) {
    struct waiting waiting;
    MPI_Status own;
    waiting_begin(&waiting, count, array_of_requests, status == MPI_STATUS_IGNORE ? &own : status, SITE);
    const double begun = mpi.check ? MPI_Wtime() : 0;
    int code = MPI_SUCCESS, done = 0;
    while (mpi.check && !done && code == MPI_SUCCESS && is_to_ask_again(&waiting, begun, SITE)) {
        code = MPI_Testany(count, array_of_requests, index, &done, waiting.statuses);
    }
    code = done || code != MPI_SUCCESS ? code : MPI_Waitany(count, array_of_requests, index, waiting.statuses);
    if (code == MPI_SUCCESS) {
        waiting_end(&waiting, waiting.statuses, OP_Waitany, *index != MPI_UNDEFINED, index, SITE);
    }
    return code;
}

API int adtape_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status) {
    struct waiting waiting;
    MPI_Status own;
    waiting_begin(&waiting, count, array_of_requests, status == MPI_STATUS_IGNORE ? &own : status, SITE);
    compare_some();
    const int code = MPI_Testany(count, array_of_requests, index, flag, waiting.statuses);
    if (code == MPI_SUCCESS) {
        waiting_end(&waiting, waiting.statuses, OP_Testany, *flag && *index != MPI_UNDEFINED, index, SITE);
    }
    return code;
}

/* ---- some ---- */

typedef int some_function(int, MPI_Request *, int *, int *, MPI_Status *);

static int some(some_function *call, enum operation operation, int count, MPI_Request *requests, int *outcount,
                int *indices, MPI_Status *statuses, const void *site) {
    struct waiting waiting;
    waiting_begin(&waiting, count, requests, statuses, site);
    const double begun = mpi.check ? MPI_Wtime() : 0;
    int code = MPI_SUCCESS;
    *outcount = 0;
    while (operation == OP_Waitsome && mpi.check && *outcount == 0 && code == MPI_SUCCESS &&
           is_to_ask_again(&waiting, begun, site)) {
        code = MPI_Testsome(count, requests, outcount, indices, waiting.statuses);
    }
    code = *outcount != 0 || code != MPI_SUCCESS ? code : call(count, requests, outcount, indices, waiting.statuses);
    if (code == MPI_SUCCESS) {
        waiting_end(&waiting, statuses, operation, *outcount != MPI_UNDEFINED ? *outcount : 0, indices, site);
    }
    return code;
}

API int adtape_MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                            MPI_Status *array_of_statuses) {
    return some(MPI_Waitsome, OP_Waitsome, incount, array_of_requests, outcount, array_of_indices, array_of_statuses,
                SITE);
}

API int adtape_MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                            MPI_Status *array_of_statuses) {
    return some(MPI_Testsome, OP_Testsome, incount, array_of_requests, outcount, array_of_indices, array_of_statuses,
                SITE);
}

/* ---- reverse ---- */

#define DEFINE_ONE_(name)                                                                \
    API void adtape_MPI_##name##_b(void) { wait_reverse(OP_##name, NULL, SITE); }        \
    API void adtape_MPI_##name##_b_at(void *buf_b) { wait_reverse(OP_##name, &buf_b, SITE); }
DEFINE_ONE_(Wait)
DEFINE_ONE_(Test)
DEFINE_ONE_(Waitany)
DEFINE_ONE_(Testany)

#define DEFINE_SEVERAL_(name)                                                                            \
    API void adtape_MPI_##name##_b(void) { wait_reverse(OP_##name, NULL, SITE); }                        \
    API void adtape_MPI_##name##_b_at(void *const bufs_b[]) { wait_reverse(OP_##name, bufs_b, SITE); }
DEFINE_SEVERAL_(Waitall)
DEFINE_SEVERAL_(Testall)
DEFINE_SEVERAL_(Waitsome)
DEFINE_SEVERAL_(Testsome)
