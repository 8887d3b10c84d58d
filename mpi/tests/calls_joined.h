/* calls_joined.h: part of calls.c, datatypes that join several variables. */

/* Doubles, floats and a variable without an adjoint, by absolute addresses; the receiver's lie in another order. */
static double joined_a[4], joined_ab[4], joined_c[2], joined_cb[2];
static float joined_f[3], joined_fb[3];

static void joined_begin(void) {
    for (int i = 0; i < 4; i++) {
        joined_a[i] = 10 * me + i;
        joined_ab[i] = 1 + i + 10 * me;
    }
    for (int i = 0; i < 3; i++) {
        joined_f[i] = (float)(20 + 10 * me + i);
        joined_fb[i] = (float)(5 + i + 10 * me);
    }
    joined_c[0] = joined_c[1] = 40 + me;
    joined_cb[0] = joined_cb[1] = 8 + 10 * me;
    active(joined_a, joined_ab, sizeof joined_a, "a");
    active(joined_f, joined_fb, sizeof joined_f, "f");
    active(joined_c, me == 0 ? joined_cb : NULL, sizeof joined_c, "c");
}

static void joined_end(void) {
    check_tape_is_empty();
    ended(joined_a);
    ended(joined_f);
    ended(joined_c);
}

/* a(1:2), f, c(0) */
static MPI_Datatype joined_type(void) {
    const int lengths[3] = {2, 3, 1};
    const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE};
    MPI_Aint places[3];
    MPI_Datatype type;
    MPI_Get_address(&joined_a[1], &places[0]);
    MPI_Get_address(&joined_f[0], &places[1]);
    MPI_Get_address(&joined_c[0], &places[2]);
    MPI_Type_create_struct(3, lengths, places, types, &type);
    MPI_Type_commit(&type);
    return type;
}

static void check_joined_message(void) {
    joined_begin();
    MPI_Datatype type = joined_type();
    if (me == 0) {
        adtape_MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD);
    } else {
        adtape_MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(joined_a[0] == 10 && joined_a[1] == 1 && joined_a[2] == 2 && joined_f[2] == 22 && joined_c[0] == 40);
    }
    MPI_Type_free(&type);
    me == 0 ? adtape_MPI_Send_b() : adtape_MPI_Recv_b();
    if (me == 0) {
        CHECK(joined_ab[0] == 1 && joined_ab[1] == 2 + 12 && joined_ab[2] == 3 + 13 && joined_ab[3] == 4);
        CHECK(joined_fb[0] == 5 + 15 && joined_fb[2] == 7 + 17 && joined_cb[0] == 8 && joined_cb[1] == 8);
    } else {
        CHECK(joined_ab[0] == 11 && joined_ab[1] == 0 && joined_ab[2] == 0 && joined_ab[3] == 14);
        CHECK(joined_fb[0] == 0 && joined_fb[2] == 0 && joined_cb[0] == 18);
    }
    joined_end();
}

static void check_joined_bcast_and_requests(void) {
    joined_begin();
    MPI_Datatype type = joined_type();
    MPI_Request requests[2];
    adtape_MPI_Bcast(MPI_BOTTOM, 1, type, 1, MPI_COMM_WORLD);
    if (me == 0) {
        adtape_MPI_Isend(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD, &requests[0]);
    } else {
        adtape_MPI_Recv_init(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, &requests[0]);
        adtape_MPI_Start(&requests[0]);
    }
    adtape_MPI_Ibcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD, &requests[1]);
    adtape_MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    adtape_MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK(joined_a[1] == 11 && joined_f[0] == 30 && joined_c[0] == 41);
    if (me == 1) {
        adtape_MPI_Request_free(&requests[0]);
    }
    MPI_Type_free(&type);
    adtape_MPI_Wait_b();
    adtape_MPI_Wait_b();
    adtape_MPI_Ibcast_b();
    me == 0 ? adtape_MPI_Isend_b() : adtape_MPI_Start_b();
    adtape_MPI_Bcast_b();
    /* All adjoints come together on rank 1, on which c has none. */
    CHECK(joined_ab[1] == (me == 0 ? 0 : 2 + 12) && joined_fb[0] == (me == 0 ? 0 : 5 + 15));
    CHECK(joined_cb[0] == (me == 0 ? 0 : 18));
    joined_end();
}

