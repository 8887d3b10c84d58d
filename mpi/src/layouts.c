/* layouts.c: the layouts that there are, found by datatype; packing and adding up. */

static struct table layouts_by_content; /* hash to number + 1; hashes that are taken count up */

static struct layout *layout_of_type(MPI_Datatype type, const void *site) {
    int unused[3], combiner = 0;
    struct layout *layout = allocate_zeros(sizeof *layout, site);
    walk(layout, type, 0, site);
    (void)MPI_Type_get_envelope(type, &unused[0], &unused[1], &unused[2], &combiner);
    layout->named = combiner == MPI_COMBINER_NAMED;
    layout->type = layout->named ? type : MPI_DATATYPE_NULL;
    layout->extent = extent_of(type);
    layout->kind = layout->segment_count > 0 ? layout->segments[0].kind : F64;
    for (int64_t i = 0; i < layout->segment_count; i++) {
        const struct segment *segment = &layout->segments[i];
        const int64_t bytes = segment->count * kind_bytes(segment->kind);
        layout->mixed |= segment->kind != layout->kind;
        layout->values += segment->count;
        layout->bytes += bytes;
        layout->lower = i == 0 || segment->offset < layout->lower ? segment->offset : layout->lower;
        layout->upper = i == 0 || segment->offset + bytes > layout->upper ? segment->offset + bytes : layout->upper;
    }
    layout->pair = layout->named ? pair_of(type) : NO_PAIR;
    layout->complex_ = layout->named && layout->values == 2 && layout->pair == NO_PAIR;
    layout->dense = layout->segment_count == 1 && layout->lower == 0 && layout->bytes == layout->extent;
    return layout;
}

static uint64_t layout_hash(const struct layout *layout) {
    uint64_t hash = (uint64_t)layout->extent * 31 + (uint64_t)layout->class * 7 + (uint64_t)layout->named +
                    (uint64_t)layout->pair * 3 + (uint64_t)layout->joins * 5;
    for (int64_t i = 0; i < layout->segment_count; i++) {
        const struct segment *segment = &layout->segments[i];
        hash = (hash ^ (uint64_t)segment->offset) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ (uint64_t)(segment->count * 2 + segment->kind)) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool layout_equal(const struct layout *a, const struct layout *b) {
    if (a->class != b->class || a->named != b->named || a->joins != b->joins || a->pair != b->pair ||
        a->extent != b->extent || a->segment_count != b->segment_count) {
        return false;
    }
    for (int64_t i = 0; i < a->segment_count; i++) {
        const struct segment *x = &a->segments[i], *y = &b->segments[i];
        if (x->offset != y->offset || x->count != y->count || x->kind != y->kind) {
            return false;
        }
    }
    return true;
}

static void layout_free(struct layout *layout) {
    free(layout->segments);
    free(layout);
}

static int layout_append(struct layout *layout, const void *site) {
    layouts.at = reallocate(layouts.at, (size_t)(layouts.count + 1) * sizeof *layouts.at, site);
    layouts.at[layouts.count] = layout;
    return layouts.count++;
}

/* The number of a layout, which may be one that is there already. */
static int layout_enter(struct layout *layout, const void *site) {
    uint64_t hash = layout_hash(layout), *number = table_at(&layouts_by_content, hash, site);
    while (*number != 0) {
        if (layout_equal(layouts.at[*number - 1], layout)) {
            layout_free(layout);
            return (int)*number - 1;
        }
        number = table_at(&layouts_by_content, ++hash, site);
    }
    *number = (uint64_t)layout_append(layout, site) + 1;
    return (int)*number - 1;
}

/* The layout of a datatype, by its number. */
static int layout_number(MPI_Datatype type, const void *site) {
    void *known = NULL;
    int found = 0;
    if (type == MPI_DOUBLE) {
        return 0;
    }
    if (MPI_Type_get_attr(type, mpi.layout_key, &known, &found) != MPI_SUCCESS) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site, "a datatype that MPI does not know");
    }
    if (found) {
        return (int)(intptr_t)known - 1;
    }
    const int number = layout_enter(layout_of_type(type, site), site);
    if (layouts.at[number]->type == MPI_DATATYPE_NULL) {
        expect(MPI_Type_dup(type, &layouts.at[number]->type), site, "MPI_Type_dup");
    }
    (void)MPI_Type_set_attr(type, mpi.layout_key, (void *)(intptr_t)(number + 1));
    return number;
}

/* The layout of a datatype. Entering it may move the list of all. */
static const struct layout *layout_of(MPI_Datatype type, const void *site) {
    const int number = layout_number(type, site);
    return layouts.at[number];
}

static void layouts_begin(void) {
    (void)MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &mpi.layout_key, NULL);
    (void)layout_enter(layout_of_type(MPI_DOUBLE, NULL), NULL);
    vectors_begin();
}

