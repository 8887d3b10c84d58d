/* Each pass fills local rows, which it overwrites in place. */
double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    (void)ia, (void)w;
    double u[6] = {0.0}, r[6], p[6], squares = 0.0, s = 0.0;
    for (int i = 0; i < 6; i++) {
        r[i] = p[i] = x[i];
        squares += x[i] * x[i];
    }
#pragma adjoint checkpoint snapshots=2
    for (int k = 0; k < 5; k++) {
        double q[6], scaled[6], pq = 0.0, next = 0.0;
        for (int i = 0; i < 6; i++) {
            q[i] = (2.5 + x[n - 7 + i]) * p[i];
            if (i > 0) q[i] -= p[i - 1];
            if (i < 5) q[i] -= p[i + 1];
        }
        for (int i = 0; i < 6; i++) pq += p[i] * q[i];
        for (int i = 0; i < 6; i++) {
            u[i] += squares / pq * p[i];
            r[i] -= squares / pq * q[i];
        }
        for (int i = 0; i < 6; i++) scaled[i] = r[i];
        for (int i = 0; i < 6; i++) scaled[i] = scaled[i] * scaled[i];
        for (int i = 0; i < 6; i++) next += scaled[i];
        for (int i = 0; i < 6; i++) p[i] = r[i] + next / squares * p[i];
        squares = next;
    }
    for (int i = 0; i < 6; i++) s += u[i] * x[i];
    return s;
}

void tables(int *ia) {
    ia[0] = 0;
}
