//! What threads have of their own: births, the objects born there, the ranges of their stack.
//!
//! A *lane* is used by one thread at a time, and by another after that one has ended; there are as many as ever ran at
//! the same time. Births are counted by lane, so that a section that is run again gives its objects the same serials,
//! whatever the other threads do meanwhile.

#![forbid(unsafe_code)]

use super::dead::Dead;
use super::frames::Frames;
use super::labels::Labels;
use super::moved::Moved;
use super::object::Object;
use super::objects::ObjectTable;
use super::spans::Span;
use crate::map::ranges::Ranges;
use crate::sync::{Arc, AtomicU32, AtomicU64, ForkLock, Holdable, LockGuard, OnceLock, Ordering};
use std::collections::HashMap;
use std::ffi::CStr;

/// See the module.
pub(super) struct Lane {
    pub number: u16,
    /// How many objects were born here.
    pub births: AtomicU64,
    pub objects: ObjectTable,
    /// Holds every stack range that is or was here, since the lane changed hands.
    pub span: Span,
    /// 1 if the stack has frames.
    pub has_frames: AtomicU32,
    /// 1 if ranges of the stack lie elsewhere now than the forward sweep knew them.
    pub has_moved: AtomicU32,
    stack: ForkLock<Stack>,
    /// Numbers of labels, as in the registry's table.
    labels: ForkLock<HashMap<Arc<CStr>, u32>>,
    /// The one that was asked for last is likely to be asked for again.
    last_label: AtomicU32,
}

/// Lanes with neighbouring numbers.
pub(super) type LaneGroup = Box<[OnceLock<Box<Lane>>]>;
/// How many.
pub(super) const GROUP: usize = if cfg!(loom) { 2 } else { 64 };

/// The ranges of a thread's stack.
#[derive(Default)]
pub(super) struct Stack {
    pub frames: Frames,
    pub ranges: Ranges,
    /// Those of the ranges that are hollow, and others.
    pub dead: Dead,
    /// By where the forward sweep knew them: those that lie elsewhere now.
    pub moved: Moved,
}

impl Lane {
    pub fn new(lane: u16) -> Lane {
        Lane {
            number: lane,
            births: AtomicU64::new(0),
            objects: ObjectTable::new(lane),
            span: Span::new(),
            has_frames: AtomicU32::new(0),
            has_moved: AtomicU32::new(0),
            stack: ForkLock::new(Stack::default()),
            labels: ForkLock::new(HashMap::new()),
            last_label: AtomicU32::new(0),
        }
    }

    /// The stack as it is. Its maps lack the frames; [`Registry::stack`](super::Registry::stack) puts them in.
    pub fn stack(&self) -> LockGuard<'_, Stack> {
        self.stack.lock()
    }

    /// What a fork holds.
    pub fn holdables(&self) -> [&dyn Holdable; 3] {
        [&self.stack, &self.labels, self.objects.holdable()]
    }

    /// The number that `labels` has for a label.
    pub fn number(&self, label: &CStr, labels: &Labels) -> u32 {
        if label.is_empty() {
            return 0;
        }
        let last = self.last_label.load(Ordering::Relaxed);
        if labels.text(last) == label {
            return last;
        }
        let mut known = self.labels.lock();
        let number = known.get(label).copied().unwrap_or_else(|| {
            let (text, number) = labels.number(label);
            known.insert(text, number);
            number
        });
        self.last_label.store(number, Ordering::Relaxed);
        number
    }
}

impl Stack {
    /// Takes an object out that is alive here. Whether it was here.
    pub fn leave(&mut self, value: u64, object: &Object) -> bool {
        if object.forward_base != object.base {
            self.moved.remove(object.forward_base, value);
        }
        self.dead.leave(&mut self.ranges, object.base, value)
    }
}
