struct law { double (*apply)(double); double scale; };
double f(const struct law *law, double x) {
    return law->scale * law->apply(x);
}
