//! Places, blocks of elements, declarations.

use super::state::{Body, Form};
use super::words::{bind, bounds, is_text, product, sum, type_text};
use crate::ir::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

impl Body<'_> {
    /// Name and form of what a place begins with.
    fn base(&self, base: &Base) -> Option<(String, Form)> {
        match base {
            Base::Object(object) => Some((self.objects[object.index()].clone(), self.forms[object.index()].clone())),
            Base::Global(global) => Some((self.global(*global), self.global_form(*global))),
            Base::At(pointer) => match &pointer.kind {
                ExprKind::Value(value) => self.pointers.get(value).cloned().or_else(|| {
                    let Def::Is(from) = &self.proc.values[*value].def else { return None };
                    self.component(from)
                }),
                _ => self.component(pointer),
            },
        }
    }

    /// The allocatable component that a pointer is loaded from.
    fn component(&self, pointer: &Expr) -> Option<(String, Form)> {
        match &pointer.kind {
            ExprKind::Load(place) => Some((self.place(place), Form::Allocated)),
            ExprKind::Cast(inner) => self.component(inner),
            _ => None,
        }
    }

    fn global_form(&self, global: GlobalId) -> Form {
        let object = &self.unit.program.globals[global];
        if object.shape.is_empty() {
            return Form::Scalar;
        }
        Form::Bounds(bounds(&self.unit.stored(global).lowers, object.shape.len()))
    }

    /// The name of a variable of a module, which is used from there.
    fn global(&self, global: GlobalId) -> String {
        let name = self.unit.program.globals[global].name.clone();
        let facts = self.unit.stored(global);
        self.unit.named.borrow_mut().insert(global);
        match &facts.home {
            Home::Module(module) => self.use_from(*module, &name),
            Home::Constant(declaration) => drop(self.constants.borrow_mut().insert(declaration.clone())),
            Home::Block | Home::Saved(_) => {
                self.uses.borrow_mut().insert((self.unit.memory_module(), name.clone()));
            }
        }
        name
    }

    /// Notes that a name comes from a module, if that is another one.
    pub fn use_from(&self, module: usize, name: &str) {
        if self.module == Some(module) {
            return;
        }
        self.unit.open(module, name, self.proc);
        let module = self.unit.fortran.modules[module].name.clone();
        self.uses.borrow_mut().insert((module, name.to_string()));
    }

    /// A place: a scalar, or an element.
    pub fn place(&self, place: &Place) -> String {
        if let Some(inner) = self.through(place) {
            return self.place(&inner);
        }
        match self.last(place) {
            Some((name, form, Some(subscripts))) => self.element(name, form, subscripts),
            Some((name, _, None)) => name,
            None => self.problem("a pointer that moves"),
        }
    }

    /// The name and the form of what the last subscripts of a place belong to, and these.
    fn last<'p>(&self, place: &'p Place) -> Option<(String, Form, Option<&'p [Subscript]>)> {
        let (mut name, mut form) = self.base(&place.base)?;
        let mut of = self.struct_of(&place.base);
        let mut open: Option<&[Subscript]> = None;
        for step in &place.path {
            match step {
                Step::Index(subscripts) => open = Some(subscripts),
                Step::Field(field) => {
                    if let Some(subscripts) = open.take() {
                        name = self.element(name, form, subscripts);
                    }
                    let known = &self.unit.program.types.structs[of?];
                    let component = &known.fields[*field];
                    let declared = self.unit.fortran.types.get(&known.name)?;
                    let lowers = declared.lowers.get(&component.name);
                    form = lowers.map_or(Form::Scalar, |lowers| Form::Bounds(lowers.clone()));
                    let inquiry = declared.inquiries.get(&component.name);
                    let named = inquiry.map_or(&component.name, |of| &of.component);
                    let whole = if declared.is_bare { name } else { format!("{name}%{named}") };
                    name = match inquiry {
                        Some(of) => format!("{}({whole}, {})", of.function, of.dim),
                        None => whole,
                    };
                    of = component.ty.innermost().as_struct();
                }
            }
        }
        Some((name, form, open))
    }

    /// The struct that lies there, or of which there is an array.
    fn struct_of(&self, base: &Base) -> Option<StructId> {
        let ty = match base {
            Base::Object(object) => &self.proc.objects[*object].elem,
            Base::Global(global) => &self.unit.program.globals[*global].elem,
            Base::At(pointer) => pointer.ty.target()?,
        };
        ty.innermost().as_struct()
    }

    /// An element.
    fn element(&self, name: String, form: Form, subscripts: &[Subscript]) -> String {
        // A scalar is the first element behind its address; its directions are an array.
        let subscripts = match (&form, subscripts) {
            (Form::Bounds(lowers), [first, direction]) if lowers.len() == 1 && first.at.kind == ExprKind::Int(0) => {
                std::slice::from_ref(direction)
            }
            _ => subscripts,
        };
        match form {
            Form::Scalar => name,
            Form::Allocated => {
                if is_of_scalar(subscripts) {
                    return name;
                }
                let at = subscripts.iter().rev().enumerate();
                let at: Vec<String> = at.map(|(k, s)| self.subscript_of(&name, k + 1, &s.at)).collect();
                format!("{name}({})", at.join(", "))
            }
            Form::Bounds(lowers) if lowers.len() == subscripts.len() => {
                format!("{name}({})", self.list(subscripts, &lowers))
            }
            // From the first direction on.
            Form::Bounds(lowers) if self.unit.directions.is_some() && lowers.len() == subscripts.len() + 1 => {
                format!("{name}(1, {})", self.list(subscripts, &lowers[1..]))
            }
            Form::Bounds(_) => self.problem("an array with another number of subscripts"),
            Form::Flat => match flat(subscripts) {
                Some(at) => format!("{name}({})", self.number(&at, bind::ANY)),
                None => self.problem("an array whose extents are not known"),
            },
        }
    }

    /// A subscript of an allocatable component, which counts from 0 here.
    fn subscript_of(&self, name: &str, dim: usize, at: &Expr) -> String {
        let lower = format!("lbound({name}, {dim})");
        match self.without_lower(&lower, at) {
            Some(at) => self.number(&at, bind::ANY),
            None if at.kind == ExprKind::Int(0) => lower,
            None => format!("{lower} + {}", self.number(at, bind::SUM + 1)),
        }
    }

    /// A sum from which a lower bound is subtracted, without it.
    fn without_lower(&self, lower: &str, at: &Expr) -> Option<Expr> {
        match &at.kind {
            ExprKind::Binary(Binary::Subtract, a, b) => match &b.kind {
                ExprKind::Load(place) if self.place(place) == lower => Some((**a).clone()),
                _ => Some(Expr::binary(Binary::Subtract, self.without_lower(lower, a)?, (**b).clone(), at.ty.clone())),
            },
            ExprKind::Binary(Binary::Add, a, b) => Some(sum(&self.without_lower(lower, a)?, b)),
            ExprKind::Cast(inner) if at.ty.is_integer() => self.without_lower(lower, inner),
            _ => None,
        }
    }

    /// Subscripts as Fortran has them: from lower bounds on, the first dimension first.
    fn list(&self, subscripts: &[Subscript], lowers: &[i128]) -> String {
        let at = subscripts.iter().rev().zip(lowers);
        let at: Vec<String> = at.map(|(s, lower)| self.number(&s.at.offset(*lower), bind::ANY)).collect();
        at.join(", ")
    }

    /// A place behind the address of another one.
    fn through(&self, place: &Place) -> Option<Place> {
        let Base::At(pointer) = &place.base else { return None };
        let inner = match &pointer.kind {
            ExprKind::Address(inner) => inner,
            ExprKind::Cast(cast) => match &cast.kind {
                ExprKind::Value(_) => return Some(Place { base: Base::At(cast.clone()), ..place.clone() }),
                ExprKind::Address(inner) => inner,
                _ => return None,
            },
            ExprKind::Value(value) if !self.pointers.contains_key(value) => match &self.proc.values[*value].def {
                Def::Is(Expr { kind: ExprKind::Address(inner), .. }) => inner,
                _ => return None,
            },
            _ => return None,
        };
        let (first, rest) = match place.path.split_first() {
            Some((Step::Index(_), rest)) => (&place.path[..1], rest),
            _ => (&place.path[..0], &place.path[..]),
        };
        let path = inner.path.iter().chain(rest).cloned().collect();
        is_first(first).then(|| Place { base: inner.base.clone(), path, ty: place.ty.clone() })
    }

    /// What is passed where an array is expected: the whole of it, or the element from which on it is.
    pub fn element_on(&self, place: &Place) -> String {
        if let Some(inner) = self.through(place) {
            return self.element_on(&inner);
        }
        match self.last(place) {
            Some((name, _, Some(subscripts))) if are_first(subscripts) => name,
            _ => self.place(place),
        }
    }

    /// So many elements from a place on, and how they are called.
    pub fn elements(&self, place: &Place, count: &Expr) -> Block {
        if let Some(inner) = self.through(place) {
            return self.elements(&inner, count);
        }
        let (name, form, subscripts) = match self.last(place) {
            Some((name, form, Some(subscripts))) => (name, form, subscripts),
            Some((name, Form::Scalar, None)) => return Block::Whole(name, 0),
            _ => return Block::Whole(self.problem("a block of components"), 0),
        };
        let range = |first: &Expr| {
            let last = sum(first, count).offset(-1);
            [self.number(first, bind::ANY), self.number(&last, bind::ANY)]
        };
        let fastest = subscripts.last().expect("a subscript");
        let goes_on = || subscripts.len() > 1 && !fits(count, fastest.dim.extent.as_deref());
        let (range, others) = match form {
            Form::Scalar => return Block::Whole(name, 0),
            Form::Allocated if is_of_scalar(subscripts) => return Block::Whole(name, 0),
            Form::Flat => match flat(subscripts) {
                Some(first) => (range(&first), Vec::new()),
                None => return Block::Whole(self.problem("a block whose extents are not known"), 0),
            },
            Form::Bounds(lowers) if lowers.len() != subscripts.len() && lowers.len() != 1 => {
                return Block::Whole(self.problem("an array with another number of subscripts"), 0);
            }
            Form::Bounds(lowers) if lowers.len() == 1 => (range(&subscripts[0].at.offset(lowers[0])), Vec::new()),
            Form::Allocated | Form::Bounds(_) if self.is_whole(subscripts, count) => {
                return Block::Whole(name, subscripts.len());
            }
            // A part of a column.
            Form::Allocated | Form::Bounds(_) if goes_on() => return Block::Beyond(self.place(place)),
            Form::Allocated => {
                let last = sum(&fastest.at, &count.offset(-1));
                let others = subscripts.iter().rev().enumerate().skip(1);
                let others = others.map(|(k, s)| self.subscript_of(&name, k + 1, &s.at));
                ([&fastest.at, &last].map(|at| self.subscript_of(&name, 1, at)), others.collect())
            }
            Form::Bounds(lowers) => {
                let others = subscripts.iter().rev().zip(&lowers).skip(1);
                let others = others.map(|(s, lower)| self.number(&s.at.offset(*lower), bind::ANY));
                (range(&fastest.at.offset(lowers[0])), others.collect())
            }
        };
        Block::Column { name, range, others }
    }

    /// A type as it is declared; a derived type comes from its module.
    pub fn declared_type(&self, ty: &Type) -> String {
        if let Some(of) = self.unit.derived(ty) {
            self.use_from(of.module, &of.name);
        }
        self.unit.type_text(ty)
    }

    /// Whether so many elements are the whole array.
    fn is_whole(&self, subscripts: &[Subscript], count: &Expr) -> bool {
        let extents: Option<Vec<&Expr>> = subscripts.iter().map(|s| s.dim.extent.as_deref()).collect();
        are_first(subscripts) && extents.is_some_and(|extents| factors(&[count]) == factors(&extents))
    }

    /// A statement.
    pub fn statement(&mut self, text: &str) {
        self.out.line(text);
    }

    pub fn tape(&self, name: &'static str) -> &'static str {
        self.of_tape.borrow_mut().insert(name);
        name
    }

    /// Declarations of values and objects that the text names.
    pub fn declarations(&self) -> Vec<(String, String)> {
        let words = words(&self.out.text);
        let mut all: BTreeSet<(String, String)> = self.extra.clone();
        for (index, value) in self.proc.values.iter().enumerate() {
            let name = &self.values[index];
            let is_param = matches!(value.def, Def::Entry(_)) || is_text(self.ty(ValueId::new(index)));
            if !is_param && words.contains(name.as_str()) && !self.is_param(name) {
                all.insert((type_text(&self.proc.vars[value.var].ty), name.clone()));
            }
        }
        for (index, object) in self.proc.objects.iter().enumerate() {
            let name = &self.objects[index];
            if !words.contains(name.as_str()) {
                continue;
            }
            let ty = self.declared_type(&object.elem);
            let Form::Bounds(lowers) = &self.forms[index] else {
                all.insert((ty, name.clone()));
                continue;
            };
            if self.automatic.contains(&ObjectId::new(index)) {
                all.insert((ty, format!("{name}({})", self.bounds_of(object, lowers))));
            } else {
                let dims = vec![":"; lowers.len()];
                all.insert((format!("{ty}, allocatable"), format!("{name}({})", dims.join(", "))));
            }
        }
        all.into_iter().collect()
    }

    fn is_param(&self, name: &str) -> bool {
        self.proc.params.iter().filter_map(|param| param.entry).any(|entry| self.values[entry.index()] == name)
    }

    /// The bounds of an object.
    pub fn bounds_of(&self, object: &Object, lowers: &[i128]) -> String {
        let dims = object.shape.iter().rev().zip(lowers).map(|(dim, lower)| {
            let Some(extent) = &dim.extent else { return "*".to_string() };
            let upper = self.number(&extent.offset(lower - 1), bind::ANY);
            if *lower == 1 { upper } else { format!("{lower}:{upper}") }
        });
        dims.collect::<Vec<_>>().join(", ")
    }

    /// Whether the extents of an object are known at entry.
    pub fn is_known_at_entry(&self, object: &Object) -> bool {
        let mut known = true;
        let extents = object.shape.iter().filter_map(|dim| dim.extent.as_deref());
        extents.for_each(|extent| {
            known &= !walk::loads(extent);
            walk::values(extent, &mut |value| {
                known &= matches!(self.proc.values[value].def, Def::Entry(_));
            });
        });
        known
    }
}

