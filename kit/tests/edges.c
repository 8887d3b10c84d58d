/* The edges of the kit's calls: no values, very many, none left, NULL, misuse, order of bits, environment.
 *
 *   edges            everything but the large arrays
 *   edges large      arrays of more than 2^31 bytes; status 77 where memory is short
 *   edges type       for ADTAPE_KIT_ORDER=type: order is kept within a type only */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

void adtape_kit_order_by_type(void);
void adtape_kit_order_by_type_(void);
void adtape_self_push_f64(const void *x);
void adtape_self_pop_f64(void *x);

static void fail(const char *what) {
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}
static void check(int condition, const char *what) {
    if (!condition) {
        fail(what);
    }
}

/* ---- errors, in child processes ------------------------------------------------------------------ */

/* Runs `part` in a child; it must abort with a message that has `words`. */
static void must_abort(void (*part)(void), const char *words) {
    char text[4096] = "";
    int channel[2], status = 0;
    size_t have = 0;
    ssize_t n;
    check(pipe(channel) == 0, "pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], STDERR_FILENO);
        part();
        _exit(0);
    }
    close(channel[1]);
    while ((n = read(channel[0], text + have, sizeof text - 1 - have)) > 0) {
        have += (size_t)n;
    }
    close(channel[0]);
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || strstr(text, words) == NULL) {
        fprintf(stderr, "status %#x, said: %s, expected: %s\n", status, text, words);
        fail("an error is to abort with its message");
    }
}

static void empty_scalar(void) { double x; popReal8(&x); }
static void empty_fortran_scalar(void) { int x; popinteger4_(&x); }
static void empty_sixteen(void) { complex16_t x; popComplex16(&x); }
static void empty_array(void) { double x[3]; popReal8Array(x, 3); }
static void empty_control(void) { int x; popControl3b(&x); }
static void empty_bit(void) { (void)popBit(); }
static void empty_look(void) { double x; lookreal8_(&x); }
static void too_much(void) { double x[3] = {0}; pushReal8(1); popReal8Array(x, 3); }
static void null_push(void) { pushReal8Array(NULL, 3); }
static void null_pop(void) { double x[3] = {0}; pushReal8Array(x, 3); popReal8Array(NULL, 3); }
static void stray_reset(void) { adStack_resetRepeat(); }
static void stray_end(void) { adStack_endRepeat(); }
static void stray_end_of_stack(void) { endStackRepeat(); }
static void late_order(void) { pushReal8(1); adtape_kit_order_by_type(); }
static void bad_order(void) { setenv("ADTAPE_KIT_ORDER", "typ", 1); pushReal8(1); }

/* By type the thread's own tape is the kit's: a program that uses it as well is told so. */
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
    must_abort(empty_scalar, "the tape holds 0");
    must_abort(empty_fortran_scalar, "the tape holds 0");
    must_abort(empty_sixteen, "the tape holds 0");
    must_abort(empty_array, "pop of 3 values of f64");
    must_abort(empty_control, "control bits");
    must_abort(empty_bit, "one control bit");
    must_abort(empty_look, "pop of");
    must_abort(too_much, "pop of 3 values of f64");
    must_abort(null_push, "NULL");
    must_abort(null_pop, "NULL");
    must_abort(stray_reset, "none is active");
    must_abort(stray_end, "none is active");
    must_abort(stray_end_of_stack, "startStackRepeat1");
    must_abort(late_order, "ADTAPE_KIT_ORDER");
    must_abort(bad_order, "ADTAPE_KIT_ORDER");
    must_abort(own_tape_by_type, "attached to a local cursor");
    must_abort(own_tape_before_order, "has used its own tape");
    must_abort(own_tape_of_thread, "has used its own tape");
}

/* ---- no values ----------------------------------------------------------------------------------- */

/* Sections whose bounds cross have a length below zero; the kit moves nothing then. */
static void no_values(void) {
    double guard = 1.5;
    pushReal8(2.5);
    for (int n = 0; n >= -3; n--) {
        pushReal8Array(NULL, n);
        popReal8Array(NULL, n);
        pushreal8array_(&guard, &n);
        popreal8array_(&guard, &n);
        pushCharacterArray(NULL, n);
        popCharacterArray(NULL, n);
        lookreal8array_(&guard, &n);
        pushNArray(NULL, (unsigned)n, 1);
        popNArray(NULL, (unsigned)n, 1);
    }
    check(guard == 1.5 && adStack_getCurrentStackSize() == 8, "lengths of zero and below move nothing");
    popReal8(&guard);
    check(guard == 2.5, "what lay below is still there");
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

/* ---- large arrays -------------------------------------------------------------------------------- */

static char *untouched(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        printf("SKIPPED: no address space for the large arrays\n");
        exit(77);
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return (char *)memory;
}

static void large(void) {
    const int n = (1 << 28) + 7, n16 = (1 << 27) + 3;
    const size_t bytes = (size_t)n * 8;
    char line[128];
    long long kib = 0;
    FILE *meminfo = fopen("/proc/meminfo", "r");
    while (meminfo != NULL && fgets(line, sizeof line, meminfo) != NULL) {
        sscanf(line, "MemAvailable: %lld", &kib);
    }
    if (kib < 6 * 1024 * 1024) {
        printf("SKIPPED: %lld MiB of memory available, 6144 needed\n", kib / 1024);
        exit(77);
    }
    double *x = (double *)untouched(bytes);
    x[0] = 1.25;
    x[n - 1] = 2.5;
    pushReal8Array(x, n);
    check(adStack_getCurrentStackSize() == bytes, "every byte of 2^28 + 7 doubles counts");
    x[0] = x[n - 1] = x[n / 2] = 7;
    popReal8Array(x, n);
    check(x[0] == 1.25 && x[n - 1] == 2.5 && x[n / 2] == 0, "2^28 + 7 doubles come back");
    pushcomplex16array_(x, (int *)&n16);
    check(adStack_getCurrentStackSize() == (uint64_t)n16 * 16, "every byte of 2^27 + 3 complex numbers counts");
    memset(x, 1, 4096);
    popcomplex16array_(x, (int *)&n16);
    check(x[0] == 1.25 && x[1] == 0, "2^27 + 3 complex numbers come back");
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
    if (argc > 1 && strcmp(argv[1], "large") == 0) {
        large();
    } else if (argc > 1 && strcmp(argv[1], "type") == 0) {
        if (getenv("ADTAPE_KIT_ORDER") == NULL) {
            adtape_kit_order_by_type();
            adtape_kit_order_by_type_();
        } else {
            must_abort(own_tape_by_type, "attached to a local cursor");
        }
        order_by_type();
    } else {
        errors();
        no_values();
        bits();
        bits_in_repeat();
        outstanding();
        own_tape();
    }
    return 0;
}
