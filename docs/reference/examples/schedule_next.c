adtape_schedule_t *schedule;
adtape_instruction_t what;
int turned = 0;
must(adtape_schedule_create(&(adtape_schedule_options_t){.kind = ADTAPE_SCHEDULE_BINOMIAL, .steps = 10,
    .memory_snapshots = 3}, &schedule));
do {
    must(adtape_schedule_next(schedule, &what));
    switch (what.action) {
    case ADTAPE_ACTION_ADVANCE: /* steps what.step to what.to - 1 */ break;
    case ADTAPE_ACTION_SAVE: /* into what.slot */ break;
    case ADTAPE_ACTION_LOAD: /* from what.slot */ break;
    case ADTAPE_ACTION_TURN:
        assert(what.step == 9 - turned && what.first == (turned == 0));
        turned++;
        break;
    default: break;
    }
} while (what.action != ADTAPE_ACTION_DONE);
assert(turned == 10);
adtape_schedule_destroy(schedule);