/// So many elements as a block.
pub enum Block {
    /// All that is called by a name: a scalar, or an array with so many dimensions.
    Whole(String, usize),
    /// A part of a column, or of a row: the first and the last subscript of the first dimension, and the others.
    Column { name: String, range: [String; 2], others: Vec<String> },
    /// They go on behind the column: the first of them.
    Beyond(String),
}

/// Whether subscripts are those that the pointer to an allocatable scalar needs.
fn is_of_scalar(subscripts: &[Subscript]) -> bool {
    matches!(subscripts, [only] if only.dim.extent.is_none() && only.at.kind == ExprKind::Int(0))
}

/// Whether a path leads to the first element.
pub fn is_first(path: &[Step]) -> bool {
    match path {
        [] => true,
        [Step::Index(subscripts)] => are_first(subscripts),
        _ => false,
    }
}

/// Whether subscripts are those of the first element.
fn are_first(subscripts: &[Subscript]) -> bool {
    subscripts.iter().all(|s| s.at.kind == ExprKind::Int(0))
}

/// Whether so many elements are no more than an extent, as both are written.
fn fits(count: &Expr, extent: Option<&Expr>) -> bool {
    let Some(extent) = extent else { return true };
    let count = clipped(count);
    match (&count.kind, &extent.kind) {
        (ExprKind::Int(count), ExprKind::Int(extent)) => count <= extent,
        _ => factors(&[count]) == factors(&[extent]),
    }
}

