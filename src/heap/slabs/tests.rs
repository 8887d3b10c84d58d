use super::*;
use crate::heap::class::GRANULE;
use crate::heap::head::HEAD_BYTES;
use crate::part::part;
use fastrand::Rng;
use std::collections::BTreeMap;

/// More chunks than a word of a word of bits tells apart.
const CHUNKS: usize = 300_000;
/// Address of the first chunk; nothing is there.
const BASE: usize = 1 << 40;

/// Heads of so many chunks, without memory until they are used.
fn slabs() -> (Slabs, Vec<u8>) {
    let mut memory = vec![0_u8; CHUNKS * HEAD_BYTES + align_of::<Head>()];
    let address = memory.as_mut_ptr().addr().next_multiple_of(align_of::<Head>());
    // SAFETY: room for that many, zero; who has the heads keeps the memory.
    (Slabs::new(unsafe { Heads::new(address, CHUNKS, BASE) }), memory)
}

/// Class and slots of the chunks with a block; when the others were closed.
#[derive(Default)]
struct Model {
    open: BTreeMap<usize, (Class, Vec<bool>)>,
    closed: BTreeMap<usize, u64>,
    top: usize,
}

impl Model {
    /// The lowest free slot of the lowest chunk with room of this class, else of the lowest chunk without a block.
    fn place(&self, class: Class) -> usize {
        let room = self.open.iter().filter(|(_, (have, _))| *have == class).find_map(|(chunk, (_, slots))| {
            Some(chunk * CHUNK + slots.iter().position(|taken| !taken)? * class.slot_bytes())
        });
        room.unwrap_or_else(|| (0..).find(|chunk| !self.open.contains_key(chunk)).unwrap_or(0) * CHUNK)
    }

    /// The slot at or around an offset: where it begins, its class, whether it is taken. `None` in a closed chunk.
    fn slot(&self, offset: usize) -> Option<(usize, Class, bool)> {
        let (class, slots) = self.open.get(&(offset / CHUNK))?;
        let i = offset % CHUNK / class.slot_bytes();
        Some((offset / CHUNK * CHUNK + i * class.slot_bytes(), *class, *slots.get(i)?))
    }

    fn take(&mut self, offset: usize, class: Class) {
        let chunk = offset / CHUNK;
        let (_, slots) = self.open.entry(chunk).or_insert_with(|| (class, vec![false; class.slots()]));
        slots[offset % CHUNK / class.slot_bytes()] = true;
        self.closed.remove(&chunk);
        self.top = self.top.max(chunk + 1);
    }

    fn give(&mut self, offset: usize, now: u64) {
        let chunk = offset / CHUNK;
        let (class, slots) = self.open.get_mut(&chunk).expect("an open chunk");
        slots[offset % CHUNK / class.slot_bytes()] = false;
        if !slots.contains(&true) {
            self.open.remove(&chunk);
            self.closed.insert(chunk, now);
        }
    }

    fn clear(&mut self, now: u64) {
        let chunks = std::mem::take(&mut self.open).into_keys();
        self.closed.extend(chunks.map(|chunk| (chunk, now)));
        self.top = 0;
    }

    fn blocks(&self) -> Vec<(usize, Class)> {
        let mut blocks = Vec::new();
        for (chunk, (class, slots)) in &self.open {
            let taken = slots.iter().enumerate().filter(|(_, taken)| **taken);
            blocks.extend(taken.map(|(i, _)| (chunk * CHUNK + i * class.slot_bytes(), *class)));
        }
        blocks
    }

    fn gaps(&self) -> Vec<(usize, usize, u64)> {
        let (mut gaps, mut from) = (Vec::new(), 0);
        for chunk in self.open.keys().copied().chain([self.top]) {
            if from < chunk {
                let stamps = self.closed.range(from..chunk).map(|(_, stamp)| *stamp);
                gaps.push((from * CHUNK, chunk * CHUNK, stamps.max().unwrap_or(0)));
            }
            from = chunk + 1;
        }
        gaps
    }
}

fn take(slabs: &mut Slabs, model: &mut Model, offset: usize, class: Class, opens: bool) {
    if opens {
        slabs.open(offset, class);
    }
    let slot = slabs.slot(offset, class).expect("a slot");
    if slabs.take(slot) {
        slabs.fills(slot.head);
    }
    model.take(offset, class);
}

fn give(slabs: &mut Slabs, model: &mut Model, offset: usize, now: u64) {
    let slot = slabs.find(offset).expect("a block");
    let was_full = slabs.give(slot).expect("taken");
    if was_full || slot.head.get().taken() == 0 {
        slabs.turns(slot.head, was_full, now);
    }
    model.give(offset, now);
}

