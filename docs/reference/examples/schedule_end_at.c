adtape_schedule_t *schedule;
adtape_instruction_t what;
must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_ONLINE, .memory_snapshots = 3},
    &schedule));
do {
    must(adtape_schedule_next(schedule, &what)); /* and perform it */
} while (what.action != ADTAPE_ACTION_ADVANCE || what.to < 100);
must(adtape_schedule_end_at(schedule, 100)); /* converged after 100 steps */
must(adtape_schedule_next(schedule, &what));
assert(what.action == ADTAPE_ACTION_LOAD);
adtape_schedule_destroy(schedule);
must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_TWO_LEVEL, .period = 50,
    .memory_snapshots = 5}, &schedule));
must(adtape_schedule_next(schedule, &what));
assert(what.action == ADTAPE_ACTION_SAVE && what.level == ADTAPE_LEVEL_DISK);
adtape_schedule_destroy(schedule);
must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_STORE_ALL, .steps = 3}, &schedule));
must(adtape_schedule_next(schedule, &what));
assert(what.action == ADTAPE_ACTION_RECORD);
adtape_schedule_destroy(schedule);
