/* example: whole */
static void *reverse_sweep(void *handle) {
    adtape_t *t = (adtape_t *)handle;
    double x;
    must(adtape_acquire(t));
    adtape_pop_f64(t, &x);
    assert(x == 2.0);
    must(adtape_destroy(t));
    return NULL;
}

int main(void) {
    adtape_t *handle;
    pthread_t thread;
    adtape_push_f64(adtape_self(), 2.0); /* the forward sweep */
    must(adtape_release(adtape_self(), &handle));
    if (pthread_create(&thread, NULL, reverse_sweep, handle) != 0) {
        return 1;
    }
    return pthread_join(thread, NULL);
}
