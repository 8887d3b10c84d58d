/* Numbers that the reverse sweep recovers from what it knows where it is: in an arm, in a pass, behind a loop. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The last loop of an arm ends where another one in the arm has stopped. */
double f_level_runs(int n, double *x, int *ia, double *w) {
    int from = ia[1];
    while (from < n) {
        if (x[from] < 1.0) {
            x[from] = sin(x[from]);
            from++;
        } else {
            int to = from + 1;
            while (to < n && x[to] >= w[1]) to++;
            for (int k = from; k < to; k++) x[k] *= 0.5;
            from = to;
        }
    }
    return x[0] * x[1];
}

/* A counter is recovered by a condition on another one, which is known in this arm only. */
double f_sifted(int n, double *x, int *ia, double *w) {
    int high = n + ia[1], low = (n >> 1) + 1, at, next;
    double moved;
    for (;;) {
        if (low > 1) {
            moved = x[--low];
        } else {
            moved = x[high];
            x[high] = x[1];
            if (--high == 1) {
                x[1] = moved;
                break;
            }
        }
        at = low;
        next = 2 * low;
        while (next <= high) {
            if (moved < x[next]) {
                x[at] = x[next];
                at = next;
                next <<= 1;
            } else {
                break;
            }
        }
        x[at] = moved;
    }
    return x[2] * w[0] - x[3] * x[4];
}

/* Two indices that one loop changes, of which the one behind it is computed from the other in front of it. */
double f_from_both_ends(int n, double *x, int *ia, double *w) {
    int row = 0, first = 0, last, at;
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        last = (at = first) + (n << 1);
        for (int i = ia[0]; i < n; i += 2) {
            at += 2;
            last -= 2;
            sum += x[at & 7] * x[last & 7] * w[k];
        }
        first = (row += n) << 1;
    }
    return sum;
}

/* A branch that only changes counters. */
double f_counts_twice(int n, double *x, int *ia, double *w) {
    double u = x[0], sum = w[0];
    int m = n + ia[0];
    while (m--) {
        u = sin(u) + x[m & 7] * 0.3;
        sum += u * m;
        if (sum > 1.0) {
            sum -= 0.5;
            m--;
            if (m < 0) break;
        }
    }
    return sum + m * u;
}

/* The same, in a loop that is tested behind its pass. */
double f_tries_again(int n, double *x, int *ia, double *w) {
    int k = ia[1], more;
    double t = x[0];
    do {
        more = 0;
        t = t * 0.7 + x[k & 7] * x[(k + 1) & 7];
        if (t > w[2] && k < n) {
            t -= 0.1;
            k++;
            more = 1;
        }
    } while (more);
    return k * t;
}

/* A narrow number behind a branch: what is known of the arms makes it as wide as it was there. */
double f_narrow(int n, double *x, int *ia, double *w) {
    double s = x[0] * w[0];
    unsigned short seed = 100;
    for (int i = 0; i < n; i++) {
        if (ia[i & 3] < seed) {
            for (int k = 0; k < (i & 3); k++) seed = (unsigned short)(seed * 3u + 1u);
            if (i & 1) {
                seed %= 37;
                s = sin(s * x[seed & 7]);
            }
        }
    }
    return s;
}

static unsigned short cell;

/* A pointer that an arm moves, and a store behind it in another arm. */
double f_moved_cell(int n, double *x, int *ia, double *w) {
    int table[8] = {3, 1, 4, 1, 5, 2, 2, 6}, *other = table + ia[0];
    unsigned short *at = &cell;
    unsigned long size = 2;
    double s = x[0], m[2][4] = {{x[1], 0.5}};
    cell = 3;
    for (int i = 0; i < n; i++) {
        if (table[size & 7] == 4) {
            if ((cell & size) == 9) {
                for (int j = -2; j <= 2; j += 2) at++;
            }
            if (*other > 5) *other = 7;
            if (size + 1 == cell) *at >>= 1;
            for (int j = 0; j < 4; j++) m[0][cell & 3] = sin(s * x[i]);
        }
    }
    return s + m[0][1] * w[0];
}

struct node {
    double value;
    int k;
    struct node *next;
};

/* Lists that nobody makes: a loop along one writes nothing. */
double f_no_list(int n, double *x, int *ia, double *w) {
    struct node *all = NULL, *more = NULL;
    double r = x[0] * w[0], s = 0.0;
    for (int i = ia[1]; i < n; i++) {
        struct node *kept = all;
        all = more;
        more = kept;
        for (struct node *one = more; one; one = one->next) {
            one->value = sin(one->value + r);
            r += 0.1 * one->value;
            if (one->k == i) break;
        }
        r = sin(r * x[i]);
        s += r;
    }
    for (; more;) {
        struct node *one = more;
        s -= one->value * 0.3;
        more = more->next;
        free(one);
    }
    return s;
}

