/* Flattening basic blocks: partial derivatives of a block on the tape instead of the values it overwrites.
 *
 * 1. The block of Fig. 1, z = -(z * x); y = z / x, for n pairs: two inputs, two outputs, 4 partials against 1 value.
 *    Flattening does not always pay.
 * 2. The same through a pointer that moves by k in between (Fig. 2): which z the second statement reads is known at
 *    run time only, so the graph is split into one subgraph for each assignment (Algorithm 2). The same code is
 *    right for k = 0 and k = 1.
 * 3. A larger loop: ignition of n cells, m steps of Heun's method with a diffusion in between. The block of a cell
 *    has 12 assignments, two inputs and two outputs: 4 partials against the 8 values that TBR requires.
 *
 *   flattening [n [m]]      by default 1000 cells, 1000 steps; 1 and 2 run on n * m pairs */
#include "../common/example.h"

/* ==== 1. Fig. 1 ================================================================================== */

static void fig1_values_forward(adtape_t *t, int64_t n, const double *x, double *y, double *z) {
    for (int64_t i = 0; i < n; i++) {
        adtape_push_f64(t, z[i]);
        z[i] = -(z[i] * x[i]);
        y[i] = z[i] / x[i];
    }
}
static void fig1_values_adjoint(adtape_t *t, int64_t n, const double *x, double *xb, double *yb, double *z,
                                double *zb) {
    for (int64_t i = n - 1; i >= 0; i--) {
        zb[i] = zb[i] + yb[i] / x[i];
        xb[i] = xb[i] - z[i] / (x[i] * x[i]) * yb[i];
        yb[i] = 0.0;
        adtape_pop_f64(t, &z[i]);
        xb[i] = xb[i] - z[i] * zb[i];
        zb[i] = -x[i] * zb[i];
    }
}

/* Edges of G: z -> z1, x -> z1, z1 -> y, x -> y. z1 is an output as well; y's edge from it is eliminated. */
static void fig1_partials_forward(adtape_t *t, int64_t n, const double *x, double *y, double *z) {
    for (int64_t i = 0; i < n; i++) {
        double z1_z, z1_x, y_z1, y_x, y_z;
        z1_z = -x[i];
        z1_x = -z[i];
        z[i] = -(z[i] * x[i]);
        y_z1 = 1 / x[i];
        y_x = -z[i] / (x[i] * x[i]);
        y[i] = z[i] / x[i];
        y_z = y_z1 * z1_z;
        y_x = y_x + y_z1 * z1_x;
        adtape_push_f64(t, z1_z);
        adtape_push_f64(t, z1_x);
        adtape_push_f64(t, y_z);
        adtape_push_f64(t, y_x);
    }
}
static void fig1_partials_adjoint(adtape_t *t, int64_t n, double *xb, double *yb, double *zb) {
    for (int64_t i = n - 1; i >= 0; i--) {
        double z1_z, z1_x, y_z, y_x;
        adtape_pop_f64(t, &y_x);
        adtape_pop_f64(t, &y_z);
        adtape_pop_f64(t, &z1_x);
        adtape_pop_f64(t, &z1_z);
        xb[i] = xb[i] + z1_x * zb[i] + y_x * yb[i];
        zb[i] = z1_z * zb[i] + y_z * yb[i];
        yb[i] = 0.0;
    }
}

/* ==== 2. Fig. 2: a pointer that moves ============================================================ */

