//! Pointers that dangle while their address is another object's: programs whose variables are known to point to an
//! object, whatever lies at their address, and may be used while that object is alive.

#![forbid(unsafe_code)]

use super::super::*;
use super::{Allocator, Choice, at, registry};
use crate::error::Status;
use crate::part::part;
use fastrand::Rng;
use std::collections::BTreeMap;

const VARIABLES: usize = 6;
/// Variable `v` lies at `CELLS + 16 * v`, that of its adjoint behind it.
const CELLS: u64 = 1 << 46;

#[derive(Clone, Copy)]
struct Truth {
    base: u64,
    bytes: u64,
    adjoint: u64,
    alive: bool,
}

enum Step {
    Birth(usize),
    Death(usize, RangeRecord),
    /// A variable is overwritten, and what it was is on the tape.
    Overwrite(usize, Option<ObjectOffset>),
    /// A variable is used: it points to this object, so far into it.
    Use(usize, usize, u64),
}

/// What the variables hold in the reverse sweep.
struct Memory(BTreeMap<u64, u64>);

impl Variables for &mut Memory {
    fn holds(&mut self, variable: u64, value: u64) -> bool {
        self.0[&variable] == value
    }

    fn set(&mut self, arrival: Arrival) {
        self.0.insert(arrival.variable, arrival.value);
    }
}

struct Program {
    registry: Registry,
    lane: u16,
    /// Of all objects: memory of the stack is no other memory at another time.
    kinds: &'static [RangeKind],
    objects: Vec<Truth>,
    /// What each variable points to, and the address.
    variables: [Option<(usize, u64, u64)>; VARIABLES],
    allocator: Allocator,
    tape: Vec<Step>,
}

impl Program {
    fn forward(&mut self, random: &mut Rng) {
        let alive: Vec<usize> = (0..self.objects.len()).filter(|i| self.objects[*i].alive).collect();
        let any = (!alive.is_empty()).then(|| alive[random.usize(..alive.len())]);
        let v = random.usize(..VARIABLES);
        match (random.u32(..10), any) {
            (0..=2, _) => {
                let (bytes, kind) = (8 * (1 + random.u64(..4)), self.kinds[random.usize(..self.kinds.len())]);
                let base = self.allocator.allocate(bytes);
                self.registry.add(self.lane, base, bytes, kind, c"").unwrap();
                self.tape.push(Step::Birth(self.objects.len()));
                self.objects.push(Truth { base, bytes, adjoint: 0, alive: true });
            }
            (3..=5, Some(i)) => {
                let record = RangeRecord::of(&self.registry.remove(self.lane, self.objects[i].base).unwrap());
                self.tape.push(Step::Death(i, record));
                self.objects[i].alive = false;
                self.allocator.blocks.remove(&self.objects[i].base);
            }
            (6..=7, Some(i)) => {
                let address = self.variables[v].map_or(0, |(.., address)| address);
                let place = match self.registry.find(self.lane, address) {
                    // Another one died there since, and is smaller.
                    Err(error) if error.status() == Status::NoRange => {
                        assert!(self.variables[v].is_none_or(|(was, ..)| !self.objects[was].alive));
                        return;
                    }
                    place => place.unwrap(),
                };
                self.tape.push(Step::Overwrite(v, place));
                // Not to the base, which may be the end of an object that stays.
                let by = 4 * random.u64(1..self.objects[i].bytes / 4);
                self.variables[v] = Some((i, by, self.objects[i].base + by));
            }
            _ => {
                if let Some((i, by, _)) = self.variables[v].filter(|(i, ..)| self.objects[*i].alive) {
                    self.tape.push(Step::Use(v, i, by));
                }
            }
        }
    }

