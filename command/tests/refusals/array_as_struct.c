struct point { double x, y; };
double f(const double *coordinates) {
    const struct point *p = (const struct point *)coordinates;
    return p->x * p->y;
}
