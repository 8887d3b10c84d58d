static double kept;
void report(const char *text);
double f(double x) {
    kept = x * x;
    if (x < 0.0) report("negative");
    return kept * kept;
}