/// `0 < n ? n : 0` as `n`, conversions left out.
fn clipped(count: &Expr) -> &Expr {
    match &count.kind {
        ExprKind::Cast(inner) if inner.ty.is_integer() => clipped(inner),
        ExprKind::Select(_, n, none) if none.kind == ExprKind::Int(0) => clipped(n),
        _ => count,
    }
}

/// The factors of a product of integers in order: the number, and what is none.
fn factors(all: &[&Expr]) -> (i128, Vec<String>) {
    let (mut number, mut others) = (1, Vec::new());
    let mut open: Vec<&Expr> = all.to_vec();
    while let Some(one) = open.pop() {
        match &one.kind {
            ExprKind::Int(value) => number *= value,
            ExprKind::Cast(inner) if inner.ty.is_integer() => open.push(inner),
            ExprKind::Binary(Binary::Multiply, a, b) => open.extend([&**a, &**b]),
            ExprKind::Select(_, n, none) if none.kind == ExprKind::Int(0) => open.push(n),
            kind => others.push(format!("{kind:?}")),
        }
    }
    others.sort();
    (number, others)
}

/// One subscript for all.
fn flat(subscripts: &[Subscript]) -> Option<Expr> {
    let mut at: Option<Expr> = None;
    for subscript in subscripts {
        at = Some(match at {
            None => subscript.at.clone(),
            Some(before) => sum(&product(&before, subscript.dim.extent.as_deref()?), &subscript.at),
        });
    }
    at
}

/// The words of a text, those of character constants left out. These end in their line.
fn words(text: &str) -> FxHashSet<&str> {
    let code = text.lines().flat_map(|line| line.split('\'').step_by(2));
    code.flat_map(|code| code.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))).collect()
}
