/* ---- rules on trial ---------------------------------------------------------------------------------------------- */

/* The arguments of a call lie in boxes with margins, in a child of the process. Arguments that share memory share a box.
   What the clauses name is marked, element by element; all else is filled with what must not count. */
enum { READS = 1, KILLS = 2, MAY = 4, BEFORE = 8, AFTER = 16, LOST = 32, MARGIN = 8, PARAMS = 48 };
typedef struct {
    char *low, *high;             /* what the clauses name, in the memory of the program */
    char *own, *before, *after;   /* what calls get; what is there in front of a call and behind it */
    char *bar, *bar_after;        /* adjoints, and what the derivative makes of them */
    unsigned char *does;
    uint64_t *when;               /* by element: with which adjoints the derivative reads it */
    int bytes, is_real, params;   /* how many arguments lie here */
    size_t count;
} box;
static box boxes[PARAMS];
static char *firsts[PARAMS], *lows[PARAMS], *highs[PARAMS]; /* by argument: it, and the elements that clauses name */
static double bars_of_values[PARAMS + 1];
static char first_result[16];
static int box_of[PARAMS], count_of_boxes, is_marking;
static const @_rule *tried;
static FILE *said;
static struct trial_of_rule {
    int is_done, faults, left_out;
    char doing[120];
} *outcome;

void @_section(int param, int does, uint64_t when, const void *element) {
    char *place = (char *)(uintptr_t)element;
    if (!is_marking) {
        lows[param] = lows[param] == NULL || place < lows[param] ? place : lows[param];
        place += tried->params[param].bytes;
        highs[param] = place > highs[param] ? place : highs[param];
        return;
    }
    box *b = &boxes[box_of[param]];
    const size_t at = (size_t)(place - b->low) / (size_t)b->bytes + MARGIN;
    b->does[at] |= (unsigned char)does;
    if (does & (BEFORE | AFTER)) {
        b->when[at] |= when;
    }
}

__attribute__((format(printf, 1, 2))) static int fault(const char *why, ...) {
    va_list arguments;
    if (outcome->faults++ < 3) {
        fprintf(said, "check: %s: ", tried->where);
        va_start(arguments, why);
        vfprintf(said, why, arguments);
        va_end(arguments);
        for (int n = 0; n < count_of_boxes; n++) {
            const char *before = "; these share memory here: '";
            for (int k = 0; k < tried->count && boxes[n].params > 1; k++) {
                if (box_of[k] == n) {
                    fprintf(said, "%s%s'", before, tried->params[k].name);
                    before = ", '";
                }
            }
        }
        fputc('\n', said);
        fflush(said);
    }
    return 0;
}

static void doing(const char *what, const char *of) { snprintf(outcome->doing, sizeof outcome->doing, what, of); }

/* An element by the name of the first argument whose clauses name it, or the nearest one. */
static const char *element_name(const box *b, size_t at) {
    static char text[2][120];
    static int turn;
    const char *place = b->low + ((ptrdiff_t)at - MARGIN) * b->bytes;
    int best = -1;
    for (int k = 0; k < tried->count; k++) {
        const int is_here = box_of[k] >= 0 && &boxes[box_of[k]] == b;
        const int has = place >= lows[k] && place < highs[k];
        best = is_here && (best < 0 || (has && !(place >= lows[best] && place < highs[best]))) ? k : best;
    }
    turn = !turn;
    snprintf(text[turn], sizeof *text, "%s[%td]", tried->params[best].name, (place - firsts[best]) / b->bytes);
    return text[turn];
}

static char *room_for(const box *b) {
    const size_t bytes = b->count * (size_t)b->bytes, shift = ((uintptr_t)b->low - MARGIN * (size_t)b->bytes) % 64;
    char *block = aligned_alloc(64, (bytes + 191) / 64 * 64);
    if (block == NULL) {
        _exit(9);
    }
    return memset(block + shift, 0, bytes);
}

/* Boxes for all arguments; whether arguments that share memory have one type. */
static int make_boxes(void) {
    count_of_boxes = 0;
    for (int k = 0; k < tried->count; k++) {
        box_of[k] = -1;
        if (lows[k] == NULL) {
            continue;
        }
        const @_param *p = &tried->params[k];
        int into = count_of_boxes++;
        boxes[into] = (box){.low = lows[k], .high = highs[k], .bytes = p->bytes, .is_real = p->kind == 2, .params = 1};
        box_of[k] = into;
        /* A box that reaches another one takes its place, until none does. */
        for (int other = 0; other < count_of_boxes; other++) {
            box *b = &boxes[into];
            if (other == into || !(boxes[other].low < b->high && boxes[other].high > b->low)) {
                continue;
            }
            if (boxes[other].bytes != b->bytes || boxes[other].is_real != b->is_real ||
                (boxes[other].low - b->low) % b->bytes != 0) {
                return 0;
            }
            b->low = boxes[other].low < b->low ? boxes[other].low : b->low;
            b->high = boxes[other].high > b->high ? boxes[other].high : b->high;
            b->params += boxes[other].params;
            boxes[other].low = boxes[other].high = NULL;
            boxes[other].params = 0;
            for (int j = 0; j <= k; j++) {
                box_of[j] = box_of[j] == other ? into : box_of[j];
            }
            other = -1;
        }
    }
    for (int n = 0; n < count_of_boxes; n++) {
        box *b = &boxes[n];
        b->count = b->params == 0 ? 0 : (size_t)(b->high - b->low) / (size_t)b->bytes + 2 * MARGIN;
        char **const all[] = {&b->own, &b->before, &b->after, &b->bar, &b->bar_after};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++) {
            *all[j] = room_for(b);
        }
        b->does = calloc(b->count + 1, 1);
        b->when = calloc(b->count + 1, sizeof *b->when);
        if (b->params != 0) {
            memcpy(b->before + MARGIN * b->bytes, b->low, (size_t)(b->high - b->low));
        }
    }
    return 1;
}

