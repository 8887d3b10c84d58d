/* example: whole */
static double product(int64_t n, const double *x, void *user) {
    (void)n, (void)user;
    return x[0] * x[0] * x[1];
}
static void product_gradient(int64_t n, const double *x, double *gradient, void *user) {
    (void)n, (void)user;
    gradient[0] = 2.0 * x[0] * x[1];
    gradient[1] = x[0] * x[0];
}

int main(void) {
    const double x[2] = {1.5, -0.7};
    adtape_test_report_t report;
    must(adtape_test_gradient_f64(product, product_gradient, NULL, 2, x, NULL, NULL, &report));
    assert(report.passed && fabs(report.order - 2.0) < 0.1);

    /* As an array, in which a term is forgotten; explained on standard output. */
    const double wrong[2] = {2.0 * x[0] * x[1], 0.0};
    const adtape_test_options_t options = {.output = 1};
    must(adtape_test_gradient_f64(product, NULL, NULL, 2, x, wrong, &options, &report));
    assert(!report.passed && report.reason == ADTAPE_TEST_WRONG);
    assert(report.component_count == 1 && report.component[0] == 1);
    assert(fabs(report.component_reference[0] - x[0] * x[0]) < 1e-6);
    return 0;
}
