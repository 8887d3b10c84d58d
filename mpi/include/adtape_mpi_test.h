/* adtape_mpi_test.h: derivative tests where each rank has a part of x, and a check of the seed.
 *
 * All ranks of a communicator that adtape_mpi.h knows call a test together. It is the one of adtape.h, with dot products
 * over all ranks. What the function returns is to be the same on all of them: a sum over the ranks, as Allreduce makes
 * it. All ranks get one verdict. Text and plots come from rank 0. */
#ifndef ADTAPE_MPI_TEST_H
#define ADTAPE_MPI_TEST_H

#include "adtape.h"
#include "adtape_mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* adtape_test_gradient_f64 and _f32: this rank's part of x has `n` components, which may be none, and so has its part of
 * the gradient. options->product is made here. A gradient that is as many times too large as there are ranks was seeded
 * on all of them; adtape_mpi_test_text says so, and options->output gets it behind the report.
 *
 * Returns what adtape_test_gradient_f64 returns. Values of the function that differ between ranks are an error on all. */
adtape_status_t adtape_mpi_test_gradient_f64(MPI_Comm comm, adtape_function_f64_t f, adtape_gradient_f64_t gradient_call,
                                             void *user, int64_t n, const double *x, const double *gradient,
                                             const adtape_test_options_t *options, adtape_test_report_t *report);
adtape_status_t adtape_mpi_test_gradient_f32(MPI_Comm comm, adtape_function_f32_t f, adtape_gradient_f32_t gradient_call,
                                             void *user, int64_t n, const float *x, const float *gradient,
                                             const adtape_test_options_t *options, adtape_test_report_t *report);

/* adtape_test_dot_f64 and _f32: a tangent and an adjoint of this rank's `n` inputs and `m` outputs. */
adtape_status_t adtape_mpi_test_dot_f64(MPI_Comm comm, adtape_linear_f64_t tangent, adtape_linear_f64_t adjoint,
                                        void *user, int64_t n, int64_t m, const adtape_test_options_t *options,
                                        adtape_test_report_t *report);
adtape_status_t adtape_mpi_test_dot_f32(MPI_Comm comm, adtape_linear_f32_t tangent, adtape_linear_f32_t adjoint,
                                        void *user, int64_t n, int64_t m, const adtape_test_options_t *options,
                                        adtape_test_report_t *report);

/* What the last test on this process says of the ranks beyond adtape_test_text; empty if nothing. */
const char *adtape_mpi_test_text(void);

/* For the Fortran module: a sum over the ranks; a value that is to be the same on all of them. */
double adtape_mpi_abi0_test_sum(MPI_Comm comm, double mine);
double adtape_mpi_abi0_test_value(MPI_Comm comm, double mine, double rounding);

#ifdef __cplusplus
}
#endif

#endif
