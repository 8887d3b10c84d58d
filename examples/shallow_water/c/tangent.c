/* tangent.c: the tangent program of model.c, which is run beside the primal and takes the same branches. */
#include "model.h"

#include "terminal.h"

#include <math.h>

static void limited_slopes_d(const grid_t *g, int stride, const double *q, const double *qd, double *s, double *sd) {
    const int over_x = stride == 1, over_y = !over_x;
    for (int j = 2 - over_y; j < g->ny + 2 + over_y; j++) {
        for (int i = 2 - over_x; i < g->nx + 2 + over_x; i++) {
            const int k = j * g->row + i;
            const double left = q[k] - q[k - stride], right = q[k + stride] - q[k];
            const double leftd = qd[k] - qd[k - stride], rightd = qd[k + stride] - qd[k];
            int take_left;
            if (left > 0.0 && right > 0.0) {
                take_left = left < right;
            } else if (left < 0.0 && right < 0.0) {
                take_left = left > right;
            } else {
                sd[k] = 0.0;
                s[k] = 0.0;
                continue;
            }
            sd[k] = 0.5 * (take_left ? leftd : rightd);
            s[k] = 0.5 * (take_left ? left : right);
        }
    }
}

static void add_fluxes_d(const grid_t *g, int stride, const direction_t *p, const direction_t *pd) {
    const int over_x = stride == 1, over_y = !over_x;
    const double rdx = 1.0 / g->dx;
    for (int j = 2; j < g->ny + 2 + over_y; j++) {
        for (int i = 2; i < g->nx + 2 + over_x; i++) {
            const int k = j * g->row + i, a = k - stride;
            const double hl = p->h[a] + p->sh[a], hr = p->h[k] - p->sh[k];
            const double hld = pd->h[a] + pd->sh[a], hrd = pd->h[k] - pd->sh[k];
            const double ql = p->q[a] + p->sq[a], qr = p->q[k] - p->sq[k];
            const double qld = pd->q[a] + pd->sq[a], qrd = pd->q[k] - pd->sq[k];
            const double ul = ql / hl, ur = qr / hr;
            const double uld = (qld - ul * hld) / hl, urd = (qrd - ur * hrd) / hr;
            const double cl = sqrt(g->gravity * hl), cr = sqrt(g->gravity * hr);
            const double cld = 0.5 * g->gravity / cl * hld, crd = 0.5 * g->gravity / cr * hrd;
            double speed, fh, fq, fr, v, speedd, fhd, fqd, frd, vd;
            if (fabs(ul) + cl > fabs(ur) + cr) {
                speedd = ul >= 0.0 ? cld + uld : cld - uld;
                speed = ul >= 0.0 ? cl + ul : cl - ul;
            } else {
                speedd = ur >= 0.0 ? crd + urd : crd - urd;
                speed = ur >= 0.0 ? cr + ur : cr - ur;
            }
            fhd = 0.5 * (qld + qrd - speedd * (hr - hl) - speed * (hrd - hld));
            fh = 0.5 * (ql + qr - speed * (hr - hl));
            fqd = 0.5 * (qld * ul + ql * uld + qrd * ur + qr * urd + g->gravity * (hl * hld + hr * hrd) -
                         speedd * (qr - ql) - speed * (qrd - qld));
            fq = 0.5 * (ql * ul + qr * ur + 0.5 * g->gravity * (hl * hl + hr * hr) - speed * (qr - ql));
            if (fh >= 0.0) {
                v = (p->r[a] + p->sr[a]) / hl;
                vd = (pd->r[a] + pd->sr[a] - v * hld) / hl;
            } else {
                v = (p->r[k] - p->sr[k]) / hr;
                vd = (pd->r[k] - pd->sr[k] - v * hrd) / hr;
            }
            frd = fhd * v + fh * vd;
            fr = fh * v;
            pd->kh[a] -= rdx * fhd;
            pd->kh[k] += rdx * fhd;
            pd->kq[a] -= rdx * fqd;
            pd->kq[k] += rdx * fqd;
            pd->kr[a] -= rdx * frd;
            pd->kr[k] += rdx * frd;
            p->kh[a] -= rdx * fh;
            p->kh[k] += rdx * fh;
            p->kq[a] -= rdx * fq;
            p->kq[k] += rdx * fq;
            p->kr[a] -= rdx * fr;
            p->kr[k] += rdx * fr;
        }
    }
}

