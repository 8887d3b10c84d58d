/* Handling pointers, Fig. 2, left: an offset that is computed again, in an array and behind a pointer. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

static int offset(int j) {
    return (7 * j + 3) % 10;
}

static void g(double *a, int j) {
    double r[10];
    for (int k = 0; k < 10; k++) {
        r[k] = 2.0 * a[k + 10] - a[k + 20];
    }
    int i = offset(j);
    *(a + i) = r[i];
}

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double c = 0.0;
    for (int j = 0; j < 8; j++) {
        g(x, j);
        c += x[offset(j + 1)];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
