/* schedules.h: schedules for the programs that test them, a call each. */
#ifndef SCHEDULES_H
#define SCHEDULES_H

#include "check.h"

static inline adtape_schedule_options_t options_of(int32_t kind, int64_t steps, int64_t memory) {
    adtape_schedule_options_t options;
    memset(&options, 0, sizeof options);
    options.kind = kind;
    options.steps = steps;
    options.memory_snapshots = memory;
    return options;
}

static inline adtape_status_t make_schedule(int32_t kind, int64_t steps, int64_t memory, int64_t disk,
                                            adtape_schedule_t **out) {
    adtape_schedule_options_t options = options_of(kind, steps, memory);
    options.disk_snapshots = disk;
    return adtape_schedule_create(&options, out);
}

static inline adtape_status_t make_two_level(int64_t steps, int64_t period, int64_t memory, adtape_schedule_t **out) {
    adtape_schedule_options_t options = options_of(ADTAPE_SCHEDULE_TWO_LEVEL, steps, memory);
    options.period = period;
    return adtape_schedule_create(&options, out);
}

static inline adtape_status_t make_disk_revolve(int64_t steps, int64_t memory, double save_cost, double load_cost,
                                                adtape_schedule_t **out) {
    adtape_schedule_options_t options = options_of(ADTAPE_SCHEDULE_DISK_REVOLVE, steps, memory);
    options.save_cost = save_cost;
    options.load_cost = load_cost;
    return adtape_schedule_create(&options, out);
}

#endif
