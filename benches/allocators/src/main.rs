//! The stable heap beside malloc and beside mimalloc, in one process and turn and turn about. See `benches/README.md`.

#[path = "../../common/table.rs"]
#[allow(unused)]
mod table;

mod patterns;
mod plain;
mod stable;

use patterns::{Mesh, Nested, Sweeps};
use plain::{Malloc, Mimalloc, PlainMesh, PlainNested};
use stable::{Heap, StableMesh, StableNested};
use std::marker::PhantomData;
use std::time::Instant;
use table::{Bound, Row, Table, Unit, median};

const ROUNDS: usize = 7;
const STEPS: usize = 400_000;
/// The most that the heap may take, of malloc's time; and of mimalloc's while as many blocks are alive as this.
const MALLOC: f64 = 1.5;
const MIMALLOC: f64 = 1.0;
const MANY: usize = 100_000;

/// Nanoseconds of both sweeps.
fn round<P>(pattern: &P, side: &mut dyn Sweeps<P>) -> [f64; 2] {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos() as f64
    };
    let forward = time(&mut || side.forward(pattern));
    side.begin_reverse(pattern);
    let reverse = time(&mut || side.reverse(pattern));
    side.end_reverse(pattern);
    [forward, reverse]
}

/// Rows of a pattern of `count` pairs of an allocation and a free, beside each reference with its bound.
fn rows<P>(
    title: &str,
    pattern: &P,
    count: usize,
    ours: &mut dyn Sweeps<P>,
    references: &mut [(&str, Option<f64>, Box<dyn Sweeps<P>>)],
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, bound, reference) in references {
        let mut rounds = Vec::new();
        for i in 0..=ROUNDS {
            let both = match i % 2 {
                0 => (round(pattern, ours), round(pattern, &mut **reference)),
                _ => {
                    let second = round(pattern, &mut **reference);
                    (round(pattern, ours), second)
                }
            };
            rounds.push(both);
        }
        // The first meets cold caches and fresh pages.
        let rounds = &rounds[1..];
        for (sweep, i) in [("forward", 0), ("reverse", 1)] {
            rows.push(Row {
                title: format!("{sweep}: {title} / {name}"),
                ours: median(rounds.iter().map(|(ours, _)| ours[i] / count as f64)),
                reference: median(rounds.iter().map(|(_, reference)| reference[i] / count as f64)),
                unit: Unit::Nanoseconds,
                ratio: median(rounds.iter().map(|(ours, reference)| ours[i] / reference[i])),
                bound: bound.map(Bound::AtMost),
            });
        }
    }
    rows
}

fn main() {
    let mut table = Table::default();
    for (title, cells, with_adjoints) in
        [("mesh", MANY, false), ("mesh with adjoints", MANY, true), ("mesh of 10^3 cells", 1000, false)]
    {
        let mesh = Mesh::new(cells, STEPS, with_adjoints);
        let mimalloc = (cells >= MANY).then_some(MIMALLOC);
        table.extend(rows(
            title,
            &mesh,
            STEPS,
            &mut StableMesh::new(&mesh),
            &mut [
                ("malloc", Some(MALLOC), Box::new(PlainMesh::<Malloc>::new(&mesh))),
                ("mimalloc", mimalloc, Box::new(PlainMesh::<Mimalloc>::new(&mesh))),
            ],
        ));
    }
    for bytes in [48, 300] {
        let nested = Nested { bytes, steps: STEPS / Nested::DEPTH };
        table.extend(rows(
            &format!("16 deep, {bytes} bytes"),
            &nested,
            STEPS,
            &mut StableNested(Heap::new(0)),
            &mut [
                ("malloc", Some(MALLOC), Box::new(PlainNested::<Malloc>(PhantomData))),
                ("mimalloc", None, Box::new(PlainNested::<Mimalloc>(PhantomData))),
            ],
        ));
    }
    table.print();
}