/* The bits that an arm turns are turned back. */
double f_turned_bits(int n, double *x, int *ia, double *w) {
    double s = x[0] * w[0];
    unsigned bits = 1;
    int from = ia[0];
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.5) from = i;
        if (from & 1) {
        } else {
            bits ^= 6;
        }
        s = sin(s * x[bits & 7]);
    }
    return s;
}

/* What each pass of a loop takes back is back behind it, whatever overwrote it later. */
double f_filled_again(int n, double *x, int *ia, double *w) {
    double t[8] = {0};
    t[1] = x[0] * x[3];
    for (int i = 0; i < 4; i++) memcpy(x, t, 4 * sizeof *x);
    x[3] = 0.4 * sin(w[n & 7]);
    return x[7] + 0.1 * t[2] * t[1] + x[ia[0]];
}

/* Rows that the passes of two loops, which both run again, overwrite. */
double f_rows_together(int n, double *x, int *ia, double *w) {
    double sum = ia[0] * w[0], u[8];
    for (int i = 0; i < 8; i++) u[i] = 0.1 * x[i];
#pragma adjoint again
    for (int i = 0; i < 2; i++) {
#pragma adjoint again
        for (int j = 0; j < n; j++) {
            x[i * n + j] += w[i * n + j];
            u[i * n + j] -= w[i * n + j];
            sum += u[i * n + j] * u[i * n + j];
        }
    }
    return sum;
}

/* What an element holds whose subscript is known by the branch. */
double f_counted_down(int n, double *x, int *ia, double *w) {
    double first = x[0] * x[0], sum = x[0], scale = 2.0 * x[1];
    int end = n - ia[2];
    if (end < 0 || w[0] < 3.0) {
        if (end > 0) {
#pragma adjoint again
            for (int k = 1; k <= end; k++) --n;
        }
        x[n] = first;
        sum = (sum + x[n] * x[1]) * scale;
    }
    if (end > 0) x[n] /= sum;
    return x[n] * x[2];
}

/* Both halves of a triangle, solved in place: the first pass reads nothing that a pass has written. */
double f_triangle(int n, double *x, int *ia, double *w) {
    double u[8], sum = ia[1];
#pragma adjoint again
    for (int i = 0; i < n; i++) {
        double t = x[i];
        for (int k = 0; k < i; k++) t -= w[k] * u[k];
        u[i] = t / x[i + n];
    }
#pragma adjoint again
    for (int i = n - 1; i >= 0; --i) {
#pragma adjoint again
        for (int k = i + 1; k < n; ++k) u[i] -= w[k] * u[k];
        u[i] /= x[i + n];
    }
    for (int i = 0; i < n; i++) sum += u[i] * x[i];
    return sum;
}

static double level;

static void lower(double by) {
    level = 0.25 * by;
}

/* What a function takes back of a variable at file scope. */
double f_level(int n, double *x, int *ia, double *w) {
    level = x[n & 3];
    x[0] = cos(level * x[1]);
    lower(w[ia[0]]);
    level = x[0];
    return x[0] * x[2];
}

static void bounds(double a, double b, double *low, double *high) {
    *low = a > b ? b : a;
    *high = a > b ? a : b;
}
static double within(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

/* A function into which no derivative flows sets what a pass then reads. */
double f_bounds(int n, double *x, int *ia, double *w) {
    double low, high, sum = 0.0, u[8];
#pragma adjoint again
    for (int i = 0; i < n; i++) {
        u[i] = sin(x[i]);
        bounds(w[i], w[ia[0]], &low, &high);
        sum += u[i] * within(w[2], low, high);
    }
    return sum * u[1];
}

/* A remainder of what is known to be 0. */
double f_remainder(int n, double *x, int *ia, double *w) {
    int k = ia[1];
    double s = x[0];
    while (!k) {
        s = sin(s * x[k % 3]);
        if (w[k % 3] < x[1]) {
            x[1] *= 0.25;
            k = n;
        } else if (s > 0.0) {
            k = 2;
        }
    }
    return s * x[1];
}

/* A number with a sign that begins with one without, and goes by more than 1. */
double f_signed(int n, double *x, int *ia, double *w) {
    int at = (int)((unsigned)n + 2u);
    for (int i = ia[1]; i < 2; i++) {
        at -= 3;
        x[at] = x[at + 1] * sin(x[at] * w[0]);
    }
    return x[0] * x[3];
}

static size_t size = 5;

/* An int that begins as a number with more bits. */
double f_from_size(int n, double *x, int *ia, double *w) {
    double s = w[ia[1]];
    for (int i = (int)size - 1; i >= 1; i--) {
        if (x[i] * n > 4.5) break;
        x[i] = sin(x[i] * x[i - 1]);
        s += x[i];
    }
    return s;
}

/* An int that an arm moves by an unsigned number. */
double f_moved_unsigned(int n, double *x, int *ia, double *w) {
    int k = ia[1];
    while (1) {
        if (n % 3 == 0) return x[0];
        x[0] = x[0] * w[k] * x[k + 1];
        k += 1u;
        n--;
    }
}
