/* sums.c: packed values are added to others. */

/* Packed values lie anywhere: so vectors are read and written where they lie. Two at a time, without which a compiler
 * that does not know how many there are adds one by one. */
#define DEFINE_ADD_(name, type, bytes, attributes)                                             \
    attributes static void name(type *sum, const char *from, int64_t count) {                  \
        typedef type vector __attribute__((vector_size(bytes), aligned(1), may_alias));        \
        enum { LANES = bytes / sizeof(type) };                                                 \
        int64_t i = 0;                                                                         \
        for (; i + 2 * LANES <= count; i += 2 * LANES) {                                       \
            vector *a = (vector *)(void *)(sum + i);                                           \
            const vector *b = (const vector *)(const void *)(from + (size_t)i * sizeof(type)); \
            a[0] += b[0];                                                                      \
            a[1] += b[1];                                                                      \
        }                                                                                      \
        for (; i < count; i++) {                                                               \
            type x;                                                                            \
            memcpy(&x, from + (size_t)i * sizeof(type), sizeof x);                             \
            sum[i] += x;                                                                       \
        }                                                                                      \
    }
DEFINE_ADD_(add_doubles, double, 16, )
DEFINE_ADD_(add_singles, float, 16, )

/* Processors with vectors of 32 bytes take half as long where the values are in the nearest cache. */
#ifdef __x86_64__
#define AVX_ __attribute__((target("avx"), noinline))
DEFINE_ADD_(add_doubles_avx, double, 32, AVX_)
DEFINE_ADD_(add_singles_avx, float, 32, AVX_)
static bool has_avx;
static void vectors_begin(void) { has_avx = __builtin_cpu_supports("avx") != 0; }
#else
#define add_doubles_avx add_doubles
#define add_singles_avx add_singles
enum { has_avx = false };
static void vectors_begin(void) {}
#endif

static void add_floats(void *to, const void *from, int64_t count, enum kind kind) {
    if (kind == F64) {
        has_avx ? add_doubles_avx(to, from, count) : add_doubles(to, from, count);
    } else {
        has_avx ? add_singles_avx(to, from, count) : add_singles(to, from, count);
    }
}
