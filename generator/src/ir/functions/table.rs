//! The rows.

/// What a function gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// A number of the function's width.
    Real,
    /// An integer of this type.
    Integer(&'static str),
}

/// A function.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) args: &'static [Arg],
    pub(super) gives: Gives,
    /// Whether C has it with the suffixes `f` and `l`.
    pub(super) has_widths: bool,
}

/// An argument.
pub(super) enum Arg {
    /// A real with its partial derivative, and where the function is differentiable.
    Real(Template, (f64, f64)),
    /// A real that must be passive: why, and its domain.
    Passive(&'static str, (f64, f64)),
    /// An integer of this type.
    Integer(&'static str),
}

/// A partial derivative as text.
#[derive(PartialEq, Eq)]
pub(super) enum Template {
    Zero,
    One,
    /// In `a`, `b`, `c` and `r`.
    Is(&'static str),
    /// The same; infinite, or no number, at some arguments for which the function itself may have a use.
    Steep(&'static str),
}

use Template::{Is, One, Steep, Zero};

const INF: f64 = f64::INFINITY;
const ALL: (f64, f64) = (-INF, INF);
const POSITIVE: (f64, f64) = (0.0, INF);

const fn real(name: &'static str, args: &'static [Arg]) -> Row {
    Row { name, args, gives: Gives::Real, has_widths: true }
}

const fn integer(name: &'static str, gives: &'static str) -> Row {
    Row { name, args: &[Arg::Real(Zero, ALL)], gives: Gives::Integer(gives), has_widths: true }
}

/// A macro that serves all widths under one name.
const fn generic(name: &'static str, args: &'static [Arg]) -> Row {
    Row { name, args, gives: Gives::Integer("int"), has_widths: false }
}

const fn absolute(name: &'static str, args: &'static [Arg], gives: &'static str) -> Row {
    Row { name, args, gives: Gives::Integer(gives), has_widths: false }
}

const STEP: &[Arg] = &[Arg::Real(Zero, ALL)];
const COMPARED: &[Arg] = &[Arg::Real(Zero, ALL), Arg::Real(Zero, ALL)];

const DERIVATIVE_OF_TWO: &[Arg] =
    &[Arg::Passive("it is part of a derivative", ALL), Arg::Passive("it is part of a derivative", ALL)];

/// Functions of generated code that C's library lacks, and those that Fortran alone has; C programs cannot call them.
pub(super) const HELPERS: &[Row] = &[
    real("spacing", STEP),
    real("nearest", &[Arg::Real(One, ALL), Arg::Real(Zero, ALL)]),
    // Angles in degrees: a degree is 0.01745... radians.
    real("sind", &[Arg::Real(Is("0.017453292519943295769 * cosd(a)"), ALL)]),
    real("cosd", &[Arg::Real(Is("-0.017453292519943295769 * sind(a)"), ALL)]),
    real("tand", &[Arg::Real(Is("0.017453292519943295769 * (1.0 + r * r)"), ALL)]),
    real(
        "asind",
        &[Arg::Real(Steep("quotient_or_infinity(57.295779513082320877, sqrt((1.0 - a) * (1.0 + a)))"), (-1.0, 1.0))],
    ),
    real(
        "acosd",
        &[Arg::Real(Steep("-quotient_or_infinity(57.295779513082320877, sqrt((1.0 - a) * (1.0 + a)))"), (-1.0, 1.0))],
    ),
    real("atand", &[Arg::Real(Is("57.295779513082320877 / (1.0 + square_or_infinity(a))"), ALL)]),
    real(
        "atan2d",
        &[
            Arg::Real(Steep("57.295779513082320877 * quotient_by_squares(b, a)"), ALL),
            Arg::Real(Steep("-57.295779513082320877 * quotient_by_squares(a, b)"), ALL),
        ],
    ),
    // The derivative of the logarithm of the gamma function.
    real("digamma", &[Arg::Passive("it is part of a derivative", ALL)]),
    // What `remquo` and `lgamma_r` write.
    Row { gives: Gives::Integer("int"), ..real("quotient_of_remquo", COMPARED) },
    Row { gives: Gives::Integer("int"), ..real("sign_of_gamma", STEP) },
    // What partial derivatives are made of that have poles, or leave the range of numbers, where their function does
    // not: they raise nothing there.
    real("quotient_or_infinity", DERIVATIVE_OF_TWO),
    real("product_or_infinity", DERIVATIVE_OF_TWO),
    real("quotient_by_squares", DERIVATIVE_OF_TWO),
    real("scale_or_infinity", &[Arg::Passive("it is part of a derivative", ALL)]),
    real("square_or_infinity", &[Arg::Passive("it is part of a derivative", ALL)]),
    real("power_or_infinity", DERIVATIVE_OF_TWO),
    real("logarithm_or_nan", &[Arg::Passive("it is part of a derivative", ALL)]),
    // A partial derivative times the derivative that it passes on; 0 where one of them is 0, whatever the other is.
    real("zero_or_product", DERIVATIVE_OF_TWO),
];

pub(super) const TABLE: &[Row] = &[
    // Bits of an integer, as gcc and clang count them.
    absolute("__builtin_clz", &[Arg::Integer("unsigned int")], "int"),
    absolute("__builtin_clzl", &[Arg::Integer("unsigned long")], "int"),
    absolute("__builtin_clzll", &[Arg::Integer("unsigned long long")], "int"),
    absolute("__builtin_ctz", &[Arg::Integer("unsigned int")], "int"),
    absolute("__builtin_ctzl", &[Arg::Integer("unsigned long")], "int"),
    absolute("__builtin_ctzll", &[Arg::Integer("unsigned long long")], "int"),
    absolute("__builtin_ffs", &[Arg::Integer("int")], "int"),
    absolute("__builtin_ffsl", &[Arg::Integer("long")], "int"),
    absolute("__builtin_ffsll", &[Arg::Integer("long long")], "int"),
    absolute("__builtin_parity", &[Arg::Integer("unsigned int")], "int"),
    absolute("__builtin_parityl", &[Arg::Integer("unsigned long")], "int"),
    absolute("__builtin_parityll", &[Arg::Integer("unsigned long long")], "int"),
    absolute("__builtin_popcount", &[Arg::Integer("unsigned int")], "int"),
    absolute("__builtin_popcountl", &[Arg::Integer("unsigned long")], "int"),
    absolute("__builtin_popcountll", &[Arg::Integer("unsigned long long")], "int"),
    absolute("abs", &[Arg::Integer("int")], "int"),
    real("acos", &[Arg::Real(Steep("-quotient_or_infinity(1.0, sqrt((1.0 - a) * (1.0 + a)))"), (-1.0, 1.0))]),
    real("acosh", &[Arg::Real(Steep("quotient_or_infinity(1.0, sqrt(a - 1.0) * sqrt(a + 1.0))"), (1.0, INF))]),
    real("asin", &[Arg::Real(Steep("quotient_or_infinity(1.0, sqrt((1.0 - a) * (1.0 + a)))"), (-1.0, 1.0))]),
    real("asinh", &[Arg::Real(Is("1.0 / hypot(1.0, a)"), ALL)]),
    real("atan", &[Arg::Real(Is("1.0 / (1.0 + square_or_infinity(a))"), ALL)]),
    real(
        "atan2",
        &[Arg::Real(Steep("quotient_by_squares(b, a)"), ALL), Arg::Real(Steep("-quotient_by_squares(a, b)"), ALL)],
    ),
    real("atanh", &[Arg::Real(Steep("1.0 / ((1.0 - a) * (1.0 + a))"), (-1.0, 1.0))]),
    // Infinite at 0, as the function is.
    real("cbrt", &[Arg::Real(Steep("quotient_or_infinity(1.0, 3.0 * r * r)"), ALL)]),
    real("ceil", STEP),
    real("copysign", &[Arg::Real(Is("copysign(1.0, a) * copysign(1.0, b)"), ALL), Arg::Real(Zero, ALL)]),
    real("cos", &[Arg::Real(Is("-sin(a)"), ALL)]),
    real("cosh", &[Arg::Real(Is("sinh(a)"), ALL)]),
    real("erf", &[Arg::Real(Is("1.1283791670955125739 * exp(-square_or_infinity(a))"), ALL)]),
    real("erfc", &[Arg::Real(Is("-1.1283791670955125739 * exp(-square_or_infinity(a))"), ALL)]),
    real("exp", &[Arg::Real(Is("r"), ALL)]),
    real("exp10", &[Arg::Real(Is("2.3025850929940456840 * r"), ALL)]),
    real("exp2", &[Arg::Real(Is("0.69314718055994530942 * r"), ALL)]),
    // Not r + 1: that cancels where a is below -1.
    real("expm1", &[Arg::Real(Is("exp(a)"), ALL)]),
    // At 0 the sign of the zero decides.
    real("fabs", &[Arg::Real(Is("copysign(1.0, a)"), ALL)]),
    real("fdim", &[Arg::Real(Is("(double)isgreater(a, b)"), ALL), Arg::Real(Is("-(double)isgreater(a, b)"), ALL)]),
    real("floor", STEP),
    real("fma", &[Arg::Real(Is("b"), ALL), Arg::Real(Is("a"), ALL), Arg::Real(One, ALL)]),
    // Equal arguments: the first counts. An argument that is not a number does not.
    real(
        "fmax",
        &[
            Arg::Real(Is("(double)(isgreaterequal(a, b) || b != b)"), ALL),
            Arg::Real(Is("(double)!(isgreaterequal(a, b) || b != b)"), ALL),
        ],
    ),
    real(
        "fmin",
        &[
            Arg::Real(Is("(double)(islessequal(a, b) || b != b)"), ALL),
            Arg::Real(Is("(double)!(islessequal(a, b) || b != b)"), ALL),
        ],
    ),
    // (a - r) / b is the quotient that was taken, up to rounding; a / b may fall on the other side of an integer.
    real("fmod", &[Arg::Real(One, ALL), Arg::Real(Steep("-rint(quotient_or_infinity(a - r, b))"), ALL)]),
    generic("fpclassify", STEP),
    real(
        "hypot",
        &[Arg::Real(Steep("quotient_or_infinity(a, r)"), ALL), Arg::Real(Steep("quotient_or_infinity(b, r)"), ALL)],
    ),
    integer("ilogb", "int"),
    generic("isfinite", STEP),
    generic("isgreater", COMPARED),
    generic("isgreaterequal", COMPARED),
    generic("isinf", STEP),
    generic("isless", COMPARED),
    generic("islessequal", COMPARED),
    generic("islessgreater", COMPARED),
    generic("isnan", STEP),
    generic("isnormal", STEP),
    generic("isunordered", COMPARED),
    real("j0", &[Arg::Real(Is("-j1(a)"), ALL)]),
    real("j1", &[Arg::Real(Is("0.5 * (j0(a) - jn(2, a))"), ALL)]),
    real("jn", &[Arg::Integer("int"), Arg::Real(Is("0.5 * (jn(a - 1, b) - jn(a + 1, b))"), ALL)]),
    absolute("labs", &[Arg::Integer("long")], "long"),
    real("ldexp", &[Arg::Real(Steep("scale_or_infinity((double)b)"), ALL), Arg::Integer("int")]),
    real("lgamma", &[Arg::Real(Steep("digamma(a)"), POSITIVE)]),
    absolute("llabs", &[Arg::Integer("long long")], "long long"),
    integer("llrint", "long long"),
    integer("llround", "long long"),
    real("log", &[Arg::Real(Steep("quotient_or_infinity(1.0, a)"), POSITIVE)]),
    real("log10", &[Arg::Real(Steep("quotient_or_infinity(0.43429448190325182765, a)"), POSITIVE)]),
    real("log1p", &[Arg::Real(Steep("1.0 / (1.0 + a)"), (-1.0, INF))]),
    real("log2", &[Arg::Real(Steep("quotient_or_infinity(1.4426950408889634074, a)"), POSITIVE)]),
    real("logb", STEP),
    integer("lrint", "long"),
    integer("lround", "long"),
    real("nearbyint", STEP),
    real("nextafter", &[Arg::Real(One, ALL), Arg::Real(Zero, ALL)]),
    // By a: b * a^(b - 1); 0 for a^0 even at a = 0, where that is no number. By b: 0 at a = 0, where 0 * log 0 is none;
    // not a number for a < 0, where the function has no derivative by b.
    real(
        "pow",
        &[
            Arg::Real(Steep("b * power_or_infinity(a, b)"), POSITIVE),
            Arg::Real(Steep("product_or_infinity(r, logarithm_or_nan(a + (double)(a == 0.0)))"), ALL),
        ],
    ),
    real("remainder", &[Arg::Real(One, ALL), Arg::Real(Steep("-rint(quotient_or_infinity(a - r, b))"), ALL)]),
    real("rint", STEP),
    real("round", STEP),
    real("scalbln", &[Arg::Real(Steep("scale_or_infinity((double)b)"), ALL), Arg::Integer("long")]),
    real("scalbn", &[Arg::Real(Steep("scale_or_infinity((double)b)"), ALL), Arg::Integer("int")]),
    generic("signbit", STEP),
    real("sin", &[Arg::Real(Is("cos(a)"), ALL)]),
    real("sinh", &[Arg::Real(Is("cosh(a)"), ALL)]),
    // Infinite at 0, as the function is.
    real("sqrt", &[Arg::Real(Steep("quotient_or_infinity(0.5, r)"), POSITIVE)]),
    real("tan", &[Arg::Real(Is("1.0 + r * r"), ALL)]),
    real("tanh", &[Arg::Real(Is("(1.0 - r) * (1.0 + r)"), ALL)]),
    real("tgamma", &[Arg::Real(Steep("product_or_infinity(r, digamma(a))"), POSITIVE)]),
    real("trunc", STEP),
    real("y0", &[Arg::Real(Steep("-y1(a)"), POSITIVE)]),
    real("y1", &[Arg::Real(Steep("0.5 * (y0(a) - yn(2, a))"), POSITIVE)]),
    real("yn", &[Arg::Integer("int"), Arg::Real(Steep("0.5 * (yn(a - 1, b) - yn(a + 1, b))"), POSITIVE)]),
];
