//! A program with data: what it computes, and the derivatives that it must have.

use crate::ast::*;
use crate::dual::{ONE, TWO};
use crate::prng::Prng;
use crate::world::{self, Cell, Object, Ran};
use crate::{interpret::Val, make, print};

/// Directions in which the adjoint is compared with the tangent.
pub const DIRECTIONS: usize = 3;

/// One set of data.
pub struct Data {
    pub objects: Vec<Object>,
    /// Tangents of the inputs, object by object.
    pub directions: Vec<Vec<Vec<f64>>>,
    /// What the interpreter found for each direction.
    pub ran: Vec<Ran>,
    /// Seeds: adjoints that the head is called with.
    pub bars: Vec<Vec<f64>>,
    /// Seed of the result.
    pub bar: f64,
}

pub struct Case {
    pub seed: u64,
    pub program: Program,
    pub sets: Vec<Data>,
}

/// The role of an object: that of its parameter, or of the struct that points to it.
pub fn role<'a>(program: &'a Program, objects: &[Object], object: usize) -> &'a Role {
    &program.roles[world::owner(objects, program.roles.len(), object)]
}

/// Whether adjoints of an object are added to, and never cleared: nothing can write it.
pub fn read_only(program: &Program, objects: &[Object], object: usize) -> bool {
    let owner = world::owner(objects, program.roles.len(), object);
    let var = &program.head().vars[owner];
    object == owner && (var.constant || !matches!(var.ty, Ty::Ptr(_)))
}

/// The case of a seed: the first attempt that C defines and that has a derivative.
pub fn of(seed: u64) -> Case {
    (0..)
        .find_map(|attempt| {
            let program = make::program(seed, attempt);
            let case = with(seed, program)?;
            let derivative =
                |data: &Data| data.ran.iter().any(|ran| ran.largest > 0.0 && depends(&case.program, data, ran));
            case.sets.iter().any(derivative).then_some(case)
        })
        .unwrap()
}

/// Whether a dependent has a tangent that is not 0.
fn depends(program: &Program, data: &Data, ran: &Ran) -> bool {
    let of = |k: usize| {
        let nonzero = |cell: &Val| matches!(cell, Val::Real(dual) if dual.d != 0.0);
        role(program, &data.objects, k).dependent && ran.cells[k].iter().any(nonzero)
    };
    (0..data.objects.len()).any(of) || program.result && ran.result.is_some_and(|dual| dual.d != 0.0)
}

/// Whether a function of the program is at a pole.
pub fn meets_a_pole(case: &Case) -> bool {
    case.sets.iter().any(|data| data.ran.iter().any(|ran| ran.poles > 0))
}

/// Whether a dependent passed a pole: then its derivative is no number, or some adjoint is none.
fn asks_for_a_pole(program: &Program, objects: &[Object], ran: &Ran) -> bool {
    let steep = |cell: &Val| matches!(cell, Val::Real(dual) if dual.steep);
    let of = |k: usize| role(program, objects, k).dependent && ran.cells[k].iter().any(steep);
    (0..objects.len()).any(of) || program.result && ran.result.is_some_and(|dual| dual.steep)
}

/// A program with its data; none if C does not define what it does with the first set.
pub fn with(seed: u64, program: Program) -> Option<Case> {
    let mut sets = Vec::new();
    for set in 0..2 {
        let objects = world::objects(&program, set);
        let mut rng = Prng::new(program.data ^ 0xabcd ^ set);
        let mut fill = |part: &dyn Fn(usize) -> bool| -> Vec<Vec<f64>> {
            let value = |rng: &mut Prng, on: bool, cell: &Cell| match cell {
                Cell::Real(_) if on => f64::from(rng.real() as f32),
                _ => 0.0,
            };
            let of = |(k, object): (usize, &Object)| {
                let on = part(k);
                object.cells.iter().map(|cell| value(&mut rng, on, cell)).collect()
            };
            objects.iter().enumerate().map(of).collect()
        };
        let independent = |k: usize| role(&program, &objects, k).independent;
        let directions: Vec<_> = (0..DIRECTIONS).map(|_| fill(&independent)).collect();
        let written = |k: usize| {
            let role = role(&program, &objects, k);
            role.dependent || role.independent && read_only(&program, &objects, k)
        };
        let bars = fill(&written);
        let ran: Result<Vec<Ran>, _> = directions.iter().map(|d| world::run(&program, &objects, d)).collect();
        let asks = |ran: &Ran| asks_for_a_pole(&program, &objects, ran);
        let ran = ran.and_then(|ran| if ran.iter().any(asks) { Err("a pole is asked for") } else { Ok(ran) });
        match ran {
            Ok(ran) => sets.push(Data { objects, directions, ran, bars, bar: 0.75 }),
            Err(_) if set == 0 => return None,
            Err(_) => {}
        }
    }
    Some(Case { seed, program, sets })
}

/// Whether some real of the program is a float: then derivatives have a float's precision.
pub fn has_floats(program: &Program) -> bool {
    let text = print::program(program);
    let literal = |pair: &[u8]| pair[0].is_ascii_digit() && pair[1] == b'f';
    let function = |name: &&str| text.contains(&format!("{name}f("));
    text.contains("float") || text.as_bytes().windows(2).any(literal) || ONE.iter().chain(&TWO).any(function)
}
