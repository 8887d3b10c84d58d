//! Loops as C.
//!
//! By variable, a loop is a `for` where the last item of its body steps a variable by what the body does not declare.
//! The definition right in front of the loop becomes its first part; a variable that only the loop knows is declared
//! there.

use super::index::Index;
use super::state::Body;
use crate::emit::body::state::{Down, Head};
use crate::emit::expr::Naming;
use crate::ir::*;
use crate::plan::control;
use rustc_hash::FxHashMap;

/// The loops of a procedure that are printed as `for`.
pub(super) fn heads(proc: &Proc) -> FxHashMap<ItemId, Head> {
    let mentions = Mentions::new(proc);
    let mut found = FxHashMap::default();
    for region in &proc.regions {
        for (at, &item) in region.items.iter().enumerate() {
            if let Some(head) = head(proc, &mentions, item, region.items[..at].last().copied()) {
                found.insert(item, head);
            }
        }
    }
    found
}

fn head(proc: &Proc, mentions: &Mentions, item: ItemId, before: Option<ItemId>) -> Option<Head> {
    let ItemKind::Loop { test, at: TestAt::Before, body, carried } = &proc.items[item].kind else {
        return None;
    };
    let step = *proc.regions[*body].items.last()?;
    let ItemKind::Let { value } = proc.items[step].kind else { return None };
    let each = carried.iter().find(|each| each.end == value)?;
    let Def::Is(next) = &proc.values[value].def else { return None };
    let mut outside = !walk::loads(next);
    walk::values(next, &mut |other| outside &= other == each.head || !control::inside(proc, other, *body));
    // A test that does not read the variable belongs to a loop of another kind.
    let mut tested = false;
    walk::values(test, &mut |other| tested |= other == each.head);
    // The other carried variables get their values at the end of the body: behind the step.
    let others = carried.iter().filter(|other| other.end != value);
    let settled = |other: &Carried| {
        let end = &proc.values[other.end];
        end.var == other.var && other.end != each.head
    };
    if !outside || !tested || !others.into_iter().all(settled) {
        return None;
    }
    let user = proc.vars[each.var].kind == VarKind::User;
    let gives = |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Let { value } if value == each.init);
    let init = before.filter(gives).filter(|_| proc.values[each.init].var == each.var);
    let init = init.filter(|_| !is_announced(proc, *body, each.init));
    let own = user && init.is_some_and(|init| alone(proc, mentions, each.var, item, init));
    Some(Head { var: each.var, step, init, own })
}

/// Whether the handle of a loop's snapshots is made, in front of the loop, with a value.
fn is_announced(proc: &Proc, body: RegionId, value: ValueId) -> bool {
    let mut named = false;
    for item in &proc.regions[body].items {
        let ItemKind::Sweep(SweepItem::Snapshot(Snapshot { at: SnapshotAt::Head { passes, .. }, among, .. })) =
            &proc.items[*item].kind
        else {
            continue;
        };
        passes.iter().chain(among.iter().flatten()).for_each(|e| walk::values(e, &mut |other| named |= other == value));
    }
    named
}

/// The loops of a reverse sweep that count down.
pub(super) fn downs(proc: &Proc) -> FxHashMap<ItemId, Down> {
    let mut reads: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut lets = FxHashMap::default();
    for item in proc.regions.iter().flat_map(|region| &region.items) {
        walk::values_of_item(proc, *item, &mut |value| *reads.entry(value).or_default() += 1);
        walk::values_of_extents(proc, *item, &mut |value| *reads.entry(value).or_default() += 1);
        if let ItemKind::Let { value } = proc.items[*item].kind {
            lets.insert(value, *item);
        }
    }
    let count = |value: ValueId| reads.get(&value).copied().unwrap_or(0);
    let mut found = FxHashMap::default();
    for &item in proc.regions.iter().flat_map(|region| &region.items) {
        let ItemKind::Loop { test, at: TestAt::Before, body, carried } = &proc.items[item].kind else {
            continue;
        };
        let ExprKind::Binary(op @ (Binary::Greater | Binary::NotEqual), left, bound) = &test.kind else { continue };
        let ExprKind::Int(bound @ 0..) = bound.kind else { continue };
        let Some(at) = carried.iter().position(|each| left.kind == ExprKind::Value(each.head)) else { continue };
        let each = &carried[at];
        let one_less = |value: ValueId| match &proc.values[value].def {
            Def::Is(Expr { kind: ExprKind::Binary(Binary::Subtract, x, y), .. }) => {
                x.kind == ExprKind::Value(each.head) && y.kind == ExprKind::Int(1)
            }
            _ => false,
        };
        let Some(&defined) = lets.get(&each.end) else { continue };
        let in_body = proc.values[each.end].region == *body;
        // The test and the definition read the head, nothing reads what is left behind the loop.
        if !in_body || !one_less(each.end) || count(each.head) != 2 || count(each.out) != 0 {
            continue;
        }
        let init = lets.get(&each.init).copied().filter(|_| count(each.init) == 1);
        let plain = |item: &ItemId| match proc.items[*item].kind {
            ItemKind::Let { value } => matches!(&proc.values[value].def, Def::Is(from) if !walk::loads(from)),
            _ => false,
        };
        let init = init
            .filter(plain)
            .filter(|_| proc.values[each.init].region == proc.regions[*body].parent.map_or(*body, |parent| parent.0));
        found
            .insert(item, Down { carried: at, head: each.head, here: each.end, item: defined, init, test: *op, bound });
    }
    found
}

