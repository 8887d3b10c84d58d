/* adtape_mpi.c: the adjoint of a program's messages, over the user's MPI and adtape's public calls. docs/mpi.md says
 * what it promises and why.
 *
 *   record    what a forward call leaves on the thread's tape and its reverse call pops: a head, a leg for each buffer
 *   leg       a buffer of a call and its message: how many values of which layout, with whom, by which tag, its number
 *   number    of a message, counted from 0 by communicator, direction, peer and tag, in the order of posting
 *   layout    where the values of a datatype lie, and of which type they are
 *   packed    the values of a buffer one after the other, as adjoints travel
 *   twin      the library's own duplicate of a communicator, on which adjoints travel
 *   plain, headed   how they travel: by a tag that says which message it is; or behind a header that says so
 *
 * One translation unit: each part uses what stands above it. */
#include "adtape_mpi_run.h"
#include "adtape_mpi_test.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "adtape.h"

#if __SIZEOF_POINTER__ != 8
#error "adtape_mpi needs a 64-bit machine"
#endif

/* Entry points are never inlined: SITE would be the call of the function that they are inlined into. */
#define API __attribute__((visibility("default"), noinline))
#define SITE call_site(__builtin_return_address(0))

#include "src/common.c"       /* state, errors, memory, a table */
#include "src/room.c"         /* memory for values on their way */
#include "src/layout.c"       /* what a datatype is made of */
#include "src/sums.c"         /* adding packed values up */
#include "src/layouts.c"      /* the layouts that there are; packing */
#include "src/comm.c"         /* communicators and their twins */
#include "src/joined.c"       /* buffers of several objects */
#include "src/record.c"       /* records on the tape; where adjoints are */
#include "src/number.c"       /* which message is which */
#include "src/outgoing.c"     /* what is under way from rooms */
#include "src/transport.c"    /* messages of the reverse sweep */
#include "src/agree.c"        /* check mode: whether all ranks do one collective call */
#include "src/unasked.c"      /* adjoints that nobody asked for */
#include "src/windows.c"      /* check mode: memory of one-sided calls */
#include "src/point.c"        /* blocking calls between two ranks */
#include "src/request.c"      /* requests, and calls that make them */
#include "src/underway.c"     /* their reverse */
#include "src/matched.c"      /* messages that are matched before they are received */
#include "src/persistent.c"   /* requests that are started again */
#include "src/wait.c"         /* calls that wait for them */
#include "src/collective.c"   /* Barrier, Bcast */
#include "src/blocks.c"       /* buffers of a block for each rank */
#include "src/exchange.c"     /* Gather, Scatter, Allgather, Alltoall, and those with counts for each rank */
#include "src/neighbor.c"     /* those among neighbours */
#include "src/reduction.c"    /* operations, and what they keep */
#include "src/extreme.c"      /* MAX, MIN, MAXLOC, MINLOC */
#include "src/user.c"         /* operations of the program's own */
#include "src/reduce.c"       /* Reduce, Allreduce */
#include "src/scan.c"         /* Reduce_scatter, Reduce_scatter_block, Scan, Exscan */
#include "src/gathered.c"     /* nonblocking reductions by other operations than SUM */
#include "src/nonblocking.c"  /* collective calls that are waited for later */
#include "src/travelling.c"   /* their reverse */
#include "src/verdict.c"      /* what fails on one rank fails on all */
#include "src/store.c"        /* a store of files on each rank */
#include "src/checkpoints.c"  /* checkpoints of all ranks, or of none */
#include "src/meeting.c"      /* ranks agree before each step */
#include "src/driver.c"       /* one schedule on all ranks */
#include "src/statistics.c"   /* the memory of a machine, shared; figures of all ranks */
#include "src/seed.c"         /* where the reverse sweep is seeded */
#include "src/verify.c"       /* derivative tests over ranks */
#include "src/life.c"         /* the beginning and the end */
