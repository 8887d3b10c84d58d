/* The stable heap beside malloc: an adaptive mesh of 10^5 cells, of which every step coarsens one and refines another;
 * and one of 10^3, which stays in cache. The reverse sweep takes the steps back. */
#include "bench.h"

enum { CELLS = 100000, FEW_CELLS = 1000 };

/* What a cell begins with; its size differs with its level. */
typedef struct {
    double value;
} cell_t;

static void *cells[CELLS];
static int32_t *which;      /* the cell of each step */
static uint16_t *old_bytes; /* what malloc must be asked for again in the reverse sweep */
static void **old_cells;    /* for the reference: what it has in place of the tape */
static uint16_t bytes_of[CELLS];
static int64_t prepared;
static int32_t prepared_cells;

static uint64_t state = 1;
static uint32_t draw(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

/* Cells of 4 x 4 to 8 x 8 values and a few pointers. */
static uint16_t size_of(int64_t step) { return (uint16_t)(32 + 8 * (16 + (uint64_t)step * 2654435761u % 49)); }

static void prepare(const work_t *w, int32_t count) {
    if (prepared == w->count && prepared_cells == count) {
        return;
    }
    prepared = w->count;
    prepared_cells = count;
    which = (int32_t *)realloc(which, (size_t)w->count * sizeof *which);
    old_bytes = (uint16_t *)realloc(old_bytes, (size_t)w->count * sizeof *old_bytes);
    old_cells = (void **)realloc(old_cells, (size_t)w->count * sizeof *old_cells);
    for (int64_t i = 0; i < w->count; i++) {
        which[i] = (int32_t)draw((uint32_t)count);
    }
    for (int i = 0; i < count; i++) {
        bytes_of[i] = size_of(i);
    }
}

static LOOP heap_forward(const work_t *w, adtape_heap_t *h) {
    adtape_t *t = w->tape;
    for (int64_t i = 0; i < w->count; i++) {
        const int32_t k = which[i];
        adtape_heap_free(h, t, cells[k]);
        cell_t *c = (cell_t *)adtape_heap_alloc(h, t, size_of(i + CELLS));
        c->value = (double)i;
        cells[k] = c;
    }
}

static LOOP heap_reverse(const work_t *w, adtape_heap_t *h) {
    adtape_t *t = w->tape;
    for (int64_t i = w->count - 1; i >= 0; i--) {
        adtape_heap_undo_alloc(h, t);
        cell_t *c = (cell_t *)adtape_heap_undo_free(h, t);
        c->value = (double)i;
        cells[which[i]] = c;
    }
}

static LOOP malloc_forward(const work_t *w) {
    for (int64_t i = 0; i < w->count; i++) {
        const int32_t k = which[i];
        old_bytes[i] = bytes_of[k];
        free(cells[k]);
        bytes_of[k] = size_of(i + CELLS);
        cell_t *c = (cell_t *)malloc(bytes_of[k]);
        c->value = (double)i;
        cells[k] = c;
    }
}

static LOOP malloc_reverse(const work_t *w) {
    for (int64_t i = w->count - 1; i >= 0; i--) {
        const int32_t k = which[i];
        free(cells[k]);
        bytes_of[k] = old_bytes[i];
        cell_t *c = (cell_t *)malloc(bytes_of[k]);
        c->value = (double)i;
        cells[k] = c;
    }
}

/* With adjoints: on the heap they come with their blocks; beside malloc each is a block of its own, of zeros. */
static void *adjoints[CELLS];
static LOOP calloc_reverse(const work_t *w) {
    for (int64_t i = w->count - 1; i >= 0; i--) {
        const int32_t k = which[i];
        free(cells[k]);
        free(adjoints[k]);
        bytes_of[k] = old_bytes[i];
        cell_t *c = (cell_t *)malloc(bytes_of[k]), *cb = (cell_t *)calloc(1, bytes_of[k]);
        c->value = (double)i;
        cells[k] = c;
        adjoints[k] = cb;
    }
}

static void on_heap(const work_t *w, times_t *times, int32_t count, int32_t factor) {
    adtape_heap_t *h = NULL;
    adtape_mark_t before;
    prepare(w, count);
    expect_ok(adtape_heap_create(factor, 0, &h));
    expect_ok(adtape_mark_take(w->tape, &before));
    for (int i = 0; i < count; i++) {
        cells[i] = adtape_heap_alloc(h, w->tape, size_of(i));
        memset(cells[i], 1, size_of(i));
    }
    /* Once to warm memory up, as malloc's is by the rounds before. */
    for (int round = 0; round < 2; round++) {
        TIMED(times->forward, heap_forward(w, h));
        expect_ok(adtape_heap_begin_reverse(h));
        TIMED(times->reverse, heap_reverse(w, h));
        expect_ok(adtape_heap_end_reverse(h));
    }
    expect_ok(adtape_mark_reset(w->tape, &before));
    expect_ok(adtape_heap_destroy(h));
}

static void on_malloc(const work_t *w, times_t *times, int32_t count, int with_adjoints) {
    prepare(w, count);
    for (int i = 0; i < count; i++) {
        bytes_of[i] = size_of(i);
        cells[i] = malloc(bytes_of[i]);
        memset(cells[i], 1, bytes_of[i]);
    }
    for (int round = 0; round < 2; round++) {
        TIMED(times->forward, malloc_forward(w));
        for (int i = 0; i < count; i++) {
            adjoints[i] = with_adjoints ? calloc(1, bytes_of[i]) : NULL;
        }
        if (with_adjoints) {
            TIMED(times->reverse, calloc_reverse(w));
        } else {
            TIMED(times->reverse, malloc_reverse(w));
        }
        for (int i = 0; i < count; i++) {
            free(adjoints[i]);
        }
    }
    for (int i = 0; i < count; i++) {
        free(cells[i]);
    }
}

static void heap_mesh(const work_t *w, times_t *times) { on_heap(w, times, CELLS, 0); }
static void malloc_mesh(const work_t *w, times_t *times) { on_malloc(w, times, CELLS, 0); }
static void heap_mesh_adjoint(const work_t *w, times_t *times) { on_heap(w, times, CELLS, 1); }
static void malloc_mesh_adjoint(const work_t *w, times_t *times) { on_malloc(w, times, CELLS, 1); }
static void heap_small(const work_t *w, times_t *times) { on_heap(w, times, FEW_CELLS, 0); }
static void malloc_small(const work_t *w, times_t *times) { on_malloc(w, times, FEW_CELLS, 0); }

const figure_t heap_figures[] = {
    {"heap/mesh", heap_mesh, malloc_mesh},
    {"heap/mesh_adjoint", heap_mesh_adjoint, malloc_mesh_adjoint},
    {"heap/mesh_small", heap_small, malloc_small},
    {NULL, NULL, NULL},
};
