/* dangling_pointer.c: the row that a pointer points to is freed before the pointer is stored. */
#include <adtape.h>

#include <stdlib.h>

int main(void) {
    adtape_t *t = adtape_self();
    double row[4] = {1.0, 2.0, 3.0, 4.0}, row_b[4] = {0.0};
    double *p = row, *p_b = NULL, y = 0.0;
    adtape_live_add(NULL, row, sizeof row, ADTAPE_KIND_STACK, "row");
    for (int day = 0; day < 3; day++) {
        y += p[1] * p[1];
        if (day == 1) {
            p = malloc(4 * sizeof *p);
            p[1] = 0.5;
        }
        adtape_push_pointer(t, NULL, p);
    }
    adtape_live_set_adjoint(NULL, row, row_b, sizeof row_b);
    adtape_live_begin_reverse(NULL);
    for (int day = 2; day >= 0; day--) {
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&p_b);
        p_b[1] += 2.0 * p[1];
    }
    return y > 0.0 ? 0 : 1;
}
