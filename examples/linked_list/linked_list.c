/* A doubly linked list that is built, walked and destroyed: pointers in blocks, pointers to blocks that are gone.
 *
 *   y = sum over the nodes of sin(u) * u of the node before (1 for the first)
 *
 * The list is destroyed from its head. What pointed back from the second node was left dangling, is pushed when that
 * node goes, and comes back before the first node does: it waits. */
#include "../common/blocks.h"

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

static void push_pointer(adtape_t *t, const void *p) { adtape_push_pointer(t, adtape_session_default(), p); }

static double forward_sweep(adtape_t *t, int64_t n, const double *x) {
    node_t *head = NULL, *p;
    double y = 0.0;
    for (int64_t i = 0; i < n; i++) {
        p = birth(sizeof *p, "node");
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

static void pop_pointer(adtape_t *t, node_t **p, node_t **pb) {
    adtape_pop_pointer(t, adtape_session_default(), (void **)p, (void **)pb);
}

static void adjoint(adtape_t *t, int64_t n, double yb, double *xb) {
    node_t *head, *headb, *p, *pb;
    int64_t waiting;
    begin_reverse();
    for (int64_t i = 0; i < n; i++) {
        void *b;
        p = rebirth(t, &b);
        pb = b;
        pop_pointer(t, &p->prev, &pb->prev);
        pop_pointer(t, &p->next, &pb->next);
        adtape_pop_f64(t, &p->u);
        if (i == n / 2) {
            expect_ok(adtape_pointer_waiting(adtape_session_default(), NULL, 0, &waiting));
            check_count("pointers waiting in the midst of it", (uint64_t)waiting, 2);
        }
    }
    pop_pointer(t, &head, &headb);
    for (int64_t i = 0; i < n; i++) {
        pop_pointer(t, &p, &pb);
        pb->u += cos(p->u) * (p->prev != NULL ? p->prev->u : 1.0) * yb;
        if (p->prev != NULL) {
            pb->prev->u += sin(p->u) * yb;
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        p = head;
        xb[i] += headb->u;
        pop_pointer(t, &head, &headb);
        if (head != NULL) {
            pop_pointer(t, &head->prev, &headb->prev);
        }
        unborn(p);
    }
}

int main(int argc, char **argv) {
    adtape_t *t = adtape_self();
    argc = choose_allocator(argc, argv);
    const int64_t n = argument(argc, argv, 1, 100000);
    double *x = allocate(n, sizeof *x), *xb = allocate(n, sizeof *xb), *shifted = allocate(n, sizeof *x), y[2];
    const double h = 1e-5;
    double product = 0.0, scale = 0.0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = 1.0 + noise(i);
    }
    const double value = forward_sweep(t, n, x), plain = original(n, x);
    check_same_bits("the forward sweep computes what the original computes", &value, &plain, 1);
    report_count("tape bytes", tape_bytes(t));
    adjoint(t, n, 1.0, xb);
    check_blocks(t);
    for (int sign = 0; sign < 2; sign++) {
        for (int64_t i = 0; i < n; i++) {
            shifted[i] = x[i] + (sign ? h : -h) * noise(i + 31);
        }
        y[sign] = original(n, shifted);
    }
    for (int64_t i = 0; i < n; i++) {
        product += xb[i] * noise(i + 31);
        scale += fabs(xb[i] * noise(i + 31));
    }
    check_close("the gradient against finite differences", product, (y[1] - y[0]) / (2 * h), scale, 1e-8);
    free(x), free(xb), free(shifted);
    return finish();
}
