double f(double x, int n) {
    if (n > 0) {
        n--;
    first:
        x *= x;
        if (n == 2) goto second;
    } else {
        n++;
    second:
        x += 1.0;
        if (n == -2) goto first;
    }
    return x;
}
