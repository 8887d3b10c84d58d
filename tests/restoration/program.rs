//! Random programs, and what they do as a naive model sees it: objects by identity, pointers as identities and offsets.

use fastrand::Rng;
use std::collections::BTreeMap;

/// An object is known by its serial, which is its number among all births.
pub type Id = u64;

/// What objects a program has: number of pointers, then of values, each 8 bytes; how many are of the heap.
pub const SHAPES: [(usize, usize); 3] = [(1, 1), (2, 2), (0, 3)];
/// The variable of a frame of the stack, and a static variable.
pub const FRAME: usize = 3;
pub const STATIC: usize = 4;

pub fn slots_and_values(shape: usize) -> (usize, usize) {
    SHAPES.get(shape).copied().unwrap_or((2, 1))
}

#[derive(Clone, Debug)]
pub struct Object {
    pub shape: usize,
    pub slots: Vec<Option<(Id, u64)>>,
    pub values: Vec<u64>,
}

impl Object {
    fn new(id: Id, shape: usize) -> Object {
        let (slots, values) = slots_and_values(shape);
        Object { shape, slots: vec![None; slots], values: (0..values as u64).map(|i| id << 32 | i << 8 | 1).collect() }
    }
}

#[derive(Clone, Debug)]
pub enum Op {
    Bear {
        id: Id,
        shape: usize,
    },
    End {
        id: Id,
    },
    /// A frame is left and another one entered.
    Frame {
        old: Id,
        new: Id,
    },
    /// A pointer is overwritten. `raw`: its old value goes onto the tape as a number.
    Point {
        id: Id,
        slot: usize,
        to: Option<(Id, u64)>,
        raw: bool,
    },
    /// A value becomes a function of itself and of a value that a pointer leads to.
    Compute {
        id: Id,
        value: usize,
        through: Option<(Id, usize)>,
    },
}

#[derive(Clone, Debug, Default)]
pub struct State {
    pub objects: BTreeMap<Id, Object>,
}

pub struct Program {
    pub ops: Vec<Op>,
}

