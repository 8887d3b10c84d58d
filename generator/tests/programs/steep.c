/* Functions at points where a partial derivative is infinite or does not exist. */
#include <math.h>

double weighted(double weight, double x);
double larger_root(double other, double x);
double power(double exponent, double x);
double length(double other, double x);
double angle(double limit, double x);
double logarithm(double least, double x);
double cube_root(double least, double x);
double of_float(double other, double x);
double vanishes(double other, double x);
double inverse(double other, double x);
double unknown(double other, double x);
double bounded(double other, double x);

double weighted(double weight, double x) {
    double root = sqrt(x);
    return weight * root;
}

double larger_root(double other, double x) {
    return fmax(other, sqrt(x));
}

double power(double exponent, double x) {
    double value = pow(x, exponent);
    return value > 0.0 ? value : 0.0;
}

double length(double other, double x) {
    return fmax(hypot(x, other), 1e-3);
}

/* asin(x) at 1, cut off there. */
double angle(double limit, double x) {
    double value = asin(x);
    return x < limit ? value : 0.0;
}

double logarithm(double least, double x) {
    return fmax(log(x), least);
}

double cube_root(double least, double x) {
    double root = cbrt(x);
    return root > least - 0.5 ? root : least;
}

double of_float(double other, double x) {
    float root = sqrtf((float)x);
    return fmax(other, (double)root);
}

/* Each of these has a pole of its derivative at 0, and 0 asks for it. */
double vanishes(double other, double x) {
    double sum = sqrt(x) + cbrt(x) + pow(x, 0.5) + pow(x, other) + hypot(x, other - 0.5) + atan2(x, other - 0.5);
    return other * x + (other - 0.5) * sum;
}

/* Poles at 1. */
double inverse(double other, double x) {
    double sum = asin(x) + acos(x) + acosh(x);
    return other * x + (other - 0.5) * sum;
}

/* A value that is not known takes no part, and comparing with it raises nothing. */
double unknown(double other, double x) {
    double none = other - other > 0.0 ? other : (double)NAN;
    return fmax(x, none) + fmin(none, x) + 0.0 * other;
}

double bounded(double other, double x) {
    return sin(x) * exp(x) * pow(x, 2.5) + tanh(x) * atan(x) + other * fabs(x);
}
