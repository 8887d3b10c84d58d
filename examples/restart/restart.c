/* restart.c: the adjoint of a time loop in bounded memory, which can be killed at any moment and started again.
 *
 *     restart DIRECTORY RUN [SEGMENTS]     ends itself with SIGKILL after so many segments, to show it
 *
 * The loop is cut into segments. The forward run keeps the state at the beginning of each in a checkpoint. The reverse
 * sweep goes through the segments from the last to the first: it loads the state, runs the segment forward once more with
 * pushes, and then backward with pops; after each segment the adjoint goes to a checkpoint of its own. Whatever is in the
 * store when the program starts is where it goes on. */
#include <adtape.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2000, SEGMENTS = 20, STEPS = 50 }; /* cells, segments, steps of a segment */

static const double c = 0.2;
static int64_t left = -1; /* segments until the program ends itself; -1: it does not */

static void must(adtape_status_t status) {
    if (status != ADTAPE_STATUS_OK) {
        fprintf(stderr, "restart: %s\n", adtape_error_message());
        exit(1);
    }
}

/* ---- the model: u' = diffusion and a reaction, on a ring -------------------------------------------------- */

/* One step; the state that it overwrites is pushed if the step will be reversed. */
static void step(double u[N], int record) {
    double old[N];
    if (record) {
        adtape_push_array_f64(adtape_self(), u, N);
    }
    memcpy(old, u, sizeof old);
    for (int i = 0; i < N; i++) {
        u[i] = old[i] + c * (old[(i + 1) % N] - 2 * old[i] + old[(i + N - 1) % N]) + 0.01 * old[i] * (1 - old[i]);
    }
}

/* Its adjoint: ub becomes the adjoint of the state before. */
static void step_adjoint(double u[N], double ub[N]) {
    double next[N];
    adtape_pop_array_f64(adtape_self(), u, N);
    memcpy(next, ub, sizeof next);
    for (int i = 0; i < N; i++) {
        ub[i] = next[i] * (1 - 2 * c + 0.01 * (1 - 2 * u[i])) + c * (next[(i + 1) % N] + next[(i + N - 1) % N]);
    }
}

/* ---- checkpoints -------------------------------------------------------------------------------------------- */

static void save(adtape_store_t *s, const char *name, int64_t segment, const double x[N]) {
    adtape_checkpoint_t *k;
    must(adtape_checkpoint_create(s, name, &k));
    must(adtape_checkpoint_write(k, "segment", ADTAPE_TYPE_I64, &segment, 1));
    must(adtape_checkpoint_write(k, "x", ADTAPE_TYPE_F64, x, N));
    must(adtape_checkpoint_commit(k));
}

/* The segment of the checkpoint, or -1 if there is none. */
static int64_t load(adtape_store_t *s, const char *name, double x[N]) {
    adtape_checkpoint_t *k;
    int64_t segment;
    const adtape_status_t status = adtape_checkpoint_open(s, name, &k);
    if (status == ADTAPE_STATUS_NOT_FOUND) {
        return -1;
    }
    must(status);
    must(adtape_checkpoint_read(k, "segment", ADTAPE_TYPE_I64, &segment, 1));
    must(adtape_checkpoint_read(k, "x", ADTAPE_TYPE_F64, x, N));
    must(adtape_checkpoint_close(k));
    return segment;
}

static const char *name_of(int64_t segment) {
    static char name[40];
    snprintf(name, sizeof name, "segment-%d", (int)segment);
    return name;
}

/* A segment is done. */
static void tick(void) {
    if (left > 0 && --left == 0) {
        raise(SIGKILL);
    }
}

int main(int argc, char **argv) {
    static double u[N], ub[N];
    adtape_store_t *s;
    int64_t segment = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: restart DIRECTORY RUN [SEGMENTS]\n");
        return 2;
    }
    if (argc > 3) {
        left = atoi(argv[3]);
    }
    must(adtape_store_create_files(argv[1], argv[2], -1, 0, &s));

    int64_t reversed = load(s, "adjoint", ub); /* segments from here on are reversed */
    if (reversed < 0) {
        /* Forward, from the last state there is. */
        for (segment = SEGMENTS; segment > 0 && load(s, name_of(segment), u) < 0;) {
            segment--;
        }
        if (segment == 0) {
            for (int i = 0; i < N; i++) {
                u[i] = 0.5 + 0.4 * sin(6.283185307179586 * i / N);
            }
            save(s, name_of(0), 0, u);
        } else {
            printf("goes on with segment %d forward\n", (int)segment);
        }
        for (; segment < SEGMENTS; segment++) {
            for (int k = 0; k < STEPS; k++) {
                step(u, 0);
            }
            save(s, name_of(segment + 1), segment + 1, u);
            tick();
        }
        for (int i = 0; i < N; i++) {
            ub[i] = u[i]; /* of J = sum(u**2) / 2 at the end */
        }
        reversed = SEGMENTS;
        save(s, "adjoint", reversed, ub);
    } else {
        printf("goes on with segment %d in reverse\n", (int)reversed);
    }

    while (reversed > 0) {
        if (load(s, name_of(reversed - 1), u) < 0) {
            fprintf(stderr, "restart: %s is missing\n", name_of(reversed - 1));
            return 1;
        }
        for (int k = 0; k < STEPS; k++) {
            step(u, 1);
        }
        for (int k = 0; k < STEPS; k++) {
            step_adjoint(u, ub);
        }
        reversed--;
        save(s, "adjoint", reversed, ub); /* replaces the older one: at every moment there is one, whole */
        tick();
    }

    double sum = 0;
    for (int i = 0; i < N; i++) {
        sum += ub[i] * (i + 1);
    }
    printf("gradient: %.17g %.17g, weighted sum %.17g\n", ub[0], ub[N - 1], sum);
    must(adtape_store_remove(s, "adjoint"));
    for (segment = 0; segment <= SEGMENTS; segment++) {
        must(adtape_store_remove(s, name_of(segment)));
    }
    must(adtape_store_destroy(s));
    return 0;
}
