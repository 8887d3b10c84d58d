/* layout.c: where the values of a datatype lie. A layout outlives its datatype, which a program may free before the
 * reverse sweep; datatypes of one layout share it.
 *
 *   datatype   vector(2 blocks of 2 doubles, stride 3):   d d . d d .
 *   layout     segments (0, 2 f64), (24, 2 f64); extent 40
 *   packed     d d d d */

enum kind { F32, F64 };
/* What a datatype is made of. */
enum class {
    NOTHING,  /* no values at all */
    FIELDS,   /* float and double only: its adjoint travels */
    INTEGERS, /* nothing that has a derivative */
    PAIRS,    /* a float or double and the integer that says where it was: MAXLOC and MINLOC take it, nothing else */
    BOTH,     /* refused: integers have no adjoint, and their place in the adjoint is no value */
    UNKNOWN,  /* refused: nobody knows what is in it, or adtape_mpi has no arithmetic for it */
};

/* Pairs of MAXLOC and MINLOC: predefined types of a value and its place. */
enum pair { NO_PAIR, WITH_INT, WITH_SAME };

struct segment {
    int64_t offset; /* from the address of the buffer, in bytes */
    int64_t count;  /* values */
    enum kind kind;
    bool absent;    /* of an adjoint that is not there: zeros are taken, and nothing is put (joined.c) */
};
struct layout {
    enum class class;
    enum kind kind;    /* of all values, unless mixed */
    bool mixed;        /* values of both kinds */
    bool dense;        /* packed is as it lies */
    bool named;        /* a predefined datatype, which predefined operations take */
    bool complex_;     /* a predefined complex number, which is two values */
    bool joins;        /* made of blocks at distances in bytes, which may lie in several variables */
    MPI_Datatype type; /* one of this layout, which the library has if it is not a predefined one */
    enum pair pair;    /* the type of the place, of a predefined pair */
    int64_t extent;    /* from one element to the next, in bytes */
    int64_t lower;     /* of the first byte and behind the last byte, in bytes from the address of the buffer */
    int64_t upper;
    int64_t values;    /* in an element */
    int64_t bytes;     /* of an element, packed */
    int64_t segment_count, capacity;
    struct segment *segments;
};
static struct {
    struct layout **at;
    int count;
} layouts;

static int64_t kind_bytes(enum kind kind) { return kind == F32 ? 4 : 8; }

/* ---- walking over a datatype ---- */

static void layout_add(struct layout *layout, int64_t offset, enum kind kind, int64_t count, const void *site) {
    struct segment *last = layout->segment_count > 0 ? &layout->segments[layout->segment_count - 1] : NULL;
    if (count == 0) {
        return;
    }
    if (last != NULL && last->kind == kind && last->offset + last->count * kind_bytes(kind) == offset) {
        last->count += count;
        return;
    }
    if (layout->segment_count == layout->capacity) {
        layout->capacity = layout->capacity > 0 ? 2 * layout->capacity : 4;
        layout->segments =
            reallocate(layout->segments, (size_t)layout->capacity * sizeof *layout->segments, site);
    }
    layout->segments[layout->segment_count++] = (struct segment){offset, count, kind, false};
}

static void layout_is(struct layout *layout, enum class class) {
    if (class == NOTHING || layout->class == UNKNOWN) {
        return;
    }
    if (layout->class == NOTHING || class == UNKNOWN) {
        layout->class = class;
    } else if (layout->class != class) {
        layout->class = BOTH;
    }
}

static enum pair pair_of(MPI_Datatype type) {
    return type == MPI_DOUBLE_INT || type == MPI_FLOAT_INT             ? WITH_INT
           : type == MPI_2DOUBLE_PRECISION || type == MPI_2REAL ? WITH_SAME
                                                                : NO_PAIR;
}

