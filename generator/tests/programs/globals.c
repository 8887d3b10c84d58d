/* Variables at file scope that keep nothing which depends on x from one call to the next. */

#include <math.h>

/* Made once, and the same ever after. */
static int made;
static double table[4];

double f_table(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    if (!made) {
        for (int k = 0; k < 4; k++) table[k] = 1.0 / (1.0 + k);
        made = 1;
    }
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += table[i & 3] * x[i] * x[i];
    return sum;
}

/* Written before it is read, whatever the branch. */
static double scratch[8], total;
static struct {
    double mean, spread;
} of_all;

static void gather(int n, const double *x) {
    total = 0.0;
    for (int i = 0; i < n; i++) {
        scratch[i] = exp(-x[i]);
        total += scratch[i];
    }
    if (n > 2) of_all.mean = total / n;
    else of_all.mean = total;
    of_all.spread = 0.0;
    for (int i = 0; i < n; i++) of_all.spread += (scratch[i] - of_all.mean) * (scratch[i] - of_all.mean);
}

double f_scratch(int n, double *x, int *ia, double *w) {
    (void)ia;
    gather(n, x);
    x[0] = of_all.spread * scratch[n - 1];
    return total * of_all.mean * w[0];
}

/* Added to from call to call; no result reads it. */
static double seen;

double f_counted(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    seen += x[0];
    return x[n - 1] * x[0];
}

/* Constants by their addresses, as translated Fortran passes them. */
static const int one = 1, two = 2;

static double strided(const int *n, const double *x, const int *step) {
    double s = 0.0;
    for (int i = 0; i < *n; i += *step) s += x[i] * x[i];
    return s;
}

double f_constants_by_address(int n, double *x, int *ia, double *w);
double f_constants_by_address(int n, double *x, int *ia, double *w) {
    (void)ia;
    return strided(&n, x, &one) * w[one] + strided(&two, x, &two);
}

/* Variables that functions declare, and the file only behind them. */
static double gained(double x) {
    extern double gain, offsets[2];
    return gain * x * x + offsets[1];
}

double f_declared_inside(int n, double *x, int *ia, double *w);
double f_declared_inside(int n, double *x, int *ia, double *w) {
    extern double gain;
    (void)ia;
    gain = 2.0 + w[0];
    return gained(x[0]) * gained(x[n - 1]);
}

double gain = 1.0, offsets[2] = {0.5, 0.25};

/* A function that only calls others has a tangent, too. */
static double squares[8];

static void square_all(void) {
    for (int i = 0; i < 8; i++) squares[i] = scratch[i] * scratch[i];
}

static void add_next(void) {
    for (int i = 0; i < 8; i++) squares[i] += squares[(i + 1) & 7] * scratch[i];
}

static void square_and_add(void) {
    square_all();
    add_next();
}

double f_only_calls(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    for (int i = 0; i < 8; i++) scratch[i] = i < n ? x[i] : 0.5;
    square_and_add();
    return squares[0] * squares[1] + squares[2];
}
