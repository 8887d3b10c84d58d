//! Strided n-dimensional sections: gathered straight onto the tape, scattered straight from it.
//!
//! Dimension 0 varies fastest. A stride is the distance in bytes from one element to the next along a dimension,
//! and may be negative; the base is the first element, wherever that lies in memory.

use super::Cursor;
use crate::error::{Error, Status};
use crate::site::Site;
use crate::tape::hot::MAX_BYTES;
use crate::tape::types::{Scalar, Type};

/// The most dimensions of a section: as many as Fortran has.
pub const MAX_RANK: usize = 15;

/// Shape of a section.
#[derive(Clone, Copy, Debug)]
struct Shape {
    rank: usize,
    extents: [usize; MAX_RANK + 1],
    strides: [isize; MAX_RANK + 1],
    /// Product of the extents.
    count: usize,
}

impl Shape {
    fn new(ty: Type, extents: &[i64], strides_bytes: &[i64]) -> Result<Shape, Error> {
        if !ty.has_arrays() {
            return Err(bad(format!("there are no sections of {}\n  push or pop them one by one", ty.name())));
        }
        if extents.len() > MAX_RANK || extents.len() != strides_bytes.len() {
            return Err(bad(format!(
                "a section has one extent and one stride for each of 0 to {MAX_RANK} dimensions, not {} and {}",
                extents.len(),
                strides_bytes.len()
            )));
        }
        if let Some((dimension, extent)) = extents.iter().enumerate().find(|(_, extent)| **extent < 0) {
            return Err(bad(format!(
                "extent of dimension {dimension} is {extent}\n  \
                 extents are numbers of elements, at least 0; an assumed-size array has none, \
                 so pass a section of it that has"
            )));
        }
        let mut shape = Shape { rank: 0, extents: [1; MAX_RANK + 1], strides: [0; MAX_RANK + 1], count: 1 };
        if extents.contains(&0) {
            shape.count = 0;
            return Ok(shape);
        }
        for (&extent, &stride) in extents.iter().zip(strides_bytes) {
            let product = shape.count.checked_mul(extent as usize).filter(|n| *n <= MAX_BYTES);
            shape.count = product.ok_or_else(|| {
                Error::new(
                    Status::CountRange,
                    format!(
                        "a section of extents {extents:?} exceeds the address space\n  \
                         extents are in elements; look at how they are computed"
                    ),
                )
            })?;
            shape.add_dimension(ty, extent as usize, stride as isize);
        }
        Ok(shape)
    }

    /// Adds a dimension, merged with the one before where it continues it without a gap.
    fn add_dimension(&mut self, ty: Type, extent: usize, stride: isize) {
        if extent == 1 {
            return;
        }
        if self.rank > 0 {
            let last = self.rank - 1;
            if self.strides[last].checked_mul(self.extents[last] as isize) == Some(stride) {
                self.extents[last] *= extent;
                return;
            }
        } else if stride != ty.bytes() as isize {
            // A first dimension of single elements, so that runs are always contiguous.
            self.rank = 1;
            self.strides[0] = ty.bytes() as isize;
        }
        self.extents[self.rank] = extent;
        self.strides[self.rank] = stride;
        self.rank += 1;
    }

    /// Calls `run` with the byte offset of each contiguous run from the base, in order. There are two dimensions at
    /// least: the runs and what they are repeated along.
    #[inline(always)]
    fn for_each_run(&self, mut run: impl FnMut(isize)) {
        let mut index = [0; MAX_RANK + 1];
        let mut row = 0isize;
        loop {
            for i in 0..self.extents[1] as isize {
                run(row.wrapping_add(i.wrapping_mul(self.strides[1])));
            }
            let mut dimension = 2;
            loop {
                if dimension >= self.rank {
                    return;
                }
                index[dimension] += 1;
                row = row.wrapping_add(self.strides[dimension]);
                if index[dimension] < self.extents[dimension] {
                    break;
                }
                row = row.wrapping_sub(self.strides[dimension].wrapping_mul(self.extents[dimension] as isize));
                index[dimension] = 0;
                dimension += 1;
            }
        }
    }

    /// Bytes of a contiguous run.
    fn run_bytes(&self, ty: Type) -> usize {
        self.extents[0] * ty.bytes()
    }
}

