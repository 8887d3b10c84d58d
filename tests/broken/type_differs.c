/* type_differs.c: a branch id that is kept as an integer is popped as the value that was pushed before it. */
#include <adtape.h>

static double power(double x, int n, adtape_t *t) {
    double y = 1.0;
    for (int i = 0; i < n; i++) {
        adtape_push_f64(t, y);
        y *= x;
    }
    adtape_push_i64(t, n);
    return y;
}

static double power_adjoint(double x, int n, double y_adjoint, adtape_t *t) {
    double x_adjoint = 0.0, last;
    for (int i = 0; i < n; i++) {
        adtape_pop_f64(t, &last);
        x_adjoint += last * y_adjoint;
        y_adjoint *= x;
    }
    return x_adjoint;
}

int main(void) {
    const double y = power(1.5, 3, adtape_self());
    return power_adjoint(1.5, 3, 1.0, adtape_self()) > y ? 0 : 1;
}
