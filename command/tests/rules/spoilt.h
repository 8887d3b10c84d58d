/* Rules with one fault each: a clause that is missing, or a derivative that does something else. */
#ifndef SPOILT_H
#define SPOILT_H

#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(y)
void writes_more(int n, const double *x, double *y);
void writes_more_rev(int n, const double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule reads(x[0:n - 1]) writes(y[0:n]) needs(y)
void reads_more(int n, const double *x, double *y);
void reads_more_rev(int n, const double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule reads(x[0:n]) writes(y[0:n + 1]) needs(y)
void writes_less(int n, const double *x, double *y);
void writes_less_rev(int n, const double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(x)
void needs_more(int n, const double *x, double *y);
void needs_more_rev(int n, const double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule updates(x[0:n]) needs(x after)
void needs_before(int n, double *x);
void needs_before_rev(int n, double *x, double *x_b);
#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(y)
void sets(int n, const double *x, double *y);
void sets_rev(int n, const double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(y)
void clears_nothing(int n, const double *x, double *y);
void clears_nothing_rev(int n, const double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(y)
void doubles(int n, const double *x, double *y);
void doubles_rev(int n, const double *x, double *x_b, double *y, double *y_b);
void doubles_d(int n, const double *x, const double *x_d, double *y, double *y_d);
#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(y)
void triples(int n, const double *x, double *y);
void triples_rev(int n, const double *x, double *x_b, double *y, double *y_b);
void triples_d(int n, const double *x, const double *x_d, double *y, double *y_d);
#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(y)
void clears_more(int n, const double *x, double *y);
void clears_more_rev(int n, const double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule reads(x[0:n] z[0:n]) needs(x, z)
double wants_all(int n, const double *x, const double *z);
void wants_all_rev(int n, const double *x, double *x_b, const double *z, double *z_b, double wants_all_b);
#pragma adjoint rule reads(x[0:n] z[0:n]) needs(x : x, z : x)
double needs_for_both(int n, const double *x, const double *z);
void needs_for_both_rev(int n, const double *x, double *x_b, const double *z, double *z_b, double needs_for_both_b);
#pragma adjoint rule reads(x[0:n]) writes(y[0:n]) needs(y)
void counts(int n, const double *x, double *y);
void counts_rev(int n, const double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule updates(x[0:n] y[0:n]) needs(x after)
void takes_two(int n, double *x, double *y);
void takes_two_rev(int n, double *x, double *x_b, double *y, double *y_b);
#pragma adjoint rule updates(x[0:n]) writes(info) needs(x before) status(info)
void fails(int n, double *x, int *info);
void fails_rev(int n, double *x, double *x_b, int *info);

#endif
