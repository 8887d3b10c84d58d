/* common.c: the library's state, errors, memory, and a table. */

/* Calls that leave a record. The names are MPI's, without the prefix. */
#define OPERATIONS(X)                                                                                           \
    X(Send) X(Ssend) X(Bsend) X(Recv) X(Sendrecv) X(Sendrecv_replace) X(Isend) X(Irecv) X(Wait) X(Waitall)      \
    X(Waitany) X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome) X(Probe) X(Iprobe) X(Mprobe) X(Improbe) X(Mrecv) X(Imrecv) X(Barrier) X(Bcast)     \
    X(Reduce) X(Allreduce) X(Gather) X(Gatherv) X(Scatter) X(Scatterv) X(Allgather) X(Allgatherv) X(Alltoall)   \
    X(Alltoallv) X(Reduce_scatter) X(Reduce_scatter_block) X(Scan) X(Exscan) X(Neighbor_allgather)              \
    X(Neighbor_allgatherv) X(Neighbor_alltoall) X(Neighbor_alltoallv) X(Start) X(Startall) X(Ibarrier) X(Ibcast)   \
    X(Ireduce) X(Iallreduce) X(Ireduce_scatter) X(Ireduce_scatter_block) X(Iscan) X(Igather) X(Igatherv)        \
    X(Iscatter) X(Iscatterv) X(Iallgather) X(Iallgatherv) X(Ialltoall) X(Ialltoallv)
enum operation {
#define OPERATION_(name) OP_##name,
    OPERATIONS(OPERATION_)
};
static const char *const operation_names[] = {
#define NAME_(name) "MPI_" #name,
    OPERATIONS(NAME_)
};

/* Operations of reductions. */
enum reduction { NO_REDUCTION, SUM, PROD, MAX, MIN, MAXLOC, MINLOC, USER /* and further ones: see user.c */ };

static struct {
    bool ready;       /* between adtape_MPI_Init and adtape_MPI_Finalize */
    bool check;       /* check mode, of all ranks if of one */
    double timeout;   /* seconds that check mode waits for a partner */
    int rank;         /* in MPI_COMM_WORLD */
    int tag_bits;     /* bits of a tag that plain messages keep of the program's tag */
    int number_bits;  /* and of the message's number */
    int headed_tag;   /* the largest of the program's that plain messages could have */
    int comm_key;     /* attribute of communicators: their struct comm */
    int layout_key;   /* attribute of datatypes: the number of their layout, plus 1 */
    uint64_t requests; /* made so far */
    uint64_t under_way; /* of these, those not waited for; and messages that are matched and not received */
} mpi;

/* Short messages pass through these functions: calls would be a tenth of what they take. */
#define INLINED static inline __attribute__((always_inline))

/* ---- call sites ---- */

static const void *given_site; /* of a call in Fortran, that C does on its behalf */

static const void *call_site(const void *own) { return __builtin_expect(given_site != NULL, 0) ? given_site : own; }

API void adtape_mpi_abi0_site(const void *site) { given_site = site; }

/* ---- errors ---- */

/* Ends in the program's error handler. The message begins with the rank; the place comes behind it. */
static __attribute__((noreturn, cold, format(printf, 3, 4))) void fail(int32_t status, const void *site,
                                                                      const char *format, ...) {
    char text[1024];
    va_list arguments;
    const int begin = snprintf(text, sizeof text, "rank %d: ", mpi.rank);
    va_start(arguments, format);
    (void)vsnprintf(text + begin, sizeof text - (size_t)begin, format, arguments);
    va_end(arguments);
    adtape_abi0_fail(status, text, site);
    abort();
}

/* A call of MPI on behalf of the reverse sweep has to succeed. */
static void expect(int code, const void *site, const char *what) {
    if (__builtin_expect(code != MPI_SUCCESS, 0)) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int length = 0;
        (void)MPI_Error_string(code, text, &length);
        fail(ADTAPE_STATUS_IO, site, "MPI failed: %s\n  in %s", text, what);
    }
}

static void expect_ready(const void *site) {
    if (__builtin_expect(!mpi.ready, 0)) {
        fail(ADTAPE_STATUS_BAD_ARGUMENT, site,
             "a call of adtape_mpi before adtape_MPI_Init or after adtape_MPI_Finalize\n"
             "  call adtape_MPI_Init on all ranks; where MPI is initialised already, it does the rest");
    }
}

/* ---- memory ---- */

static void *allocate(size_t bytes, const void *site) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fail(ADTAPE_STATUS_OUT_OF_MEMORY, site, "no memory for %zu bytes of messages", bytes);
    }
    return memory;
}

static void *allocate_zeros(size_t bytes, const void *site) { return memset(allocate(bytes, site), 0, bytes); }

static void *reallocate(void *memory, size_t bytes, const void *site) {
    memory = realloc(memory, bytes);
    if (memory == NULL) {
        fail(ADTAPE_STATUS_OUT_OF_MEMORY, site, "no memory for a table of %zu bytes", bytes);
    }
    return memory;
}

/* ---- a table of words by words: open addressing, at most half full ---- */

struct slot {
    uint64_t key, value;
    bool used;
};
struct table {
    struct slot *slots;
    size_t capacity, used; /* capacity: 0 or a power of two */
};

static inline size_t table_home(const struct table *table, uint64_t key) {
    return (size_t)((key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (table->capacity - 1);
}

static inline struct slot *table_slot(const struct table *table, uint64_t key) {
    size_t i = table_home(table, key);
    while (table->slots[i].used && table->slots[i].key != key) {
        i = (i + 1) & (table->capacity - 1);
    }
    return &table->slots[i];
}

static inline uint64_t *table_find(const struct table *table, uint64_t key) {
    struct slot *slot = table->capacity > 0 ? table_slot(table, key) : NULL;
    return slot != NULL && slot->used ? &slot->value : NULL;
}

static __attribute__((cold, noinline)) void table_grow(struct table *table, const void *site) {
    const struct table old = *table;
    table->capacity = old.capacity > 0 ? 2 * old.capacity : 16;
    table->slots = allocate_zeros(table->capacity * sizeof *table->slots, site);
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].used) {
            *table_slot(table, old.slots[i].key) = old.slots[i];
        }
    }
    free(old.slots);
}

/* The value of a key, 0 if it is new. Valid until the next call that adds one. */
static inline uint64_t *table_at(struct table *table, uint64_t key, const void *site) {
    if (table->used * 2 >= table->capacity) {
        table_grow(table, site);
    }
    struct slot *slot = table_slot(table, key);
    if (!slot->used) {
        *slot = (struct slot){.key = key, .used = true};
        table->used++;
    }
    return &slot->value;
}

/* Takes an entry out; those behind it move up to where a search finds them. */
static void table_remove(struct table *table, uint64_t key) {
    const size_t mask = table->capacity - 1;
    size_t hole = (size_t)(table_slot(table, key) - table->slots);
    table->used--;
    for (size_t i = (hole + 1) & mask; table->slots[i].used; i = (i + 1) & mask) {
        const size_t home = table_home(table, table->slots[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole].used = false;
}

static void table_clear(struct table *table) {
    free(table->slots);
    *table = (struct table){0};
}
