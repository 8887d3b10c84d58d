struct point { double x, y, z; };
double f(const struct point *p) {
    const double *c = &p->x;
    return c[0] * c[1] * c[2];
}
