/* The edges of what the kit's calls mean together: misuse, order of bits, repeat regions, environment. Those of each
 * call for itself are in limits.c.
 *
 *   edges
 *   edges type       for ADTAPE_KIT_ORDER=type: order is kept within a type only */
#include <pthread.h>

#include "calls.h"
#include "check.h"

void adtape_kit_order_by_type(void);
void adtape_kit_order_by_type_(void);
void adtape_self_push_f64(const void *x);
void adtape_self_pop_f64(void *x);

/* ---- errors, in child processes ------------------------------------------------------------------ */

static void too_much(void) { double x[3] = {0}; pushReal8(1); popReal8Array(x, 3); }
static void pop_in_region_of_nothing(void) { double x; adStack_startRepeat(); popReal8(&x); }
static void stray_reset(void) { adStack_resetRepeat(); }
static void stray_end(void) { adStack_endRepeat(); }
static void stray_end_of_stack(void) { endStackRepeat(); }
static void late_order(void) { pushReal8(1); adtape_kit_order_by_type(); }
static void bad_order(void) { setenv("ADTAPE_KIT_ORDER", "typ", 1); pushReal8(1); }

/* By type the thread's own tape is the kit's: a program that uses it as well gets an error. */
static void own_tape_by_type(void) {
    double x = 2;
    adtape_kit_order_by_type();
    adtape_self_push_f64(&x);
}
static void own_tape_before_order(void) {
    double x = 2;
    adtape_self_push_f64(&x);
    adtape_kit_order_by_type();
}
static void *own_tape_first(void *nothing) {
    double x = 2;
    adtape_self_push_f64(&x);
    for (int i = 0; i < 1000000; i++) {
        pushReal8(i);
    }
    return nothing;
}
static void own_tape_of_thread(void) {
    pthread_t thread;
    adtape_kit_order_by_type();
    pthread_create(&thread, NULL, own_tape_first, NULL);
    pthread_join(thread, NULL);
}

static void errors(void) {
    must_abort(too_much, "pop of 3 values of f64");
    must_abort(pop_in_region_of_nothing, "the tape holds 0 bytes only");
    must_abort(stray_reset, "none is active");
    must_abort(stray_end, "none is active");
    must_abort(stray_end_of_stack, "startStackRepeat1");
    must_abort(late_order, "ADTAPE_KIT_ORDER");
    must_abort(bad_order, "ADTAPE_KIT_ORDER");
    must_abort(own_tape_by_type, "attached to a local cursor");
    must_abort(own_tape_before_order, "has used its own tape");
    must_abort(own_tape_of_thread, "has used its own tape");
}

/* ---- bits ---------------------------------------------------------------------------------------- */

static void bits(void) {
    int cc, logical;
    /* The lowest bit is pushed first, so the highest is popped first. */
    pushControl3b(1);
    check(popBit() == 0 && popBit() == 0 && popBit() == 1, "bits of a control value come back highest first");
    pushBit(1);
    pushBit(0);
    popControl2b(&cc);
    check(cc == 1, "bits make up a control value, the last pushed highest");
    pushControl1b(2);
    popControl1b(&cc);
    check(cc == 1, "one bit: not zero, not masked");
    pushControl2b(12);
    popControl2b(&cc);
    check(cc == 2, "the top bit is whether anything is left");
    pushControl4b(-1);
    popControl4b(&cc);
    check(cc == 15, "negative values have all bits");
    pushBoolean(-5);
    popBoolean(&logical);
    check(logical == 1, "booleans are popped as 0 or 1");
    for (int i = 0; i < 1000; i++) {
        pushControl5b(i % 32);
        pushReal8(i);
        pushControl1b(i % 3 == 0);
    }
    for (int i = 999; i >= 0; i--) {
        double x;
        popControl1b(&cc);
        check(cc == (i % 3 == 0), "control and values interleave");
        popReal8(&x);
        check(x == i, "values and control interleave");
        popControl5b(&cc);
        check(cc == i % 32, "five bits");
    }
}

