#include "reversal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* (s + r)! / (s! r!), for small r. Each partial product is such a number itself, so the division leaves no rest. */
static int64_t beta(int64_t s, int64_t r) {
    int64_t value = 1;
    for (int64_t i = 1; i <= r; i++) {
        value = value * (s + i) / i;
    }
    return value;
}

int64_t reversal_least_steps(int64_t steps, int64_t snapshots) {
    int64_t r = 1;
    if (snapshots == 0 || steps <= 1) {
        return 0;
    }
    while (beta(snapshots, r) < steps) {
        r++;
    }
    return r * steps - beta(snapshots + 1, r - 1);
}

int64_t reversal_units(int64_t steps, int64_t snapshots) {
    return 2 * reversal_least_steps(steps, snapshots) + 7 * steps;
}

void reversal_write(const reversal_t *r, const char *language, double primal_seconds) {
    const char *path = getenv("DEMO_DATA");
    FILE *file;
    if (path == NULL || path[0] == '\0') {
        return;
    }
    file = fopen(path, "a");
    if (file == NULL) {
        (void)fprintf(stderr, "shallow_water: %s, which DEMO_DATA names, cannot be written\n", path);
        exit(2);
    }
    (void)fprintf(file, "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%.6f,%.6f\n", language,
                  r->steps, r->snapshots, r->state_bytes, r->snapshot_bytes, r->tape_bytes, r->extra_steps, r->seconds,
                  primal_seconds);
    (void)fclose(file);
}
