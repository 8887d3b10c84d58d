//! What the heads call, and how arguments are passed.

use super::bound::may_call;
use super::jumps::blocks;
use super::state::{Called, From, Lower, Makers, Operators, Passed, Pattern, Procedure, Reader};
use super::stretches::Storage;
use super::texts::Texts;
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use adtape_fortran::scope::intrinsic::intrinsic;
use adtape_fortran::scope::program::{self as scope, ScopeId, ScopeKind, SymbolId};
use adtape_fortran::tree::attribute::Intent;
use adtape_fortran::tree::expression::{Argument, ArgumentValue, Expr as Written, Ident, Part, Reference};
use adtape_fortran::tree::header::{Dummy, UnitKind};
use adtape_fortran::tree::statement::{Action, Block, Control, Statement, TransferKind};
use adtape_fortran::tree::unit::Unit;
use adtape_fortran::tree::walk::{self, Node};
use rustc_hash::{FxHashMap, FxHashSet};

impl<'t> Reader<'t> {
    /// A reader of resolved names.
    pub fn new(names: &'t scope::Program<'t>, operators: &'t Operators, texts: Texts) -> Reader<'t> {
        Reader {
            names,
            operators,
            texts,
            refusals: Vec::new(),
            types: Types::default(),
            globals: IdVec::default(),
            global_numbers: FxHashMap::default(),
            procs: Vec::new(),
            reached: Vec::new(),
            numbers: FxHashMap::default(),
            possible: FxHashMap::default(),
            left_out: Vec::new(),
            makers: Makers::default(),
            passive: FxHashMap::default(),
            outside: FxHashMap::default(),
            alone: FxHashMap::default(),
            modules: FxHashMap::default(),
            derived: FxHashMap::default(),
            fortran: Fortran::default(),
            storage: Storage::default(),
            static_names: FxHashSet::default(),
            statics: Vec::new(),
        }
    }

    /// Finds what the heads reach, and how their arguments are passed.
    pub fn heads(&mut self, heads: &[String]) {
        let mut scopes = Vec::new();
        for head in heads {
            let name = head.to_ascii_lowercase();
            let is_head = |scope: &ScopeId| self.procedure_name(*scope).is_some_and(|own| *own.name == *name);
            let mut found = (0..self.names.scopes.len()).map(|at| ScopeId(at as u32)).filter(is_head);
            let first = found.next();
            if found.next().is_some() {
                let what = format!("several modules have a procedure '{name}'");
                self.refuse(Span::default(), Class::Head, what, "give the one to differentiate a name of its own");
                continue;
            }
            match first {
                Some(scope) => scopes.push(scope),
                None => {
                    let what = format!("the sources do not define the head '{head}'");
                    let help = "name a subroutine or function that one of the files defines";
                    self.refuse(Span::default(), Class::Head, what, help);
                }
            }
        }
        self.find_possible();
        self.find_passive(&scopes);
        self.find_makers(&scopes);
        for scope in scopes {
            let id = self.reach(scope, Pattern::default(), None);
            self.refuse_array_result(id);
        }
        self.find_hosted();
        self.find_written();
        self.find_addressed();
        self.find_storage();
    }

    /// The name of a subroutine or function with a body.
    pub fn procedure_name(&self, scope: ScopeId) -> Option<&'t Ident> {
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { return None };
        let is_procedure = matches!(unit.header.kind, UnitKind::Subroutine | UnitKind::Function);
        unit.header.name.as_ref().filter(|_| is_procedure)
    }

    /// Notes a refusal.
    pub fn refuse(&mut self, span: Span, class: Class, what: impl Into<String>, help: &str) {
        self.refusals.push(Refusal { class, span, what: what.into(), help: help.to_string() });
    }

    fn refuse_array_result(&mut self, head: ProcId) {
        let Procedure { scope, unit, dummies, .. } = &self.reached[head.index()];
        if !dummies.iter().any(|dummy| dummy.from == From::Result) {
            return;
        }
        let span = self.texts.span(self.names.scope(*scope).file, unit.header.span);
        let help = "make it a subroutine with an argument more";
        self.refuse(span, Class::Language, "the head returns an array or a derived type", help);
    }

