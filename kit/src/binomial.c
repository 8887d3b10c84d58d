/* Binomial checkpointing (adBinomial_…), over the schedule of the library, and the stopping tests of fixed-point
 * adjoints (adFixedPoint_…).
 *
 * A schedule advances over many steps at once and counts from 0; here every step is an action of its own and steps count
 * from 1, whatever firstStep says: the kit stores that argument and never reads it. A load followed by a drop is
 * POPSNAP, any other load LOOKSNAP. */
#include "adBinomial.h"
#include "adFixedPoint.h"

/* One loop that is being reversed. */
struct kit_binomial {
    adtape_schedule_t *schedule;
    adtape_instruction_t next; /* asked for and not yet said; ADVANCE: to be run from step on */
    int waiting;               /* whether there is such a one */
    int64_t length;            /* steps, as far as is known */
    int64_t end;               /* steps that are not yet reversed */
    int64_t advanced;          /* the step that ADVANCE ordered last, from 0; -1 after anything else */
    int64_t turn;              /* after a resize, the step that FIRSTTURN comes to; else -1 */
};
static __thread struct {
    struct kit_binomial *sessions;
    int count, room;
} kit_binomials __attribute__((tls_model("initial-exec")));

static void binomial_check(adtape_status_t status, const void *site) {
    if (status != ADTAPE_STATUS_OK) {
        adtape_abi0_fail(status, adtape_error_message(), site);
    }
}

static struct kit_binomial *binomial_session(const void *site) {
    if (kit_binomials.count == 0) {
        adtape_abi0_fail(ADTAPE_STATUS_BAD_ARGUMENT, "no binomial checkpointing has begun\n  call adBinomial_init first",
                         site);
    }
    return &kit_binomials.sessions[kit_binomials.count - 1];
}

static void binomial_init(int length, int snapshots, const void *site) {
    struct kit_binomial session = {.length = length > 0 ? length : 0, .advanced = -1, .turn = -1};
    session.end = session.length;
    const adtape_schedule_options_t options = {.kind = ADTAPE_SCHEDULE_BINOMIAL,
                                               .steps = session.length,
                                               .memory_snapshots = snapshots > 0 ? snapshots : 0};
    binomial_check(adtape_schedule_create(&options, &session.schedule), site);
    if (kit_binomials.count == kit_binomials.room) {
        const int room = 2 * kit_binomials.room + 8;
        void *grown = realloc(kit_binomials.sessions, (size_t)room * sizeof session);
        if (grown == NULL) {
            adtape_abi0_fail(ADTAPE_STATUS_OUT_OF_MEMORY, "no memory for nested binomial checkpointing", site);
        }
        kit_binomials.sessions = grown;
        kit_binomials.room = room;
    }
    kit_binomials.sessions[kit_binomials.count++] = session;
}

/* The instruction that is due, without taking it. */
static adtape_instruction_t *binomial_peek(struct kit_binomial *session, const void *site) {
    if (!session->waiting) {
        binomial_check(adtape_schedule_next(session->schedule, &session->next), site);
        session->waiting = 1;
    }
    return &session->next;
}

static int binomial_say(int *action, int *step, int said, int64_t at) {
    *action = said;
    *step = (int)at;
    return 1;
}

static int binomial_turn(struct kit_binomial *session, int64_t at, int *action, int *step) {
    const int first = session->end == session->length;
    session->end = at;
    return binomial_say(action, step, first ? FIRSTTURN : TURN, at + 1);
}

/* The end of a session: the enclosing one goes on, and a thread that has none left keeps nothing. */
static int binomial_done(struct kit_binomial *session, int *action, int *step) {
    adtape_schedule_destroy(session->schedule);
    kit_binomials.count--;
    if (kit_binomials.count == 0) {
        free(kit_binomials.sessions);
        kit_binomials.sessions = NULL;
        kit_binomials.room = 0;
    }
    *action = -1;
    *step = -1;
    return 0;
}

static int binomial_next(int *action, int *step, const void *site) {
    struct kit_binomial *session = binomial_session(site);
    adtape_instruction_t *next = binomial_peek(session, site);
    session->advanced = -1;
    if (session->turn >= 0) {
        const int64_t at = session->turn;
        if (next->action == ADTAPE_ACTION_DROP) {
            session->waiting = 0;
            return binomial_say(action, step, POPSNAP, at);
        }
        session->turn = -1;
        return binomial_turn(session, at, action, step);
    }
    const int64_t at = (int64_t)next->step;
    switch (next->action) {
    case ADTAPE_ACTION_ADVANCE:
        session->waiting = ++next->step < next->to;
        session->advanced = at;
        return binomial_say(action, step, ADVANCE, at + 1);
    case ADTAPE_ACTION_SAVE: session->waiting = 0; return binomial_say(action, step, PUSHSNAP, at);
    case ADTAPE_ACTION_LOAD: {
        session->waiting = 0;
        const int last = binomial_peek(session, site)->action == ADTAPE_ACTION_DROP;
        session->waiting = !last;
        return binomial_say(action, step, last ? POPSNAP : LOOKSNAP, at);
    }
    case ADTAPE_ACTION_TURN: session->waiting = 0; return binomial_turn(session, at, action, step);
    default: return binomial_done(session, action, step);
    }
}

