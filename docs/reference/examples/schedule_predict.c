adtape_schedule_t *schedule;
adtape_prediction_t cost;
must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = 1000,
    .memory_snapshots = 20}, &schedule));
must(adtape_schedule_predict(schedule, &cost));
printf("%.1f forward runs extra\n", (double)cost.extra_steps / (double)cost.steps);
adtape_schedule_destroy(schedule);
must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = 1000,
    .memory_snapshots = 15, .disk_snapshots = 5}, &schedule));
must(adtape_schedule_predict(schedule, &cost));
assert(cost.disk_saves < cost.memory_saves);
adtape_schedule_destroy(schedule);
must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_DISK_REVOLVE, .steps = 1000,
    .memory_snapshots = 5, .save_cost = 20.0, .load_cost = 10.0}, &schedule));
must(adtape_schedule_predict(schedule, &cost));
assert(cost.disk_saves > 0);
adtape_schedule_destroy(schedule);
must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_MIXED, .steps = 1000,
    .memory_snapshots = 20}, &schedule));
must(adtape_schedule_predict(schedule, &cost));
assert(cost.extra_steps < 2747);
adtape_schedule_destroy(schedule);
