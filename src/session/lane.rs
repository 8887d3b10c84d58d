//! Which lane of a registry the calling thread uses: claimed at its first use, given back when the thread ends.

#![forbid(unsafe_code)]

use crate::error::Error;
use crate::map::registry::Registry;
use crate::sync::{Arc, StaticCounter, UNORDERED};
use std::cell::{Cell, RefCell};
use std::sync::Weak;

/// A registry with a number that no other of the process has.
pub(super) struct Numbered {
    id: u64,
    pub registry: Registry,
}

impl Numbered {
    pub fn new() -> Arc<Numbered> {
        static NEXT_ID: StaticCounter = StaticCounter::new(1);
        Arc::new(Numbered { id: NEXT_ID.fetch_add(1, UNORDERED), registry: Registry::new() })
    }
}

thread_local! {
    /// Id and lane of the registry used last; 0 is none.
    static LAST: Cell<(u64, u16)> = const { Cell::new((0, 0)) };
    /// All that this thread has.
    static CLAIMED: RefCell<Claimed> = const { RefCell::new(Claimed(Vec::new())) };
}

struct Claimed(Vec<(Weak<Numbered>, u64, u16)>);

impl Drop for Claimed {
    fn drop(&mut self) {
        LAST.set((0, 0));
        for (registry, _, lane) in &self.0 {
            if let Some(numbered) = registry.upgrade() {
                numbered.registry.give_back(*lane);
            }
        }
    }
}

/// The calling thread's lane.
#[inline]
pub(super) fn lane_of(numbered: &Arc<Numbered>) -> Result<u16, Error> {
    match LAST.get() {
        (id, lane) if id == numbered.id => Ok(lane),
        _ => find(numbered),
    }
}

#[cold]
fn find(numbered: &Arc<Numbered>) -> Result<u16, Error> {
    let known = |claimed: &RefCell<Claimed>| {
        let claimed = claimed.borrow();
        claimed.0.iter().find(|(_, id, _)| *id == numbered.id).map(|(_, _, lane)| *lane)
    };
    let lane = match CLAIMED.try_with(known) {
        Ok(Some(lane)) => lane,
        Ok(None) => {
            let lane = numbered.registry.claim()?;
            CLAIMED.with_borrow_mut(|claimed| {
                claimed.0.retain(|(registry, ..)| registry.strong_count() > 0);
                claimed.0.push((Arc::downgrade(numbered), numbered.id, lane));
            });
            lane
        }
        // The thread is ending, in a destructor that runs after ours: nobody gives this lane back.
        Err(_) => numbered.registry.claim()?,
    };
    LAST.set((numbered.id, lane));
    Ok(lane)
}
