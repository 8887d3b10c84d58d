//! The table of types, as far as Fortran and its glue need to know more of a type than its name.
//!
//! Codes, names and sizes of the types belong to the library (`src/tape/types.rs`, `include/adtape/inline.h`). What
//! stands here is how Fortran declares a type, which compilers have it, and how their array descriptors call it.

use serde::Serialize;

/// A type that a Fortran program pushes and pops.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Kind {
    /// Its name in the library, as in `adtape_push_<name>`.
    pub name: &'static str,
    /// Its declaration in Fortran.
    pub declaration: &'static str,
    /// What an interface body imports to declare it.
    #[serde(skip)]
    pub import: Option<&'static str>,
    /// Bytes of a value.
    pub bytes: usize,
    /// Whether C has the type as well, so that `bind(c)` is standard Fortran.
    pub interoperable: bool,
    /// Whether it has an adjoint: real and complex types.
    pub active: bool,
    /// The preprocessor's condition under which a compiler has it; empty for all.
    pub condition: &'static str,
    /// The type and kind in gfortran's array descriptors.
    pub gfortran: (&'static str, i32),
    /// The code in flang's array descriptors, without `CFI_type_`; empty where flang lacks the type.
    pub flang: &'static str,
}

/// gfortran says which kinds it has; flang has real(10) on x86.
const REAL_10: &str = "#if defined(__GFC_REAL_10__) || defined(__x86_64__)";
const NOT_FLANG: &str = "#ifndef __flang__";

#[allow(clippy::too_many_arguments)]
const fn kind(
    name: &'static str,
    declaration: &'static str,
    import: Option<&'static str>,
    bytes: usize,
    properties: &'static [u8],
    gfortran: (&'static str, i32),
    flang: &'static str,
    condition: &'static str,
) -> Kind {
    let (mut interoperable, mut active, mut i) = (false, false, 0);
    while i < properties.len() {
        match properties[i] {
            b'c' => interoperable = true,
            b'a' => active = true,
            _ => panic!("a property is c or a"),
        }
        i += 1;
    }
    Kind { name, declaration, import, bytes, interoperable, active, condition, gfortran, flang }
}

/// The types of numbers and logicals. Properties: `c` C has it as well, `a` it has an adjoint.
#[rustfmt::skip]
pub const KINDS: [Kind; 17] = [
    kind("i8", "integer(c_int8_t)", Some("c_int8_t"), 1, b"c", ("Integer", 1), "int8_t", ""),
    kind("i16", "integer(c_int16_t)", Some("c_int16_t"), 2, b"c", ("Integer", 2), "int16_t", ""),
    kind("i32", "integer(c_int32_t)", Some("c_int32_t"), 4, b"c", ("Integer", 4), "int32_t", ""),
    kind("i64", "integer(c_int64_t)", Some("c_int64_t"), 8, b"c", ("Integer", 8), "int64_t", ""),
    kind("f32", "real(c_float)", Some("c_float"), 4, b"ca", ("Real", 4), "float", ""),
    kind("f64", "real(c_double)", Some("c_double"), 8, b"ca", ("Real", 8), "double", ""),
    kind("complex_f32", "complex(c_float_complex)", Some("c_float_complex"), 8, b"ca", ("Complex", 4),
        "float_Complex", ""),
    kind("complex_f64", "complex(c_double_complex)", Some("c_double_complex"), 16, b"ca", ("Complex", 8),
        "double_Complex", ""),
    kind("logical8", "logical(c_bool)", Some("c_bool"), 1, b"c", ("Logical", 1), "Bool", ""),
    kind("logical16", "logical(2)", None, 2, b"", ("Logical", 2), "int_least16_t", ""),
    kind("logical32", "logical(4)", None, 4, b"", ("Logical", 4), "int_least32_t", ""),
    kind("logical64", "logical(8)", None, 8, b"", ("Logical", 8), "int_least64_t", ""),
    kind("f128", "real(r16)", Some("r16"), 16, b"a", ("Real", 16), "float128", ""),
    kind("complex_f128", "complex(r16)", Some("r16"), 32, b"a", ("Complex", 16), "float128_Complex", ""),
    kind("f80", "real(c_long_double)", Some("c_long_double"), 16, b"ca", ("Real", 10), "extended_double", REAL_10),
    kind("complex_f80", "complex(c_long_double_complex)", Some("c_long_double_complex"), 32, b"ca", ("Complex", 10),
        "extended_double_Complex", REAL_10),
    kind("logical128", "logical(16)", None, 16, b"", ("Logical", 16), "", NOT_FLANG),
];

/// A character of any length; as many values of type char.
pub const TEXT: Kind = kind("text", "character(*)", None, 1, b"", ("Character", 1), "char", "");

/// How a program has the types that are none of [`KINDS`], as the reference says it.
pub const OTHERS: [(&str, &str); 3] =
    [("bool", "`logical(c_bool)`, by `push_bool`"), ("char", "`character(n)`: n of them"), ("opaque", "`type(c_ptr)`")];

/// A character of deferred length, which only pointers and allocatables have.
pub const DEFERRED: Kind = kind("deferred", "character(:)", None, 1, b"", ("Character", 1), "char", "");

/// The object of `adtape_derived.inc`, which the program names.
pub const OBJECT: Kind = kind("object", "type(adtape_object)", Some("adtape_object"), 0, b"", ("", 0), "", "");

/// A kind, with the kind of its adjoint.
#[derive(Clone, Copy, Debug)]
pub struct Pairing {
    /// As in the names of procedures.
    pub name: &'static str,
    /// Kind of the primal.
    pub kind: Kind,
    /// Kind of the adjoint, if there is one.
    pub adjoint: Option<Kind>,
    /// Whether the adjoint may be left out.
    pub optional: bool,
}

fn find(name: &str) -> Kind {
    *KINDS.iter().find(|kind| kind.name == name).expect("a kind of the table")
}

/// The kinds of a set, as templates name it.
pub fn set(name: &str) -> Option<Vec<Pairing>> {
    let alone = |kind: &Kind| Pairing { name: kind.name, kind: *kind, adjoint: None, optional: true };
    let paired = |kind: &Kind| Pairing { adjoint: kind.active.then_some(*kind), ..alone(kind) };
    let all = || KINDS.iter().chain([&TEXT]);
    Some(match name {
        // C's own types.
        "interoperable" => KINDS.iter().filter(|kind| kind.interoperable).map(alone).collect(),
        // C's own types that every compiler has.
        "common" => KINDS.iter().filter(|kind| kind.interoperable && kind.condition.is_empty()).map(alone).collect(),
        // Types that only Fortran has.
        "fortran" => KINDS.iter().filter(|kind| !kind.interoperable).map(alone).collect(),
        // Every type that a pointer or allocatable has.
        "all" => all().map(alone).collect(),
        // The same beside its adjoint, of the same kind or, in single precision, of double.
        "with adjoints" => {
            let mixed =
                |name, kind, adjoint| Pairing { name, kind: find(kind), adjoint: Some(find(adjoint)), optional: false };
            let mixed = [mixed("f32f64", "f32", "f64"), mixed("complexf32f64", "complex_f32", "complex_f64")];
            all().map(paired).chain(mixed).collect()
        }
        "deferred" => vec![alone(&DEFERRED)],
        "object" => vec![alone(&OBJECT)],
        _ => return None,
    })
}
