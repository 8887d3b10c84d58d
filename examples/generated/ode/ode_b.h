/* ode_b.h: the adjoint of distance, written by adtape. */
#ifndef ODE_B_H
#define ODE_B_H

/* Types of the sources. Define ADTAPE_OWN_TYPES first where these types are declared in another way. */
#ifndef ADTAPE_OWN_TYPES
#ifndef ADTAPE_TAG_rates
#define ADTAPE_TAG_rates
struct rates {
    double birth, hunt, death, gain;
};
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of distance. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   rates_b: the adjoint of rates: added to
 *   start_b: the adjoint of start: added to
 *   distance_b: the adjoint of the result: read
 */
void distance_b(const struct rates *rates, struct rates *rates_b, int steps, double h, const double start[2], double start_b[2], const double (*seen)[2], double distance_b);

#ifdef __cplusplus
}
#endif

#endif
