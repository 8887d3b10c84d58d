#include "setup.h"

#include "memory.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory besides the tape: fields, tangents, adjoints, optimiser; from above. */
enum { OTHER_BYTES_PER_CELL = 800, OTHER_BYTES = 4 << 20 };
/* Snapshots of the state, three fields with their ghost cells. */
enum { MOST_SNAPSHOTS = 50, STATE_BYTES_PER_CELL = 3 * 8 };
/* What check mode records of each push. */
enum { RECORD_BYTES = 24 };
/* Below this the problem is none any more. */
enum { LEAST_NX = 32, LEAST_OBSERVATION_TIMES = 2 };

static const struct {
    const char *name;
    int32_t nx, ny, steps, observe_every, iterations;
} sizes[] = {
    {"small", 64, 36, 24, 4, 6},
    {"default", 256, 144, 144, 12, 10},
    {"large", 512, 288, 144, 12, 5},
};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

/* What one stage of a step pushes. */
typedef struct stage {
    int64_t scalars, controls, bits;
} stage_t;

static stage_t stage_counts(int32_t nx, int32_t ny) {
    const int64_t cells = (int64_t)nx * ny;
    const int64_t faces = (int64_t)(nx + 1) * ny + (int64_t)nx * (ny + 1);
    const int64_t slopes = 3 * ((int64_t)(nx + 2) * ny + (int64_t)nx * (ny + 2));
    stage_t stage;
    stage.scalars = 11 * faces + 3 * cells + 2 * 11 + 3; /* the last two: at the ends of the loops */
    stage.controls = slopes + 2 * faces + cells;
    stage.bits = 2 * slopes + 3 * faces + cells;
    return stage;
}

int64_t setup_tape_bytes(int32_t nx, int32_t ny, int32_t steps) {
    const stage_t stage = stage_counts(nx, ny);
    const int64_t cells = (int64_t)nx * ny;
    return 2 * steps * (8 * stage.scalars + 8 * cells + 8 * (stage.bits / 62 + 1)) + 16 * (cells + 1);
}

/* The memory that a problem takes. In check mode there is a record for each push. */
static int64_t needed_bytes(const setup_t *s, int32_t steps) {
    const char *check = getenv("ADTAPE_CHECK");
    const stage_t stage = stage_counts(s->nx, s->ny);
    int64_t bytes = setup_tape_bytes(s->nx, s->ny, steps);
    if (check != NULL && strcmp(check, "1") == 0) {
        bytes += RECORD_BYTES * 2 * steps * (stage.scalars + stage.controls + 1);
    }
    if (!s->budget_of_tape) {
        const int64_t snapshots = steps < MOST_SNAPSHOTS ? steps : MOST_SNAPSHOTS;
        bytes += (int64_t)OTHER_BYTES_PER_CELL * s->nx * s->ny + OTHER_BYTES;
        bytes += snapshots * STATE_BYTES_PER_CELL * (s->nx + 4) * (s->ny + 4);
    }
    return bytes;
}

static int size_from_environment(void) {
    const char *asked = getenv("SIZE");
    if (asked == NULL || asked[0] == '\0') {
        asked = "default";
    }
    for (int i = 0; i < SIZE_COUNT; i++) {
        if (strcmp(asked, sizes[i].name) == 0) {
            return i;
        }
    }
    (void)fprintf(stderr,
                  "shallow_water: SIZE=%.40s is not known; allowed are SIZE=small (seconds), SIZE=default (about a "
                  "minute, 3 GB) and SIZE=large (minutes, a tape of 9 GB)\n",
                  asked);
    exit(2);
}

/* The finest grid on which at least a quarter of the steps fits, and as many steps as fit on it. On a coarser
 * grid a step covers more time. */
static int shrink_to_budget(setup_t *s) {
    const int32_t asked_steps = s->steps;
    for (;;) {
        const int32_t least = s->nx >= 2 * LEAST_NX ? asked_steps / 4 : LEAST_OBSERVATION_TIMES * s->observe_every;
        s->steps = asked_steps;
        while (s->steps >= least && needed_bytes(s, s->steps) > s->budget_bytes) {
            s->steps -= s->observe_every;
            s->shrunk = 1;
        }
        if (s->steps >= least) {
            return 1;
        }
        if (s->nx < 2 * LEAST_NX) {
            return 0;
        }
        s->nx /= 2;
        s->ny /= 2;
    }
}

void setup_choose(setup_t *s, int64_t limit_bytes) {
    const int i = size_from_environment();
    const char *source, *directory = getenv("ADTAPE_SPILL_DIRECTORY");
    char needed[16], have[16];
    int64_t available = memory_available_bytes(&source);
    memset(s, 0, sizeof *s);
    /* What exceeds the tapes' limit goes to a directory, if the user has named one. */
    if ((directory == NULL || directory[0] == '\0') && limit_bytes > 0 && limit_bytes < available) {
        available = limit_bytes;
        s->budget_of_tape = 1;
        source = getenv("ADTAPE_MEMORY_LIMIT") != NULL ? "ADTAPE_MEMORY_LIMIT" : "the tape's memory limit";
    }
    s->nx = sizes[i].nx;
    s->ny = sizes[i].ny;
    s->steps = sizes[i].steps;
    s->observe_every = sizes[i].observe_every;
    s->iterations = sizes[i].iterations;
    s->budget_bytes = available / 100 * 85; /* the rest is for everybody else */
    (void)snprintf(s->size_name, sizeof s->size_name, "%s", sizes[i].name);
    (void)snprintf(s->budget_source, sizeof s->budget_source, "%s", source);
    format_bytes(needed, needed_bytes(s, s->steps));
    (void)snprintf(s->asked, sizeof s->asked, "%d x %d cells, %d steps, which needs %s", (int)s->nx, (int)s->ny,
                   (int)s->steps, needed);
    if (!shrink_to_budget(s)) {
        format_bytes(needed, needed_bytes(s, LEAST_OBSERVATION_TIMES * s->observe_every));
        format_bytes(have, s->budget_bytes);
        (void)fprintf(stderr,
                      "shallow_water: not enough memory: even %d x %d cells need %s, and %s may be used (85 %% of %s); "
                      "free some memory or raise that limit\n",
                      (int)s->nx, (int)s->ny, needed, have, s->budget_source);
        exit(2);
    }
    s->tape_bytes = setup_tape_bytes(s->nx, s->ny, s->steps);
}
