//! Ranges of addresses beside std's `BTreeMap`, which runs in the same process, turn and turn about. See
//! `benches/README.md` and `docs/maps.md`.
//!
//! `cargo bench --bench maps -- 10000000` measures up to that many ranges, instead of 10^6.

#[path = "../../src/part.rs"]
#[allow(unused)]
mod part;
#[path = "../../src/map/ranges/mod.rs"]
#[allow(unused)]
mod ranges;
#[path = "../../src/sync/mod.rs"]
#[allow(unused)]
mod sync;
#[path = "../common/table.rs"]
#[allow(unused)]
mod table;

mod program;
mod single;
mod threads;

use program::Program;
use ranges::Ranges;
use std::collections::BTreeMap;
use table::Table;

const SIZES: [usize; 5] = [1000, 10_000, 100_000, 1_000_000, 10_000_000];

fn main() {
    // cargo bench adds --bench; a name of a figure is for the other benchmark.
    let most = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let Ok(most) = most.map_or(Ok(1_000_000), |argument| argument.parse()) else { return };
    let mut table = Table::default();
    let mut at_1000 = None;
    for count in SIZES.into_iter().filter(|count| *count <= most) {
        let program = Program::new(count);
        let (mut ours, mut reference) = (Ranges::new(), BTreeMap::new());
        table.extend(single::changes(&program, &mut ours, &mut reference));
        let (rows, random) = single::finds(&program, &ours, &reference, at_1000);
        table.extend(rows);
        at_1000 = at_1000.or(Some(random));
        if count == 1_000_000 {
            drop((ours, reference));
            table.extend(threads::finds(&program));
        }
    }
    table.print();
}
