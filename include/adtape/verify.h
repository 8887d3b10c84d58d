/* adtape/verify.h: derivative tests: a gradient against its function, a tangent against its adjoint; waypoints.
 * Generated from src/ffi/verify; do not edit. */
#ifndef ADTAPE_VERIFY_H
#define ADTAPE_VERIFY_H

#include "process.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why a test passed or failed.
enum {
    // Passed: the remainder falls with h², or the two numbers agree.
    ADTAPE_TEST_AGREES = 0,
    // Passed: the function is linear in the direction, so the remainder is rounding from the first step on.
    ADTAPE_TEST_LINEAR = 1,
    // Passed: neither does the function change in the direction, nor has the gradient a part in it.
    ADTAPE_TEST_CONSTANT = 2,
    // Passed: there was no gradient to test, only the slope was asked for.
    ADTAPE_TEST_NO_GRADIENT = 3,
    // Failed: the gradient is wrong, or tangent and adjoint disagree.
    ADTAPE_TEST_WRONG = 4,
    // Failed: the function has a kink at x; the slopes of both sides are different.
    ADTAPE_TEST_KINK = 5,
    // Failed: branches change down to steps where all is rounding.
    ADTAPE_TEST_BRANCH = 6,
    // Failed: rounding hides what should be seen.
    ADTAPE_TEST_NOISE = 7,
    // Failed: the function or the gradient is not finite.
    ADTAPE_TEST_NOT_FINITE = 8,
    // Failed: a second call at the same x gave another result.
    ADTAPE_TEST_NOT_REPEATABLE = 9,
    // Failed: the gradient left something on the thread's tape, or took something off.
    ADTAPE_TEST_TAPE_LEFT = 10,
    // Failed: the direction is zero.
    ADTAPE_TEST_ZERO_DIRECTION = 11,
    // Failed: tangent or adjoint is not linear.
    ADTAPE_TEST_NOT_LINEAR = 12,
};
typedef int32_t adtape_test_t;

// The function that is tested: its value at `x`, which has `n` components. A value that is not finite says that it
// failed. It may be a forward sweep on the thread's tape, which the test leaves as it was.
typedef double (*adtape_function_f64_t)(int64_t n, const double *x, void *user);

// Computes the gradient at `x`; `gradient` has `n` values that are 0 before.
typedef void (*adtape_gradient_f64_t)(int64_t n, const double *x, double *gradient, void *user);

// The dot product of two vectors of which this process has `n` components each, summed up over all processes. The type
// of the components is that of the test.
typedef double (*adtape_product_call_t)(int64_t n, const void *a, const void *b, void *user);

// The function in complex arithmetic: `z` are `n` numbers of type double complex (float complex), `value` is one double
// complex.
typedef void (*adtape_complex_call_t)(int64_t n, const void *z, double *value, void *user);

// Options of a derivative test. Zeros, or NULL in place of the structure, are right for most.
typedef struct {
    // The direction: as many values as `x`, of the test's type. NULL: each component of x changes by about its own size,
    // with a sign and a factor at random.
    const void *direction;
    // Of adtape_test_dot_f64: what the adjoint starts from, `m` values. NULL: numbers at random.
    const void *weights;
    // The dot product, where each process has a part of the vectors; all processes call the test. NULL: the plain one.
    adtape_product_call_t product;
    // The function in complex arithmetic: the test then takes a complex step in place of finite ones.
    adtape_complex_call_t complex_function;
    // The largest step, in units of the direction; 0 for 1/16 of the ratio of the norms of x and direction.
    double first_step;
    // The relative error that is accepted; 0 for 1e-7 (float: 1e-3), for products and complex steps 1e-10 (1e-4).
    double tolerance;
    // Evaluations for the search of components that disagree; 0 for 400, negative for no search.
    int64_t search_runs;
    // What the first component is called: 0, or 1.
    int64_t first_index;
    // A file for a picture of the remainders, if its name ends in .svg, or else for their table. NULL for none.
    const char *plot;
    // Steps at most; 0 for 16.
    int32_t steps;
    // A file descriptor that the explanation is written to, as 1 or 2; 0 for none.
    int32_t output;
} adtape_test_options_t;

