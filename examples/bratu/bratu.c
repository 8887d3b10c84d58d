/* The Bratu problem (TBR paper, section 6 and appendices A and B): adjoint with and without TBR.
 *
 *   F(i) = x(i-1) - 2 x(i) + x(i+1) + h^2 [f(i-1) + 10 f(i) + f(i+1)] / 12,   f(i) = s exp(x(i) / (1 + t x(i)))
 *
 * What it shows: without TBR each variable that is assigned is pushed first; with TBR the values of F are not, since
 * no partial derivative reads them: 6 values an iteration instead of 9. Both gradients are the same.
 *
 * Appendix A prints 12.0 for the divisor 1.2 of the middle term (10 / 12); appendix B has 1.2. Here it is 1.2.
 * Indices are the paper's, from 1 to dim; element 0 of an array is not used.
 *
 *   bratu [dim]       by default 10000 */
#include "../common/example.h"

/* ---- original code ------------------------------------------------------------------------------ */

static void bratu(int dim, const double *x, const double *prm, double *F) {
    const double h = 2.0 / (dim + 1);
    F[1] = -2 * x[1] + h * h * prm[1] / 12.0 * (1 + 10 * exp(x[1] / (1.0 + prm[2] * x[1])));
    F[2] = x[1] + h * h * prm[1] / 12.0 * exp(x[1] / (1.0 + prm[2] * x[1]));
    for (int i = 2; i <= dim - 1; i++) {
        F[i - 1] = F[i - 1] + x[i] + h * h * prm[1] / 12.0 * exp(x[i] / (1.0 + prm[2] * x[i]));
        F[i] = F[i] - 2 * x[i] + h * h * prm[1] / 1.2 * exp(x[i] / (1.0 + prm[2] * x[i]));
        F[i + 1] = x[i] + h * h * prm[1] / 12.0 * exp(x[i] / (1.0 + prm[2] * x[i]));
    }
    F[dim - 1] = F[dim - 1] + x[dim] + h * h * prm[1] / 12.0 * exp(x[dim] / (1.0 + prm[2] * x[dim]));
    F[dim] = F[dim] - 2 * x[dim];
    F[dim] = F[dim] + h * h * prm[1] / 12.0 * (1 + 10 * exp(x[dim] / (1.0 + prm[2] * x[dim])));
}

/* ---- adjoint ------------------------------------------------------------------------------------ */

/* Derivative of y / (1 + t y) with respect to y and to t. */
static inline double quotient_y(double y, double t) {
    return 1 / (1.0 + t * y) - y * t / ((1.0 + t * y) * (1.0 + t * y));
}
static inline double quotient_t(double y, double t) { return -(y * y) / ((1.0 + t * y) * (1.0 + t * y)); }

/* Forward and reverse sweep. Fb is the gradient with respect to F, zero on return; xb and prmb are added to.
 * `all`: every assigned variable is pushed, otherwise those that TBR requires. Returns the bytes on the tape
 * between the sweeps. */
