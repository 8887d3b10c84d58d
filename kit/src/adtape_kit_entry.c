/* The entry points, in the C spelling and in the spelling of Fortran compilers (lower case, an underscore, arguments
 * by address), and in the lower-case C spelling of the kits of 2007 to 2011.
 *
 * KIT_FAST marks what is inlined for -flto in any case, scalars and control; KIT_INLINABLE what may be. Fortran callers
 * pass hidden lengths of character arguments behind the others; they are ignored. */

/* Types passed by value in C: X(Name, name, C type, what). */
#define KIT_INTEGER_TYPES(X)                                            \
    X(Integer4, integer4, int, ADTAPE_KIT_INTEGER4_)                    \
    X(Integer8, integer8, long, ADTAPE_KIT_INTEGER8_)
#define KIT_OTHER_TYPES(X)                                              \
    X(Real4, real4, float, ADTAPE_KIT_REAL4_)                           \
    X(Real8, real8, double, ADTAPE_KIT_REAL8_)                          \
    X(Complex8, complex8, ccmplx, ADTAPE_KIT_COMPLEX8_)                 \
    X(Complex16, complex16, cdcmplx, ADTAPE_KIT_COMPLEX16_)
#define KIT_CHARACTER_TYPE(X) X(Character, character, char, ADTAPE_KIT_CHAR_)
#define KIT_VALUE_TYPES(X) KIT_INTEGER_TYPES(X) KIT_OTHER_TYPES(X) KIT_CHARACTER_TYPE(X)
/* Whole pointers, also under the name that says 4: on a 64-bit machine there is no other kind. */
#define KIT_POINTER_TYPES(X)                                            \
    X(Pointer4, pointer4, void *, ADTAPE_KIT_POINTERS_)                 \
    X(Pointer8, pointer8, void *, ADTAPE_KIT_POINTERS_)

#define KIT_DEFINE_SCALAR(Name, name, T, what)                                                  \
    KIT_FAST void push##Name(T x) { adtape_kit_push_(&x, sizeof x, what); }                      \
    KIT_FAST void pop##Name(T *x) { ADTAPE_KIT_POP_(T, x, what); }
KIT_VALUE_TYPES(KIT_DEFINE_SCALAR)
KIT_POINTER_TYPES(KIT_DEFINE_SCALAR)

/* With -flto the compiler takes these for definitions in Fortran: only integers are sure to be the same type in both
 * languages and to be inlined everywhere. All others, logicals too, are bytes behind the address. */
#define KIT_DEFINE_FORTRAN_INTEGER(Name, name, T, what)                                         \
    KIT_FAST void push##name##_(const T *x) { adtape_kit_push_(x, sizeof *x, what); }            \
    KIT_FAST void pop##name##_(T *x) { ADTAPE_KIT_POP_(T, x, what); }
#define KIT_DEFINE_FORTRAN(Name, name, T, what)                                                 \
    KIT_FAST void push##name##_(const void *x) { adtape_kit_push_(x, sizeof(T), what); }         \
    KIT_FAST void pop##name##_(void *x) { adtape_kit_pop_(x, sizeof(T), what); }
KIT_INTEGER_TYPES(KIT_DEFINE_FORTRAN_INTEGER)
KIT_OTHER_TYPES(KIT_DEFINE_FORTRAN)
KIT_POINTER_TYPES(KIT_DEFINE_FORTRAN)

#define KIT_DEFINE_ARRAY(Name, name, T, what)                                                                   \
    KIT_INLINABLE void push##Name##Array(const T *x, int n) { adtape_kit_push_array_(x, n, sizeof *x, what); }  \
    KIT_INLINABLE void pop##Name##Array(T *x, int n) { adtape_kit_pop_array_(x, n, sizeof *x, what); }
#define KIT_DEFINE_FORTRAN_ARRAY(Name, name, T, what)                           \
    KIT_INLINABLE void push##name##array_(const T *x, const int *n) {           \
        adtape_kit_push_array_(x, *n, sizeof *x, what);                         \
    }                                                                           \
    KIT_INLINABLE void pop##name##array_(T *x, const int *n) {                  \
        adtape_kit_pop_array_(x, *n, sizeof *x, what);                          \
    }
#define KIT_REAL16_TYPE(X) X(Real16, real16, long double, ADTAPE_KIT_REAL16_)
KIT_VALUE_TYPES(KIT_DEFINE_ARRAY)
KIT_REAL16_TYPE(KIT_DEFINE_ARRAY)
KIT_INTEGER_TYPES(KIT_DEFINE_FORTRAN_ARRAY)
KIT_OTHER_TYPES(KIT_DEFINE_FORTRAN_ARRAY)
KIT_REAL16_TYPE(KIT_DEFINE_FORTRAN_ARRAY)

