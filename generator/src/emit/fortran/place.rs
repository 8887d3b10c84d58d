//! Places, blocks of elements, declarations.

use super::state::{Body, Form, bounds};
use super::words::{bind, product, sum, type_text};
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
                ExprKind::Value(value) => self.pointers.get(value).cloned(),
                _ => None,
            },
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
        self.constants.borrow_mut().extend(facts.declaration.clone());
        if let Some(module) = facts.module {
            self.use_from(module, &name);
        }
        name
    }

    /// Notes that a name comes from a module, if that is another one.
    pub fn use_from(&self, module: usize, name: &str) {
        if self.module == Some(module) {
            return;
        }
        let module = self.unit.fortran.modules[module].name.clone();
        self.uses.borrow_mut().insert((module, name.to_string()));
    }

    /// A place: a scalar, or an element.
    pub fn place(&self, place: &Place) -> String {
        if let Some(inner) = self.through(place) {
            return self.place(&inner);
        }
        let Some((name, form)) = self.base(&place.base) else { return self.problem("a pointer that moves") };
        let subscripts = match &place.path[..] {
            [] => return name,
            [Step::Index(subscripts)] => subscripts,
            _ => return self.problem("a component"),
        };
        // A scalar is the first element behind its address; its directions are an array.
        let subscripts = match (&form, &subscripts[..]) {
            (Form::Bounds(lowers), [first, direction]) if lowers.len() == 1 && first.at.kind == ExprKind::Int(0) => {
                std::slice::from_ref(direction)
            }
            _ => &subscripts[..],
        };
        match form {
            Form::Scalar => name,
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
        is_first(&place.path).then(|| Place { ty: place.ty.clone(), ..inner.clone() })
    }

    /// What is passed where an array is expected: the whole of it, or the element from which on it is.
    pub fn element_on(&self, place: &Place) -> String {
        if let Some(inner) = self.through(place) {
            return self.element_on(&inner);
        }
        match self.base(&place.base) {
            Some((name, _)) if is_first(&place.path) => name,
            _ => self.place(place),
        }
    }

    /// So many elements from a place on: as an array, or else the first of them.
    pub fn elements(&self, place: &Place, count: &Expr) -> Result<String, String> {
        if let Some(inner) = self.through(place) {
            return self.elements(&inner, count);
        }
        let Some((name, form)) = self.base(&place.base) else { return Ok(self.problem("a pointer that moves")) };
        let [Step::Index(subscripts)] = &place.path[..] else {
            return Ok(if form == Form::Scalar { name } else { self.problem("a block of components") });
        };
        let range = |first: &Expr| {
            let last = sum(first, count).offset(-1);
            format!("{}:{}", self.number(first, bind::ANY), self.number(&last, bind::ANY))
        };
        Ok(match form {
            Form::Scalar => name,
            Form::Flat => match flat(subscripts) {
                Some(first) => format!("{name}({})", range(&first)),
                None => self.problem("a block whose extents are not known"),
            },
            Form::Bounds(lowers) if lowers.len() == 1 => {
                format!("{name}({})", range(&subscripts[0].at.offset(lowers[0])))
            }
            Form::Bounds(lowers) if lowers.len() == subscripts.len() => {
                let extents: Option<Vec<&Expr>> = subscripts.iter().map(|s| s.dim.extent.as_ref()).collect();
                if is_first(&place.path) && extents.is_some_and(|extents| factors(&[count]) == factors(&extents)) {
                    return Ok(name);
                }
                // A part of a column.
                let fastest = subscripts.last().expect("a subscript");
                if !fits(count, fastest.dim.extent.as_ref()) {
                    return Err(self.place(place));
                }
                let first = range(&fastest.at.offset(lowers[0]));
                let others = subscripts.iter().rev().zip(&lowers).skip(1);
                let others = others.map(|(s, lower)| self.number(&s.at.offset(*lower), bind::ANY));
                let all: Vec<String> = std::iter::once(first).chain(others).collect();
                format!("{name}({})", all.join(", "))
            }
            Form::Bounds(_) => self.problem("an array with another number of subscripts"),
        })
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
        let words: FxHashSet<&str> = self.out.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
        let mut all: BTreeSet<(String, String)> = self.extra.clone();
        for (index, value) in self.proc.values.iter().enumerate() {
            let name = &self.values[index];
            let is_param = matches!(value.def, Def::Entry(_));
            if !is_param && words.contains(name.as_str()) && !self.is_param(name) {
                all.insert((type_text(&self.proc.vars[value.var].ty), name.clone()));
            }
        }
        for (index, object) in self.proc.objects.iter().enumerate() {
            let name = &self.objects[index];
            if !words.contains(name.as_str()) {
                continue;
            }
            let ty = type_text(&object.elem);
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
        let extents = object.shape.iter().filter_map(|dim| dim.extent.as_ref());
        extents.for_each(|extent| {
            known &= !walk::loads(extent);
            walk::values(extent, &mut |value| {
                known &= matches!(self.proc.values[value].def, Def::Entry(_));
            });
        });
        known
    }
}

/// Whether a path leads to the first element.
pub fn is_first(path: &[Step]) -> bool {
    match path {
        [] => true,
        [Step::Index(subscripts)] => subscripts.iter().all(|s| s.at.kind == ExprKind::Int(0)),
        _ => false,
    }
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
            Some(before) => sum(&product(&before, subscript.dim.extent.as_ref()?), &subscript.at),
        });
    }
    at
}
