/* driver.c: one schedule on all ranks. Each rank has a driver, whose steps are the program's with a meeting in front. */

/* ---- the program's functions, with meetings ---- */

static int32_t stop_or(adtape_mpi_driver_t *m, enum meeting at, int64_t step) {
    return meet(m, at, step, ADTAPE_STATUS_OK, NULL) == ADTAPE_STATUS_OK ? ADTAPE_FLOW_CONTINUE : ADTAPE_FLOW_STOP;
}

static int32_t meeting_step(int64_t step, void *user) {
    adtape_mpi_driver_t *m = user;
    return stop_or(m, AT_STEP, step) != ADTAPE_FLOW_CONTINUE ? ADTAPE_FLOW_STOP : m->calls.step(step, m->user);
}

static int32_t meeting_adjoint_step(int64_t step, bool first, void *user) {
    adtape_mpi_driver_t *m = user;
    return stop_or(m, AT_ADJOINT, step) != ADTAPE_FLOW_CONTINUE ? ADTAPE_FLOW_STOP
                                                                : m->calls.adjoint_step(step, first, m->user);
}

static int32_t meeting_record_step(int64_t step, void *user) {
    adtape_mpi_driver_t *m = user;
    return stop_or(m, AT_RECORD, step) != ADTAPE_FLOW_CONTINUE ? ADTAPE_FLOW_STOP : m->calls.record_step(step, m->user);
}

static int32_t meeting_reverse_step(int64_t step, bool first, void *user) {
    adtape_mpi_driver_t *m = user;
    return stop_or(m, AT_REVERSE, step) != ADTAPE_FLOW_CONTINUE ? ADTAPE_FLOW_STOP
                                                                : m->calls.reverse_step(step, first, m->user);
}

static int32_t own_save(int64_t step, int32_t level, int64_t slot, void *user) {
    adtape_mpi_driver_t *m = user;
    return m->calls.save(step, level, slot, m->user);
}

static int32_t own_load(int64_t step, int32_t level, int64_t slot, void *user) {
    adtape_mpi_driver_t *m = user;
    return m->calls.load(step, level, slot, m->user);
}

static void own_progress(const adtape_progress_t *progress, void *user) {
    const adtape_mpi_driver_t *m = user;
    m->calls.progress(progress, m->user);
}

static adtape_driver_calls_t calls_with_meetings(const adtape_mpi_driver_t *m) {
    const adtape_driver_calls_t *own = &m->calls;
    return (adtape_driver_calls_t){
        .step = own->step != NULL ? meeting_step : NULL,
        .adjoint_step = own->adjoint_step != NULL ? meeting_adjoint_step : NULL,
        .record_step = own->record_step != NULL ? meeting_record_step : NULL,
        .reverse_step = own->reverse_step != NULL ? meeting_reverse_step : NULL,
        .save = own->save != NULL ? own_save : NULL,
        .load = own->load != NULL ? own_load : NULL,
        .progress = own->progress != NULL ? own_progress : NULL,
        .show_progress = own->show_progress && m->comm->rank == 0,
    };
}

/* ---- points ---- */

static adtape_status_t point_write(adtape_checkpoint_t *c, void *point) { return adtape_abi0_point_write(point, c); }

static adtape_status_t point_read(adtape_checkpoint_t *c, void *point) { return adtape_abi0_point_read(point, c); }

/* Behind a step or an action; all ranks are at the same one, unless one has failed in between. */
static int32_t keep_point(adtape_point_t *point, bool finished, void *user) {
    adtape_mpi_driver_t *m = user;
    if (!m->due && !finished) {
        return ADTAPE_STATUS_OK;
    }
    adtape_status_t status = meet(m, AT_POINT, finished, ADTAPE_STATUS_OK, NULL);
    if (status == ADTAPE_STATUS_OK) {
        const double begun = MPI_Wtime();
        status = settle(m, adtape_mpi_checkpoints_save(m->checkpoints, point_write, point));
        const double took = MPI_Wtime() - begun;
        m->due = false;
        m->next = MPI_Wtime() + (m->interval > 0 && m->interval < 9 * took ? 9 * took : m->interval);
    }
    return status;
}

