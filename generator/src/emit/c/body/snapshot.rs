//! Loops that run again from snapshots, as C.
//!
//! A handle of the run-time library goes with the loop: it counts passes and says what is next. It lies on the tape
//! between the two sweeps, behind everything that the loop has there.

use super::state::Body;
use crate::emit::c::calls;
use crate::ir::*;

/// What pointers lead into.
#[derive(PartialEq, Eq)]
enum Array {
    Value(ValueId),
    Object(ObjectId),
    Global(GlobalId),
}

impl<'a> Body<'a> {
    /// The snapshot that the passes of a loop begin with.
    fn begins_with(&self, body: RegionId) -> Option<&'a Snapshot> {
        let proc = self.proc;
        proc.regions[body].items.iter().find_map(|item| {
            let ItemKind::Sweep(SweepItem::Snapshot(snapshot)) = &proc.items[*item].kind else { return None };
            (snapshot.at != SnapshotAt::Next).then_some(&**snapshot)
        })
    }

    /// Makes the handle of a loop in front of it, or takes it from the tape. Whether the loop has one.
    pub(super) fn begin_snapshots(&mut self, body: RegionId) -> bool {
        let Some(snapshot) = self.begins_with(body) else { return false };
        let handle = self.locals.fresh("passes");
        let made = match &snapshot.at {
            SnapshotAt::Head { most, passes } => {
                self.tell_apart(snapshot);
                let passes = passes.as_ref().map_or_else(|| "-1".into(), |passes| self.expr(passes));
                calls::passes_create(*most, &passes)
            }
            _ => {
                let raw = self.locals.fresh("passes_raw");
                self.statement(&format!("void *{raw};"));
                self.statement(&format!("{};", calls::pop(&self.tape.clone(), "opaque", &format!("&{raw}"))));
                format!("({} *){raw}", calls::PASSES)
            }
        };
        self.statement(&format!("{} *const {handle} = {made};", calls::PASSES));
        self.handles.push(handle);
        true
    }

    /// A pointer that is kept by its number is found by its address. Arrays that begin at one address, because one has no
    /// elements, cannot be told apart, and their adjoints lie elsewhere: the program ends with a message.
    fn tell_apart(&mut self, snapshot: &Snapshot) {
        let mut pairs = Vec::new();
        for among in &snapshot.among {
            for (k, one) in among.iter().enumerate() {
                for other in &among[k + 1..] {
                    let same = self.array(one).is_some_and(|array| self.array(other) == Some(array));
                    let pair = [one, other].map(|pointer| self.exprs.expr(pointer, 8, self));
                    if !same && !pairs.contains(&pair) {
                        pairs.push(pair);
                    }
                }
            }
        }
        if pairs.is_empty() {
            return;
        }
        let equal = pairs.iter().map(|[one, other]| format!("({one} && {one} == {other})")).collect::<Vec<_>>();
        let name = &self.proc.name;
        self.statement(&format!("if ({}) {{", equal.join(" || ")));
        self.statement(&format!(
            "    fprintf(stderr, \"{name}: two buffers that change places begin at one address\\n\");"
        ));
        self.statement("    abort();\n}");
    }

    /// What a pointer is some elements behind.
    fn array(&self, pointer: &Expr) -> Option<Array> {
        match &pointer.kind {
            ExprKind::Value(value) => match &self.proc.values[*value].def {
                Def::Is(expr) => self.array(expr).or(Some(Array::Value(*value))),
                _ => Some(Array::Value(*value)),
            },
            ExprKind::Cast(x) => self.array(x),
            ExprKind::Address(place) => match (&place.base, &place.path[..]) {
                (Base::At(pointer), [Step::Index(_)]) => self.array(pointer),
                (Base::Object(object), [Step::Index(_)]) => Some(Array::Object(*object)),
                (Base::Global(global), [Step::Index(_)]) => Some(Array::Global(*global)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Puts the handle on the tape behind the loop, or gives it up behind the reversed one.
    pub(super) fn end_snapshots(&mut self) {
        let Some(handle) = self.handles.pop() else { return self.unit.problem("a loop without its handle") };
        if self.by_variable {
            self.statement(&format!("{};", calls::passes_leave(&handle)));
            self.statement(&format!("{};", calls::push(&self.tape.clone(), "opaque", &handle)));
        } else {
            self.statement(&format!("{};", calls::passes_destroy(&handle)));
        }
    }

    pub(super) fn snapshot(&mut self, snapshot: &'a Snapshot) {
        let Some(handle) = self.handles.last().cloned() else { return self.unit.problem("a snapshot without a loop") };
        let mut names = Vec::new();
        for (k, among) in snapshot.among.iter().enumerate() {
            names.push(match snapshot.to.get(k) {
                None => self.locals.fresh("kept"),
                Some(value) if among.is_empty() => self.values[value.index()].clone(),
                Some(value) => self.locals.fresh(&format!("{}_is", self.values[value.index()])),
            });
        }
        let ask = match snapshot.at {
            SnapshotAt::Head { .. } => format!("if ({}) {{", calls::passes_enter(&handle)),
            _ => {
                self.parts_of_state(snapshot, &names);
                format!("while ({}) {{", calls::passes_state(&handle))
            }
        };
        self.statement(&ask);
        self.indent += 1;
        if self.by_variable {
            self.parts_of_state(snapshot, &names);
        }
        for (place, count) in &snapshot.memory {
            let (address, size) = (self.address(place), format!("(int64_t)sizeof({})", self.exprs.ty(&place.ty)));
            let bytes = match count.kind {
                ExprKind::Int(1) => size,
                _ => format!("{} * {size}", self.exprs.expr(count, 11, self)),
            };
            self.statement(&format!("{};", calls::passes_move(&handle, &address, &bytes)));
        }
        for name in &names {
            let text = calls::passes_move(&handle, &format!("&{name}"), &format!("(int64_t)sizeof {name}"));
            self.statement(&format!("{text};"));
        }
        self.indent -= 1;
        self.statement("}");
        for ((value, among), name) in snapshot.to.iter().zip(&snapshot.among).zip(&names) {
            if let Some((last, others)) = among.split_last()
                && self.is_read(*value)
            {
                let last = self.assigned(last);
                let choose = |rest: String, (k, other): (usize, &Expr)| {
                    format!("{name} == {k} ? {} : {rest}", self.assigned(other))
                };
                let text = others.iter().enumerate().rev().fold(last, choose);
                self.define(*value, &text);
            }
        }
        if let Some(more) = snapshot.more {
            self.define(more, &calls::passes_run(&handle));
        }
    }

    /// The variables of a snapshot: with what the loop carries, but for the first one that comes back.
    fn parts_of_state(&mut self, snapshot: &Snapshot, names: &[String]) {
        for (at, name) in names.iter().enumerate() {
            let (from, among) = (snapshot.from.get(at), &snapshot.among[at]);
            let ty = match from {
                _ if !among.is_empty() => Type::int(),
                Some(from) => from.ty.clone(),
                None => self.ty(snapshot.to[at]).clone(),
            };
            let declaration = self.exprs.declare(&ty, name);
            let text = match from {
                Some(from) => format!("{declaration} = {};", self.expr(&number_among(from, among))),
                None => format!("{declaration};"),
            };
            self.statement(&text);
        }
    }
}

/// Which of several pointers one is, as a number; the value itself if there are none.
fn number_among(from: &Expr, among: &[Expr]) -> Expr {
    let Some((_, others)) = among.split_last() else { return from.clone() };
    let number = |k: usize| Box::new(Expr::int(k as i128));
    let last = *number(others.len());
    others.iter().enumerate().rev().fold(last, |rest, (k, other)| {
        let is = ExprKind::Binary(Binary::Equal, Box::new(from.clone()), Box::new(other.clone()));
        let is = Box::new(Expr { kind: is, ty: Type::int() });
        Expr { kind: ExprKind::Select(is, number(k), Box::new(rest)), ty: Type::int() }
    })
}
