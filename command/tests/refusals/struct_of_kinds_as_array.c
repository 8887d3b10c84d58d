struct point {
    double x, y;
    int kind;
};
double f(struct point *p) {
    const double *all = (const double *)p;
    return all[0] * all[1];
}
