/* Heat in a plate of m by m cells whose conductivity grows with temperature, implicit in time: a banded system a step. */
#include "heat.h"

double heat(int m, int steps, const double *k, const double *u0, double *a, double *u) {
    const int n = m * m, lead = m + 1, one = 1;
    int info;
    double sum = 0.0;
    for (int i = 0; i < n; i++) u[i] = u0[i];
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n * lead; i++) a[i] = 0.0;
        for (int i = 0; i < n; i++) a[i * lead] = 1.0;
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < m; c++) {
                const int i = r * m + c;
                if (c + 1 < m) {
                    const double both = u[i] + u[i + 1], g = 0.05 * (k[i] + k[i + 1]) * (1.0 + 0.25 * both * both);
                    a[i * lead] += g;
                    a[(i + 1) * lead] += g;
                    a[1 + i * lead] = -g;
                }
                if (r + 1 < m) {
                    const double both = u[i] + u[i + m], g = 0.05 * (k[i] + k[i + m]) * (1.0 + 0.25 * both * both);
                    a[i * lead] += g;
                    a[(i + m) * lead] += g;
                    a[m + i * lead] = -g;
                }
            }
        }
        dpbsv_("L", &n, &m, &one, a, &lead, u, &n, &info);
    }
    for (int i = 0; i < n; i++) sum += u[i] * u[i] * (1.0 + 0.01 * i);
    return sum;
}
