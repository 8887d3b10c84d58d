/* numbers.h: arrays whose numbers say where they belong, on tapes that are larger than the memory limit. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <pthread.h>
#include <signal.h>

#include "child.h"

enum { LIMIT = 8 << 20, LENGTH = 1000 };

CHECK_UNUSED_ static void begin(uint64_t limit) {
    CHECK_OK(adtape_process_set_memory_limit(limit));
    CHECK_OK(adtape_process_set_spill_directory("/tmp"));
}

CHECK_UNUSED_ static void push_numbers(adtape_t *t, int from, int to) {
    double x[LENGTH];
    for (int i = from; i < to; i++) {
        for (int j = 0; j < LENGTH; j++) {
            x[j] = i + j / 1024.0;
        }
        adtape_push_array_f64(t, x, LENGTH);
        adtape_push_i8(t, (int8_t)i);
    }
}

CHECK_UNUSED_ static void pop_numbers(adtape_t *t, int from, int to) {
    double x[LENGTH];
    for (int i = to - 1; i >= from; i--) {
        int8_t last;
        adtape_pop_i8(t, &last);
        CHECK_I64(last, (int8_t)i);
        adtape_pop_array_f64(t, x, LENGTH);
        for (int j = 0; j < LENGTH; j++) {
            CHECK_F64(x[j], i + j / 1024.0);
        }
    }
}

CHECK_UNUSED_ static adtape_memory_t memory(void) {
    adtape_memory_t m;
    CHECK_OK(adtape_process_memory(&m));
    return m;
}

#endif
