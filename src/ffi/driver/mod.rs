//! Schedules and drivers.

pub(super) mod drivers;
pub(super) mod keeper;
pub(super) mod passes;
pub(super) mod schedule;
pub(super) mod variable;
