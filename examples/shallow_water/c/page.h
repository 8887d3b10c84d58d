/* page.h: what the page of the demo is drawn from, where DEMO_PAGE names the beginning of the files' names. */
#ifndef SHALLOW_WATER_PAGE_H
#define SHALLOW_WATER_PAGE_H

#include <stdint.h>

/* DEMO_PAGE, a dot and `what`; NULL without DEMO_PAGE. Valid until the next call. */
const char *page_path(const char *what);

/* Appends a line to DEMO_PAGE.data: a name, then numbers. */
void page_numbers(const char *name, int64_t count, const double *numbers);
/* A field of nx times ny numbers, which are factor * x + offset; offset may be NULL. */
void page_field(const char *name, int nx, int ny, const double *x, double factor, const double *offset);

#endif