/* The accumulator of bits is saved by start and restored by reset. */
static void bits_in_repeat(void) {
    int cc;
    for (int i = 0; i < 70; i++) {
        pushControl1b(i % 2);
    }
    adStack_startRepeat();
    for (int round = 0; round < 3; round++) {
        for (int i = 69; i >= 3; i--) {
            popControl1b(&cc);
            check(cc == i % 2, "bits are read again in a region");
        }
        pushControl8b(200);
        popControl8b(&cc);
        check(cc == 200, "bits pushed in a region");
        adStack_resetRepeat();
    }
    adStack_endRepeat();
    for (int i = 69; i >= 0; i--) {
        popControl1b(&cc);
        check(cc == i % 2, "bits are there after the region");
    }
}

/* Values pushed in a region and not popped before it ends are popped first; the kit pops a wrong one. */
static void outstanding(void) {
    double x;
    pushReal8(1);
    pushReal8(2);
    adStack_startRepeat();
    popReal8(&x);
    pushReal8(3);
    pushReal8(4);
    adStack_endRepeat();
    popReal8(&x);
    check(x == 4, "the last value pushed in the region");
    popReal8(&x);
    check(x == 3, "the first value pushed in the region");
    popReal8(&x);
    check(x == 1, "what was left below");
}

/* An inner region pops what the enclosing one has pushed, and ends where it is: the reset of the enclosing one forgets
 * both. The kit goes on popping from where the inner region was. */
static double popped(void) {
    double x = 0;
    popReal8(&x);
    return x;
}
static void inner_region_pops_what_the_enclosing_one_pushed(void) {
    pushReal8(1);
    pushReal8(2);
    adStack_startRepeat();
    check(popped() == 2, "the last value before the region");
    pushReal8(3);
    adStack_startRepeat();
    check(popped() == 3, "the enclosing region's value");
    check(popped() == 1, "below it the first value");
    adStack_endRepeat();
    adStack_resetRepeat();
    pushReal8(4);
    check(popped() == 4, "pushed after the reset");
    check(popped() == 2 && popped() == 1, "all values before the region come back");
    adStack_endRepeat();
    check(adStack_getCurrentStackSize() == 0, "nothing is left");
}

/* In one order the kit's calls and those of the thread's own tape are on one tape, whichever is first. */
static void own_tape(void) {
    for (int i = 0; i < 100000; i++) {
        double x = 2 * i;
        adtape_self_push_f64(&x);
        pushReal8(2 * i + 1);
        pushControl3b(i % 8);
    }
    for (int i = 99999; i >= 0; i--) {
        double x;
        int cc;
        popControl3b(&cc);
        popReal8(&x);
        check(cc == i % 8 && x == 2 * i + 1, "the kit's values above the program's");
        adtape_self_pop_f64(&x);
        check(x == 2 * i, "the program's values below the kit's");
    }
}

/* ---- order by type ------------------------------------------------------------------------------- */

static void order_by_type(void) {
    double x, a[4] = {1, 2, 3, 4};
    int i, cc;
    for (int k = 0; k < 2000; k++) {
        pushReal8(k);
        pushReal8Array(a, 4);
        pushInteger4(-k);
        pushControl2b(k % 4);
    }
    for (int k = 1999; k >= 0; k--) {
        popReal8(&x);
        check(x == k, "reals come back in their own order");
    }
    for (int k = 1999; k >= 0; k--) {
        popInteger4(&i);
        check(i == -k, "integers come back in their own order");
    }
    adStack_startRepeat();
    for (int round = 0; round < 2; round++) {
        for (int k = 1999; k >= 0; k--) {
            popControl2b(&cc);
            check(cc == k % 4, "control comes back in its own order");
        }
        pushReal4(1.5f); /* a type that is first used inside the region */
        adStack_resetRepeat();
    }
    adStack_endRepeat();
    for (int k = 0; k < 2000; k++) {
        popReal8Array(a, 4);
        check(a[0] == 1 && a[3] == 4, "arrays come back");
        popControl2b(&cc);
    }
    check(adStack_getCurrentStackSize() == 0, "nothing is left");
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "type") == 0) {
        if (getenv("ADTAPE_KIT_ORDER") == NULL) {
            adtape_kit_order_by_type();
            adtape_kit_order_by_type_();
        } else {
            must_abort(own_tape_by_type, "attached to a local cursor");
        }
        order_by_type();
    } else {
        errors();
        bits();
        bits_in_repeat();
        outstanding();
        inner_region_pops_what_the_enclosing_one_pushed();
        own_tape();
    }
    return 0;
}
