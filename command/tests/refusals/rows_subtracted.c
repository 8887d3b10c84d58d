double f(int n, int m, double *x) {
    double(*a)[m] = (double(*)[m])x, (*end)[m] = a + n, sum = 0.0;
    while (end - a > 0) sum += (*a++)[0] * x[0];
    return sum;
}
