/* adtape/inline_heap.h: what the stable heap inlines into the caller. adtape/heap.h includes it. */
#ifndef ADTAPE_INLINE_HEAP_H
#define ADTAPE_INLINE_HEAP_H

#include "heap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- adjoints on the stable heap --------------------------------------------------------------- */

/* The adjoint of any address in a block of `h`, from the reversal point (adtape_heap_begin_reverse) on: one addition,
 * of `h->delta`. For a heap with one adjoint byte for each primal byte; with another number, the result is an address
 * that does not exist. Checks nothing: before the reversal point, the result is an address without memory. `p` must
 * not be NULL; adtape_self_adjoint takes NULL, adtape_heap_find_adjoint checks everything. */
ADTAPE_INLINE_ void *adtape_heap_adjoint(const adtape_heap_t *h, const void *p) {
    return (void *)((uintptr_t)p + (uintptr_t)h->delta);
}
/* The adjoint of an address in a block of a heap with any number of adjoint bytes for each primal byte: `h->factor *
 * p + h->origin`. Checks nothing; `p` must not be NULL. */
ADTAPE_INLINE_ void *adtape_heap_adjoint_scaled(const adtape_heap_t *h, const void *p) {
    return (void *)(h->factor * (uintptr_t)p + h->origin);
}

/* ---- in place of malloc and free --------------------------------------------------------------- */

/* adtape_heap_alloc on the calling thread's heap and tape. This call and those below are the ones of stdlib.h, with
 * their arguments, so that a generator changes names only; each fails as the call of the heap does. Undone by
 * adtape_self_undo_malloc. Fortran: `p = heap_alloc(bytes)`. */
ADTAPE_INLINE_ void *adtape_self_malloc(size_t bytes) {
    return adtape_heap_alloc(adtape_heap_self(), adtape_self(), (int64_t)bytes);
}
/* adtape_heap_calloc on the calling thread's heap and tape. Undone by adtape_self_undo_malloc.
 * Fortran: `p = heap_calloc(count, bytes)`. */
ADTAPE_INLINE_ void *adtape_self_calloc(size_t count, size_t bytes) {
    return adtape_heap_calloc(adtape_heap_self(), adtape_self(), (int64_t)count, (int64_t)bytes);
}
/* adtape_heap_undo_alloc: undoes adtape_self_malloc or adtape_self_calloc. Fortran: `call heap_undo_alloc()`. */
ADTAPE_INLINE_ void adtape_self_undo_malloc(void) { adtape_heap_undo_alloc(adtape_heap_self(), adtape_self()); }

/* adtape_heap_realloc on the calling thread's heap and tape. Undone by adtape_self_undo_realloc.
 * Fortran: `q = heap_realloc(p, bytes)`. */
ADTAPE_INLINE_ void *adtape_self_realloc(void *p, size_t bytes) {
    return adtape_heap_realloc(adtape_heap_self(), adtape_self(), p, (int64_t)bytes);
}
/* adtape_heap_undo_realloc: undoes adtape_self_realloc, and returns the block as it was.
 * Fortran: `p = heap_undo_realloc()`. */
ADTAPE_INLINE_ void *adtape_self_undo_realloc(void) {
    return adtape_heap_undo_realloc(adtape_heap_self(), adtape_self());
}

/* adtape_heap_free on the calling thread's heap and tape. Undone by adtape_self_undo_free.
 * Fortran: `call heap_free(p)`. */
ADTAPE_INLINE_ void adtape_self_free(void *p) { adtape_heap_free(adtape_heap_self(), adtape_self(), p); }
/* adtape_heap_free_save on the calling thread's heap and tape: the contents go to the tape. Undone by
 * adtape_self_undo_free. Fortran: `call heap_free_save(p)`. */
ADTAPE_INLINE_ void adtape_self_free_save(void *p) { adtape_heap_free_save(adtape_heap_self(), adtape_self(), p); }
/* adtape_heap_undo_free: undoes adtape_self_free or adtape_self_free_save, and returns the block that was freed.
 * Fortran: `p = heap_undo_free()`. */
ADTAPE_INLINE_ void *adtape_self_undo_free(void) { return adtape_heap_undo_free(adtape_heap_self(), adtape_self()); }

/* The adjoint of an address in one of those blocks; NULL for NULL. Fortran: `q = heap_adjoint(p)`. */
ADTAPE_INLINE_ void *adtape_self_adjoint(const void *p) {
    return p == NULL ? NULL : adtape_heap_adjoint(adtape_heap_self(), p);
}

#ifdef __cplusplus
}
#endif

#endif
