typedef union {
    double all[3];
    struct {
        double x, y;
    } low;
} point;

double f(double x) {
    point p = {{x, x, x}};
    return p.low.x * p.all[2];
}
