#include <stdarg.h>

static double total(int n, va_list list) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += va_arg(list, double);
    }
    return sum;
}

double f(int n, double x, va_list list) {
    return x * total(n, list);
}
