/* adtape.h: the tape of adjoint code.
 *
 *   forward sweep:  adtape_push_f64(t, x);          reverse sweep:  adtape_pop_f64(t, &x);
 *
 * Vocabulary. A tape is a last-in first-out store of values, one order for all types. A cursor is its hot
 * state. A mark is a position on it. A repeat region is a part that is popped several times. `t` is a tape:
 * adtape_self() for the calling thread's own, or one made by adtape_create().
 *
 * Errors. Calls that return adtape_status_t leave the tape as it was when they fail; adtape_error_message()
 * says what, where, how much and what to do. Push and pop calls, which sit in generated code that nobody
 * checks, do not return one: they call the error handler, which by default prints that message and
 * aborts. docs/errors.md lists all, docs/reference.md all calls with examples.
 *
 * Ownership. A tape is used by one thread at a time. The statuses of ownership, which every call on a tape can
 * end with: ADTAPE_STATUS_WRONG_THREAD (the tape is another thread's), ADTAPE_STATUS_RELEASED (nobody's),
 * ADTAPE_STATUS_ATTACHED (lent to a local cursor), ADTAPE_STATUS_POISONED (lost by an earlier failure), and, at the
 * first tape of the process, ADTAPE_STATUS_BAD_ENVIRONMENT. Calls with a status always check; pushes and pops where
 * they take the slow path, which check mode makes them do every time.
 *
 * Environment: ADTAPE_CHECK, ADTAPE_PROFILE, ADTAPE_MEMORY_LIMIT, ADTAPE_RESERVE, ADTAPE_STEP, ADTAPE_HUGE_PAGES;
 * docs/environment.md explains them. */
#ifndef ADTAPE_H
#define ADTAPE_H

#if !defined(__cplusplus) && defined(__STRICT_ANSI__) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "adtape.h needs C99, or the extensions of GNU C: compile with -std=c99, -std=gnu89 or a newer standard"
#else

/* A header for each theme; each can be included alone. */
#include "adtape/process.h"    /* limits, errors, settings */
#include "adtape/tape.h"       /* values, arrays, sections, control, marks, repeat regions, statistics */
#include "adtape/objects.h"    /* what is alive and where: ranges, pointers, pairs, rebase */
#include "adtape/heap.h"       /* the stable heap */
#include "adtape/checkpoint.h" /* stores, checkpoints, restoration of everything alive */
#include "adtape/driver.h"     /* schedules, drivers */
#include "adtape/verify.h"     /* derivative tests */
#endif

#endif
