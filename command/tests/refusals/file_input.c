#include <stdio.h>
double f(FILE *in, double x) {
    double y = 0.0;
    if (fscanf(in, "%lf", &y) != 1) return 0.0;
    return x * y;
}