    /// As the calls of `Objects` do, on variables that are far from all objects.
    fn restore(&self, memory: &mut Memory, v: usize, target: Option<Target>, now: Option<Located>) {
        let variable = CELLS + 16 * v as u64;
        for (variable, adjoint, beside) in [(variable, false, variable + 8), (variable + 8, true, variable)] {
            self.registry.settle(variable);
            let value = now.map_or(0, |now| if adjoint { now.adjoint } else { now.address });
            memory.0.insert(variable, value);
            let wait = |target| Wait { beside, ..Wait::new(target, adjoint) };
            match (now, target) {
                (Some(Located { reused: true, place, .. }), _) => {
                    let target = Target::Object(place.serial, place.offset);
                    self.registry.follow([(variable, Wait { held: Some(value), ..wait(target) })]);
                }
                (None, Some(target)) => self.registry.wait(variable, wait(target), || ()),
                _ => {}
            }
        }
    }

    /// Returns how many uses there were.
    fn reverse(&mut self, choice: Choice) -> usize {
        let (mut uses, mut memory) = (0, Memory(BTreeMap::new()));
        self.registry.turn().unwrap();
        self.allocator.choice = choice;
        if choice == Choice::Fresh {
            self.allocator.next = 1 << 40;
        }
        for v in 0..VARIABLES {
            let address = self.variables[v].map_or(0, |(.., address)| address);
            let now = if address == 0 { None } else { self.registry.rebase(self.lane, address).unwrap() };
            self.restore(&mut memory, v, (address != 0).then_some(Target::Forward(address)), now);
        }
        for step in std::mem::take(&mut self.tape).into_iter().rev() {
            match step {
                Step::Overwrite(v, place) => {
                    let now = place.and_then(|place| self.registry.locate(place).unwrap());
                    let target = place.map(|place| Target::Object(place.serial, place.offset));
                    self.restore(&mut memory, v, target, now);
                }
                Step::Use(v, i, by) => {
                    let variable = CELLS + 16 * v as u64;
                    let adjoint = if self.objects[i].adjoint == 0 { 0 } else { self.objects[i].adjoint + by };
                    let held = (memory.0[&variable], memory.0[&(variable + 8)]);
                    assert_eq!(held, (self.objects[i].base + by, adjoint), "variable {v} points into object {i}");
                    uses += 1;
                }
                Step::Birth(i) => {
                    self.registry.undo_birth(self.lane, self.objects[i].base).unwrap();
                    self.objects[i].alive = false;
                    self.allocator.blocks.remove(&self.objects[i].base);
                }
                Step::Death(i, record) => {
                    let bytes = self.objects[i].bytes;
                    let (base, adjoint) = (self.allocator.allocate(bytes), (1 << 44) + 1000 * i as u64);
                    let present = Present { base, adjoint_base: adjoint, adjoint_bytes: bytes };
                    self.registry.restore(self.lane, &record, present, &mut memory).unwrap();
                    self.objects[i] = Truth { base, bytes, adjoint, alive: true };
                }
            }
        }
        uses
    }
}

/// A dangling pointer that was overwritten after its address was reused was one into the younger object, and stayed at
/// that one's address when its own object was back.
#[test]
fn every_use_of_a_pointer_finds_the_object_that_it_was_set_to() {
    let mut uses = 0;
    for seed in 1..=part(600) {
        for choice in [Choice::Lowest, Choice::Fresh] {
            let (registry, lane) = registry();
            let allocator = Allocator { choice: Choice::Lowest, next: 4096, blocks: BTreeMap::new() };
            let (objects, variables, tape) = (Vec::new(), [None; VARIABLES], Vec::new());
            let kinds = if seed % 2 == 0 { &RangeKind::ALL[..1] } else { &RangeKind::ALL[1..] };
            let mut program = Program { registry, lane, kinds, objects, variables, allocator, tape };
            let mut random = Rng::with_seed(seed);
            (0..150).for_each(|_| program.forward(&mut random));
            println!("seed {seed}, {choice:?}");
            uses += program.reverse(choice);
        }
    }
    assert!(uses > part(1000) as usize, "{uses}");
}

