/* ---- objects ---------------------------------------------------------------------------------------------------- */

/* The accesses: where each stands, and the list of roots and objects that it may be in. */
static const struct {
    const char *where;
    int first, count, writes;
} accesses[] = {
/* accesses */
    {"", 0, 0, 0},
};
/* The calls: the rows that say what the roots of each callee are. */
static const struct {
    int first, count;
} entered[] = {
/* calls */
    {0, 0},
}, roots[] = {
/* roots */
    {0, 0},
};
/* Roots from 0 up, objects from -1 down, INT32_MAX for anything. */
static const int lists[] = {
/* lists */
    0,
};
static const char *const objects[] = {
/* objects */
    "",
};
/* Objects that may be one. */
static const int may_share[][2] = {
/* shared */
    {-1, -1},
};
/* Functions that are not watched, and why. */
static struct {
    const char *name, *why;
    int is_said;
} unseen[] = {
/* unseen */
    {"", "", 0},
};
enum { OBJECTS = sizeof objects / sizeof *objects, WORDS = (OBJECTS + 63) / 64, SETS = 4096, CLASHES = 20 };

/* Sets of objects by number; the empty one is 0. `near`: with those that may be one with them. */
static struct {
    uint64_t objects[WORDS], near[WORDS];
} sets[SETS];
static uint32_t count_of_sets = 1;
/* The sets that the roots of running procedures are, and where those of each procedure begin. */
static uint32_t *bound;
static size_t *begins, count_of_bound, bound_room, count_of_begins, begins_room;
/* Accesses by the eight bytes that they begin in or reach into. */
typedef struct {
    const char *first, *end;
    uint32_t set, site;
    size_t next;
} reach;
static reach *reaches;
static size_t count_of_reaches, reaches_room;
static size_t *cells, cells_room, count_of_cells;
static struct clash {
    uint32_t one, other, set, other_set;
    char names[2][120];
} *clashes;
static uint32_t *count_of_clashes;
/* By function that is not watched: whether it was called. All processes share it. */
static unsigned char *was_called;

static uint32_t set_of(const uint64_t *wanted) {
    for (uint32_t k = 0; k < count_of_sets; k++) {
        if (memcmp(sets[k].objects, wanted, sizeof sets[k].objects) == 0) {
            return k;
        }
    }
    if (count_of_sets == SETS) {
        return 0;
    }
    memcpy(sets[count_of_sets].objects, wanted, sizeof sets->objects);
    memcpy(sets[count_of_sets].near, wanted, sizeof sets->near);
    for (size_t k = 0; may_share[k][0] >= 0; k++) {
        for (int side = 0; side < 2; side++) {
            const int from = may_share[k][side], to = may_share[k][1 - side];
            if (wanted[from / 64] >> from % 64 & 1) {
                sets[count_of_sets].near[to / 64] |= (uint64_t)1 << to % 64;
            }
        }
    }
    return count_of_sets++;
}

/* The objects of a list in the procedure that runs. */
static uint32_t listed(int first, int count) {
    const uint32_t *own = bound + (count_of_begins == 0 ? 0 : begins[count_of_begins - 1]);
    uint64_t all[WORDS] = {0};
    if (count == 1 && lists[first] >= 0 && lists[first] != INT32_MAX) {
        return own[lists[first]];
    }
    for (int k = first; k < first + count; k++) {
        if (lists[k] == INT32_MAX) {
            memset(all, 0xff, sizeof all);
        } else if (lists[k] < 0) {
            all[(-1 - lists[k]) / 64] |= (uint64_t)1 << (-1 - lists[k]) % 64;
        } else {
            for (int word = 0; word < WORDS; word++) {
                all[word] |= sets[own[lists[k]]].objects[word];
            }
        }
    }
    return set_of(all);
}

/* What is called next: arguments are evaluated before it begins. */
static uint32_t called;

void @_calls(uint32_t call) { called = call; }

void @_begins(void) {
    const uint32_t call = called;
    const size_t count = (size_t)entered[call].count, begin = count_of_bound;
    if (begin + count + 1 > bound_room) {
        bound_room = 2 * (begin + count + 1);
        bound = room(bound, bound_room * sizeof *bound);
    }
    for (size_t k = 0; k < count; k++) {
        const size_t row = (size_t)entered[call].first + k;
        bound[begin + k] = listed(roots[row].first, roots[row].count);
    }
    if (count_of_begins == begins_room) {
        begins_room = begins_room == 0 ? 64 : 2 * begins_room;
        begins = room(begins, begins_room * sizeof *begins);
    }
    begins[count_of_begins++] = begin;
    count_of_bound += count;
}

void @_unseen(uint32_t function) { was_called[function] = 1; }

void @_leaves(void) { count_of_bound = begins[--count_of_begins]; }

static int may_be_one(uint32_t a, uint32_t b) {
    for (int word = 0; word < WORDS; word++) {
        if ((sets[a].near[word] & sets[b].objects[word]) != 0) {
            return 1;
        }
    }
    return 0;
}

/* The name of the first object of a set. */
static const char *name_of(uint32_t set) {
    for (size_t k = 0; k + 1 < OBJECTS; k++) {
        if (sets[set].objects[k / 64] >> k % 64 & 1) {
            return objects[k];
        }
    }
    return "";
}

