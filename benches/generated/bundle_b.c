/* bundle_b.c: the adjoint of bundle, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint bundle.c --head 'bundle(bundle)/(camera point weight)'
 * input: 293475017e470321 bundle.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* bundle_b takes these for different memory: *camera_of, *point_of, *found, *camera, *point, *weight. */

#include "bundle.c"
/* Both sweeps must compute the same bits: no product and sum in one rounding. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
/* The reverse sweep has what these stood for. */
__extension__ _Static_assert((CAMERA) == (11), "CAMERA has changed: run adtape again");
__extension__ _Static_assert((CENTRE) == (7), "CENTRE has changed: run adtape again");
__extension__ _Static_assert((DISTORTION) == (9), "DISTORTION has changed: run adtape again");
__extension__ _Static_assert((FOCAL) == (6), "FOCAL has changed: run adtape again");
__extension__ _Static_assert((PLACE) == (3), "PLACE has changed: run adtape again");
__extension__ _Static_assert((ROTATION) == (0), "ROTATION has changed: run adtape again");
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bundle_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
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

static void rotate_fwd(adtape_t *tape, const double *axis, const double *x, double *restrict turned);
static void rotate_rev(adtape_t *tape, double *axis, double *restrict axis_b, double *x, double *restrict x_b, double *restrict turned_b);
static void project_fwd(adtape_t *tape, const double *camera, const double *point, double *restrict picture);
static void project_rev(adtape_t *tape, double *camera, double *restrict camera_b, double *restrict point_b, double *restrict picture_b);
static void bundle_fwd(adtape_t *tape, int observations, const int *camera_of, const int *point_of, const double *found, const double *camera, const double *point, const double *weight);
static void bundle_rev(adtape_t *tape, int observations, int *camera_of, int *point_of, double *found, double *camera, double *restrict camera_b, double *restrict point_b, double *weight, double *restrict weight_b, double bundle_b);

static void rotate_fwd(adtape_t *tape, const double *axis, const double *x, double *restrict turned) {
    const double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    if (square > 0.0) {
        const double angle = sqrt(square), cosine = cos(angle), sine = sin(angle);
        const double w[3] = {axis[0] / angle, axis[1] / angle, axis[2] / angle};
        const double along = (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]) * (1.0 - cosine);
        turned[0] = x[0] * cosine + (w[1] * x[2] - w[2] * x[1]) * sine + w[0] * along;
        turned[1] = x[1] * cosine + (w[2] * x[0] - w[0] * x[2]) * sine + w[1] * along;
        turned[2] = x[2] * cosine + (w[0] * x[1] - w[1] * x[0]) * sine + w[2] * along;
        adtape_push_array_f64(tape, w, 3);
        adtape_push_record_f64(tape, (const double[]){angle, cosine, sine, along}, 4);
        adtape_push_control(tape, 1, 1);
    } else {
        turned[0] = x[0] + axis[1] * x[2] - axis[2] * x[1];
        turned[1] = x[1] + axis[2] * x[0] - axis[0] * x[2];
        turned[2] = x[2] + axis[0] * x[1] - axis[1] * x[0];
        adtape_push_control(tape, 0, 1);
    }
}

