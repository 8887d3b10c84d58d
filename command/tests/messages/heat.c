/* Heat in a plate, in parts on a Cartesian communicator. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

enum { NX = 6, NY = 5, STEPS = 4 };

struct part {
    MPI_Comm comm;
    int left, right, below, above, me;
    double u[NX + 2][NY + 2], next[NX + 2][NY + 2];
    double out[4][NX > NY ? NX : NY], in[4][NX > NY ? NX : NY];
};

static void exchange(struct part *p) {
    MPI_Request requests[8];
    const int neighbours[4] = {p->left, p->right, p->below, p->above};
    int counts[4] = {NY, NY, NX, NX};
    for (int j = 0; j < NY; j++) {
        p->out[0][j] = p->u[1][j + 1];
        p->out[1][j] = p->u[NX][j + 1];
    }
    for (int i = 0; i < NX; i++) {
        p->out[2][i] = p->u[i + 1][1];
        p->out[3][i] = p->u[i + 1][NY];
    }
    for (int d = 0; d < 4; d++) {
        MPI_Irecv(p->in[d], counts[d], MPI_DOUBLE, neighbours[d], d ^ 1, p->comm, &requests[d]);
    }
    for (int d = 0; d < 4; d++) {
        MPI_Isend(p->out[d], counts[d], MPI_DOUBLE, neighbours[d], d, p->comm, &requests[4 + d]);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int j = 0; j < NY; j++) {
        if (p->left != MPI_PROC_NULL) p->u[0][j + 1] = p->in[0][j];
        if (p->right != MPI_PROC_NULL) p->u[NX + 1][j + 1] = p->in[1][j];
    }
    for (int i = 0; i < NX; i++) {
        if (p->below != MPI_PROC_NULL) p->u[i + 1][0] = p->in[2][i];
        if (p->above != MPI_PROC_NULL) p->u[i + 1][NY + 1] = p->in[3][i];
    }
}

static void step(struct part *p, double rate) {
    for (int i = 1; i <= NX; i++) {
        for (int j = 1; j <= NY; j++) {
            double c = rate * (1 + 0.1 * p->u[i][j] * p->u[i][j]);
            p->next[i][j] = p->u[i][j] + c * (p->u[i - 1][j] + p->u[i + 1][j] + p->u[i][j - 1] + p->u[i][j + 1] - 4 * p->u[i][j]);
        }
    }
    for (int i = 1; i <= NX; i++) {
        for (int j = 1; j <= NY; j++) p->u[i][j] = p->next[i][j];
    }
}

double model(int n, double *x) {
    struct part part;
    int ranks, dims[2] = {0, 0}, periods[2] = {0, 1};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &part.comm);
    MPI_Comm_rank(part.comm, &part.me);
    MPI_Cart_shift(part.comm, 0, 1, &part.left, &part.right);
    MPI_Cart_shift(part.comm, 1, 1, &part.below, &part.above);
    for (int i = 0; i < NX + 2; i++) {
        for (int j = 0; j < NY + 2; j++) part.u[i][j] = x[(i + 3 * j) % n];
    }
    double local = 0, all, most = 0, top;
    for (int t = 0; t < STEPS; t++) {
        exchange(&part);
        step(&part, 0.1);
    }
    for (int i = 1; i <= NX; i++) {
        for (int j = 1; j <= NY; j++) {
            local += part.u[i][j] * part.u[i][j];
            if (part.u[i][j] > most) most = part.u[i][j];
        }
    }
    MPI_Allreduce(&local, &all, 1, MPI_DOUBLE, MPI_SUM, part.comm);
    MPI_Allreduce(&most, &top, 1, MPI_DOUBLE, MPI_MAX, part.comm);
    MPI_Comm_free(&part.comm);
    return sqrt(all) + top;
}
