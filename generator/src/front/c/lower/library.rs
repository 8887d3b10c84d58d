//! Functions of the C library that are known without their source.

use crate::ir::Function;
use crate::ir::library::{Does, does};

/// Constants and operators that headers make of built-in functions.
const BUILT_IN: &[&str] = &[
    "isinf_sign",
    "isnanf",
    "isinff",
    "finite",
    "finitef",
    "huge_val",
    "huge_valf",
    "inf",
    "inff",
    "nan",
    "nanf",
    "abs",
    "labs",
    "llabs",
    "expect",
    "expect_with_probability",
    "assume_aligned",
    "constant_p",
    "fpclassify",
    "flt_rounds",
];

/// The function of `math.h` with this name.
pub fn math(name: &str) -> Option<Function> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    if BUILT_IN.contains(&plain) {
        return None;
    }
    Function::lookup(name).or_else(|| Function::lookup(plain.strip_prefix("__")?))
}

/// The function of `math.h` that `tgmath.h` of clang means, for all widths.
pub fn of_any_width(name: &str) -> Option<Function> {
    math(name.strip_prefix("__tg_")?)
}

/// `abs`, `HUGE_VAL` and the like.
pub fn built_in(name: &str) -> Option<&str> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let plain = plain.strip_prefix("__").unwrap_or(plain);
    BUILT_IN.contains(&plain).then_some(plain)
}

/// Whether a call of this function is an expression without effects.
pub fn is_expression(name: &str) -> bool {
    math(name).is_some() || of_any_width(name).is_some() || built_in(name).is_some()
}

/// Functions that print, stop the program, or read the clock: passive, and without effect on memory of the program.
/// `true`: the function comes back.
pub fn passive(name: &str) -> Option<bool> {
    does(name).map(|does| does != Does::Stops)
}

/// Whether a function reads the memory that it is passed, and does not write it.
pub fn only_reads(name: &str) -> bool {
    does(name) == Some(Does::Reads)
}

/// Whether a passive function's result depends on how often it was called.
pub fn has_state(name: &str) -> bool {
    name.ends_with("rand") || name.ends_with("random") || name.contains("rand48")
}

/// Functions that read numbers from a file or from text.
pub fn is_input(name: &str) -> bool {
    const INPUT: &[&str] = &[
        "scanf",
        "fscanf",
        "sscanf",
        "fread",
        "fgets",
        "gets",
        "getline",
        "getdelim",
        "getc",
        "fgetc",
        "getchar",
        "read",
        "strtod",
        "strtof",
        "atof",
        "mmap",
        "__isoc99_scanf",
        "__isoc99_fscanf",
        "__isoc99_sscanf",
    ];
    INPUT.contains(&name)
}

/// A name of the C library as it is without a builtin of the compiler or a check of sizes around it.
pub fn plain(name: &str) -> &str {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    name.strip_prefix("__").and_then(|name| name.strip_suffix("_chk")).unwrap_or(name)
}
