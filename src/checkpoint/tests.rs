//! Checkpoints against a list of what was written, in every kind of store.

use super::*;
use crate::error::{Error, Status};
use crate::part::part;
use crate::store::{ArchiveStore, FileOptions, FileStore, MemoryStore, Store, TieredStore};
use crate::sync::Arc;
use crate::tape::Type;
use fastrand::Rng;

/// What was written: name, type, bytes.
type Written = Vec<(String, Type, Vec<u8>)>;

fn write_some(store: &dyn Store, name: &str, random: &mut Rng) -> Result<Written, Error> {
    let mut checkpoint = CheckpointWriter::create(store, name)?;
    let mut written = Written::new();
    for i in 0..random.u64(..40) {
        let ty = Type::ALL[random.usize(..21)];
        let most = if random.u64(..10) == 0 { 100_000 } else { 300 };
        let bytes: Vec<u8> = (0..random.usize(..most) * ty.bytes()).map(|k| (k as u64 * (i + 3)) as u8).collect();
        let section = format!("{}{}", "variable".repeat(random.usize(..5)), i);
        checkpoint.write_bytes(&section, ty, &bytes)?;
        written.push((section, ty, bytes));
    }
    checkpoint.commit()?;
    Ok(written)
}

fn check_all(store: &dyn Store, name: &str, written: &Written, random: &mut Rng) {
    let mut checkpoint = CheckpointReader::open(store, name).unwrap();
    let list = checkpoint.sections().unwrap();
    assert_eq!(list.len(), written.len());
    for ((section, ty, bytes), info) in written.iter().zip(&list) {
        let expected = (section, *ty, bytes.len() as u64);
        assert_eq!((&info.name, info.ty, info.bytes()), expected);
    }
    for (section, ty, bytes) in written {
        if random.u64(..8) == 0 {
            assert!(checkpoint.skip().unwrap());
            continue;
        }
        let mut found = vec![0; bytes.len()];
        let mut longer = vec![0; bytes.len() + ty.bytes()];
        for wrong in [
            checkpoint.read_bytes("no such section", *ty, &mut found),
            checkpoint.read_bytes(section, if *ty == Type::I8 { Type::Bool } else { Type::I8 }, &mut found),
            checkpoint.read_bytes(section, *ty, &mut longer),
        ] {
            assert_eq!(wrong.unwrap_err().status(), Status::Mismatch);
        }
        checkpoint.read_bytes(section, *ty, &mut found).unwrap();
        assert!(found == *bytes);
    }
    assert_eq!(checkpoint.peek().unwrap(), None);
    assert_eq!(checkpoint.read("x", &mut [0.0]).unwrap_err().status(), Status::Mismatch);
    if let Some((section, ty, bytes)) = written.get(random.usize(..written.len().max(1))) {
        checkpoint.find(section).unwrap();
        let mut found = vec![0; bytes.len()];
        checkpoint.read_bytes(section, *ty, &mut found).unwrap();
        assert!(found == *bytes);
    }
}

fn stores() -> Vec<Arc<dyn Store>> {
    // Files of stores without the name of a run have names of their own, and go with the store.
    let directory = std::env::temp_dir();
    let files =
        |compress| Arc::new(FileStore::new(&directory, FileOptions { compress, ..Default::default() }).unwrap());
    vec![
        Arc::new(MemoryStore::new()),
        files(false),
        files(true),
        Arc::new(ArchiveStore::new(&directory, FileOptions::default()).unwrap()),
        Arc::new(TieredStore::new(MemoryStore::with_limit(2 << 20), files(false))),
    ]
}

#[test]
fn random_checkpoints_come_back_from_every_store() {
    for (i, store) in stores().into_iter().enumerate() {
        for seed in 1..=part(10) {
            let mut random = Rng::with_seed(seed);
            let mut model = std::collections::BTreeMap::new();
            for _ in 0..8 {
                let name = format!("step-{}", random.u64(..3));
                if random.u64(..4) == 0 {
                    let removed = store.remove(&name);
                    assert_eq!(removed.is_ok(), model.remove(&name).is_some(), "store {i}, seed {seed}");
                    continue;
                }
                model.insert(name.clone(), write_some(&*store, &name, &mut random).unwrap());
            }
            assert!(store.names().unwrap().iter().eq(model.keys()), "store {i}, seed {seed}");
            for (name, written) in &model {
                check_all(&*store, name, written, &mut random);
            }
            for name in model.keys() {
                store.remove(name).unwrap();
            }
        }
    }
}

