/* example: whole */
/* y <- y + 1, from one buffer into the other. */
static double copies[2][3], *old_y = copies[0], *new_y = copies[1];

static int32_t add_one(int64_t step, void *user) {
    (void)step, (void)user;
    for (int i = 0; i < 3; i++) {
        new_y[i] = old_y[i] + 1.0;
    }
    double *const swapped = old_y; /* memcpy(old_y, new_y, sizeof copies[0]) would be right */
    old_y = new_y;
    new_y = swapped;
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t adjoint_of_add_one(int64_t step, bool first, void *user) {
    (void)first;
    return add_one(step, user);
}

int main(void) {
    const int64_t count = 3;
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    must(adtape_driver_create(&driver));
    must(adtape_driver_set_calls(
        driver, &(adtape_driver_calls_t){.step = add_one, .adjoint_step = adjoint_of_add_one}, NULL));
    must(adtape_driver_register(
        driver, ADTAPE_ROLE_STATE | ADTAPE_ROLE_POINTER, "y", ADTAPE_TYPE_F64, &old_y, 1, &count, NULL));
    must(adtape_driver_create_schedule(driver, 10, 3 * sizeof copies[0], &schedule));
    assert(adtape_driver_run(driver, schedule, NULL) == ADTAPE_STATUS_MISMATCH);
    assert(strstr(adtape_error_message(), "\"y\" has moved") != NULL);
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver));
    return 0;
}
