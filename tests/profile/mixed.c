/* Random operations on a tape of which a profile takes samples. Everything that is popped must be what was pushed.
 *
 * mixed SEED OPERATIONS */
#include <adtape.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000000, ARRAY = 3000, WARM = 1100000 };

enum kind { SCALAR, SMALL, BITS, ROW, COUNTER, KINDS };

/* What the tape should have. */
static struct {
    enum kind kind;
    uint64_t value;
} model[MOST];
static long depth;
static uint64_t state;
static adtape_t *t;

static uint64_t draw(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

static void fail(const char *what) {
    printf("%s at depth %ld\n", what, depth);
    exit(1);
}

static int width(uint64_t value) {
    return 1 + (int)(value % 20);
}

static void push(void) {
    static double row[ARRAY];
    if (depth == MOST) {
        return;
    }
    const enum kind kind = draw(50) == 0 ? ROW : (enum kind)draw(KINDS - 1) == ROW ? COUNTER : (enum kind)draw(ROW);
    const uint64_t value = draw(1 << 19);
    model[depth].kind = kind;
    model[depth++].value = value;
    switch (kind) {
    case SCALAR: adtape_push_f64(t, (double)value); break;
    case SMALL: adtape_push_i32(t, (int32_t)value); break;
    case BITS: adtape_push_control(t, value & ((1u << width(value)) - 1), (uint32_t)width(value)); break;
    case COUNTER: adtape_push_count(t, (int64_t)value); break;
    default:
        for (uint64_t i = 0; i < value % ARRAY; i++) {
            row[i] = (double)(value + i);
        }
        adtape_push_array_f64(t, row, (int64_t)(value % ARRAY));
    }
}

static void pop(void) {
    static double row[ARRAY];
    if (depth == 0) {
        return;
    }
    const enum kind kind = model[--depth].kind;
    const uint64_t value = model[depth].value;
    double scalar;
    int32_t small;
    switch (kind) {
    case SCALAR:
        adtape_pop_f64(t, &scalar);
        if (scalar != (double)value) fail("scalar");
        break;
    case SMALL:
        adtape_pop_i32(t, &small);
        if (small != (int32_t)value) fail("small");
        break;
    case BITS:
        if (adtape_pop_control(t, (uint32_t)width(value)) != (value & ((1u << width(value)) - 1))) fail("bits");
        break;
    case COUNTER:
        if (adtape_pop_count(t) != (int64_t)value) fail("counter");
        break;
    default:
        adtape_pop_array_f64(t, row, (int64_t)(value % ARRAY));
        for (uint64_t i = 0; i < value % ARRAY; i++) {
            if (row[i] != (double)(value + i)) fail("row");
        }
    }
}

/* Reads what is there some times, perhaps with pushes of its own. */
static void repeat(void) {
    const long before = depth, most = before < 40000 ? before : 40000;
    if (before == 0) {
        return;
    }
    adtape_repeat_start(t);
    for (uint64_t times = 0; times < 3; times++) {
        for (uint64_t n = draw((uint64_t)most) + 1; n > 0; n--) {
            pop();
        }
        depth = before;
        adtape_repeat_reset(t);
    }
    adtape_repeat_end(t);
}

int main(int argc, char **argv) {
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 2654435761u + 1 : 1;
    const long operations = argc > 2 ? atol(argv[2]) : 300;
    t = adtape_self();
    double x;
    for (int i = 0; i < WARM; i++) {
        adtape_push_f64(t, i);
    }
    for (int i = 0; i < WARM; i++) {
        adtape_pop_f64(t, &x);
    }
    adtape_mark_t mark;
    long marked = -1;
    for (long i = 0; i < operations; i++) {
        const uint64_t what = draw(20);
        const uint64_t n = draw(draw(4) == 0 ? 60000 : 300);
        if (what < 9) {
            for (uint64_t k = 0; k < n; k++) push();
        } else if (what < 17) {
            for (uint64_t k = 0; k < n; k++) pop();
        } else if (what == 17) {
            repeat();
        } else if (what == 18) {
            adtape_mark_take(t, &mark);
            marked = depth;
        } else if (marked >= 0 && marked <= depth) {
            adtape_mark_reset(t, &mark);
            depth = marked;
        }
        marked = depth < marked ? -1 : marked;
    }
    while (depth > 0) {
        pop();
    }
    return !adtape_is_empty(t);
}
