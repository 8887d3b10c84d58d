/* blocks.c: buffers of a block for each rank, and their adjoints packed. The calls on them are in exchange.c. */

/* Where the blocks of a buffer are: for each rank the number of values, and the place of the first in bytes. */
struct blocks {
    int ranks;
    int64_t *values, *places;
    int64_t elements; /* of all blocks of a call of the forward sweep */
};

static struct blocks blocks_new(int ranks, const void *site) {
    const size_t bytes = (size_t)ranks * sizeof(int64_t);
    return (struct blocks){ranks, allocate_zeros(bytes, site), allocate_zeros(bytes, site), 0};
}

static void blocks_free(struct blocks *blocks) {
    free(blocks->values);
    free(blocks->places);
}

/* Elements of a datatype as blocks: `counts` and `displacements` for each rank; NULL: `count` each, one behind the
 * other. */
static struct blocks blocks_of(int ranks, int count, const int *counts, const int *displacements,
                               const struct layout *layout, const void *site) {
    struct blocks blocks = blocks_new(ranks, site);
    for (int i = 0; i < ranks; i++) {
        const int64_t elements = counts != NULL ? counts[i] : count;
        blocks.elements += elements;
        blocks.values[i] = elements * layout->values;
        blocks.places[i] = (displacements != NULL ? displacements[i] : (int64_t)i * count) * layout->extent;
    }
    return blocks;
}

/* The leg of a buffer of blocks. Its pointer, and so the places, begin at the first byte that is in a block. */
static struct leg draft_blocks(const void *buffer, MPI_Datatype type, struct blocks *blocks, const void *site) {
    const struct layout *layout = layout_of(type, site);
    int64_t first = INT64_MAX, end = INT64_MIN, values = 0;
    for (int i = 0; i < blocks->ranks && layout->values > 0; i++) {
        const int64_t bytes = blocks->values[i] / layout->values * layout->extent;
        if (bytes > 0) {
            first = blocks->places[i] < first ? blocks->places[i] : first;
            end = blocks->places[i] + bytes > end ? blocks->places[i] + bytes : end;
            values += blocks->values[i];
        }
    }
    if (values == 0) {
        return draft_buffer(buffer, layout->values == 0 && blocks->elements > 0 ? 1 : 0, type, site);
    }
    for (int i = 0; i < blocks->ranks; i++) {
        blocks->places[i] -= first;
    }
    struct leg draft = draft_buffer((const char *)buffer + first, (end - first) / layout->extent, type, site);
    draft.values = values;
    draft.number = (uint64_t)first; /* for who knows the adjoint's address */
    return draft;
}

static void push_blocks(const struct blocks *blocks, const void *site) {
    const size_t bytes = (size_t)blocks->ranks * sizeof(int64_t);
    push_bytes(blocks->places, bytes, site);
    push_bytes(blocks->values, bytes, site);
}

static struct blocks pop_blocks(int ranks, const void *site) {
    struct blocks blocks = blocks_new(ranks, site);
    const size_t bytes = (size_t)ranks * sizeof(int64_t);
    pop_bytes(blocks.values, bytes, site);
    pop_bytes(blocks.places, bytes, site);
    return blocks;
}

/* ---- exchanging adjoints ---- */

/* Packed blocks. MPI counts them in ints, so they are counted in values, or in floats if they are of both kinds. */
struct packed {
    char *data;
    int *counts, *places;
    int all; /* of all blocks */
    MPI_Datatype unit;
    int64_t unit_bytes;
};

static struct packed packed_new(const struct blocks *blocks, const struct layout *layout, const void *site) {
    struct packed packed = {.unit = layout->mixed ? MPI_FLOAT : unit_of(layout),
                            .unit_bytes = layout->mixed ? kind_bytes(F32) : kind_bytes(layout->kind)};
    int64_t all = 0;
    packed.places = allocate((size_t)blocks->ranks * sizeof(int), site);
    packed.counts = allocate((size_t)blocks->ranks * sizeof(int), site);
    for (int i = 0; i < blocks->ranks; i++) {
        packed.places[i] = int_count(all, site);
        packed.counts[i] = int_count(packed_bytes(layout, blocks->values[i]) / packed.unit_bytes, site);
        all += packed.counts[i];
    }
    packed.all = int_count(all, site);
    const size_t bytes = (size_t)(all * packed.unit_bytes);
    packed.data = memset(room_allocate(bytes, site), 0, bytes);
    return packed;
}

/* All blocks get the room of the largest one. */
static void pack_evenly(struct packed *packed, int ranks, const void *site) {
    int64_t each = 0;
    for (int i = 0; i < ranks; i++) {
        each = packed->counts[i] > each ? packed->counts[i] : each;
    }
    packed->all = int_count(each * ranks, site);
    for (int i = 0; i < ranks; i++) {
        packed->counts[i] = (int)each;
        packed->places[i] = (int)each * i;
    }
    const size_t bytes = (size_t)(packed->all * packed->unit_bytes);
    room_free(packed->data);
    packed->data = memset(room_allocate(bytes, site), 0, bytes);
}

static void packed_free(struct packed *packed) {
    room_free(packed->data);
    free(packed->counts);
    free(packed->places);
}

/* Takes or adds the adjoints of all blocks. */
static void pack_blocks(enum packing what, void *adjoint, struct packed *packed, const struct blocks *blocks,
                        const struct layout *layout) {
    for (int i = 0; adjoint != NULL && i < blocks->ranks; i++) {
        pack(what, (char *)adjoint + blocks->places[i], packed->data + packed->places[i] * packed->unit_bytes, layout,
             blocks->values[i]);
    }
}
