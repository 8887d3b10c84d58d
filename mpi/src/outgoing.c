/* outgoing.c: messages of the reverse sweep that are under way from rooms. */

/* Most short ones are sent at once. Now and then the others give their rooms back, if they have arrived: to ask after
 * each takes longer than a short message. */
enum { FEW_OUTGOING = 16, SHORT_BYTES = 16384, TINY_BYTES = 256 };
static const size_t FEW_OUTGOING_BYTES = (size_t)64 << 10;
static struct {
    MPI_Request *requests;
    MPI_Status *statuses;
    char **rooms;
    int *done;         /* places of requests */
    int count, capacity;
    int enough;        /* so many are under way that it is time to ask */
    size_t new_bytes;  /* since the last time, or more than so many bytes */
    size_t at_once_bytes; /* longer ones were not sent at once, since the last time */
} outgoing = {.at_once_bytes = SHORT_BYTES};

static void outgoing_collect(const void *site) {
    int done = 0, left = 0;
    expect(MPI_Testsome(outgoing.count, outgoing.requests, &done, outgoing.done, outgoing.statuses), site,
           "an adjoint's message");
    for (int i = 0; i < done; i++) {
        room_free(outgoing.rooms[outgoing.done[i]]);
        outgoing.rooms[outgoing.done[i]] = NULL;
    }
    for (int i = 0; i < outgoing.count; i++) {
        if (outgoing.rooms[i] != NULL) {
            outgoing.rooms[left] = outgoing.rooms[i];
            outgoing.requests[left++] = outgoing.requests[i];
        }
    }
    outgoing.count = left;
    outgoing.enough = 2 * left > FEW_OUTGOING ? 2 * left : FEW_OUTGOING;
    outgoing.new_bytes = 0;
    outgoing.at_once_bytes = SHORT_BYTES;
}

/* A message of so many bytes that is under way from a room. */
static __attribute__((noinline)) void outgoing_enter(char *room, size_t bytes, MPI_Request request, const void *site) {
    if (outgoing.count > 0 && (outgoing.count >= outgoing.enough || outgoing.new_bytes > FEW_OUTGOING_BYTES)) {
        outgoing_collect(site);
    }
    outgoing.new_bytes += bytes;
    if (outgoing.count == outgoing.capacity) {
        const int capacity = outgoing.capacity > 0 ? 2 * outgoing.capacity : FEW_OUTGOING;
        outgoing.requests = reallocate(outgoing.requests, (size_t)capacity * sizeof *outgoing.requests, site);
        outgoing.statuses = reallocate(outgoing.statuses, (size_t)capacity * sizeof *outgoing.statuses, site);
        outgoing.rooms = reallocate(outgoing.rooms, (size_t)capacity * sizeof *outgoing.rooms, site);
        outgoing.done = reallocate(outgoing.done, (size_t)capacity * sizeof *outgoing.done, site);
        outgoing.capacity = capacity;
        outgoing.enough = outgoing.enough > 0 ? outgoing.enough : FEW_OUTGOING;
    }
    outgoing.rooms[outgoing.count] = room;
    outgoing.requests[outgoing.count++] = request;
}

static void outgoing_end(const void *site) {
    expect(MPI_Waitall(outgoing.count, outgoing.requests, outgoing.statuses), site, "an adjoint's message");
    for (int i = 0; i < outgoing.count; i++) {
        room_free(outgoing.rooms[i]);
    }
    free(outgoing.requests);
    free(outgoing.statuses);
    free(outgoing.rooms);
    free(outgoing.done);
    memset(&outgoing, 0, sizeof outgoing);
}
