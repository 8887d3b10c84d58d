/* Figures 1 and 2 of the paper, and one program for each of its categories of memory references, in the style of generated code.
 *
 *   C1.a  a named variable                             the adjoint has a name
 *   C1.b  through a pointer that is set once           its assignment is repeated
 *   C2    the same with an offset that varies          the offset is recovered
 *   C3    named memory on the heap                     its size is recovered, and it is allocated again
 *   C4    a computed address on the stack              Alg. 2
 *   C5    unnamed memory on the heap                   Alg. 2
 *
 * Each has n inputs and one output, the sum of what it computes of one input, or of two neighbours. A trailing `b` is an
 * adjoint. No call of the library but push and pop is needed up to C3. */
#include "blocks.h"

/* Sweeps of a part of the program that has one or two inputs. */
typedef double part_t(double u, double v);
typedef double forward_t(adtape_t *t, double u, double v);
typedef void adjoint_t(adtape_t *t, double yb, double *ub, double *vb);

/* ---- C1.a: Fig. 1, x(3) ------------------------------------------------------------------------------ */

static double c1a(double u, double v) {
    double x[10], y;
    x[3] = sin(u);
    y = x[3] * v;
    x[3] = x[3] * x[3];
    return y + x[3];
}
static double c1a_f(adtape_t *t, double u, double v) {
    double x[10], y;
    adtape_push_f64(t, u);
    adtape_push_f64(t, v);
    x[3] = sin(u);
    y = x[3] * v;
    adtape_push_f64(t, x[3]);
    x[3] = x[3] * x[3];
    return y + x[3];
}
static void c1a_b(adtape_t *t, double yb, double *ub, double *vb) {
    double x[10], xb[10] = {0}, u, v;
    xb[3] += yb;
    adtape_pop_f64(t, &x[3]);
    xb[3] = 2.0 * x[3] * xb[3];
    adtape_pop_f64(t, &v);
    adtape_pop_f64(t, &u);
    xb[3] += v * yb;
    *vb += x[3] * yb;
    *ub += cos(u) * xb[3];
}

/* ---- C1.b: Fig. 1, float f00(float *p) ----------------------------------------------------------------- */

static double f00(const double *p) { return *p * *p * 2.0; }
static void f00_b(const double *p, double *pb, double rb) { *pb += 4.0 * *p * rb; }

static double c1b(double u, double v) { return f00(&u) * f00(&v); }
static double c1b_f(adtape_t *t, double u, double v) {
    adtape_push_f64(t, u);
    adtape_push_f64(t, v);
    return f00(&u) * f00(&v);
}
static void c1b_b(adtape_t *t, double yb, double *ub, double *vb) {
    double u, v;
    adtape_pop_f64(t, &v);
    adtape_pop_f64(t, &u);
    f00_b(&u, ub, f00(&v) * yb);
    f00_b(&v, vb, f00(&u) * yb);
}

/* ---- C2: Fig. 2, *(a + i) = r[i] ------------------------------------------------------------------------ */

static int index_of(double u) { return (int)(fabs(u) * 1000.0) % 10; }

static double c2(double u, double v) {
    double a[10] = {0}, r[10], y = 0.0;
    for (int i = 0; i < 10; i++) {
        r[i] = u * (i + 1);
    }
    for (int j = 0; j < 3; j++) {
        const int i = (index_of(u) + j * index_of(v)) % 10;
        *(a + i) = r[i] * (a[i] + v);
    }
    for (int i = 0; i < 10; i++) {
        y += a[i];
    }
    return y;
}
static double c2_f(adtape_t *t, double u, double v) {
    double a[10] = {0}, r[10], y = 0.0;
    for (int i = 0; i < 10; i++) {
        r[i] = u * (i + 1);
    }
    for (int j = 0; j < 3; j++) {
        const int i = (index_of(u) + j * index_of(v)) % 10;
        adtape_push_f64(t, a[i]);
        *(a + i) = r[i] * (a[i] + v);
        adtape_push_i32(t, i);
    }
    adtape_push_array_f64(t, r, 10);
    adtape_push_f64(t, v);
    for (int i = 0; i < 10; i++) {
        y += a[i];
    }
    return y;
}
static void c2_b(adtape_t *t, double yb, double *ub, double *vb) {
    double a[10], ab[10], r[10], rb[10] = {0}, v;
    for (int i = 0; i < 10; i++) {
        ab[i] = yb;
    }
    adtape_pop_f64(t, &v);
    adtape_pop_array_f64(t, r, 10);
    for (int j = 2; j >= 0; j--) {
        int32_t i;
        adtape_pop_i32(t, &i); /* recover i */
        adtape_pop_f64(t, &a[i]);
        rb[i] += (a[i] + v) * *(ab + i);
        *vb += r[i] * *(ab + i);
        *(ab + i) = r[i] * *(ab + i);
    }
    for (int i = 0; i < 10; i++) {
        *ub += (i + 1) * rb[i];
    }
}

