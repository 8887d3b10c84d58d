/* shallow_water_mpi: the adjoint of the demo's model on many ranks. See README.md.
 *
 *     mpiexec -n 4 shallow_water_mpi [FILE [DIRECTORY]]
 *
 * checks the gradient: beside what the serial program wrote to FILE or, without a file, by a Taylor test; and the one by
 * a driver with five checkpoints beside that with the whole tape. With a directory the driver's checkpoints are in files
 * there, and its gradient is the only one: killed at any moment and started again, the program goes on. */
#include "bits.h"
#include "problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHECKPOINTS = 5 };

static int is_first; /* rank 0, which prints */

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...) {
    va_list arguments;
    if (is_first) {
        va_start(arguments, format);
        (void)vprintf(format, arguments);
        (void)fputc('\n', stdout);
        va_end(arguments);
    }
}

static void fail(const char *what) {
    (void)fprintf(stderr, "shallow_water_mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static double sum_of_all(const problem_t *p, double mine) {
    double sum = 0.0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, p->d.comm);
    return sum;
}

/* Of all bits of the gradient of the whole channel. */
static uint64_t fingerprint(const problem_t *p, const double *gradient) {
    uint64_t mine = 0, all = 0;
    for (int c = 0; c < p->g.controls; c++) {
        mine ^= bits_at(whole_control(p, c), gradient[c]);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, p->d.comm);
    return all;
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

/* The largest difference between the gradients, as a part of the largest derivative. */
static int agrees_with_serial(const problem_t *p, const char *path, double j, const double *gradient) {
    const int64_t whole = (int64_t)3 * p->d.part.whole_nx * p->d.part.whole_ny;
    double *serial = malloc((size_t)(whole + 1) * sizeof(double)), mine[2] = {0.0, 0.0}, most[2];
    FILE *file = fopen(path, "rb");
    int ok;
    if (serial == NULL || file == NULL || fread(serial, sizeof(double), (size_t)whole + 1, file) != (size_t)whole + 1) {
        fail("what the serial program wrote cannot be read, or is of another size");
    }
    (void)fclose(file);
    for (int c = 0; c < p->g.controls; c++) {
        const double expected = serial[1 + whole_control(p, c)];
        mine[0] = fmax(mine[0], fabs(gradient[c] - expected));
        mine[1] = fmax(mine[1], fabs(expected));
    }
    MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, p->d.comm);
    ok = fabs(j / serial[0] - 1.0) <= 1e-13 && most[0] <= 1e-12 * most[1];
    line("beside the serial program: cost differs by %.1e, gradient by %.1e, relative: %s", fabs(j / serial[0] - 1.0),
         most[0] / most[1], ok ? "passed" : "FAILED");
    free(serial);
    return ok;
}

/* J along the direction, a function of one variable: the library's test then is the same on all ranks. */
typedef struct along {
    problem_t *p;
    double *w;
} along_t;

static double cost_along(int64_t n, const double *step, void *user) {
    along_t *along = user;
    problem_t *p = along->p;
    (void)n;
    for (int c = 0; c < p->g.controls; c++) {
        along->w[c] = p->w[c] + *step * p->direction[c];
    }
    return cost(p, along->w);
}

static int taylor_test(problem_t *p, const double *gradient) {
    const adtape_test_options_t options = {.first_step = 0.1, .steps = 12, .tolerance = 1e-6, .search_runs = -1};
    const double zero = 0.0;
    along_t along = {p, malloc((size_t)p->g.controls * sizeof(double))};
    adtape_test_report_t report;
    double slope = 0.0;
    if (along.w == NULL) {
        fail("no memory");
    }
    for (int c = 0; c < p->g.controls; c++) {
        slope += gradient[c] * p->direction[c];
    }
    slope = sum_of_all(p, slope);
    if (adtape_test_gradient_f64(cost_along, NULL, &along, 1, &zero, &slope, &options, &report) != ADTAPE_STATUS_OK) {
        fail(adtape_error_message());
    }
    line("Taylor test: order %.4f, slope relative to differences %.1e: %s", report.order, report.error,
         report.passed ? "passed" : "FAILED");
    free(along.w);
    return report.passed;
}

/* With five checkpoints the gradient has the same bits. */
static int agrees_with_driver(problem_t *p, uint64_t bits, double *gradient) {
    adtape_progress_t done;
    int ok;
    (void)cost_and_gradient_by_driver(p, CHECKPOINTS, NULL, gradient, &done);
    ok = fingerprint(p, gradient) == bits;
    line("by a driver with %d checkpoints: %.2f forward runs extra, the same bits: %s", CHECKPOINTS,
         (double)(done.forward_steps - done.steps) / (double)done.steps, ok ? "passed" : "FAILED");
    return ok;
}

static int tape_is_empty(const problem_t *p) {
    adtape_stats_t stats;
    double left;
    if (adtape_stats(adtape_self(), &stats) != ADTAPE_STATUS_OK) {
        fail(adtape_error_message());
    }
    left = sum_of_all(p, (double)(stats.bytes + stats.pending_bits));
    line("bytes left on the tapes: %.0f", left);
    return left == 0.0;
}

int main(int argc, char **argv) {
    const experiment_t e = experiment_choose();
    problem_t p;
    double *gradient, j, square = 0.0;
    uint64_t bits;
    int ok;
    adtape_MPI_Init(&argc, &argv);
    if (!domain_create(&p.d, e.nx, e.ny)) {
        fail("the channel has fewer blocks of four cells than there are ranks");
    }
    is_first = p.d.rank == 0;
    if (!problem_create(&p, &e)) {
        fail("no memory");
    }
    line("channel: %d x %d cells, %d steps", e.nx, e.ny, e.steps);
    line("ranks: %d, as %d x %d parts", p.d.ranks, p.d.count[0], p.d.count[1]);
    gradient = calloc((size_t)p.g.controls, sizeof(double));
    if (gradient == NULL) {
        fail("no memory");
    }
    if (argc > 2) {
        adtape_progress_t done;
        j = cost_and_gradient_by_driver(&p, CHECKPOINTS, argv[2], gradient, &done);
        line("by a driver: %lld forward steps, %lld of them before a kill", (long long)done.forward_steps,
             (long long)done.resumed_steps);
    } else {
        j = cost_and_gradient(&p, gradient);
    }
    for (int c = 0; c < p.g.controls; c++) {
        square += gradient[c] * gradient[c];
    }
    line("cost: %.15e", j);
    line("norm of the gradient: %.15e", sqrt(sum_of_all(&p, square)));
    bits = fingerprint(&p, gradient);
    line("all bits of the gradient: %016" PRIx64, bits);
    ok = tape_is_empty(&p);
    ok = (argc > 1 ? agrees_with_serial(&p, argv[1], j, gradient) : taylor_test(&p, gradient)) && ok;
    ok = (argc > 2 || agrees_with_driver(&p, bits, gradient)) && ok;
    line("%s", ok ? "all checks passed" : "FAILED");
    free(gradient);
    problem_destroy(&p);
    adtape_MPI_Finalize();
    return ok ? 0 : 1;
}
