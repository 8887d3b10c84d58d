/* Pointers into arrays of structs, and to members of their elements. */

struct item {
    double value;
    int kind;
    double row[3];
};

static void fill(struct item *all, int n, const double *x, const int *ia) {
    for (struct item *p = all; p != all + n; p++) {
        *p = (struct item){x[p - all], ia[p - all] & 1, {x[0], 1.0, 0.5}};
        p->row[2] *= x[p - all];
    }
}

/* The member that a pointer leads to depends on the data, and so does the element. */
static double carried(struct item *all, int n, const double *w) {
    double s = 0.0, *q = all[0].row;
    for (int i = 0; i < n; i++) {
        if (all[i].value > 1.0) q = all[i].kind ? &all[i].row[1] : all[i].row;
        q[1] = q[0] * w[0] + s;
        s += q[1];
    }
    return s;
}

double f_carried(int n, double *x, int *ia, double *w) {
    struct item all[8];
    fill(all, n, x, ia);
    double s = carried(all, n, w);
    return s * all[1].row[1];
}

static double last(struct item *all, int n, double a) {
    double *q = 0;
    for (int i = 0; i < n; i++) {
        if (all[i].value > a) q = &all[i].value;
    }
    if (!q) return a;
    *q = *q * *q;
    return *q * all[n - 1].value;
}

double f_last(int n, double *x, int *ia, double *w) {
    struct item all[8];
    fill(all, n, x, ia);
    double s = last(all, n, w[2]);
    s += last(all, n, 7.0);
    return s * last(all, n, 0.1);
}

static double *found(struct item *p, int which) {
    switch (which) {
    case 0: return &p->value;
    case 1: return p->row;
    default: return &p->row[2];
    }
}

static double through(struct item *all, int n, const int *ia) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double *q = found(&all[i], ia[i]);
        *q = *q * *q + s;
        s += *q;
    }
    return s;
}

double f_found(int n, double *x, int *ia, double *w) {
    struct item all[8];
    fill(all, n, x, ia);
    (void)w;
    return through(all, n, ia);
}

/* The largest element, and marching through the rows of all. */
static double largest(struct item *all, int n, const double *w) {
    struct item *best = all, *end = all + n;
    double s = 0.0;
    for (struct item *p = all + 1; p < end; ++p) {
        if (p->value * w[0] > best->value) best = p;
    }
    best->value *= best->row[2];
    while (end-- > all) {
        for (double *q = end->row; q < end->row + 3; q++) {
            *q = *q * w[1] + s * best->value;
            s += *q;
        }
    }
    return s;
}

double f_largest(int n, double *x, int *ia, double *w) {
    struct item all[8];
    fill(all, n, x, ia);
    return largest(all, n, w);
}

static struct item kept[8];

double f_global(int n, double *x, int *ia, double *w) {
    double s = 0.0, *q = &kept[0].value;
    fill(kept, n, x, ia);
    for (int i = 0; i < n; i++) {
        if (kept[i].kind) q = &kept[i].row[2];
        *q *= w[i] + *q;
        s += *q;
    }
    return s;
}
