const adtape_session_t *session = adtape_session_default();
assert(session != NULL && session == adtape_session_default());