// The outcome of a test. Steps are in units of the direction. Numbers that a test does not have are 0.
typedef struct {
    // Whether the derivative is right, as far as the test can see.
    bool passed;
    // Why: one of ADTAPE_TEST_….
    int32_t reason;
    // The power of h that the remainder falls with: 2 if the gradient is right, 1 if it is wrong; 0 where the remainder
    // is rounding from the first step on.
    double order;
    // The relative error: of the slope, or of the two products.
    double error;
    // The smallest step whose remainder stands clear of rounding.
    double step;
    // How much the function changes between points so close that it should not.
    double noise;
    // Gradient · direction; of a dot-product test, adjoint · direction.
    double slope;
    // The slope by finite differences, extrapolated, or by the complex step; of a dot-product test, tangent · weights.
    double reference;
    // How far that may be off.
    double uncertainty;
    // How often the function, or tangent and adjoint together, were called.
    int64_t evaluations;
    // The smaller of two steps between which a branch changes.
    double branch_step;
    // How many values of control and counters that were pushed before that branch are equal.
    int64_t branch_position;
    // How many components that disagree are in the list that follows.
    int64_t component_count;
    // Components of the gradient that disagree, the worst first; negative ones, of a dot-product test, are outputs: -1 is
    // the first.
    int64_t component[8];
    // Their values in the gradient.
    double component_gradient[8];
    // What they should be.
    double component_reference[8];
} adtape_test_report_t;

// The like for float.
typedef double (*adtape_function_f32_t)(int64_t n, const float *x, void *user);

// The like for float.
typedef void (*adtape_gradient_f32_t)(int64_t n, const float *x, float *gradient, void *user);

// A tangent or an adjoint: `n` values in, `m` values out, which are 0 before.
typedef void (*adtape_linear_f64_t)(int64_t n, const double *x, int64_t m, double *y, void *user);

// The like for float.
typedef void (*adtape_linear_f32_t)(int64_t n, const float *x, int64_t m, float *y, void *user);

/* ---- derivative ------------------------------------------------------------------------------------------ */

// Tests a gradient of `n` components at `x` against its function. R(h) = f(x + h d) - f(x) - h (gradient . d) falls with
// h² if it is right, with h¹ if it is wrong: `order`. Rounding is no part of the verdict, because the noise of f is
// measured first. For a gradient that is wrong the report names components that disagree, and what they should be.
//
// The gradient is an array at `x`, or what computes it, both sweeps: then it is called twice at `x`, and what is left
// from one call to the next, or on the thread's tape, is found. Exactly one of `gradient_call` and `gradient` is given;
// none, if only the slope in the direction is asked for, by finite differences. `user` is handed to every function.
// `options` may be NULL. With its `complex_function` the slope comes from a complex step, and `f` may be NULL. Function
// or gradient that push control values on the thread's tape have their branches compared where the remainder does not
// fall evenly; the text names the line. Several processes with parts of x give a `product`; components are then not
// searched.
//
// Returns ADTAPE_STATUS_OK if there is a verdict, `passed` or not; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE;
// ADTAPE_STATUS_BAD_ARGUMENT (no components; two gradients; a step or tolerance that makes no sense); ADTAPE_STATUS_IO
// (the plot or the text cannot be written). `*report` is then unchanged.
// Cost: 10 to 30 calls of the function, up to 400 more (`search_runs`) if the gradient is wrong; 5 vectors of memory.
// Fortran: `call test_gradient(f, x, report, gradient, gradient_call, …)`, `call test_complex(f, x, report, …)`.
// Source: noise: R. W. Hamming, Introduction to Applied Numerical Analysis (1971); J. J. Moré, S. M. Wild, Estimating
// computational noise, SIAM J. Sci. Comput. 33 (2011). Extrapolation: C. J. F. Ridders, Adv. Eng. Softw. 4 (1982).
// Complex step: W. Squire, G. Trapp, SIAM Rev. 40 (1998).
adtape_status_t adtape_test_gradient_f64(adtape_function_f64_t f,
                                         adtape_gradient_f64_t gradient_call,
                                         void *user,
                                         int64_t n,
                                         const double *x,
                                         const double *gradient,
                                         const adtape_test_options_t *options,
                                         adtape_test_report_t *report);

