//! Scalars out of line, by address: for Fortran and for languages without the header.
//!
//! For each type of the table, `adtape_self_push_<type>(x)` and `adtape_self_pop_<type>(x)` use the thread's own
//! tape, `adtape_call_push_<type>(t, x)` and `adtape_call_pop_<type>(t, x)` a tape by its handle. The header
//! declares them through its own table of types; a test compares the two.

use crate::ffi::arguments::check_address;
use crate::ffi::handles::tape;
use crate::ffi::jump::with_site;
use crate::ffi::outcome::value_or_fail;
use crate::site::Site;
use crate::tape::cursor::{Target, thread};
use crate::tape::{Cursor, Type};

/// The slow path of a push: `x` is `ty.bytes()` bytes.
unsafe extern "C" fn push_slow(t: *const Cursor, x: *const u8, ty: Type, site: usize) {
    value_or_fail(Site::Code(site), || {
        // SAFETY: by the contract of the entry point that called.
        let cursor = unsafe { tape(t) }?;
        check_address(x, 1, Site::Code(site))?;
        cursor.push_room_from(ty, 1, Site::Code(site), x)?;
        // SAFETY: there is room now; x is readable by contract.
        unsafe { crate::tape::cursor::copy::copy_in(cursor, x, ty.bytes()) };
        Ok(())
    })
}

/// The slow path of a pop.
unsafe extern "C" fn pop_slow(t: *const Cursor, x: *mut u8, ty: Type, site: usize) {
    value_or_fail(Site::Code(site), || {
        // SAFETY: by the contract of the entry point that called.
        let cursor = unsafe { tape(t) }?;
        check_address(x, 1, Site::Code(site))?;
        // SAFETY: x is writable by contract.
        cursor.pop_room_into(ty, 1, Site::Code(site), unsafe { Target::new(x) })?;
        // SAFETY: the value is there now; x is writable by contract.
        unsafe { crate::tape::cursor::copy::copy_out(cursor, x, ty.bytes()) };
        Ok(())
    })
}

// The slow path is a tail call of the entry point, so what is on top of the stack is still the caller's address.
#[unsafe(naked)]
unsafe extern "C" fn push_slow_from(t: *const Cursor, x: *const u8, ty: Type) {
    with_site!(3 => push_slow)
}

#[unsafe(naked)]
unsafe extern "C" fn pop_slow_from(t: *const Cursor, x: *mut u8, ty: Type) {
    with_site!(3 => pop_slow)
}

#[inline(always)]
unsafe fn push<const BYTES: usize>(cursor: &Cursor, x: *const u8, ty: Type) {
    let to = cursor.cur.get();
    let end = to.wrapping_add(BYTES);
    if end > cursor.limit.get() {
        // SAFETY: as for this function.
        return unsafe { push_slow_from(cursor, x, ty) };
    }
    // SAFETY: there is room at cur; x is readable by contract.
    unsafe { std::ptr::copy_nonoverlapping(x, to as *mut u8, BYTES) };
    cursor.cur.set(end);
}

#[inline(always)]
unsafe fn pop<const BYTES: usize>(cursor: &Cursor, x: *mut u8, ty: Type) {
    let from = cursor.cur.get().wrapping_sub(BYTES);
    if from < cursor.floor.get() {
        // SAFETY: as for this function.
        return unsafe { pop_slow_from(cursor, x, ty) };
    }
    // SAFETY: the value lies below cur; x is writable by contract.
    unsafe { std::ptr::copy_nonoverlapping(from as *const u8, x, BYTES) };
    cursor.cur.set(from);
}

macro_rules! entry_points {
    ($($name:literal $ty:ident),* $(,)?) => {$(
        const _: () = {
            const TYPE: Type = Type::$ty;
            const BYTES: usize = TYPE.bytes();

            #[unsafe(export_name = concat!("adtape_self_push_", $name))]
            unsafe extern "C" fn self_push(x: *const u8) {
                // SAFETY: the contract of pointers.
                unsafe { push::<BYTES>(thread::cursor(), x, TYPE) }
            }
            #[unsafe(export_name = concat!("adtape_self_pop_", $name))]
            unsafe extern "C" fn self_pop(x: *mut u8) {
                // SAFETY: the contract of pointers.
                unsafe { pop::<BYTES>(thread::cursor(), x, TYPE) }
            }
            #[unsafe(export_name = concat!("adtape_call_push_", $name))]
            unsafe extern "C" fn call_push(t: *const Cursor, x: *const u8) {
                if t.is_null() {
                    // SAFETY: says that the handle is NULL.
                    return unsafe { push_slow_from(t, x, TYPE) };
                }
                // SAFETY: the contract of pointers.
                unsafe { push::<BYTES>(&*t, x, TYPE) }
            }
            #[unsafe(export_name = concat!("adtape_call_pop_", $name))]
            unsafe extern "C" fn call_pop(t: *const Cursor, x: *mut u8) {
                if t.is_null() {
                    // SAFETY: says that the handle is NULL.
                    return unsafe { pop_slow_from(t, x, TYPE) };
                }
                // SAFETY: the contract of pointers.
                unsafe { pop::<BYTES>(&*t, x, TYPE) }
            }
        };
    )*};
}

entry_points! {
    "i8" I8, "i16" I16, "i32" I32, "i64" I64,
    "f32" F32, "f64" F64, "f80" F80, "f128" F128,
    "complex_f32" ComplexF32, "complex_f64" ComplexF64, "complex_f80" ComplexF80, "complex_f128" ComplexF128,
    "bool" Bool,
    "logical8" Logical8, "logical16" Logical16, "logical32" Logical32, "logical64" Logical64,
    "logical128" Logical128,
    "char" Char, "opaque" Opaque,
}
