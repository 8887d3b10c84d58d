/* adtape_kit_calls.h: pushes and pops in the C spelling. adStack.h includes it to inline them, the library to export
 * them: ADTAPE_KIT_SCALAR_CALL_ and ADTAPE_KIT_ARRAY_CALL_ are what they begin with. */

#define ADTAPE_KIT_DEFINE_SCALAR_(Name, name, T, what)                          \
    ADTAPE_KIT_SCALAR_CALL_ void push##Name(T x) { adtape_kit_push_(&x, what); } \
    ADTAPE_KIT_SCALAR_CALL_ void pop##Name(T *x) { ADTAPE_KIT_POP_(T, x, what); }
ADTAPE_KIT_VALUE_TYPES_(ADTAPE_KIT_DEFINE_SCALAR_)
ADTAPE_KIT_POINTER_TYPES_(ADTAPE_KIT_DEFINE_SCALAR_)

ADTAPE_KIT_SCALAR_CALL_ void pushReal16(long double *x) { adtape_kit_push_(x, ADTAPE_KIT_REAL16_); }
ADTAPE_KIT_SCALAR_CALL_ void popReal16(long double *x) { adtape_kit_pop_(x, ADTAPE_KIT_REAL16_); }

#define ADTAPE_KIT_DEFINE_ARRAY_(Name, name, T, what)                                               \
    ADTAPE_KIT_ARRAY_CALL_ void push##Name##Array(T *x, int n) { adtape_kit_push_array_(x, n, what); } \
    ADTAPE_KIT_ARRAY_CALL_ void pop##Name##Array(T *x, int n) { adtape_kit_pop_array_(x, n, what); }
ADTAPE_KIT_VALUE_TYPES_(ADTAPE_KIT_DEFINE_ARRAY_)
ADTAPE_KIT_REAL16_TYPES_(ADTAPE_KIT_DEFINE_ARRAY_)

ADTAPE_KIT_SCALAR_CALL_ void pushBoolean(int x) { adtape_kit_push_control_(x, 1); }
ADTAPE_KIT_SCALAR_CALL_ void popBoolean(int *x) { adtape_kit_pop_control_(x, 1); }
ADTAPE_KIT_SCALAR_CALL_ void pushBit(int x) { adtape_kit_push_control_(x, 1); }
ADTAPE_KIT_SCALAR_CALL_ int popBit(void) { return adtape_kit_pop_bit_(); }

#define ADTAPE_KIT_DEFINE_CONTROL_(bits)                                                                \
    ADTAPE_KIT_SCALAR_CALL_ void pushControl##bits##b(int cc) { adtape_kit_push_control_(cc, bits); }   \
    ADTAPE_KIT_SCALAR_CALL_ void popControl##bits##b(int *cc) { adtape_kit_pop_control_(cc, bits); }
ADTAPE_KIT_WIDTHS_(ADTAPE_KIT_DEFINE_CONTROL_)
