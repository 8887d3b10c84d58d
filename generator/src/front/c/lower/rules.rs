//! Calls of functions by their rules, and what the bodies that stand for these call.

use super::external::Passive;
use super::*;
use crate::front::c::mpi::body::UNKNOWN_REQUEST;
use crate::front::c::rules::{GIVEN, NEED, UNKNOWN};

impl<'a> Lower<'_, 'a> {
    /// A call of a function with a rule, of one that no derivative passes through, or of what a body that stands for a
    /// function says; `None` for others.
    pub fn by_rule(&mut self, node: &'a Node<'a>, name: &str, wanted: bool) -> Result<Option<Option<Expr>>> {
        let args = &node.inner[1..];
        if self.reader.units[self.unit].of_bodies {
            match name {
                UNKNOWN | UNKNOWN_REQUEST => {
                    return self.call_external(node, passive(name), Passive::HARMLESS, wanted).map(Some);
                }
                NEED => return self.need(args).map(|()| Some(None)),
                GIVEN => return self.given_here(args).map(|()| Some(None)),
                _ => {}
            }
        }
        if self.reader.rules.is_passive(name) {
            return self.call_external(node, passive(name), Passive::HARMLESS, wanted).map(Some);
        }
        let is_one = |k: usize| args.get(k).is_some_and(|arg| is_one(arg));
        let Some(body) = self.reader.rules.stands_for(name, &is_one) else { return Ok(None) };
        match self.reader.procedure(self.unit, &body, true, Vec::new()) {
            Some(id) => self.call_procedure(node, id, wanted).map(Some),
            None => Ok(None),
        }
    }

    fn need(&mut self, args: &'a [Node<'a>]) -> Result<()> {
        let mut values = Vec::new();
        for arg in args {
            values.push(bare(self.value(arg)?));
        }
        if values.is_empty() {
            return Ok(());
        }
        let when = values.split_off(1);
        self.b.emit(ItemKind::Given { args: Vec::new(), needs: values, when });
        Ok(())
    }

    fn given_here(&mut self, nodes: &'a [Node<'a>]) -> Result<()> {
        let mut args = Vec::new();
        for node in nodes {
            args.push(bare(self.value(node)?));
        }
        self.b.emit(ItemKind::Given { args, needs: Vec::new(), when: Vec::new() });
        Ok(())
    }
}

/// Without the conversions of an argument that no prototype names.
fn bare(mut value: Expr) -> Expr {
    while let ExprKind::Cast(inner) = value.kind {
        value = *inner;
    }
    value
}

/// Whether an argument is the number 1.
fn is_one(arg: &Node) -> bool {
    let arg = arg.bare();
    match arg.kind {
        "IntegerLiteral" => arg.value == "1",
        "UnaryOperator" if arg.operator == "&" => false,
        "ImplicitCastExpr" | "ParenExpr" | "ConstantExpr" => arg.inner.first().is_some_and(is_one),
        _ => false,
    }
}

/// A function that no derivative passes through.
pub fn passive(name: &str) -> External {
    External::Passive { call: name.to_string(), same: false }
}
