/* random_collective.h: collective steps of random.c. Each part of a communicator does its own. */

/* Members of the communicator that the part has which rank `of` is in; only the first member's part is new. */
static bool is_first(int kind, int of, int list[RANKS], int *size) {
    *size = members(kind, of, list);
    for (int i = 0; i < *size; i++) {
        if (list[i] < of) {
            return false;
        }
    }
    return true;
}

static bool is_in(const int list[RANKS], int size, int rank) {
    for (int i = 0; i < size; i++) {
        if (list[i] == rank) {
            return true;
        }
    }
    return false;
}

static void step_bcast(void) {
    const int kind = pick(KINDS), count = pick(6), from = pick(CELLS - 12), stride = 1 + pick(2), which = pick(RANKS);
    MPI_Datatype type = stride == 1 ? MPI_DOUBLE : strided;
    int list[RANKS], size;
    for (int of = 0; of < ranks; of++) {
        if (!is_first(kind, of, list, &size)) {
            continue;
        }
        const int root = which % size;
        for (int i = 0; i < size; i++) {
            for (int k = 0; k < count && list[i] != list[root]; k++) {
                model_copy(cell_of(list[i], from + stride * k), cell_of(list[root], from + stride * k));
            }
        }
        if (is_in(list, size, me)) {
            adtape_MPI_Bcast(x + from, count, type, root, comms[kind]);
            called(adtape_MPI_Bcast_b);
        }
    }
    model_step();
}

/* ---- operations: on single cells, and on pairs of cells ---- */

enum { BY_SUM, BY_MAX, BY_MIN, BY_PROD, BY_MAXLOC, BY_MINLOC, BY_COMPOSITION, BY_COMPLEX_PROD, OPS };
static MPI_Op composition;
static MPI_Datatype pair_of_cells;

/* (a1, b1) ∘ (a2, b2) = (a1 a2, a1 b2 + b1): x -> a x + b one after the other, which does not commute. */
static void compose(void *a_, void *r_, int *len, MPI_Datatype *datatype) {
    const double *a = a_;
    double *r = r_;
    (void)datatype;
    for (int i = 0; i < 2 * *len; i += 2) {
        r[i + 1] = a[i] * r[i + 1] + a[i + 1];
        r[i] = a[i] * r[i];
    }
}

static void compose_b(const void *a_, const void *b_, void *a_b_, void *b_b_, const void *r_b_, const int *len,
                      MPI_Datatype *datatype) {
    const double *a = a_, *b = b_, *r_b = r_b_;
    double *a_b = a_b_, *b_b = b_b_;
    (void)datatype;
    for (int i = 0; i < 2 * *len; i += 2) {
        a_b[i] += b[i] * r_b[i] + b[i + 1] * r_b[i + 1];
        a_b[i + 1] += r_b[i + 1];
        b_b[i] += a[i] * r_b[i];
        b_b[i + 1] += a[i] * r_b[i + 1];
    }
}

static void begin_operations(void) {
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair_of_cells);
    MPI_Type_commit(&pair_of_cells);
    MPI_Op_create(compose, 0, &composition);
    adtape_mpi_op_adjoint(composition, compose, compose_b);
}

static void end_operations(void) {
    MPI_Op_free(&composition);
    MPI_Type_free(&pair_of_cells);
}

static MPI_Op op_of(int which) {
    const MPI_Op ops[OPS] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_MAXLOC, MPI_MINLOC, composition, MPI_PROD};
    return ops[which];
}
static MPI_Datatype type_of(int which) {
    return which < BY_MAXLOC           ? MPI_DOUBLE
           : which < BY_COMPOSITION    ? MPI_2DOUBLE_PRECISION
           : which == BY_COMPLEX_PROD ? MPI_C_DOUBLE_COMPLEX
                                       : pair_of_cells;
}
/* Cells of an element. */
static int cells_of(int which) { return which < BY_MAXLOC ? 1 : 2; }

/* Whether the second is to be preferred. */
static bool is_better(int which, const int list[RANKS], int first, int second, int from) {
    const double *x = &model.x[cell_of(list[first], from)], *y = &model.x[cell_of(list[second], from)];
    const bool loc = which == BY_MAXLOC || which == BY_MINLOC, max = which == BY_MAX || which == BY_MAXLOC;
    return max ? *y > *x || (loc && *y == *x && y[1] < x[1]) : *y < *x || (loc && *y == *x && y[1] < x[1]);
}

static void model_extreme(int which, const int list[RANKS], int size, int from, int to) {
    int winner = 0;
    for (int i = 1; i < size; i++) {
        winner = is_better(which, list, winner, i, from) ? i : winner;
    }
    for (int k = 0; k < cells_of(which); k++) {
        model_copy(to + k, cell_of(list[winner], from + k));
    }
}

