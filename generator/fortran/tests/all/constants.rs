//! Random constant expressions: gfortran folds them to the values that we do.

use crate::common::{read_text, skip};
use crate::oracles::{dump, is_value};
use adtape_fortran::scope::resolve;
use adtape_fortran::scope::value::Value;
use adtape_fortran::source::Form;
use fastrand::Rng;

/// How many programs.
const PROGRAMS: u64 = 4;

/// How many constants a program has.
const CONSTANTS: usize = 400;

/// An expression of integers, of reals or of truth values.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Integer,
    Real,
    Logical,
}

fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.usize(..from.len())]
}

fn expression(rng: &mut Rng, sort: Sort, depth: usize) -> String {
    let mut inner = |sort| expression(rng, sort, depth.saturating_sub(1));
    if depth == 0 {
        return match sort {
            Sort::Integer => pick(rng, &["1", "3", "7_8", "(-5)", "2_2", "12", "kind(1d0)", "100_1"]).to_owned(),
            Sort::Real => pick(rng, &["0.1", "1.5d0", "2.0_8", "3.e0", "(-0.7)", "1d-3", "10.0", "0.3_4"]).to_owned(),
            Sort::Logical => pick(rng, &[".true.", ".false._1"]).to_owned(),
        };
    }
    let mixed = |inner: &mut dyn FnMut(Sort) -> String| [inner(Sort::Integer), inner(Sort::Real)];
    let (a, b) = (inner(sort), inner(sort));
    match sort {
        Sort::Integer => match rng.u8(..9) {
            0 => format!("mod({a}, {b})"),
            1 => format!("modulo({a}, {b})"),
            2 => format!("(-({a}))"),
            3 => format!("int({}, 8)", expression(rng, Sort::Real, depth - 1)),
            4 => format!("nint({})", expression(rng, Sort::Real, depth - 1)),
            5 => format!("abs({a})"),
            6 => format!("({a} / {b})"),
            _ => format!("({a} {} {b})", pick(rng, &["+", "-", "*"])),
        },
        Sort::Real => match rng.u8(..8) {
            0 => format!("real({}, 8)", expression(rng, Sort::Integer, depth - 1)),
            1 => format!("real({})", expression(rng, Sort::Integer, depth - 1)),
            2 => format!("sqrt(abs({a}))"),
            3 => {
                let [first, second] = mixed(&mut |sort| expression(rng, sort, depth - 1));
                format!("({first} {} {second})", pick(rng, &["+", "-", "*", "/"]))
            }
            4 => format!("({a} / {b})"),
            5 => format!("aint({a})"),
            _ => format!("({a} {} {b})", pick(rng, &["+", "-", "*"])),
        },
        Sort::Logical => match rng.u8(..4) {
            0 => format!("(.not. {a})"),
            1 => format!("({a} {} {b})", pick(rng, &[".and.", ".or.", ".eqv.", ".neqv."])),
            _ => {
                let [first, second] = mixed(&mut |sort| expression(rng, sort, depth - 1));
                format!("({first} {} {second})", pick(rng, &["<", "<=", ">", ">="]))
            }
        },
    }
}

/// A module with a constant for each expression.
fn module(constants: &[(String, String)]) -> String {
    let mut text = "module m\nimplicit none\n".to_owned();
    for (i, (spec, value)) in constants.iter().enumerate() {
        text += &format!("{spec}, parameter :: c{i} = {value}\n");
    }
    text + "end module\n"
}

/// The values of the constants of a module, in order.
fn values(text: &str) -> Vec<Option<Value>> {
    let (_, reading) = read_text("m.f90", text, Form::Free);
    assert_eq!(reading.messages, []);
    let program = resolve(&[&reading.file]);
    let scope = program.module("m").expect("the module");
    let names = (0..text.lines().count() - 3).map(|i| format!("c{i}"));
    names.map(|name| program.value_of(program.lookup(scope, &name).expect("declared"))).collect()
}

#[test]
fn gfortran_folds_random_constants_to_our_values() {
    for seed in 0..PROGRAMS {
        fold_as_gfortran(seed);
    }
}

fn fold_as_gfortran(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let mut constants: Vec<(String, String)> = Vec::new();
    while constants.len() < CONSTANTS {
        let (sort, specs) = match rng.u8(..3) {
            0 => (Sort::Integer, ["integer", "integer(8)"]),
            1 => (Sort::Real, ["real", "real(8)"]),
            _ => (Sort::Logical, ["logical", "logical(1)"]),
        };
        let spec = pick(&mut rng, &specs).to_owned();
        let depth = rng.usize(1..4);
        constants.push((spec, expression(&mut rng, sort, depth)));
    }
    // What we do not fold, such as a division by zero, a compiler may refuse.
    let folded = values(&module(&constants));
    let kept: Vec<_> =
        constants.into_iter().zip(&folded).filter(|(_, value)| value.is_some()).map(|(one, _)| one).collect();
    assert!(kept.len() > CONSTANTS * 3 / 4, "{} are folded", kept.len());
    let text = module(&kept);
    let Some(names) = dump("random_constants.f90", &text) else {
        return skip("gfortran_folds_random_constants_to_our_values", "there is no gfortran");
    };
    let mut compared = 0;
    for ((i, value), (_, expression)) in values(&text).iter().enumerate().zip(&kept) {
        let Some(found) = names.iter().find(|dumped| dumped.name == format!("c{i}")) else { continue };
        let (value, expected) = (value.as_ref().expect("kept"), found.value.as_deref().unwrap_or_default());
        assert!(is_value(value, expected), "seed {seed}: {expression}: {value:?}, gfortran has {expected}");
        compared += 1;
    }
    assert_eq!(compared, kept.len());
}
