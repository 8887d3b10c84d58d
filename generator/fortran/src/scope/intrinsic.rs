//! The procedures and modules that every compiler has: names, types and ranks of results, in one table each.

use super::program::Basic;

/// The type of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultType {
    /// The first argument's.
    First,
    /// Real, of the first argument's kind: `abs` of a complex number.
    RealOfFirst,
    /// This type, of the kind that `kind =` or the argument at this place names, else the default.
    Of(Basic, Option<usize>),
    /// This type and kind.
    Fixed(Basic, u8),
    /// Real or complex, as the operands of `*` make it: `dot_product`, `matmul`.
    Product,
    /// The type of the second argument: `transfer`.
    Second,
    /// None: a subroutine.
    None,
}

/// The rank of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultRank {
    /// The highest of its arguments: one value for each of theirs.
    Elemental,
    /// A scalar.
    Scalar,
    /// A scalar, or one less than the first argument where `dim` is given.
    Reduction,
    /// One, or one less than the first argument where `dim` is given.
    Location,
    /// One, or a scalar where `dim` is given.
    Bounds,
    /// The first argument's.
    First,
    /// This one.
    Fixed(u8),
    /// One more than the first argument's.
    Spread,
    /// The second argument's.
    Second,
    /// As many as the second argument has values.
    Reshape,
    /// The rank of a product of matrices.
    Matmul,
}

/// A procedure that every compiler has.
#[derive(Clone, Copy, Debug)]
pub struct Intrinsic {
    /// Its name.
    pub name: &'static str,
    /// Its result's type.
    pub result: ResultType,
    /// Its result's rank.
    pub rank: ResultRank,
}

use Basic::{Character, Complex, Integer, Logical, Real};
use ResultRank::{
    Bounds, Elemental, Fixed as Rank, Location, Matmul, Reduction, Reshape, Scalar, Second as AsSecond, Spread,
};
use ResultType::{First, Fixed, Of, Product, RealOfFirst, Second};

/// Names with one result.
type Row = (ResultType, ResultRank, &'static [&'static str]);

