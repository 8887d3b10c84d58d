#include <math.h>
#include <stdlib.h>
#include <string.h>
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
/* Pointers to rows whose extent is a value: blocks, casts, rows of an array that are passed on, buffers that change places. */
static void smooth(int n, int m, double u[n][m], double (*v)[m]) {
  const double (*p)[m] = (const double (*)[m])u;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) v[i][j] = p[i][j] * p[(i + 1) % n][j] + 0.1 * p[i][(j + 1) % m];
}
static double last_rows(int m, double (*r)[m], int k) { double s = 0; for (int j = 0; j < m; j++) s += (*r)[j] * r[k][j]; return s; }
double f_blocks_of_rows(int n, double *x, int *ia, double *w);
double f_blocks_of_rows(int n, double *x, int *ia, double *w) {
  int m = 2; (void)ia; (void)w;
  double (*u)[m] = malloc((size_t)n * sizeof *u), (*v)[m] = malloc(sizeof(double[n][m])), (*a)[m] = (double (*)[m])x;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) u[i][j] = a[i][j] * (j + 1) + x[j];
  for (int t = 0; t < 2; t++) { smooth(n, m, u, v); double (*old)[m] = u; u = v; v = old; }
  double s = last_rows(m, u + 1, 2) + last_rows(m, &u[n - 3], 1);
  free(u); free(v);
  return s;
}
static double pages(int n, int m, int k, double t[n][m][k]) { double s = 0; for (int i = 0; i < n; i++) s += last_rows(k, t[i], m - 1) * (i + 1); return s; }
double f_rows_of_rows(int n, double *x, int *ia, double *w);
double f_rows_of_rows(int n, double *x, int *ia, double *w) {
  int m = 2, k = n / 2; double t[2][m][k], s = 0; (void)ia; (void)w;
  for (int i = 0; i < 2; i++) for (int j = 0; j < m; j++) for (int l = 0; l < k; l++) t[i][j][l] = x[i + j * 2 + l] * (1 + i);
  for (int i = 0; i < 2; i++) { double (*r)[k] = t[i], (*end)[k] = r + m; for (r[1][0] *= r[0][1]; r < end; r++) s += (*r)[0] * r[0][1]; }
  return s + pages(2, m, k, t);
}
/* Tables of rows of an argument that another function reads, and one that a function makes. */
static double trace(double **row, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        s += row[i][i];
        row[i][0] = row[i][0] * row[i][1] + s;
    }
    return s;
}

static double **rows_of(double *a, int n, int m) {
    double **row = malloc((size_t)n * sizeof *row);
    if (!row) abort();
    row[0] = a;
    for (int i = 1; i < n; i++) row[i] = row[i - 1] + m;
    return row;
}

double f_tables_of_rows(int n, double *x, int *ia, double *w);
double f_tables_of_rows(int n, double *x, int *ia, double *w) {
    double *row[2], *first, **made = rows_of(x, 4, 2), s;
    (void)n, (void)ia, (void)w;
    for (int i = 0; i < 2; i++) row[i] = x + 4 * i;
    s = trace(row, 2);
    first = row[0];
    row[0] = row[1];
    row[1] = first;
    s *= trace(row, 2);
    made[2][1] *= s;
    s += trace(made, 2);
    free(made);
    return s;
}

/* A parameter that moves over rows whose extent is a value. */
static double sum_of_rows(int m, int n, double (*row)[m]) {
    double s = 0.0, (*end)[m] = row + n;
    while (row != end) {
        for (int j = 0; j < m; j++) s += (*row)[j] * row[0][j];
        row++;
    }
    return s;
}

double f_moved_rows(int n, double *x, int *ia, double *w);
double f_moved_rows(int n, double *x, int *ia, double *w) {
    int m = n - 1;
    double(*u)[m] = malloc((size_t)n * sizeof *u), s = 0.0;
    (void)ia;
    if (!u) abort();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) u[i][j] = x[i] * w[j];
    for (int i = 0; i < n; i++) s += sum_of_rows(m, i, u) * x[i];
    free(u);
    return s;
}

/* Extents in memory with static storage. */
static int extent = 3;
static struct {
    int most;
} limits = {2};

double f_extents(int n, double *x, int *ia, double *w) {
    double s = 0.0, a[extent + 1], b[limits.most + 2], c[extent + 1];
    (void)n, (void)ia, (void)w;
    for (int i = 0; i <= extent; i++) a[i] = x[i] * x[i], b[i] = a[i] * x[0], c[i] = a[0] * b[i];
    for (int i = 0; i <= extent; i++) s += a[i] * b[i] * c[i];
    return s;
}

/* Rows of an argument change places. */
static void eliminate(int n, double a[n][n]) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        if (pivot != k) {
            double row[n];
            memcpy(row, a[k], sizeof row);
            memcpy(a[k], a[pivot], sizeof row);
            memcpy(a[pivot], row, sizeof row);
        }
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

double f_pivots(int n, double *x, int *ia, double *w);
double f_pivots(int n, double *x, int *ia, double *w) {
    double a[n][n], s = 0.0;
    (void)ia;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = x[(i + 3 * j) % 8] * w[(2 * i + j) % 8] + (i + j == n - 1);
    eliminate(n, a);
    for (int i = 0; i < n; i++) s += log(fabs(a[i][i]));
    return s;
}

static void add(int n, int m, double a[n][m], double b[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) b[i][j] += a[i][j] * a[i][0];
}

/* An extent that a loop evaluates again. */
double f_extents_in_loops(int n, double *x, int *ia, double *w);
double f_extents_in_loops(int n, double *x, int *ia, double *w) {
    double t[n][n + 1], u[n][n + 1], s = 0.0;
    (void)ia;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++) t[i][j] = x[i] * (j + 1), u[i][j] = 0.1 * w[i];
    for (int k = 0; k < 2; k++) {
        double v[n + 1];
        add(n, n + 1, (double(*)[n + 1])t, u);
        for (int i = 0; i <= n; i++) v[i] = u[0][i] * x[0];
        add(n, n + 1, (double(*)[n + 1])u, t);
        for (int i = 0; i <= n; i++) s += v[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++) s += t[i][j] * u[i][j];
    return s * 1e-3;
}

/* Rows that are overwritten one after the other, and columns that were read before. */
double f_rows_behind_columns(int n, double *x, int *ia, double *w) {
    double a[3][2], s = 0.0;
    (void)ia;
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 2; i++) a[j][i] = x[i] * w[j] + j;
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) s += a[k][i] * x[k % n];
    }
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 2; i++) a[j][i] = a[j][i] * x[0];
    }
    for (int j = 0; j < 3; j++) s += a[j][0] * a[j][1];
    return s;
}
