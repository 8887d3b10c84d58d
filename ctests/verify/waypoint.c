/* Waypoints: a gradient that is wrong is searched for the line, in both precisions; outside of a test nothing happens. */
#include "check.h"

#include <math.h>

enum { N = 3, STEPS = 12 };

/* The step whose reverse has a mistake; none if it is negative. */
static int broken = 7;

#define DEFINE_MODEL(kind, real)                                                                           \
    static double kind##_forward(int64_t n, const real *x, void *user) {                                   \
        real y[N];                                                                                         \
        double f = 0;                                                                                      \
        (void)user;                                                                                        \
        memcpy(y, x, (size_t)n * sizeof *y);                                                               \
        for (int k = 0; k < STEPS; k++) {                                                                  \
            CHECK_OK(adtape_waypoint_forward_##kind("y", N, y));                                           \
            for (int i = 0; i < N; i++) {                                                                  \
                adtape_push_##kind(adtape_self(), y[i]);                                                   \
                y[i] += (real)0.1 * y[i] * y[(i + 1) % N];                                                 \
            }                                                                                              \
        }                                                                                                  \
        CHECK_OK(adtape_waypoint_forward_##kind("y", N, y));                                               \
        for (int i = 0; i < N; i++) {                                                                      \
            f += y[i] * y[i];                                                                              \
        }                                                                                                  \
        memcpy(kind##_end, y, sizeof y);                                                                   \
        return f;                                                                                          \
    }                                                                                                      \
    static void kind##_gradient(int64_t n, const real *x, real *g, void *user) {                           \
        real y[N], b[N];                                                                                   \
        (void)n;                                                                                           \
        kind##_forward(N, x, user);                                                                        \
        memcpy(y, kind##_end, sizeof y);                                                                   \
        for (int i = 0; i < N; i++) {                                                                      \
            b[i] = 2 * y[i];                                                                               \
        }                                                                                                  \
        CHECK_OK(adtape_waypoint_reverse_##kind("y", N, y, b));                                            \
        for (int k = STEPS - 1; k >= 0; k--) {                                                             \
            for (int i = N - 1; i >= 0; i--) {                                                             \
                adtape_pop_##kind(adtape_self(), &y[i]);                                                   \
                b[(i + 1) % N] += (k == broken ? 2 : 1) * (real)0.1 * y[i] * b[i];                         \
                b[i] *= 1 + (real)0.1 * y[(i + 1) % N];                                                    \
            }                                                                                              \
            CHECK_OK(adtape_waypoint_reverse_##kind("y", N, y, b));                                        \
        }                                                                                                  \
        memcpy(g, b, sizeof b);                                                                            \
    }

static double f64_end[N];
static float f32_end[N];
DEFINE_MODEL(f64, double)
DEFINE_MODEL(f32, float)

static const double X[N] = {0.7, 1.1, -0.4};
static const float X32[N] = {0.7f, 1.1f, -0.4f};

static void wrong_step_is_named(void) {
    adtape_test_report_t report;
    CHECK_OK(adtape_test_gradient_f64(f64_forward, f64_gradient, NULL, N, X, NULL, NULL, &report));
    CHECK(!report.passed);
    /* Behind the end four steps are right: 11, 10, 9 and 8. */
    CHECK_HAS(adtape_test_text(), "'y', number 5 of 13");
    CHECK_HAS(adtape_test_text(), "'y', number 6 of 13\n");
    CHECK_HAS(adtape_test_text(), "of its adjoint is");
    CHECK_OK(adtape_test_gradient_f32(f32_forward, f32_gradient, NULL, N, X32, NULL, NULL, &report));
    CHECK(!report.passed);
    CHECK_HAS(adtape_test_text(), "'y', number 6 of 13\n");

    const adtape_test_options_t no_search = {.search_runs = -1};
    CHECK_OK(adtape_test_gradient_f64(f64_forward, f64_gradient, NULL, N, X, NULL, &no_search, &report));
    CHECK(strstr(adtape_test_text(), "waypoint") == NULL);

    broken = -1;
    CHECK_OK(adtape_test_gradient_f64(f64_forward, f64_gradient, NULL, N, X, NULL, NULL, &report));
    CHECK(report.passed && strstr(adtape_test_text(), "waypoint") == NULL);
    CHECK(adtape_is_empty(adtape_self()));
}

static void outside_of_a_test_nothing_happens(void) {
    double y[N] = {1, 2, 3};
    CHECK_OK(adtape_waypoint_forward_f64("y", N, y));
    CHECK_OK(adtape_waypoint_reverse_f64("y", N, y, y));
    CHECK(y[0] == 1 && y[1] == 2 && y[2] == 3);
    CHECK_OK(adtape_waypoint_forward_f64("empty", 0, NULL));
    CHECK_OK(adtape_waypoint_reverse_f32("empty", 0, NULL, NULL));
}

static void wrong_arguments_are_refused(void) {
    double y = 1;
    float z = 1;
    CHECK_STATUS(adtape_waypoint_forward_f64(NULL, 1, &y), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_waypoint_forward_f64("y", 1, NULL), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_waypoint_forward_f64("y", -1, &y), ADTAPE_STATUS_COUNT_RANGE);
    CHECK_STATUS(adtape_waypoint_forward_f32("\xff", 1, &z), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK_STATUS(adtape_waypoint_reverse_f64("y", 1, &y, NULL), ADTAPE_STATUS_NULL_POINTER);
    CHECK_STATUS(adtape_waypoint_reverse_f32("z", -1, &z, &z), ADTAPE_STATUS_COUNT_RANGE);
}

int main(void) {
    wrong_step_is_named();
    outside_of_a_test_nothing_happens();
    wrong_arguments_are_refused();
    return 0;
}
