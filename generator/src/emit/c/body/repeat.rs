//! Loops as C: which of them are `for`s is [`crate::emit::body`]'s affair.
//!
//! By variable, a loop is a `for` where the last item of its body steps a variable by what the body does not declare.
//! The definition right in front of the loop becomes its first part; a variable that only the loop knows is declared
//! there.

use super::state::Body;
use crate::emit::body::{Down, Head};
use crate::emit::c::expr::Naming;
use crate::ir::*;
use std::sync::atomic::Ordering;

impl<'a> Body<'a> {
    /// The first part of a `for`, or a statement in front of it where that would not be the same.
    fn first(&mut self, head: &Head, carried: &[Carried]) -> Option<String> {
        let ItemKind::Let { value } = self.proc.items[head.init?].kind else { return None };
        let Def::Is(from) = &self.proc.values[value].def else { return None };
        let slot = self.slot(value);
        let others = carried.iter().filter(|each| each.init != value);
        let ready = |each: &Carried| {
            let known = &self.proc.values[each.init].def;
            *known == Def::Undefined || self.current[self.slot(each.head)] == Some(each.init)
        };
        let kept = self.kept.borrow().contains_key(&value);
        if kept || !others.into_iter().all(ready) || !(head.own || self.declared[slot]) {
            self.assign(value, from);
            return None;
        }
        let name = self.slot_names[slot].clone();
        let from = self.assigned(from);
        let text = if head.own { self.exprs.declare(self.ty(value), &name) } else { name };
        self.declared[slot] = true;
        self.current[slot] = Some(value);
        Some(format!("{text} = {from}"))
    }

    /// `for (int i = n; i-- > 0;) {`
    fn downwards(&self, down: &Down, carried: &[Carried]) -> String {
        let each = &carried[down.carried];
        let init = match (down.init, &self.proc.values[each.init].def) {
            (Some(_), Def::Is(from)) => self.expr(from),
            _ => self.value(each.init),
        };
        let name = &self.values[down.here.index()];
        let (symbol, bound) = (down.test.symbol().0, self.expr(&Expr::constant(down.bound, Type::int())));
        format!("for ({} = {init}; {name}-- {symbol} {bound};) {{", self.exprs.declare(self.ty(each.head), name))
    }

    /// The last part of a `for`, in terms of the values that a pass begins with.
    fn step_text(&mut self, head: &Head) -> String {
        let ItemKind::Let { value } = self.proc.items[head.step].kind else { return String::new() };
        let Def::Is(from) = &self.proc.values[value].def else { return String::new() };
        self.updated(value, from).unwrap_or_else(|| {
            let slot = self.slot(value);
            format!("{} = {}", self.slot_names[slot], self.assigned(from))
        })
    }

    pub(super) fn repetition(&mut self, id: ItemId, test: &Expr, at: TestAt, body: RegionId, carried: &'a [Carried]) {
        let changed = self.scopes.changed_in(body).collect::<Vec<_>>();
        let from_snapshots = self.begin_snapshots(body);
        let down = self.downs.get(&id).cloned();
        let behind = if at == TestAt::After { Some(test) } else { None };
        let step = if self.by_variable || down.is_some() { None } else { self.counted(body, carried, behind) };
        let head = self.heads.get(&id).cloned();
        let init = head.as_ref().and_then(|head| self.first(head, carried));
        if self.by_variable {
            self.arrive(carried.iter().map(|each| (each.head, each.init)).collect());
            self.forget(&changed);
            for each in carried {
                let slot = self.slot(each.head);
                self.current[slot] = Some(each.head);
            }
        } else {
            let counter = step.as_ref().map(|step| step.0).or(down.as_ref().map(|down| down.carried));
            for (_, each) in carried.iter().enumerate().filter(|(index, _)| Some(*index) != counter) {
                let text = format!("{} = {};", self.head(each), self.begin(each.init));
                self.statement(&text);
            }
        }
        // A test behind the pass reads what the pass leaves.
        let test_text = if at == TestAt::Before { self.expr(test) } else { String::new() };
        let open = match (&step, at) {
            _ if down.is_some() => down.as_ref().map(|down| self.downwards(down, carried)).unwrap_or_default(),
            _ if head.is_some() => {
                let step = head.as_ref().map(|head| self.step_text(head)).unwrap_or_default();
                format!("for ({}; {test_text}; {step}) {{", init.unwrap_or_default())
            }
            (Some((index, next)), _) => {
                let each = &carried[*index];
                let name = self.values[each.head.index()].clone();
                // A counter that is read behind the loop is declared in front of it.
                let init = format!("{} = {}", self.head(each), self.begin(each.init));
                let init = if self.is_read(each.out) {
                    self.statement(&format!("{init};"));
                    String::new()
                } else {
                    init
                };
                let next = match next.strip_prefix(name.as_str()) {
                    Some(" - 1") => format!("--{name}"),
                    Some(" + 1") => format!("++{name}"),
                    _ => format!("{name} = {next}"),
                };
                format!("for ({init}; {test_text}; {next}) {{")
            }
            (None, TestAt::Before) => format!("while ({test_text}) {{"),
            (None, TestAt::After) => "do {".into(),
        };
        // Only a `for` that steps a variable of its own may carry the directive.
        let steps = step.as_ref().is_some_and(|(index, _)| !self.is_read(carried[*index].out)) && down.is_none();
        if let Some(sums) = self.proc.sums.get(&id).filter(|_| steps && head.is_none()) {
            self.unit.sums.store(true, Ordering::Relaxed);
            let names: Vec<String> = sums.iter().map(|sum| self.object(*sum)).collect();
            self.statement(&format!("#pragma omp simd reduction(+:{})", names.join(", ")));
        }
        let opening = self.out.len();
        let counts = step.is_some();
        self.statement(&open);
        self.indent += 1;
        if self.by_variable {
            for each in carried {
                self.holds(each.head);
            }
        }
        let line = self.line;
        self.region(body);
        if let Some(head) = &head
            && let ItemKind::Let { value } = self.proc.items[head.step].kind
        {
            self.holds(value);
        }
        self.line = line;
        let counter = step.as_ref().map(|step| step.0).or(down.as_ref().map(|down| down.carried));
        let ends = carried.iter().enumerate().filter(|(index, _)| Some(*index) != counter);
        self.arrive(ends.map(|(_, each)| (each.head, each.end)).collect());
        self.indent -= 1;
        if at == TestAt::After {
            self.close_after(test, (!counts).then_some(opening));
        } else {
            self.statement("}");
        }
        self.forget(&changed);
        for each in carried {
            self.holds(each.out);
        }
        if from_snapshots {
            self.end_snapshots();
        }
    }

