/* A buffer that realloc gives twice the room whenever it is full; one that is cut off at the end. */
#include <stdlib.h>

double f(int n, double *x, int *ia, double *w);
void tables(int *ia);

double f(int n, double *x, int *ia, double *w) {
    int room = 1, count = 0;
    double *b = malloc((size_t)room * sizeof *b), s = 0.0;
    (void)ia, (void)w;
    for (int i = 0; i < n; i++) {
        if (count == room) {
            room *= 2;
            b = realloc(b, (size_t)room * sizeof *b);
        }
        b[count++] = x[i] * x[i];
    }
    for (int i = 0; i < n; i++) s += b[i] * b[i];
    b = realloc(b, 8 * sizeof *b);
    for (int i = 0; i < 8; i++) s += b[i] * x[i];
    free(b);
    return s;
}

void tables(int *ia) { ia[0] = 0; }
