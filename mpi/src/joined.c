/* joined.c: buffers of several objects, which a datatype joins: by absolute addresses from MPI_BOTTOM, or by distances
 * from the first one.
 *
 *   datatype   struct(2 doubles at &a, 3 doubles at &b)      segments (&a, 2 f64), (&b, 3 f64)
 *   join       pieces (object a, offset 0), (object b, offset 0)
 *   reverse    the layout of its adjoint: (0, 2 f64), (&bb - &ab, 3 f64), from &ab on
 *
 * A piece lies in one object, in all elements of the buffer. Like layouts, joins of the same pieces are one, and
 * outlive their datatype. Variables that lie one behind the other make one segment, which is cut where an object ends. */

struct piece {
    int64_t object; /* its serial */
    int64_t offset; /* where the piece begins, from the object's address */
};
struct join {
    int layout;  /* of the datatype */
    int adjoint; /* layout of its adjoint, a segment for each piece; offsets are those of the last time */
    struct piece *pieces;
};
static struct {
    struct join *at;
    int count;
} joins;
static struct table joins_by_content; /* hash to number + 1; hashes that are taken count up */

/* How many of `count` values from an address on an object has, also in the last element, which begins `last` bytes
 * behind the first one. */
static int64_t values_inside(const adtape_abi0_buffer_t *object, int64_t at, int64_t count, enum kind kind,
                             int64_t last) {
    const int64_t lowest = last < 0 ? at + last : at, highest = last > 0 ? at + last : at;
    const int64_t there = (object->base + object->bytes - highest) / kind_bytes(kind);
    return lowest < object->base || there < 0 ? 0 : there < count ? there : count;
}

/* Cuts a segment into pieces, which go behind those that are there. Returns how many values at its end are in no object
 * or not in one: `object` is then the last one that was found, `*found` whether there is one at that place. */
static int64_t join_segment(struct layout *adjoint, struct piece **pieces, const struct segment *segment,
                            int64_t buffer, int64_t last, adtape_abi0_buffer_t *object, bool *found,
                            const void *site) {
    int64_t at = buffer + segment->offset, left = segment->count;
    while (left > 0) {
        *found = adtape_abi0_buffer_find((uint64_t)at, object);
        const int64_t count = *found ? values_inside(object, at, left, segment->kind, last) : 0;
        if (count == 0) {
            return left;
        }
        const size_t n = (size_t)adjoint->segment_count++;
        adjoint->segments = reallocate(adjoint->segments, (n + 1) * sizeof *adjoint->segments, site);
        *pieces = reallocate(*pieces, (n + 1) * sizeof **pieces, site);
        adjoint->segments[n] = (struct segment){.count = count, .kind = segment->kind};
        (*pieces)[n] = (struct piece){object->serial, at - object->base};
        at += count * kind_bytes(segment->kind);
        left -= count;
    }
    return 0;
}

/* What is in no object, or not in one: a segment's end of so many values. */
struct outside {
    int64_t bytes, offset;
    adtape_abi0_buffer_t object;
    bool found;
};

static bool join_equal(const struct join *join, int layout, const struct layout *adjoint, const struct piece *pieces) {
    const struct layout *own = layouts.at[join->adjoint];
    return join->layout == layout && own->segment_count == adjoint->segment_count &&
           memcmp(join->pieces, pieces, (size_t)adjoint->segment_count * sizeof *pieces) == 0;
}

/* The number of a join, which may be one that is there already. */
static int join_enter(int layout, struct layout *adjoint, struct piece *pieces, const void *site) {
    uint64_t hash = (uint64_t)layout + 1;
    for (int64_t i = 0; i < adjoint->segment_count; i++) {
        hash = (hash ^ (uint64_t)pieces[i].object) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ (uint64_t)pieces[i].offset) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 29;
    }
    uint64_t *number = table_at(&joins_by_content, hash, site);
    while (*number != 0) {
        if (join_equal(&joins.at[*number - 1], layout, adjoint, pieces)) {
            layout_free(adjoint);
            free(pieces);
            return (int)*number - 1;
        }
        number = table_at(&joins_by_content, ++hash, site);
    }
    joins.at = reallocate(joins.at, (size_t)(joins.count + 1) * sizeof *joins.at, site);
    joins.at[joins.count] = (struct join){layout, layout_append(adjoint, site), pieces};
    *number = (uint64_t)++joins.count;
    return joins.count - 1;
}

/* The join of a buffer of so many elements of a layout; -1: a piece is in no object. */
static int join_of(int number, const void *buffer, int64_t elements, struct outside *outside, const void *site) {
    const struct layout *layout = layouts.at[number];
    struct layout *adjoint = memcpy(allocate(sizeof *adjoint, site), layout, sizeof *adjoint);
    struct piece *pieces = NULL;
    adjoint->dense = adjoint->named = adjoint->complex_ = false;
    adjoint->type = MPI_DATATYPE_NULL;
    adjoint->segments = NULL;
    adjoint->segment_count = adjoint->capacity = 0;
    for (int64_t i = 0; i < layout->segment_count; i++) {
        const struct segment *segment = &layout->segments[i];
        const int64_t left = join_segment(adjoint, &pieces, segment, (int64_t)(uintptr_t)buffer,
                                          (elements - 1) * layout->extent, &outside->object, &outside->found, site);
        if (left > 0) {
            outside->bytes = left * kind_bytes(segment->kind);
            outside->offset = segment->offset + segment->count * kind_bytes(segment->kind) - outside->bytes;
            layout_free(adjoint);
            free(pieces);
            return -1;
        }
    }
    return join_enter(number, adjoint, pieces, site);
}

/* Whether a piece of the first element begins in an object. */
static bool is_partly_inside(const struct layout *layout, const void *buffer) {
    adtape_abi0_buffer_t object;
    for (int64_t i = 0; i < layout->segment_count; i++) {
        if (adtape_abi0_buffer_find((uint64_t)(uintptr_t)buffer + (uint64_t)layout->segments[i].offset, &object)) {
            return true;
        }
    }
    return false;
}

static void joins_end(void) {
    for (int i = 0; i < joins.count; i++) {
        free(joins.at[i].pieces);
    }
    free(joins.at);
    memset(&joins, 0, sizeof joins);
    table_clear(&joins_by_content);
}
