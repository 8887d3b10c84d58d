/* Statements whose text the forward sweep copies, and some whose text means something else elsewhere. */
#include <math.h>
#include <stdio.h>
#define A 2.0
#define SQ(v) ((v) * (v))
#define SWAP(t, a, b) do { t swap = (a); (a) = (b); (b) = swap; } while (0)
#define LOOP(i, n) for (int i = 0; i < (n); i++)
struct pt { double x, y; };
static double f_macro(int n, double *x, int *k) {
    double s = A * x[0];   /* A is redefined below */
    // line comment
    // of two lines
    LOOP(i, n) { s += SQ(x[i]); }
    SWAP(double, x[0], x[1]);
    if (n > 2) SWAP(double, s, x[2]);
    return s;
}
#undef A
#define A 3.0
static double f_block(int n, double *x, int *k) {
    double s = 0, t = 1;
    for (int i = 0; i < n; i++) {
        { double t = x[i] * x[i]; s += t; x[i] = t / (1 + s * s); }
        t = t * 0.75;
        { double u = x[i] + t; s += u; }
        { int u = (int)x[i]; s += u * x[i]; }
    }
    {
        /* in a block
         * of its own */
        int j = 0, m;
        while (j < n) { m = j * 2 % n; s += x[m]; j++; }
        x[0] = s * 1e-3;
    }
    for (int i = n; i > 0; --i) { s += x[i - 1] * A; if (s > 1e9) s = 0; }
    int i;
    for (i = 0; i < n; i++) if (x[i] < 0.1) break;
    for (i = i + 1; i < n; i++) s += x[i] * x[i];
    return s + i + t;
}
static double f_sizeof(int n, double *x, int *k) {
    double unused[4];
    int count = (int)(sizeof unused / sizeof unused[0]);
    const int three = 3;
    double dead = x[0];
    dead = dead * 2;
    double s = 0;
    for (int i = 0; i < count && i < n; i++) { s += x[i] * three; (void)dead; }
    struct pt p = { s, 1.0 }, *q = &p;
    q->x *= x[1];
    if (q->x > 1) { q->y = x[2]; } else { q->y = -x[2]; }
    if (s < -1e9) printf("%g\n", s); /* never shown */
    return p.x * q->y;
}
static double f_goto(int n, double *x, int *k) {
    int i = 0; double s = 0;
again:;
    double v = x[i];
    s += v * v; /* twice */
    if (++i < n) goto again;
    switch (k[0]) { case 1: s *= 2; /* fall */ default: s += 1; }
    do { double w = s; s = w * 0.5; } while (s > 10);
    return s;
}
static double f_updates(int n, double *x, int *k) {
    double s = 0, *p = x; int c = 0;
    while (p < x + n) { s += *p++; c++; }
    k[0]++; k[1] += 2; k[2]--; *k += 1;
    for (int i = 0, j = n - 1; i < j; i++, j--) { double t = x[i]; x[i] = x[j]; x[j] = t; }
    x[c - 1] *= s, s -= x[0];
    s = s > 0 ? s : -s;
    for (double h = 1; h > 0.1; h *= 0.5) s += h * x[0];
    return s;
}

double f(int n, double *x, int *ia, double *w);
double f(int n, double *x, int *ia, double *w) {
    double s = f_macro(n, x, ia);
    (void)w;
    s += f_block(4, x, ia) * 1e-3;
    s += f_sizeof(n, x, ia) * 1e-3;
    s += f_goto(4, x, ia) * 1e-3;
    return s + f_updates(3, x, ia);
}
