/* The index begins with a choice. The number of passes is said in front of the loop, where another variable has the
 * same name. */
double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    double s = x[1];
    int i = 9;
    (void)w;
#pragma adjoint checkpoint snapshots=2
    for (int i = ia[0] > 0 ? ia[0] : 0; i < n; i++) {
        s = 0.5 * s * x[i] + 0.3;
    }
    return s * x[i];
}

void tables(int *ia) {
    ia[0] = 3;
}
