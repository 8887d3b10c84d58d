#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SWAP(t, a, b) do { t swap = (a); (a) = (b); (b) = swap; } while (0)

typedef struct { double x, y; } point;
typedef double vec3[3];
struct box { point low, high; int tag[2]; struct box *next; double *data; };
enum side { LEFT = 3, RIGHT, FAR = -2 };
static const int LIMIT = 5;
double table[4] = {0.5, 1.5, 2.5, 3.5};
static int counter = 2;
static double grid[3][4];
double scale = 1.25;

static double square(double a) { return a * a; }
static inline double twice(double a) { return a + a; }
static void bump(double *p, int by) { *p += by; }
static point make(double a, double b) { point p = {a, b}; return p; }
static point flip(point p) { double t = p.x; p.x = p.y; p.y = t; return p; }
static double sum_row(const double *row, int n) { double s = 0; while (n--) s += *row++; return s; }
static double trace(int n, double a[n][n]) { double s = 0; for (int i = 0; i < n; i++) s += a[i][i]; return s; }
static int find(const double *x, int n, double limit) { for (int i = 0; i < n; i++) if (x[i] > limit) return i; return -1; }
static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
static int status(double v, double *out) { if (v < 0.3) return 1; if (v > 1.7) { *out = 2; return 2; } *out = v; return 0; }
static double *advance(double *p, int n) { return p + n; }

