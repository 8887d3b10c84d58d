/* example: whole */
static double y, y_stored[3], y_adjoint;

static int32_t record_square(int64_t step, void *user) {
    (void)step, (void)user;
    adtape_push_f64(adtape_self(), y);
    y *= y;
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t reverse_square(int64_t step, bool first, void *user) {
    (void)step, (void)user;
    y_adjoint = first ? 1.0 : y_adjoint;
    adtape_pop_f64(adtape_self(), &y);
    y_adjoint *= 2.0 * y;
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t plain_square(int64_t step, void *user) {
    (void)step, (void)user;
    y *= y;
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t both_squares(int64_t step, bool first, void *user) {
    record_square(step, user);
    return reverse_square(step, first, user);
}
static int32_t save_y(int64_t step, int32_t level, int64_t slot, void *user) {
    (void)step, (void)level, (void)user;
    y_stored[slot] = y;
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t load_y(int64_t step, int32_t level, int64_t slot, void *user) {
    (void)step, (void)level, (void)user;
    y = y_stored[slot];
    return ADTAPE_FLOW_CONTINUE;
}
static void note(const adtape_progress_t *progress, void *user) {
    *(int64_t *)user = progress->forward_steps;
}

int main(void) {
    const adtape_driver_calls_t calls = {.step = plain_square,
                                         .adjoint_step = both_squares,
                                         .record_step = record_square,
                                         .reverse_step = reverse_square,
                                         .save = save_y,
                                         .load = load_y,
                                         .progress = note,
                                         .show_progress = true};
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    int64_t forward_steps = 0;
    y = 1.001;
    must(adtape_driver_create(&driver));
    must(adtape_driver_set_calls(driver, &calls, &forward_steps));
    must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_MIXED, .steps = 10,
        .memory_snapshots = 3}, &schedule));
    must(adtape_driver_run(driver, schedule, NULL));
    assert(fabs(y_adjoint / (1024.0 * pow(1.001, 1023.0)) - 1.0) < 1e-12);
    assert(forward_steps < 10 + 15); /* the binomial schedule's */
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver));
    return 0;
}
