//! Fortran pointers and allocatables on the tape: shape, and where the pointer points or which range comes back.
//!
//! *Shape*: the type and size of an element and, for each dimension, lower bound, extent and stride. In words, the last
//! of which is popped first and says what the others are:
//!
//! ```text
//!   | lower, extent, stride | ... | offset, serial                      | element bytes | head | a pointer
//!   | lower, extent, stride | ... | kind and label, bytes, base, serial | element bytes | head | an allocatable
//!   | lower, extent, stride | ... | element bytes | head |               no elements, or an allocatable without a range
//!   | head |                                                            NULL, or not allocated
//!
//!   head:  | MARK, 32 bits | what, 16 | type, 8 | rank, 6 | 00 |
//! ```

#![forbid(unsafe_code)]

use super::ranges::{pack_range, unpack_range};
use super::set::corrupt;
use crate::error::{Error, Status};
use crate::map::registry::{ObjectOffset, RangeRecord, Serial};
use crate::tape::{MAX_RANK, Type};

/// A number that is neither a pointer's word nor likely among values.
const MARK: u64 = 0xFDE5_C217;

/// In place of a character's length at a pop: the length it was pushed with.
pub(crate) const ANY_LENGTH: u64 = u64::MAX;

/// A dimension of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dimension {
    pub lower: i64,
    pub extent: i64,
    /// In bytes.
    pub stride: i64,
}

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub ty: Type,
    /// Element size. For characters the length; for derived types, whose type here is bytes, the size.
    pub element_bytes: u64,
    pub rank: usize,
    pub dimensions: [Dimension; MAX_RANK],
}

impl Shape {
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions[..self.rank]
    }

    fn has_any_length(&self) -> bool {
        self.ty == Type::Char && self.element_bytes == ANY_LENGTH
    }

    /// How many elements there are, at most `i64::MAX`.
    pub fn count(&self) -> i64 {
        self.dimensions().iter().fold(1, |count: i64, dimension| count.saturating_mul(dimension.extent))
    }

    /// What a contiguous array of this shape takes.
    pub fn bytes(&self) -> u64 {
        (self.count() as u64).saturating_mul(self.element_bytes)
    }

    /// From where to where elements lie, in bytes from the first; None if there are none.
    pub fn extent_bytes(&self) -> Option<(i64, i64)> {
        let last = |dimension: &Dimension| dimension.stride.saturating_mul(dimension.extent - 1);
        let sum = |of: fn(i64) -> i64| self.dimensions().iter().fold(0, |sum: i64, d| sum.saturating_add(of(last(d))));
        (self.count() > 0)
            .then(|| (sum(|last| last.min(0)), sum(|last| last.max(0)).saturating_add(self.element_bytes as i64)))
    }

    /// The same elements, of another type and size.
    pub fn scaled(&self, ty: Type, element_bytes: u64) -> Result<Shape, Error> {
        let mut scaled = Shape { ty, element_bytes, ..*self };
        let empty = self.count() == 0;
        for dimension in &mut scaled.dimensions[..self.rank] {
            let product = i128::from(dimension.stride) * i128::from(element_bytes);
            let even = self.element_bytes != 0 && product % i128::from(self.element_bytes) == 0;
            if !even && dimension.extent > 1 && !empty {
                return Err(Error::new(
                    Status::Uneven,
                    format!(
                        "a stride of {} bytes between elements of {} has no counterpart between adjoints of \
                         {element_bytes}\n  \
                         the adjoint of a derived type has the same layout, with components of the same kind",
                        dimension.stride, self.element_bytes
                    ),
                ));
            }
            dimension.stride = if even { (product / i128::from(self.element_bytes)) as i64 } else { 0 };
        }
        Ok(scaled)
    }

    /// For messages: "f64 of rank 2", "char of 8 bytes of rank 0".
    fn describe(&self) -> String {
        match self.ty {
            Type::Char if self.has_any_length() => format!("char of any length and rank {}", self.rank),
            Type::Char => format!("char of length {} and rank {}", self.element_bytes, self.rank),
            Type::Bytes => format!("a derived type of {} bytes, of rank {}", self.element_bytes, self.rank),
            ty => format!("{} of rank {}", ty.name(), self.rank),
        }
    }
}

/// What goes onto the tape with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// A pointer that is not associated.
    Null,
    /// It has no elements, and is at the base of no range.
    Nowhere,
    /// Its first element lies there.
    Place(ObjectOffset),
    /// An allocatable that is not allocated.
    Unallocated,
    /// It has no range.
    Alone,
    /// Its range is to come back.
    Range(RangeRecord),
}

