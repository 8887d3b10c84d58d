/* example: whole */
static double squared_sine(int64_t n, const double *x, void *user) {
    double y = x[0];
    (void)n, (void)user;
    must(adtape_waypoint_forward_f64("y", 1, &y));
    y = sin(y);
    must(adtape_waypoint_forward_f64("y", 1, &y));
    return y * y;
}
static void wrong_gradient(int64_t n, const double *x, double *gradient, void *user) {
    double y = sin(x[0]), y_adjoint = 2.0 * y;
    (void)n, (void)user;
    must(adtape_waypoint_reverse_f64("y", 1, &y, &y_adjoint));
    y = x[0];
    y_adjoint *= -cos(y); /* the sign is wrong */
    must(adtape_waypoint_reverse_f64("y", 1, &y, &y_adjoint));
    gradient[0] = y_adjoint;
}

int main(void) {
    const double x[1] = {0.7};
    adtape_test_report_t report;
    must(adtape_test_gradient_f64(squared_sine, wrong_gradient, NULL, 1, x, NULL, NULL, &report));
    assert(!report.passed && strstr(adtape_test_text(), "goes wrong between two waypoints") != NULL);
    return 0;
}
