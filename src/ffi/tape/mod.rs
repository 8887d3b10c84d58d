//! Tapes: values, arrays, sections, control, marks, repeat regions, statistics.

pub(super) mod array;
pub(super) mod control;
pub(super) mod entry;
pub(super) mod mark;
pub(super) mod repeat;
pub(super) mod scalar;
pub(super) mod section;
pub(super) mod site;
pub(super) mod stats;
pub(super) mod tapes;
