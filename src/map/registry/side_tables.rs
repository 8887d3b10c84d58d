//! What few objects have, in tables beside the maps: bounds, and adjoints that wait for their object.
//!
//! An adjoint is *detached* when a restoration ends its object. The object's serial finds it again when it is born again.

#![forbid(unsafe_code)]

use super::object::{Object, RangeKind, Serial};
use super::saved::Bounds;
use crate::sync::{AtomicUsize, ForkLock, Ordering, StaticFlag, UNORDERED};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// What is known of objects beside the maps.
pub(super) struct SideTables {
    /// A number that no other registry has, in this process or another.
    pub number: u64,
    /// The length of the tables, readable without their lock.
    count: AtomicUsize,
    /// Objects that are no allocatables had bounds. Where none had, objects end without a search of the table.
    pub any_has_bounds: StaticFlag,
    pub tables: ForkLock<Tables>,
}

#[derive(Default)]
pub struct Tables {
    pub detached: HashMap<Serial, Adjoint>,
    pub bounds: HashMap<Serial, Bounds>,
}

/// An adjoint without its object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adjoint {
    pub base: u64,
    pub adjoint_bytes: u64,
    /// Size of the object.
    pub bytes: u64,
}

impl SideTables {
    pub fn new() -> SideTables {
        let number = RandomState::new().build_hasher().finish();
        let any_has_bounds = StaticFlag::new(false);
        SideTables { number, count: AtomicUsize::new(0), any_has_bounds, tables: ForkLock::new(Tables::default()) }
    }

    pub fn change<R>(&self, change: impl FnOnce(&mut Tables) -> R) -> R {
        let mut tables = self.tables.lock();
        let result = change(&mut tables);
        self.count.store(tables.detached.len() + tables.bounds.len(), Ordering::Release);
        result
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// The adjoint that was kept for an object, which has it now.
    pub fn take_adjoint(&self, object: &Object) -> Option<Adjoint> {
        if self.is_empty() {
            return None;
        }
        self.change(|tables| {
            let found = tables.detached.get(&object.serial).filter(|adjoint| adjoint.bytes == object.bytes).copied();
            found.inspect(|_| _ = tables.detached.remove(&object.serial))
        })
    }

    /// An object ended: what is known of it beside the maps goes.
    #[inline(always)]
    pub fn ended(&self, object: &Object) {
        if !self.is_empty() {
            self.forget_bounds(object);
        }
    }

    #[inline(never)]
    fn forget_bounds(&self, object: &Object) {
        if object.kind == RangeKind::Allocatable || self.any_has_bounds.load(UNORDERED) {
            self.change(|tables| tables.bounds.remove(&object.serial));
        }
    }

    /// An adjoint that still waits for its object to be born again, with its serial, and how many do.
    pub fn detached(&self) -> Option<(Serial, Adjoint, usize)> {
        if self.is_empty() {
            return None;
        }
        self.change(|tables| {
            let first = tables.detached.iter().min_by_key(|(serial, _)| **serial)?;
            Some((*first.0, *first.1, tables.detached.len()))
        })
    }
}
