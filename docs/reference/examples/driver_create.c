/* example: whole */
/* y = x squared n times, and its adjoint. */
static double x, x_adjoint;

static int32_t square(int64_t step, void *user) {
    (void)step, (void)user;
    x *= x;
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t square_adjoint(int64_t step, bool first, void *user) {
    adtape_push_f64(adtape_self(), x);
    square(step, user);
    if (first) {
        x_adjoint = 1.0;
    }
    adtape_pop_f64(adtape_self(), &x);
    x_adjoint *= 2.0 * x;
    return ADTAPE_FLOW_CONTINUE;
}

int main(void) {
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    x = 1.001;
    must(adtape_driver_create(&driver));
    must(adtape_driver_set_calls(driver, &(adtape_driver_calls_t){.step = square, .adjoint_step = square_adjoint},
        NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_STATE, "x", ADTAPE_TYPE_F64, &x, 0, NULL, NULL));
    must(adtape_driver_create_schedule(driver, 10, 3 * sizeof x, &schedule));
    must(adtape_driver_run(driver, schedule, NULL));
    assert(fabs(x_adjoint / (1024.0 * pow(1.001, 1023.0)) - 1.0) < 1e-12);
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver));
    return 0;
}
