/* addresses_b.c: the adjoint of addresses, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint addresses.c --head 'addresses(addresses)/(a)'
 * input: 3e3dd75e40b7d190 addresses.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* addresses_b takes these for different memory: *p, *a. */

#include "addresses.c"
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "addresses_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

static void addresses_fwd(adtape_t *tape, int steps, const double *p, double *a);
static void addresses_rev(adtape_t *tape, int steps, double *p, double *a, double *restrict a_b, double addresses_b);

static void addresses_fwd(adtape_t *tape, int steps, const double *p, double *a) {
    for (int o = 0; o < steps; o++) {
        int i = o;
        int j = o;
        for (int l = 0; l < 10; l++) {
            int k = i - j;
            int m = k + 3 + l;
            i = k + 2 * l;
            const double a_was = a[i];
            a[i] = a[j] * p[k] * a[m];
            j = j + m + 4;
            i = i + j + 1;
            adtape_push_record_f64(tape, (const double[]){a_was, a[j]}, 2);
            a[j] = a[i] * p[k] * a[m];
        }
        adtape_push_record_i32(tape, (const int32_t[]){j, i}, 2);
    }
}

static void addresses_rev(adtape_t *tape, int steps, double *p, double *a, double *restrict a_b, double addresses_b) {
    /* addresses.c:2 */
    double sum_b = addresses_b;
    /* addresses.c:4 */
    for (int o = steps; o-- > 0;) {
        int record[2];
        adtape_pop_record_i32(tape, record, 2);
        const int i = record[1];
        const int j = record[0];
        /* addresses.c:6 */
        int j_1 = j;
        int i_1 = i;
        for (int l = 10; l-- > 0;) {
            /* addresses.c:15 */
            const double seed = sum_b;
            a_b[j_1] += seed;
            /* addresses.c:14 */
            double record_1[2];
            adtape_pop_record_f64(tape, record_1, 2);
            a[j_1] = record_1[1];
            const double seed_1 = a_b[j_1];
            a_b[j_1] = 0.0;
            const int i_2 = i_1 - 1 - j_1;
            const int k = i_2 - 2 * l;
            const int m = k + 3 + l;
            a_b[i_1] += p[k] * (a[m] * seed_1);
            a_b[m] += a[i_1] * p[k] * seed_1;
            /* addresses.c:11 */
            const double seed_2 = sum_b;
            a_b[i_2] += seed_2;
            /* addresses.c:10 */
            a[i_2] = record_1[0];
            const double seed_3 = a_b[i_2];
            a_b[i_2] = 0.0;
            const int j_2 = j_1 - 4 - m;
            a_b[j_2] += p[k] * (a[m] * seed_3);
            a_b[m] += a[j_2] * p[k] * seed_3;
            const int i_3 = k + j_2;
            j_1 = j_2;
            i_1 = i_3;
        }
    }
    /* addresses.c:3 */
    sum_b = 0.0;
}

void addresses_b(int steps, const double *p, double *a, double *a_b, double addresses_b) {
    adtape_t *const tape = adtape_self();
    addresses_fwd(tape, steps, p, a);
    addresses_rev(tape, steps, (double *)p, (double *)a, (double *)a_b, addresses_b);
}