static void add_forces_d(const grid_t *g, const double *h, const double *hd, const double *m, const double *md,
                         const double *n, const double *nd, fields_t *f, fields_t *fd) {
    for (int j = 2; j < g->ny + 2; j++) {
        for (int i = 2; i < g->nx + 2; i++) {
            const int k = j * g->row + i;
            const double u = m[k] / h[k], v = n[k] / h[k];
            const double ud = (md[k] - u * hd[k]) / h[k], vd = (nd[k] - v * hd[k]) / h[k];
            const double square = u * u + v * v, squared = 2.0 * (u * ud + v * vd);
            if (square > 0.0) {
                const double speed = sqrt(square), speedd = 0.5 / speed * squared;
                fd->km[k] -= g->drag * (speedd * u + speed * ud);
                fd->kn[k] -= g->drag * (speedd * v + speed * vd);
                f->km[k] -= g->drag * speed * u;
                f->kn[k] -= g->drag * speed * v;
            }
            fd->km[k] += g->coriolis * nd[k];
            fd->kn[k] -= g->coriolis * md[k];
            f->km[k] += g->coriolis * n[k];
            f->kn[k] -= g->coriolis * m[k];
        }
    }
}

static void rate_of_change_d(const grid_t *g, fields_t *f, fields_t *fd, double *h, double *hd, double *m, double *md,
                             double *n, double *nd) {
    const direction_t px = along_x(f, h, m, n), pxd = along_x(fd, hd, md, nd);
    const direction_t py = along_y(f, h, m, n), pyd = along_y(fd, hd, md, nd);
    fill_ghosts(g, hd, 1.0);
    fill_ghosts(g, h, 1.0);
    fill_ghosts(g, md, 1.0);
    fill_ghosts(g, m, 1.0);
    fill_ghosts(g, nd, -1.0);
    fill_ghosts(g, n, -1.0);
    for (int k = 0; k < g->cells; k++) {
        fd->kh[k] = fd->km[k] = fd->kn[k] = 0.0;
        f->kh[k] = f->km[k] = f->kn[k] = 0.0;
    }
    limited_slopes_d(g, 1, h, hd, f->sh, fd->sh);
    limited_slopes_d(g, 1, m, md, f->sm, fd->sm);
    limited_slopes_d(g, 1, n, nd, f->sn, fd->sn);
    add_fluxes_d(g, 1, &px, &pxd);
    limited_slopes_d(g, g->row, h, hd, f->sh, fd->sh);
    limited_slopes_d(g, g->row, n, nd, f->sn, fd->sn);
    limited_slopes_d(g, g->row, m, md, f->sm, fd->sm);
    add_fluxes_d(g, g->row, &py, &pyd);
    add_forces_d(g, h, hd, m, md, n, nd, f, fd);
}

static void one_step_d(const grid_t *g, fields_t *f, fields_t *fd) {
    rate_of_change_d(g, f, fd, f->h, fd->h, f->m, fd->m, f->n, fd->n);
    first_stage(g, fd);
    first_stage(g, f);
    rate_of_change_d(g, f, fd, f->h1, fd->h1, f->m1, fd->m1, f->n1, fd->n1);
    second_stage(g, fd);
    second_stage(g, f);
}

static void set_initial_d(const grid_t *g, fields_t *f, fields_t *fd, const double *w, const double *wd) {
    const int third = g->nx * g->ny;
    int c = 0;
    for (int j = 2; j < g->ny + 2; j++) {
        for (int i = 2; i < g->nx + 2; i++) {
            const int k = j * g->row + i;
            const double u = g->u0[k] + g->sigma_u * w[third + c], ud = g->sigma_u * wd[third + c];
            const double v = g->v0[k] + g->sigma_u * w[2 * third + c], vd = g->sigma_u * wd[2 * third + c];
            fd->h[k] = g->sigma_h * wd[c];
            f->h[k] = g->h0[k] + g->sigma_h * w[c];
            fd->m[k] = fd->h[k] * u + f->h[k] * ud;
            f->m[k] = f->h[k] * u;
            fd->n[k] = fd->h[k] * v + f->h[k] * vd;
            f->n[k] = f->h[k] * v;
            c++;
        }
    }
}

void run_d(const grid_t *g, fields_t *f, fields_t *fd, const double *w, const double *wd, double *observed,
           double *observedd) {
    set_initial_d(g, f, fd, w, wd);
    for (int step = 1; step <= g->steps; step++) {
        one_step_d(g, f, fd);
        if (step % g->observe_every == 0) {
            const int o = first_observation(g, step);
            observe(g, fd->h, observedd + o);
            observe(g, f->h, observed + o);
        }
        progress_add(4);
    }
}
