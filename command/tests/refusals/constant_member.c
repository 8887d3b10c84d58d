struct law {
    const double rate;
    double power;
};

double f(const struct law *x) {
    return x->rate * x->power;
}
