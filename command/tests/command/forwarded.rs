//! Functions around `memset` and its kin.

use crate::programs::check_model;

/// A function of the source clears or copies memory of no type: reals, integers and structs, by bytes or by a count of
/// elements and their size, through an `int` too. The call was refused.
#[test]
fn memory_of_no_type_is_cleared_and_copied_by_functions_of_the_source() {
    let model = "#include <string.h>
#include <stddef.h>
static void zero(void *p, unsigned n) { memset(p, 0, n); }
static void *copy_of(void *to, const void *from, size_t n, size_t size) { return memcpy(to, from, n * size); }
static void *moved(void *to, const void *from, int bytes) { memmove(to, from, (size_t)bytes); return to; }
static void copy_reals(void *to, const void *from, int n) { memcpy(to, from, n * sizeof(double)); }
struct point { double x, y; int tag; };
double f(const double *x, double *w, int n); double f(const double *x, double *w, int n) {
    double a[8], r = 0; struct point p, q = {x[0], x[1], 3}; int count[4];
    zero(w, 3 * sizeof *w); zero(a, sizeof a); zero(count, n * sizeof(int)); zero(&p, sizeof p);
    copy_of(a, x, n, sizeof *a);
    moved(a + 1, a, (int)(3 * sizeof(double)));
    copy_reals(w, x, 2);
    copy_of(&p, &q, 1, sizeof p);
    for (int i = 0; i < n; i++) r += a[i] * a[i] * (count[i] + 1);
    return r + w[0] * w[1] * w[2] + w[1] * w[1] + p.x * p.y * p.tag;
}
";
    let driver = "#include \"model_b.h\"
int main(void) {
    double x[5] = {0.3, 0.6, 0.2, 0.8, 0.5}, x_b[5] = {0.0}, w[4] = {1.0, 2.0, 3.0, 4.0}, w_b[4] = {0.0};
    f_b(x, x_b, w, w_b, 4, 1.0);
    return x_b[1] == 0.0;
}
";
    check_model("forwarded", model, driver, "f(f)/(x w)");
}
