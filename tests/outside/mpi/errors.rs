//! Every error of `mpi/tests/errors.c`, and what it says.

use super::said;
use std::process::Output;

/// In which modes a case is run.
#[derive(PartialEq)]
enum Mode {
    /// With check mode and without.
    Both,
    /// Without it check mode of the tape is not there to find it first.
    Plain,
    /// Without it the ranks would wait for ever.
    Check,
}
use Mode::{Both, Check, Plain};

/// Name, mode, parts of the message.
const ERRORS: &[(&str, Mode, &[&str])] = &[
    ("unknown_request", Both, &["a wait on an unknown request, number 0", "make it by adtape_MPI_Isend"]),
    ("unknown_request_among_several", Both, &["a wait on an unknown request, number 1"]),
    ("reverse_without_forward", Both, &["reverse of MPI_Barrier, but no call of the forward sweep is left"]),
    ("reverse_of_another_call", Both, &["reverse of MPI_Barrier, but the last call", "is MPI_Bcast"]),
    (
        "reverse_of_other_values",
        Plain,
        &["reverse of MPI_Barrier, but what is on the tape is no record", "ADTAPE_CHECK"],
    ),
    ("request_not_waited_for", Both, &["the request of this MPI_Isend was not waited for by a call of adtape_mpi"]),
    ("unknown_communicator", Both, &["a communicator that adtape_mpi does not know", "adtape_mpi_adopt"]),
    ("intercommunicator", Both, &["an intercommunicator", "adtape_mpi reverses intracommunicators only"]),
    ("call_before_init", Both, &["a call of adtape_mpi before adtape_MPI_Init"]),
    (
        "buffer_outside",
        Both,
        &["the buffer of this MPI_Bcast is in no range", "adtape_live_add", "adtape_MPI_Bcast_b_at"],
    ),
    ("buffer_beyond_its_range", Both, &["a buffer of 24 bytes at byte 48 of `x`, which has 64 bytes only"]),
    (
        "joined_variable_outside",
        Both,
        &["a datatype that joins several variables: 24 bytes of it", "lie in no range", "register each variable"],
    ),
    ("joined_variable_beyond_its_range", Both, &["8 bytes of it", "lie not within `y`, which has 32 bytes"]),
    ("joined_variable_not_back", Both, &["the buffer of this MPI_Bcast has ended and is not back yet"]),
    ("adjoint_of_another_size", Both, &["the adjoint of `y` has 32 bytes, and it has 64"]),
    ("buffer_not_back", Both, &["the buffer of this MPI_Bcast has ended and is not back yet", "adtape_rebase_add"]),
    ("integers_in_active_buffer", Both, &["integers or bytes for a buffer in `x`", "name the type of the values"]),
    ("integers_in_buffer_that_gets_an_adjoint", Both, &["integers or bytes for a buffer in `y`"]),
    ("integers_and_doubles", Both, &["a datatype of integers and floating-point numbers, 1 of these"]),
    ("type_without_arithmetic", Both, &["a datatype whose adjoint adtape_mpi cannot send", "MPI_PACKED"]),
    ("type_of_half_precision", Both, &["a datatype whose adjoint adtape_mpi cannot send"]),
    ("operation_unknown", Both, &["MPI_Allreduce of 1 values with an operation", "it takes MPI_SUM"]),
    ("operation_without_an_adjoint", Both, &["adtape_mpi_op_adjoint without an operation, its function or its"]),
    ("places_without_their_values", Both, &["MPI_Allreduce of 2 values with an operation", "MPI_MINLOC of pairs"]),
    ("seeded_on_all", Both, &["seeded on 2 of 2 ranks, rank 0 the first of them, and is meant to be on one rank"]),
    ("seeded_on_another_rank", Both, &["seeded on 1 of 2 ranks, rank 1 the first", "meant to be on rank 0 alone"]),
    ("seeded_on_none", Both, &["seeded on 0 of 2 ranks, and is meant to be on all ranks"]),
    ("function_differs", Both, &["a derivative test: the function returns", "on rank 1", "the sum of their parts"]),
    (
        "nonblocking_operation_unknown",
        Both,
        &["MPI_Ireduce_scatter_block of 1 values with an operation", "it takes MPI_SUM"],
    ),
    ("message_not_matched", Both, &["MPI_Mrecv of an unknown message", "match it by adtape_MPI_Mprobe"]),
    ("nonblocking_not_waited_for", Both, &["the request of this MPI_Ibcast was not waited for"]),
    ("start_of_unknown_request", Both, &["MPI_Start of an unknown request", "make it by adtape_MPI_Send_init"]),
    ("started_twice", Both, &["MPI_Start of a request that is under way", "wait for it before"]),
    ("freed_under_way", Both, &["MPI_Request_free of a request that is under way"]),
    ("too_many_under_way", Plain, &["requests are under way, more than adtape_mpi can tell apart", "several tags"]),
    ("root_that_is_no_rank", Both, &["MPI_Ibcast with root 7 on a communicator of 1"]),
    ("reduced_to_no_rank", Both, &["MPI_Reduce with root -1 on a communicator of 1"]),
    ("gathered_in_place_everywhere", Both, &["MPI_Gather with MPI_IN_PLACE on rank 1, and the root is rank 0"]),
    (
        "operations_differ",
        Check,
        &["calls MPI_Allreduce by MPI_SUM (root -1, 1 values of double)", "calls MPI_Allreduce by MPI_MAX"],
    ),
    (
        "nonblocking_operations_differ",
        Check,
        &["calls MPI_Iallreduce by MPI_SUM (root -1, 1 values of double)", "calls MPI_Iallreduce by MPI_MAX"],
    ),
    ("nonblocking_roots_differ", Check, &["calls MPI_Ibcast (root 0", "calls MPI_Ibcast (root 1", "in one order"]),
    (
        "nonblocking_call_on_one",
        Check,
        &["MPI_Ireduce on a communicator of 2: not all of its ranks came to it within 1 s", "does not call it"],
    ),
    ("nonblocking_beside_blocking", Check, &["calls MPI_Iallreduce by MPI_SUM", "calls MPI_Allreduce by MPI_SUM"]),
    ("neighbors_without_a_grid", Both, &["MPI_Neighbor_allgather on a communicator that is not Cartesian"]),
    ("pair_in_a_message", Both, &["a pair of a value and its place", "send the value by itself"]),
    (
        "size_differs",
        Plain,
        &["the adjoint of what MPI_Send sent to rank 1 with tag 0 has another size", "ADTAPE_CHECK"],
    ),
    (
        "size_differs",
        Check,
        &["MPI_Send sent 16 bytes of double to rank 1 with tag 0", "that rank reverses MPI_Recv of 8 bytes of double"],
    ),
    ("large_size_differs", Plain, &["sent to rank 1 with tag 0 has another size there than here, 1048576 bytes"]),
    (
        "message_missing",
        Check,
        &[
            "the adjoint of message number 0 with tag 3, which MPI_Send sent to rank 1",
            "within 1 s",
            "nothing has come",
        ],
    ),
    (
        "nonblocking_call_missing",
        Check,
        &[
            "the adjoint from rank 1 of nonblocking collective call number 0, MPI_Ibcast",
            "within 1 s",
            "nothing has come",
        ],
    ),
    // Which rank says it first, depends on the moment.
    (
        "collective_calls_differ",
        Check,
        &["MPI_Bcast (root 0, 1 values of double)", "MPI_Barrier (root 0", "in one order"],
    ),
    ("error_of_others", Plain, &["the adjoint of what MPI_Send sent to rank 1 with tag 0 has another size"]),
    (
        "error_of_others",
        Check,
        &["MPI_Send sent 16 bytes of double to rank 1", "that rank reverses MPI_Recv of 8 bytes"],
    ),
    (
        "adjoint_not_asked_for",
        Plain,
        &["rank 1 has reversed the receive of a message with tag 5", "this rank has not reversed its send"],
    ),
    ("adjoint_not_asked_for", Check, &["rank 1 has reversed MPI_Recv of a message with tag 5"]),
    ("large_adjoint_not_asked_for", Both, &["rank 1 has reversed ", "of a message with tag 5"]),
    ("adjoint_kept", Both, &["rank 1 has reversed ", "of a message with tag 6", "sent by MPI's own call"]),
    ("seed_checked_on_one", Check, &["is at adtape_mpi_check_seed", "reverses MPI_Allreduce", "in one order"]),
    ("statistics_on_one", Check, &["is at statistics", "is at adtape_MPI_Finalize"]),
    ("test_on_one", Check, &["a derivative test on a communicator of 2: not all of its ranks came", "all ranks do"]),
    ("window_of_active_memory", Check, &["a window of 32 bytes holds memory of `x`, which has an adjoint"]),
    ("window_that_gets_active_memory", Check, &["a window of 64 bytes holds memory of `field`", "have no reverse"]),
    ("attached_active_memory", Check, &["a window of 64 bytes holds memory of `x`"]),
    ("got_into_active_memory", Check, &["MPI_Get of a buffer in `x`, which has an adjoint", "send the values"]),
    ("collective_call_missing", Check, &["reverse of MPI_Barrier on a communicator of 2: not all of its ranks came"]),
];

