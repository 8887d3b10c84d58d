/* Conditions on memory and on integers that nothing else needs: a bit where that is less than what they read. */
double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

/* The pass that tests an element overwrites it. */
static double tested_here(int n, const double *x, double *m) {
    double c = 0.0;
    for (int i = 0; i < n; i++) {
        if (m[i] > 1.0) c += x[i] * x[i]; else c += 3.0 * x[i];
        m[i] = 0.5 * m[i] + 0.25 * m[i + 1];
    }
    return c;
}

/* Another loop with as many passes does. */
static double tested_before(int n, const double *x, double *m) {
    double c = 0.0;
    for (int step = 0; step < 3; step++) {
        for (int i = 1; i < n; i++)
            if (m[i] > 0.6) c += x[i] * x[i - 1];
        for (int i = 0; i < n - 1; i++) m[i + 1] = 1.5 - m[i];
    }
    return c;
}

/* An integer that a pass changes for good. */
static double of_an_integer(int n, const double *x) {
    double c = 0.0;
    int k = 1;
    for (int i = 0; i < n; i++) {
        k = (k * k + 3) % 5;
        if (k > 2) c += x[i] * x[i];
    }
    return c;
}

/* The partial derivative reads the integer, too: it is stored, and the condition comes from it. */
static double of_an_index(int n, const double *x) {
    double c = 0.0;
    int k = 1;
    for (int i = 0; i < n; i++) {
        k = (k * k + 3) % 7;
        if (k > 2) c += x[k] * x[i];
    }
    return c;
}

/* An inner loop tests what the outer one changes: one integer and one number are less than bits. */
static double tested_often(int n, const double *x, double *m) {
    double c = 0.0;
    int k = 1;
    for (int i = 0; i < n; i++) {
        k = (k * k + 3) % 5;
        for (int j = 0; j < 20; j++)
            if (k > 2 && m[0] > 0.4) c += x[i] * x[j];
        m[0] = 0.3 + 0.5 * m[0] * m[0];
    }
    return c;
}

/* A short loop overwrites what a long one tests. */
static double tested_longer(int n, const double *x, double *m) {
    double c = 0.0;
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < n; i++)
            if (m[i % 4] > 0.7) c += x[i] * x[i];
        for (int k = 0; k < 4 + step; k++) m[k] = 1.4 - 0.9 * m[k];
    }
    return c;
}

double f(int n, double *x, int *ia, double *w) {
    double m[100], c = 0.0;
    (void)ia;
    for (int i = 0; i < 100; i++) m[i] = 0.8 + 0.03 * (i * 7 % 20) + w[i];
    c += tested_here(n, x, m);
    c += tested_before(n, x, m);
    c += of_an_integer(n, x);
    c += of_an_index(n, x);
    c += tested_longer(n, x, m);
    return c + tested_often(n, x, m);
}

void tables(int *ia) {
    ia[0] = 0;
}
