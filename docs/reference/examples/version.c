assert(strcmp(adtape_version(), ADTAPE_VERSION) == 0); /* headers and library belong together */
assert(ADTAPE_VERSION_MAJOR == 0 && ADTAPE_VERSION_MINOR >= 1 && ADTAPE_VERSION_PATCH >= 0);