const ROWS: &[Row] = &[
    (
        First,
        Elemental,
        &[
            "acos",
            "acosd",
            "acosh",
            "anint",
            "aint",
            "asin",
            "asind",
            "asinh",
            "atan",
            "atand",
            "atan2",
            "atan2d",
            "atanh",
            "bessel_j0",
            "bessel_j1",
            "bessel_y0",
            "bessel_y1",
            "conjg",
            "cos",
            "cosd",
            "cosh",
            "dim",
            "erf",
            "erfc",
            "erfc_scaled",
            "exp",
            "fraction",
            "gamma",
            "hypot",
            "iand",
            "ibclr",
            "ibits",
            "ibset",
            "ieor",
            "ior",
            "ishft",
            "ishftc",
            "log",
            "log10",
            "log_gamma",
            "lshift",
            "max",
            "merge",
            "min",
            "mod",
            "modulo",
            "nearest",
            "not",
            "rrspacing",
            "rshift",
            "scale",
            "set_exponent",
            "shifta",
            "shiftl",
            "shiftr",
            "sign",
            "sin",
            "sind",
            "sinh",
            "spacing",
            "sqrt",
            "tan",
            "tand",
            "tanh",
            "merge_bits",
            "dshiftl",
            "dshiftr",
            "and",
            "or",
            "xor",
            "alog",
            "alog10",
            "amod",
            "cexp",
            "clog",
            "ccos",
            "csin",
            "csqrt",
            "max0",
            "min0",
            "iabs",
            "isign",
            "idim",
            "besj0",
            "besj1",
            "besy0",
            "besy1",
            "cotan",
            "cotand",
            "algama",
        ],
    ),
    (Second, Elemental, &["bessel_jn", "bessel_yn", "besjn", "besyn"]),
    (RealOfFirst, Elemental, &["abs", "aimag", "imag", "realpart", "imagpart"]),
    (First, Scalar, &["epsilon", "huge", "tiny"]),
    (First, Reduction, &["sum", "product", "maxval", "minval", "iall", "iany", "iparity", "all", "any", "parity"]),
    (RealOfFirst, Reduction, &["norm2"]),
    (First, ResultRank::First, &["cshift", "eoshift", "reduce"]),
    (First, Rank(2), &["transpose"]),
    (First, Rank(1), &["pack"]),
    (Of(Integer, Some(1)), Rank(1), &["failed_images", "stopped_images"]),
    (Fixed(Integer, 8), Scalar, &["malloc"]),
    (Of(Complex, None), Elemental, &["complex"]),
    (ResultType::None, Scalar, &["get_team", "free"]),
    (First, Spread, &["spread"]),
    (First, AsSecond, &["unpack"]),
    (First, Reshape, &["reshape"]),
    (Product, Matmul, &["matmul"]),
    (Product, Scalar, &["dot_product"]),
    (Second, Scalar, &["transfer"]),
    (Of(Integer, Some(1)), Elemental, &["ceiling", "floor", "int", "nint", "iachar", "ichar", "leadz", "trailz"]),
    (Of(Integer, None), Elemental, &["exponent", "popcnt", "poppar", "ifix", "idint", "idnint", "max1", "min1"]),
    (Of(Integer, Some(3)), Elemental, &["index", "scan", "verify"]),
    (Of(Integer, Some(1)), Elemental, &["len_trim"]),
    (Of(Integer, Some(1)), Scalar, &["len"]),
    (Of(Integer, Some(2)), Reduction, &["count"]),
    (Of(Integer, Some(3)), Location, &["maxloc", "minloc"]),
    (Of(Integer, Some(4)), Location, &["findloc"]),
    (Of(Integer, Some(2)), Scalar, &["size"]),
    (Of(Integer, Some(1)), Rank(1), &["shape"]),
    (Of(Integer, Some(2)), Bounds, &["lbound", "ubound", "lcobound", "ucobound"]),
    (
        Of(Integer, None),
        Scalar,
        &[
            "bit_size",
            "digits",
            "kind",
            "maxexponent",
            "minexponent",
            "precision",
            "radix",
            "range",
            "rank",
            "selected_char_kind",
            "selected_int_kind",
            "selected_real_kind",
            "selected_logical_kind",
            "storage_size",
            "command_argument_count",
            "this_image",
            "num_images",
            "image_index",
            "iargc",
            "sizeof",
            "time",
            "loc",
            "access",
            "chmod",
            "getpid",
            "image_status",
            "team_number",
            "%loc",
            "ieee_selected_real_kind",
        ],
    ),
    (Of(Real, Some(1)), Elemental, &["real"]),
    (Of(Real, None), Elemental, &["float", "sngl", "amax0", "amin0"]),
    (Fixed(Real, 4), Elemental, &["amax1", "amin1"]),
    (
        Fixed(Real, 8),
        Elemental,
        &[
            "dabs", "dacos", "dasin", "datan", "datan2", "dble", "dcos", "dcosh", "ddim", "derf", "derfc", "dexp",
            "dfloat", "dgamma", "dimag", "dint", "dlgama", "dlog", "dlog10", "dmax1", "dmin1", "dmod", "dnint",
            "dprod", "dreal", "dsign", "dsin", "dsinh", "dsqrt", "dtan", "dtanh", "cdabs", "zabs", "dcosd", "dsind",
        ],
    ),
    (Fixed(Real, 4), Elemental, &["cabs"]),
    (Of(Complex, Some(2)), Elemental, &["cmplx"]),
    (
        Fixed(Complex, 8),
        Elemental,
        &["dcmplx", "dconjg", "cdexp", "cdlog", "cdsqrt", "zexp", "zlog", "zsqrt", "zsin", "zcos"],
    ),
    (Of(Logical, Some(1)), Elemental, &["logical"]),
    (
        Of(Logical, None),
        Elemental,
        &["btest", "lge", "lgt", "lle", "llt", "bge", "bgt", "ble", "blt", "isnan", "out_of_range"],
    ),
    (
        Of(Logical, None),
        Scalar,
        &[
            "allocated",
            "associated",
            "present",
            "is_contiguous",
            "same_type_as",
            "extends_type_of",
            "is_iostat_end",
            "is_iostat_eor",
        ],
    ),
    (Of(Character, Some(1)), Elemental, &["achar", "char"]),
    (Of(Character, None), Elemental, &["adjustl", "adjustr", "new_line"]),
    (Of(Character, None), Scalar, &["repeat", "trim", "compiler_version", "compiler_options"]),
    (First, Scalar, &["null"]),
    (
        ResultType::None,
        Scalar,
        &[
            "cpu_time",
            "date_and_time",
            "execute_command_line",
            "exit",
            "flush",
            "get_command",
            "get_command_argument",
            "get_environment_variable",
            "getarg",
            "getenv",
            "move_alloc",
            "mvbits",
            "random_init",
            "random_number",
            "random_seed",
            "system",
            "system_clock",
            "abort",
            "event_query",
            "co_sum",
            "co_max",
            "co_min",
            "co_broadcast",
            "co_reduce",
            "atomic_add",
            "atomic_define",
            "atomic_ref",
        ],
    ),
];

