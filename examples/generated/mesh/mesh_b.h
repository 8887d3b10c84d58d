/* mesh_b.h: the adjoint of energy, written by adtape. */
#ifndef MESH_B_H
#define MESH_B_H

/* Types of the sources. Define ADTAPE_OWN_TYPES first where these types are declared in another way. */
#ifndef ADTAPE_OWN_TYPES
#ifndef ADTAPE_TAG_mesh
#define ADTAPE_TAG_mesh
struct mesh {
    int across, up;
    double *length; /* of an edge */
};
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The adjoint of energy. Runs it, and computes the adjoints of what it reads from those of
 * what it writes. Memory that it writes holds old, new or intermediate contents afterwards.
 *   mesh_b: the adjoint of mesh: added to
 *   height_b: the adjoint of height: read where the function writes, then cleared or added to
 *   flux_b: the adjoint of flux: read where the function writes, then cleared or added to
 *   energy_b: the adjoint of the result: read
 */
void energy_b(const struct mesh *mesh, struct mesh *mesh_b, int sweeps, double *height, double *height_b, double *flux, double *flux_b, double energy_b);

#ifdef __cplusplus
}
#endif

#endif
