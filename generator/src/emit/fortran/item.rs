//! Items as statements.

use super::place::is_first;
use super::state::{Body, Counted, Form};
use super::words::{bind, is_text, type_text};
use crate::ir::*;
use crate::stack::deep;

impl Body<'_> {
    pub fn region(&mut self, region: RegionId) {
        let proc = self.proc;
        for item in &proc.regions[region].items {
            deep(|| self.item(*item));
        }
    }

    fn item(&mut self, id: ItemId) {
        if self.skipped.contains(&id) {
            return;
        }
        let proc = self.proc;
        let item = &proc.items[id];
        match &item.kind {
            ItemKind::Let { value } => {
                let Def::Is(from) = &proc.values[*value].def else { return };
                if from.ty.target().is_some() || is_text(&from.ty) || self.reads(*value) == 0 {
                    return;
                }
                let text = self.assigned(from, self.ty(*value));
                let name = self.value(*value);
                if text != name {
                    self.origin(item);
                    self.statement(&format!("{name} = {text}"));
                }
            }
            ItemKind::Store { to, from } => {
                self.origin(item);
                let text = format!("{} = {}", self.place(to), self.assigned(from, &to.ty));
                self.statement(&text);
            }
            ItemKind::Sweep(SweepItem::Accumulate { to, from }) => {
                self.origin(item);
                let to = self.place(to);
                let text = match &from.kind {
                    ExprKind::Unary(Unary::Negate, x) => format!("{to} = {to} - {}", self.number(x, bind::PRODUCT)),
                    _ => format!("{to} = {to} + {}", self.number(from, bind::PRODUCT)),
                };
                self.statement(&text);
            }
            ItemKind::Call { callee, args, result, into } => {
                if into.is_some() {
                    self.problem("a derived type as a result");
                }
                self.origin(item);
                self.call(callee, args, *result);
            }
            ItemKind::Branch { on, then, otherwise, joins } => {
                self.origin(item);
                self.branch(on, *then, *otherwise, joins);
            }
            ItemKind::Loop { test, at, body, carried } => {
                self.origin(item);
                let from_snapshots = self.begin_snapshots(*body);
                self.repetition(id, test, *at, *body, carried);
                if from_snapshots {
                    self.end_snapshots();
                }
            }
            ItemKind::DeclareVar { .. } => {}
            ItemKind::Given { .. } => drop(self.problem("a step of a given derivative")),
            ItemKind::Declare { object } => {
                self.declare(*object);
                self.made(*object);
            }
            ItemKind::Sweep(SweepItem::Clear { object }) => self.clear(*object),
            ItemKind::Sweep(SweepItem::Push { what }) => {
                self.origin(item);
                self.push(id, what);
            }
            ItemKind::Sweep(SweepItem::Pop { what }) => {
                self.origin(item);
                self.pop(id, what);
            }
            ItemKind::Sweep(SweepItem::Nothing) => {}
            ItemKind::Alloc { .. }
            | ItemKind::Free { .. }
            | ItemKind::Sweep(SweepItem::Release { .. } | SweepItem::Undo { .. }) => {
                drop(self.problem("blocks of memory"))
            }
            ItemKind::Sweep(SweepItem::Witness { notes, site, value }) => self.witness(*notes, *site, value),
            ItemKind::Sweep(SweepItem::Shadowed { place, shadow }) => self.shadowed(place, shadow),
            ItemKind::Sweep(SweepItem::Rehearsal { step }) => self.rehearsal(*step),
            ItemKind::Sweep(SweepItem::Snapshot(snapshot)) => self.snapshot(snapshot),
        }
    }

    /// Names the source line that a part of the reverse sweep belongs to; elsewhere writes the comment above it.
    fn origin(&mut self, item: &Item) {
        if matches!(self.proc.role, Role::Forward | Role::Tangent) {
            self.comment(item.span);
        }
        let here = (item.span.source, item.span.line);
        if self.proc.role != Role::Reverse || item.span.line == 0 || here == self.line {
            return;
        }
        self.line = here;
        if let Some(source) = self.unit.program.sources.get(item.span.source as usize) {
            let name = source.path_at(item.span.start).rsplit('/').next().unwrap_or_default();
            self.statement(&format!("! {name}:{}", item.span.line));
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Expr], result: Option<ValueId>) {
        let (name, text) = match callee {
            Callee::External { function: External::Passive { call, .. }, .. } => {
                if let Some(words) = self.unit.fortran.phrases.get(call) {
                    return self.phrase(words, args, result);
                }
                let (name, list) = self.passive(call, args, result);
                return self.called(&name, &list, result, Type::Void);
            }
            Callee::External { function, .. } => {
                let texts = args.iter().filter_map(|arg| match &arg.kind {
                    ExprKind::Verbatim(text) => Some(text.as_str()),
                    _ => None,
                });
                let text: Vec<&str> =
                    std::iter::once(function.name().trim_start_matches("normal ")).chain(texts).collect();
                return self.statement(&text.join(" "));
            }
            Callee::Proc(id) if !self.unit.sweeps.contains_key(&(*id, Role::Primal)) => {
                let (name, list) = (self.primal_name(*id), self.primal_arguments(*id, args));
                if self.unit.facts(*id).returns_memory {
                    return self.returned(*id, &name, list);
                }
                let ty = self.result_type(callee);
                if ty != Type::Void {
                    self.external_function(*id, &ty);
                }
                (name, list)
            }
            Callee::Proc(_) | Callee::Sweep(..) => {
                let (id, role) = match callee {
                    Callee::Sweep(id, role) => (id, *role),
                    Callee::Proc(id) => (id, Role::Primal),
                    Callee::External { .. } => unreachable!("it was handled above"),
                };
                let Some(sweep) = self.unit.sweeps.get(&(*id, role)) else {
                    self.problem("a call of a sweep that is not there");
                    return;
                };
                let (name, roles) = (sweep.name.clone(), &sweep.roles[..]);
                let module = self.unit.facts(*id).module;
                module.iter().for_each(|module| self.use_from(*module, &name));
                let list = args.iter().enumerate().map(|(position, arg)| {
                    let form = self.unit.form_of(*id, roles, position);
                    self.argument(arg, &form)
                });
                (name, list.collect::<Vec<_>>())
            }
        };
        self.called(&name, &text, result, self.result_type(callee));
    }

    /// Writes a call: of a subroutine, or of a function whose result has this type.
    fn called(&mut self, name: &str, list: &[String], result: Option<ValueId>, ty: Type) {
        let list = list.join(", ");
        match result {
            Some(result) => {
                let to = self.value(result);
                self.statement(&format!("{to} = {name}({list})"));
            }
            None if ty != Type::Void => {
                let ignored = self.taken.fresh("ignored");
                self.extra.insert((type_text(&ty), ignored.clone()));
                self.statement(&format!("{ignored} = {name}({list})"));
            }
            None => self.statement(&format!("call {name}({list})")),
        }
    }

    /// An expression of texts.
    fn phrase(&mut self, words: &[String], args: &[Expr], result: Option<ValueId>) {
        let (Some(result), Some((first, rest))) = (result, words.split_first()) else { return };
        let mut text = first.clone();
        rest.iter().zip(args).for_each(|(words, value)| text += &(self.own(value) + words));
        let to = self.value(result);
        self.statement(&format!("{to} = {text}"));
    }

    /// A procedure that is called as it is: its name, and its arguments.
    fn passive(&mut self, call: &str, args: &[Expr], result: Option<ValueId>) -> (String, Vec<String>) {
        let mut words = call.split_whitespace();
        let known = words.next().and_then(|key| self.unit.fortran.passive.get(key));
        let FortranPassive { name, module } = known.cloned().unwrap_or_default();
        match (module, result) {
            (Some(module), _) => self.use_from(module, &name),
            (None, Some(result)) => {
                let declared = format!("{}, external :: {name}", type_text(self.ty(result)));
                self.constants.borrow_mut().insert(declared);
            }
            (None, None) => {}
        }
        let keywords: Vec<&str> = words.collect();
        let listed = args.len().saturating_sub(keywords.len());
        let names = vec![String::new(); listed].into_iter().chain(keywords.iter().map(|word| format!("{word}=")));
        let list = names.zip(args).map(|(name, arg)| format!("{name}{}", self.own(arg)));
        (name, list.collect())
    }

    /// Declares a function that no module contains.
    fn external_function(&self, id: ProcId, ty: &Type) {
        let facts = self.unit.facts(id);
        if facts.module.is_none() {
            self.constants.borrow_mut().insert(format!("{}, external :: {}", type_text(ty), facts.name));
        }
    }

    /// Writes the call of a function that returns an array or a derived type: its last argument is where that goes.
    fn returned(&mut self, id: ProcId, name: &str, mut list: Vec<String>) {
        let to = list.pop().unwrap_or_default();
        let mut dummies = self.unit.facts(id).dummies.iter().rev();
        let result = dummies.find(|dummy| dummy.kind.bound_of().is_none());
        let is_array = result.is_some_and(|result| result.kind == DummyKind::Array);
        let whole = to.split_once('(').filter(|_| is_array).map(|(whole, _)| whole);
        let to = whole.unwrap_or(&to).to_string();
        self.statement(&format!("{to} = {name}({})", list.join(", ")));
    }

    fn result_type(&self, callee: &Callee) -> Type {
        match callee {
            Callee::Proc(id) => self.unit.program.procs[*id].result_type.clone(),
            Callee::Sweep(id, role) => {
                self.unit.sweeps.get(&(*id, *role)).map(|sweep| sweep.proc.result_type.clone()).unwrap_or_default()
            }
            Callee::External { .. } => Type::Void,
        }
    }

    fn primal_name(&self, id: ProcId) -> String {
        let facts = self.unit.facts(id);
        if facts.is_copied {
            return self
                .problem(&format!("a call of '{}', a procedure inside another one, without a derivative", facts.name));
        }
        facts.module.iter().for_each(|module| self.use_from(*module, &facts.name));
        facts.name.clone()
    }

    /// What the user's own procedure is called with: extents go with their arrays.
    fn primal_arguments(&self, id: ProcId, args: &[Expr]) -> Vec<String> {
        let facts = self.unit.facts(id);
        let mut list = Vec::new();
        for (position, (dummy, arg)) in facts.dummies.iter().zip(args).enumerate() {
            let text = match dummy.kind {
                DummyKind::Extent { .. } | DummyKind::Lower { .. } => continue,
                DummyKind::Array if dummy.is_allocatable => self.problem(&format!(
                    "a call of '{}', which has an allocatable argument and no derivative",
                    facts.name
                )),
                DummyKind::Value => self.own(arg),
                DummyKind::Scalar => self.argument(arg, &Form::Scalar),
                DummyKind::Array => {
                    let extents = facts.dummies.iter().zip(args).filter(
                        |(other, _)| matches!(other.kind, DummyKind::Extent { of, .. } if of as usize == position),
                    );
                    let extents: Vec<&Expr> = extents.map(|(_, extent)| extent).collect();
                    if extents.is_empty() { self.argument(arg, &Form::Flat) } else { self.section(arg, &extents) }
                }
            };
            let keyword = dummy.is_named.then(|| format!("{}=", self.unit.program.procs[id].params[position].name));
            list.push(keyword.unwrap_or_default() + &text);
        }
        list
    }

    /// An argument, as a dummy of this form takes it.
    pub fn argument(&self, arg: &Expr, form: &Form) -> String {
        let is_scalar = *form == Form::Scalar;
        match &arg.kind {
            _ if arg.ty.target().is_none() => self.own(arg),
            ExprKind::Address(place) if is_scalar => self.place(place),
            ExprKind::Address(place) => self.element_on(place),
            ExprKind::Cast(inner) => self.argument(inner, form),
            ExprKind::Value(_) => self.number(arg, bind::ANY),
            ExprKind::Null => self.problem("a null pointer"),
            _ => self.problem("a pointer that moves"),
        }
    }

    /// An array of so many elements, as an assumed shape takes it.
    fn section(&self, arg: &Expr, extents: &[&Expr]) -> String {
        let ExprKind::Address(place) = &arg.kind else {
            return if let ExprKind::Value(_) = arg.kind {
                self.number(arg, bind::ANY)
            } else {
                self.problem("a pointer that moves")
            };
        };
        let [Step::Index(subscripts)] = &place.path[..] else { return self.problem("an address without subscripts") };
        if is_first(&place.path) && subscripts.len() == extents.len() {
            let extents_of = subscripts.iter().rev().map(|s| s.dim.extent.as_deref());
            let same = extents_of.zip(extents).all(|(own, extent)| {
                own.is_some_and(|own| self.number(own, bind::ANY) == self.number(extent, bind::ANY))
            });
            if same {
                return self.element_on(place);
            }
        }
        let text = self.place(place);
        let Some((name, list)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else { return text };
        let firsts = split(list);
        let ranges = firsts.iter().enumerate().map(|(k, first)| match extents.get(k) {
            Some(extent) => format!("{first}:{first} + {} - 1", self.number(extent, bind::PRODUCT)),
            None => first.clone(),
        });
        format!("{name}({})", ranges.collect::<Vec<_>>().join(", "))
    }

    fn branch(&mut self, on: &Expr, then: RegionId, otherwise: RegionId, joins: &[Join]) {
        let on = self.truth(on, bind::ANY);
        self.statement(&format!("if ({on}) then"));
        let line = self.line;
        self.out.indent += 1;
        self.region(then);
        self.moves(joins.iter().map(|join| (join.out, join.then)).collect());
        self.out.indent -= 1;
        let (length, begun) = (self.out.text.len(), self.line);
        self.line = line;
        self.statement("else");
        let opened = self.out.text.len();
        self.out.indent += 1;
        self.region(otherwise);
        self.moves(joins.iter().map(|join| (join.out, join.otherwise)).collect());
        self.out.indent -= 1;
        if self.out.text.len() == opened {
            self.out.text.truncate(length);
            self.line = begun;
        }
        self.statement("end if");
    }

    /// Brings values to where joined and carried ones are expected, all at once.
    fn moves(&mut self, pairs: Vec<(ValueId, ValueId)>) {
        let is_pointer = |value: ValueId| self.ty(value).target().is_some();
        let wanted = pairs.into_iter().filter(|(to, from)| {
            self.proc.values[*from].def != Def::Undefined && !is_pointer(*to) && self.reads(*to) > 0
        });
        let mut open: Vec<(String, String, String)> = wanted
            .map(|(to, from)| (self.value(to), self.value(from), type_text(self.ty(to))))
            .filter(|(to, from, _)| to != from)
            .collect();
        while !open.is_empty() {
            let is_free =
                |(to, ..): &(String, String, String)| !open.iter().any(|(other, from, _)| other != to && from == to);
            match open.iter().position(is_free) {
                Some(at) => {
                    let (to, from, _) = open.remove(at);
                    self.statement(&format!("{to} = {from}"));
                }
                None => {
                    let (to, _, ty) = open[0].clone();
                    let kept = self.taken.fresh("kept");
                    self.extra.insert((ty, kept.clone()));
                    self.statement(&format!("{kept} = {to}"));
                    open.iter_mut().filter(|(_, from, _)| *from == to).for_each(|pair| pair.1.clone_from(&kept));
                }
            }
        }
    }

    fn repetition(&mut self, id: ItemId, test: &Expr, at: TestAt, body: RegionId, carried: &[Carried]) {
        if let Some(Counted { position, var, first, last, step }) = self.counted.remove(&id) {
            let others = |end: bool| -> Vec<(ValueId, ValueId)> {
                let others = carried.iter().enumerate().filter(|(k, _)| *k != position);
                others.map(|(_, c)| if end { (c.head, c.end) } else { (c.head, c.init) }).collect()
            };
            self.moves(others(false));
            let step = if step == 1 { String::new() } else { format!(", {step}") };
            self.statement(&format!("do {var} = {first}, {last}{step}"));
            self.out.indent += 1;
            self.region(body);
            self.moves(others(true));
            self.out.indent -= 1;
            return self.statement("end do");
        }
        self.moves(carried.iter().map(|c| (c.head, c.init)).collect());
        let condition = self.truth(test, bind::ANY);
        if at == TestAt::Before {
            self.statement(&if condition == ".true." { "do".into() } else { format!("do while ({condition})") });
        } else {
            self.statement("do");
        }
        self.out.indent += 1;
        self.region(body);
        // A test behind the pass reads what the pass leaves.
        let again = (at == TestAt::After).then(|| {
            let again = self.taken.fresh("again");
            self.extra.insert(("logical".into(), again.clone()));
            let condition = self.truth(test, bind::ANY);
            self.statement(&format!("{again} = {condition}"));
            again
        });
        self.moves(carried.iter().map(|c| (c.head, c.end)).collect());
        if let Some(again) = again {
            self.statement(&format!("if (.not. {again}) exit"));
        }
        self.out.indent -= 1;
        self.statement("end do");
    }

    fn declare(&mut self, id: ObjectId) {
        let object = self.proc.objects[id].clone();
        let Form::Bounds(lowers) = self.forms[id.index()].clone() else { return };
        let at_top = object.life == Life::Region(RegionId::BODY);
        let is_number = |dim: &Dim| matches!(dim.extent.as_deref(), Some(Expr { kind: ExprKind::Int(_), .. }));
        if (at_top || object.shape.iter().all(is_number)) && self.is_known_at_entry(&object) {
            self.automatic.insert(id);
            return;
        }
        let name = self.objects[id.index()].clone();
        if !at_top {
            self.statement(&format!("if (allocated({name})) deallocate({name})"));
        }
        let bounds = self.bounds_of(&object, &lowers);
        self.statement(&format!("allocate({name}({bounds}))"));
    }
}

/// The parts of a list: commas inside of parentheses belong to a part.
fn split(list: &str) -> Vec<String> {
    let mut depth = 0;
    let parts = list.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_string()).collect()
}