/// What `Compute` computes.
pub fn function(value: u64, other: u64) -> u64 {
    (value.rotate_left(7) ^ other).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl State {
    fn first() -> State {
        State { objects: BTreeMap::from([(1, Object::new(1, FRAME)), (2, Object::new(2, STATIC))]) }
    }

    /// Where a pointer leads to: the value there, if it points to one.
    pub fn through(&self, (id, slot): (Id, usize)) -> Option<(Id, usize)> {
        let (to, by) = self.objects[&id].slots[slot]?;
        let first = self.objects[&to].slots.len();
        let index = (by / 8) as usize;
        (index >= first).then(|| (to, index - first))
    }

    pub fn apply(&mut self, op: &Op) {
        match *op {
            Op::Bear { id, shape } => drop(self.objects.insert(id, Object::new(id, shape))),
            Op::End { id } => drop(self.objects.remove(&id)),
            Op::Frame { old, new } => {
                self.objects.remove(&old);
                self.objects.insert(new, Object::new(new, FRAME));
            }
            Op::Point { id, slot, to, .. } => self.objects.get_mut(&id).unwrap().slots[slot] = to,
            Op::Compute { id, value, through } => {
                let other =
                    through.and_then(|through| self.through(through)).map_or(0, |(to, i)| self.objects[&to].values[i]);
                let value = &mut self.objects.get_mut(&id).unwrap().values[value];
                *value = function(*value, other);
            }
        }
    }
}

impl Program {
    pub fn random(random: &mut Rng) -> Program {
        let (mut state, mut ops, mut births, mut frame) = (State::first(), Vec::new(), 2, 1);
        let length = 20 + random.usize(..50);
        while ops.len() < length {
            let ids: Vec<Id> = state.objects.keys().copied().collect();
            let any = |random: &mut Rng| ids[random.usize(..ids.len())];
            let mut add = |state: &mut State, op: Op| {
                state.apply(&op);
                ops.push(op);
            };
            let id = any(random);
            match random.u64(..14) {
                0..=3 if ids.len() < 10 => {
                    births += 1;
                    add(&mut state, Op::Bear { id: births, shape: random.usize(..3) });
                }
                0..=6 if state.objects[&id].shape < SHAPES.len() => {
                    clear(&mut state, id, &mut add, random);
                    add(&mut state, Op::End { id });
                }
                7 => {
                    clear(&mut state, frame, &mut add, random);
                    births += 1;
                    add(&mut state, Op::Frame { old: frame, new: births });
                    frame = births;
                }
                8..=10 if !state.objects[&id].slots.is_empty() => {
                    let slot = random.usize(..state.objects[&id].slots.len());
                    let to = any(random);
                    let bytes = 8 * (state.objects[&to].slots.len() + state.objects[&to].values.len()) as u64;
                    let to = (random.u64(..8) > 0).then(|| (to, 8 * random.u64(..bytes / 8)));
                    add(&mut state, Op::Point { id, slot, to, raw: random.u64(..3) == 0 });
                }
                _ => {
                    let value = random.usize(..state.objects[&id].values.len());
                    let with = any(random);
                    let slots = state.objects[&with].slots.len() as u64;
                    let through = (slots > 0).then(|| (with, random.u64(..slots.max(1)) as usize));
                    add(&mut state, Op::Compute { id, value, through });
                }
            }
        }
        Program { ops }
    }

    /// The state before each step, and the last one.
    pub fn states(&self) -> Vec<State> {
        let mut states = vec![State::first()];
        for op in &self.ops {
            let mut next = states.last().unwrap().clone();
            next.apply(op);
            states.push(next);
        }
        states
    }
}

/// No pointer points to an object that is about to end.
fn clear(state: &mut State, id: Id, add: &mut impl FnMut(&mut State, Op), random: &mut Rng) {
    let mut pointing = Vec::new();
    for (from, object) in &state.objects {
        let to_it = |slot: &Option<(Id, u64)>| slot.is_some_and(|(to, _)| to == id);
        pointing.extend(object.slots.iter().enumerate().filter(|(_, slot)| to_it(slot)).map(|(i, _)| (*from, i)));
    }
    for (from, slot) in pointing {
        add(state, Op::Point { id: from, slot, to: None, raw: random.u64(..3) == 0 });
    }
}

/// The adjoints of all values that are alive, as the model computes them.
#[derive(Default)]
pub struct Adjoints(pub BTreeMap<Id, Vec<u64>>);

impl Adjoints {
    /// What is alive and has no adjoint gets one of zero.
    pub fn turn(&mut self, state: &State) {
        for (id, object) in &state.objects {
            self.0.entry(*id).or_insert_with(|| vec![0; object.values.len()]);
        }
    }

    pub fn backward(&mut self, op: &Op, before: &State, after: &State) {
        match *op {
            Op::Bear { id, .. } => drop(self.0.remove(&id)),
            Op::End { id } => drop(self.0.insert(id, vec![0; before.objects[&id].values.len()])),
            Op::Frame { old, new } => {
                self.0.remove(&new);
                self.0.insert(old, vec![0; before.objects[&old].values.len()]);
            }
            Op::Point { .. } => {}
            Op::Compute { id, value, through } => {
                let own = &mut self.0.get_mut(&id).unwrap()[value];
                *own = adjoint(*own, before.objects[&id].values[value]);
                let own = *own;
                if let Some((to, i)) = through.and_then(|through| after.through(through)) {
                    let other = &mut self.0.get_mut(&to).unwrap()[i];
                    *other = other.wrapping_add(own);
                }
            }
        }
    }
}

/// What becomes of a value's adjoint.
pub fn adjoint(own: u64, value: u64) -> u64 {
    own.wrapping_mul(3).wrapping_add(value >> 5) | 1
}
