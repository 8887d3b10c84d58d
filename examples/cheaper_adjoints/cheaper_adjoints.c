/* Cheaper adjoints, Fig. 8(a) wrapped by Fig. 10, ilB = 10: recovering indices from the tape or by inversion.
 *
 * What it shows: the adjoint of line 7 or 11 needs the indices i, j, k, m that the forward sweep used. Store-all (Ps)
 * pushes each before it is overwritten: 52 integers an outer step. Inversion (Pi) runs the index
 * computations backwards from the last i and j: 2 integers an outer step. The counts are Table 1's and are taken
 * from the tape's profile of the running loops.
 *
 * Fig. 8(b) as extracted has misprints (t1 for t, l>=0 for l>0, the increments of lines 9, 10, 15, 16) and no bars.
 * Here the adjoint of `v = u * p * w` is right also where two of its indices are equal, which happens.
 *
 * The dependent is c, the sum of all values that lines 7 and 11 assign. It is linear and its indices are at hand,
 * so nothing is pushed for it.
 *
 *   cheaper_adjoints [olB]      by default 1000000 */
#include "../common/example.h"

enum { ilB = 10, p_count = 82 };

/* Table 1's "size of a" is the largest index, olB + 499. */
static int64_t a_count(int olB) { return (int64_t)olB + 500; }

/* ---- original code ------------------------------------------------------------------------------ */

static double original(int olB, double *a, const double *p) {
    double c = 0.0;
    int o = 0;
    while (o < olB) {
        int i, j, k, l, m;
        i = j = o;
        l = 0;
        while (l < ilB) {
            k = i - j;
            m = k + 3 + l;
            i = k + 2 * l;
            a[i] = a[j] * p[k] * a[m];
            c = c + a[i];
            j = j + m + 4;
            i = i + j + 1;
            a[j] = a[i] * p[k] * a[m];
            c = c + a[j];
            l = l + 1;
        }
        o = o + 1;
    }
    return c;
}

/* ---- adjoint of v = u * p * w ------------------------------------------------------------------- */

/* All three may be the same element of a: its bar is read and cleared before any is added to. */
static inline void product_b(double *ab, int v, int u, int w, double p, const double *a) {
    const double vb = ab[v];
    ab[v] = 0.0;
    ab[u] = ab[u] + p * a[w] * vb;
    ab[w] = ab[w] + a[u] * p * vb;
}

/* What a variant reports about its tape between the sweeps. */
typedef struct {
    uint64_t bytes, integers, floats, integers_popped, floats_popped;
    double forward_seconds, reverse_seconds, c;
} sweeps_t;

static uint64_t elements(adtape_t *t, adtape_type_t type, int32_t operation) {
    adtape_traffic_t traffic;
    expect_ok(adtape_stats_traffic(t, type, operation, &traffic));
    return traffic.elements;
}
static void after_forward(adtape_t *t, sweeps_t *s, double start, double c) {
    s->forward_seconds = seconds() - start;
    s->c = c;
    s->bytes = tape_bytes(t);
    s->integers = elements(t, ADTAPE_TYPE_I32, ADTAPE_OPERATION_PUSH);
    s->floats = elements(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_PUSH);
}
static void after_reverse(adtape_t *t, sweeps_t *s, double start) {
    s->reverse_seconds = seconds() - start;
    s->integers_popped = elements(t, ADTAPE_TYPE_I32, ADTAPE_OPERATION_POP);
    s->floats_popped = elements(t, ADTAPE_TYPE_F64, ADTAPE_OPERATION_POP);
}

/* ---- Ps: all indices stored --------------------------------------------------------------------- */

