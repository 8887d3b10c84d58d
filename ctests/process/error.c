/* Errors: their names and the last message of each thread. What each error says is in errors.c. */
#include <pthread.h>

#include "check.h"

static void every_status_has_its_name(void) {
    static const struct {
        adtape_status_t status;
        const char *name;
    } rows[] = {
#define ROW(name) {ADTAPE_STATUS_##name, "ADTAPE_STATUS_" #name}
        ROW(OK), ROW(NULL_HANDLE), ROW(NULL_POINTER), ROW(COUNT_RANGE), ROW(BAD_ARGUMENT), ROW(UNDERFLOW),
        ROW(MEMORY_LIMIT), ROW(OUT_OF_MEMORY), ROW(REPEAT_UNBALANCED), ROW(MARK_FOREIGN), ROW(MARK_ABOVE_TOP),
        ROW(MISMATCH), ROW(CORRUPT), ROW(WRONG_THREAD), ROW(RELEASED), ROW(ATTACHED), ROW(POISONED),
        ROW(BAD_ENVIRONMENT), ROW(IO), ROW(NOT_FOUND), ROW(DAMAGED), ROW(OTHER_VERSION), ROW(OVERLAP),
        ROW(NO_RANGE), ROW(AMBIGUOUS), ROW(UNEVEN), ROW(STOPPED), ROW(BAD_BLOCK),
        ROW(HEAP_STATE), ROW(NO_ADJOINT), ROW(IN_USE),
    };
    for (int32_t i = 0; i < (int32_t)(sizeof rows / sizeof rows[0]); i++) {
        CHECK_I64(rows[i].status, i);
        CHECK(strcmp(adtape_status_name(rows[i].status), rows[i].name) == 0);
    }
    static const int32_t none[] = {-1, 1000, 100, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        CHECK(strcmp(adtape_status_name(none[i]), "unknown status") == 0);
    }
}

static void message_is_that_of_the_last_failure(void) {
    adtape_t *t = new_tape();
    CHECK(strcmp(adtape_error_message(), "") == 0);
    CHECK_STATUS(adtape_repeat_end(t), ADTAPE_STATUS_REPEAT_UNBALANCED);
    char first[1000];
    snprintf(first, sizeof first, "%s", adtape_error_message());
    CHECK(strlen(first) > 20 && first[strlen(first) - 1] != '\n');
    CHECK_U64(stats_of(t).bytes, 0); /* success leaves it alone */
    CHECK(strcmp(adtape_error_message(), first) == 0);
    CHECK_STATUS(adtape_trim(t, 9), ADTAPE_STATUS_BAD_ARGUMENT);
    CHECK(strcmp(adtape_error_message(), first) != 0);
    CHECK_OK(adtape_destroy(t));
}

static void *fail_elsewhere(void *nothing) {
    (void)nothing;
    CHECK(strcmp(adtape_error_message(), "") == 0);
    CHECK_FAILS(adtape_trim(NULL, 0), ADTAPE_STATUS_NULL_HANDLE, "NULL");
    return NULL;
}

static void message_is_the_threads_own(void) {
    pthread_t thread;
    CHECK_FAILS(adtape_repeat_end(adtape_self()), ADTAPE_STATUS_REPEAT_UNBALANCED, "none is active");
    CHECK(pthread_create(&thread, NULL, fail_elsewhere, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_HAS(adtape_error_message(), "none is active");
}

int main(void) {
    every_status_has_its_name();
    message_is_that_of_the_last_failure();
    message_is_the_threads_own();
    return 0;
}