/* The product of the first `end` ranks' cells `from`, without one of them. */
static double product(const int list[RANKS], int end, int without, int from) {
    double value = 1;
    for (int i = 0; i < end; i++) {
        value *= i != without ? model.x[cell_of(list[i], from)] : 1;
    }
    return value;
}

static void model_product(const int list[RANKS], int size, int from, int to) {
    model_assign(to, product(list, size, -1, from));
    for (int i = 0; i < size; i++) {
        model_term(product(list, size, i, from), cell_of(list[i], from));
    }
}

/* The product of the first `end` ranks' complex numbers, without one of them. */
static void complex_product(const int list[RANKS], int end, int without, int from, double value[2]) {
    value[0] = 1;
    value[1] = 0;
    for (int i = 0; i < end; i++) {
        const double *x = &model.x[cell_of(list[i], from)], real = value[0];
        if (i != without) {
            value[0] = real * x[0] - value[1] * x[1];
            value[1] = real * x[1] + value[1] * x[0];
        }
    }
}

static void model_complex_product(const int list[RANKS], int size, int from, int to) {
    double value[2], others[2];
    complex_product(list, size, -1, from, value);
    for (int part = 0; part < 2; part++) {
        model_assign(to + part, value[part]);
        for (int i = 0; i < size; i++) {
            complex_product(list, size, i, from, others);
            model_term(others[part], cell_of(list[i], from));
            model_term(part == 0 ? -others[1] : others[0], cell_of(list[i], from + 1));
        }
    }
}

/* a: the product of all; b: the sum of each rank's b times the product of the lower ranks' a. */
static void model_composition(const int list[RANKS], int size, int from, int to) {
    double b = 0;
    model_product(list, size, from, to);
    for (int i = 0; i < size; i++) {
        b += product(list, i, -1, from) * model.x[cell_of(list[i], from + 1)];
    }
    model_assign(to + 1, b);
    for (int k = 0; k < size; k++) {
        double by_a = 0;
        for (int j = k + 1; j < size; j++) {
            by_a += product(list, j, k, from) * model.x[cell_of(list[j], from + 1)];
        }
        model_term(by_a, cell_of(list[k], from));
        model_term(product(list, k, -1, from), cell_of(list[k], from + 1));
    }
}

/* The result of an element that begins at cell `from` of all, as assignments to cells from `to` on. */
static void model_reduce(int which, const int list[RANKS], int size, int from, int to) {
    if (which == BY_PROD) {
        model_product(list, size, from, to);
    } else if (which == BY_COMPOSITION) {
        model_composition(list, size, from, to);
    } else if (which == BY_COMPLEX_PROD) {
        model_complex_product(list, size, from, to);
    } else if (which != BY_SUM) {
        model_extreme(which, list, size, from, to);
    } else {
        double value = 0;
        for (int i = 0; i < size; i++) {
            value += model.x[cell_of(list[i], from)];
        }
        model_assign(to, value);
        for (int i = 0; i < size; i++) {
            model_term(1, cell_of(list[i], from));
        }
    }
}

static void step_reduce(void) {
    const int kind = pick(KINDS), count = pick(5), from = pick(CELLS / 2 - 10), which = pick(OPS), chosen = pick(RANKS);
    const bool all = pick(2), in_place = pick(3) == 0;
    const int to = in_place ? from : CELLS / 2 + pick(CELLS / 2 - 10), each = cells_of(which);
    int list[RANKS], size;
    fold(from, count * each);
    for (int of = 0; of < ranks; of++) {
        if (!is_first(kind, of, list, &size)) {
            continue;
        }
        const int root = chosen % size;
        for (int i = 0; i < size; i++) {
            for (int k = 0; k < count && (all || i == root); k++) {
                model_reduce(which, list, size, from + k * each, cell_of(list[i], to + k * each));
            }
        }
        if (!is_in(list, size, me)) {
            continue;
        }
        const void *give = in_place && (all || me == list[root]) ? MPI_IN_PLACE : x + from;
        if (all) {
            adtape_MPI_Allreduce(give, x + to, count, type_of(which), op_of(which), comms[kind]);
            called(adtape_MPI_Allreduce_b);
        } else {
            adtape_MPI_Reduce(give, x + to, count, type_of(which), op_of(which), root, comms[kind]);
            called(adtape_MPI_Reduce_b);
        }
    }
    model_step();
}

/* What has no derivative: a barrier, whole numbers. */
static void step_passive(void) {
    static int numbers[4];
    const int kind = pick(KINDS);
    adtape_MPI_Barrier(comms[kind]);
    called(adtape_MPI_Barrier_b);
    numbers[0] = me;
    adtape_MPI_Allreduce(numbers, numbers + 1, 1, MPI_INT, MPI_BAND, comms[kind]);
    called(adtape_MPI_Allreduce_b);
    adtape_MPI_Bcast(numbers, 4, MPI_INT, 0, comms[kind]);
    called(adtape_MPI_Bcast_b);
}
