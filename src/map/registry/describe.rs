//! What the registry says when something is wrong: which ranges, by label, kind, size, place and number.

#![forbid(unsafe_code)]

use super::Registry;
use super::object::{MAX_BYTES, Object, Serial};
use crate::error::{Error, Status, bytes};
use crate::map::ranges::Range;

pub(super) struct Describe<'a>(pub &'a Registry);

impl Registry {
    pub(super) fn describe(&self) -> Describe<'_> {
        Describe(self)
    }
}

impl Describe<'_> {
    /// "`x (double[1000])`, a heap range of 8000 bytes at 0x5581… (object 7)". Of a label, the first word is the name.
    pub fn object(&self, object: &Object) -> String {
        let label = self.0.label(object.label);
        let label = label.to_string_lossy();
        let name = match label.split_once(' ') {
            _ if label.is_empty() => String::new(),
            Some((name, rest)) => format!("`{name}` {rest}, "),
            None => format!("`{label}`, "),
        };
        let article = if object.kind.name().starts_with('a') { "an" } else { "a" };
        format!(
            "{name}{article} {} range of {} at {:#x} (object {}){}",
            object.kind.name(),
            bytes(object.bytes),
            object.base,
            number(object.serial),
            self.0.history().map_or(String::new(), |history| history.said(object.serial))
        )
    }

    fn objects_near(&self, lane: u16, address: u64) -> (Option<Object>, Option<Object>) {
        let registry = self.0;
        let own = registry.lane(lane);
        let (mut below, mut above) = (registry.heap.below(address), registry.heap.above(address));
        for lane in std::iter::once(own).chain(registry.claimed()) {
            let stack = registry.stack(lane);
            below = nearer(below, stack.ranges.below(address), |a, b| a.base > b.base);
            above = nearer(above, stack.ranges.above(address), |a, b| a.base < b.base);
        }
        let object = |range: Range| registry.object(range.value);
        (below.and_then(object), above.and_then(object))
    }

    /// Where an address lies between its neighbours, a line for each.
    fn neighbours(&self, lane: u16, address: u64) -> String {
        let (below, above) = self.objects_near(lane, address);
        let mut lines = Vec::new();
        if let Some(object) = below {
            let place = match address.checked_sub(object.end()) {
                None => format!("{} past the base of", bytes(address - object.base)),
                Some(0) => "at the end of".to_owned(),
                Some(distance) => format!("{} past the end of", bytes(distance)),
            };
            lines.push(format!("\n  {place} {}", self.object(&object)));
        }
        if let Some(object) = above {
            lines.push(format!("\n  {} before {}", bytes(object.base - address), self.object(&object)));
        }
        if lines.is_empty() {
            lines.push("\n  no range is alive".to_owned());
        }
        lines.concat()
    }

    #[cold]
    pub fn no_range(&self, lane: u16, address: u64) -> Error {
        Error::new(
            Status::NoRange,
            format!(
                "the pointer {address:#x} is in no range that is alive{}\n  \
                 register what it points to (adtape_live_add) while it is alive; \
                 a pointer that marches out of its range is pushed as a pair of base and offset (adtape_push_pair)",
                self.neighbours(lane, address)
            ),
        )
    }

    #[cold]
    pub fn no_base(&self, lane: u16, base: u64) -> Error {
        Error::new(
            Status::NoRange,
            format!(
                "no range that is alive begins at {base:#x}{}\n  \
                 pass the base that the range was registered with; a range ends once",
                self.neighbours(lane, base)
            ),
        )
    }

    #[cold]
    pub fn overlap(&self, object: &Object, there: Option<&Object>) -> Error {
        let there = there.map_or("one that ended meanwhile".to_owned(), |there| self.object(there));
        Error::new(
            Status::Overlap,
            format!(
                "a range overlaps one that is alive\n  \
                 new:   {}\n  \
                 there: {there}\n  \
                 the one that is there was not removed when it ended, or one of the sizes is wrong; \
                 parts of an object need no range of their own",
                self.object(object)
            ),
        )
    }

    #[cold]
    pub fn twice(&self, alive: &Object, object: &Object) -> Error {
        Error::new(
            Status::Overlap,
            format!(
                "an object comes back while it is alive\n  \
                 new:   {}\n  \
                 there: {}\n  \
                 each range that is popped is added to the rebase map once, and removed where its birth is reversed",
                self.object(object),
                self.object(alive)
            ),
        )
    }

    #[cold]
    pub fn shared_base(&self, one: &Object, other: &Object) -> Error {
        Error::new(
            Status::Ambiguous,
            format!(
                "several ranges begin at {:#x}, and which is meant cannot be told\n  \
                 {}\n  \
                 {}\n  \
                 do not register ranges of no bytes, or give them a byte of their own",
                one.base,
                self.object(one),
                self.object(other)
            ),
        )
    }

    #[cold]
    pub fn uneven_elements(&self, object: &Object, element: u64, of_adjoint: u64) -> Error {
        Error::new(
            Status::Uneven,
            format!(
                "a pointer to elements of {} in {} cannot have an adjoint pointer to elements of {}: the adjoint has {}\n  \
                 give the adjoint pointer the kind of the adjoint",
                bytes(element),
                self.object(object),
                bytes(of_adjoint),
                bytes(object.adjoint_bytes)
            ),
        )
    }

    #[cold]
    pub fn other_size(&self, object: &Object, size: u64) -> Error {
        Error::new(
            Status::BadArgument,
            format!(
                "an array of {} is at the base of {}\n  \
                 it was registered with another size, or what lay there before was not removed when it ended",
                bytes(size),
                self.object(object)
            ),
        )
    }

    #[cold]
    pub fn leaves(&self, object: &Object, low: i64, high: i64) -> Error {
        Error::new(
            Status::NoRange,
            format!(
                "what the pointer points to is not all in one range: it reaches from {low} to {high} bytes past the \
                 base of {}\n  \
                 register the object that all of it lies in, with its whole size",
                self.object(object)
            ),
        )
    }

    #[cold]
    pub fn uneven(&self, object: &Object, by: i64) -> Error {
        Error::new(
            Status::Uneven,
            format!(
                "offset {by} in {} has no place in its adjoint of {}\n  \
                 offset * adjoint bytes / bytes must be whole; the adjoint of an object with parts of several sizes \
                 has the same layout, or each part has a range of its own",
                self.object(object),
                bytes(object.adjoint_bytes)
            ),
        )
    }
}

