//! Fortran pointers and allocatables in both sweeps.
//!
//! *Variable*: a pointer or allocatable of Fortran, whose first word is the address of its data. A pointer that is
//! restored before its target has its bounds at once and waits for that word only.

#![forbid(unsafe_code)]

use super::set::{LiveRange, Objects};
use super::shape::{Recorded, Shape, pack, unpack, words};
use super::variables::Writer;
use crate::error::{Error, Status};
use crate::map::registry::{Located, ObjectOffset, Present, RangeRecord, Target, Wait};
use crate::site::Site;
use crate::tape::failure::located;
use crate::tape::{Cursor, Type};

/// A pointer variable that is to be restored.
pub(crate) struct Variable {
    /// Its type, element and rank.
    pub like: Shape,
    /// Its address; 0 if it has none that stays.
    pub address: usize,
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pointee {
    /// Nothing: it is not associated, or waits.
    Null,
    /// No elements, which lie nowhere.
    Nowhere,
    /// Elements from this address on.
    At(usize),
}

impl Pointee {
    fn at(address: u64) -> Pointee {
        if address == 0 { Pointee::Null } else { Pointee::At(address as usize) }
    }
}

/// A pointer as it is now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Association {
    pub shape: Shape,
    pub pointee: Pointee,
}

impl Objects {
    // ---- pointers --------------------------------------------------------------------------------------

    /// Pushes a pointer to elements from `base` on, 0 if it is not associated.
    pub(crate) fn push_association(&self, tape: &Cursor, base: usize, shape: &Shape, site: Site) -> Result<(), Error> {
        let what = self.place_of(base, shape).map_err(|e| located(e, "push", Type::Descriptor, 1, site))?;
        tape.push_list(Type::Descriptor, &pack(shape, &what), site)
    }

    fn place_of(&self, base: usize, shape: &Shape) -> Result<Recorded, Error> {
        let registry = &self.registry();
        let place = registry.find(self.lane()?, base as u64);
        let Some((low, high)) = shape.extent_bytes().filter(|_| base != 0) else {
            // Not one that ended: what lies there now without elements is not remembered when it ends.
            let alive = |place: &ObjectOffset| place.offset == 0 && registry.alive(place.serial).is_some();
            let at_base = place.ok().flatten().filter(alive);
            return Ok(if base == 0 { Recorded::Null } else { at_base.map_or(Recorded::Nowhere, Recorded::Place) });
        };
        let Some(place) = place? else { return Ok(Recorded::Null) };
        registry.check_inside(place, low, high)?;
        Ok(Recorded::Place(place))
    }

    /// Pops a pointer, and with `adjoint` its adjoint. If its target is not back, the variables wait.
    pub(crate) fn pop_association(
        &self,
        tape: &Cursor,
        variable: &Variable,
        adjoint: Option<&Variable>,
        site: Site,
    ) -> Result<(Association, Option<Association>), Error> {
        tape.pop_list(Type::Descriptor, site, words, |words| {
            let (shape, what) = unpack(words, &variable.like, true)?;
            let of_adjoint = adjoint.map(|a| shape.scaled(a.like.ty, a.like.element_bytes)).transpose()?;
            let (pointee, adjoint_pointee) = match what {
                Recorded::Place(place) => self.found(&shape, place, variable, adjoint)?,
                Recorded::Nowhere => (Pointee::Nowhere, Pointee::Nowhere),
                _ => (Pointee::Null, Pointee::Null),
            };
            if !matches!(what, Recorded::Place(_)) {
                self.settle_both(variable, adjoint);
            }
            let adjoint = of_adjoint.map(|shape| Association { shape, pointee: adjoint_pointee });
            Ok((Association { shape, pointee }, adjoint))
        })
    }

    /// What the variables point to now: nothing, while they wait.
    fn found(
        &self,
        shape: &Shape,
        place: ObjectOffset,
        variable: &Variable,
        adjoint: Option<&Variable>,
    ) -> Result<(Pointee, Pointee), Error> {
        let mut now = self.located(shape, place, adjoint)?;
        if now.is_none() {
            self.wait_for(shape, place, variable, adjoint)?;
            // The object may have come before the variables waited.
            now = self.located(shape, place, adjoint).inspect_err(|_| self.settle_both(variable, adjoint))?;
        }
        let Some(now) = now else { return Ok((Pointee::Null, Pointee::Null)) };
        // One of the two may have no address that stays, and follows nothing.
        self.settle_both(variable, adjoint);
        if now.reused {
            let follows = waits(shape, place, variable, adjoint).into_iter().zip([now.address, now.adjoint]);
            let follows = follows.map(|((variable, wait), held)| (variable, Wait { held: Some(held), ..wait }));
            self.registry().follow(follows);
        }
        Ok((Pointee::at(now.address), Pointee::at(now.adjoint)))
    }

