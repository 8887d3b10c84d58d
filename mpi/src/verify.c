/* verify.c: derivative tests where each rank has a part of the vectors. The tests are adtape's. What decides is made the
 * same on all ranks, bit for bit: products are added up in the order of ranks, and the function's value is rank 0's. */

static char verify_text[512];

API const char *adtape_mpi_test_text(void) { return verify_text; }

/* The sum over all ranks, in their order. */
static double sum_of_ranks(const struct comm *comm, double mine) {
    double sum = 0, *all = allocate((size_t)comm->size * sizeof *all, NULL);
    agree_together(comm, DERIVATIVE_TEST, NULL);
    expect(MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, comm->twin), NULL, "MPI_Allgather");
    for (int i = 0; i < comm->size; i++) {
        sum += all[i];
    }
    free(all);
    return sum;
}

/* Rank 0's value, which is to be that of all. Sums that ranks have added up in another order may differ by rounding. */
static double value_of_ranks(const struct comm *comm, double mine, double rounding, const void *site) {
    double first = 0, *all = allocate((size_t)comm->size * sizeof *all, site);
    agree_together(comm, DERIVATIVE_TEST, site);
    expect(MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, comm->twin), site, "MPI_Allgather");
    first = all[0];
    for (int i = 1; i < comm->size; i++) {
        const double difference = all[i] > first ? all[i] - first : first - all[i];
        const bool same = all[i] == first || (all[i] != all[i] && first != first);
        if (!same && !(difference <= rounding * (first < 0 ? -first : first))) {
            fail(ADTAPE_STATUS_MISMATCH, site,
                 "a derivative test: the function returns %.17g on rank 0, and %.17g on rank %d\n"
                 "  it returns the same on all ranks: the sum of their parts, by adtape_MPI_Allreduce",
                 first, all[i], i);
        }
    }
    free(all);
    return first;
}

API double adtape_mpi_abi0_test_sum(MPI_Comm comm, double mine) { return sum_of_ranks(comm_at(comm, SITE), mine); }

API double adtape_mpi_abi0_test_value(MPI_Comm comm, double mine, double rounding) {
    return value_of_ranks(comm_at(comm, SITE), mine, rounding, SITE);
}

/* A gradient that is a number of ranks too large, or nothing. */
static void explain_seed(const struct comm *comm, const adtape_test_report_t *report, int output) {
    const double ratio = report->reference != 0 ? report->slope / report->reference : 0;
    const double off = ratio / comm->size - 1;
    verify_text[0] = '\0';
    if (report->reason != ADTAPE_TEST_WRONG || comm->size == 1) {
        return;
    }
    if (off < 1e-5 && off > -1e-5) {
        (void)snprintf(verify_text, sizeof verify_text,
                       "adtape: derivative test: the gradient is %d times too large, on %d ranks: the reverse sweep was "
                       "seeded on all of them\n"
                       "  seed it on one: the adjoint of Allreduce adds the seeds up (adtape_mpi_check_seed)\n",
                       comm->size, comm->size);
    } else if (report->slope == 0) {
        (void)snprintf(verify_text, sizeof verify_text,
                       "adtape: derivative test: the gradient is zero on all ranks: the reverse sweep was seeded on none, "
                       "or on one without the result\n"
                       "  seed it on one of the ranks that have the result; of Reduce that is the root "
                       "(adtape_mpi_check_seed)\n");
    }
    if (output > 0 && comm->rank == 0 && write(output, verify_text, strlen(verify_text)) < 0) {
        verify_text[sizeof verify_text - 1] = '\0'; /* the text stays, for adtape_mpi_test_text */
    }
}