/* Two arrays of a struct of arrays, an element of each at a time, three times: the distance is from the first one. */
static void check_joined_arrays(void) {
    static double u[5], ub[5], gap[3], v[5], vb[5], all[12], all_b[12];
    const int ones[2] = {1, 1};
    MPI_Aint places[2], first;
    MPI_Datatype inner, type;
    (void)gap;
    for (int i = 0; i < 5; i++) {
        u[i] = i + 10 * me;
        v[i] = 100 + i + 10 * me;
        ub[i] = vb[i] = 0;
    }
    for (int i = 0; i < 12; i++) {
        all_b[i] = i + 1;
    }
    active(u, ub, sizeof u, "u");
    active(v, vb, sizeof v, "v");
    active(all, all_b, sizeof all, "all");
    MPI_Get_address(u, &first);
    MPI_Get_address(v, &places[1]);
    places[0] = 0;
    places[1] -= first;
    MPI_Type_create_hindexed(2, ones, places, MPI_DOUBLE, &inner);
    MPI_Type_create_resized(inner, 0, sizeof(double), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&inner);
    adtape_MPI_Gather(u + 1, 3, type, all, 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(me == 1 || (all[0] == 1 && all[1] == 101 && all[2] == 2 && all[5] == 103 && all[6] == 11 && all[11] == 113));
    adtape_MPI_Gather_b();
    for (int i = 0; i < 3; i++) {
        CHECK(ub[1 + i] == 6 * me + 2 * i + 1 && vb[1 + i] == 6 * me + 2 * i + 2);
    }
    CHECK(ub[0] == 0 && ub[4] == 0 && vb[0] == 0 && vb[4] == 0);
    ended(all);
    ended(v);
    ended(u);
    MPI_Type_free(&type);
    check_tape_is_empty();
}

/* Variables that lie one behind the other make one run of doubles; they have adjoints apart from each other. */
static void check_joined_neighbours(void) {
    static double x[6], first_b[2], second_b[4];
    const int lengths[2] = {2, 4};
    const MPI_Aint places[2] = {0, 2 * sizeof(double)};
    const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Datatype type;
    for (int i = 0; i < 6; i++) {
        x[i] = 10 * me + i;
        *(i < 2 ? &first_b[i] : &second_b[i - 2]) = 10 * me + i + 1;
    }
    active(x, first_b, sizeof first_b, "first");
    active(x + 2, second_b, sizeof second_b, "second");
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    adtape_MPI_Sendrecv_replace(x, 1, type, 1 - me, 0, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    CHECK(x[0] == 10 * (1 - me) && x[5] == 10 * (1 - me) + 5);
    adtape_MPI_Sendrecv_replace_b();
    for (int i = 0; i < 6; i++) {
        CHECK((i < 2 ? first_b[i] : second_b[i - 2]) == 10 * (1 - me) + i + 1);
    }
    ended(x);
    ended(x + 2);
    check_tape_is_empty();
}

/* A piece ends before the reverse sweep, and comes back elsewhere. */
static void check_joined_piece_that_moved(void) {
    static double x[2] = {1, 2}, xb[2];
    double *p = calloc(2, sizeof *p), *moved, *pb;
    const int lengths[2] = {1, 2};
    const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Aint places[2];
    MPI_Datatype type;
    adtape_range_t range;
    active(x, xb, sizeof x, "x");
    adtape_live_add(NULL, p, 2 * sizeof *p, ADTAPE_KIND_HEAP, "p");
    MPI_Get_address(&x[1], &places[0]);
    MPI_Get_address(p, &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    adtape_MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    adtape_live_end(adtape_self(), NULL, p);
    adtape_live_begin_reverse(NULL);
    adtape_pop_range(adtape_self(), NULL, &range);
    moved = malloc((size_t)range.bytes);
    pb = malloc((size_t)range.bytes);
    xb[0] = 5;
    xb[1] = pb[0] = 1 + me;
    pb[1] = 3 + me;
    adtape_rebase_add(NULL, &range, moved, pb, range.bytes);
    adtape_MPI_Bcast_b();
    CHECK(xb[0] == 5 && xb[1] == (me == 0 ? 3 : 0) && pb[0] == xb[1] && pb[1] == (me == 0 ? 7 : 0));
    adtape_rebase_remove(NULL, moved);
    ended(x);
    free(moved);
    free(pb);
    free(p);
}

static void check_joined_variables(void) {
    check_joined_message();
    check_joined_bcast_and_requests();
    check_joined_arrays();
    check_joined_neighbours();
    check_joined_piece_that_moved();
}
