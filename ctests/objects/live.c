/* The live map: what is alive, where, and what is said when ranges do not fit. */
#include "child.h"

static adtape_live_stats_t counts(void) {
    adtape_live_stats_t stats;
    memset(&stats, 0xEE, sizeof stats);
    CHECK_OK(adtape_live_stats(NULL, &stats));
    return stats;
}

static adtape_range_t found(const void *address) {
    adtape_range_t range;
    memset(&range, 0xEE, sizeof range);
    CHECK_OK(adtape_live_find(NULL, address, &range));
    return range;
}

static void range_is_found_by_every_address_in_it_and_at_its_end(void) {
    static double memory[30], *const x = memory + 10;
    double xb[10];
    const uint64_t serial = adtape_live_add(NULL, x, 80, ADTAPE_KIND_STATIC, "x (double[10])");
    adtape_live_set_adjoint(NULL, x, xb, sizeof xb);
    for (size_t i = 0; i <= 80; i++) {
        const adtape_range_t range = found((char *)x + i);
        CHECK_U64(range.serial, serial);
        CHECK(range.base == (void *)x && range.adjoint_base == (void *)xb);
        CHECK_U64(range.bytes, 80);
        CHECK_U64(range.adjoint_bytes, sizeof xb);
        CHECK_I64(range.kind, ADTAPE_KIND_STATIC);
        CHECK(strcmp(adtape_range_label(NULL, &range), "x (double[10])") == 0);
    }
    adtape_range_t range;
    CHECK_FAILS(adtape_live_find(NULL, (char *)x - 1, &range), ADTAPE_STATUS_NO_RANGE, "1 byte before `x`");
    CHECK_FAILS(adtape_live_find(NULL, x + 12, &range), ADTAPE_STATUS_NO_RANGE,
                "16 bytes past the end of `x` (double[10]), a static range of 80 bytes");
    CHECK_FAILS(adtape_live_find(NULL, NULL, &range), ADTAPE_STATUS_NO_RANGE, "NULL");
    adtape_live_remove(NULL, x);
    CHECK_FAILS(adtape_live_find(NULL, x, &range), ADTAPE_STATUS_NO_RANGE, "has ended");
}

