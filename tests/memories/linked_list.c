/* A doubly linked list that is built, walked and destroyed: pointers in blocks, pointers to blocks that are gone.
 *
 *   y = sum over the nodes of sin(u) * u of the node before (1 for the first)
 *
 * The list is destroyed from its head. What pointed back from the second node was left dangling, is pushed when that
 * node goes, and comes back before the first node does: it waits. */
#include "blocks.h"

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
        p = birth(t, sizeof *p, "node");
        p->u = x[i];
        p->next = head;
        if (head != NULL) {
            push_pointer(t, head->prev);
            head->prev = p;
        }
        push_pointer(t, head);
        head = p;
    }
    p = head;
    while (p != NULL) {
        y += sin(p->u) * (p->prev != NULL ? p->prev->u : 1.0);
        push_pointer(t, p);
        p = p->next;
    }
    push_pointer(t, head);
    while (head != NULL) {
        p = head->next;
        adtape_push_f64(t, head->u);
        push_pointer(t, head->next);
        push_pointer(t, head->prev); /* dangling: the node before is gone */
        death(t, head);
        head = p;
    }
    return y;
}

/* ---- the reverse sweep ----------------------------------------------------------------------------- */

static void pop_link(adtape_t *t, node_t **p, node_t **pb) { pop_pointer(t, (void **)p, (void **)pb); }

static void adjoint(adtape_t *t, int64_t n, const double *x, double *xb) {
    node_t *head, *headb, *p, *pb;
    int64_t waiting;
    (void)x;
    begin_reverse();
    for (int64_t i = 0; i < n; i++) {
        void *b;
        p = rebirth(t, &b);
        pb = b;
        pop_link(t, &p->prev, &pb->prev);
        pop_link(t, &p->next, &pb->next);
        adtape_pop_f64(t, &p->u);
        if (i == n / 2 && over_ == MAPS) {
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
        xb[i] += headb->u;
        pop_link(t, &head, &headb);
        if (head != NULL) {
            pop_link(t, &head->prev, &headb->prev);
        }
        unborn(t, p);
    }
}

int main(int argc, char **argv) {
    static const program_t program = {original, forward_sweep, adjoint};
    argc = choose_memory(argc, argv);
    const int64_t n = argument(argc, argv, 1, 100000);
    double *x = allocate(n, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1.0 + noise(i);
    }
    check_over_both(&program, n, x, 1e-5, 1e-8);
    free(x);
    return finish();
}
