/* ---- words with an adjoint -------------------------------------------------------------------------------------- */

typedef struct {
    char *place, *shadow;
    int bits; /* 0: a pointer that is read, without shadow */
    int block; /* -1: none */
    double old_value;
} word;
static word *words;
static size_t count_of_words, words_room;
/* Places of pointers that are read, in order: no words in the parent. */
static const char **pointers;
static size_t count_of_pointers;
/* Positions in words plus 1, by a hash of the place; a power of two of them. */
static size_t *table, table_room;
/* Blocks that the sweeps allocate: no words of the caller. */
static struct {
    char *begin, *end;
} *blocks;
static size_t count_of_blocks, blocks_room;
static int is_learning, is_watching;
static const char *top_of_sweeps;
static char *bottom_of_sweeps;

static size_t slot(const char *place, const char *shadow) {
    size_t at = ((uintptr_t)place >> 2) * (size_t)0x9E3779B97F4A7C15u >> 20;
    for (at &= table_room - 1; table[at] != 0; at = (at + 1) & (table_room - 1)) {
        const word *known = &words[table[at] - 1];
        if (known->place == place && known->shadow == shadow) {
            break;
        }
    }
    return at;
}

void @_shadowed(const void *place, void *shadow, int bits) {
    char here;
    if (!is_learning) {
        return;
    }
    if (&here < bottom_of_sweeps) {
        bottom_of_sweeps = &here;
    }
    if (2 * count_of_words >= table_room) {
        free(table);
        table_room = table_room == 0 ? 1024 : 2 * table_room;
        table = room(NULL, table_room * sizeof *table);
        memset(table, 0, table_room * sizeof *table);
        for (size_t k = 0; k < count_of_words; k++) {
            table[slot(words[k].place, words[k].shadow)] = k + 1;
        }
    }
    const size_t at = slot(place, shadow);
    if (table[at] != 0) {
        return;
    }
    if (count_of_words == words_room) {
        words_room = words_room == 0 ? 512 : 2 * words_room;
        words = room(words, words_room * sizeof *words);
    }
    words[count_of_words] = (word){(char *)place, shadow, bits, -1, 0};
    table[at] = ++count_of_words;
}

void *@_followed(const void *place) {
    @_shadowed(place, NULL, 0);
    return (void *)(uintptr_t)place;
}

static int by_place(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return (x > y) - (x < y);
}

int @_follows(const void *place) {
    const char *key = place;
    return count_of_pointers != 0 && bsearch(&key, pointers, count_of_pointers, sizeof *pointers, by_place) != NULL;
}

/* Takes the pointers out of the words. */
static void sort_pointers(void) {
    size_t kept = 0;
    count_of_pointers = 0;
    pointers = room(pointers, (count_of_words + 1) * sizeof *pointers);
    for (size_t k = 0; k < count_of_words; k++) {
        if (words[k].bits == 0) {
            pointers[count_of_pointers++] = words[k].place;
        } else {
            words[kept++] = words[k];
        }
    }
    count_of_words = kept;
    qsort(pointers, count_of_pointers, sizeof *pointers, by_place);
}

void *@_allocated(void *block, size_t bytes) {
    if ((is_learning || is_watching) && block != NULL) {
        if (count_of_blocks == blocks_room) {
            blocks_room = blocks_room == 0 ? 64 : 2 * blocks_room;
            blocks = room(blocks, blocks_room * sizeof *blocks);
        }
        blocks[count_of_blocks].begin = block;
        blocks[count_of_blocks++].end = (char *)block + bytes;
    }
    return block;
}

static int by_begin(const void *a, const void *b) {
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    return (x > y) - (x < y);
}

/* Puts the blocks in order for is_local, and makes one of those that touch or overlap: blocks may be freed. */
static void sort_blocks(void) {
    size_t kept = 0;
    if (count_of_blocks == 0) {
        return;
    }
    qsort(blocks, count_of_blocks, sizeof *blocks, by_begin);
    for (size_t k = 1; k < count_of_blocks; k++) {
        if (blocks[k].begin > blocks[kept].end) {
            blocks[++kept] = blocks[k];
        } else if (blocks[k].end > blocks[kept].end) {
            blocks[kept].end = blocks[k].end;
        }
    }
    count_of_blocks = kept + 1;
}

/* Needs sort_blocks. */
static int is_local(const char *place) {
    if (place < top_of_sweeps && place >= bottom_of_sweeps - (1 << 20)) {
        return 1;
    }
    size_t low = 0, high = count_of_blocks;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (blocks[middle].begin <= place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && place < blocks[low - 1].end;
}

static double get(const char *place, int bits) {
    float single;
    double real;
    if (bits == 32) {
        memcpy(&single, place, sizeof single);
        return single;
    }
    memcpy(&real, place, sizeof real);
    return real;
}

static void set(char *place, int bits, double value) {
    const float single = (float)value;
    if (bits == 32) {
        memcpy(place, &single, sizeof single);
    } else {
        memcpy(place, &value, sizeof value);
    }
}

/* The block of a word: the nearest one below it whose adjoint is as far from the word's. */
static int block_of(const @_head *head, const word *w) {
    int found = -1;
    for (size_t k = 0; k < head->count; k++) {
        const @_block *b = &head->blocks[k];
        const char *first = b->primal;
        if (b->adjoint == NULL || w->place < first || w->place - first != w->shadow - (char *)b->adjoint ||
            (b->bytes != 0 && w->place >= first + b->bytes)) {
            continue;
        }
        if (found < 0 || first > (const char *)head->blocks[found].primal) {
            found = (int)k;
        }
    }
    return found;
}

static char *tangent_of(const @_head *head, const word *w) {
    const @_block *b = &head->blocks[w->block];
    return (char *)b->tangent + (w->place - (const char *)b->primal);
}

void *@_along(const @_head *head, const void *adjoint) {
    for (size_t k = 0; k < head->count; k++) {
        const @_block *b = &head->blocks[k];
        const char *first = b->adjoint, *here = adjoint;
        if (b->bytes != 0 && b->tangent != NULL && here >= first && here < first + b->bytes) {
            return (char *)b->tangent + (here - first);
        }
    }
    return (void *)(uintptr_t)adjoint;
}
