double f(_Atomic double *x) {
    return *x * 2.0;
}
