//! The speed of checkpoints beside plain copies and plain files, each against a reference that runs in the same process,
//! turn and turn about. See `benches/README.md`.

#[allow(dead_code, reason = "some of it is for the other bench")]
#[path = "../common/table.rs"]
mod table;

use adtape::{ArchiveStore, CheckpointReader, CheckpointWriter, FileOptions, FileStore, MemoryStore, Store};
use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;
use table::{Bound, Row, Table, Unit, median};

/// Bytes of the large checkpoint, and the sections that they are in.
const BYTES: usize = 256 << 20;
const SECTIONS: usize = 4;
/// Sections of the checkpoint of many small ones.
const MANY: usize = 100_000;
/// A figure that is short of its bound is measured this many times more before that is believed.
const AGAIN: usize = 2;

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}

/// Times of ours and of the reference, for rounds that were run one right after the other; the first is left out.
fn rounds(count: usize, mut ours: impl FnMut(), mut reference: impl FnMut()) -> Vec<(f64, f64)> {
    let mut round = |ours_first: bool| {
        let mut pair = (0.0, 0.0);
        for our_turn in [ours_first, !ours_first] {
            if our_turn {
                pair.0 = time(&mut ours);
            } else {
                pair.1 = time(&mut reference);
            }
        }
        pair
    };
    round(true);
    (0..count).map(|i| round(i % 2 == 0)).collect()
}

/// A row of rates for as many bytes in a round.
fn rate(title: &str, bound: f64, mut measure: impl FnMut() -> Vec<(f64, f64)>) -> Row {
    let mut all = measure();
    loop {
        let of = |pick: fn(&(f64, f64)) -> f64| median(all.iter().map(pick));
        let row = Row {
            title: title.to_owned(),
            ours: BYTES as f64 / of(|pair| pair.0),
            reference: BYTES as f64 / of(|pair| pair.1),
            unit: Unit::GigabytesPerSecond,
            ratio: of(|pair| pair.0 / pair.1),
            bound: Some(Bound::AtMost(bound)),
        };
        if row.is_ok() || all.len() > AGAIN * 20 {
            return row;
        }
        all.extend(measure());
    }
}

/// A row of rates that nothing is promised of.
fn informative(title: &str, measure: impl FnMut() -> Vec<(f64, f64)>) -> Row {
    Row { bound: None, ..rate(title, f64::INFINITY, measure) }
}

fn save(store: &dyn Store, state: &[Vec<f64>]) {
    let mut checkpoint = CheckpointWriter::create(store, "state").expect("a checkpoint");
    for (i, part) in state.iter().enumerate() {
        checkpoint.write(["u", "v", "p", "t"][i], part).expect("room");
    }
    checkpoint.commit().expect("room");
}

fn load(store: &dyn Store, state: &mut [Vec<f64>]) {
    let mut checkpoint = CheckpointReader::open(store, "state").expect("the checkpoint");
    for (i, part) in state.iter_mut().enumerate() {
        checkpoint.read(["u", "v", "p", "t"][i], part).expect("its sections");
    }
}

fn copy(from: &[Vec<f64>], to: &mut [Vec<f64>]) {
    for (from, to) in from.iter().zip(to) {
        black_box(&mut *to).copy_from_slice(black_box(from));
    }
}

fn memory(table: &mut Table) {
    let part = |seed: usize| (0..BYTES / SECTIONS / 8).map(|i| (i * seed) as f64).collect::<Vec<f64>>();
    let mut state: Vec<Vec<f64>> = (1..=SECTIONS).map(part).collect();
    let mut copied: Vec<Vec<f64>> = (1..=SECTIONS).map(part).collect();
    let store = MemoryStore::new();
    // Replacing takes two sets of buffers in turn: both are warm after two rounds.
    save(&store, &state);
    save(&store, &state);
    table.extend(vec![rate("save 256 MiB to memory / memcpy", 1.2, || {
        rounds(9, || save(&store, &state), || copy(&state, &mut copied))
    })]);
    table.extend(vec![rate("load 256 MiB from memory / memcpy", 1.2, || {
        let state = std::cell::RefCell::new(&mut state);
        rounds(9, || load(&store, *state.borrow_mut()), || copy(&copied, *state.borrow_mut()))
    })]);
}

