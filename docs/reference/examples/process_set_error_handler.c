/* example: whole */
static void end_run(int32_t status, const char *message, void *user) {
    fprintf(stderr, "%s: %s: %s\n", (const char *)user, adtape_status_name(status), message);
    exit(status == ADTAPE_STATUS_UNDERFLOW ? 0 : 1); /* or MPI_Abort */
}

int main(void) {
    static char who[] = "rank 0";
    double x;
    must(adtape_process_set_error_handler(end_run, who));
    adtape_pop_f64(adtape_self(), &x); /* of an empty tape */
    return 2;
}
