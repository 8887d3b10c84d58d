/* adjoint.c: forward and reverse sweep of model.c: the step, the initial state, the observations, the time loop.
 * The loops over the grid are in adjoint_loops.c, where the style is explained. */
#include "adjoint.h"

#include "terminal.h"

/* ---- a step -------------------------------------------------------------------------------------------- */

static void rate_of_change_fwd(const grid_t *g, fields_t *f, double *h, double *m, double *n, adtape_t *t) {
    const direction_t px = along_x(f, h, m, n), py = along_y(f, h, m, n);
    fill_ghosts_fwd(g, h, 1.0);
    fill_ghosts_fwd(g, m, 1.0);
    fill_ghosts_fwd(g, n, -1.0);
    for (int k = 0; k < g->cells; k++) {
        f->kh[k] = 0.0;
        f->km[k] = 0.0;
        f->kn[k] = 0.0;
    }
    limited_slopes_fwd(g, 1, h, f->sh, t);
    limited_slopes_fwd(g, 1, m, f->sm, t);
    limited_slopes_fwd(g, 1, n, f->sn, t);
    add_fluxes_fwd(g, 1, &px, &f->fastest, t);
    limited_slopes_fwd(g, g->row, h, f->sh, t);
    limited_slopes_fwd(g, g->row, n, f->sn, t);
    limited_slopes_fwd(g, g->row, m, f->sm, t);
    add_fluxes_fwd(g, g->row, &py, &f->fastest, t);
    add_forces_fwd(g, h, m, n, f->km, f->kn, t);
}

static void rate_of_change_bwd(const grid_t *g, fields_t *fb, const double *h, double *hb, double *mb, double *nb,
                               adtape_t *t) {
    const direction_t pxb = along_x(fb, hb, mb, nb), pyb = along_y(fb, hb, mb, nb);
    add_forces_bwd(g, h, hb, mb, nb, fb->km, fb->kn, t);
    add_fluxes_bwd(g, g->row, &pyb, t);
    limited_slopes_bwd(g, g->row, mb, fb->sm, t);
    limited_slopes_bwd(g, g->row, nb, fb->sn, t);
    limited_slopes_bwd(g, g->row, hb, fb->sh, t);
    add_fluxes_bwd(g, 1, &pxb, t);
    limited_slopes_bwd(g, 1, nb, fb->sn, t);
    limited_slopes_bwd(g, 1, mb, fb->sm, t);
    limited_slopes_bwd(g, 1, hb, fb->sh, t);
    for (int k = 0; k < g->cells; k++) {
        fb->kh[k] = 0.0;
        fb->km[k] = 0.0;
        fb->kn[k] = 0.0;
    }
    fill_ghosts_b(g, nb, -1.0);
    fill_ghosts_b(g, mb, 1.0);
    fill_ghosts_b(g, hb, 1.0);
}

/* The cells of the channel, without the ghost cells: a section of a field. */
static void push_channel(const grid_t *g, const double *q, adtape_t *t) {
    const int64_t extents[2] = {g->nx, g->ny};
    const int64_t strides_bytes[2] = {sizeof(double), (int64_t)sizeof(double) * g->row};
    adtape_push_section(t, ADTAPE_TYPE_F64, q + 2 * g->row + 2, 2, extents, strides_bytes);
}
static void pop_channel(const grid_t *g, double *q, adtape_t *t) {
    const int64_t extents[2] = {g->nx, g->ny};
    const int64_t strides_bytes[2] = {sizeof(double), (int64_t)sizeof(double) * g->row};
    adtape_pop_section(t, ADTAPE_TYPE_F64, q + 2 * g->row + 2, 2, extents, strides_bytes);
}

static void one_step_fwd(const grid_t *g, fields_t *f, adtape_t *t) {
    rate_of_change_fwd(g, f, f->h, f->m, f->n, t);
    push_channel(g, f->h1, t);
    first_stage(g, f);
    rate_of_change_fwd(g, f, f->h1, f->m1, f->n1, t);
    push_channel(g, f->h, t);
    second_stage(g, f);
}