/// What every look-up says of an offset, whatever lies there.
fn look(slabs: &mut Slabs, model: &Model, offset: usize, class: Class) {
    let known = model.slot(offset);
    let at = known.filter(|(start, ..)| *start == offset);
    let block = known.filter(|(.., taken)| *taken).map(|(start, class, _)| (start, class));
    assert_eq!(slabs.heads.around(offset, slabs.top), block, "{offset}");
    let (found, key) = (slabs.find(offset), |(start, class, _)| record::key(start, class));
    match (found, at) {
        (Some(slot), Some((start, class, taken))) => {
            assert_eq!((slot.key(), slot.bytes()), (record::key(start, class), class.slot_bytes()), "{offset}");
            assert_eq!(slot.address().addr().get(), BASE + start, "{offset}");
            assert!(taken || slabs.give(slot).is_none(), "{offset}");
        }
        // A chunk that was open once has slots, which are all free.
        (Some(slot), None) => assert!(known.is_none() && slabs.give(slot).is_none(), "{offset}"),
        (None, at) => assert!(at.is_none(), "{offset}"),
    }
    // An idle chunk has slots that the model does not know.
    if known.is_some() || slabs.idle != Some(offset / CHUNK) {
        assert_eq!(
            slabs.free_slot(offset).map(|slot| slot.key()),
            at.filter(|(.., taken)| !*taken).map(key),
            "{offset}"
        );
    }
    let exists = (offset % CHUNK).is_multiple_of(class.slot_bytes()) && offset % CHUNK + class.slot_bytes() <= CHUNK;
    let expected = match (exists, model.open.contains_key(&(offset / CHUNK))) {
        (false, _) => None,
        (true, false) => Some(true),
        (true, true) => at.filter(|(_, have, taken)| *have == class && !taken).map(|_| false),
    };
    assert_eq!(slabs.is_free(offset, class), expected, "{offset}");
}

/// Chunks of few and of many slots, with a rest behind the last and without.
#[test]
fn slabs_do_what_a_list_of_slots_does() {
    let bytes = [16, 32, 48, 112, 320, 1024, 1792, 5120, 7168, 8192];
    for seed in 1..=part(6) {
        let ((mut slabs, _memory), mut model, mut rng) = (slabs(), Model::default(), Rng::with_seed(seed));
        let classes = [0; 3].map(|_| Class::of(bytes[rng.usize(..bytes.len())]).expect("small"));
        let far = [0, 4000, 262_000][seed as usize % 3];
        for now in 1..200 {
            let class = classes[rng.usize(..3)];
            match rng.usize(..20) {
                // Blocks come: enough to fill chunks.
                0..8 => {
                    for _ in 0..rng.usize(..=2 * class.slots()) {
                        let quick = if rng.bool() { slabs.take_lowest(class) } else { None };
                        if let Some((slot, _, full)) = quick {
                            assert_eq!(slot.key(), record::key(model.place(class), class));
                            if full {
                                slabs.fills(slot.head);
                            }
                            model.take(record::offset(slot.key()), class);
                            continue;
                        }
                        let (offset, opens) = slabs.place(class);
                        assert_eq!((offset, opens), (model.place(class), slabs.is_free(offset, class).unwrap()));
                        take(&mut slabs, &mut model, offset, class, opens);
                    }
                }
                // They go, one or two, some or nearly all, in any order.
                8..15 => {
                    let mut blocks = model.blocks();
                    rng.shuffle(&mut blocks);
                    blocks.truncate(if rng.bool() { rng.usize(..3) } else { rng.usize(..=blocks.len()) });
                    blocks.iter().for_each(|(offset, _)| give(&mut slabs, &mut model, *offset, now));
                }
                // One comes back somewhere.
                15..19 => {
                    let offset = (far + rng.usize(..200)) * CHUNK + rng.usize(..class.slots()) * class.slot_bytes();
                    if let Some(opens) = slabs.is_free(offset, class) {
                        take(&mut slabs, &mut model, offset, class, opens);
                    }
                }
                _ => {
                    slabs.clear(now);
                    model.clear(now);
                }
            }
            let open = model.open.keys().copied().nth(rng.usize(..=model.open.len()));
            let chunk = open.unwrap_or_else(|| far + rng.usize(..200)) * CHUNK;
            if rng.bool() {
                (0..CHUNK).step_by(GRANULE).for_each(|offset| look(&mut slabs, &model, chunk + offset, class));
                look(&mut slabs, &model, chunk + rng.usize(..CHUNK), class);
            }
            let (mut blocks, mut gaps) = (Vec::new(), Vec::new());
            slabs.for_each(|offset, class| blocks.push((offset, class)));
            assert_eq!((slabs.count() as usize, blocks), (model.blocks().len(), model.blocks()), "seed {seed}");
            if rng.bool() {
                slabs.for_each_gap(|from, to, stamp| gaps.push((from, to, stamp)));
                assert_eq!(gaps, model.gaps(), "seed {seed}");
            }
        }
    }
}
