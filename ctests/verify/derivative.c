/* Derivative tests: models with known errors, in both precisions, with branches on the thread's tape. */
#include "check.h"

#include <complex.h>
#include <math.h>

enum { N = 4 };

/* ---- a model: f = sum of x[i] sin x[i+1], with its adjoint by hand ---------------------------------------------- */

static double f64_model(int64_t n, const double *x, void *user) {
    double f = 0;
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        f += x[i] * sin(x[(i + 1) % n]);
    }
    return f;
}

/* What is wrong with the gradient. */
enum mistake { NONE, SIGN, FORGOTTEN, TWICE, KEPT, LEFT };

static void f64_gradient(int64_t n, const double *x, double *g, void *user) {
    static double kept;
    const enum mistake mistake = *(const enum mistake *)user;
    for (int64_t i = 0; i < n; i++) {
        g[i] = sin(x[(i + 1) % n]) + x[(i + n - 1) % n] * cos(x[i]);
    }
    switch (mistake) {
    case NONE: break;
    case SIGN: g[1] = -g[1]; break;
    case FORGOTTEN: g[2] = 0; break;
    case TWICE:
        for (int64_t i = 0; i < n; i++) {
            g[i] *= 2;
        }
        break;
    case KEPT: g[0] += kept++; break;
    case LEFT: adtape_push_f64(adtape_self(), g[0]); break;
    }
}

static const double X[N] = {0.7, 1.3, -0.4, 2.1};

static adtape_test_report_t tested(enum mistake mistake, const adtape_test_options_t *options) {
    adtape_test_report_t report;
    CHECK_OK(adtape_test_gradient_f64(f64_model, f64_gradient, &mistake, N, X, NULL, options, &report));
    CHECK((report.reason < ADTAPE_TEST_WRONG) == report.passed);
    return report;
}

static void gradient_as_function_and_as_array(void) {
    enum mistake mistake = NONE;
    adtape_test_report_t report = tested(NONE, NULL);
    double g[N];
    CHECK(report.passed && fabs(report.order - 2) < 0.1 && report.error < 1e-8 && report.component_count == 0);
    CHECK(report.evaluations < 40 && report.noise < 1e-14 && report.step > 0);
    CHECK_HAS(adtape_test_text(), "derivative test: passed");

    f64_gradient(N, X, g, &mistake);
    CHECK_OK(adtape_test_gradient_f64(f64_model, NULL, NULL, N, X, g, NULL, &report));
    CHECK(report.passed);
    g[3] += 1e-3;
    CHECK_OK(adtape_test_gradient_f64(f64_model, NULL, NULL, N, X, g, NULL, &report));
    CHECK(!report.passed && report.component_count == 1);
    CHECK_I64(report.component[0], 3);
    CHECK(fabs(report.component_reference[0] - (g[3] - 1e-3)) < 1e-7 && report.component_gradient[0] == g[3]);
}

static void mistakes_are_named(void) {
    adtape_test_options_t options = {.first_index = 1};
    adtape_test_report_t report = tested(SIGN, &options);
    CHECK_I64(report.reason, ADTAPE_TEST_WRONG);
    CHECK(fabs(report.order - 1) < 0.1);
    CHECK_I64(report.component[0], 2);
    CHECK_HAS(adtape_test_text(), "FAILED: the gradient is wrong");
    CHECK_HAS(adtape_test_text(), "falls with h^1.0");
    report = tested(FORGOTTEN, NULL);
    CHECK_I64(report.component[0], 2);
    CHECK_HAS(adtape_test_text(), "a term is forgotten");
    report = tested(TWICE, NULL);
    CHECK_I64(report.component_count, N);
    CHECK_HAS(adtape_test_text(), "times 0.500000 would be right");
    CHECK_I64(tested(KEPT, NULL).reason, ADTAPE_TEST_NOT_REPEATABLE);
    CHECK_HAS(adtape_test_text(), "component 0 is");
    CHECK_I64(tested(LEFT, NULL).reason, ADTAPE_TEST_TAPE_LEFT);
    CHECK_HAS(adtape_test_text(), "+8 bytes");
    {
        const char *const mode = getenv("ADTAPE_CHECK");
        const int checks = mode != NULL && strcmp(mode, "1") == 0;
        double x;
        CHECK_HAS(adtape_test_text(), checks ? "the last push without its pop: one f64 at" : "ADTAPE_CHECK=1");
        adtape_pop_f64(adtape_self(), &x);
    }
    options.search_runs = -1;
    CHECK_I64(tested(SIGN, &options).component_count, 0);
}

