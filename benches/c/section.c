/* Strided sections, gathered from and scattered into arrays of doubles, against the same loops by hand. */
#include "bench.h"

/* w->bytes: of the array that the section is of; the section itself is pushed w->count times. */
static int64_t elements(const work_t *w) { return w->bytes / (int64_t)sizeof(double); }

static void strided(const work_t *w, times_t *times) {
    const int64_t extent = elements(w) / 2, stride = 2 * sizeof(double);
    TIMED(times->forward, for (int64_t i = 0; i < w->count; i++)
        adtape_push_section(w->tape, ADTAPE_TYPE_F64, w->values, 1, &extent, &stride));
    TIMED(times->reverse, for (int64_t i = 0; i < w->count; i++)
        adtape_pop_section(w->tape, ADTAPE_TYPE_F64, w->values, 1, &extent, &stride));
}
static void strided_by_hand(const work_t *w, times_t *times) {
    double *cursor = (double *)w->memory;
    TIMED(times->forward, for (int64_t i = 0; i < w->count; i++)
        plain_gather_strided(&cursor, w->values, elements(w)));
    TIMED(times->reverse, for (int64_t i = 0; i < w->count; i++)
        plain_scatter_strided(&cursor, w->values, elements(w)));
}

/* The interior of a cube: all but the outermost layer. */
static int64_t interior(const work_t *w) {
    int64_t edge = 1;
    while ((edge + 1) * (edge + 1) * (edge + 1) <= elements(w)) {
        edge++;
    }
    return edge - 2;
}
static void cube(const work_t *w, times_t *times) {
    const int64_t edge = interior(w), row = (edge + 2) * (int64_t)sizeof(double);
    const int64_t extents[3] = {edge, edge, edge}, strides[3] = {sizeof(double), row, row * (edge + 2)};
    double *first = &w->values[((edge + 2) + 1) * (edge + 2) + 1];
    TIMED(times->forward, for (int64_t i = 0; i < w->count; i++)
        adtape_push_section(w->tape, ADTAPE_TYPE_F64, first, 3, extents, strides));
    TIMED(times->reverse, for (int64_t i = 0; i < w->count; i++)
        adtape_pop_section(w->tape, ADTAPE_TYPE_F64, first, 3, extents, strides));
}
static void cube_by_hand(const work_t *w, times_t *times) {
    double *cursor = (double *)w->memory;
    TIMED(times->forward, for (int64_t i = 0; i < w->count; i++)
        plain_gather_cube(&cursor, w->values, interior(w)));
    TIMED(times->reverse, for (int64_t i = 0; i < w->count; i++)
        plain_scatter_cube(&cursor, w->values, interior(w)));
}

const figure_t section_figures[] = {
    {"section/every_second", strided, strided_by_hand},
    {"section/interior_3d", cube, cube_by_hand},
    {NULL, NULL, NULL},
};
