//! Variables that share memory: COMMON blocks, which each procedure may lay out in its own way, and EQUIVALENCE.
//!
//! Memory is cut where no variable of any procedure crosses the cut. What lies between two cuts is a stretch:
//!
//! ```text
//!   common /state/ u(3), p       |   u   |p|          one variable: it keeps its shape
//!   common /state/ u(3), q       |   u   |p|
//!   common /state/ v(2), w(2)    | v |  w  |   ──►    variables of one type: a row of elements, each a part of it
//! ```

use super::state::Reader;
use super::stretches::Stretch;
use crate::ir::{BlockPart, FortranBlock, Type};
use adtape_fortran::scope::common::Member;
use adtape_fortran::scope::program::{Program, ScopeId, ScopeKind, SymbolId};
use adtape_fortran::tree::header::UnitKind;
use std::collections::BTreeMap;

/// A variable in its block: from where, to where, in bytes.
#[derive(Clone)]
struct Laid {
    symbol: SymbolId,
    from: i128,
    to: i128,
    /// None for what sweeps cannot compute with.
    elem: Option<Type>,
    bounds: Vec<(i128, i128)>,
}

/// Variables of one procedure whose distances EQUIVALENCE gives: bytes from a common origin.
type Group = Vec<(SymbolId, i128)>;

impl<'t> Reader<'t> {
    /// Finds what shares memory in the procedures that are reached, and in modules.
    pub fn find_storage(&mut self) {
        let names = self.names;
        let bodies = self.reached.iter().flat_map(|procedure| procedure.bodies(names));
        let mut scopes: Vec<ScopeId> = bodies.map(|(scope, _)| scope).collect();
        let hosts: Vec<ScopeId> = scopes.iter().filter_map(|scope| names.scope(*scope).host).collect();
        scopes.extend(hosts);
        scopes.extend(modules(names));
        let mut seen = Vec::new();
        let mut blocks: BTreeMap<Box<str>, Vec<Laid>> = BTreeMap::new();
        let mut order: Vec<Box<str>> = Vec::new();
        for scope in scopes {
            if seen.contains(&scope) {
                continue;
            }
            seen.push(scope);
            let mut groups = self.groups(scope);
            for layout in names.common_blocks(scope) {
                if !blocks.contains_key(&layout.name) {
                    order.push(layout.name.clone());
                }
                let laid = blocks.entry(layout.name).or_default();
                layout.members.into_iter().for_each(|member| self.lay_member(&member, &mut groups, laid));
            }
            for group in groups {
                let first = group.iter().map(|one| one.1).min().unwrap_or(0);
                let mut laid = Vec::new();
                group.into_iter().for_each(|(symbol, offset)| self.lay(symbol, offset - first, &mut laid));
                self.cut(laid, None);
            }
        }
        for name in order {
            let laid = blocks.remove(&name).unwrap_or_default();
            self.fortran.blocks.push(FortranBlock { name: name.to_string(), parts: Vec::new() });
            let block = self.fortran.blocks.len() - 1;
            self.cut(laid, Some(block));
        }
    }

    /// Notes where a member of a block lies, and all that EQUIVALENCE puts beside it.
    fn lay_member(&mut self, member: &Member, groups: &mut Vec<Group>, laid: &mut Vec<Laid>) {
        let Some(from) = member.offset_bytes else {
            let why = "stands behind a member of its COMMON block whose size is not known";
            self.storage.refused.insert(member.symbol, why.to_string());
            return;
        };
        self.lay(member.symbol, from, laid);
        let is_in = |group: &Group| group.iter().any(|one| one.0 == member.symbol);
        let Some(at) = groups.iter().position(is_in) else { return };
        let group = groups.remove(at);
        let own = group.iter().find(|one| one.0 == member.symbol).map_or(0, |one| one.1);
        for (other, offset) in group.into_iter().filter(|one| one.0 != member.symbol) {
            self.lay(other, from + offset - own, laid);
        }
    }

