struct flags { unsigned int small : 3; double value; };
double f(const struct flags *flags, double x) {
    return flags->small * x;
}
