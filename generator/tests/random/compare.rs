//! Requests to the driver, its answers, and what they must be.

use crate::ast::Program;
use crate::case::{self, Case, Data};
use crate::interpret::Val;
use crate::judge::Outcome;
use crate::world::{self, Cell, Object};

/// Appends a request; the modes are those of the driver.
pub fn request(out: &mut Vec<u8>, entry: u32, mode: u32, case: &Case, data: &Data) {
    let mut links = Vec::new();
    for (k, object) in data.objects.iter().enumerate() {
        let (offsets, _) = world::offsets(&case.program, object);
        for (cell, (_, at)) in object.cells.iter().zip(offsets) {
            if let Cell::To(target, element) = cell {
                let (size, _) = world::layout(&case.program, &data.objects[*target].ty);
                links.push([k, at, *target, element * size].map(|of| u32::try_from(of).unwrap()));
            }
        }
    }
    for word in [entry, mode, u32::try_from(links.len()).unwrap(), 0] {
        out.extend(word.to_le_bytes());
    }
    out.extend(data.bar.to_le_bytes());
    links.iter().flatten().for_each(|word| out.extend(word.to_le_bytes()));
    for object in &data.objects {
        out.extend(world::encode(&case.program, object, &object.cells));
    }
    let shadows = if mode == 1 { &data.directions[0] } else { &data.bars };
    for (object, shadow) in data.objects.iter().zip(shadows) {
        let cells: Vec<Cell> = shadow.iter().map(|v| Cell::Real(*v)).collect();
        let cells: Vec<Cell> = object.cells.iter().zip(cells).map(number_or_zero).collect();
        out.extend(world::encode(&case.program, object, &cells));
    }
}

fn number_or_zero((of, shadow): (&Cell, Cell)) -> Cell {
    if let Cell::Real(_) = of { shadow } else { Cell::Int(0) }
}

/// What a run left.
pub struct Answer {
    status: u32,
    left: u64,
    wrong: u64,
    result: [f64; 2],
    between: Vec<Vec<Cell>>,
    end: Vec<Vec<Cell>>,
    shadows: Vec<Vec<Cell>>,
}

impl Answer {
    pub fn read(rest: &mut &[u8], program: &Program, objects: &[Object]) -> Option<Answer> {
        let head = rest.split_off(..40)?;
        let word = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap());
        let mut parts = Vec::new();
        for _ in 0..3 {
            let mut all = Vec::new();
            for object in objects {
                let (_, size) = world::offsets(program, object);
                all.push(world::decode(program, object, rest.split_off(..size)?));
            }
            parts.push(all);
        }
        let shadows = parts.pop()?;
        let end = parts.pop()?;
        let status = u32::try_from(word(0) & 0xffff_ffff).unwrap();
        let result = [f64::from_bits(word(24)), f64::from_bits(word(32))];
        Some(Answer { status, left: word(8), wrong: word(16), result, between: parts.pop()?, end, shadows })
    }
}

/// Compares what primal, tangent and adjoint left with what the interpreter found.
pub fn judged(case: &Case, data: &Data, answers: &[Answer]) -> Outcome {
    let [primal, tangent, adjoint] = answers else { panic!("{} answers", answers.len()) };
    let wrong = |what: &'static str, details: String| Outcome::Wrong(what, details);
    for (answer, name) in answers.iter().zip(["the primal stops", "the tangent stops", "the adjoint stops"]) {
        if answer.status != 0 {
            return wrong(name, format!("status {:#x}", answer.status));
        }
    }
    let ran = &data.ran[0];
    let expected: Vec<Vec<Cell>> =
        ran.cells.iter().zip(&data.objects).map(|(cells, object)| values(cells, object)).collect();
    let written = |k: usize| k >= case.program.roles.len() || case.program.roles[k].extent > 0;
    // Rust's library has a cbrt of its own, whose last bit may be another one than that of libm.
    let rounding = if case::has_floats(&case.program) { 1e-6 } else { 1e-13 };
    let near = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a - b).abs() <= rounding * a.abs();
    if let Some(what) = differ_by(near, &expected, &primal.end, written) {
        return wrong("harness", what);
    }
    if let Some(dual) = ran.result
        && !near(dual.v, primal.result[0])
    {
        return wrong("harness", format!("result {} for {}", primal.result[0], dual.v));
    }
    if let Some(what) = differ(&primal.end, &tangent.end, written) {
        return wrong("tangent's values", what);
    }
    if primal.result[0].to_bits() != tangent.result[0].to_bits() {
        return wrong("tangent's values", format!("result {} for {}", tangent.result[0], primal.result[0]));
    }
    let precision = if case::has_floats(&case.program) { 2e-4 } else { 1e-12 };
    if let Some(what) = tangents(case, data, tangent, precision) {
        return wrong("tangent", what);
    }
    if adjoint.between.iter().flatten().any(|cell| *cell != Cell::Real(0.0) && *cell != Cell::Int(0)) {
        if let Some(what) = differ(&primal.end, &adjoint.between, written) {
            return wrong("forward sweep's values", what);
        }
        if primal.result[0].to_bits() != adjoint.result[0].to_bits() {
            return wrong("forward sweep's values", format!("result {} for {}", adjoint.result[0], primal.result[0]));
        }
    }
    if adjoint.left != 0 {
        return wrong("tape", format!("{} bytes are left", adjoint.left));
    }
    if adjoint.wrong != 0 {
        return wrong("reads", format!("{} wrong reads", adjoint.wrong));
    }
    match products(case, data, adjoint, precision) {
        Some(what) => wrong("adjoint", what),
        None => Outcome::Right,
    }
}

