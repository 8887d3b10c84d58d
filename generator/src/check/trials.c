/* ---- trials ----------------------------------------------------------------------------------------------------- */

enum { OWN, LEARN, ADJOINT, TANGENT, FIRST, HERE = FIRST + 4, LAST = HERE };
static struct answer {
    double sum, scale;
    int is_done;
    size_t words;
} *answers;
static FILE *learned;
static int trial;
static double sum, scale;
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
static double step(void) {
    if (trial < FIRST || trial == HERE) {
        return 0;
    }
    const double large = current->has_single ? 1e-2 : 1e-5, small = current->has_single ? 5e-3 : 1e-6;
    const double size = trial < FIRST + 2 ? large : small;
    return (trial - FIRST) % 2 == 0 ? size : -size;
}

double @_direction(int argument, double value) {
    return pseudo_random(1000003u * (uint64_t)argument) * (value == 0 ? 1.0 : fabs(value));
}

double @_shift(int argument, double value) { return step() * @_direction(argument, value); }
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

void @_term(double term) {
    sum += term;
    scale += fabs(term);
}

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
        } else if (trial >= FIRST) {
            set(w->place, w->bits, w->old_value + step() * direction(w));
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
    for (size_t k = 0; trial != LEARN && k < count_of_words; k++) {
        const word *w = &words[k];
        if (w->block < 0) {
            continue;
        }
        if (trial == ADJOINT) {
            @_term(direction(w) * get(w->shadow, w->bits));
        } else if (trial == TANGENT) {
            @_term(weight(w) * get(tangent_of(current, w), w->bits));
        } else {
            @_term(weight(w) * get(w->place, w->bits));
        }
    }
    if (trial == LEARN) {
        size_t kept = 0;
        sort_blocks();
        for (size_t k = 0; k < count_of_words; k++) {
            if (!is_local(words[k].place) && !is_on_heap(&words[k]) && !is_in_constant(&words[k])) {
                words[kept++] = words[k];
            }
        }
        answers[LEARN].words = kept;
        /* Without words there is no memory to write from. */
        if (kept != 0) {
            fwrite(words, sizeof *words, kept, learned);
            fflush(learned);
        }
    }
    answers[trial].sum = sum;
    answers[trial].scale = scale;
    answers[trial].is_done = 1;
    _exit(0);
}

/* Reads what the first child learned. */
static void classify(const @_head *head) {
    count_of_words = answers[LEARN].words;
    words = room(words, (count_of_words + 1) * sizeof *words);
    rewind(learned);
    count_of_words = fread(words, sizeof *words, count_of_words, learned);
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

/* Whether the function has a kink here, as maximum has where its operands are equal: the slopes of both sides stay apart
   when the step shrinks. */
static int has_kink(const struct answer *d, const double *steps, double least, double *slopes) {
    double apart[2];
    for (int k = 0; k < 2; k++) {
        slopes[0] = (d[HERE - FIRST].sum - d[2 * k + 1].sum) / steps[k];
        slopes[1] = (d[2 * k].sum - d[HERE - FIRST].sum) / steps[k];
        apart[k] = fabs(slopes[1] - slopes[0]);
    }
    return d[HERE - FIRST].is_done && apart[1] > least && apart[1] > 0.8 * apart[0];
}

static void say_products(const @_head *head) {
    const struct answer a = answers[ADJOINT], t = answers[TANGENT], *d = &answers[FIRST];
    const double bound = head->has_single ? 1e-4 : 1e-12;
    if (!a.is_done || !t.is_done) {
        return;
    }
    if (is_foreign) {
        fprintf(stderr, "check: %s: not compared with its tangent: it reaches memory of no argument\n", head->head);
        return;
    }
    if (a.scale == 0 && t.scale == 0) {
        fprintf(stderr, "check: %s: not compared with its tangent: no derivative but 0 was met\n", head->head);
        return;
    }
    if (!isfinite(a.sum) || !isfinite(t.sum)) {
        fprintf(stderr, "check: %s: not compared with its tangent: a derivative is not finite\n", head->head);
        return;
    }
    const double apart = fabs(a.sum - t.sum), size = fmax(a.scale, t.scale);
    if (apart > bound * size && may_say()) {
        fprintf(stderr, "check: %s: adjoint and tangent differ: products %.17g and %.17g\n", head->head, a.sum, t.sum);
    } else {
        fprintf(stderr, "check: %s: tangent-adjoint product %.17g, %.1e apart\n", head->head, a.sum, apart / size);
    }
    if (!d[0].is_done || !d[1].is_done || !d[2].is_done || !d[3].is_done) {
        fprintf(stderr, "check: %s: not compared with differences: the function did not end beside these inputs\n",
                head->head);
        return;
    }
    double difference[2], steps[2], slopes[2], rounding = 0;
    for (int k = 0; k < 2; k++) {
        trial = FIRST + 2 * k;
        steps[k] = step();
        difference[k] = (d[2 * k].sum - d[2 * k + 1].sum) / (2 * steps[k]);
        rounding = fmax(rounding, 2.3e-16 * d[2 * k].scale / steps[k]);
    }
    trial = OWN;
    const double agree = fabs(difference[0] - difference[1]), large = fabs(difference[0]) + fabs(difference[1]);
    const double tolerance = head->has_single ? 1e-2 : 1e-5;
    if (!(agree <= tolerance * large)) {
        fprintf(stderr, "check: %s: not compared with differences: two steps give %.9g and %.9g\n", head->head,
                difference[0], difference[1]);
    } else if (rounding > fabs(a.sum)) {
        fprintf(stderr, "check: %s: not compared with differences: results are too large\n", head->head);
    } else if (fabs(difference[0] - a.sum) <= 10 * agree + 10 * tolerance * large) {
        fprintf(stderr, "check: %s: differences %.9g\n", head->head, difference[0]);
    } else if (has_kink(d, steps, 10 * rounding + tolerance * large, slopes)) {
        fprintf(stderr, "check: %s: not compared with differences: the function has a kink here, its slopes are %.9g and "
                "%.9g\n", head->head, slopes[0], slopes[1]);
    } else if (may_say()) {
        fprintf(stderr, "check: %s: adjoint and differences differ: %.9g and %.9g\n", head->head, a.sum,
                difference[0]);
    }
}

/* One child: its number there, 0 in the parent. */
static int run(int which) {
    static const char *const names[] = {"",          "both sweeps",      "the adjoint",      "the tangent",
                                        "the function", "the function", "the function", "the function",
                                        "the function"};
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        is_child = 1;
        trial = which;
        sum = scale = 0;
        is_learning = which == LEARN;
        prepare();
        return which;
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        fprintf(stderr, "check: %s: cannot run %s in a child of the process\n", current->head, names[which]);
    } else if (!answers[which].is_done && which < FIRST) {
        fprintf(stderr, "check: %s: the run of %s did not end in a child of the process\n", current->head,
                names[which]);
        wrong += which == TANGENT || which == ADJOINT;
    }
    return 0;
}

