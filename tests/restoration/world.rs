//! The memory of a random program, and the program as generated code would run it: with a tape and addresses.

use crate::program::{FRAME, Object, Op, STATIC, adjoint, function, slots_and_values};
use adtape::{
    CheckpointReader, CheckpointWriter, Error, Heap, ObjectMemory, Objects, ProcessMemory, RangeKind, Restoration,
    SaveStats, Status, Tape,
};
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// A block gets the address of the one of its size that was freed last.
    ReuseAtOnce,
    NeverReuse,
    /// Heap objects are blocks of a stable heap.
    Stable,
}

impl Policy {
    pub const ALL: [Policy; 3] = [Policy::ReuseAtOnce, Policy::NeverReuse, Policy::Stable];
}

/// Objects, adjoints, the state of a stable heap.
type Contents = (BTreeMap<usize, Vec<u8>>, BTreeMap<usize, Vec<u8>>, Vec<u8>);

/// Blocks at addresses that do not exist.
struct Blocks {
    policy: Policy,
    blocks: BTreeMap<usize, Vec<u8>>,
    free: HashMap<usize, Vec<usize>>,
    top: usize,
}

impl Blocks {
    fn new(policy: Policy, top: usize) -> Blocks {
        Blocks { policy, blocks: BTreeMap::new(), free: HashMap::new(), top }
    }

    fn allocate(&mut self, bytes: usize) -> usize {
        let again = match self.policy {
            Policy::NeverReuse => None,
            _ => self.free.entry(bytes).or_default().pop(),
        };
        let base = again.unwrap_or_else(|| {
            self.top += bytes;
            self.top - bytes
        });
        assert!(self.blocks.insert(base, vec![0xA5; bytes]).is_none());
        base
    }

    fn release(&mut self, base: usize) {
        let block = self.blocks.remove(&base).expect("a block that is allocated");
        self.free.entry(block.len()).or_default().push(base);
    }

    fn at(&self, base: usize, bytes: usize) -> Option<&[u8]> {
        let (start, block) = self.blocks.range(..=base).next_back()?;
        block.get(base - start..base - start + bytes)
    }

    fn at_mut(&mut self, base: usize, bytes: usize) -> Option<&mut [u8]> {
        let (start, block) = self.blocks.range_mut(..=base).next_back()?;
        block.get_mut(base - start..base - start + bytes)
    }
}

/// Objects and adjoints.
struct Memory {
    objects: Blocks,
    adjoints: Blocks,
    process: ProcessMemory,
    /// From where on addresses are of the stable heap.
    real: usize,
    allocations_left: Option<u64>,
}

impl ObjectMemory for Memory {
    fn allocate(&mut self, bytes: usize) -> Result<usize, Error> {
        if let Some(left) = &mut self.allocations_left {
            *left = left.checked_sub(1).ok_or_else(|| Error::new(Status::OutOfMemory, "as the test wants"))?;
        }
        Ok(self.objects.allocate(bytes))
    }

    fn release(&mut self, base: usize) {
        self.objects.release(base);
    }

    fn view(&self, base: usize, bytes: usize) -> &[u8] {
        if base >= self.real {
            return self.process.view(base, bytes);
        }
        self.objects.at(base, bytes).or_else(|| self.adjoints.at(base, bytes)).expect("memory")
    }

    fn view_mut(&mut self, base: usize, bytes: usize) -> &mut [u8] {
        if base >= self.real {
            return self.process.view_mut(base, bytes);
        }
        let memory = if self.objects.at(base, bytes).is_some() { &mut self.objects } else { &mut self.adjoints };
        memory.at_mut(base, bytes).expect("memory")
    }
}

/// See the module.
pub struct World {
    policy: Policy,
    memory: Memory,
    heap: Option<Heap>,
    /// Where objects lie, and their shapes.
    bases: HashMap<u64, (usize, usize)>,
    pub fail_after: Option<u64>,
}

