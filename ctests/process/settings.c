/* The process: memory of all tapes, its limit, and the error handler. */
#include <signal.h>

#include "child.h"

static adtape_memory_t memory_of_process(void) {
    adtape_memory_t memory;
    memset(&memory, 0xEE, sizeof memory);
    CHECK_OK(adtape_process_memory(&memory));
    return memory;
}

/* In check and profile mode a second tape holds the records; here only what all modes have in common is checked. */
static void account_follows_every_tape(void) {
    const adtape_memory_t before = memory_of_process();
    adtape_t *a = new_tape(), *b = new_tape();
    CHECK_U64(memory_of_process().committed_bytes, before.committed_bytes);
    push_doubles(a, 100000);
    push_doubles(b, 50000);
    const adtape_stats_t stats_a = stats_of(a), stats_b = stats_of(b);
    const adtape_memory_t full = memory_of_process();
    const int64_t committed = stats_a.committed_bytes + stats_b.committed_bytes;
    const int64_t reserved = stats_a.reserved_bytes + stats_b.reserved_bytes;
    CHECK(full.committed_bytes >= before.committed_bytes + committed);
    CHECK(full.reserved_bytes >= before.reserved_bytes + reserved);
    if (!environment_has("ADTAPE_CHECK") && !environment_has("ADTAPE_PROFILE")) {
        CHECK_U64(full.committed_bytes, before.committed_bytes + committed);
        CHECK_U64(full.reserved_bytes, before.reserved_bytes + reserved);
    }
    CHECK(full.peak_committed_bytes >= full.committed_bytes);
    pop_doubles(a, 100000);
    CHECK_U64(memory_of_process().committed_bytes, full.committed_bytes); /* kept warm */
    CHECK_OK(adtape_trim(a, ADTAPE_TRIM_HARD));
    CHECK(memory_of_process().committed_bytes < full.committed_bytes - 700000);
    CHECK_OK(adtape_destroy(a));
    CHECK_OK(adtape_destroy(b));
    const adtape_memory_t after = memory_of_process();
    CHECK_U64(after.committed_bytes, before.committed_bytes);
    CHECK_U64(after.reserved_bytes, before.reserved_bytes);
    CHECK_U64(after.peak_committed_bytes, full.peak_committed_bytes);
}

static void limit_can_be_set_and_taken_back(void) {
    const uint64_t of_machine = memory_of_process().limit_bytes;
    CHECK(of_machine > 0);
    CHECK_OK(adtape_process_set_memory_limit(12345678));
    CHECK_U64(memory_of_process().limit_bytes, 12345678);
    CHECK_OK(adtape_process_set_memory_limit(0));
    CHECK_U64(memory_of_process().limit_bytes, of_machine);
}

static void null_is_refused(void) {
    CHECK_FAILS(adtape_process_memory(NULL), ADTAPE_STATUS_NULL_POINTER, "is NULL");
}

static int token;

static void handler_that_ends(adtape_status_t status, const char *message, void *user) {
    CHECK(user == &token);
    CHECK_I64(status, ADTAPE_STATUS_UNDERFLOW);
    CHECK_HAS(message, "settings.c");
    CHECK(strcmp(message, adtape_error_message()) == 0);
    _exit(42);
}

static void handler_that_returns(adtape_status_t status, const char *message, void *user) {
    (void)user;
    fprintf(stderr, "handler saw %s: %s\n", adtape_status_name(status), message);
}

static void pop_too_much(void *handler) {
    double x = 0;
    adtape_t *t = adtape_self();
    adtape_push_i8(t, 1);
    if (handler != NULL) {
        const adtape_error_handler_t *chosen = handler;
        CHECK_OK(adtape_process_set_error_handler(*chosen, &token));
    }
    adtape_pop_f64(t, &x);
}

static void pop_too_much_with_the_default_restored(void *nothing) {
    (void)nothing;
    CHECK_OK(adtape_process_set_error_handler(handler_that_ends, &token));
    CHECK_OK(adtape_process_set_error_handler(NULL, NULL));
    pop_too_much(NULL);
}

static void handler_is_called_with_status_message_and_user(void) {
    adtape_error_handler_t handler = handler_that_ends;
    const int check_mode = environment_has("ADTAPE_CHECK"); /* there it is a mismatch */
    if (!check_mode) {
        const child_t child = in_child(pop_too_much, &handler);
        CHECK_EXIT(child, 42);
        CHECK(child.text[0] == '\0');
    }
}

static void handler_that_returns_aborts(void) {
    adtape_error_handler_t handler = handler_that_returns;
    const child_t child = in_child(pop_too_much, &handler);
    CHECK_SIGNAL(child, SIGABRT);
    CHECK_HAS(child.text, "handler saw ADTAPE_STATUS_");
    CHECK_HAS(child.text, "error handler returned, which it must not; aborting");
}

static void default_handler_prints_and_aborts(void) {
    void (*const runs[])(void *) = {pop_too_much, pop_too_much_with_the_default_restored};
    for (int i = 0; i < 2; i++) {
        const child_t child = in_child(runs[i], NULL);
        CHECK_SIGNAL(child, SIGABRT);
        CHECK(strncmp(child.text, "adtape: error: ", 15) == 0);
        CHECK_HAS(child.text, "settings.c:");
    }
}

/* Nobody is left to tell, but the program must end nevertheless. */
static void pop_too_much_without_standard_error(void *nothing) {
    (void)nothing;
    close(STDERR_FILENO);
    pop_too_much(NULL);
}

static void closed_standard_error_still_aborts(void) {
    const child_t child = in_child(pop_too_much_without_standard_error, NULL);
    CHECK_SIGNAL(child, SIGABRT);
}

static void version_is_that_of_the_headers(void) {
    char numbers[40];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", ADTAPE_VERSION_MAJOR, ADTAPE_VERSION_MINOR, ADTAPE_VERSION_PATCH);
    CHECK(strcmp(adtape_version(), ADTAPE_VERSION) == 0 && strcmp(numbers, ADTAPE_VERSION) == 0);
}

int main(void) {
    version_is_that_of_the_headers();
    handler_is_called_with_status_message_and_user();
    handler_that_returns_aborts();
    default_handler_prints_and_aborts();
    closed_standard_error_still_aborts();
    account_follows_every_tape();
    limit_can_be_set_and_taken_back();
    null_is_refused();
    return 0;
}
