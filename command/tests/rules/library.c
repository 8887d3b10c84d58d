/* Functions without source for the generator, and their derivatives by hand. */
#include "rules.h"
#include <math.h>

int reports, timers, draws;

void report(int step, double value) { reports += step > 0 && value == value; }
void timer_start(int timer) { timers += timer; }
void timer_stop(int timer) { timers -= timer; }
double timer_wall(void) { return 1.5 + timers; }

void draw(int n, double *w) {
    draws++;
    for (int i = 0; i < n; i++) w[i] = 1.0 + 0.1 * i;
}

double inner(int n, const double *x, int incx, const double *y, int incy) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i * incx] * y[i * incy];
    return sum;
}

void inner_rev(int n, const double *x, double *x_b, int incx, const double *y, double *y_b, int incy, double inner_b) {
    for (int i = 0; i < n; i++) {
        if (x_b) x_b[i * incx] += y[i * incy] * inner_b;
        if (y_b) y_b[i * incy] += x[i * incx] * inner_b;
    }
}

double inner_d(int n, const double *x, const double *x_d, int incx, const double *y, const double *y_d, int incy,
               double *inner_d) {
    *inner_d = 0.0;
    for (int i = 0; i < n; i++) {
        if (x_d) *inner_d += x_d[i * incx] * y[i * incy];
        if (y_d) *inner_d += x[i * incx] * y_d[i * incy];
    }
    return inner(n, x, incx, y, incy);
}

void add_scaled(int n, double a, const double *x, int incx, double *y, int incy) {
    for (int i = 0; i < n; i++) y[i * incy] += a * x[i * incx];
}

void add_scaled_rev(int n, double a, double *a_b, const double *x, double *x_b, int incx, double *y, double *y_b,
                    int incy) {
    (void)y;
    for (int i = 0; i < n; i++) {
        if (a_b) *a_b += x[i * incx] * y_b[i * incy];
        if (x_b) x_b[i * incx] += a * y_b[i * incy];
    }
}

void add_scaled_d(int n, double a, double a_d, const double *x, const double *x_d, int incx, double *y, double *y_d,
                  int incy) {
    for (int i = 0; i < n; i++) y_d[i * incy] += a_d * x[i * incx] + (x_d ? a * x_d[i * incx] : 0.0);
    add_scaled(n, a, x, incx, y, incy);
}

void exponentials(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = exp(0.1 * x[i]);
}

void exponentials_rev(int n, const double *x, double *x_b, double *y, double *y_b) {
    (void)x;
    for (int i = 0; i < n; i++) {
        if (x_b) x_b[i] += 0.1 * y[i] * y_b[i];
        y_b[i] = 0.0;
    }
}

void exponentials_d(int n, const double *x, const double *x_d, double *y, double *y_d) {
    exponentials(n, x, y);
    for (int i = 0; i < n; i++) y_d[i] = x_d ? 0.1 * y[i] * x_d[i] : 0.0;
}

void squares(int n, double *x) {
    for (int i = 0; i < n; i++) x[i] *= x[i];
}

void squares_rev(int n, double *x, double *x_b) {
    for (int i = 0; i < n; i++) x_b[i] *= 2.0 * x[i];
}

void squares_d(int n, double *x, double *x_d) {
    for (int i = 0; i < n; i++) x_d[i] *= 2.0 * x[i];
    squares(n, x);
}

static void swap(double *x, double *y) {
    double was = *x;
    *x = *y, *y = was;
}

