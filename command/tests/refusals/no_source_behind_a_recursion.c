double elsewhere(double x);
static double once(double x) { return 3.0 * x * elsewhere(x); }
double f(double x) {
    if (x < 0.0) return f(-x);
    return once(x) * x;
}
