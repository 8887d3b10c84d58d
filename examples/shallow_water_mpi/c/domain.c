#include "domain.h"

/* Cuts `cells` into `count` parts of blocks of four; the first parts have one block more where that does not come out
 * even. */
static void cut(int cells, int count, int place, int *first, int *length) {
    const int blocks = cells / 4, each = blocks / count, more = blocks % count;
    *first = 4 * (place * each + (place < more ? place : more));
    *length = 4 * (each + (place < more));
}

int domain_create(domain_t *d, int whole_nx, int whole_ny) {
    const int periods[2] = {1, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &d->ranks);
    d->count[0] = d->count[1] = 0;
    MPI_Dims_create(d->ranks, 2, d->count);
    if (whole_nx / 4 < d->count[0] || whole_ny / 4 < d->count[1]) {
        return 0;
    }
    adtape_MPI_Cart_create(MPI_COMM_WORLD, 2, d->count, periods, 1, &d->comm);
    MPI_Comm_rank(d->comm, &d->rank);
    MPI_Cart_coords(d->comm, d->rank, 2, d->place);
    d->part = (part_t){.whole_nx = whole_nx, .whole_ny = whole_ny};
    cut(whole_nx, d->count[0], d->place[0], &d->part.x, &d->nx);
    cut(whole_ny, d->count[1], d->place[1], &d->part.y, &d->ny);
    return 1;
}
