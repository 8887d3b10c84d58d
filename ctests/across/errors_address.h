/* errors_address.h: cases of errors.c about live map, rebase map, pointers and pairs. */

static const adtape_objects_t *maps; /* NULL: the objects of the process */
static char memory[2000], *const block = memory + 500, elsewhere[1000];

/* A block of 100 bytes is alive, another has ended and its range is `ended`. */
static adtape_range_t ended;
static void add_blocks(void) {
    maps = NULL;
    adtape_live_add(maps, block, 100, ADTAPE_KIND_HEAP, "x (char[100])");
    adtape_live_add(maps, block + 500, 100, ADTAPE_KIND_STACK, "y");
    adtape_live_end(tape, maps, block + 500);
    adtape_pop_range(tape, maps, &ended);
}

#define ADDRESS(name, call)  \
    static void name(void) { \
        add_blocks();        \
        HERE(call);          \
    }
ADDRESS(null_handle_pointer, adtape_push_pointer(NULL, maps, block))
ADDRESS(null_handle_range, adtape_pop_range(NULL, maps, &ended))
ADDRESS(null_base, adtape_live_add(maps, NULL, 8, ADTAPE_KIND_HEAP, "z"))
ADDRESS(null_range, adtape_rebase_add(maps, NULL, elsewhere, NULL, 0))
ADDRESS(null_pop_range, adtape_pop_range(tape, maps, NULL))
ADDRESS(null_new_base, adtape_rebase_add(maps, &ended, NULL, NULL, 0))
ADDRESS(null_pair, adtape_push_pair(tape, maps, NULL, 8))
ADDRESS(range_too_large, adtape_live_add(maps, block, (uint64_t)1 << 48, ADTAPE_KIND_HEAP, "z"))
ADDRESS(kind_unknown, adtape_live_add(maps, elsewhere, 1, 5, "z"))
ADDRESS(overlap_heap, adtape_live_add(maps, block + 99, 2, ADTAPE_KIND_HEAP, "z"))
ADDRESS(overlap_stack, adtape_live_add(maps, block, 1, ADTAPE_KIND_STACK, "z"))
ADDRESS(overlap_rebase, adtape_rebase_add(maps, &ended, block + 50, NULL, 0))
static void comes_back_twice(void) {
    add_blocks();
    adtape_rebase_add(maps, &ended, elsewhere, NULL, 0);
    HERE(adtape_rebase_add(maps, &ended, elsewhere + 500, NULL, 0));
}
static void foreign_range(void) {
    add_blocks();
    ended.serial = UINT64_C(77) << 48 | 1;
    HERE(adtape_rebase_add(maps, &ended, elsewhere, NULL, 0));
}
ADDRESS(pointer_outside, adtape_push_pointer(tape, maps, block + 228))
ADDRESS(pointer_before, adtape_push_pointer(tape, maps, block - 1))
ADDRESS(pair_outside, adtape_push_pair(tape, maps, block + 1, 0))
ADDRESS(remove_inside, adtape_live_remove(maps, block + 8))
ADDRESS(end_twice, adtape_live_end(tape, maps, block + 500))
ADDRESS(rebase_remove_unknown, adtape_rebase_remove(maps, elsewhere))
ADDRESS(adjoint_unknown, adtape_live_set_adjoint(maps, elsewhere, block, 8))
static void base_shared(void) {
    add_blocks();
    adtape_live_add(maps, block, 0, ADTAPE_KIND_STACK, "none");
    HERE(adtape_live_remove(maps, block));
}
static void *popped;
static void pop_popped(void) {
    adtape_live_set_adjoint(maps, block, NULL, 0);
    adtape_pop_pointer(tape, maps, &popped, NULL);
}
static void adjoint_uneven(void) {
    add_blocks();
    adtape_live_set_adjoint(maps, block, elsewhere, 7);
    adtape_push_pointer(tape, maps, block + 8);
    seen.before_verify = pop_popped;
    HERE(adtape_pop_pointer(tape, maps, NULL, &popped));
}
static void corrupt_pointer(void) {
    add_blocks();
    adtape_push_f64(tape, 1.0);
    seen.before_verify = pop_one;
    HERE(adtape_pop_pointer(tape, maps, &popped, NULL));
}
static void pop_three_words(void) { adtape_pop_array_i64(tape, (int64_t *)target, 4); }
static void corrupt_range(void) {
    static const int64_t words[4] = {99, 1, 1, 1};
    add_blocks();
    adtape_push_array_i64(tape, words, 4);
    seen.before_verify = pop_three_words;
    HERE(adtape_pop_range(tape, maps, &ended));
}
static void underflow_pointer(void) {
    add_blocks();
    verify_filled(tape);
    seen.emptied = 1;
    HERE(adtape_pop_pointer(tape, maps, &popped, NULL));
}
static void underflow_range(void) {
    add_blocks();
    verify_filled(tape);
    seen.emptied = 1;
    HERE(adtape_pop_range(tape, maps, &ended));
}
static void pop_the_pointer(void) { adtape_pop_pointer(tape, NULL, NULL, NULL); }
static void mismatch_pair(void) {
    add_blocks();
    seen.before_verify = pop_the_pointer;
    PUSH_HERE(adtape_push_pointer(tape, maps, block));
    HERE(adtape_pop_pair(tape, maps, NULL, NULL, NULL));
}
static void mismatch_range(void) {
    add_blocks();
    seen.before_verify = pop_one;
    PUSH_HERE(adtape_push_f64(tape, 3));
    HERE(adtape_pop_range(tape, maps, &ended));
}
