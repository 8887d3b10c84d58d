/* Every error that a C program can provoke, one case each.
 *
 *   errors                  all cases, each in a child process
 *   errors --list           the cases, one a line: name, how it ends, status
 *   errors <case>           that case with the default error handler
 *   errors <case> handler   with a handler of this program's own
 *
 * A case of a call that returns a status ends with code 40 + status; one of a call that returns none is aborted by
 * the default handler, and ends with code 40 + status in the program's own. Unless an error leaves the tape
 * unchanged, the case fails: what was on it before is popped and compared afterwards. */
#include <pthread.h>
#include <signal.h>

#include "child.h"

/* How a case ends; BARE: no tape is used before it. */
enum { RETURNS = 0, ABORTS = 1, BARE = 2 };

enum { FIRST_CODE = 40 };

static struct {
    const char *file, *push_file;
    int line;      /* of the call that fails */
    int push_line; /* of the push that it does not match, in check mode */
    adtape_status_t status;
    char message[4000];
    void (*before_verify)(void); /* makes the tape usable again */
    int elsewhere;               /* it fails on a thread that may not read the tape */
    int emptied;                 /* the case has popped all there was */
} seen;

static adtape_t *tape;
static adtape_local_t local;
static adtape_t *other;

/* The address that a call returns to is its site: keep the compiler from jumping into it instead. */
#define HERE(call)              \
    do {                        \
        seen.file = __FILE__;   \
        seen.line = __LINE__;   \
        call;                   \
        __asm__ volatile("");   \
    } while (0)
#define PUSH_HERE(call)            \
    do {                           \
        seen.push_file = __FILE__; \
        seen.push_line = __LINE__; \
        call;                      \
        __asm__ volatile("");      \
    } while (0)

static void returned(adtape_status_t status) {
    seen.status = status;
    snprintf(seen.message, sizeof seen.message, "%s", adtape_error_message());
}

/* ---- what is on the tape ----------------------------------------------------------------------------- */

static const int32_t numbers[5] = {1, -2, 3, -4, 5};

static void fill(adtape_t *t) {
    adtape_push_f64(t, 1.25);
    adtape_push_array_i32(t, numbers, 5);
    adtape_push_count(t, 300);
    adtape_push_control(t, 0x15, 5);
    adtape_push_f64(t, 0.5);
}

static void verify_filled(adtape_t *t) {
    double x = 0;
    int32_t popped[5];
    CHECK_U64(stats_of(t).bytes, 38);
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 0.5);
    CHECK_U64(adtape_pop_control(t, 5), 0x15);
    CHECK_I64(adtape_pop_count(t), 300);
    adtape_pop_array_i32(t, popped, 5);
    CHECK_SAME(popped, numbers, sizeof numbers);
    adtape_pop_f64(t, &x);
    CHECK_F64(x, 1.25);
    CHECK_U64(stats_of(t).bytes + stats_of(t).pending_bits, 0);
}

static void verify(void) {
    if (seen.before_verify != NULL) {
        seen.before_verify();
    }
    if (seen.emptied) {
        CHECK_U64(stats_of(tape).bytes + stats_of(tape).pending_bits, 0);
    } else {
        verify_filled(tape);
    }
    verify_filled(adtape_self());
}

#include "errors_cases.h"
#include "errors_address.h"
#include "errors_mismatch.h"
#include "errors_table.h"

/* ---- running a case ---------------------------------------------------------------------------------- */

static const struct error_case {
    const char *name, *environment;
    adtape_status_t status;
    int how;
    void (*provoke)(void);
} cases[] = {
#define ROW(name, environment, status, how) {#name, environment, ADTAPE_STATUS_##status, how, name},
    ERROR_CASES(ROW)};

enum { CASES = sizeof cases / sizeof cases[0] };

static const struct error_case *running;

static void check_site(const char *file, int line) {
#if defined(NO_DEBUG_LINES)
    (void)file;
    (void)line;
#else
    char place[200];
    const char *name = strrchr(file, '/');
    snprintf(place, sizeof place, "%s:%d (", name == NULL ? file : name + 1, line);
    CHECK_HAS(seen.message, place);
#endif
}

static void check_seen(void) {
    CHECK_STATUS(seen.status, running->status);
    CHECK(strlen(seen.message) > 20);
    if (running->how == ABORTS) {
        check_site(seen.file, seen.line);
    }
    if (seen.push_line != 0) {
        check_site(seen.push_file, seen.push_line);
    }
}

static void handler(adtape_status_t status, const char *message, void *user) {
    CHECK(user == &seen);
    CHECK(strcmp(message, adtape_error_message()) == 0);
    returned(status);
    if (seen.elsewhere) {
        pthread_exit(NULL);
    }
    check_seen();
    if (!(running->how & BARE)) {
        verify();
    }
    _exit(FIRST_CODE + status);
}

static void run_case(const struct error_case *chosen, int own_handler) {
    running = chosen;
    if (chosen->environment != NULL) {
        static char setting[100];
        snprintf(setting, sizeof setting, "%s", chosen->environment);
        CHECK(putenv(setting) == 0);
    }
    if (own_handler) {
        CHECK_OK(adtape_process_set_error_handler(handler, &seen));
    }
    if (!(chosen->how & BARE)) {
        tape = new_tape();
        fill(tape);
        fill(adtape_self());
    }
    chosen->provoke();
    check_seen(); /* it returned, or ended a thread only */
    fprintf(stderr, "%s\n", seen.message);
    if (!(chosen->how & BARE)) {
        verify();
    }
    _exit(FIRST_CODE + seen.status);
}

static void run_with_default(void *chosen) { run_case(chosen, 0); }
static void run_with_handler(void *chosen) { run_case(chosen, 1); }

static void check_case(const struct error_case *chosen) {
    struct error_case copy = *chosen;
    child_t child = in_child(run_with_default, &copy);
    if (chosen->how & ABORTS) {
        CHECK_SIGNAL(child, SIGABRT);
        CHECK(strncmp(child.text, "adtape: error: ", 15) == 0);
        child = in_child(run_with_handler, &copy);
    }
    CHECK_EXIT(child, FIRST_CODE + chosen->status);
}

int main(int argc, char **argv) {
    static const char *const variables[] = {"ADTAPE_CHECK", "ADTAPE_PROFILE", "ADTAPE_STEP", "ADTAPE_RESERVE"};
    const struct error_case *chosen = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        unsetenv(variables[i]); /* each case sets what it is about */
    }
    for (int i = 0; i < CASES; i++) {
        if (argc == 1) {
            running = &cases[i];
            check_case(&cases[i]);
        } else if (strcmp(argv[1], "--list") == 0) {
            printf("%s %s %s\n", cases[i].name, cases[i].how & ABORTS ? "aborts" : "returns",
                   adtape_status_name(cases[i].status));
        } else if (strcmp(argv[1], cases[i].name) == 0) {
            chosen = &cases[i];
        }
    }
    if (chosen != NULL) {
        run_case(chosen, argc > 2 && strcmp(argv[2], "handler") == 0);
    } else if (argc > 1 && strcmp(argv[1], "--list") != 0) {
        fprintf(stderr, "there is no case %s\n", argv[1]);
        return 2;
    }
    return 0;
}
