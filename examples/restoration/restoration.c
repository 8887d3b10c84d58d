/* A list that grows and shrinks between a checkpoint and its restoration: Hascoët, Utke, Handling Pointers and Dynamic
 * Memory, Alg. 4.
 *
 * Cells split and die while the list is stepped; each points to its neighbours and to the cell that it came from or
 * that came from it. A section of steps is run from a checkpoint, again after the restoration, and once more after it was
 * given up half way; each time its result is that of a run without checkpoints, bit for bit. */
#include <stddef.h>

#include "../common/example.h"

typedef struct cell {
    struct cell *before, *after, *mate;
    double value;
    int64_t key; /* how many came before it */
} cell_t;

static struct {
    cell_t *first;
    int64_t steps, cells, keys;
} list;

/* ---- the program ---------------------------------------------------------------------------------- */

static cell_t *insert_after(cell_t *before, double value) {
    cell_t *c = allocate(1, sizeof *c);
    adtape_live_add(NULL, c, sizeof *c, ADTAPE_KIND_HEAP, "cell");
    c->before = before;
    c->after = before == NULL ? list.first : before->after;
    *(before == NULL ? &list.first : &before->after) = c;
    if (c->after != NULL) {
        c->after->before = c;
    }
    c->value = value;
    c->key = list.keys++;
    list.cells++;
    return c;
}

static void leave_mate(cell_t *c) {
    if (c->mate != NULL) {
        c->mate->mate = NULL;
        c->mate = NULL;
    }
}

static void end(cell_t *c) {
    leave_mate(c);
    *(c->before == NULL ? &list.first : &c->before->after) = c->after;
    if (c->after != NULL) {
        c->after->before = c->before;
    }
    list.cells--;
    adtape_live_remove(NULL, c);
    free(c);
}

static void split(cell_t *c) {
    c->value /= 2;
    leave_mate(c);
    c->mate = insert_after(c, c->value);
    c->mate->mate = c;
}

/* 100 steps in which the list grows, 100 in which it shrinks. */
static void advance(int64_t steps) {
    for (const int64_t last = list.steps + steps; list.steps < last; list.steps++) {
        const double drift = list.steps / 100 % 2 == 0 ? 0.011 : -0.01;
        for (cell_t *c = list.first, *after; c != NULL; c = after) {
            after = c->after;
            c->value += drift + 0.1 * noise(97 * list.steps + c->key);
            c->value += c->mate == NULL ? 0.0 : 0.2 * (c->mate->value - c->value);
            c->value += c->after == NULL ? 0.0 : 0.1 * (c->after->value - c->value);
            if (c->value > 0.6 && list.cells < 5000) {
                split(c);
            } else if (c->value < -0.4 && list.cells > 20) {
                end(c);
            }
        }
    }
}

/* ---- what is compared ----------------------------------------------------------------------------- */

/* Each cell's value, its key and that of its mate, in the order of the list; and where it lies. */
typedef struct {
    int64_t cells;
    double numbers[3 * 5000];
    const cell_t *addresses[5000];
} picture_t;
static picture_t undisturbed, before, now;

static const picture_t *take_picture(picture_t *p) {
    p->cells = 0;
    for (const cell_t *c = list.first; c != NULL; c = c->after) {
        double *numbers = &p->numbers[3 * p->cells];
        if (p->cells == list.cells || (c->before != NULL && c->before->after != c)) {
            fprintf(stderr, "the list is broken\n");
            exit(2);
        }
        numbers[0] = c->value;
        numbers[1] = (double)c->key;
        numbers[2] = c->mate == NULL ? -1.0 : (double)c->mate->key;
        p->addresses[p->cells++] = c;
    }
    return p;
}

static void check_list(const char *label, const picture_t *expected) {
    check_count("cells", (uint64_t)take_picture(&now)->cells, (uint64_t)expected->cells);
    check_same_bits(label, now.numbers, expected->numbers, 3 * expected->cells);
}

/* ---- checkpoints ---------------------------------------------------------------------------------- */

static void save(adtape_store_t *store) {
    adtape_checkpoint_t *c;
    expect_ok(adtape_checkpoint_create(store, "list", &c));
    expect_ok(adtape_live_save(NULL, c, NULL, 0, NULL));
    expect_ok(adtape_checkpoint_commit(c));
    take_picture(&before);
}

static void restore(adtape_store_t *store) {
    adtape_checkpoint_t *c;
    adtape_restore_stats_t done;
    uint64_t moved = 0;
    expect_ok(adtape_checkpoint_open(store, "list", &c));
    expect_ok(adtape_live_restore(NULL, c, NULL, &done));
    expect_ok(adtape_checkpoint_close(c));
    check_list("the restored list is that of the checkpoint", &before);
    for (int64_t i = 0; i < before.cells; i++) {
        moved += now.addresses[i] != before.addresses[i];
    }
    report_count("of them kept", done.kept - 1); /* without the variable */
    report_count("of them allocated", done.allocated);
    check_count("together", done.kept - 1 + done.allocated, (uint64_t)before.cells);
    report_count("cells that were not in the checkpoint", done.ended);
    report_count("of them elsewhere now", moved);
}

/* A section of 2n steps, from step n on. */
static void run(int64_t n) {
    adtape_store_t *store;
    expect_ok(adtape_store_create_memory(0, NULL, &store));
    for (int checkpoints = 0; checkpoints < 2; checkpoints++) {
        list.steps = list.keys = 0;
        for (int i = 0; i < 200; i++) {
            insert_after(NULL, noise(i) / 4);
        }
        advance(n);
        if (checkpoints) {
            save(store);
        }
        advance(2 * n);
        if (!checkpoints) {
            take_picture(&undisturbed);
        } else {
            check_list("the section", &undisturbed);
            restore(store);
            advance(2 * n);
            check_list("the section run again", &undisturbed);
            restore(store);
            advance(n);
            restore(store);
            advance(2 * n);
            check_list("the section run again, given up half way and run again", &undisturbed);
        }
        while (list.first != NULL) {
            end(list.first);
        }
    }
    expect_ok(adtape_store_destroy(store));
}

int main(int argc, char **argv) {
    static const int64_t first[] = {0};
    static const int64_t links[] = {offsetof(cell_t, before), offsetof(cell_t, after), offsetof(cell_t, mate)};
    const int64_t n = argument(argc, argv, 1, 170);
    adtape_live_add(NULL, &list, sizeof list, ADTAPE_KIND_STATIC, "list");
    expect_ok(adtape_live_set_pointers(NULL, "list", sizeof list, first, 1));
    expect_ok(adtape_live_set_pointers(NULL, "cell", sizeof(cell_t), links, 3));
    run(n);
    adtape_live_remove(NULL, &list);
    return finish();
}
