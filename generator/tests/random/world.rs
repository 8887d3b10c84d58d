//! What a head is called with: the memory behind its parameters, as scalars and as bytes.

use crate::ast::*;
use crate::dual::Dual;
use crate::interpret::{Machine, Ptr, Val};
use crate::prng::Prng;

/// One object: what a parameter points to, or the parameter itself; objects of pointer members come last.
#[derive(Clone, Debug)]
pub struct Object {
    pub ty: Ty,
    pub count: usize,
    pub cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    Int(i128),
    Real(f64),
    /// The address of an element of another object.
    To(usize, usize),
}

/// The objects of one of several sets of data.
pub fn objects(program: &Program, set: u64) -> Vec<Object> {
    let mut rng = Prng::new(program.data ^ (set + 1).wrapping_mul(0x1234_5677));
    // Some reals are at poles.
    let real = |rng: &mut Prng| match rng.real() {
        real if program.poles && rng.chance(45) => {
            if real < 0.0 {
                1.0
            } else {
                0.0
            }
        }
        real => real,
    };
    let mut all: Vec<Object> = Vec::new();
    let head = program.head();
    for (var, role) in head.vars[..head.params].iter().zip(&program.roles) {
        let (ty, count) = match &var.ty {
            Ty::Ptr(of) if role.into.is_some() => ((**of).clone(), 0),
            Ty::Ptr(of) => ((**of).clone(), role.extent),
            ty => (ty.clone(), 1),
        };
        all.push(Object { ty, count, cells: Vec::new() });
    }
    for k in 0..head.params {
        let mut types = Vec::new();
        (0..all[k].count).for_each(|_| program.flat(&all[k].ty.clone(), &mut types));
        let is_span = matches!(all[k].ty, Ty::Struct(of) if program.structs[of].is_span);
        // The second pointer of a span leads behind the first one.
        let mut begun = None;
        for ty in types {
            let cell = match ty {
                Ty::Int(_) if head.vars[k].name == "n" => Cell::Int(if set == 0 { 6 } else { rng.within(0, 4).into() }),
                Ty::Int(_) => Cell::Int(rng.within(0, 3).into()),
                Ty::F32 => Cell::Real(f64::from(real(&mut rng) as f32)),
                Ty::F64 => Cell::Real(real(&mut rng)),
                _ => match begun.take() {
                    Some(object) => Cell::To(object, 4),
                    None => {
                        let count = if is_span { 8 } else { 4 };
                        let cells = (0..count).map(|_| Cell::Real(real(&mut rng))).collect();
                        all.push(Object { ty: Ty::F64, count, cells });
                        begun = is_span.then_some(all.len() - 1);
                        Cell::To(all.len() - 1, 0)
                    }
                },
            };
            all[k].cells.push(cell);
        }
    }
    all
}

/// Which object a parameter's role holds for: those of pointer members have that of the struct.
pub fn owner(objects: &[Object], params: usize, object: usize) -> usize {
    let leads = |cell: &Cell| matches!(cell, Cell::To(to, _) if *to == object);
    let of = |k: &usize| objects[*k].cells.iter().any(leads);
    if object < params { object } else { (0..params).find(of).unwrap_or(0) }
}

/// What a run of the interpreter left.
pub struct Ran {
    pub cells: Vec<Vec<Val>>,
    pub result: Option<Dual>,
    pub largest: f64,
    pub poles: usize,
}

/// Runs the head with a direction for each object's scalars.
pub fn run(program: &Program, objects: &[Object], directions: &[Vec<f64>]) -> Result<Ran, &'static str> {
    let mut machine = Machine::new(program);
    let base = machine.objects.len();
    let head = program.head();
    for (object, direction) in objects.iter().zip(directions) {
        let value = |(cell, d): (&Cell, &f64)| match cell {
            Cell::Int(value) => Val::Int(*value),
            Cell::Real(v) => Val::Real(Dual { v: *v, d: *d, steep: false }),
            Cell::To(object, at) => {
                Val::Ptr(Ptr { object: base + object, at: *at, low: 0, high: objects[*object].cells.len() })
            }
        };
        machine.object(object.cells.iter().zip(direction).map(value).collect());
    }
    let arg = |k: usize| match head.vars[k].ty {
        Ty::Ptr(_) => {
            let (object, at) = program.roles[k].into.unwrap_or((k, 0));
            vec![Val::Ptr(Ptr { object: base + object, at, low: 0, high: objects[object].cells.len() })]
        }
        _ => machine.objects[base + k].clone(),
    };
    let args = (0..head.params).map(arg).collect();
    let result = machine.call(program.procs.len() - 1, args)?;
    let result = match result.first() {
        Some(Val::Real(dual)) => Some(*dual),
        Some(Val::Int(value)) => Some(Dual::of(*value as f64)),
        _ => None,
    };
    Ok(Ran { cells: machine.objects[base..].to_vec(), result, largest: machine.largest, poles: machine.poles })
}

