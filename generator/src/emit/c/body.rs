//! The body of a procedure as C, in one of two ways of naming.
//!
//! *By variable* (primal, forward sweep, tangent): a value is called as its variable, so the text reads like the
//! user's. The printer follows which value each variable holds; a value that is read when its variable holds another
//! one is kept in a constant of its own. *By value* (reverse sweep): each value is a constant with a name of its own;
//! only what a loop carries, and what a branch joins, is a variable.
//!
//! What is kept is known at the end only, so a body is printed until nothing is added.

mod copy;
mod guarded;
mod item;
mod naming;
mod records;
mod repeat;
mod snapshot;
mod state;
mod tape;
mod text;
mod watched;

use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

use super::calls;
use super::expr::{Exprs, Naming};
use super::unit::Unit;
use crate::check::Watch;
use crate::emit::body::{Head, Index, Lines, Records, Scopes, begins, downs, heads};
use crate::ir::*;
use crate::names::{Names, code, words};
pub(super) use state::Printed;
use state::{Body, Copies};
pub(super) use text::Macros;

impl Naming for Body<'_> {
    fn value(&self, value: ValueId) -> String {
        if !self.by_variable {
            return self.values[value.index()].clone();
        }
        let known = &self.proc.values[value];
        let slot = self.slots[known.var.index()];
        if self.current[slot] == Some(value) || known.def == Def::Undefined {
            return self.slot_names[slot].clone();
        }
        if let Some(name) = self.kept.borrow().get(&value) {
            return name.clone();
        }
        self.fresh_kept.borrow_mut().push(value);
        self.slot_names[slot].clone()
    }

    fn object(&self, object: ObjectId) -> String {
        self.objects[object.index()].clone()
    }

    fn notes_pointers(&self) -> Option<&str> {
        (self.unit.checks && self.proc.role != Role::Tangent).then_some(&self.unit.witness)
    }

    fn function(&self, function: &Function) -> String {
        self.unit.function(function)
    }

    fn heap(&self) -> String {
        self.heap.clone()
    }

    fn watched(&self, place: &Place) -> Option<(String, usize)> {
        let (watch, proc) = self.watch?;
        Some((format!("{}_reached", self.unit.witness), watch.access(proc, place, false)?))
    }

    fn is_array(&self, pointer: ValueId) -> bool {
        self.index.arrays.contains(&self.proc.values[pointer].var)
    }
}

/// Prints a procedure under a name. `tape`: whether it takes a tape as its first argument.
/// `primal`: the procedure that it is made of.
/// `bridged`: whether numbers go on the tape together that do not stand side by side.
pub(super) fn print(unit: &Unit, (primal, proc): (&Proc, &Proc), name: &str, tape: bool, bridged: bool) -> Printed {
    printed(Body::new(unit, primal, proc, bridged), name, tape)
}

fn printed(mut body: Body, name: &str, tape: bool) -> Printed {
    let proc = body.proc;
    loop {
        body.start();
        body.contents();
        let more = std::mem::take(&mut *body.fresh_kept.borrow_mut());
        if more.is_empty() {
            break;
        }
        for value in more {
            let wish = format!("{}_was", body.proc.vars[body.proc.values[value].var].name);
            let name = body.locals.fresh(&wish);
            body.kept.borrow_mut().entry(value).or_insert(name);
        }
    }
    let mut params = Vec::new();
    if tape {
        params.push(format!("{} *{}", calls::TAPE, body.tape));
    }
    for (param, name) in proc.params.iter().zip(&body.params) {
        params.push(if body.by_variable {
            body.exprs.parameter(param, name)
        } else {
            body.exprs.parameter_of_reverse(param, name)
        });
    }
    if params.is_empty() {
        params.push("void".into());
    }
    let result = body.exprs.declare(&proc.result_type, &format!("{name}({})", params.join(", ")));
    Printed { attribute: String::new(), signature: result, begins: String::new(), body: body.finished(tape) }
}