/// A section of an array in memory, for checkpoints: type, first element, extents and strides, as
/// [`push_section`](Cursor::push_section) takes them.
pub struct Section {
    shape: Shape,
    ty: Type,
    base: *mut u8,
    /// As they were given.
    extents: Vec<i64>,
}

impl Section {
    /// A section. Extents or strides that make no sense are an error.
    ///
    /// # Safety
    /// As long as the section is used, every element that `base`, the extents and the strides describe is readable,
    /// and writable if a checkpoint is read into it.
    pub unsafe fn new(ty: Type, base: *mut u8, extents: &[i64], strides_bytes: &[i64]) -> Result<Section, Error> {
        Ok(Section { shape: Shape::new(ty, extents, strides_bytes)?, ty, base, extents: extents.to_vec() })
    }

    /// All of `values`. It must not be used for longer than they live.
    pub(crate) fn of<T: Scalar>(values: &mut [T]) -> Section {
        let extents = [values.len() as i64];
        let shape = Shape::new(T::TYPE, &extents, &[size_of::<T>() as i64]).expect("a slice fits into memory");
        Section { shape, ty: T::TYPE, base: values.as_mut_ptr().cast(), extents: extents.to_vec() }
    }

    /// Elements.
    pub fn count(&self) -> usize {
        self.shape.count
    }

    /// Where it lies, from and to, if its elements lie one behind the other; none if there are none.
    pub(crate) fn place(&self) -> Option<(usize, usize)> {
        let begin = self.base as usize;
        (self.shape.count > 0 && self.shape.rank <= 1).then(|| (begin, begin + self.shape.count * self.ty.bytes()))
    }

    /// The same section, which is used no longer than this one.
    pub(crate) fn again(&self) -> Section {
        Section { shape: self.shape, ty: self.ty, base: self.base, extents: self.extents.clone() }
    }

    /// Type of the elements.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// Lower bound, 0 where none is given, and extent of each dimension.
    pub(crate) fn bounds(&self, lower: &[i64]) -> Vec<(i64, i64)> {
        let lower = lower.iter().copied().chain(std::iter::repeat(0));
        lower.zip(self.extents.iter().copied()).collect()
    }

    /// Calls `run` with the bytes of each contiguous run, in order, until one is an error.
    pub(crate) fn for_each_run(&self, mut run: impl FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let n = self.shape.run_bytes(self.ty);
        // SAFETY: a run lies inside the section, which is readable by the contract of `new`.
        self.walk(|address| run(unsafe { std::slice::from_raw_parts(address, n) }))
    }

    /// Calls `run` with the bytes of each contiguous run, in order, until one is an error.
    pub(crate) fn for_each_run_mut(&self, mut run: impl FnMut(&mut [u8]) -> Result<(), Error>) -> Result<(), Error> {
        let n = self.shape.run_bytes(self.ty);
        // SAFETY: a run lies inside the section, which is writable by the contract of `new`.
        self.walk(|address| run(unsafe { std::slice::from_raw_parts_mut(address, n) }))
    }

    fn walk(&self, mut run: impl FnMut(*mut u8) -> Result<(), Error>) -> Result<(), Error> {
        match self.shape {
            Shape { count: 0, .. } => Ok(()),
            Shape { rank: 0 | 1, .. } => run(self.base),
            shape => {
                let mut done = Ok(());
                shape.for_each_run(|offset| {
                    if done.is_ok() {
                        done = run(self.base.wrapping_offset(offset));
                    }
                });
                done
            }
        }
    }
}

