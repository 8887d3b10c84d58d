//! Numbers and memory that the reverse sweep recovers without a demotion, and what functions keep by themselves.

use crate::programs::check;

#[test]
fn what_arms_and_passes_tell_is_recovered_and_right() {
    check("recovered.c", &[]);
}

#[test]
fn functions_without_a_derivative_keep_what_they_like() {
    check("kept.c", &[]);
}