/// Size and alignment of a type.
pub fn layout(program: &Program, ty: &Ty) -> (usize, usize) {
    match ty {
        Ty::Void => (0, 1),
        Ty::Int(int) => (int.bits() as usize / 8, int.bits() as usize / 8),
        Ty::F32 => (4, 4),
        Ty::F64 | Ty::Ptr(_) => (8, 8),
        Ty::Array(of, count) => {
            let (size, align) = layout(program, of);
            (size * count, align)
        }
        Ty::Struct(of) => {
            let (mut at, mut most) = (0_usize, 1);
            for (_, ty) in &program.structs[*of].fields {
                let (size, align) = layout(program, ty);
                at = at.next_multiple_of(align) + size;
                most = most.max(align);
            }
            (at.next_multiple_of(most), most)
        }
    }
}

/// Type and offset of each scalar of an object, and its size.
pub fn offsets(program: &Program, object: &Object) -> (Vec<(Ty, usize)>, usize) {
    let (size, _) = layout(program, &object.ty);
    let mut out = Vec::new();
    (0..object.count).for_each(|k| walk(program, &object.ty, k * size, &mut out));
    (out, size * object.count)
}

fn walk(program: &Program, ty: &Ty, at: usize, out: &mut Vec<(Ty, usize)>) {
    match ty {
        Ty::Array(of, count) => {
            let (size, _) = layout(program, of);
            (0..*count).for_each(|k| walk(program, of, at + k * size, out));
        }
        Ty::Struct(of) => {
            let mut offset = 0_usize;
            for (_, ty) in &program.structs[*of].fields {
                let (size, align) = layout(program, ty);
                offset = offset.next_multiple_of(align);
                walk(program, ty, at + offset, out);
                offset += size;
            }
        }
        ty => out.push((ty.clone(), at)),
    }
}

/// Scalars as bytes; addresses stay 0.
pub fn encode(program: &Program, object: &Object, cells: &[Cell]) -> Vec<u8> {
    let (offsets, size) = offsets(program, object);
    let mut bytes = vec![0; size];
    for ((ty, at), cell) in offsets.iter().zip(cells) {
        match (ty, cell) {
            (Ty::F32, Cell::Real(v)) => bytes[*at..at + 4].copy_from_slice(&(*v as f32).to_le_bytes()),
            (_, Cell::Real(v)) => bytes[*at..at + 8].copy_from_slice(&v.to_le_bytes()),
            (Ty::Int(int), Cell::Int(v)) => {
                let count = int.bits() as usize / 8;
                bytes[*at..at + count].copy_from_slice(&v.to_le_bytes()[..count]);
            }
            _ => {}
        }
    }
    bytes
}

/// The scalars in some bytes; what is no number counts as 0.
pub fn decode(program: &Program, object: &Object, bytes: &[u8]) -> Vec<Cell> {
    let (offsets, _) = offsets(program, object);
    let value = |(ty, at): &(Ty, usize)| match ty {
        Ty::F32 => Cell::Real(f64::from(f32::from_le_bytes(bytes[*at..at + 4].try_into().unwrap()))),
        Ty::F64 => Cell::Real(f64::from_le_bytes(bytes[*at..at + 8].try_into().unwrap())),
        Ty::Int(int) => {
            let mut all = [0; 16];
            let count = int.bits() as usize / 8;
            all[..count].copy_from_slice(&bytes[*at..at + count]);
            Cell::Int(int.wrap(i128::from_le_bytes(all)))
        }
        _ => Cell::Int(0),
    };
    offsets.iter().map(value).collect()
}