static void rotate_rev(adtape_t *tape, double *axis, double *restrict axis_b, double *x, double *restrict x_b, double *restrict turned_b) {
    /* bundle.c:9 */
    double square_b = 0.0;
    /* bundle.c:11 */
    const int arm = (int)adtape_pop_control(tape, 1);
    /* bundle.c:19 */
    if (arm) {
        /* bundle.c:11 */
        double record[4];
        adtape_pop_record_f64(tape, record, 4);
        const double along = record[3];
        const double sine = record[2];
        const double cosine = record[1];
        const double angle = record[0];
        /* bundle.c:13 */
        double w[3];
        double w_b[3];
        memset(w_b, 0, sizeof w_b);
        adtape_pop_array_f64(tape, w, 3);
        /* bundle.c:17 */
        const double seed = turned_b[2];
        turned_b[2] = 0.0;
        x_b[2] += cosine * seed;
        double cosine_b = x[2] * seed;
        w_b[0] += x[1] * (sine * seed);
        x_b[1] += w[0] * (sine * seed);
        const double seed_1 = -(sine * seed);
        w_b[1] += x[0] * seed_1;
        x_b[0] += w[1] * seed_1;
        double sine_b = (w[0] * x[1] - w[1] * x[0]) * seed;
        w_b[2] += along * seed;
        double along_b = w[2] * seed;
        /* bundle.c:16 */
        const double seed_2 = turned_b[1];
        turned_b[1] = 0.0;
        x_b[1] += cosine * seed_2;
        cosine_b += x[1] * seed_2;
        w_b[2] += x[0] * (sine * seed_2);
        x_b[0] += w[2] * (sine * seed_2);
        const double seed_3 = -(sine * seed_2);
        w_b[0] += x[2] * seed_3;
        x_b[2] += w[0] * seed_3;
        sine_b += (w[2] * x[0] - w[0] * x[2]) * seed_2;
        w_b[1] += along * seed_2;
        along_b += w[1] * seed_2;
        /* bundle.c:15 */
        const double seed_4 = turned_b[0];
        turned_b[0] = 0.0;
        x_b[0] += cosine * seed_4;
        cosine_b += x[0] * seed_4;
        w_b[1] += x[2] * (sine * seed_4);
        x_b[2] += w[1] * (sine * seed_4);
        const double seed_5 = -(sine * seed_4);
        w_b[2] += x[1] * seed_5;
        x_b[1] += w[2] * seed_5;
        sine_b += (w[1] * x[2] - w[2] * x[1]) * seed_4;
        w_b[0] += along * seed_4;
        along_b += w[0] * seed_4;
        /* bundle.c:14 */
        const double seed_6 = along_b;
        along_b = 0.0;
        const double seed_7 = (1.0 - cosine) * seed_6;
        w_b[0] += x[0] * seed_7;
        x_b[0] += w[0] * seed_7;
        w_b[1] += x[1] * seed_7;
        x_b[1] += w[1] * seed_7;
        w_b[2] += x[2] * seed_7;
        x_b[2] += w[2] * seed_7;
        cosine_b -= (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]) * seed_6;
        /* bundle.c:13 */
        const double seed_8 = w_b[2];
        w_b[2] = 0.0;
        const double share = seed_8 / angle;
        axis_b[2] += share;
        double angle_b = -(axis[2] / angle * share);
        const double seed_9 = w_b[1];
        w_b[1] = 0.0;
        const double share_1 = seed_9 / angle;
        axis_b[1] += share_1;
        angle_b -= axis[1] / angle * share_1;
        const double seed_10 = w_b[0];
        w_b[0] = 0.0;
        const double share_2 = seed_10 / angle;
        axis_b[0] += share_2;
        angle_b -= axis[0] / angle * share_2;
        /* bundle.c:12 */
        const double seed_11 = sine_b;
        sine_b = 0.0;
        angle_b += cosine * seed_11;
        const double seed_12 = cosine_b;
        cosine_b = 0.0;
        angle_b += -sine * seed_12;
        const double seed_13 = angle_b;
        angle_b = 0.0;
        square_b += zero_or_product(quotient_or_infinity(0.5, angle), seed_13);
    } else {
        /* bundle.c:21 */
        const double seed_14 = turned_b[2];
        turned_b[2] = 0.0;
        x_b[2] += seed_14;
        axis_b[0] += x[1] * seed_14;
        x_b[1] += axis[0] * seed_14;
        axis_b[1] += x[0] * -seed_14;
        x_b[0] += axis[1] * -seed_14;
        /* bundle.c:20 */
        const double seed_15 = turned_b[1];
        turned_b[1] = 0.0;
        x_b[1] += seed_15;
        axis_b[2] += x[0] * seed_15;
        x_b[0] += axis[2] * seed_15;
        axis_b[0] += x[2] * -seed_15;
        x_b[2] += axis[0] * -seed_15;
        /* bundle.c:19 */
        const double seed_16 = turned_b[0];
        turned_b[0] = 0.0;
        x_b[0] += seed_16;
        axis_b[1] += x[2] * seed_16;
        x_b[2] += axis[1] * seed_16;
        axis_b[2] += x[1] * -seed_16;
        x_b[1] += axis[2] * -seed_16;
    }
    /* bundle.c:10 */
    const double seed_17 = square_b;
    square_b = 0.0;
    axis_b[0] += axis[0] * seed_17;
    axis_b[0] += axis[0] * seed_17;
    axis_b[1] += axis[1] * seed_17;
    axis_b[1] += axis[1] * seed_17;
    axis_b[2] += axis[2] * seed_17;
    axis_b[2] += axis[2] * seed_17;
}

static void project_fwd(adtape_t *tape, const double *camera, const double *point, double *restrict picture) {
    double from[3], seen[3];
    for (int i = 0; i < 3; i++) from[i] = point[i] - camera[PLACE + i];
    rotate_fwd(tape, camera, from, seen);
    const double a = seen[0] / seen[2], b = seen[1] / seen[2];
    const double square = a * a + b * b;
    const double bend = 1.0 + camera[DISTORTION] * square + camera[DISTORTION + 1] * square * square;
    picture[0] = a * bend * camera[FOCAL] + camera[CENTRE];
    picture[1] = b * bend * camera[FOCAL] + camera[CENTRE + 1];
    adtape_push_array_f64(tape, from, 3);
    adtape_push_array_f64(tape, seen, 3);
    adtape_push_record_f64(tape, (const double[]){a, b}, 2);
}

