struct view { const double *data; int n; };
double f(struct view *views, const double *x, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) views[i].data = x + i;
    for (int i = 0; i < n; i++) s += views[i].data[0] * views[n - 1 - i].data[0];
    return s;
}
