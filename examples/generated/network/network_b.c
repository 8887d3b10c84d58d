/* network_b.c: the adjoint of loss, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint network.c --head 'loss(loss)/(net)'
 * input: 09ce6c59d95160dd network.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* loss_b takes these for different memory: *net, *x, *label, *layer, *score, *net->first, *net->second. */

#include "network.c"
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#define ADTAPE_OWN_TYPES
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "network_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Sums under `omp simd` are split among the parts of vectors where the compiler gets -fopenmp-simd. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

/* 0 where one of them is 0, also if the other is infinite or no number. */
static double zero_or_product(double partial, double derivative) {
    return derivative == 0.0 || partial == 0.0 ? 0.0 : partial * derivative;
}

#if defined(__GNUC__)
__attribute__((noinline, cold))
#endif
static double quotient_or_infinity_at_pole(double above, double below) {
    if (isunordered(above, below) || above == 0.0 || isinf(below)) return (double)NAN;
    if (isgreater(fabs(below), fabs(above) * 5.6e-309)) return above / below;
    return copysign((double)INFINITY, above) * copysign(1.0, below);
}

/* A quotient; where it is infinite or no number it raises nothing, because nobody may ask for it. */
static double quotient_or_infinity(double above, double below) {
    return isgreater(fabs(below), fabs(above) * 1.0e-300) ? above / below : quotient_or_infinity_at_pole(above, below);
}

/* Inner loops keep their pointers in registers in functions of their own. */
#if defined(__GNUC__) && !defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

static APART double affine_1_fwd(adtape_t *tape, int n, const double *row, const double *x);
static APART void affine_1_rev(adtape_t *tape, int n, double *restrict row_b, double *x, double affine_b);
static APART double affine_fwd(adtape_t *tape, int n, const double *row, const double *x);
static APART void affine_rev(adtape_t *tape, int n, double *row, double *restrict row_b, double *x, double *restrict x_b, double affine_b);
static void loss_fwd(adtape_t *tape, const network *net, int samples, const double *x, const int *label, double *layer, double *score);
static void loss_rev(adtape_t *tape, network *net, network *restrict net_b, int samples, double *x, int *label, double *layer, double *restrict layer_b, double *score, double *restrict score_b, double loss_b);

static double affine_1_fwd(adtape_t *tape, int n, const double *row, const double *x) {
    (void)tape;
    double sum = row[n];
    for (int k = 0; k < n; k++) {
        sum += row[k] * x[k];
    }
    return sum;
}

static void affine_1_rev(adtape_t *tape, int n, double *restrict row_b, double *x, double affine_b) {
    (void)tape;
    /* network.c:11 */
    double sum_b = affine_b;
    /* network.c:13 */
    for (int k = 0; k < n; ++k) {
        /* network.c:14 */
        const double seed = sum_b;
        row_b[k] += x[k] * seed;
    }
    /* network.c:12 */
    const double seed_1 = sum_b;
    sum_b = 0.0;
    row_b[n] += seed_1;
}

static double affine_fwd(adtape_t *tape, int n, const double *row, const double *x) {
    (void)tape;
    double sum = row[n];
    for (int k = 0; k < n; k++) {
        sum += row[k] * x[k];
    }
    return sum;
}

static void affine_rev(adtape_t *tape, int n, double *row, double *restrict row_b, double *x, double *restrict x_b, double affine_b) {
    (void)tape;
    /* network.c:11 */
    double sum_b = affine_b;
    /* network.c:13 */
    for (int k = 0; k < n; ++k) {
        /* network.c:14 */
        const double seed = sum_b;
        row_b[k] += x[k] * seed;
        x_b[k] += row[k] * seed;
    }
    /* network.c:12 */
    const double seed_1 = sum_b;
    sum_b = 0.0;
    row_b[n] += seed_1;
}

