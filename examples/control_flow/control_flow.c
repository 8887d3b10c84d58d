/* Control flow reversal: branch ids, loop counters and block ids on the tape.
 *
 * 1. The example of section 2 of the paper: branch ids in one bit, one loop counter. Its adjoint as printed assigns
 *    y_adj(1) and y_adj(2) where it has to add to them; here all three rows of the Jacobian are right.
 * 2. A structured graph, nested: Kepler's equation for n orbits, a three-way branch (two bits) around the start of
 *    a Newton iteration whose number of steps depends on the data (a counter for each orbit, one byte).
 * 3. An unstructured graph: five blocks joined by gotos, with a loop that is entered at two places. Each block
 *    pushes its id; the reverse sweep pops ids and runs the adjoint blocks ("the most general reversal
 *    algorithm", section 5). Ids in three bits, or a byte each as counters: same gradient, bytes of both.
 *
 *   control_flow [n]     n: orbits and members of 2 and 3, by default 100000 */
#include "../common/example.h"

/* ==== 1. The example of section 2 ================================================================ */

static void section2(const double *x, double *y) {
    int i = 1;
    while (i < 3) {
        if (i < 2) {
            y[2] = sin(x[1]);
        } else {
            y[1] = cos(x[2]);
        }
        i = i + 1;
    }
    y[3] = y[1] * y[2];
}

static void section2_forward(adtape_t *t, const double *x, double *y) {
    int i = 1, ctr = 0;
    while (i < 3) {
        if (i < 2) {
            y[2] = sin(x[1]);
            adtape_push_control(t, 1, 1);
        } else {
            y[1] = cos(x[2]);
            adtape_push_control(t, 0, 1);
        }
        i = i + 1;
        ctr = ctr + 1;
    }
    adtape_push_count(t, ctr);
    y[3] = y[1] * y[2];
}

static void section2_adjoint(adtape_t *t, const double *x, double *xb, const double *y, double *yb) {
    int64_t rBound;
    yb[1] = yb[1] + y[2] * yb[3];
    yb[2] = yb[2] + y[1] * yb[3];
    yb[3] = 0.0;
    rBound = adtape_pop_count(t);
    for (int64_t rCtr = 1; rCtr <= rBound; rCtr++) {
        const uint64_t branchId = adtape_pop_control(t, 1);
        if (branchId == 1) {
            xb[1] = xb[1] + cos(x[1]) * yb[2];
            yb[2] = 0.0;
        } else {
            xb[2] = xb[2] - sin(x[2]) * yb[1];
            yb[1] = 0.0;
        }
    }
}

static void run_section2(adtape_t *t) {
    const double x[3] = {0.0, 0.6, -1.1}, s1 = sin(x[1]), c1 = cos(x[1]), s2 = sin(x[2]), c2 = cos(x[2]);
    const double jacobian[4][3] = {{0, 0, 0}, {0, 0, -s2}, {0, c1, 0}, {0, c1 * c2, -s1 * s2}};
    double plain[4], y[4] = {0.0}, worst = 0.0;

    printf("-- the example of section 2\n");
    section2(x, plain);
    for (int row = 1; row <= 3; row++) {
        double xb[3] = {0.0}, yb[4] = {0.0};
        section2_forward(t, x, y);
        if (row == 1) {
            check_same_bits("section 2: the forward sweep computes what the original computes", y + 1, plain + 1, 3);
            report_count("section 2: tape bytes", tape_bytes(t));
        }
        yb[row] = 1.0;
        section2_adjoint(t, x, xb, y, yb);
        for (int column = 1; column <= 2; column++) {
            worst = larger(worst, fabs(xb[column] - jacobian[row][column]));
        }
    }
    check_error("section 2: Jacobian against its formula", worst, 1e-15);
    check_tape_empty("section 2: bytes on the tape after the adjoints", t);
}

/* ==== 2. Structured: Kepler's equation =========================================================== */

/* E - e sin(E) = M for each orbit; the dependent is the sum of weight * (cos(E) - e). */
static double weight(int64_t i) { return noise(i + 311); }

static double kepler(int n, const double *M, const double *e) {
    double E, c = 0.0;
    for (int i = 0; i < n; i++) {
        if (e[i] < 0.3) {
            E = M[i];
        } else if (M[i] < 1.0) {
            E = M[i] + 0.85 * e[i];
        } else {
            E = M[i] + e[i] * sin(M[i]);
        }
        while (fabs(E - e[i] * sin(E) - M[i]) > 1e-12) {
            E = E - (E - e[i] * sin(E) - M[i]) / (1.0 - e[i] * cos(E));
        }
        c = c + weight(i) * (cos(E) - e[i]);
    }
    return c;
}