/// Two variables, of a pointer and of its adjoint, that were set to offset 8 of an object, and follow it.
fn follow(registry: &Registry, serial: Serial, held: [u64; 2]) -> Memory {
    let [primal, adjoint] = [CELLS, CELLS + 8];
    let wait = |adjoint, beside| Wait { beside, ..Wait::new(Target::Object(serial, 8), adjoint) };
    registry.follow([
        (primal, Wait { held: Some(held[0]), ..wait(false, adjoint) }),
        (adjoint, Wait { held: Some(held[1]), ..wait(true, primal) }),
    ]);
    Memory(BTreeMap::from([(primal, held[0]), (adjoint, held[1])]))
}

/// An object dies, and another is born there.
fn died_and_born() -> (Registry, u16, RangeRecord, Serial) {
    let (registry, lane) = registry();
    registry.add(lane, 1000, 16, RangeKind::Heap, c"a").unwrap();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    let serial = registry.add(lane, 1000, 16, RangeKind::Heap, c"b").unwrap();
    (registry, lane, record, serial)
}

const BACK: Present = Present { base: 3000, adjoint_base: 4000, adjoint_bytes: 16 };

#[test]
fn variables_are_set_that_hold_both_what_they_were_set_to_and_no_others() {
    for changed in [None, Some(0), Some(8)] {
        let (registry, lane, record, serial) = died_and_born();
        let mut memory = follow(&registry, serial, [1008, 2008]);
        registry.undo_birth(lane, 1000).unwrap();
        changed.iter().for_each(|by| _ = memory.0.insert(CELLS + by, 77));
        registry.restore(lane, &record, BACK, &mut memory).unwrap();
        let expected = match changed {
            None => [3008, 4008],
            Some(0) => [77, 2008],
            _ => [1008, 77],
        };
        assert_eq!([memory.0[&CELLS], memory.0[&(CELLS + 8)]], expected);
        assert!(registry.waiting.is_empty() && registry.waiting_count() == 0);
    }
}

/// What is popped alone is no part of the two any more.
#[test]
fn variable_whose_adjoint_was_popped_alone_keeps_its_value() {
    let (registry, lane, record, serial) = died_and_born();
    let mut memory = follow(&registry, serial, [1008, 2008]);
    let alone = Wait { held: Some(2008), ..Wait::new(Target::Object(serial, 8), true) };
    registry.follow([(CELLS + 8, alone)]);
    registry.undo_birth(lane, 1000).unwrap();
    registry.restore(lane, &record, BACK, &mut memory).unwrap();
    assert_eq!([memory.0[&CELLS], memory.0[&(CELLS + 8)]], [1008, 4008]);
}

/// The program allocates what comes back first into a variable, by chance where the variable pointed before.
#[test]
fn variable_that_is_the_base_of_another_object_now_keeps_its_value() {
    for (adjoint_base, kept) in [(2008, true), (2000, false)] {
        let (registry, lane) = registry();
        registry.add(lane, 1000, 16, RangeKind::Heap, c"a").unwrap();
        registry.add(lane, 5000, 16, RangeKind::Heap, c"z").unwrap();
        let [a, z] = [1000, 5000].map(|base| RangeRecord::of(&registry.remove(lane, base).unwrap()));
        let serial = registry.add(lane, 1000, 16, RangeKind::Heap, c"b").unwrap();
        let mut memory = follow(&registry, serial, [1008, 2008]);
        registry.undo_birth(lane, 1000).unwrap();
        let there = Present { base: 1008, adjoint_base, adjoint_bytes: 16 };
        registry.restore(lane, &z, there, &mut memory).unwrap();
        registry.restore(lane, &a, BACK, &mut memory).unwrap();
        let expected = if kept { [1008, 2008] } else { [3008, 4008] };
        assert_eq!([memory.0[&CELLS], memory.0[&(CELLS + 8)]], expected);
    }
}

