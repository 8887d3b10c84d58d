//! Every error that a C program can provoke, and what it says.

use super::{PLAIN, build, in_mode, said};
use crate::common::{declarations, run, stdout};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

/// A case of `errors.c` ends with this plus its status.
const FIRST_CODE: i32 = 40;
const SIGABRT: i32 = 6;

/// Each case of `errors.c`: its status, and parts of the message, which say what, how much, and what to do. Where,
/// every message of an aborted program says; of a mismatch, both places.
const ERRORS: &[(&str, &str, &[&str])] = &[
    ("null_handle_scalar", "NULL_HANDLE", HANDLE),
    ("null_handle_scalar_pop", "NULL_HANDLE", HANDLE),
    ("null_handle_array", "NULL_HANDLE", HANDLE),
    ("null_handle_section", "NULL_HANDLE", HANDLE),
    ("null_handle_control", "NULL_HANDLE", HANDLE),
    ("null_handle_count", "NULL_HANDLE", HANDLE),
    ("null_handle_status", "NULL_HANDLE", HANDLE),
    ("null_array", "NULL_POINTER", &["address of 5 values is NULL", ALLOCATE]),
    ("null_array_pop", "NULL_POINTER", &["address of 5 values is NULL", ALLOCATE]),
    ("null_array_of_any_type", "NULL_POINTER", &["address of 5 values is NULL", ALLOCATE]),
    ("null_array_of_own_tape", "NULL_POINTER", &["is NULL", ALLOCATE]),
    ("null_bytes", "NULL_POINTER", &["address of 5 values is NULL", ALLOCATE]),
    ("null_array_of_minus_one", "COUNT_RANGE", &["push of -1 values of f64", "is negative", COMPUTED]),
    ("null_section", "NULL_POINTER", &["address of 4 values is NULL", ALLOCATE]),
    ("null_extents", "NULL_POINTER", &["extents or strides of a section is NULL", "pass the address"]),
    ("null_strides", "NULL_POINTER", &["extents or strides of a section is NULL", "pass the address"]),
    ("null_result", "NULL_POINTER", &["the address of the result is NULL", "pass the address"]),
    ("count_negative", "COUNT_RANGE", &["push of -3 values of f64", "is negative", COMPUTED]),
    ("count_negative_pop", "COUNT_RANGE", &["pop of -3 values of f64", "is negative", COMPUTED]),
    ("count_negative_of_any_type", "COUNT_RANGE", &["push of -3 values of f64", "is negative", COMPUTED]),
    ("count_least", "COUNT_RANGE", &["pop of -9223372036854775808 values of i8", "is negative", COMPUTED]),
    ("count_absurd", "COUNT_RANGE", &["push of 2305843009213693953 values of f64", SPACE, COMPUTED]),
    ("count_absurd_pop", "COUNT_RANGE", &["pop of 2305843009213693953 values of f64", SPACE, COMPUTED]),
    ("count_absurd_of_any_type", "COUNT_RANGE", &["push of 2305843009213693953 values of f64", SPACE, COMPUTED]),
    ("count_absurd_pop_of_any_type", "COUNT_RANGE", &["pop of 2305843009213693953 values of f64", SPACE, COMPUTED]),
    ("count_absurd_of_own_tape", "COUNT_RANGE", &["9223372036854775807 values of complex_f128", SPACE, COMPUTED]),
    ("count_absurd_bytes", "COUNT_RANGE", &["push of 9223372036854775807 values of bytes", SPACE, COMPUTED]),
    ("section_too_large", "COUNT_RANGE", &["[1099511627776, 1099511627776, 2]", SPACE, COMPUTED]),
    ("bits_none", "BAD_ARGUMENT", &["push of 0 control bits", WIDTH]),
    ("bits_negative", "BAD_ARGUMENT", &["push of -5 control bits", WIDTH]),
    ("bits_65", "BAD_ARGUMENT", &["push of 65 control bits", WIDTH]),
    ("bits_65_pop", "BAD_ARGUMENT", &["pop of 65 control bits", WIDTH]),
    ("bits_65_out_of_line", "BAD_ARGUMENT", &["push of 65 control bits", WIDTH]),
    ("bits_none_of_own_tape", "BAD_ARGUMENT", &["pop of 0 control bits", WIDTH]),
    ("type_unknown", "BAD_ARGUMENT", &["99 at", "is not a type", "ADTAPE_TYPE_"]),
    ("type_zero", "BAD_ARGUMENT", &["0 at", "is not a type", "ADTAPE_TYPE_"]),
    ("type_of_control_array", "BAD_ARGUMENT", &["no arrays of control", "one by one"]),
    ("type_of_count_array", "BAD_ARGUMENT", &["no arrays of count", "one by one"]),
    ("section_type_unknown", "BAD_ARGUMENT", &["99 at", "is not a type", "ADTAPE_TYPE_"]),
    ("section_type_control", "BAD_ARGUMENT", &["no sections of control", "one by one"]),
    ("section_rank_negative", "BAD_ARGUMENT", &["-1 is not the rank of a section", "0 to 15"]),
    ("section_rank_16", "BAD_ARGUMENT", &["16 is not the rank of a section", "0 to 15"]),
    ("section_extent_negative", "BAD_ARGUMENT", &["extent of dimension 1 is -1", "at least 0"]),
    ("trim_unknown", "BAD_ARGUMENT", &["7 is no way to trim", "ADTAPE_TRIM_SOFT (0) or ADTAPE_TRIM_HARD (1)"]),
    ("operation_unknown", "BAD_ARGUMENT", &["2 is not an operation", "ADTAPE_OPERATION_PUSH (0)"]),
    ("descriptor_negative", "BAD_ARGUMENT", &["-1 is not a file descriptor", "pass 1"]),
    ("descriptor_not_open", "IO", &["file descriptor 987", "Bad file descriptor", "open for writing"]),
    ("underflow_array", "UNDERFLOW", &["pop of 1000 values of f64 (8000 bytes)", "holds 38 bytes", MORE]),
    ("underflow_array_of_any_type", "UNDERFLOW", &["pop of 1000 values of f64 (8000 bytes)", "holds 38 bytes", MORE]),
    ("underflow_array_of_own_tape", "UNDERFLOW", &["pop of 10 values of i32 (40 bytes)", "holds 38 bytes", MORE]),
    ("underflow_record", "UNDERFLOW", &["pop of 8 values of f64 (64 bytes)", "holds 38 bytes", MORE]),
    ("underflow_record_of_new_tape", "UNDERFLOW", &["pop of 8 values of f64 (64 bytes)", "holds 0 bytes", MORE]),
    ("underflow_section", "UNDERFLOW", &["pop of 40 values of f64 (320 bytes)", "holds 38 bytes", MORE]),
    ("underflow_scalar", "UNDERFLOW", &["pop of one f64 (8 bytes)", "holds 0 bytes", MORE]),
    ("underflow_scalar_out_of_line", "UNDERFLOW", &["pop of one f64 (8 bytes)", "holds 0 bytes", MORE]),
    ("underflow_control", "UNDERFLOW", &["pop of 3 control bits", "holds 0", MORE]),
    ("underflow_count", "UNDERFLOW", &["pop of a count", "holds 0", MORE]),
    ("underflow_local", "UNDERFLOW", &["pop of one f64 (8 bytes)", "holds 0 bytes", MORE]),
    ("underflow_in_repeat", "UNDERFLOW", &["pop of one f64 (8 bytes)", "holds 0 bytes", MORE]),
    ("corrupt_control", "CORRUPT", &["pop of 64 control bits", "none were pushed", "0x3fe0000000000000", USE_CHECK]),
    ("corrupt_count", "CORRUPT", &["pop of a count", "none was pushed", USE_CHECK]),
    ("mismatch_type", "MISMATCH", &["pushed: one f64 at", "popped: one i64 at", MIRROR]),
    ("mismatch_count", "MISMATCH", &["pushed: 3 values of f64 at", "popped: 2 values of f64 at", MIRROR]),
    ("mismatch_array_as_scalar", "MISMATCH", &["pushed: 3 values of f64 at", "popped: one f64 at", MIRROR]),
    (
        "mismatch_more_than_there_is",
        "MISMATCH",
        &["pushed: 3 values of f64 at", "popped: 100 values of f64 at", MIRROR],
    ),
    ("mismatch_section", "MISMATCH", &["pushed: 3 values of f64 at", "popped: 4 values of f64 at", MIRROR]),
    ("mismatch_width", "MISMATCH", &["pushed: 7 control bits at", "popped: 6 control bits at", MIRROR]),
    ("mismatch_value_for_bits", "MISMATCH", &["pushed: one f64 at", "popped: 6 control bits at", MIRROR]),
    ("mismatch_bits_for_value", "MISMATCH", &["pushed: 7 control bits at", "popped: one f64 at", MIRROR]),
    ("mismatch_value_for_count", "MISMATCH", &["pushed: one f64 at", "popped: one count at", MIRROR]),
    ("mismatch_count_for_value", "MISMATCH", &["pushed: one count at", "popped: one i8 at", MIRROR]),
    ("mismatch_many_bits", "MISMATCH", &["pushed: 7 control bits at", "popped: 64 control bits at", MIRROR]),
    ("mismatch_local", "MISMATCH", &["pushed: one f64 at", "popped: one f32 at", MIRROR]),
    ("site_of_last_calls", "MISMATCH", &["(push_bits_at_the_end)", "(pop_count_at_the_end)", MIRROR]),
    ("site_of_last_section", "MISMATCH", &["(push_section_at_the_end)", "(pop_bits_at_the_end)", MIRROR]),
    ("mismatch_nothing_left", "MISMATCH", &["pushed: nothing", "popped: one f64 at", "pops more often"]),
    ("mismatch_no_bits_left", "MISMATCH", &["pushed: nothing", "popped: 3 control bits at", "pops more often"]),
    ("mismatch_in_repeat", "MISMATCH", &["pushed: 3 values of f64 at", "popped: 3 values of f32 at", MIRROR]),
    ("mismatch_with_push_in_repeat", "MISMATCH", &["pushed: one i16 at", "popped: 5 control bits at", MIRROR]),
    ("mismatch_after_mark_reset", "MISMATCH", &["pushed: one f64 at", "popped: one i32 at", MIRROR]),
    (
        "repeat_reset_without_start",
        "REPEAT_UNBALANCED",
        &["reset of a repeat region, but none is active", "start before"],
    ),
    ("repeat_end_without_start", "REPEAT_UNBALANCED", &["end of a repeat region, but none is active", "start before"]),
    ("mark_foreign", "MARK_FOREIGN", &["reset of tape number", "to a mark of tape number", "where it was taken only"]),
    ("marks_of_two_tapes", "MARK_FOREIGN", &["marks of two tapes", "compare marks of one tape"]),
    ("mark_above_top", "MARK_ABOVE_TOP", &["a mark at 46 bytes and 5", "holds 38 bytes and 5", "take the mark again"]),
    (
        "mark_replaced",
        "MARK_ABOVE_TOP",
        &["other values were pushed in its place", "take the mark again", "the pop was at "],
    ),
    (
        "wrong_thread_push",
        "WRONG_THREAD",
        &["push of one f64 (8 bytes)", "belongs to another thread", "adtape_release"],
    ),
    ("wrong_thread_status", "WRONG_THREAD", &["belongs to another thread", "adtape_release", "adtape_acquire"]),
    ("wrong_thread_free", "WRONG_THREAD", &["belongs to another thread", "adtape_release", "adtape_acquire"]),
    ("released_push", "RELEASED", &["push of one f64 (8 bytes)", "is released", "adtape_acquire first"]),
    ("released_pop_control", "RELEASED", &["pop of 5 control bits", "is released", "adtape_acquire first"]),
    ("released_status", "RELEASED", &["is released", "adtape_acquire first"]),
    ("acquire_unreleased", "RELEASED", &["not released", "adtape_release first"]),
    ("attached_push", "ATTACHED", &["push of one f64 (8 bytes)", "attached to a local cursor", "adtape_detach first"]),
    (
        "attached_pop_array",
        "ATTACHED",
        &["pop of one f64 (8 bytes)", "attached to a local cursor", "adtape_detach first"],
    ),
    ("attached_status", "ATTACHED", &["attached to a local cursor", "adtape_detach first"]),
    ("attached_release", "ATTACHED", &["attached to a local cursor", "adtape_detach first"]),
    ("detach_unattached", "ATTACHED", &["not attached", "adtape_attach"]),
    ("local_after_detach", "ATTACHED", &["not attached", "another thread's own", "adtape_attach"]),
    (
        "memory_limit_by_call",
        "MEMORY_LIMIT",
        &["push of 20000 values of f64", "176.83 KiB (181072 bytes)", RAISE, LESS],
    ),
    (
        "memory_limit_by_environment",
        "MEMORY_LIMIT",
        &["push of 200000 values of f64", "have 128.00 KiB", "1.00 MiB", LESS],
    ),
    ("bad_check", "BAD_ENVIRONMENT", &["ADTAPE_CHECK is \"maybe\"", "takes 0 or 1", UNSET]),
    ("bad_profile", "BAD_ENVIRONMENT", &["ADTAPE_PROFILE is \"2\"", "takes 0, 1 or the path of a directory", UNSET]),
    ("bad_memory_limit", "BAD_ENVIRONMENT", &["ADTAPE_MEMORY_LIMIT is \"lots\"", "e.g. 8G", UNSET]),
    ("bad_reserve", "BAD_ENVIRONMENT", &["ADTAPE_RESERVE is \"-1\"", "at least 4096", UNSET]),
    ("bad_step", "BAD_ENVIRONMENT", &["ADTAPE_STEP is \"12\"", "at least 4096", UNSET]),
    ("bad_huge_pages", "BAD_ENVIRONMENT", &["ADTAPE_HUGE_PAGES is \"yes\"", "takes 0 or 1", UNSET]),
    ("bad_environment_push", "BAD_ENVIRONMENT", &["ADTAPE_MEMORY_LIMIT is \"8X\"", "e.g. 8G", UNSET]),
    ("null_handle_pointer", "NULL_HANDLE", &["the tape handle is NULL"]),
    ("null_handle_range", "NULL_HANDLE", &["the tape handle is NULL"]),
    ("null_base", "NULL_POINTER", &["a range of 8 bytes is NULL", "what the allocation returned"]),
    ("null_range", "NULL_POINTER", &["the address of the range is NULL"]),
    ("null_pop_range", "NULL_POINTER", &["the address of the range is NULL"]),
    ("null_new_base", "NULL_POINTER", &["a range of 100 bytes is NULL", "what the allocation returned"]),
    ("null_pair", "NULL_POINTER", &["base NULL and offset 8", "has offset 0"]),
    ("range_too_large", "COUNT_RANGE", &["a range of 281474976710656 bytes", "exceeds the address space"]),
    ("kind_unknown", "BAD_ARGUMENT", &["5 is not a kind of memory", "ADTAPE_KIND_"]),
    (
        "overlap_heap",
        "OVERLAP",
        &[
            "overlaps one that is alive",
            "new:   `z`, a heap range of 2 bytes",
            "there: `x` (char[100]), a heap range of 100 bytes",
        ],
    ),
    ("overlap_stack", "OVERLAP", &["new:   `z`, a stack range of 1 byte", "there: `x` (char[100])"]),
    ("overlap_rebase", "OVERLAP", &["new:   `y`, a stack range of 100 bytes", "there: `x` (char[100])"]),
    ("comes_back_twice", "OVERLAP", &["comes back while it is alive", "`y`", "once"]),
    ("foreign_range", "BAD_ARGUMENT", &["never born among these objects", "adtape_pop_range"]),
    (
        "pointer_outside",
        "NO_RANGE",
        &[
            "push of a pointer",
            "in no range",
            "128 bytes past the end of `x` (char[100]), a heap range of 100 bytes",
            "adtape_push_pair",
        ],
    ),
    ("pointer_before", "NO_RANGE", &["1 byte before `x`"]),
    (
        "pair_outside",
        "NO_RANGE",
        &["push of a pair", "no range that is alive begins at", "1 byte past the base of `x`"],
    ),
    ("remove_inside", "NO_RANGE", &["no range that is alive begins at", "8 bytes past the base of `x`"]),
    ("end_twice", "NO_RANGE", &["push of a range", "400 bytes past the end of `x`", "a range ends once"]),
    ("rebase_remove_unknown", "NO_RANGE", &["no range that is alive begins at"]),
    ("adjoint_unknown", "NO_RANGE", &["no range that is alive begins at"]),
    ("base_shared", "AMBIGUOUS", &["several ranges begin at", "`x`", "`none`"]),
    ("adjoint_uneven", "UNEVEN", &["pop of a pointer", "offset 8 in `x`", "its adjoint of 7 bytes"]),
    ("corrupt_pointer", "CORRUPT", &["a pointer is popped where none was pushed", "ADTAPE_CHECK=1"]),
    ("corrupt_range", "CORRUPT", &["a range is popped where none was pushed", "ADTAPE_CHECK=1"]),
    ("underflow_pointer", "UNDERFLOW", &["pop of a pointer", "holds 0"]),
    ("underflow_range", "UNDERFLOW", &["pop of a range", "holds 0"]),
    ("mismatch_pair", "MISMATCH", &["pushed: one pointer at", "popped: one pair at"]),
    ("mismatch_range", "MISMATCH", &["pushed: one f64 at", "popped: one range at"]),
];

