double f(double x) {
    double y = x;
    __asm__("" : "+x"(y));
    return y * y;
}
