/* example: whole */
/* x <- x*x/2 + 1 in each of four numbers; the run stops itself once, as if its process were killed. */
static double v[4][2], v_adjoint[4], half = 0.5;
static int turns, stop_after;

static int32_t step_v(int64_t step, void *user) {
    (void)step, (void)user;
    for (int i = 0; i < 4; i++) {
        v[i][0] = half * v[i][0] * v[i][0] + 1.0;
    }
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t adjoint_of_v(int64_t step, bool first, void *user) {
    (void)step, (void)user;
    for (int i = 0; i < 4; i++) {
        v_adjoint[i] = (first ? 1.0 : v_adjoint[i]) * 2.0 * half * v[i][0]; /* it needs no tape */
    }
    return ++turns == stop_after ? ADTAPE_FLOW_STOP : ADTAPE_FLOW_CONTINUE;
}

static adtape_status_t run(adtape_store_t *store) {
    const int64_t extents[] = {4}, strides_bytes[] = {sizeof v[0]};
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    adtape_status_t status;
    for (int i = 0; i < 4; i++) {
        v[i][0] = 0.1 * i;
        v_adjoint[i] = 0.0;
    }
    must(adtape_driver_create(&driver));
    must(adtape_driver_set_calls(driver, &(adtape_driver_calls_t){.step = step_v, .adjoint_step = adjoint_of_v}, NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_STATE, "v", ADTAPE_TYPE_F64, v, 1, extents, strides_bytes));
    must(adtape_driver_register(driver, ADTAPE_ROLE_ADJOINT, NULL, ADTAPE_TYPE_F64, v_adjoint, 1, extents, NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_PARAMETER, "half", ADTAPE_TYPE_F64, &half, 0, NULL, NULL));
    must(adtape_driver_set_store(driver, store, "gradient", 0.0));
    must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = 8,
        .memory_snapshots = 3}, &schedule));
    status = adtape_driver_run(driver, schedule, NULL);
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver));
    return status;
}

int main(void) {
    adtape_store_t *store;
    double expected[4];
    must(adtape_store_create_memory(0, NULL, &store)); /* of files, where the process may really be killed */
    must(run(store));
    memcpy(expected, v_adjoint, sizeof expected);
    turns = 0;
    stop_after = 5;
    assert(run(store) == ADTAPE_STATUS_STOPPED);
    half = 0.25; /* of another parameter nothing is computed */
    assert(run(store) == ADTAPE_STATUS_MISMATCH && turns == 5);
    half = 0.5;
    must(run(store)); /* from the last point on: all but four turns are done */
    assert(memcmp(expected, v_adjoint, sizeof expected) == 0 && turns == 5 + 4);
    must(adtape_store_destroy(store));
    return 0;
}
