#include <stdlib.h>
#include <math.h>
double f(int n, double *x, int *ia, double *w);
static void mul(int n, int m, double a[n][m], double b[m], double c[n]) { for (int i = 0; i < n; i++) { c[i] = 0; for (int j = 0; j < m; j++) c[i] += a[i][j] * b[j]; } }
double f(int n, double *x, int *ia, double *w) {
  double a[n][4], c[n], fix[2][3]; double s = 0; (void)ia; (void)w;
  for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) a[i][j] = x[i] * (j + 1) + x[j];
  mul(n, 4, a, x, c);
  for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) fix[i][j] = sin(c[i] * x[j]);
  double *h = malloc((size_t)n * sizeof *h);
  if (!h) return -1;
  for (int i = 0; i < n; i++) { h[i] = c[i] * c[i]; if (i > 0) h[i] += h[i - 1]; }
  for (int k = 0; k < 3; k++) { double tmp[3] = { 1.0, 2.0 }; tmp[k % 3] = h[k]; for (int i = 0; i < 3; i++) s += tmp[i] * fix[k % 2][i] * tmp[i]; }
  s += h[n - 1];
  free(h);
  return s * 1e-3;
}
/* Two arrays of one extent that a loop changes, and others of that extent when the first have ended. */
double f_triangle(int n, double *x, int *ia, double *w);
double f_triangle(int n, double *x, int *ia, double *w) {
  double s = 0; (void)ia; (void)w;
  for (int k = 0; k < n; k++) {
    double a[k + 1], b[k + 1];
    for (int i = 0; i <= k; i++) { a[i] = x[i] * x[i]; b[i] = 3 * x[i]; }
    for (int i = 0; i <= k; i++) s += a[i] * b[k - i];
    if (k > 1) { double c[k + 1]; for (int i = 0; i <= k; i++) c[i] = b[i] * x[0]; b[0] = c[k] * c[1]; }
    s += a[0] * b[0];
  }
  for (int k = 1; k < n; k++) { double a[k + 1]; for (int i = 0; i <= k; i++) a[i] = x[i] * s; s += a[k] * a[0]; }
  return s;
}
/* Rows below the diagonal of an array whose extents are values. */
double f_below_the_diagonal(int n, double *x, int *ia, double *w);
double f_below_the_diagonal(int n, double *x, int *ia, double *w) {
  double a[n + 1][n + 1], s = 0; (void)ia; (void)w;
  for (int i = 1; i <= n; i++) {
    a[i][i] = x[i] * x[i - 1];
    for (int j = 1; j <= i - 1; j++) a[i][j] = a[i - 1][j] + a[i][i] * a[i - 1][i - j];
  }
  for (int i = 1; i <= n; i++) s += a[n][i] * i;
  return s;
}