static inline uint64_t bratu_b(adtape_t *t, bool all, int dim, const double *x, double *xb, const double *prm,
                               double *prmb, double *F, double *Fb) {
    double exp1 = 0, exp2 = 0, exp3 = 0, exp4 = 0, exp5 = 0, exp6 = 0, exp7 = 0, exp8 = 0, exp9 = 0, exp10 = 0;
    double exp11 = 0, exp12 = 0, exp13 = 0, exp14 = 0, h = 0;
    double exp1b, exp2b, exp3b, exp4b, exp5b, exp6b, exp7b, exp8b, exp9b, exp10b, exp11b, exp12b, exp13b, exp14b;
    int32_t adTo;
    uint64_t bytes;
    int i;

    if (all) adtape_push_f64(t, h);
    h = 2.0 / (dim + 1);
    if (all) adtape_push_f64(t, exp1);
    exp1 = x[1] / (1.0 + prm[2] * x[1]);
    if (all) adtape_push_f64(t, exp2);
    exp2 = exp(exp1);
    if (all) adtape_push_f64(t, F[1]);
    F[1] = -2 * x[1] + h * h * prm[1] / 12.0 * (1 + 10 * exp2);
    if (all) adtape_push_f64(t, exp3);
    exp3 = x[1] / (1.0 + prm[2] * x[1]);
    if (all) adtape_push_f64(t, exp4);
    exp4 = exp(exp3);
    if (all) adtape_push_f64(t, F[2]);
    F[2] = x[1] + h * h * prm[1] / 12.0 * exp4;
    for (i = 2; i <= dim - 1; i++) {
        adtape_push_f64(t, exp5);
        exp5 = x[i] / (1.0 + prm[2] * x[i]);
        adtape_push_f64(t, exp6);
        exp6 = exp(exp5);
        if (all) adtape_push_f64(t, F[i - 1]);
        F[i - 1] = F[i - 1] + x[i] + h * h * prm[1] / 12.0 * exp6;
        adtape_push_f64(t, exp7);
        exp7 = x[i] / (1.0 + prm[2] * x[i]);
        adtape_push_f64(t, exp8);
        exp8 = exp(exp7);
        if (all) adtape_push_f64(t, F[i]);
        F[i] = F[i] - 2 * x[i] + h * h * prm[1] / 1.2 * exp8;
        adtape_push_f64(t, exp9);
        exp9 = x[i] / (1.0 + prm[2] * x[i]);
        adtape_push_f64(t, exp10);
        exp10 = exp(exp9);
        if (all) adtape_push_f64(t, F[i + 1]);
        F[i + 1] = x[i] + h * h * prm[1] / 12.0 * exp10;
    }
    adtape_push_i32(t, i - 1);
    if (all) adtape_push_f64(t, exp11);
    exp11 = x[dim] / (1.0 + prm[2] * x[dim]);
    if (all) adtape_push_f64(t, exp12);
    exp12 = exp(exp11);
    if (all) adtape_push_f64(t, F[dim - 1]);
    F[dim - 1] = F[dim - 1] + x[dim] + h * h * prm[1] / 12.0 * exp12;
    if (all) adtape_push_f64(t, F[dim]);
    F[dim] = F[dim] - 2 * x[dim];
    if (all) adtape_push_f64(t, exp13);
    exp13 = x[dim] / (1.0 + prm[2] * x[dim]);
    if (all) adtape_push_f64(t, exp14);
    exp14 = exp(exp13);
    if (all) adtape_push_f64(t, F[dim]);
    F[dim] = F[dim] + h * h * prm[1] / 12.0 * (1 + 10 * exp14);

    bytes = tape_bytes(t);

    if (all) adtape_pop_f64(t, &F[dim]);
    exp14b = 10 * h * h * prm[1] * Fb[dim] / 12.0;
    prmb[1] = prmb[1] + (1 + 10 * exp14) * h * h * Fb[dim] / 12.0;
    exp13b = exp(exp13) * exp14b;
    if (all) adtape_pop_f64(t, &exp14);
    xb[dim] = xb[dim] + quotient_y(x[dim], prm[2]) * exp13b;
    prmb[2] = prmb[2] + quotient_t(x[dim], prm[2]) * exp13b;
    if (all) adtape_pop_f64(t, &exp13);
    if (all) adtape_pop_f64(t, &F[dim]);
    xb[dim] = xb[dim] - 2 * Fb[dim];
    if (all) adtape_pop_f64(t, &F[dim - 1]);
    exp12b = h * h * prm[1] * Fb[dim - 1] / 12.0;
    prmb[1] = prmb[1] + exp12 * h * h * Fb[dim - 1] / 12.0;
    exp11b = exp(exp11) * exp12b;
    if (all) adtape_pop_f64(t, &exp12);
    xb[dim] = xb[dim] + Fb[dim - 1] + quotient_y(x[dim], prm[2]) * exp11b;
    prmb[2] = prmb[2] + quotient_t(x[dim], prm[2]) * exp11b;
    if (all) adtape_pop_f64(t, &exp11);
    adtape_pop_i32(t, &adTo);
    for (i = adTo; i >= 2; i--) {
        if (all) adtape_pop_f64(t, &F[i + 1]);
        exp10b = h * h * prm[1] * Fb[i + 1] / 12.0;
        exp9b = exp(exp9) * exp10b;
        xb[i] = xb[i] + Fb[i + 1] + quotient_y(x[i], prm[2]) * exp9b;
        prmb[1] = prmb[1] + exp10 * h * h * Fb[i + 1] / 12.0;
        Fb[i + 1] = 0.0;
        adtape_pop_f64(t, &exp10);
        adtape_pop_f64(t, &exp9);
        prmb[2] = prmb[2] + quotient_t(x[i], prm[2]) * exp9b;
        if (all) adtape_pop_f64(t, &F[i]);
        exp8b = h * h * prm[1] * Fb[i] / 1.2;
        exp7b = exp(exp7) * exp8b;
        xb[i] = xb[i] - 2 * Fb[i] + quotient_y(x[i], prm[2]) * exp7b;
        prmb[1] = prmb[1] + exp8 * h * h * Fb[i] / 1.2;
        adtape_pop_f64(t, &exp8);
        adtape_pop_f64(t, &exp7);
        prmb[2] = prmb[2] + quotient_t(x[i], prm[2]) * exp7b;
        if (all) adtape_pop_f64(t, &F[i - 1]);
        exp6b = h * h * prm[1] * Fb[i - 1] / 12.0;
        exp5b = exp(exp5) * exp6b;
        xb[i] = xb[i] + Fb[i - 1] + quotient_y(x[i], prm[2]) * exp5b;
        prmb[1] = prmb[1] + exp6 * h * h * Fb[i - 1] / 12.0;
        adtape_pop_f64(t, &exp6);
        adtape_pop_f64(t, &exp5);
        prmb[2] = prmb[2] + quotient_t(x[i], prm[2]) * exp5b;
    }
    if (all) adtape_pop_f64(t, &F[2]);
    exp4b = h * h * prm[1] * Fb[2] / 12.0;
    prmb[1] = prmb[1] + exp4 * h * h * Fb[2] / 12.0;
    exp3b = exp(exp3) * exp4b;
    if (all) adtape_pop_f64(t, &exp4);
    xb[1] = xb[1] + Fb[2] + quotient_y(x[1], prm[2]) * exp3b;
    prmb[2] = prmb[2] + quotient_t(x[1], prm[2]) * exp3b;
    Fb[2] = 0.0;
    if (all) adtape_pop_f64(t, &exp3);
    if (all) adtape_pop_f64(t, &F[1]);
    exp2b = 10 * h * h * prm[1] * Fb[1] / 12.0;
    prmb[1] = prmb[1] + (1 + 10 * exp2) * h * h * Fb[1] / 12.0;
    exp1b = exp(exp1) * exp2b;
    if (all) adtape_pop_f64(t, &exp2);
    xb[1] = xb[1] - 2 * Fb[1] + quotient_y(x[1], prm[2]) * exp1b;
    prmb[2] = prmb[2] + quotient_t(x[1], prm[2]) * exp1b;
    Fb[1] = 0.0;
    if (all) adtape_pop_f64(t, &exp1);
    if (all) adtape_pop_f64(t, &h);
    return bytes;
}

