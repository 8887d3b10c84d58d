//! The registry against a naive model: random programs run forward and backward, with allocators that reuse addresses or
//! never do; rules by example.

#![forbid(unsafe_code)]

use super::*;
use crate::error::Status;

fn registry() -> (Registry, u16) {
    let registry = Registry::new();
    let lane = registry.claim().unwrap();
    (registry, lane)
}

fn at(base: u64) -> Present {
    Present { base, adjoint_base: 0, adjoint_bytes: 0 }
}

fn status<T>(result: Result<T, Error>) -> Status {
    result.err().map_or(Status::Ok, |error| error.status())
}

// ---- rules by example ----------------------------------------------------------------------------------

#[test]
fn base_wins_where_two_ranges_touch_and_the_choice_is_counted() {
    for kind in [RangeKind::Heap, RangeKind::Stack] {
        for order in [[100, 108], [108, 100]] {
            let (registry, lane) = registry();
            let serials = order.map(|base| registry.add(lane, base, 8, kind, c"").unwrap());
            let find = |address| registry.find(lane, address).unwrap().unwrap();
            let upper = serials[order.iter().position(|base| *base == 108).unwrap()];
            assert_eq!(find(108), Place { serial: upper, offset: 0 });
            assert_eq!(registry.ambiguous(), 1);
            assert_eq!((find(116).serial, find(116).offset), (upper, 8));
            assert_eq!(find(107).offset, 7);
            assert_eq!(registry.ambiguous(), 1);
            registry.remove(lane, 100).unwrap();
            find(108);
            assert_eq!(registry.ambiguous(), 1, "nothing ends there any more");
        }
    }
}

#[test]
fn null_is_in_no_range_and_always_null() {
    let (registry, lane) = registry();
    assert_eq!(registry.find(lane, 0).unwrap(), None);
    assert_eq!(registry.find_pair(lane, 0, 0).unwrap(), None);
    assert_eq!(status(registry.find_pair(lane, 0, 8)), Status::NullPointer);
    assert_eq!(status(registry.add(lane, 0, 8, RangeKind::Heap, c"")), Status::NullPointer);
    registry.add(lane, 0, 0, RangeKind::Heap, c"").unwrap();
    assert_eq!(registry.find(lane, 0).unwrap(), None);
    registry.remove(lane, 0).unwrap();
}

#[test]
fn overlap_names_both_ranges_and_changes_nothing() {
    let (registry, lane) = registry();
    let other = registry.claim().unwrap();
    registry.add(lane, 1000, 100, RangeKind::Heap, c"x double[1000]").unwrap();
    registry.add(lane, 2000, 100, RangeKind::Stack, c"y").unwrap();
    for (from, base, bytes, kind, there) in [
        (lane, 950, 51, RangeKind::Heap, "`x` double[1000]"),
        (lane, 1099, 1, RangeKind::Stack, "`x` double[1000]"),
        (other, 1950, 200, RangeKind::Heap, "`y`"),
        (lane, 2000, 100, RangeKind::Stack, "`y`"),
    ] {
        let error = registry.add(from, base, bytes, kind, c"z").unwrap_err();
        assert_eq!(error.status(), Status::Overlap);
        for part in [there, "`z`", &format!("{base:#x}")] {
            assert!(error.message().contains(part), "{part} is not in {error}");
        }
    }
    assert_eq!(registry.list().len(), 2);
    let serial = registry.add(lane, 3000, 1, RangeKind::Heap, c"").unwrap();
    assert_eq!(serial.birth(), 3, "what failed was no birth");
}

