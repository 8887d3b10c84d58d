/* model.c: the primal. */
#include "model.h"

#include "terminal.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- set-up -------------------------------------------------------------------------------------- */

void analytic_state(double x, double y, int which, double *h, double *u, double *v) {
    const double hump_x = which ? 0.35 : 0.40, hump_y = which ? 0.55 : 0.45, hump = which ? 0.9 : 0.5;
    const double phase = which ? 0.4 : 0.1;
    const double rx = (x - hump_x) / 0.10, ry = (y - hump_y) / 0.18;
    *h = 10.0 + hump * exp(-rx * rx - ry * ry) + 0.10 * sin(2.0 * pi * x + phase) * cos(pi * y) + 0.05 * y;
    *u = 0.30 * cos(pi * y + 0.3) + 0.20 * sin(4.0 * pi * x + 2.0 * phase);
    *v = 0.25 * sin(pi * y) * cos(2.0 * pi * x + phase);
}

int grid_create(grid_t *g, int nx, int ny, int steps, int observe_every) {
    return grid_create_part(g, nx, ny, steps, observe_every, (part_t){nx, ny, 0, 0});
}

int grid_create_part(grid_t *g, int nx, int ny, int steps, int observe_every, part_t part) {
    g->nx = nx;
    g->ny = ny;
    g->row = nx + 4;
    g->cells = g->row * (ny + 4);
    g->steps = steps;
    g->observe_every = observe_every;
    g->observed = (nx / 4) * (ny / 4) * (steps / observe_every);
    g->controls = 3 * nx * ny;
    g->gravity = 9.81;
    g->coriolis = 1.0e-4;
    g->drag = 2.5e-3;
    g->sigma_h = 0.1;
    g->sigma_u = 0.1;
    g->dx = 128.0e3 / part.whole_nx;
    /* Gravity waves of 10.5 m/s on a current of up to 2 m/s. */
    g->dt = 0.4 * g->dx / 12.5;
    g->h0 = malloc((size_t)g->cells * sizeof(double));
    g->u0 = malloc((size_t)g->cells * sizeof(double));
    g->v0 = malloc((size_t)g->cells * sizeof(double));
    if (g->h0 == NULL || g->u0 == NULL || g->v0 == NULL) {
        return 0;
    }
    for (int j = 0; j < ny + 4; j++) {
        for (int i = 0; i < nx + 4; i++) {
            const int k = j * g->row + i;
            analytic_state((part.x + i - 1.5) / part.whole_nx, (part.y + j - 1.5) / part.whole_ny, 0, &g->h0[k],
                           &g->u0[k], &g->v0[k]);
        }
    }
    return 1;
}

void grid_destroy(grid_t *g) {
    free(g->h0);
    free(g->u0);
    free(g->v0);
}

/* The twelve fields lie one after the other in one block, which f->h names. */
int fields_create(const grid_t *g, fields_t *f) {
    double *block = calloc((size_t)g->cells * 12, sizeof(double));
    double **field[12] = {&f->h,  &f->m,  &f->n,  &f->h1, &f->m1, &f->n1,
                          &f->kh, &f->km, &f->kn, &f->sh, &f->sm, &f->sn};
    for (int i = 0; block != NULL && i < 12; i++) {
        *field[i] = block + (size_t)i * (size_t)g->cells;
    }
    f->fastest = 0.0;
    return block != NULL;
}

void fields_destroy(fields_t *f) {
    free(f->h);
}

double courant_number(const grid_t *g, const fields_t *f) {
    return f->fastest * g->dt / g->dx;
}

int run_was_valid(const grid_t *g, const fields_t *f) {
    for (int j = 2; j < g->ny + 2; j++) {
        for (int i = 2; i < g->nx + 2; i++) {
            if (!(f->h[j * g->row + i] > 0.0)) { /* true of a NaN, too */
                return 0;
            }
        }
    }
    return courant_number(g, f) <= 0.5;
}

/* ---- the model ------------------------------------------------------------------------------------- */

direction_t along_x(const fields_t *f, double *h, double *m, double *n) {
    const direction_t p = {h, m, n, f->sh, f->sm, f->sn, f->kh, f->km, f->kn};
    return p;
}
direction_t along_y(const fields_t *f, double *h, double *m, double *n) {
    const direction_t p = {h, n, m, f->sh, f->sn, f->sm, f->kh, f->kn, f->km};
    return p;
}

/* s: half the minmod slope of q along the direction in which neighbours are `stride` elements apart. */
static void limited_slopes(const grid_t *g, int stride, const double *q, double *s) {
    const int over_x = stride == 1, over_y = !over_x;
    for (int j = 2 - over_y; j < g->ny + 2 + over_y; j++) {
        for (int i = 2 - over_x; i < g->nx + 2 + over_x; i++) {
            const int k = j * g->row + i;
            const double left = q[k] - q[k - stride], right = q[k + stride] - q[k];
            if (left > 0.0 && right > 0.0) {
                s[k] = 0.5 * (left < right ? left : right);
            } else if (left < 0.0 && right < 0.0) {
                s[k] = 0.5 * (left > right ? left : right);
            } else {
                s[k] = 0.0;
            }
        }
    }
}

/* Adds what flows through the faces across one direction to the rates of change. The face k lies between the
 * cells a = k - stride and k; l and r are its two sides. */