    /// The handle of the procedure that a reference in another one calls.
    pub fn callee(&self, caller: &Procedure, here: ScopeId, scope: ScopeId, reference: &Reference) -> Option<ProcId> {
        self.numbers.get(&(scope, self.pattern(caller, here, scope, reference))).copied()
    }

    /// How a call uses a procedure.
    fn pattern(&self, caller: &Procedure, here: ScopeId, scope: ScopeId, reference: &Reference) -> Pattern {
        let absent = self.left_out(&|id| caller.lacks(id), here, scope, reference);
        Pattern { absent, bound: self.bound_by(&caller.bound, here, scope, reference) }
    }

    /// The positions of the optional dummies that a call leaves out, or passes what the caller's calls left out.
    fn left_out(
        &self,
        lacks: &dyn Fn(SymbolId) -> bool,
        here: ScopeId,
        scope: ScopeId,
        reference: &Reference,
    ) -> Vec<usize> {
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { return Vec::new() };
        let dummies = self.dummy_symbols(scope, unit);
        let list = reference.parts[0].lists.first().map_or(&[][..], |list| list);
        let is_given = |argument: &Argument| match &argument.value {
            ArgumentValue::Expr(value) => {
                let name = value.name().and_then(|name| self.names.lookup(here, &name.name));
                !name.is_some_and(lacks)
            }
            _ => true,
        };
        let places = list.iter().enumerate().filter(|(_, argument)| is_given(argument));
        let given: FxHashSet<usize> =
            places.filter_map(|(position, argument)| self.position_of(&dummies, position, argument)).collect();
        let is_absent = |at: &usize| self.names.symbol(dummies[*at]).flags.optional && !given.contains(at);
        (0..dummies.len()).filter(is_absent).collect()
    }

    fn reach(&mut self, scope: ScopeId, pattern: Pattern, caller: Option<ProcId>) -> ProcId {
        if let Some(known) = self.numbers.get(&(scope, pattern.clone())) {
            return *known;
        }
        let ScopeKind::Unit(unit) = self.names.scope(scope).kind else { unreachable!("a procedure with a body") };
        let id = ProcId::new(self.reached.len());
        let dummies = self.dummies(scope, unit, &pattern);
        self.refuse_own_inside(scope, &pattern.bound);
        let bound = pattern.bound.clone();
        self.numbers.insert((scope, pattern), id);
        let (addressed, named, kept) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
        let (calls, written_out, stands_for) = (Vec::new(), Vec::new(), Vec::new());
        let made =
            Procedure { scope, unit, dummies, caller, bound, addressed, named, kept, calls, written_out, stands_for };
        self.reached.push(made);
        self.procs.push(None);
        let (mut called, mut named) = (Vec::new(), FxHashSet::default());
        let (mut open, mut written_out, mut stands_for) = (vec![scope], Vec::new(), Vec::new());
        while let Some(at) = open.pop() {
            let ScopeKind::Unit(unit) = self.names.scope(at).kind else { continue };
            self.each(at, &unit.body, &mut |this, here, node| match node {
                Node::Reference(reference) | Node::Callee(reference) => {
                    named.extend(this.names.lookup(here, &reference.parts[0].name.name));
                    let caller = &this.reached[id.index()];
                    let Called::Procedure(other) = this.called_in(caller, here, &reference.parts[0]) else { return };
                    if !may_call(node) || this.passive.contains_key(&other) {
                        return;
                    }
                    if !this.makers.procedures.contains(&other) {
                        called.push((other, this.pattern(caller, here, other, reference)));
                        return;
                    }
                    stands_for.extend(this.passed_variables(here, other, reference));
                    if !written_out.contains(&other) {
                        written_out.push(other);
                        open.push(other);
                    }
                }
                Node::Index(name) => named.extend(this.names.lookup(here, &name.name)),
                Node::Operator(_) | Node::Assigned(..) | Node::Enter(_) | Node::EnterArm(..) | Node::Leave => {}
            });
        }
        let own = &mut self.reached[id.index()];
        (own.named, own.written_out, own.stands_for) = (named, written_out, stands_for);
        let calls: Vec<ProcId> =
            called.into_iter().map(|(other, pattern)| self.reach(other, pattern, Some(id))).collect();
        self.reached[id.index()].calls = calls;
        id
    }

