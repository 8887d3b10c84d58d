//! `for`, `while`, `do`.

use super::*;
use crate::ir::rewrite;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// `for (init; test; step) body`
    pub fn for_statement(&mut self, node: &'a Node<'a>) -> Result<Ends> {
        let [init, _, test, step, body] = &node.inner[..] else { return self.unknown(node) };
        let visible = self.visible.len();
        match init.kind {
            "" | "NullStmt" => {}
            "DeclStmt" => init.inner.iter().try_for_each(|part| self.declaration(part))?,
            _ => match self.entry(body) {
                None => self.effect(init)?,
                Some(entered) => {
                    self.b.begin_branch(unary(Unary::Not, entered, Type::int()));
                    self.effect(init)?;
                    self.b.end_branch();
                }
            },
        }
        let present = |node: &'a Node<'a>| (!node.kind.is_empty()).then_some(node);
        let ends = self.looped(present(test), present(step), body)?;
        self.close_scope(visible);
        Ok(ends)
    }

    /// `while (test) body`
    pub fn while_statement(&mut self, node: &'a Node<'a>) -> Result<Ends> {
        let [test, body] = &node.inner[..] else { return self.unknown(node) };
        self.looped(Some(test), None, body)
    }

    fn looped(&mut self, test: Option<&'a Node<'a>>, step: Option<&'a Node<'a>>, body: &'a Node<'a>) -> Result<Ends> {
        let out = self.target("left");
        self.b.begin_loop();
        let next = self.target("skipped");
        let first = self.b.items_here().len();
        let on = match test {
            Some(test) => self.test_unless_entered(test, [Some(body), None])?,
            None => truth_constant(true),
        };
        // What the test assigns (`while (n--)`) is at the same time the beginning of the body.
        let (pure, inlined) = self.inline(on.clone(), first);
        let assigns = self.b.items_here().len() > first;
        let endless = known(&on).is_some_and(|value| value != 0);
        self.breaks.push(out);
        self.continues.push(next);
        let mut ends;
        if pure {
            ends = self.body_and_step(body, step, next);
            let targets: Vec<_> = ends.leaves.iter().map(|target| self.jumps.flags[*target]).collect();
            let stayed = targets.into_iter().fold(truth_constant(true), |all, flag| {
                let flag = self.b.head(flag);
                and(all, unary(Unary::Not, flag, Type::int()))
            });
            self.b.test(and(stayed, inlined), TestAt::Before);
        } else {
            let on = self.b.keep("test", on);
            self.b.begin_branch(on.clone());
            ends = self.body_and_step(body, step, next);
            self.b.end_branch();
            let stayed = self.stayed(&ends.leaves);
            self.b.test(and(stayed, on), TestAt::After);
        }
        self.breaks.pop();
        self.continues.pop();
        self.b.end_loop();
        if let (Some(test), true, true) = (test, pure, assigns) {
            // The last test, which failed, has assigned, too.
            let mut failed = Ok(());
            self.guarded(ends.leaves.clone(), |this| {
                failed = this.effect(test);
                Ends::falls()
            });
            failed?;
        }
        let broke = ends.leaves.remove(&out);
        self.close_target(out);
        ends.falls = !endless || broke;
        Ok(ends)
    }

    /// The body, and the step unless control has left.
    fn body_and_step(&mut self, body: &'a Node<'a>, step: Option<&'a Node<'a>>, next: Target) -> Ends {
        if let Some(step) = step
            && !continues(body)
            && !scan::has_label(body)
        {
            self.close_target(next);
            return self.body_with_step(body, step);
        }
        let mut ends = self.statement(body);
        ends.falls |= ends.leaves.remove(&next);
        self.close_target(next);
        let Some(step) = step.filter(|_| ends.falls) else { return ends };
        let of = self.enclosing;
        self.guarded(ends.leaves, |this| this.step_of_loop(step, of))
    }

    /// The step as the last statement of a body without `continue`: an arm that leaves needs no guard around it.
    fn body_with_step(&mut self, body: &'a Node<'a>, step: &'a Node<'a>) -> Ends {
        let step = Piece::Step(step, self.enclosing);
        if body.kind != "CompoundStmt" {
            return self.plain(&[Piece::Statement(body), step]);
        }
        let before = self.enter_statement(body);
        let visible = self.visible.len();
        let mut pieces: Vec<_> = body.inner.iter().map(Piece::Statement).collect();
        pieces.push(step);
        let ends = self.plain(&pieces);
        self.close_scope(visible);
        self.leave_statement(before);
        ends
    }

    /// The step of the loop that is the statement `of`.
    pub fn step_of_loop(&mut self, step: &'a Node<'a>, of: Option<StatementId>) -> Ends {
        let before = (self.enclosing, self.b.statement, self.b.span);
        (self.enclosing, self.b.statement, self.b.span) = (of, of, self.span(step));
        self.effects = Effects::default();
        if let Err(refusal) = self.effect(step) {
            self.reader.refusals.push(*refusal);
        }
        self.leave_statement(before);
        Ends::falls()
    }

    /// The test with the definitions put in that it made as items from `first` on; whether these are all it made.
    fn inline(&mut self, test: Expr, first: usize) -> (bool, Expr) {
        let proc = self.b.proc();
        let mut made = FxHashMap::default();
        for item in &self.b.items_here()[first..] {
            let ItemKind::Let { value } = proc.items[*item].kind else { return (false, test) };
            if let Def::Is(expr) = &proc.values[value].def {
                made.insert(value, expr.clone());
            }
        }
        let mut test = test;
        rewrite::substitute(&mut test, &|value| made.get(&value).cloned());
        (true, test)
    }

    /// `do body while (test);`
    pub fn do_statement(&mut self, node: &'a Node<'a>) -> Result<Ends> {
        let [body, test] = &node.inner[..] else { return self.unknown(node) };
        if is_zero(test) {
            return Ok(self.once(body));
        }
        let out = self.target("left");
        self.b.begin_loop();
        let next = self.target("skipped");
        self.breaks.push(out);
        self.continues.push(next);
        let mut ends = self.statement(body);
        self.breaks.pop();
        self.continues.pop();
        ends.falls |= ends.leaves.remove(&next);
        self.close_target(next);
        let mut endless = false;
        if ends.falls {
            self.effects = Effects::default();
            let on = if ends.leaves.is_empty() || !self.has_items(test) {
                let on = self.truth(test)?;
                endless = known(&on).is_some_and(|value| value != 0);
                let stayed = self.stayed(&ends.leaves);
                and(stayed, on)
            } else {
                let var = self.b.var("test", Type::int(), VarKind::Temporary, self.b.span);
                let stayed = self.stayed(&ends.leaves);
                self.b.begin_branch(stayed);
                let on = self.truth(test)?;
                let on = binary(Binary::NotEqual, on.clone(), zero(&on.ty), Type::int());
                self.b.assign(var, on);
                self.b.otherwise();
                self.b.assign(var, truth_constant(false));
                self.b.end_branch();
                self.b.get(var)
            };
            self.b.test(on, TestAt::After);
        } else {
            self.b.test(truth_constant(false), TestAt::After);
        }
        self.b.end_loop();
        let broke = ends.leaves.remove(&out);
        self.close_target(out);
        ends.falls = (ends.falls && !endless) || broke;
        Ok(ends)
    }

    /// `do body while (0);` is no loop: `break` and `continue` leave it.
    fn once(&mut self, body: &'a Node<'a>) -> Ends {
        let out = self.target("left");
        self.breaks.push(out);
        self.continues.push(out);
        let mut ends = self.statement(body);
        self.breaks.pop();
        self.continues.pop();
        ends.falls |= ends.leaves.remove(&out);
        self.close_target(out);
        ends
    }
}

/// Whether a body has a `continue` of its own loop.
fn continues(node: &Node) -> bool {
    match node.kind {
        "ContinueStmt" => true,
        "ForStmt" | "WhileStmt" | "DoStmt" => false,
        _ => node.inner.iter().any(continues),
    }
}

fn is_zero(node: &Node) -> bool {
    let mut node = node.bare();
    while node.kind == "ImplicitCastExpr" {
        match node.inner.first() {
            Some(inner) => node = inner.bare(),
            None => return false,
        }
    }
    node.kind == "IntegerLiteral" && node.value == "0"
}
