/* adtape/rules_fftw_cores.h: transforms of FFTW and their reverse steps, for one type of numbers. fftw/fftw3.h includes
 * it once for each type, behind ADTAPE_T, ADTAPE_N(name), and ADTAPE_L(name), the text of FFTW's own name.
 *
 * Complex numbers are pairs of reals. All transforms are from one array to another, by plans of adtape's own. */

extern void *ADTAPE_N(new_r2c)(int rank, const int *n, ADTAPE_T *in, ADTAPE_T *out, unsigned flags)
    __asm__(ADTAPE_L("plan_dft_r2c"));
extern void *ADTAPE_N(new_c2r)(int rank, const int *n, ADTAPE_T *in, ADTAPE_T *out, unsigned flags)
    __asm__(ADTAPE_L("plan_dft_c2r"));
extern void *ADTAPE_N(new_c2c)(int rank, const int *n, ADTAPE_T *in, ADTAPE_T *out, int sign, unsigned flags)
    __asm__(ADTAPE_L("plan_dft"));
extern void ADTAPE_N(run_r2c)(void *plan, ADTAPE_T *in, ADTAPE_T *out) __asm__(ADTAPE_L("execute_dft_r2c"));
extern void ADTAPE_N(run_c2r)(void *plan, ADTAPE_T *in, ADTAPE_T *out) __asm__(ADTAPE_L("execute_dft_c2r"));
extern void ADTAPE_N(run_c2c)(void *plan, ADTAPE_T *in, ADTAPE_T *out) __asm__(ADTAPE_L("execute_dft"));
extern void ADTAPE_N(end)(void *plan) __asm__(ADTAPE_L("destroy_plan"));

/* The plan for a transform; way 0 is from reals, 1 to reals, 2 and 3 are complex with either sign: made once, or, where
 * there are many sizes, each time. FFTW makes one plan at a time. */
static inline void *ADTAPE_N(plan)(int way, int n0, int n1, int n2, ADTAPE_T *in, ADTAPE_T *out, int *is_kept) {
    enum { MOST = 32, UNALIGNED = 1 << 1, ESTIMATE = 1 << 6 };
    static struct { int way, n[3]; void *plan; } known[MOST];
    static int count;
    const int n[3] = {n0, n1, n2};
    void *plan = NULL;
    adtape_fftw_lock(1);
    for (int k = 0; k < count && !plan; k++) {
        if (known[k].way == way && memcmp(known[k].n, n, sizeof n) == 0) plan = known[k].plan;
    }
    *is_kept = plan != NULL || count < MOST;
    if (!plan) {
        plan = way == 0   ? ADTAPE_N(new_r2c)(3, n, in, out, UNALIGNED | ESTIMATE)
               : way == 1 ? ADTAPE_N(new_c2r)(3, n, in, out, UNALIGNED | ESTIMATE)
                          : ADTAPE_N(new_c2c)(3, n, in, out, way == 2 ? -1 : 1, UNALIGNED | ESTIMATE);
        if (*is_kept) {
            known[count].way = way, known[count].plan = plan;
            memcpy(known[count++].n, n, sizeof n);
        }
    }
    adtape_fftw_lock(0);
    if (!plan) adtape_fftw_stop("FFTW makes no plan of this size");
    return plan;
}

/* out = the transform of in. */
static inline void ADTAPE_N(transform)(int way, int n0, int n1, int n2, const ADTAPE_T *in, ADTAPE_T *out) {
    const size_t reals = (size_t)n0 * (size_t)n1 * (size_t)n2;
    const size_t half = 2 * (size_t)n0 * (size_t)n1 * ((size_t)n2 / 2 + 1);
    const size_t size = way == 0 ? reals : way == 1 ? half : 2 * reals;
    ADTAPE_T *const from = (ADTAPE_T *)malloc(size * sizeof *from);
    int is_kept = 0;
    if (!from) adtape_fftw_stop("no memory for a transform");
    if (in == out && (n0 != 1 || n1 != 1) && way < 2) {
        adtape_fftw_stop("transforms of several dimensions from reals or to reals take two arrays");
    }
    memcpy(from, in, size * sizeof *from);
    void *const plan = ADTAPE_N(plan)(way, n0, n1, n2, from, out, &is_kept);
    if (way == 0) ADTAPE_N(run_r2c)(plan, from, out);
    if (way == 1) ADTAPE_N(run_c2r)(plan, from, out);
    if (way > 1) ADTAPE_N(run_c2c)(plan, from, out);
    if (!is_kept) {
        adtape_fftw_lock(1);
        ADTAPE_N(end)(plan);
        adtape_fftw_lock(0);
    }
    free(from);
}