static void fig2_values_forward(adtape_t *t, int64_t n, int64_t k, const double *x, double *y, double *z) {
    double *pz;
    for (int64_t i = 0; i < n; i++) {
        pz = &z[i];
        adtape_push_f64(t, *pz);
        *pz = -(*pz * x[i]);
        pz += k;
        y[i] = *pz / x[i];
    }
}
static void fig2_values_adjoint(adtape_t *t, int64_t n, int64_t k, const double *x, double *xb, double *yb, double *z,
                                double *zb) {
    for (int64_t i = n - 1; i >= 0; i--) {
        double *pz = &z[i + k], *pzb = &zb[i + k];
        *pzb = *pzb + yb[i] / x[i];
        xb[i] = xb[i] - *pz / (x[i] * x[i]) * yb[i];
        yb[i] = 0.0;
        pz -= k, pzb -= k;
        adtape_pop_f64(t, pz);
        xb[i] = xb[i] - *pz * *pzb;
        *pzb = -x[i] * *pzb;
    }
}

/* Two subgraphs, no edge between them: each is bipartite already. */
static void fig2_partials_forward(adtape_t *t, int64_t n, int64_t k, const double *x, double *y, double *z) {
    double *pz;
    for (int64_t i = 0; i < n; i++) {
        pz = &z[i];
        adtape_push_f64(t, -x[i]);
        adtape_push_f64(t, -*pz);
        *pz = -(*pz * x[i]);
        pz += k;
        adtape_push_f64(t, 1 / x[i]);
        adtape_push_f64(t, -*pz / (x[i] * x[i]));
        y[i] = *pz / x[i];
    }
}
static void fig2_partials_adjoint(adtape_t *t, int64_t n, int64_t k, double *xb, double *yb, double *zb) {
    for (int64_t i = n - 1; i >= 0; i--) {
        double *pzb = &zb[i + k], to_z, to_x;
        adtape_pop_f64(t, &to_x);
        adtape_pop_f64(t, &to_z);
        *pzb = *pzb + to_z * yb[i];
        xb[i] = xb[i] + to_x * yb[i];
        yb[i] = 0.0;
        pzb -= k;
        adtape_pop_f64(t, &to_x);
        adtape_pop_f64(t, &to_z);
        xb[i] = xb[i] + to_x * *pzb;
        *pzb = to_z * *pzb;
    }
}

/* sum(weight * z) + sum(weight * y) of complex x and, behind them, z; `user` is the distance k that the pointer moves. */
static void figure_complex(int64_t count, const void *first, double *value, void *user) {
    const int64_t n = (count - 1) / 2, k = *(const int64_t *)user > 0 ? 1 : 0;
    const double complex *x = first;
    double complex *z = allocate(n + 1, sizeof *z), sum = 0.0;
    memcpy(z, x + n, (size_t)(n + 1) * sizeof *z);
    for (int64_t i = 0; i < n; i++) {
        z[i] = -(z[i] * x[i]);
        sum += noise(i + 1717) * (z[i + k] / x[i]);
    }
    for (int64_t i = 0; i <= n; i++) {
        sum += noise(i + 901) * z[i];
    }
    value[0] = creal(sum), value[1] = cimag(sum);
    free(z);
}

