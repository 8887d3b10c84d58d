double f(int n, double *x) {
    double stack[8], *top = stack, sum = 0.0;
    for (int i = 0; i < n; i++) {
        *top++ = x[i] * x[i];
    }
    long count = top - stack;
    double scaled[count];
    for (int i = 0; i < count; i++) {
        scaled[i] = stack[i] * x[0];
    }
    while (top > stack) {
        top--;
        sum += *top * scaled[top - stack];
        *top = sum;
        scaled[0] *= sum;
    }
    return sum;
}