static void store_all(adtape_t *t, int olB, double *a, double *ab, const double *p, sweeps_t *s) {
    int i = 0, j = 0, k = 0, l, m = 0, o = 0;
    double c = 0.0, start = seconds();
    const double cb = 1.0;

    while (o < olB) {
        i = j = o;
        l = 0;
        while (l < ilB) {
            adtape_push_i32(t, k);
            k = i - j;
            adtape_push_i32(t, m);
            m = k + 3 + l;
            adtape_push_i32(t, i);
            i = k + 2 * l;
            adtape_push_f64(t, a[i]);
            a[i] = a[j] * p[k] * a[m];
            c = c + a[i];
            adtape_push_i32(t, j);
            j = j + m + 4;
            adtape_push_i32(t, i);
            i = i + j + 1;
            adtape_push_f64(t, a[j]);
            a[j] = a[i] * p[k] * a[m];
            c = c + a[j];
            l = l + 1;
        }
        adtape_push_i32(t, i);
        adtape_push_i32(t, j);
        o = o + 1;
    }

    after_forward(t, s, start, c);
    start = seconds();

    while (o > 0) {
        o = o - 1;
        adtape_pop_i32(t, &j);
        adtape_pop_i32(t, &i);
        l = ilB;
        while (l > 0) {
            l = l - 1;
            ab[j] = ab[j] + cb;
            adtape_pop_f64(t, &a[j]);
            product_b(ab, j, i, m, p[k], a);
            adtape_pop_i32(t, &i);
            adtape_pop_i32(t, &j);
            ab[i] = ab[i] + cb;
            adtape_pop_f64(t, &a[i]);
            product_b(ab, i, j, m, p[k], a);
            adtape_pop_i32(t, &i);
            adtape_pop_i32(t, &m);
            adtape_pop_i32(t, &k);
        }
    }
    after_reverse(t, s, start);
}

/* ---- Pi: indices recovered by inversion --------------------------------------------------------- */

static void inversion(adtape_t *t, int olB, double *a, double *ab, const double *p, sweeps_t *s) {
    int i = 0, j = 0, k, l, m, o = 0;
    double c = 0.0, start = seconds();
    const double cb = 1.0;

    while (o < olB) {
        i = j = o;
        l = 0;
        while (l < ilB) {
            k = i - j;
            m = k + 3 + l;
            i = k + 2 * l;
            adtape_push_f64(t, a[i]);
            a[i] = a[j] * p[k] * a[m];
            c = c + a[i];
            j = j + m + 4;
            i = i + j + 1;
            adtape_push_f64(t, a[j]);
            a[j] = a[i] * p[k] * a[m];
            c = c + a[j];
            l = l + 1;
        }
        adtape_push_i32(t, i);
        adtape_push_i32(t, j);
        o = o + 1;
    }

    after_forward(t, s, start, c);
    start = seconds();

    while (o > 0) {
        o = o - 1;
        adtape_pop_i32(t, &j);
        adtape_pop_i32(t, &i);
        l = ilB;
        while (l > 0) {
            int before;
            before = i - j - 1; /* 1: line 9 inverted; i itself is still needed */
            l = l - 1;          /* 2: line 12 inverted */
            k = before - 2 * l; /* 3: line 5 inverted */
            m = k + 3 + l;      /* 4: line 4 run forward */
            ab[j] = ab[j] + cb;
            adtape_pop_f64(t, &a[j]);
            product_b(ab, j, i, m, p[k], a);
            i = before;
            j = j - m - 4; /* 5: line 8 inverted */
            ab[i] = ab[i] + cb;
            adtape_pop_f64(t, &a[i]);
            product_b(ab, i, j, m, p[k], a);
            i = k + j; /* 6: line 3 inverted */
        }
    }
    after_reverse(t, s, start);
}

/* ---- checks ------------------------------------------------------------------------------------- */

/* a[15] is multiplied by a[o+29], which contains the a[15] of ten steps before, so that its logarithm and its
 * relative derivatives grow like 1.2^o whatever the data. Magnitudes of 1 up to a[499] keep it at 1 while the
 * factors a[5] to a[93] still change, until o = 86; smaller ones beyond bring it to 0 soon after. From there on
 * l = 0 to 3 produce zeros and l = 4 to 9 products of a few factors, in every outer step. */
static void first_values(int olB, double *a, double *p) {
    for (int64_t i = 0; i < a_count(olB); i++) {
        a[i] = copysign(i < 500 ? 1.0 : 1.0 - 0.1 * fabs(noise(i + 17)), noise(i + 1));
    }
    for (int k = 0; k < p_count; k++) {
        p[k] = copysign(1.0, noise(k + 91));
    }
}

/* The original code on complex numbers: c of a. */
typedef struct constants {
    int olB;
    const double *p;
} constants_t;

