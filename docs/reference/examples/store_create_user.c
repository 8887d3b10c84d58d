adtape_store_t *s;
adtape_store_calls_t calls = {0}; /* nothing in it */
assert(adtape_store_create_user(&calls, NULL, &s) == ADTAPE_STATUS_NULL_POINTER && s == NULL);
