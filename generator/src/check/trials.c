/* ---- trials ----------------------------------------------------------------------------------------------------- */

enum { OWN, LEARN, ADJOINT, TANGENT, HERE, FIRST, ZERO = FIRST + 4, LAST = ZERO + 3, WATCH = 16 };
static struct answer {
    double sum, scale;
    int is_done;
    /* Of TANGENT: whether a rule has none. */
    int is_without;
    /* Whether some result has other bits than where nothing moves. */
    int has_changed;
    size_t words;
    size_t results;
    /* Of ADJOINT: words and arguments by value that move, and those of them whose adjoint is 0. */
    size_t inputs, zeros;
} *answers;
/* By word; then the result; then arguments by value. All processes share it. */
static struct part {
    double here; /* of a result: what it is where nothing moves */
    int is_zero; /* of an input: its adjoint is 0 */
} *parts;
static size_t count_of_parts;
static FILE *learned;
static int trial;
static struct answer own;
static const @_head *current;
static int is_foreign;

static double pseudo_random(uint64_t seed) {
    seed = (seed + 1) * 0x9E3779B97F4A7C15u;
    seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9u;
    seed = (seed ^ seed >> 27) * 0x94D049BB133111EBu;
    const double real = (double)((seed ^ seed >> 31) >> 12) / 4503599627370496.0;
    return seed & 1 ? 0.5 + 0.5 * real : -0.5 - 0.5 * real;
}

/* By how much the inputs move along their directions. */
static double step(int which) {
    if (which < FIRST || which == WATCH) {
        return 0;
    }
    const double large = current->has_single ? 1e-2 : 1e-5, small = current->has_single ? 5e-3 : 1e-6;
    const int at = (which - FIRST) % 4;
    return (at % 2 == 0 ? 1 : -1) * (at < 2 ? large : small);
}

/* Where an argument by value is among the parts. */
static size_t part_of(int argument) { return count_of_words + 1 + (size_t)argument; }

/* Whether an input moves in this trial. */
static int moves(size_t part) { return trial < ZERO || parts[part].is_zero; }

double @_direction(int argument, double value) {
    return pseudo_random(1000003u * (uint64_t)argument) * (value == 0 ? 1.0 : fabs(value));
}

double @_shift(int argument, double value) {
    return trial >= FIRST && moves(part_of(argument)) ? step(trial) * @_direction(argument, value) : 0;
}

double @_weight(void) { return 0.75; }

static double direction(const word *w) {
    const @_block *b = &current->blocks[w->block];
    const uint64_t offset = (uint64_t)(w->place - (const char *)b->primal);
    const double size = w->old_value == 0 ? 1.0 : fabs(w->old_value);
    return b->is_input ? pseudo_random(31u * offset + 7919u * (uint64_t)w->block) * size : 0;
}

static double weight(const word *w) {
    const @_block *b = &current->blocks[w->block];
    const uint64_t offset = (uint64_t)(w->place - (const char *)b->primal);
    return b->is_output ? pseudo_random(17u * offset + 104729u * (uint64_t)w->block + 5) : 0;
}

static void add(double term) {
    own.sum += term;
    own.scale += fabs(term);
}

/* An input and its adjoint. */
static void add_input(size_t part, double along, double adjoint) {
    own.inputs++;
    own.zeros += adjoint == 0;
    parts[part].is_zero = adjoint == 0;
    add(along * adjoint);
}

/* A result of the function: what counts is by how much it has changed, so that one that is large hides no other. */
static void add_result(size_t part, double weight, double result) {
    own.results++;
    if (trial == HERE) {
        parts[part].here = result;
    }
    const double here = parts[part].here;
    own.has_changed |= memcmp(&result, &here, sizeof result) != 0;
    own.sum += weight * (result - here);
    own.scale += fabs(weight * result);
}

void @_adjoint(int argument, double value, double adjoint) {
    if (trial == ADJOINT) {
        add_input(part_of(argument), @_direction(argument, value), adjoint);
    }
}

void @_tangent(double tangent) { add(@_weight() * tangent); }
void @_result(double result) { add_result(count_of_words, @_weight(), result); }

/* What a child changes before its run. */
static void prepare(void) {
    for (size_t k = 0; k < count_of_words; k++) {
        const word *w = &words[k];
        if (w->block < 0) {
            continue;
        }
        if (trial == ADJOINT) {
            set(w->shadow, w->bits, weight(w));
        } else if (trial == TANGENT) {
            set(tangent_of(current, w), w->bits, direction(w));
        } else if (trial >= FIRST && trial <= LAST && moves(k)) {
            set(w->place, w->bits, w->old_value + step(trial) * direction(w));
        }
    }
}

