//! The shadows of variables at file scope.

use std::collections::BTreeMap;

use super::expr::Exprs;
use super::text::Text;
use crate::ir::*;
use crate::names;

impl Text {
    /// Declarations and definitions of the shadows of globals; of those that other files may not name only what the
    /// sweeps use.
    pub(super) fn shadows(&mut self, program: &Program, shadows: &BTreeMap<GlobalId, GlobalId>, what: &str) {
        let nothing = Proc::default();
        let exprs = Exprs { program, proc: &nothing, flat: false };
        for (primal, shadow) in shadows {
            let object = &program.globals[*shadow];
            let mut name = object.name.clone();
            for dim in &object.shape {
                let extent = match dim.extent.as_deref().map(|extent| &extent.kind) {
                    Some(ExprKind::Int(n)) => n.to_string(),
                    _ => String::new(),
                };
                name += &format!("[{extent}]");
            }
            let text = exprs.declare(&object.elem, &name);
            if program.hidden.contains(shadow) {
                if names::words(&self.bodies).any(|word| word == object.name) {
                    self.shadows += &format!("static {text};\n");
                }
                continue;
            }
            let of = &program.globals[*primal].name;
            // The header and the source must name one type: a struct without a name gets one here.
            let (first, again) = match text.strip_prefix("struct {").and_then(|rest| rest.rsplit_once('}')) {
                Some((members, declared)) => (
                    format!("struct {} {{{members}}}{declared}", object.name),
                    format!("struct {}{declared}", object.name),
                ),
                None => (text.clone(), text),
            };
            self.globals += &format!("/* The {what} of {of}: read, added to. */\nextern {first};\n");
            self.shadows += &format!("{again};\n");
        }
    }
}
