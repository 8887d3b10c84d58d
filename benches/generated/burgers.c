/* Burgers' equation with a little viscosity, upwind, explicit: half the sum of squares of the state at the end. */
static void step(int n, double dt, double *u, double *next) {
    for (int i = 1; i < n - 1; i++) {
        double flux;
        if (u[i] > 0.0)
            flux = u[i] * (u[i] - u[i - 1]);
        else
            flux = u[i] * (u[i + 1] - u[i]);
        next[i] = u[i] - dt * flux + 0.1 * dt * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
    }
    for (int i = 1; i < n - 1; i++) u[i] = next[i];
}

double burgers(int n, int steps, double dt, double *u, double *next) {
    double sum = 0.0;
    for (int t = 0; t < steps; t++) step(n, dt, u, next);
    for (int i = 0; i < n; i++) sum += u[i] * u[i];
    return 0.5 * sum;
}
