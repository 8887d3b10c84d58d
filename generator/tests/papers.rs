//! The papers' examples: each gradient is that of the tangent, the tape is empty, and what is stored is counted.
//!
//! A change of a count is a change of the plan: more than before is a regression, less is to be written down here.

mod common;

use adtape_generate::transform::Choices;

use common::counted::{Stored, check_stored};

/// Example; reals, integers, bits, counts that one run pushes; where.
#[rustfmt::skip]
const STORED: [Stored; 25] = [
    ("000_alg1", [16, 0, 0, 0], "8 steps: 2 reals each; both addresses are recovered"),
    ("000_fig1", [0, 0, 0, 0], "pointers that follow from others"),
    ("000_fig2", [0, 0, 0, 0], "offsets are computed again"),
    ("000_fig2_block", [25, 0, 0, 0], "5 calls: the 3 to 7 reals of the block whose elements are squared; none of the other"),
    ("000_fig3", [0, 8, 0, 0], "8 steps: the offset of the marching pointer; its base has a name"),
    ("001_fig11", [112, 0, 0, 0], "28 segments: 4 reals; no index"),
    ("001_fig12a", [60, 0, 0, 0], "60 elements: 1 real; no index"),
    ("001_fig12b", [0, 0, 0, 0], "all bounds and indices again"),
    ("001_fig13", [0, 10, 0, 0], "10 searches: where each ended"),
    ("001_fig14a", [63, 8, 0, 1], "63 eliminations: 1 real; 8 levels: 1 integer; the number of levels"),
    ("001_fig14b", [0, 14, 0, 18], "12 zones: their number; the last k2 and k3, which count up, one in a branch; how many of each"),
    ("001_fig2", [11, 0, 0, 1], "11 steps: 1 real; the number of steps"),
    ("001_fig4", [0, 5, 0, 0], "4 steps: 1 integer, and the last value"),
    ("001_fig7", [16, 0, 0, 1], "8 steps: 2 reals; the number of steps"),
    ("001_fig8", [200, 20, 0, 0], "10 outer steps: 20 reals and 2 integers"),
    ("001_fig9", [200, 110, 0, 0], "100 inner steps: 2 reals and 1 integer; 10 outer ones: 1 integer"),
    ("002_bratu", [24, 0, 0, 0], "8 elements: 3 exponentials; nothing of what they are put into"),
    ("002_fig1", [8, 0, 0, 0], "8 steps: 1 real; the branch again"),
    ("003_eq3", [10, 0, 0, 0], "5 steps: 2 reals"),
    ("003_fig5", [0, 0, 40, 0], "40 passes: which arm ran"),
    ("003_fig6", [0, 0, 0, 8], "8 loops by data: how often they ran; none for the others"),
    ("003_sec2", [0, 0, 0, 0], "the branch again"),
    ("003_sec5", [14, 0, 15, 15], "14 sums behind loops; 15 searches: how each was left, how long it was"),
    ("004_fig1", [5, 0, 0, 0], "5 steps: 1 real"),
    ("004_fig2", [12, 1, 0, 0], "6 steps: 2 reals; the pointer goes back as it came from where it ended"),
];

/// A division more than the default may be evaluated again.
const DEAR: [(&str, u32); 1] = [("004_fig1", 5)];

#[test]
fn examples_of_the_papers_store_what_they_did() {
    check_stored("papers", &STORED, |name| match DEAR.iter().find(|(dear, _)| *dear == name) {
        Some((_, dear)) => Choices { dear: *dear, ..Choices::default() },
        None => Choices::default(),
    });
}

/// The same if exponentials are not too dear to be evaluated again.
#[rustfmt::skip]
const CHEAP: [Stored; 1] = [
    ("002_bratu", [0, 0, 0, 0], "everything is evaluated again"),
];

#[test]
fn exponentials_that_are_cheap_are_evaluated_again() {
    check_stored("papers", &CHEAP, |_| Choices { dear: 32, ..Choices::default() });
}