static char *element(const box *b, char *of, size_t at) { return of + at * (size_t)b->bytes; }

static void spoil(const box *b, size_t at) {
    char *place = element(b, b->own, at);
    if (b->is_real) {
        set(place, 8 * b->bytes, NAN);
    } else {
        for (int k = 0; k < b->bytes; k++) {
            place[k] ^= 0x55;
        }
    }
}

/* The arguments as they were; elements of the box `spoilt` that the clauses do not say to be read are spoilt. */
static void run_primal(int spoilt) {
    for (int n = 0; n < count_of_boxes; n++) {
        const box *b = &boxes[n];
        memcpy(b->own, b->before, b->count * (size_t)b->bytes);
        for (size_t at = 0; at < b->count && n == spoilt; at++) {
            if (!(b->does[at] & READS)) {
                spoil(b, at);
            }
        }
    }
    tried->primal();
}

static int is_same(const box *b, const char *one, const char *other, size_t at) {
    return memcmp(one + at * (size_t)b->bytes, other + at * (size_t)b->bytes, (size_t)b->bytes) == 0;
}

/* Whether the last run left what the first one left; NULL if so, else where not. */
static const char *other_result(void) {
    for (int n = 0; n < count_of_boxes; n++) {
        const box *b = &boxes[n];
        for (size_t at = 0; at < b->count; at++) {
            if ((b->does[at] & (KILLS | MAY)) && !(b->does[at] & LOST) && !is_same(b, b->own, b->after, at)) {
                return element_name(b, at);
            }
        }
    }
    return memcmp(first_result, tried->result, (size_t)tried->bytes_of_result) != 0 ? "result" : NULL;
}

/* Whether an element still has the value that it was spoilt with. */
static int is_spoilt(const box *b, size_t at) {
    char now[16], *place = element(b, b->own, at);
    memcpy(now, place, (size_t)b->bytes);
    memcpy(place, element(b, b->before, at), (size_t)b->bytes);
    spoil(b, at);
    return memcmp(now, place, (size_t)b->bytes) == 0;
}

/* Runs the function where what no clause says to be read in a box has another value. */
static int try_without(int n) {
    const box *b = &boxes[n];
    char name[120];
    snprintf(name, sizeof name, "%s", element_name(b, MARGIN));
    name[strcspn(name, "[")] = 0;
    doing("while what no clause says to be read of '%s' had another value", name);
    run_primal(n);
    for (size_t at = 0; at < b->count; at++) {
        const int is_killed = (b->does[at] & (KILLS | READS | LOST)) == KILLS;
        if (is_killed && !is_same(b, b->own, b->after, at) && is_spoilt(b, at)) {
            return fault("'%s' leaves %s alone: 'writes' names it, 'updates' should", tried->name, element_name(b, at));
        }
    }
    const char *other = other_result();
    return other == NULL || fault("'%s' reads elements of '%s' that no 'reads' or 'updates' names: they change %s",
                                  tried->name, name, other);
}

/* What the function reads and writes besides what the clauses say. */
static void try_function(void) {
    doing("while it ran", "");
    run_primal(-1);
    memcpy(first_result, tried->result, (size_t)tried->bytes_of_result);
    for (int n = 0; n < count_of_boxes; n++) {
        const box *b = &boxes[n];
        memcpy(b->after, b->own, b->count * (size_t)b->bytes);
        for (size_t at = 0; at < b->count; at++) {
            if (!(b->does[at] & (KILLS | MAY)) && !is_same(b, b->after, b->before, at)) {
                fault("'%s' writes %s, which no 'writes' or 'updates' names", tried->name, element_name(b, at));
                return;
            }
        }
    }
    if (tried->has_state) {
        return;
    }
    run_primal(-1);
    const char *other = other_result();
    if (other != NULL) {
        fault("'%s' gives another %s when it is called once more: 'state' is missing", tried->name, other);
        return;
    }
    for (int n = 0; n < count_of_boxes; n++) {
        if (boxes[n].count != 0 && !try_without(n)) {
            return;
        }
    }
}
