adtape_status_t status = adtape_repeat_end(adtape_self()); /* no region is active */
assert(status == ADTAPE_STATUS_REPEAT_UNBALANCED);
assert(strstr(adtape_error_message(), "end of a repeat region") != NULL);