/* Whether a word is in a block that the program made on the stable heap: there the adjoint is one addition away. */
static int is_on_heap(const word *w) {
    return adtape_heap_adjoint(adtape_heap_self(), w->place) == (void *)w->shadow;
}

/* Whether a word is in a constant: it has no block but that of its adjoint. */
static int is_in_constant(const word *w) {
    for (size_t k = 0; k < current->count; k++) {
        const @_block *b = &current->blocks[k];
        const char *first = b->adjoint;
        if (b->primal == NULL && b->bytes != 0 && w->shadow >= first && w->shadow < first + b->bytes) {
            return 1;
        }
    }
    return 0;
}

/* The end of a child. */
void @_answer(void) {
    for (size_t k = 0; trial != LEARN && trial != WATCH && k < count_of_words; k++) {
        const word *w = &words[k];
        const @_block *b = w->block < 0 ? NULL : &current->blocks[w->block];
        if (b != NULL && trial == ADJOINT && b->is_input) {
            add_input(k, direction(w), get(w->shadow, w->bits));
        } else if (b != NULL && trial == TANGENT && b->is_output) {
            add(weight(w) * get(tangent_of(current, w), w->bits));
        } else if (b != NULL && trial >= HERE && b->is_output) {
            add_result(k, weight(w), get(w->place, w->bits));
        }
    }
    if (trial == LEARN) {
        size_t kept = 0;
        sort_blocks();
        for (size_t k = 0; k < count_of_words; k++) {
            const int is_pointer = words[k].bits == 0;
            /* The derivative of a solver has adjoints of its own for what is the caller's. */
            const int is_own = is_local(words[k].place) || is_local(words[k].shadow);
            if (!is_own && (is_pointer || (!is_on_heap(&words[k]) && !is_in_constant(&words[k])))) {
                words[kept++] = words[k];
            }
        }
        own.words = kept;
        /* Without words there is no memory to write from. */
        if (kept != 0) {
            fwrite(words, sizeof *words, kept, learned);
            fflush(learned);
        }
    }
    own.is_done = 1;
    answers[trial] = own;
    _exit(0);
}

/* Reads what the first child learned; whether all of it is there. */
static int read_learned(void) {
    const size_t all = answers[LEARN].words;
    words = room(words, (all + 1) * sizeof *words);
    rewind(learned);
    count_of_words = fread(words, sizeof *words, all, learned);
    const int is_whole = count_of_words == all;
    sort_pointers();
    return is_whole;
}

static void classify(const @_head *head) {
    is_foreign = 0;
    for (size_t k = 0; k < count_of_words; k++) {
        words[k].block = block_of(head, &words[k]);
        words[k].old_value = get(words[k].place, words[k].bits);
        is_foreign |= words[k].block < 0;
    }
}

static void overlap(const @_head *head, size_t j, size_t k, const char *whose) {
    if (may_say()) {
        fprintf(stderr, "check: %s: %s of its arguments '%s' and '%s' overlap: pass different memory\n", head->head,
                whose, head->blocks[j].name, head->blocks[k].name);
    }
}

/* Arguments that the head takes as different memory. */
static void compare_arguments(const @_head *head) {
    for (size_t j = 0; j < head->count; j++) {
        const @_block *one = &head->blocks[j];
        size_t extent = 0;
        for (size_t k = 0; k < count_of_words; k++) {
            const size_t end = (size_t)(words[k].place - (const char *)one->primal) + (size_t)words[k].bits / 8;
            extent = words[k].block == (int)j && end > extent ? end : extent;
        }
        if (!one->is_argument || one->primal == NULL) {
            continue;
        }
        for (size_t k = 0; k < head->count; k++) {
            const @_block *other = &head->blocks[k];
            const ptrdiff_t apart = (const char *)other->primal - (const char *)one->primal;
            if (k == j || !other->is_argument || other->primal == NULL) {
                continue;
            }
            const int are_equal = apart == 0 && k > j;
            if ((one->is_written || other->is_written) && (are_equal || (apart > 0 && (size_t)apart < extent))) {
                overlap(head, j, k, "some");
            } else if (one->adjoint != NULL && other->adjoint != NULL) {
                const ptrdiff_t between = (char *)other->adjoint - (char *)one->adjoint;
                if ((between > 0 && (size_t)between < extent && apart != between) ||
                    (between == 0 && k > j && apart != 0 && extent != 0)) {
                    overlap(head, j, k, "the adjoints");
                }
            }
        }
    }
}