/// Cases that need code compiled without optimisation.
const UNOPTIMISED: &[&str] =
    &["null_handle_inline", "null_handle_inline_array", "null_handle_inline_control", "null_handle_inline_count"];

const HANDLE: &[&str] = &["the tape handle is NULL", "adtape_self() or what adtape_create() returned"];
const ALLOCATE: &str = "allocate it";
const COMPUTED: &str = "computed";
const SPACE: &str = "exceeds the address space";
const WIDTH: &str = "it is 1 to 64";
const USE_CHECK: &str = "ADTAPE_CHECK=1";
const MORE: &str = "pops more than the forward sweep pushed; run with ADTAPE_CHECK=1";
const MIRROR: &str = "make the pop in the reverse sweep mirror the push in the forward sweep";
const RAISE: &str = "raise the limit (ADTAPE_MEMORY_LIMIT or adtape_process_set_memory_limit)";
const LESS: &str = "tape less";
const UNSET: &str = "correct or unset it";

/// The statuses by value, from the header.
fn code_of(status: &str) -> i32 {
    let header = declarations();
    let line = format!("ADTAPE_STATUS_{status} = ");
    let value = header.split_once(&line).unwrap_or_else(|| panic!("no {line}")).1;
    value.split(',').next().expect("a number").parse().expect("a number")
}