static void loss_fwd(adtape_t *tape, const network *net, int samples, const double *x, const int *label, double *layer, double *score) {
    (void)label;
    double *const x_was = (double *)x;
    int s = 0;
    while (s < samples) {
        double largest = (double)-INFINITY;
        double total = 0.0;
        for (int h = 0; h < net->hidden; h++) {
            double result_1 = affine_1_fwd(tape, net->inputs, &net->first[h * (net->inputs + 1)], x);
            adtape_push_f64(tape, layer[h]);
            layer[h] = tanh(result_1);
        }
        for (int c = 0; c < net->classes; c++) {
            double largest_s = largest;
            double result_2 = affine_fwd(tape, net->hidden, &net->second[c * (net->hidden + 1)], layer);
            const double score_was = score[c];
            score[c] = result_2;
            largest = fmax(largest, score[c]);
            adtape_push_record_f64(tape, (const double[]){score_was, largest_s}, 2);
        }
        for (int c = 0; c < net->classes; c++) {
            total += exp(score[c] - largest);
        }
        s++;
        x = (double *)&x[net->inputs];
        adtape_push_record_f64(tape, (const double[]){largest, total}, 2);
    }
    adtape_push_i64(tape, (int64_t)(x - x_was));
}

static void loss_rev(adtape_t *tape, network *net, network *restrict net_b, int samples, double *x, int *label, double *layer, double *restrict layer_b, double *score, double *restrict score_b, double loss_b) {
    /* network.c:20 */
    int64_t x_1_raw;
    adtape_pop_i64(tape, &x_1_raw);
    double *const x_1 = x + x_1_raw;
    double sum_b = loss_b / (double)samples;
    /* network.c:22 */
    double *x_4 = x_1;
    for (int s = samples; s-- > 0;) {
        double record[2];
        adtape_pop_record_f64(tape, record, 2);
        const double total = record[1];
        const double largest = record[0];
        /* network.c:34 */
        const double seed = sum_b;
        double total_b = zero_or_product(quotient_or_infinity(1.0, total), seed);
        double largest_b = seed;
        score_b[label[s]] -= seed;
        /* network.c:31 */
        const int c_1 = net->classes;
        #pragma omp simd reduction(+:largest_b)
        for (int c = 0; c < c_1; ++c) {
            /* network.c:32 */
            const double seed_1 = total_b;
            const double x_2 = score[c] - largest;
            const double seed_2 = exp(x_2) * seed_1;
            score_b[c] += seed_2;
            largest_b -= seed_2;
        }
        /* network.c:27 */
        const int c_3 = net->classes;
        for (int c_2 = c_3; c_2-- > 0;) {
            double record_1[2];
            adtape_pop_record_f64(tape, record_1, 2);
            const double largest_1 = record_1[1];
            /* network.c:29 */
            const double seed_3 = largest_b;
            largest_b = 0.0;
            const double x_3 = score[c_2];
            const int value_1 = isgreaterequal(largest_1, x_3);
            largest_b += (double)(value_1 || x_3 != x_3) * seed_3;
            score_b[c_2] += (double)!(value_1 || x_3 != x_3) * seed_3;
            /* network.c:28 */
            score[c_2] = record_1[0];
            const double seed_4 = score_b[c_2];
            score_b[c_2] = 0.0;
            double result_b = seed_4;
            const double seed_5 = result_b;
            result_b = 0.0;
            affine_rev(tape, net->hidden, (double *)&net->second[c_2 * (net->hidden + 1)], (double *)&net_b->second[c_2 * (net->hidden + 1)], layer, layer_b, seed_5);
        }
        /* network.c:24 */
        const int h_1 = net->hidden;
        for (int h = h_1; h-- > 0;) {
            /* network.c:25 */
            const double result = layer[h];
            adtape_pop_f64(tape, &layer[h]);
            const double seed_6 = layer_b[h];
            layer_b[h] = 0.0;
            double result_b_1 = (1.0 - result) * (1.0 + result) * seed_6;
            const double seed_7 = result_b_1;
            result_b_1 = 0.0;
            double *const x_5 = &x_4[-(long)net->inputs];
            affine_1_rev(tape, net->inputs, (double *)&net_b->first[h * (net->inputs + 1)], x_5, seed_7);
        }
        /* network.c:23 */
        total_b = 0.0;
        largest_b = 0.0;
        double *const x_6 = &x_4[-(long)net->inputs];
        x_4 = x_6;
    }
    /* network.c:21 */
    sum_b = 0.0;
}

void loss_b(const network *net, network *net_b, int samples, const double *x, const int *label, double *layer, double *layer_b, double *score, double *score_b, double loss_b) {
    adtape_t *const tape = adtape_self();
    loss_fwd(tape, net, samples, x, label, layer, score);
    loss_rev(tape, (network *)net, (network *)net_b, samples, (double *)x, (int *)label, (double *)layer, (double *)layer_b, (double *)score, (double *)score_b, loss_b);
}
