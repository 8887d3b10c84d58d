/* birth_not_undone.c: a block that comes back is given up without a word, where its birth should be reversed. */
#include <adtape.h>

#include <stdlib.h>

enum { STEPS = 3 };

int main(void) {
    adtape_t *t = adtape_self();
    for (int step = 0; step < STEPS; step++) {
        double *work = malloc(64);
        adtape_live_add(NULL, work, 64, ADTAPE_KIND_HEAP, "work");
        adtape_live_end(t, NULL, work);
        free(work);
    }
    for (int step = STEPS - 1; step >= 0; step--) {
        adtape_range_t range;
        adtape_pop_range(t, NULL, &range);
        double *work = malloc(64), *work_b = calloc(8, 8);
        adtape_rebase_add(NULL, &range, work, work_b, 64); /* back */
        if (step > 0) {
            adtape_rebase_remove(NULL, work);
        }
    }
    return 0;
}