static double kepler_forward(adtape_t *t, int n, const double *M, const double *e, double *last_E) {
    double E = 0.0, c = 0.0;
    for (int i = 0; i < n; i++) {
        int ctr = 0;
        adtape_push_f64(t, E);
        if (e[i] < 0.3) {
            E = M[i];
            adtape_push_control(t, 0, 2);
        } else if (M[i] < 1.0) {
            E = M[i] + 0.85 * e[i];
            adtape_push_control(t, 1, 2);
        } else {
            E = M[i] + e[i] * sin(M[i]);
            adtape_push_control(t, 2, 2);
        }
        while (fabs(E - e[i] * sin(E) - M[i]) > 1e-12) {
            adtape_push_f64(t, E);
            E = E - (E - e[i] * sin(E) - M[i]) / (1.0 - e[i] * cos(E));
            ctr = ctr + 1;
        }
        adtape_push_count(t, ctr);
        c = c + weight(i) * (cos(E) - e[i]);
    }
    *last_E = E;
    return c;
}

/* Returns the number of Newton steps, the sum of all loop counters. */
static uint64_t kepler_adjoint(adtape_t *t, int n, const double *M, double *Mb, const double *e, double *eb, double E,
                               double cb) {
    double Eb = 0.0;
    uint64_t newton_steps = 0;
    for (int i = n - 1; i >= 0; i--) {
        int64_t rBound;
        Eb = Eb - weight(i) * sin(E) * cb;
        eb[i] = eb[i] - weight(i) * cb;
        rBound = adtape_pop_count(t);
        newton_steps += (uint64_t)rBound;
        for (int64_t rCtr = 1; rCtr <= rBound; rCtr++) {
            double residual, slope, tempb;
            adtape_pop_f64(t, &E);
            residual = E - e[i] * sin(E) - M[i];
            slope = 1.0 - e[i] * cos(E);
            tempb = Eb / slope;
            Mb[i] = Mb[i] + tempb;
            eb[i] = eb[i] + (sin(E) - residual * cos(E) / slope) * tempb;
            Eb = residual * e[i] * sin(E) / slope * tempb;
        }
        switch (adtape_pop_control(t, 2)) {
        case 0:
            Mb[i] = Mb[i] + Eb;
            break;
        case 1:
            Mb[i] = Mb[i] + Eb;
            eb[i] = eb[i] + 0.85 * Eb;
            break;
        default:
            Mb[i] = Mb[i] + (1.0 + e[i] * cos(M[i])) * Eb;
            eb[i] = eb[i] + sin(M[i]) * Eb;
        }
        Eb = 0.0;
        adtape_pop_f64(t, &E);
    }
    return newton_steps;
}

/* The sum over all orbits by the same Newton iteration, of complex M and, behind them, e; branches on the real part. */
static void kepler_complex(int64_t count, const void *first, double *value, void *user) {
    const int n = (int)(count / 2);
    const double complex *M = first, *e = M + n;
    double complex sum = 0.0;
    (void)user;
    for (int i = 0; i < n; i++) {
        double complex E = creal(e[i]) < 0.3 ? M[i] : creal(M[i]) < 1.0 ? M[i] + 0.85 * e[i] : M[i] + e[i] * csin(M[i]);
        while (fabs(creal(E - e[i] * csin(E) - M[i])) > 1e-12) {
            E = E - (E - e[i] * csin(E) - M[i]) / (1.0 - e[i] * ccos(E));
        }
        sum += weight(i) * (ccos(E) - e[i]);
    }
    value[0] = creal(sum), value[1] = cimag(sum);
}

/* The largest error of all components against the implicit function theorem, which says dE/dM = 1 / (1 - e cos(E)) and
 * dE/de = sin(E) / (1 - e cos(E)) at the solution, however E was found. */
static double error_of_theorem(int n, const double *M, const double *Mb, const double *e, const double *eb) {
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        const double w = weight(i);
        double E = M[i], slope;
        for (int iteration = 0; iteration < 30; iteration++) {
            E = E - (E - e[i] * sin(E) - M[i]) / (1.0 - e[i] * cos(E));
        }
        slope = 1.0 - e[i] * cos(E);
        worst = larger(worst, fabs(Mb[i] + w * sin(E) / slope));
        worst = larger(worst, fabs(eb[i] + w * (sin(E) * sin(E) / slope + 1.0)));
    }
    return worst;
}

