//! The naive model: lists of objects and of places, searched from the front.

use adtape::{LiveRange, RangeKind, Status};
use std::collections::BTreeMap;

/// What the model knows of an object. Its place in the list is who it is.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    pub serial: u64,
    pub base: u64,
    pub bytes: u64,
    pub kind: RangeKind,
    pub forward_base: u64,
    pub adjoint_base: u64,
    pub adjoint_bytes: u64,
    pub alive: bool,
    /// Another one had died where it was born, and was dead still.
    pub reused: bool,
    /// When it came last.
    pub came: usize,
}

impl Object {
    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }

    pub fn is_stack(&self) -> bool {
        self.kind == RangeKind::Stack
    }

    /// Where its adjoint has what is at this offset.
    pub fn adjoint(&self, by: i64) -> Result<u64, Status> {
        if self.adjoint_base == 0 {
            return Ok(0);
        }
        let (product, bytes) = (i128::from(by) * i128::from(self.adjoint_bytes), i128::from(self.bytes));
        match (self.adjoint_bytes == self.bytes || by == 0, bytes != 0 && product % bytes == 0) {
            (true, _) => Ok(self.adjoint_base.wrapping_add_signed(by)),
            (_, true) => Ok(self.adjoint_base.wrapping_add_signed((product / bytes) as i64)),
            _ => Err(Status::Uneven),
        }
    }

    pub fn now(&self, by: i64) -> Result<(u64, u64), Status> {
        Ok((self.base.wrapping_add_signed(by), self.adjoint(by)?))
    }
}

/// Where something lay: an object and `[base, base + bytes)`.
#[derive(Clone, Copy)]
pub struct Lay {
    pub object: usize,
    pub base: u64,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug)]
pub enum Target {
    Object(usize, i64),
    Forward(u64),
}

/// What a variable that does not wait was set to last.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// In an object; of one whose birth was reversed, where that lay in the forward sweep.
    pub target: Target,
    pub adjoint: bool,
    /// The offset, if this is a pair.
    pub pair: Option<i64>,
    pub held: u64,
    /// The other variable of the two, or 0.
    pub beside: u64,
    /// Whether the variable has to be set again if an older object comes back there; else it may be.
    pub certain: bool,
}

pub enum Item {
    Range(usize, u64),
    Pointer(Option<(usize, i64)>),
    Pair(Option<(usize, i64)>),
}

#[derive(Default)]
pub struct Model {
    pub objects: Vec<Object>,
    /// Deaths, each without what has its place since.
    pub dead: Vec<Lay>,
    /// Where those lay in the forward sweep that lie elsewhere now, in the order in which they came.
    pub moved: Vec<Lay>,
    /// Of all that died and may come back, where they lay.
    pub deaths: Vec<Lay>,
    /// What for, whether in the adjoint, the offset of a pair, the other variable.
    pub waiting: BTreeMap<u64, (Target, bool, Option<i64>, u64)>,
    pub set: BTreeMap<u64, Set>,
    pub tape: Vec<Item>,
    pub popped: Vec<(usize, LiveRange)>,
    pub clock: usize,
}

/// Whether two places overlap.
pub fn meet(a: (u64, u64), b: (u64, u64)) -> bool {
    let end = |(base, bytes): (u64, u64)| u128::from(base) + u128::from(bytes);
    u128::from(a.0) < end(b) && u128::from(b.0) < end(a)
}

pub fn extent(base: u64, bytes: u64) -> Result<(), Status> {
    match base.checked_add(bytes) {
        None => Err(Status::CountRange),
        Some(_) if base == 0 && bytes > 0 => Err(Status::NullPointer),
        Some(_) => Ok(()),
    }
}

impl Model {
    pub fn alive(&self) -> impl Iterator<Item = (usize, &Object)> {
        self.objects.iter().enumerate().filter(|(_, object)| object.alive)
    }

    pub fn free(&self, base: u64, bytes: u64) -> Result<(), Status> {
        let taken = bytes > 0 && self.alive().any(|(_, o)| o.bytes > 0 && meet((o.base, o.bytes), (base, bytes)));
        if taken { Err(Status::Overlap) } else { Ok(()) }
    }

