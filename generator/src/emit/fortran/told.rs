//! Variables with static storage that have an adjoint: how the check, which is in C, learns where they are.
//!
//! ```text
//!   f_b ──► a procedure of each module ──► the check: loc(v), loc(v_b), loc(v_d)      v may be allocatable
//!     └───────────────────────────────────► the same of variables in COMMON
//! ```

use super::check::Check;
use super::head::{Dummies, Written};
use super::lines::broken;
use super::parts::Parts;
use crate::check::Lasting;
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet};

impl Check<'_> {
    /// Variables of modules and in COMMON with adjoint and tangent: the names of all three.
    pub fn triples(&self) -> Vec<(GlobalId, [String; 3])> {
        let (program, other) = (self.unit.program, self.other.program);
        let all = self.adjoint.global_shadows.iter().filter_map(|(primal, shadow)| {
            let tangent = self.tangents.global_tangents.get(primal)?;
            let name = |program: &Program, id: GlobalId| program.globals[id].name.clone();
            Some((*primal, [name(program, *primal), name(program, *shadow), name(other, *tangent)]))
        });
        all.collect()
    }

    /// These variables, as C finds them.
    pub fn lasting(&self) -> Vec<Lasting> {
        let all = self.triples().into_iter().enumerate();
        let field = |k: usize, name: &str| format!("@_variables[{k}].{name}");
        all.map(|(k, (_, [name, ..]))| {
            let fields = ["primal", "adjoint", "tangent", "bytes"].map(|name| field(k, name)).join(", ");
            Lasting { name, fields: format!("{fields}, 1") }
        })
        .collect()
    }

    /// Modules that have such variables.
    pub fn modules(&self) -> BTreeSet<usize> {
        self.triples().iter().filter_map(|(primal, ..)| self.unit.stored(*primal).module()).collect()
    }

    pub fn teller(&self, module: usize) -> String {
        format!("{}_variables_{module}", self.unit.witness)
    }

    /// Adds to a head what tells C where variables in COMMON are: the sweeps have them from a module of their own.
    pub fn shared_variables(&self, dummies: &mut Dummies, written: &mut Written) {
        let mut calls = Vec::new();
        for (k, (primal, names)) in self.triples().into_iter().enumerate() {
            if !matches!(self.unit.stored(primal).home, Home::Block) {
                continue;
            }
            let own = names.map(|name| {
                let own = dummies.taken.fresh(&name);
                written.others.push((self.unit.memory_module(), format!("{own} => {name}")));
                own
            });
            calls.push(self.tell(k, &own, !self.unit.program.globals[primal].shape.is_empty()));
        }
        if !calls.is_empty() {
            written.others.push((self.unit.check_module(), format!("{}_variable", self.unit.witness)));
        }
        written.statements.splice(0..0, calls);
    }

    /// The statement that tells C where a variable and its derivatives are.
    fn tell(&self, k: usize, [name, adjoint, tangent]: &[String; 3], is_array: bool) -> String {
        let size = if is_array { format!("*size({name})") } else { String::new() };
        format!(
            "call {}_variable({k}, loc({name}), loc({adjoint}), loc({tangent}), storage_size({name})/8{size})",
            self.unit.witness
        )
    }

    /// Adds the procedures that tell C where the variables of each module are.
    pub fn tellers(&self, parts: &mut Parts) {
        let mut bodies: BTreeMap<usize, String> = BTreeMap::new();
        for (k, (primal, names)) in self.triples().into_iter().enumerate() {
            let Some(module) = self.unit.stored(primal).module() else { continue };
            let object = &self.unit.program.globals[primal];
            let allocatable = self.unit.derived(&object.elem).filter(|of| of.is_bare);
            let is_array = allocatable.map_or(!object.shape.is_empty(), |of| !of.inquiries.is_empty());
            let tell = self.tell(k, &names, is_array);
            let [name, adjoint, tangent] = names;
            // The check has a tangent of its own, which nobody else allocates.
            let lines = match allocatable {
                Some(_) => vec![
                    format!("if (allocated({tangent})) deallocate ({tangent})"),
                    format!("if (allocated({name}) .and. allocated({adjoint})) then"),
                    format!("  allocate ({tangent}, mold={name})"),
                    format!("  {tell}"),
                    "else".to_string(),
                    format!("  call {}_variable({k}, 0_8, 0_8, 0_8, 0)", self.unit.witness),
                    "end if".to_string(),
                ],
                None => vec![tell],
            };
            let body = bodies.entry(module).or_default();
            lines.iter().for_each(|line| *body += &format!("    {line}\n"));
        }
        for (module, body) in bodies {
            let name = self.teller(module);
            let text = format!(
                "\n  subroutine {name}()\n    use {}, only: {}_variable\n{body}  end subroutine\n",
                self.unit.check_module(),
                self.unit.witness
            );
            *parts.bodies.entry(Some(module)).or_default() += &broken(&text);
            parts.name(Some(module), &name);
        }
    }
}