/// By value: what loops begin with that is a number, which nothing else reads, with the item that defines it.
pub(super) fn begins(proc: &Proc, index: &Index, downs: &FxHashMap<ItemId, Down>) -> FxHashMap<ValueId, ItemId> {
    let mut found = FxHashMap::default();
    let items = proc.regions.iter().flat_map(|region| &region.items);
    for &item in items.filter(|item| !downs.contains_key(item)) {
        let ItemKind::Loop { carried, .. } = &proc.items[item].kind else { continue };
        for each in carried {
            let number = matches!(&proc.values[each.init].def, Def::Is(Expr { kind: ExprKind::Int(_), .. }));
            if number && index.readers.get(&each.init) == Some(&1) {
                found.extend(index.lets.get(&each.init).map(|item| (each.init, *item)));
            }
        }
    }
    found
}

/// The items that mention each variable, with their regions; a parameter and what the result reads have none of their
/// own in addition.
#[derive(Default)]
struct Mentions {
    of: FxHashMap<VarId, Vec<(RegionId, Option<ItemId>)>>,
}

impl Mentions {
    fn new(proc: &Proc) -> Mentions {
        let mut mentions = Mentions::default();
        let var = |value: ValueId| proc.values[value].var;
        for (at, region) in proc.regions.iter().enumerate() {
            for &item in &region.items {
                let mut see = |var| mentions.see(var, RegionId::new(at), Some(item));
                walk::values_of_item(proc, item, &mut |value| see(var(value)));
                match &proc.items[item].kind {
                    ItemKind::Let { value } | ItemKind::Call { result: Some(value), .. } => see(var(*value)),
                    ItemKind::Branch { joins, .. } => joins.iter().for_each(|join| see(join.var)),
                    ItemKind::Loop { carried, .. } => carried.iter().for_each(|each| see(each.var)),
                    _ => walk::values_of_extents(proc, item, &mut |value| see(var(value))),
                }
            }
        }
        proc.params.iter().filter_map(|param| param.var).for_each(|var| mentions.see(var, RegionId(0), None));
        if let Some(result) = &proc.result {
            walk::values(result, &mut |value| mentions.see(var(value), RegionId(0), None));
        }
        mentions
    }

    fn see(&mut self, var: VarId, region: RegionId, item: Option<ItemId>) {
        let all = self.of.entry(var).or_default();
        if all.last() != Some(&(region, item)) {
            all.push((region, item));
        }
    }
}

/// Whether only a loop and the definition in front of it mention a variable.
fn alone(proc: &Proc, mentions: &Mentions, var: VarId, item: ItemId, init: ItemId) -> bool {
    let of = |value: ValueId| proc.values[value].var == var;
    let ItemKind::Loop { body, carried, .. } = &proc.items[item].kind else { return false };
    let here = |(region, other): &(RegionId, Option<ItemId>)| match other {
        Some(other) => [item, init].contains(other) || proc.is_within(*region, *body),
        None => false,
    };
    let mut alone = mentions.of.get(&var).into_iter().flatten().all(here);
    // Values of the loop's own variables, as other variables begin with or end behind it.
    for each in carried.iter().filter(|each| each.var != var) {
        alone &= !of(each.init);
    }
    let mut first_reads_itself = false;
    walk::values_of_item(proc, init, &mut |value| first_reads_itself |= of(value));
    alone && !first_reads_itself
}

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
            if let ExprKind::Load(Place { base: Base::Object(_), .. }) = expr.kind {
                local = true;
            }
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
