/* DRAFT: will be generated from src/ffi by cbindgen; same names and signatures */
#ifndef ADTAPE_DECLARATIONS_H
#define ADTAPE_DECLARATIONS_H
#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t adtape_status_t;
enum {
  ADTAPE_STATUS_OK = 0,
  ADTAPE_STATUS_NULL_HANDLE, ADTAPE_STATUS_NULL_POINTER, ADTAPE_STATUS_COUNT_RANGE, ADTAPE_STATUS_BAD_ARGUMENT,
  ADTAPE_STATUS_UNDERFLOW, ADTAPE_STATUS_MEMORY_LIMIT, ADTAPE_STATUS_OUT_OF_MEMORY, ADTAPE_STATUS_REPEAT_UNBALANCED,
  ADTAPE_STATUS_MARK_FOREIGN, ADTAPE_STATUS_MARK_ABOVE_TOP, ADTAPE_STATUS_MISMATCH /* check mode */,
  ADTAPE_STATUS_CORRUPT, ADTAPE_STATUS_WRONG_THREAD, ADTAPE_STATUS_RELEASED, ADTAPE_STATUS_ATTACHED,
  ADTAPE_STATUS_POISONED, ADTAPE_STATUS_BAD_ENVIRONMENT, ADTAPE_STATUS_IO
};
typedef int32_t adtape_type_t;
enum {
  ADTAPE_TYPE_I8 = 1, ADTAPE_TYPE_I16, ADTAPE_TYPE_I32, ADTAPE_TYPE_I64,
  ADTAPE_TYPE_F32, ADTAPE_TYPE_F64, ADTAPE_TYPE_F80, ADTAPE_TYPE_F128,
  ADTAPE_TYPE_COMPLEX_F32, ADTAPE_TYPE_COMPLEX_F64, ADTAPE_TYPE_COMPLEX_F80, ADTAPE_TYPE_COMPLEX_F128,
  ADTAPE_TYPE_BOOL, ADTAPE_TYPE_LOGICAL8, ADTAPE_TYPE_LOGICAL16, ADTAPE_TYPE_LOGICAL32, ADTAPE_TYPE_LOGICAL64, ADTAPE_TYPE_LOGICAL128,
  ADTAPE_TYPE_CHAR, ADTAPE_TYPE_BYTES, ADTAPE_TYPE_PTR, ADTAPE_TYPE_CONTROL, ADTAPE_TYPE_COUNT
};
/* public cursor layout */
typedef struct adtape { uintptr_t cur, limit, floor; uint64_t bits; uintptr_t edge; void *cold; } adtape_t;
typedef struct adtape_local { adtape_t c; } adtape_local_t;
typedef struct adtape_session adtape_session_t;

/* error */
typedef void (*adtape_error_handler_t)(adtape_status_t status, const char *message, void *user);
const char *adtape_error_message(void);             /* this thread's last failure, "" if none */
const char *adtape_status_name(adtape_status_t s);  /* "ADTAPE_STATUS_UNDERFLOW" */

/* session */
typedef struct adtape_memory { uint64_t limit_bytes, committed_bytes, peak_committed_bytes, reserved_bytes, tapes; } adtape_memory_t;
adtape_session_t *adtape_session_default(void);
adtape_status_t adtape_session_set_memory_limit(adtape_session_t *s, uint64_t limit_bytes); /* 0: what the machine has */
adtape_status_t adtape_session_memory(adtape_session_t *s, adtape_memory_t *out);
adtape_status_t adtape_session_set_error_handler(adtape_session_t *s, adtape_error_handler_t h, void *user); /* h NULL: the default */

/* tape */
adtape_status_t adtape_new(adtape_session_t *s, adtape_t **out);
adtape_status_t adtape_free(adtape_t *t);
adtape_status_t adtape_release(adtape_t *t, adtape_t **handle); /* t may be adtape_self(): *handle is then a new handle with its contents */
adtape_status_t adtape_acquire(adtape_t *handle);
enum { ADTAPE_TRIM_SOFT = 0, ADTAPE_TRIM_HARD = 1 };
adtape_status_t adtape_trim(adtape_t *t, int32_t how);
adtape_status_t adtape_attach(adtape_t *t, adtape_local_t *l);
adtape_status_t adtape_detach(adtape_local_t *l);

/* scalar: out of line, by address, for Fortran and other languages; with a handle and for the thread's tape;
   one pair for each type suffix i8 i16 i32 i64 f32 f64 f80 f128 complex_f32 complex_f64 complex_f80 complex_f128
   bool logical8 logical16 logical32 logical64 logical128 char ptr */
