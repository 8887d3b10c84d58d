/* adjoint_loops.c: forward and reverse sweep of the loops of model.c, in the style a generator emits:
 *
 *   forward sweep: the primal, and before a value is overwritten that the adjoint will need, it is pushed;
 *                  which way a branch went is pushed as control bits;
 *   reverse sweep: the statements in the opposite order; each first uses the values it was computed with, then
 *                  pops what it overwrote.
 *
 * What is needed is decided as in to-be-recorded analysis: the slopes, the ghost cells and both updates are
 * linear, so that m, n and the slopes are never pushed, and h only because bottom friction reads it.
 *
 * Local variables of a loop live on from one iteration to the next, so that their values of the last iteration
 * are pushed at the end of the forward sweep's function and popped at the start of the reverse sweep's. */
#include "adjoint.h"

#include <math.h>

/* ---- slopes ---------------------------------------------------------------------------------------- */

enum { SLOPE_ZERO = 0, SLOPE_LEFT = 1, SLOPE_RIGHT = 2, SLOPE_BITS = 2 };

void limited_slopes_fwd(const grid_t *g, int stride, const double *q, double *s, adtape_t *t) {
    const int over_x = stride == 1, over_y = !over_x;
    for (int j = 2 - over_y; j < g->ny + 2 + over_y; j++) {
        for (int i = 2 - over_x; i < g->nx + 2 + over_x; i++) {
            const int k = j * g->row + i;
            const double left = q[k] - q[k - stride], right = q[k + stride] - q[k];
            unsigned branch;
            if (left > 0.0 && right > 0.0) {
                branch = left < right ? SLOPE_LEFT : SLOPE_RIGHT;
            } else if (left < 0.0 && right < 0.0) {
                branch = left > right ? SLOPE_LEFT : SLOPE_RIGHT;
            } else {
                branch = SLOPE_ZERO;
            }
            s[k] = branch == SLOPE_ZERO ? 0.0 : 0.5 * (branch == SLOPE_LEFT ? left : right);
            adtape_push_control(t, branch, SLOPE_BITS);
        }
    }
}

void limited_slopes_bwd(const grid_t *g, int stride, double *qb, double *sb, adtape_t *t) {
    const int over_x = stride == 1, over_y = !over_x;
    for (int j = g->ny + 1 + over_y; j >= 2 - over_y; j--) {
        for (int i = g->nx + 1 + over_x; i >= 2 - over_x; i--) {
            const int k = j * g->row + i;
            const double halfb = 0.5 * sb[k];
            switch (adtape_pop_control(t, SLOPE_BITS)) {
            case SLOPE_LEFT:
                qb[k] += halfb;
                qb[k - stride] -= halfb;
                break;
            case SLOPE_RIGHT:
                qb[k + stride] += halfb;
                qb[k] -= halfb;
                break;
            default:
                break;
            }
            sb[k] = 0.0;
        }
    }
}

/* ---- fluxes ------------------------------------------------------------------------------------------ */