static void binomial_resize(const void *site) {
    struct kit_binomial *session = binomial_session(site);
    if (session->advanced < 0 || session->end < session->length) {
        adtape_abi0_fail(ADTAPE_STATUS_BAD_ARGUMENT,
                         "adBinomial_resize after something else than the first ADVANCE of a step\n  call it when the loop "
                         "exits in a step that ADVANCE ordered",
                         site);
    }
    printf("Binomial iteration exits on step %" PRId64 " before expected %" PRId64 "\n", session->advanced + 1,
           session->length);
    binomial_check(adtape_schedule_end_at(session->schedule, session->advanced), site);
    session->turn = session->advanced;
    session->length = session->end = session->advanced + 1;
    session->waiting = 0;
}

KIT_REPLACEABLE void adBinomial_init(int length, int nbSnap, int firstStep) {
    (void)firstStep;
    binomial_init(length, nbSnap, KIT_SITE);
}
KIT_REPLACEABLE int adBinomial_next(int *action, int *step) { return binomial_next(action, step, KIT_SITE); }
KIT_REPLACEABLE void adBinomial_resize(void) { binomial_resize(KIT_SITE); }
KIT_REPLACEABLE void adbinomial_init_(const int *length, const int *nbSnap, const int *firstStep) {
    (void)firstStep;
    binomial_init(*length, *nbSnap, KIT_SITE);
}
KIT_REPLACEABLE int adbinomial_next_(int *action, int *step) { return binomial_next(action, step, KIT_SITE); }
KIT_REPLACEABLE void adbinomial_resize_(void) { binomial_resize(KIT_SITE); }

/* ---- fixed points ------------------------------------------------------------------------------------- */

/* A fixed-point adjoint that is iterating. */
struct kit_fixed_point {
    double reference, previous; /* the first variation, and the last; negative before the first */
    int64_t iterations;
};
static __thread struct {
    struct kit_fixed_point *loops;
    int count, room;
} kit_fixed_points __attribute__((tls_model("initial-exec")));

static void fixed_point_begin(const void *site) {
    if (kit_fixed_points.count == kit_fixed_points.room) {
        const int room = 2 * kit_fixed_points.room + 8;
        void *grown = realloc(kit_fixed_points.loops, (size_t)room * sizeof *kit_fixed_points.loops);
        if (grown == NULL) {
            adtape_abi0_fail(ADTAPE_STATUS_OUT_OF_MEMORY, "no memory for nested fixed-point adjoints", site);
        }
        kit_fixed_points.loops = grown;
        kit_fixed_points.room = room;
    }
    kit_fixed_points.loops[kit_fixed_points.count++] = (struct kit_fixed_point){-1.0, -1.0, 1};
}

/* Goes on, or ends the innermost loop. */
static int fixed_point_answer(struct kit_fixed_point *loop, int again) {
    if (again) {
        loop->iterations++;
        return 1;
    }
    if (--kit_fixed_points.count == 0) {
        free(kit_fixed_points.loops);
        kit_fixed_points.loops = NULL;
        kit_fixed_points.room = 0;
    }
    return 0;
}

/* The innermost loop; NULL, and no further iteration, if none has begun. */
static struct kit_fixed_point *fixed_point(double cumul, const void *site) {
    if (cumul < 0.0) {
        fixed_point_begin(site);
    }
    return kit_fixed_points.count > 0 ? &kit_fixed_points.loops[kit_fixed_points.count - 1] : NULL;
}

/* Again until the variation is `reduction` times the first one, which must itself be noticeable; or grows, after some
 * iterations. A variation that is not a number ends the loop. */
static int fixed_point_not_reduced(double cumul, double reduction, const void *site) {
    struct kit_fixed_point *loop = fixed_point(cumul, site);
    if (loop == NULL || cumul < 0.0) {
        return loop != NULL;
    }
    int again;
    if (loop->reference < 0.0) {
        again = cumul > 1e-10;
        loop->reference = cumul;
    } else {
        again = cumul > reduction * loop->reference && !(loop->iterations > 5 && cumul > loop->previous);
    }
    loop->previous = cumul;
    return fixed_point_answer(loop, again);
}

/* Again until the variation is small enough. */
static int fixed_point_too_large(double cumul, double least, const void *site) {
    struct kit_fixed_point *loop = fixed_point(cumul, site);
    if (loop == NULL || cumul < 0.0) {
        return loop != NULL;
    }
    return fixed_point_answer(loop, cumul > least);
}

KIT_REPLACEABLE int adFixedPoint_notReduced(double cumul, float reduction) {
    return fixed_point_not_reduced(cumul, reduction, KIT_SITE);
}
KIT_REPLACEABLE int adFixedPoint_tooLarge(double cumul, float minCumul) {
    return fixed_point_too_large(cumul, minCumul, KIT_SITE);
}
/* By the C name, so that a program that replaces only that one is obeyed in Fortran too, as with the kit. */
KIT_REPLACEABLE int adfixedpoint_notreduced_(const double *cumul, const float *reduction) {
    return adFixedPoint_notReduced(*cumul, *reduction);
}
KIT_REPLACEABLE int adfixedpoint_toolarge_(const double *cumul, const float *minCumul) {
    return adFixedPoint_tooLarge(*cumul, *minCumul);
}
