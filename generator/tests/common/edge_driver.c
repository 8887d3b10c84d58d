#include <stdio.h>
#include "model_b.h"
void tables(int *ia);
int main(void) {
    static double x[640], x_b[640], w[640];
    static int ia[640];
    tables(ia);
    for (int i = 0; i < 640; i++) x[i] = 0.5 + (i * 37 % 64) / 64.0;
    f_b(40, x, x_b, ia, w, 1.0);
    for (int i = 0; i < 100; i++) printf("%.17g\n", x_b[i]);
    return 0;
}
