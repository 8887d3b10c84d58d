void configure(const char *what);
static int squared = 1;
void choose(int square) { squared = square; }
double f(double x, int n) {
    double y = x;
    for (int i = 0; i < n; i++) {
        if (squared) y = y * y * x;
        configure("in a pass");
    }
    return y;
}
