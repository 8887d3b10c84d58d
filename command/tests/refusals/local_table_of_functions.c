static double twice(double a) { return 2 * a; }
static double square(double a) { return a * a; }

double f(int i, double x) {
    double (*const table[2])(double) = {twice, square};
    return table[i % 2](x);
}