static void ranges_are_listed_by_address_and_counted(void) {
    char block[1000];
    const adtape_live_stats_t before = counts();
    for (int i = 9; i >= 0; i--) {
        adtape_live_add(NULL, block + 100 * i, 50, i % 2 ? ADTAPE_KIND_STACK : ADTAPE_KIND_FOREIGN, NULL);
    }
    adtape_live_add(NULL, block + 50, 0, ADTAPE_KIND_STACK, "empty");
    adtape_range_t list[20];
    int64_t count = -1;
    CHECK_OK(adtape_live_list(NULL, list, 20, &count));
    CHECK_I64(count, 11);
    for (int i = 0; i < 10; i++) {
        CHECK(list[i + (i > 0)].base == block + 100 * i);
        CHECK_U64(list[i + (i > 0)].bytes, 50);
    }
    CHECK(list[1].base == block + 50 && list[1].bytes == 0 && strcmp(adtape_range_label(NULL, &list[1]), "empty") == 0);
    memset(list, 0, sizeof list);
    CHECK_OK(adtape_live_list(NULL, list, 3, &count));
    CHECK(count == 11 && list[2].base != NULL && list[3].base == NULL);
    CHECK_OK(adtape_live_list(NULL, NULL, 0, &count));
    CHECK_FAILS(adtape_live_list(NULL, NULL, 3, &count), ADTAPE_STATUS_NULL_POINTER, "3 values is NULL\n");
    CHECK_FAILS(adtape_live_list(NULL, list, -1, &count), ADTAPE_STATUS_COUNT_RANGE, "-1 entries");
    CHECK_FAILS(adtape_live_list(NULL, list, 1, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    const adtape_live_stats_t after = counts();
    CHECK_U64(after.ranges - before.ranges, 11);
    CHECK_U64(after.bytes - before.bytes, 500);
    CHECK_U64(after.births - before.births, 11);
    for (int i = 0; i < 10; i++) {
        adtape_live_remove(NULL, block + 100 * i);
    }
    adtape_live_remove(NULL, block + 50);
    CHECK_U64(counts().ranges, before.ranges);
    CHECK_U64(counts().dead, after.dead + 10); /* the empty one lay nowhere */
}

static void touching_ranges_are_told_apart_and_counted(void) {
    adtape_t *t = adtape_self();
    double x[2], *p = NULL;
    adtape_live_add(NULL, &x[0], sizeof x[0], ADTAPE_KIND_STACK, "x[0]");
    adtape_live_add(NULL, &x[1], sizeof x[1], ADTAPE_KIND_STACK, "x[1]");
    const uint64_t before = counts().ambiguous;
    adtape_push_pointer(t, NULL, &x[1]);
    CHECK_U64(counts().ambiguous, before + 1);
    adtape_live_remove(NULL, &x[0]);
    adtape_pop_pointer(t, NULL, (void **)&p, NULL);
    CHECK(p == &x[1]);
    adtape_live_remove(NULL, &x[1]);
}

static void report(void *unused) {
    (void)unused;
    static double x[4], xb[4];
    void *p;
    adtape_t *t = adtape_self();
    adtape_live_add(NULL, x, sizeof x, ADTAPE_KIND_STATIC, "x double[4]");
    adtape_live_set_adjoint(NULL, x, xb, sizeof xb);
    adtape_live_add(NULL, &p, sizeof p, ADTAPE_KIND_STACK, NULL);
    adtape_push_pointer(t, NULL, &x[1]);
    adtape_live_remove(NULL, x);
    adtape_pop_pointer(t, NULL, &p, NULL);
    CHECK_OK(adtape_live_print(NULL, 2));
}

static void report_lists_what_is_alive_and_what_waits(void) {
    const child_t child = in_child(report, NULL);
    CHECK_EXIT(child, 0);
    CHECK_HAS(child.text, "ranges alive: 1\n");
    CHECK_HAS(child.text, "pointers waiting: 1\n");
    CHECK_HAS(child.text, ": 8 bytes, stack, object ");
    CHECK_HAS(child.text, ", 8 bytes in\n");
    CHECK_FAILS(adtape_live_print(NULL, -1), ADTAPE_STATUS_BAD_ARGUMENT, "-1 is not a file descriptor");
    CHECK_FAILS(adtape_live_stats(NULL, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
    CHECK_FAILS(adtape_live_find(NULL, NULL, NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
}

/* A block that grows: the old one ends, a new one begins, perhaps at the same address. */
static void realloc_ends_one_object_and_begins_another(void) {
    adtape_t *t = adtape_self();
    char *block = malloc(16), *p = NULL;
    CHECK(block != NULL);
    const uint64_t first = adtape_live_add(NULL, block, 16, ADTAPE_KIND_HEAP, "block");
    adtape_push_pointer(t, NULL, block + 8);
    adtape_live_end(t, NULL, block);
    block = realloc(block, 4000);
    CHECK(block != NULL);
    const uint64_t second = adtape_live_add(NULL, block, 4000, ADTAPE_KIND_HEAP, "block");
    CHECK(first != second);
    adtape_live_begin_reverse(NULL);
    adtape_rebase_remove(NULL, block);
    block = realloc(block, 16);
    CHECK(block != NULL);
    adtape_range_t range;
    adtape_pop_range(t, NULL, &range);
    CHECK_U64(range.serial, first);
    adtape_rebase_add(NULL, &range, block, NULL, 0);
    adtape_pop_pointer(t, NULL, (void **)&p, NULL);
    CHECK(p == block + 8);
    adtape_rebase_remove(NULL, block);
    free(block);
}

int main(void) {
    range_is_found_by_every_address_in_it_and_at_its_end();
    ranges_are_listed_by_address_and_counted();
    touching_ranges_are_told_apart_and_counted();
    report_lists_what_is_alive_and_what_waits();
    realloc_ends_one_object_and_begins_another();
    CHECK_U64(counts().ranges, 0);
    return 0;
}