#[test]
fn abandoned_checkpoint_leaves_the_older_one() {
    for store in stores() {
        let mut random = Rng::with_seed(99);
        let written = write_some(&*store, "a", &mut random).unwrap();
        let mut checkpoint = CheckpointWriter::create(&*store, "a").unwrap();
        checkpoint.write("x", &[1.0; 1000]).unwrap();
        drop(checkpoint);
        check_all(&*store, "a", &written, &mut random);
        assert_eq!(store.names().unwrap(), ["a"]);
    }
}

#[test]
fn mismatch_says_what_is_there_and_what_is_wanted() {
    let store = MemoryStore::new();
    let mut checkpoint = CheckpointWriter::create(&store, "step-3").unwrap();
    checkpoint.write("u", &[1.0; 6]).unwrap();
    checkpoint.write("v", &[1_i32]).unwrap();
    checkpoint.commit().unwrap();
    let mut checkpoint = CheckpointReader::open(&store, "step-3").unwrap();
    let error = checkpoint.read("v", &mut [0_i64; 2]).unwrap_err();
    for part in ["step-3", "memory", "\"u\", 6 values of f64", "\"v\", 2 values of i64"] {
        assert!(error.message().contains(part), "{error}");
    }
    checkpoint.skip().unwrap();
    let error = checkpoint.read("v", &mut [0_i64]).unwrap_err();
    assert!(error.message().contains("1 value of i32") && error.message().contains("1 value of i64"), "{error}");
}

#[test]
fn writer_that_was_refused_memory_stays_refused() {
    let store = MemoryStore::with_limit(64 << 10);
    let mut checkpoint = CheckpointWriter::create(&store, "a").unwrap();
    checkpoint.write("u", &[1.0; 100]).unwrap();
    assert_eq!(checkpoint.write("v", &[1.0; 100_000]).unwrap_err().status(), Status::MemoryLimit);
    assert_eq!(checkpoint.write("w", &[1.0; 1]).unwrap_err().status(), Status::Poisoned);
    assert_eq!(checkpoint.commit().unwrap_err().status(), Status::Poisoned);
    assert_eq!(CheckpointReader::open(&store, "a").err().unwrap().status(), Status::NotFound);
}

#[test]
fn bytes_that_are_no_checkpoint_are_damaged_wherever_they_begin_to_differ() {
    let store = MemoryStore::new();
    write_some(&store, "good", &mut Rng::with_seed(5)).unwrap();
    let mut entry = store.open("good").unwrap();
    let mut good = vec![0; (entry.bytes() as usize).min(1 << 20)];
    entry.read_at(0, &mut good).unwrap();
    let mut random = Rng::with_seed(77);
    for _ in 0..3000 {
        let mut bytes = good.clone();
        match random.u64(..3) {
            0 => bytes.truncate(random.usize(..good.len())),
            _ => {
                for _ in 0..=random.u64(..4) {
                    let at = random.usize(..400);
                    bytes[at] = random.u64(..256) as u8;
                }
            }
        }
        let mut writer = store.create("bad").unwrap();
        writer.write(&bytes).unwrap();
        writer.commit().unwrap();
        // Without checksums some of it reads as a checkpoint; nothing may panic or read beyond the end.
        let Ok(mut checkpoint) = CheckpointReader::open(&store, "bad") else { continue };
        let Ok(list) = checkpoint.sections() else { continue };
        for info in list {
            let mut found = vec![0; info.bytes() as usize];
            let _ = checkpoint.read_bytes(&info.name, info.ty, &mut found);
        }
    }
}

#[test]
fn tape_types_without_arrays_are_refused() {
    let store = MemoryStore::new();
    let mut checkpoint = CheckpointWriter::create(&store, "a").unwrap();
    assert_eq!(checkpoint.write_bytes("c", Type::Count, &[0]).unwrap_err().status(), Status::BadArgument);
    assert_eq!(checkpoint.write_bytes("", Type::I8, &[0]).unwrap_err().status(), Status::BadArgument);
    checkpoint.write("x", &[0_i8]).unwrap();
    checkpoint.commit().unwrap();
}
