/* hand.h: adjoints as one writes them by hand, which keep what they need in arrays that were allocated before. Each
 * adds to the adjoints of its inputs, for a result whose adjoint is 1. */
#ifndef ADTAPE_BENCH_HAND_H
#define ADTAPE_BENCH_HAND_H

/* `kept`: (steps + 1) * n numbers; `next_b`: n numbers, 0 before and behind. */
void burgers_by_hand(int n, int steps, double dt, double *u, double *u_b, double *next, double *next_b, double *kept);

/* `kept`: (steps + 1) * n * m numbers; `next_b`: n * m numbers, 0 before and behind. */
void heat_by_hand(int n, int m, int steps, double dt, const double *k, double *k_b, const double *data, double *u,
                  double *u_b, double *next, double *next_b, double *kept);

/* What the reverse sweep needs of an observation. */
typedef struct {
    double from[3], axis[3], angle, cosine, sine, along, turned[3], a, b, bend, dx, dy, off[2];
} sight_t;

/* `kept`: one for each observation. */
void bundle_by_hand(int observations, const int *camera_of, const int *point_of, const double *found,
                    const double *camera, double *camera_b, const double *point, double *point_b, const double *weight,
                    double *weight_b, sight_t *kept);

/* Stores every index before it is overwritten: 52 integers a step, on the tape. */
double addresses_storing_all(int steps, const double *p, double *a, double *a_b);

#endif
