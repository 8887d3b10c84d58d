/* Counts what generated code pushes. */
#include <adtape.h>

extern long pushed[6];

static inline void counted_f64(adtape_t *tape, double value) { pushed[0]++; adtape_push_f64(tape, value); }
static inline void counted_i32(adtape_t *tape, int32_t value) { pushed[1]++; adtape_push_i32(tape, value); }
static inline void counted_i64(adtape_t *tape, int64_t value) { pushed[1]++; adtape_push_i64(tape, value); }
static inline void counted_control(adtape_t *tape, uint64_t value, unsigned bits) {
    pushed[2] += bits;
    adtape_push_control(tape, value, bits);
}
static inline void counted_count(adtape_t *tape, int64_t value) { pushed[3]++; adtape_push_count(tape, value); }
/* Several numbers of one type at once. */
#define COUNTED(form, type, c_type, kind)                                                                \
    static inline void counted_##form##_##type(adtape_t *tape, const c_type *first, int64_t count) {     \
        pushed[kind] += (long)count;                                                                     \
        adtape_push_##form##_##type(tape, first, count);                                                 \
    }
COUNTED(array, f64, double, 0)
COUNTED(array, i32, int32_t, 1)
COUNTED(array, i64, int64_t, 1)
COUNTED(record, f64, double, 0)
COUNTED(record, i32, int32_t, 1)
COUNTED(record, i64, int64_t, 1)
#undef COUNTED
static inline void counted_opaque(adtape_t *tape, void *value) { pushed[4]++; adtape_push_opaque(tape, value); }
static inline void counted_free_save(adtape_heap_t *heap, adtape_t *tape, void *block) {
    pushed[5]++;
    adtape_heap_free_save(heap, tape, block);
}

#define adtape_heap_free_save counted_free_save
#define adtape_push_opaque counted_opaque
#define adtape_push_f64 counted_f64
#define adtape_push_i32 counted_i32
#define adtape_push_i64 counted_i64
#define adtape_push_control counted_control
#define adtape_push_count counted_count
#define adtape_push_array_f64 counted_array_f64
#define adtape_push_array_i32 counted_array_i32
#define adtape_push_array_i64 counted_array_i64
#define adtape_push_record_f64 counted_record_f64
#define adtape_push_record_i32 counted_record_i32
#define adtape_push_record_i64 counted_record_i64
