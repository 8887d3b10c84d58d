/* Integers that branches count: what they were in front of it follows from the arm, which the condition tells, or a bit.
 * One that an arm sets anew is stored. */
#include <math.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    double c = 0.0;
    int up = 0, down = 90, by_data = 0, anew = 0;
    for (int k = 0; k < n; k++) {
        if (ia[k] > 1) {
            up += 2;
            down--;
            c += x[up] * x[down];
        } else {
            up += 1;
            c += x[up] * w[k];
        }
        c += x[by_data] * x[anew];
        if (x[by_data] * x[k] > 0.6) {
            by_data++;
            x[k] = sin(x[k]);
        }
        if (ia[k] == 3) {
            anew = k;
        } else {
            anew++;
        }
    }
    return c;
}

void tables(int *ia) {
    for (int i = 0; i < 100; i++) {
        ia[i] = i * 7 % 5;
    }
}