impl Recorded {
    fn code(&self) -> u64 {
        match self {
            Recorded::Null => 0,
            Recorded::Nowhere => 1,
            Recorded::Place(_) => 2,
            Recorded::Unallocated => 3,
            Recorded::Alone => 4,
            Recorded::Range(_) => 5,
        }
    }
}

/// The words on the tape.
pub(super) fn pack(shape: &Shape, what: &Recorded) -> Vec<u64> {
    let mut words = Vec::with_capacity(3 * shape.rank + 6);
    if !matches!(what, Recorded::Null | Recorded::Unallocated) {
        words.extend(shape.dimensions().iter().flat_map(|d| [d.lower as u64, d.extent as u64, d.stride as u64]));
        match what {
            Recorded::Place(place) => words.extend([place.offset as u64, place.serial.0]),
            Recorded::Range(record) => words.extend(pack_range(record)),
            _ => {}
        }
        words.push(shape.element_bytes);
    }
    words.push(MARK << 32 | what.code() << 16 | (shape.ty as u64) << 8 | (shape.rank as u64) << 2);
    words
}

/// How many words there are, by the last.
pub(super) fn words(head: u64) -> Result<usize, Error> {
    let rank = (head >> 2 & 0x3f) as usize;
    let beside = [0, 1, 3, 0, 1, 5].get((head >> 16 & 0xffff) as usize);
    match beside {
        Some(beside) if head >> 32 == MARK && head & 3 == 0 && rank <= MAX_RANK => {
            Ok(1 + beside + if *beside > 0 { 3 * rank } else { 0 })
        }
        _ => Err(corrupt("descriptor")),
    }
}

/// What the words stand for, if it is for a variable of `like`'s type, element and rank. `pointer`: it is one. The
/// length of what is null or not allocated is 0 where any is.
pub(super) fn unpack(words: &[u64], like: &Shape, pointer: bool) -> Result<(Shape, Recorded), Error> {
    let corrupt = || corrupt("descriptor");
    let (head, body) = words.split_last().ok_or_else(corrupt)?;
    let code = head >> 16 & 0xffff;
    let ty = Type::from_code((head >> 8 & 0xff) as i32).ok_or_else(corrupt)?;
    let element_bytes = if like.has_any_length() { 0 } else { like.element_bytes };
    let dimensions = [Dimension { lower: 1, extent: 0, stride: element_bytes as i64 }; MAX_RANK];
    let mut shape = Shape { ty, element_bytes, rank: (head >> 2 & 0x3f) as usize, dimensions };
    let mut rest = body;
    if let Some((element_bytes, before)) = body.split_last() {
        shape.element_bytes = *element_bytes;
        for (dimension, words) in shape.dimensions.iter_mut().zip(before.chunks_exact(3)).take(shape.rank) {
            let [lower, extent, stride] = [words[0] as i64, words[1] as i64, words[2] as i64];
            *dimension = Dimension { lower, extent, stride };
        }
        rest = &before[3 * shape.rank..];
    }
    let what = match (code, rest) {
        (0, []) => Recorded::Null,
        (1, []) => Recorded::Nowhere,
        (2, [offset, serial]) => Recorded::Place(ObjectOffset { serial: Serial(*serial), offset: *offset as i64 }),
        (3, []) => Recorded::Unallocated,
        (4, []) => Recorded::Alone,
        (5, [a, b, c, d]) => Recorded::Range(unpack_range([*a, *b, *c, *d]).ok_or_else(corrupt)?),
        _ => return Err(corrupt()),
    };
    let is_pointer = code <= 2;
    let same_elements = like.has_any_length() || shape.element_bytes == like.element_bytes;
    if (is_pointer, shape.ty, shape.rank, same_elements) != (pointer, like.ty, like.rank, true) {
        return Err(mismatch(is_pointer, &shape, pointer, like));
    }
    Ok((shape, what))
}

