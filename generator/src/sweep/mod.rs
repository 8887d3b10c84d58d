//! From a program and its plan to the sweeps, as intermediate representation: nothing here is text.

pub mod adjoint;
pub mod bases;
mod builder;
pub mod context;
pub mod dead;
mod explain;
mod first;
pub mod forward;
mod homes;
pub mod items;
pub mod leaves;
pub mod live;
mod locals;
mod loops;
mod members;
mod repeated;
pub mod reverse;
mod runs;
pub mod shadow;
pub mod tangent;
pub mod tidy;
mod values;
pub mod vector;

use crate::ir::{Binary, Dim, Expr, Object, ObjectId, Place, Type};
use items::binary;
use rustc_hash::{FxHashMap, FxHashSet};

/// The first element of a local object and the number of its elements.
pub(crate) fn contents(object: &Object, id: ObjectId, shape: &[Dim]) -> (Place, Expr) {
    let ty = Type::size();
    let one = Expr::constant(1, ty.clone());
    let extents = shape.iter().filter_map(|dim| dim.extent.clone());
    let count = extents.fold(None, |product: Option<Expr>, extent| {
        let extent = items::cast(*extent, &ty);
        Some(match product {
            Some(product) => binary(Binary::Multiply, product, extent, ty.clone()),
            None => extent,
        })
    });
    (object.first(id), count.unwrap_or(one))
}

/// The names of objects and variables of a sweep.
#[derive(Default)]
pub(crate) struct Taken {
    names: FxHashSet<String>,
    /// The numbers below these are taken, by name.
    next: FxHashMap<String, u32>,
}

impl Taken {
    /// Takes a name, whoever has it.
    pub fn take(&mut self, name: &str) {
        if !self.names.contains(name) {
            self.names.insert(name.to_owned());
        }
    }

    /// A name that nobody has, with a number behind it if need be.
    pub fn unique(&mut self, name: String) -> String {
        let mut free = name.clone();
        if self.names.contains(&name) {
            let next = self.next.entry(name.clone()).or_insert(1);
            while self.names.contains(&free) {
                free = format!("{name}_{next}");
                *next += 1;
            }
        }
        self.names.insert(free.clone());
        free
    }
}

/// A name that no object and no variable of the procedure has, nor a variable at file scope.
pub(crate) fn unique_parameter(program: &crate::ir::Program, proc: &crate::ir::Proc, name: String) -> String {
    let is_global = |name: &str| program.globals.iter().any(|global| global.name == name);
    let mut numbered = (1..).map(|k| format!("{name}_{k}"));
    let mut free = unique(proc, name.clone());
    while is_global(&free) {
        free = unique(proc, numbered.next().unwrap_or_default());
    }
    free
}

/// A name that no object and no variable of the procedure has.
pub(crate) fn unique(proc: &crate::ir::Proc, name: String) -> String {
    let taken = |name: &str| {
        proc.objects.iter().any(|object| object.name == name) || proc.vars.iter().any(|var| var.name == name)
    };
    if !taken(&name) {
        return name;
    }
    let numbered = (1..).map(|k| format!("{name}_{k}"));
    numbered.into_iter().find(|name| !taken(name)).unwrap_or(name)
}
