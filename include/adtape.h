/* adtape.h: the tape of adjoint code.
 *
 *   forward sweep:  adtape_push_f64(t, x);          reverse sweep:  adtape_pop_f64(t, &x);
 *
 * Vocabulary. A tape is a last-in first-out store of values, one order for all types. A cursor is its hot
 * state. A mark is a position on it. A repeat region is a part that is popped several times. `t` is a tape:
 * adtape_self() for the calling thread's own, or one made by adtape_new().
 *
 * Errors. Calls that return adtape_status_t leave the tape as it was when they fail; adtape_error_message()
 * says what, where, how much and what to do. Push and pop calls, which sit in generated code that nobody
 * checks, do not return one: they call the session's error handler, which by default prints that message and
 * aborts.
 *
 * Environment: ADTAPE_CHECK, ADTAPE_PROFILE, ADTAPE_MEMORY_LIMIT, ADTAPE_RESERVE, ADTAPE_STEP, ADTAPE_HUGE_PAGES;
 * docs/environment.md explains them. */
#ifndef ADTAPE_H
#define ADTAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adtape/declarations.h" /* types and library calls, generated */
#include "adtape/inline.h"       /* push and pop, inlined into the caller */

#endif
