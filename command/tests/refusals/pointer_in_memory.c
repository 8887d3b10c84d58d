struct view { const double *data; int n; };
static void attach(struct view *view, const double *x, int n) { view->data = x; view->n = n; }
double f(struct view *view, const double *x, int n) {
    attach(view, x, n);
    return view->data[0] * view->data[view->n - 1];
}
