/* adtape/rules_gsl.h: derivatives of the special functions of the GNU Scientific Library. The generator includes it
 * where a program calls these and has no source of them.
 *
 * Each f_rev takes the arguments of f; behind each real one with a known derivative its adjoint, NULL where nobody
 * wants it; last the adjoint of the result. Each f_d is the tangent. They call the program's own GSL,
 * whose handler of errors hears of derivatives that are out of its range. Orders and parameters whose derivatives are
 * not known have no adjoint. */
#ifndef ADTAPE_RULES_GSL_H
#define ADTAPE_RULES_GSL_H

#include <math.h>
#include <stddef.h>

#define ADTAPE_GSL_PI 3.14159265358979323846
#define ADTAPE_GSL_ROOT_2 1.41421356237309504880

/* What derivatives call, as GSL declares it. */
double gsl_sf_psi_1(const double x);
double gsl_sf_fact(const unsigned int n);

/* f(x) */
#define ADTAPE_GSL(f, by) \
    double gsl_sf_##f(const double x); \
    static inline double adtape_gsl_by_##f(double x) { return by; } \
    static inline void gsl_sf_##f##_rev(double x, double *x_b, double f_b) { \
        if (x_b && f_b != 0) *x_b += f_b * adtape_gsl_by_##f(x); \
    } \
    static inline double gsl_sf_##f##_d(double x, double x_d, double *f_d) { \
        *f_d = x_d == 0 ? 0 : x_d * adtape_gsl_by_##f(x); \
        return gsl_sf_##f(x); \
    }

/* f(x, mode) */
#define ADTAPE_GSL_MODE(f, by) \
    double gsl_sf_##f(double x, unsigned int mode); \
    static inline double adtape_gsl_by_##f(double x, unsigned int mode) { return by; } \
    static inline void gsl_sf_##f##_rev(double x, double *x_b, unsigned int mode, double f_b) { \
        if (x_b && f_b != 0) *x_b += f_b * adtape_gsl_by_##f(x, mode); \
    } \
    static inline double gsl_sf_##f##_d(double x, double x_d, unsigned int mode, double *f_d) { \
        *f_d = x_d == 0 ? 0 : x_d * adtape_gsl_by_##f(x, mode); \
        return gsl_sf_##f(x, mode); \
    }

/* f(n, x): n has no derivative. */
#define ADTAPE_GSL_OF(f, type, n, by) \
    double gsl_sf_##f(const type n, const double x); \
    static inline double adtape_gsl_by_##f(type n, double x) { return by; } \
    static inline void gsl_sf_##f##_rev(type n, double x, double *x_b, double f_b) { \
        if (x_b && f_b != 0) *x_b += f_b * adtape_gsl_by_##f(n, x); \
    } \
    static inline double gsl_sf_##f##_d(type n, double x, double x_d, double *f_d) { \
        *f_d = x_d == 0 ? 0 : x_d * adtape_gsl_by_##f(n, x); \
        return gsl_sf_##f(n, x); \
    }

/* f(a, b, x): a and b have no derivative. */
#define ADTAPE_GSL_OF_TWO(f, first, a, second, b, by) \
    double gsl_sf_##f(const first a, const second b, const double x); \
    static inline double adtape_gsl_by_##f(first a, second b, double x) { return by; } \
    static inline void gsl_sf_##f##_rev(first a, second b, double x, double *x_b, double f_b) { \
        if (x_b && f_b != 0) *x_b += f_b * adtape_gsl_by_##f(a, b, x); \
    } \
    static inline double gsl_sf_##f##_d(first a, second b, double x, double x_d, double *f_d) { \
        *f_d = x_d == 0 ? 0 : x_d * adtape_gsl_by_##f(a, b, x); \
        return gsl_sf_##f(a, b, x); \
    }

/* f(x, y) */
#define ADTAPE_GSL_TWO(f, by_x, by_y) \
    double gsl_sf_##f(const double x, const double y); \
    static inline double adtape_gsl_x_##f(double x, double y) { (void)x, (void)y; return by_x; } \
    static inline double adtape_gsl_y_##f(double x, double y) { (void)x, (void)y; return by_y; } \
    static inline void gsl_sf_##f##_rev(double x, double *x_b, double y, double *y_b, double f_b) { \
        if (x_b && f_b != 0) *x_b += f_b * adtape_gsl_x_##f(x, y); \
        if (y_b && f_b != 0) *y_b += f_b * adtape_gsl_y_##f(x, y); \
    } \
    static inline double gsl_sf_##f##_d(double x, double x_d, double y, double y_d, double *f_d) { \
        *f_d = x_d == 0 ? 0 : x_d * adtape_gsl_x_##f(x, y); \
        *f_d += y_d == 0 ? 0 : y_d * adtape_gsl_y_##f(x, y); \
        return gsl_sf_##f(x, y); \
    }