#[test]
fn pointer_outside_every_range_is_told_with_its_neighbours() {
    let (registry, lane) = registry();
    let say = |address| registry.find(lane, address).unwrap_err().message().to_owned();
    assert!(say(5).contains("no range is alive"));
    registry.add(lane, 0x1000, 8000, RangeKind::Heap, c"x (double[1000])").unwrap();
    registry.add(lane, 0x9000, 16, RangeKind::Stack, c"").unwrap();
    let said = say(0x1000 + 8128);
    for part in [
        "the pointer 0x2fc0 is in no range",
        "\n  128 bytes past the end of `x` (double[1000]), a heap range of 7.81 KiB (8000 bytes) at 0x1000 (object 1)",
        "\n  24.06 KiB (24640 bytes) before a stack range of 16 bytes at 0x9000 (object 2)",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    assert_eq!(status(registry.remove(lane, 0x1008)), Status::NoRange);
    assert!(registry.remove(lane, 0x1008).unwrap_err().message().contains("8 bytes past the base of `x`"));
}

#[test]
fn ranges_without_bytes_share_a_base_and_are_told_apart_by_serial() {
    let (registry, lane) = registry();
    let empty = registry.add(lane, 100, 0, RangeKind::Heap, c"none").unwrap();
    assert_eq!(registry.find(lane, 100).unwrap(), Some(Place { serial: empty, offset: 0 }));
    let full = registry.add(lane, 100, 8, RangeKind::Heap, c"some").unwrap();
    assert_eq!(registry.find(lane, 100).unwrap().unwrap().serial, full);
    let error = registry.remove(lane, 100).unwrap_err();
    assert_eq!(error.status(), Status::Ambiguous);
    assert!(error.message().contains("`none`") && error.message().contains("`some`"), "{error}");
    assert_eq!(registry.locate(Place { serial: empty, offset: 0 }).unwrap(), Some((100, 0)));
    let other = registry.add(lane, 200, 0, RangeKind::Stack, c"").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 200).unwrap());
    assert_eq!(registry.locate(Place { serial: other, offset: 0 }).unwrap(), None);
    registry.restore(lane, &record, at(100)).unwrap();
    assert_eq!(registry.locate(Place { serial: other, offset: 0 }).unwrap(), Some((100, 0)));
}

#[test]
fn offset_is_scaled_to_an_adjoint_of_another_size_and_must_come_out_whole() {
    let (registry, lane) = registry();
    let serial = registry.add(lane, 1000, 24, RangeKind::Heap, c"x").unwrap(); // six floats
    let locate = |offset| registry.locate(Place { serial, offset });
    assert_eq!(locate(4).unwrap(), Some((1004, 0)), "without an adjoint it is NULL");
    registry.set_adjoint(lane, 1000, 5000, 48).unwrap(); // six doubles
    for (offset, primal, adjoint) in [(0, 1000, 5000), (4, 1004, 5008), (24, 1024, 5048), (-4, 996, 4992)] {
        assert_eq!(locate(offset).unwrap(), Some((primal, adjoint)));
    }
    registry.set_adjoint(lane, 1000, 5000, 12).unwrap(); // halves
    assert_eq!(locate(6).unwrap(), Some((1006, 5003)));
    assert_eq!(status(locate(5)), Status::Uneven);
    assert_eq!(status(registry.set_adjoint(lane, 1001, 5000, 8)), Status::NoRange);
    assert_eq!(status(registry.set_adjoint(lane, 1000, u64::MAX, 8)), Status::CountRange);
}

#[test]
fn adjoint_that_does_not_fit_a_waiting_pointer_is_refused_and_changes_nothing() {
    let (registry, lane) = registry();
    let serial = registry.add(lane, 1000, 8, RangeKind::Heap, c"x").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    registry.wait(70, Target::Object(serial, 1), true);
    assert_eq!(
        status(registry.restore(lane, &record, Present { base: 1, adjoint_base: 9, adjoint_bytes: 4 })),
        Status::Uneven
    );
    assert_eq!((registry.list(), registry.waiting().len()), (vec![], 1));
    let arrivals = registry.restore(lane, &record, Present { base: 1, adjoint_base: 9, adjoint_bytes: 8 }).unwrap();
    assert_eq!(arrivals, [Arrival { variable: 70, value: 10 }]);
    assert_eq!(registry.waiting(), []);
}

#[test]
fn object_comes_back_once() {
    let (registry, lane) = registry();
    registry.add(lane, 1000, 8, RangeKind::Heap, c"x").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    registry.restore(lane, &record, at(2000)).unwrap();
    let error = registry.restore(lane, &record, at(3000)).unwrap_err();
    assert_eq!(error.status(), Status::Overlap);
    assert!(error.message().contains("comes back while it is alive"), "{error}");
    let stranger = RangeRecord { serial: Serial::new(7, 1), ..record };
    assert_eq!(status(registry.restore(lane, &stranger, at(3000))), Status::BadArgument);
}