// adtape_test_gradient_f64 of float.
adtape_status_t adtape_test_gradient_f32(adtape_function_f32_t f,
                                         adtape_gradient_f32_t gradient_call,
                                         void *user,
                                         int64_t n,
                                         const float *x,
                                         const float *gradient,
                                         const adtape_test_options_t *options,
                                         adtape_test_report_t *report);

// Tests a tangent, from `n` inputs to `m` outputs, and the adjoint of the same program, from `m` to `n`, against each
// other: tangent(d) . w = d . adjoint(w), to rounding. Each is called once more with twice its input, which gives twice
// its result: an adjoint that keeps something from one call to the next is found so. Where they disagree the report
// names inputs and outputs.
//
// Results are 0 before each call. `user` is handed to both; `options` may be NULL: its `direction` is d, `weights` w.
// Returns ADTAPE_STATUS_OK if there is a verdict, `passed` or not; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE;
// ADTAPE_STATUS_BAD_ARGUMENT; ADTAPE_STATUS_IO. `*report` is then unchanged.
// Cost: two calls of each, up to 400 in all (`search_runs`) if they disagree.
// Fortran: `call test_dot(tangent, adjoint, x, y, report, …)`; of x and y, inputs and outputs, only kind and size count.
adtape_status_t adtape_test_dot_f64(adtape_linear_f64_t tangent,
                                    adtape_linear_f64_t adjoint,
                                    void *user,
                                    int64_t n,
                                    int64_t m,
                                    const adtape_test_options_t *options,
                                    adtape_test_report_t *report);

// adtape_test_dot_f64 of float.
adtape_status_t adtape_test_dot_f32(adtape_linear_f32_t tangent,
                                    adtape_linear_f32_t adjoint,
                                    void *user,
                                    int64_t n,
                                    int64_t m,
                                    const adtape_test_options_t *options,
                                    adtape_test_report_t *report);

// The explanation of this thread's last derivative test, of several lines: the verdict, how the remainders fall, the
// branch that changes, the components that disagree. Valid until the thread's next test; empty before the first.
//
// Errors: none. Fortran: `text = test_text()`.
const char *adtape_test_text(void);

/* ---- waypoint -------------------------------------------------------------------------------------------- */

// A waypoint: the forward sweep, and the function that a test calls, pass it with the variable `x` of `n` values, which
// goes by `name`. The reverse sweep passes adtape_waypoint_reverse_f64 at the same place. A gradient that fails
// adtape_test_gradient_f64 is then searched for the two waypoints between which the adjoint becomes wrong, and the
// report names their lines.
//
// While a test searches it may change the values of `x` here. Else nothing happens, so waypoints can stay in a program.
// A name stands for one variable; a place has as many waypoints as it has variables. The library keeps no address.
// Returns ADTAPE_STATUS_OK; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE; ADTAPE_STATUS_BAD_ARGUMENT (the name
// is not UTF-8).
// Cost: a call; in a test also the values are read. Only waypoints of the thread that runs the test count.
// Fortran: `call waypoint_forward(name, x)`, x a scalar or an array of real(8) or real(4).
adtape_status_t adtape_waypoint_forward_f64(const char *name,
                                            int64_t n,
                                            double *x);

// adtape_waypoint_forward_f64 of float.
adtape_status_t adtape_waypoint_forward_f32(const char *name, int64_t n, float *x);

// The reverse sweep passes a waypoint of the forward sweep: what stands behind that is reversed, and `adjoint` is the
// adjoint of `x` there. `x`, name and number of values are those of the forward sweep, and waypoints come in the reverse
// order. A report says where they do not, and where `x` has another value than in the forward sweep.
//
// Returns and cost: as adtape_waypoint_forward_f64. Nothing is changed.
// Fortran: `call waypoint_reverse(name, x, adjoint)`.
adtape_status_t adtape_waypoint_reverse_f64(const char *name,
                                            int64_t n,
                                            const double *x,
                                            const double *adjoint);

// adtape_waypoint_reverse_f64 of float.
adtape_status_t adtape_waypoint_reverse_f32(const char *name, int64_t n, const float *x, const float *adjoint);

#ifdef __cplusplus
}
#endif

#endif