/// Scalars as the driver answers them.
fn values(cells: &[Val], object: &Object) -> Vec<Cell> {
    let of = |(cell, before): (&Val, &Cell)| match (cell, before) {
        (Val::Int(value), _) => Cell::Int(*value),
        (Val::Real(dual), _) => Cell::Real(dual.v),
        _ => Cell::Int(0),
    };
    cells.iter().zip(&object.cells).map(of).collect()
}

fn differ(expected: &[Vec<Cell>], found: &[Vec<Cell>], which: impl Fn(usize) -> bool) -> Option<String> {
    differ_by(|a, b| a.to_bits() == b.to_bits(), expected, found, which)
}

fn differ_by(
    same: impl Fn(f64, f64) -> bool,
    expected: &[Vec<Cell>],
    found: &[Vec<Cell>],
    which: impl Fn(usize) -> bool,
) -> Option<String> {
    let bits = |cell: &Cell| match cell {
        Cell::Real(v) => v.to_bits().into(),
        Cell::Int(v) => *v,
        Cell::To(..) => 0,
    };
    let are_same = |a: &Cell, b: &Cell| match (a, b) {
        (Cell::Real(a), Cell::Real(b)) => same(*a, *b),
        _ => bits(a) == bits(b),
    };
    for (k, (expected, found)) in expected.iter().zip(found).enumerate().filter(|(k, _)| which(*k)) {
        for (at, (a, b)) in expected.iter().zip(found).enumerate() {
            if !are_same(a, b) {
                return Some(format!("parameter {k}, scalar {at}: {b:?} for {a:?}"));
            }
        }
    }
    None
}

/// The tangent against dual numbers.
fn tangents(case: &Case, data: &Data, answer: &Answer, precision: f64) -> Option<String> {
    let ran = &data.ran[0];
    let far = |d: f64, found: f64| {
        // A NaN is far from everything.
        let near = (d - found).abs() <= precision * (d.abs() + ran.largest);
        !near
    };
    for k in 0..data.objects.len() {
        if !case::role(&case.program, &data.objects, k).dependent {
            continue;
        }
        for (at, (cell, found)) in ran.cells[k].iter().zip(&answer.shadows[k]).enumerate() {
            if let (Val::Real(dual), Cell::Real(found)) = (cell, found)
                && far(dual.d, *found)
            {
                return Some(format!("parameter {k}, scalar {at}: {found:e} for {:e}", dual.d));
            }
        }
    }
    match ran.result {
        Some(dual) if case.program.result && far(dual.d, answer.result[1]) => {
            Some(format!("result: {:e} for {:e}", answer.result[1], dual.d))
        }
        _ => None,
    }
}

/// The adjoint's product with each direction against the seeds' product with its tangent.
fn products(case: &Case, data: &Data, answer: &Answer, precision: f64) -> Option<String> {
    for (direction, ran) in data.directions.iter().zip(&data.ran) {
        let (mut forward, mut reverse, mut size) = (0.0, 0.0, 0.0);
        for (k, object) in data.objects.iter().enumerate() {
            let role = case::role(&case.program, &data.objects, k);
            let read_only = case::read_only(&case.program, &data.objects, k);
            for (at, ((bar, tangent), found)) in
                data.bars[k].iter().zip(&direction[k]).zip(&answer.shadows[k]).enumerate()
            {
                let (Cell::Real(_), Cell::Real(found)) = (object.cells[at], found) else { continue };
                if role.dependent
                    && !read_only
                    && let Val::Real(dual) = ran.cells[k][at]
                {
                    forward += bar * dual.d;
                    size += (bar * dual.d).abs();
                }
                if role.independent {
                    let found = if read_only { found - bar } else { *found };
                    reverse += found * tangent;
                    size += (found * tangent).abs();
                }
            }
        }
        if case.program.result
            && let Some(dual) = ran.result
        {
            forward += data.bar * dual.d;
            size += (data.bar * dual.d).abs();
        }
        let near = (forward - reverse).abs() <= precision * (size + ran.largest);
        if !near {
            return Some(format!("{reverse:e} for {forward:e}"));
        }
    }
    None
}
