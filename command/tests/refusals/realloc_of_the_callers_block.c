#include <stdlib.h>
struct buffer {
    double *data;
    int count, room;
};
static void put(struct buffer *b, double value) {
    if (b->count == b->room) {
        b->room = 2 * b->room + 1;
        b->data = realloc(b->data, (size_t)b->room * sizeof *b->data);
    }
    b->data[b->count++] = value;
}
double f(struct buffer *b, const double *x) {
    put(b, x[0] * x[1]);
    return b->data[0] * x[0];
}
