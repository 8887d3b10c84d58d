//! The types of values, in one table. The C header, the Fortran module and the tests are checked against it.

#![forbid(unsafe_code)]

use crate::codes::codes;

/// What is pushed and popped. The value is the type's code in C and Fortran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Type {
    /// Signed integer of 8 bits.
    I8 = 1,
    /// Signed integer of 16 bits.
    I16 = 2,
    /// Signed integer of 32 bits.
    I32 = 3,
    /// Signed integer of 64 bits.
    I64 = 4,
    /// IEEE single precision.
    F32 = 5,
    /// IEEE double precision.
    F64 = 6,
    /// Extended precision of x87, padded to 16 bytes.
    F80 = 7,
    /// IEEE quadruple precision.
    F128 = 8,
    /// Two of F32: real part, imaginary part.
    ComplexF32 = 9,
    /// Two of F64.
    ComplexF64 = 10,
    /// Two of F80.
    ComplexF80 = 11,
    /// Two of F128.
    ComplexF128 = 12,
    /// C `bool`.
    Bool = 13,
    /// Logical of 8 bits.
    Logical8 = 14,
    /// Logical of 16 bits.
    Logical16 = 15,
    /// Logical of 32 bits.
    Logical32 = 16,
    /// Logical of 64 bits.
    Logical64 = 17,
    /// Logical of 128 bits.
    Logical128 = 18,
    /// A character of one byte.
    Char = 19,
    /// Bytes without a type.
    Bytes = 20,
    /// An address, as an opaque word.
    Opaque = 21,
    /// Bits of a branch id; counted in bits.
    Control = 22,
    /// A loop counter of variable length.
    Count = 23,
    /// A pointer, as the object that it points into and an offset.
    Pointer = 24,
    /// A pointer that may lie outside of its object: base and offset.
    Pair = 25,
    /// What brings a range of addresses back.
    Range = 26,
    /// A Fortran pointer or allocatable: its shape, and where it points or which range it is.
    Descriptor = 27,
}

// A name is that of `adtape_push_<name>`.
codes! {
    pub Type: i32 from 1 {
        I8 "i8", I16 "i16", I32 "i32", I64 "i64", F32 "f32", F64 "f64", F80 "f80", F128 "f128",
        ComplexF32 "complex_f32", ComplexF64 "complex_f64", ComplexF80 "complex_f80", ComplexF128 "complex_f128",
        Bool "bool", Logical8 "logical8", Logical16 "logical16", Logical32 "logical32", Logical64 "logical64",
        Logical128 "logical128", Char "char", Bytes "bytes", Opaque "opaque", Control "control", Count "count",
        Pointer "pointer", Pair "pair", Range "range", Descriptor "descriptor",
    }
}

impl Type {
    /// Whether there are arrays of it: its values have a fixed size and lie on the tape as they do in memory.
    pub fn has_arrays(self) -> bool {
        use Type::{Control, Count, Descriptor, Pair, Pointer, Range};
        !matches!(self, Control | Count | Pointer | Pair | Range | Descriptor)
    }

    /// Bytes of one value. What varies in size is an array of single bytes here.
    pub const fn bytes(self) -> usize {
        match self {
            Type::I8 | Type::Bool | Type::Logical8 | Type::Char | Type::Bytes => 1,
            Type::Control | Type::Count | Type::Pointer | Type::Pair | Type::Range | Type::Descriptor => 1,
            Type::I16 | Type::Logical16 => 2,
            Type::I32 | Type::F32 | Type::Logical32 => 4,
            Type::I64 | Type::F64 | Type::Logical64 | Type::Opaque | Type::ComplexF32 => 8,
            Type::F80 | Type::F128 | Type::ComplexF64 | Type::Logical128 => 16,
            Type::ComplexF80 | Type::ComplexF128 => 32,
        }
    }

    /// [`bytes`](Type::bytes) without a branch.
    #[inline(always)]
    pub(crate) fn bytes_at_once(self) -> usize {
        const BYTES: [u8; Type::ALL.len() + 1] = {
            let (mut bytes, mut i) = ([0; Type::ALL.len() + 1], 0);
            while i < Type::ALL.len() {
                bytes[i + 1] = Type::ALL[i].bytes() as u8;
                i += 1;
            }
            bytes
        };
        usize::from(BYTES[self as usize])
    }

    /// A value for people; what has no number in Rust as hexadecimal bytes.
    pub(crate) fn said(self, value: &[u8]) -> String {
        let hexadecimal = || value.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"));
        match self {
            Type::F32 => number(value, f32::from_ne_bytes),
            Type::F64 => number(value, f64::from_ne_bytes),
            Type::I8 => number(value, i8::from_ne_bytes),
            Type::I16 => number(value, i16::from_ne_bytes),
            Type::I32 => number(value, i32::from_ne_bytes),
            Type::I64 => number(value, i64::from_ne_bytes),
            Type::ComplexF32 | Type::ComplexF64 => {
                let part = if self == Type::ComplexF32 { Type::F32 } else { Type::F64 };
                let (real, imaginary) = value.split_at(value.len() / 2);
                Some(format!("({}, {})", part.said(real), part.said(imaginary)))
            }
            _ => None,
        }
        .unwrap_or_else(hexadecimal)
    }
}

fn number<T: std::fmt::Debug, const N: usize>(value: &[u8], read: fn([u8; N]) -> T) -> Option<String> {
    Some(format!("{:?}", read(value.try_into().ok()?)))
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that [`push`](super::Cursor::push) and [`pop`](super::Cursor::pop) take: any bytes of its size
/// are a value of it.
pub trait Scalar: Copy + sealed::Sealed + 'static {
    /// Its type on the tape.
    const TYPE: Type;
}

macro_rules! scalars {
    ($($rust:ty => $ty:ident),* $(,)?) => {$(
        impl sealed::Sealed for $rust {}
        impl Scalar for $rust {
            const TYPE: Type = {
                assert!(size_of::<$rust>() == Type::$ty.bytes());
                Type::$ty
            };
        }
    )*};
}

scalars! {
    i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    f32 => F32, f64 => F64,
    [f32; 2] => ComplexF32, [f64; 2] => ComplexF64,
    u8 => Bytes,
    *const std::ffi::c_void => Opaque,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_said_as_people_write_them() {
        assert_eq!(Type::F64.said(&0.1_f64.to_ne_bytes()), "0.1");
        assert_eq!(Type::I32.said(&(-7_i32).to_ne_bytes()), "-7");
        let complex = [1.5_f32, -2.0].map(f32::to_ne_bytes).concat();
        assert_eq!(Type::ComplexF32.said(&complex), "(1.5, -2.0)");
        assert_eq!(Type::Logical16.said(&1_u16.to_le_bytes()), "0x0001");
    }

    #[test]
    fn names_are_distinct() {
        let names: std::collections::BTreeSet<_> = Type::ALL.into_iter().map(Type::name).collect();
        assert_eq!(names.len(), Type::ALL.len());
    }
}
