//! Pointers and allocatables of Fortran: what glue code calls that knows a compiler's descriptors.

use crate::error::{Error, Status};
use crate::ffi::arguments::{null_pointer, type_of_array};
use crate::ffi::handles::{objects, tape};
use crate::ffi::outcome::status;
use crate::ffi::tape::array::{pop_values, push_values};
use crate::map::registry::Present;
use crate::objects::{Association, Dimension, Objects, Pointee, Shape, Variable, Writer};
use crate::site::Site;
use crate::tape::{Cursor, MAX_RANK};
use std::ffi::c_void;

/// A pointer or allocatable variable of Fortran, whatever its compiler.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Descriptor {
    /// The first element; NULL if it is not associated or allocated.
    pub base: *mut c_void,
    /// Element size. For characters the length; UINT64_MAX on a pop means "as pushed". For derived types, which are
    /// ADTAPE_TYPE_BYTES, the size.
    pub element_bytes: u64,
    /// One of ADTAPE_TYPE_….
    pub type_code: i32,
    /// 0 to ADTAPE_MAX_RANK.
    pub rank: i32,
    /// Lower bound of each dimension.
    pub lower: [i64; MAX_RANK],
    /// Number of elements of each dimension, 0 or more.
    pub extents: [i64; MAX_RANK],
    /// Distance between elements in each dimension, in bytes.
    pub strides_bytes: [i64; MAX_RANK],
    /// The address of the variable, whose first word is `base`; NULL if it has none that stays.
    pub variable: *mut c_void,
}

impl Descriptor {
    fn shape(&self, site: Site) -> Result<Shape, Error> {
        let rank = usize::try_from(self.rank).ok().filter(|rank| *rank <= MAX_RANK).ok_or_else(|| {
            Error::new(Status::BadArgument, format!("{} is not a rank\n  it is 0 to {MAX_RANK}", self.rank))
        })?;
        let mut dimensions = [Dimension::default(); MAX_RANK];
        for (i, dimension) in dimensions[..rank].iter_mut().enumerate() {
            let [lower, extent, stride] = [self.lower[i], self.extents[i].max(0), self.strides_bytes[i]];
            *dimension = Dimension { lower, extent, stride };
        }
        Ok(Shape { ty: type_of_array(self.type_code, site)?, element_bytes: self.element_bytes, rank, dimensions })
    }

    fn variable(&self, site: Site) -> Result<Variable, Error> {
        Ok(Variable { like: self.shape(site)?, address: self.variable as usize })
    }

    fn set_shape(&mut self, shape: &Shape) {
        self.element_bytes = shape.element_bytes;
        for (i, dimension) in shape.dimensions().iter().enumerate() {
            (self.lower[i], self.extents[i], self.strides_bytes[i]) =
                (dimension.lower, dimension.extent, dimension.stride);
        }
    }

    fn associate(&mut self, now: &Association, nowhere: *mut c_void) {
        self.set_shape(&now.shape);
        self.base = match now.pointee {
            Pointee::Null => std::ptr::null_mut(),
            Pointee::Nowhere => nowhere,
            Pointee::At(address) => address as *mut c_void,
        };
    }

    /// How many values of its type a contiguous array has.
    fn values(&self, shape: &Shape) -> i64 {
        (shape.bytes() / shape.ty.bytes() as u64) as i64
    }
}

/// # Safety
/// `x` is NULL or valid for `'a` and nobody else's.
unsafe fn given<'a>(x: *mut Descriptor) -> Result<&'a mut Descriptor, Error> {
    // SAFETY: by contract.
    unsafe { x.as_mut() }.ok_or_else(|| null_pointer("the descriptor"))
}

/// Pushes what a pointer variable is: NULL, or its bounds and strides and the object that its first element lies in.
/// Undone by adtape_abi0_pop_association. Returns ADTAPE_STATUS_NO_RANGE if it points into no range or beyond one.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_push_association(
    t: *mut Cursor,
    o: *const Objects,
    p: *const Descriptor,
    site: *const c_void,
) -> Status {
    let site = Site::Code(site as usize);
    let push = || {
        // SAFETY: the contract of pointers.
        let (cursor, objects, p) = unsafe { (tape(t)?, objects(o), given(p.cast_mut())?) };
        objects.push_association(cursor, p.base as usize, &p.shape(site)?, site)
    };
    status(push())
}