#[cold]
fn mismatch(was_pointer: bool, shape: &Shape, pointer: bool, like: &Shape) -> Error {
    let name = |pointer| if pointer { "a pointer to" } else { "a deallocated array," };
    Error::new(
        Status::Mismatch,
        format!(
            "what was pushed is {} {}, what is popped {} {}\n  \
             pops are those of the pushes in reverse order, each into a variable of the same type, kind and rank",
            name(was_pointer),
            shape.describe(),
            name(pointer),
            like.describe()
        ),
    )
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::map::registry::RangeKind;

    fn shape(rank: usize) -> Shape {
        let mut shape = Shape { ty: Type::F64, element_bytes: 8, rank, dimensions: [Dimension::default(); MAX_RANK] };
        for (i, dimension) in shape.dimensions[..rank].iter_mut().enumerate() {
            let i = i as i64;
            *dimension = Dimension { lower: -i, extent: i % 3 + 1, stride: if i % 2 == 0 { 24 } else { -16 } };
        }
        shape
    }

    #[test]
    fn what_is_packed_comes_back_for_every_rank_and_state() {
        let range = RangeRecord { serial: Serial(9), base: 4096, bytes: 80, kind: RangeKind::Allocatable, label: 3 };
        for rank in 0..=MAX_RANK {
            let shape = shape(rank);
            let place = ObjectOffset { serial: Serial::new(3, 7), offset: -40 };
            for (what, pointer) in [
                (Recorded::Null, true),
                (Recorded::Nowhere, true),
                (Recorded::Place(place), true),
                (Recorded::Unallocated, false),
                (Recorded::Alone, false),
                (Recorded::Range(range), false),
            ] {
                let list = pack(&shape, &what);
                assert_eq!(words(*list.last().expect("a head")).expect("a length"), list.len());
                let (found, said) = unpack(&list, &shape, pointer).expect("the same variable");
                assert_eq!(said, what);
                assert!(list.len() == 1 || found.dimensions() == shape.dimensions(), "{found:?}");
                for other in [Shape { rank: rank ^ 1, ..shape }, Shape { ty: Type::I64, ..shape }] {
                    assert_eq!(unpack(&list, &other, pointer).unwrap_err().status(), Status::Mismatch);
                }
                assert_eq!(unpack(&list, &shape, !pointer).unwrap_err().status(), Status::Mismatch);
            }
        }
    }

    #[test]
    fn character_of_any_length_has_the_one_it_was_pushed_with() {
        let text = |element_bytes, rank| Shape { ty: Type::Char, element_bytes, ..shape(rank) };
        let place = ObjectOffset { serial: Serial::new(3, 7), offset: 0 };
        for (what, pointer, expected) in [
            (Recorded::Place(place), true, 11),
            (Recorded::Nowhere, true, 11),
            (Recorded::Null, true, 0),
            (Recorded::Alone, false, 11),
            (Recorded::Unallocated, false, 0),
        ] {
            let list = pack(&text(11, 2), &what);
            let (found, said) = unpack(&list, &text(ANY_LENGTH, 2), pointer).expect("any length");
            assert_eq!((found.element_bytes, said), (expected, what));
            for other in [text(ANY_LENGTH, 1), Shape { element_bytes: ANY_LENGTH, ..shape(2) }] {
                assert_eq!(unpack(&list, &other, pointer).unwrap_err().status(), Status::Mismatch);
            }
        }
    }

    #[test]
    fn words_of_other_records_are_no_head() {
        for word in [0, 1, 2, 3, 4, 1 << 32 | 1, u64::MAX, MARK << 32 | 6 << 16, MARK << 32 | 16 << 2, MARK << 32 | 1] {
            assert_eq!(words(word).unwrap_err().status(), Status::Corrupt, "{word:x}");
        }
    }

    #[test]
    fn extent_reaches_from_the_lowest_to_behind_the_highest_element() {
        assert_eq!(shape(0).extent_bytes(), Some((0, 8)));
        // One element, two at -16, three at 24.
        assert_eq!(shape(3).extent_bytes(), Some((-16, 56)));
        let mut none = shape(3);
        none.dimensions[1].extent = 0;
        assert_eq!((none.count(), none.extent_bytes()), (0, None));
    }

    #[test]
    fn strides_are_scaled_with_the_elements_or_refused() {
        let single = Shape { ty: Type::F32, element_bytes: 4, ..shape(3) };
        let double = single.scaled(Type::F64, 8).expect("even");
        assert_eq!(double.dimensions[1].stride, -32);
        assert_eq!(double.dimensions[2], Dimension { lower: -2, extent: 3, stride: 48 });
        let mut odd = shape(3);
        odd.dimensions[2].stride = 9;
        assert_eq!(odd.scaled(Type::F32, 4).unwrap_err().status(), Status::Uneven);
        odd.dimensions[2].extent = 1;
        assert!(odd.scaled(Type::F32, 4).is_ok());
    }
}