/* `floats` is 0 for integers, -1 for what is refused, else the number of floats that the type is made of. */
static int named_floats(MPI_Datatype type) {
    static const MPI_Datatype refused[] = {MPI_PACKED, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, MPI_LONG_DOUBLE_INT};
    if (type == MPI_DOUBLE || type == MPI_FLOAT || type == MPI_REAL || type == MPI_DOUBLE_PRECISION ||
        type == MPI_REAL4 || type == MPI_REAL8) {
        return 1;
    }
    if (type == MPI_C_FLOAT_COMPLEX || type == MPI_C_DOUBLE_COMPLEX || type == MPI_COMPLEX ||
        type == MPI_DOUBLE_COMPLEX || type == MPI_COMPLEX8 || type == MPI_COMPLEX16 || pair_of(type) == WITH_SAME) {
        return 2;
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (type == refused[i]) {
            return -1;
        }
    }
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    (void)MPI_Type_get_name(type, name, &length);
    /* Not every MPI has those of C++. */
    if (strcmp(name, "MPI_CXX_FLOAT_COMPLEX") == 0 || strcmp(name, "MPI_CXX_DOUBLE_COMPLEX") == 0) {
        return 2;
    }
    /* MPICH's half precision has no name. */
    const bool is_refused = *name == '\0' || strstr(name, "REAL") != NULL || strstr(name, "COMPLEX") != NULL ||
                            strstr(name, "DOUBLE") != NULL;
    return is_refused ? -1 : 0;
}

static void walk_floats(struct layout *layout, MPI_Datatype type, int floats, int64_t offset, const void *site) {
    int size = 0;
    (void)MPI_Type_size(type, &size);
    if (floats < 0 || (floats > 0 && size != 4 * floats && size != 8 * floats)) {
        layout_is(layout, UNKNOWN);
    } else if (floats == 0) {
        layout_is(layout, INTEGERS);
    } else {
        layout_is(layout, FIELDS);
        layout_add(layout, offset, size == 4 * floats ? F32 : F64, floats, site);
    }
}

static void walk(struct layout *layout, MPI_Datatype type, int64_t offset, const void *site);

static int64_t extent_of(MPI_Datatype type) {
    MPI_Aint lower = 0, extent = 0;
    (void)MPI_Type_get_extent(type, &lower, &extent);
    return (int64_t)extent;
}

/* `count` elements of a type, one behind the other. The type is walked over once. */
static void walk_block(struct layout *layout, MPI_Datatype type, int64_t count, int64_t offset, const void *site) {
    const int64_t extent = extent_of(type);
    struct layout element = {0};
    walk(&element, type, 0, site);
    layout_is(layout, count > 0 ? element.class : NOTHING);
    layout->joins |= element.joins;
    const struct segment *only = element.segment_count == 1 ? element.segments : NULL;
    if (only != NULL && only->count * kind_bytes(only->kind) == extent) {
        layout_add(layout, offset + only->offset, only->kind, count * only->count, site);
        count = 0;
    }
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < element.segment_count; k++) {
            const struct segment *segment = &element.segments[k];
            layout_add(layout, offset + i * extent + segment->offset, segment->kind, segment->count, site);
        }
    }
    free(element.segments);
}

/* integers: dimensions, sizes, subsizes, starts, order. */
static void walk_subarray(struct layout *layout, MPI_Datatype type, const int *integers, int64_t offset,
                          const void *site) {
    const int rank = integers[0], *sizes = integers + 1, *parts = sizes + rank, *starts = parts + rank;
    const bool fortran = starts[rank] == MPI_ORDER_FORTRAN;
    int64_t total = 1, extent = extent_of(type);
    for (int i = 0; i < rank; i++) {
        total *= parts[i];
    }
    for (int64_t n = 0; n < total; n++) {
        int64_t rest = n, place = 0, stride = 1;
        for (int k = 0; k < rank; k++) {
            const int i = fortran ? k : rank - 1 - k; /* the dimension that varies fastest comes first */
            place += (starts[i] + rest % parts[i]) * stride;
            rest /= parts[i];
            stride *= sizes[i];
        }
        walk(layout, type, offset + place * extent, site);
    }
}

/* Blocks of a type: their lengths and places. `lengths` with a step of 0: all have the first one. */
static void walk_blocks(struct layout *layout, MPI_Datatype type, int blocks, const int *lengths, int length_step,
                        const int *places, const MPI_Aint *bytes, int64_t offset, const void *site) {
    const int64_t extent = extent_of(type);
    for (int i = 0; i < blocks; i++) {
        const int64_t place = places != NULL ? places[i] * extent : (int64_t)bytes[i];
        walk_block(layout, type, lengths[i * length_step], offset + place, site);
    }
}

