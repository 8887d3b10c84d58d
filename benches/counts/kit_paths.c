/* The kit's fast paths: HOW is kit_call or kit_shared for calls of the library and kit_inline with its header. */
#if defined(KIT_INLINE)
#include "adStack.h"
#else
void pushReal8(double x);
void popReal8(double *x);
void pushInteger4(int x);
void popInteger4(int *x);
void pushControl1b(int cc);
void popControl1b(int *cc);
void pushControl2b(int cc);
void popControl2b(int *cc);
void pushControl5b(int cc);
void popControl5b(int *cc);
void pushReal8Array(double *x, int n);
void popReal8Array(double *x, int n);
void pushreal8_(double *x);
void popreal8_(double *x);
void pushcontrol1b_(int *cc);
void popcontrol1b_(int *cc);
#endif

#include "paths.h"

#define JOIN_(how, name) how##_##name
#define JOIN(how, name) JOIN_(how, name)
#define NAMED(name) JOIN(HOW, name)

#ifdef ADTAPE_EXTRA_BRANCH
static volatile uintptr_t never;
#define ADDED ((void)(adtape_self()->cur < never && (abort(), 0)))
#else
#define ADDED ((void)0)
#endif

static int numbers[MANY + 1];
/* `bytes` as doubles. */
static volatile int elements;

PATH(NAMED(push_real8), ADDED; pushReal8(x))
PATH(NAMED(pop_real8), ADDED; popReal8(&values[i]))
PATH(NAMED(push_integer4), ADDED; pushInteger4((int)i))
PATH(NAMED(pop_integer4), ADDED; popInteger4(&numbers[i]))
PATH(NAMED(push_control1b), ADDED; pushControl1b((int)i & 1))
PATH(NAMED(pop_control1b), ADDED; popControl1b(&numbers[i]))
PATH(NAMED(push_control2b), ADDED; pushControl2b((int)i & 3))
PATH(NAMED(pop_control2b), ADDED; popControl2b(&numbers[i]))
PATH(NAMED(push_control5b), ADDED; pushControl5b((int)i & 31))
PATH(NAMED(pop_control5b), ADDED; popControl5b(&numbers[i]))
#if !defined(KIT_INLINE)
PATH(NAMED(push_real8_fortran), pushreal8_(&x))
PATH(NAMED(pop_real8_fortran), popreal8_(&values[i]))
PATH(NAMED(push_control1b_fortran), pushcontrol1b_(&numbers[i]))
PATH(NAMED(pop_control1b_fortran), popcontrol1b_(&numbers[i]))
#endif

#define ARRAY(size)                                                                                                    \
    PATH(NAMED(push_array_##size), pushReal8Array(values, elements))                                                   \
    PATH(NAMED(pop_array_##size), popReal8Array(values, elements))                                                     \
    PATH(NAMED(push_memcpy_##size), size_t k = (size_t)bytes; __builtin_memcpy(memory + (size_t)i * k, values, k))     \
    PATH(NAMED(pop_memcpy_##size), size_t k = (size_t)bytes; __builtin_memcpy(values, memory + (size_t)i * k, k))
#define SIZES(X) X(64) X(504) X(1024) X(2048) X(4096)
SIZES(ARRAY)

#define RUN_(push, pop) run(NULL, push##_fast_path, pop##_fast_path)
#define RUN(push, pop) RUN_(push, pop)
#define RUN_ARRAY(size)                                         \
    bytes = size;                                               \
    elements = size / 8;                                        \
    RUN(NAMED(push_array_##size), NAMED(pop_array_##size));     \
    RUN(NAMED(push_memcpy_##size), NAMED(pop_memcpy_##size));

int main(void) {
    RUN(NAMED(push_real8), NAMED(pop_real8));
    RUN(NAMED(push_integer4), NAMED(pop_integer4));
    RUN(NAMED(push_control1b), NAMED(pop_control1b));
    RUN(NAMED(push_control2b), NAMED(pop_control2b));
    RUN(NAMED(push_control5b), NAMED(pop_control5b));
#if !defined(KIT_INLINE)
    RUN(NAMED(push_real8_fortran), NAMED(pop_real8_fortran));
    RUN(NAMED(push_control1b_fortran), NAMED(pop_control1b_fortran));
#endif
    SIZES(RUN_ARRAY)
    return 0;
}