static void run_kepler(adtape_t *t, int n) {
    double *M = allocate(2 * n, sizeof *M), *e = M + n, *Mb = allocate(2 * n, sizeof *Mb), *eb = Mb + n, E, c;
    uint64_t newton_steps, bytes;

    printf("-- structured: Kepler's equation, %d orbits\n", n);
    for (int i = 0; i < n; i++) {
        M[i] = 1.5 + 1.4 * noise(i + 1);
        e[i] = 0.4 + 0.39 * noise(i + 50021);
    }
    c = kepler_forward(t, n, M, e, &E);
    check_close("structured: the forward sweep's result", c, kepler(n, M, e), 1.0, 0.0);
    bytes = tape_bytes(t);
    newton_steps = kepler_adjoint(t, n, M, Mb, e, eb, E, 1.0);
    check_tape_empty("structured: bytes on the tape after the adjoint", t);
    check_error("structured: gradient in a direction against a complex step",
                error_of_complex_step(kepler_complex, NULL, 2 * n, M, Mb, NULL, 1e-12), 1e-12);
    check_error("structured: every component against the implicit function theorem",
                error_of_theorem(n, M, Mb, e, eb), 1e-6);
    report_count("structured: Newton steps", newton_steps);
    report_count("structured: tape bytes", bytes);
    report_count("structured: of them for control flow", bytes - 8 * (newton_steps + (uint64_t)n));
    free(M), free(Mb);
}

/* ==== 3. Unstructured: blocks and gotos ========================================================== */

/* The independents: p of each member, and the constants a, b, c. */
enum { most_blocks = 24 };

static double unstructured(int n, const double *p, double a, double b, double c) {
    double u = 0.0, v = 0.0, y = 0.0;
    int k = 0, r = 0;
block1:
    u = p[k];
    v = b;
    r = 0;
    if (u > 0.0) goto block3;
block2:
    u = sin(u) + a * v;
block3:
    v = v * cos(u) + b * u;
    r = r + 1;
    if (r >= most_blocks) goto block5;
    if (v > u) goto block2;
    u = u - c * v * v; /* block 4 */
    if (u < -1.0) goto block2;
    if (u > -0.5) goto block3;
block5:
    y = y + u * v;
    k = k + 1;
    if (k < n) goto block1;
    return y;
}

static void push_block(adtape_t *t, bool packed, int block) {
    if (packed) {
        adtape_push_control(t, (uint64_t)block, 3);
    } else {
        adtape_push_count(t, block);
    }
}
static int pop_block(adtape_t *t, bool packed) {
    return packed ? (int)adtape_pop_control(t, 3) : (int)adtape_pop_count(t);
}

static double unstructured_forward(adtape_t *t, bool packed, int n, const double *p, double a, double b, double c,
                                   double *last_u, double *last_v) {
    double u = 0.0, v = 0.0, y = 0.0;
    int64_t blocks = 0;
    int k = 0, r = 0;
block1:
    adtape_push_f64(t, u);
    u = p[k];
    adtape_push_f64(t, v);
    v = b;
    r = 0;
    push_block(t, packed, 1), blocks++;
    if (u > 0.0) goto block3;
block2:
    adtape_push_f64(t, u);
    u = sin(u) + a * v;
    push_block(t, packed, 2), blocks++;
block3:
    adtape_push_f64(t, v);
    v = v * cos(u) + b * u;
    r = r + 1;
    push_block(t, packed, 3), blocks++;
    if (r >= most_blocks) goto block5;
    if (v > u) goto block2;
    adtape_push_f64(t, u); /* block 4 */
    u = u - c * v * v;
    push_block(t, packed, 4), blocks++;
    if (u < -1.0) goto block2;
    if (u > -0.5) goto block3;
block5:
    y = y + u * v;
    k = k + 1;
    push_block(t, packed, 5), blocks++;
    if (k < n) goto block1;
    adtape_push_count(t, blocks);
    *last_u = u;
    *last_v = v;
    return y;
}

/* abcb: gradient with respect to a, b, c. Returns the number of blocks. k is recovered by inversion, and no partial
 * derivative reads r. */
