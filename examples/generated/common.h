/* What the drivers share: a gradient beside differences, and how much lay on the tape. */
#include <adtape.h>
#include <math.h>
#include <stdio.h>

static int failures;

static inline void compare(const char *what, double gradient, double difference) {
    const int is_right = fabs(gradient - difference) <= 1e-6 * (fabs(gradient) + 1e-3);
    printf("%s: %.9g, by differences %.9g%s\n", what, gradient, difference, is_right ? "" : " WRONG");
    failures += !is_right;
}

static inline int finish(double items, const char *item) {
    adtape_stats_t stats;
    adtape_stats(adtape_self(), &stats);
    printf("tape: %llu bytes, %.1f for each %s\n", (unsigned long long)stats.peak_bytes, (double)stats.peak_bytes / items, item);
    return failures != 0 || stats.bytes != 0;
}