/* f(x, y, mode) */
#define ADTAPE_GSL_TWO_MODE(f, by_x, by_y) \
    double gsl_sf_##f(double x, double y, unsigned int mode); \
    static inline double adtape_gsl_x_##f(double x, double y) { return by_x; } \
    static inline double adtape_gsl_y_##f(double x, double y, unsigned int mode) { return by_y; } \
    static inline void gsl_sf_##f##_rev(double x, double *x_b, double y, double *y_b, unsigned int mode, double f_b) { \
        if (x_b && f_b != 0) *x_b += f_b * adtape_gsl_x_##f(x, y); \
        if (y_b && f_b != 0) *y_b += f_b * adtape_gsl_y_##f(x, y, mode); \
    } \
    static inline double gsl_sf_##f##_d(double x, double x_d, double y, double y_d, unsigned int mode, double *f_d) { \
        *f_d = x_d == 0 ? 0 : x_d * adtape_gsl_x_##f(x, y); \
        *f_d += y_d == 0 ? 0 : y_d * adtape_gsl_y_##f(x, y, mode); \
        return gsl_sf_##f(x, y, mode); \
    }

static inline double adtape_gsl_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* Airy functions: exp(2/3 x^1.5) is the scale of Ai where x > 0. */
double gsl_sf_airy_Ai(double x, unsigned int mode);
double gsl_sf_airy_Bi(double x, unsigned int mode);
double gsl_sf_airy_Ai_scaled(double x, unsigned int mode);
double gsl_sf_airy_Bi_scaled(double x, unsigned int mode);
ADTAPE_GSL_MODE(airy_Ai_deriv, x * gsl_sf_airy_Ai(x, mode))
ADTAPE_GSL_MODE(airy_Bi_deriv, x * gsl_sf_airy_Bi(x, mode))
ADTAPE_GSL_MODE(airy_Ai_deriv_scaled,
    x * gsl_sf_airy_Ai_scaled(x, mode) + (x > 0 ? sqrt(x) * gsl_sf_airy_Ai_deriv_scaled(x, mode) : 0))
ADTAPE_GSL_MODE(airy_Bi_deriv_scaled,
    x * gsl_sf_airy_Bi_scaled(x, mode) - (x > 0 ? sqrt(x) * gsl_sf_airy_Bi_deriv_scaled(x, mode) : 0))
ADTAPE_GSL_MODE(airy_Ai, gsl_sf_airy_Ai_deriv(x, mode))
ADTAPE_GSL_MODE(airy_Bi, gsl_sf_airy_Bi_deriv(x, mode))
ADTAPE_GSL_MODE(airy_Ai_scaled,
    gsl_sf_airy_Ai_deriv_scaled(x, mode) + (x > 0 ? sqrt(x) * gsl_sf_airy_Ai_scaled(x, mode) : 0))
ADTAPE_GSL_MODE(airy_Bi_scaled,
    gsl_sf_airy_Bi_deriv_scaled(x, mode) - (x > 0 ? sqrt(x) * gsl_sf_airy_Bi_scaled(x, mode) : 0))

/* Bessel functions of integer order. */
ADTAPE_GSL_OF(bessel_Jn, int, n, (gsl_sf_bessel_Jn(n - 1, x) - gsl_sf_bessel_Jn(n + 1, x)) / 2)
ADTAPE_GSL(bessel_J0, -gsl_sf_bessel_Jn(1, x))
ADTAPE_GSL(bessel_J1, adtape_gsl_by_bessel_Jn(1, x))
ADTAPE_GSL_OF(bessel_Yn, int, n, (gsl_sf_bessel_Yn(n - 1, x) - gsl_sf_bessel_Yn(n + 1, x)) / 2)
ADTAPE_GSL(bessel_Y0, -gsl_sf_bessel_Yn(1, x))
ADTAPE_GSL(bessel_Y1, adtape_gsl_by_bessel_Yn(1, x))
ADTAPE_GSL_OF(bessel_In, int, n, (gsl_sf_bessel_In(n - 1, x) + gsl_sf_bessel_In(n + 1, x)) / 2)
ADTAPE_GSL(bessel_I0, gsl_sf_bessel_In(1, x))
ADTAPE_GSL(bessel_I1, adtape_gsl_by_bessel_In(1, x))
ADTAPE_GSL_OF(bessel_Kn, int, n, -(gsl_sf_bessel_Kn(n - 1, x) + gsl_sf_bessel_Kn(n + 1, x)) / 2)
ADTAPE_GSL(bessel_K0, -gsl_sf_bessel_Kn(1, x))
ADTAPE_GSL(bessel_K1, adtape_gsl_by_bessel_Kn(1, x))
/* Scaled by exp(-|x|), those of the second kind by exp(x). */
ADTAPE_GSL_OF(bessel_In_scaled, int, n,
    (gsl_sf_bessel_In_scaled(n - 1, x) + gsl_sf_bessel_In_scaled(n + 1, x)) / 2 -
        adtape_gsl_sign(x) * gsl_sf_bessel_In_scaled(n, x))
