/* 100 million allocations in one forward sweep on the stable heap, 10^5 blocks of 32 to 2000 bytes alive at a time.
 * Prints the most bytes that were alive and the bytes that the heap has, in kilobytes, the tape's not among them. */
#include <stdio.h>
#include <stdlib.h>

#include "adtape.h"

enum { ALIVE = 100000 };

int main(int argc, char **argv) {
    const int64_t allocations = argc > 1 ? atoll(argv[1]) : 100000000;
    static void *blocks[ALIVE];
    adtape_heap_t *h = adtape_heap_self();
    adtape_t *t = adtape_self();
    adtape_heap_stats_t stats;
    uint64_t state = 1;
    for (int64_t i = 0; i < allocations; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t k = (uint32_t)(state >> 40) % ALIVE;
        adtape_heap_free(h, t, blocks[k]);
        blocks[k] = adtape_heap_alloc(h, t, 32 + (int64_t)(state >> 33) % 1969);
    }
    if (adtape_heap_stats(h, &stats) != ADTAPE_STATUS_OK) {
        fprintf(stderr, "%s\n", adtape_error_message());
        return 1;
    }
    const uint64_t has = stats.committed_bytes + stats.overhead_bytes;
    printf("%.0f %.0f\n", (double)stats.peak_bytes / 1024, (double)has / 1024);
    fflush(stdout);
    _Exit(0);
}