/* Gradients of sum(weight * z) + sum(weight * y) with respect to x and z, for 1 (k < 0) or 2, both variants. */
static void run_figure(adtape_t *t, const char *name, int64_t n, int64_t k) {
    const int64_t z_count = n + 1;
    const int64_t count = n + z_count;
    /* The independents, x and behind them z, as the sweeps leave them, and their gradients. */
    double *x = allocate(count, sizeof *x), *z = x + n, *y = allocate(n, sizeof *y), *yb = allocate(n, sizeof *yb);
    double *first = allocate(count, sizeof *first), *gradient[2], worst = 0.0;
    uint64_t bytes[2];

    printf("-- %s\n", name);
    for (int partials = 0; partials < 2; partials++) {
        double *xb = gradient[partials] = allocate(count, sizeof *xb), *zb = xb + n;
        for (int64_t i = 0; i < z_count; i++) {
            z[i] = noise(i + 9), zb[i] = noise(i + 901);
        }
        for (int64_t i = 0; i < n; i++) {
            x[i] = 1.5 + 0.7 * noise(i + 3), yb[i] = noise(i + 1717);
        }
        memcpy(first, x, (size_t)count * sizeof *x);
        if (k < 0) {
            (partials ? fig1_partials_forward : fig1_values_forward)(t, n, x, y, z);
        } else {
            (partials ? fig2_partials_forward : fig2_values_forward)(t, n, k, x, y, z);
        }
        bytes[partials] = tape_bytes(t);
        if (k < 0 && partials) {
            fig1_partials_adjoint(t, n, xb, yb, zb);
        } else if (k < 0) {
            fig1_values_adjoint(t, n, x, xb, yb, z, zb);
        } else if (partials) {
            fig2_partials_adjoint(t, n, k, xb, yb, zb);
        } else {
            fig2_values_adjoint(t, n, k, x, xb, yb, z, zb);
        }
        check_tape_empty("bytes on the tape after the adjoint", t);
    }
    for (int64_t i = 0; i < count; i++) {
        worst = larger(worst, fabs(gradient[0][i] - gradient[1][i]));
    }
    check_error("values and partials give the same gradient", worst, 1e-14);
    check_error("gradient in a direction against a complex step",
                error_of_complex_step(figure_complex, &k, count, first, gradient[1], NULL, 1e-12), 1e-12);
    check_count("tape bytes with values", bytes[0], (uint64_t)n * 8);
    check_count("tape bytes with partials", bytes[1], (uint64_t)n * 32);
    free(x), free(y), free(yb), free(first), free(gradient[0]), free(gradient[1]);
}

/* ==== 3. Ignition ================================================================================ */

/* heat: temperature of a cell, fuel: what is left to burn. Reaction of a cell by Heun's method:
 *   r = D fuel exp(heat / (1 + g heat)),  heat' = r - loss heat,  fuel' = feed (1 - fuel) - use r */
static const double D = 0.25, g = 0.1, loss = 0.4, feed = 0.1, use = 0.3, dt = 0.01, diffusion = 0.2;

/* Explicit diffusion with insulated ends. The matrix is symmetric: this is its own adjoint. */
static void diffuse(int n, double *heat) {
    double before = heat[0];
    for (int i = 0; i < n; i++) {
        const double here = heat[i], after = i + 1 < n ? heat[i + 1] : here;
        heat[i] = here + diffusion * (before - 2 * here + after);
        before = here;
    }
}

static void ignition(int n, int m, double *heat, double *fuel) {
    for (int s = 0; s < m; s++) {
        for (int i = 0; i < n; i++) {
            double a1, b1, w1, r1, heat1, fuel1, a2, b2, w2, r2;
            a1 = 1 + g * heat[i];
            b1 = heat[i] / a1;
            w1 = exp(b1);
            r1 = D * fuel[i] * w1;
            heat1 = heat[i] + dt * (r1 - loss * heat[i]);
            fuel1 = fuel[i] + dt * (feed * (1 - fuel[i]) - use * r1);
            a2 = 1 + g * heat1;
            b2 = heat1 / a2;
            w2 = exp(b2);
            r2 = D * fuel1 * w2;
            heat[i] = heat[i] + 0.5 * dt * (r1 - loss * heat[i] + r2 - loss * heat1);
            fuel[i] = fuel[i] + 0.5 * dt * (feed * (1 - fuel[i]) - use * r1 + feed * (1 - fuel1) - use * r2);
        }
        diffuse(n, heat);
    }
}

/* What a variant reports: bytes between the sweeps and the seconds of each. */
typedef struct {
    uint64_t bytes;
    double forward_seconds, reverse_seconds;
} sweeps_t;

