/* A doubly linked list that is built, walked and destroyed: pointers in blocks, pointers to blocks that are gone.
 *
 *   y = sum over the nodes of sin(u) * u of the node before (1 for the first)
 *
 * The list is destroyed from its head. What pointed back from the second node was left dangling, is pushed when that
 * node goes, and comes back before the first node does: it waits. */
#include "../common/example.h"

typedef struct node {
    double u;
    struct node *next, *prev;
} node_t;

/* ---- the original ---------------------------------------------------------------------------------- */

static double original(int64_t n, const double *x) {
    node_t *head = NULL, *p;
    double y = 0.0;
    for (int64_t i = 0; i < n; i++) {
        p = allocate(1, sizeof *p);
        *p = (node_t){x[i], head, NULL};
        if (head != NULL) {
            head->prev = p;
        }
        head = p;
    }
    for (p = head; p != NULL; p = p->next) {
        y += sin(p->u) * (p->prev != NULL ? p->prev->u : 1.0);
    }
    while (head != NULL) {
        p = head->next;
        free(head);
        head = p;
    }
    return y;
}

/* ---- the forward sweep ----------------------------------------------------------------------------- */

static double forward_sweep(adtape_t *t, int64_t n, const double *x) {
    node_t *head = NULL, *p;
    double y = 0.0;
    for (int64_t i = 0; i < n; i++) {
        p = allocate(1, sizeof *p);
        adtape_live_add(NULL, p, sizeof *p, ADTAPE_KIND_HEAP, "node"); /* line 10 of Alg. 2 */
        p->u = x[i];
        p->next = head;
        if (head != NULL) {
            adtape_push_pointer(t, NULL, head->prev); /* line 18 */
            head->prev = p;
        }
        adtape_push_pointer(t, NULL, head);
        head = p;
    }
    p = head;
    while (p != NULL) {
        y += sin(p->u) * (p->prev != NULL ? p->prev->u : 1.0);
        adtape_push_pointer(t, NULL, p);
        p = p->next;
    }
    adtape_push_pointer(t, NULL, head);
    while (head != NULL) {
        p = head->next;
        adtape_push_f64(t, head->u);
        adtape_push_pointer(t, NULL, head->next);
        adtape_push_pointer(t, NULL, head->prev); /* dangling: the node before is gone */
        adtape_live_end(t, NULL, head);           /* line 13 */
        free(head);
        head = p;
    }
    return y;
}

/* ---- the reverse sweep ----------------------------------------------------------------------------- */

/* Line 20: a pointer and its adjoint, which points to the same place in the adjoint of the node. */
static void pop_link(adtape_t *t, node_t **p, node_t **pb) {
    adtape_pop_pointer(t, NULL, (void **)p, (void **)pb);
}

static void adjoint(adtape_t *t, int64_t n, double *xb) {
    node_t *head, *headb, *p, *pb;
    int64_t waiting;
    adtape_live_begin_reverse(NULL);
    for (int64_t i = 0; i < n; i++) {
        adtape_range_t range;
        adtape_pop_range(t, NULL, &range); /* line 14: the node comes back, elsewhere, with an adjoint of zero */
        p = allocate(1, sizeof *p);
        pb = allocate(1, sizeof *pb);
        adtape_rebase_add(NULL, &range, p, pb, sizeof *pb);
        pop_link(t, &p->prev, &pb->prev);
        pop_link(t, &p->next, &pb->next);
        adtape_pop_f64(t, &p->u);
        if (i == n / 2) {
            expect_ok(adtape_live_list_waiting(NULL, NULL, 0, &waiting));
            check_count("pointers waiting in the midst of it", (uint64_t)waiting, 2);
        }
    }
    pop_link(t, &head, &headb);
    for (int64_t i = 0; i < n; i++) {
        pop_link(t, &p, &pb);
        pb->u += cos(p->u) * (p->prev != NULL ? p->prev->u : 1.0);
        if (p->prev != NULL) {
            pb->prev->u += sin(p->u);
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        p = head;
        pb = headb;
        xb[i] += pb->u;
        pop_link(t, &head, &headb);
        if (head != NULL) {
            pop_link(t, &head->prev, &headb->prev);
        }
        adtape_rebase_remove(NULL, p); /* line 11: the birth of the node is reversed */
        free(p), free(pb);
    }
}

int main(int argc, char **argv) {
    const int64_t n = argument(argc, argv, 1, 100000);
    double *x = allocate(n, sizeof *x), *xb = allocate(n, sizeof *xb), y, plain;
    adtape_t *t = adtape_self();
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1.0 + noise(i);
    }
    y = forward_sweep(t, n, x);
    plain = original(n, x);
    check_same_bits("the forward sweep computes what the original computes", &y, &plain, 1);
    report_count("tape bytes", tape_bytes(t));
    adjoint(t, n, xb);
    check_nothing_left(t);
    check_against_function(original, n, x, xb, 1e-8);
    free(x), free(xb);
    return finish();
}