static void project_rev(adtape_t *tape, double *camera, double *restrict camera_b, double *restrict point_b, double *restrict picture_b) {
    /* bundle.c:25 */
    double record[2];
    adtape_pop_record_f64(tape, record, 2);
    const double b = record[1];
    const double a = record[0];
    /* bundle.c:26 */
    double seen[3];
    double seen_b[3];
    memset(seen_b, 0, sizeof seen_b);
    adtape_pop_array_f64(tape, seen, 3);
    double from[3];
    double from_b[3];
    memset(from_b, 0, sizeof from_b);
    adtape_pop_array_f64(tape, from, 3);
    /* bundle.c:33 */
    const double seed = picture_b[1];
    picture_b[1] = 0.0;
    const double seed_1 = camera[6] * seed;
    const double square = a * a + b * b;
    const double bend = 1.0 + camera[9] * square + camera[10] * square * square;
    double b_b = bend * seed_1;
    double bend_b = b * seed_1;
    camera_b[6] += b * bend * seed;
    camera_b[8] += seed;
    /* bundle.c:32 */
    const double seed_2 = picture_b[0];
    picture_b[0] = 0.0;
    const double seed_3 = camera[6] * seed_2;
    double a_b = bend * seed_3;
    bend_b += a * seed_3;
    camera_b[6] += a * bend * seed_2;
    camera_b[7] += seed_2;
    /* bundle.c:31 */
    const double seed_4 = bend_b;
    bend_b = 0.0;
    camera_b[9] += square * seed_4;
    double square_b = camera[9] * seed_4;
    camera_b[10] += square * (square * seed_4);
    square_b += camera[10] * (square * seed_4);
    square_b += camera[10] * square * seed_4;
    /* bundle.c:30 */
    const double seed_5 = square_b;
    square_b = 0.0;
    a_b += a * seed_5;
    a_b += a * seed_5;
    b_b += b * seed_5;
    b_b += b * seed_5;
    /* bundle.c:29 */
    const double seed_6 = b_b;
    b_b = 0.0;
    const double share = seed_6 / seen[2];
    seen_b[1] += share;
    seen_b[2] -= b * share;
    const double seed_7 = a_b;
    a_b = 0.0;
    const double share_1 = seed_7 / seen[2];
    seen_b[0] += share_1;
    seen_b[2] -= a * share_1;
    /* bundle.c:28 */
    rotate_rev(tape, camera, camera_b, from, from_b, seen_b);
    /* bundle.c:27 */
    for (int i = 0; i < 3; ++i) {
        const double seed_8 = from_b[i];
        from_b[i] = 0.0;
        point_b[i] += seed_8;
        camera_b[3 + i] -= seed_8;
    }
}

static void bundle_fwd(adtape_t *tape, int observations, const int *camera_of, const int *point_of, const double *found, const double *camera, const double *point, const double *weight) {
    for (int o = 0; o < observations; o++) {
        double picture[2];
        project_fwd(tape, &camera[11 * camera_of[o]], &point[3 * point_of[o]], picture);
        const double dx = weight[o] * (picture[0] - found[2 * o]), dy = weight[o] * (picture[1] - found[2 * o + 1]);
        adtape_push_array_f64(tape, picture, 2);
        adtape_push_record_f64(tape, (const double[]){dx, dy}, 2);
    }
}

static void bundle_rev(adtape_t *tape, int observations, int *camera_of, int *point_of, double *found, double *camera, double *restrict camera_b, double *restrict point_b, double *weight, double *restrict weight_b, double bundle_b) {
    /* bundle.c:36 */
    double sum_b = 0.5 * bundle_b;
    /* bundle.c:39 */
    for (int o = observations; o-- > 0;) {
        double record[2];
        adtape_pop_record_f64(tape, record, 2);
        const double dy = record[1];
        const double dx = record[0];
        /* bundle.c:40 */
        double picture[2];
        double picture_b[2];
        memset(picture_b, 0, sizeof picture_b);
        adtape_pop_array_f64(tape, picture, 2);
        /* bundle.c:43 */
        const double seed = sum_b;
        double dx_b = dx * seed;
        dx_b += dx * seed;
        double dy_b = dy * seed;
        dy_b += dy * seed;
        /* bundle.c:42 */
        const double seed_1 = dy_b;
        dy_b = 0.0;
        weight_b[o] += (picture[1] - found[2 * o + 1]) * seed_1;
        picture_b[1] += weight[o] * seed_1;
        const double seed_2 = dx_b;
        dx_b = 0.0;
        weight_b[o] += (picture[0] - found[2 * o]) * seed_2;
        picture_b[0] += weight[o] * seed_2;
        /* bundle.c:41 */
        project_rev(tape, &camera[11 * camera_of[o]], &camera_b[11 * camera_of[o]], &point_b[3 * point_of[o]], picture_b);
    }
    /* bundle.c:38 */
    sum_b = 0.0;
}

void bundle_b(int observations, const int *camera_of, const int *point_of, const double *found, const double *camera, double *camera_b, const double *point, double *point_b, const double *weight, double *weight_b, double bundle_b) {
    adtape_t *const tape = adtape_self();
    bundle_fwd(tape, observations, camera_of, point_of, found, camera, point, weight);
    bundle_rev(tape, observations, (int *)camera_of, (int *)point_of, (double *)found, (double *)camera, (double *)camera_b, (double *)point_b, (double *)weight, (double *)weight_b, bundle_b);
}
