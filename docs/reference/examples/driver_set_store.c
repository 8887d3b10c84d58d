/* example: whole */
static double z, z_adjoint;

static int32_t square_z(int64_t step, void *user) {
    (void)step, (void)user;
    z *= z;
    return ADTAPE_FLOW_CONTINUE;
}
static int32_t adjoint_of_z(int64_t step, bool first, void *user) {
    (void)step, (void)user;
    z_adjoint = (first ? 1.0 : z_adjoint) * 2.0 * z;
    return ADTAPE_FLOW_CONTINUE;
}

int main(void) {
    adtape_driver_t *driver;
    adtape_schedule_t *schedule;
    adtape_store_t *store;
    adtape_progress_t done;
    z = 1.001;
    must(adtape_store_create_files(".", NULL, 0, 0, &store)); /* files that vanish with the process */
    must(adtape_driver_create(&driver));
    must(adtape_driver_set_calls(driver, &(adtape_driver_calls_t){.step = square_z, .adjoint_step = adjoint_of_z},
        NULL));
    must(adtape_driver_register(driver, ADTAPE_ROLE_STATE, "z", ADTAPE_TYPE_F64, &z, 0, NULL, NULL));
    must(adtape_driver_set_store(driver, store, NULL, 0.0));
    must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = 10,
        .memory_snapshots = 1, .disk_snapshots = 2}, &schedule)); /* one snapshot in memory, two in files */
    must(adtape_driver_run(driver, schedule, &done));
    assert(done.snapshot_bytes == sizeof z);
    assert(fabs(z_adjoint / (1024.0 * pow(1.001, 1023.0)) - 1.0) < 1e-12);
    adtape_schedule_destroy(schedule);
    must(adtape_driver_destroy(driver));
    must(adtape_store_destroy(store));
    return 0;
}
