union number { double real; int whole; };
double f(double x) {
    union number u;
    u.real = x * x;
    return u.real;
}
