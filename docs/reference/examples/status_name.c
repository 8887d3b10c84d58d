assert(strcmp(adtape_status_name(ADTAPE_STATUS_UNDERFLOW), "ADTAPE_STATUS_UNDERFLOW") == 0);
assert(strcmp(adtape_status_name(-1), "unknown status") == 0);