void adtape_call_push_f64(adtape_t *t, const void *x); void adtape_call_pop_f64(adtape_t *t, void *x);
void adtape_self_push_f64(const void *x);              void adtape_self_pop_f64(void *x);

/* array */
void adtape_push_array(adtape_t *t, adtape_type_t type, const void *x, int64_t count);
void adtape_pop_array(adtape_t *t, adtape_type_t type, void *x, int64_t count);
void adtape_self_push_array(adtape_type_t type, const void *x, int64_t count);
void adtape_self_pop_array(adtape_type_t type, void *x, int64_t count);

/* section: n-dimensional, strided. extents[0], strides_bytes[0] belong to the fastest dimension; rank 0 to 15; strides may be negative, base is the first element */
void adtape_abi0_push_section(adtape_t *t, adtape_type_t type, const void *base, int32_t rank, const int64_t *extents, const int64_t *strides_bytes, const void *site);
void adtape_abi0_pop_section(adtape_t *t, adtape_type_t type, void *base, int32_t rank, const int64_t *extents, const int64_t *strides_bytes, const void *site);
void adtape_abi0_fail(adtape_status_t status, const char *message, const void *site); /* does not return */

/* control: out of line for Fortran */
void adtape_call_push_control(adtape_t *t, uint64_t value, int32_t bits); uint64_t adtape_call_pop_control(adtape_t *t, int32_t bits);
void adtape_call_push_count(adtape_t *t, int64_t count);                  int64_t adtape_call_pop_count(adtape_t *t);
void adtape_self_push_control(uint64_t value, int32_t bits);              uint64_t adtape_self_pop_control(int32_t bits);
void adtape_self_push_count(int64_t count);                               int64_t adtape_self_pop_count(void);

/* mark */
typedef struct adtape_mark { uint64_t tape, offset_bytes, bits, check; } adtape_mark_t;
adtape_status_t adtape_mark_take(adtape_t *t, adtape_mark_t *m);
adtape_status_t adtape_mark_compare(const adtape_mark_t *a, const adtape_mark_t *b, int32_t *order); /* -1, 0, 1 */
adtape_status_t adtape_mark_bytes_between(const adtape_mark_t *a, const adtape_mark_t *b, int64_t *bytes); /* b - a */
adtape_status_t adtape_mark_reset(adtape_t *t, const adtape_mark_t *m); /* discards all that was pushed since */

/* repeat */
adtape_status_t adtape_repeat_start(adtape_t *t);
adtape_status_t adtape_repeat_reset(adtape_t *t);
adtape_status_t adtape_repeat_end(adtape_t *t);

/* stats */
typedef struct adtape_stats { uint64_t bytes, peak_bytes, pending_bits, committed_bytes, reserved_bytes, repeat_depth, moves, slow_calls, spilled_bytes; } adtape_stats_t;
typedef struct adtape_traffic { uint64_t calls, elements, bytes; } adtape_traffic_t;
enum { ADTAPE_OPERATION_PUSH = 0, ADTAPE_OPERATION_POP = 1 };
adtape_status_t adtape_stats_get(adtape_t *t, adtape_stats_t *out);
adtape_status_t adtape_stats_set_profile(adtape_t *t, bool on);       /* on also by ADTAPE_PROFILE=1 */
adtape_status_t adtape_stats_traffic(adtape_t *t, adtape_type_t type, int32_t operation, adtape_traffic_t *out); /* type 0: all types together */
adtape_status_t adtape_stats_reset(adtape_t *t);                      /* traffic to 0, peak to now */
adtape_status_t adtape_stats_print(adtape_t *t, int32_t fd);          /* a table for people */
const char *adtape_type_name(adtape_type_t type);                     /* "f64" */

/* entry points of the inline code; not to be called by hand */
extern const adtape_t adtape_abi0_closed;
adtape_t *adtape_abi0_self(void);
adtape_t *adtape_abi0_push_room(adtape_t *t, adtape_type_t type, int64_t count, const void *site);
adtape_t *adtape_abi0_pop_room(adtape_t *t, adtape_type_t type, int64_t count, const void *site);
void adtape_abi0_copy_in(adtape_t *t, const void *x, uint64_t bytes);
void adtape_abi0_copy_out(adtape_t *t, void *x, uint64_t bytes);
void adtape_abi0_push_control(adtape_t *t, uint64_t value, int32_t bits, const void *site);
uint64_t adtape_abi0_pop_control(adtape_t *t, int32_t bits, const void *site);
void adtape_abi0_push_count(adtape_t *t, int64_t count, const void *site);
int64_t adtape_abi0_pop_count(adtape_t *t, const void *site);
void adtape_abi0_null(int64_t count, const void *site);

#ifdef __cplusplus
}
#endif
#endif