static void direction_steps_tolerance_and_plot(void) {
    const double d[N] = {1, 0, 0, 0}, nothing[N] = {0};
    adtape_test_options_t options = {.direction = d, .first_step = 0.01, .steps = 5, .plot = "derivative.svg"};
    adtape_test_report_t report = tested(SIGN, &options);
    char line[100] = "";
    FILE *file = fopen("derivative.svg", "r");
    CHECK(report.passed); /* the wrong component has no part in the direction */
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    CHECK_HAS(line, "<svg");
    fclose(file);
    remove("derivative.svg");
    options.plot = NULL;
    options.direction = nothing;
    CHECK_I64(tested(NONE, &options).reason, ADTAPE_TEST_ZERO_DIRECTION);
    options.direction = NULL;
    options.tolerance = 10;
    CHECK(tested(SIGN, &options).passed);
}

static void slope_without_a_gradient(void) {
    const double d[N] = {0, 1, 0, 0};
    const adtape_test_options_t options = {.direction = d};
    adtape_test_report_t report;
    CHECK_OK(adtape_test_gradient_f64(f64_model, NULL, NULL, N, X, NULL, &options, &report));
    CHECK_I64(report.reason, ADTAPE_TEST_NO_GRADIENT);
    CHECK(fabs(report.slope - (sin(X[2]) + X[0] * cos(X[1]))) < 1e-8);
}

/* ---- complex steps ---------------------------------------------------------------------------------------------- */

static void f64_complex(int64_t n, const void *z, double *value, void *user) {
    const double complex *x = (const double complex *)z;
    double complex f = 0;
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        f += x[i] * csin(x[(i + 1) % n]);
    }
    value[0] = creal(f);
    value[1] = cimag(f);
}

static void f32_complex(int64_t n, const void *z, double *value, void *user) {
    const float complex *x = (const float complex *)z;
    float complex f = 0;
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        f += x[i] * x[i];
    }
    value[0] = crealf(f);
    value[1] = cimagf(f);
}

static void complex_step_has_the_error_of_the_gradient_alone(void) {
    adtape_test_options_t options = {.complex_function = f64_complex};
    adtape_test_report_t report = tested(NONE, &options);
    const float x[2] = {1.5f, -0.5f}, g[2] = {3.0f, -1.0f}, wrong[2] = {3.0f, 1.0f};
    CHECK(report.passed && report.error < 1e-14);
    report = tested(SIGN, &options);
    CHECK(!report.passed && report.component_count == 1);
    CHECK_I64(report.component[0], 1);
    options.complex_function = f32_complex;
    CHECK_OK(adtape_test_gradient_f32(NULL, NULL, NULL, 2, x, g, &options, &report));
    CHECK(report.passed && report.error < 1e-6);
    CHECK_OK(adtape_test_gradient_f32(NULL, NULL, NULL, 2, x, wrong, &options, &report));
    CHECK(!report.passed && report.component[0] == 1);
}

/* ---- float, a product of the program, branches ------------------------------------------------------------------ */

static double f32_model(int64_t n, const float *x, void *user) {
    float f = 0;
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        f += x[i] * x[i] * x[i];
    }
    return f;
}
static void f32_gradient(int64_t n, const float *x, float *g, void *user) {
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        g[i] = 3 * x[i] * x[i];
    }
}

static int products;
static double product(int64_t n, const void *a, const void *b, void *user) {
    const float *x = (const float *)a, *y = (const float *)b;
    double sum = 0;
    (void)user;
    products++;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)y[i];
    }
    return sum;
}

