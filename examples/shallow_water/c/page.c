#include "page.h"

#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>

const char *page_path(const char *what) {
    static char path[4096];
    const char *beginning = getenv("DEMO_PAGE");
    if (beginning == NULL || beginning[0] == '\0') {
        return NULL;
    }
    (void)snprintf(path, sizeof path, "%s.%s", beginning, what);
    return path;
}

/* NULL without DEMO_PAGE. */
static FILE *open_data(void) {
    const char *path = page_path("data");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (path != NULL && file == NULL) {
        progress_clear();
        (void)fprintf(stderr, "shallow_water: %s, which DEMO_PAGE names, cannot be written\n", path);
        exit(2);
    }
    return file;
}

void page_numbers(const char *name, int64_t count, const double *numbers) {
    FILE *file = open_data();
    if (file != NULL) {
        (void)fputs(name, file);
        for (int64_t i = 0; i < count; i++) {
            (void)fprintf(file, ",%.9g", numbers[i]);
        }
        (void)fputc('\n', file);
        (void)fclose(file);
    }
}

void page_field(const char *name, int nx, int ny, const double *x, double factor, const double *offset) {
    FILE *file = open_data();
    if (file != NULL) {
        (void)fprintf(file, "%s,%d,%d", name, nx, ny);
        for (int i = 0; i < nx * ny; i++) {
            (void)fprintf(file, ",%.6g", factor * x[i] + (offset == NULL ? 0.0 : offset[i]));
        }
        (void)fputc('\n', file);
        (void)fclose(file);
    }
}
