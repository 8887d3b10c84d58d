/* A model whose pushes are counted by hand: tests/profile.rs has the numbers.
 *
 * sweeps counts       both sweeps, pops into a variable that has the value, arrays that do not change
 * sweeps marks        what is discarded and read again
 * sweeps threads      two threads, one of which ends before the program
 * sweeps handles      two tapes by handle, one destroyed
 * sweeps abort        ends in an error of a pop
 * sweeps exit         ends by exit() from a function, with values left
 * sweeps fork         a child that pushes, and one that does not */
#include <adtape.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 100, FIELD = 64 };

static double field[FIELD];

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