/* With the hidden length among the arguments: -flto compares the types of definition and call. */
KIT_FAST void pushcharacter_(const void *x, size_t length) {
    (void)length;
    adtape_kit_push_(x, 1, ADTAPE_KIT_CHAR_);
}
KIT_FAST void popcharacter_(void *x, size_t length) {
    (void)length;
    adtape_kit_pop_(x, 1, ADTAPE_KIT_CHAR_);
}
KIT_INLINABLE void pushcharacterarray_(const char *x, const int *n, size_t length) {
    (void)length;
    adtape_kit_push_array_(x, *n, 1, ADTAPE_KIT_CHAR_);
}
KIT_INLINABLE void popcharacterarray_(char *x, const int *n, size_t length) {
    (void)length;
    adtape_kit_pop_array_(x, *n, 1, ADTAPE_KIT_CHAR_);
}

/* Sixteen bytes by address in both languages: long double in C, real(16) or real(10) in Fortran. */
KIT_FAST void pushReal16(const long double *x) { adtape_kit_push_(x, 16, ADTAPE_KIT_REAL16_); }
KIT_FAST void popReal16(long double *x) { adtape_kit_pop_(x, 16, ADTAPE_KIT_REAL16_); }
KIT_FAST void pushreal16_(const void *x) { adtape_kit_push_(x, 16, ADTAPE_KIT_REAL16_); }
KIT_FAST void popreal16_(void *x) { adtape_kit_pop_(x, 16, ADTAPE_KIT_REAL16_); }

/* ---- control and booleans ----------------------------------------------------------------------- */

KIT_FAST void pushBit(int x) { adtape_kit_push_control_(x, 1); }
KIT_FAST int popBit(void) { return adtape_kit_pop_bit_(); }
KIT_FAST void pushBoolean(int x) { adtape_kit_push_control_(x, 1); }
KIT_FAST void popBoolean(int *x) { adtape_kit_pop_control_(x, 1); }
ADTAPE_INLINE_ void push_logical(const void *x) {
    int logical;
    memcpy(&logical, x, sizeof logical);
    adtape_kit_push_control_(logical, 1);
}
KIT_FAST void pushboolean_(const void *x) { push_logical(x); }
KIT_FAST void popboolean_(void *x) {
#if defined(ADTAPE_KIT_CALLS)
    adtape_kit_pop_control_((int *)x, 1);
#else
    const int logical = adtape_kit_pop_bit_();
    memcpy(x, &logical, sizeof logical);
#endif
}

/* With logicals. In Fortran the second is a function; of another type than here, so that it cannot be forced inline. */
KIT_FAST void pushbit_(const void *x) { push_logical(x); }
KIT_INLINABLE int popbit_(void) { return adtape_kit_pop_bit_(); }

#define KIT_DEFINE_CONTROL(bits)                                                                \
    KIT_FAST void pushControl##bits##b(int cc) { adtape_kit_push_control_(cc, bits); }           \
    KIT_FAST void popControl##bits##b(int *cc) { adtape_kit_pop_control_(cc, bits); }
#define KIT_DEFINE_CONTROL_FORTRAN(bits)                                                        \
    KIT_FAST void pushcontrol##bits##b_(const int *cc) { adtape_kit_push_control_(*cc, bits); }  \
    KIT_FAST void popcontrol##bits##b_(int *cc) { adtape_kit_pop_control_(cc, bits); }
#define KIT_WIDTHS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
KIT_WIDTHS(KIT_DEFINE_CONTROL)
KIT_WIDTHS(KIT_DEFINE_CONTROL_FORTRAN)
KIT_DEFINE_CONTROL_FORTRAN(9)

/* ---- raw bytes and arrays of types without a scalar ----------------------------------------------- */

/* Called with two or three arguments; the third is ignored. */
KIT_INLINABLE void pushNArray(const char *x, int bytes) { adtape_kit_push_array_(x, bytes, 1, ADTAPE_KIT_BYTES_); }
KIT_INLINABLE void popNArray(char *x, int bytes) { adtape_kit_pop_array_(x, bytes, 1, ADTAPE_KIT_BYTES_); }
KIT_INLINABLE void pushnarray_(const char *x, const int *bytes) {
    adtape_kit_push_array_(x, *bytes, 1, ADTAPE_KIT_BYTES_);
}
KIT_INLINABLE void popnarray_(char *x, const int *bytes) {
    adtape_kit_pop_array_(x, *bytes, 1, ADTAPE_KIT_BYTES_);
}
KIT_INLINABLE void pushNarray(const char *x, int bytes) { adtape_kit_push_array_(x, bytes, 1, ADTAPE_KIT_BYTES_); }
KIT_INLINABLE void popNarray(char *x, int bytes) { adtape_kit_pop_array_(x, bytes, 1, ADTAPE_KIT_BYTES_); }