impl<'a> Body<'a> {
    fn new(unit: &'a Unit<'a>, primal: &Proc, proc: &'a Proc, bridged: bool) -> Body<'a> {
        let by_variable = proc.role != Role::Reverse;
        let mut locals = unit.names.clone();
        let index = Index::new(proc);
        let downs = if by_variable { FxHashMap::default() } else { downs(proc) };
        let mut body = Body {
            unit,
            proc,
            exprs: Exprs { program: unit.program, proc, flat: !by_variable },
            by_variable,
            tape: String::new(),
            heap: String::new(),
            locals: Names::default(),
            library: Names::default(),
            values: Vec::new(),
            slots: Vec::new(),
            slot_names: Vec::new(),
            slot_vars: Vec::new(),
            slots_named: FxHashMap::default(),
            begins: if by_variable { FxHashMap::default() } else { begins(proc, &index, &downs) },
            index,
            objects: Vec::new(),
            scopes: Scopes::default(),
            current: Vec::new(),
            declared: Vec::new(),
            kept: RefCell::default(),
            fresh_kept: RefCell::default(),
            out: Lines::default(),
            indent: 1,
            line: (0, 0),
            skipped: FxHashSet::default(),
            records: Records::new(proc, bridged, records::suffix),
            params: Vec::new(),
            heads: if by_variable { heads(proc) } else { FxHashMap::default() },
            downs,
            copies: if by_variable { Copies::new(unit, primal, proc) } else { Copies::default() },
            handles: Vec::new(),
            rehearsals: Vec::new(),
            primal_items: if by_variable { primal.items.len() } else { 0 },
            watch: None,
        };
        // The user's names stay: C's own rules keep them apart from macros, and nothing but the user's text is called.
        if by_variable {
            // A tangent calls functions that the user does not call.
            body.library = if proc.role == Role::Tangent { Names::of_c() } else { Names::default() };
            for item in &proc.items {
                if let ItemKind::Call { callee: Callee::Sweep(id, role), .. } = &item.kind {
                    body.library.take(&unit.sweep_name(*id, *role));
                }
            }
            for param in &proc.params {
                let name = body.kept_name(&param.name, &mut locals);
                body.params.push(name);
            }
            // Objects keep their names, so variables take others.
            primal.objects.iter().for_each(|object| locals.take(&object.name));
            body.name_slots(&mut locals);
            body.group_slots();
            body.name_objects(&mut locals, primal.objects.len());
        } else {
            let mut used = unit.local_names.clone();
            body.params = proc.params.iter().map(|param| used.fresh(&param.name)).collect();
            body.name_objects(&mut used, 0);
            body.name_values(&mut used);
            locals = used;
        }
        body.tape = locals.fresh("tape");
        body.heap = locals.fresh("heap");
        body.locals = locals;
        body.scopes = Scopes::new(proc, &body.slots, body.slot_names.len());
        // The body changes the variable by the step alone.
        let heads = std::mem::take(&mut body.heads);
        let once = |item: &ItemId, head: &Head| {
            let ItemKind::Loop { body: inside, .. } = &proc.items[*item].kind else { return false };
            let slot = body.slots[head.var.index()];
            body.scopes.times_changed(*inside, slot) == 1
        };
        body.heads = heads.into_iter().filter(|(item, head)| once(item, head)).collect();
        body
    }

    /// Begins to print, again.
    fn start(&mut self) {
        self.out.clear();
        self.indent = 1;
        self.line = (0, 0);
        self.skipped = self.heads.values().flat_map(|head| [head.step].into_iter().chain(head.init)).collect();
        self.copies.commented.clear();
        self.skipped.extend(self.downs.values().flat_map(|down| [down.item].into_iter().chain(down.init)));
        self.skipped.extend(self.begins.values());
        self.current = vec![None; self.slot_names.len()];
        self.declared = vec![false; self.slot_names.len()];
        if self.by_variable {
            for param in &self.proc.params {
                if let (Some(var), Some(entry)) = (param.var, param.entry) {
                    self.current[self.slots[var.index()]] = Some(entry);
                    self.declared[self.slots[var.index()]] = true;
                }
            }
        }
    }

    fn contents(&mut self) {
        self.keep_entries();
        self.region(RegionId(0));
        let text = match (&self.proc.result, self.proc.result_object) {
            (Some(result), _) => {
                let mut values = Vec::new();
                crate::ir::walk::values(result, &mut |value| values.push(value));
                for value in values {
                    self.declare_late(value);
                }
                format!("return {};", self.exprs.bare(result, 0, self))
            }
            (None, Some(object)) => format!("return {};", self.objects[object.index()]),
            (None, None) => return,
        };
        self.statement(&text);
    }

    /// The body with what silences warnings about parameters that nothing reads.
    fn finished(&mut self, tape: bool) -> String {
        let mut unused = String::new();
        let mut names = self.params.clone();
        if tape {
            names.insert(0, self.tape.clone());
        }
        let code = code(&self.out.words());
        let read: FxHashSet<&str> = words(&code).collect();
        for name in names {
            if !read.contains(name.as_str()) {
                unused += &format!("    (void){name};\n");
            }
        }
        if read.contains(self.heap.as_str()) {
            unused += &format!("    {} *const {} = {};\n", calls::HEAP, self.heap, calls::OWN_HEAP);
        }
        format!("{unused}{}", self.out.text())
    }

    fn statement(&mut self, text: &str) {
        for line in text.lines() {
            self.out.push(self.indent, line);
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        self.exprs.bare(expr, 0, self)
    }

    fn place(&self, place: &Place) -> String {
        self.exprs.place(place, self)
    }

    fn ty(&self, value: ValueId) -> &'a Type {
        self.proc.type_of(value)
    }

    /// The address of a place as an expression.
    fn address(&self, place: &Place) -> String {
        let ty = Type::pointer(place.ty.clone());
        self.exprs.expr(&Expr { kind: ExprKind::Address(Box::new(place.clone())), ty }, 0, self)
    }

    // ---- definitions ---------------------------------------------------------------------------------------------

    fn slot(&self, value: ValueId) -> usize {
        self.slots[self.proc.values[value].var.index()]
    }

    /// Notes that a C variable holds the value now, and keeps a copy if one is needed later.
    fn holds(&mut self, value: ValueId) {
        if !self.by_variable {
            return;
        }
        let slot = self.slot(value);
        self.current[slot] = Some(value);
        let kept = self.kept.borrow().get(&value).cloned();
        if let Some(name) = kept {
            let from = self.assigned(&Expr::value(value, self.ty(value).clone()));
            let text = format!("{} = {from};", self.constant(self.ty(value), &name));
            self.statement(&text);
        }
    }

    fn keep_entries(&mut self) {
        if self.by_variable {
            for entry in self.proc.params.iter().filter_map(|param| param.entry) {
                self.holds(entry);
            }
        }
    }

    /// `const double x`, `double *const p`.
    fn constant(&self, ty: &Type, name: &str) -> String {
        match ty {
            Type::Pointer(_) => self.exprs.declare(ty, &format!("const {name}")),
            _ => format!("const {}", self.exprs.declare(ty, name)),
        }
    }

    /// Defines a value by an expression: `s += x` where the variable's own value comes first.
    fn assign(&mut self, value: ValueId, from: &Expr) {
        if self.by_variable
            && let Some(text) = self.updated(value, from)
        {
            self.statement(&format!("{text};"));
            return self.holds(value);
        }
        let text = self.assigned(from);
        self.define(value, &text);
    }

    /// `s += x`, `i++`, if that is what the definition does.
    fn updated(&mut self, value: ValueId, from: &Expr) -> Option<String> {
        let slot = self.slot(value);
        let ExprKind::Binary(_, left, _) = &from.kind else { return None };
        let ExprKind::Value(old) = left.kind else { return None };
        let same = self.declared[slot] && self.slot(old) == slot && self.current[slot] == Some(old);
        if same { self.update(&self.slot_names[slot].clone(), from) } else { None }
    }

    /// `name op= rest` for an expression whose left operand is what has that name.
    fn update(&self, name: &str, from: &Expr) -> Option<String> {
        let ExprKind::Binary(op, _, right) = &from.kind else { return None };
        let symbol = match op {
            Binary::Add => "+=",
            Binary::Subtract => "-=",
            Binary::Multiply => "*=",
            Binary::Divide => "/=",
            _ => return None,
        };
        let narrow = matches!(&from.ty, Type::Int { bits, .. } if *bits < 32);
        Some(match (op, &right.kind) {
            _ if narrow => return None,
            // `*p++` would step the pointer.
            (Binary::Add, ExprKind::Int(1)) if !name.starts_with('*') => format!("{name}++"),
            (Binary::Subtract, ExprKind::Int(1)) if !name.starts_with('*') => format!("{name}--"),
            _ => format!("{name} {symbol} {}", self.expr(right)),
        })
    }

    /// Defines a value by the text of an expression.
    fn define(&mut self, value: ValueId, from: &str) {
        if !self.by_variable {
            let text = format!("{} = {from};", self.constant(self.ty(value), &self.values[value.index()]));
            return self.statement(&text);
        }
        let slot = self.slot(value);
        let name = self.slot_names[slot].clone();
        if self.declared[slot] && name == from {
            return self.holds(value);
        }
        let text = if std::mem::replace(&mut self.declared[slot], true) {
            format!("{name} = {from};")
        } else {
            format!("{} = {from};", self.exprs.declare(self.ty(value), &name))
        };
        self.statement(&text);
        self.holds(value);
    }

    /// Declares a variable that is first read, not assigned: undefined in C, 0 here.
    fn declare_late(&mut self, value: ValueId) {
        if self.by_variable {
            let slot = self.slot(value);
            if !self.declared[slot] {
                self.declare_slot(slot, self.ty(value));
            }
        }
    }

    /// Assigns values to variables at once: none is overwritten before it was read.
    fn moves(&mut self, mut moves: Vec<(String, String, Type)>) {
        moves.retain(|(to, from, _)| to != from);
        while !moves.is_empty() {
            let free = moves.iter().position(|(to, ..)| {
                moves.iter().filter(|(other, from, _)| other != to && words(from).any(|word| word == to)).count() == 0
            });
            match free {
                Some(at) => {
                    let (to, from, _) = moves.remove(at);
                    self.statement(&format!("{to} = {from};"));
                }
                // A circle: one old value goes to a constant.
                None => {
                    let (to, _, ty) = &moves[0];
                    let (to, copy) = (to.clone(), self.locals.fresh(&format!("{to}_was")));
                    let text = format!("{} = {to};", self.constant(ty, &copy));
                    self.statement(&text);
                    for (_, from, _) in &mut moves {
                        if *from == to {
                            *from = copy.clone();
                        }
                    }
                }
            }
        }
    }
}

/// Prints the copy of a procedure that says which memory it reaches.
pub(super) fn watched(unit: &Unit, watch: &Watch, id: ProcId, name: &str) -> Printed {
    let proc = &unit.program.procs[id];
    let body = Body::new(unit, proc, proc, true);
    let mut printed = printed(Body { watch: Some((watch, id)), ..body }, name, false);
    printed.begins = format!("    {}_begins();\n", unit.witness);
    printed
}
