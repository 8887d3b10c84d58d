//! Short programs on the edges of what is overwritten and of what is read again: exact counts of what is stored.
//!
//! A section that is too long or too short by one element, a kill that comes too early, a loop that is taken to run:
//! each shows here, as another count, or as a gradient that is neither the tangent's nor that of differences. Random
//! programs hardly see such faults. `command/tests/command/programs.rs` runs the same programs under `--check`.

mod common;

use adtape_generate::transform::Choices;

use common::counted::{Stored, check_stored};

/// What one run with n = 40 pushes.
#[rustfmt::skip]
const STORED: [Stored; 31] = [
    ("ahead_of_the_index", [140, 0, 0, 0], "the 100 of t at the end; 40 steps: 1, as if an earlier step could have read it"),
    ("behind_the_end", [141, 0, 0, 0], "the 100 of t; 40 elements, and the one behind them"),
    ("blocks_in_passes", [15, 0, 0, 0], "the contents of blocks of 2, 3 and 4; in each pass the sum, and the last element"),
    ("complex_products", [82, 0, 0, 0], "40 passes: the power; the two of the sum at the end"),
    ("conditions_or_bits", [149, 80, 197, 0], "the 100 of m at the end, and 9 that a short loop overwrites; 40 and 3 times 39 passes whose condition reads memory, 40 whose reads an integer: a bit; 40 passes: k, that an index reads; 40 times 20 conditions: k and m[0]"),
    ("counted_in_arms", [28, 43, 40, 0], "40 passes: 1 integer that an arm sets anew, a bit where data decides; the last of the three that arms count"),
    ("counters_behind_a_loop", [115, 0, 0, 0], "the 100 of t; 3 passes: c and 4 elements; no counter"),
    ("downwards", [139, 0, 0, 0], "the 100 of t; all elements but the first"),
    ("element_by_table", [140, 0, 0, 0], "the 100 of t; 40 steps: 1; the table is read again"),
    ("first_and_last", [102, 0, 0, 0], "the 100 of t; two elements, none in the loop"),
    ("integers_that_tell_others", [340, 123, 40, 0], "the 100 of t, 240 steps: 1; three times 40 integers; the last c, j and k; which arm it was"),
    ("last_element", [101, 0, 0, 0], "the 100 of t; one element"),
    ("last_element_in_a_call", [101, 0, 0, 0], "the 100 of t; one element"),
    ("loop_that_may_not_run", [137, 0, 0, 0], "the 100 of t; 36 passes: 1; 1 behind them, because there may be none"),
    ("many_elements", [103, 0, 0, 0], "the 100 of t; two elements, and c, which is multiplied"),
    ("nested_diagonals", [1700, 0, 0, 0], "the 100 of t; 1600 steps: 1"),
    ("one_arm", [101, 0, 1, 0], "the 100 of t; 1 in the arm; which arm it was, because t[0] is another then"),
    ("overwritten_from_itself", [40, 0, 0, 0], "40 steps: 1; nothing reads t at the end"),
    ("own_element", [181, 0, 0, 0], "the 100 of t; 40 elements, each in its pass; the sum; 40 at once, whose passes read ahead"),
    ("passes_commute", [100, 0, 0, 0], "the 100 of t at the end; all else is linear"),
    ("recursion_in_place", [219, 0, 0, 0], "the 100 of t; 40 calls: a[0] and s; 39 results of inner calls"),
    ("restored_in_both_arms", [13, 0, 0, 0], "13 passes: the element before the first store, none before the second"),
    ("result_in_place_of_operand", [140, 0, 0, 0], "the 100 of t at the end; 40 passes: r; of x nothing"),
    ("result_that_is_there", [160, 0, 0, 0], "the 100 of e; 20 elements of e at once; 40 passes: t[k]"),
    ("row_by_row", [12, 0, 0, 0], "the 12 of a at the end; no address"),
    ("runs", [218, 0, 0, 0], "the 100 of t at the end; 39, 40 and 39 elements; none in the loop without passes"),
    ("runs_side_by_side", [540, 0, 0, 0], "the 300 of t, u and v; 4 times 40 elements at once; 40 passes: two"),
    ("stride_of_two", [102, 0, 0, 0], "the 100 of t; the element that was read, and the one between, which a stride counts as read"),
    ("sums_begun_anew", [76, 0, 0, 0], "37 passes: s, and the element that is overwritten; the sums before the loop"),
    ("triangle", [140, 0, 0, 0], "the 100 of t; 40 steps: 1"),
    ("two_names", [140, 0, 0, 0], "the 100 of t; 40 steps: 1"),
];

#[test]
fn edge_programs_store_what_they_must_and_no_more() {
    check_stored("edge", &STORED, |_| Choices::default());
}