void @_add(@_head *head, @_block block) {
    if (head->count < @_BLOCKS) {
        head->blocks[head->count++] = block;
    }
}

void @_nothing(const char *head) {
    calls++;
    fprintf(stderr, "check: %s: no derivative flows, so its adjoint leaves everything alone\n", head);
}

int @_trial(@_head *head, const void *frame) {
    calls++;
    const int last = head->calls < 2 ? LAST : LEARN;
    if (head->calls++ >= 20) {
        return OWN;
    }
    current = head;
    top_of_sweeps = frame;
    bottom_of_sweeps = (char *)frame;
    count_of_words = 0;
    if (answers == NULL) {
        answers = mmap(NULL, (LAST + 1) * sizeof *answers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    learned = tmpfile();
    if (answers == MAP_FAILED || learned == NULL) {
        fprintf(stderr, "check: no shared memory or no temporary file for trials\n");
        wrong++;
        return OWN;
    }
    memset(answers, 0, (LAST + 1) * sizeof *answers);
    for (int which = LEARN; which <= last; which++) {
        if (run(which)) {
            return which;
        }
        if (which == LEARN) {
            if (!answers[LEARN].is_done) {
                break;
            }
            classify(head);
            compare_arguments(head);
        }
    }
    say_products(head);
    fclose(learned);
    return OWN;
}

/* Behind the caller's own run. */
void @_end(@_head *head, adtape_t *tape) {
    adtape_stats_t stats;
    if (depth != 0) {
        fprintf(stderr, "check: %s: %zu operands of the forward sweep were not read again\n", head->head, depth);
        wrong++;
        depth = 0;
    }
    if (adtape_stats(tape, &stats) == ADTAPE_STATUS_OK && stats.bytes != 0) {
        fprintf(stderr, "check: %s: %llu bytes are left on the tape\n", head->head, (unsigned long long)stats.bytes);
        wrong++;
    }
    for (size_t k = 0; k < count_of_words; k++) {
        const word *w = &words[k];
        const double value = get(w->place, w->bits);
        if (w->block >= 0 && !head->blocks[w->block].is_written && memcmp(&value, &w->old_value, sizeof value) != 0 &&
            may_say()) {
            fprintf(stderr, "check: %s: element %td of '%s' has changed, and the function does not write there\n",
                    head->head, (w->place - (const char *)head->blocks[w->block].primal) / (w->bits / 8),
                    head->blocks[w->block].name);
        }
    }
    count_of_words = 0;
    head->count = 0;
}
