/* room.c: memory for values on their way. Large rooms are kept for the next ones: the first touch of memory that is new
 * takes longer than the copy of the values. */

enum { ROOMS = 16 };
/* From here on rooms are kept, as many bytes at most. Below, malloc keeps them itself. */
static const size_t LARGE_ROOM = (size_t)64 << 10, KEPT_BYTES = (size_t)64 << 20;

/* In front of each room, which stays aligned as malloc has it. */
union room {
    size_t bytes;
    max_align_t aligned;
};
static struct {
    union room *at[ROOMS]; /* oldest first */
    int count;
    size_t bytes;
} rooms;

/* Takes one out of those that are kept. */
static union room *room_unkeep(int i) {
    union room *room = rooms.at[i];
    rooms.bytes -= room->bytes;
    rooms.count--;
    memmove(&rooms.at[i], &rooms.at[i + 1], (size_t)(rooms.count - i) * sizeof *rooms.at);
    return room;
}

/* One that is kept and not much larger, or NULL. */
static union room *room_kept(size_t bytes) {
    for (int i = rooms.count - 1; i >= 0 && bytes >= LARGE_ROOM; i--) {
        if (rooms.at[i]->bytes >= bytes && rooms.at[i]->bytes / 2 <= bytes) {
            return room_unkeep(i);
        }
    }
    return NULL;
}

/* Undone by room_free. */
static void *room_allocate(size_t bytes, const void *site) {
    union room *room = room_kept(bytes);
    if (room == NULL) {
        room = allocate(sizeof *room + bytes, site);
        room->bytes = bytes;
    }
    return room + 1;
}

/* NULL is allowed. */
static void room_free(void *values) {
    union room *room = values != NULL ? (union room *)values - 1 : NULL;
    if (room == NULL || room->bytes < LARGE_ROOM || room->bytes > KEPT_BYTES) {
        free(room);
        return;
    }
    while (rooms.count == ROOMS || rooms.bytes + room->bytes > KEPT_BYTES) {
        free(room_unkeep(0));
    }
    rooms.at[rooms.count++] = room;
    rooms.bytes += room->bytes;
}

static void rooms_end(void) {
    while (rooms.count > 0) {
        free(room_unkeep(0));
    }
}