#[test]
fn forward_addresses_are_translated_for_what_moved_and_for_what_stayed() {
    let (registry, lane) = registry();
    for (base, kind) in [(1000, RangeKind::Heap), (2000, RangeKind::Stack), (3000, RangeKind::Heap)] {
        registry.add(lane, base, 8, kind, c"").unwrap();
    }
    let heap = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    let stack = RangeRecord::of(&registry.remove(lane, 2000).unwrap());
    registry.turn();
    assert_eq!(registry.rebase(lane, 1004).unwrap(), None, "it is not back");
    registry.restore(lane, &stack, at(2004)).unwrap();
    registry.restore(lane, &heap, Present { base: 3500, adjoint_base: 80, adjoint_bytes: 8 }).unwrap();
    assert_eq!(registry.rebase(lane, 1004).unwrap(), Some((3504, 84)));
    assert_eq!(registry.rebase(lane, 2007).unwrap(), Some((2011, 0)));
    assert_eq!(registry.rebase(lane, 3008).unwrap(), Some((3008, 0)));
    assert_eq!(registry.rebase(lane, 3504).unwrap(), None, "nothing lay there in the forward sweep");
    registry.turn();
    assert_eq!(registry.rebase(lane, 3504).unwrap(), Some((3504, 84)));
    assert_eq!(registry.rebase(lane, 1004).unwrap(), None);
}

#[test]
fn stack_ranges_of_another_thread_are_found_and_end_with_it() {
    let (registry, lane) = registry();
    let other = registry.claim().unwrap();
    let serial = registry.add(other, 5000, 80, RangeKind::Stack, c"shared").unwrap();
    let heap = registry.add(other, 9000, 80, RangeKind::Heap, c"").unwrap();
    assert_eq!(registry.find(lane, 5008).unwrap(), Some(Place { serial, offset: 8 }));
    assert_eq!(registry.begins_at(lane, 5000).unwrap().serial, serial);
    registry.give_back(other);
    assert_eq!(status(registry.find(lane, 5008)), Status::NoRange);
    assert_eq!(registry.find(lane, 9000).unwrap().unwrap().serial, heap);
    assert_eq!(registry.claim().unwrap(), other, "the lane is used again");
    assert_eq!(registry.add(other, 5000, 8, RangeKind::Stack, c"").unwrap().birth(), 3);
}

// ---- random programs -----------------------------------------------------------------------------------

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// How the allocator of a sweep chooses addresses.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    /// The lowest that is free: freed addresses come back at once, ranges touch.
    Lowest,
    /// One that never was used.
    Fresh,
}

struct Allocator {
    choice: Choice,
    next: u64,
    /// Base and bytes of what is allocated, by base.
    blocks: std::collections::BTreeMap<u64, u64>,
}

impl Allocator {
    fn allocate(&mut self, bytes: u64) -> u64 {
        let mut base = self.next;
        match self.choice {
            Choice::Fresh => self.next += bytes + 64,
            Choice::Lowest => {
                for (start, length) in &self.blocks {
                    if base + bytes <= *start {
                        break;
                    }
                    base = start + length;
                }
            }
        }
        self.blocks.insert(base, bytes);
        base
    }
}

/// What the model knows of an object. Its place in the list is who it is.
#[derive(Clone, Copy, Debug)]
struct Truth {
    serial: Serial,
    base: u64,
    bytes: u64,
    kind: RangeKind,
    adjoint: u64,
    alive: bool,
}

enum Step {
    Birth(usize),
    Death(usize, RangeRecord),
    Pointer(Record, Option<(usize, u64)>),
}

struct Program {
    registry: Registry,
    lane: u16,
    random: Random,
    objects: Vec<Truth>,
    /// Deaths whose addresses no later death has taken, as (object, base, bytes).
    past: Vec<(usize, u64, u64)>,
    allocator: Allocator,
    tape: Vec<Step>,
}

impl Program {
    fn pick(&mut self, alive: bool) -> Option<usize> {
        let which: Vec<usize> = (0..self.objects.len()).filter(|i| self.objects[*i].alive == alive).collect();
        (!which.is_empty()).then(|| which[self.random.below(which.len() as u64) as usize])
    }

