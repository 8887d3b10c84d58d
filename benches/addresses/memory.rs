//! The memory of a live range, as the allocator sees it; the tape, which maps its own, is not in it.

use crate::table::{Bound, Row, Unit};
use crate::{AWAY, blocks};
use adtape::{LiveRange, Objects, RangeKind};
use fastrand::Rng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator, with a count beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// Ranges that are born in this order, with adjoints, and come back elsewhere in the reverse sweep, all of them: bytes of
/// each before they die, when all are dead, and when all are back.
fn measure(blocks: &[(usize, usize)]) -> [f64; 3] {
    let mut records: Vec<LiveRange> = Vec::with_capacity(blocks.len());
    let before = bytes();
    let objects = Objects::new();
    let each = || (bytes() - before) as f64 / blocks.len() as f64;
    for (base, bytes) in blocks {
        objects.live_add(*base, *bytes, RangeKind::Heap, "x").expect("no overlap");
        objects.live_set_adjoint(*base, *base + 2 * AWAY, *bytes).expect("alive");
    }
    let alive = each();
    for (base, _) in blocks {
        records.push(objects.live_find(*base).expect("alive"));
        objects.live_remove(*base).expect("alive");
    }
    let dead = each();
    objects.live_begin_reverse().expect("a reversal point");
    for record in records.iter().rev() {
        objects.rebase_add(record, record.base + AWAY, record.base + 2 * AWAY, record.bytes).expect("no overlap");
    }
    [alive, dead, each()]
}

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for count in [100_000_usize, 1_000_000] {
        let ordered = blocks(&mut Rng::with_seed(7), 1 << 32, count);
        let mut shuffled = ordered.clone();
        Rng::with_seed(9).shuffle(&mut shuffled);
        for (order, blocks) in [("address order", ordered), ("random", shuffled)] {
            let states = ["live range", "dead range, remembered", "the same, with its entry in the rebase map"];
            for (state, bytes) in states.into_iter().zip(measure(&blocks)) {
                let bound = state.contains("rebase").then_some(Bound::AtMost(1.0));
                let title = format!("{state}, {order}, 10^{}", count.ilog10());
                rows.push(Row { title, ours: bytes, reference: 96.0, unit: Unit::Bytes, ratio: bytes / 96.0, bound });
            }
        }
    }
    rows
}