static void original_complex(int64_t count, const void *first, double *value, void *user) {
    const constants_t *constants = user;
    const double *p = constants->p;
    double complex *z = allocate(count, sizeof *z), c = 0.0;
    memcpy(z, first, (size_t)count * sizeof *z);
    for (int o = 0; o < constants->olB; o++) {
        int i = o, j = o;
        for (int l = 0; l < ilB; l++) {
            const int k = i - j, m = k + 3 + l;
            i = k + 2 * l;
            z[i] = z[j] * p[k] * z[m];
            c += z[i];
            j = j + m + 4;
            i = i + j + 1;
            z[j] = z[i] * p[k] * z[m];
            c += z[j];
        }
    }
    value[0] = creal(c), value[1] = cimag(c);
    free(z);
}

typedef void variant_t(adtape_t *t, int olB, double *a, double *ab, const double *p, sweeps_t *s);

/* Runs a variant twice, the second time with profile statistics; gradient in ab. */
static void run(const char *name, variant_t *variant, adtape_t *t, int olB, const double *first, const double *p,
                double *a, double *ab, double c, int integers_each) {
    const size_t a_bytes = (size_t)a_count(olB) * sizeof *a;
    const uint64_t steps = (uint64_t)olB;
    double *again = allocate(a_count(olB), sizeof *again);
    sweeps_t timed, counted;
    char label[80];

    memcpy(a, first, a_bytes);
    memset(ab, 0, a_bytes);
    variant(t, olB, a, ab, p, &timed);
    snprintf(label, sizeof label, "%s restores a", name);
    check_same_bits(label, a, first, a_count(olB));

    expect_ok(adtape_stats_set_profile(t, true));
    expect_ok(adtape_stats_reset(t));
    variant(t, olB, a, again, p, &counted);
    expect_ok(adtape_stats_set_profile(t, false));
    snprintf(label, sizeof label, "%s computes the same gradient under profile", name);
    check_same_bits(label, again, ab, a_count(olB));

    snprintf(label, sizeof label, "%s integers on the tape", name);
    check_count(label, counted.integers, (uint64_t)integers_each * steps);
    snprintf(label, sizeof label, "%s floats on the tape", name);
    check_count(label, counted.floats, 20 * steps);
    snprintf(label, sizeof label, "%s integers and floats popped", name);
    check_count(label, counted.integers_popped + counted.floats_popped, counted.integers + counted.floats);
    snprintf(label, sizeof label, "%s tape bytes", name);
    check_count(label, timed.bytes, ((uint64_t)integers_each * 4 + 160) * steps);
    snprintf(label, sizeof label, "%s forward sweep's result", name);
    check_close(label, timed.c, c, 1.0, 0.0);
    snprintf(label, sizeof label, "%s microseconds", name);
    report_real(label, 1e6 * (timed.forward_seconds + timed.reverse_seconds));
    check_tape_empty("bytes on the tape after the adjoint", t);
    free(again);
}

int main(int argc, char **argv) {
    adtape_t *t = adtape_self();
    const int olB = (int)argument(argc, argv, 1, 1000000);
    double *first = allocate(a_count(olB), sizeof *first), *a = allocate(a_count(olB), sizeof *a);
    double *stored = allocate(a_count(olB), sizeof *stored), *inverted = allocate(a_count(olB), sizeof *inverted);
    double p[p_count], c, start;

    first_values(olB, first, p);
    memcpy(a, first, (size_t)a_count(olB) * sizeof *a);
    start = seconds();
    c = original(olB, a, p);
    report_count("olB", (uint64_t)olB);
    report_count("size of a (largest index)", (uint64_t)a_count(olB) - 1);
    report_real("P microseconds", 1e6 * (seconds() - start));

    run("Ps", store_all, t, olB, first, p, a, stored, c, 52);
    run("Pi", inversion, t, olB, first, p, a, inverted, c, 2);
    check_same_bits("both gradients are equal bit for bit", stored, inverted, a_count(olB));
    for (int64_t i = 0; i < a_count(olB); i++) {
        a[i] = noise(i + 123);
    }
    check_error("gradient in a direction against a complex step",
                error_of_complex_step(original_complex, &(constants_t){olB, p}, a_count(olB), first, inverted, a, 1e-12),
                1e-12);
    report_real("c", c);
    free(first), free(a), free(stored), free(inverted);
    return finish();
}