static void layouts_end(void) {
    for (int i = 0; i < layouts.count; i++) {
        if (!layouts.at[i]->named && layouts.at[i]->type != MPI_DATATYPE_NULL) {
            (void)MPI_Type_free(&layouts.at[i]->type);
        }
        layout_free(layouts.at[i]);
    }
    free(layouts.at);
    layouts.at = NULL;
    layouts.count = 0;
    table_clear(&layouts_by_content);
    (void)MPI_Type_free_keyval(&mpi.layout_key);
}

/* ---- packing ---- */

static __attribute__((noinline)) int64_t mixed_bytes(const struct layout *layout, int64_t values) {
    int64_t bytes = values / layout->values * layout->bytes, rest = values % layout->values;
    for (int64_t i = 0; rest > 0; i++) {
        const struct segment *segment = &layout->segments[i];
        const int64_t count = segment->count < rest ? segment->count : rest;
        bytes += count * kind_bytes(segment->kind);
        rest -= count;
    }
    return bytes;
}

/* Bytes of `values` values, packed. */
static inline int64_t packed_bytes(const struct layout *layout, int64_t values) {
    return layout->mixed ? mixed_bytes(layout, values) : values * kind_bytes(layout->kind);
}

/* Values in that many bytes. */
static int64_t packed_values(const struct layout *layout, int64_t bytes) {
    if (!layout->mixed) {
        return bytes / kind_bytes(layout->kind);
    }
    int64_t values = bytes / layout->bytes * layout->values, rest = bytes % layout->bytes;
    for (int64_t i = 0; rest > 0; i++) {
        const struct segment *segment = &layout->segments[i];
        const int64_t all = segment->count * kind_bytes(segment->kind), part = all < rest ? all : rest;
        values += part / kind_bytes(segment->kind);
        rest -= part;
    }
    return values;
}

enum packing {
    TAKE, /* values go to the packed ones, and are zero then */
    COPY, /* values go to the packed ones */
    ADD,  /* packed ones are added to the values */
    PUT,  /* packed ones replace the values */
};

static void pack_run(enum packing what, char *at, char *packed, int64_t count, enum kind kind) {
    const size_t bytes = (size_t)(count * kind_bytes(kind));
    if (what == ADD) {
        add_floats(at, packed, count, kind);
        return;
    }
    if (what == PUT) {
        memcpy(at, packed, bytes);
        return;
    }
    /* A part is still in the nearest cache when it is set to zero. */
    enum { PART = 8 << 10 };
    for (size_t i = 0; i < bytes; i += PART) {
        const size_t part = bytes - i < PART ? bytes - i : PART;
        memcpy(packed + i, at + i, part);
        if (what == TAKE) {
            memset(at + i, 0, part);
        }
    }
}

static __attribute__((noinline)) void pack_any(enum packing what, void *buffer, void *packed,
                                               const struct layout *layout, int64_t values) {
    /* A number: with absolute addresses in the layout it may be none of an object. */
    uintptr_t element = (uintptr_t)buffer;
    char *run = packed;
    if (layout->dense) {
        pack_run(what, buffer, run, values, layout->kind);
        return;
    }
    for (; values > 0; element += (uintptr_t)layout->extent) {
        for (int64_t i = 0; i < layout->segment_count && values > 0; i++) {
            const struct segment *segment = &layout->segments[i];
            const int64_t count = segment->count < values ? segment->count : values;
            if (__builtin_expect(segment->absent, 0)) {
                memset(run, 0, what == TAKE || what == COPY ? (size_t)(count * kind_bytes(segment->kind)) : 0);
            } else {
                pack_run(what, (char *)(element + (uintptr_t)segment->offset), run, count, segment->kind);
            }
            run += count * kind_bytes(segment->kind);
            values -= count;
        }
    }
}

enum { FEW_DOUBLES = 4 };

/* Moves the first `values` values of a buffer. A few doubles go without a call. */
INLINED void pack(enum packing what, void *buffer, void *packed, const struct layout *layout, int64_t values) {
    const bool adds = what == ADD, comes = adds || what == PUT;
    char *at = buffer, *run = packed;
    if (!layout->dense || layout->kind != F64 || values > FEW_DOUBLES) {
        pack_any(what, buffer, packed, layout, values);
        return;
    }
    for (; values > 0; values--, at += sizeof(double), run += sizeof(double)) {
        double x, sum;
        memcpy(&x, comes ? run : at, sizeof x);
        if (adds) {
            memcpy(&sum, at, sizeof sum);
            x += sum;
        }
        memcpy(comes ? at : run, &x, sizeof x);
        if (what == TAKE) {
            memset(at, 0, sizeof x);
        }
    }
}

/* Sets the first `values` values of a buffer that is dense to zero. */
static inline void clear_dense(void *buffer, const struct layout *layout, int64_t values) {
    if (layout->kind != F64 || values > FEW_DOUBLES) {
        memset(buffer, 0, (size_t)packed_bytes(layout, values));
        return;
    }
    for (char *at = buffer; values > 0; values--, at += sizeof(double)) {
        memset(at, 0, sizeof(double));
    }
}
