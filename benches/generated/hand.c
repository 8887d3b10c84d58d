#include "hand.h"

#include <adtape.h>
#include <math.h>
#include <string.h>

/* ---- Burgers --------------------------------------------------------------------------------------- */

void burgers_by_hand(int n, int steps, double dt, double *u, double *u_b, double *next, double *next_b, double *kept) {
    for (int t = 0; t < steps; t++) {
        memcpy(kept + (size_t)t * n, u, (size_t)n * sizeof *u);
        for (int i = 1; i < n - 1; i++) {
            const double flux = u[i] > 0.0 ? u[i] * (u[i] - u[i - 1]) : u[i] * (u[i + 1] - u[i]);
            next[i] = u[i] - dt * flux + 0.1 * dt * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
        }
        for (int i = 1; i < n - 1; i++) u[i] = next[i];
    }
    for (int i = 0; i < n; i++) u_b[i] += u[i];
    for (int t = steps; t-- > 0;) {
        const double *was = kept + (size_t)t * n;
        for (int i = 1; i < n - 1; i++) {
            next_b[i] += u_b[i];
            u_b[i] = 0.0;
        }
        for (int i = 1; i < n - 1; i++) {
            const double seed = next_b[i], flux_b = -dt * seed, mixed = 0.1 * dt * seed;
            next_b[i] = 0.0;
            u_b[i - 1] += mixed;
            u_b[i] += seed - 2.0 * mixed;
            u_b[i + 1] += mixed;
            if (was[i] > 0.0) {
                u_b[i] += (2.0 * was[i] - was[i - 1]) * flux_b;
                u_b[i - 1] -= was[i] * flux_b;
            } else {
                u_b[i] += (was[i + 1] - 2.0 * was[i]) * flux_b;
                u_b[i + 1] += was[i] * flux_b;
            }
        }
    }
}

/* ---- heat ------------------------------------------------------------------------------------------ */

void heat_by_hand(int n, int m, int steps, double dt, const double *k, double *k_b, const double *data, double *u,
                  double *u_b, double *next, double *next_b, double *kept) {
    const size_t cells = (size_t)n * m;
    for (int t = 0; t < steps; t++) {
        memcpy(kept + t * cells, u, cells * sizeof *u);
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                const int c = i * m + j;
                const double flow = u[c - m] + u[c + m] + u[c - 1] + u[c + 1] - 4.0 * u[c];
                next[c] = u[c] + dt * k[c] * (1.0 + 0.5 * u[c] * u[c]) * flow;
            }
        }
        for (int i = 1; i < n - 1; i++) memcpy(u + i * m + 1, next + i * m + 1, (size_t)(m - 2) * sizeof *u);
    }
    for (size_t c = 0; c < cells; c++) u_b[c] += u[c] - data[c];
    for (int t = steps; t-- > 0;) {
        const double *was = kept + t * cells;
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                next_b[i * m + j] += u_b[i * m + j];
                u_b[i * m + j] = 0.0;
            }
        }
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                const int c = i * m + j;
                const double seed = next_b[c], grown = 1.0 + 0.5 * was[c] * was[c];
                const double flow = was[c - m] + was[c + m] + was[c - 1] + was[c + 1] - 4.0 * was[c];
                const double flow_b = dt * k[c] * grown * seed;
                next_b[c] = 0.0;
                k_b[c] += dt * grown * flow * seed;
                u_b[c] += seed + dt * k[c] * was[c] * flow * seed - 4.0 * flow_b;
                u_b[c - m] += flow_b;
                u_b[c + m] += flow_b;
                u_b[c - 1] += flow_b;
                u_b[c + 1] += flow_b;
            }
        }
    }
}

/* ---- bundle ---------------------------------------------------------------------------------------- */

enum { ROTATION = 0, PLACE = 3, FOCAL = 6, CENTRE = 7, DISTORTION = 9, CAMERA = 11 };

