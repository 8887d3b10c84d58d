/* not_brought_back.c: the reverse sweep forgets to bring the block of the last step back, so its pointer stays NULL. */
#include <adtape.h>

#include <stdlib.h>

enum { STEPS = 3 };

int main(void) {
    adtape_t *t = adtape_self();
    double *p[STEPS], *p_b[STEPS], *now[STEPS], *adjoint[STEPS];
    for (int step = 0; step < STEPS; step++) {
        double *work = malloc(64);
        adtape_live_add(NULL, work, 64, ADTAPE_KIND_HEAP, "work"); /* born */
        adtape_push_pointer(t, NULL, &work[step]);
        adtape_live_end(t, NULL, work);
        free(work);
    }
    for (int step = STEPS - 1; step >= 0; step--) {
        adtape_range_t work;
        adtape_pop_range(t, NULL, &work);
        now[step] = malloc(64);
        adjoint[step] = calloc(8, 8);
        if (step < STEPS - 1) {
            adtape_rebase_add(NULL, &work, now[step], adjoint[step], 64);
        }
        adtape_pop_pointer(t, NULL, (void **)&p[step], (void **)&p_b[step]); /* waits */
        if (step < STEPS - 1) {
            adtape_rebase_remove(NULL, now[step]);
        }
    }
    return 0;
}
