//! What the passes of a loop touch, and whether that commutes.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::*;
use crate::plan::control;

/// A loop whose passes commute.
#[derive(Debug)]
pub(super) struct Commuting {
    /// Items that add to one element in all passes, at the top of the body.
    pub sums: Vec<ItemId>,
    /// Scalars of the procedure to which passes add.
    pub scalars: BTreeSet<ObjectId>,
    /// Whether passes may run at the same time: no two of them add to one element, but for the sums.
    pub at_once: bool,
}

/// Where memory begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    Object(ObjectId),
    Global(GlobalId),
    Param(u32),
}

/// Which element a place is, seen from the passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    /// The same in all.
    Fixed,
    /// Another one in each.
    Own,
    /// Any.
    Any,
}

/// The places of one piece of memory, by what passes do there.
#[derive(Default)]
struct Touched<'a> {
    read: Vec<&'a Place>,
    set: Vec<&'a Place>,
    added: Vec<(&'a Place, ItemId, bool)>,
}

/// The passes of an innermost loop.
pub(super) struct Pass<'a> {
    proc: &'a Proc,
    roles: &'a [ReverseParam],
    shadows: &'a BTreeSet<GlobalId>,
    body: RegionId,
    head: ValueId,
    touched: BTreeMap<Piece, Touched<'a>>,
}

/// A piece of memory: where it begins, and the members that lead to it.
type Piece = (Root, Vec<FieldId>);

impl Touched<'_> {
    fn is_read(&self) -> bool {
        self.set.is_empty() && self.added.is_empty()
    }

    fn is_sum(&self) -> bool {
        self.set.is_empty() && self.read.is_empty()
    }
}