static void look(const double *camera, const double *point, const double *found, double weight, sight_t *s) {
    const double *axis = camera + ROTATION;
    const double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    double *from = s->from, *w = s->axis, *turned = s->turned;
    for (int i = 0; i < 3; i++) from[i] = point[i] - camera[PLACE + i];
    s->angle = sqrt(square);
    if (square > 0.0) {
        s->cosine = cos(s->angle), s->sine = sin(s->angle);
        for (int i = 0; i < 3; i++) w[i] = axis[i] / s->angle;
        s->along = w[0] * from[0] + w[1] * from[1] + w[2] * from[2];
        turned[0] = from[0] * s->cosine + (w[1] * from[2] - w[2] * from[1]) * s->sine + w[0] * s->along * (1.0 - s->cosine);
        turned[1] = from[1] * s->cosine + (w[2] * from[0] - w[0] * from[2]) * s->sine + w[1] * s->along * (1.0 - s->cosine);
        turned[2] = from[2] * s->cosine + (w[0] * from[1] - w[1] * from[0]) * s->sine + w[2] * s->along * (1.0 - s->cosine);
    } else {
        turned[0] = from[0] + axis[1] * from[2] - axis[2] * from[1];
        turned[1] = from[1] + axis[2] * from[0] - axis[0] * from[2];
        turned[2] = from[2] + axis[0] * from[1] - axis[1] * from[0];
    }
    s->a = turned[0] / turned[2], s->b = turned[1] / turned[2];
    const double far = s->a * s->a + s->b * s->b;
    s->bend = 1.0 + (camera[DISTORTION] + camera[DISTORTION + 1] * far) * far;
    s->off[0] = s->a * s->bend * camera[FOCAL] + camera[CENTRE] - found[0];
    s->off[1] = s->b * s->bend * camera[FOCAL] + camera[CENTRE + 1] - found[1];
    s->dx = weight * s->off[0], s->dy = weight * s->off[1];
}

static void look_back(const double *camera, double *camera_b, double *point_b, double weight, double *weight_b,
                      const sight_t *s) {
    const double *axis = camera + ROTATION, *from = s->from, *w = s->axis, *turned = s->turned;
    double from_b[3];
    *weight_b += s->dx * s->off[0] + s->dy * s->off[1];
    const double x_b = weight * s->dx, y_b = weight * s->dy, far = s->a * s->a + s->b * s->b;
    const double bend_b = (s->a * x_b + s->b * y_b) * camera[FOCAL];
    const double far_b = (camera[DISTORTION] + 2.0 * camera[DISTORTION + 1] * far) * bend_b;
    const double a_b = s->bend * camera[FOCAL] * x_b + 2.0 * s->a * far_b;
    const double b_b = s->bend * camera[FOCAL] * y_b + 2.0 * s->b * far_b;
    camera_b[FOCAL] += s->bend * (s->a * x_b + s->b * y_b);
    camera_b[CENTRE] += x_b;
    camera_b[CENTRE + 1] += y_b;
    camera_b[DISTORTION] += far * bend_b;
    camera_b[DISTORTION + 1] += far * far * bend_b;
    const double g[3] = {a_b / turned[2], b_b / turned[2], -(s->a * a_b + s->b * b_b) / turned[2]};
    if (s->angle > 0.0) {
        const double rest = 1.0 - s->cosine, along_g = w[0] * g[0] + w[1] * g[1] + w[2] * g[2];
        const double cross[3] = {w[1] * from[2] - w[2] * from[1], w[2] * from[0] - w[0] * from[2],
                                 w[0] * from[1] - w[1] * from[0]};
        const double back[3] = {g[1] * w[2] - g[2] * w[1], g[2] * w[0] - g[0] * w[2], g[0] * w[1] - g[1] * w[0]};
        const double turn[3] = {from[1] * g[2] - from[2] * g[1], from[2] * g[0] - from[0] * g[2],
                                from[0] * g[1] - from[1] * g[0]};
        double cosine_b = -s->along * along_g, sine_b = 0.0, w_b[3], across = 0.0;
        for (int i = 0; i < 3; i++) {
            cosine_b += from[i] * g[i];
            sine_b += cross[i] * g[i];
            from_b[i] = s->cosine * g[i] + s->sine * back[i] + rest * along_g * w[i];
            w_b[i] = s->sine * turn[i] + rest * (along_g * from[i] + s->along * g[i]);
            across += w_b[i] * w[i];
        }
        const double angle_b = s->cosine * sine_b - s->sine * cosine_b - across / s->angle;
        for (int i = 0; i < 3; i++) camera_b[ROTATION + i] += w_b[i] / s->angle + w[i] * angle_b;
    } else {
        from_b[0] = g[0] + g[1] * axis[2] - g[2] * axis[1];
        from_b[1] = g[1] + g[2] * axis[0] - g[0] * axis[2];
        from_b[2] = g[2] + g[0] * axis[1] - g[1] * axis[0];
        camera_b[ROTATION] += from[1] * g[2] - from[2] * g[1];
        camera_b[ROTATION + 1] += from[2] * g[0] - from[0] * g[2];
        camera_b[ROTATION + 2] += from[0] * g[1] - from[1] * g[0];
    }
    for (int i = 0; i < 3; i++) {
        point_b[i] += from_b[i];
        camera_b[PLACE + i] -= from_b[i];
    }
}

