/* The paths of the Fortran module (fortran_paths.F90), beside the header's inline form of the same operations. */
#include "paths.h"

static int32_t i32[MANY + 1];
static struct {
    double re, im;
} complex_f64[MANY + 1], f128[MANY + 1];

#define HEADER(name, push, pop)           \
    PATH(header_push_##name, push)        \
    PATH(header_pop_##name, pop)
#define SELF(kind, x) HEADER(kind, adtape_push_##kind(adtape_self(), x[i]), adtape_pop_##kind(adtape_self(), &x[i]))
#define ADDRESS(kind, x) HEADER(kind, adtape_push_##kind(adtape_self(), &x[i]), adtape_pop_##kind(adtape_self(), &x[i]))
SELF(i32, i32)
SELF(f64, values)
ADDRESS(complex_f64, complex_f64)
SELF(logical32, i32)
ADDRESS(f128, f128)
HEADER(f64_handle, adtape_push_f64(t, values[i]), adtape_pop_f64(t, &values[i]))
HEADER(control, adtape_push_control(adtape_self(), (uint64_t)i32[i] & 1, 1),
       i32[i] = (int32_t)adtape_pop_control(adtape_self(), 1))
HEADER(count, adtape_push_count(adtape_self(), i32[i]), i32[i] = (int32_t)adtape_pop_count(adtape_self()))

#define KINDS(X) X(i32) X(f64) X(complex_f64) X(logical32) X(f128) X(f64_handle) X(control) X(count)
#define DECLARE(name) path_t fortran_push_##name##_fast_path, fortran_pop_##name##_fast_path;
KINDS(DECLARE)

#define RUN(name)                                                                  \
    run(t, fortran_push_##name##_fast_path, fortran_pop_##name##_fast_path);       \
    run(t, header_push_##name##_fast_path, header_pop_##name##_fast_path);

int main(void) {
    adtape_t *t = NULL;
    if (adtape_create(&t) != ADTAPE_STATUS_OK) {
        return 1;
    }
    KINDS(RUN)
    return adtape_destroy(t) != ADTAPE_STATUS_OK;
}
