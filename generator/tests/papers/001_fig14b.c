/* Cheaper adjoints, Fig. 14(b): a search that goes from zone to zone by data. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)n, (void)w;
    double c = 0.0;
    int k2 = 0, k3 = 0;
    for (int l = 0; l < 6; l++) {
        int m = 1 + l % 3;
        const int first = m;
        int is_found = 0;
        do {
            const int begin = 8 * (m - 1);
            for (int k = 1; k <= 3; k++) {
                k2 = k2 + 1;
                c += x[m] * x[k2 % 40];
                if (ia[begin + 2 * k] > 4) {
                    k3 = k3 + 1;
                    c += x[k3] * x[k3];
                }
                if (ia[begin + 2 * k - 1] == 0) {
                    is_found = 1;
                    break;
                }
            }
            m = m + 1;
            if (m > ia[0]) {
                m = 1;
            }
        } while (m != first && !is_found);
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 200; i++) {
        ia[i] = i == 0 ? 5 : i * 5 % 7;
    }
}
