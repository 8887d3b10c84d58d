#include <stdio.h>
double f(double x) {
    int printed = 0;
    printf("%g%n\n", x, &printed);
    return x * printed;
}
