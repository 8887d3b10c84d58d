typedef struct { double value, error; } result;
enum { TERMS = 3 };
#define abs(x) ((x) < 0 ? -(x) : (x))
static double series(const double *c, double x) {
    double sum = 0.0;
    for (int k = TERMS; k-- > 0;) sum = sum * x + c[k];
    return sum;
}
double other(double x, result *r);