    /// Follows the references of a block, each with the scope that it stands in.
    pub fn each(&self, scope: ScopeId, block: &'t Block, see: &mut dyn FnMut(&Self, ScopeId, &Node<'t>)) {
        let mut scopes = vec![scope];
        walk::block(block, &mut |node| {
            let here = *scopes.last().expect("the procedure's own");
            match &node {
                Node::Enter(statement) => scopes.push(self.names.scope_of(*statement).unwrap_or(here)),
                Node::EnterArm(_, arm) => scopes.push(self.names.scope_of(*arm).unwrap_or(here)),
                Node::Leave => drop(scopes.pop()),
                _ => {}
            }
            see(self, here, &node);
            let call = match node {
                Node::Operator(expr) => self.operator(expr),
                Node::Assigned(target, _) => self.assignment(target),
                _ => None,
            };
            if let Some(call) = call {
                walk::reference(call, &mut |inner| see(self, here, &inner));
            }
        });
    }

    /// What a reference calls.
    pub fn called(&self, scope: ScopeId, part: &Part) -> Called<'t> {
        let names = self.names;
        let of_compiler = |name: &str| match intrinsic(name) {
            Some(_) => Called::Intrinsic(name.into()),
            None => Called::Unknown(None),
        };
        let external = |name: &str| self.external(name);
        if let Some(id) = names.operator_of(scope, part) {
            return self.called_symbol(scope, id, part).unwrap_or(Called::Unknown(None));
        }
        let Some(id) = names.lookup(scope, &part.name.name) else {
            return external(&part.name.name).unwrap_or_else(|| of_compiler(&part.name.name));
        };
        self.called_symbol(scope, id, part).unwrap_or_else(|| of_compiler(&part.name.name))
    }

    /// A procedure that no unit contains, or an entry of one.
    fn external(&self, name: &str) -> Option<Called<'t>> {
        let entry = self.names.is_entry(name).then_some(Called::Entry);
        entry.or_else(|| self.names.external(name).map(Called::Procedure))
    }

    fn called_symbol(&self, scope: ScopeId, id: SymbolId, part: &Part) -> Option<Called<'t>> {
        let names = self.names;
        let symbol = names.symbol(id);
        Some(match &symbol.class {
            scope::Class::Procedure(inner) => match names.scope(*inner).kind {
                ScopeKind::Unit(_) => Called::Procedure(*inner),
                _ => match names.submodule_body(*inner) {
                    Some(body) => Called::Procedure(body),
                    None => self.external(&symbol.name).unwrap_or(Called::Unknown(None)),
                },
            },
            scope::Class::External(_) if symbol.flags.dummy => Called::Unknown(None),
            scope::Class::External(_) => {
                return self.external(&symbol.name).or_else(|| {
                    (!symbol.flags.external && intrinsic(&symbol.name).is_some())
                        .then(|| Called::Intrinsic(symbol.name.clone()))
                        .or(Some(Called::Unknown(None)))
                });
            }
            scope::Class::Generic(_) => {
                let actuals = part.lists.first().map_or(Vec::new(), |list| names.typed_arguments(scope, list));
                let found = names.resolve(id, &actuals)?;
                return self.called_symbol(scope, found, part);
            }
            scope::Class::StatementFunction(dummies, value) => Called::Statement(dummies.clone(), value, symbol.scope),
            scope::Class::Intrinsic => Called::Intrinsic(symbol.name.clone()),
            scope::Class::Opaque(module) => Called::Unknown(Some(module.clone())),
            scope::Class::Entry(..) => Called::Entry,
            scope::Class::Variable
            | scope::Class::Constant
            | scope::Class::Address
            | scope::Class::Derived(_)
            | scope::Class::Namelist(_)
            | scope::Class::Associated(_)
            | scope::Class::Enumerator(..)
            | scope::Class::Known(_) => Called::Nothing,
        })
    }

    /// The dummies of a procedure, as far as declarations say how they are passed.
    fn dummies(&mut self, scope: ScopeId, unit: &'t Unit, pattern: &Pattern) -> Vec<Passed> {
        let mut dummies = Vec::new();
        for dummy in &unit.header.arguments {
            let Dummy::Name(name) = dummy else {
                let span = self.texts.span(self.names.scope(scope).file, unit.header.span);
                let help = "return a number, and branch on it where the procedure is called";
                self.refuse(
                    span,
                    Class::Control,
                    "an alternate return is not supported in a head, or where a procedure calls itself",
                    help,
                );
                continue;
            };
            let Some(symbol) = self.names.scope(scope).names.get(&name.name).copied() else { continue };
            let declared = self.names.symbol(symbol);
            let is_derived = matches!(self.names.symbol_type(symbol), scope::Type::Derived(_));
            let kind = match (declared.dims, declared.intent) {
                (Some(_), _) => DummyKind::Array,
                (None, Some(Intent::Out | Intent::InOut)) => DummyKind::Scalar,
                (None, _) if is_derived => DummyKind::Scalar,
                (None, _) => DummyKind::Value,
            };
            let from = match pattern {
                _ if pattern.absent.contains(&dummies.len()) => From::Nothing,
                _ if pattern.bound.contains_key(&symbol) => From::Procedure,
                _ => From::List,
            };
            dummies.push(Passed { symbol, kind, from });
        }
        if matches!(unit.header.kind, UnitKind::Function)
            && let Some(symbol) = self.names.result_symbol(scope)
        {
            if self.names.symbol(symbol).dims.is_some() {
                dummies.push(Passed { symbol, kind: DummyKind::Array, from: From::Result });
            } else if self.returns_struct(scope) {
                dummies.push(Passed { symbol, kind: DummyKind::Scalar, from: From::Result });
            }
        }
        dummies
    }

    /// Scalar dummies without INTENT that somebody writes are passed by address: a fixpoint over the calls.
    fn find_written(&mut self) {
        loop {
            let mut found = Vec::new();
            for (at, procedure) in self.reached.iter().enumerate() {
                let written = self.written_by(procedure);
                let by_value = procedure.dummies.iter().enumerate().filter(|(_, dummy)| dummy.kind == DummyKind::Value);
                let is_open = |dummy: &Passed| {
                    let symbol = self.names.symbol(dummy.symbol);
                    dummy.from == From::Host || symbol.intent.is_none() && !symbol.flags.by_value
                };
                let more = by_value.filter(|(_, dummy)| is_open(dummy) && written.contains(&dummy.symbol));
                found.extend(more.map(|(position, _)| (at, position)));
            }
            if found.is_empty() {
                return;
            }
            for (at, position) in found {
                self.reached[at].dummies[position].kind = DummyKind::Scalar;
            }
        }
    }

    /// The variables that a procedure's statements write by name, and those that it passes on to be written.
    fn written_by(&self, procedure: &Procedure<'t>) -> FxHashSet<SymbolId> {
        let mut written = FxHashSet::default();
        for (scope, unit) in procedure.bodies(self.names) {
            self.targets(scope, &unit.body, &mut written);
            self.each(scope, &unit.body, &mut |this, here, node| {
                if let Node::Reference(reference) | Node::Callee(reference) = node
                    && may_call(node)
                {
                    written.extend(this.passed_scalars(procedure, here, reference));
                }
            });
        }
        procedure.with_actuals(written)
    }

    /// Whole variables that a call passes to scalars that are passed by address.
    fn passed_scalars(&self, caller: &Procedure, here: ScopeId, reference: &'t Reference) -> Vec<SymbolId> {
        let part = &reference.parts[0];
        let Called::Procedure(scope) = self.called_in(caller, here, part) else { return Vec::new() };
        if self.passive.contains_key(&scope) {
            return self.passed_texts(here, scope, reference);
        }
        let Some(callee) = self.callee(caller, here, scope, reference) else { return Vec::new() };
        let dummies = &self.reached[callee.index()].dummies;
        let list = part.lists.first().map_or(&[][..], |list| list);
        let is_shared = |dummy: &&Passed| dummy.from == From::Host && dummy.kind == DummyKind::Scalar;
        let mut found: Vec<SymbolId> = dummies.iter().filter(is_shared).map(|dummy| dummy.symbol).collect();
        for (position, argument) in list.iter().enumerate() {
            let Some(dummy) = self.dummy_of(dummies, position, argument) else { continue };
            if dummies[dummy].kind == DummyKind::Scalar
                && let ArgumentValue::Expr(value) = &argument.value
                && let Some(name) = value.name()
            {
                found.extend(self.names.lookup(here, &name.name));
            }
        }
        found
    }

    /// The position of the dummy that an actual argument belongs to.
    pub fn dummy_of(&self, dummies: &[Passed], position: usize, argument: &Argument) -> Option<usize> {
        let listed = |dummy: &Passed| matches!(dummy.from, From::List | From::Nothing | From::Procedure);
        match &argument.keyword {
            None => dummies.get(position).is_some_and(listed).then_some(position),
            Some(keyword) => {
                let is_it = |dummy: &Passed| listed(dummy) && self.names.symbol(dummy.symbol).name == keyword.name;
                dummies.iter().position(is_it)
            }
        }
    }

    /// The variables that the statements of a block write by name.
    pub fn targets(&self, scope: ScopeId, block: &'t [Statement], written: &mut FxHashSet<SymbolId>) {
        for statement in block {
            let here = self.names.scope_of(statement).unwrap_or(scope);
            let mut write = |reference: &Reference| {
                written.extend(self.names.lookup(here, &reference.parts[0].name.name));
            };
            match &statement.action {
                Action::Assign(target, _) | Action::PointTo(target, _) => write(target),
                Action::Allocate(_, objects) | Action::Deallocate(objects) => {
                    let objects = objects.iter().filter_map(|object| match &object.value {
                        ArgumentValue::Expr(value) => value.reference(),
                        _ => None,
                    });
                    objects.for_each(&mut write);
                }
                Action::Transfer(transfer) => {
                    if transfer.kind == TransferKind::Read {
                        transfer.items.iter().filter_map(Written::reference).for_each(&mut write);
                    }
                    let controls = transfer.controls.iter().filter_map(|control| match &control.value {
                        ArgumentValue::Expr(value) => value.reference(),
                        _ => None,
                    });
                    controls.for_each(&mut write);
                }
                Action::Do(looped) => {
                    if let Control::Count(count) = &looped.control {
                        write(&count.variable);
                    }
                }
                _ => {}
            }
            blocks(&statement.action).into_iter().for_each(|inner| self.targets(here, inner, written));
        }
    }

    /// Scalars that are passed by address.
    fn find_addressed(&mut self) {
        for at in 0..self.reached.len() {
            let procedure = &self.reached[at];
            let mut addressed = FxHashSet::default();
            for (scope, unit) in procedure.bodies(self.names) {
                self.each(scope, &unit.body, &mut |this, here, node| {
                    if let Node::Reference(reference) | Node::Callee(reference) = node
                        && may_call(node)
                    {
                        addressed.extend(this.passed_scalars(procedure, here, reference));
                    }
                });
            }
            self.reached[at].addressed = procedure.with_actuals(addressed);
        }
    }

    /// Lowers everything that is reached.
    pub fn lower(&mut self) {
        for at in 0..self.reached.len() {
            let id = ProcId::new(at);
            let proc = Lower::procedure(self, id);
            self.procs[at] = proc;
        }
    }
}
