double adtape_pop_number(void);
double f(double x) {
    return x * adtape_pop_number();
}