/* ---- checks ------------------------------------------------------------------------------------- */

static double weight(int i) { return noise(i + 4001); }

static double complex rate(double complex x, double complex s, double complex t) {
    return s * cexp(x / (1.0 + t * x));
}

/* sum(weight * F) as the formula above says it, independent of the code: of complex x(1) to x(dim), s and t. */
static void formula(int64_t n, const void *independents, double *value, void *user) {
    const int dim = (int)n - 2;
    const double complex *x = independents, s = x[dim], t = x[dim + 1];
    const double h = 2.0 / (dim + 1);
    double complex sum = 0.0;
    (void)user;
    for (int i = 1; i <= dim; i++) {
        const double complex left = i > 1 ? x[i - 2] : 0.0, here = x[i - 1], right = i < dim ? x[i] : 0.0;
        const double complex f = rate(left, s, t) + 10 * rate(here, s, t) + rate(right, s, t);
        sum += weight(i) * (left - 2 * here + right + h * h * f / 12);
    }
    value[0] = creal(sum), value[1] = cimag(sum);
}

/* The gradient with respect to x, s and t, in a direction in which all of them change. */
static void check_gradient(int dim, const double *x, const double *prm, const double *xb, const double *prmb) {
    double *first = allocate(dim + 2, sizeof *first), *gradient = allocate(dim + 2, sizeof *gradient);
    memcpy(first, x + 1, (size_t)dim * sizeof *x), memcpy(first + dim, prm + 1, 2 * sizeof *prm);
    memcpy(gradient, xb + 1, (size_t)dim * sizeof *xb), memcpy(gradient + dim, prmb + 1, 2 * sizeof *prmb);
    check_error("gradient in a direction against a complex step",
                error_of_complex_step(formula, NULL, dim + 2, first, gradient, NULL, 1e-14), 1e-14);
    free(first), free(gradient);
}