/* Known to the tape as bytes, so many each: X(name, bytes, what). */
#define KIT_RAW_16_ ADTAPE_KIT_WHAT_(ADTAPE_TYPE_F128, 16, ADTAPE_KIT_ARRAYS_)
#define KIT_RAW_TYPES(X)                                \
    X(boolean, 4, ADTAPE_KIT_LOGICAL_)                  \
    X(integer16, 16, KIT_RAW_16_)                       \
    X(real32, 32, ADTAPE_KIT_COMPLEX32_)                \
    X(complex4, 4, ADTAPE_KIT_REAL4_)                   \
    X(complex32, 32, ADTAPE_KIT_COMPLEX32_)
#define KIT_DEFINE_RAW(name, bytes, what)                                       \
    KIT_INLINABLE void push##name##array_(const void *x, const int *n) {        \
        adtape_kit_push_array_(x, *n, bytes, what);                             \
    }                                                                           \
    KIT_INLINABLE void pop##name##array_(void *x, const int *n) {               \
        adtape_kit_pop_array_(x, *n, bytes, what);                              \
    }
KIT_RAW_TYPES(KIT_DEFINE_RAW)
KIT_DEFINE_RAW(pointer4, 8, ADTAPE_KIT_POINTERS_)
KIT_DEFINE_RAW(pointer8, 8, ADTAPE_KIT_POINTERS_)

/* The address of a Fortran pointer to a scalar: the pointer itself. */
KIT_FAST void pushpointer_(void *const *x) { adtape_kit_push_(x, 8, ADTAPE_KIT_POINTERS_); }
KIT_FAST void poppointer_(void **x) { adtape_kit_pop_(x, 8, ADTAPE_KIT_POINTERS_); }

/* ---- lower-case C, 2007 to 2011 ----------------------------------------------------------------- */

#define KIT_DEFINE_OLD_SCALAR(name, T, what)                                    \
    KIT_FAST void push##name(T x) { adtape_kit_push_(&x, sizeof x, what); }      \
    KIT_FAST void pop##name(T *x) { ADTAPE_KIT_POP_(T, x, what); }
KIT_DEFINE_OLD_SCALAR(integer4, int, ADTAPE_KIT_INTEGER4_)
KIT_DEFINE_OLD_SCALAR(real4, float, ADTAPE_KIT_REAL4_)
KIT_DEFINE_OLD_SCALAR(real8, double, ADTAPE_KIT_REAL8_)
KIT_DEFINE_OLD_SCALAR(pointer4, void *, ADTAPE_KIT_POINTERS_)
KIT_DEFINE_OLD_SCALAR(pointer8, void *, ADTAPE_KIT_POINTERS_)

#define KIT_DEFINE_OLD_CONTROL(bits)                                                            \
    KIT_FAST void pushcontrol##bits##b(int cc) { adtape_kit_push_control_(cc, bits); }           \
    KIT_FAST void popcontrol##bits##b(int *cc) { adtape_kit_pop_control_(cc, bits); }
#define KIT_OLD_WIDTHS(X) X(1) X(2) X(3) X(4) X(5)
KIT_OLD_WIDTHS(KIT_DEFINE_OLD_CONTROL)
KIT_FAST void pushbit(int x) { adtape_kit_push_control_(x, 1); }
KIT_FAST int popbit(void) { return adtape_kit_pop_bit_(); }

/* Arrays of all types of those kits: X(name, bytes, what). */
#define KIT_OLD_ARRAY_TYPES(X)                          \
    X(integer4, 4, ADTAPE_KIT_INTEGER4_)                \
    X(integer8, 8, ADTAPE_KIT_INTEGER8_)                \
    X(real4, 4, ADTAPE_KIT_REAL4_)                      \
    X(real8, 8, ADTAPE_KIT_REAL8_)                      \
    X(real16, 16, ADTAPE_KIT_REAL16_)                   \
    X(complex8, 8, ADTAPE_KIT_COMPLEX8_)                \
    X(complex16, 16, ADTAPE_KIT_COMPLEX16_)             \
    X(character, 1, ADTAPE_KIT_CHAR_)                   \
    X(pointer4, 8, ADTAPE_KIT_POINTERS_)                \
    X(pointer8, 8, ADTAPE_KIT_POINTERS_)                \
    KIT_RAW_TYPES(X)
#define KIT_DEFINE_OLD_ARRAY(name, bytes, what)                                                                \
    KIT_INLINABLE void push##name##array(const void *x, int n) { adtape_kit_push_array_(x, n, bytes, what); }  \
    KIT_INLINABLE void pop##name##array(void *x, int n) { adtape_kit_pop_array_(x, n, bytes, what); }
KIT_OLD_ARRAY_TYPES(KIT_DEFINE_OLD_ARRAY)
