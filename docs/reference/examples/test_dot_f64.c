/* example: whole */
/* y = (x0 x1, x0) at x = (2, 3) */
static void tangent(int64_t n, const double *xd, int64_t m, double *yd, void *user) {
    (void)n, (void)m, (void)user;
    yd[0] = 3.0 * xd[0] + 2.0 * xd[1];
    yd[1] = xd[0];
}
static void adjoint(int64_t m, const double *yb, int64_t n, double *xb, void *user) {
    (void)n, (void)m, (void)user;
    xb[0] += 3.0 * yb[0] + yb[1];
    xb[1] += 2.0 * yb[0];
}

int main(void) {
    adtape_test_report_t report;
    must(adtape_test_dot_f64(tangent, adjoint, NULL, 2, 2, NULL, &report));
    assert(report.passed && report.error < 1e-15);
    return 0;
}