    /// The object that begins at `base`.
    pub fn exact(&self, base: u64) -> Result<usize, Status> {
        let mut found = self.alive().filter(|(_, object)| object.base == base);
        match (found.next(), found.next()) {
            (Some((i, _)), None) => Ok(i),
            (None, _) => Err(Status::NoRange),
            _ => Err(Status::Ambiguous),
        }
    }

    /// The object with bytes that an address is in.
    pub fn within(&self, address: u64) -> Option<usize> {
        let full = self.alive().filter(|(_, object)| object.bytes > 0);
        let within = full.filter(|(_, object)| object.base <= address && address <= object.end());
        within.max_by_key(|(_, object)| object.base).map(|(i, _)| i)
    }

    /// Of places of the stack, and of others, the last that begins at or below an address, if it reaches there.
    pub fn lays(&self, places: &[Lay], address: u64) -> Vec<Lay> {
        let last = |stack| {
            let class = places.iter().filter(|lay| self.objects[lay.object].is_stack() == stack);
            let below = class.filter(|lay| lay.base <= address).max_by_key(|lay| lay.base);
            below.filter(|lay| address - lay.base <= lay.bytes).copied()
        };
        [true, false].into_iter().filter_map(last).collect()
    }

    pub fn past(&self, address: u64) -> Option<(usize, i64)> {
        let empties = self.alive().filter(|(_, object)| object.bytes == 0 && object.base == address);
        if let Some((i, _)) = empties.max_by_key(|(_, object)| object.came) {
            return Some((i, 0));
        }
        self.lays(&self.dead, address).first().map(|lay| (lay.object, (address - lay.base) as i64))
    }

    pub fn find(&self, address: u64) -> Result<Option<(usize, i64)>, Status> {
        if address == 0 {
            return Ok(None);
        }
        let within = self.within(address).map(|i| (i, (address - self.objects[i].base) as i64));
        within.or_else(|| self.past(address)).map(Some).ok_or(Status::NoRange)
    }

    pub fn find_pair(&self, base: u64, offset: i64) -> Result<Option<(usize, i64)>, Status> {
        if base == 0 {
            return if offset == 0 { Ok(None) } else { Err(Status::NullPointer) };
        }
        match self.exact(base) {
            Ok(i) => Ok(Some((i, offset))),
            Err(Status::NoRange) => match self.past(base) {
                Some((i, 0)) => Ok(Some((i, offset))),
                _ => Err(Status::NoRange),
            },
            Err(other) => Err(other),
        }
    }

    /// Places of what lies elsewhere, without those that a later one hides: it has some of their addresses.
    fn shown(&self) -> Vec<Lay> {
        let place = |lay: &Lay| (lay.base, lay.bytes);
        let is_stack = |lay: &Lay| self.objects[lay.object].is_stack();
        let hides = |later: &Lay, lay: &Lay| is_stack(later) == is_stack(lay) && meet(place(later), place(lay));
        let shown = |(i, lay): &(usize, &Lay)| !self.moved[i + 1..].iter().any(|later| hides(later, lay));
        self.moved.iter().enumerate().filter(shown).map(|(_, lay)| *lay).collect()
    }

    /// The place of an address of the forward sweep: in an object, or else at the end of one; first those that moved.
    pub fn rebase(&self, address: u64) -> Option<(usize, i64)> {
        let moved = self.lays(&self.shown(), address);
        let inside = moved.iter().find(|lay| address < lay.base + lay.bytes).map(|lay| lay.object);
        let end_of = moved.first().map(|lay| lay.object);
        let unmoved = |at: u64| self.within(at).filter(|i| self.objects[*i].forward_base == self.objects[*i].base);
        let inside_unmoved = unmoved(address).filter(|i| address < self.objects[*i].end());
        let end_of_unmoved = || unmoved(address - 1).filter(|i| address == self.objects[*i].end());
        let i = inside.or(inside_unmoved).or(end_of).or_else(end_of_unmoved)?;
        Some((i, address.wrapping_sub(self.objects[i].forward_base) as i64))
    }
}
