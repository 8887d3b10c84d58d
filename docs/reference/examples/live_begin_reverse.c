adtape_live_begin_reverse(NULL);