/// Pops a pointer into `*p`, which says type, element and rank, and its adjoint into `*p_adjoint`, unless that is NULL:
/// bounds, strides and the length of a character are as they were, `base` is where the target is now, `nowhere` if
/// there are no elements, and NULL while the target is not back; the first word of the variables is then set when it
/// comes.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_pop_association(
    t: *mut Cursor,
    o: *const Objects,
    p: *mut Descriptor,
    p_adjoint: *mut Descriptor,
    nowhere: *mut c_void,
    site: *const c_void,
) -> Status {
    let site = Site::Code(site as usize);
    let pop = || {
        // SAFETY: the contract of pointers.
        let (cursor, objects, p, p_adjoint) = unsafe { (tape(t)?, objects(o), given(p)?, p_adjoint.as_mut()) };
        let adjoint = p_adjoint.as_ref().map(|adjoint| adjoint.variable(site)).transpose()?;
        let (now, adjoint) = objects.pop_association(cursor, &p.variable(site)?, adjoint.as_ref(), site)?;
        p.associate(&now, nowhere);
        if let Some((p_adjoint, now)) = p_adjoint.zip(adjoint) {
            p_adjoint.associate(&now, nowhere);
        }
        Ok(())
    };
    status(pop())
}

/// Pushes an allocatable that is about to be deallocated, contiguous if it is allocated: its values, bounds and range,
/// which ends. Undone by adtape_abi0_pop_allocation.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_push_allocation(
    t: *mut Cursor,
    o: *const Objects,
    x: *const Descriptor,
    site: *const c_void,
) -> Status {
    let site = Site::Code(site as usize);
    let push = || {
        // SAFETY: the contract of pointers.
        let (cursor, objects, x) = unsafe { (tape(t)?, objects(o), given(x.cast_mut())?) };
        let shape = x.shape(site)?;
        objects.push_allocation(cursor, x.base as usize, &shape, site, || {
            // SAFETY: it has so many values by contract.
            unsafe { push_values(cursor, shape.ty, x.base, x.values(&shape), site) }
        })
    };
    status(push())
}

#[cold]
fn is_allocated() -> Error {
    Error::new(
        Status::BadArgument,
        "the deallocation of an array is undone that is allocated\n  \
         it was allocated after it in the forward sweep: undo that first"
            .to_owned(),
    )
}

/// The bounds, and the length of a character, that an allocatable, whose type, element and rank `*x` says, had when it
/// was deallocated, in `*x`; in `*allocated`, whether it was allocated. The tape stays as it is. Refuses an allocatable
/// that is allocated.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_peek_allocation(
    t: *mut Cursor,
    o: *const Objects,
    x: *mut Descriptor,
    allocated: *mut i32,
    site: *const c_void,
) -> Status {
    let site = Site::Code(site as usize);
    let peek = || {
        // SAFETY: the contract of pointers.
        let (cursor, objects, x) = unsafe { (tape(t)?, objects(o), given(x)?) };
        let shape = objects.peek_allocation(cursor, &x.shape(site)?, site)?;
        if !x.base.is_null() {
            return Err(is_allocated());
        }
        if let Some(shape) = &shape {
            x.set_shape(shape);
        }
        Ok(i32::from(shape.is_some()))
    };
    // SAFETY: by contract.
    status(unsafe { crate::ffi::arguments::write_out(allocated, "the result", peek) })
}

/// Pops an allocatable that is allocated again with the bounds of adtape_abi0_peek_allocation, or not if it was not:
/// its values; its range is where it lies now, with the adjoint `*x_adjoint`, unless that is NULL.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_pop_allocation(
    t: *mut Cursor,
    o: *const Objects,
    x: *const Descriptor,
    x_adjoint: *const Descriptor,
    site: *const c_void,
) -> Status {
    let site = Site::Code(site as usize);
    let pop = || {
        // SAFETY: the contract of pointers.
        let (cursor, objects, x, x_adjoint) =
            unsafe { (tape(t)?, objects(o), given(x.cast_mut())?, x_adjoint.as_ref()) };
        let shape = x.shape(site)?;
        let adjoint = x_adjoint.map(|adjoint| Ok((adjoint.base as u64, adjoint.shape(site)?.bytes())));
        let (adjoint_base, adjoint_bytes) = adjoint.transpose()?.filter(|(base, _)| *base != 0).unwrap_or_default();
        let now = Present { base: x.base as u64, adjoint_base, adjoint_bytes };
        // SAFETY: by contract.
        let writer = unsafe { Writer::library() };
        let values = || {
            // SAFETY: there is room for so many values by contract.
            unsafe { pop_values(cursor, shape.ty, x.base, x.values(&shape), site) }
        };
        objects.pop_allocation(cursor, now, &shape, site, values, writer)
    };
    status(pop())
}

/// The birth of the allocatable at `base` is reversed: adtape_rebase_remove with a status.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_undo_allocation(o: *const Objects, base: *const c_void) -> Status {
    // SAFETY: the contract of pointers.
    status(unsafe { objects(o) }.rebase_remove(base as usize))
}