fn label(shape: usize) -> &'static str {
    ["one (struct one)", "two", "three", "frame", "static"][shape]
}

fn shape_of(bytes: usize, kind: RangeKind) -> usize {
    match kind {
        RangeKind::Stack => FRAME,
        RangeKind::Static => STATIC,
        _ => (0..3).find(|shape| 8 * (slots_and_values(*shape).0 + slots_and_values(*shape).1) == bytes).unwrap(),
    }
}

impl World {
    pub fn new(policy: Policy) -> World {
        let heap = (policy == Policy::Stable).then(|| Heap::with_factor(1, 4 << 20).unwrap());
        // SAFETY: it is asked for blocks of the stable heap and their adjoints only.
        let process = unsafe { ProcessMemory::new() };
        let memory = Memory {
            objects: Blocks::new(policy, 0x1000),
            adjoints: Blocks::new(policy, 0x4000_0000),
            process,
            real: heap.as_ref().map_or(usize::MAX, |heap| heap.ranges().iter().map(|(base, _)| *base).min().unwrap()),
            allocations_left: None,
        };
        World { policy, memory, heap, bases: HashMap::new(), fail_after: None }
    }

    /// Takes the stable heap away.
    pub fn without_heap(&mut self) -> Option<Heap> {
        self.heap.take()
    }

    pub fn declare_layouts(&self, addresses: &Objects) {
        for shape in 0..5 {
            let (slots, values) = slots_and_values(shape);
            let offsets: Vec<usize> = (0..slots).map(|i| 8 * i).collect();
            addresses.set_pointers(label(shape), 8 * (slots + values), &offsets).unwrap();
        }
    }

    // ---- memory ----------------------------------------------------------------------------------------