ADTAPE_GSL(bessel_I0_scaled, adtape_gsl_by_bessel_In_scaled(0, x))
ADTAPE_GSL(bessel_I1_scaled, adtape_gsl_by_bessel_In_scaled(1, x))
ADTAPE_GSL_OF(bessel_Kn_scaled, int, n,
    gsl_sf_bessel_Kn_scaled(n, x) - (gsl_sf_bessel_Kn_scaled(n - 1, x) + gsl_sf_bessel_Kn_scaled(n + 1, x)) / 2)
ADTAPE_GSL(bessel_K0_scaled, adtape_gsl_by_bessel_Kn_scaled(0, x))
ADTAPE_GSL(bessel_K1_scaled, adtape_gsl_by_bessel_Kn_scaled(1, x))

/* Spherical ones: (l f[l - 1] -+ (l + 1) f[l + 1]) / (2 l + 1). */
#define ADTAPE_GSL_NEIGHBOURS(f, l, sign, x) \
    (((l) > 0 ? (l) * gsl_sf_bessel_##f((l) > 0 ? (l) - 1 : 0, x) : 0) sign \
        ((l) + 1) * gsl_sf_bessel_##f((l) + 1, x)) / (2 * (l) + 1)
ADTAPE_GSL_OF(bessel_jl, int, l, ADTAPE_GSL_NEIGHBOURS(jl, l, -, x))
ADTAPE_GSL(bessel_j0, (x < 0 ? -1 : 1) * adtape_gsl_by_bessel_jl(0, fabs(x)))
ADTAPE_GSL(bessel_j1, adtape_gsl_by_bessel_jl(1, fabs(x)))
ADTAPE_GSL(bessel_j2, (x < 0 ? -1 : 1) * adtape_gsl_by_bessel_jl(2, fabs(x)))
ADTAPE_GSL_OF(bessel_yl, int, l, ADTAPE_GSL_NEIGHBOURS(yl, l, -, x))
ADTAPE_GSL(bessel_y0, adtape_gsl_by_bessel_yl(0, x))
ADTAPE_GSL(bessel_y1, adtape_gsl_by_bessel_yl(1, x))
ADTAPE_GSL(bessel_y2, adtape_gsl_by_bessel_yl(2, x))
ADTAPE_GSL_OF(bessel_il_scaled, int, l,
    ADTAPE_GSL_NEIGHBOURS(il_scaled, l, +, x) - adtape_gsl_sign(x) * gsl_sf_bessel_il_scaled(l, x))
ADTAPE_GSL(bessel_i0_scaled, adtape_gsl_by_bessel_il_scaled(0, x))
ADTAPE_GSL(bessel_i1_scaled, adtape_gsl_by_bessel_il_scaled(1, x))
ADTAPE_GSL(bessel_i2_scaled, adtape_gsl_by_bessel_il_scaled(2, x))
ADTAPE_GSL_OF(bessel_kl_scaled, int, l, gsl_sf_bessel_kl_scaled(l, x) - ADTAPE_GSL_NEIGHBOURS(kl_scaled, l, +, x))
ADTAPE_GSL(bessel_k0_scaled, adtape_gsl_by_bessel_kl_scaled(0, x))
ADTAPE_GSL(bessel_k1_scaled, adtape_gsl_by_bessel_kl_scaled(1, x))
ADTAPE_GSL(bessel_k2_scaled, adtape_gsl_by_bessel_kl_scaled(2, x))

/* Those of real order, by x. */
ADTAPE_GSL_OF(bessel_Jnu, double, nu,
    nu >= 1 ? (gsl_sf_bessel_Jnu(nu - 1, x) - gsl_sf_bessel_Jnu(nu + 1, x)) / 2
            : (nu == 0 ? 0 : nu / x * gsl_sf_bessel_Jnu(nu, x)) - gsl_sf_bessel_Jnu(nu + 1, x))
ADTAPE_GSL_OF(bessel_Ynu, double, nu, nu / x * gsl_sf_bessel_Ynu(nu, x) - gsl_sf_bessel_Ynu(nu + 1, x))
ADTAPE_GSL_OF(bessel_Inu, double, nu,
    nu >= 1 ? (gsl_sf_bessel_Inu(nu - 1, x) + gsl_sf_bessel_Inu(nu + 1, x)) / 2
            : (nu == 0 ? 0 : nu / x * gsl_sf_bessel_Inu(nu, x)) + gsl_sf_bessel_Inu(nu + 1, x))
ADTAPE_GSL_OF(bessel_Inu_scaled, double, nu,
    (nu == 0 ? 0 : nu / x * gsl_sf_bessel_Inu_scaled(nu, x)) + gsl_sf_bessel_Inu_scaled(nu + 1, x) -
        gsl_sf_bessel_Inu_scaled(nu, x))
ADTAPE_GSL_OF(bessel_Knu, double, nu, nu / x * gsl_sf_bessel_Knu(nu, x) - gsl_sf_bessel_Knu(nu + 1, x))
ADTAPE_GSL_OF(bessel_Knu_scaled, double, nu,
    (1 + nu / x) * gsl_sf_bessel_Knu_scaled(nu, x) - gsl_sf_bessel_Knu_scaled(nu + 1, x))
ADTAPE_GSL_OF(bessel_lnKnu, double, nu,
    nu / x - gsl_sf_bessel_Knu_scaled(nu + 1, x) / gsl_sf_bessel_Knu_scaled(nu, x))

/* Errors. */
ADTAPE_GSL(erf, 2 / sqrt(ADTAPE_GSL_PI) * exp(-x * x))
ADTAPE_GSL(erfc, -2 / sqrt(ADTAPE_GSL_PI) * exp(-x * x))
ADTAPE_GSL(hazard, gsl_sf_hazard(x) * (gsl_sf_hazard(x) - x))
ADTAPE_GSL(log_erfc, -ADTAPE_GSL_ROOT_2 * gsl_sf_hazard(ADTAPE_GSL_ROOT_2 * x))
ADTAPE_GSL(erf_Z, -x / sqrt(2 * ADTAPE_GSL_PI) * exp(-x * x / 2))
ADTAPE_GSL(erf_Q, -1 / sqrt(2 * ADTAPE_GSL_PI) * exp(-x * x / 2))
ADTAPE_GSL(dawson, 1 - 2 * x * gsl_sf_dawson(x))

/* Exponentials, logarithms, trigonometric functions. */
ADTAPE_GSL(exp, exp(x))
ADTAPE_GSL(expm1, exp(x))
ADTAPE_GSL_TWO(exp_mult, y * exp(x), exp(x))
double gsl_sf_exprel_2(const double x);
double gsl_sf_hyperg_1F1_int(const int m, const int n, const double x);
ADTAPE_GSL_OF(exprel_n, int, n, gsl_sf_hyperg_1F1_int(2, n + 2, x) / (n + 1))
ADTAPE_GSL(exprel, adtape_gsl_by_exprel_n(1, x))
ADTAPE_GSL(exprel_2, adtape_gsl_by_exprel_n(2, x))
ADTAPE_GSL(log, 1 / x)
ADTAPE_GSL(log_abs, 1 / x)
ADTAPE_GSL(log_1plusx, 1 / (1 + x))
ADTAPE_GSL(log_1plusx_mx, -x / (1 + x))
ADTAPE_GSL(sin, cos(x))
ADTAPE_GSL(cos, -sin(x))
ADTAPE_GSL_TWO(hypot, x / hypot(x, y), y / hypot(x, y))
ADTAPE_GSL(lnsinh, 1 / tanh(x))
ADTAPE_GSL(lncosh, tanh(x))
/* sin(pi x) / (pi x) = j0(pi x) */
ADTAPE_GSL(sinc, -ADTAPE_GSL_PI * gsl_sf_bessel_j1(ADTAPE_GSL_PI * x))
ADTAPE_GSL(lambert_W0, 1 / (x + exp(gsl_sf_lambert_W0(x))))
ADTAPE_GSL(lambert_Wm1, 1 / (x + exp(gsl_sf_lambert_Wm1(x))))

/* Integrals of exponentials. */
double gsl_sf_expint_E1_scaled(const double x);
ADTAPE_GSL(expint_E1, -exp(-x) / x)
ADTAPE_GSL(expint_E2, -gsl_sf_expint_E1(x))
ADTAPE_GSL_OF(expint_En, int, n, n == 0 ? -exp(-x) * (1 + x) / (x * x) : -gsl_sf_expint_En(n - 1, x))
ADTAPE_GSL(expint_Ei, exp(x) / x)
ADTAPE_GSL(expint_E1_scaled, gsl_sf_expint_E1_scaled(x) - 1 / x)
ADTAPE_GSL(expint_E2_scaled, gsl_sf_expint_E2_scaled(x) - gsl_sf_expint_E1_scaled(x))
ADTAPE_GSL(expint_Ei_scaled, 1 / x - gsl_sf_expint_Ei_scaled(x))
ADTAPE_GSL(expint_3, exp(-x * x * x))
ADTAPE_GSL(Shi, x == 0 ? 1 : sinh(x) / x)
ADTAPE_GSL(Chi, cosh(x) / x)
ADTAPE_GSL(Si, x == 0 ? 1 : sin(x) / x)
ADTAPE_GSL(Ci, cos(x) / x)
ADTAPE_GSL(atanint, x == 0 ? 1 : atan(x) / x)
ADTAPE_GSL(dilog, x == 0 ? 1 : x < 1 ? -log1p(-x) / x : -log(x - 1) / x)
ADTAPE_GSL(clausen, -log(2 * fabs(sin(x / 2))))

/* D(n) = n / x^n times the integral of t^n / (exp(t) - 1), by its series near 0. */
static inline double adtape_gsl_by_debye(int n, double x, double value) {
    static const double bernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6,
                                       -3617.0 / 510};
    if (fabs(x) > 1) return n / expm1(x) - n * value / x;
    double sum = -0.5 / (n + 1), power = x;
    for (int k = 1; k <= 8; k++) {
        /* x^(2 k - 1) / (2 k - 1)!, of the derivative of B x^(2 k) / ((2 k + n) (2 k)!) */
        sum += bernoulli[k - 1] * power / (2 * k + n);
        power *= x * x / (2 * k * (2 * k + 1));
    }
    return n * sum;
}
ADTAPE_GSL(debye_1, adtape_gsl_by_debye(1, x, gsl_sf_debye_1(x)))
ADTAPE_GSL(debye_2, adtape_gsl_by_debye(2, x, gsl_sf_debye_2(x)))
ADTAPE_GSL(debye_3, adtape_gsl_by_debye(3, x, gsl_sf_debye_3(x)))
ADTAPE_GSL(debye_4, adtape_gsl_by_debye(4, x, gsl_sf_debye_4(x)))
ADTAPE_GSL(debye_5, adtape_gsl_by_debye(5, x, gsl_sf_debye_5(x)))
ADTAPE_GSL(debye_6, adtape_gsl_by_debye(6, x, gsl_sf_debye_6(x)))

/* Elliptic integrals: x is the angle, the modulus where it comes alone. (F - E) / k^2 = D. */
double gsl_sf_ellint_Dcomp(double k, unsigned int mode);
double gsl_sf_ellint_D(double phi, double k, unsigned int mode);
ADTAPE_GSL_MODE(ellint_Kcomp, x * (gsl_sf_ellint_Kcomp(x, mode) - gsl_sf_ellint_Dcomp(x, mode)) / (1 - x * x))
ADTAPE_GSL_MODE(ellint_Ecomp, -x * gsl_sf_ellint_Dcomp(x, mode))
#define ADTAPE_GSL_DELTA sqrt(1 - y * y * sin(x) * sin(x))
ADTAPE_GSL_TWO_MODE(ellint_F, 1 / ADTAPE_GSL_DELTA,
    y / (1 - y * y) * (gsl_sf_ellint_F(x, y, mode) - gsl_sf_ellint_D(x, y, mode) - sin(x) * cos(x) / ADTAPE_GSL_DELTA))
ADTAPE_GSL_TWO_MODE(ellint_E, ADTAPE_GSL_DELTA, -y * gsl_sf_ellint_D(x, y, mode))

/* Fermi and Dirac. */
double gsl_sf_fermi_dirac_mhalf(const double x);
ADTAPE_GSL_OF(fermi_dirac_int, int, j, gsl_sf_fermi_dirac_int(j - 1, x))
ADTAPE_GSL(fermi_dirac_m1, gsl_sf_fermi_dirac_m1(x) * gsl_sf_fermi_dirac_m1(-x))
ADTAPE_GSL(fermi_dirac_0, gsl_sf_fermi_dirac_m1(x))
ADTAPE_GSL(fermi_dirac_1, gsl_sf_fermi_dirac_0(x))
ADTAPE_GSL(fermi_dirac_2, gsl_sf_fermi_dirac_1(x))
ADTAPE_GSL(fermi_dirac_half, gsl_sf_fermi_dirac_mhalf(x))
ADTAPE_GSL(fermi_dirac_3half, gsl_sf_fermi_dirac_half(x))

/* Gamma and its kin. */
ADTAPE_GSL_OF(psi_n, int, n, gsl_sf_psi_n(n + 1, x))
ADTAPE_GSL(psi, gsl_sf_psi_1(x))
ADTAPE_GSL(psi_1,
    x > 0 ? gsl_sf_psi_n(2, x)
          : gsl_sf_psi_n(2, 1 - x) - 2 * pow(ADTAPE_GSL_PI / sin(ADTAPE_GSL_PI * x), 3) * cos(ADTAPE_GSL_PI * x))
ADTAPE_GSL(gamma, gsl_sf_gamma(x) * gsl_sf_psi(x))
ADTAPE_GSL(lngamma, gsl_sf_psi(x))
/* 1 / gamma is 0 at 0, -1, -2, ..., with the slopes 1, -1, 2, -6, ... */
static inline double adtape_gsl_slope_of_gammainv(double x, double value) {
    if (x <= 0 && x == floor(x)) return (fmod(x, 2) == 0 ? 1 : -1) * gsl_sf_fact((unsigned int)-x);
    return value == 0 ? 0 : -value * gsl_sf_psi(x);
}
ADTAPE_GSL(gammainv, adtape_gsl_slope_of_gammainv(x, gsl_sf_gammainv(x)))
static inline double adtape_gsl_slope_of_gammastar(double x) {
    const double r = 1 / (x * x);
    if (x > 20) return r * (-1.0 / 12 + r * (1.0 / 120 + r * (-1.0 / 252 + r / 240)));
    return gsl_sf_psi(x) - log(x) + 1 / (2 * x);
}
ADTAPE_GSL(gammastar, gsl_sf_gammastar(x) * adtape_gsl_slope_of_gammastar(x))
#define ADTAPE_GSL_BETA_SLOPE(x, y) (gsl_sf_psi(x) - gsl_sf_psi((x) + (y)))
ADTAPE_GSL_TWO(lnbeta, ADTAPE_GSL_BETA_SLOPE(x, y), ADTAPE_GSL_BETA_SLOPE(y, x))
ADTAPE_GSL_TWO(beta, gsl_sf_beta(x, y) * ADTAPE_GSL_BETA_SLOPE(x, y), gsl_sf_beta(x, y) * ADTAPE_GSL_BETA_SLOPE(y, x))
ADTAPE_GSL_TWO(lnpoch, gsl_sf_psi(x + y) - gsl_sf_psi(x), gsl_sf_psi(x + y))
ADTAPE_GSL_TWO(poch, gsl_sf_poch(x, y) * (gsl_sf_psi(x + y) - gsl_sf_psi(x)), gsl_sf_poch(x, y) * gsl_sf_psi(x + y))
/* x^(a - 1) exp(-x), over gamma(a). */
static inline double adtape_gsl_density(double a, double x) {
    if (x == 0) return a < 1 ? INFINITY : a == 1 ? 1 : 0;
    return exp((a - 1) * log(x) - x - gsl_sf_lngamma(a));
}
ADTAPE_GSL_OF(gamma_inc_P, double, a, adtape_gsl_density(a, x))
ADTAPE_GSL_OF(gamma_inc_Q, double, a, -adtape_gsl_density(a, x))
ADTAPE_GSL_OF(gamma_inc, double, a, -pow(x, a - 1) * exp(-x))
ADTAPE_GSL_OF_TWO(beta_inc, double, a, double, b, pow(x, a - 1) * pow(1 - x, b - 1) * exp(-gsl_sf_lnbeta(a, b)))
ADTAPE_GSL_OF(taylorcoeff, int, n, n < 1 ? 0 : gsl_sf_taylorcoeff(n < 1 ? 0 : n - 1, x))
ADTAPE_GSL_OF(hzeta, double, s, -s * gsl_sf_hzeta(s + 1, x))

/* Hypergeometric functions, by x. */
ADTAPE_GSL_OF(hyperg_0F1, double, c, gsl_sf_hyperg_0F1(c + 1, x) / c)
ADTAPE_GSL_OF_TWO(hyperg_1F1_int, int, m, int, n, m * gsl_sf_hyperg_1F1_int(m + 1, n + 1, x) / n)
ADTAPE_GSL_OF_TWO(hyperg_1F1, double, a, double, b, a / b * gsl_sf_hyperg_1F1(a + 1, b + 1, x))
ADTAPE_GSL_OF_TWO(hyperg_U_int, int, m, int, n, -m * gsl_sf_hyperg_U_int(m + 1, n + 1, x))
ADTAPE_GSL_OF_TWO(hyperg_U, double, a, double, b, -a * gsl_sf_hyperg_U(a + 1, b + 1, x))
double gsl_sf_hyperg_2F1(double a, double b, double c, double x);
static inline void gsl_sf_hyperg_2F1_rev(double a, double b, double c, double x, double *x_b, double f_b) {
    if (x_b && f_b != 0) *x_b += f_b * a * b / c * gsl_sf_hyperg_2F1(a + 1, b + 1, c + 1, x);
}
static inline double gsl_sf_hyperg_2F1_d(double a, double b, double c, double x, double x_d, double *f_d) {
    *f_d = x_d == 0 ? 0 : x_d * a * b / c * gsl_sf_hyperg_2F1(a + 1, b + 1, c + 1, x);
    return gsl_sf_hyperg_2F1(a, b, c, x);
}

/* Polynomials. */
ADTAPE_GSL_TWO(gegenpoly_1, 2 * y, 2 * x)
ADTAPE_GSL_TWO(gegenpoly_2, (4 * x + 2) * y * y - 1, 4 * x * (1 + x) * y)
ADTAPE_GSL_OF_TWO(gegenpoly_n, int, n, double, lambda,
    n < 1 ? 0 : 2 * lambda * gsl_sf_gegenpoly_n(n < 1 ? 0 : n - 1, lambda + 1, x))
ADTAPE_GSL_TWO(laguerre_1, 1, -1)
ADTAPE_GSL_TWO(laguerre_2, x + 1.5 - y, y - x - 2)
double gsl_sf_laguerre_n(int n, double a, double x);
static inline double adtape_gsl_a_laguerre_n(int n, double a, double x) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += gsl_sf_laguerre_n(k, a, x) / (n - k);
    return sum;
}
static inline double adtape_gsl_x_laguerre_n(int n, double a, double x) {
    return n < 1 ? 0 : -gsl_sf_laguerre_n(n - 1, a + 1, x);
}
static inline void gsl_sf_laguerre_n_rev(int n, double a, double *a_b, double x, double *x_b, double f_b) {
    if (a_b && f_b != 0) *a_b += f_b * adtape_gsl_a_laguerre_n(n, a, x);
    if (x_b && f_b != 0) *x_b += f_b * adtape_gsl_x_laguerre_n(n, a, x);
}
static inline double gsl_sf_laguerre_n_d(int n, double a, double a_d, double x, double x_d, double *f_d) {
    *f_d = a_d == 0 ? 0 : a_d * adtape_gsl_a_laguerre_n(n, a, x);
    *f_d += x_d == 0 ? 0 : x_d * adtape_gsl_x_laguerre_n(n, a, x);
    return gsl_sf_laguerre_n(n, a, x);
}

