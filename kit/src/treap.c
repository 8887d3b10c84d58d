/* treap.c: ordered sets of address ranges whose nodes lie in what they stand for.
 *
 * A treap is a search tree by key and a heap by a random rank, so that its depth is logarithmic whatever the order of
 * the keys. Keys may repeat: of equal ones the last inserted is the last in order. Each node knows the highest end of
 * a range in its subtree, so that what contains an address is found although ranges may overlap.
 *
 *   node.key    base of the range, 0 for a node that is in no treap
 *   node.end    one past its last byte */

struct node {
    uintptr_t key, end, high;
    uint64_t serial; /* order of insertion: tells equal keys apart */
    struct node *child[2];
    void *owner;
    uint32_t rank;
};

struct treap {
    struct node *root;
    uint64_t serials;
};

static int node_before(const struct node *a, const struct node *b) {
    return a->key != b->key ? a->key < b->key : a->serial < b->serial;
}

static struct node *node_update(struct node *n) {
    n->high = n->end;
    for (int side = 0; side < 2; side++) {
        if (n->child[side] && n->child[side]->high > n->high) {
            n->high = n->child[side]->high;
        }
    }
    return n;
}

/* What is before n in one tree, the rest in another. */
static void tree_split(struct node *tree, const struct node *n, struct node **below, struct node **above) {
    if (!tree) {
        *below = *above = NULL;
    } else if (node_before(tree, n)) {
        tree_split(tree->child[1], n, &tree->child[1], above);
        *below = node_update(tree);
    } else {
        tree_split(tree->child[0], n, below, &tree->child[0]);
        *above = node_update(tree);
    }
}

static struct node *tree_merge(struct node *below, struct node *above) {
    if (!below || !above) {
        return below ? below : above;
    }
    if (below->rank > above->rank) {
        below->child[1] = tree_merge(below->child[1], above);
        return node_update(below);
    }
    above->child[0] = tree_merge(below, above->child[0]);
    return node_update(above);
}

static struct node *tree_insert(struct node *tree, struct node *n) {
    if (!tree || n->rank > tree->rank) {
        tree_split(tree, n, &n->child[0], &n->child[1]);
        return node_update(n);
    }
    struct node **side = &tree->child[node_before(tree, n)];
    *side = tree_insert(*side, n);
    return node_update(tree);
}

static struct node *tree_remove(struct node *tree, const struct node *n) {
    if (tree == n) {
        return tree_merge(tree->child[0], tree->child[1]);
    }
    struct node **side = &tree->child[node_before(tree, n)];
    *side = tree_remove(*side, n);
    return node_update(tree);
}

/* A range at `base`, which is not 0, or a point; of what reaches beyond the address space, the part before its end. */
static void treap_insert(struct treap *treap, struct node *n, void *owner, uintptr_t base, uint64_t bytes) {
    n->key = base;
    n->end = bytes < UINTPTR_MAX - base ? base + bytes : UINTPTR_MAX;
    n->serial = ++treap->serials;
    n->owner = owner;
    uint64_t mixed = n->serial * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93u;
    n->rank = (uint32_t)(mixed >> 32);
    treap->root = tree_insert(treap->root, n);
}

static void treap_remove(struct treap *treap, struct node *n) {
    if (n->key) {
        treap->root = tree_remove(treap->root, n);
        n->key = 0;
    }
}

/* The last inserted with this key. */
static struct node *treap_at(const struct treap *treap, uintptr_t key) {
    struct node *found = NULL;
    for (struct node *n = treap->root; n; n = n->child[n->key <= key]) {
        if (n->key == key) {
            found = n;
        }
    }
    return found;
}

/* The first with a key of at least `key`, or the first after `last`. */
static struct node *treap_from(const struct treap *treap, uintptr_t key, const struct node *last) {
    struct node *found = NULL;
    for (struct node *n = treap->root; n;) {
        int after = last ? node_before(last, n) : n->key >= key;
        if (after) {
            found = n;
        }
        n = n->child[!after];
    }
    return found;
}

/* The last range in order among those that begin at `address` or before and end at `reach` or after. */
static struct node *tree_around(struct node *tree, uintptr_t address, uintptr_t reach) {
    if (!tree || tree->high < reach) {
        return NULL;
    }
    if (tree->key <= address) {
        struct node *found = tree_around(tree->child[1], address, reach);
        if (found || tree->end >= reach) {
            return found ? found : tree;
        }
    }
    return tree_around(tree->child[0], address, reach);
}