static void single_precision_and_a_product(void) {
    const float x[3] = {0.5f, 1.25f, -2.0f}, wrong[3] = {0.75f, 4.6875f, -12.0f};
    adtape_test_options_t options = {.product = product};
    adtape_test_report_t report;
    CHECK_OK(adtape_test_gradient_f32(f32_model, f32_gradient, NULL, 3, x, NULL, &options, &report));
    CHECK(report.passed && fabs(report.order - 2) < 0.3 && products > 5);
    CHECK_OK(adtape_test_gradient_f32(f32_model, NULL, NULL, 3, x, wrong, &options, &report));
    CHECK(!report.passed && report.component_count == 0);
    CHECK_OK(adtape_test_gradient_f32(f32_model, NULL, NULL, 3, x, wrong, NULL, &report));
    CHECK(!report.passed && report.component[0] == 2);
}

/* A forward sweep: what it pushes is taken off by the test. */
static double with_branch(int64_t n, const double *x, void *user) {
    adtape_t *t = adtape_self();
    double y = x[0];
    (void)n;
    (void)user;
    for (int k = 0; k < 20; k++) {
        adtape_push_f64(t, y);
        if (y > 1.01) {
            adtape_push_control(t, 1, 1);
            y = 2 * y - 1.01;
        } else {
            adtape_push_control(t, 0, 1);
            y = y * y;
        }
    }
    adtape_push_count(t, 20);
    return y;
}

static void branch_that_changes_is_named(void) {
    const double x = 1, d = 1, g = 1048576;
    const adtape_test_options_t options = {.direction = &d, .tolerance = 1e-6};
    adtape_test_report_t report;
    const int64_t before = stats_of(adtape_self()).bytes;
    CHECK_OK(adtape_test_gradient_f64(with_branch, NULL, NULL, 1, &x, &g, &options, &report));
    CHECK(report.passed && report.branch_step > 0);
    CHECK_HAS(adtape_test_text(), "a branch changes between h = ");
    CHECK_HAS(adtape_test_text(), "derivative.c:");
    CHECK_HAS(adtape_test_text(), "(with_branch)");
    CHECK_I64(stats_of(adtape_self()).bytes, before);
    CHECK_I64(stats_of(adtape_self()).pending_bits, 0);
}

static double kink(int64_t n, const double *x, void *user) {
    (void)user;
    return fabs(x[0]) + x[n - 1];
}
static double lost(int64_t n, const double *x, void *user) {
    (void)n, (void)user;
    return x[0] < 2 ? (double)NAN : sqrt(x[0] - 2); /* no exception of its own: see traps.h */
}

static void kinks_and_failures(void) {
    const double x[2] = {0, 1}, g[2] = {0, 1};
    adtape_test_report_t report;
    CHECK_OK(adtape_test_gradient_f64(kink, NULL, NULL, 2, x, g, NULL, &report));
    CHECK_I64(report.reason, ADTAPE_TEST_KINK);
    CHECK_OK(adtape_test_gradient_f64(lost, NULL, NULL, 2, x, g, NULL, &report));
    CHECK_I64(report.reason, ADTAPE_TEST_NOT_FINITE);
}

/* ---- tangent and adjoint ------------------------------------------------------------------------------------------ */

/* y[j] = x[j] x[j+1] at x = 1, 2, 3, …; `user` is an output whose adjoint is wrong, or -1. */
static void tangent(int64_t n, const double *xd, int64_t m, double *yd, void *user) {
    (void)n, (void)user;
    for (int64_t j = 0; j < m; j++) {
        yd[j] = (double)(j + 2) * xd[j] + (double)(j + 1) * xd[j + 1];
    }
}
static void adjoint(int64_t m, const double *yb, int64_t n, double *xb, void *user) {
    const int64_t wrong = *(const int64_t *)user;
    (void)n;
    for (int64_t j = 0; j < m; j++) {
        xb[j] += (double)(j + 2) * yb[j];
        xb[j + 1] += j == wrong ? 0 : (double)(j + 1) * yb[j];
    }
}
static void f32_tangent(int64_t n, const float *xd, int64_t m, float *yd, void *user) {
    (void)n, (void)m, (void)user;
    yd[0] = 2 * xd[0];
}

