//! Loops that are run again: what is stored in front of passes, and nothing inside them.

mod common;

use adtape_generate::plan::again::Named;
use adtape_generate::transform::Choices;

use common::counted::{Stored, check_stored};

/// What one run with n = 40 pushes if all loops run again. The pushes of the reverse sweep count, too: what a pass
/// pushes when it runs again is popped before the next pass.
#[rustfmt::skip]
const AGAIN: [Stored; 14] = [
    ("array_that_is_advanced", [645, 0, 0, 0], "40 steps: 5; run again, 1 and for each element 2; the 5 at the end"),
    ("array_filled_by_call", [384, 0, 0, 0], "32 passes: none; run again, 6 elements of the triangle: 1, and 1 again"),
    ("block_in_a_pass", [200, 0, 0, 0], "40 passes: s; run again, the 3 of the block; in each other one the 2 of the struct"),
    ("counter_tested_behind_the_pass", [160, 0, 0, 40], "40 passes: u; run again, u in 3 passes, and how many there were"),
    ("loop_in_a_loop", [240, 0, 0, 0], "none; in the reverse sweep the inner loop stores u, 6 times a pass"),
    ("one_name_for_two_values", [93, 0, 0, 0], "u; 6 and 40 passes: the element, and again when they are run again"),
    ("read_before_later_write", [74, 0, 0, 1], "37 passes: 1, and 1 when they are run again; how many there were"),
    ("settled_in_a_pass", [19, 0, 0, 5], "5 passes: s; run again, the 14 inner passes: 1; how many each time"),
    ("state_in_calls", [594, 44, 33, 12], "11 passes: the state of 12; run again, what calls and their passes overwrite"),
    ("state_of_scalars", [40, 0, 0, 0], "40 passes: u"),
    ("value_of_the_pass_around", [400, 0, 0, 0], "40 passes: s and 3 elements; run again, 3 inner passes: 1, and 1 again"),
    ("work_space_of_passes", [2921, 0, 0, 0], "36 passes: 10; run again, what calls and their passes overwrite; the 5 at the end"),
    ("work_space_on_the_heap", [2016, 0, 0, 0], "36 passes: none, none runs forward; run again, what calls and their passes overwrite"),
    ("written_in_one_arm", [14, 0, 0, 0], "the 14 that are overwritten: not run again"),
];

#[test]
fn passes_that_run_again_store_what_they_overwrite() {
    check_stored("again", &AGAIN, |_| Choices { again: vec![Named::parse("*")], ..Choices::default() });
}

#[rustfmt::skip]
const NOT_NAMED: [Stored; 3] = [
    ("by_directive", [80, 0, 0, 0], "40 passes of the second loop: 2"),
    ("unasked", [0, 0, 0, 0], "no pass runs forward"),
    ("sum_is_needed", [81, 0, 0, 0], "40 passes: 2; the sum"),
];

#[test]
fn loops_run_again_by_directive_or_where_that_takes_no_time() {
    check_stored("again", &NOT_NAMED, |_| Choices::default());
}
