/* A table of pointers, set where it is declared, then read by any index. */
#include <math.h>

double table_of_rows(int n, double *x, double *y) {
    double z[8];
    for (int i = 0; i < 8; i++) z[i] = x[i % n] * y[0];
    double *rows[3] = {x, y, z};
    double s = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < n; j++) {
            rows[i][j] = sin(rows[i][j]) * rows[(i + 1) % 3][j];
            s *= rows[i][j];
        }
    return s;
}
