/* adtape/fftw/fftw3.h: FFTW as the generator differentiates it. Its folder stands in front of that of FFTW's header,
 * for adtape and for the compiler: -I…/adtape/fftw. The program is linked with FFTW.
 *
 * Plans of r2c, c2r and c2c in one to three dimensions, their execution, and memory. A plan is a value here: all
 * sources that share plans are compiled with this header. Planning leaves arrays alone, whatever its flags say. */
#ifndef ADTAPE_FFTW3_H
#define ADTAPE_FFTW3_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)
#define FFTW_MEASURE (0U)
#define FFTW_DESTROY_INPUT (1U << 0)
#define FFTW_UNALIGNED (1U << 1)
#define FFTW_EXHAUSTIVE (1U << 3)
#define FFTW_PRESERVE_INPUT (1U << 4)
#define FFTW_PATIENT (1U << 5)
#define FFTW_ESTIMATE (1U << 6)

/* The first of the numbers that plans have for what they do. */
#define ADTAPE_FFTW_PLAN 0x0ad7a9e0

#pragma adjoint passive
static inline void adtape_fftw_stop(const char *why) {
    fprintf(stderr, "adtape: FFTW: %s\n", why);
    abort();
}

#pragma adjoint passive
static inline void adtape_fftw_lock(int on) {
    static int lock;
    while (on && __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
    if (!on) __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

typedef double fftw_complex[2];

/* A plan: what it transforms, and how. It is a value, so that the generator sees the arrays behind it. */
typedef struct {
    int adtape_way, adtape_n0, adtape_n1, adtape_n2;
    double *adtape_in, *adtape_out;
} fftw_plan;

#define ADTAPE_T double
#define ADTAPE_N(name) adtape_fftw_##name
#define ADTAPE_L(name) "fftw_" name
#include "../rules_fftw_cores.h"
#undef ADTAPE_T
#undef ADTAPE_N
#undef ADTAPE_L
#pragma adjoint rule reads(in[0:n0 * n1 * n2]) writes(out[0:2 * n0 * n1 * (n2 / 2 + 1)]) needs()
static inline void adtape_fftw_r2c(int n0, int n1, int n2, const double *in, double *out);
#pragma adjoint rule reads(in[0:2 * n0 * n1 * (n2 / 2 + 1)]) writes(out[0:n0 * n1 * n2]) needs()
static inline void adtape_fftw_c2r(int n0, int n1, int n2, const double *in, double *out);
#pragma adjoint rule reads(in[0:2 * n0 * n1 * n2]) writes(out[0:2 * n0 * n1 * n2]) needs()
static inline void adtape_fftw_forth(int n0, int n1, int n2, const double *in, double *out);
#pragma adjoint rule reads(in[0:2 * n0 * n1 * n2]) writes(out[0:2 * n0 * n1 * n2]) needs()
static inline void adtape_fftw_back_again(int n0, int n1, int n2, const double *in, double *out);

#define fftw_plan_dft_r2c_1d(n, in, out, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN, 1, 1, (n), (in), *(out)})
#define fftw_plan_dft_r2c_2d(n0, n1, in, out, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN, 1, (n0), (n1), (in), *(out)})
#define fftw_plan_dft_r2c_3d(n0, n1, n2, in, out, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN, (n0), (n1), (n2), (in), *(out)})
#define fftw_plan_dft_c2r_1d(n, in, out, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN + 1, 1, 1, (n), *(in), (out)})
#define fftw_plan_dft_c2r_2d(n0, n1, in, out, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN + 1, 1, (n0), (n1), *(in), (out)})
#define fftw_plan_dft_c2r_3d(n0, n1, n2, in, out, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN + 1, (n0), (n1), (n2), *(in), (out)})
#define fftw_plan_dft_1d(n, in, out, sign, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN + 2 + ((sign) > 0), 1, 1, (n), *(in), *(out)})
#define fftw_plan_dft_2d(n0, n1, in, out, sign, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN + 2 + ((sign) > 0), 1, (n0), (n1), *(in), *(out)})
#define fftw_plan_dft_3d(n0, n1, n2, in, out, sign, flags) \
    ((fftw_plan){ADTAPE_FFTW_PLAN + 2 + ((sign) > 0), (n0), (n1), (n2), *(in), *(out)})

static inline void adtape_fftw_run(int way, int n0, int n1, int n2, double *in, double *out) {
    switch (way) {
    case ADTAPE_FFTW_PLAN: adtape_fftw_r2c(n0, n1, n2, in, out); break;
    case ADTAPE_FFTW_PLAN + 1: adtape_fftw_c2r(n0, n1, n2, in, out); break;
    case ADTAPE_FFTW_PLAN + 2: adtape_fftw_forth(n0, n1, n2, in, out); break;
    case ADTAPE_FFTW_PLAN + 3: adtape_fftw_back_again(n0, n1, n2, in, out); break;
    default: adtape_fftw_stop("a plan is of another header of FFTW");
    }
}

/* These name their plan several times, which is a variable. */
#define fftw_execute(p) \
    adtape_fftw_run((p).adtape_way, (p).adtape_n0, (p).adtape_n1, (p).adtape_n2, (p).adtape_in, (p).adtape_out)
#define fftw_execute_dft_r2c(p, in, out) adtape_fftw_r2c((p).adtape_n0, (p).adtape_n1, (p).adtape_n2, (in), *(out))
#define fftw_execute_dft_c2r(p, in, out) adtape_fftw_c2r((p).adtape_n0, (p).adtape_n1, (p).adtape_n2, *(in), (out))
#define fftw_execute_dft(p, in, out) \
    adtape_fftw_run((p).adtape_way, (p).adtape_n0, (p).adtape_n1, (p).adtape_n2, *(in), *(out))

#define fftw_destroy_plan(p) ((void)(p))
#define fftw_cleanup() ((void)0)
#define fftw_malloc(size) malloc(size)
#define fftw_alloc_real(n) ((double *)malloc((n) * sizeof(double)))
#define fftw_alloc_complex(n) ((fftw_complex *)malloc((n) * sizeof(fftw_complex)))
#define fftw_free(block) free(block)

typedef float fftwf_complex[2];

/* A plan: what it transforms, and how. It is a value, so that the generator sees the arrays behind it. */
typedef struct {
    int adtape_way, adtape_n0, adtape_n1, adtape_n2;
    float *adtape_in, *adtape_out;
} fftwf_plan;

#define ADTAPE_T float
#define ADTAPE_N(name) adtape_fftwf_##name
#define ADTAPE_L(name) "fftwf_" name
#include "../rules_fftw_cores.h"
#undef ADTAPE_T
#undef ADTAPE_N
#undef ADTAPE_L
#pragma adjoint rule reads(in[0:n0 * n1 * n2]) writes(out[0:2 * n0 * n1 * (n2 / 2 + 1)]) needs()
static inline void adtape_fftwf_r2c(int n0, int n1, int n2, const float *in, float *out);
#pragma adjoint rule reads(in[0:2 * n0 * n1 * (n2 / 2 + 1)]) writes(out[0:n0 * n1 * n2]) needs()
static inline void adtape_fftwf_c2r(int n0, int n1, int n2, const float *in, float *out);
#pragma adjoint rule reads(in[0:2 * n0 * n1 * n2]) writes(out[0:2 * n0 * n1 * n2]) needs()
static inline void adtape_fftwf_forth(int n0, int n1, int n2, const float *in, float *out);
#pragma adjoint rule reads(in[0:2 * n0 * n1 * n2]) writes(out[0:2 * n0 * n1 * n2]) needs()
static inline void adtape_fftwf_back_again(int n0, int n1, int n2, const float *in, float *out);

#define fftwf_plan_dft_r2c_1d(n, in, out, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN, 1, 1, (n), (in), *(out)})
#define fftwf_plan_dft_r2c_2d(n0, n1, in, out, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN, 1, (n0), (n1), (in), *(out)})
#define fftwf_plan_dft_r2c_3d(n0, n1, n2, in, out, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN, (n0), (n1), (n2), (in), *(out)})
#define fftwf_plan_dft_c2r_1d(n, in, out, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN + 1, 1, 1, (n), *(in), (out)})
#define fftwf_plan_dft_c2r_2d(n0, n1, in, out, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN + 1, 1, (n0), (n1), *(in), (out)})
#define fftwf_plan_dft_c2r_3d(n0, n1, n2, in, out, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN + 1, (n0), (n1), (n2), *(in), (out)})
#define fftwf_plan_dft_1d(n, in, out, sign, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN + 2 + ((sign) > 0), 1, 1, (n), *(in), *(out)})
#define fftwf_plan_dft_2d(n0, n1, in, out, sign, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN + 2 + ((sign) > 0), 1, (n0), (n1), *(in), *(out)})
#define fftwf_plan_dft_3d(n0, n1, n2, in, out, sign, flags) \
    ((fftwf_plan){ADTAPE_FFTW_PLAN + 2 + ((sign) > 0), (n0), (n1), (n2), *(in), *(out)})

static inline void adtape_fftwf_run(int way, int n0, int n1, int n2, float *in, float *out) {
    switch (way) {
    case ADTAPE_FFTW_PLAN: adtape_fftwf_r2c(n0, n1, n2, in, out); break;
    case ADTAPE_FFTW_PLAN + 1: adtape_fftwf_c2r(n0, n1, n2, in, out); break;
    case ADTAPE_FFTW_PLAN + 2: adtape_fftwf_forth(n0, n1, n2, in, out); break;
    case ADTAPE_FFTW_PLAN + 3: adtape_fftwf_back_again(n0, n1, n2, in, out); break;
    default: adtape_fftw_stop("a plan is of another header of FFTW");
    }
}

/* These name their plan several times, which is a variable. */
#define fftwf_execute(p) \
    adtape_fftwf_run((p).adtape_way, (p).adtape_n0, (p).adtape_n1, (p).adtape_n2, (p).adtape_in, (p).adtape_out)
#define fftwf_execute_dft_r2c(p, in, out) adtape_fftwf_r2c((p).adtape_n0, (p).adtape_n1, (p).adtape_n2, (in), *(out))
#define fftwf_execute_dft_c2r(p, in, out) adtape_fftwf_c2r((p).adtape_n0, (p).adtape_n1, (p).adtape_n2, *(in), (out))
#define fftwf_execute_dft(p, in, out) \
    adtape_fftwf_run((p).adtape_way, (p).adtape_n0, (p).adtape_n1, (p).adtape_n2, *(in), *(out))

#define fftwf_destroy_plan(p) ((void)(p))
#define fftwf_cleanup() ((void)0)
#define fftwf_malloc(size) malloc(size)
#define fftwf_alloc_real(n) ((float *)malloc((n) * sizeof(float)))
#define fftwf_alloc_complex(n) ((fftwf_complex *)malloc((n) * sizeof(fftwf_complex)))
#define fftwf_free(block) free(block)

#endif