/* The program's calls of one type, and what goes around them. */
#define DEFINE_VERIFY_(kind, T, rounding)                                                                        \
    struct verify_##kind {                                                                                       \
        const struct comm *comm;                                                                                 \
        const void *site;                                                                                        \
        adtape_function_##kind##_t f;                                                                            \
        adtape_gradient_##kind##_t gradient;                                                                     \
        adtape_linear_##kind##_t tangent, adjoint;                                                               \
        adtape_complex_call_t complex_function;                                                                  \
        void *user;                                                                                              \
    };                                                                                                           \
    static double verify_f_##kind(int64_t n, const T *x, void *user) {                                           \
        const struct verify_##kind *v = user;                                                                    \
        return value_of_ranks(v->comm, v->f(n, x, v->user), rounding, v->site);                                  \
    }                                                                                                            \
    static void verify_gradient_##kind(int64_t n, const T *x, T *gradient, void *user) {                         \
        const struct verify_##kind *v = user;                                                                    \
        v->gradient(n, x, gradient, v->user);                                                                    \
    }                                                                                                            \
    static void verify_complex_##kind(int64_t n, const void *z, double *value, void *user) {                     \
        const struct verify_##kind *v = user;                                                                    \
        v->complex_function(n, z, value, v->user);                                                               \
        expect(MPI_Bcast(value, 2, MPI_DOUBLE, 0, v->comm->twin), v->site, "MPI_Bcast");                         \
    }                                                                                                            \
    static void verify_tangent_##kind(int64_t n, const T *x, int64_t m, T *y, void *user) {                      \
        const struct verify_##kind *v = user;                                                                    \
        v->tangent(n, x, m, y, v->user);                                                                         \
    }                                                                                                            \
    static void verify_adjoint_##kind(int64_t n, const T *x, int64_t m, T *y, void *user) {                      \
        const struct verify_##kind *v = user;                                                                    \
        v->adjoint(n, x, m, y, v->user);                                                                         \
    }                                                                                                            \
    static double verify_product_##kind(int64_t n, const void *a, const void *b, void *user) {                   \
        const struct verify_##kind *v = user;                                                                    \
        double sum = 0;                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                                        \
            sum += (double)((const T *)a)[i] * (double)((const T *)b)[i];                                        \
        }                                                                                                        \
        return sum_of_ranks(v->comm, sum);                                                                       \
    }                                                                                                            \
    static adtape_test_options_t verify_options_##kind(const struct comm *comm,                                  \
                                                       const adtape_test_options_t *given) {                     \
        adtape_test_options_t options = {0};                                                                     \
        options = given != NULL ? *given : options;                                                              \
        options.product = verify_product_##kind;                                                                 \
        options.complex_function = options.complex_function != NULL ? verify_complex_##kind : NULL;              \
        options.output = comm->rank == 0 ? options.output : 0;                                                   \
        options.plot = comm->rank == 0 ? options.plot : NULL;                                                    \
        return options;                                                                                          \
    }                                                                                                            \
    API adtape_status_t adtape_mpi_test_gradient_##kind(                                                         \
        MPI_Comm comm_, adtape_function_##kind##_t f, adtape_gradient_##kind##_t gradient_call, void *user,      \
        int64_t n, const T *x, const T *gradient, const adtape_test_options_t *given,                            \
        adtape_test_report_t *report) {                                                                          \
        const struct comm *comm = comm_at(comm_, SITE);                                                          \
        struct verify_##kind v = {.comm = comm, .site = SITE, .f = f, .gradient = gradient_call, .user = user};  \
        const adtape_test_options_t options = verify_options_##kind(comm, given);                                \
        v.complex_function = given != NULL ? given->complex_function : NULL;                                     \
        const adtape_status_t status =                                                                           \
            adtape_test_gradient_##kind(f != NULL ? verify_f_##kind : NULL,                                      \
                                        gradient_call != NULL ? verify_gradient_##kind : NULL, &v, n, x,         \
                                        gradient, &options, report);                                             \
        if (status == ADTAPE_STATUS_OK) {                                                                        \
            explain_seed(comm, report, options.output);                                                          \
        }                                                                                                        \
        return status;                                                                                           \
    }                                                                                                            \
    API adtape_status_t adtape_mpi_test_dot_##kind(                                                              \
        MPI_Comm comm_, adtape_linear_##kind##_t tangent, adtape_linear_##kind##_t adjoint, void *user,          \
        int64_t n, int64_t m, const adtape_test_options_t *given, adtape_test_report_t *report) {                \
        const struct comm *comm = comm_at(comm_, SITE);                                                          \
        struct verify_##kind v = {                                                                               \
            .comm = comm, .site = SITE, .tangent = tangent, .adjoint = adjoint, .user = user};                   \
        const adtape_test_options_t options = verify_options_##kind(comm, given);                                \
        verify_text[0] = '\0';                                                                                   \
        return adtape_test_dot_##kind(tangent != NULL ? verify_tangent_##kind : NULL,                            \
                                      adjoint != NULL ? verify_adjoint_##kind : NULL, &v, n, m, &options,        \
                                      report);                                                                   \
    }
DEFINE_VERIFY_(f64, double, 1e-12)
DEFINE_VERIFY_(f32, float, 1e-5)
