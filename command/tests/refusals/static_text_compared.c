#include <stdio.h>
#include <string.h>
double f(double x) {
    static char last[32];
    char this[32];
    double y = x * x;
    snprintf(this, sizeof this, "%g", x);
    if (strcmp(last, this)) y *= 2.0;
    strcpy(last, this);
    return y;
}
