#include <math.h>
double f(int n, double *x, int *ia, double *w);
static double rec(const double *x, int lo, int hi) { if (hi - lo == 1) return x[lo] * x[lo]; int mid = (lo + hi) / 2; double l = rec(x, lo, mid), r = rec(x, mid, hi); return l * r + l; }
static void swap(double *a, double *b) { double t = *a; *a = *b; *b = t; }
static void rotate(double *v, double c) { double y0 = v[0], j0 = v[1]; v[0] = c * y0 - sqrt(1 - c * c) * j0; v[1] = sqrt(1 - c * c) * y0 + c * j0; }
double f(int n, double *x, int *ia, double *w) {
  double a = x[0], b = x[1], cos_ = x[2], s; int cos = 2; (void)ia; (void)w;
  swap(&a, &b);
  swap(x + 3, x + 4);
  rotate(x + 5, cos_ * 0.3);
  s = a * b * rec(x, 0, n / 2) + sin(x[6]) * cos;
  for (int i = 0, j = n - 1; i < j; i++, j--) { double t = x[i]; x[i] = x[j]; x[j] = t * x[i]; s += x[j]; }
  for (int i = 2; i < n; i += 3) { if (x[i] > 1.2) goto out; x[i] *= x[i - 1]; s += tanh(x[i]) * pow(x[i - 1], 2.0); }
out:
  return s / (1.0 + exp(-x[7]));
}
