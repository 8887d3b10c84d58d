/* verdict.c: what failed on one rank fails on all, with one status and one message. */

enum { VERDICT_TEXT = 1024 };
struct verdict {
    int32_t status;
    char text[VERDICT_TEXT];
};

/* This rank's last error of adtape, or why there is one. */
static adtape_status_t refuse(adtape_status_t status, const char *format, ...)
    __attribute__((cold, format(printf, 2, 3)));
static adtape_status_t refuse(adtape_status_t status, const char *format, ...) {
    char text[VERDICT_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return adtape_abi0_error(status, text);
}

/* The status of the first rank that failed, on all ranks; `what` could not be done there. The message of that rank is its
 * adtape_error_message(). Collective. */
static adtape_status_t verdict(const struct comm *comm, adtape_status_t status, const char *what, const void *site) {
    struct verdict verdict = {.status = status};
    int mine = status == ADTAPE_STATUS_OK ? comm->size : comm->rank, first = 0;
    agree_together(comm, RUN_CALL, site);
    expect(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm->twin), site, "MPI_Allreduce");
    if (first == comm->size) {
        return ADTAPE_STATUS_OK;
    }
    if (comm->rank == first) {
        (void)snprintf(verdict.text, sizeof verdict.text, "%s", adtape_error_message());
    }
    expect(MPI_Bcast(&verdict, sizeof verdict, MPI_BYTE, first, comm->twin), site, "MPI_Bcast");
    return refuse(verdict.status, "rank %d of %d: %s: %s", first, comm->size, what, verdict.text);
}

/* A number that no other process draws. */
static uint64_t unique(void) {
    uint64_t number = (uint64_t)time(NULL) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)getpid() << 40 ^
                      (uint64_t)(MPI_Wtime() * 1e9) ^ (uint64_t)(uintptr_t)&number;
    uint64_t drawn = 0;
    FILE *file = fopen("/dev/urandom", "rb");
    if (file != NULL) {
        number ^= fread(&drawn, sizeof drawn, 1, file) == 1 ? drawn : 0;
        (void)fclose(file);
    }
    return number;
}

/* Everyone waits a moment before a further attempt. */
static void pause_ms(long milliseconds) {
    const struct timespec moment = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    (void)nanosleep(&moment, NULL);
}