    fn settle_both(&self, variable: &Variable, adjoint: Option<&Variable>) {
        for variable in std::iter::once(variable).chain(adjoint).filter(|variable| variable.address != 0) {
            self.registry().settle(variable.address as u64);
        }
    }

    /// Where elements are that begin at a place; None if the object is not back.
    fn located(
        &self,
        shape: &Shape,
        place: ObjectOffset,
        adjoint: Option<&Variable>,
    ) -> Result<Option<Located>, Error> {
        let registry = &self.registry();
        let Some(object) = registry.alive(place.serial) else { return Ok(None) };
        if let Some(adjoint) = adjoint.filter(|_| shape.count() > 0) {
            registry.check_elements(&object, (shape.element_bytes, adjoint.like.element_bytes))?;
        }
        registry.locate(place)
    }

    fn wait_for(
        &self,
        shape: &Shape,
        place: ObjectOffset,
        variable: &Variable,
        adjoint: Option<&Variable>,
    ) -> Result<(), Error> {
        if variable.address == 0 || adjoint.is_some_and(|adjoint| adjoint.address == 0) {
            return Err(cannot_wait());
        }
        for (variable, wait) in waits(shape, place, variable, adjoint) {
            self.registry().wait(variable, wait, || ());
        }
        Ok(())
    }

    // ---- allocatables ----------------------------------------------------------------------------------

    /// Pushes an allocatable that is about to be deallocated, and ends its range, if it has one. `values` pushes its
    /// values.
    pub(crate) fn push_allocation(
        &self,
        tape: &Cursor,
        base: usize,
        shape: &Shape,
        site: Site,
        values: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let what = self.range_of(base, shape).map_err(|e| located(e, "push", Type::Descriptor, 1, site))?;
        if what == Recorded::Unallocated {
            return tape.push_list(Type::Descriptor, &pack(shape, &what), site);
        }
        let before = tape.mark()?;
        values()?;
        if let Err(error) = tape.push_list(Type::Descriptor, &pack(shape, &what), site) {
            tape.reset_to(&before)?;
            return Err(error);
        }
        if matches!(what, Recorded::Range(_)) {
            let object = self.registry().remove(self.lane()?, base as u64)?;
            self.note(|history| history.ended(object.serial, site, false));
        }
        Ok(())
    }

    fn range_of(&self, base: usize, shape: &Shape) -> Result<Recorded, Error> {
        if base == 0 {
            return Ok(Recorded::Unallocated);
        }
        let object = match self.registry().begins_at(self.lane()?, base as u64) {
            Ok(object) => object,
            Err(error) if error.status() == Status::NoRange => return Ok(Recorded::Alone),
            Err(error) => return Err(error),
        };
        match shape.bytes() {
            bytes if bytes == object.bytes => Ok(Recorded::Range(RangeRecord::of(&object))),
            bytes => Err(self.registry().other_size(&object, bytes)),
        }
    }

    /// The bounds that an allocatable is to have when its deallocation is reversed; None if it was not allocated.
    pub(crate) fn peek_allocation(&self, tape: &Cursor, like: &Shape, site: Site) -> Result<Option<Shape>, Error> {
        tape.peek_list(Type::Descriptor, site, words, |words| {
            let (shape, what) = unpack(words, like, false)?;
            Ok((what != Recorded::Unallocated).then_some(shape))
        })
    }

    /// Its deallocation is reversed: it and its adjoint, if any, are where `now` says. `values` pops its values.
    /// The variables that waited for it are set.
    pub(crate) fn pop_allocation(
        &self,
        tape: &Cursor,
        now: Present,
        like: &Shape,
        site: Site,
        values: impl FnOnce() -> Result<(), Error>,
        writer: Writer,
    ) -> Result<(), Error> {
        let what = tape.pop_list(Type::Descriptor, site, words, |words| {
            let (_, what) = unpack(words, like, false)?;
            if let Recorded::Range(record) = &what {
                self.bring_back(&LiveRange::of_record(record), now, writer)?;
                self.note(|history| history.came_back(record.serial, site));
            }
            Ok(what)
        })?;
        if what == Recorded::Unallocated { Ok(()) } else { values() }
    }
}

