/* Programs whose sweeps had warnings: unused variables, mixed operators, signs. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define MIX(a, b) ((((a) ^ (b)) & 7) == 3)

double f_again(int n, double *x, int *k) { int i = 0; double s = 0; again: s += x[i] * x[i]; i++; if (i < n) goto again; return s; }
double f_again2(int n, double *x, int *k) { int i = 0; double s = 0; again: x[i] = x[i] * x[i]; i++; if (i < n && x[i] > 0.5) goto again; k[0] = i; return s + x[1]; }
double f_do(int n, double *x, int *k) { int i = 0; double s = 1; do { if (k[i] == 3) continue; if (k[i] == 7) break; s *= x[i]; x[i] += s; } while (++i < n && k[i - 1] != 5); return s; }
double f_skip(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { if (x[i] > 1.0) { if (k[i] & 1) continue; s += sin(x[i]); } for (int j = i; j < n; j++) { if (x[j] < 0.2) break; if (k[j] == 3) goto next; s += x[j] * x[i]; } next: ; } return s; }
double f_bits(int n, double *x, int *k) { int m = 0; double s = 0; for (int i = 0; i < n; i++) { m = (m + i & 3) ^ (k[i] == 2); m = m | k[i] << 1 | (i & k[i] ^ 3); if (MIX(m, i)) s += x[i] * x[m & 3]; else x[i & 3] *= s + 1.0; } k[1] = m; return s; }
double f_unsigned(unsigned n, double *x, int *k) { double s = 0; unsigned u = 2; for (unsigned i = n; i-- > 0;) { u = u * 1664525u + 1013904223u; s += x[u % n] * x[i]; u -= (unsigned)k[i % 4]; } uint8_t c = (uint8_t)u; short h = (short)(c + 3); for (uint8_t b = 0; b < 200; b += 7) { c = (uint8_t)(c + b); s += x[(size_t)(c % n)] * 0.5; h++; } return s * h; }
double f_carry(int n, double *x, int *k) { double q = 1.0, p = 0.5, s = 0; int end = 0; for (int i = 0; i < n; i++) { q = q * 0.5 + 1.0; p = p + q; end = end + 2; s += x[i]; } return s; }
double f_unused(int n, double *x, int *k) { double q = x[0], w = x[1]; for (int i = 0; i < n; i++) { q = q * x[i]; w = w + q; } return x[2] * x[3]; }
double f_switch(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { switch (k[i]) { case 0: s += x[i]; break; case 1: case 2: s *= x[i]; if (x[i] > 1) break; s += 10; break; case 4: s -= 3; return s; default: s -= x[i] * x[i]; } if (s > 100) break; } return s; }
double f_self(int n, double *x, int *k) { double a = x[0], b; b = a; a = a; for (int i = 0; i < n; i++) { x[i] = x[i]; b = b * a; a = b; b = a; } if (n > 3) { a = b; } else { b = a; } return a * b; }
double f_swap(int n, double *x, int *k) { double a = x[0], b = x[1]; for (int i = 0; i < n; i++) { double t = a; a = b; b = t * x[i]; } return a - b; }
double f_size(size_t n, double *x, int *k) { double s = 0; size_t lo = 0, hi = n; while (lo < hi) { size_t mid = lo + (hi - lo) / 2; s += x[mid]; if (x[mid] < 1.0) lo = mid + 1; else hi = mid; } ptrdiff_t d = (ptrdiff_t)lo - 3; return s * x[lo % n] + (double)d; }
double f_step(int n, double *x, int *k) { double s = 0; int p = n * 3; for (int i = 0; i < n; i += 3) { s += x[i] * x[p % n]; p -= k[0]; } for (int64_t j = n - 1; j >= 0; j -= 2) s *= x[j]; return s; }
double f_marchp(int n, double *x, int *k) { double *p = x, *q = x + n; double s = 0; while (p < q) { s += *p * *p; p += 2; } for (const double *r = x + n - 1; r >= x + 1; --r) s *= *r; return s; }
float f_float(int n, float *x, int *k) { float s = 0.f; for (int i = 0; i < n; i++) { s += x[i] * x[i] / 3; x[i] = sinf(x[i]) * 2; if (x[i] > 1) s *= (float)0.5; } return s + (float)sqrt(x[0]); }
double f_while(int n, double *x, int *k) { int i = 0; double v = x[0]; while (v * v > 1e-3 && i++ < n) { v = v * 0.7 + 0.01 * x[i % 3]; if (v < 0) return v; } return v * i; }
static int solve(int n, const double *a, double *out) { double r = 1; for (int i = 0; i < n; i++) { if (a[i] == 0) return -1; r /= a[i]; } *out = r; return 0; }
double f_status(int n, double *x, int *k) { double r = 0; if (solve(n, x, &r) != 0) return -1; int code = solve(2, x + 1, &x[0]); if (code) k[0] = code; return r * x[0]; }
double f_logic(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { int a = (x[i] > 1) == (k[i] > 3), b = !(k[i] & 1) != (i == 2); if (a && b || k[i] == 2) s += x[i]; if ((a ^ b) | (k[i] < 3)) s *= x[i]; } return s; }
double f_index(int n, double *x, int *k) { double s = 0; int base = 1; for (int i = 0; i < n; i++) { for (int j = 0; j < 3; j++) { s += x[base] * x[i]; base += 2; } base -= 5; x[i] = s; } return s; }
double f_ternary(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { s += (k[i] > 3 ? x[i] : x[0]) * (x[i] < s ? 2.0 : s); int m = k[i] > 2 ? i : n - 1; s -= x[m]; } return s; }
/* A macro that the library's headers use as a name. */
#define factor ((double)2.5)
#define size_of_it 3
double f_macro(int n, double *x, int *ia, double *w);
double f_macro(int n, double *x, int *ia, double *w) { (void)ia; (void)w; return n > size_of_it ? factor * x[0] * x[1] : x[0]; }
/* Copies for each pattern of active arguments, and none left that fits no call. */
static void unit(double *v) { double r = sqrt(v[0] * v[0] + v[1] * v[1]); v[0] /= r; v[1] /= r; }
static double nearest(const double *a, const double *by, double *normal) { double d = a[0] * a[0] + by[0] * by[1]; if (normal) { normal[0] = a[0]; normal[1] = d; unit(normal); } return d; }
double f_patterns(int n, double *x, int *k) { double v[2], w[2] = {n, 0.5}; if (nearest(x, w, NULL) < n) return 2.0; double d = nearest(w, x + 2, v); unit(x); return d + v[0] * v[1] + (k[0] ? 1 : 0); }
/* Variables whose statements have no effect. */
double f_gone(int n, double *x, int *k) {
    double year, day, jd, tu, gmst, theta;
    /* A comment. */
    day = modf(x[0] * 3.0, &year);
    jd = year + day;
    tu = jd / 36525.0;
    gmst = 2.0 + tu * x[1];
    gmst = fmod(gmst + n, 2.0);
    theta = 3.0 * gmst;
    x[0] = jd * day;
    theta = x[1] * x[0];
    return theta + k[0];
}
/* Rows that a callee takes whole, and static variables of which a sweep needs one. */
static void scaled(double a[2][3]) { for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] *= a[0][j]; }
double f_rows(int n, double *x, int *k) { static double low = 0.5, high = 2.0, top = 3.0; double a[2][3]; for (int i = 0; i < 6; i++) a[i / 3][i % 3] = x[i % n] * x[i % n] * low; scaled(a); return k[0] > 1 ? high + a[1][2] : a[1][1] * x[0] + top; }
/* A sign that only other signs and selections read has no adjoint. */
double f_sign(int n, double *x, int *k) { double e = copysign(1, x[0]), m = x[1] < 0 ? e * 0.5 : 2.0; (void)k; return n * fabs(x[2]) * copysign(x[1], e * m); }
double f_unset(int n, double *x, int *k) { double r; if (x[0] <= 4.0) { r = x[1] / x[0]; } else { if (x[0] > 100.0) return 0.0; r = x[1] * k[0]; } if (n > 2) { if (x[0] < 0.0) r = exp(x[0] * x[0]) * 2.0 - r * r; } else { r = (0.5 - x[2]) * exp(-x[2]) * r; if (x[0] < 0.0) r = 2.0 - r * r; } return r; }
static double unconst(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += sin(a[i]) * a[i]; return s * s; }
double f_unconst(int n, const double *x, const int *k) { const double *y = x + 1; return unconst((double *)x, n) + unconst((double *)(y + k[0]), 2); }

