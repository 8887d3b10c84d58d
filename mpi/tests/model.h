/* model.h: the serial model of a program on many ranks. Every rank has all of it: the cells of all ranks, and what each
 * step of the program did to them, as assignments that are made at once.
 *
 *   assignment   cell = value, with d cell = sum of coefficient * d source
 *
 * In the reverse sweep a step's cells give up their adjoints, and the sources get them. Values are small whole numbers,
 * so that the adjoints of the program and of the model are equal, bit for bit. */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* CELLS in one object, and MORE in another one. */
enum { CELLS = 96, MORE = 12, ALL_CELLS = CELLS + MORE, RANKS = 8 };
enum { MAX_ASSIGNMENTS = 1 << 16, MAX_TERMS = 1 << 18, MAX_STEPS = 1 << 12 };

struct assignment {
    int cell, terms_end;
    double value;
};
struct term {
    int source;
    double coefficient;
};
static struct {
    double x[RANKS * ALL_CELLS], xb[RANKS * ALL_CELLS];
    struct assignment assignments[MAX_ASSIGNMENTS];
    struct term terms[MAX_TERMS];
    int step_end[MAX_STEPS];
    int assignment_count, term_count, steps;
} model;

static inline int cell_of(int rank, int cell) { return rank * ALL_CELLS + cell; }

static inline void model_assign(int cell, double value) {
    model.assignments[model.assignment_count++] = (struct assignment){cell, model.term_count, value};
}
static inline void model_term(double coefficient, int source) {
    model.terms[model.term_count++] = (struct term){source, coefficient};
    model.assignments[model.assignment_count - 1].terms_end = model.term_count;
}
/* cell = source */
static inline void model_copy(int cell, int source) {
    model_assign(cell, model.x[source]);
    model_term(1, source);
}

static inline int step_begin(int step) { return step > 0 ? model.step_end[step - 1] : 0; }

/* The step's assignments are made. */
static inline void model_step(void) {
    for (int i = step_begin(model.steps); i < model.assignment_count; i++) {
        model.x[model.assignments[i].cell] = model.assignments[i].value;
    }
    model.step_end[model.steps++] = model.assignment_count;
}

/* The last step is reversed. */
static inline void model_reverse_step(void) {
    static double taken[MAX_ASSIGNMENTS];
    const int end = model.step_end[--model.steps], begin = step_begin(model.steps);
    for (int i = begin; i < end; i++) {
        double *adjoint = &model.xb[model.assignments[i].cell];
        taken[i] = *adjoint;
        *adjoint = 0;
    }
    for (int i = end - 1; i >= begin; i--) {
        const int first = i > 0 ? model.assignments[i - 1].terms_end : 0;
        for (int k = first; k < model.assignments[i].terms_end; k++) {
            model.xb[model.terms[k].source] += model.terms[k].coefficient * taken[i];
        }
        model.term_count = first;
    }
    model.assignment_count = begin;
}

static inline void model_clear(void) { memset(&model, 0, sizeof model); }

/* ---- random numbers, the same on all ranks ---- */

static uint64_t random_state;
static inline uint64_t random_word(void) {
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
/* 0 to below - 1 */
static inline int pick(int below) { return (int)(random_word() % (uint64_t)below); }

#endif
