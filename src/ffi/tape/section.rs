//! Strided sections.

use crate::error::{Error, Status};
use crate::ffi::arguments::{TypeCode, check_address, null_pointer, type_of, type_of_array};
use crate::ffi::handles::tape;
use crate::ffi::outcome::value_or_fail;
use crate::site::Site;
use crate::tape::{Cursor, MAX_RANK, Section, Type};
use std::ffi::c_void;

/// Extents in elements and strides in bytes, the fastest dimension first.
type Shape<'a> = (&'a [i64], &'a [i64]);

/// # Safety
/// `extents` and `strides_bytes` are NULL or point to `rank` values.
unsafe fn shape<'a>(rank: i32, extents: *const i64, strides_bytes: *const i64) -> Result<Shape<'a>, Error> {
    let rank = usize::try_from(rank).ok().filter(|rank| *rank <= MAX_RANK).ok_or_else(|| {
        Error::new(Status::BadArgument, format!("{rank} is not the rank of a section\n  it is 0 to {MAX_RANK}"))
    })?;
    if rank == 0 {
        return Ok((&[], &[]));
    }
    if extents.is_null() || strides_bytes.is_null() {
        return Err(null_pointer("the extents or strides of a section"));
    }
    // SAFETY: not NULL, so valid for `rank` values by contract.
    Ok(unsafe { (std::slice::from_raw_parts(extents, rank), std::slice::from_raw_parts(strides_bytes, rank)) })
}

/// Elements of a section, for what is said of a NULL base; a shape that makes no sense is refused later.
fn count(extents: &[i64]) -> i64 {
    extents.iter().fold(1, |count: i64, extent| count.saturating_mul(*extent))
}

/// A section of the program's, by the arguments that describe it; strides of NULL are those of elements one behind the
/// other.
///
/// # Safety
/// The contract of pointers in the crate's documentation.
pub(in crate::ffi) unsafe fn section_of(
    type_code: TypeCode,
    base: *const c_void,
    rank: i32,
    extents: *const i64,
    strides_bytes: *const i64,
) -> Result<Section, Error> {
    let ty = type_of_array(type_code, Site::UNKNOWN)?;
    // Where there are none, the extents stand in, and are not used.
    let given = if strides_bytes.is_null() { extents } else { strides_bytes };
    // SAFETY: by contract.
    let (extents, mut strides) = unsafe { shape(rank, extents, given) }?;
    let mut contiguous = [0; MAX_RANK];
    if strides_bytes.is_null() {
        let mut stride = ty.bytes() as i64;
        for (extent, place) in extents.iter().zip(&mut contiguous) {
            *place = stride;
            stride = stride.saturating_mul(*extent);
        }
        strides = &contiguous[..extents.len()];
    }
    // SAFETY: by contract.
    let made = unsafe { Section::new(ty, base.cast_mut().cast(), extents, strides) }?;
    if base.is_null() && made.count() > 0 {
        return Err(null_pointer("the values of a section"));
    }
    Ok(made)
}

/// What adtape_push_section and adtape_pop_section are given: tape, type and shape.
///
/// # Safety
/// As for [`section_of`].
unsafe fn given<'a>(
    t: *mut Cursor,
    type_code: TypeCode,
    base: *const c_void,
    (rank, extents, strides_bytes): (i32, *const i64, *const i64),
    site: Site,
) -> Result<(&'a Cursor, Type, Shape<'a>), Error> {
    // SAFETY: by contract.
    let (cursor, shape) = unsafe { (tape(t)?, shape(rank, extents, strides_bytes)?) };
    let ty = type_of(type_code, site)?;
    check_address(base, count(shape.0), site)?;
    Ok((cursor, ty, shape))
}

/// adtape_push_section, at a call site that glue code knows.
///
/// # Safety
/// As for adtape_push_section.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_push_section(
    t: *mut Cursor,
    type_code: TypeCode,
    base: *const c_void,
    rank: i32,
    extents: *const i64,
    strides_bytes: *const i64,
    site: *const c_void,
) {
    let site = Site::Code(site as usize);
    value_or_fail(site, || {
        // SAFETY: the contract of pointers.
        unsafe {
            let (cursor, ty, (extents, strides)) = given(t, type_code, base, (rank, extents, strides_bytes), site)?;
            cursor.push_section_at(ty, base.cast(), extents, strides, site)
        }
    })
}

/// adtape_pop_section, at a call site that glue code knows.
///
/// # Safety
/// As for adtape_pop_section.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_abi0_pop_section(
    t: *mut Cursor,
    type_code: TypeCode,
    base: *mut c_void,
    rank: i32,
    extents: *const i64,
    strides_bytes: *const i64,
    site: *const c_void,
) {
    let site = Site::Code(site as usize);
    value_or_fail(site, || {
        // SAFETY: the contract of pointers.
        unsafe {
            let (cursor, ty, (extents, strides)) = given(t, type_code, base, (rank, extents, strides_bytes), site)?;
            cursor.pop_section_at(ty, base.cast(), extents, strides, site)
        }
    })
}
