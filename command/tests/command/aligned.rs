//! Blocks of the functions that align them.

use crate::common::Scratch;
use crate::programs::check_driver;

/// One block of each, in a loop and in a branch; the sizes are rounded up to lines of the cache. They were refused.
#[test]
fn aligned_blocks_are_blocks() {
    let folder = Scratch::new("aligned");
    let model = "#include <malloc.h>
#include <stdlib.h>
int posix_memalign(void **, size_t, size_t);
void *reallocarray(void *, size_t, size_t);
static double squares(int n, const double *x) {
    double s = 0.0, *w = NULL;
    if (posix_memalign((void **)&w, 64, (size_t)n * sizeof *w) != 0) return 0.0;
    for (int i = 0; i < n; i++) w[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) s += w[i] * x[i];
    free(w);
    return s;
}
double f(int n, const double *x);
double f(int n, const double *x) {
    double s = 0.0, *lines = aligned_alloc(64, ((size_t)n * sizeof *lines + 63) / 64 * 64);
    for (int i = 0; i < n; i++) lines[i] = x[i] * x[(i + 1) % n];
    for (int pass = 0; pass < 2; pass++) {
        double *page = valloc((size_t)n * sizeof *page), *both = memalign(32, 2 * (size_t)n * sizeof(double));
        for (int i = 0; i < n; i++) page[i] = lines[i] * s + x[i], both[2 * i] = page[i], both[2 * i + 1] = lines[i];
        for (int i = 0; i < 2 * n; i++) s += both[i] * both[i];
        free(page);
        free(both);
    }
    double *more = reallocarray(NULL, (size_t)n, sizeof *more);
    for (int i = 0; i < n; i++) more[i] = lines[i] * x[i];
    s += more[n - 1] * squares(n, x);
    free(more);
    free(lines);
    return s;
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[3] = {0.1, 0.5, 0.4}, x_b[3] = {0.0};
    f_b(3, x, x_b, 1.0);
    return x_b[0] == 0.0;
}
";
    folder.write("model.c", model);
    folder.write("driver.c", driver);
    check_driver(&folder, "f(f)/(x)");
}
