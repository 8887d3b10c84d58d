typedef const struct {
    double rate, power;
} *law;

double f(law x) {
    return x->rate * x->power;
}
