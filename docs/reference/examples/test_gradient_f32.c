/* example: whole */
static double length(int64_t n, const float *x, void *user) {
    float sum = 0;
    (void)user;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

int main(void) {
    const float x[3] = {1, -2, 3}, gradient[3] = {2, -4, 6};
    adtape_test_report_t report;
    must(adtape_test_gradient_f32(length, NULL, NULL, 3, x, gradient, NULL, &report));
    assert(report.passed);
    return 0;
}
