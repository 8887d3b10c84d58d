/* What the functions of library.c do, for the generator. */
#ifndef RULES_H
#define RULES_H

#pragma adjoint rule reads(x[0:n:incx] y[0:n:incy]) needs(x : y, y : x)
double inner(int n, const double *x, int incx, const double *y, int incy);
void inner_rev(int n, const double *x, double *x_b, int incx, const double *y, double *y_b, int incy, double inner_b);
double inner_d(int n, const double *x, const double *x_d, int incx, const double *y, const double *y_d, int incy,
               double *inner_d);

#pragma adjoint rule reads(x[0:n:incx]) updates(y[0:n:incy]) needs(x : a)
void add_scaled(int n, double a, const double *x, int incx, double *y, int incy);
void add_scaled_rev(int n, double a, double *a_b, const double *x, double *x_b, int incx, double *y, double *y_b,
                    int incy);
void add_scaled_d(int n, double a, double a_d, const double *x, const double *x_d, int incx, double *y, double *y_d,
                  int incy);

/* The derivative of the exponential is read from the result. */
#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(y)
void exponentials(int n, const double *x, double *y);
void exponentials_rev(int n, const double *x, double *x_b, double *y, double *y_b);
void exponentials_d(int n, const double *x, const double *x_d, double *y, double *y_d);

/* In place: the square reads what is overwritten. */
#pragma adjoint rule updates(x[0:n]) needs(x before)
void squares(int n, double *x);
void squares_rev(int n, double *x, double *x_b);
void squares_d(int n, double *x, double *x_d);

/* Solves a x = b; leaves the factors of a, and x in b. */
#pragma adjoint rule updates(a(*n, *n, *lda) b(*n, *nrhs, *ldb)) writes(ipiv[0:*n] info[0:1]) \
    needs(a after, ipiv after, b after : a)
void solve_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);
void solve__rev(const int *n, const int *nrhs, double *a, double *a_b, const int *lda, int *ipiv, double *b,
                double *b_b, const int *ldb, int *info);

#pragma adjoint rule reads(a(m, k, lda) b(k, n, ldb)) updates(c(m, n, ldc)) \
    needs(a : b alpha, b : a alpha, c before : beta)
void product(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta,
             double *c, int ldc);
void product_rev(int m, int n, int k, double alpha, double *alpha_b, const double *a, double *a_b, int lda,
                 const double *b, double *b_b, int ldb, double beta, double *beta_b, double *c, double *c_b, int ldc);

#pragma adjoint passive
void report(int step, double value);

#pragma adjoint passive timer_*
void timer_start(int timer);
void timer_stop(int timer);
double timer_wall(void);

#pragma adjoint passive writes(w[0:n])
void draw(int n, double *w);

#endif
