if (index(adtape_version(), '.') == 0) error stop
