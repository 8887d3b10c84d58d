static int terms = 3;
void set_terms(int n) { terms = n; }
double f(const double *x) {
    static int first = 1;
    static double table[4];
    if (first) {
        first = 0;
        for (int i = 0; i < 4; i++) table[i] = 1.0 / (i + terms);
    }
    return x[0] * table[2];
}
