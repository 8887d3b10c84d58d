//! The objects of a lane beside a map.

#![forbid(unsafe_code)]

use super::*;
use crate::map::registry::object::RangeKind;
use std::collections::BTreeMap;

fn object(serial: Serial, base: u64) -> Object {
    Object { serial, ..Object::new(base, 8, RangeKind::Heap, 0) }
}

/// Adds an object that is not there.
fn add(objects: &ObjectTable, serial: Serial, base: u64) -> u32 {
    let (slot, was) = objects.claim(object(serial, base)).unwrap();
    assert_eq!(was, None);
    objects.update(slot, |object| object.state = LifeState::Alive);
    slot
}

#[test]
fn objects_are_found_by_serial_as_in_a_map() {
    for seed in 1..20_u64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (objects, mut model) = (ObjectTable::new(3), BTreeMap::new());
        let (range, spread) = ([10, 100, 5000][seed as usize % 3], [1, 1 << 20, 1 << 33][seed as usize / 3 % 3]);
        for step in 0..20_000 {
            let serial = Serial::new(3, (1 + random.u64(..range)) * spread);
            match (random.u64(..3), model.contains_key(&serial)) {
                (0, false) => {
                    model.insert(serial, (add(&objects, serial, step), step));
                }
                (0, true) => assert_eq!(objects.claim(object(serial, step)).unwrap_err().serial, serial),
                (1, true) => {
                    let (slot, _) = model.remove(&serial).expect("it is there");
                    assert_eq!(objects.remove_if(slot, |_| false), None);
                    assert_eq!(objects.remove_if(slot, |_| true).map(|o| o.serial), Some(serial), "seed {seed}");
                    assert_eq!(objects.remove_if(slot, |_| true), None);
                    objects.update(slot, |_| panic!("nothing is there"));
                }
                (2, true) => {
                    let entry = model.get_mut(&serial).expect("it is there");
                    objects.update(entry.0, |object| object.base = step);
                    entry.1 = step;
                }
                _ => {}
            }
            let found = objects.get(serial).map(|(slot, object)| (slot, object.base));
            assert_eq!(found, model.get(&serial).copied(), "seed {seed}, step {step}");
        }
        assert_eq!(objects.lock().len, model.len());
        let mut all = BTreeMap::new();
        objects.for_each(|slot, object| {
            all.insert(object.serial, (slot, object.base));
        });
        assert_eq!(all, model, "seed {seed}");
    }
}

#[test]
fn dead_object_that_comes_back_keeps_its_slot_and_comes_once() {
    let objects = ObjectTable::new(0);
    let slot = add(&objects, Serial(1), 100);
    objects.update(slot, |object| object.state = LifeState::Dead);
    let dead = objects.at(slot).unwrap();
    assert_eq!(objects.claim(object(Serial(1), 200)), Ok((slot, Some(dead))));
    assert_eq!(objects.remove_if(slot, |object| object.state == LifeState::Dead), None, "it is coming");
    assert_eq!(objects.claim(object(Serial(1), 300)).unwrap_err().state, LifeState::Coming);
}

#[test]
fn index_has_few_objects_a_bucket_whatever_the_births() {
    for step in [1, 3, 64, 1000, 1 << 16, 1 << 20] {
        let objects = ObjectTable::new(0);
        (1..=20_000).for_each(|i| _ = add(&objects, Serial(step * i), i));
        let length = |bucket| {
            let list = std::iter::successors(Some(objects.head(bucket)), |link| {
                Some(link.load(Ordering::Relaxed)).filter(|link| *link > 0).map(|link| objects.next(link))
            });
            list.count() - 1
        };
        let lengths: Vec<usize> = (0..objects.buckets.load(Ordering::Relaxed)).map(length).collect();
        assert_eq!(lengths.iter().sum::<usize>(), 20_000, "steps of {step}");
        let probes: usize = lengths.iter().map(|length| length * (length + 1) / 2).sum();
        assert!(probes < 3 * 20_000, "{probes} probes for births in steps of {step}");
    }
}

/// A reader sees an object whole: base and adjoint base are always written together.
#[test]
fn reader_sees_no_half_written_object_while_others_come_and_go() {
    let objects = ObjectTable::new(0);
    let slot = add(&objects, Serial(1), 0);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut slots = vec![];
            for i in 0..20_000 {
                objects.update(slot, |o| (o.base, o.adjoint_base) = (i, i));
                slots.push(add(&objects, Serial(2 + i), i));
                if i % 3 == 0 {
                    objects.remove_if(slots[i as usize / 2], |_| true);
                }
            }
            done.store(true, std::sync::atomic::Ordering::Release);
        });
        while !done.load(std::sync::atomic::Ordering::Acquire) {
            let (found, object) = objects.get(Serial(1)).expect("it stays");
            assert_eq!((found, object.base), (slot, object.adjoint_base));
        }
    });
}