/* ---- C3: Fig. 2, allocate (x(n)) ------------------------------------------------------------------------- */

static double c3(double u, double v) {
    const int64_t n = 1 + index_of(v);
    double *x = allocate(n, sizeof *x), y = 0.0;
    for (int64_t j = 0; j < n; j++) {
        x[j] = u * v + (double)j;
        y += x[j] * x[j];
    }
    free(x);
    return y;
}
static double c3_f(adtape_t *t, double u, double v) {
    const int64_t n = 1 + index_of(v);
    double *x = take((size_t)n * sizeof *x), y = 0.0;
    for (int64_t j = 0; j < n; j++) {
        x[j] = u * v + (double)j;
        y += x[j] * x[j];
    }
    adtape_push_array_f64(t, x, n);
    adtape_push_count(t, n);
    give(x);
    adtape_push_f64(t, u);
    adtape_push_f64(t, v);
    return y;
}
static void c3_b(adtape_t *t, double yb, double *ub, double *vb) {
    double *x, *xb, u, v;
    int64_t n;
    adtape_pop_f64(t, &v);
    adtape_pop_f64(t, &u);
    n = adtape_pop_count(t); /* recover n */
    xb = memset(take((size_t)n * sizeof *xb), 0, (size_t)n * sizeof *xb);
    x = take((size_t)n * sizeof *x);
    adtape_pop_array_f64(t, x, n);
    for (int64_t j = n - 1; j >= 0; j--) {
        xb[j] += 2.0 * x[j] * yb;
        *ub += v * xb[j];
        *vb += u * xb[j];
        xb[j] = 0.0;
    }
    give(x);
    give(xb);
}

/* ---- C4: a computed address on the stack ------------------------------------------------------------------- */

static double c4(double u, double v) {
    const double *p = u > v ? &u : &v;
    return *p * *p;
}
static double c4_f(adtape_t *t, double u, double v) {
    double a = u, b = v, y, *p;
    adtape_live_add(NULL, &a, sizeof a, ADTAPE_KIND_STACK, "a"); /* line 3 */
    adtape_live_add(NULL, &b, sizeof b, ADTAPE_KIND_STACK, "b");
    p = a > b ? &a : &b;
    y = *p * *p;
    push_pointer(t, p); /* 18: p is needed, and goes */
    adtape_push_f64(t, a);
    adtape_push_f64(t, b);
    adtape_live_end(t, NULL, &b); /* 4 */
    adtape_live_end(t, NULL, &a);
    return y;
}
/* Its frame has other variables, and lies elsewhere. */
static void c4_b(adtape_t *t, double yb, double *ub, double *vb) {
    double ab = 0.0, a = 0.0, bb = 0.0, b = 0.0, *p, *pb;
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range); /* 6 */
    adtape_rebase_add(NULL, &range, &a, &ab, sizeof ab);
    moved_ += range.base != &a;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, &b, &bb, sizeof bb);
    moved_ += range.base != &b;
    reborn_ += 2;
    adtape_pop_f64(t, &b);
    adtape_pop_f64(t, &a);
    pop_pointer(t, (void **)&p, (void **)&pb); /* 20 */
    *pb += 2.0 * *p * yb;
    adtape_rebase_remove(NULL, &b); /* 7 */
    adtape_rebase_remove(NULL, &a);
    *ub += ab;
    *vb += bb;
}

/* ---- C5: unnamed memory on the heap ------------------------------------------------------------------------ */

