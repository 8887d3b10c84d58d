/* Pairs of base and offset: pointers that leave their range, eq. (3). */
#include "check.h"


static void pair_follows_equation_3(void) {
    double x[4];
    const adtape_pair_t none = {NULL, 0}, at_x = {x, 8};
    adtape_pair_t sum = adtape_pair_add(none, 24);
    CHECK(sum.base == NULL && sum.offset == 0);
    sum = adtape_pair_add(at_x, -800);
    CHECK(sum.base == x && sum.offset == -792);
}

static void pairs_lead_out_of_their_range_and_come_back(void) {
    static const int64_t offsets[] = {0, 8, 32, 40, -8, -4096, (INT64_C(1) << 29) - 1, INT64_C(1) << 29, -(INT64_C(1) << 40)};
    enum { PAIRS = sizeof offsets / sizeof offsets[0] };
    adtape_t *t = adtape_self();
    static double x[4], elsewhere[4], adjoint[4];
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_HEAP, "x");
    adtape_push_pair(t, NULL, NULL, 0);
    for (int i = 0; i < PAIRS; i++) {
        adtape_push_pair(t, NULL, x, offsets[i]);
    }
    adtape_live_end(t, NULL, x);
    adtape_live_begin_reverse(NULL);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, elsewhere, adjoint, sizeof adjoint);
    for (int i = PAIRS - 1; i >= 0; i--) {
        adtape_pair_t pair = {NULL, 99};
        char *p = NULL, *pb = NULL;
        adtape_pop_pair(t, NULL, &pair, (void **)&p, (void **)&pb);
        CHECK(pair.base == elsewhere);
        CHECK_I64(pair.offset, offsets[i]);
        CHECK((intptr_t)p - (intptr_t)elsewhere == offsets[i] && (intptr_t)pb - (intptr_t)adjoint == offsets[i]);
    }
    adtape_pair_t pair = {x, 99};
    void *p = x;
    adtape_pop_pair(t, NULL, &pair, &p, NULL);
    CHECK(pair.base == NULL && pair.offset == 0 && p == NULL);
    adtape_rebase_remove(NULL, elsewhere);
}

static void pair_waits_for_its_object(void) {
    adtape_t *t = adtape_self();
    static double x[4], adjoint[4];
    adtape_pair_t pair = {NULL, 0};
    double *p = NULL, *pb = NULL;
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_HEAP, "x");
    adtape_live_end(t, NULL, x);
    adtape_push_pair(t, NULL, x, 800); /* it has ended, and nothing else lies there since */
    adtape_live_begin_reverse(NULL);
    adtape_pop_pair(t, NULL, &pair, (void **)&p, (void **)&pb);
    CHECK(pair.base == NULL && pair.offset == 800 && p == NULL && pb == NULL);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    adtape_rebase_add(NULL, &range, x, adjoint, sizeof adjoint);
    CHECK(pair.base == x && (intptr_t)p - (intptr_t)x == 800 && (intptr_t)pb - (intptr_t)adjoint == 800);
    adtape_rebase_remove(NULL, x);
}

int main(void) {
    pair_follows_equation_3();
    pairs_lead_out_of_their_range_and_come_back();
    pair_waits_for_its_object();
    CHECK_U64(stats_of(adtape_self()).bytes, 0);
    return 0;
}
