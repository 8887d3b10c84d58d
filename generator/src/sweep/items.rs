//! The reverse of each kind of item.

use super::builder::{Builder, Named, Own, Stored};
use super::reverse::{bytes, load};
use super::shadow::{self, Shadows};
use crate::flow::needs;
use crate::ir::*;
use crate::plan::decisions;
pub(super) use crate::plan::exprs::{binary, cast, counter};
use crate::plan::game::Token;
use crate::plan::{Explained, Explanation, Interface};
use crate::refuse::Class;
use crate::stack::deep;

impl Builder<'_> {
    /// The reverse of a region's items, last first.
    pub(super) fn items(&mut self, region: RegionId) {
        deep(|| self.items_here(region));
    }

    fn items_here(&mut self, region: RegionId) {
        // Operands of the branch or loop around are noted when it is done.
        let (around, outer) = (std::mem::take(&mut self.operands), self.reversed);
        for item in self.primal.regions[region].items.clone().into_iter().rev() {
            if !self.live.contains(&item) && !self.frees(item) {
                continue;
            }
            let this = &self.primal.items[item];
            (self.span, self.statement, self.reversed) = (this.span, this.statement, Some(item));
            self.own = None;
            match &this.kind {
                ItemKind::Let { value } => self.reverse_let(*value),
                ItemKind::Store { to, from } => self.reverse_store(item, to, from),
                kind @ ItemKind::Call { args, .. } if kind.resizes() => {
                    self.own_block(&args[0]);
                    self.emit(ItemKind::Sweep(SweepItem::Undo { what: Undone::Resize }));
                }
                ItemKind::Call { callee, args, result, into } => {
                    self.arguments_last(item, callee, args);
                    self.reverse_call(callee, args, *result, into.as_ref());
                }
                ItemKind::Branch { .. } => self.reverse_branch(item),
                ItemKind::Loop { .. } => self.reverse_loop(item),
                ItemKind::Free { pointer } => self.reverse_free(item, pointer),
                ItemKind::Alloc { object, .. } => {
                    if self.primal.objects[*object].life == Life::Stable {
                        self.emit(ItemKind::Sweep(SweepItem::Undo { what: Undone::Alloc }));
                    }
                }
                ItemKind::Given { args, needs, .. } => {
                    let args = args.iter().map(|arg| self.primal(arg)).collect();
                    self.again.extend(needs.iter().map(|need| (item, need.clone())));
                    let needs = needs.iter().map(|need| self.operand(need)).collect();
                    self.emit(ItemKind::Given { args, needs, when: Vec::new() });
                }
                ItemKind::DeclareVar { .. } | ItemKind::Declare { .. } | ItemKind::Sweep(_) => {}
            }
            let mut operands = std::mem::take(&mut self.operands);
            // The cosine of a sine that comes before it is not there yet where the forward sweep notes operands.
            operands.retain(|operand| !self.is_defined_behind(operand, item));
            // Those that the item itself defines are noted behind it.
            operands.sort_by_key(|operand| reads_own(&this.kind, operand));
            for (k, operand) in operands.iter().enumerate().rev() {
                let own = self.own.as_ref().filter(|own| own.load == *operand);
                let value = own.map(|own| own.name.clone()).unwrap_or_else(|| self.primal(operand));
                self.emit(ItemKind::Sweep(SweepItem::Witness { notes: false, site: site(self.id, item, k), value }));
            }
            if !operands.is_empty() {
                self.plan.witnesses.insert(item, operands);
            }
        }
        (self.operands, self.reversed) = (around, outer);
    }

    /// Whether a value has its definition behind an item.
    fn is_defined_behind(&self, operand: &Expr, item: ItemId) -> bool {
        let ExprKind::Value(value) = operand.kind else { return false };
        self.definitions.get(value).is_some_and(|known| known.item > item)
    }

    fn frees(&self, item: ItemId) -> bool {
        matches!(self.primal.items[item].kind, ItemKind::Free { .. })
    }

    fn reverse_let(&mut self, value: ValueId) {
        let this = &self.primal.values[value];
        let Def::Is(expr) = &this.def else { return };
        let to = self.adjoint_of(this.var);
        if self.cleared.contains(&value) {
            let zero = zero(&to.ty);
            self.emit(ItemKind::Store { to, from: zero });
            return;
        }
        // The definition of a passive x does not clear its adjoint, so this one has to.
        let same = |e: &Expr| match e.kind {
            ExprKind::Value(v) => self.primal.values[v].var == this.var && self.cx.facts.active_value(self.id, v),
            _ => false,
        };
        let spine = spine(expr, &same);
        self.defined = Some(value);
        self.reverse_assignment(to, expr, spine);
        self.defined = None;
    }

    fn reverse_store(&mut self, item: ItemId, to: &Place, from: &Expr) {
        // The pop and the adjoint find the place by its address again, when the store is not undone yet.
        let address = Expr::address(to.clone());
        if walk::loads(&address) && !self.cx.facts.across(self.id, item, &address) {
            let help = "assign the subscript or the pointer to a variable first";
            self.refuse(Class::NotProved, "this assignment may change the address that it writes to".into(), help);
        }
        self.keep_result(item, to, from);
        if self.cx.facts.push_old(self.id, item) {
            if to.ty.leads_to_memory()
                && !(self.cx.facts.stable() && self.cx.facts.fixed(self.id, &load(to.clone())))
                && !self.is_by_offset(to)
            {
                let help = "keep the pointer in a variable of its own";
                self.refuse(Class::Pointer, "a pointer in memory that the adjoint needs is overwritten".into(), help);
            }
            if !self.plan.runs.contains_key(&item) {
                let place = self.primal_place(to);
                self.emit(ItemKind::Sweep(SweepItem::Pop { what: Popped::Memory(place) }));
            }
            let what = self.place_text(to);
            let how = "stored before it is overwritten";
            let line = Explanation::new(self.span, what, how, bytes(&to.ty));
            self.explain_line(Explanation { kind: Explained::Overwritten, ..line });
        }
        if self.cx.facts.active_place(self.id, to) {
            let shadow = self.place(to);
            let same = |e: &Expr| matches!(&e.kind, ExprKind::Load(place) if **place == *to);
            let spine = spine(from, &same);
            self.note_place(to);
            self.note_shadow(to, &shadow);
            self.reverse_assignment(shadow, from, spine);
        }
    }

    /// Names what the store has put into memory, before that is undone, if it is the result of a function whose partial
    /// derivative reads its result: then the function need not be evaluated again.
    fn keep_result(&mut self, item: ItemId, to: &Place, from: &Expr) {
        let takes = needs::takes_result(to, from, &|arg| self.active(arg)) && self.cx.facts.active_place(self.id, to);
        if !takes {
            return;
        }
        let load = load(to.clone());
        self.again.push((item, load.clone()));
        let read = self.primal(&load);
        let name = self.bind("result", read);
        self.own = Some(Own { from: from.clone(), load, name });
    }

    /// Subscripts of an active place are operands too.
    pub(super) fn note_place(&mut self, place: &Place) {
        for step in &place.path {
            let Step::Index(subscripts) = step else { continue };
            for subscript in subscripts {
                self.operand(&subscript.at);
            }
        }
    }

    /// `--check` tries perturbations of the caller's memory that has an adjoint, so it has to know where both are.
    pub(super) fn note_shadow(&mut self, place: &Place, shadow: &Place) {
        let own = match &place.base {
            Base::Object(_) => true,
            Base::Global(_) => false,
            Base::At(pointer) => self.cx.facts.on_heap(self.id, pointer),
        };
        if self.cx.check && !own {
            let place = self.primal_place(place);
            self.emit(ItemKind::Sweep(SweepItem::Shadowed { place, shadow: shadow.clone() }));
        }
    }

    /// `to` is the adjoint of what `expr` was assigned to. `spine`: if the assignment is `x = x + a - b`, its terms.
    fn reverse_assignment(&mut self, to: Place, expr: &Expr, spine: Option<Vec<(bool, &Expr)>>) {
        if !self.active(expr) {
            let zero = zero(&to.ty);
            self.emit(ItemKind::Store { to, from: zero });
            return;
        }
        let seed = self.bind("seed", load(to.clone()));
        match spine {
            // The adjoint of x stays: the terms are added to what they came from.
            Some(terms) => {
                for (minus, term) in terms {
                    let seed = if minus { negate(seed.clone()) } else { seed.clone() };
                    self.adjoint(term, seed);
                }
            }
            None => {
                let zero = zero(&to.ty);
                self.emit(ItemKind::Store { to, from: zero });
                self.adjoint(expr, seed);
            }
        }
    }

    // ---- branches ------------------------------------------------------------------------------------------------

    fn reverse_branch(&mut self, item: ItemId) {
        let ItemKind::Branch { on, then, otherwise, joins } = &self.primal.items[item].kind else { return };
        let on = self.condition(item, on, joins);
        let reversed = self.item(ItemKind::Sweep(SweepItem::Nothing));
        let mut arms = Vec::new();
        for (region, first) in [(*then, true), (*otherwise, false)] {
            let same: Vec<(ValueId, ValueId)> =
                joins.iter().map(|join| (join.out, if first { join.then } else { join.otherwise })).collect();
            let (new, outer) = self.open(reversed);
            self.enter(region, Vec::new(), &same);
            self.items(region);
            self.leave();
            self.at = outer;
            arms.push(new);
        }
        let kind = ItemKind::Branch { on: on.clone(), then: arms[0], otherwise: arms[1], joins: Vec::new() };
        self.place_item(reversed, kind);
        self.undo_joins(&on, joins);
    }

    /// Integers in front of a branch, as far as they, or what follows from them, were asked for: with the arm known that
    /// ran, they follow from what is behind it.
    fn undo_joins(&mut self, on: &Expr, joins: &[Join]) {
        for join in joins {
            let Some((operand, [first, second])) = self.game.undone(join.out) else { continue };
            if self.try_value(join.out).is_none() || !self.game.brings(operand, &self.start.wanted) {
                continue;
            }
            let [first, second] = [first, second].map(|expr| Box::new(self.primal(&expr)));
            let ty = self.primal.type_of(operand).clone();
            let name = self.primal.vars[self.primal.values[operand].var].name.clone();
            let value = self.bind(&name, Expr { kind: ExprKind::Select(Box::new(on.clone()), first, second), ty });
            let level = self.names.top();
            self.names.insert(level, operand, Named { value, shadow: None });
            self.game.give(level, operand, Token::Named);
        }
    }

    pub(super) fn place_item(&mut self, item: ItemId, kind: ItemKind) {
        let this = &mut self.out.items[item];
        this.kind = kind;
        this.span = self.span;
        this.statement = self.statement;
        self.out.regions[self.at].items.push(item);
    }

    /// Which arm ran: the condition again, a value that tells, or a bit from the tape.
    fn condition(&mut self, item: ItemId, on: &Expr, joins: &[Join]) -> Expr {
        let span = self.span;
        let dear = self.cx.facts.stored(self.id, item);
        if !self.plan.bits.contains(&item) {
            let steady = !walk::loads(on) || self.cx.facts.across(self.id, item, on);
            let same = steady && !decisions::may_differ(self.primal, on) && self.cx.facts.ordered(self.id, on);
            if !dear && same && self.can_for_a_bit(on) {
                self.again.push((item, on.clone()));
                self.explain(span, "branch".into(), "its condition is evaluated again", 0.0);
                return self.operand(on);
            }
            for join in joins {
                if let Some(expr) = self.tells(join) {
                    return expr;
                }
            }
        }
        self.plan.bits.insert(item);
        let var = self.variable("arm", &Type::int(), VarKind::Temporary);
        let pop = self.emit(ItemKind::Sweep(SweepItem::Nothing));
        let value = self.define(var, Def::Popped(pop), self.at);
        self.out.items[pop].kind = ItemKind::Sweep(SweepItem::Pop { what: Popped::Bits { value, bits: 1 } });
        let why = if dear {
            "stored: nothing else needs the memory that its condition reads"
        } else {
            "stored: its condition cannot be evaluated again"
        };
        self.explain_stored(pop, Stored::Arm(item), Explanation::new(span, "branch", why, 0.125));
        Expr::value(value, Type::int())
    }

    /// A join of two constants tells which arm ran.
    fn tells(&mut self, join: &Join) -> Option<Expr> {
        let constant = |v: ValueId| match self.definitions.get(v).map(|definition| &definition.expr.kind) {
            Some(ExprKind::Int(k)) => Some(*k),
            _ => None,
        };
        let (first, second) = (constant(join.then)?, constant(join.otherwise)?);
        if first == second {
            return None;
        }
        let out = self.try_value(join.out)?.value;
        let first = Expr::constant(first, out.ty.clone());
        Some(Expr::binary(Binary::Equal, out, first, Type::int()))
    }

    // ---- calls ---------------------------------------------------------------------------------------------------

    /// The reverse sweep passes the arguments before the callee has restored anything: what they load must not be
    /// overwritten by the call.
    fn arguments_last(&mut self, item: ItemId, callee: &Callee, args: &[Expr]) {
        let Callee::Proc(id) = callee else { return };
        let Some(Interface { params, live: true }) = &self.cx.interfaces[id.index()] else { return };
        let passed = |k: usize| params.contains(&ReverseParam::Primal(k as u32));
        let lost =
            |(k, arg): (usize, &Expr)| passed(k) && walk::loads(arg) && !self.cx.facts.across(self.id, item, arg);
        if let Some(k) = args.iter().enumerate().position(lost) {
            let called = &self.cx.program.procs[*id];
            let what = format!(
                "'{}' may overwrite the memory from which its argument '{}' is read",
                called.name, called.params[k].name
            );
            self.refuse(Class::NotProved, what, "assign the argument to a variable first");
        }
    }

    fn reverse_call(&mut self, callee: &Callee, args: &[Expr], result: Option<ValueId>, into: Option<&Place>) {
        let called = match callee {
            Callee::Proc(callee) => Some((*callee, self.cx.interfaces[callee.index()].clone().unwrap_or_default())),
            _ => None,
        };
        // The result's adjoint is consumed before the arguments' adjoints are added to: `x = f(x)`.
        let mut seed = None;
        if let Some(result) = result
            && (self.cx.facts.active_value(self.id, result) || self.cleared.contains(&result))
        {
            let to = self.adjoint_of(self.primal.values[result].var);
            seed = Some(self.bind("seed", load(to.clone())));
            let zero = zero(&to.ty);
            self.emit(ItemKind::Store { to, from: zero });
        }
        let Some((id, Interface { params, live: true })) = called else { return };
        let called = &self.cx.program.procs[id];
        let seed = match into {
            Some(into) => self.struct_seed(into),
            None => seed.unwrap_or_else(|| zero(&called.result_type)),
        };
        let mut passed = Vec::new();
        let mut after = Vec::new();
        for param in params {
            passed.push(match param {
                ReverseParam::Seed => seed.clone(),
                ReverseParam::Primal(k) => self.operand(&args[k as usize]),
                ReverseParam::Adjoint(k) => {
                    let arg = &args[k as usize];
                    match &called.params[k as usize].ty {
                        Type::Pointer(_) => {
                            if !self.cx.facts.active_pointer(self.id, arg) && !self.cx.facts.nowhere(self.id, arg) {
                                let name = &called.params[k as usize].name;
                                let what = format!(
                                    "a passive array is passed to '{}' as '{name}', which is active in another call",
                                    called.name
                                );
                                self.refuse(Class::Pointer, what, "call a copy of the function");
                            }
                            shadow::pointer(self, arg)
                        }
                        Type::Struct(_) => match &arg.kind {
                            ExprKind::Load(place) => Expr::address(self.place(place)),
                            _ => unreachable!("a struct is passed from memory"),
                        },
                        ty => {
                            let object =
                                self.scalar_object(format!("{}_b", called.params[k as usize].name), ty.clone());
                            let place = Place { base: Base::Object(object), path: Vec::new(), ty: ty.clone() };
                            after.push((arg.clone(), place.clone()));
                            Expr::address(place)
                        }
                    }
                }
            });
        }
        self.set_offsets();
        let callee = Callee::Sweep(id, Role::Reverse);
        self.emit(ItemKind::Call { callee, args: passed, result: None, into: None });
        for (arg, place) in after {
            let seed = self.bind("seed", load(place));
            self.adjoint(&arg, seed);
        }
    }

    /// The adjoint of a struct result, taken from the place that it was put into.
    fn struct_seed(&mut self, into: &Place) -> Expr {
        let ty = into.ty.clone();
        let object = ObjectId::new(self.out.objects.len());
        let life = Life::Region(self.at);
        let (name, elem, span) = (self.taken.unique("seed_b".to_owned()), ty.clone(), self.span);
        self.out.objects.push(Object { name, elem, shape: Vec::new(), life, constant: false, span });
        self.emit(ItemKind::Declare { object });
        self.emit(ItemKind::Sweep(SweepItem::Clear { object }));
        let seed = Place { base: Base::Object(object), path: Vec::new(), ty: ty.clone() };
        if self.cx.facts.active_place(self.id, into) {
            let from = self.place(into);
            self.add_struct(&seed, &from);
            for real in super::leaves::reals(self.cx.program, &from).unwrap_or_default() {
                let zero = zero(&real.ty);
                self.emit(ItemKind::Store { to: real, from: zero });
            }
        }
        Expr { kind: ExprKind::Address(Box::new(seed)), ty: Type::pointer(ty) }
    }
}

