/* adtape_mpi_kit.h: what the two halves of the kit share, for C and for Fortran. */
#ifndef ADTAPE_MPI_KIT_H
#define ADTAPE_MPI_KIT_H

#include <mpi.h>

#define API __attribute__((visibility("default"), noinline))
#define SITE __builtin_return_address(0)

/* Remembers where a request receives to. */
void adtape_mpi_kit_posted(MPI_Request request, void *buffer);
/* What was remembered, once; NULL for a send. */
void *adtape_mpi_kit_waited(MPI_Request request);
/* Leaves where a request has received to on the tape, above the record of its wait. */
void adtape_mpi_kit_push(void *buffer);
/* The reverse of a wait, with the adjoint of what is on the tape. */
void adtape_mpi_kit_wait_b(const void *site);

#endif
