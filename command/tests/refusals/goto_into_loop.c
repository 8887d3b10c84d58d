double f(double x, int n) {
    int i = 0;
    double s = x;
    if (n > 3) goto inside;
    while (i < n) {
        s = s * x;
inside:
        i++;
    }
    return s;
}
