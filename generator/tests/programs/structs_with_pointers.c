#include <math.h>
#include <string.h>
double f(int n, double *x, int *ia, double *w);
struct vector {
  double *at;
  const double *fixed;
  int n;
  double scale;
};
static double norm(const struct vector *v) {
  double s = 0.0;
  for (int i = 0; i < v->n; i++) s += v->at[i] * v->at[i] * v->scale * v->fixed[i];
  return s;
}
static double twice(int n, double *x, double *w) {
  double t[8];
  for (int i = 0; i < 8; i++) t[i] = sin(x[i]);
  struct vector inner = {t, w, 8, x[2]};
  struct vector copy = inner;
  return norm(&inner) * norm(&copy) + (double)n;
}
/* Two blocks of memory may lie in another order in the reverse sweep. */
static double moved(double *x) {
  double a[7], b[7];
  for (int i = 0; i < 7; i++) { a[i] = x[i]; b[i] = cos(x[i + 1]); }
  double s = a[1] * a[2] * b[3];
  memmove(a, b, 3 * sizeof *a);
  return s * a[1] + a[5];
}
struct pair { double first, second[3]; };
/* Members that became variables: the declaration's own text does not set them. */
static double pairs(int n, const double *x) {
  struct pair p = {x[1], {x[2], x[3], 0.5}};
  for (int i = 0; i < n; i++) p.second[2] += 0.3 * x[i];
  struct pair q = {1.5, {x[n]}};
  return p.first * p.second[2] * tanh(q.second[0]);
}
double f(int n, double *x, int *ia, double *w) {
  for (int i = 0; i < 64; i++) w[i] = 0.5 + 0.01 * ia[i];
  struct vector v = {x, w, n, 0.25};
  double s = norm(&v);
  s *= moved(x);
  if (n > 3) {
    double part[3] = {x[1] * x[1], x[2], s};
    struct vector u = {part, w + 2, 3, x[0]};
    s += norm(&u);
  }
  int x_d = 3;
  for (int x_b = 0; x_b < x_d; x_b++) s += x[x_b] * 0.5;
  s += twice(n, x, w);
  s += pairs(n, x);
  return 1e-3 * s;
}
