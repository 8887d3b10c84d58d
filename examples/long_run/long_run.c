/* long_run.c: the gradient of a million time steps in bounded memory, by a driver, in a process that may be killed.
 *
 *     long_run [small|large] [DIRECTORY SECONDS]
 *
 * Burgers' equation on a ring; the energy at the end, differentiated with respect to the initial state and to the
 * viscosity. With a directory, the driver leaves a point there every so many seconds: killed at any moment and started
 * again, the program goes on from the last one. */
#include <adtape.h>
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_CELLS = 8192 };

static const double c = 0.05;
static double viscosity = 0.1;

static int cells = 512;
static int64_t steps = 20000;

/* The state, and one cell more at each end, equal to that at the other: state[1] to state[cells]. */
static double state[MOST_CELLS + 2];
static double adjoint[MOST_CELLS + 2], viscosity_adjoint;

static void must(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        fprintf(stderr, "long_run: %s\n", adtape_error_message());
        exit(1);
    }
}

/* ---- the model --------------------------------------------------------------------------------------------- */

static void close_ring(double x[]) {
    x[0] = x[cells];
    x[cells + 1] = x[1];
}

static void start(void) {
    for (int i = 1; i <= cells; i++) {
        state[i] = 0.5 + 0.4 * sin(6.283185307179586 * (i - 1) / cells) + 0.1 * cos(0.7 * i);
    }
}