static int32_t read_last_point(adtape_point_t *point, bool finished, void *user) {
    adtape_mpi_driver_t *m = user;
    (void)finished;
    adtape_status_t status = ADTAPE_STATUS_OK;
    if (m->finished) {
        status = adtape_mpi_checkpoints_remove(m->checkpoints);
        m->finished = false;
    }
    status = meet(m, AT_LAST, 0, status, NULL);
    if (status == ADTAPE_STATUS_OK && m->checkpoints->last.epoch > 0) {
        status = settle(m, adtape_mpi_checkpoints_load(m->checkpoints, point_read, point));
    }
    m->next = MPI_Wtime() + m->interval;
    return status;
}

API adtape_status_t adtape_mpi_driver_set_store(adtape_mpi_driver_t *m, const adtape_store_t *store, const char *name,
                                                double interval_seconds) {
    const void *site = SITE;
    adtape_mpi_checkpoints_t *made = NULL;
    if (m == NULL) {
        return refuse(ADTAPE_STATUS_NULL_HANDLE, "the driver on many ranks is NULL");
    }
    adtape_status_t status = name_check(name, store, &made);
    if (status == ADTAPE_STATUS_OK && !(interval_seconds >= 0 && interval_seconds < 1e9)) {
        status = refuse(ADTAPE_STATUS_BAD_ARGUMENT,
                        "%g seconds are no interval\n  pass a number of seconds, 0 or more", interval_seconds);
    }
    if (status == ADTAPE_STATUS_OK) {
        status = adtape_abi0_driver_set_keeper(m->driver, store, name, keep_point, read_last_point, m);
    }
    status = verdict(m->comm, status, "points of a run", site);
    if (status == ADTAPE_STATUS_OK) {
        status = checkpoints_new(m->comm, store, name, &made, site);
    }
    if (status == ADTAPE_STATUS_OK) {
        adtape_mpi_checkpoints_destroy(m->checkpoints);
        m->checkpoints = made;
        m->interval = interval_seconds;
    }
    return status;
}

/* ---- creation and end ---- */

API adtape_status_t adtape_mpi_driver_create(MPI_Comm handle, adtape_driver_t *d, const adtape_driver_calls_t *calls,
                                             void *user, adtape_mpi_driver_t **out) {
    const void *site = SITE;
    const struct comm *comm = comm_at(handle, site);
    adtape_status_t status = ADTAPE_STATUS_OK;
    if (out != NULL) {
        *out = NULL;
    }
    if (d == NULL) {
        status = refuse(ADTAPE_STATUS_NULL_HANDLE, "the driver is NULL");
    } else if (calls == NULL || out == NULL) {
        status = refuse(ADTAPE_STATUS_NULL_POINTER, "the functions of a driver, or the place of its handle, are NULL");
    }
    status = verdict(comm, status, "a driver on many ranks", site);
    if (status == ADTAPE_STATUS_OK) {
        adtape_mpi_driver_t *m = allocate_zeros(sizeof *m, site);
        m->comm = comm;
        m->driver = d;
        m->calls = *calls;
        m->user = user;
        *out = m;
    }
    return status;
}

API adtape_status_t adtape_mpi_driver_destroy(adtape_mpi_driver_t *m) {
    adtape_status_t status = ADTAPE_STATUS_OK;
    if (m == NULL) {
        return status;
    }
    const adtape_driver_calls_t none = {0};
    if (m->checkpoints != NULL) {
        (void)adtape_driver_set_store(m->driver, NULL, NULL, 0);
        if (m->finished) {
            status = adtape_mpi_checkpoints_remove(m->checkpoints);
        }
        adtape_mpi_checkpoints_destroy(m->checkpoints);
    }
    (void)adtape_driver_set_calls(m->driver, &none, NULL);
    free(m);
    return status;
}

