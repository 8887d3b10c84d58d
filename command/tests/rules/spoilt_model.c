/* Calls all rules of spoilt.h. */
#include "spoilt.h"
double f(int n, double *x, double *y) {
    double u[8] = {0}, v[8] = {0}, w[8], z[8], sum = 0.0;
    int info;
    for (int i = 0; i < 4; i++) u[i] = 0.1 * x[i], w[i] = 0.2 + u[i], z[i] = 0.3 * y[i];
    writes_more(4, u, v);
    sum += v[1];
    reads_more(4, u, v);
    sum += v[2];
    writes_less(4, u, v);
    sum += v[0];
    needs_more(4, u, v);
    sum += v[1];
    needs_before(4, w);
    sum += w[2];
    sets(4, u, v);
    sum += v[2];
    clears_nothing(4, u, v);
    sum += v[3];
    doubles(4, u, v);
    sum += v[0];
    triples(4, u, v);
    sum += v[0];
    clears_more(4, u, v);
    sum += v[1];
    sum += wants_all(4, u, z) + needs_for_both(4, u, z);
    counts(4, u, v);
    sum += v[2];
    takes_two(4, w, w);
    sum += w[1];
    fails(4, u, &info);
    return sum + u[2] + n;
}