    fn birth(&mut self) {
        let bytes = 8 * (1 + self.random.below(6));
        let kind = RangeKind::ALL[self.random.below(5) as usize];
        let base = self.allocator.allocate(bytes);
        let serial = self.registry.add(self.lane, base, bytes, kind, c"").unwrap();
        self.tape.push(Step::Birth(self.objects.len()));
        self.objects.push(Truth { serial, base, bytes, kind, adjoint: 0, alive: true });
    }

    fn death(&mut self) {
        let Some(i) = self.pick(true) else { return };
        let object = self.objects[i];
        let record = RangeRecord::of(&self.registry.remove(self.lane, object.base).unwrap());
        self.tape.push(Step::Death(i, record));
        self.objects[i].alive = false;
        self.allocator.blocks.remove(&object.base);
        let stack = object.kind == RangeKind::Stack;
        self.past.retain(|(j, base, bytes)| {
            let other_map = (self.objects[*j].kind == RangeKind::Stack) != stack;
            other_map || base + bytes <= object.base || object.base + object.bytes <= *base
        });
        self.past.push((i, object.base, object.bytes));
    }

    /// The object that an address belongs to, by looking at all of them.
    fn owner(&self, address: u64) -> Option<(usize, u64)> {
        let all = self.objects.iter().enumerate().filter(|(_, object)| object.alive);
        let within = all.filter(|(_, object)| object.base <= address && address <= object.base + object.bytes);
        if let Some((i, object)) = within.max_by_key(|(_, object)| object.base) {
            return Some((i, address - object.base));
        }
        // Of the dead, those of the stack are looked at first.
        for stack in [true, false] {
            let past = self.past.iter().filter(|(i, ..)| (self.objects[*i].kind == RangeKind::Stack) == stack);
            let within = past.filter(|(_, base, bytes)| *base <= address && address <= base + bytes);
            if let Some((i, base, _)) = within.max_by_key(|(_, base, _)| *base) {
                return Some((*i, address - base));
            }
        }
        None
    }

    fn pointer(&mut self) {
        let alive = self.random.below(4) > 0;
        let Some(i) = self.pick(alive) else { return };
        let address = self.objects[i].base + self.random.below(self.objects[i].bytes / 4 + 1) * 4;
        let owner = self.owner(address);
        let found = self.registry.find(self.lane, address);
        match owner {
            None => assert_eq!(status(found), Status::NoRange),
            Some((i, offset)) => {
                let place = found.unwrap().unwrap();
                assert_eq!((place.serial, place.offset), (self.objects[i].serial, offset as i64));
                self.tape.push(Step::Pointer(pack(Some(place)), owner));
            }
        }
    }

    /// Plays the tape back. Each pointer goes to a variable of its own, far from all objects.
    fn reverse(&mut self, choice: Choice, spread: u64) {
        const VARIABLES: u64 = 1 << 46;
        self.registry.turn();
        self.allocator.choice = choice;
        if choice == Choice::Fresh {
            self.allocator.next = 1 << 40;
        }
        let mut waiting = std::collections::BTreeMap::new();
        for (k, step) in std::mem::take(&mut self.tape).into_iter().enumerate().rev() {
            match step {
                Step::Pointer(record, owner) => {
                    let place = unpack(record).unwrap().unwrap();
                    let (i, offset) = owner.unwrap();
                    let found = self.registry.locate(place).unwrap();
                    assert_eq!(found, self.truth(i, offset, spread), "pointer {k} to object {i}");
                    if found.is_none() {
                        let variable = VARIABLES + 16 * k as u64;
                        self.registry.wait(variable, Target::Object(place.serial, place.offset), false);
                        self.registry.wait(variable + 8, Target::Object(place.serial, place.offset), true);
                        waiting.insert(variable, (i, offset));
                    }
                }
                Step::Birth(i) => {
                    self.registry.unbear(self.lane, self.objects[i].base).unwrap();
                    self.objects[i].alive = false;
                    self.allocator.blocks.remove(&self.objects[i].base);
                }
                Step::Death(i, record) => {
                    let bytes = self.objects[i].bytes;
                    let base = self.allocator.allocate(bytes);
                    let adjoint = (1 << 44) + 1000 * i as u64;
                    let present = Present { base, adjoint_base: adjoint, adjoint_bytes: bytes * spread };
                    let arrivals = self.registry.restore(self.lane, &record, present).unwrap();
                    self.objects[i] = Truth { base, adjoint, alive: true, ..self.objects[i] };
                    let mut arrived: Vec<_> = arrivals.iter().map(|a| (a.variable, a.value)).collect();
                    arrived.sort_unstable();
                    let expected: Vec<(u64, u64)> = waiting
                        .iter()
                        .filter(|(_, (j, _))| *j == i)
                        .flat_map(|(v, (_, o))| [(*v, base + o), (*v + 8, adjoint + o * spread)])
                        .collect();
                    assert_eq!(arrived, expected);
                    waiting.retain(|_, (j, _)| *j != i);
                }
            }
        }
        assert_eq!(self.registry.list(), []);
        assert!(waiting.is_empty() && self.registry.waiting().is_empty());
    }

