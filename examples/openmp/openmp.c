/* An OpenMP loop and its adjoint in the style that Tapenade generates, with the kit's calls.
 *
 * What it shows: in a parallel loop each thread pushes on a tape of its own, so the thread that ran an iteration in the
 * forward sweep has to run it in the reverse sweep. A static schedule is computed anew, a dynamic one is recorded. A
 * sum over all iterations is made in each thread's order, so that its last bits depend on the number of threads;
 * everything that belongs to one iteration has the same bits as in the serial run.
 *
 *   openmp [n]      n: number of cells, by default 100000 */
#include <adOMP.h>
#include <adStack.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decay of a cell in steps that depend on its state: the original loop's body. */
static double relax(double u, double rate) {
    while (u > 0.5) {
        if (u > 2) {
            u = u / (1 + rate);
        } else {
            u = u - rate * u * u;
        }
    }
    return u;
}

/* ---- forward sweep ------------------------------------------------------------------------------ */

static void relax_fwd(double *u, double rate) {
    int ad_count = 0;
    while (*u > 0.5) {
        if (*u > 2) {
            pushReal8(*u);
            *u = *u / (1 + rate);
            pushControl1b(0);
        } else {
            pushReal8(*u);
            *u = *u - rate * *u * *u;
            pushControl1b(1);
        }
        ad_count = ad_count + 1;
    }
    pushInteger4(ad_count);
}

/* ---- reverse sweep ------------------------------------------------------------------------------ */

static void relax_bwd(double *u, double *ub, double rate, double *rateb) {
    int ad_count, i, branch;
    popInteger4(&ad_count);
    for (i = 1; i < ad_count + 1; ++i) {
        popControl1b(&branch);
        popReal8(u);
        if (branch == 0) {
            *rateb = *rateb - *u * *ub / ((1 + rate) * (1 + rate));
            *ub = *ub / (1 + rate);
        } else {
            *rateb = *rateb - *u * *u * *ub;
            *ub = *ub - 2 * rate * *u * *ub;
        }
    }
}

/* ---- the loop, three ways ------------------------------------------------------------------------ */

static void serial_b(int n, double *u, double *ub, double rate, double *rateb) {
    for (int i = 0; i < n; ++i) {
        relax_fwd(&u[i], rate);
    }
    for (int i = n - 1; i > -1; --i) {
        relax_bwd(&u[i], &ub[i], rate, rateb);
    }
}

static void static_b(int n, double *u, double *ub, double rate, double *rateb) {
    double sum = 0;
#pragma omp parallel shared(u, rate)
    {
        int chunk_start, chunk_end;
        getStaticSchedule(0, n - 1, 1, &chunk_start, &chunk_end);
        for (int i = chunk_start; i <= chunk_end; ++i) {
            relax_fwd(&u[i], rate);
        }
    }
#pragma omp parallel shared(u, ub, rate) reduction(+ : sum)
    {
        int chunk_start, chunk_end;
        getStaticSchedule(0, n - 1, 1, &chunk_start, &chunk_end);
        for (int i = chunk_end; i >= chunk_start; --i) {
            relax_bwd(&u[i], &ub[i], rate, &sum);
        }
    }
    *rateb = *rateb + sum;
}

static void dynamic_b(int n, double *u, double *ub, double rate, double *rateb) {
    double sum = 0;
#pragma omp parallel shared(u, rate)
    {
        initDynamicSchedule();
#pragma omp for schedule(dynamic, 64)
        for (int i = 0; i < n; ++i) {
            recordDynamicSchedule(i, 1);
            relax_fwd(&u[i], rate);
        }
        finalizeDynamicSchedule();
    }
#pragma omp parallel shared(u, ub, rate) reduction(+ : sum)
    {
        int chunk_start, chunk_end, numChunks;
        popInteger4(&numChunks);
        for (int ichunk = 1; ichunk < numChunks + 1; ++ichunk) {
            popInteger4(&chunk_end);
            popInteger4(&chunk_start);
            for (int i = chunk_end; i >= chunk_start; --i) {
                relax_bwd(&u[i], &ub[i], rate, &sum);
            }
        }
    }
    *rateb = *rateb + sum;
}

/* ---- the check ----------------------------------------------------------------------------------- */

typedef void (*adjoint_t)(int n, double *u, double *ub, double rate, double *rateb);

static void start(int n, double *u, double *ub) {
    for (int i = 0; i < n; ++i) {
        u[i] = 0.3 + 4.0 * ((i * 7919) % n) / n;
        ub[i] = 1;
    }
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 100000;
    const size_t bytes = (size_t)n * sizeof(double);
    const double rate = 0.05;
    double *u = malloc(bytes), *ub = malloc(bytes), *expected = malloc(bytes);
    double rateb = 0, error;
    int failures = 0;
    if (n < 1 || u == NULL || ub == NULL || expected == NULL) {
        fprintf(stderr, "openmp [n]: n is the number of cells, at least 1\n");
        return 2;
    }
    start(n, u, expected);
    serial_b(n, u, expected, rate, &rateb);

    /* A cell whose number of steps does not change under the difference. */
    {
        const double step = 1e-6, at = 0.3 + 4.0 * ((int64_t)7919 % n) / n;
        const double difference = (relax(at + step, rate) - relax(at - step, rate)) / (2 * step);
        error = fabs(difference - expected[1 % n]) / (1 + fabs(difference));
        printf("error against differences: %.1e\n", error);
        failures += !(error < 1e-6) && n > 1;
    }
    for (int threads = 1; threads <= 8; ++threads) {
        const adjoint_t adjoints[2] = {static_b, dynamic_b};
        omp_set_num_threads(threads);
        for (int k = 0; k < 2; ++k) {
            double sum = 0;
            start(n, u, ub);
            adjoints[k](n, u, ub, rate, &sum);
            const int same = memcmp(ub, expected, bytes) == 0;
            const int close = fabs(sum - rateb) <= 1e-12 * fabs(rateb) && (threads > 1 || k == 1 || sum == rateb);
            printf("%d threads, %s schedule: %s\n", threads, k == 0 ? "static" : "dynamic",
                   same && close ? "same bits as serial" : "FAILED");
            failures += !(same && close);
        }
    }
    failures += adStack_getCurrentStackSize() != 0;
    free(u);
    free(ub);
    free(expected);
    printf(failures == 0 ? "all checks passed\n" : "%d checks FAILED\n", failures);
    return failures != 0;
}
