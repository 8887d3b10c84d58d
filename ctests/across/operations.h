/* operations.h: random pushes and pops on a tape and on its model, by every way in and out. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "model.h"
#include "sections.h"

enum { TAPES = 3, ARENA = 1 << 17 };

static uint64_t seed, state;
static int mirrored, rising;
static model_t models[TAPES];
static _Alignas(32) unsigned char values[ARENA], memory[ARENA];

/* ---- the program, as text ---------------------------------------------------------------------------- */

static char *program;
static size_t program_length, program_room;

__attribute__((format(printf, 2, 3))) static void say(const model_t *model, const char *format, ...) {
    va_list arguments;
    if (program_room - program_length < 200) {
        program_room = 2 * program_room + 4000;
        program = realloc(program, program_room);
        CHECK(program != NULL);
    }
    program_length += (size_t)snprintf(program + program_length, 20, "  tape %d: ", (int)(model - models));
    va_start(arguments, format);
    program_length += (size_t)vsnprintf(program + program_length, 150, format, arguments);
    va_end(arguments);
    program[program_length++] = '\n';
}

static void print_program(void) {
    fprintf(stderr, "seed %" PRIu64 "; the program, its last line failed:\n%.*s", seed, (int)program_length, program);
}

/* ---- random parts ------------------------------------------------------------------------------------ */

static uint64_t below(uint64_t n) { return random_below(&state, n); }

static int64_t random_length(size_t bytes_each) {
    const uint64_t most = ARENA / 2 / bytes_each;
    switch (below(12)) {
    case 0: return 0;
    case 1: return 1 + (int64_t)below(700) % (int64_t)most;
    case 2: return 1 + (int64_t)below(6000) % (int64_t)most;
    default: return 1 + (int64_t)below(40);
    }
}

static int64_t random_count(void) {
    const uint64_t word = random_word(&state);
    return (int64_t)(below(2) == 0 ? word & 127 : word >> below(64));
}

/* Extents whose product is `count`, of up to three dimensions and ones between them. */
static section_t section_of(int64_t count, size_t bytes) {
    int64_t extents[5] = {count, 1, 1, 1, 1};
    int32_t rank = 1 + (int32_t)below(5);
    for (int32_t d = 1; d < rank; d++) {
        const int64_t factor = 2 + (int64_t)below(4);
        if (extents[0] > 0 && extents[0] % factor == 0) {
            extents[0] /= factor;
            extents[d] = factor;
        }
    }
    if (count == 1 && below(3) == 0) {
        rank = 0;
    }
    return random_section(&state, rank, extents, bytes);
}

/* ---- pushes ------------------------------------------------------------------------------------------ */

static void push_scalar(model_t *model) {
    const type_row_t *type = &types[below(TYPES)];
    const uint64_t way = below(model->is_self ? 3 : 2);
    random_values(&state, type, values, 1);
    say(model, "push %s, way %d", type->name, (int)way);
    switch (way) {
    case 0: type->push(model->tape, values); break;
    case 1: type->call_push(model->tape, values); break;
    default: type->self_push(values);
    }
    model_push_values(model, type->type, values, 1, type->bytes, way == 0 ? defined_bytes(type) : type->bytes);
}

static void push_array(model_t *model) {
    const type_row_t *type = &types[below(TYPES)];
    const int64_t count = random_length(type->bytes);
    const uint64_t way = below(model->is_self ? 3 : 2);
    random_values(&state, type, values, (size_t)count);
    say(model, "push %" PRId64 " of %s, way %d", count, type->name, (int)way);
    switch (way) {
    case 0:
        (below(2) == 0 && type->push_record != NULL ? type->push_record : type->push_array)(model->tape, values, count);
        break;
    case 1: adtape_push_array(model->tape, type->type, values, count); break;
    default: adtape_self_push_array(type->type, values, count);
    }
    model_push_values(model, type->type, values, count, type->bytes, type->bytes);
}

static void push_bytes(model_t *model) {
    const int64_t count = random_length(1);
    random_bytes(&state, values, (size_t)count);
    say(model, "push %" PRId64 " bytes", count);
    adtape_push_bytes(model->tape, values, count);
    model_push_values(model, ADTAPE_TYPE_BYTES, values, count, 1, 1);
}

static void push_section(model_t *model) {
    const type_row_t *type = &types[below(TYPES)];
    const section_t section = section_of((int64_t)below(400), type->bytes);
    if (section.span > ARENA) {
        return;
    }
    random_values(&state, type, values, (size_t)section.count);
    copy_section(&section, type->bytes, memory, values, 0);
    say(model, "push section of %" PRId64 " of %s, rank %d", section.count, type->name, (int)section.rank);
    adtape_push_section(model->tape, type->type, memory + section.base, section.rank, section.extents,
                        section.strides);
    model_push_values(model, type->type, values, section.count, type->bytes, type->bytes);
}

static void push_control(model_t *model) {
    const int width = 1 + (int)below(below(3) == 0 ? 64 : 8);
    const uint64_t value = random_word(&state) >> (64 - width), way = below(model->is_self ? 3 : 2);
    say(model, "push control 0x%" PRIx64 " of %d bits, way %d", value, width, (int)way);
    switch (way) {
    case 0: adtape_push_control(model->tape, value, width); break;
    case 1: adtape_call_push_control(model->tape, value, width); break;
    default: adtape_self_push_control(value, width);
    }
    model_push_control(model, value, width);
}

