/* More elements are read than sections are kept: all of them count as one section, and none is forgotten. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    c += t[0] * t[3];
    c += t[6] * t[9];
    c += t[12] * t[15];
    c += t[18] * t[21];
    c += t[24] * t[27];
    c += t[30] * t[33];
    t[33] = c * x[0];
    t[0] = c * x[1];
    c += t[33] * t[0];
    return c;
}

void tables(int *ia) {
    ia[0] = 0;
}
