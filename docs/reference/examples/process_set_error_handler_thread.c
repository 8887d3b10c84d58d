/* example: whole */
static void end_thread(int32_t status, const char *message, void *user) {
    (void)message;
    *(int32_t *)user = status;
    pthread_exit(NULL);
}

static void *worker(void *unused) {
    double x;
    adtape_pop_f64(adtape_self(), &x);
    return unused;
}

int main(void) {
    int32_t failure = ADTAPE_STATUS_OK;
    pthread_t thread;
    must(adtape_process_set_error_handler(end_thread, &failure));
    if (pthread_create(&thread, NULL, worker, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
    assert(failure == ADTAPE_STATUS_UNDERFLOW);
    return 0;
}
