//! Statements.

use super::*;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// Lowers a statement. What it refuses is noted, and lowering goes on behind it.
    pub fn statement(&mut self, node: &'a Node<'a>) -> Ends {
        if node.kind.is_empty() || node.kind == "NullStmt" {
            return Ends::falls();
        }
        if node.kind == "AttributedStmt" {
            return node.inner.last().map_or_else(Ends::falls, |inner| self.statement(inner));
        }
        let before = self.enter_statement(node);
        let depth = self.b.depth();
        self.effects = Effects::default();
        let ends = deep(|| self.lower_statement(node)).unwrap_or_else(|refusal| {
            self.give_up(*refusal, depth);
            Ends::falls()
        });
        self.leave_statement(before);
        ends
    }

    /// Notes a refusal, and ends what is begun beyond this depth.
    pub fn give_up(&mut self, refusal: Refusal, depth: usize) {
        self.reader.refusals.push(refusal);
        self.b.close_to(depth);
    }

    fn lower_statement(&mut self, node: &'a Node<'a>) -> Result<Ends> {
        match node.kind {
            "CompoundStmt" => Ok(self.compound(node)),
            "DeclStmt" => {
                // What stands behind a declarator that is refused is declared, too: its uses are no reason of their own.
                let depth = self.b.depth();
                for part in &node.inner {
                    if let Err(refusal) = self.declaration(part) {
                        self.give_up(*refusal, depth);
                    }
                }
                Ok(Ends::falls())
            }
            "IfStmt" => self.if_statement(node, &[], None),
            "ForStmt" => self.for_statement(node),
            "WhileStmt" => self.while_statement(node),
            "DoStmt" => self.do_statement(node),
            "SwitchStmt" => self.switch(node),
            "ReturnStmt" => self.return_statement(node),
            "BreakStmt" => self.jump(node, self.breaks.last().copied()),
            "ContinueStmt" => self.jump(node, self.continues.last().copied()),
            "GotoStmt" => match self.jumps.labels.get(&node.refers).copied() {
                Some(target) => self.jump(node, Some(target)),
                None => match self.body.and_then(|body| scan::ending(body, node.refers)) {
                    // They stand here once more.
                    Some(statements) => {
                        let pieces: Vec<_> = statements.into_iter().map(Piece::Statement).collect();
                        Ok(self.plain(&pieces))
                    }
                    None => self.refuse(
                        node,
                        Class::Control,
                        "this goto leads into a switch, or into a loop behind the declaration that begins it",
                        "move the label to the block of the goto, or to one around it",
                    ),
                },
            },
            // A label at the end of an arm without braces, or one that nothing jumps to.
            "LabelStmt" => Ok(self.list(std::slice::from_ref(node))),
            "IndirectGotoStmt" => {
                self.refuse(node, Class::Control, "a goto whose label is computed", "use switch and labels")
            }
            "GCCAsmStmt" | "MSAsmStmt" => {
                self.refuse(node, Class::Language, "inline assembly is not understood", "write it in C")
            }
            "CaseStmt" | "DefaultStmt" => self.refuse(
                node,
                Class::Control,
                "a case label within a statement of a switch",
                "put the case labels directly into the braces of the switch",
            ),
            "VAArgExpr" => self.value(node).map(|_| Ends::falls()),
            _ => {
                self.effect(node)?;
                Ok(Ends::falls())
            }
        }
    }

    /// `{ ... }`
    fn compound(&mut self, node: &'a Node<'a>) -> Ends {
        let visible = self.visible.len();
        let ends = self.list(&node.inner);
        self.close_scope(visible);
        ends
    }

    /// Ends the scope of what was declared since `visible` names were.
    pub fn close_scope(&mut self, visible: usize) {
        for (_, id) in self.visible.split_off(visible) {
            if let Some(Binding::Var(var)) = self.bindings.get(&id) {
                self.b.close_scope(*var);
            }
        }
    }

    fn jump(&mut self, node: &'a Node<'a>, target: Option<Target>) -> Result<Ends> {
        match target {
            Some(target) => {
                self.leave(target);
                Ok(Ends::leaves(target))
            }
            None => self.unknown(node),
        }
    }

    /// `if`. With `rest`, what follows the statement goes to the arm that falls: the first if `in_then`.
    pub fn if_statement(
        &mut self,
        node: &'a Node<'a>,
        rest: &[Piece<&'a Node<'a>>],
        in_then: Option<bool>,
    ) -> Result<Ends> {
        let [on, then, others @ ..] = &node.inner[..] else { return self.unknown(node) };
        let otherwise = others.first();
        let [mut into_then, into_otherwise] = scan::crossing_labels(node);
        if !into_otherwise.is_empty() {
            // Jumps both ways: those into the first arm begin a new pass.
            into_then.retain(|label| !self.jumps.repeated.contains(label));
            if let Some(label) = into_then.first() {
                return Ok(self.again(*label, true, &[Piece::Statement(node)]));
            }
        }
        let on = self.test_unless_entered(on, [Some(then), otherwise])?;
        let is_into_then = !into_then.is_empty();
        let labels = if is_into_then { into_then } else { into_otherwise };
        if let (Some(otherwise), false) = (otherwise, labels.is_empty()) {
            return Ok(self.crossing(on, [then, otherwise], labels, is_into_then));
        }
        if let Some(value) = known(&on) {
            let (taken, other) = if value != 0 { (Some(then), otherwise) } else { (otherwise, Some(then)) };
            if !other.is_some_and(scan::has_label) {
                let mine = taken.map_or_else(Ends::falls, |taken| self.statement(taken));
                return Ok(self.followed(mine, rest, true));
            }
        }
        self.b.begin_branch(on);
        let first = self.statement(then);
        let first = self.followed(first, rest, in_then == Some(true));
        self.b.otherwise();
        let second = otherwise.map_or_else(Ends::falls, |otherwise| self.statement(otherwise));
        let second = self.followed(second, rest, in_then == Some(false));
        self.b.end_branch();
        Ok(first.or(second))
    }

    /// Lowers `rest` behind an arm that ended so, if it belongs there.
    fn followed(&mut self, ends: Ends, rest: &[Piece<&'a Node<'a>>], here: bool) -> Ends {
        if !here || rest.is_empty() || !ends.falls {
            return ends;
        }
        let inside = self.enclosing.take();
        // What follows belongs to the statement around the `if`.
        self.enclosing = inside.and_then(|id| self.b.proc().statements[id].parent);
        let (statement, span) = (self.b.statement, self.b.span);
        let ends = self.guarded(ends.leaves, |this| this.plain(rest));
        (self.enclosing, self.b.statement, self.b.span) = (inside, statement, span);
        ends
    }

    /// `({ ... })`: its value is that of its last statement.
    pub fn statement_expression(&mut self, node: &'a Node<'a>, wanted: bool) -> Result<Option<Expr>> {
        let Some(body) = node.inner.first().filter(|body| body.kind == "CompoundStmt") else {
            return self.unknown(node);
        };
        let leaves = scan::any(body, &|part| {
            matches!(part.kind, "ReturnStmt" | "BreakStmt" | "ContinueStmt" | "GotoStmt" | "LabelStmt")
        });
        if leaves {
            return self.refuse(node, Class::Control, "a jump out of an expression", "write it as statements");
        }
        let visible = self.visible.len();
        let last = body.inner.len().saturating_sub(usize::from(wanted));
        let effects = std::mem::take(&mut self.effects);
        let may_part = std::mem::replace(&mut self.may_part, false);
        for part in &body.inner[..last] {
            let before = (self.enclosing, self.b.statement, self.b.span);
            self.lower_statement(part)?;
            self.leave_statement(before);
        }
        self.may_part = may_part;
        let value = match body.inner.last() {
            Some(value) if wanted => Some(self.value(value)?),
            _ => None,
        };
        // The value may name memory that later parts of the expression write.
        let value = value.map(|value| self.b.keep("value", value));
        let inner = std::mem::replace(&mut self.effects, effects);
        let aside = std::mem::replace(&mut self.effects, inner);
        let _ = self.end_operand(aside, node);
        self.close_scope(visible);
        Ok(value)
    }
}