static void clash(uint32_t site, uint32_t set, const reach *other) {
    for (uint32_t k = 0; k < *count_of_clashes; k++) {
        if ((clashes[k].set == set && clashes[k].other_set == other->set) ||
            (clashes[k].set == other->set && clashes[k].other_set == set)) {
            return;
        }
    }
    if (*count_of_clashes < CLASHES) {
        struct clash *c = &clashes[(*count_of_clashes)++];
        *c = (struct clash){other->site, site, other->set, set, {"", ""}};
        snprintf(c->names[0], sizeof c->names[0], "%s", name_of(other->set));
        snprintf(c->names[1], sizeof c->names[1], "%s", name_of(set));
    }
}

/* The place of eight bytes in the table; 0 there: not reached yet. */
static size_t cell(uintptr_t eight) {
    size_t at = eight * (size_t)0x9E3779B97F4A7C15u >> 24;
    for (at &= cells_room - 1; cells[at] != 0; at = (at + 1) & (cells_room - 1)) {
        if ((uintptr_t)reaches[cells[at] - 1].first / 8 == eight) {
            break;
        }
    }
    return at;
}

static void grow_cells(void) {
    size_t *const old = cells, old_room = cells_room;
    cells_room = cells_room == 0 ? 4096 : 2 * cells_room;
    cells = room(NULL, cells_room * sizeof *cells);
    memset(cells, 0, cells_room * sizeof *cells);
    for (size_t k = 0; k < old_room; k++) {
        if (old[k] != 0) {
            cells[cell((uintptr_t)reaches[old[k] - 1].first / 8)] = old[k];
        }
    }
    free(old);
}

/* An access to bytes inside of eight. */
static void reached(const char *first, const char *end, uint32_t set, uint32_t site) {
    if (2 * count_of_cells >= cells_room) {
        grow_cells();
    }
    const size_t at = cell((uintptr_t)first / 8);
    for (size_t k = cells[at]; k != 0; k = reaches[k - 1].next) {
        const reach *known = &reaches[k - 1];
        if (known->first == first && known->end == end && known->set == set &&
            accesses[known->site].writes >= accesses[site].writes) {
            return;
        }
    }
    for (size_t k = cells[at]; k != 0; k = reaches[k - 1].next) {
        const reach *known = &reaches[k - 1];
        if (known->first < end && first < known->end && !may_be_one(known->set, set) &&
            (accesses[known->site].writes || accesses[site].writes)) {
            sort_blocks();
            if (!is_local(first)) {
                clash(site, set, known);
            }
        }
    }
    if (count_of_reaches == reaches_room) {
        reaches_room = reaches_room == 0 ? 4096 : 2 * reaches_room;
        reaches = room(reaches, reaches_room * sizeof *reaches);
    }
    count_of_cells += cells[at] == 0;
    reaches[count_of_reaches] = (reach){first, end, set, site, cells[at]};
    cells[at] = ++count_of_reaches;
}

void *@_reached(const void *place, size_t bytes, uint32_t site) {
    const char *at = place, *const end = at + bytes;
    char here;
    const uint32_t set = listed(accesses[site].first, accesses[site].count);
    if (&here < bottom_of_sweeps) {
        bottom_of_sweeps = &here;
    }
    /* Variables of the copies are nobody else's. */
    if (set == 0 || (at < top_of_sweeps && at >= &here)) {
        return (void *)(uintptr_t)place;
    }
    while (at < end) {
        const char *const next = at + (8 - (uintptr_t)at % 8);
        reached(at, next < end ? next : end, set, site);
        at = next;
    }
    return (void *)(uintptr_t)place;
}

static void *shared(size_t bytes);

/* In front of the child: whether it can tell what it found. */
static int can_watch(void) {
    const size_t bytes = CLASHES * sizeof *clashes + sizeof *count_of_clashes + sizeof unseen / sizeof *unseen;
    if (clashes == NULL) {
        clashes = shared(bytes);
        if (clashes == NULL) {
            return 0;
        }
        count_of_clashes = (uint32_t *)(void *)(clashes + CLASHES);
        was_called = (unsigned char *)(count_of_clashes + 1);
    }
    *count_of_clashes = 0;
    return 1;
}

/* Behind the child. */
static void say_clashes(const @_head *head) {
    for (size_t k = 0; k + 1 < sizeof unseen / sizeof *unseen; k++) {
        if (was_called[k] && !unseen[k].is_said) {
            unseen[k].is_said = 1;
            leave_out(head->head, ", address by address", "'%s' %s, so nothing says which memory it reaches",
                      unseen[k].name, unseen[k].why);
        }
    }
    for (uint32_t k = 0; k < *count_of_clashes; k++) {
        const struct clash *c = &clashes[k];
        if (may_say()) {
            fprintf(stderr, "check: %s: '%s' at %s and '%s' at %s are one address, and the adjoint takes them for "
                    "different memory: pass different memory\n", head->head, c->names[0], accesses[c->one].where,
                    c->names[1], accesses[c->other].where);
        }
    }
}
