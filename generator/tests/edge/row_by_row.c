/* A pointer that goes on by rows, over what a subscript names, too. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double a[4][3], c = 0.0;
    for (int i = 0; i < 12; i++) {
        a[i / 3][i % 3] = x[i];
    }
    double (*p)[3] = a;
    for (int i = 0; i < 4; i++) {
        (*p)[1] = (*p)[0] * (*p)[2];
        c += a[i][1] * (*p)[1];
        p++;
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
