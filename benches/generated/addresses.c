/* Cheaper adjoints, Fig. 8(a) wrapped by Fig. 10: a loop that computes the indices of what it multiplies. */
double addresses(int steps, const double *p, double *a) {
    double sum = 0.0;
    for (int o = 0; o < steps; o++) {
        int i = o, j = o, l = 0;
        while (l < 10) {
            int k = i - j;
            int m = k + 3 + l;
            i = k + 2 * l;
            a[i] = a[j] * p[k] * a[m];
            sum += a[i];
            j = j + m + 4;
            i = i + j + 1;
            a[j] = a[i] * p[k] * a[m];
            sum += a[j];
            l++;
        }
    }
    return sum;
}