/* in_b += the transform of out_b back, and out_b = 0; they may be one array. The numbers between the ends of a row
 * stand for two each: half of them where rows of complex numbers make reals, twice where reals make rows. */
static inline void ADTAPE_N(back)(int way, int n0, int n1, int n2, ADTAPE_T *in_b, ADTAPE_T *out_b) {
    const size_t rows = (size_t)n0 * (size_t)n1, row = 2 * ((size_t)n2 / 2 + 1);
    const size_t reals = rows * (size_t)n2, half = rows * row;
    const size_t from = way == 0 ? half : way == 1 ? reals : 2 * reals;
    const size_t to = way == 0 ? reals : way == 1 ? half : from;
    if (!out_b) return;
    if (in_b) {
        ADTAPE_T *const sums = (ADTAPE_T *)malloc((from + to) * sizeof *sums), *const given = sums + to;
        if (!sums) adtape_fftw_stop("no memory for a transform");
        memcpy(given, out_b, from * sizeof *given);
        for (size_t k = 0; k < half && way == 0; k++) {
            const size_t at = k % row / 2;
            if (at != 0 && 2 * at != (size_t)n2) given[k] /= 2;
        }
        ADTAPE_N(transform)(way ^ 1, n0, n1, n2, given, sums);
        for (size_t k = 0; k < half && way == 1; k++) {
            const size_t at = k % row / 2;
            if (at != 0 && 2 * at != (size_t)n2) sums[k] *= 2;
        }
        for (size_t k = 0; k < from; k++) out_b[k] = 0;
        for (size_t k = 0; k < to; k++) in_b[k] += sums[k];
        free(sums);
    } else {
        for (size_t k = 0; k < from; k++) out_b[k] = 0;
    }
}

#define ADTAPE_FFTW_WAY(name, way) \
    static inline void ADTAPE_N(name)(int n0, int n1, int n2, const ADTAPE_T *in, ADTAPE_T *out) { \
        ADTAPE_N(transform)(way, n0, n1, n2, in, out); \
    } \
    static inline void ADTAPE_N(name##_rev)(int n0, int n1, int n2, const ADTAPE_T *in, ADTAPE_T *in_b, ADTAPE_T *out, \
                                            ADTAPE_T *out_b) { \
        (void)in, (void)out; \
        ADTAPE_N(back)(way, n0, n1, n2, in_b, out_b); \
    } \
    static inline void ADTAPE_N(name##_d)(int n0, int n1, int n2, const ADTAPE_T *in, const ADTAPE_T *in_d, \
                                          ADTAPE_T *out, ADTAPE_T *out_d) { \
        const int is_one = in == out; \
        const size_t sizes[] = {(size_t)n2, 2 * ((size_t)n2 / 2 + 1), 2 * (size_t)n2, 2 * (size_t)n2}; \
        const size_t count = (size_t)n0 * (size_t)n1 * sizes[way ^ (way < 2)]; \
        ADTAPE_N(transform)(way, n0, n1, n2, in, out); \
        if (!out_d || (is_one && in_d == NULL)) return; \
        if (in_d) ADTAPE_N(transform)(way, n0, n1, n2, in_d, out_d); \
        for (size_t k = 0; k < count && !in_d; k++) out_d[k] = 0; \
    }
ADTAPE_FFTW_WAY(r2c, 0)
ADTAPE_FFTW_WAY(c2r, 1)
ADTAPE_FFTW_WAY(forth, 2)
ADTAPE_FFTW_WAY(back_again, 3)
#undef ADTAPE_FFTW_WAY
