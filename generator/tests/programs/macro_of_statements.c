/* A macro of several statements: none of them can be copied by its text, which is that of all. */
#define STEP(call) double r; call; x[0] *= r
#define RESULT(call) double value; int status = call; if (status != 0) return 0.0; return value

static void squared(double a, double *r) { *r = a * a; }
static int cubed(const double *x, double *r) { *r = x[0] * x[1] * x[1]; return x[0] < 0.0; }

double f_step(int n, double *x, int *ia, double *w);
double f_step(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    STEP(squared(x[1], &r));
    return x[0] * x[0];
}
double f_result(int n, double *x, int *ia, double *w);
double f_result(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    RESULT(cubed(x, &value));
}
