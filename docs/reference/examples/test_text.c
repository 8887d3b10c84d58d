const float x = 1, gradient = 3;
adtape_test_report_t report;
assert(*adtape_test_text() == '\0'); /* no test yet */
adtape_status_t status = adtape_test_gradient_f32(NULL, NULL, NULL, 1, &x, &gradient, NULL, &report);
assert(status == ADTAPE_STATUS_NULL_POINTER); /* no function, so no verdict */
assert(*adtape_test_text() == '\0');