/// The cases of the program, with whether each is of a call that returns no status.
fn cases_of(binary: &Path) -> Vec<(String, bool)> {
    let list = stdout(in_mode(binary, PLAIN).arg("--list"));
    let case = |line: &str| {
        let mut words = line.split(' ');
        (words.next().unwrap_or_default().to_owned(), words.next() == Some("aborts"))
    };
    list.lines().map(case).collect()
}

/// Runs a case with the default handler and, where it aborts, with the program's own, which pops and compares all
/// that was on the tape before.
fn check_error(binary: &Path, case: &str, aborts: bool, status: &str, parts: &[&str], place: &str) {
    let run =
        |arguments: &[&str]| in_mode(binary, PLAIN).arg(case).args(arguments).output().expect("the program starts");
    let code = Some(FIRST_CODE + code_of(status));
    let output = run(&[]);
    let text = String::from_utf8_lossy(&output.stderr);
    if aborts {
        assert_eq!(output.status.signal(), Some(SIGABRT), "{case}: {}\n{text}", output.status);
        assert!(text.starts_with("adtape: error: "), "{case}: {text}");
        let places = if status == "MISMATCH" { 2 } else { 1 };
        assert!(text.matches(place).count() >= places, "{case}: no {place} in {text}");
        let handled = run(&["handler"]);
        assert_eq!(handled.status.code(), code, "{case}, own handler: {}\n{}", handled.status, said(&handled));
    } else {
        assert_eq!(output.status.code(), code, "{case}: {}\n{text}", output.status);
    }
    for part in parts {
        assert!(text.contains(part), "{case}: no \"{part}\" in {text}");
    }
}

