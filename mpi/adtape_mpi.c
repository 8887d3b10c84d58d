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
 * One translation unit:
 *
 *   src/common.c      state, errors, memory, a table
 *   src/layout.c      what a datatype is made of
 *   src/sums.c        adding packed values up
 *   src/layouts.c     the layouts that there are; packing
 *   src/comm.c        communicators and their twins
 *   src/joined.c      buffers of several objects
 *   src/record.c      records on the tape; where adjoints are
 *   src/number.c      which message is which
 *   src/outgoing.c    what is under way from rooms
 *   src/transport.c   messages of the reverse sweep
 *   src/agree.c       check mode: whether all ranks do one collective call
 *   src/unasked.c     adjoints that nobody asked for
 *   src/point.c       blocking calls between two ranks
 *   src/request.c     requests, and calls that make them
 *   src/underway.c    their reverse
 *   src/matched.c     messages that are matched before they are received
 *   src/persistent.c  requests that are started again
 *   src/wait.c        calls that wait for them
 *   src/collective.c  Barrier, Bcast
 *   src/blocks.c      buffers of a block for each rank
 *   src/exchange.c    Gather, Scatter, Allgather, Alltoall, and those with counts for each rank
 *   src/neighbor.c    those among neighbours
 *   src/reduction.c   operations, and what they keep
 *   src/nonblocking.c collective calls that are waited for later
 *   src/travelling.c  their reverse
 *   src/extreme.c     MAX, MIN, MAXLOC, MINLOC
 *   src/user.c        operations of the program's own
 *   src/reduce.c      Reduce, Allreduce
 *   src/scan.c        Reduce_scatter, Reduce_scatter_block, Scan, Exscan
 *   src/verdict.c     what fails on one rank fails on all
 *   src/store.c       a store of files on each rank
 *   src/checkpoints.c checkpoints of all ranks, or of none
 *   src/meeting.c     ranks agree before each step
 *   src/driver.c      one schedule on all ranks
 *   src/statistics.c  the memory of a machine, shared; figures of all ranks
 *   src/seed.c        where the reverse sweep is seeded
 *   src/verify.c      derivative tests over ranks
 *   src/life.c        the beginning and the end */
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

#include "src/common.c"

#include "src/room.c"

#include "src/layout.c"

#include "src/sums.c"

#include "src/layouts.c"

#include "src/comm.c"

#include "src/joined.c"

#include "src/record.c"

#include "src/number.c"

#include "src/outgoing.c"
#include "src/transport.c"

#include "src/agree.c"
#include "src/unasked.c"

#include "src/point.c"

#include "src/request.c"

#include "src/underway.c"

#include "src/matched.c"

#include "src/persistent.c"

#include "src/wait.c"

#include "src/collective.c"

#include "src/blocks.c"

#include "src/exchange.c"

#include "src/neighbor.c"

#include "src/reduction.c"

#include "src/extreme.c"

#include "src/user.c"

#include "src/reduce.c"

#include "src/scan.c"

#include "src/gathered.c"

#include "src/nonblocking.c"

#include "src/travelling.c"

#include "src/verdict.c"

#include "src/store.c"

#include "src/checkpoints.c"

#include "src/meeting.c"

#include "src/driver.c"

#include "src/statistics.c"

#include "src/seed.c"

#include "src/verify.c"

#include "src/life.c"
