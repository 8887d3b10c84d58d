adtape_session_t *s;
double x;
must(adtape_session_new(&s));
assert(adtape_live_add(s, &x, sizeof x, ADTAPE_KIND_STACK, "x") == 1);
must(adtape_session_free(s));