    /// The end of a loop that tests behind each pass. What the test reads may live in the body only. `opening`: the line
    /// of its `do`, if it does not begin with a `for` that counts.
    fn close_after(&mut self, test: &Expr, opening: Option<usize>) {
        let before = self.fresh_kept.borrow().len();
        let text = self.expr(test);
        let mut local = !self.by_variable || self.fresh_kept.borrow().len() > before;
        crate::ir::walk::values(test, &mut |value| local |= self.kept.borrow().contains_key(&value));
        crate::ir::walk::expressions(test, &mut |expr| {
            local |= matches!(&expr.kind, ExprKind::Load(place) if place.base.object().is_some());
        });
        if local {
            if let Some(opening) = opening {
                self.out.replace(opening, "for (;;) {");
            }
            self.indent += 1;
            self.statement(&format!("if (!({text})) {{"));
            self.statement("    break;");
            self.statement("}");
            self.indent -= 1;
            self.statement("}");
        } else {
            self.statement(&format!("}} while ({text});"));
        }
    }

    /// What a carried variable begins with.
    fn begin(&self, init: ValueId) -> String {
        match &self.proc.values[init].def {
            Def::Is(number) if self.begins.contains_key(&init) => self.expr(number),
            _ => self.value(init),
        }
    }

    /// The declaration of a carried variable.
    fn head(&self, each: &Carried) -> String {
        self.exprs.declare(self.ty(each.head), &self.values[each.head.index()])
    }

    pub(super) fn is_read(&self, value: ValueId) -> bool {
        self.index.read.contains(&value)
    }

    /// The carried variable that a `for` steps, and the text of the next value: a number that a pass changes by
    /// something from outside of the loop. `behind`: a test behind each pass, which may read the next value.
    fn counted(&mut self, body: RegionId, carried: &[Carried], behind: Option<&Expr>) -> Option<(usize, String)> {
        for (index, each) in carried.iter().enumerate() {
            let end = &self.proc.values[each.end];
            let (Def::Is(from), true) = (&end.def, end.region == body) else { continue };
            // A pass whose test ends the loop leaves it in front of the step.
            if behind.is_some() && self.is_read(each.out) {
                continue;
            }
            let mut outside = self.ty(each.head).is_integer();
            crate::ir::walk::values(from, &mut |value| {
                let inside = crate::plan::control::inside(self.proc, value, body);
                outside &= value == each.head || !inside;
            });
            if !outside || crate::ir::walk::loads(from) {
                continue;
            }
            let next = self.expr(from);
            let mut tested = false;
            behind.into_iter().for_each(|test| walk::values(test, &mut |value| tested |= value == each.end));
            // The loop itself reads it as its end.
            if !tested && self.index.readers.get(&each.end).is_none_or(|readers| *readers <= 1) {
                let items = &self.proc.regions[body].items;
                let this = items
                    .iter()
                    .find(|item| matches!(self.proc.items[**item].kind, ItemKind::Let { value } if value == each.end));
                self.skipped.extend(this);
            }
            return Some((index, next));
        }
        None
    }
}
