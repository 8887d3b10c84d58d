//! The reverse of a loop: as many passes, last first.
//!
//! The passes are counted by the index where it tells them, else by a count from the tape. Inside, integers and pointers
//! that each pass changes evenly have names in terms of the passes before; others are carried backwards from their
//! last value if the game asks for them.

use std::collections::BTreeSet;

use super::builder::{Builder, Named, OpenLoop, Stored};
use super::items::{binary, cast, counter};
use super::reverse::bytes;
use crate::ir::*;
use crate::plan::Explanation;
use crate::plan::affine;
use crate::plan::control::{self, Index};
use crate::plan::game::Token;

/// How often the reversed loop runs, and what its control variable is.
struct Control {
    init: ValueId,
    head: ValueId,
    end: ValueId,
    test: Expr,
    /// Passes that ran before the one at hand, in terms of the body.
    before: Expr,
    /// The name of the index, if the loop has one.
    index: Option<(ValueId, Expr)>,
}

impl Builder<'_> {
    pub(super) fn reverse_loop(&mut self, item: ItemId) {
        let ItemKind::Loop { body, carried, .. } = &self.primal.items[item].kind else { return };
        let (span, statement) = (self.span, self.statement);
        let reversed = self.item(ItemKind::Sweep(SweepItem::Nothing));
        if let Some(why) = self.cx.facts.once(self.id, item).map(|why| format!("not run again: {why}")) {
            self.explain(span, "loop".into(), why, 0.0);
        }
        let hulls = self.cx.facts.hulls(self.id, item);
        let index = self.index_of(item);
        if let Some(index) = index.as_ref().filter(|_| hulls.is_none()) {
            self.pop_runs(item, index, *body);
        }
        // What the passes are counted by is computed in front of the loop.
        let (region, outer) = self.open(reversed);
        self.at = outer;
        let level = self.names.depth();
        self.loops.push(OpenLoop { item, level, reversed, body: region, carried: Vec::new(), next: 0 });
        let open = self.loops.len() - 1;
        let control = match &index {
            Some(index) => self.by_index(open, region, index),
            None => self.by_count(item, open, region),
        };
        // Inits that are known name the heads of all variables that each pass changes by what no pass changes.
        let inits = self.affine(carried, *body, &control);
        self.at = region;
        let mut given = Vec::new();
        if let Some((head, index)) = &control.index {
            given.push((*head, Token::Named, Some(Named { value: index.clone(), shadow: None })));
        }
        for (head, init, step) in inits {
            let name = self.affine_head(head, init, &step, &control.before);
            given.push((head, Token::Named, Some(name)));
        }
        match hulls {
            Some(hulls) => self.enter_again(item, *body, given, hulls),
            None => self.enter(*body, given, &[]),
        }
        self.items(*body);
        // What the loop carries backwards must be known when a pass has been undone.
        let mut ends = Vec::new();
        while ends.len() < self.loops[open].carried.len() {
            let (k, _, shadow) = self.loops[open].carried[ends.len()];
            let c = &carried[k as usize];
            let name = self.primal.vars[c.var].name.clone();
            let head = self.require(c.head);
            let value = self.bind_value(&name, head.value);
            let shadow = match (shadow, head.shadow) {
                (Some(_), Some(with)) => Some(self.bind_value(&format!("{name}_b"), with)),
                _ => None,
            };
            ends.push((value, shadow));
        }
        self.leave();
        self.at = outer;
        (self.span, self.statement) = (span, statement);
        let open = self.loops.pop().expect("pushed above");
        self.close_loop(open, control, carried, ends);
    }

    /// Puts the reversed loop behind what it needs.
    fn close_loop(
        &mut self,
        open: OpenLoop,
        control: Control,
        carried: &[Carried],
        ends: Vec<(ValueId, Option<ValueId>)>,
    ) {
        let outer = self.at;
        let mut slots: Vec<(u32, Carried)> = Vec::new();
        let mut add = |this: &mut Self, init: ValueId, head: ValueId, end: ValueId| {
            let value = &this.out.values[head];
            let Def::Head(_, slot) = value.def else { unreachable!("the head of a reversed loop") };
            let var = value.var;
            let out = this.define(var, Def::Out(open.reversed, slot), outer);
            slots.push((slot, Carried { var, init, head, end, out }));
            out
        };
        add(self, control.init, control.head, control.end);
        // All that the loop carries is known in front of it: what it leaves is not.
        let mut behind = Vec::new();
        for (k, ..) in &open.carried {
            let c = &carried[*k as usize];
            let name = self.primal.vars[c.var].name.clone();
            let out = self.require(c.out);
            behind.push((self.bind_value(&name, out.value), out.shadow));
        }
        for (((k, head, shadow), (end, end_shadow)), (init, before)) in open.carried.iter().zip(ends).zip(behind) {
            let c = &carried[*k as usize];
            let name = self.primal.vars[c.var].name.clone();
            let out = add(self, init, *head, end);
            let ty = self.primal.type_of(c.init).clone();
            let mut named = Named { value: Expr::value(out, ty.clone()), shadow: None };
            if let (Some(head), Some(end), Some(before)) = (shadow, end_shadow, before) {
                let init = self.bind_value(&format!("{name}_b"), before);
                let out = add(self, init, *head, end);
                named.shadow = Some(Expr::value(out, ty));
            }
            // With all passes undone, the variable is what it was before the loop.
            if !self.game.has(c.init) {
                let top = self.names.top();
                self.names.insert(top, c.init, named);
                self.game.give(top, c.init, Token::Named);
            }
        }
        slots.sort_by_key(|(slot, _)| *slot);
        let carried = slots.into_iter().map(|(_, c)| c).collect();
        let kind = ItemKind::Loop { test: control.test, at: TestAt::Before, body: open.body, carried };
        self.place_item(open.reversed, kind);
    }

    /// The index by which the passes of a loop can be counted without a counter on the tape.
    fn index_of(&mut self, item: ItemId) -> Option<Index> {
        let index = self.definitions.indices.get(&item).cloned()?;
        if walk::loads(&index.bound) && !self.cx.facts.across(self.id, item, &index.bound) {
            return None;
        }
        let values = &index.values;
        let mut ends = BTreeSet::from([values.init]);
        walk::values(&index.bound, &mut |v| {
            ends.insert(v);
        });
        let missing: Vec<ValueId> = ends.into_iter().filter(|end| !self.can(&self.primal.value_expr(*end))).collect();
        // Where the index is stored, too, one end of it in its place tells both.
        let size = |v: ValueId| bytes(self.primal.type_of(v));
        let stored = [values.head, values.end, values.out].iter().any(|v| self.start.wanted.contains(v));
        match missing[..] {
            [] => {}
            [end] if stored && size(end) <= size(values.head) => {
                self.require(end);
            }
            _ => return None,
        }
        Some(index)
    }

    fn by_index(&mut self, open: usize, body: RegionId, index: &Index) -> Control {
        let ty = self.primal.type_of(index.values.init).clone();
        let name = self.primal.vars[index.values.var].name.clone();
        let init = self.primal(&self.primal.value_expr(index.values.init));
        let bound = self.operand(&index.bound);
        self.explain(self.span, "loop".into(), format!("its passes are known from {name} and its bounds"), 0.0);
        self.again.push((self.loops[open].item, index.bound.clone()));
        let compare = |op, x: &Expr, y: &Expr| binary(op, x.clone(), y.clone(), Type::int());
        if index.step != 1 && index.step != -1 {
            return self.by_steps(open, body, index, init, bound);
        }
        let head = self.carried_head(open, &name, &ty);
        let at = Expr::value(head, ty.clone());
        let up = index.step == 1;
        let (start, test) = match (up, index.test) {
            // Up: the control variable is one ahead of the index.
            (true, Binary::NotEqual) => (bound, compare(Binary::NotEqual, &at, &init)),
            (true, Binary::Less) => (bound, compare(Binary::Greater, &at, &init)),
            (true, _) => (bound.offset(1), compare(Binary::Greater, &at, &init)),
            (false, Binary::NotEqual) => (bound.offset(1), compare(Binary::NotEqual, &at, &init.offset(1))),
            (false, Binary::Greater) => (bound.offset(1), compare(Binary::LessEqual, &at, &init)),
            (false, _) => (bound, compare(Binary::LessEqual, &at, &init)),
        };
        let start = self.bind_value(&name, start);
        self.at = body;
        let (here, end, before) = if up {
            let here = self.bind(&name, at.offset(-1));
            let end = self.bind_value(&name, here.clone());
            (here.clone(), end, affine::distance(self.primal.language, &here, &init))
        } else {
            let end = self.bind_value(&name, at.offset(1));
            (at.clone(), end, affine::distance(self.primal.language, &init, &at))
        };
        self.at = self.out.regions[body].parent.expect("a loop's body").0;
        Control { init: start, head, end, test, before, index: Some((index.values.head, here)) }
    }

    /// Steps other than 1: as many passes as the index tells.
    fn by_steps(&mut self, open: usize, body: RegionId, index: &Index, init: Expr, bound: Expr) -> Control {
        let passes = self.bind_value("passes", index.passes(init.clone(), bound));
        let mut control = self.counted(open, body, passes);
        let ty = init.ty.clone();
        self.at = body;
        let step = Expr::constant(index.step, ty);
        let here = affine::advanced(self.primal.language, init, &control.before, &step);
        let name = self.primal.vars[index.values.var].name.clone();
        let here = self.bind(&name, here);
        self.at = self.out.regions[body].parent.expect("a loop's body").0;
        control.index = Some((index.values.head, here));
        control
    }

    /// A loop whose passes the forward sweep counted.
    fn by_count(&mut self, item: ItemId, open: usize, body: RegionId) -> Control {
        self.plan.counts.insert(item);
        let var = self.variable("passes", &counter(self.primal.language), VarKind::Temporary);
        let pop = self.emit(ItemKind::Sweep(SweepItem::Nothing));
        let value = self.define(var, Def::Popped(pop), self.at);
        self.out.items[pop].kind = ItemKind::Sweep(SweepItem::Pop { what: Popped::Count(value) });
        let how = "number of passes stored: no index counts them up to a bound that stays";
        let line = Explanation::new(self.span, "loop", how, 1.0);
        self.explain_stored(pop, Stored::Count(item), line);
        self.counted(open, body, value)
    }

    fn counted(&mut self, open: usize, body: RegionId, passes: ValueId) -> Control {
        let ty = counter(self.primal.language);
        let head = self.carried_head(open, "pass", &ty);
        let at = Expr::value(head, ty.clone());
        let test = binary(Binary::NotEqual, at.clone(), zero(&ty), Type::int());
        self.at = body;
        let end = self.bind_value("pass", at.offset(-1));
        self.at = self.out.regions[body].parent.expect("a loop's body").0;
        let before = Expr::value(end, ty);
        Control { init: passes, head, end, test, before, index: None }
    }

    /// The carried integers and pointers that each pass changes by what no pass changes, and whose value before the
    /// loop is known: head, value before, step.
    fn affine(&mut self, carried: &[Carried], body: RegionId, control: &Control) -> Vec<(ValueId, Named, Expr)> {
        let index = control.index.as_ref().map(|(head, _)| *head);
        let mut found = Vec::new();
        for c in carried {
            let read = self.read.contains(&c.head);
            if Some(c.head) == index || !read || self.game.has(c.head) {
                continue;
            }
            let Some(step) = control::change(self.primal, carried, c, body) else { continue };
            if walk::loads(&step) || !self.can(&step) {
                continue;
            }
            if let Some(init) = self.try_value(c.init) {
                let step = self.primal(&step);
                found.push((c.head, init, step));
            }
        }
        found
    }

    /// `init + before * step`.
    fn affine_head(&mut self, head: ValueId, init: Named, step: &Expr, before: &Expr) -> Named {
        let this = self.primal.values[head].var;
        let name = self.primal.vars[this].name.clone();
        let ty = init.value.ty.clone();
        if !matches!(ty, Type::Pointer(_)) {
            let value = self.bind(&name, affine::advanced(self.primal.language, init.value, before, step));
            return Named { value, shadow: None };
        }
        let step = match &step.kind {
            ExprKind::Cast(constant) => cast((**constant).clone(), &step.ty),
            _ => step.clone(),
        };
        let moved = binary(Binary::Multiply, cast(before.clone(), &step.ty), step.clone(), step.ty.clone());
        let advanced = |this: &mut Self, name: &str, from: Expr| {
            let Type::Pointer(elem) = &ty else { unreachable!("checked above") };
            let mut place = super::reverse::dereferenced(from, elem);
            if let Some(Step::Index(subscripts)) = place.path.first_mut() {
                subscripts[0].at = moved.clone();
            }
            this.bind(name, Expr { kind: ExprKind::Address(Box::new(place)), ty: ty.clone() })
        };
        let value = advanced(self, &name, init.value);
        let shadow = init.shadow.map(|from| advanced(self, &format!("{name}_b"), from));
        Named { value, shadow }
    }
}