    /// The sets of EQUIVALENCE of a scope, those with a common variable joined.
    fn groups(&mut self, scope: ScopeId) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for set in self.names.equivalences(scope) {
            let mut joined: Group = Vec::new();
            for (symbol, offset) in set {
                let Some(offset) = offset else {
                    self.storage.refused.insert(symbol, "is in an EQUIVALENCE that is not constant".to_string());
                    continue;
                };
                joined.push((symbol, -offset));
            }
            while let Some((at, shift)) = meeting(&groups, &joined) {
                let other = groups.remove(at);
                for (symbol, offset) in other {
                    if !joined.iter().any(|one| one.0 == symbol) {
                        joined.push((symbol, offset + shift));
                    }
                }
            }
            groups.push(joined);
        }
        groups
    }

    /// Whether two variables share an element of memory.
    pub fn overlap(&self, one: SymbolId, other: SymbolId) -> bool {
        let places = &self.storage.places;
        let (Some((number, from)), Some((other_number, other_from))) = (places.get(&one), places.get(&other)) else {
            return false;
        };
        let count = |id| self.names.size_bytes(id).zip(self.names.element_bytes(id)).map(|(all, one)| all / one.max(1));
        let is_behind = |from: i128, id, other: i128| count(id).is_some_and(|count| from + count <= other);
        let is_row = self.storage.stretches[*number].is_row;
        let apart = is_behind(*from, one, *other_from) || is_behind(*other_from, other, *from);
        number == other_number && !(is_row && apart)
    }

    /// Notes where a variable lies.
    fn lay(&mut self, symbol: SymbolId, from: i128, laid: &mut Vec<Laid>) {
        if laid.iter().any(|one| one.symbol == symbol) {
            return;
        }
        let names = self.names;
        let Some(size) = names.size_bytes(symbol) else {
            self.storage.refused.insert(symbol, "shares memory, and its size is not constant".to_string());
            return;
        };
        let bounds = names.bounds(symbol).unwrap_or_default();
        let bounds = bounds.iter().map(|bound| {
            let lower = bound.constant_lower(names).unwrap_or(1);
            (lower, lower + bound.extent(names).unwrap_or(0) - 1)
        });
        let elem = self.symbol_type(symbol).ok();
        laid.push(Laid { symbol, from, to: from + size, elem, bounds: bounds.collect() });
    }

    /// Cuts memory into stretches.
    fn cut(&mut self, mut laid: Vec<Laid>, block: Option<usize>) {
        if laid.iter().any(|one| one.from < 0) {
            let why = "an EQUIVALENCE reaches in front of a COMMON block";
            laid.iter().for_each(|one| drop(self.storage.refused.insert(one.symbol, why.to_string())));
            return;
        }
        laid.sort_by_key(|one| one.from);
        let (mut end, mut at) = (0, 0);
        while at < laid.len() {
            let (from, mut to) = (laid[at].from, laid[at].to);
            let first = at;
            while at < laid.len() && (laid[at].from < to || laid[at].from == from) {
                to = to.max(laid[at].to);
                at += 1;
            }
            if from > end {
                self.fill(from - end, block);
            }
            self.stretch(&laid[first..at], (from, to), block);
            end = to;
        }
    }

    /// Memory that sweeps do not name.
    fn fill(&mut self, bytes: i128, block: Option<usize>) {
        if let Some(block) = block {
            let name = self.unique("gap");
            let part = BlockPart { name, elem: Type::char(), bounds: vec![(1, bytes)], global: None };
            self.fortran.blocks[block].parts.push(part);
        }
    }

    /// The memory of variables between two cuts.
    fn stretch(&mut self, laid: &[Laid], (from, to): (i128, i128), block: Option<usize>) {
        let one = &laid[0];
        let is_same = |other: &Laid| {
            other.from == one.from && other.elem == one.elem && other.bounds == one.bounds && other.to == one.to
        };
        let bytes = one.elem.as_ref().and_then(bytes_of);
        let is_of_type =
            |other: &Laid| other.elem == one.elem && bytes.is_some_and(|bytes| (other.from - from) % bytes == 0);
        let of_type = one.elem.as_ref().zip(bytes).filter(|_| laid.iter().all(is_of_type));
        let Some((elem, bytes)) = of_type else {
            self.fill(to - from, block);
            self.refuse_types(laid);
            return;
        };
        let is_row = !laid.iter().all(is_same);
        let bounds = if is_row { vec![(1, (to - from) / bytes)] } else { one.bounds.clone() };
        let whole = laid.iter().find(|each| (each.from, each.to) == (from, to)).unwrap_or(one);
        let name = self.names.symbol(whole.symbol).name.to_string();
        let name = self.unique(&name);
        let part = block.map(|block| {
            let part = BlockPart { name: name.clone(), elem: elem.clone(), bounds: bounds.clone(), global: None };
            self.fortran.blocks[block].parts.push(part);
            (block, self.fortran.blocks[block].parts.len() - 1)
        });
        let number = self.storage.stretches.len();
        self.storage.stretches.push(Stretch { name, elem: elem.clone(), bounds, is_row, part, global: None });
        for each in laid {
            self.storage.places.insert(each.symbol, (number, (each.from - from) / bytes));
        }
    }

    /// Refuses variables of several types that share memory.
    fn refuse_types(&mut self, laid: &[Laid]) {
        for each in laid.iter().filter(|each| each.elem.is_some()) {
            let others = laid.iter().find(|other| other.symbol != each.symbol);
            let other = others.map(|other| self.names.symbol(other.symbol).name.to_string()).unwrap_or_default();
            let why = format!("shares memory with '{other}', which has another type");
            self.storage.refused.insert(each.symbol, why);
        }
    }

    /// A name that no module, no procedure and no other variable with static storage has.
    pub fn unique(&mut self, wanted: &str) -> String {
        let names = self.names;
        if self.static_names.is_empty() {
            let own = modules(names).flat_map(|scope| names.scope(scope).names.keys().map(|name| name.to_string()));
            self.static_names.extend(own.chain(names.externals().map(str::to_string)));
        }
        let mut name = wanted.to_string();
        for number in 2.. {
            if self.static_names.insert(name.clone()) {
                break;
            }
            name = format!("{wanted}_{number}");
        }
        name
    }
}

/// The scopes of all modules.
fn modules<'p>(names: &'p Program) -> impl Iterator<Item = ScopeId> + 'p {
    let is_module = |scope: &ScopeId| match names.scope(*scope).kind {
        ScopeKind::Unit(unit) => matches!(unit.header.kind, UnitKind::Module),
        _ => false,
    };
    (0..names.scopes.len()).map(|at| ScopeId(at as u32)).filter(is_module)
}

/// A group with a variable of another one, and what its offsets differ by.
fn meeting(groups: &[Group], joined: &Group) -> Option<(usize, i128)> {
    groups.iter().enumerate().find_map(|(at, group)| {
        let shift =
            |(symbol, offset): &(SymbolId, i128)| joined.iter().find(|one| one.0 == *symbol).map(|one| one.1 - offset);
        group.iter().find_map(shift).map(|shift| (at, shift))
    })
}

/// The bytes of a number.
fn bytes_of(ty: &Type) -> Option<i128> {
    match ty {
        Type::Int { bits, .. } | Type::Float { bits } => Some(i128::from(*bits) / 8),
        Type::Void | Type::Pointer(_) | Type::Array(_) | Type::Struct(_) | Type::Opaque(_) => None,
    }
}
