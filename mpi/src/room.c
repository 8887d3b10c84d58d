/* room.c: memory that comes and goes with messages: values on their way, requests. Rooms are kept for the next ones:
 * the first touch of memory that is new takes longer than the copy of the values, and malloc longer than a short
 * message.
 *
 *   shelf   rooms of one size that are kept: of 64, 128, 256, … bytes */

enum { SHELVES = 21, LEAST_ROOM = 64 };
/* Larger rooms are not kept, and no more than so many bytes together. The address sanitizer has to see each end. */
#ifdef __SANITIZE_ADDRESS__
static const size_t KEPT_BYTES = 0;
#else
static const size_t KEPT_BYTES = (size_t)LEAST_ROOM << (SHELVES - 1);
#endif

struct shelf {
    union room *first;
    size_t bytes; /* of each room */
};
/* In front of each room, which stays aligned as malloc has it. */
union room {
    struct shelf *shelf; /* where it goes in the end; NULL: back to malloc */
    union room *next;    /* while it is kept */
    max_align_t aligned;
};
static struct {
    struct shelf shelves[SHELVES];
    size_t bytes;
} rooms;

static __attribute__((noinline)) void *room_new(struct shelf *shelf, size_t bytes, const void *site) {
    if (shelf != NULL) {
        bytes = shelf->bytes = (size_t)LEAST_ROOM << (shelf - rooms.shelves);
    }
    union room *room = allocate(sizeof *room + bytes, site);
    room->shelf = bytes <= KEPT_BYTES ? shelf : NULL;
    return room + 1;
}

/* Undone by room_free. */
static inline void *room_allocate(size_t bytes, const void *site) {
    const int number = bytes <= LEAST_ROOM ? 0 : 64 - __builtin_clzll((unsigned long long)(bytes - 1) / LEAST_ROOM);
    struct shelf *shelf = number < SHELVES ? &rooms.shelves[number] : NULL;
    if (shelf == NULL || shelf->first == NULL) {
        return room_new(shelf, bytes, site);
    }
    union room *room = shelf->first;
    shelf->first = room->next;
    room->shelf = shelf;
    rooms.bytes -= shelf->bytes;
    return room + 1;
}

static __attribute__((noinline)) void rooms_end(void) {
    for (int i = 0; i < SHELVES; i++) {
        while (rooms.shelves[i].first != NULL) {
            union room *room = rooms.shelves[i].first;
            rooms.shelves[i].first = room->next;
            free(room);
        }
    }
    rooms.bytes = 0;
}

/* NULL is allowed. */
static inline void room_free(void *memory) {
    union room *room = memory != NULL ? (union room *)memory - 1 : NULL;
    struct shelf *shelf = room != NULL ? room->shelf : NULL;
    if (shelf == NULL) {
        free(room);
        return;
    }
    if (rooms.bytes + shelf->bytes > KEPT_BYTES) {
        rooms_end(); /* what is kept is of sizes that were asked for before */
    }
    room->next = shelf->first;
    shelf->first = room;
    rooms.bytes += shelf->bytes;
}
