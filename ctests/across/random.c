/* Random programs against a naive model: all types, arrays, sections, control, counts, marks, repeat regions
 * nested up to 12 deep with pushes inside, local cursors, hand-over, trimming, on several tapes.
 *
 *   random [first seed [programs [operations]]]
 *
 * Values are popped as any type of any count; in check mode (ADTAPE_CHECK=1) pops mirror the pushes. A failure
 * prints the seed and the program. */
#include "operations.h"

enum { LONG_TAPE = 150000 };

static int deepest;             /* of the repeat regions of all programs */
static uint64_t longest, moves; /* bytes of the longest tape, moves of all */

static void unexpected_error(adtape_status_t status, const char *message, void *user) {
    (void)user;
    check_failed(__FILE__, __LINE__, "%s: %s", adtape_status_name(status), message);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static void use_local_cursor(model_t *model) {
    adtape_local_t local;
    say(model, "attach");
    CHECK_OK(adtape_attach(model->tape, &local));
    for (uint64_t n = below(60); n > 0; n--) {
        const type_row_t *type = &types[below(TYPES)];
        const int width = 1 + (int)below(64);
        const state_t *now = &model->now;
        const record_t *last = now->record_length > 0 ? &now->records[now->record_length - 1] : NULL;
        if (below(2) == 0 && below(4) == 0) {
            const uint64_t value = random_word(&state) >> (64 - width);
            say(model, "local push control of %d bits", width);
            adtape_local_push_control(&local, value, width);
            model_push_control(model, value, width);
        } else if (type->local_push != NULL && (int)below(2) == rising) {
            random_values(&state, type, values, 1);
            say(model, "local push %s", type->name);
            type->local_push(&local, values);
            model_push_values(model, type->type, values, 1, type->bytes, defined_bytes(type));
        } else if (mirrored && last != NULL && last->type == ADTAPE_TYPE_CONTROL) {
            const int last_width = (int)last->count;
            say(model, "local pop control of %d bits", last_width);
            model_pop_control(model, adtape_local_pop_control(&local, last_width), last_width);
        } else if (!mirrored && model_bits(now) >= width) {
            say(model, "local pop control of %d bits", width);
            model_pop_control(model, adtape_local_pop_control(&local, width), width);
        } else if (mirrored ? last != NULL && last->count == 1 && (type = row_of(last->type)) != NULL &&
                                  type->local_pop != NULL
                            : type->local_pop != NULL && model_values(now, type->bytes) == type->bytes) {
            say(model, "local pop %s", type->name);
            type->local_pop(&local, values);
            model_pop_values(model, type->type, values, 1, type->bytes);
        }
    }
    say(model, "detach");
    CHECK_OK(adtape_detach(&local));
}

static void take_mark(model_t *model) {
    const int which = (int)below(MOST_MARKS);
    adtape_mark_t mark;
    say(model, "take mark %d", which);
    CHECK_OK(adtape_mark_take(model->tape, &mark));
    model_take_mark(model, which, &mark);
}

static int state_order(const state_t *a, const state_t *b) {
    const int by_length = (a->length > b->length) - (a->length < b->length);
    return by_length != 0 ? by_length : (a->pending > b->pending) - (a->pending < b->pending);
}

/* To a mark that is valid; or to one that surely is not, which must change nothing. */
static void reset_to_mark(model_t *model) {
    const int which = (int)below(MOST_MARKS);
    const model_mark_t *mark = &model->marks[which];
    if (!mark->taken) {
        return;
    }
    if (mark->validity == MARK_VALID) {
        say(model, "reset to mark %d", which);
        CHECK_OK(adtape_mark_reset(model->tape, &mark->mark));
        model_reset_to(model, which);
    } else if ((mirrored && mark->validity == MARK_GONE) || state_order(&mark->state, &model->now) > 0) {
        say(model, "reset to mark %d, which is gone", which);
        CHECK_STATUS(adtape_mark_reset(model->tape, &mark->mark), ADTAPE_STATUS_MARK_ABOVE_TOP);
    }
}

static void compare_marks(model_t *model) {
    const model_mark_t *a = &model->marks[below(MOST_MARKS)], *b = &model->marks[below(MOST_MARKS)];
    int32_t order = 9;
    int64_t bytes = -1;
    if (a->taken && b->taken) {
        say(model, "compare marks");
        CHECK_OK(adtape_mark_compare(&a->mark, &b->mark, &order, &bytes));
        CHECK_I64(order, state_order(&a->state, &b->state));
        CHECK_I64(bytes, (int64_t)b->state.length - (int64_t)a->state.length);
    }
}

static void change_region(model_t *model) {
    const uint64_t choice = below(8);
    if (choice < 4 && model->depth < MOST_LEVELS) {
        say(model, "start repeat region %d", model->depth + 1);
        CHECK_OK(adtape_repeat_start(model->tape));
        model_start(model);
        deepest = model->depth > deepest ? model->depth : deepest;
    } else if (model->depth == 0) {
        say(model, "reset and end of no repeat region");
        CHECK_STATUS(adtape_repeat_reset(model->tape), ADTAPE_STATUS_REPEAT_UNBALANCED);
        CHECK_STATUS(adtape_repeat_end(model->tape), ADTAPE_STATUS_REPEAT_UNBALANCED);
    } else if (choice < 6) {
        say(model, "reset repeat region %d", model->depth);
        CHECK_OK(adtape_repeat_reset(model->tape));
        model_reset(model);
    } else {
        say(model, "end repeat region %d", model->depth);
        CHECK_OK(adtape_repeat_end(model->tape));
        model_end(model);
    }
}

static void hand_over(model_t *model) {
    adtape_t *handle = NULL;
    if (!model->is_self) {
        say(model, "release and acquire");
        CHECK_OK(adtape_release(model->tape, &handle));
        CHECK(handle == model->tape);
        CHECK_OK(adtape_acquire(handle));
    }
}

static void switch_profile(model_t *model) {
    const int on = (int)below(2);
    say(model, "profile mode %d", on);
    CHECK_OK(adtape_stats_set_profile(model->tape, on));
    if (!on) {
        memset(model->traffic, 0, sizeof model->traffic);
    }
    model->profile = on;
}

static void step(model_t *model) {
    if (model->now.length > LONG_TAPE) {
        rising = 0;
    } else if (below(60) == 0) {
        rising = !rising;
    }
    switch (below(40)) {
    case 0: change_region(model); break;
    case 1: take_mark(model); break;
    case 2: reset_to_mark(model); break;
    case 3: compare_marks(model); break;
    case 4: use_local_cursor(model); break;
    case 5: model_check(model); break;
    case 6: hand_over(model); break;
    case 7:
        switch (below(6)) {
        case 0: switch_profile(model); break;
        case 1: CHECK_OK(adtape_trim(model->tape, ADTAPE_TRIM_HARD)); break;
        case 2: CHECK_OK(adtape_trim(model->tape, ADTAPE_TRIM_SOFT)); break;
        default: change_region(model);
        }
        break;
    default:
        if ((below(4) == 0) != rising) {
            push_something(model);
        } else if (mirrored) {
            pop_last_push(model);
        } else {
            pop_anything(model);
        }
    }
}

/* Ends what is open and pops what is left. */
static void wind_up(model_t *model) {
    model_check(model);
    moves += stats_of(model->tape).moves;
    longest = model->most_bytes > longest ? model->most_bytes : longest;
    while (model->depth > 0) {
        say(model, "end repeat region %d", model->depth);
        CHECK_OK(adtape_repeat_end(model->tape));
        model_end(model);
    }
    while (model->now.length > 0 || model->now.pending > 0) {
        if (mirrored) {
            pop_last_push(model);
        } else {
            pop_anything(model);
        }
    }
    model_check(model);
}

static void run(uint64_t operations) {
    state = seed;
    program_length = 0;
    rising = 1;
    for (int i = 0; i < TAPES; i++) {
        model_init(&models[i], i == 0 ? adtape_self() : new_tape(), i == 0);
    }
    for (uint64_t n = 0; n < operations; n++) {
        step(&models[below(6) == 0 ? below(TAPES) : n / 100 % TAPES]);
    }
    for (int i = 0; i < TAPES; i++) {
        wind_up(&models[i]);
        model_free(&models[i]);
        CHECK_OK(adtape_destroy(models[i].tape));
    }
}

int main(int argc, char **argv) {
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t programs = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    const uint64_t operations = argc > 3 ? strtoull(argv[3], NULL, 10) : 2000;
    mirrored = environment_has("ADTAPE_CHECK");
    check_context = print_program;
    CHECK_OK(adtape_process_set_error_handler(unexpected_error, NULL));
    for (seed = first; seed < first + programs; seed++) {
        run(operations);
    }
    printf("%" PRIu64 " programs, longest tape %" PRIu64 " bytes, %" PRIu64 " moves, %d repeat regions deep\n",
           programs, longest, moves, deepest);
    if (programs * operations >= 40000) { /* enough to have been everywhere */
        CHECK(longest > 100000);
        CHECK_I64(deepest, MOST_LEVELS);
        CHECK(moves > programs * TAPES || getenv("ADTAPE_RESERVE") == NULL);
    }
    free(program);
    return 0;
}
