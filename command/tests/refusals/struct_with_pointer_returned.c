struct view { const double *data; int n; };
static struct view window(const double *x, int n) {
    struct view view;
    view.data = x + 1;
    view.n = n - 1;
    return view;
}
double f(const double *x, int n) {
    struct view view = window(x, n);
    return view.data[0] * view.data[view.n - 1];
}
