//! Calls of functions without source that compute nothing active.

use super::*;
use make::*;

/// What is known of a function that computes nothing active.
#[derive(Clone, Copy)]
pub struct Passive {
    /// Whether it comes back.
    pub returns: bool,
    /// Whether it may write any variable with static storage.
    pub unknown: bool,
}

impl Passive {
    pub const UNKNOWN: Passive = Passive { returns: true, unknown: true };
    /// It does not come back.
    pub const LAST: Passive = Passive { returns: false, unknown: false };
    /// It leaves the program's memory alone.
    pub const HARMLESS: Passive = Passive { returns: true, unknown: false };
}

impl<'a> Lower<'_, 'a> {
    /// Refuses a format that writes to memory.
    pub fn prints_to_memory(&self, node: &'a Node<'a>) -> Result<()> {
        let writes = |part: &Node| part.kind == "StringLiteral" && part.value.contains("%n");
        if node.inner[1..].iter().any(|part| scan::any(part, &writes)) {
            return self.refuse(node, Class::NoSource, "'%n' writes to memory", "count the characters another way");
        }
        Ok(())
    }

    pub fn call_passive(
        &mut self,
        node: &'a Node<'a>,
        name: &str,
        known: Passive,
        wanted: bool,
    ) -> Result<Option<Expr>> {
        self.call_external(node, External::Named(name.to_string()), known, wanted)
    }

    pub fn call_external(
        &mut self,
        node: &'a Node<'a>,
        function: External,
        Passive { returns, unknown }: Passive,
        wanted: bool,
    ) -> Result<Option<Expr>> {
        let named = function.name().to_string();
        let name = named.as_str();
        let parts = &node.inner[1..];
        self.prints_to_memory(node)?;
        let mut args = Vec::new();
        for part in parts {
            let aside = self.begin_operand();
            let read = part.bare();
            let read = if read.operator == "LValueToRValue" { read.only().bare() } else { read };
            let arg = if read.operator == "*" && scan::is_errno(read) {
                Expr::verbatim(declare::ERRNO, Type::int())
            } else if let Some(of) = as_bytes(part).filter(|_| library::only_reads(name)) {
                cast(self.value(of)?, self.ir_type(part))
            } else {
                self.value(part)?
            };
            args.push(arg);
            self.end_operand(aside, part)?;
        }
        // Two calls that print may come in either order.
        if library::has_state(name) {
            self.touch_call(name, Summary::HIDDEN, &[]);
        }
        let result = self.ctype(node);
        let var = match result.ty {
            CType::Void => None,
            _ if !wanted => None,
            CType::Int { .. } | CType::Pointer(_) => {
                Some(self.b.var("result", result.ty.ir(), VarKind::Temporary, self.b.span))
            }
            CType::Float(_) => Some(self.b.var("result", result.ty.ir(), VarKind::Temporary, self.b.span)),
            _ => return self.unknown(node),
        };
        self.b.call(Callee::External { function, returns, unknown }, args, var, None);
        Ok(var.map(|var| self.b.get(var)))
    }
}

/// What is cast to a pointer to characters, as which any memory may be read.
fn as_bytes<'a>(arg: &'a Node<'a>) -> Option<&'a Node<'a>> {
    let is_pointer = |ty: &str| matches!(ty, "char *" | "const char *" | "unsigned char *" | "const unsigned char *");
    let arg = arg.bare();
    let casts = arg.kind == "CStyleCastExpr" && arg.operator == "BitCast" && is_pointer(arg.ty());
    arg.inner.first().filter(|_| casts)
}
