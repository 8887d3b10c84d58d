#include <math.h>
#include <stdlib.h>
#include <string.h>

struct particle {
    double at[3], mass;
    int tag;
};

struct cloud {
    struct particle *all;
    double *energy;
    int count;
    double scale;
};

double total;

static double norm(const double *v, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum + 1.0);
}

static void spin(struct particle *p, double angle) {
    double x = p->at[0], y = p->at[1];
    p->at[0] = cos(angle) * x - sin(angle) * y;
    p->at[1] = sin(angle) * x + cos(angle) * y;
    if (p->tag > 0)
        p->mass *= angle;
}

double energy(struct cloud *c, double angle) {
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        spin(&c->all[i], angle * c->scale);
        c->energy[i] += c->all[i].mass * norm(c->all[i].at, 3);
        sum += c->energy[i] * c->energy[i];
    }
    total = total * sum;
    return total + sum;
}

static double twice(double x) {
    return x > 0.0 ? sin(x) * x : x;
}

void grid(int n, int m, double a[n][m], const double *x, double *y) {
    double *work = malloc((size_t)n * sizeof(double));
    double line[4] = {0.0};
    for (int i = 0; i < n; i++)
        work[i] = twice(x[i]);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++) {
            a[i][j] = a[i][j] * a[i - 1][j] + work[i] * x[j % n];
            line[j & 3] += a[i][j] * a[i][j];
        }
    double *p = y;
    for (int k = 0; k < 4; k++)
        *p++ = line[k] * twice(line[(k + 1) & 3]);
    free(work);
}

struct pair {
    double first, second;
};

static struct pair swapped(struct pair p, double by) {
    struct pair q = {p.second * by, p.first + by};
    return q;
}

double swaps(struct pair p, double by, int n) {
    for (int i = 0; i < n; i++)
        p = swapped(p, by * p.first);
    return p.first * p.second;
}

struct node {
    double value;
    struct node *next;
};

static void along(struct node *at, const struct node *first, int upwards, double *product, double *sum) {
    *product *= at->value + *sum;
    if (upwards)
        *sum += at->value * *product;
    if (at->next != first)
        along(at->next, first, upwards, product, sum);
}

double chain(struct node *first, int upwards) {
    double product = 1.0, sum = 0.0;
    along(first, first, upwards, &product, &sum);
    return fmax(product, sum) * pow(first->value, sum);
}

float rows(float (*a)[3], float **list, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        float *row = a[i];
        for (int j = 0; j < 3; j++) {
            row[j] *= list[i][j];
            sum += row[j] * expf(row[(j + 1) % 3]);
        }
    }
    return sum;
}

struct body {
    double place[2][3];
    int number;
};

static double dot(int m, const double *a, const double *b) {
    double sum = 0.0;
    for (int j = 0; j < m; j++)
        sum += a[j] * b[j];
    return sum;
}

static void smooth(int n, int m, double a[n][m]) {
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] += 0.5 * a[i - 1][j] * a[i][j];
}

double mixed(int n, int m, double *x, double *y) {
    double a[n][m], r = 0.0;
    struct body b[2];
    double *copy = calloc((size_t)m, sizeof *copy);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = x[i] * x[j % n] + 0.1 * j;
    smooth(n, m, a);
    for (int i = 0; i < n; i++)
        r += dot(m, a[i], a[(i + 1) % n]);
    for (int i = 0; i < 2; i++) {
        b[i].number = i;
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 3; k++)
                b[i].place[j][k] = x[(i + j + k) % n] * r;
    }
    struct body c = b[1];
    double *q = c.place[1];
    for (int k = 0; k < 3; k++) {
        q[k] *= y[k];
        r += sin(q[k]);
    }
    memcpy(copy, x, (size_t)n * sizeof *copy);
    double *p = n > 2 ? copy : y;
    for (int k = 0; k < n; k++) {
        p[k] *= 1.5;
        r += p[k] * dot(3, b[0].place[0], q);
        p++;
        if (k == 1)
            break;
    }
    y[0] = r;
    free(copy);
    return r * y[1];
}

/* Linear: the adjoint needs only the shadow of a pointer that has two targets. */
double linear(int n, double *x, double *y) {
    double sum = 0.0, *p = x;
    for (int i = 0; i < n; i++) {
        p[0] = 2.0 * p[0] + 1.0;
        sum += 3.0 * p[1];
        p = i % 2 == 0 ? y + 1 : x;
    }
    return sum;
}

/* Arrays at the end of structs: the first has nothing else with an adjoint in front of it. */
struct row {
    int n;
    double at[];
};

struct scaled {
    double by;
    int many[20];
    struct particle all[];
};

double tails(int n, const double *x) {
    struct row *row = malloc(sizeof *row + 50 * (size_t)n * sizeof(double));
    struct scaled *scaled = malloc(sizeof *scaled + 9 * (size_t)n * sizeof(struct particle));
    double sum = 0.0;
    row->n = 50 * n;
    scaled->by = x[0];
    for (int i = 0; i < row->n; i++)
        row->at[i] = x[i % n] * i;
    for (int i = 0; i < 9 * n; i++) {
        scaled->all[i].mass = row->at[i] * scaled->by;
        scaled->all[i].at[1] = scaled->all[i].mass * x[i % n];
        scaled->all[i].tag = i;
    }
    for (int i = 1; i < row->n; i++)
        sum += row->at[i] * row->at[i - 1];
    for (int i = 0; i < 9 * n; i++)
        sum += scaled->all[i].at[1] * scaled->all[i].tag * scaled->by;
    free(scaled);
    free(row);
    return sum;
}

double poles(int n, const double *x, const double *mask);
double poles(int n, const double *x, const double *mask) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += mask[i] * (sqrt(x[i]) + cbrt(x[i]) + pow(x[i], 0.25)) + fmax(sqrt(x[i]), 0.25);
    return sum;
}
