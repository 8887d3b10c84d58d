/* driver_model.h: a loop with a tape, for the programs that test drivers. */
#ifndef DRIVER_MODEL_H
#define DRIVER_MODEL_H

#include <math.h>

#include "schedules.h"

enum { N = 4 };

/* A chaotic map of a few numbers, and its adjoint. */
struct model {
    double x[N], adjoint[N];
    double stored[200][N];
    uint64_t ends;       /* the loop ends by itself after so many steps */
    int64_t stop_at;     /* the step that stops the run, or -1 */
    int64_t told;
    uint64_t calls;
    adtape_driver_t *driver;
};

static void forward(struct model *m, int64_t step) {
    for (int i = 0; i < N; i++) {
        m->x[i] = 3.7 * m->x[i] * (1.0 - m->x[i]) + 1e-4 * (double)(step % 7) * sin(m->x[(i + 1) % N]);
    }
}

static int32_t step(int64_t k, void *user) {
    struct model *m = (struct model *)user;
    if (k == m->stop_at) {
        return ADTAPE_FLOW_STOP;
    }
    forward(m, k);
    return k + 1 == (int64_t)m->ends ? ADTAPE_FLOW_ENDED : ADTAPE_FLOW_CONTINUE;
}

static int32_t record_step(int64_t k, void *user) {
    struct model *m = (struct model *)user;
    adtape_push_array_f64(adtape_self(), m->x, N);
    return step(k, user);
}

static int32_t reverse_step(int64_t k, bool first, void *user) {
    struct model *m = (struct model *)user;
    double x[N];
    if (first) {
        for (int i = 0; i < N; i++) {
            m->adjoint[i] = i + 1;
        }
    }
    adtape_pop_array_f64(adtape_self(), m->x, N);
    memcpy(x, m->x, sizeof x);
    /* Forward, component i reads components i and i + 1, the latter already new for i = N - 1. */
    forward(m, k);
    const double new_first = m->x[0];
    memcpy(m->x, x, sizeof x);
    for (int i = N - 1; i >= 0; i--) {
        const double other = i == N - 1 ? new_first : x[i + 1], bar = m->adjoint[i];
        m->adjoint[i] = 3.7 * (1.0 - 2.0 * x[i]) * bar;
        m->adjoint[(i + 1) % N] += 1e-4 * (double)(k % 7) * cos(other) * bar;
    }
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t adjoint_step(int64_t k, bool first, void *user) {
    record_step(k, user);
    return reverse_step(k, first, user);
}

static int32_t save(int64_t k, int32_t level, int64_t slot, void *user) {
    struct model *m = (struct model *)user;
    (void)k;
    memcpy(m->stored[100 * level + (int)slot], m->x, sizeof m->x);
    return ADTAPE_FLOW_CONTINUE;
}

static int32_t load(int64_t k, int32_t level, int64_t slot, void *user) {
    struct model *m = (struct model *)user;
    (void)k;
    memcpy(m->x, m->stored[100 * level + (int)slot], sizeof m->x);
    return ADTAPE_FLOW_CONTINUE;
}

static void progress(const adtape_progress_t *progress, void *user) {
    struct model *m = (struct model *)user;
    CHECK(progress->forward_steps >= m->told && (uint64_t)progress->reversed_steps <= m->ends);
    m->told = progress->forward_steps;
    m->calls++;
}

/* The functions of the loop, and others in their place. */
static const adtape_driver_calls_t model_calls = {step, adjoint_step, record_step, reverse_step,
                                                  NULL, NULL,         progress,    true};

static void set_steps(adtape_driver_t *d, adtape_step_t other, adtape_adjoint_step_t adjoint, void *user) {
    adtape_driver_calls_t calls = model_calls;
    calls.step = other;
    calls.adjoint_step = adjoint;
    CHECK_OK(adtape_driver_set_calls(d, &calls, user));
}

/* Numbers, one behind the other. */
static adtape_status_t register_as(adtape_driver_t *d, int32_t role, double *x, int64_t count) {
    return adtape_driver_register(d, role, NULL, ADTAPE_TYPE_F64, x, 1, &count, NULL);
}
static void register_state(double *x, int64_t count, adtape_driver_t *d) {
    CHECK_OK(register_as(d, ADTAPE_ROLE_STATE, x, count));
}

static void start(struct model *m, uint64_t ends) {
    memset(m, 0, sizeof *m);
    for (int i = 0; i < N; i++) {
        m->x[i] = 0.2 + 0.15 * i;
    }
    m->ends = ends;
    m->stop_at = -1;
    CHECK_OK(adtape_driver_create(&m->driver));
    CHECK_OK(adtape_driver_set_calls(m->driver, &model_calls, m));
}

static struct model model;

/* The program stores its state itself. */
static void set_snapshots(void) {
    adtape_driver_calls_t calls = model_calls;
    calls.save = save;
    calls.load = load;
    CHECK_OK(adtape_driver_set_calls(model.driver, &calls, &model));
}

/* The gradient by a schedule, with the state registered in two parts or stored by the program. */
static void gradient(adtape_schedule_t *schedule, uint64_t ends, int registered, double *out) {
    start(&model, ends);
    if (registered) {
        register_state(model.x, 1, model.driver);
        register_state(model.x + 1, N - 1, model.driver);
    } else {
        set_snapshots();
    }
    CHECK_OK(adtape_driver_run(model.driver, schedule, NULL));
    CHECK(model.calls >= ends);
    CHECK_U64(stats_of(adtape_self()).bytes, 0);
    memcpy(out, model.adjoint, sizeof model.adjoint);
    CHECK_OK(adtape_driver_destroy(model.driver));
    adtape_schedule_destroy(schedule);
}

#endif
