//! Jumps in C: what [`crate::front::jumps`] asks of statements, and what stands in the arms of an `if`.

use super::*;
use make::*;

impl<'a> Part for &'a Node<'a> {
    fn jumps_to(self, label: u64) -> bool {
        scan::jumps_to(self, label)
    }

    fn labels_inside(self) -> Vec<u64> {
        scan::labels_inside(self)
    }

    fn has_label(self) -> bool {
        scan::has_label(self)
    }

    fn may_fall(self) -> bool {
        scan::may_fall(self)
    }

    fn is_declaration(self) -> bool {
        self.kind == "DeclStmt"
    }

    fn arm_that_stays(self) -> Option<bool> {
        if self.kind != "IfStmt" || scan::crossing_labels(self).iter().any(|labels| !labels.is_empty()) {
            return None;
        }
        let then = self.inner.get(1).is_none_or(scan::may_fall);
        let otherwise = self.inner.get(2).is_none_or(scan::may_fall);
        (then != otherwise).then_some(then)
    }
}

impl<'a> Jumping for Lower<'_, 'a> {
    type Part = &'a Node<'a>;

    fn truth_type(&self) -> Type {
        Type::int()
    }

    fn builder(&mut self) -> &mut Builder {
        &mut self.b
    }

    fn jumps(&self) -> &Jumps {
        &self.jumps
    }

    fn jumps_mut(&mut self) -> &mut Jumps {
        &mut self.jumps
    }

    fn runs_anywhere(&self, label: u64) -> bool {
        self.body.is_some_and(|body| scan::ending(body, label).is_some())
    }

    fn part(&mut self, node: &'a Node<'a>) -> Ends {
        self.statement(node)
    }

    fn part_with_rest(&mut self, node: &'a Node<'a>, rest: &[Piece<&'a Node<'a>>], in_then: bool) -> Ends {
        let before = self.enter_statement(node);
        let depth = self.b.depth();
        self.effects = Effects::default();
        let ends = self.if_statement(node, rest, Some(in_then)).unwrap_or_else(|refusal| {
            self.give_up(*refusal, depth);
            self.plain(rest)
        });
        self.leave_statement(before);
        ends
    }

    fn step_part(&mut self, step: &'a Node<'a>, of: Option<StatementId>) -> Ends {
        self.step_of_loop(step, of)
    }

    fn declare_all(&mut self, pieces: &[Piece<&'a Node<'a>>]) {
        for piece in pieces {
            if let Piece::Again { pieces, .. } = piece {
                self.declare_all(pieces);
            }
            let Piece::Statement(statement) = piece else { continue };
            if statement.kind != "DeclStmt" {
                continue;
            }
            for node in statement.inner.iter().filter(|node| node.kind == "VarDecl" && node.storage.is_empty()) {
                let found = self.ctype(node);
                let addressed = self.addressed.contains(&node.id);
                let variable_length = node.ty().contains('[') && scan_extent(&found.ty);
                let made = match found.ty {
                    ref ty if ty.is_function_pointer() => Ok(()),
                    _ if variable_length || found.is_volatile() => Ok(()),
                    CType::Int { .. } | CType::Float(_) | CType::Pointer(_) if !addressed => {
                        let span = self.span(node);
                        let ty = self.variable_type(&found.ty);
                        self.predeclare_scalar(node, ty, span);
                        Ok(())
                    }
                    CType::Opaque(_) | CType::Void | CType::Function => Ok(()),
                    CType::Struct(id) if !self.whole_or_addressed(node.id, id) => {
                        self.predeclare_split(node, id).map(drop)
                    }
                    _ => self.predeclare(node),
                };
                self.reader.refusals.extend(made.err().map(|refusal| *refusal));
            }
        }
    }
}

/// Takes the labels off a statement.
pub fn flatten<'a>(node: &'a Node<'a>, pieces: &mut Vec<Piece<&'a Node<'a>>>) {
    if node.kind == "LabelStmt" {
        pieces.push(Piece::Label(node.refers));
        node.inner.iter().for_each(|inner| flatten(inner, pieces));
    } else {
        pieces.push(Piece::Statement(node));
    }
}

impl<'a> Lower<'_, 'a> {
    /// The statements of a block.
    pub fn list(&mut self, nodes: &'a [Node<'a>]) -> Ends {
        let mut pieces = Vec::new();
        nodes.iter().for_each(|node| flatten(node, &mut pieces));
        self.pieces_of_block(pieces)
    }

    /// Whether control comes to a label in a statement from outside of it.
    pub fn entry(&mut self, node: &'a Node<'a>) -> Option<Expr> {
        if self.jumps.entries.is_empty() {
            return None;
        }
        let labels = scan::labels_inside(node);
        let targets: Vec<_> = labels.iter().filter_map(|label| self.jumps.entries.get(label).copied()).collect();
        let flags: Vec<_> = targets.into_iter().map(|target| self.b.get(self.jumps.flags[target])).collect();
        flags.into_iter().reduce(|any, flag| binary(Binary::Or, any, flag, Type::int()))
    }

    /// A test, which control that comes to a label in one of the arms from outside does not run.
    pub fn test_unless_entered(&mut self, on: &'a Node<'a>, arms: [Option<&'a Node<'a>>; 2]) -> Result<Expr> {
        let [first, second] = arms.map(|arm| arm.and_then(|arm| self.entry(arm)));
        let entered = first.iter().cloned().chain(second).reduce(|a, b| binary(Binary::Or, a, b, Type::int()));
        let Some(entered) = entered else { return self.truth(on) };
        let var = self.b.var("test", Type::int(), VarKind::Temporary, self.b.span);
        self.b.begin_branch(entered);
        self.b.assign(var, first.unwrap_or_else(|| truth_constant(false)));
        self.b.otherwise();
        let on = self.truth(on)?;
        self.b.assign(var, condition(on));
        self.b.end_branch();
        Ok(self.b.get(var))
    }

    /// An `if` one of whose arms jumps into the other one, the first if `into_then`, to these labels: the arm that jumps,
    /// then the other one.
    pub fn crossing(
        &mut self,
        on: Expr,
        [then, otherwise]: [&'a Node<'a>; 2],
        labels: Vec<u64>,
        into_then: bool,
    ) -> Ends {
        let on = self.b.keep("test", condition(on));
        let not = unary(Unary::Not, on.clone(), Type::int());
        let (first, first_on, second, second_on) =
            if into_then { (otherwise, not, then, on) } else { (then, on, otherwise, not) };
        let coming = self.expect(labels);
        self.b.begin_branch(first_on);
        let mut ends = self.statement(first);
        self.b.end_branch();
        self.arrive(&coming, &mut ends.leaves);
        ends.falls = true;
        let ends = self.guarded(ends.leaves, |this| {
            let entry = this.entry(second).unwrap_or_else(|| truth_constant(false));
            let test = binary(Binary::Or, entry, second_on, Type::int());
            this.b.begin_branch(test);
            let ends = this.statement(second);
            this.b.end_branch();
            Ends { falls: true, ..ends }
        });
        self.leave_behind(coming);
        ends
    }
}

/// Whether an extent of the type is not a constant.
fn scan_extent(ty: &CType) -> bool {
    match ty {
        CType::Array(elem, extent) => super::super::unit::constant_extent(extent).is_none() || scan_extent(&elem.ty),
        _ => false,
    }
}