/// The intrinsic procedure of a name.
pub fn intrinsic(name: &str) -> Option<Intrinsic> {
    let found = |(result, rank, names): &Row| {
        names.iter().find(|known| **known == name).map(|name| Intrinsic { name, result: *result, rank: *rank })
    };
    ROWS.iter().find_map(found)
}

/// A name of a module that every compiler has, and its values if it is an integer constant; several for an array.
pub type Export = (&'static str, &'static [i128]);

const ISO_FORTRAN_ENV: &[Export] = &[
    ("int8", &[1]),
    ("int16", &[2]),
    ("int32", &[4]),
    ("int64", &[8]),
    ("real32", &[4]),
    ("real64", &[8]),
    ("real128", &[16]),
    ("logical8", &[1]),
    ("logical16", &[2]),
    ("logical32", &[4]),
    ("logical64", &[8]),
    ("input_unit", &[5]),
    ("output_unit", &[6]),
    ("error_unit", &[0]),
    ("iostat_end", &[-1]),
    ("iostat_eor", &[-2]),
    ("numeric_storage_size", &[32]),
    ("character_storage_size", &[8]),
    ("file_storage_size", &[8]),
    ("iostat_inquire_internal_unit", &[]),
    ("stat_failed_image", &[]),
    ("stat_locked", &[]),
    ("stat_stopped_image", &[]),
    ("atomic_int_kind", &[4]),
    ("atomic_logical_kind", &[4]),
    ("character_kinds", &[1, 4]),
    ("integer_kinds", &[1, 2, 4, 8, 16]),
    ("logical_kinds", &[1, 2, 4, 8, 16]),
    ("real_kinds", &[4, 8, 10, 16]),
    ("lock_type", &[]),
    ("event_type", &[]),
    ("team_type", &[]),
    ("compiler_version", &[]),
    ("compiler_options", &[]),
];

const ISO_C_BINDING: &[Export] = &[
    ("c_int", &[4]),
    ("c_short", &[2]),
    ("c_long", &[8]),
    ("c_long_long", &[8]),
    ("c_signed_char", &[1]),
    ("c_size_t", &[8]),
    ("c_int8_t", &[1]),
    ("c_int16_t", &[2]),
    ("c_int32_t", &[4]),
    ("c_int64_t", &[8]),
    ("c_int_least8_t", &[1]),
    ("c_int_least16_t", &[2]),
    ("c_int_least32_t", &[4]),
    ("c_int_least64_t", &[8]),
    ("c_int_fast8_t", &[1]),
    ("c_int_fast16_t", &[8]),
    ("c_int_fast32_t", &[8]),
    ("c_int_fast64_t", &[8]),
    ("c_intmax_t", &[8]),
    ("c_intptr_t", &[8]),
    ("c_ptrdiff_t", &[8]),
    ("c_float", &[4]),
    ("c_double", &[8]),
    ("c_long_double", &[10]),
    ("c_float_complex", &[4]),
    ("c_double_complex", &[8]),
    ("c_long_double_complex", &[10]),
    ("c_bool", &[1]),
    ("c_char", &[1]),
    ("c_null_char", &[]),
    ("c_alert", &[]),
    ("c_backspace", &[]),
    ("c_form_feed", &[]),
    ("c_new_line", &[]),
    ("c_carriage_return", &[]),
    ("c_horizontal_tab", &[]),
    ("c_vertical_tab", &[]),
    ("c_ptr", &[]),
    ("c_funptr", &[]),
    ("c_null_ptr", &[]),
    ("c_null_funptr", &[]),
    ("c_loc", &[]),
    ("c_funloc", &[]),
    ("c_associated", &[]),
    ("c_f_pointer", &[]),
    ("c_f_procpointer", &[]),
    ("c_sizeof", &[]),
];

/// What a module hands on that every compiler has and whose names are known here.
pub fn intrinsic_module(name: &str) -> Option<&'static [Export]> {
    match name {
        "iso_fortran_env" => Some(ISO_FORTRAN_ENV),
        "iso_c_binding" => Some(ISO_C_BINDING),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_has_two_results() {
        let mut names: Vec<&str> = ROWS.iter().flat_map(|(_, _, names)| names.iter().copied()).collect();
        names.sort_unstable();
        let twice: Vec<&str> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        assert_eq!(twice, [""; 0]);
        assert!(names.len() > 250);
    }
}
