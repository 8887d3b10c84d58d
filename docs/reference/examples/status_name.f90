if (adtape_status_name(ADTAPE_STATUS_UNDERFLOW) /= 'ADTAPE_STATUS_UNDERFLOW') error stop
