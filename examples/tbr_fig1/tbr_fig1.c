/* TBR paper, Fig. 1: original code, forward sweep and adjoint of a loop with a branch.
 *
 * What it shows: the values that the adjoint reads (an element of x, the indices i and j, the branch) are pushed
 * just before they are overwritten; `a` is overwritten in every iteration too, but no partial derivative
 * reads it, so it is not to be recorded (TBR).
 *
 * The figure's sizes are 10, for the first value of j, and 7, in the test; here both grow with n. Its adjoint
 * leaves out the adjoint of a = a/2, which is needed as soon as the first value of a is an independent, as here.
 *
 *   tbr_fig1 [n]      n: the first value of j in the second run, by default 1000000 */
#include "../common/example.h"

static int max(int i, int j) { return i > j ? i : j; }
static int check(int j) { return j >= 0; }
static int test(int i, int j, int n) { return 10 * (int64_t)max(i, j) > 7 * (int64_t)n; }

/* ---- original code ------------------------------------------------------------------------------ */

static void original(int n, double *x, double a) {
    int i = 0, j = n;
    while (check(j)) {
        if (test(i, j, n)) {
            x[i] = j + sin(x[i]);
        } else {
            x[j] = j * cos(x[j]) + a;
        }
        i = i + 1;
        j = j - 1;
        a = a / 2;
    }
}

/* ---- forward sweep ------------------------------------------------------------------------------ */

static void forward_sweep(adtape_t *t, int n, double *x, double a) {
    int i = 0, j = n;
    int64_t count = 0;
    while (check(j)) {
        if (test(i, j, n)) {
            adtape_push_f64(t, x[i]);
            x[i] = j + sin(x[i]);
            adtape_push_control(t, 1, 1);
        } else {
            adtape_push_f64(t, x[j]);
            x[j] = j * cos(x[j]) + a;
            adtape_push_control(t, 0, 1);
        }
        adtape_push_i32(t, i);
        i = i + 1;
        adtape_push_i32(t, j);
        j = j - 1;
        a = a / 2;
        count = count + 1;
    }
    adtape_push_count(t, count);
}

/* ---- adjoint ------------------------------------------------------------------------------------ */

/* On entry xb is the gradient with respect to the results, on return with respect to the first values; *ab is
 * the gradient with respect to the first value of a. */
static void adjoint(adtape_t *t, double *x, double *xb, double *ab) {
    int i, j;
    int64_t count = adtape_pop_count(t);
    *ab = 0.0;
    while (count > 0) {
        count = count - 1;
        *ab = *ab / 2;
        adtape_pop_i32(t, &j);
        adtape_pop_i32(t, &i);
        if (adtape_pop_control(t, 1)) {
            adtape_pop_f64(t, &x[i]);
            xb[i] = cos(x[i]) * xb[i];
        } else {
            adtape_pop_f64(t, &x[j]);
            *ab = *ab + xb[j];
            xb[j] = -j * sin(x[j]) * xb[j];
        }
    }
}

/* ---- checks ------------------------------------------------------------------------------------- */

/* The original code on complex numbers. */
static void original_complex(int n, double complex *x, double complex a) {
    int i = 0, j = n;
    while (check(j)) {
        if (test(i, j, n)) {
            x[i] = j + csin(x[i]);
        } else {
            x[j] = j * ccos(x[j]) + a;
        }
        i = i + 1;
        j = j - 1;
        a = a / 2;
    }
}

static double first_x(int64_t i) { return 1.5 * noise(i + 1); }
static double weight(int64_t i) { return noise(i + 7001); }

/* sum(weight * x), x the results; the first values of x, and behind them that of a. */
static void weighted(int64_t count, const void *first, double *value, void *user) {
    const double complex *given = first;
    const int n = (int)count - 2;
    double complex *z = allocate(count, sizeof *z), sum = 0.0;
    (void)user;
    memcpy(z, given, (size_t)count * sizeof *z);
    original_complex(n, z, given[n + 1]);
    for (int i = 0; i <= n; i++) {
        sum += weight(i) * z[i];
    }
    value[0] = creal(sum), value[1] = cimag(sum);
    free(z);
}

static void check_gradient(int n, double a, const double *gradient, double a_gradient) {
    const int64_t count = n + 2;
    double *x = allocate(count, sizeof *x), *xb = allocate(count, sizeof *xb), *direction = allocate(count, sizeof *x);
    for (int i = 0; i <= n; i++) {
        x[i] = first_x(i);
        xb[i] = gradient[i];
    }
    x[n + 1] = a;
    xb[n + 1] = a_gradient;
    if (n <= 100) {
        double worst = 0.0;
        for (int i = 0; i < count; i++) {
            direction[i] = 1.0;
            worst = larger(worst, error_of_complex_step(weighted, NULL, count, x, xb, direction, 1e-13));
            direction[i] = 0.0;
        }
        check_error("every component against complex steps", worst, 1e-13);
    }
    for (int i = 0; i < count; i++) {
        direction[i] = noise(i + 31);
    }
    check_error("a direction against a complex step",
                error_of_complex_step(weighted, NULL, count, x, xb, direction, 1e-12), 1e-12);
    free(x), free(xb), free(direction);
}

static void run(adtape_t *t, int n) {
    const double a = 3.14159;
    double *x = allocate(n + 1, sizeof *x), *result = allocate(n + 1, sizeof *result);
    double *xb = allocate(n + 1, sizeof *xb), *restored = allocate(n + 1, sizeof *restored);
    double ab, norm = 0.0;

    for (int i = 0; i <= n; i++) {
        x[i] = result[i] = restored[i] = first_x(i);
        xb[i] = weight(i);
    }
    original(n, result, a);
    forward_sweep(t, n, x, a);
    check_same_bits("the forward sweep computes what the original computes", x, result, n + 1);
    report_count("tape bytes", tape_bytes(t));
    adjoint(t, x, xb, &ab);
    check_tape_empty("bytes on the tape after the adjoint", t);
    check_same_bits("the adjoint restores x", x, restored, n + 1);

    for (int i = 0; i <= n; i++) {
        norm = larger(norm, fabs(xb[i]));
    }
    report_real("largest component of the gradient", norm);
    report_real("gradient with respect to a", ab + 0.0);
    check_gradient(n, a, xb, ab);
    free(x), free(result), free(xb), free(restored);
}

int main(int argc, char **argv) {
    adtape_t *t = adtape_self();
    const int n = (int)argument(argc, argv, 1, 1000000);
    printf("-- the figure, n = 10\n");
    run(t, 10);
    printf("-- n = %d\n", n);
    run(t, n);
    return finish();
}
