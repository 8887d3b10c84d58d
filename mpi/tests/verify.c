/* verify.c: derivative tests over ranks: right gradients pass, wrong ones and wrong seeds fail, on all ranks alike. */
#include <adtape_mpi_test.h>
#include <math.h>

#include "check.h"

enum { N = 3 };

/* f = the sum over all ranks of sin(x_i) x_(i+1), and of u² with the ring's neighbour; both by messages of adtape_mpi. */
static double u[N], ub[N], came, cameb, part, partb, sum, sumb;

static double f(int64_t n, const double *x, void *user) {
    (void)user;
    memcpy(u, x, (size_t)n * sizeof *x);
    adtape_MPI_Sendrecv(u, 1, MPI_DOUBLE, (me + ranks - 1) % ranks, 0, &came, 1, MPI_DOUBLE, (me + 1) % ranks, 0,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    part = came * came * u[2];
    for (int i = 0; i + 1 < N; i++) {
        part += sin(u[i]) * u[i + 1];
    }
    adtape_MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

enum mistake { NONE, ON_ALL, ON_NO_RANK, TERM };
static enum mistake mistake;

static void gradient(int64_t n, const double *x, double *g, void *user) {
    (void)f(n, x, user);
    memset(ub, 0, sizeof ub);
    partb = cameb = 0;
    sumb = mistake == ON_ALL || (mistake != ON_NO_RANK && me == ranks - 1) ? 1 : 0;
    if (mistake == NONE) {
        adtape_mpi_check_seed(&sumb, 1, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
        adtape_mpi_check_seed(&sumb, 1, MPI_DOUBLE, ADTAPE_MPI_ON_ONE, MPI_COMM_WORLD);
    }
    adtape_MPI_Allreduce_b();
    for (int i = 0; i + 1 < N; i++) {
        ub[i] += cos(u[i]) * u[i + 1] * partb;
        ub[i + 1] += sin(u[i]) * partb;
    }
    ub[2] += came * came * partb;
    cameb += 2 * came * u[2] * partb;
    adtape_MPI_Sendrecv_b();
    ub[1] += mistake == TERM && me == ranks - 1 ? 0.1 : 0;
    for (int i = 0; i < N; i++) {
        g[i] += ub[i];
    }
}

static void check_gradient(enum mistake made, int32_t reason) {
    double x[N];
    adtape_test_report_t report;
    const adtape_test_options_t options = {.output = 1};
    mistake = made;
    for (int i = 0; i < N; i++) {
        x[i] = 0.3 + i + 0.7 * me;
    }
    CHECK(adtape_mpi_test_gradient_f64(MPI_COMM_WORLD, f, gradient, NULL, N, x, NULL, made == ON_ALL ? &options : NULL,
                                       &report) == ADTAPE_STATUS_OK);
    CHECK(report.reason == reason && report.passed == (reason == ADTAPE_TEST_AGREES));
    const char *says = made == ON_ALL ? "on all of them" : made == ON_NO_RANK ? "seeded on none" : "";
    CHECK(ranks == 1 || (*says == '\0' ? *adtape_mpi_test_text() == '\0'
                                       : strstr(adtape_mpi_test_text(), says) != NULL));
}

/* y = a x with what the next rank has. In single precision. */
static float v[2], vb[2];
static void tangent(int64_t n, const float *x, int64_t m, float *y, void *user) {
    float next = 0;
    MPI_Sendrecv(x, 1, MPI_FLOAT, (me + ranks - 1) % ranks, 0, &next, 1, MPI_FLOAT, (me + 1) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    (void)n, (void)m, (void)user;
    y[0] = 2 * x[1] + 3 * next;
}
static void adjoint(int64_t n, const float *y, int64_t m, float *x, void *user) {
    const float give = 3 * y[0];
    float got = 0;
    (void)n, (void)m;
    MPI_Sendrecv(&give, 1, MPI_FLOAT, (me + 1) % ranks, 0, &got, 1, MPI_FLOAT, (me + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    x[0] += user != NULL && me == 0 ? 0 : got;
    x[1] += 2 * y[0];
}

int main(int argc, char **argv) {
    adtape_test_report_t report;
    begin(&argc, &argv);
    active(u, ub, sizeof u, "u");
    active(&came, &cameb, sizeof came, "came");
    active(&part, &partb, sizeof part, "part");
    active(&sum, &sumb, sizeof sum, "sum");
    active(v, vb, sizeof v, "v");
    check_gradient(NONE, ADTAPE_TEST_AGREES);
    check_gradient(TERM, ADTAPE_TEST_WRONG);
    check_gradient(ON_ALL, ranks == 1 ? ADTAPE_TEST_AGREES : ADTAPE_TEST_WRONG);
    check_gradient(ON_NO_RANK, ADTAPE_TEST_WRONG);
    CHECK(adtape_mpi_test_dot_f32(MPI_COMM_WORLD, tangent, adjoint, NULL, 2, 1, NULL, &report) == ADTAPE_STATUS_OK);
    CHECK(report.passed);
    CHECK(adtape_mpi_test_dot_f32(MPI_COMM_WORLD, tangent, adjoint, &report, 2, 1, NULL, &report) == ADTAPE_STATUS_OK);
    CHECK(!report.passed);
    check_tape_is_empty();
    adtape_MPI_Finalize();
    return 0;
}
