/* network_b.h: the adjoint of loss, written by adtape. */
#ifndef NETWORK_B_H
#define NETWORK_B_H

/* Types of the sources. Define ADTAPE_OWN_TYPES first where these types are declared in another way. */
#ifndef ADTAPE_OWN_TYPES
#ifndef ADTAPE_TYPE_network
#define ADTAPE_TYPE_network
typedef struct {
    int inputs, hidden, classes;
    double *first, *second; /* weights, row by row; the last of a row is the bias */
} network;
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of loss. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   net_b: the adjoint of net: added to
 *   layer_b: the adjoint of layer: read where the function writes, then cleared or added to
 *   score_b: the adjoint of score: read where the function writes, then cleared or added to
 *   loss_b: the adjoint of the result: read
 */
void loss_b(const network *net, network *net_b, int samples, const double *x, const int *label, double *layer, double *layer_b, double *score, double *score_b, double loss_b);

#ifdef __cplusplus
}
#endif

#endif
