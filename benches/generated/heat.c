/* The heat equation on a plate whose conductivity grows with its temperature: the distance of the last state to data.
 * The border stays as it is. */
static void step(int n, int m, double dt, const double *k, double *u, double *next) {
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) {
            const double here = u[i * m + j];
            const double conductivity = k[i * m + j] * (1.0 + 0.5 * here * here);
            const double flow =
                u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] - 4.0 * here;
            next[i * m + j] = here + dt * conductivity * flow;
        }
    }
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < m - 1; j++) u[i * m + j] = next[i * m + j];
    }
}

double heat(int n, int m, int steps, double dt, const double *k, const double *data, double *u, double *next) {
    double sum = 0.0;
    for (int t = 0; t < steps; t++) step(n, m, dt, k, u, next);
    for (int i = 0; i < n * m; i++) {
        const double r = u[i] - data[i];
        sum += r * r;
    }
    return 0.5 * sum;
}
