/* errors.c: each wrong use, by its name: errors CASE. Ends in adtape's error handler, which prints and aborts.
 * errors --list prints the cases and the ranks that each is for. */
#include "check.h"

#include <adtape_mpi_run.h>
#include <adtape_mpi_test.h>

static double x[8], xb[8], y[8], outside[8];
static MPI_Request request;

static void unknown_request(void) {
    MPI_Isend(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    adtape_MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void unknown_request_among_several(void) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
    adtape_MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void reverse_without_forward(void) { adtape_MPI_Barrier_b(); }

static void reverse_of_another_call(void) {
    adtape_MPI_Bcast(x, 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
    adtape_MPI_Barrier_b();
}

static void reverse_of_other_values(void) {
    const double values[16] = {1};
    adtape_push_array_f64(adtape_self(), values, 16);
    adtape_MPI_Barrier_b();
}

static void request_not_waited_for(void) {
    adtape_MPI_Isend(x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    adtape_MPI_Isend_b();
}

static void unknown_communicator(void) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    adtape_MPI_Barrier(comm);
}

static void call_before_init(void) {
    adtape_MPI_Barrier(MPI_COMM_SELF);
}

static void buffer_outside(void) {
    adtape_MPI_Bcast(outside, 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
    adtape_MPI_Bcast_b();
}

static void buffer_beyond_its_range(void) { adtape_MPI_Bcast(x + 6, 3, MPI_DOUBLE, 0, MPI_COMM_SELF); }

/* x and y as one message: `count` values of y, which has eight. */
static MPI_Datatype both_variables(int count) {
    const int lengths[2] = {2, count};
    MPI_Aint places[2];
    MPI_Datatype type;
    MPI_Get_address(&x[1], &places[0]);
    MPI_Get_address(y, &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void joined_variable_outside(void) { adtape_MPI_Bcast(MPI_BOTTOM, 1, both_variables(3), 0, MPI_COMM_SELF); }

static void joined_variable_beyond_its_range(void) {
    adtape_live_add(NULL, y, 4 * sizeof *y, ADTAPE_KIND_STATIC, "y");
    adtape_MPI_Bcast(MPI_BOTTOM, 1, both_variables(5), 0, MPI_COMM_SELF);
}

static void joined_variable_not_back(void) {
    adtape_live_add(NULL, y, sizeof y, ADTAPE_KIND_STATIC, "y");
    adtape_MPI_Bcast(MPI_BOTTOM, 1, both_variables(8), 0, MPI_COMM_SELF);
    adtape_live_remove(NULL, y);
    adtape_MPI_Bcast_b();
}

static void adjoint_of_another_size(void) {
    adtape_live_add(NULL, y, sizeof y, ADTAPE_KIND_STATIC, "y");
    adtape_live_set_adjoint(NULL, y, xb, sizeof xb / 2);
    adtape_MPI_Bcast(y, 2, MPI_DOUBLE, 0, MPI_COMM_SELF);
    adtape_MPI_Bcast_b();
}

static void buffer_not_back(void) {
    adtape_live_add(NULL, y, sizeof y, ADTAPE_KIND_STATIC, "y");
    adtape_MPI_Bcast(y, 2, MPI_DOUBLE, 0, MPI_COMM_SELF);
    adtape_live_remove(NULL, y);
    adtape_MPI_Bcast_b();
}

static void integers_in_active_buffer(void) { adtape_MPI_Bcast(x, 8, MPI_BYTE, 0, MPI_COMM_SELF); }

static void integers_in_buffer_that_gets_an_adjoint(void) {
    adtape_live_add(NULL, y, sizeof y, ADTAPE_KIND_STATIC, "y");
    adtape_MPI_Bcast(y, 8, MPI_INT, 0, MPI_COMM_SELF);
    adtape_live_set_adjoint(NULL, y, xb, sizeof xb);
    adtape_MPI_Bcast_b();
}

static void integers_and_doubles(void) {
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype type;
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    adtape_MPI_Bcast(x, 1, type, 0, MPI_COMM_SELF);
}

static void type_without_arithmetic(void) { adtape_MPI_Bcast(x, 1, MPI_LONG_DOUBLE, 0, MPI_COMM_SELF); }

/* Not every MPI has it. */
#ifndef MPIX_C_FLOAT16
#define MPIX_C_FLOAT16 MPI_LONG_DOUBLE
#endif
static void type_of_half_precision(void) { adtape_MPI_Bcast(x, 1, MPIX_C_FLOAT16, 0, MPI_COMM_SELF); }

static void operation_unknown(void) { adtape_MPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_LAND, MPI_COMM_SELF); }

static void operation_without_an_adjoint(void) { adtape_mpi_op_adjoint(MPI_SUM, NULL, NULL); }

static void places_without_their_values(void) { adtape_MPI_Allreduce(x, y, 2, MPI_DOUBLE, MPI_MAXLOC, MPI_COMM_SELF); }

static void pair_in_a_message(void) { adtape_MPI_Bcast(x, 1, MPI_DOUBLE_INT, 0, MPI_COMM_SELF); }

static void nonblocking_operation_unknown(void) {
    adtape_MPI_Ireduce_scatter_block(x, x + 1, 1, MPI_DOUBLE, MPI_LAND, MPI_COMM_SELF, &request);
}

static void message_not_matched(void) {
    MPI_Message message;
    MPI_Isend(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
    adtape_MPI_Mrecv(y, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
}

static void nonblocking_not_waited_for(void) {
    adtape_MPI_Ibcast(x, 1, MPI_DOUBLE, 0, MPI_COMM_SELF, &request);
    adtape_MPI_Ibcast_b();
}

static void start_of_unknown_request(void) {
    MPI_Send_init(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    adtape_MPI_Start(&request);
}

static void started_twice(void) {
    adtape_MPI_Recv_init(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    adtape_MPI_Start(&request);
    adtape_MPI_Start(&request);
}

static void freed_under_way(void) {
    adtape_MPI_Recv_init(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    adtape_MPI_Start(&request);
    adtape_MPI_Request_free(&request);
}

static void neighbors_without_a_grid(void) {
    adtape_MPI_Neighbor_allgather(x, 1, MPI_DOUBLE, x + 1, 1, MPI_DOUBLE, MPI_COMM_SELF);
}

static void too_many_under_way(void) {
    static MPI_Request requests[1 << 17];
    for (int i = 0; i < 1 << 17; i++) {
        adtape_MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[i]);
    }
}

static void root_that_is_no_rank(void) { adtape_MPI_Ibcast(x, 1, MPI_DOUBLE, 7, MPI_COMM_SELF, &request); }

static void reduced_to_no_rank(void) { adtape_MPI_Reduce(x, y, 1, MPI_DOUBLE, MPI_SUM, -1, MPI_COMM_SELF); }

/* ---- two ranks that disagree, since one of them calls MPI itself ------------------------------------------------ */

static void seeded_on_all(void) {
    xb[1] = 1;
    adtape_mpi_check_seed(xb, 2, MPI_DOUBLE, ADTAPE_MPI_ON_ONE, MPI_COMM_WORLD);
}

static void seeded_on_another_rank(void) {
    xb[1] = me;
    adtape_mpi_check_seed(xb, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void seeded_on_none(void) {
    xb[1] = -0.0;
    adtape_mpi_check_seed(xb, 2, MPI_DOUBLE, ADTAPE_MPI_ON_ALL, MPI_COMM_WORLD);
}

/* The function returns this rank's part. */
static double own_part(int64_t n, const double *point, void *user) {
    (void)n, (void)user;
    return point[0] * point[0] + me;
}
static void function_differs(void) {
    adtape_test_report_t report;
    (void)adtape_mpi_test_gradient_f64(MPI_COMM_WORLD, own_part, NULL, NULL, 1, x, NULL, NULL, &report);
}

/* A call of all ranks that rank 0 makes alone. */
static void seed_checked_on_one(void) {
    adtape_MPI_Allreduce(x, x + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0) {
        xb[1] = 1;
        adtape_mpi_check_seed(xb + 1, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    adtape_MPI_Allreduce_b();
}
static void statistics_on_one(void) {
    if (me == 0) {
        adtape_mpi_print_statistics(MPI_COMM_WORLD);
    }
    adtape_MPI_Finalize();
}
static void test_on_one(void) {
    adtape_test_report_t report;
    if (me == 0) {
        (void)adtape_mpi_test_gradient_f64(MPI_COMM_WORLD, own_part, NULL, NULL, 1, x, NULL, NULL, &report);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 has sent two doubles, and rank 1 reverses a receive of one. */
static void size_differs(void) {
    if (me == 0) {
        MPI_Send(x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        adtape_MPI_Send(x, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        adtape_MPI_Send_b();
    } else {
        adtape_MPI_Recv(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(x, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Recv_b();
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Rank 0 has sent twice as many doubles as rank 1 reverses a receive of. */
static void large_size_differs(void) {
    enum { N = 1 << 17 };
    static double large[N], large_b[N];
    active(large, large_b, sizeof large, "large");
    if (me == 0) {
        MPI_Send(large, N / 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        adtape_MPI_Send(large, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        adtape_MPI_Send_b();
    } else {
        adtape_MPI_Recv(large, N / 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(large, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Recv_b();
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Rank 1 does not reverse its receive. */
static void message_missing(void) {
    if (me == 0) {
        adtape_MPI_Send(x, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
        adtape_MPI_Send_b();
    } else {
        MPI_Recv(x, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Rank 0 sends so many doubles by MPI's own call, and rank 1 reverses its receive. */
static void send_not_reversed(int count) {
    static double many[1 << 17], many_b[1 << 17];
    active(many, many_b, sizeof many, "many");
    if (me == 0) {
        MPI_Send(many, count, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
    } else {
        adtape_MPI_Recv(many, count, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Recv_b();
    }
    adtape_MPI_Finalize();
}
static void adjoint_not_asked_for(void) { send_not_reversed(1); }
static void large_adjoint_not_asked_for(void) { send_not_reversed(1 << 17); }

/* Rank 1 reverses its second receive, and rank 0 asks for the adjoint of the first one only. */
static void adjoint_kept(void) {
    if (me == 0) {
        adtape_MPI_Send(x, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
        MPI_Send(x, 1, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
        adtape_MPI_Send_b();
    } else {
        adtape_MPI_Recv(x, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Recv(x, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        adtape_MPI_Recv_b();
        adtape_MPI_Recv_b();
    }
    adtape_MPI_Finalize();
}

/* Rank 1 does not reverse its call. */
static void nonblocking_call_missing(void) {
    adtape_MPI_Ibcast(x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    adtape_MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 0) {
        adtape_MPI_Wait_b();
        adtape_MPI_Ibcast_b();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void intercommunicator(void) {
    MPI_Comm own, both;
    MPI_Comm_split(MPI_COMM_WORLD, me, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - me, 0, &both);
    adtape_mpi_adopt(both);
}

static void collective_calls_differ(void) {
    if (me == 0) {
        adtape_MPI_Bcast(x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        adtape_MPI_Bcast_b();
    } else {
        MPI_Bcast(x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        adtape_MPI_Barrier(MPI_COMM_WORLD);
        adtape_MPI_Barrier_b();
    }
}

static void gathered_in_place_everywhere(void) {
    adtape_MPI_Gather(MPI_IN_PLACE, 1, MPI_DOUBLE, x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void operations_differ(void) {
    adtape_MPI_Allreduce(x, x + 1, 1, MPI_DOUBLE, me == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}

static void nonblocking_operations_differ(void) {
    adtape_MPI_Iallreduce(x, x + 1, 1, MPI_DOUBLE, me == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD, &request);
    adtape_MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void nonblocking_roots_differ(void) {
    int index;
    adtape_MPI_Ibcast(x, 1, MPI_DOUBLE, me, MPI_COMM_WORLD, &request);
    adtape_MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
    adtape_MPI_Finalize();
}

static void nonblocking_call_on_one(void) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int done, indices[2];
    if (me == 0) {
        adtape_MPI_Ireduce(x, x + 1, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &requests[1]);
        adtape_MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void nonblocking_beside_blocking(void) {
    if (me == 0) {
        adtape_MPI_Iallreduce(x, x + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        adtape_MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    } else {
        adtape_MPI_Allreduce(x, x + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void collective_call_missing(void) {
    if (me == 0) {
        adtape_MPI_Barrier(MPI_COMM_WORLD);
        adtape_MPI_Barrier_b();
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One-sided calls are MPI's own, whatever they move. */
static void window_of_active_memory(void) {
    MPI_Win win;
    MPI_Win_create(x + 2, 4 * sizeof *x, sizeof *x, MPI_INFO_NULL, MPI_COMM_SELF, &win);
}

static void window_that_gets_active_memory(void) {
    MPI_Win win;
    double *memory;
    MPI_Win_allocate(sizeof y, sizeof *y, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
    active(memory, y, sizeof y, "field");
    MPI_Win_fence(0, win);
}

static void attached_active_memory(void) {
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_attach(win, outside, sizeof outside);
    MPI_Win_detach(win, outside);
    MPI_Win_attach(win, x, sizeof x);
}

static void got_into_active_memory(void) {
    MPI_Win win;
    MPI_Win_create(outside, sizeof outside, sizeof *outside, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_fence(0, win);
    MPI_Get(y, 8, MPI_DOUBLE, 0, 0, 8, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Get(x, 8, MPI_DOUBLE, 0, 0, 8, MPI_DOUBLE, win);
}

/* Ranks 0 and 1 do not agree about a message; rank 2 has no part in it, and waits for them in a call that comes later. */
static void error_of_others(void) {
    adtape_MPI_Allreduce(x, x + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (me < 2) {
        size_differs();
    }
    adtape_MPI_Allreduce_b();
}

static const struct {
    const char *name;
    void (*provoke)(void);
    int ranks;
} cases[] = {
#define CASE(name, ranks) {#name, name, ranks},
    CASE(unknown_request, 1) CASE(unknown_request_among_several, 1) CASE(reverse_without_forward, 1)
    CASE(reverse_of_another_call, 1) CASE(reverse_of_other_values, 1) CASE(request_not_waited_for, 1)
    CASE(unknown_communicator, 1) CASE(call_before_init, 1) CASE(buffer_outside, 1) CASE(buffer_beyond_its_range, 1)
    CASE(joined_variable_outside, 1) CASE(joined_variable_beyond_its_range, 1) CASE(joined_variable_not_back, 1)
    CASE(adjoint_of_another_size, 1) CASE(buffer_not_back, 1) CASE(integers_in_active_buffer, 1)
    CASE(integers_in_buffer_that_gets_an_adjoint, 1) CASE(integers_and_doubles, 1) CASE(type_without_arithmetic, 1)
    CASE(type_of_half_precision, 1)
    CASE(operation_unknown, 1) CASE(operation_without_an_adjoint, 1) CASE(places_without_their_values, 1)
    CASE(pair_in_a_message, 1) CASE(nonblocking_operation_unknown, 1) CASE(nonblocking_not_waited_for, 1) CASE(message_not_matched, 1)
    CASE(start_of_unknown_request, 1) CASE(started_twice, 1) CASE(freed_under_way, 1) CASE(too_many_under_way, 1)
    CASE(root_that_is_no_rank, 1) CASE(reduced_to_no_rank, 1) CASE(gathered_in_place_everywhere, 2) CASE(operations_differ, 2)
    CASE(nonblocking_operations_differ, 2) CASE(nonblocking_roots_differ, 2) CASE(nonblocking_call_on_one, 2)
    CASE(nonblocking_beside_blocking, 2)
    CASE(neighbors_without_a_grid, 1) CASE(seeded_on_all, 2) CASE(seeded_on_another_rank, 2)
    CASE(seeded_on_none, 2) CASE(function_differs, 2) CASE(size_differs, 2) CASE(large_size_differs, 2) CASE(message_missing, 2) CASE(nonblocking_call_missing, 2)
    CASE(collective_calls_differ, 2) CASE(intercommunicator, 2)
    CASE(collective_call_missing, 2) CASE(adjoint_not_asked_for, 2) CASE(large_adjoint_not_asked_for, 2)
    CASE(adjoint_kept, 2) CASE(seed_checked_on_one, 2) CASE(statistics_on_one, 2) CASE(test_on_one, 2)
    CASE(error_of_others, 3) CASE(window_of_active_memory, 1) CASE(window_that_gets_active_memory, 1)
    CASE(attached_active_memory, 1) CASE(got_into_active_memory, 1)
};

int main(int argc, char **argv) {
    const size_t count = sizeof cases / sizeof *cases;
    if (strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < count; i++) {
            printf("%s %d\n", cases[i].name, cases[i].ranks);
        }
        return 0;
    }
    if (strcmp(argv[1], "call_before_init") == 0) {
        MPI_Init(&argc, &argv);
    } else {
        begin(&argc, &argv);
    }
    active(x, xb, sizeof x, "x");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].provoke();
            /* Not even a rank that finds no error itself. */
            MPI_Barrier(MPI_COMM_WORLD);
            printf("rank %d went on\n", me);
        }
    }
    return 0;
}