static int32_t step(int64_t k, void *user) {
    static double old[MOST_CELLS + 2];
    (void)k, (void)user;
    close_ring(state);
    memcpy(old, state, sizeof(double) * (size_t)(cells + 2));
    for (int i = 1; i <= cells; i++) {
        state[i] = old[i] - c * old[i] * (old[i + 1] - old[i - 1]) +
                   viscosity * (old[i - 1] - 2.0 * old[i] + old[i + 1]);
    }
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t adjoint_step(int64_t k, bool first, void *user) {
    static double next[MOST_CELLS + 2];
    double sums[8] = {0.0};
    const double *const u = state;
    adtape_push_array_f64(adtape_self(), state + 1, cells); /* forward, recorded */
    step(k, user);
    if (first) { /* after the loop: J = sum of u*u/2 */
        memcpy(adjoint, state, sizeof adjoint);
        viscosity_adjoint = 0.0;
    }
    adtape_pop_array_f64(adtape_self(), state + 1, cells); /* reverse */
    close_ring(state);
    memcpy(next + 1, adjoint + 1, sizeof(double) * (size_t)cells);
    close_ring(next);
    for (int i = 1; i <= cells; i++) {
        adjoint[i] = next[i] * (1.0 - c * (u[i + 1] - u[i - 1]) - 2.0 * viscosity) +
                     next[i - 1] * (viscosity - c * u[i - 1]) + next[i + 1] * (viscosity + c * u[i + 1]);
    }
    for (int i = 1; i <= cells; i += 8) {
        for (int j = i; j < i + 8; j++) {
            sums[j - i] += next[j] * (u[j - 1] - 2.0 * u[j] + u[j + 1]);
        }
    }
    for (int j = 0; j < 8; j++) {
        viscosity_adjoint += sums[j];
    }
    return ADTAPE_FLOW_CONTINUE;
}

/* The energy after all steps, without an adjoint, of a complex viscosity: for the library's test. */
static void energy(int64_t n, const void *viscosities, double *value, void *user) {
    static double complex x[MOST_CELLS + 2], old[MOST_CELLS + 2];
    const double complex nu = *(const double complex *)viscosities;
    double complex sum = 0.0;
    (void)n, (void)user;
    start();
    for (int i = 1; i <= cells; i++) {
        x[i] = state[i];
    }
    for (int64_t k = 0; k < steps; k++) {
        x[0] = x[cells], x[cells + 1] = x[1];
        memcpy(old, x, sizeof *x * (size_t)(cells + 2));
        for (int i = 1; i <= cells; i++) {
            x[i] = old[i] - c * old[i] * (old[i + 1] - old[i - 1]) + nu * (old[i - 1] - 2.0 * old[i] + old[i + 1]);
        }
    }
    for (int i = 1; i <= cells; i++) {
        sum += 0.5 * x[i] * x[i];
    }
    value[0] = creal(sum), value[1] = cimag(sum);
}

/* ---- the run ------------------------------------------------------------------------------------------------ */

/* Of all bits. */
static uint64_t fingerprint(const double x[], int count) {
    uint64_t hash = 14695981039346656037u;
    for (const unsigned char *p = (const unsigned char *)x; p < (const unsigned char *)(x + count); p++) {
        hash = (hash ^ *p) * 1099511628211u;
    }
    return hash;
}

int main(int argc, char **argv) {
    const bool large = argc > 1 && strcmp(argv[1], "large") == 0;
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    adtape_prediction_t cost;
    adtape_progress_t done;
    struct rusage usage;
    if (argc > 4 || argc == 3 || (argc > 1 && !large && strcmp(argv[1], "small") != 0)) {
        fprintf(stderr, "usage: long_run [small|large] [DIRECTORY SECONDS]\n");
        return 2;
    }
    if (large) {
        cells = MOST_CELLS;
        steps = 1000000;
    }
    const int64_t count = cells, one = 1, state_bytes = (int64_t)sizeof(double) * count,
        budget_bytes = 305 * state_bytes;
    const adtape_driver_calls_t calls = {.step = step, .adjoint_step = adjoint_step, .show_progress = true};

    must(adtape_driver_create(&driver));
    must(adtape_driver_set_calls(driver, &calls, NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_STATE, "state", ADTAPE_TYPE_F64, state + 1, 1, &count, NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_ADJOINT, "adjoint", ADTAPE_TYPE_F64, adjoint + 1, 1, &count, NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_ADJOINT, "viscosity_adjoint", ADTAPE_TYPE_F64,
        &viscosity_adjoint, 1,
                                &one, NULL));
    must(adtape_driver_register(
        driver, ADTAPE_ROLE_PARAMETER, "viscosity", ADTAPE_TYPE_F64, &viscosity, 1, &one, NULL));
    if (argc == 4) {
        adtape_store_t *files;
        must(adtape_store_create_files(argv[2], "long_run", -1, 0, &files));
        must(adtape_driver_set_store(driver, files, "point", atof(argv[3])));
        must(adtape_store_destroy(files));
    }
    must(adtape_driver_create_schedule(driver, steps, budget_bytes, &schedule));
    must(adtape_schedule_predict(schedule, &cost));
    printf("%" PRId64 " steps, a state of %" PRId64 " bytes\n", steps, state_bytes);
    printf("snapshots in memory: %.1f MB at most\n", (double)budget_bytes / 1e6);
    printf("forward runs extra: %.2f predicted\n", (double)cost.extra_steps / (double)steps);

    start();
    must(adtape_driver_run(driver, schedule, &done));
    if (done.resumed_steps > 0) {
        printf("went on after %" PRIu64 " forward steps\n", done.resumed_steps);
    }
    printf("gradient: %016" PRIx64 " %.17g\n", fingerprint(adjoint + 1, cells), viscosity_adjoint);
    fflush(stdout);
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver)); /* and with it the point */

    getrusage(RUSAGE_SELF, &usage);
    printf("most memory resident: %.1f MB\n", (double)usage.ru_maxrss * 1024.0 / 1e6);
    const adtape_test_options_t options = {.complex_function = energy, .output = 1};
    adtape_test_report_t report;
    must(adtape_test_gradient_f64(NULL, NULL, NULL, 1, &viscosity, &viscosity_adjoint, &options, &report));
    if (!report.passed) {
        printf("FAILED\n");
        return 1;
    }
    printf("all checks passed\n");
    return 0;
}
