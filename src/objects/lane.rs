//! Which lane of a registry the calling thread uses: claimed at its first use, given back when the thread ends.

#![forbid(unsafe_code)]

use super::by_label::ByLabel;
use crate::error::Error;
use crate::map::registry::Registry;
use crate::sync::{Arc, ForkLock, StaticCounter, UNORDERED};
use std::cell::{Cell, RefCell};
use std::sync::Weak;

/// A registry with a number that no other of the process has.
pub(super) struct SharedRegistry {
    id: u64,
    pub registry: Registry,
    /// For checkpoints of everything.
    pub by_label: ForkLock<ByLabel>,
}

impl SharedRegistry {
    pub fn new() -> Arc<SharedRegistry> {
        static NEXT_ID: StaticCounter = StaticCounter::new(1);
        let (id, by_label) = (NEXT_ID.fetch_add(1, UNORDERED), ForkLock::default());
        Arc::new(SharedRegistry { id, registry: Registry::new(), by_label })
    }
}

thread_local! {
    /// Id and lane of the registry used last; 0 is none.
    static LAST: Cell<(u64, u16)> = const { Cell::new((0, 0)) };
    /// All that this thread has.
    static CLAIMED: Box<RefCell<Claimed>> = Box::new(RefCell::new(Claimed(Vec::new())));
}

struct Claimed(Vec<(Weak<SharedRegistry>, u64, u16)>);

impl Drop for Claimed {
    fn drop(&mut self) {
        LAST.set((0, 0));
        for (registry, _, lane) in &self.0 {
            if let Some(shared) = registry.upgrade() {
                shared.registry.give_back(*lane);
            }
        }
    }
}

/// The calling thread's lane.
#[inline]
pub(super) fn lane_of(shared: &Arc<SharedRegistry>) -> Result<u16, Error> {
    match last_lane_of(shared) {
        Some(lane) => Ok(lane),
        None => find(shared),
    }
}

/// As [`lane_of`], if the thread used the registry last.
#[inline(always)]
pub(super) fn last_lane_of(shared: &SharedRegistry) -> Option<u16> {
    let (id, lane) = LAST.get();
    (id == shared.id).then_some(lane)
}

fn known(claimed: &RefCell<Claimed>, shared: &SharedRegistry) -> Option<u16> {
    let claimed = claimed.borrow();
    claimed.0.iter().find(|(_, id, _)| *id == shared.id).map(|(_, _, lane)| *lane)
}

/// The calling thread's lane, if it has one.
pub(super) fn lane_so_far(shared: &SharedRegistry) -> Option<u16> {
    last_lane_of(shared).or_else(|| CLAIMED.try_with(|claimed| known(claimed, shared)).ok().flatten())
}

#[cold]
fn find(shared: &Arc<SharedRegistry>) -> Result<u16, Error> {
    let lane = match CLAIMED.try_with(|claimed| known(claimed, shared)) {
        Ok(Some(lane)) => lane,
        Ok(None) => {
            let lane = shared.registry.claim()?;
            CLAIMED.with(|claimed| {
                let mut claimed = claimed.borrow_mut();
                claimed.0.retain(|(registry, ..)| registry.strong_count() > 0);
                claimed.0.push((Arc::downgrade(shared), shared.id, lane));
            });
            lane
        }
        // The thread is ending, in a destructor that runs after ours: nobody gives this lane back.
        Err(_) => shared.registry.claim()?,
    };
    LAST.set((shared.id, lane));
    Ok(lane)
}
