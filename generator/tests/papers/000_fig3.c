/* Handling pointers, Fig. 3: a pointer that marches off its array and back. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)ia, (void)w;
    double c = 0.0;
    double *p = x;
    for (int i = 0; i < 8; i++) {
        c += *p * *p;
        p += 3;
        if (p > x + 12) {
            p -= 11;
        }
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i;
    }
}