static void push_count(model_t *model) {
    const int64_t count = random_count();
    const uint64_t way = below(model->is_self ? 3 : 2);
    say(model, "push count %" PRId64 ", way %d", count, (int)way);
    switch (way) {
    case 0: adtape_push_count(model->tape, count); break;
    case 1: adtape_call_push_count(model->tape, count); break;
    default: adtape_self_push_count(count);
    }
    model_push_count(model, count);
}

static void push_something(model_t *model) {
    switch (below(10)) {
    case 0: case 1: case 2: push_scalar(model); break;
    case 3: case 4: push_array(model); break;
    case 5: push_bytes(model); break;
    case 6: push_section(model); break;
    case 7: case 8: push_control(model); break;
    default: push_count(model);
    }
}

/* ---- pops -------------------------------------------------------------------------------------------- */

static void pop_control(model_t *model, int width) {
    const uint64_t way = below(model->is_self ? 3 : 2);
    uint64_t value;
    say(model, "pop control of %d bits, way %d", width, (int)way);
    switch (way) {
    case 0: value = adtape_pop_control(model->tape, width); break;
    case 1: value = adtape_call_pop_control(model->tape, width); break;
    default: value = adtape_self_pop_control(width);
    }
    model_pop_control(model, value, width);
}

static void pop_count(model_t *model) {
    const uint64_t way = below(model->is_self ? 3 : 2);
    int64_t count;
    say(model, "pop count, way %d", (int)way);
    switch (way) {
    case 0: count = adtape_pop_count(model->tape); break;
    case 1: count = adtape_call_pop_count(model->tape); break;
    default: count = adtape_self_pop_count();
    }
    model_pop_count(model, count);
}

/* `type` NULL: raw bytes. One value may be popped as a scalar, any number as an array or a section. */
static void pop_values(model_t *model, const type_row_t *type, int64_t count) {
    const adtape_type_t code = type == NULL ? ADTAPE_TYPE_BYTES : type->type;
    const size_t bytes = type == NULL ? 1 : type->bytes;
    uint64_t way = below(model->is_self ? 6 : 5);
    section_t section;
    if (type == NULL) {
        way = 1 + 2 * below(2);
    } else if (count != 1 && way >= 4) {
        way = 2;
    }
    if (way == 3) {
        section = section_of(count, bytes);
        way = section.span > ARENA ? 1 : 3;
    }
    say(model, "pop %" PRId64 " of %s, way %d", count, adtape_type_name(code), (int)way);
    switch (way) {
    case 0:
        (below(2) == 0 && type->pop_record != NULL ? type->pop_record : type->pop_array)(model->tape, values, count);
        break;
    case 1: adtape_pop_array(model->tape, code, values, count); break;
    case 2: model->is_self ? adtape_self_pop_array(code, values, count)
                           : adtape_pop_array(model->tape, code, values, count);
        break;
    case 3:
        adtape_pop_section(model->tape, code, memory + section.base, section.rank, section.extents, section.strides);
        copy_section(&section, bytes, memory, values, 1);
        break;
    case 4: below(2) == 0 ? type->pop(model->tape, values) : type->call_pop(model->tape, values); break;
    default: type->self_pop(values);
    }
    model_pop_values(model, code, values, count, bytes);
}

static const type_row_t *row_of(adtape_type_t code) {
    for (int i = 0; i < TYPES; i++) {
        if (types[i].type == code) {
            return &types[i];
        }
    }
    return NULL;
}

static void pop_last_push(model_t *model) {
    const record_t *record;
    if (model->now.record_length == 0) {
        return;
    }
    record = &model->now.records[model->now.record_length - 1];
    switch (record->type) {
    case ADTAPE_TYPE_CONTROL: pop_control(model, (int)record->count); break;
    case ADTAPE_TYPE_COUNT: pop_count(model); break;
    default: pop_values(model, row_of(record->type), record->count);
    }
}

/* Pops what there is, as something else than it was pushed as. */
static void pop_anything(model_t *model) {
    const state_t *now = &model->now;
    const int bits = model_bits(now);
    if (bits > 0 && below(2) == 0) {
        pop_control(model, 1 + (int)below(bits > 64 ? 64 : (uint64_t)bits));
    } else if (model_has_count(now)) {
        pop_count(model);
    } else {
        const type_row_t *type = below(8) == 0 ? NULL : &types[below(TYPES)];
        const size_t bytes = type == NULL ? 1 : type->bytes;
        const size_t most = model_values(now, ARENA / 2) / bytes;
        const int64_t wish = below(2) == 0 ? 1 : random_length(bytes);
        if (most > 0) {
            pop_values(model, type, wish < (int64_t)most ? wish : (int64_t)most);
        } else if (model_values(now, 1) == 0 && bits > 0) {
            pop_control(model, 1);
        } else if (model_values(now, 1) > 0) {
            pop_values(model, NULL, 1);
        }
    }
}

#endif