void bundle_by_hand(int observations, const int *camera_of, const int *point_of, const double *found,
                    const double *camera, double *camera_b, const double *point, double *point_b, const double *weight,
                    double *weight_b, sight_t *kept) {
    for (int o = 0; o < observations; o++) {
        look(&camera[CAMERA * camera_of[o]], &point[3 * point_of[o]], &found[2 * o], weight[o], &kept[o]);
    }
    for (int o = observations; o-- > 0;) {
        look_back(&camera[CAMERA * camera_of[o]], &camera_b[CAMERA * camera_of[o]], &point_b[3 * point_of[o]], weight[o],
                  &weight_b[o], &kept[o]);
    }
}

/* ---- Cheaper adjoints, Fig. 8 ---------------------------------------------------------------------- */

/* The adjoint of v = u * p * w, all three of them elements of a, maybe one element. */
static inline void product_b(const double *a, double *a_b, int v, int u, double p, int w) {
    const double seed = a_b[v];
    a_b[v] = 0.0;
    a_b[u] += p * a[w] * seed;
    a_b[w] += a[u] * p * seed;
}

double addresses_storing_all(int steps, const double *p, double *a, double *a_b) {
    adtape_t *const tape = adtape_self();
    double sum = 0.0;
    int i = 0, j = 0, k = 0, m = 0;
    for (int o = 0; o < steps; o++) {
        i = o, j = o;
        for (int l = 0; l < 10; l++) {
            adtape_push_i32(tape, k);
            k = i - j;
            adtape_push_i32(tape, m);
            m = k + 3 + l;
            adtape_push_i32(tape, i);
            i = k + 2 * l;
            adtape_push_f64(tape, a[i]);
            a[i] = a[j] * p[k] * a[m];
            sum += a[i];
            adtape_push_i32(tape, j);
            j = j + m + 4;
            adtape_push_i32(tape, i);
            i = i + j + 1;
            adtape_push_f64(tape, a[j]);
            a[j] = a[i] * p[k] * a[m];
            sum += a[j];
        }
        adtape_push_i32(tape, i);
        adtape_push_i32(tape, j);
    }
    for (int o = steps; o-- > 0;) {
        adtape_pop_i32(tape, &j);
        adtape_pop_i32(tape, &i);
        for (int l = 10; l-- > 0;) {
            a_b[j] += 1.0;
            adtape_pop_f64(tape, &a[j]);
            product_b(a, a_b, j, i, p[k], m);
            adtape_pop_i32(tape, &i);
            adtape_pop_i32(tape, &j);
            a_b[i] += 1.0;
            adtape_pop_f64(tape, &a[i]);
            product_b(a, a_b, i, j, p[k], m);
            adtape_pop_i32(tape, &i);
            adtape_pop_i32(tape, &m);
            adtape_pop_i32(tape, &k);
        }
    }
    return sum;
}