/* Legendre: P'[l] = (2 l - 1) P[l - 1] + (2 l - 5) P[l - 3] + ... */
double gsl_sf_legendre_Pl(const int l, const double x);
static inline double adtape_gsl_slope_of_Pl(int l, double x) {
    double sum = 0;
    for (int k = l - 1; k >= 0; k -= 2) sum += (2 * k + 1) * gsl_sf_legendre_Pl(k, x);
    return sum;
}
ADTAPE_GSL_OF(legendre_Pl, int, l, adtape_gsl_slope_of_Pl(l, x))
ADTAPE_GSL(legendre_P1, x == x ? 1 : x)
ADTAPE_GSL(legendre_P2, 3 * x)
ADTAPE_GSL(legendre_P3, 7.5 * x * x - 1.5)
ADTAPE_GSL_OF(legendre_Ql, int, l,
    l == 0 ? 1 / (1 - x * x)
           : l * (x * gsl_sf_legendre_Ql(l, x) - gsl_sf_legendre_Ql(l > 0 ? l - 1 : 0, x)) / (x * x - 1))
ADTAPE_GSL(legendre_Q0, adtape_gsl_by_legendre_Ql(0, x))
ADTAPE_GSL(legendre_Q1, adtape_gsl_by_legendre_Ql(1, x))
/* (x^2 - 1) f' = l x f[l] - weight f[l - 1]; at the ends (x^2 - 1)^(m / 2) decides. */
static inline double adtape_gsl_slope_at_end(int l, int m, double x) {
    if (m == 0) return adtape_gsl_slope_of_Pl(l, x);
    if (m > 2) return 0;
    const double sign = x > 0 || (l + m) % 2 == 0 ? 1 : -1;
    return m == 1 ? NAN : -2 * x * sign * (l - 1) * l * (l + 1.0) * (l + 2.0) / 8;
}
ADTAPE_GSL_OF_TWO(legendre_Plm, int, l, int, m,
    fabs(x) == 1 ? adtape_gsl_slope_at_end(l, m, x)
                 : (l * x * gsl_sf_legendre_Plm(l, m, x) -
                       (l > m ? (l + m) * gsl_sf_legendre_Plm(l > m ? l - 1 : l, m, x) : 0)) / (x * x - 1))
