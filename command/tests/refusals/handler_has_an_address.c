static double table[3] = {1.0, 2.0, 3.0};
const double *shared = table;
void configure(const char *what);
static double scaled(double x, int i) {
    configure("in a callee");
    return x * x * table[i];
}
double f(double x) {
    double y = table[1] * x * x;
    return y * scaled(x, 2);
}
