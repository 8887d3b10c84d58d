double f(const double *x) {
    const int *words = (const int *)x;
    return x[0] * words[1];
}
