/* count_differs.c: an array is popped with one element less than was pushed. */
#include <adtape.h>

enum { N = 8, STEPS = 5 };

static void forward(double *column, int n, adtape_t *t) {
    for (int step = 0; step < STEPS; step++) {
        adtape_push_array_f64(t, column, n);
        for (int i = 0; i < n; i++) {
            column[i] *= 0.5 * column[i];
        }
    }
}

static void reverse(double *column, double *column_adjoint, int n, adtape_t *t) {
    for (int step = STEPS - 1; step >= 0; step--) {
        adtape_pop_array_f64(t, column, n - 1);
        for (int i = 0; i < n; i++) {
            column_adjoint[i] *= column[i];
        }
    }
}

int main(void) {
    double column[N] = {1, 2, 3, 4, 5, 6, 7, 8}, adjoint[N] = {1, 1, 1, 1, 1, 1, 1, 1};
    forward(column, N, adtape_self());
    reverse(column, adjoint, N, adtape_self());
    return 0;
}