void solve_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info) {
    *info = 0;
    for (int k = 0; k < *n; k++) {
        int row = k;
        for (int i = k + 1; i < *n; i++) row = fabs(a[i + k * *lda]) > fabs(a[row + k * *lda]) ? i : row;
        ipiv[k] = row + 1;
        for (int j = 0; j < *n && row != k; j++) swap(&a[k + j * *lda], &a[row + j * *lda]);
        for (int j = 0; j < *nrhs && row != k; j++) swap(&b[k + j * *ldb], &b[row + j * *ldb]);
        for (int i = k + 1; i < *n; i++) {
            double factor = a[i + k * *lda] /= a[k + k * *lda];
            for (int j = k + 1; j < *n; j++) a[i + j * *lda] -= factor * a[k + j * *lda];
            for (int j = 0; j < *nrhs; j++) b[i + j * *ldb] -= factor * b[k + j * *ldb];
        }
    }
    for (int j = 0; j < *nrhs; j++) {
        for (int i = *n - 1; i >= 0; i--) {
            for (int k = i + 1; k < *n; k++) b[i + j * *ldb] -= a[i + k * *lda] * b[k + j * *ldb];
            b[i + j * *ldb] /= a[i + i * *lda];
        }
    }
}

/* From the adjoint of the factors L and U to that of the matrix: P' L^-T (low(L' L_b) + up(U_b U')) U^-T. */
static void factors_rev(int n, const double *lu, double *a_b, int lda, const int *ipiv) {
    double inner[8][8];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i > j ? a_b[i + j * lda] : 0.0;
            for (int k = i + 1; k < n && i > j; k++) sum += lu[k + i * lda] * a_b[k + j * lda];
            for (int k = j; k < n && i <= j; k++) sum += a_b[i + k * lda] * lu[j + k * lda];
            inner[i][j] = sum;
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) inner[i][j] -= lu[k + i * lda] * inner[k][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = n - 1; j >= 0; j--) {
            for (int k = j + 1; k < n; k++) inner[i][j] -= inner[i][k] * lu[j + k * lda];
            inner[i][j] /= lu[j + j * lda];
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) a_b[i + j * lda] = inner[i][j];
        for (int i = n - 1; i >= 0; i--) swap(&a_b[i + j * lda], &a_b[ipiv[i] - 1 + j * lda]);
    }
}

void solve__rev(const int *n, const int *nrhs, double *a, double *a_b, const int *lda, int *ipiv, double *b,
                double *b_b, const int *ldb, int *info) {
    (void)info;
    for (int j = 0; j < *nrhs; j++) {
        double *y = b_b + j * *ldb;
        for (int i = 0; i < *n; i++) {
            for (int k = 0; k < i; k++) y[i] -= a[k + i * *lda] * y[k];
            y[i] /= a[i + i * *lda];
        }
        for (int i = *n - 1; i >= 0; i--) {
            for (int k = i + 1; k < *n; k++) y[i] -= a[k + i * *lda] * y[k];
        }
        for (int i = *n - 1; i >= 0; i--) swap(&y[i], &y[ipiv[i] - 1]);
    }
    if (!a_b) return;
    factors_rev(*n, a, a_b, *lda, ipiv);
    for (int k = 0; k < *n; k++) {
        for (int i = 0; i < *n; i++) {
            for (int j = 0; j < *nrhs; j++) a_b[i + k * *lda] -= b_b[i + j * *ldb] * b[k + j * *ldb];
        }
    }
}

void product(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta,
             double *c, int ldc) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            double sum = 0.0;
            for (int l = 0; l < k; l++) sum += a[i + l * lda] * b[l + j * ldb];
            c[i + j * ldc] = alpha * sum + beta * c[i + j * ldc];
        }
    }
}

void product_rev(int m, int n, int k, double alpha, double *alpha_b, const double *a, double *a_b, int lda,
                 const double *b, double *b_b, int ldb, double beta, double *beta_b, double *c, double *c_b, int ldc) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            const double seed = c_b[i + j * ldc];
            for (int l = 0; l < k; l++) {
                if (a_b) a_b[i + l * lda] += alpha * seed * b[l + j * ldb];
                if (b_b) b_b[l + j * ldb] += alpha * seed * a[i + l * lda];
                if (alpha_b) *alpha_b += seed * a[i + l * lda] * b[l + j * ldb];
            }
            if (beta_b) *beta_b += seed * c[i + j * ldc];
            c_b[i + j * ldc] = beta * seed;
        }
    }
}
