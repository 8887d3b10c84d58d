/* Prints the resident memory of a process in KiB, all of it and what of it is no file's: of a process that uses 1 KB of
 * tape, or, without WITH_TAPE, of one that does not link adtape. */
#include <stdio.h>
#include <stdlib.h>

#ifdef WITH_TAPE
#include "adtape.h"
#endif

int main(void) {
    char line[256];
    long resident = -1, anonymous = -1;
    FILE *file;
#ifdef WITH_TAPE
    for (int i = 0; i < 128; i++) {
        adtape_push_f64(adtape_self(), i);
    }
#endif
    file = fopen("/proc/self/smaps_rollup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)(sscanf(line, "Rss: %ld kB", &resident) + sscanf(line, "Anonymous: %ld kB", &anonymous));
    }
    if (resident < 0 || anonymous < 0) {
        fprintf(stderr, "resident: /proc/self/smaps_rollup has no line Rss or Anonymous\n");
        return EXIT_FAILURE;
    }
    printf("%ld %ld\n", resident, anonymous);
#ifdef WITH_TAPE
    for (int i = 128; i-- > 0;) {
        double x;
        adtape_pop_f64(adtape_self(), &x);
        if (x != i) {
            return EXIT_FAILURE;
        }
    }
#endif
    return EXIT_SUCCESS;
}