pub fn every_case_is_in_the_table(cases: &[&str]) {
    for case in cases {
        assert!(
            ERRORS.iter().any(|(name, ..)| name == case),
            "{case} is not in the table of tests/outside/mpi/errors.rs"
        );
    }
    for (name, ..) in ERRORS {
        assert!(cases.contains(name), "{name} is no case of mpi/tests/errors.c");
    }
}

/// Runs a case in its modes. It has to end in an error that names the rank, the place, and what is wrong. A case of
/// both modes runs `twice`, or with check mode only: starting ranks is what takes time here.
pub fn check(case: &str, twice: bool, run: impl Fn(&[(&str, &str)]) -> Output) {
    for (name, mode, parts) in ERRORS.iter().filter(|(name, ..)| *name == case) {
        let settings = [("ADTAPE_MPI_TIMEOUT", "1"), ("ADTAPE_CHECK", "1")];
        let modes: &[&[_]] = match mode {
            Both if twice => &[&settings[..1], &settings],
            Both => &[&settings],
            Plain => &[&settings[..1]],
            Check => &[&settings],
        };
        for settings in modes {
            let output = run(settings);
            let text = said(&output);
            assert!(!output.status.success(), "{name}: no error\n{text}");
            assert!(!text.contains("went on"), "{name}, {settings:?}\n{text}");
            for part in parts.iter().chain(&["adtape: error: rank ", "mpi/tests/errors.c:"]) {
                assert!(text.contains(part), "{name}, {settings:?}: \"{part}\" is not in\n{text}");
            }
        }
    }
}