ADTAPE_GSL_OF_TWO(legendre_sphPlm, int, l, int, m,
    fabs(x) == 1 ? adtape_gsl_slope_at_end(l, m, x) * sqrt((2 * l + 1) / (4 * ADTAPE_GSL_PI) *
                       (m == 2 ? 1 / ((l - 1.0) * l * (l + 1.0) * (l + 2.0)) : 1))
                 : (l * x * gsl_sf_legendre_sphPlm(l, m, x) -
                       (l > m ? sqrt((2.0 * l + 1) / (2.0 * l - 1) * (l - m) * (l + m)) *
                                    gsl_sf_legendre_sphPlm(l > m ? l - 1 : l, m, x)
                              : 0)) / (x * x - 1))

/* Radiation and transport. */
ADTAPE_GSL(synchrotron_1, gsl_sf_synchrotron_1(x) / x - x * gsl_sf_bessel_Knu(5.0 / 3, x))
ADTAPE_GSL(synchrotron_2,
    gsl_sf_bessel_Knu(2.0 / 3, x) - x * (gsl_sf_bessel_Knu(1.0 / 3, x) + gsl_sf_bessel_Knu(5.0 / 3, x)) / 2)
#define ADTAPE_GSL_TRANSPORT(n, x) (pow(x, (n) - 2) * (x == 0 ? 1 : pow(x / (2 * sinh(x / 2)), 2)))
ADTAPE_GSL(transport_2, ADTAPE_GSL_TRANSPORT(2, x))
ADTAPE_GSL(transport_3, ADTAPE_GSL_TRANSPORT(3, x))
ADTAPE_GSL(transport_4, ADTAPE_GSL_TRANSPORT(4, x))
ADTAPE_GSL(transport_5, ADTAPE_GSL_TRANSPORT(5, x))

