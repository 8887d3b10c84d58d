/* What counters are behind a loop follows from its passes: an index of step 3, one that wraps around, one that runs down. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)w;
    double c = 0.0, t[100];
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    for (int pass = 0; pass < 3; pass++) {
        int m = pass, k;
        for (k = 0; k < n; k += 3) {
            m += 2;
            c += t[k] * t[m];
        }
        t[m] = sin(c * t[k]);
        m = ia[m];
        unsigned down = 3;
        for (unsigned from = 5; from != 4294967290u; from--) down -= 2;
        t[down + 20] = cos(c * t[m]);
        unsigned around = 1;
        for (unsigned j = 4294967290u; j != 4; j++) around += 3;
        t[around] *= c;
        k = 0;
        for (; k > n; k--) m++;
        t[m + k + 50] *= t[m + k + 1];
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i % 17;
    }
}
