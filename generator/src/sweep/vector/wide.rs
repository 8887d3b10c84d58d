//! Types of adjoints with several directions.

use crate::ir::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How types of adjoints differ from those of the program.
#[derive(Clone, Debug)]
pub struct Wide {
    /// How many adjoints there are of each real.
    pub directions: u32,
    /// The struct of the adjoints of each struct.
    structs: BTreeMap<StructId, StructId>,
    /// These structs, each behind those that it holds.
    pub order: Vec<StructId>,
}

impl Wide {
    /// For adjoints of these types, and those of what the program keeps in variables with static storage.
    pub fn new(program: &mut Program, globals: &BTreeSet<GlobalId>, types: &[Type], directions: u32) -> Wide {
        let mut wide = Wide { directions, structs: BTreeMap::new(), order: Vec::new() };
        types.iter().for_each(|ty| wide.declare(program, ty));
        for global in globals {
            let elem = program.globals[*global].elem.clone();
            wide.declare(program, &elem);
            widen_object(&wide, &mut program.globals[*global]);
        }
        wide
    }

    /// The type of the adjoint of what has a type.
    pub fn ty(&self, ty: &Type) -> Type {
        match ty {
            Type::Float { .. } => Type::array(ty.clone(), Some(u64::from(self.directions))),
            Type::Pointer(to) => Type::pointer(self.ty(to)),
            Type::Array(row) => Type::array(self.ty(&row.elem), row.extent),
            Type::Struct(id) => Type::Struct(self.structs.get(id).copied().unwrap_or(*id)),
            other => other.clone(),
        }
    }

    pub(super) fn dim(&self) -> Dim {
        Dim::constant(u64::from(self.directions))
    }

    /// Adds structs of adjoints for those in a type.
    fn declare(&mut self, program: &mut Program, ty: &Type) {
        match ty {
            Type::Pointer(to) => self.declare(program, to),
            Type::Array(row) => self.declare(program, &row.elem),
            Type::Struct(id) if !self.structs.contains_key(id) => {
                let new = StructId::new(program.types.structs.len());
                self.structs.insert(*id, new);
                let name = fresh(program, &program.types.structs[*id].name);
                let adjoints = Some((*id, self.directions));
                program.types.structs.push(Struct { name, adjoints, ..Struct::default() });
                let fields = program.types.structs[*id].fields.clone();
                fields.iter().for_each(|field| self.declare(program, &field.ty));
                let wide = |field: Field| Field { ty: self.ty(&field.ty), read_only: false, ..field };
                program.types.structs[new].fields = fields.into_iter().map(wide).collect();
                self.order.push(new);
            }
            _ => {}
        }
    }
}

/// `struct point_v` for `struct point`, and for `point`; a word that the sources do not have.
pub(super) fn fresh(program: &Program, name: &str) -> String {
    let word = name.rsplit(' ').next().filter(|word| !word.contains(':')).unwrap_or("unnamed");
    let taken = |name: &String| {
        program.sources.iter().any(|source| source.text.contains(name.as_str()))
            || program.types.structs.iter().any(|known| known.name.ends_with(name.as_str()))
    };
    let numbered = (2..).map(|n| format!("{word}_v{n}"));
    let word = [format!("{word}_v")].into_iter().chain(numbered).find(|name| !taken(name)).expect("endless");
    format!("struct {word}")
}

pub(super) fn widen_object(wide: &Wide, object: &mut Object) {
    match object.elem {
        Type::Float { .. } => object.shape.push(wide.dim()),
        _ => object.elem = wide.ty(&object.elem),
    }
}

/// What all reverse sweeps have in common.
#[derive(Clone, Copy)]
pub struct Common<'a> {
    /// The parameters of each, by the procedure that it reverses.
    pub called: &'a FxHashMap<ProcId, Vec<ReverseParam>>,
    /// Variables with static storage that are adjoints.
    pub globals: &'a BTreeSet<GlobalId>,
}

/// What a reverse sweep is made of, and how it is called.
pub struct Given<'a> {
    /// The procedure that it reverses.
    pub primal: &'a Proc,
    /// What its parameters are.
    pub roles: &'a [ReverseParam],
    /// What it has in common with others.
    pub common: Common<'a>,
}