static void ignition_values(adtape_t *t, int n, int m, double *heat, double *fuel, double *heatb, double *fuelb,
                            sweeps_t *sweeps) {
    double a1 = 0, b1 = 0, w1 = 0, r1, heat1, fuel1 = 0, a2 = 0, b2 = 0, w2 = 0, r2;
    double a1b, b1b, w1b, r1b, heat1b, fuel1b, a2b, b2b, w2b, r2b, start = seconds();

    for (int s = 0; s < m; s++) {
        for (int i = 0; i < n; i++) {
            adtape_push_f64(t, a1);
            a1 = 1 + g * heat[i];
            adtape_push_f64(t, b1);
            b1 = heat[i] / a1;
            adtape_push_f64(t, w1);
            w1 = exp(b1);
            r1 = D * fuel[i] * w1;
            heat1 = heat[i] + dt * (r1 - loss * heat[i]);
            adtape_push_f64(t, fuel1);
            fuel1 = fuel[i] + dt * (feed * (1 - fuel[i]) - use * r1);
            adtape_push_f64(t, a2);
            a2 = 1 + g * heat1;
            adtape_push_f64(t, b2);
            b2 = heat1 / a2;
            adtape_push_f64(t, w2);
            w2 = exp(b2);
            r2 = D * fuel1 * w2;
            heat[i] = heat[i] + 0.5 * dt * (r1 - loss * heat[i] + r2 - loss * heat1);
            adtape_push_f64(t, fuel[i]);
            fuel[i] = fuel[i] + 0.5 * dt * (feed * (1 - fuel[i]) - use * r1 + feed * (1 - fuel1) - use * r2);
        }
        diffuse(n, heat);
    }
    sweeps->forward_seconds = seconds() - start;
    sweeps->bytes = tape_bytes(t);
    start = seconds();

    for (int s = m - 1; s >= 0; s--) {
        diffuse(n, heatb);
        for (int i = n - 1; i >= 0; i--) {
            adtape_pop_f64(t, &fuel[i]);
            r1b = 0.5 * dt * (heatb[i] - use * fuelb[i]);
            r2b = 0.5 * dt * (heatb[i] - use * fuelb[i]);
            fuel1b = -0.5 * dt * feed * fuelb[i];
            fuelb[i] = (1 - 0.5 * dt * feed) * fuelb[i];
            heat1b = -0.5 * dt * loss * heatb[i];
            heatb[i] = (1 - 0.5 * dt * loss) * heatb[i];
            fuel1b = fuel1b + D * w2 * r2b;
            w2b = D * fuel1 * r2b;
            b2b = w2 * w2b;
            adtape_pop_f64(t, &w2);
            heat1b = heat1b + b2b / a2;
            a2b = -b2 / a2 * b2b;
            adtape_pop_f64(t, &b2);
            heat1b = heat1b + g * a2b;
            adtape_pop_f64(t, &a2);
            fuelb[i] = fuelb[i] + (1 - dt * feed) * fuel1b;
            r1b = r1b - dt * use * fuel1b;
            adtape_pop_f64(t, &fuel1);
            heatb[i] = heatb[i] + (1 - dt * loss) * heat1b;
            r1b = r1b + dt * heat1b;
            fuelb[i] = fuelb[i] + D * w1 * r1b;
            w1b = D * fuel[i] * r1b;
            b1b = w1 * w1b;
            adtape_pop_f64(t, &w1);
            heatb[i] = heatb[i] + b1b / a1;
            a1b = -b1 / a1 * b1b;
            adtape_pop_f64(t, &b1);
            heatb[i] = heatb[i] + g * a1b;
            adtape_pop_f64(t, &a1);
        }
    }
    sweeps->reverse_seconds = seconds() - start;
}

/* The block flattened. v_h and v_f are the partials of v with respect to the block's inputs heat and fuel; the rate of
 * the second stage has partials with respect to that stage's heat1 and fuel1 first. */