impl<'a> Pass<'a> {
    /// What the passes of a loop touch; `None` if they do anything else than to compute, to add and to set.
    pub fn of(
        proc: &'a Proc,
        roles: &'a [ReverseParam],
        shadows: &'a BTreeSet<GlobalId>,
        item: ItemId,
    ) -> Option<Pass<'a>> {
        let ItemKind::Loop { test, at: TestAt::Before, body, carried } = &proc.items[item].kind else { return None };
        let [Carried { head, .. }] = carried[..] else { return None };
        let mut pass = Pass { proc, roles, shadows, body: *body, head, touched: BTreeMap::new() };
        pass.reads(test)?;
        pass.region(*body, true)?;
        Some(pass)
    }

    fn region(&mut self, region: RegionId, always: bool) -> Option<()> {
        self.proc.regions[region].items.iter().try_for_each(|&item| self.item(item, always))
    }

    fn item(&mut self, item: ItemId, always: bool) -> Option<()> {
        let kind = &self.proc.items[item].kind;
        let mut operands = Vec::new();
        walk::operands_of(self.proc, kind, &mut |operand| operands.push(operand));
        for operand in operands {
            match operand {
                Ok(expr) => self.reads(expr)?,
                Err(place) => {
                    let mut inside = Vec::new();
                    walk::in_place(place, &mut |expr| inside.push(expr));
                    inside.into_iter().try_for_each(|expr| self.read(expr))?;
                }
            }
        }
        if let ItemKind::Store { to, .. } = kind {
            self.at(to)?.set.push(to);
        } else if let ItemKind::Sweep(SweepItem::Accumulate { to, .. }) = kind {
            self.at(to)?.added.push((to, item, always));
        } else if let ItemKind::Branch { then, otherwise, .. } = kind {
            self.region(*then, false)?;
            self.region(*otherwise, false)?;
        } else if !matches!(kind, ItemKind::Let { .. } | ItemKind::DeclareVar { .. } | ItemKind::Declare { .. }) {
            return None;
        }
        Some(())
    }

    fn reads(&mut self, expr: &'a Expr) -> Option<()> {
        let mut all = Vec::new();
        walk::expressions(expr, &mut |part| all.push(part));
        all.into_iter().try_for_each(|part| self.read(part))
    }

    fn read(&mut self, expr: &'a Expr) -> Option<()> {
        if let ExprKind::Load(place) = &expr.kind {
            self.at(place)?.read.push(place);
        }
        Some(())
    }

    /// The piece of memory that a place is in.
    fn at(&mut self, place: &'a Place) -> Option<&mut Touched<'a>> {
        let mut fields = Vec::new();
        let root = self.root(place, &mut fields)?;
        Some(self.touched.entry((root, fields)).or_default())
    }

    /// Where a place begins, and the members that lead to it.
    fn root(&self, place: &Place, fields: &mut Vec<FieldId>) -> Option<Root> {
        let root = match &place.base {
            Base::Object(object) => Root::Object(*object),
            Base::Global(global) => Root::Global(*global),
            Base::At(pointer) => self.pointer(pointer, fields)?,
        };
        fields.extend(place.path.iter().filter_map(|step| if let Step::Field(id) = step { Some(*id) } else { None }));
        Some(root)
    }

    fn pointer(&self, pointer: &Expr, fields: &mut Vec<FieldId>) -> Option<Root> {
        match &pointer.kind {
            ExprKind::Value(value) => match &self.proc.values[*value].def {
                Def::Entry(at) => Some(Root::Param(*at)),
                Def::Is(from) => self.pointer(from, fields),
                _ => None,
            },
            ExprKind::Address(place) => self.root(place, fields),
            _ => None,
        }
    }

    /// Whether the passes commute.
    pub fn commuting(&self) -> Option<Commuting> {
        let mut found = Commuting { sums: Vec::new(), scalars: BTreeSet::new(), at_once: true };
        let shared: Vec<_> = self.touched.iter().filter(|((root, _), _)| !self.is_of_pass(*root)).collect();
        for ((root, _), touched) in &shared {
            let all = || touched.read.iter().chain(&touched.set).chain(touched.added.iter().map(|(place, ..)| place));
            if touched.is_read() {
                continue;
            }
            if touched.is_sum() {
                touched.added.iter().for_each(|added| self.sum(*root, *added, &mut found));
                let mut moving = touched.added.iter().filter(|(place, ..)| self.spot(place) == Spot::Own);
                let first = moving.next();
                found.at_once &= moving.all(|(place, ..)| Some(place) == first.map(|(first, ..)| first));
                continue;
            }
            let first = all().next()?;
            if self.spot(first) != Spot::Own || !all().all(|place| place == first) {
                return None;
            }
        }
        // An object of the procedure has nothing in common with what begins elsewhere.
        let (objects, others): (Vec<_>, Vec<_>) =
            shared.into_iter().partition(|((root, _), _)| matches!(root, Root::Object(_)));
        let groups = objects.chunk_by(|(one, _), (other, _)| one.0 == other.0).chain([&others[..]]);
        for group in groups {
            for (at, (one, first)) in group.iter().enumerate() {
                for (other, second) in &group[at + 1..] {
                    if first.is_read() && second.is_read() || self.are_apart(one, other) {
                        continue;
                    }
                    if !(first.is_sum() && second.is_sum()) {
                        return None;
                    }
                    // Two passes may add to one element by two names.
                    found.at_once = false;
                }
            }
        }
        Some(found)
    }

    /// Whether each pass has an object of its own.
    fn is_of_pass(&self, root: Root) -> bool {
        let Root::Object(object) = root else { return false };
        let Life::Region(mut region) = self.proc.objects[object].life else { return false };
        while region != self.body {
            let Some((outer, _)) = self.proc.regions[region].parent else { return false };
            region = outer;
        }
        true
    }

    /// Whether two pieces of memory have nothing in common.
    fn are_apart(&self, one: &Piece, other: &Piece) -> bool {
        let role = |at: u32| self.roles.get(at as usize);
        let is_shadow = |at: u32| matches!(role(at), Some(ReverseParam::Adjoint(_)));
        let apart = |at: u32| self.proc.params[at as usize].apart;
        match (one.0, other.0) {
            (a, b) if a == b => one.1.iter().zip(&other.1).any(|(a, b)| a != b),
            (Root::Object(_), _) | (_, Root::Object(_)) | (Root::Global(_), Root::Global(_)) => true,
            (Root::Global(global), Root::Param(at)) | (Root::Param(at), Root::Global(global)) => {
                self.shadows.contains(&global) != is_shadow(at) || apart(at)
            }
            (Root::Param(a), Root::Param(b)) => is_shadow(a) != is_shadow(b) || apart(a) || apart(b),
        }
    }

    /// Notes where a pass adds.
    fn sum(&self, root: Root, (place, item, always): (&Place, ItemId, bool), found: &mut Commuting) {
        match (self.spot(place), root) {
            (Spot::Own, _) => {}
            (Spot::Fixed, Root::Object(object)) if place.path.is_empty() && self.is_scalar(object) => {
                found.scalars.insert(object);
            }
            (Spot::Fixed, _) if always => found.sums.push(item),
            (Spot::Fixed | Spot::Any, _) => found.at_once = false,
        }
    }

    fn is_scalar(&self, object: ObjectId) -> bool {
        let object = &self.proc.objects[object];
        object.shape.is_empty()
            && matches!(object.elem, Type::Float { bits: 32 | 64 })
            && matches!(object.life, Life::Region(_))
    }

    fn spot(&self, place: &Place) -> Spot {
        let mut moving = Some(0);
        self.moves(place, &mut moving);
        match moving {
            Some(0) => Spot::Fixed,
            Some(1) => Spot::Own,
            _ => Spot::Any,
        }
    }

    /// Counts the subscripts of a place that move with the index; `None` if one changes otherwise.
    fn moves(&self, place: &Place, count: &mut Option<u32>) {
        for step in &place.path {
            let Step::Index(subscripts) = step else { continue };
            for subscript in subscripts {
                *count = match (self.slope(&subscript.at), *count) {
                    (Some(0), count) => count,
                    (Some(_), Some(count)) => Some(count + 1),
                    _ => None,
                };
            }
        }
        let Base::At(pointer) = &place.base else { return };
        let mut from = &**pointer;
        while let ExprKind::Value(value) = from.kind
            && let Def::Is(is) = &self.proc.values[value].def
        {
            from = is;
        }
        if let ExprKind::Address(place) = &from.kind {
            self.moves(place, count);
        }
    }

    /// By how much an integer grows from one pass to the next, up to the sign of all; `None`: not known.
    fn slope(&self, e: &Expr) -> Option<i128> {
        match &e.kind {
            ExprKind::Int(_) => Some(0),
            ExprKind::Value(value) if *value == self.head => Some(1),
            ExprKind::Value(value) if !control::inside(self.proc, *value, self.body) => Some(0),
            ExprKind::Value(value) => match &self.proc.values[*value].def {
                Def::Is(from) => self.slope(from),
                _ => None,
            },
            ExprKind::Cast(from) if keeps(&from.ty, &e.ty) => self.slope(from),
            ExprKind::Unary(Unary::Negate, of) => Some(-self.slope(of)?),
            ExprKind::Binary(op, a, b) => {
                let (slopes, factors) = ((self.slope(a)?, self.slope(b)?), (constant(a), constant(b)));
                match (op, slopes, factors) {
                    (Binary::Add, (a, b), _) => Some(a + b),
                    (Binary::Subtract, (a, b), _) => Some(a - b),
                    (_, (0, 0), _) => Some(0),
                    // What wraps may come back to where it was.
                    _ if matches!(e.ty, Type::Int { signed: false, bits, .. } if bits < 64) => None,
                    (Binary::Multiply, (a, 0), (_, Some(factor))) => a.checked_mul(factor),
                    (Binary::Multiply, (0, b), (Some(factor), _)) => b.checked_mul(factor),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether different integers of a type stay different in another one. Signed ones of 32 bits do: no subscript is larger.
fn keeps(from: &Type, to: &Type) -> bool {
    let (Type::Int { bits: from, .. }, Type::Int { bits: to, signed, .. }) = (from, to) else { return false };
    to >= from || *signed && *to >= 32
}

fn constant(e: &Expr) -> Option<i128> {
    if let ExprKind::Int(number) = e.kind { Some(number) } else { None }
}
