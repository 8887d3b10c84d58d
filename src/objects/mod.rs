//! The program's objects: which are alive, and where they and their adjoints lie in both sweeps. One set for the
//! process, unless a program wants several.

mod armed;
mod at_end;
mod at_once;
mod by_label;
mod called;
mod descriptors;
pub(crate) mod fork;
mod heaps;
mod joined;
mod lane;
mod live;
mod owned_heap;
mod pointers;
mod ranges;
mod set;
mod shape;
mod snapshot;
mod variables;

pub(crate) use crate::map::registry::Extents;
pub use by_label::{AllocateFn, Allocator, ReleaseFn, Wanted};
pub(crate) use called::Called;
pub(crate) use descriptors::{Association, Pointee, Variable};
pub(crate) use joined::Leaving;
pub(crate) use owned_heap::OwnedHeap;
pub use set::{LiveRange, LiveStats, Objects, Restored, Waiter};
pub(crate) use shape::{Dimension, Shape};
pub use snapshot::{Restoration, RestoreStats, SaveStats};
pub(crate) use variables::Writer;
