volatile int stop;
double f(double x) {
    static int calls;
    calls++;
    stop = calls > 3;
    return stop ? x : x * x;
}
