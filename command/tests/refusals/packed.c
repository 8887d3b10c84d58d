struct __attribute__((packed)) record {
    char kind;
    double value;
};

double f(int bytes, const double *x) {
    int n = bytes / (int)sizeof(struct record);
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return s;
}
