//! Schedules and drivers.

pub(super) mod drivers;
pub(super) mod schedule;
pub(super) mod variable;