    fn truth(&self, i: usize, offset: u64, spread: u64) -> Option<(u64, u64)> {
        let object = self.objects[i];
        let adjoint = if object.adjoint == 0 { 0 } else { object.adjoint + offset * spread };
        object.alive.then_some((object.base + offset, adjoint))
    }
}

/// Every pointer of a forward sweep comes back to the same place of the same object, whatever the addresses do.
#[test]
fn random_programs_find_every_object_again_in_the_reverse_sweep() {
    for seed in 1..=400_u64 {
        for (forward, backward) in
            [(Choice::Lowest, Choice::Lowest), (Choice::Lowest, Choice::Fresh), (Choice::Fresh, Choice::Lowest)]
        {
            let (registry, lane) = registry();
            let allocator = Allocator { choice: forward, next: 4096, blocks: Default::default() };
            let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut program =
                Program { registry, lane, random, objects: vec![], past: vec![], allocator, tape: vec![] };
            for _ in 0..120 {
                match program.random.below(8) {
                    0..=2 => program.birth(),
                    3 | 4 => program.death(),
                    _ => program.pointer(),
                }
            }
            let alive = program.objects.iter().filter(|object| object.alive).count();
            assert_eq!(program.registry.list().len(), alive, "seed {seed}, {forward:?}, {backward:?}");
            println!("seed {seed}, {forward:?}, {backward:?}: {} objects", program.objects.len());
            program.reverse(backward, 1 + seed % 3);
        }
    }
}

/// Threads that add, find and remove ranges of their own and look at those of all.
#[test]
fn threads_find_what_is_alive_while_others_add_and_remove() {
    let registry = Registry::new();
    let first = registry.claim().unwrap();
    let fixed: Vec<Serial> =
        (0..100).map(|i| registry.add(first, (1 << 40) + 100 * i, 64, RangeKind::Heap, c"fixed").unwrap()).collect();
    std::thread::scope(|scope| {
        for t in 0..4_u64 {
            let (registry, fixed) = (&registry, &fixed);
            scope.spawn(move || {
                let lane = registry.claim().unwrap();
                let mut random = Random(77 + t);
                for round in 0..3000 {
                    let (heap, stack) = ((t + 1) << 32, (t + 11) << 32);
                    let own = registry.add(lane, heap + round % 7 * 64, 64, RangeKind::Heap, c"own").unwrap();
                    registry.add(lane, stack, 16, RangeKind::Stack, c"local").unwrap();
                    let i = random.below(100);
                    let place = registry.find(lane, (1 << 40) + 100 * i + 5).unwrap().unwrap();
                    assert_eq!(place, Place { serial: fixed[i as usize], offset: 5 });
                    assert_eq!(registry.locate(place).unwrap(), Some(((1 << 40) + 100 * i + 5, 0)));
                    let place = registry.find(lane, heap + round % 7 * 64 + 64).unwrap().unwrap();
                    assert_eq!(place, Place { serial: own, offset: 64 });
                    let record = RangeRecord::of(&registry.remove(lane, heap + round % 7 * 64).unwrap());
                    registry.restore(lane, &record, at(heap + 4096)).unwrap();
                    assert_eq!(registry.locate(place).unwrap(), Some((heap + 4096 + 64, 0)));
                    registry.unbear(lane, heap + 4096).unwrap();
                    registry.remove(lane, stack).unwrap();
                }
                registry.give_back(lane);
            });
        }
    });
    assert_eq!(registry.list().len(), 100);
    assert_eq!(registry.births(), 100 + 4 * 3000 * 2);
}