#[test]
fn every_error_says_what_where_how_much_and_what_to_do_and_changes_nothing() {
    let binary = build("errors", "errors", &["-g", "-O2"]);
    let cases = cases_of(&binary);
    let names: BTreeSet<&str> = cases.iter().map(|(name, _)| name.as_str()).collect();
    let table: BTreeSet<&str> = ERRORS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, table, "the cases of errors.c, and the table here");
    for (case, aborts) in &cases {
        let (_, status, parts) = ERRORS.iter().find(|(name, ..)| name == case).expect("a row of the table");
        check_error(&binary, case, *aborts, status, parts, "ctests/across/errors_");
    }
}

/// All statuses that the C API can return but one: a tape is poisoned only when the file that it has spilled
/// to cannot be read, and that file has no name by which a C program could damage it. `tests/model` injects that fault.
#[test]
fn every_status_is_provoked() {
    let mut provoked: BTreeSet<&str> = ERRORS.iter().map(|(_, status, _)| *status).collect();
    provoked.extend(["OK", "OUT_OF_MEMORY" /* by limits.c */]);
    provoked.extend(["NOT_FOUND", "DAMAGED", "OTHER_VERSION" /* by store.c */]);
    provoked.extend(["IN_USE" /* by store_files.c */, "STOPPED" /* by driver.c */]);
    provoked.extend(["BAD_BLOCK", "HEAP_STATE", "NO_ADJOINT" /* by block.c, heap.c and snapshot.c */]);
    let header = declarations();
    let all: BTreeSet<&str> = header
        .lines()
        .filter_map(|line| line.trim().strip_prefix("ADTAPE_STATUS_")?.split_once(" = ").map(|(name, _)| name))
        .collect();
    let missing: Vec<_> = all.difference(&provoked).collect();
    assert_eq!(missing, [&"POISONED"]);
}

#[test]
fn null_handle_of_an_inline_call_is_an_error_in_code_without_optimisation() {
    let binary = build("errors_unoptimised", "errors", &["-g", "-O0"]);
    let cases = cases_of(&binary);
    for case in UNOPTIMISED {
        assert!(cases.contains(&((*case).to_owned(), true)), "{case} is not among {cases:?}");
        check_error(&binary, case, true, "NULL_HANDLE", HANDLE, "ctests/across/errors_");
    }
    run(&mut in_mode(&binary, PLAIN));
}

#[test]
fn errors_without_debug_information_say_module_and_offset() {
    let binary = build("errors_without_lines", "errors", &["-O2", "-DNO_DEBUG_LINES"]);
    for (case, status, parts) in ERRORS {
        if ["mismatch_type", "underflow_array", "null_section", "attached_push"].contains(case) {
            check_error(&binary, case, true, status, parts, "/errors+0x");
        }
    }
}
