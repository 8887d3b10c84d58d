/* mesh_b.c: the adjoint of energy, written by adtape. */
/* version: 0.1.0
 * command: adtape adjoint mesh.c --head 'energy(energy)/(height mesh)'
 * input: 9d452aec8abb2d7e mesh.c
 * Compile it with the -I, -D and -U of the command; adtape adjoint --verify says whether it is up to date. */
/* energy_b takes these for different memory: *mesh, *height, *flux, *mesh->length. */

#include "mesh.c"
#define ADTAPE_OWN_TYPES
#include <adtape.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mesh_b.h"

/* Stores of elements that have no value yet are harmless: nothing reads them again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

static void energy_fwd(adtape_t *tape, const struct mesh *mesh, int sweeps, double *height, double *flux);
static void energy_rev(adtape_t *tape, struct mesh *mesh, struct mesh *restrict mesh_b, int sweeps, double *height, double *restrict height_b, double *restrict flux_b, double energy_b);

static void energy_fwd(adtape_t *tape, const struct mesh *mesh, int sweeps, double *height, double *flux) {
    for (int sweep = 0; sweep < sweeps; sweep++) {
        size_t edge = 0;
        for (int row = 0; row < mesh->up; row++) {
            int cell = row * mesh->across;
            for (int left = mesh->across; left > 0; left--) {
                int right = left > 1 ? cell + 1 : cell;
                int above = row + 1 < mesh->up ? cell + mesh->across : cell;
                double jump = height[right] - height[cell];
                double jump_s = jump;
                flux[edge] = mesh->length[edge] * jump * fabs(jump);
                jump = height[above] - height[cell];
                flux[edge + 1] = mesh->length[edge + 1] * jump * fabs(jump);
                adtape_push_record_f64(tape, (const double[]){jump_s, jump}, 2);
                edge += 2;
                cell = cell + 1;
            }
        }
        unsigned long edge_s = edge;
        while (edge > 0) {
            edge -= 2;
            int cell = (int)(edge / 2);
            int right = (cell + 1) % mesh->across != 0 ? cell + 1 : cell;
            int above = cell / mesh->across + 1 < mesh->up ? cell + mesh->across : cell;
            height[cell] += 0.1 * (flux[edge] + flux[edge + 1]);
            height[right] -= 0.1 * flux[edge];
            height[above] -= 0.1 * flux[edge + 1];
        }
        adtape_push_i64(tape, (int64_t)edge_s);
    }
}

static void energy_rev(adtape_t *tape, struct mesh *mesh, struct mesh *restrict mesh_b, int sweeps, double *height, double *restrict height_b, double *restrict flux_b, double energy_b) {
    /* mesh.c:13 */
    double sum_b = energy_b;
    /* mesh.c:40 */
    const int cell_1 = mesh->across * mesh->up;
    for (int cell = 0; cell < cell_1; ++cell) {
        /* mesh.c:41 */
        const double seed = sum_b;
        height_b[cell] += 0.5 * (height[cell] * seed);
        height_b[cell] += 0.5 * height[cell] * seed;
    }
    /* mesh.c:15 */
    for (int sweep = sweeps; sweep-- > 0;) {
        int64_t edge_raw;
        adtape_pop_i64(tape, &edge_raw);
        const unsigned long edge = (unsigned long)edge_raw;
        /* mesh.c:30 */
        for (uint64_t pass = 0; pass != (edge > 0 ? ((uint64_t)edge - 1) / 2 + 1 : (uint64_t)0u); ++pass) {
            const unsigned long edge_1 = edge - (unsigned long)pass * 2;
            /* mesh.c:37 */
            const unsigned long edge_2 = edge_1 - 2;
            const int cell_2 = (int)(edge_2 / 2);
            const int above = cell_2 / mesh->across + 1 < mesh->up ? cell_2 + mesh->across : cell_2;
            const double seed_1 = height_b[above];
            flux_b[edge_2 + 1] += 0.1 * -seed_1;
            /* mesh.c:36 */
            const int right = (cell_2 + 1) % mesh->across != 0 ? cell_2 + 1 : cell_2;
            const double seed_2 = height_b[right];
            flux_b[edge_2] += 0.1 * -seed_2;
            /* mesh.c:35 */
            const double seed_3 = height_b[cell_2];
            flux_b[edge_2] += 0.1 * seed_3;
            flux_b[edge_2 + 1] += 0.1 * seed_3;
        }
        /* mesh.c:17 */
        const int row_1 = mesh->up;
        unsigned long edge_5 = edge;
        for (int row = row_1; row-- > 0;) {
            /* mesh.c:19 */
            const int left = mesh->across;
            const int cell_3 = row * mesh->across;
            unsigned long edge_3 = edge_5;
            for (int left_1 = 1; left_1 <= left; ++left_1) {
                double record[2];
                adtape_pop_record_f64(tape, record, 2);
                const double jump_1 = record[1];
                const double jump = record[0];
                const int cell_4 = (int)((unsigned int)cell_3 + ((unsigned int)left - (unsigned int)left_1));
                /* mesh.c:25 */
                const unsigned long edge_4 = edge_3 - 2;
                const double seed_4 = flux_b[edge_4 + 1];
                flux_b[edge_4 + 1] = 0.0;
                const double seed_5 = fabs(jump_1) * seed_4;
                mesh_b->length[edge_4 + 1] += jump_1 * seed_5;
                double jump_b = mesh->length[edge_4 + 1] * seed_5;
                jump_b += copysign(1.0, jump_1) * (mesh->length[edge_4 + 1] * jump_1 * seed_4);
                /* mesh.c:24 */
                const double seed_6 = jump_b;
                jump_b = 0.0;
                const int above_1 = row + 1 < mesh->up ? cell_4 + mesh->across : cell_4;
                height_b[above_1] += seed_6;
                height_b[cell_4] -= seed_6;
                /* mesh.c:23 */
                const double seed_7 = flux_b[edge_4];
                flux_b[edge_4] = 0.0;
                const double seed_8 = fabs(jump) * seed_7;
                mesh_b->length[edge_4] += jump * seed_8;
                jump_b += mesh->length[edge_4] * seed_8;
                jump_b += copysign(1.0, jump) * (mesh->length[edge_4] * jump * seed_7);
                /* mesh.c:22 */
                const double seed_9 = jump_b;
                jump_b = 0.0;
                const int right_1 = left_1 > 1 ? cell_4 + 1 : cell_4;
                height_b[right_1] += seed_9;
                height_b[cell_4] -= seed_9;
                edge_3 = edge_4;
            }
            edge_5 = edge_3;
        }
    }
    /* mesh.c:14 */
    sum_b = 0.0;
}

void energy_b(const struct mesh *mesh, struct mesh *mesh_b, int sweeps, double *height, double *height_b, double *flux, double *flux_b, double energy_b) {
    adtape_t *const tape = adtape_self();
    energy_fwd(tape, mesh, sweeps, height, flux);
    energy_rev(tape, (struct mesh *)mesh, (struct mesh *)mesh_b, sweeps, (double *)height, (double *)height_b, (double *)flux_b, energy_b);
}