static void ignition_partials(adtape_t *t, int n, int m, double *heat, double *fuel, double *heatb, double *fuelb,
                              sweeps_t *sweeps) {
    double start = seconds();

    for (int s = 0; s < m; s++) {
        for (int i = 0; i < n; i++) {
            double a1, b1, w1, r1, heat1, fuel1, a2, b2, w2, r2;
            double r1_h, r1_f, heat1_h, heat1_f, fuel1_h, fuel1_f, r2_heat1, r2_fuel1, r2_h, r2_f;
            a1 = 1 + g * heat[i];
            b1 = heat[i] / a1;
            w1 = exp(b1);
            r1 = D * fuel[i] * w1;
            r1_h = r1 * (1 - g * b1) / a1;
            r1_f = D * w1;
            heat1 = heat[i] + dt * (r1 - loss * heat[i]);
            heat1_h = 1 - dt * loss + dt * r1_h;
            heat1_f = dt * r1_f;
            fuel1 = fuel[i] + dt * (feed * (1 - fuel[i]) - use * r1);
            fuel1_h = -dt * use * r1_h;
            fuel1_f = 1 - dt * feed - dt * use * r1_f;
            a2 = 1 + g * heat1;
            b2 = heat1 / a2;
            w2 = exp(b2);
            r2 = D * fuel1 * w2;
            r2_heat1 = r2 * (1 - g * b2) / a2;
            r2_fuel1 = D * w2;
            r2_h = r2_heat1 * heat1_h + r2_fuel1 * fuel1_h;
            r2_f = r2_heat1 * heat1_f + r2_fuel1 * fuel1_f;
            heat[i] = heat[i] + 0.5 * dt * (r1 - loss * heat[i] + r2 - loss * heat1);
            adtape_push_f64(t, 1 + 0.5 * dt * (r1_h - loss + r2_h - loss * heat1_h));
            adtape_push_f64(t, 0.5 * dt * (r1_f + r2_f - loss * heat1_f));
            fuel[i] = fuel[i] + 0.5 * dt * (feed * (1 - fuel[i]) - use * r1 + feed * (1 - fuel1) - use * r2);
            adtape_push_f64(t, -0.5 * dt * (use * r1_h + feed * fuel1_h + use * r2_h));
            adtape_push_f64(t, 1 - 0.5 * dt * (feed + use * r1_f + feed * fuel1_f + use * r2_f));
        }
        diffuse(n, heat);
    }
    sweeps->forward_seconds = seconds() - start;
    sweeps->bytes = tape_bytes(t);
    start = seconds();

    for (int s = m - 1; s >= 0; s--) {
        diffuse(n, heatb);
        for (int i = n - 1; i >= 0; i--) {
            double heat_h, heat_f, fuel_h, fuel_f, temp;
            adtape_pop_f64(t, &fuel_f);
            adtape_pop_f64(t, &fuel_h);
            adtape_pop_f64(t, &heat_f);
            adtape_pop_f64(t, &heat_h);
            temp = heat_f * heatb[i] + fuel_f * fuelb[i];
            heatb[i] = heat_h * heatb[i] + fuel_h * fuelb[i];
            fuelb[i] = temp;
        }
    }
    sweeps->reverse_seconds = seconds() - start;
}

/* sum(weight * heat) + sum(weight * fuel) after *user steps, of complex heat and, behind it, fuel. */
static void ignition_complex(int64_t count, const void *first, double *value, void *user) {
    const int n = (int)(count / 2), m = *(const int *)user;
    double complex *h = allocate(count, sizeof *h), *f = h + n, sum = 0.0;
    memcpy(h, first, (size_t)count * sizeof *h);
    for (int s = 0; s < m; s++) {
        double complex before;
        for (int i = 0; i < n; i++) {
            const double complex r1 = D * f[i] * cexp(h[i] / (1 + g * h[i]));
            const double complex h1 = h[i] + dt * (r1 - loss * h[i]), f1 = f[i] + dt * (feed * (1 - f[i]) - use * r1);
            const double complex r2 = D * f1 * cexp(h1 / (1 + g * h1));
            h[i] = h[i] + 0.5 * dt * (r1 - loss * h[i] + r2 - loss * h1);
            f[i] = f[i] + 0.5 * dt * (feed * (1 - f[i]) - use * r1 + feed * (1 - f1) - use * r2);
        }
        before = h[0];
        for (int i = 0; i < n; i++) {
            const double complex here = h[i], after = i + 1 < n ? h[i + 1] : here;
            h[i] = here + diffusion * (before - 2 * here + after);
            before = here;
        }
    }
    for (int i = 0; i < n; i++) {
        sum += noise(i + 13) * h[i] + noise(i + 1313) * f[i];
    }
    value[0] = creal(sum), value[1] = cimag(sum);
    free(h);
}

