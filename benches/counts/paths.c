/* The fast paths of the tape.
 *
 * ADTAPE_EXTRA_BRANCH adds a compare and a branch to each push and pop, to see that the check of the counts notices. */
#include "paths.h"

#include <stdio.h>

#ifdef ADTAPE_EXTRA_BRANCH
static volatile uintptr_t never;
#define ADDED(t) ((void)((t)->cur < never && (abort(), 0)))
#else
#define ADDED(t) ((void)0)
#endif

PATH(empty_loop, __asm__ volatile(""))

PATH(push_f64_handle, ADDED(t); adtape_push_f64(t, x))
PATH(pop_f64_handle, ADDED(t); adtape_pop_f64(t, &values[i]))
PATH(push_f64_self, ADDED(adtape_self()); adtape_push_f64(adtape_self(), x))
PATH(pop_f64_self, ADDED(adtape_self()); adtape_pop_f64(adtape_self(), &values[i]))
/* Restoring a pointer and its adjoint on the stable heap; and the same by a distance that the program knows itself. The
 * arrays are not static, so that the stores stay. */
static adtape_heap_t *heap;
static intptr_t distance;
void *pointers[MANY + 1], *adjoints[MANY + 1];
#define POINTER_PATH(name, known, statement)                                            \
    __attribute__((noinline)) void name##_fast_path(adtape_t *t, double x, long n) {    \
        known;                                                                          \
        (void)x;                                                                        \
        for (long i = 0; i < n; i++) {                                                  \
            ADDED(t);                                                                   \
            adtape_pop_opaque(t, &pointers[i]);                                            \
            adjoints[i] = statement;                                                    \
        }                                                                               \
    }
POINTER_PATH(restore_pointer, const adtape_heap_t *h = heap, adtape_heap_adjoint(h, pointers[i]))
POINTER_PATH(restore_pointer_plain, const intptr_t *d = &distance, (char *)pointers[i] + *d)
PATH(push_pointer, ADDED(t); adtape_push_opaque(t, &values[i]))
PATH(push_pointer_plain, ADDED(t); adtape_push_opaque(t, &values[i]))
/* An object that dies, and what brings it back. None does come back, so these are objects of a set of their own. */
static adtape_objects_t *apart;
adtape_range_t ranges[MANY + 1];
PATH(live_add_live_end, adtape_live_add(apart, &memory[i * 16], 16, ADTAPE_KIND_HEAP, "");
     adtape_live_end(t, apart, &memory[i * 16]))
PATH(pop_range, ADDED(t); adtape_pop_range(t, apart, &ranges[i]))
/* The same undone: the object is back elsewhere, and gone as its birth is reversed. */
PATH(live_add_live_end_again, adtape_live_add(NULL, &memory[i * 16], 16, ADTAPE_KIND_HEAP, "");
     adtape_live_end(t, NULL, &memory[i * 16]))
PATH(rebase_add_rebase_remove, adtape_pop_range(t, NULL, &ranges[i]);
     adtape_rebase_add(NULL, &ranges[i], &memory[i * 16 + BLOCK * MANY / 2], NULL, 0);
     adtape_rebase_remove(NULL, &memory[i * 16 + BLOCK * MANY / 2]))
/* A variable of a procedure that is entered and left, both undone. */
PATH(live_add_live_end_stack, adtape_live_add(NULL, values, 64, ADTAPE_KIND_STACK, ""); adtape_live_end(t, NULL, values))
PATH(rebase_add_rebase_remove_stack, adtape_pop_range(t, NULL, &ranges[i]);
     adtape_rebase_add(NULL, &ranges[i], values, values + 8, 64); adtape_rebase_remove(NULL, values))
/* The like, with a buffer of a message in between; its reverse finds the object as it finds any other. */
static adtape_abi0_buffer_t buffer;
PATH(live_add_buffer_live_end_stack, adtape_live_add(NULL, values, 64, ADTAPE_KIND_STACK, "");
     adtape_abi0_buffer_find((uint64_t)(uintptr_t)(values + 1), &buffer); adtape_live_end(t, NULL, values))
