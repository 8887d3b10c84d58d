/* What the drivers share: a derivative test of the gradient with respect to all inputs, and how much lay on the tape. */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <adtape.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Inputs are one vector. Returns a status for exit. */
static inline int tested(adtape_function_f64_t f, adtape_gradient_f64_t gradient, int n, const double *inputs,
                         double items, const char *item) {
    adtape_test_report_t report;
    adtape_stats_t stats;
    if (adtape_test_gradient_f64(f, gradient, NULL, n, inputs, NULL, NULL, &report) != ADTAPE_STATUS_OK) {
        printf("%s\n", adtape_error_message());
        return 1;
    }
    if (report.passed) {
        printf("%d derivatives: right, the remainder falls with h^%.2f\n", n, report.order);
    } else {
        fputs(adtape_test_text(), stdout);
    }
    adtape_stats(adtape_self(), &stats);
    printf("tape: %llu bytes, %.1f for each %s\n", (unsigned long long)stats.peak_bytes, (double)stats.peak_bytes / items,
           item);
    return !report.passed || stats.bytes != 0;
}

#endif
