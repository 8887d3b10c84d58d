#include <math.h>
#include <stdio.h>
#include <stddef.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
double f(int n, double *x, int *ia, double *w);
static double table[4] = { 1.0, 0.5, 0.25, 0.125 };
static double state;
static const unsigned short order[3] = { 2, 0, 1 };
static int pick(unsigned k) { switch (k % 3) { case 0: return 1; case 1: k += 2; break; default: return 0; } return (int)k & 1; }
double f(int n, double *x, int *ia, double *w) {
  unsigned i = (unsigned)n; double q = 1.5; double s = 0, *p = x; size_t m = 0; (void)w;
  state = x[0];
  while (i--) {
    s += MAX(x[i], 0.9) * table[i % 4] * *p++;
    if (pick(i)) state = state * 0.5 + s; else { q = q * x[i]; m++; }
    if (ia[i] < 0) { fprintf(stderr, "bad\n"); return NAN; }
  }
  do { s = s + sqrt(x[m]) * x[order[m % 3]]; m++; } while (m < 12 && s < 1e6);
  { char c = (char)(n & 7); unsigned char b = (unsigned char)(c << 5); s += b * 1e-3; s *= fmin(x[1], x[2]) + fabs(x[3] - 1.0); }
  for (int a = 0; a < 3; a++) { int t = a; double z = x[t]; s += z * z; }
  for (int a = 3; a > 0; a--) { double t = x[a]; s += t * t * t; }
  return s + state + (double)q * q;
}
