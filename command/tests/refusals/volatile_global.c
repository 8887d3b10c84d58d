volatile double level;
volatile int count;
double f(double x) {
    count += 1;
    return level * x;
}