static void run_ignition(adtape_t *t, int n, int m) {
    typedef void variant_t(adtape_t *, int, int, double *, double *, double *, double *, sweeps_t *);
    static variant_t *const variants[2] = {ignition_values, ignition_partials};
    const size_t bytes = (size_t)n * sizeof(double);
    double *first = allocate(2 * n, sizeof *first), *plain = allocate(2 * n, sizeof *plain);
    double *state = allocate(2 * n, sizeof *state), *gradient[2], largest = 0.0, worst = 0.0;
    sweeps_t sweeps[2];

    printf("-- ignition, %d cells, %d steps\n", n, m);
    for (int i = 0; i < n; i++) {
        first[i] = 1.0 + 0.8 * noise(i + 1), first[n + i] = 0.8 + 0.2 * noise(i + 5001);
    }
    memcpy(plain, first, 2 * bytes);
    ignition(n, m, plain, plain + n);
    for (int v = 0; v < 2; v++) {
        gradient[v] = allocate(2 * n, sizeof **gradient);
        for (int i = 0; i < n; i++) {
            gradient[v][i] = noise(i + 13), gradient[v][n + i] = noise(i + 1313);
        }
        memcpy(state, first, 2 * bytes);
        /* TBR does not record heat, so that the state after the sweeps is neither the first nor the last. */
        variants[v](t, n, m, state, state + n, gradient[v], gradient[v] + n, &sweeps[v]);
        check_tape_empty("bytes on the tape after the adjoint", t);
        if (v == 1) {
            check_same_bits("the forward sweep computes what the original computes", state, plain, 2 * n);
        }
    }
    for (int i = 0; i < 2 * n; i++) {
        largest = larger(largest, fabs(gradient[0][i]));
        worst = larger(worst, fabs(gradient[0][i] - gradient[1][i]));
    }
    check_error("values and partials give the same gradient", worst / largest, 1e-12);
    check_error("gradient in a direction against a complex step",
                error_of_complex_step(ignition_complex, &m, 2 * n, first, gradient[1], NULL, 1e-12), 1e-12);
    report_real("largest component of the gradient", largest);
    check_count("tape bytes with values", sweeps[0].bytes, (uint64_t)n * (uint64_t)m * 64);
    check_count("tape bytes with partials", sweeps[1].bytes, (uint64_t)n * (uint64_t)m * 32);
    report_real("seconds with values, forward", sweeps[0].forward_seconds);
    report_real("seconds with values, reverse", sweeps[0].reverse_seconds);
    report_real("seconds with partials, forward", sweeps[1].forward_seconds);
    report_real("seconds with partials, reverse", sweeps[1].reverse_seconds);
    free(first), free(plain), free(state), free(gradient[0]), free(gradient[1]);
}

int main(int argc, char **argv) {
    adtape_t *t = adtape_self();
    const int n = (int)argument(argc, argv, 1, 1000), m = (int)argument(argc, argv, 2, 1000);
    run_figure(t, "Fig. 1, one graph", (int64_t)n * m, -1);
    run_figure(t, "Fig. 2, k = 0, two subgraphs", (int64_t)n * m, 0);
    run_figure(t, "Fig. 2, k = 1, two subgraphs", (int64_t)n * m, 1);
    run_ignition(t, n, m);
    return finish();
}
