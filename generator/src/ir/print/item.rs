//! Regions and items as text.

use super::Printer;
use crate::ir::*;

impl Printer<'_> {
    pub(super) fn region(&mut self, region: RegionId) {
        let Some(known) = self.proc.regions.get(region.index()) else { return };
        let undefined = |value: &Value| value.def == Def::Undefined && value.region == region;
        for value in self.proc.values.ids() {
            if undefined(&self.proc.values[value]) {
                let text = format!("undefined {}", self.value(value));
                self.line(&text);
            }
        }
        for &item in &known.items {
            self.item(item);
        }
    }

    fn value(&self, value: ValueId) -> String {
        self.names.value(self.proc, value)
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr, 0)).collect::<Vec<_>>().join(", ")
    }

    /// Where an item comes from.
    fn origin(&self, item: &Item) -> String {
        let statement = match item.statement {
            Some(statement) if self.spans => format!(" #{}", statement.0),
            _ => String::new(),
        };
        statement + &self.span(item.span)
    }

    pub(super) fn item(&mut self, id: ItemId) {
        let Some(item) = self.proc.items.get(id.index()) else { return };
        let origin = self.origin(item);
        if let ItemKind::Branch { on, then, otherwise, joins } = &item.kind {
            let text = format!("if {}{origin} {{", self.expr(on, 0));
            self.line(&text);
            self.inside(*then);
            if self.has_text(*otherwise) {
                self.line("} else {");
                self.inside(*otherwise);
            }
            self.line("}");
            for join in joins {
                let [out, then, otherwise] = [join.out, join.then, join.otherwise].map(|value| self.value(value));
                self.line(&format!("join {out} = {then} | {otherwise}"));
            }
        } else if let ItemKind::Loop { test, at, body, carried } = &item.kind {
            let at = if *at == TestAt::Before { "before" } else { "after" };
            let text = format!("loop {at} {}{origin}", self.expr(test, 0));
            if carried.is_empty() {
                self.line(&(text + " {"));
            } else {
                self.line(&text);
                for each in carried {
                    let [head, init, end, out] =
                        [each.head, each.init, each.end, each.out].map(|value| self.value(value));
                    self.line(&format!("  carry {head} = {init} | {end} -> {out}"));
                }
                self.line("{");
            }
            self.inside(*body);
            self.line("}");
        } else {
            let text = self.simple(&item.kind) + &origin;
            self.line(&text);
        }
    }

    fn inside(&mut self, region: RegionId) {
        self.indent += 1;
        self.region(region);
        self.indent -= 1;
    }

    fn has_text(&self, region: RegionId) -> bool {
        self.proc.regions.get(region.index()).is_some_and(|known| !known.items.is_empty())
            || self.proc.values.iter().any(|value| value.def == Def::Undefined && value.region == region)
    }

    fn simple(&mut self, kind: &ItemKind) -> String {
        match kind {
            ItemKind::Let { value } => {
                let def = self.proc.values.get(value.index()).map(|known| &known.def);
                let from = match def {
                    Some(Def::Is(expr)) => self.expr(expr, 0),
                    _ => "?".into(),
                };
                format!("let {} = {from}", self.value(*value))
            }
            ItemKind::Store { to, from } => format!("store {} = {}", self.place(to), self.expr(from, 0)),
            ItemKind::Call { callee, args, result, into } => {
                let call = format!("call {}({})", self.callee(callee), self.list(args));
                match (result, into) {
                    (Some(result), _) => format!("let {} = {call}", self.value(*result)),
                    (None, Some(into)) => format!("store {} = {call}", self.place(into)),
                    (None, None) => call,
                }
            }
            ItemKind::DeclareVar { var } => format!("declare {}", self.names.var(*var)),
            ItemKind::Declare { object } => format!("declare {}", self.declaration(*object)),
            ItemKind::Sweep(SweepItem::Clear { object }) => format!("clear {}", self.object_name(*object)),
            ItemKind::Alloc { object, count, zeroed } => {
                let zeroed = if *zeroed { "zeroed " } else { "" };
                let stable = self.proc.objects.get(object.index()).is_some_and(|object| object.life == Life::Stable);
                let stable = if stable { "stable " } else { "" };
                format!("alloc {zeroed}{stable}{}, {}", self.declaration(*object), self.expr(count, 0))
            }
            ItemKind::Free { pointer } => format!("free {}", self.expr(pointer, 0)),
            ItemKind::Given { args, needs, when } => {
                format!("given ({}) needs ({}) for ({})", self.list(args), self.list(needs), self.list(when))
            }
            ItemKind::Sweep(SweepItem::Release { pointer, contents }) => {
                let contents = if *contents { "contents " } else { "" };
                format!("release {contents}{}", self.expr(pointer, 0))
            }
            ItemKind::Sweep(SweepItem::Undo { what: Undone::Alloc }) => "undo alloc".into(),
            ItemKind::Sweep(SweepItem::Undo { what: Undone::Release }) => "undo release".into(),
            ItemKind::Sweep(SweepItem::Undo { what: Undone::Resize }) => "undo resize".into(),
            ItemKind::Sweep(SweepItem::Accumulate { to, from }) => {
                format!("accumulate {} += {}", self.place(to), self.expr(from, 0))
            }
            ItemKind::Sweep(SweepItem::Push { what }) => self.pushed(what),
            ItemKind::Sweep(SweepItem::Pop { what }) => self.popped(what),
            ItemKind::Sweep(SweepItem::Shadowed { place, shadow }) => {
                format!("shadowed {} by {}", self.place(place), self.place(shadow))
            }
            ItemKind::Sweep(SweepItem::Witness { notes, site, value }) => {
                format!("{} {site}: {}", if *notes { "note" } else { "witness" }, self.expr(value, 0))
            }
            ItemKind::Sweep(SweepItem::Rehearsal { step }) => match step {
                Rehearsal::Begin => "rehearsal begin".into(),
                Rehearsal::End => "rehearsal end".into(),
                Rehearsal::Again => "rehearsal again".into(),
                Rehearsal::Compare(site) => format!("rehearsal compare {site}"),
            },
            ItemKind::Sweep(SweepItem::Snapshot(snapshot)) => self.snapshot(snapshot),
            ItemKind::Sweep(SweepItem::Nothing) => "nothing".into(),
            ItemKind::Branch { .. } | ItemKind::Loop { .. } => String::new(),
        }
    }

    /// The whole declaration of an object where it stands first, its name later.
    fn declaration(&mut self, object: ObjectId) -> String {
        match self.declared.get_mut(object.index()) {
            Some(declared) if !*declared => {
                *declared = true;
                self.object(&self.proc.objects[object])
            }
            _ => format!("object {}", self.object_name(object)),
        }
    }

    fn callee(&self, callee: &Callee) -> String {
        let name = |id: &ProcId| match self.program.procs.find(*id) {
            Some(proc) if self.program.procs.iter().filter(|other| other.name == proc.name).count() > 1 => {
                format!("{}#{}", proc.name, id.0)
            }
            Some(proc) => proc.name.clone(),
            None => format!("?#{}", id.0),
        };
        match callee {
            Callee::Proc(id) => name(id),
            Callee::External { function, returns, unknown } => {
                let (stops, any) = (if *returns { "" } else { "noreturn " }, if *unknown { "unknown " } else { "" });
                let function = match function {
                    External::Named(name) => name.clone(),
                    External::Resize => "\"resize\"".into(),
                    External::Volatile => "\"volatile\"".into(),
                    External::Passive { call, same: false } => format!("\"passive\" {call:?}"),
                    External::Passive { call, same: true } => format!("\"constant\" {call:?}"),
                    External::Stop(Reason::NoMemory) => "\"no memory\"".into(),
                    External::Stop(Reason::Unnamed(pointer)) => format!("\"unnamed\" {pointer:?}"),
                };
                format!("extern {stops}{any}{function}")
            }
            Callee::Sweep(id, Role::Primal) => format!("primal {}", name(id)),
            Callee::Sweep(id, Role::Forward) => format!("forward {}", name(id)),
            Callee::Sweep(id, Role::Reverse) => format!("reverse {}", name(id)),
            Callee::Sweep(id, Role::Tangent) => format!("tangent {}", name(id)),
        }
    }

    fn snapshot(&self, snapshot: &Snapshot) -> String {
        let mut text = match &snapshot.at {
            SnapshotAt::Head { most, passes: None } => format!("snapshot head {most}"),
            SnapshotAt::Head { most, passes: Some(passes) } => {
                format!("snapshot head {most} of {}", self.expr(passes, 0))
            }
            SnapshotAt::First => "snapshot first".into(),
            SnapshotAt::Next => "snapshot next".into(),
        };
        for (place, count) in &snapshot.memory {
            text += &format!(" elements {}, {}", self.place(place), self.expr(count, 0));
        }
        text += &format!(" from [{}]", self.list(&snapshot.from));
        for among in snapshot.among.iter().filter(|_| snapshot.among.iter().any(|all| !all.is_empty())) {
            text += &format!(" among [{}]", self.list(among));
        }
        for value in &snapshot.to {
            text += &format!(" to {}", self.value(*value));
        }
        if let Some(more) = snapshot.more {
            text += &format!(" more {}", self.value(more));
        }
        text
    }

    fn pushed(&self, what: &Pushed) -> String {
        match what {
            Pushed::Value(expr) => format!("push {}", self.expr(expr, 0)),
            Pushed::Bits { value, bits } => format!("push bits({bits}) {}", self.expr(value, 0)),
            Pushed::Count(expr) => format!("push count {}", self.expr(expr, 0)),
            Pushed::Elements { place, count } => {
                format!("push elements {}, {}", self.place(place), self.expr(count, 0))
            }
            Pushed::Pointer { value, bases, base } => {
                let [value, base] = [value, base].map(|expr| self.expr(expr, 0));
                format!("push pointer {value} from [{}] at {base}", self.list(bases))
            }
        }
    }

    fn popped(&self, what: &Popped) -> String {
        match what {
            Popped::Value(value) => format!("pop {}", self.value(*value)),
            Popped::Memory(place) => format!("pop store {}", self.place(place)),
            Popped::Bits { value, bits } => format!("pop bits({bits}) {}", self.value(*value)),
            Popped::Count(value) => format!("pop count {}", self.value(*value)),
            Popped::Elements { place, count } => format!("pop elements {}, {}", self.place(place), self.expr(count, 0)),
            Popped::Pointer { value, shadow, bases, shadows } => {
                let shadow = shadow.map_or_else(String::new, |shadow| format!(", {}", self.value(shadow)));
                let from = self.list(bases);
                format!("pop pointer {}{shadow} from [{from}] shadows [{}]", self.value(*value), self.list(shadows))
            }
        }
    }
}
