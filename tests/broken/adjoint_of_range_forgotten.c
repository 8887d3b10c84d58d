/* adjoint_of_range_forgotten.c: nobody says where the adjoint of a field is, so the reverse sweep adds nothing to it. */
#include <adtape.h>

enum { N = 4 };

int main(void) {
    adtape_t *t = adtape_self();
    double field[N] = {1.0, 2.0, 3.0, 4.0}, *p = field, *p_b = 0, sum = 0.0;
    adtape_live_add(NULL, field, sizeof field, ADTAPE_KIND_STACK, "field");
    for (int i = 0; i < N; i++) {
        sum += *p;
        adtape_push_pointer(t, NULL, p);
        p = i < N - 1 ? p + 1 : p;
    }
    for (int i = N - 1; i >= 0; i--) {
        adtape_pop_pointer(t, NULL, (void **)&p, (void **)&p_b); /* no adjoint */
        if (p_b != 0) {
            *p_b += 1.0;
        }
    }
    adtape_rebase_remove(NULL, field);
    return sum > 0.0 ? 0 : 1;
}