#[test]
fn variables_follow_when_their_memory_moves_and_no_more_when_their_object_dies() {
    for dies in [false, true] {
        let (registry, lane, record, serial) = died_and_born();
        let mut memory = follow(&registry, serial, [1008, 2008]);
        registry.memory_moved((CELLS, 8), Some((CELLS + 800, 8)));
        memory.0.insert(CELLS + 800, 1008);
        memory.0.insert(CELLS, 0);
        if dies {
            registry.remove(lane, 1000).unwrap();
            assert!(registry.waiting.is_empty());
        } else {
            registry.undo_birth(lane, 1000).unwrap();
        }
        registry.restore(lane, &record, BACK, &mut memory).unwrap();
        let expected = if dies { [1008, 2008] } else { [3008, 4008] };
        assert_eq!([memory.0[&(CELLS + 800)], memory.0[&(CELLS + 8)]], expected);
    }
}

/// Whose place is remembered no more has to count all the same.
#[test]
fn object_is_reused_where_others_are_dead_that_are_forgotten() {
    let reused = |registry: &Registry, lane, base| registry.exact(lane, base).unwrap().1.reused;
    let add =
        |registry: &Registry, lane, base, bytes| _ = registry.add(lane, base, bytes, RangeKind::Heap, c"").unwrap();
    // Another one died in a part of it.
    let dead = || {
        let (registry, lane) = registry();
        add(&registry, lane, 1000, 16);
        registry.remove(lane, 1000).unwrap();
        (registry, lane)
    };
    let (registry, lane) = dead();
    add(&registry, lane, 1000, 8);
    registry.remove(lane, 1000).unwrap();
    add(&registry, lane, 1008, 8);
    add(&registry, lane, 2000, 8);
    assert!(reused(&registry, lane, 1008) && !reused(&registry, lane, 2000));
    // Another one died there, is back, and its birth was reversed.
    let (registry, lane, ..) = died_and_born();
    let record = RangeRecord::of(&registry.remove(lane, 1000).unwrap());
    registry.restore(lane, &record, at(1000), |_: Arrival| ()).unwrap();
    assert!(reused(&registry, lane, 1000));
    registry.undo_birth(lane, 1000).unwrap();
    add(&registry, lane, 1000, 16);
    assert!(reused(&registry, lane, 1000));
    // Another one died there, and is back elsewhere.
    for (death, back) in [(1000, 2000), (1004, 2000), (1004, 1010)] {
        let (registry, lane) = dead();
        add(&registry, lane, death, 16);
        let record = RangeRecord::of(&registry.remove(lane, death).unwrap());
        registry.restore(lane, &record, at(back), |_: Arrival| ()).unwrap();
        registry.remove(lane, back).unwrap();
        add(&registry, lane, 1005, 3);
        assert!(reused(&registry, lane, 1005), "{death}, {back}");
    }
    // More died since than are remembered.
    let (registry, lane) = dead();
    for i in 0..5000 {
        add(&registry, lane, 1 << 20 | i << 4, 8);
        registry.remove(lane, 1 << 20 | i << 4).unwrap();
    }
    add(&registry, lane, 1000, 16);
    assert!(reused(&registry, lane, 1000));
    // A section is run again, in which another one was born there and died.
    let (registry, lane, _, serial) = died_and_born();
    registry.remove(lane, 1000).unwrap();
    registry.exchange(&Exchange { births: vec![serial.birth() - 1], ..Exchange::default() }).unwrap();
    add(&registry, lane, 1000, 16);
    assert!(reused(&registry, lane, 1000));
    // A section is run again, in which the one that was born there is still alive.
    let out = vec![registry.exact(lane, 1000).unwrap().1];
    registry.exchange(&Exchange { out, births: vec![serial.birth() - 1], ..Exchange::default() }).unwrap();
    add(&registry, lane, 1000, 16);
    assert!(reused(&registry, lane, 1000));
    // It ends where a dead one begins.
    add(&registry, lane, 992, 8);
    assert!(reused(&registry, lane, 992));
}