static int is_far(double x) {
    return fabs(x) > 1.0;
}

double f_not(int n, double *x, int *k) {
    double sum = 0.0;
    (void)k;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.5 && !is_far(x[i])) sum += x[i] * x[i];
        int near = i > 1 && !is_far(sum);
        if ((!near) == (i % 2)) sum *= x[i];
    }
    return sum;
}
/* An unsigned index goes on where a loop left it. */
double f_goes_on(unsigned n, double *x, int *k) { double s = 0.0; for (size_t i = 0; i < n; i++) { size_t j; double sum = 0.0; for (j = 0; j <= i; ++j) sum += x[j] * x[i]; for (; j < n; ++j) sum += x[j] * x[0]; s += sum * x[i] + k[0]; } return s; }
/* A tangent that stays as it is, and a pointer to pointers of which the reverse sweep needs the first one only. */
double f_passive(int n, double *x, int *k) { double t = x[2], *p = &t; *p = x[0] * x[1]; float by = (float)n; t -= by; t += k[0]; return t; }
double f_pointers(int n, double *x, int *k) { double *lo = x, *hi = x + n - 1, **at = &lo, s = k[0]; while (lo < hi) { s += *lo * *hi; (*at)++; if (at == &hi) { --hi; at = &lo; } } return s; }
/* Pointers to constants, in an array and in a member. */
static void scaled_by(int n, double const *const *in, const double **by, double *const *out) { for (int i = 0; i < n; i++) out[0][i] = in[0][i] * by[1][i]; }
double f_to_constants(int n, double *x, int *k) { const double *in[1], *by[2]; double y[4], *out[1]; in[0] = x; by[0] = by[1] = x + 1; out[0] = y; scaled_by(n > 3 ? 3 : n, in, by, out); return y[1] * y[2] + k[0]; }
struct part { int n; const double *row; };
struct whole { int n; const struct part part[3]; const double by[2]; };
double f_constant_member(int n, double *x, int *k, const struct whole *m) { const struct part *p = &m->part[2]; double s = 0; for (int i = 0; i < p->n; i++) s += p->row[i] * x[0] * x[1] * m->by[1]; return s * n + k[0]; }
/* Rows that are taken for their numbers. */
double f_numbers(int n, double *x, int *k) { double a[2][3][4], s = 0, *p = &a[0][2][3], *e = (double *)a + 23; for (int i = 0; i < 24; i++) a[i / 12][i / 4 % 3][i % 4] = x[i % n] * k[0]; for (; p < e; p++) s += p[0] * p[1]; return s; }
