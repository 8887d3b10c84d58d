#include <stdio.h>
static double scaled(double x) {
    static int k;
    if (k > 3) printf("%d calls\n", k);
    return x * ++k;
}
double f(int n, double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) s += scaled(x[i]);
    return s * s;
}
