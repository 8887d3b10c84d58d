/* random.c: random programs of messages beside their serial model (model.h).
 *
 *   random SEED COUNT      runs the programs SEED to SEED + COUNT - 1
 *
 * All ranks make up the same program. Each does its part by calls of adtape_mpi, and reverses it; then its cells and
 * their adjoints are compared with the model's. What a receive from any source took, is found out by what came. */
#include <adtape.h>
#include <adtape_mpi.h>
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "model.h"

static double x[CELLS], xb[CELLS], y[MORE], yb[MORE];
static int me, ranks;
static uint64_t seed;

#include "random_delays.h"

/* ---- communicators: of all ranks, and of parts of them; each rank has one of each kind ---- */

enum { WORLD, DUPLICATE, PARITY, GRID, LINE, MIRRORED, SELF, KINDS };
static MPI_Comm comms[KINDS];

static int members(int kind, int of, int list[RANKS]) {
    int count = 0;
    for (int i = 0; i < ranks; i++) {
        const int rank = kind == MIRRORED ? ranks - 1 - i : i;
        if (kind == SELF ? rank == of : kind == PARITY ? rank % 2 == of % 2 : true) {
            list[count++] = rank;
        }
    }
    return count;
}

static void make_communicators(void) {
    const int dims[1] = {ranks}, periods[1] = {1}, no_periods[1] = {0};
    comms[WORLD] = MPI_COMM_WORLD;
    comms[SELF] = MPI_COMM_SELF;
    adtape_MPI_Comm_dup(MPI_COMM_WORLD, &comms[DUPLICATE]);
    adtape_MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comms[PARITY]);
    adtape_MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comms[MIRRORED]);
    adtape_MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comms[GRID]);
    adtape_MPI_Cart_create(MPI_COMM_WORLD, 1, dims, no_periods, 0, &comms[LINE]);
}

/* Before the reverse sweep, which does not need them. */
static void free_communicators(void) {
    for (int kind = DUPLICATE; kind < SELF; kind++) {
        MPI_Comm_free(&comms[kind]);
    }
}

/* ---- what this rank has done, to be reversed ---- */

typedef void reverse_function(void);
struct done {
    reverse_function *call; /* or: */
    int target, source;     /* xb[source] += coefficient * xb[target]; source -1: xb[target] = 0 */
    double coefficient;
};
static struct done done[1 << 14];
static int done_count;

static void called(reverse_function *reverse) { done[done_count++] = (struct done){.call = reverse}; }

static void reverse_all(void) {
    while (done_count > 0) {
        const struct done *last = &done[--done_count];
        if (last->call != NULL) {
            last->call();
        } else if (last->source < 0) {
            xb[last->target] = 0;
        } else {
            xb[last->source] += last->coefficient * xb[last->target];
        }
    }
}

/* ---- local steps ---- */

/* x[target] += coefficient * x[source] on all ranks */
static void step_local(void) {
    for (int rank = 0; rank < ranks; rank++) {
        const int target = pick(CELLS), source = (target + 1 + pick(CELLS - 1)) % CELLS;
        const double coefficient = pick(5) - 2;
        const int to = cell_of(rank, target), from = cell_of(rank, source);
        model_assign(to, model.x[to] + coefficient * model.x[from]);
        model_term(1, to);
        model_term(coefficient, from);
        if (rank == me) {
            x[target] += coefficient * x[source];
            done[done_count++] = (struct done){NULL, target, source, coefficient};
        }
    }
    model_step();
}

/* A whole number from -2 to 2 */
static double folded(double value) {
    const long long whole = (long long)value % 5;
    return (double)(whole > 2 ? whole - 5 : whole < -2 ? whole + 5 : whole);
}

/* Cells become small, with a derivative of one. */
static void fold(int from, int count) {
    for (int rank = 0; rank < ranks; rank++) {
        for (int i = from; i < from + count; i++) {
            const int cell = cell_of(rank, i);
            model_assign(cell, folded(model.x[cell]));
            model_term(1, cell);
            if (rank == me) {
                x[i] = folded(x[i]);
            }
        }
    }
    model_step();
}

/* A cell gets a constant. */
static void set(int rank, int cell, double value) {
    model_assign(cell_of(rank, cell), value);
    model_step();
    if (rank == me) {
        x[cell] = value;
        done[done_count++] = (struct done){NULL, cell, -1, 0};
    }
}

#include "random_point.h"

#include "random_collective.h"

#include "random_blocks.h"

#include "random_nonblocking.h"

#include "random_joined.h"

/* ---- a program ---- */

static void step(void) {
    switch (pick(15)) {
    case 0: step_local(); break;
    case 1: step_message(); break;
    case 2: step_shift(); break;
    case 3:
    case 4: step_batch(); break;
    case 5: step_bcast(); break;
    case 6: step_reduce(); break;
    case 7:
    case 8: step_blocks(); break;
    case 9: step_scan(); break;
    case 10: step_neighbors(); break;
    case 11:
    case 12: step_nonblocking(); break;
    case 13: step_joined(); break;
    default: step_passive(); break;
    }
}

static void compare(const char *what, const double *mine, const double *more, const double *expected) {
    for (int i = 0; i < ALL_CELLS; i++) {
        const double value = i < CELLS ? mine[i] : more[i - CELLS];
        if (value != expected[cell_of(me, i)]) {
            fprintf(stderr, "seed %llu, %d ranks, rank %d: %s[%d] is %.17g, in the model %.17g\n",
                    (unsigned long long)seed, ranks, me, what, i, value, expected[cell_of(me, i)]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void program(void) {
    random_state = seed * 1000003;
    delay_state = seed * 31 + (uint64_t)me;
    model_clear();
    memset(xb, 0, sizeof xb);
    memset(yb, 0, sizeof yb);
    done_count = 0;
    for (int i = 0; i < ranks * ALL_CELLS; i++) {
        model.x[i] = pick(9) - 4;
    }
    memcpy(x, &model.x[cell_of(me, 0)], sizeof x);
    memcpy(y, &model.x[cell_of(me, CELLS)], sizeof y);
    make_communicators();
    for (int n = 2 + pick(10); n > 0; n--) {
        step();
    }
    compare("x", x, y, model.x);
    free_communicators();
    for (int i = 0; i < ranks * ALL_CELLS; i++) {
        model.xb[i] = pick(9) - 4;
    }
    memcpy(xb, &model.xb[cell_of(me, 0)], sizeof xb);
    memcpy(yb, &model.xb[cell_of(me, CELLS)], sizeof yb);
    reverse_all();
    while (model.steps > 0) {
        model_reverse_step();
    }
    compare("xb", xb, yb, model.xb);
}

int main(int argc, char **argv) {
    adtape_MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STATIC, "x");
    adtape_live_set_adjoint(NULL, x, xb, sizeof xb);
    adtape_live_add(NULL, y, sizeof y, ADTAPE_KIND_STATIC, "y");
    adtape_live_set_adjoint(NULL, y, yb, sizeof yb);
    begin_messages();
    begin_operations();
    const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (seed = first; seed < first + count; seed++) {
        program();
    }
    adtape_stats_t stats;
    adtape_stats(adtape_self(), &stats);
    assert(stats.bytes == 0 && stats.pending_bits == 0);
    end_messages();
    end_operations();
    adtape_MPI_Finalize();
    if (me == 0) {
        printf("%llu programs on %d ranks\n", (unsigned long long)count, ranks);
    }
    return 0;
}