/* One gradient; seconds taken, bytes on the tape between the sweeps. */
static double gradient(adtape_t *t, bool all, int dim, const double *x, const double *prm, double *xb, double *prmb,
                       double *F, double *Fb, uint64_t *bytes) {
    double start;
    memset(xb, 0, (size_t)(dim + 1) * sizeof *xb);
    memset(F, 0, (size_t)(dim + 1) * sizeof *F);
    prmb[1] = prmb[2] = 0.0;
    for (int i = 1; i <= dim; i++) {
        Fb[i] = weight(i);
    }
    start = seconds();
    *bytes = all ? bratu_b(t, true, dim, x, xb, prm, prmb, F, Fb) : bratu_b(t, false, dim, x, xb, prm, prmb, F, Fb);
    return seconds() - start;
}

int main(int argc, char **argv) {
    adtape_t *t = adtape_self();
    const int dim = (int)argument(argc, argv, 1, 10000);
    const double prm[3] = {0.0, 0.8, 0.05}; /* unused, s, t */
    double *x = allocate(dim + 1, sizeof *x), *F = allocate(dim + 1, sizeof *F), *Fb = allocate(dim + 1, sizeof *Fb);
    double *plain = allocate(dim + 1, sizeof *plain);
    double *xb[2], prmb[2][3], least[2] = {1e30, 1e30};
    uint64_t bytes[2];

    if (dim < 4) {
        fprintf(stderr, "dim is at least 4\n");
        return 2;
    }
    for (int i = 1; i <= dim; i++) {
        const double tau = 2.0 * i / (dim + 1) - 1.0;
        x[i] = 0.5 * (1.0 - tau * tau) + 0.05 * noise(i);
    }
    bratu(dim, x, prm, plain);
    for (int all = 0; all < 2; all++) {
        xb[all] = allocate(dim + 1, sizeof **xb);
        prmb[all][0] = 0.0;
    }
    for (int repetition = 0; repetition < 10; repetition++) {
        for (int all = 0; all < 2; all++) {
            const double took = gradient(t, all, dim, x, prm, xb[all], prmb[all], F, Fb, &bytes[all]);
            least[all] = fmin(least[all], took);
            if (!all && repetition == 0) {
                check_same_bits("the forward sweep computes what the original computes", F, plain, dim + 1);
            }
        }
    }
    check_tape_empty("bytes on the tape after the adjoints", t);
    check_same_bits("both gradients with respect to x are equal bit for bit", xb[0], xb[1], dim + 1);
    check_same_bits("both gradients with respect to s and t are equal bit for bit", prmb[0], prmb[1], 3);
    check_gradient(dim, x, prm, xb[0], prmb[0]);
    report_real("gradient with respect to s", prmb[0][1]);
    report_real("gradient with respect to t", prmb[0][2]);

    check_count("tape bytes with TBR", bytes[0], (uint64_t)(dim - 2) * 48 + 4);
    check_count("tape bytes without TBR", bytes[1], (uint64_t)(dim - 2) * 72 + 4 + 14 * 8);
    report_real("ratio of tape bytes", (double)bytes[0] / (double)bytes[1]);
    report_real("microseconds with TBR", 1e6 * least[0]);
    report_real("microseconds without TBR", 1e6 * least[1]);
    report_real("ratio of times (the paper: 0.81)", least[0] / least[1]);
    free(x), free(F), free(Fb), free(plain), free(xb[0]), free(xb[1]);
    return finish();
}
