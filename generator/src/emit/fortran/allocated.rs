//! Tests in front of an adjoint: what is allocatable and has an adjoint needs an allocated one.
//!
//! ```text
//!   if (allocated(v) .and. .not. allocated(v_b)) error stop '…'     v: of a module, or a component of an argument
//! ```

use super::head::Dummies;
use super::shared;
use super::unit::Unit;
use crate::ir::*;

/// Lines of statements, and what they name of other modules.
#[derive(Default)]
pub struct Tests {
    /// The statements.
    pub statements: Vec<String>,
    /// Modules and names.
    pub uses: Vec<(String, String)>,
}

impl Unit<'_> {
    /// The tests of a head that has sweeps.
    pub fn allocated(&self, head: ProcId, dummies: &Dummies) -> Tests {
        let mut tests = Tests::default();
        let primal = &self.program.procs[head];
        for (param, derivative) in primal.params.iter().zip(&dummies.derivatives) {
            if let Some(Type::Struct(of)) = param.ty.target()
                && !derivative.is_empty()
            {
                self.reals(*of, &param.name, derivative, &mut tests);
            }
        }
        let named = shared::named(self).remove(&head).unwrap_or_default();
        for shadow in named.into_iter().filter(|global| self.shadows.contains_key(global)) {
            self.variable(head, shadow, &mut tests);
        }
        tests
    }

    /// Tests a variable of a module.
    fn variable(&self, head: ProcId, shadow: GlobalId, tests: &mut Tests) {
        let (object, of) = (&self.program.globals[self.shadows[&shadow]], &self.program.globals[shadow]);
        let (Some(module), Type::Struct(id)) = (self.stored(shadow).module(), &object.elem) else { return };
        let known = &self.fortran.modules[module];
        let is_elsewhere = self.facts(head).module != Some(module);
        if !object.shape.is_empty() || is_elsewhere && known.hidden.contains_key(&object.name) {
            return;
        }
        let before = tests.statements.len();
        match self.derived(&object.elem) {
            Some(derived) if derived.is_bare => test(&object.name, &of.name, tests),
            _ => self.reals(*id, &object.name, &of.name, tests),
        }
        if is_elsewhere && tests.statements.len() > before {
            tests.uses.extend([&object.name, &of.name].map(|name| (known.name.clone(), name.clone())));
        }
    }

    /// Tests the allocatable reals in a variable of a derived type.
    fn reals(&self, id: StructId, primal: &str, adjoint: &str, tests: &mut Tests) {
        for field in self.program.types.structs[id].fields.iter() {
            let [inner, of] = [primal, adjoint].map(|name| format!("{name}%{}", field.name));
            match &field.ty {
                Type::Struct(id) => self.reals(*id, &inner, &of, tests),
                Type::Pointer(row) if matches!(row.innermost(), Type::Float { .. }) => test(&inner, &of, tests),
                _ => {}
            }
        }
    }
}

fn test(primal: &str, adjoint: &str, tests: &mut Tests) {
    let says = format!("'{adjoint} is not allocated: allocate it with the extents of {primal}'");
    tests.statements.push(format!("if (allocated({primal}) .and. .not. allocated({adjoint})) error stop {says}"));
}
