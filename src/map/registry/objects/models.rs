//! Loom's models of the table of objects.

#![forbid(unsafe_code)]

use super::super::object::RangeKind;
use super::*;
use crate::sync::Arc;

fn object(serial: u64) -> Object {
    Object { serial: Serial(serial), ..Object::new(10, 8, RangeKind::Heap, 0) }
}

/// Every interleaving with so many changes of thread that no thread asked for.
fn model(body: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(body);
}

/// While an object changes and goes, it is found whole or not at all.
#[test]
fn reader_finds_an_object_whole_while_it_changes_and_goes() {
    model(|| {
        let objects = Arc::new(ObjectTable::new(0));
        let (slot, _) = objects.claim(object(1)).unwrap();
        let other = objects.clone();
        let writer = loom::thread::spawn(move || {
            other.update(slot, |o| (o.base, o.adjoint_base) = (20, 10));
            other.remove_if(slot, |_| true);
        });
        if let Some((found, object)) = objects.get(Serial(1)) {
            assert_eq!(found, slot);
            assert!([(10, 0), (20, 10)].contains(&(object.base, object.adjoint_base)));
        }
        writer.join().unwrap();
        assert!(objects.get(Serial(1)).is_none());
    });
}

/// An object that is there throughout is found while others come and their coming splits a bucket.
#[test]
fn reader_finds_an_object_while_its_bucket_is_split() {
    model(|| {
        let objects = Arc::new(ObjectTable::new(0));
        let slots = [1, 2].map(|serial| objects.claim(object(serial)).unwrap().0);
        let other = objects.clone();
        let writer = loom::thread::spawn(move || {
            other.claim(object(3)).unwrap();
            other.remove_if(slots[0], |_| true);
        });
        assert_eq!(objects.get(Serial(2)).map(|(slot, _)| slot), Some(slots[1]));
        writer.join().unwrap();
        assert!(objects.get(Serial(1)).is_none() && objects.get(Serial(3)).is_some());
    });
}
