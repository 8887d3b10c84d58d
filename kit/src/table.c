/* table.c: a hash table of block addresses, whose slots lie in what they stand for. Addresses may repeat: the last
 * inserted is found first. */

struct slot {
    uintptr_t key, end; /* of the block; a key of 0: in no table */
    struct slot *next;
    void *owner;
};

struct table {
    struct slot **bucket;
    size_t count, buckets; /* a power of two, not less than the count */
};

static struct slot **table_bucket(const struct table *table, uintptr_t key) {
    uint64_t mixed = (uint64_t)key * 0x9E3779B97F4A7C15u;
    return &table->bucket[(mixed ^ mixed >> 32) & (table->buckets - 1)];
}

/* Room for one more; 0 if there is no memory. */
static int table_grow(struct table *table) {
    if (table->count < table->buckets) {
        return 1;
    }
    struct table larger = {.count = table->count, .buckets = table->buckets ? 2 * table->buckets : 256};
    larger.bucket = calloc(larger.buckets, sizeof *larger.bucket);
    if (!larger.bucket) {
        return 0;
    }
    for (size_t i = 0; i < table->buckets; i++) {
        struct slot *reversed = NULL; /* equal keys keep their order */
        for (struct slot *s = table->bucket[i], *next; s; s = next) {
            next = s->next;
            s->next = reversed;
            reversed = s;
        }
        for (struct slot *s = reversed, *next; s; s = next) {
            struct slot **head = table_bucket(&larger, s->key);
            next = s->next;
            s->next = *head;
            *head = s;
        }
    }
    free(table->bucket);
    *table = larger;
    return 1;
}

/* After table_grow. */
static void table_insert(struct table *table, struct slot *s, void *owner, uintptr_t base, uint64_t bytes) {
    struct slot **head = table_bucket(table, base);
    *s = (struct slot){base, bytes < UINTPTR_MAX - base ? base + bytes : UINTPTR_MAX, *head, owner};
    *head = s;
    table->count++;
}

static void table_remove(struct table *table, struct slot *s) {
    if (s->key) {
        struct slot **link = table_bucket(table, s->key);
        while (*link != s) {
            link = &(*link)->next;
        }
        *link = s->next;
        s->key = 0;
        table->count--;
    }
}

static struct slot *table_at(const struct table *table, uintptr_t key) {
    struct slot *s = key && table->buckets ? *table_bucket(table, key) : NULL;
    while (s && s->key != key) {
        s = s->next;
    }
    return s;
}