static void one_step_bwd(const grid_t *g, fields_t *f, fields_t *fb, adtape_t *t) {
    for (int k = 0; k < g->cells; k++) {
        fb->h[k] *= 0.5;
        fb->m[k] *= 0.5;
        fb->n[k] *= 0.5;
        fb->h1[k] += fb->h[k];
        fb->m1[k] += fb->m[k];
        fb->n1[k] += fb->n[k];
        fb->kh[k] += g->dt * fb->h[k];
        fb->km[k] += g->dt * fb->m[k];
        fb->kn[k] += g->dt * fb->n[k];
    }
    pop_channel(g, f->h, t);
    rate_of_change_bwd(g, fb, f->h1, fb->h1, fb->m1, fb->n1, t);
    for (int k = 0; k < g->cells; k++) {
        fb->h[k] += fb->h1[k];
        fb->m[k] += fb->m1[k];
        fb->n[k] += fb->n1[k];
        fb->kh[k] += g->dt * fb->h1[k];
        fb->km[k] += g->dt * fb->m1[k];
        fb->kn[k] += g->dt * fb->n1[k];
        fb->h1[k] = 0.0;
        fb->m1[k] = 0.0;
        fb->n1[k] = 0.0;
    }
    pop_channel(g, f->h1, t);
    rate_of_change_bwd(g, fb, f->h, fb->h, fb->m, fb->n, t);
}

/* ---- initial state, observations, time loop -------------------------------------------------------------- */

void set_initial_fwd(const grid_t *g, fields_t *f, const double *w, adtape_t *t) {
    const int third = g->nx * g->ny;
    double u = 0.0, v = 0.0;
    int c = 0;
    for (int j = 2; j < g->ny + 2; j++) {
        for (int i = 2; i < g->nx + 2; i++) {
            const int k = j * g->row + i;
            adtape_push_f64(t, u);
            u = g->u0[k] + g->sigma_u * w[third + c];
            adtape_push_f64(t, v);
            v = g->v0[k] + g->sigma_u * w[2 * third + c];
            f->h[k] = g->h0[k] + g->sigma_h * w[c];
            f->m[k] = f->h[k] * u;
            f->n[k] = f->h[k] * v;
            c++;
        }
    }
    adtape_push_f64(t, u);
    adtape_push_f64(t, v);
}

void set_initial_bwd(const grid_t *g, const fields_t *f, fields_t *fb, double *wb, adtape_t *t) {
    const int third = g->nx * g->ny;
    double u, v;
    int c = third;
    adtape_pop_f64(t, &v);
    adtape_pop_f64(t, &u);
    for (int j = g->ny + 1; j >= 2; j--) {
        for (int i = g->nx + 1; i >= 2; i--) {
            const int k = j * g->row + i;
            c--;
            fb->h[k] += u * fb->m[k] + v * fb->n[k];
            wb[c] = g->sigma_h * fb->h[k];
            wb[2 * third + c] = g->sigma_u * f->h[k] * fb->n[k];
            adtape_pop_f64(t, &v);
            wb[third + c] = g->sigma_u * f->h[k] * fb->m[k];
            adtape_pop_f64(t, &u);
            fb->h[k] = fb->m[k] = fb->n[k] = 0.0;
        }
    }
}

static void observe_b(const grid_t *g, double *hb, double *observedb) {
    int o = 0;
    for (int j = 0; j < g->ny / 4; j++) {
        for (int i = 0; i < g->nx / 4; i++) {
            hb[(4 * j + 4) * g->row + 4 * i + 4] += observedb[o];
            observedb[o++] = 0.0;
        }
    }
}

void run_step_fwd(const grid_t *g, fields_t *f, int step, double *observed, adtape_t *t) {
    one_step_fwd(g, f, t);
    if (step % g->observe_every == 0) {
        observe(g, f->h, observed + first_observation(g, step));
    }
}

void run_step_bwd(const grid_t *g, fields_t *f, fields_t *fb, int step, double *observedb, adtape_t *t) {
    if (step % g->observe_every == 0) {
        observe_b(g, fb->h, observedb + first_observation(g, step));
    }
    one_step_bwd(g, f, fb, t);
}

void run_fwd(const grid_t *g, fields_t *f, const double *w, double *observed, adtape_t *t) {
    f->fastest = 0.0;
    set_initial_fwd(g, f, w, t);
    for (int step = 1; step <= g->steps; step++) {
        run_step_fwd(g, f, step, observed, t);
        progress_add(3);
    }
}

void run_bwd(const grid_t *g, fields_t *f, fields_t *fb, double *wb, double *observedb, adtape_t *t) {
    for (int step = g->steps; step >= 1; step--) {
        run_step_bwd(g, f, fb, step, observedb, t);
        progress_add(4);
    }
    set_initial_bwd(g, f, fb, wb, t);
}