/* ---- schedules ---- */

API adtape_status_t adtape_mpi_driver_create_schedule(adtape_mpi_driver_t *m, int64_t steps, int64_t budget_bytes,
                                                      adtape_schedule_t **out) {
    const void *site = SITE;
    int64_t bytes = 0, mine[3], least[3];
    if (m == NULL) {
        return refuse(ADTAPE_STATUS_NULL_HANDLE, "the driver on many ranks is NULL");
    }
    /* It refuses what makes no sense on this rank; another rank's schedule takes its place below. */
    adtape_status_t status = adtape_driver_create_schedule(m->driver, steps, budget_bytes, out);
    (void)adtape_abi0_driver_state_bytes(m->driver, &bytes);
    status = verdict(m->comm, status, "a schedule", site);
    mine[0] = bytes > 0 ? budget_bytes / bytes : 0;
    mine[1] = steps;
    mine[2] = -steps;
    expect(MPI_Allreduce(mine, least, 3, MPI_INT64_T, MPI_MIN, m->comm->twin), site, "MPI_Allreduce");
    if (status == ADTAPE_STATUS_OK && least[1] != -least[2]) {
        status = refuse(ADTAPE_STATUS_MISMATCH, "the ranks have from %" PRId64 " to %" PRId64 " steps", least[1],
                        -least[2]);
    }
    if (out != NULL && *out != NULL && (status != ADTAPE_STATUS_OK || least[0] < mine[0])) {
        (void)adtape_schedule_destroy(*out);
        *out = NULL;
    }
    if (status == ADTAPE_STATUS_OK && *out == NULL) {
        status = adtape_driver_create_schedule(m->driver, steps, least[0] * bytes, out);
    }
    return status;
}

/* A number that tells schedules apart, and what rank 0 says of the costs. */
static int64_t schedule_number(const adtape_mpi_driver_t *m, adtape_schedule_t *s) {
    adtape_prediction_t p;
    if (adtape_schedule_predict(s, &p) != ADTAPE_STATUS_OK) {
        return 0;
    }
    const int64_t figures[] = {p.steps, p.extra_steps, p.memory_saves, p.memory_loads, p.disk_saves, p.disk_loads};
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        number = (number ^ (uint64_t)figures[i]) * UINT64_C(0x9e3779b97f4a7c15);
        number ^= number >> 29;
    }
    if (m->calls.show_progress && m->comm->rank == 0 && p.steps > 0 && p.extra_steps >= 0) {
        (void)fprintf(stderr,
                      "adtape: %" PRId64 " steps on %d ranks; %.2f forward runs extra are predicted, %" PRId64
                      " snapshots written to memory, %" PRId64 " to disk\n",
                      p.steps, m->comm->size, (double)p.extra_steps / (double)p.steps, p.memory_saves, p.disk_saves);
    }
    return (int64_t)(number >> 8);
}

API adtape_status_t adtape_mpi_driver_run(adtape_mpi_driver_t *m, adtape_schedule_t *s, adtape_progress_t *done) {
    const void *site = SITE;
    if (m == NULL) {
        return refuse(ADTAPE_STATUS_NULL_HANDLE, "the driver on many ranks is NULL");
    }
    const adtape_driver_calls_t calls = calls_with_meetings(m);
    m->settled = m->due = false;
    m->next = MPI_Wtime() + m->interval;
    adtape_status_t status = adtape_driver_set_calls(m->driver, &calls, m);
    status = meet(m, AT_START, s != NULL ? schedule_number(m, s) : 0, status, site);
    if (status != ADTAPE_STATUS_OK) {
        return status;
    }
    status = adtape_driver_run(m->driver, s, done);
    if (m->settled) {
        return refuse(m->why.status, "%s", m->why.text);
    }
    status = meet(m, AT_END, 0, status, site);
    m->finished = status == ADTAPE_STATUS_OK;
    return status;
}
