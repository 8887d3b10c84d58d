/* calls.c: what random.c leaves out of the calls between two ranks: datatypes, buffers that moved or have no adjoint,
 * explicit adjoints, empty requests, large messages, repeat regions. For two ranks. */
#include "check.h"
#include "calls_communicators.h"
#include "calls_empty.h"
#include "calls_joined.h"

static int other(void) { return 1 - me; }

/* ---- datatypes: rank 0 sends `type`, rank 1 receives it; each value's adjoint comes back to its place --------- */

struct cell {
    double u;
    float v, w;
    double z;
};

static void one_type(MPI_Datatype type, int count, void *x, void *xb, size_t bytes) {
    MPI_Type_commit(&type);
    active(x, xb, bytes, "x");
    if (me == 0) {
        adtape_MPI_Send(x, count, type, 1, 7, MPI_COMM_WORLD);
    } else {
        adtape_MPI_Recv(x, count, type, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    adtape_MPI_Bcast(x, count, type, 1, MPI_COMM_WORLD);
    /* The layout is kept: the reverse sweep needs no datatype. */
    MPI_Type_free(&type);
    adtape_MPI_Bcast_b();
    me == 0 ? adtape_MPI_Send_b() : adtape_MPI_Recv_b();
    check_tape_is_empty();
    ended(x);
}

/* Doubles 0 to 11 of which a type takes those in `taken`. With a seed of k + 1 on rank k and a broadcast in between,
 * the adjoint of what is sent is 1 + 2 + 0 on rank 0, and of what is not sent stays the seed. */
static void check_doubles(MPI_Datatype type, int count, const char *taken) {
    static double x[12], xb[12];
    for (int i = 0; i < 12; i++) {
        x[i] = me == 0 ? i : -1;
        xb[i] = me + 1;
    }
    one_type(type, count, x, xb, sizeof x);
    for (int i = 0; i < 12; i++) {
        const bool is_taken = taken[i] == 'x';
        CHECK(x[i] == (me == 0 || is_taken ? i : -1));
        CHECK(xb[i] == (!is_taken ? me + 1 : me == 0 ? 3 : 0));
    }
}

static void check_derived_types(void) {
    const int lengths[2] = {2, 1}, places[2] = {1, 6}, sizes[2] = {3, 4}, parts[2] = {2, 2}, starts[2] = {1, 1};
    const MPI_Aint bytes[2] = {8, 40};
    const MPI_Datatype doubles[2] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Datatype type, inner;
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &type);
    check_doubles(type, 1, "xx..xx..xx..");
    MPI_Type_create_hvector(2, 1, 24, MPI_DOUBLE, &type);
    check_doubles(type, 1, "x..x........");
    MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &type);
    check_doubles(type, 1, ".xx...x.....");
    MPI_Type_create_hindexed(2, lengths, bytes, MPI_DOUBLE, &type);
    check_doubles(type, 1, ".xx..x......");
    MPI_Type_create_indexed_block(2, 3, places, MPI_DOUBLE, &type);
    check_doubles(type, 1, ".xxx..xxx...");
    MPI_Type_create_hindexed_block(2, 2, bytes, MPI_DOUBLE, &type);
    check_doubles(type, 1, ".xx..xx.....");
    MPI_Type_create_struct(2, lengths, bytes, doubles, &type);
    check_doubles(type, 1, ".xx..x......");
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    check_doubles(type, 1, ".....xx..xx.");
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    check_doubles(type, 1, "....xx.xx...");
    MPI_Type_contiguous(2, MPI_DOUBLE, &inner);
    MPI_Type_create_resized(inner, 0, 40, &type);
    check_doubles(type, 2, "xx...xx.....");
    MPI_Type_dup(inner, &type);
    check_doubles(type, 3, "xxxxxx......");
    MPI_Type_free(&inner);
    MPI_Type_dup(MPI_C_DOUBLE_COMPLEX, &type);
    check_doubles(type, 2, "xxxx........");
}

