/* example: whole */
static void twice(int64_t n, const float *x, int64_t m, float *y, void *user) {
    (void)m, (void)user;
    for (int64_t i = 0; i < n; i++) {
        y[i] = 2.0f * x[i];
    }
}

int main(void) {
    adtape_test_report_t report;
    must(adtape_test_dot_f32(twice, twice, NULL, 100, 100, NULL, &report));
    assert(report.passed);
    return 0;
}
