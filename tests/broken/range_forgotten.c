/* range_forgotten.c: the reverse sweep pops the pointers of a block, but not the block. */
#include <adtape.h>

#include <stdlib.h>

int main(void) {
    adtape_t *t = adtape_self();
    double *work = malloc(64), *p = work, *p_b = NULL;
    adtape_live_add(NULL, work, 64, ADTAPE_KIND_HEAP, "work");
    for (int i = 0; i < 3; i++) {
        adtape_push_pointer(t, NULL, p);
        p = &work[i];
    }
    adtape_live_end(t, NULL, work);
    free(work);
    for (int i = 2; i >= 0; i--) {
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&p_b);
    }
    return p == NULL ? 0 : 1;
}