static int64_t unstructured_adjoint(adtape_t *t, bool packed, int n, double *pb, double a, double b, double c,
                                    double abcb[3], double u, double v, double yb) {
    const int64_t blocks = adtape_pop_count(t);
    double ub = 0.0, vb = 0.0;
    int k = n;
    for (int64_t executed = 0; executed < blocks; executed++) {
        switch (pop_block(t, packed)) {
        case 1:
            adtape_pop_f64(t, &v);
            abcb[1] = abcb[1] + vb;
            vb = 0.0;
            adtape_pop_f64(t, &u);
            pb[k] = pb[k] + ub;
            ub = 0.0;
            break;
        case 2:
            adtape_pop_f64(t, &u);
            abcb[0] = abcb[0] + v * ub;
            vb = vb + a * ub;
            ub = cos(u) * ub;
            break;
        case 3:
            adtape_pop_f64(t, &v);
            abcb[1] = abcb[1] + u * vb;
            ub = ub + (b - v * sin(u)) * vb;
            vb = cos(u) * vb;
            break;
        case 4:
            adtape_pop_f64(t, &u);
            abcb[2] = abcb[2] - v * v * ub;
            vb = vb - 2 * c * v * ub;
            break;
        default: /* block 5 */
            k = k - 1;
            ub = ub + v * yb;
            vb = vb + u * yb;
        }
    }
    return blocks;
}

/* The original on complex numbers, of p and, behind it, a, b and c; comparisons are of real parts. */
static void unstructured_complex(int64_t count, const void *independents, double *value, void *user) {
    const int n = (int)count - 3;
    const double complex *p = independents, a = p[n], b = p[n + 1], c = p[n + 2];
    double complex y = 0.0;
    (void)user;
    for (int k = 0; k < n; k++) {
        double complex u = p[k], v = b;
        int r = 0, block = creal(u) > 0.0 ? 3 : 2;
        while (block != 5) {
            if (block == 2) {
                u = csin(u) + a * v;
                block = 3;
            } else if (block == 3) {
                v = v * ccos(u) + b * u;
                r = r + 1;
                block = r >= most_blocks ? 5 : creal(v) > creal(u) ? 2 : 4;
            } else {
                u = u - c * v * v;
                block = creal(u) < -1.0 ? 2 : creal(u) > -0.5 ? 3 : 5;
            }
        }
        y += u * v;
    }
    value[0] = creal(y), value[1] = cimag(y);
}

static void run_unstructured(adtape_t *t, int n) {
    const double a = 0.4, b = 0.7, c = 0.3;
    /* p and, behind it, a, b and c; their gradients. */
    double *p = allocate(n + 3, sizeof *p), *pb[2], y = 0.0;
    uint64_t bytes[2], blocks = 0;

    printf("-- unstructured: blocks and gotos, %d members\n", n);
    for (int i = 0; i < n; i++) {
        p[i] = 2.0 * noise(i + 1);
    }
    p[n] = a, p[n + 1] = b, p[n + 2] = c;
    for (int packed = 0; packed < 2; packed++) {
        double u, v;
        pb[packed] = allocate(n + 3, sizeof **pb);
        y = unstructured_forward(t, packed, n, p, a, b, c, &u, &v);
        check_close("unstructured: the forward sweep's result", y, unstructured(n, p, a, b, c), 1.0, 0.0);
        bytes[packed] = tape_bytes(t);
        blocks = (uint64_t)unstructured_adjoint(t, packed, n, pb[packed], a, b, c, pb[packed] + n, u, v, 1.0);
        check_tape_empty("unstructured: bytes on the tape after the adjoint", t);
    }
    check_same_bits("unstructured: gradients equal bit for bit", pb[0], pb[1], n + 3);
    check_error("unstructured: gradient in a direction against a complex step",
                error_of_complex_step(unstructured_complex, NULL, n + 3, p, pb[0], NULL, 1e-11), 1e-11);
    report_real("unstructured: y", y);
    report_count("unstructured: blocks run", blocks);
    report_count("unstructured: tape bytes, block ids a byte each", bytes[0]);
    report_count("unstructured: tape bytes, block ids in three bits", bytes[1]);
    free(p), free(pb[0]), free(pb[1]);
}

int main(int argc, char **argv) {
    adtape_t *t = adtape_self();
    const int n = (int)argument(argc, argv, 1, 100000);
    run_section2(t);
    run_kepler(t, n);
    run_unstructured(t, n);
    return finish();
}
