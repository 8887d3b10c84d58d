//! Loom's models of the registry as a whole: the shipped code, with small nodes and tables.
//!
//! An event is some hundred accesses, each of which may see an older value, so they would not end within hours: each
//! model goes through [`MOST`] interleavings. The parts have models of their own that end, in `objects` and
//! [`crate::map::ranges`].

#![forbid(unsafe_code)]

use super::*;
use crate::sync::{Arc, Ordering};
use loom::thread;

const MOST: usize = 750;
/// Words of the stack of the thread that a model runs on. A registry is made on it, which loom's threads are too small
/// for.
const STACK: usize = 1 << 15;

/// So many interleavings with one change of thread that no thread asked for.
fn model(body: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(1);
    builder.max_branches = 100_000;
    (builder.max_permutations, builder.checkpoint_interval) = (Some(MOST), 250);
    let body = Arc::new(body);
    builder.check(move || {
        let body = Arc::clone(&body);
        thread::Builder::new().stack_size(STACK).spawn(move || body()).unwrap().join().unwrap();
    });
}

fn registry() -> (Arc<Registry>, u16, u16) {
    let registry = Arc::new(Registry::new());
    let (one, other) = (registry.claim().unwrap(), registry.claim().unwrap());
    (registry, one, other)
}

fn at(base: u64) -> Present {
    Present { base, adjoint_base: 0, adjoint_bytes: 0 }
}

fn add(registry: &Registry, lane: u16, base: u64) -> Serial {
    registry.add(lane, base, 10, RangeKind::Heap, c"").unwrap()
}

/// A registry of one object, dead, of bytes [100, 110); the lane that brings it back.
fn one_dead() -> (Arc<Registry>, u16, Serial, RangeRecord) {
    let (registry, _, there) = registry();
    let serial = add(&registry, there, 100);
    let record = RangeRecord::of(&registry.remove(there, 100).unwrap());
    (registry, there, serial, record)
}

/// The place one past the end of a range that stays is found while a range that begins there comes and goes.
#[test]
fn a_pointer_is_found_while_a_neighbour_comes_and_goes() {
    model(|| {
        let (registry, here, there) = registry();
        let stays = add(&registry, here, 100);
        let writer = {
            let registry = registry.clone();
            thread::spawn(move || {
                let comes = add(&registry, there, 110);
                registry.undo_birth(there, 110).unwrap();
                comes
            })
        };
        let found = registry.find(here, 110).unwrap().unwrap();
        let comes = writer.join().unwrap();
        assert!([(stays, 10), (comes, 0)].contains(&(found.serial, found.offset)), "{found:?}");
        assert_eq!(registry.list().len(), 1);
    });
}

/// The death of one object takes the place of another dead one, which comes back elsewhere.
#[test]
fn an_object_comes_back_while_its_old_place_is_forgotten() {
    model(|| {
        let (registry, here, there) = registry();
        let serial = add(&registry, here, 100);
        let record = RangeRecord::of(&registry.remove(here, 100).unwrap());
        add(&registry, there, 105);
        let writer = {
            let registry = registry.clone();
            thread::spawn(move || registry.remove(there, 105).unwrap())
        };
        registry.restore_and_list(here, &record, at(200)).unwrap();
        writer.join().unwrap();
        assert_eq!(registry.locate_both(ObjectOffset { serial, offset: 3 }).unwrap(), Some((203, 0)));
        assert_eq!(registry.find(here, 203).unwrap(), Some(ObjectOffset { serial, offset: 3 }));
        assert_eq!((registry.list().len(), registry.dead()), (1, 1));
    });
}

/// A pointer is restored while its object comes back: whoever is last sets it. It was set to NULL after that.
#[test]
fn a_pointer_does_not_wait_for_what_has_come_and_is_not_null_then() {
    model(|| {
        let (registry, there, serial, record) = one_dead();
        let variable = Arc::new(AtomicU64::new(1));
        let writer = {
            let (registry, variable) = (registry.clone(), variable.clone());
            let set = move |arrival: Arrival| {
                assert_eq!((arrival.variable, arrival.offset), (9000, 4));
                variable.store(arrival.value, Ordering::Relaxed);
            };
            thread::spawn(move || registry.restore(there, &record, at(200), set).unwrap())
        };
        let place = ObjectOffset { serial, offset: 4 };
        let mut now = registry.locate_both(place).unwrap();
        if now.is_none() {
            let clear = || variable.store(0, Ordering::Relaxed);
            registry.wait(9000, Wait::new(Target::Object(serial, 4), false), clear);
            now = registry.locate_both(place).unwrap();
        }
        if let Some((address, _)) = now {
            registry.settle(9000);
            variable.store(address, Ordering::Relaxed);
        }
        writer.join().unwrap();
        assert_eq!(variable.load(Ordering::Relaxed), 204);
        assert_eq!(registry.waiting(), []);
    });
}

/// A pointer that waits is restored to something else while its object comes back: it was set to that object after it.
#[test]
fn a_pointer_that_is_restored_anew_keeps_its_last_value() {
    model(|| {
        let (registry, there, serial, record) = one_dead();
        let variable = Arc::new(AtomicU64::new(0));
        registry.wait(9000, Wait::new(Target::Object(serial, 4), false), || ());
        let writer = {
            let (registry, variable) = (registry.clone(), variable.clone());
            let set = move |arrival: Arrival| variable.store(arrival.value, Ordering::Relaxed);
            thread::spawn(move || registry.restore(there, &record, at(200), set).unwrap())
        };
        registry.settle(9000);
        variable.store(77, Ordering::Relaxed);
        writer.join().unwrap();
        assert_eq!(variable.load(Ordering::Relaxed), 77);
    });
}

/// A pointer that waits moves along with its memory while its object comes back: the value is where the memory is.
#[test]
fn a_pointer_that_moves_while_its_object_comes_back_is_set() {
    model(|| {
        let (registry, there, serial, record) = one_dead();
        let (old, new) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        registry.wait(9000, Wait::new(Target::Object(serial, 4), false), || ());
        let writer = {
            let (registry, old, new) = (registry.clone(), old.clone(), new.clone());
            let set = move |arrival: Arrival| match arrival.variable {
                9000 => old.store(arrival.value, Ordering::Relaxed),
                _ => new.store(arrival.value, Ordering::Relaxed),
            };
            thread::spawn(move || registry.restore(there, &record, at(200), set).unwrap())
        };
        // As a realloc does: what waits after this looked was there before it.
        if registry.anyone_waits() {
            registry.memory_moves(|moved| {
                new.store(old.load(Ordering::Relaxed), Ordering::Relaxed);
                moved((9000, 8), Some((9500, 8)));
            });
        } else {
            new.store(old.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        writer.join().unwrap();
        assert_eq!(new.load(Ordering::Relaxed), 204);
        assert_eq!(registry.waiting(), []);
    });
}

/// A range that ends is touched by a new one meanwhile.
#[test]
fn a_range_comes_while_the_one_that_it_touches_goes() {
    model(|| {
        let (registry, here, there) = registry();
        add(&registry, there, 110);
        let writer = {
            let registry = registry.clone();
            thread::spawn(move || registry.undo_birth(there, 110).unwrap())
        };
        let serial = add(&registry, here, 100);
        writer.join().unwrap();
        assert_eq!(registry.find(here, 110).unwrap(), Some(ObjectOffset { serial, offset: 10 }));
        assert_eq!((registry.list().len(), registry.ambiguous()), (1, 0));
    });
}