/* A structure of doubles and floats; its third member is not sent. */
static void check_mixed_type(void) {
    struct cell x[2], xb[2];
    const int lengths[3] = {1, 1, 1};
    const MPI_Aint places[3] = {offsetof(struct cell, u), offsetof(struct cell, v), offsetof(struct cell, z)};
    const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE};
    MPI_Datatype inner, type;
    for (int i = 0; i < 2; i++) {
        const float seed = (float)(me + 1);
        x[i] = (struct cell){me, 2 * (float)me, 3, 4 * me};
        xb[i] = (struct cell){seed, seed, seed, seed};
    }
    MPI_Type_create_struct(3, lengths, places, types, &inner);
    MPI_Type_create_resized(inner, 0, sizeof(struct cell), &type);
    one_type(type, 2, x, xb, sizeof x);
    MPI_Type_free(&inner);
    for (int i = 0; i < 2; i++) {
        const double sum = me == 0 ? 3 : 0;
        CHECK(x[i].u == 0 && x[i].v == 0 && x[i].w == 3 && x[i].z == 0);
        CHECK(xb[i].u == sum && xb[i].v == (float)sum && xb[i].w == (float)me + 1 && xb[i].z == sum);
    }
}

/* The message ends within the receiver's second element. */
static void check_part_of_an_element(void) {
    float x[6] = {1, 2, 3, 4, 5, 6}, xb[6] = {1, 1, 1, 1, 1, 1};
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    active(x, xb, sizeof x, "x");
    if (me == 0) {
        adtape_MPI_Send(x, 3, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
        adtape_MPI_Send_b();
        CHECK(xb[0] == 2 && xb[1] == 2 && xb[2] == 2 && xb[3] == 1);
    } else {
        adtape_MPI_Recv(x, 3, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Recv_b();
        CHECK(xb[0] == 0 && xb[1] == 0 && xb[2] == 0 && xb[3] == 1);
    }
    ended(x);
    MPI_Type_free(&type);
}

/* ---- where adjoints are --------------------------------------------------------------------------------------- */

/* The blocks end before the reverse sweep, and come back elsewhere. */
static void check_blocks_that_moved(void) {
    double *x = calloc(4, sizeof *x), *xb, *moved;
    MPI_Request request;
    adtape_range_t range;
    adtape_live_add(NULL, x, 4 * sizeof *x, ADTAPE_KIND_HEAP, "x");
    if (me == 0) {
        adtape_MPI_Isend(x + 1, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    } else {
        adtape_MPI_Irecv(x + 2, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    }
    adtape_MPI_Wait(&request, MPI_STATUS_IGNORE);
    adtape_live_end(adtape_self(), NULL, x);
    adtape_live_begin_reverse(NULL);
    adtape_pop_range(adtape_self(), NULL, &range);
    moved = malloc((size_t)range.bytes);
    xb = malloc((size_t)range.bytes);
    for (int i = 0; i < 4; i++) {
        xb[i] = 10 * me + i;
    }
    adtape_rebase_add(NULL, &range, moved, xb, range.bytes);
    adtape_MPI_Wait_b();
    me == 0 ? adtape_MPI_Isend_b() : adtape_MPI_Irecv_b();
    CHECK(me == 0 ? xb[1] == 1 + 12 && xb[2] == 2 + 13 : xb[1] == 11 && xb[2] == 0 && xb[3] == 0);
    adtape_rebase_remove(NULL, moved);
    free(moved);
    free(xb);
    free(x);
}

/* Rank 1 has no derivative: rank 0 gets zeros, and what it sends is not wanted. */
static void check_range_without_adjoint(void) {
    double x[4] = {1, 2, 3, 4}, xb[4] = {5, 5, 5, 5};
    active(x, me == 0 ? xb : NULL, sizeof x, "x");
    adtape_MPI_Sendrecv(x, 2, MPI_DOUBLE, other(), 0, x + 2, 2, MPI_DOUBLE, other(), 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    adtape_MPI_Bcast(x, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    adtape_MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    adtape_MPI_Allreduce_b();
    adtape_MPI_Bcast_b();
    adtape_MPI_Sendrecv_b();
    CHECK(me == 1 || (xb[0] == 0 && xb[1] == 5 && xb[2] == 0 && xb[3] == 0));
    ended(x);
}

/* Buffers that nobody registered, with their adjoints by address. */
static void check_explicit_adjoints(void) {
    double x[2] = {1, 2}, y[2] = {0}, sum = 0, xb[2] = {0}, yb[2] = {0}, sum_b = me + 1;
    void *adjoints[2];
    MPI_Request requests[2];
    adtape_MPI_Irecv(y, 2, MPI_DOUBLE, other(), 0, MPI_COMM_WORLD, &requests[0]);
    adtape_MPI_Isend(x, 2, MPI_DOUBLE, other(), 0, MPI_COMM_WORLD, &requests[1]);
    adtape_MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    adtape_MPI_Allreduce(y, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    adtape_MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(sum == 2);
    adtape_MPI_Bcast_b_at(&sum_b);
    CHECK(sum_b == (me == 0 ? 3 : 0));
    adtape_MPI_Allreduce_b_at(yb, &sum_b);
    CHECK(sum_b == 0 && yb[0] == 3);
    adjoints[0] = yb;
    adjoints[1] = NULL;
    adtape_MPI_Waitall_b_at(adjoints);
    adtape_MPI_Isend_b_at(xb);
    adtape_MPI_Irecv_b();
    CHECK(xb[0] == 3 && xb[1] == 0 && yb[0] == 0);
}

/* Blocks that nobody registered, the first of them not at the beginning of the buffer. */
static void check_explicit_adjoints_of_blocks(void) {
    const int counts[2] = {1, 2}, places[2] = {3, 1};
    float x[2] = {1, 2}, y[4] = {0}, sum[2] = {0}, xb[2] = {0}, yb[4] = {0, 5, 6, 7}, sum_b[2] = {(float)me + 1, 0};
    adtape_MPI_Gatherv(x, me + 1, MPI_FLOAT, y, counts, places, MPI_FLOAT, 0, MPI_COMM_WORLD);
    CHECK(me == 1 || (y[0] == 0 && y[1] == 1 && y[2] == 2 && y[3] == 1));
    adtape_MPI_Scan(x, sum, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
    adtape_MPI_Reduce_scatter(x, sum + 1, (const int[]){1, 1}, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD);
    CHECK(sum[0] == 1 && sum[1] == (me == 0 ? 1 : 4));
    sum_b[1] = 1;
    adtape_MPI_Reduce_scatter_b_at(xb, sum_b + 1);
    CHECK(xb[0] == 1 && xb[1] == 2 && sum_b[1] == 0);
    adtape_MPI_Scan_b_at(xb, sum_b);
    CHECK(xb[0] == (me == 0 ? 4 : 1) && sum_b[0] == 0);
    adtape_MPI_Gatherv_b_at(xb, yb);
    CHECK(me == 0 ? xb[0] == 11 && xb[1] == 2 : xb[0] == 6 && xb[1] == 8);
    CHECK(me == 1 || (yb[1] == 0 && yb[2] == 0 && yb[3] == 0));
}

/* ---- requests and messages ------------------------------------------------------------------------------------ */

/* Messages that MPI does not buffer: the reverse of a receive does not wait, so both ranks may reverse theirs first. */
static void check_large_messages(void) {
    enum { N = 1 << 17 };
    double *x = calloc(2 * N, sizeof *x), *xb = calloc(2 * N, sizeof *xb);
    MPI_Request request;
    active(x, xb, 2 * N * sizeof *x, "x");
    adtape_MPI_Isend(x, N, MPI_DOUBLE, other(), 0, MPI_COMM_WORLD, &request);
    adtape_MPI_Recv(x + N, N, MPI_DOUBLE, other(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    adtape_MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++) {
        xb[N + i] = i + me;
    }
    adtape_MPI_Wait_b();
    adtape_MPI_Recv_b();
    adtape_MPI_Isend_b();
    for (int i = 0; i < N; i++) {
        CHECK(xb[i] == i + other() && xb[N + i] == 0);
    }
    ended(x);
    free(xb);
    free(x);
}

/* An adjoint that ends with the word that stands where a message ends, until the message comes. */
static void check_adjoint_like_the_mark(void) {
    const uint32_t words[2] = {1, 0x9e3779b9};
    double x[2] = {1, 2}, xb[2] = {0}, wanted;
    float f[2] = {1, 2}, fb[2] = {0};
    memcpy(&wanted, words, sizeof wanted);
    memcpy(&xb[1], words, sizeof *xb);
    memcpy(&fb[1], &words[1], sizeof *fb);
    active(x, xb, sizeof x, "x");
    active(f, fb, sizeof f, "f");
    adtape_MPI_Sendrecv(x, 1, MPI_DOUBLE, other(), 0, x + 1, 1, MPI_DOUBLE, other(), 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    adtape_MPI_Sendrecv(f, 1, MPI_FLOAT, other(), 0, f + 1, 1, MPI_FLOAT, other(), 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    adtape_MPI_Sendrecv_b();
    adtape_MPI_Sendrecv_b();
    CHECK(xb[0] == wanted && xb[1] == 0 && memcmp(fb, &words[1], sizeof *fb) == 0 && fb[1] == 0);
    ended(f);
    ended(x);
}

/* More requests than a call keeps on its stack; each rank waits for some at a time. */
static void check_many_requests(void) {
    enum { N = 40 };
    double x[2 * N], xb[2 * N];
    MPI_Request requests[2 * N];
    int indices[2 * N], done, calls = 0;
    for (int i = 0; i < 2 * N; i++) {
        x[i] = i + me;
        xb[i] = i < N ? 0 : i;
    }
    active(x, xb, sizeof x, "x");
    for (int i = 0; i < N; i++) {
        adtape_MPI_Irecv(x + N + i, 1, MPI_DOUBLE, other(), i % 3, MPI_COMM_WORLD, &requests[i]);
        adtape_MPI_Isend(x + i, 1, MPI_DOUBLE, other(), i % 3, MPI_COMM_WORLD, &requests[N + i]);
    }
    for (int left = 2 * N; left > N; left -= done) {
        adtape_MPI_Waitsome(2 * N, requests, &done, indices, MPI_STATUSES_IGNORE);
        calls++;
    }
    adtape_MPI_Waitall(2 * N, requests, MPI_STATUSES_IGNORE);
    CHECK(x[N] == other() && x[2 * N - 1] == N - 1 + other());
    adtape_MPI_Waitall_b();
    for (; calls > 0; calls--) {
        adtape_MPI_Waitsome_b();
    }
    for (int i = 0; i < N; i++) {
        adtape_MPI_Isend_b();
        adtape_MPI_Irecv_b();
    }
    for (int i = 0; i < N; i++) {
        CHECK(xb[i] == N + i && xb[N + i] == 0);
    }
    check_tape_is_empty();
    ended(x);
}

/* Whole numbers have no derivative, and need no range. */
static void check_integers(void) {
    int n = me, got = -1;
    adtape_MPI_Sendrecv(&n, 1, MPI_INT, other(), 0, &got, 1, MPI_INT, other(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == other());
    adtape_MPI_Sendrecv_b();
    check_tape_is_empty();
}

/* One exchange is reversed three times, as the adjoint of a fixed-point iteration does. */
static void check_repeat_region(void) {
    double x[2] = {1, 2}, xb[2] = {0, 0};
    MPI_Request requests[2];
    active(x, xb, sizeof x, "x");
    adtape_MPI_Irecv(x + 1, 1, MPI_DOUBLE, other(), 0, MPI_COMM_WORLD, &requests[0]);
    adtape_MPI_Isend(x, 1, MPI_DOUBLE, other(), 0, MPI_COMM_WORLD, &requests[1]);
    adtape_MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(adtape_repeat_start(adtape_self()) == ADTAPE_STATUS_OK);
    for (int i = 0; i < 3; i++) {
        xb[1] = i + 1;
        adtape_MPI_Waitall_b();
        adtape_MPI_Isend_b();
        adtape_MPI_Irecv_b();
        if (i < 2) {
            CHECK(adtape_repeat_reset(adtape_self()) == ADTAPE_STATUS_OK);
        }
    }
    CHECK(adtape_repeat_end(adtape_self()) == ADTAPE_STATUS_OK);
    CHECK(xb[0] == 1 + 2 + 3 && xb[1] == 0);
    check_tape_is_empty();
    ended(x);
}

static void check_complex_numbers(MPI_Datatype type) {
    double z[4] = {1, 2, 3, 4}, zb[4] = {0, 0, 1, me};
    active(z, zb, sizeof z, "z");
    adtape_MPI_Allreduce(z, z + 2, 1, type, MPI_SUM, MPI_COMM_WORLD);
    CHECK(z[2] == 2 && z[3] == 4);
    adtape_MPI_Allreduce_b();
    CHECK(zb[0] == 2 && zb[1] == 1 && zb[2] == 0 && zb[3] == 0);
    /* 1 + 2i on rank 0, zero on rank 1: the adjoint of the latter is (1 - 2i)(2 + i). */
    z[0] *= me == 0;
    z[1] *= me == 0;
    zb[0] = zb[1] = 0;
    zb[2] = 1;
    zb[3] = me;
    adtape_MPI_Allreduce(z, z + 2, 1, type, MPI_PROD, MPI_COMM_WORLD);
    CHECK(z[2] == 0 && z[3] == 0);
    adtape_MPI_Allreduce_b();
    CHECK(zb[0] == (me == 0 ? 0 : 4) && zb[1] == (me == 0 ? 0 : -3) && zb[2] == 0 && zb[3] == 0);
    ended(z);
}

/* Floats, and complex numbers. */
static void check_reductions(void) {
    float x[2] = {(float)me + 2, 5}, y[2] = {0}, xb[2] = {0}, yb[2] = {1, 1};
    active(x, xb, sizeof x, "x");
    active(y, yb, sizeof y, "y");
    adtape_MPI_Reduce(x, y, 2, MPI_FLOAT, MPI_MIN, 1, MPI_COMM_WORLD);
    CHECK(me == 0 || (y[0] == 2 && y[1] == 5));
    adtape_MPI_Reduce_b();
    CHECK(xb[0] == (me == 0) && xb[1] == (me == 0) && yb[0] == (me == 0) && yb[1] == (me == 0));
    yb[0] = 1;
    adtape_MPI_Allreduce(x, y, 1, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD);
    CHECK(y[0] == 6);
    adtape_MPI_Allreduce_b();
    CHECK(xb[0] == (me == 0 ? 7 : 4) && yb[0] == 0);
    check_complex_numbers(MPI_C_DOUBLE_COMPLEX);
    if (MPI_CXX_DOUBLE_COMPLEX != MPI_DATATYPE_NULL) {
        check_complex_numbers(MPI_CXX_DOUBLE_COMPLEX);
    }
    ended(x);
    ended(y);
}

/* A value with an integer that says where it is: the value's adjoint goes to the winner, of one place to rank 0. */
static void check_pairs(void) {
    struct {
        double value;
        int place;
    } x[3] = {{me, 7}, {5, 3 - me}, {5, 1}}, y[3], xb[3] = {{0}}, yb[3] = {{1, 0}, {2, 0}, {3, 0}};
    struct {
        float value;
        int place;
    } u[2] = {{(float)me, 4}, {1, 1}}, ub[2] = {{1, 0}, {1, 0}};
    active(x, xb, sizeof x, "x");
    active(y, yb, sizeof y, "y");
    active(u, ub, sizeof u, "u");
    adtape_MPI_Allreduce(x, y, 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(y[0].value == 1 && y[0].place == 7 && y[1].value == 5 && y[1].place == 2 && y[2].place == 1);
    adtape_MPI_Reduce(me == 0 ? MPI_IN_PLACE : u, u, 2, MPI_FLOAT_INT, MPI_MINLOC, 0, MPI_COMM_WORLD);
    CHECK(me == 1 || (u[0].value == 0 && u[0].place == 4));
    adtape_MPI_Reduce_b();
    CHECK(ub[0].value == 1 && ub[1].value == (me == 0 ? 1 : 1));
    adtape_MPI_Allreduce_b();
    CHECK(xb[0].value == (me == 1 ? 2 : 0) && xb[1].value == (me == 1 ? 4 : 0) && xb[2].value == (me == 0 ? 6 : 0));
    CHECK(yb[0].value == 0 && yb[2].value == 0);
    ended(x);
    ended(y);
    ended(u);
}

/* 2x2 matrices of floats do not commute, and stand in elements with a gap. The operation and the datatype are gone
 * before the reverse sweep. */
static void multiply(void *a_, void *r_, int *len, MPI_Datatype *datatype) {
    const float *a = a_;
    float *r = r_;
    MPI_Aint lower, extent;
    MPI_Type_get_extent(*datatype, &lower, &extent);
    for (int n = 0; n < *len; n++, a += extent / 4, r += extent / 4) {
        const float b[4] = {r[0], r[1], r[2], r[3]};
        for (int i = 0; i < 4; i++) {
            r[i] = a[i / 2 * 2] * b[i % 2] + a[i / 2 * 2 + 1] * b[2 + i % 2];
        }
    }
}

static void multiply_b(const void *a_, const void *b_, void *a_b_, void *b_b_, const void *r_b_, const int *len,
                       MPI_Datatype *datatype) {
    const float *a = a_, *b = b_, *r_b = r_b_;
    float *a_b = a_b_, *b_b = b_b_;
    MPI_Aint lower, extent;
    MPI_Type_get_extent(*datatype, &lower, &extent);
    const MPI_Aint step = extent / 4;
    for (int n = 0; n < *len; n++, a += step, b += step, a_b += step, b_b += step, r_b += step) {
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                for (int k = 0; k < 2; k++) {
                    a_b[2 * i + k] += r_b[2 * i + j] * b[2 * k + j];
                    b_b[2 * k + j] += a[2 * i + k] * r_b[2 * i + j];
                }
            }
        }
    }
}

static void check_own_operation(void) {
    const float mine[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, result[4] = {19, 22, 43, 50};
    float x[9], y[9], xb[9] = {0}, yb[9] = {0};
    MPI_Datatype inner, type;
    MPI_Op op;
    for (int i = 0; i < 9; i++) {
        x[i] = mine[me][i % 5 < 4 ? i % 5 : 0];
        y[i] = -1;
        yb[i] = i == 1 || i == 5 ? 1 : 0;
    }
    active(x, xb, sizeof x, "x");
    active(y, yb, sizeof y, "y");
    MPI_Type_contiguous(4, MPI_FLOAT, &inner);
    MPI_Type_create_resized(inner, 0, 5 * sizeof(float), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&inner);
    MPI_Op_create(multiply, 0, &op);
    adtape_mpi_op_adjoint(op, multiply, multiply_b);
    adtape_MPI_Reduce(x, y, 2, type, op, 1, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    for (int i = 0; i < 9; i++) {
        CHECK(y[i] == (me == 0 || i == 4 ? -1 : result[i % 5]));
    }
    adtape_MPI_Reduce_b();
    /* Rank 1's seeds are of y(0, 1) of the first matrix and y(0, 0) of the second. */
    const float first[2][4] = {{6, 8, 0, 0}, {0, 1, 0, 2}}, second[2][4] = {{5, 7, 0, 0}, {1, 0, 2, 0}};
    for (int i = 0; i < 4; i++) {
        CHECK(xb[i] == first[me][i] && xb[5 + i] == second[me][i]);
        CHECK(yb[i] == (me == 0 && i == 1) && yb[5 + i] == (me == 0 && i == 0));
    }
    ended(x);
    ended(y);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    CHECK(ranks == 2);
    check_derived_types();
    check_mixed_type();
    check_joined_variables();
    check_part_of_an_element();
    check_blocks_that_moved();
    check_range_without_adjoint();
    check_explicit_adjoints();
    check_explicit_adjoints_of_blocks();
    check_empty_requests();
    check_requests_to_nobody_that_are_started();
    check_rank_that_gives_nothing();
    check_scatter_of_floats();
    check_large_messages();
    check_adjoint_like_the_mark();
    check_many_requests();
    check_integers();
    check_repeat_region();
    check_communicators();
    check_communicator_that_is_freed_late();
    check_parts_of_a_grid();
    check_reductions();
    check_pairs();
    check_own_operation();
    check_tape_is_empty();
    adtape_MPI_Finalize();
    return 0;
}