PATH(rebase_add_buffer_rebase_remove_stack, adtape_pop_range(t, NULL, &ranges[i]);
     adtape_rebase_add(NULL, &ranges[i], values, values + 8, 64);
     adtape_abi0_buffer_locate((uint64_t)ranges[i].serial, &buffer); adtape_rebase_remove(NULL, values))
/* Pointers into objects, which are alive in both sweeps. */
PATH(push_object_pointer, adtape_push_pointer(t, NULL, &memory[i * 16 + 8]))
PATH(pop_object_pointer, adtape_pop_pointer(t, NULL, &pointers[i], &adjoints[i]))
/* Each of those ends and comes back, at the other one of two places; and addresses of the forward sweep then. */
static char *place_of(const void *other) {
    const long between = BLOCK * MANY / 2;
    char *place = (char *)other;
    return place - memory < between ? place + between : place - between;
}
static char *places[MANY + 1];
PATH(live_end_object, ADDED(t); adtape_live_end(t, NULL, places[i]))
PATH(pop_range_rebase_add, ADDED(t); adtape_pop_range(t, NULL, &ranges[i]); places[n - 1 - i] = place_of(ranges[i].base);
     adtape_rebase_add(NULL, &ranges[i], places[n - 1 - i], NULL, 0))
PATH(rebase_object_pointer, adtape_rebase_pointer(NULL, (char *)ranges[i < MANY ? i : 0].base + 8, &pointers[i], &adjoints[i]))
/* A free and an allocation on the stable heap, beside another block of their chunk; and both undone. */
static void *block;
#define HEAP_PATH(name, before, statement)                                              \
    __attribute__((noinline)) void name##_fast_path(adtape_t *t, double x, long n) {    \
        (void)x;                                                                        \
        if (before != ADTAPE_STATUS_OK) {                                               \
            abort();                                                                    \
        }                                                                               \
        for (long i = 0; i < n; i++) {                                                  \
            ADDED(t);                                                                   \
            statement;                                                                  \
        }                                                                               \
    }
HEAP_PATH(heap_free_alloc, adtape_heap_end_reverse(heap), adtape_heap_free(heap, t, block);
          block = adtape_heap_alloc(heap, t, 300))
HEAP_PATH(heap_undo_free_alloc, adtape_heap_begin_reverse(heap), adtape_heap_undo_alloc(heap, t);
          block = adtape_heap_undo_free(heap, t))
PATH(push_control_handle, ADDED(t); adtape_push_control(t, (uint64_t)i, 1))
PATH(pop_control_handle, ADDED(t); values[i] = (double)adtape_pop_control(t, 1))
PATH(push_count_handle, ADDED(t); adtape_push_count(t, i & 127))
PATH(pop_count_handle, ADDED(t); values[i] = (double)adtape_pop_count(t))

/* Through a local cursor, attached and detached by the caller's side of the difference. */
#define LOCAL_PATH(name, statement)                                                     \
    __attribute__((noinline)) void name##_fast_path(adtape_t *t, double x, long n) {         \
        adtape_local_t l;                                                               \
        (void)x;                                                                        \
        if (adtape_attach(t, &l) != ADTAPE_STATUS_OK) {                                 \
            abort();                                                                    \
        }                                                                               \
        for (long i = 0; i < n; i++) {                                                  \
            statement;                                                                  \
        }                                                                               \
        if (adtape_detach(&l) != ADTAPE_STATUS_OK) {                                    \
            abort();                                                                    \
        }                                                                               \
    }
LOCAL_PATH(push_f64_local, ADDED(&l.c); adtape_local_push_f64(&l, x))
LOCAL_PATH(pop_f64_local, ADDED(&l.c); adtape_local_pop_f64(&l, &values[i]))
LOCAL_PATH(push_control_local, ADDED(&l.c); adtape_local_push_control(&l, (uint64_t)i, 1))
LOCAL_PATH(pop_control_local, ADDED(&l.c); values[i] = (double)adtape_local_pop_control(&l, 1))