static void walk_combined(struct layout *layout, int combiner, const int *integers, const MPI_Aint *addresses,
                          const MPI_Datatype *types, int64_t offset, const void *site) {
    const int n = combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_RESIZED ? 0 : integers[0];
    layout->joins |= n > 1 && (combiner == MPI_COMBINER_HVECTOR || combiner == MPI_COMBINER_HINDEXED ||
                               combiner == MPI_COMBINER_HINDEXED_BLOCK || combiner == MPI_COMBINER_STRUCT);
    switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        walk(layout, types[0], offset, site);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        walk_block(layout, types[0], n, offset, site);
        break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        for (int i = 0; i < n; i++) {
            const int64_t stride = combiner == MPI_COMBINER_VECTOR ? integers[2] * extent_of(types[0])
                                                                   : (int64_t)addresses[0];
            walk_block(layout, types[0], integers[1], offset + i * stride, site);
        }
        break;
    case MPI_COMBINER_INDEXED:
        walk_blocks(layout, types[0], n, integers + 1, 1, integers + 1 + n, NULL, offset, site);
        break;
    case MPI_COMBINER_HINDEXED:
        walk_blocks(layout, types[0], n, integers + 1, 1, NULL, addresses, offset, site);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        walk_blocks(layout, types[0], n, integers + 1, 0, integers + 2, NULL, offset, site);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        walk_blocks(layout, types[0], n, integers + 1, 0, NULL, addresses, offset, site);
        break;
    case MPI_COMBINER_STRUCT:
        for (int i = 0; i < n; i++) {
            walk_block(layout, types[i], integers[1 + i], offset + (int64_t)addresses[i], site);
        }
        break;
    case MPI_COMBINER_SUBARRAY:
        walk_subarray(layout, types[0], integers, offset, site);
        break;
    default:
        layout_is(layout, UNKNOWN);
    }
}

static void walk(struct layout *layout, MPI_Datatype type, int64_t offset, const void *site) {
    int integer_count = 0, address_count = 0, type_count = 0, combiner = 0;
    (void)MPI_Type_get_envelope(type, &integer_count, &address_count, &type_count, &combiner);
    if (combiner == MPI_COMBINER_NAMED && pair_of(type) == WITH_INT) {
        layout_is(layout, PAIRS);
        layout_add(layout, offset, type == MPI_FLOAT_INT ? F32 : F64, 1, site);
        return;
    }
    if (combiner == MPI_COMBINER_NAMED) {
        walk_floats(layout, type, named_floats(type), offset, site);
        return;
    }
    if (combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
        combiner == MPI_COMBINER_F90_INTEGER) {
        const int floats = combiner == MPI_COMBINER_F90_REAL ? 1 : combiner == MPI_COMBINER_F90_COMPLEX ? 2 : 0;
        walk_floats(layout, type, floats, offset, site);
        return;
    }
    int *integers = allocate((size_t)integer_count * sizeof *integers, site);
    MPI_Aint *addresses = allocate((size_t)address_count * sizeof *addresses, site);
    MPI_Datatype *types = allocate((size_t)type_count * sizeof *types, site);
    (void)MPI_Type_get_contents(type, integer_count, address_count, type_count, integers, addresses, types);
    walk_combined(layout, combiner, integers, addresses, types, offset, site);
    for (int i = 0; i < type_count; i++) {
        int unused[3], inner = MPI_COMBINER_NAMED;
        (void)MPI_Type_get_envelope(types[i], &unused[0], &unused[1], &unused[2], &inner);
        if (inner != MPI_COMBINER_NAMED && inner != MPI_COMBINER_F90_REAL && inner != MPI_COMBINER_F90_COMPLEX &&
            inner != MPI_COMBINER_F90_INTEGER) {
            (void)MPI_Type_free(&types[i]);
        }
    }
    free(types);
    free(addresses);
    free(integers);
}
