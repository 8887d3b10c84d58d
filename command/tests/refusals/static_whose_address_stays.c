static int *kept;

static void keep(int *p) { kept = p; }

static double scaled(double x, int k) {
    static int n;
    int m = 1;
    if (k > 0) m = *kept;
    n = k + 2;
    keep(&n);
    return x * m;
}

double f(double x) {
    double a = scaled(x, 0);
    double b = scaled(x, 1);
    return a * b;
}
