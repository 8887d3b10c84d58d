/* range_not_ended.c: a block is freed without the call that says so, and its address comes back for another one. */
#include <adtape.h>

#include <stdlib.h>

int main(void) {
    for (int day = 0; day < 3; day++) {
        double *work = malloc(64);
        adtape_live_add(NULL, work, 64, ADTAPE_KIND_HEAP, "work");
        work[0] = day;
        free(work);
    }
    return 0;
}