fn nearer(a: Option<Range>, b: Option<Range>, better: impl Fn(&Range, &Range) -> bool) -> Option<Range> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if better(&b, &a) { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// As people count: of lane 0 without the lane.
pub(crate) fn number(serial: Serial) -> String {
    match serial.lane() {
        0 => serial.birth().to_string(),
        lane => format!("{} of thread {lane}", serial.birth()),
    }
}

#[cold]
pub(super) fn too_many_threads(most: usize) -> Error {
    Error::new(
        Status::BadArgument,
        format!("more than {most} threads use the same objects at the same time\n  end threads that are done"),
    )
}

#[cold]
pub(super) fn no_record(serial: Serial) -> Error {
    Error::new(
        Status::BadArgument,
        format!(
            "object {} was never born among these objects\n  \
             pass the range as adtape_pop_range returned it, and the objects of the forward sweep",
            number(serial)
        ),
    )
}

#[cold]
pub(super) fn detached(serial: Serial, n: u64, count: usize, now: Option<u64>) -> Error {
    let now = now.map_or("is not alive".to_owned(), |now| format!("has {} now", bytes(now)));
    Error::new(
        Status::HeapState,
        format!(
            "a section that was run again from a checkpoint did not come to the state that the adjoints belong to\n  \
             {count} of them have no object; the first is that of object {} of {}, which {now}\n  \
             a section that is run again makes the same objects, of the same sizes and in the same order, \
             on each thread; if the reverse sweep was given up, say so (adtape_live_forget_adjoints)",
            number(serial),
            bytes(n)
        ),
    )
}

#[cold]
pub(super) fn too_long(base: u64, n: u64) -> Error {
    // As a program meant it that computed with signed numbers.
    let negative = n as i64;
    if negative < 0 {
        return Error::new(
            Status::CountRange,
            format!(
                "a range of {negative} bytes at {base:#x}: the size is negative\n  look at how it is computed; sizes are 64 \
                 bits wide"
            ),
        );
    }
    Error::new(
        Status::CountRange,
        format!(
            "a range of {n} bytes at {base:#x} exceeds the address space\n  sizes are in bytes, at most {MAX_BYTES}"
        ),
    )
}

#[cold]
pub(super) fn at_null(n: u64) -> Error {
    Error::new(
        Status::NullPointer,
        format!("the base of a range of {} is NULL\n  check what the allocation returned", bytes(n)),
    )
}

#[cold]
pub(super) fn null_pair(offset: i64) -> Error {
    Error::new(
        Status::NullPointer,
        format!("a pair has base NULL and offset {offset}\n  a NULL pointer has offset 0, whatever is added to it"),
    )
}
