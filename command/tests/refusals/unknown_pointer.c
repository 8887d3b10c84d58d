double *elsewhere(void);
double f(double x) {
    double *p = elsewhere();
    return p[0] * x;
}