/// The bytes of values.
pub(crate) fn bytes_of<T: Scalar>(values: &[T]) -> &[u8] {
    // SAFETY: a scalar has no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of values, to be overwritten.
pub(crate) fn bytes_of_mut<T: Scalar>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: a scalar has no padding, and any bytes of its size are a value of it.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

fn bad(message: String) -> Error {
    Error::new(Status::BadArgument, message)
}

/// Calls `$copy` with the size of a run as a constant where it is that of one element.
macro_rules! with_constant_size {
    ($size:expr, $copy:ident) => {
        match $size {
            1 => $copy!(1),
            2 => $copy!(2),
            4 => $copy!(4),
            8 => $copy!(8),
            16 => $copy!(16),
            n => $copy!(n),
        }
    };
}

impl Cursor {
    /// Pushes a section of an array of up to [`MAX_RANK`] dimensions, the first of which varies fastest. `base` is
    /// the first element; a stride is the distance in bytes between neighbours along a dimension, of any sign.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// let mut field = [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0_f64]];
    /// // The two inner columns: two elements 8 bytes apart, twice, 32 bytes apart.
    /// let (extents, strides_bytes) = ([2, 2], [8, 32]);
    /// let base = &raw mut field[0][1];
    /// // SAFETY: the section lies inside the field.
    /// unsafe { tape.push_section(Type::F64, base.cast(), &extents, &strides_bytes)? };
    /// field = [[0.0; 4]; 2];
    /// unsafe { tape.pop_section(Type::F64, (&raw mut field[0][1]).cast(), &extents, &strides_bytes)? };
    /// assert_eq!(field, [[0.0, 1.0, 2.0, 0.0], [0.0, 5.0, 6.0, 0.0]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// Every element that `base`, the extents and the strides describe is readable.
    #[track_caller]
    pub unsafe fn push_section(
        &self,
        ty: Type,
        base: *const u8,
        extents: &[i64],
        strides_bytes: &[i64],
    ) -> Result<(), Error> {
        // SAFETY: as for this function.
        let done = unsafe { self.push_section_at(ty, base, extents, strides_bytes, Site::caller()) };
        super::copy::fence();
        done
    }

    /// Pops a section that was pushed with the same type and extents; the strides may differ. Example:
    /// [`push_section`](Cursor::push_section).
    ///
    /// # Safety
    /// Every element that `base`, the extents and the strides describe is writable.
    #[track_caller]
    pub unsafe fn pop_section(
        &self,
        ty: Type,
        base: *mut u8,
        extents: &[i64],
        strides_bytes: &[i64],
    ) -> Result<(), Error> {
        // SAFETY: as for this function.
        unsafe { self.pop_section_at(ty, base, extents, strides_bytes, Site::caller()) }
    }

    /// # Safety
    /// As for [`Cursor::push_section`].
    pub(crate) unsafe fn push_section_at(
        &self,
        ty: Type,
        base: *const u8,
        extents: &[i64],
        strides_bytes: &[i64],
        site: Site,
    ) -> Result<(), Error> {
        let shape = Shape::new(ty, extents, strides_bytes)?;
        if shape.count == 0 {
            return Ok(());
        }
        if !self.has_room(shape.count * ty.bytes()) {
            self.push_room(ty, shape.count as i64, site)?;
        }
        let run = shape.run_bytes(ty);
        let mut to = self.cur.get() as *mut u8;
        macro_rules! copy {
            ($n:expr) => {
                // SAFETY: push_room has made room for all runs; the elements are readable by contract.
                shape.for_each_run(|offset| unsafe {
                    std::ptr::copy_nonoverlapping(base.wrapping_offset(offset), to, $n);
                    to = to.add($n);
                })
            };
        }
        if shape.rank <= 1 {
            // SAFETY: as above.
            unsafe { super::copy::copy_in(self, base, run) };
            return Ok(());
        }
        with_constant_size!(run, copy);
        self.cur.set(to as usize);
        Ok(())
    }

    /// # Safety
    /// As for [`Cursor::pop_section`].
    pub(crate) unsafe fn pop_section_at(
        &self,
        ty: Type,
        base: *mut u8,
        extents: &[i64],
        strides_bytes: &[i64],
        site: Site,
    ) -> Result<(), Error> {
        let shape = Shape::new(ty, extents, strides_bytes)?;
        if shape.count == 0 {
            return Ok(());
        }
        if !self.has_bytes(shape.count * ty.bytes()) {
            self.pop_room(ty, shape.count as i64, site)?;
        }
        let run = shape.run_bytes(ty);
        if shape.rank <= 1 {
            // SAFETY: pop_room has made all runs contiguous below cur; the elements are writable by contract.
            unsafe { super::copy::copy_out(self, base, run) };
            return Ok(());
        }
        let start = self.cur.get() - shape.count * ty.bytes();
        let mut from = start as *const u8;
        macro_rules! copy {
            ($n:expr) => {
                // SAFETY: as above.
                shape.for_each_run(|offset| unsafe {
                    std::ptr::copy_nonoverlapping(from, base.wrapping_offset(offset), $n);
                    from = from.add($n);
                })
            };
        }
        with_constant_size!(run, copy);
        self.cur.set(start);
        Ok(())
    }
}