static void add_fluxes(const grid_t *g, int stride, const direction_t *p, double *fastest) {
    const int over_x = stride == 1, over_y = !over_x;
    const double rdx = 1.0 / g->dx;
    for (int j = 2; j < g->ny + 2 + over_y; j++) {
        for (int i = 2; i < g->nx + 2 + over_x; i++) {
            const int k = j * g->row + i, a = k - stride;
            const double hl = p->h[a] + p->sh[a], hr = p->h[k] - p->sh[k];
            const double ql = p->q[a] + p->sq[a], qr = p->q[k] - p->sq[k];
            const double ul = ql / hl, ur = qr / hr;
            const double cl = sqrt(g->gravity * hl), cr = sqrt(g->gravity * hr);
            double speed, fh, fq, fr, v;
            if (fabs(ul) + cl > fabs(ur) + cr) {
                speed = ul >= 0.0 ? cl + ul : cl - ul;
            } else {
                speed = ur >= 0.0 ? cr + ur : cr - ur;
            }
            fh = 0.5 * (ql + qr - speed * (hr - hl));
            fq = 0.5 * (ql * ul + qr * ur + 0.5 * g->gravity * (hl * hl + hr * hr) - speed * (qr - ql));
            if (fh >= 0.0) {
                v = (p->r[a] + p->sr[a]) / hl;
            } else {
                v = (p->r[k] - p->sr[k]) / hr;
            }
            fr = fh * v;
            p->kh[a] -= rdx * fh;
            p->kh[k] += rdx * fh;
            p->kq[a] -= rdx * fq;
            p->kq[k] += rdx * fq;
            p->kr[a] -= rdx * fr;
            p->kr[k] += rdx * fr;
            if (speed > *fastest) {
                *fastest = speed;
            }
        }
    }
}

/* Adds rotation and bottom friction. */
static void add_forces(const grid_t *g, const double *h, const double *m, const double *n, double *km, double *kn) {
    for (int j = 2; j < g->ny + 2; j++) {
        for (int i = 2; i < g->nx + 2; i++) {
            const int k = j * g->row + i;
            const double u = m[k] / h[k], v = n[k] / h[k];
            const double square = u * u + v * v;
            if (square > 0.0) {
                const double speed = sqrt(square);
                km[k] -= g->drag * speed * u;
                kn[k] -= g->drag * speed * v;
            }
            km[k] += g->coriolis * n[k];
            kn[k] -= g->coriolis * m[k];
        }
    }
}

/* kh, km, kn: the rate of change of the state (h, m, n). */
static void rate_of_change(const grid_t *g, fields_t *f, double *h, double *m, double *n) {
    const direction_t px = along_x(f, h, m, n), py = along_y(f, h, m, n);
    fill_ghosts(g, h, 1.0);
    fill_ghosts(g, m, 1.0);
    fill_ghosts(g, n, -1.0);
    for (int k = 0; k < g->cells; k++) {
        f->kh[k] = 0.0;
        f->km[k] = 0.0;
        f->kn[k] = 0.0;
    }
    limited_slopes(g, 1, h, f->sh);
    limited_slopes(g, 1, m, f->sm);
    limited_slopes(g, 1, n, f->sn);
    add_fluxes(g, 1, &px, &f->fastest);
    limited_slopes(g, g->row, h, f->sh);
    limited_slopes(g, g->row, n, f->sn);
    limited_slopes(g, g->row, m, f->sm);
    add_fluxes(g, g->row, &py, &f->fastest);
    add_forces(g, h, m, n, f->km, f->kn);
}

void first_stage(const grid_t *g, fields_t *f) {
    for (int k = 0; k < g->cells; k++) {
        f->h1[k] = f->h[k] + g->dt * f->kh[k];
        f->m1[k] = f->m[k] + g->dt * f->km[k];
        f->n1[k] = f->n[k] + g->dt * f->kn[k];
    }
}
void second_stage(const grid_t *g, fields_t *f) {
    for (int k = 0; k < g->cells; k++) {
        f->h[k] = 0.5 * (f->h[k] + f->h1[k] + g->dt * f->kh[k]);
        f->m[k] = 0.5 * (f->m[k] + f->m1[k] + g->dt * f->km[k]);
        f->n[k] = 0.5 * (f->n[k] + f->n1[k] + g->dt * f->kn[k]);
    }
}

static void one_step(const grid_t *g, fields_t *f) {
    rate_of_change(g, f, f->h, f->m, f->n);
    first_stage(g, f);
    rate_of_change(g, f, f->h1, f->m1, f->n1);
    second_stage(g, f);
}

void observe(const grid_t *g, const double *h, double *observed) {
    int o = 0;
    for (int j = 0; j < g->ny / 4; j++) {
        for (int i = 0; i < g->nx / 4; i++) {
            observed[o++] = h[(4 * j + 4) * g->row + 4 * i + 4];
        }
    }
}

int first_observation(const grid_t *g, int step) {
    return (step / g->observe_every - 1) * (g->nx / 4) * (g->ny / 4);
}

/* The initial state: background plus the control w, of which h, u and v take a third each. */
static void set_initial(const grid_t *g, fields_t *f, const double *w) {
    const int third = g->nx * g->ny;
    int c = 0;
    for (int j = 2; j < g->ny + 2; j++) {
        for (int i = 2; i < g->nx + 2; i++) {
            const int k = j * g->row + i;
            const double u = g->u0[k] + g->sigma_u * w[third + c];
            const double v = g->v0[k] + g->sigma_u * w[2 * third + c];
            f->h[k] = g->h0[k] + g->sigma_h * w[c];
            f->m[k] = f->h[k] * u;
            f->n[k] = f->h[k] * v;
            c++;
        }
    }
}

void run_step(const grid_t *g, fields_t *f, int step, double *observed) {
    one_step(g, f);
    if (step % g->observe_every == 0) {
        observe(g, f->h, observed + first_observation(g, step));
    }
}

void run(const grid_t *g, fields_t *f, const double *w, double *observed) {
    f->fastest = 0.0;
    set_initial(g, f, w);
    for (int step = 1; step <= g->steps; step++) {
        run_step(g, f, step, observed);
        progress_add(2);
    }
}