fn small_sections(table: &mut Table) {
    let store = MemoryStore::new();
    let names: Vec<String> = (0..MANY).map(|i| format!("x{i}")).collect();
    let mut x = [1.5; 4];
    for (title, saves) in [("save one of 10^5 sections of 4 doubles", true), ("load one of 10^5 sections", false)] {
        let mut work = || {
            if saves {
                let mut checkpoint = CheckpointWriter::create(&store, "many").expect("a checkpoint");
                names.iter().for_each(|name| checkpoint.write(name, black_box(&x)).expect("room"));
                checkpoint.commit().expect("room");
            } else {
                let mut checkpoint = CheckpointReader::open(&store, "many").expect("the checkpoint");
                names.iter().for_each(|name| checkpoint.read(name, black_box(&mut x)).expect("its sections"));
            }
        };
        work();
        work();
        let nanoseconds = median((0..30).map(|_| time(&mut work) / MANY as f64));
        let bound = Some(Bound::AtMost(1.0));
        let (ours, reference, ratio) = (nanoseconds, 200.0, nanoseconds / 200.0);
        table.extend(vec![Row { title: title.to_owned(), ours, reference, unit: Unit::Nanoseconds, ratio, bound }]);
    }
}

fn files(table: &mut Table, directory: &Path) {
    let state: Vec<Vec<f64>> =
        (1..=SECTIONS).map(|seed| (0..BYTES / SECTIONS / 8).map(|i| ((i * seed) as f64).sin()).collect()).collect();
    let mut into = state.clone();
    let bytes: Vec<u8> = state.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let mut found = bytes.clone();
    let options = FileOptions { run: Some("bench".to_owned()), ..FileOptions::default() };
    let store = FileStore::new(directory, options.clone()).expect("a store");
    let plain = directory.join("plain");
    let write_plain = || {
        let _ = std::fs::remove_file(&plain);
        let mut file = File::create(&plain).expect("a file");
        file.write_all(&bytes).expect("room");
        file.sync_all().expect("on the disk");
    };
    let write_ours = || {
        let _ = store.remove("state");
        save(&store, &state);
    };
    table.extend(vec![rate("save 256 MiB to a file / write + fsync", 1.2, || rounds(7, write_ours, write_plain))]);
    table.extend(vec![rate("load 256 MiB from a file / read", 1.2, || {
        let read_plain = || File::open(&plain).expect("a file").read_exact(&mut found).expect("its bytes");
        rounds(9, || load(&store, &mut into), read_plain)
    })]);
    assert!(into == state);
    store.remove("state").expect("the checkpoint");
    drop(store);
    let archive = ArchiveStore::new(directory, options).expect("a store");
    let write_archive = || {
        let _ = archive.remove("state");
        save(&archive, &state);
    };
    table.extend(vec![informative("save 256 MiB to one file for all / write + fsync", || {
        rounds(7, write_archive, write_plain)
    })]);
    table.extend(vec![informative("load 256 MiB from one file for all / read", || {
        let read_plain = || File::open(&plain).expect("a file").read_exact(&mut found).expect("its bytes");
        rounds(9, || load(&archive, &mut into), read_plain)
    })]);
    assert!(into == state);
    archive.remove("state").expect("the checkpoint");
    drop(archive);
    std::fs::remove_file(directory.join("bench.r0.adtapes")).expect("the file");
    std::fs::remove_file(&plain).expect("the file");
}

fn main() {
    let mut table = Table::default();
    memory(&mut table);
    small_sections(&mut table);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    files(&mut table, target);
    table.print();
}
