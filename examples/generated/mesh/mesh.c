#include <math.h>
#include <stddef.h>

/* Cells in rows of `across`; each edge lies between a cell and its neighbour to the right or above. */
struct mesh {
    int across, up;
    double *length; /* of an edge */
};

double energy(const struct mesh *mesh, int sweeps, double *height, double *flux);

/* Fluxes over edges, their sum into cells: the indices are computed as the loops go. */
double energy(const struct mesh *mesh, int sweeps, double *height, double *flux) {
    double sum = 0.0;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        size_t edge = 0;
        for (int row = 0; row < mesh->up; row++) {
            int cell = row * mesh->across;
            for (int left = mesh->across; left > 0; left--) {
                int right = left > 1 ? cell + 1 : cell;
                int above = row + 1 < mesh->up ? cell + mesh->across : cell;
                double jump = height[right] - height[cell];
                flux[edge] = mesh->length[edge] * jump * fabs(jump);
                jump = height[above] - height[cell];
                flux[edge + 1] = mesh->length[edge + 1] * jump * fabs(jump);
                edge += 2;
                cell = cell + 1;
            }
        }
        while (edge > 0) {
            edge -= 2;
            int cell = (int)(edge / 2);
            int right = (cell + 1) % mesh->across != 0 ? cell + 1 : cell;
            int above = cell / mesh->across + 1 < mesh->up ? cell + mesh->across : cell;
            height[cell] += 0.1 * (flux[edge] + flux[edge + 1]);
            height[right] -= 0.1 * flux[edge];
            height[above] -= 0.1 * flux[edge + 1];
        }
    }
    for (int cell = 0; cell < mesh->across * mesh->up; cell++) {
        sum += 0.5 * height[cell] * height[cell];
    }
    return sum;
}
