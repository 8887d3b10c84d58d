/* A model whose pushes are counted by hand: tests/outside/profile.rs has the numbers.
 *
 * sweeps counts       both sweeps, pops into a variable that has the value, arrays that do not change
 * sweeps marks        what is discarded and read again
 * sweeps threads      two threads, one of which ends before the program
 * sweeps handles      two tapes by handle, one destroyed
 * sweeps abort        ends in an error of a pop
 * sweeps long         one sweep of millions of pushes, then many short ones; ends in an error if a value does not come back
 * sweeps parts        an array of which a part changes each time
 * sweeps exit         ends by exit() from a function, with values left
 * sweeps fork         a child that pushes, and one that does not */
#include <adtape.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 100, FIELD = 64, LARGE = 8192, LONG = 2000000, SHORT = 500 };

static double field[FIELD], large[LARGE];

static void forward(adtape_t *t) {
    for (int step = 0; step < STEPS; step++) {
        adtape_push_f64(t, step / 10);               /* LINE scalar */
        adtape_push_array_f64(t, field, FIELD);      /* LINE array */
        adtape_push_control(t, step % 2 == 0, 1);    /* LINE control */
        if (step % 4 == 0) {
            field[0] += 1.0;
        }
    }
}

static void reverse(adtape_t *t) {
    for (int step = STEPS - 1; step >= 0; step--) {
        double x;
        (void)adtape_pop_control(t, 1);
        adtape_pop_array_f64(t, field, FIELD);       /* LINE pop array */
        adtape_pop_f64(t, &x);
    }
}

static void marks(adtape_t *t) {
    const double x = 1.0;
    double y;
    adtape_mark_t mark;
    adtape_push_array_f64(t, field, FIELD);          /* LINE kept */
    adtape_mark_take(t, &mark);
    for (int i = 0; i < 1000; i++) {
        adtape_push_f64(t, x + i);                   /* LINE discarded */
    }
    adtape_mark_reset(t, &mark);
    adtape_push_f64(t, x);                           /* LINE read again */
    adtape_repeat_start(t);
    for (int i = 0; i < 3; i++) {
        adtape_pop_f64(t, &y);
        adtape_repeat_reset(t);
    }
    adtape_repeat_end(t);
    adtape_pop_f64(t, &y);
    adtape_pop_array_f64(t, field, FIELD);
}

static double half(int i) {
    return 0.5 * i;
}

static int flag(int i) {
    return i % 3 == 0;
}

/* Of 16 values and more a push of an array; every other value is still held at its pop. */
static void long_forward(adtape_t *t, int from, int to) {
    double row[16];
    for (int i = from; i < to; i++) {
        adtape_push_f64(t, half(i));                 /* LINE first of two */
        adtape_push_control(t, flag(i), 1);          /* LINE many flags */
        adtape_push_f64(t, half(i + 1));             /* LINE second of two */
        if (i % 8 == 0) {
            for (int k = 0; k < 16; k++) {
                row[k] = half(i + k);
            }
            adtape_push_array_f64(t, row, 16);       /* LINE row */
        }
        if (i % 4096 == 0) {
            adtape_push_array_f64(t, large, LARGE);  /* LINE large */
        }
    }
}

static int long_reverse(adtape_t *t, int from, int to) {
    double row[16], x, y;
    for (int i = to - 1; i >= from; i--) {
        if (i % 4096 == 0) {
            adtape_pop_array_f64(t, large, LARGE);
        }
        if (i % 8 == 0) {
            if (i % 16 == 0) {
                row[0] = 0.0;
            }
            adtape_pop_array_f64(t, row, 16);        /* LINE pop of a row */
            if (row[15] != half(i + 15)) {
                return 0;
            }
        }
        adtape_pop_f64(t, &y);
        if ((int)adtape_pop_control(t, 1) != flag(i)) {
            return 0;
        }
        adtape_pop_f64(t, &x);
        if (x != half(i) || y != half(i + 1)) {
            return 0;
        }
    }
    return 1;
}

/* Step by step another one of two parts of a large array changes. */
static void parts(adtape_t *t) {
    enum { BLOCK = 64, COUNT = 1280 * BLOCK, PART = 16 * BLOCK, TIMES = 200 };
    static double array[COUNT];
    for (int step = 0; step < TIMES; step++) {
        for (int i = 0; i < PART; i++) {
            array[(step % 2) * 4 * PART + i] = step + i;
        }
        adtape_push_array_f64(t, array, COUNT);      /* LINE part */
    }
    for (int step = TIMES - 1; step >= 0; step--) {
        adtape_pop_array_f64(t, array, COUNT);
    }
}

static void *both_sweeps(void *nothing) {
    forward(adtape_self());
    reverse(adtape_self());
    return nothing;
}

static void leave(adtape_t *t) {
    adtape_push_f64(t, 1.0);                         /* LINE left */
    exit(0);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "counts";
    adtape_t *t = adtape_self();
    if (strcmp(what, "counts") == 0) {
        both_sweeps(NULL);
    } else if (strcmp(what, "marks") == 0) {
        marks(t);
    } else if (strcmp(what, "threads") == 0) {
        pthread_t other;
        pthread_create(&other, NULL, both_sweeps, NULL);
        pthread_join(other, NULL);
        both_sweeps(NULL);
    } else if (strcmp(what, "handles") == 0) {
        adtape_t *first, *second;
        adtape_create(&first);
        adtape_create(&second);
        forward(first);
        reverse(first);
        adtape_destroy(first);
        forward(second);
        reverse(second);
    } else if (strcmp(what, "abort") == 0) {
        double x;
        forward(t);
        for (;;) {
            adtape_pop_f64(t, &x);
        }
    } else if (strcmp(what, "long") == 0) {
        int right = 1;
        long_forward(t, 0, LONG);
        right &= long_reverse(t, 0, LONG);
        for (int i = 0; i < LONG; i += SHORT) {
            long_forward(t, i, i + SHORT);
            right &= long_reverse(t, i, i + SHORT);
        }
        return !right;
    } else if (strcmp(what, "parts") == 0) {
        parts(t);
    } else if (strcmp(what, "exit") == 0) {
        leave(t);
    } else if (strcmp(what, "fork") == 0) {
        adtape_push_f64(t, 1.0);
        for (int child = 0; child < 2; child++) {
            const pid_t pid = fork();
            if (pid == 0) {
                if (child == 0) {
                    forward(t);
                    reverse(t);
                }
                adtape_pop_f64(t, &field[0]);
                exit(0);
            }
            waitpid(pid, NULL, 0);
        }
        adtape_pop_f64(t, &field[0]);
    }
    return 0;
}