/// `x = x + a - b`: the terms besides `x`, each with whether it is subtracted; `None` if `x` is not the first term.
fn spine<'e>(expr: &'e Expr, same: &dyn Fn(&Expr) -> bool) -> Option<Vec<(bool, &'e Expr)>> {
    let mut terms = Vec::new();
    let mut at = expr;
    loop {
        if same(at) {
            break;
        }
        match &at.kind {
            ExprKind::Binary(op @ (Binary::Add | Binary::Subtract), x, y) => {
                terms.push((*op == Binary::Subtract, &**y));
                at = x;
            }
            // x = a + x
            _ => return None,
        }
    }
    Some(terms)
}

/// Whether an operand of the adjoint of an item reads what the item defines.
pub fn reads_own(kind: &ItemKind, operand: &Expr) -> bool {
    let mut reads = false;
    if let ItemKind::Let { value } = kind {
        walk::values(operand, &mut |read| reads |= read == *value);
    }
    // Else it is what lay there before.
    reads || matches!(kind, ItemKind::Store { to, from } if *operand == load(to.clone()) && !has(from, operand))
}

/// Whether an expression stands inside another one.
fn has(expr: &Expr, part: &Expr) -> bool {
    let mut found = false;
    walk::expressions(expr, &mut |e| found |= e == part);
    found
}

/// The number of an operand for `--check`: equal in both sweeps.
pub fn site(proc: ProcId, item: ItemId, operand: usize) -> u32 {
    (proc.0 << 22) | (item.0 << 5) | (operand as u32 & 31)
}

/// The number of a loop whose passes are run again, for `--check`: no operand's.
pub fn site_of_loop(proc: ProcId, item: ItemId) -> u32 {
    site(proc, item, 31)
}

pub(super) fn negate(expr: Expr) -> Expr {
    Expr { ty: expr.ty.clone(), kind: ExprKind::Unary(Unary::Negate, Box::new(expr)) }
}