/// What a pointer variable and that of its adjoint wait for, or follow, if they have addresses that stay.
fn waits(shape: &Shape, place: ObjectOffset, variable: &Variable, adjoint: Option<&Variable>) -> Vec<(u64, Wait)> {
    let target = Target::Object(place.serial, place.offset);
    let (primal, beside) = (variable.address as u64, adjoint.map_or(0, |adjoint| adjoint.address as u64));
    if primal == 0 {
        return Vec::new();
    }
    let mut waits = vec![(primal, Wait { beside, ..Wait::new(target, false) })];
    if let Some(adjoint) = adjoint.filter(|_| beside != 0) {
        let elements = Some((shape.element_bytes, adjoint.like.element_bytes)).filter(|_| shape.count() > 0);
        waits.push((beside, Wait { elements, beside: primal, ..Wait::new(target, true) }));
    }
    waits
}

#[cold]
fn cannot_wait() -> Error {
    Error::new(
        Status::NoRange,
        "what the pointer points to is not back yet, and a variable without an address cannot wait for it\n  \
         pop it after its target has come back"
            .to_owned(),
    )
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::shape::Dimension;
    use super::*;
    use crate::map::registry::RangeKind;
    use crate::tape::Tape;

    /// So many elements of 8 bytes in this distance.
    fn shape(extent: i64, stride: i64) -> Shape {
        let mut dimensions = [Dimension::default(); crate::tape::MAX_RANK];
        dimensions[0] = Dimension { lower: 1, extent, stride };
        Shape { ty: Type::F64, element_bytes: 8, rank: 1, dimensions }
    }

    fn variable(address: usize) -> Variable {
        Variable { like: shape(0, 8), address }
    }

    #[test]
    fn pointer_is_refused_that_leaves_its_range_at_either_end() {
        let (addresses, tape) = (Objects::new(), Tape::new().unwrap());
        addresses.live_add(8000, 80, RangeKind::Heap, "x").unwrap();
        for (base, extent, stride) in [(8000, 10, 8), (8072, 10, -8), (8016, 4, 16)] {
            addresses.push_association(&tape, base, &shape(extent, stride), Site::UNKNOWN).unwrap();
        }
        let bytes = tape.stats().unwrap().bytes;
        for (base, extent, stride) in [(8000, 11, 8), (8064, 10, -8), (8072, 11, -8), (8016, 5, 16)] {
            let error = addresses.push_association(&tape, base, &shape(extent, stride), Site::UNKNOWN).unwrap_err();
            assert_eq!(error.status(), Status::NoRange, "{base}, {extent}, {stride}");
        }
        assert_eq!(tape.stats().unwrap().bytes, bytes);
    }

    #[test]
    fn pointer_that_waits_and_is_restored_to_null_waits_no_more() {
        let (addresses, tape) = (Objects::new(), Tape::new().unwrap());
        addresses.push_association(&tape, 0, &shape(0, 8), Site::UNKNOWN).unwrap();
        addresses.live_add(8000, 80, RangeKind::Heap, "x").unwrap();
        addresses.live_end(&tape, 8000).unwrap();
        let range = addresses.pop_range(&tape).unwrap();
        addresses.push_association(&tape, 8000, &shape(10, 8), Site::UNKNOWN).unwrap();
        let (p, p_adjoint) = (variable(100), variable(200));
        for expected in [2, 0] {
            addresses.pop_association(&tape, &p, Some(&p_adjoint), Site::UNKNOWN).unwrap();
            assert_eq!(addresses.waiting().len(), expected);
        }
        assert_eq!(addresses.rebase_add(&range, 9000, 0, 0).unwrap(), []);
    }

    #[test]
    fn object_whose_adjoint_has_other_elements_than_a_pointer_that_waits_is_refused() {
        let (addresses, tape) = (Objects::new(), Tape::new().unwrap());
        addresses.live_add(8000, 80, RangeKind::Heap, "x").unwrap();
        addresses.live_end(&tape, 8000).unwrap();
        let range = addresses.pop_range(&tape).unwrap();
        addresses.push_association(&tape, 8000, &shape(10, 8), Site::UNKNOWN).unwrap();
        addresses.pop_association(&tape, &variable(100), Some(&variable(200)), Site::UNKNOWN).unwrap();
        assert_eq!(addresses.rebase_add(&range, 9000, 20_000, 160).unwrap_err().status(), Status::Uneven);
        assert_eq!(addresses.waiting().len(), 2);
        assert_eq!(addresses.rebase_add(&range, 9000, 20_000, 80).unwrap().len(), 2);
    }
}
