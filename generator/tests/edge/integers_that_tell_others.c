/* Integers of a pass of which one tells the others: each pass stores one, or none, whichever is asked for first. */
double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

#define STEP(v) t[(v) & 63] *= 1.0 + 0.02 * t[((v) + 5) & 63];

/* With the arm known that ran, the counter in front of the branch is known. */
static double counted(int n, const double *t, const double *w) {
    int c = 0;
    double s = 0.4;
    for (int k = 0; k < n; k++) {
        s = s * 0.7 + t[c % 12];
        c++;
        if (s + w[k] > 0.9) {
            s = 0.5 * s + 0.1 * t[c % 12];
            c += 2;
        } else c--;
    }
    return s;
}

/* The index tells where the pointer points, and what the index becomes. */
static void pointed(int n, double *t) {
    int b = 0;
    for (int i = 0; i < n; i++) {
        double *p = t + b;
        b = (b * b + 3) % 11;
        *p = *p * (1.0 + 0.02 * t[b + 20]);
    }
}

/* The second quotient tells the first one. */
static void quotients(int n, double *t, int m) {
    int i;
    for (int l = 0; l < n; l++) {
        i = (-m - 2) / 2;
        m = (m * m + l) / 3 % 1000;
        STEP(i)
        STEP(m)
    }
}

/* The sum of i and j is known. */
static void partners(int n, double *t, int i, int j) {
    for (int l = 0; l < n; l++) {
        i = (i - j) / 2;
        j = l - i;
        STEP(i)
        i = j + i;
        STEP(j)
    }
}

/* Of two variables that a pass leaves one leads back to its beginning. */
static void led_back(int n, double *t, int j, int k) {
    for (int l = 0; l < n; l++) {
        j = (j + l) / 2;
        j = k + l;
        STEP(j)
        k = j - 2;
    }
}

double f(int n, double *x, int *ia, double *w) {
    double t[100], c = 0.0;
    for (int i = 0; i < 100; i++) t[i] = 0.2 + 0.1 * x[i];
    c += counted(n, t, w);
    pointed(n, t);
    quotients(n, t, n + 7);
    partners(n, t, n + 3, ia[1]);
    led_back(n, t, 1, n);
    for (int i = 0; i < 100; i++) c += 0.1 * t[i];
    return c;
}

void tables(int *ia) {
    for (int k = 0; k < 40; k++) ia[k] = k;
}
