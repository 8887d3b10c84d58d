/* Runs one example of a paper: its gradient beside its tangent, and what it pushed, by type. */
enum { N = 640 };

static double x[N], w[N], x_b[N], w_b[N], x_d[N], w_d[N], direction[N];
static int ia[N];

static void begin(void) {
    tables(ia);
    for (int i = 0; i < N; i++) {
        x[i] = 0.5 + (i * 37 % 64) / 64.0;
        w[i] = 0.5 + (i * 53 % 64) / 64.0;
        direction[i] = (i * 29 % 64) / 64.0 - 0.5;
        w_b[i] = w_d[i] = 0.0;
        x_b[i] = 0.0;
        x_d[i] = direction[i];
    }
}

/* f along the direction, from a point at a distance. */
static double along(double distance) {
    begin();
    for (int i = 0; i < N; i++) x[i] += distance * direction[i];
    return f(40, x, ia, w);
}

int main(void) {
    double product = 0.0, derivative = 0.0;
    adtape_stats_t stats;
    adtape_heap_stats_t blocks;
    begin();
    f_b(40, x, x_b, ia, w W_B, 1.0);
    for (int i = 0; i < N; i++) product += x_b[i] * direction[i];
    adtape_stats(adtape_self(), &stats);
    begin();
    f_d(40, x, x_d, ia, w W_D, &derivative);
    if (!(fabs(product - derivative) <= 1e-12 * fabs(derivative)) || derivative == 0) {
        printf("%.17g, tangent %.17g\n", product, derivative);
    }
    const double once = (along(1e-5) - along(-1e-5)) / 2e-5;
    if (!(fabs(once - derivative) <= 1e-5 * (fabs(derivative) + 1))) {
        printf("%.17g, differences %.17g\n", derivative, once);
    }
    if (stats.bytes != 0) printf("%d bytes left\n", (int)stats.bytes);
    adtape_heap_stats(adtape_heap_self(), &blocks);
    if (blocks.blocks != 0) printf("%d blocks left\n", (int)blocks.blocks);
    printf("%ld reals, %ld integers, %ld bits, %ld counts", pushed[0], pushed[1], pushed[2], pushed[3]);
    if (pushed[4] != 0) printf(", %ld pointers", pushed[4]);
    if (pushed[5] != 0) printf(", %ld blocks", pushed[5]);
    printf("\n");
    return 0;
}
