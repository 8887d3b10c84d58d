/* Subscripts and arguments that are read from memory which the same statement overwrites. */
double f(int n, double *x, int *ia, double *w);
static void advance(int *at, int by, double *x, double scale) {
    x[*at] = x[*at] * scale;
    *at = (*at + by) % 20;
    x[0] = x[0] * 1.5 + x[*at];
}
struct row {
    double value, weight;
    int next;
};
static double follow(struct row *all, struct row one, double by) {
    for (int i = 0; i < 3; i++) all[i].next = (all[i].next + 1) % 4;
    return one.value + 2 * one.weight + by;
}
double f(int n, double *x, int *ia, double *w) {
    double s = 0;
    (void)w;
    struct row all[4];
    for (int i = 0; i < 4; i++) all[i].value = x[i], all[i].weight = x[i + 1] * x[i], all[i].next = i;
    for (int i = 0; i < 5; i++) s += follow(all, all[all[1].next], x[i]);
    s += follow(all, all[all[2].next], s);
    for (int i = 0; i < n; i++) ia[i] = (i * 7 + 3) % n;
    for (int i = 0; i < n; i++) {
        x[ia[i]] *= x[ia[ia[i]]];
        ia[ia[i]] = (ia[i] + i) % n;
        s += x[ia[i]] * x[i];
    }
    int at = 2;
    for (int i = 0; i < 5; i++) advance(&at, ia[at], x, x[0]);
    for (int i = 0; i < 5; i++) advance(&ia[ia[i]], ia[i], &x[ia[3]], 0.5);
    return s + x[at];
}
