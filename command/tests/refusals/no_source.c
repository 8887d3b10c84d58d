double elsewhere(double x);
double f(double x) {
    return elsewhere(x) + x;
}