/* Powers. */
double gsl_sf_pow_int(const double x, const int n);
static inline void gsl_sf_pow_int_rev(double x, double *x_b, int n, double f_b) {
    if (x_b && f_b != 0 && n != 0) *x_b += f_b * n * gsl_sf_pow_int(x, n - 1);
}
static inline double gsl_sf_pow_int_d(double x, double x_d, int n, double *f_d) {
    *f_d = x_d == 0 || n == 0 ? 0 : x_d * n * gsl_sf_pow_int(x, n - 1);
    return gsl_sf_pow_int(x, n);
}
/* These may be inline in the program: they have names of their own here. */
extern double adtape_gsl_pow_int(double x, int n) __asm__("gsl_pow_int");
static inline void gsl_pow_int_rev(double x, double *x_b, int n, double f_b) {
    if (x_b && f_b != 0 && n != 0) *x_b += f_b * n * adtape_gsl_pow_int(x, n - 1);
}
static inline double gsl_pow_int_d(double x, double x_d, int n, double *f_d) {
    *f_d = x_d == 0 || n == 0 ? 0 : x_d * n * adtape_gsl_pow_int(x, n - 1);
    return adtape_gsl_pow_int(x, n);
}
#define ADTAPE_GSL_POWER(n) \
    extern double adtape_gsl_pow_##n(double x) __asm__("gsl_pow_" #n); \
    static inline void gsl_pow_##n##_rev(double x, double *x_b, double f_b) { \
        if (x_b && f_b != 0) *x_b += f_b * n * adtape_gsl_pow_int(x, n - 1); \
    } \
    static inline double gsl_pow_##n##_d(double x, double x_d, double *f_d) { \
        *f_d = x_d == 0 ? 0 : x_d * n * adtape_gsl_pow_int(x, n - 1); \
        return adtape_gsl_pow_##n(x); \
    }
ADTAPE_GSL_POWER(2)
ADTAPE_GSL_POWER(3)
ADTAPE_GSL_POWER(4)
ADTAPE_GSL_POWER(5)
ADTAPE_GSL_POWER(6)
ADTAPE_GSL_POWER(7)
ADTAPE_GSL_POWER(8)
ADTAPE_GSL_POWER(9)

#endif