static double c5(double u, double v) {
    double *x = allocate(10, sizeof *x), *p = x + index_of(v), y;
    *p = u * v;
    y = *p * *p;
    free(x);
    return y;
}
static double c5_f(adtape_t *t, double u, double v) {
    double *x = birth(t, 10 * sizeof *x, "x (double[10])"), *p, y; /* line 10 */
    p = x + index_of(v);
    *p = u * v;
    y = *p * *p;
    push_pointer(t, p); /* 18 */
    adtape_push_array_f64(t, x, 10);
    death(t, x); /* 13 */
    adtape_push_f64(t, u);
    adtape_push_f64(t, v);
    return y;
}
static void c5_b(adtape_t *t, double yb, double *ub, double *vb) {
    double *x, *p, *pb, u, v;
    void *xb;
    adtape_pop_f64(t, &v);
    adtape_pop_f64(t, &u);
    x = rebirth(t, &xb); /* 14 */
    adtape_pop_array_f64(t, x, 10);
    pop_pointer(t, (void **)&p, (void **)&pb); /* 20 */
    *pb += 2.0 * *p * yb;
    *ub += v * *pb;
    *vb += u * *pb;
    unborn(t, x); /* 11 */
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

static part_t *part;
static forward_t *part_f;
static adjoint_t *part_b;

static double original(int64_t n, const double *x) {
    double y = 0.0;
    for (int64_t i = 0; i < n; i++) {
        y += part(x[i], x[(i + 1) % n]);
    }
    return y;
}
static double forward_sweep(adtape_t *t, int64_t n, const double *x) {
    double y = 0.0;
    for (int64_t i = 0; i < n; i++) {
        y += part_f(t, x[i], x[(i + 1) % n]);
    }
    return y;
}
static void adjoint(adtape_t *t, int64_t n, const double *x, double *xb) {
    (void)x;
    begin_reverse();
    for (int64_t i = n - 1; i >= 0; i--) {
        part_b(t, 1.0, &xb[i], &xb[(i + 1) % n]);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *heading;
        part_t *original;
        forward_t *forward_sweep;
        adjoint_t *adjoint;
        int addresses; /* are restored */
    } categories[] = {
        {"C1.a: a named variable", c1a, c1a_f, c1a_b, 0},
        {"C1.b: through a pointer that is set once", c1b, c1b_f, c1b_b, 0},
        {"C2: with an offset that varies", c2, c2_f, c2_b, 0},
        {"C3: named memory on the heap", c3, c3_f, c3_b, 0},
        {"C4: a computed address on the stack", c4, c4_f, c4_b, 1},
        {"C5: unnamed memory on the heap", c5, c5_f, c5_b, 2},
    };
    static const program_t program = {original, forward_sweep, adjoint};
    argc = choose_memory(argc, argv);
    const int64_t n = argument(argc, argv, 1, 10000);
    double *x = allocate(n, sizeof *x), *xb = allocate(n, sizeof *xb);
    for (int64_t i = 0; i < n; i++) {
        /* Not near to where an index or a branch changes. */
        x[i] = (floor(1000.0 * noise(i)) + 0.5) / 1000.0;
    }
    for (size_t k = 0; k < sizeof categories / sizeof *categories; k++) {
        part = categories[k].original;
        part_f = categories[k].forward_sweep;
        part_b = categories[k].adjoint;
        printf("---- %s\n", categories[k].heading);
        if (categories[k].addresses == 2) {
            check_over_both(&program, n, x, 1e-5, 1e-8);
        } else {
            const double value = forward_sweep(adtape_self(), n, x), plain = original(n, x);
            check_same_bits("the forward sweep computes what the original computes", &value, &plain, 1);
            memset(xb, 0, (size_t)n * sizeof *xb);
            adjoint(adtape_self(), n, x, xb);
            check_tape_empty("bytes on the tape after the adjoint", adtape_self());
            check_gradient(&program, n, x, xb, 1e-5, 1e-8);
            if (categories[k].addresses) {
                check_count("variables that came back elsewhere", moved_ > 0, 1);
            }
            reborn_ = moved_ = 0;
            reversing_ = 0;
        }
    }
    free(x), free(xb);
    return finish();
}
