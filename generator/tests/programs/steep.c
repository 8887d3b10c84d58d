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

double bounded(double other, double x) {
    return sin(x) * exp(x) * pow(x, 2.5) + tanh(x) * atan(x) + other * fabs(x);
}