static void tangent_against_adjoint(void) {
    adtape_test_report_t report;
    int64_t wrong = -1;
    CHECK_OK(adtape_test_dot_f64(tangent, adjoint, &wrong, 6, 5, NULL, &report));
    CHECK(report.passed && report.error < 1e-15 && report.reference != 0);
    CHECK_HAS(adtape_test_text(), "dot-product test: passed");
    wrong = 3;
    CHECK_OK(adtape_test_dot_f64(tangent, adjoint, &wrong, 6, 5, NULL, &report));
    CHECK(!report.passed && report.component_count == 2);
    CHECK_I64(report.component[0], 4);
    CHECK_I64(report.component[1], -4);
    CHECK_HAS(adtape_test_text(), "output 3");
    CHECK_OK(adtape_test_dot_f32(f32_tangent, f32_tangent, NULL, 1, 1, NULL, &report));
    CHECK(report.passed);
}

static void refused(void) {
    enum mistake mistake = NONE;
    adtape_test_options_t options = {.tolerance = -1};
    adtape_test_report_t report;
    CHECK_FAILS(adtape_test_gradient_f64(NULL, NULL, NULL, N, X, X, NULL, &report), ADTAPE_STATUS_NULL_POINTER,
                "without a function");
    CHECK_FAILS(adtape_test_gradient_f64(f64_model, NULL, NULL, N, X, X, NULL, NULL), ADTAPE_STATUS_NULL_POINTER,
                "the report");
    CHECK_FAILS(adtape_test_gradient_f64(f64_model, NULL, NULL, N, NULL, X, NULL, &report), ADTAPE_STATUS_NULL_POINTER,
                "4 values is NULL");
    CHECK_FAILS(adtape_test_gradient_f64(f64_model, NULL, NULL, -1, X, X, NULL, &report), ADTAPE_STATUS_COUNT_RANGE,
                "-1");
    CHECK_FAILS(adtape_test_gradient_f64(f64_model, NULL, NULL, 0, X, X, NULL, &report), ADTAPE_STATUS_BAD_ARGUMENT,
                "no values");
    CHECK_FAILS(adtape_test_gradient_f64(f64_model, f64_gradient, &mistake, N, X, X, NULL, &report),
                ADTAPE_STATUS_BAD_ARGUMENT, "given twice");
    CHECK_FAILS(adtape_test_gradient_f64(f64_model, NULL, NULL, N, X, X, &options, &report),
                ADTAPE_STATUS_BAD_ARGUMENT, "tolerance");
    options.tolerance = 0;
    options.output = -3;
    CHECK_FAILS(adtape_test_gradient_f64(f64_model, NULL, NULL, N, X, X, &options, &report),
                ADTAPE_STATUS_BAD_ARGUMENT, "file descriptor");
    options.output = 0;
    options.plot = "no/such/folder/plot.svg";
    CHECK_FAILS(adtape_test_gradient_f64(f64_model, NULL, NULL, N, X, X, &options, &report), ADTAPE_STATUS_IO,
                "no/such/folder");
    CHECK_FAILS(adtape_test_dot_f64(tangent, NULL, NULL, 2, 1, NULL, &report), ADTAPE_STATUS_NULL_POINTER,
                "without an adjoint");
}

int main(void) {
    CHECK(*adtape_test_text() == '\0');
    gradient_as_function_and_as_array();
    mistakes_are_named();
    direction_steps_tolerance_and_plot();
    slope_without_a_gradient();
    complex_step_has_the_error_of_the_gradient_alone();
    single_precision_and_a_product();
    branch_that_changes_is_named();
    kinks_and_failures();
    tangent_against_adjoint();
    refused();
    return 0;
}
