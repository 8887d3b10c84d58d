double f(double x, int n) {
    double s = x;
    if (n > 3) goto inside;
    for (int i = 0; i < n; i++) {
        s = s * x;
inside:
        s += 1.0;
    }
    return s;
}