double f_straight(int n, double *x, int *k) { double a = x[0] * x[1]; a = a + x[2] / 3; x[3] = a - n; k[0] = n; return a * a; }
double f_for(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * k[i]; return s; }
double f_down(int n, double *x, int *k) { double s = 0; for (unsigned i = n; i-- > 0;) s = s * 0.5 + x[i]; k[0] += 1; return s; }
double f_while(int n, double *x, int *k) { int i = 0; while (i < n && x[i] < 1.5) { x[i] *= 2; ++i; } k[1] = i; return i; }
double f_while_minus(int n, double *x, int *k) { int m = n; double s = 0; while (--m) s += x[m]; k[2] = m; while (m++ < 3) s += m; k[3] = m; return s; }
double f_do(int n, double *x, int *k) { int i = 0; do { x[i] += i; i += 2; } while (i < n); k[0] = i; return x[0]; }
double f_do_effect(int n, double *x, int *k) { int i = 0; do { if (k[i] == 3) continue; if (k[i] == 7) break; x[i] += 1; } while (++i < n && k[i - 1] != 5); k[15] = i; return i; }
double f_while_call(int n, double *x, int *k) { double v = 0; int i = 0, r; while ((r = status(x[i], &v)) != 2 && i < n) { x[i] = v + r; i++; } k[0] = r; return v; }
double f_break(int n, double *x, int *k) { int i; for (i = 0; i < n; i++) { if (x[i] > 1.2) break; x[i] += 1; } k[0] = i; return x[i]; }
double f_continue(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { if (k[i] & 1) { if (x[i] > 1) continue; s += 1; } s += x[i]; } return s; }
double f_break_nested(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { if (k[j] == i) break; if (x[j] > 1.8) { s += 100; continue; } s += x[j]; } if (s > 9) break; } return s; }
double f_return(int n, double *x, int *k) { for (int i = 0; i < n; i++) { if (x[i] > 1.6) return i; if (k[i] == 4) { x[i] = 0; return -i; } x[i] *= 1.5; } x[0] = -1; return 77; }
double f_return_mid(int n, double *x, int *k) { if (n < 3) return 1; double s = 0; if (k[0] > 4) { s = x[0]; if (k[1] > 4) return s + 1; s += 2; } else if (k[2] > 3) return 5; s += x[1]; return s; }
double f_switch(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) switch (k[i]) { case 0: s += 1; break; case 1: case 2: s += x[i]; if (x[i] > 1) break; s += 10; break; case 4: s -= 3; default: s -= 1; } return s; }
double f_switch_fall(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { switch (k[i] % 6) { case 5: s += 5; case 4: s += 4; if (x[i] > 1.1) break; case 3: s += 3; break; default: s += 100; case 1: s += 1; } if (s > 300) continue; s += .5; } return s; }
double f_switch_return(int n, double *x, int *k) { switch (k[0]) { case 1: return x[0]; case 2: { double t = x[1]; return t * n; } case LEFT: x[2] = 9; break; case RIGHT: return 4; default: return -1; } return x[2]; }
double f_switch_constant(int n, double *x, int *k) { switch (1) { case 0: x[1] = 7; default: break; } switch (2) { case 3: x[2] = 5; case 2: x[3] += 1; case 1: x[0] += 2; break; default: k[1] = 9; } switch (8) { case 8: k[0] += n; } return x[1]; }
double f_goto_forward(int n, double *x, int *k) { double s = 0; if (k[0] > 5) goto end; for (int i = 0; i < n; i++) { s += x[i]; if (s > 3) goto big; } s = -s; goto end; big: s *= 10; end: return s + k[1]; }
double f_goto_back(int n, double *x, int *k) { int i = 0; double s = 0; again: s += x[i]; i++; if (i < n && s < 5) goto again; k[0] = i; return s; }
double f_goto_back_two(int n, double *x, int *k) { int i = 0, j = 0; double s = 0; outer: j = 0; inner: s += x[(i + j) % 8]; if (++j < 3) goto inner; if (k[i] == 2) goto out; if (++i < n) goto outer; s += 1000; out: return s + i; }
double f_goto_mixed(int n, double *x, int *k) { int tries = 0; retry: if (tries > 3) goto fail; double v = x[tries]; tries++; if (v < 1.0) goto retry; for (int i = 0; i < n; i++) { if (k[i] == 8 && tries < 2) goto retry; if (k[i] == 9) goto fail; } return v + tries; fail: return -tries; }
double f_ternary(int n, double *x, int *k) { double m = MAX(x[0], x[1]); int i = k[0] > k[1] ? k[0] : k[1]; double *p = i > 4 ? x : x + 4; *p += m; return m + i + (n ? p[1] : 0); }
double f_ternary_chain(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) s += x[i] < 0.5 ? -1 : x[i] > 1.5 ? x[i] * x[i] : k[i] ? x[i] / k[i] : 0.25; return s; }
double f_logic(int n, double *x, int *k) { int c = 0; for (int i = 0; i < n; i++) { if ((x[i] > 1 && k[i] > 3) || !k[i]) c++; if (k[i] && c++ > 2) x[i] = c; c += k[i] > 2 || (x[i] = 0.5) > 1; } k[0] = c; return c; }
double f_logic_pointer(int n, double *x, int *k) { double *p = n > 4 ? x : NULL; struct box b; b.next = 0; if (p && *p > 1) return 1; if (!p) return 2; if (b.next != NULL && b.next->data) return 3; return p == x; }
double f_chain(int n, double *x, int *k) { double a, b; a = b = x[0] = x[0] + 1; k[0] = k[1] = n; x[1] = x[2] = x[1] * 2; return a + b + x[1]; }
double f_march(int n, double *x, int *k) { double *p = x, *q = x + 8; while (p < x + n) *q++ = *p++ * 2; double s = 0; for (p = x + n; p != x;) s += *--p; k[0] = (int)(q - x); return s; }
double f_comma(int n, double *x, int *k) { int i, j; double s = 0; for (i = 0, j = n - 1; i < j; i++, j--) { double t = x[i]; x[i] = x[j], x[j] = t; s += (k[0]++, t); } return s; }
double f_compound(int n, double *x, int *k) { double *p = x; int i = 0; p[i++] += 2; p[i++] *= 3; *p++ -= 1; *++p /= 2; k[i] <<= 2; k[0] %= 3; k[1] |= 6; k[2] &= 5; k[3] ^= 9; k[4] >>= 1; k[5] += 2.7; k[6] *= 1.5; p += 2; *p = i; return *(p - 1); }
double f_integers(int n, double *x, int *k) { unsigned char c = 250; c += k[0]; short s = 32767; s = (short)(s - k[1]); unsigned u = k[2]; u -= 5; uint64_t w = (uint64_t)u * u; int64_t l = -7 / 2 + -7 % 3; c++; s--; size_t z = sizeof(double) * n; k[0] = c; k[1] = s; k[2] = (int)(u >> 28); k[3] = (int)(w >> 40); k[4] = (int)l; k[5] = (int)z; return (double)u + (double)w + c; }
double f_bool(int n, double *x, int *k) { _Bool b = x[0]; _Bool c = k[0]; b = b && n; c |= 4; _Bool d = 0.5; return b + 2 * c + 4 * d + 8 * !b; }
double f_cast(int n, double *x, int *k) { int i = (int)(x[0] * 10); float g = (float)x[1]; float h = x[2]; k[0] = (int)x[3]; k[1] = (unsigned char)(k[1] + 300); g = g * h + 0.1f; return i + g + (double)(float)x[4] + (long)x[5]; }
double f_float(int n, double *x, int *k) { float s = 0.f, t = 1.f / 3; for (int i = 0; i < n; i++) { s += (float)x[i]; t = sqrtf(t) * s; s -= 0.25; } return s + t; }
double f_bits(int n, double *x, int *k) { unsigned m = 0; for (int i = 0; i < 16; i++) m ^= (unsigned)k[i] << (i & 7); m = ~m & 0xffffu; k[0] = (int)(m | 1); return m % 97; }
double f_enum(int n, double *x, int *k) { enum side s = k[0] > 4 ? RIGHT : LEFT; if (s == RIGHT) s = FAR; k[1] = s; return s + LIMIT; }
double f_math(int n, double *x, int *k) { return sin(x[0]) + exp(-x[1]) * log(x[2] + 1) + sqrt(x[3]) + fabs(x[4] - 1) + pow(x[5], 2.5) + floor(x[6] * 3) + fmax(x[7], x[8]) + (isnan(x[0]) ? 1 : 2) + abs(k[0] - 5); }
double f_local_array(int n, double *x, int *k) { double a[8], b[2][3] = {{1, 2}, {3}}; int m[5] = {[2] = 7, 9}; for (int i = 0; i < 8; i++) a[i] = x[i] * m[i % 5]; return a[3] + b[0][1] + b[1][0] + b[1][2] + m[3] + a[n]; }
double f_zero_array(int n, double *x, int *k) { double a[20] = {1, 2}; double c[3][4] = {{0}}; c[1][2] += n; char text[8] = "ab"; k[0] = text[1]; k[1] = text[5]; return a[1] + a[19] + c[1][2] + c[2][3]; }
double f_matrix(int n, double *x, int *k) { double a[4][4], s = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) a[i][j] = x[i * 4 + j]; for (int i = 0; i < 4; i++) s += sum_row(a[i], i) + *(a[i] + 1) + (*(a + i))[2]; return s + trace(4, a); }
double f_vla(int n, double *x, int *k) { int m = n + 1; double a[n][m], v[m]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = x[i] - j; v[n] = 3; double(*row)[m] = a + 1; return a[n - 1][n] + v[n] + (*row)[2] + row[1][1] + (double)(sizeof(a) / sizeof(a[0])) + (double)sizeof v; }
double f_rows(int n, double *x, int *k) { vec3 *rows = (vec3 *)0; vec3 a[3] = {{1, 2, 3}, {4, 5, 6}}; rows = a; rows++; (*rows)[1] = x[0]; vec3 *last = &a[2]; (*last)[0] = 7; last[0][2] = x[1]; return a[1][1] + sum_row(*rows, 3) + sum_row(&a[2][0], 3) + (double)(last - rows); }
double f_struct(int n, double *x, int *k) { point p = {.y = x[0]}, q; p.x += 2; q = p; q.y *= 3; SWAP(double, p.x, q.y); point *r = &q; r->x = r->y + 1; return p.x * 100 + p.y * 10 + q.x + r->y; }
double f_struct_value(int n, double *x, int *k) { point p = make(x[0], x[1]), q = flip(p); p = flip(flip(make(q.x, n))); point t = k[0] > 4 ? p : q; return p.x + 10 * p.y + 100 * q.x + 1000 * q.y + t.x + make(1, 2).y + flip(q).x; }
double f_box(int n, double *x, int *k) { struct box b = {{1, 2}, {x[0]}, {5}}, c; b.data = x; b.tag[1]++; b.next = &c; c = b; c.low.x = 50; b.next->high = b.low; c.data[3] = b.low.y; (&b)->next->tag[0] = 8; return b.low.x + c.low.x + c.high.y + c.tag[0] + b.tag[1] + *c.data + b.data[3]; }
double f_box_array(int n, double *x, int *k) { struct box b[3]; memset(b, 0, sizeof b); for (int i = 0; i < 3; i++) { struct box *p = &b[i]; p->low.x = x[i]; p->tag[i & 1] = k[i]; p->next = i ? &b[i - 1] : NULL; } double s = 0; for (struct box *p = b + 2; p; p = p->next) s = s * 3 + p->low.x + p->tag[0] - p->tag[1] + p->high.y; return s; }
double f_literal(int n, double *x, int *k) { point p = (point){x[0], 2}; p = flip((point){.x = n}); return p.y + sum_row((double[]){1, x[1], 3}, 3); }
double f_address(int n, double *x, int *k) { double a = x[0]; int i = 3; int *pi = &i; bump(&a, 2); *pi += 1; bump(&x[i], i); { double *pa = &a; *pa *= 2; } bump(x, n); k[0] = *pi; return a + i; }
double f_address_param(int n, double *x, int *k) { int *p = &n; *p += 2; double *q = advance(x, n); *q = 4; return n + x[n]; }
double f_outputs(int n, double *x, int *k) { double v = -1; int bad = 0; for (int i = 0; i < n; i++) { int r = status(x[i], &v); if (r == 1) { bad++; continue; } x[i] = v; if (r) bad += 10; } k[0] = bad; return v; }
double f_globals(int n, double *x, int *k) { counter += n; scale *= x[0]; for (int i = 0; i < 4; i++) table[i] += grid[i % 3][i] + i; grid[2][3] = scale; double r = table[3] * scale + counter; counter = 2; scale = 1.25; for (int i = 0; i < 4; i++) table[i] = i; grid[2][3] = 0; return r; }
double f_malloc(int n, double *x, int *k) { double *a = malloc(n * sizeof(double)), *b = (double *)calloc((size_t)n + 1, sizeof *b); if (!a || b == NULL) { free(a); return -1; } for (int i = 0; i < n; i++) { a[i] = x[i]; b[i + 1] += a[i]; } double s = b[n] + b[0]; struct box *c = malloc(2 * sizeof(struct box)); c[1].low.x = s; s = c[1].low.x + 1; free(c); free(a); free(b); return s; }
double f_memcpy(int n, double *x, int *k) { double a[8], b[8]; memcpy(a, x, sizeof a); memset(b, 0, 8 * sizeof(double)); memcpy(b + 2, a + 1, n % 4 * sizeof *b); memmove(a + 1, a, 5 * sizeof(double)); memmove(x, x + 2, (size_t)n * sizeof(x[0])); int m[4]; memset(m, 0, sizeof(m)); memcpy(&m[1], k, sizeof(int)); double s = m[1] + m[2]; for (int i = 0; i < 8; i++) s = s * 0.5 + a[i] - b[i]; return s; }
double f_recursion(int n, double *x, int *k) { k[0] = fact(n % 7); return fact(3) + x[0]; }
double f_calls(int n, double *x, int *k) { double s = square(twice(x[0])) + square(square(x[1]) - twice(1)); int at = find(x, n, 1.4); k[0] = at; if (find(x, n, 1.9) >= 0 && square(x[0]) < 1) s += 1; s += x[find(x, n, 0.0)] ; return s; }
double f_passive(int n, double *x, int *k) { if (n < 0) { fprintf(stderr, "negative %d\n", n); exit(1); } assert(n >= 0); if (x[0] < -5) { perror("x"); abort(); } if (n > 100) printf("%s %g\n", "big", x[0]); return x[0]; }
double f_shadow(int n, double *x, int *k) { double t = x[0]; for (int i = 0; i < n; i++) { double t = x[i] * 2; if (t > 1) { int t = k[i]; x[i] += t; } x[i] += t; } for (int i = 0; i < 2; i++) { int u = i; k[i] = u; } { double u = t; t += u; } return t; }
double f_carried(int n, double *x, int *k) { double a = 0, b = 1, last = -1; int seen = 0; for (int i = 0; i < n; i++) { double t = a + b; a = b; b = t * x[i]; if (k[i] > 4) { last = x[i]; seen = 1; } } return seen ? a + last : b; }
double f_unused_out(int n, double *x, int *k) { int i; double t = 0; for (i = 0; i < n; i++) { t = x[i]; if (t > 1) { t = 2; } x[i] = t; } return 1; }
double f_statement_expression(int n, double *x, int *k) { double m = ({ double a = x[0], b = x[1]; a > b ? a : b; }); int c = ({ int t = k[0]; t++; t * 2; }) + n; return m + c; }
double f_once(int n, double *x, int *k) { double s = 1; do { if (x[0] > 1) break; s = 2; if (k[0] > 4) continue; s = 3; } while (0); for (; 0;) s = 4; while (1) { if (s > 5) break; s += 1; } for (;;) { s += 1; if (s > 10) return s; } }
double f_deep(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { for (int j = i; j < n; j++) { if (k[j] == 9) { if (x[i] > 1) return s; break; } if (k[j] == 8) continue; int m = j; while (m > i) { if (x[m] > 1.9) goto next; s += x[m--]; } } next:; s += 0.5; } return s; }
double f_index(int n, double *x, int *k) { int i = 0; x[i++] = 2; k[++i] = 4; x[k[2] % 8] += 1; return i; }
double f_static(int n, double *x, int *k) { static double memory; static const double weight = 2; memory = x[0] * weight; return memory + n; }
double f_hidden_else(int n, double *x, int *k) { double r; if (k[0] > 3) if (k[1] > 3) r = 1; else r = 2; else r = 3; if (n == 1000) return r; else if (k[2] == 1) r += 10; else { r += 20; if (k[3] == 1) return r; } return r + x[0]; }
double f_unsigned_loop(int n, double *x, int *k) { double s = 0; for (size_t i = 0; i < (size_t)n; ++i) s += x[i]; for (unsigned char c = 250; c >= 250; c++) s += 1; unsigned m = 3; while (m-- != 0) s += x[m]; k[0] = (int)m; return s; }
double f_pointer_loop(int n, double *x, int *k) { const double *end = x + n; double s = 0; for (const double *p = x, *q = end; p < q; ++p) { --q; s += *p * *q; } ptrdiff_t d = end - x; return s + d; }
double f_two_arrays(int n, double *x, int *k) { double a[4] = {0}, *p[2]; p[0] = a; p[1] = x; for (int i = 0; i < 4; i++) p[i & 1][i] += i + 1; return a[0] + a[2] + x[1] + p[1][3]; }
double f_negative_index(int n, double *x, int *k) { double *end = x + n; end[-1] = 3; int back = -2; return end[back] + *(end - 1); }
double f_builtins(int n, double *x, int *k) { double s = 0; for (int i = 0; i < n; i++) { if (__builtin_expect(__builtin_popcount((unsigned)k[i]) > 1, 1)) s += x[i]; k[i] = __builtin_ctz((unsigned)k[i] | 16u) + __builtin_clz(k[i] + 1u); __builtin_prefetch(x + i); } double *p = __builtin_assume_aligned(x, 8); p[1] += __builtin_fabs(s); return s + k[n - 1]; }