/* The loop is the compiler's and the call is, but what is behind the call is the library's. */
PATH(self_push_f64, adtape_self_push_f64(&x))
PATH(self_pop_f64, adtape_self_pop_f64(&values[i]))
PATH(call_push_f64, adtape_call_push_f64(t, &x))
PATH(call_pop_f64, adtape_call_pop_f64(t, &values[i]))
PATH(call_push_control, adtape_call_push_control(t, (uint64_t)i, 1))
PATH(call_pop_control, values[i] = (double)adtape_call_pop_control(t, 1))

/* Arrays of a size that the compiler does not know, and memcpy between the same addresses. */
#define ARRAY(size)                                                                                                   \
    PATH(push_array_##size, adtape_push_bytes(t, values, bytes))                                                      \
    PATH(pop_array_##size, adtape_pop_bytes(t, values, bytes))                                                        \
    PATH(push_memcpy_##size, size_t k = (size_t)bytes; __builtin_memcpy(memory + (size_t)i * k, values, k))           \
    PATH(pop_memcpy_##size, size_t k = (size_t)bytes; __builtin_memcpy(values, memory + (size_t)i * k, k))
ARRAY(64)
ARRAY(504)
ARRAY(1024)
ARRAY(2048)
ARRAY(4096)

int main(void) {
    adtape_t *t;
    if (adtape_create(&t) != ADTAPE_STATUS_OK || adtape_objects_create(&apart) != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
        return 1;
    }
    run(t, empty_loop_fast_path, empty_loop_fast_path);
    run(t, push_f64_local_fast_path, pop_f64_local_fast_path);
    run(t, push_f64_handle_fast_path, pop_f64_handle_fast_path);
    run(t, push_f64_self_fast_path, pop_f64_self_fast_path);
    heap = adtape_heap_self();
    distance = heap->delta;
    run(t, push_pointer_fast_path, restore_pointer_fast_path);
    run(t, push_pointer_plain_fast_path, restore_pointer_plain_fast_path);
    run(t, live_add_live_end_fast_path, pop_range_fast_path);
    run(t, live_add_live_end_again_fast_path, rebase_add_rebase_remove_fast_path);
    run(t, live_add_live_end_stack_fast_path, rebase_add_rebase_remove_stack_fast_path);
    run(t, live_add_buffer_live_end_stack_fast_path, rebase_add_buffer_rebase_remove_stack_fast_path);
    for (long i = 0; i <= MANY; i++) {
        adtape_live_add(NULL, &memory[i * 16], 16, ADTAPE_KIND_HEAP, "");
    }
    run(t, push_object_pointer_fast_path, pop_object_pointer_fast_path);
    for (long i = 0; i <= MANY; i++) {
        places[i] = &memory[i * 16];
    }
    run(t, live_end_object_fast_path, pop_range_rebase_add_fast_path);
    run(t, rebase_object_pointer_fast_path, rebase_object_pointer_fast_path);
    adtape_heap_alloc(heap, t, 300);
    block = adtape_heap_alloc(heap, t, 300);
    run(t, heap_free_alloc_fast_path, heap_undo_free_alloc_fast_path);
    adtape_heap_undo_alloc(heap, t);
    adtape_heap_undo_alloc(heap, t);
    run(t, push_control_local_fast_path, pop_control_local_fast_path);
    run(t, push_control_handle_fast_path, pop_control_handle_fast_path);
    run(t, push_count_handle_fast_path, pop_count_handle_fast_path);
    run(t, self_push_f64_fast_path, self_pop_f64_fast_path);
    run(t, call_push_f64_fast_path, call_pop_f64_fast_path);
    run(t, call_push_control_fast_path, call_pop_control_fast_path);
#define RUN_ARRAY(size)                                              \
    bytes = size;                                                    \
    run(t, push_array_##size##_fast_path, pop_array_##size##_fast_path);           \
    run(t, push_memcpy_##size##_fast_path, pop_memcpy_##size##_fast_path);
    RUN_ARRAY(64)
    RUN_ARRAY(504)
    RUN_ARRAY(1024)
    RUN_ARRAY(2048)
    RUN_ARRAY(4096)
    return 0;
}