    pub fn words(&self, base: usize, bytes: usize) -> Vec<u64> {
        self.memory.view(base, bytes).chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap())).collect()
    }

    fn word(&self, at: usize) -> u64 {
        self.words(at, 8)[0]
    }

    fn set(&mut self, at: usize, word: u64) {
        self.memory.view_mut(at, 8).copy_from_slice(&word.to_le_bytes());
    }

    /// All there is, to be compared.
    pub fn contents(&self) -> Contents {
        let heap = self.heap.as_ref().map_or(Vec::new(), Heap::snapshot);
        (self.memory.objects.blocks.clone(), self.memory.adjoints.blocks.clone(), heap)
    }

    /// There are blocks for these objects, and no others.
    pub fn check_blocks(&self, bases: impl Iterator<Item = usize>) {
        let mut simulated: Vec<usize> = bases.filter(|base| *base < self.memory.real).collect();
        simulated.sort_unstable();
        assert!(
            self.memory.objects.blocks.keys().eq(&simulated),
            "{:?} {simulated:?}",
            self.memory.objects.blocks.keys()
        );
    }

    fn base(&self, id: u64) -> usize {
        self.bases[&id].0
    }

    fn adjoint_at(&self, addresses: &Objects, at: usize) -> usize {
        let range = addresses.live_find(at).unwrap();
        range.adjoint_base + (at - range.base)
    }

    // ---- checkpoints -----------------------------------------------------------------------------------

    pub fn set_recording(&mut self, on: bool) {
        if let Some(heap) = &mut self.heap {
            heap.set_recording(on);
        }
    }

    pub fn save(&mut self, addresses: &Objects, checkpoint: &mut CheckpointWriter) -> SaveStats {
        let heaps: Vec<&Heap> = self.heap.iter().collect();
        addresses.save(checkpoint, &self.memory, &heaps).unwrap()
    }

    pub fn restore(&mut self, addresses: &Objects, checkpoint: &mut CheckpointReader) -> Result<Restoration, Error> {
        self.memory.allocations_left = self.fail_after;
        let mut heaps: Vec<&mut Heap> = self.heap.iter_mut().collect();
        let result = addresses.restore(checkpoint, &mut self.memory, &mut heaps);
        self.memory.allocations_left = None;
        let there = addresses.live_list().into_iter();
        self.bases = there.map(|range| (range.serial, (range.base, shape_of(range.bytes, range.kind)))).collect();
        result
    }

    // ---- the forward sweep -----------------------------------------------------------------------------

    /// An object is born.
    pub fn bear(&mut self, addresses: &Objects, tape: &Tape, id: u64, object: &Object) {
        let bytes = 8 * (object.slots.len() + object.values.len());
        let kind = [RangeKind::Heap, RangeKind::Stack, RangeKind::Static][object.shape.saturating_sub(2)];
        let base = match (&mut self.heap, kind) {
            (Some(heap), RangeKind::Heap) => heap.alloc(tape, bytes).unwrap() as usize,
            _ => self.memory.objects.allocate(bytes),
        };
        assert_eq!(addresses.live_add(base, bytes, kind, label(object.shape)).unwrap(), id);
        self.bases.insert(id, (base, object.shape));
        for (i, word) in object.slots.iter().map(|_| 0).chain(object.values.iter().copied()).enumerate() {
            self.set(base + 8 * i, word);
        }
    }

    /// An object ends.
    fn end(&mut self, addresses: &Objects, tape: &Tape, id: u64, record: bool) {
        let (base, shape) = self.bases.remove(&id).expect("an object that is alive");
        let (slots, values) = slots_and_values(shape);
        if record {
            for (i, word) in self.words(base, 8 * (slots + values)).into_iter().enumerate() {
                if i < slots {
                    addresses.push_pointer(tape, word as usize).unwrap();
                } else {
                    tape.push(word as i64).unwrap();
                }
            }
            addresses.live_end(tape, base).unwrap();
        } else {
            addresses.live_remove(base).unwrap();
        }
        match &mut self.heap {
            Some(heap) if shape < FRAME => heap.free(tape, base as *mut u8).unwrap(),
            _ => self.memory.objects.release(base),
        }
    }

    pub fn forward(&mut self, addresses: &Objects, tape: &Tape, op: &Op, record: bool) {
        let new = |id: u64, shape: usize| {
            let mut state = crate::State::default();
            state.apply(&Op::Bear { id, shape });
            state.objects[&id].clone()
        };
        match *op {
            Op::Bear { id, shape } => self.bear(addresses, tape, id, &new(id, shape)),
            Op::End { id } => self.end(addresses, tape, id, record),
            Op::Frame { old, new: id } => {
                self.end(addresses, tape, old, record);
                self.bear(addresses, tape, id, &new(id, FRAME));
            }
            Op::Point { id, slot, to, raw } => {
                let variable = self.base(id) + 8 * slot;
                match (record, raw) {
                    (true, false) => addresses.push_pointer(tape, self.word(variable) as usize).unwrap(),
                    (true, true) => tape.push(self.word(variable) as i64).unwrap(),
                    _ => {}
                }
                let to = to.map_or(0, |(to, by)| self.base(to) as u64 + by);
                self.set(variable, to);
            }
            Op::Compute { id, value, through } => {
                let at = self.value_at(id, value);
                let other = self.through(addresses, through).map_or(0, |there| self.word(there));
                if record {
                    tape.push(self.word(at) as i64).unwrap();
                }
                self.set(at, function(self.word(at), other));
            }
        }
    }

    fn value_at(&self, id: u64, value: usize) -> usize {
        let (base, shape) = self.bases[&id];
        base + 8 * (slots_and_values(shape).0 + value)
    }

    /// The value that a pointer variable leads to, followed in memory.
    fn through(&self, addresses: &Objects, through: Option<(u64, usize)>) -> Option<usize> {
        let (id, slot) = through?;
        let there = self.word(self.base(id) + 8 * slot) as usize;
        let range = addresses.live_find(there).ok()?;
        let slots = slots_and_values(shape_of(range.bytes, range.kind)).0;
        (there >= range.base + 8 * slots).then_some(there)
    }

    // ---- the reverse sweep -----------------------------------------------------------------------------

    /// The reversal point: what has no adjoint gets one.
    pub fn begin_reverse(&mut self, addresses: &Objects) {
        if let Some(heap) = &mut self.heap {
            heap.begin_reverse().unwrap();
        }
        for range in addresses.live_list().into_iter().filter(|range| range.adjoint_base == 0) {
            let adjoint = self.new_adjoint(range.base, range.bytes);
            addresses.live_set_adjoint(range.base, adjoint, range.bytes).unwrap();
        }
    }

    fn new_adjoint(&mut self, base: usize, bytes: usize) -> usize {
        if base >= self.memory.real {
            return self.heap.as_ref().unwrap().adjoint(base as *mut u8).unwrap() as usize;
        }
        let adjoint = self.memory.adjoints.allocate(bytes);
        self.memory.view_mut(adjoint, bytes).fill(0);
        adjoint
    }

    /// A birth is reversed.
    fn unbear(&mut self, addresses: &Objects, tape: &Tape, id: u64) {
        let (base, _) = self.bases.remove(&id).expect("an object that is alive");
        let range = addresses.live_find(base).unwrap();
        addresses.rebase_remove(base).unwrap();
        if base >= self.memory.real {
            return self.heap.as_mut().unwrap().undo_alloc(tape).unwrap();
        }
        self.memory.objects.release(base);
        self.memory.adjoints.release(range.adjoint_base);
    }

    /// A death is reversed.
    fn come_back(&mut self, addresses: &Objects, tape: &Tape, id: u64, kind: RangeKind) {
        let there = match (&mut self.heap, kind) {
            (Some(heap), RangeKind::Heap) => Some(heap.undo_free(tape).unwrap() as usize),
            _ => None,
        };
        let range = addresses.pop_range(tape).unwrap();
        assert_eq!(range.serial, id);
        let base = there.unwrap_or_else(|| self.memory.objects.allocate(range.bytes));
        let adjoint = self.new_adjoint(base, range.bytes);
        for waiter in addresses.rebase_add(&range, base, adjoint, range.bytes).unwrap() {
            self.set(waiter.variable, waiter.value as u64);
        }
        let shape = shape_of(range.bytes, range.kind);
        self.bases.insert(id, (base, shape));
        let slots = slots_and_values(shape).0;
        for i in (0..range.bytes / 8).rev() {
            let word = if i < slots {
                addresses.pop_pointer(tape, base + 8 * i, 0).unwrap().address as u64
            } else {
                tape.pop::<i64>().unwrap() as u64
            };
            self.set(base + 8 * i, word);
        }
    }

    pub fn backward(&mut self, addresses: &Objects, tape: &Tape, op: &Op) {
        match *op {
            Op::Bear { id, .. } => self.unbear(addresses, tape, id),
            Op::End { id } => self.come_back(addresses, tape, id, RangeKind::Heap),
            Op::Frame { old, new } => {
                self.unbear(addresses, tape, new);
                self.come_back(addresses, tape, old, RangeKind::Stack);
            }
            Op::Point { id, slot, raw, .. } => {
                let variable = self.base(id) + 8 * slot;
                let back = if raw {
                    let address = tape.pop::<i64>().unwrap() as usize;
                    addresses.rebase_pointer(address, variable, 0).unwrap()
                } else {
                    addresses.pop_pointer(tape, variable, 0).unwrap()
                };
                assert!(!back.waits);
                self.set(variable, back.address as u64);
            }
            Op::Compute { id, value, through } => {
                let at = self.value_at(id, value);
                let other = self.through(addresses, through);
                self.set(at, tape.pop::<i64>().unwrap() as u64);
                let own = self.adjoint_at(addresses, at);
                let new = adjoint(self.word(own), self.word(at));
                self.set(own, new);
                if let Some(other) = other {
                    let other = self.adjoint_at(addresses, other);
                    self.set(other, self.word(other).wrapping_add(new));
                }
            }
        }
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.policy)
    }
}
