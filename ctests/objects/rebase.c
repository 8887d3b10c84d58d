/* The rebase map: objects that come back elsewhere, with adjoints of their own size; raw addresses; the reversal point. */
#include "check.h"


static void object_comes_back_elsewhere_with_an_adjoint_of_another_size(void) {
    adtape_t *t = adtape_self();
    float x[6], elsewhere[6], *p = NULL;
    double xb[6], *pb = NULL;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STACK, "x (float[6])");
    for (int i = 0; i <= 6; i++) {
        adtape_push_pointer(t, NULL, &x[i]);
    }
    adtape_live_end(t, NULL, x);
    adtape_live_begin_reverse(NULL);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, elsewhere, xb, sizeof xb);
    for (int i = 6; i >= 0; i--) {
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
        CHECK(p == &elsewhere[i] && pb == &xb[i]);
    }
    adtape_rebase_remove(NULL, elsewhere);
}

static void what_stays_alive_has_the_adjoint_that_it_was_given(void) {
    adtape_t *t = adtape_self();
    static double x[4], xb[4];
    double *p = NULL, *pb = xb;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STATIC, "x");
    adtape_push_pointer(t, NULL, &x[2]);
    adtape_push_pointer(t, NULL, &x[3]);
    adtape_live_begin_reverse(NULL);
    adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
    CHECK(p == &x[3] && pb == NULL); /* none yet */
    adtape_live_set_adjoint(NULL, x, xb, sizeof xb);
    adtape_pop_pointer(t, NULL, (void **)&p, (void **)&pb);
    CHECK(p == &x[2] && pb == &xb[2]);
    adtape_rebase_remove(NULL, x);
}

/* The address of a block is another block's while pointers to the first lie on the tape. */
static void reused_address_is_not_mistaken(void) {
    adtape_t *t = adtape_self();
    static double memory[8], elsewhere[2][8];
    double *p = NULL;
    for (int i = 0; i < 2; i++) {
        adtape_live_add(NULL, memory, sizeof memory, ADTAPE_KIND_HEAP, i ? "second" : "first");
        adtape_push_pointer(t, NULL, &memory[i + 1]);
        adtape_live_end(t, NULL, memory);
    }
    adtape_live_begin_reverse(NULL);
    for (int i = 1; i >= 0; i--) {
        adtape_range_t range;
        adtape_pop_range(t, NULL, &range);
        adtape_rebase_add(NULL, &range, elsewhere[i], NULL, 0);
        adtape_pop_pointer(t, NULL, (void **)&p, NULL);
        CHECK(p == &elsewhere[i][i + 1]);
        adtape_rebase_remove(NULL, elsewhere[i]);
    }
}

/* A structure that is pushed as bytes: the pointer in it is an address of the forward sweep. */
static void addresses_among_other_data_are_translated(void) {
    adtape_t *t = adtape_self();
    static double x[4], y[4], ynew[4], ynewb[4];
    struct {
        int n;
        double *to_x, *to_y, *none;
    } node = {1, &x[1], &y[2], NULL};
    double *nodeb[3] = {NULL};
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STATIC, "x");
    adtape_live_add(NULL, y, sizeof y, ADTAPE_KIND_HEAP, "y");
    adtape_push_bytes(t, &node, sizeof node);
    adtape_live_end(t, NULL, y);
    memset(&node, 0, sizeof node);
    adtape_live_begin_reverse(NULL);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_pop_bytes(t, &node, sizeof node);
    adtape_rebase_pointer(NULL, node.to_y, (void **)&node.to_y, (void **)&nodeb[1]); /* not back yet */
    CHECK(node.to_y == NULL);
    int64_t count = 0;
    CHECK_OK(adtape_live_list_waiting(NULL, NULL, 0, &count));
    CHECK_I64(count, 2);
    adtape_rebase_add(NULL, &range, ynew, ynewb, sizeof ynewb);
    CHECK(node.to_y == &ynew[2] && nodeb[1] == &ynewb[2]);
    adtape_rebase_pointer(NULL, node.to_x, (void **)&node.to_x, NULL);
    adtape_rebase_pointer(NULL, node.none, (void **)&node.none, (void **)&nodeb[2]);
    adtape_rebase_pointer(NULL, &y[3], (void **)&nodeb[0], NULL);
    CHECK(node.to_x == &x[1] && node.none == NULL && nodeb[2] == NULL && nodeb[0] == &ynew[3]);
    adtape_live_begin_reverse(NULL); /* another section: addresses are those of now */
    adtape_rebase_pointer(NULL, &ynew[1], (void **)&nodeb[0], (void **)&nodeb[1]);
    CHECK(nodeb[0] == &ynew[1] && nodeb[1] == &ynewb[1]);
    adtape_rebase_remove(NULL, ynew);
    adtape_rebase_remove(NULL, x);
}

static void address_may_be_null_where_the_allocation_is_empty(void) {
    adtape_t *t = adtape_self();
    adtape_range_t range;
    adtape_live_add(NULL, NULL, 0, ADTAPE_KIND_HEAP, "nothing");
    adtape_live_end(t, NULL, NULL);
    adtape_live_begin_reverse(NULL);
    adtape_pop_range(t, NULL, &range);
    CHECK_U64(range.bytes, 0);
    adtape_rebase_add(NULL, &range, NULL, NULL, 0);
    adtape_rebase_remove(NULL, NULL);
}

int main(void) {
    object_comes_back_elsewhere_with_an_adjoint_of_another_size();
    what_stays_alive_has_the_adjoint_that_it_was_given();
    reused_address_is_not_mistaken();
    addresses_among_other_data_are_translated();
    address_may_be_null_where_the_allocation_is_empty();
    adtape_live_stats_t stats;
    CHECK_OK(adtape_live_stats(NULL, &stats));
    CHECK_U64(stats.ranges + stats.waiting, 0);
    CHECK_U64(stats_of(adtape_self()).bytes, 0);
    return 0;
}