void add_fluxes_fwd(const grid_t *g, int stride, const direction_t *p, double *fastest, adtape_t *t) {
    const int over_x = stride == 1, over_y = !over_x;
    const double rdx = 1.0 / g->dx;
    double hl = 0.0, hr = 0.0, ql = 0.0, qr = 0.0, ul = 0.0, ur = 0.0, cl = 0.0, cr = 0.0;
    double speed = 0.0, fh = 0.0, fq, fr, v = 0.0;
    for (int j = 2; j < g->ny + 2 + over_y; j++) {
        for (int i = 2; i < g->nx + 2 + over_x; i++) {
            const int k = j * g->row + i, a = k - stride;
            adtape_push_f64(t, hl);
            hl = p->h[a] + p->sh[a];
            adtape_push_f64(t, hr);
            hr = p->h[k] - p->sh[k];
            adtape_push_f64(t, ql);
            ql = p->q[a] + p->sq[a];
            adtape_push_f64(t, qr);
            qr = p->q[k] - p->sq[k];
            adtape_push_f64(t, ul);
            ul = ql / hl;
            adtape_push_f64(t, ur);
            ur = qr / hr;
            adtape_push_f64(t, cl);
            cl = sqrt(g->gravity * hl);
            adtape_push_f64(t, cr);
            cr = sqrt(g->gravity * hr);
            adtape_push_f64(t, speed);
            if (fabs(ul) + cl > fabs(ur) + cr) {
                if (ul >= 0.0) {
                    speed = cl + ul;
                    adtape_push_control(t, 0, 2);
                } else {
                    speed = cl - ul;
                    adtape_push_control(t, 1, 2);
                }
            } else {
                if (ur >= 0.0) {
                    speed = cr + ur;
                    adtape_push_control(t, 2, 2);
                } else {
                    speed = cr - ur;
                    adtape_push_control(t, 3, 2);
                }
            }
            adtape_push_f64(t, fh);
            fh = 0.5 * (ql + qr - speed * (hr - hl));
            fq = 0.5 * (ql * ul + qr * ur + 0.5 * g->gravity * (hl * hl + hr * hr) - speed * (qr - ql));
            adtape_push_f64(t, v);
            if (fh >= 0.0) {
                v = (p->r[a] + p->sr[a]) / hl;
                adtape_push_control(t, 1, 1);
            } else {
                v = (p->r[k] - p->sr[k]) / hr;
                adtape_push_control(t, 0, 1);
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
    adtape_push_f64(t, hl);
    adtape_push_f64(t, hr);
    adtape_push_f64(t, ql);
    adtape_push_f64(t, qr);
    adtape_push_f64(t, ul);
    adtape_push_f64(t, ur);
    adtape_push_f64(t, cl);
    adtape_push_f64(t, cr);
    adtape_push_f64(t, speed);
    adtape_push_f64(t, fh);
    adtape_push_f64(t, v);
}

void add_fluxes_bwd(const grid_t *g, int stride, const direction_t *pb, adtape_t *t) {
    const int over_x = stride == 1, over_y = !over_x;
    const double rdx = 1.0 / g->dx;
    double hl, hr, ql, qr, ul, ur, cl, cr, speed, fh, v;
    adtape_pop_f64(t, &v);
    adtape_pop_f64(t, &fh);
    adtape_pop_f64(t, &speed);
    adtape_pop_f64(t, &cr);
    adtape_pop_f64(t, &cl);
    adtape_pop_f64(t, &ur);
    adtape_pop_f64(t, &ul);
    adtape_pop_f64(t, &qr);
    adtape_pop_f64(t, &ql);
    adtape_pop_f64(t, &hr);
    adtape_pop_f64(t, &hl);
    for (int j = g->ny + 1 + over_y; j >= 2; j--) {
        for (int i = g->nx + 1 + over_x; i >= 2; i--) {
            const int k = j * g->row + i, a = k - stride;
            const double frb = rdx * (pb->kr[k] - pb->kr[a]);
            const double halfqb = 0.5 * rdx * (pb->kq[k] - pb->kq[a]);
            double fhb = rdx * (pb->kh[k] - pb->kh[a]);
            double hlb = 0.0, hrb = 0.0, qlb, qrb, ulb, urb, clb = 0.0, crb = 0.0, speedb, halfhb, rb;
            /* fr = fh * v */
            fhb += v * frb;
            if (adtape_pop_control(t, 1)) {
                rb = fh * frb / hl;
                pb->r[a] += rb;
                pb->sr[a] += rb;
                hlb -= v * rb;
            } else {
                rb = fh * frb / hr;
                pb->r[k] += rb;
                pb->sr[k] -= rb;
                hrb -= v * rb;
            }
            adtape_pop_f64(t, &v);
            /* fq */
            qlb = (ul + speed) * halfqb;
            qrb = (ur - speed) * halfqb;
            ulb = ql * halfqb;
            urb = qr * halfqb;
            hlb += g->gravity * hl * halfqb;
            hrb += g->gravity * hr * halfqb;
            speedb = -(qr - ql) * halfqb;
            /* fh */
            halfhb = 0.5 * fhb;
            qlb += halfhb;
            qrb += halfhb;
            hlb += speed * halfhb;
            hrb -= speed * halfhb;
            speedb -= (hr - hl) * halfhb;
            adtape_pop_f64(t, &fh);
            switch (adtape_pop_control(t, 2)) {
            case 0:
                clb += speedb;
                ulb += speedb;
                break;
            case 1:
                clb += speedb;
                ulb -= speedb;
                break;
            case 2:
                crb += speedb;
                urb += speedb;
                break;
            default:
                crb += speedb;
                urb -= speedb;
                break;
            }
            adtape_pop_f64(t, &speed);
            hrb += 0.5 * g->gravity / cr * crb;
            adtape_pop_f64(t, &cr);
            hlb += 0.5 * g->gravity / cl * clb;
            adtape_pop_f64(t, &cl);
            qrb += urb / hr;
            hrb -= ur * urb / hr;
            adtape_pop_f64(t, &ur);
            qlb += ulb / hl;
            hlb -= ul * ulb / hl;
            adtape_pop_f64(t, &ul);
            pb->q[k] += qrb;
            pb->sq[k] -= qrb;
            adtape_pop_f64(t, &qr);
            pb->q[a] += qlb;
            pb->sq[a] += qlb;
            adtape_pop_f64(t, &ql);
            pb->h[k] += hrb;
            pb->sh[k] -= hrb;
            adtape_pop_f64(t, &hr);
            pb->h[a] += hlb;
            pb->sh[a] += hlb;
            adtape_pop_f64(t, &hl);
        }
    }
}

/* ---- forces ------------------------------------------------------------------------------------------ */

void add_forces_fwd(const grid_t *g, const double *h, const double *m, const double *n, double *km, double *kn,
                    adtape_t *t) {
    double u = 0.0, v = 0.0, speed = 0.0, square;
    for (int j = 2; j < g->ny + 2; j++) {
        for (int i = 2; i < g->nx + 2; i++) {
            const int k = j * g->row + i;
            adtape_push_f64(t, u);
            u = m[k] / h[k];
            adtape_push_f64(t, v);
            v = n[k] / h[k];
            square = u * u + v * v;
            if (square > 0.0) {
                adtape_push_f64(t, speed);
                speed = sqrt(square);
                km[k] -= g->drag * speed * u;
                kn[k] -= g->drag * speed * v;
                adtape_push_control(t, 1, 1);
            } else {
                adtape_push_control(t, 0, 1);
            }
            km[k] += g->coriolis * n[k];
            kn[k] -= g->coriolis * m[k];
        }
    }
    adtape_push_f64(t, u);
    adtape_push_f64(t, v);
    adtape_push_f64(t, speed);
}

void add_forces_bwd(const grid_t *g, const double *h, double *hb, double *mb, double *nb, const double *kmb,
                    const double *knb, adtape_t *t) {
    double u, v, speed;
    adtape_pop_f64(t, &speed);
    adtape_pop_f64(t, &v);
    adtape_pop_f64(t, &u);
    for (int j = g->ny + 1; j >= 2; j--) {
        for (int i = g->nx + 1; i >= 2; i--) {
            const int k = j * g->row + i;
            double ub = 0.0, vb = 0.0;
            mb[k] -= g->coriolis * knb[k];
            nb[k] += g->coriolis * kmb[k];
            if (adtape_pop_control(t, 1)) {
                const double speedb = -g->drag * (u * kmb[k] + v * knb[k]);
                const double squareb = 0.5 / speed * speedb;
                ub = 2.0 * u * squareb - g->drag * speed * kmb[k];
                vb = 2.0 * v * squareb - g->drag * speed * knb[k];
                adtape_pop_f64(t, &speed);
            }
            nb[k] += vb / h[k];
            hb[k] -= v * vb / h[k];
            adtape_pop_f64(t, &v);
            mb[k] += ub / h[k];
            hb[k] -= u * ub / h[k];
            adtape_pop_f64(t, &u);
        }
    }
}
