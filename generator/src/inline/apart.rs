//! One struct that is taken apart: its members, and what takes the place of their accesses.

use std::collections::{BTreeMap, BTreeSet};

use super::members::{DEPTH, target};
use super::splice::{add, scalars};
use crate::flow::walk;
use crate::ir::rewrite;
use crate::ir::*;
use crate::plan::recompute::zero;

/// A member, by the way to it: fields of structs inside each other.
type Path = Vec<FieldId>;

/// One struct that is taken apart.
pub struct Apart<'p> {
    program: &'p Program,
    object: ObjectId,
    elem: StructId,
    made: ItemId,
    /// The region in which it lives, with the items in it.
    region: RegionId,
    inside: BTreeSet<ItemId>,
    heap: bool,
    /// Values that are its address, or that of a struct in it.
    addresses: BTreeSet<ValueId>,
    members: BTreeMap<Path, Member>,
}

/// A member.
struct Member {
    ty: Type,
    /// Whether values follow each other, so that it needs no memory.
    values: bool,
    /// Whether a branch or a loop sets it.
    merged: bool,
    /// The variable of its values, if it is merged.
    var: VarId,
    object: ObjectId,
}

/// What each member that needs no memory holds.
type Current = BTreeMap<Path, Expr>;

impl<'p> Apart<'p> {
    /// What is to be done; `None` if something may reach it that is not understood.
    pub fn new(program: &'p Program, proc: &Proc, object: ObjectId, made: ItemId) -> Option<Apart<'p>> {
        let (region, _) = proc.positions()[made.index()]?;
        let this = &proc.objects[object.index()];
        let Type::Struct(elem) = this.elem else { return None };
        let is_address = |at: &usize| {
            let Def::Is(e) = &proc.values[*at].def else { return false };
            target(proc, e, DEPTH).is_some_and(|to| to.base == Base::Object(object) && matches!(to.ty, Type::Struct(_)))
        };
        let mut apart = Apart {
            program,
            object,
            elem,
            made,
            region,
            inside: walk::items(proc, region).into_iter().collect(),
            heap: this.life == Life::Heap,
            addresses: (0..proc.values.len()).filter(is_address).map(ValueId::new).collect(),
            members: BTreeMap::new(),
        };
        apart.look(proc)?;
        let memory = |member: &Member| !member.values && matches!(member.ty, Type::Pointer(_));
        (!apart.members.values().any(memory)).then_some(apart)
    }

    /// The way to a member, its type, and what follows behind it.
    fn member<'s>(&self, place: &'s Place) -> Option<(Path, Type, &'s [Step])> {
        let mut path = &place.path[..];
        if self.heap {
            let [Step::Index(first), rest @ ..] = path else { return None };
            matches!(&first[..], [Subscript { at, .. }] if at.kind == ExprKind::Int(0)).then_some(())?;
            path = rest;
        }
        let (mut at, mut inside) = (Vec::new(), self.elem);
        while let [Step::Field(field), rest @ ..] = path {
            at.push(*field);
            path = rest;
            match self.program.types.structs[inside.index()].fields[field.index()].ty.clone() {
                Type::Struct(id) => inside = id,
                ty => return Some((at, ty, path)),
            }
        }
        None
    }

    /// Finds the members, and whether all that mentions the struct is understood.
    fn look(&mut self, proc: &Proc) -> Option<()> {
        let direct: BTreeSet<ItemId> = proc.regions[self.region.index()].items.iter().copied().collect();
        for item in walk::items(proc, RegionId(0)) {
            let this = &proc.items[item.index()];
            match &this.kind {
                ItemKind::Let { value } if self.addresses.contains(value) => {
                    self.inside.contains(&item).then_some(())?;
                    continue;
                }
                ItemKind::Free { pointer } if self.is_freed(proc, pointer) => {
                    self.inside.contains(&item).then_some(())?;
                    continue;
                }
                ItemKind::Branch { joins, .. } => {
                    let merged = joins.iter().flat_map(|join| [join.then, join.otherwise]);
                    merged.into_iter().all(|value| !self.addresses.contains(&value)).then_some(())?;
                }
                ItemKind::Loop { carried, .. } => {
                    let merged = carried.iter().flat_map(|each| [each.init, each.end]);
                    merged.into_iter().all(|value| !self.addresses.contains(&value)).then_some(())?;
                }
                ItemKind::Store { to, .. } if to.base == Base::Object(self.object) => {
                    self.access(to, self.inside.contains(&item))?;
                    if let (false, Some((path, ..))) = (direct.contains(&item), self.member(to)) {
                        self.members.get_mut(&path)?.merged = true;
                    }
                }
                ItemKind::Call { into: Some(into), .. } if into.base == Base::Object(self.object) => return None,
                _ => {}
            }
            let inside = self.inside.contains(&item);
            for e in walk::of_item(proc, this) {
                self.expr(e, inside)?;
            }
            if let ItemKind::Declare { object } | ItemKind::Alloc { object, .. } = &this.kind {
                let dims = proc.objects[object.index()].shape.iter();
                for e in dims.flat_map(|dim| dim.lower.iter().chain(&dim.extent)) {
                    self.expr(e, inside)?;
                }
            }
        }
        proc.result.iter().try_for_each(|result| self.expr(result, self.region == RegionId(0)))
    }

    fn is_freed(&self, proc: &Proc, pointer: &Expr) -> bool {
        self.heap
            && target(proc, pointer, DEPTH).is_some_and(|to| to.base == Base::Object(self.object))
            && !matches!(&pointer.kind, ExprKind::Load(_))
    }

    /// Notes an access of a member; `follows`: a value of it may follow the one before.
    fn access(&mut self, place: &Place, follows: bool) -> Option<()> {
        let (path, ty, rest) = self.member(place)?;
        let scalar = rest.is_empty() && matches!(ty, Type::Int { .. } | Type::Float { .. } | Type::Pointer(_));
        let new = Member { ty, values: true, merged: false, var: VarId(0), object: ObjectId(0) };
        let member = self.members.entry(path).or_insert(new);
        member.values &= follows && scalar;
        Some(())
    }

    /// Looks at what an expression reads. `inside`: the struct lives there.
    fn expr(&mut self, e: &Expr, inside: bool) -> Option<()> {
        let mut found = Vec::new();
        let mut known = true;
        walk::expr(e, &mut |x| match &x.kind {
            ExprKind::Value(value) => known &= !self.addresses.contains(value),
            ExprKind::Load(place) if place.base == Base::Object(self.object) => found.push((place, true)),
            ExprKind::Address(place) if place.base == Base::Object(self.object) => found.push((place, false)),
            _ => {}
        });
        (known && (inside || found.is_empty())).then_some(())?;
        found.into_iter().try_for_each(|(place, follows)| self.access(place, follows))
    }

    /// Does it.
    pub fn run(mut self, proc: &mut Proc) {
        let this = proc.objects[self.object.index()].clone();
        let mut members = std::mem::take(&mut self.members);
        for (path, member) in members.iter_mut().filter(|(_, member)| !member.values) {
            let (mut shape, mut elem) = (Vec::new(), member.ty.clone());
            while let Type::Array { elem: inner, extent } = elem {
                let count = |n: u64| Expr { kind: ExprKind::Int(i128::from(n)), ty: crate::ir::build::int() };
                shape.push(Dim { lower: None, extent: extent.map(count) });
                elem = *inner;
            }
            let name = self.name(proc, path);
            let life = Life::Region(self.region);
            proc.objects.push(Object { name, elem, shape, life, constant: false, span: this.span });
            member.object = ObjectId::new(proc.objects.len() - 1);
        }
        for (path, member) in members.iter_mut().filter(|(_, member)| member.values && member.merged) {
            let name = self.name(proc, path);
            proc.vars.push(Var { name, ty: member.ty.clone(), kind: VarKind::Temporary, span: this.span });
            member.var = VarId::new(proc.vars.len() - 1);
        }
        self.members = members;
        let followed = self.members.iter().filter(|(_, member)| member.values);
        let mut current: Current = followed.map(|(path, member)| (path.clone(), zero(&member.ty))).collect();
        self.of_region(proc, self.region, &mut current);
        if self.region == RegionId(0)
            && let Some(mut result) = proc.result.take()
        {
            self.rewrite(&mut result, &current);
            proc.result = Some(result);
        }
    }

    /// Puts what the members are in their places, in a region.
    fn of_region(&self, proc: &mut Proc, region: RegionId, current: &mut Current) {
        let mut items = Vec::new();
        for item in std::mem::take(&mut proc.regions[region.index()].items) {
            if item == self.made {
                items.extend(self.begin(proc, current));
            } else if !self.is_gone(proc, item) {
                self.item(proc, region, item, current);
                items.push(item);
            }
        }
        proc.regions[region.index()].items = items;
    }

    /// Declares what the members become.
    fn begin(&self, proc: &mut Proc, current: &mut Current) -> Vec<ItemId> {
        let Item { kind, span, .. } = proc.items[self.made.index()].clone();
        let zeroed = matches!(kind, ItemKind::Alloc { zeroed: true, .. });
        let mut items = Vec::new();
        for member in self.members.values().filter(|member| !member.values) {
            items.push(add(proc, ItemKind::Declare { object: member.object }, span));
            let whole = Place { base: Base::Object(member.object), path: Vec::new(), ty: member.ty.clone() };
            for to in scalars(self.program, &whole).filter(|_| zeroed).unwrap_or_default() {
                let from = zero(&to.ty);
                items.push(add(proc, ItemKind::Store { to, from }, span));
            }
        }
        for (path, member) in self.members.iter().filter(|(_, member)| member.values && member.merged) {
            let value = define(proc, member.var, Def::Is(zero(&member.ty)), self.region, span);
            items.push(add(proc, ItemKind::Let { value }, span));
            current.insert(path.clone(), value_of(value, &member.ty));
        }
        items
    }

    /// Puts what the members are in the place of what an item of a region reads, and values in that of its stores.
    fn item(&self, proc: &mut Proc, region: RegionId, item: ItemId, current: &mut Current) {
        let Item { mut kind, span, .. } = proc.items[item.index()].clone();
        match &mut kind {
            ItemKind::Branch { on, then, otherwise, joins } => {
                self.rewrite(on, current);
                let mut arms = [*then, *otherwise].map(|arm| {
                    let mut inside = current.clone();
                    self.of_region(proc, arm, &mut inside);
                    inside
                });
                for (path, held) in current.iter_mut() {
                    let [Some(then), Some(otherwise)] = arms.each_mut().map(|arm| arm.remove(path)) else { continue };
                    *held = match (&then.kind, &otherwise.kind) {
                        (ExprKind::Value(then), ExprKind::Value(otherwise)) if then != otherwise => {
                            let Member { var, ty, .. } = &self.members[path];
                            let out = define(proc, *var, Def::Join(item, joins.len() as u32), region, span);
                            joins.push(Join { var: *var, then: *then, otherwise: *otherwise, out });
                            value_of(out, ty)
                        }
                        _ => then,
                    };
                }
            }
            ItemKind::Loop { test, at, body, carried } => {
                let mut inside = current.clone();
                let mut changed = Vec::new();
                for (path, init) in self.changed(proc, *body, current) {
                    let Member { var, ty, .. } = &self.members[&path];
                    let slot = (carried.len() + changed.len()) as u32;
                    let head = define(proc, *var, Def::Head(item, slot), *body, span);
                    inside.insert(path.clone(), value_of(head, ty));
                    changed.push((path, init, head));
                }
                if *at == TestAt::Before {
                    self.rewrite(test, &inside);
                }
                self.of_region(proc, *body, &mut inside);
                if *at == TestAt::After {
                    self.rewrite(test, &inside);
                }
                for (path, init, head) in changed {
                    let Member { var, ty, .. } = &self.members[&path];
                    let ExprKind::Value(end) = inside[&path].kind else { continue };
                    let out = define(proc, *var, Def::Out(item, carried.len() as u32), region, span);
                    carried.push(Carried { var: *var, init, head, end, out });
                    current.insert(path, value_of(out, ty));
                }
            }
            _ => {
                self.plain(proc, region, item, current);
                return;
            }
        }
        proc.items[item.index()].kind = kind;
    }

    /// The merged members that a loop sets, with their values in front of it.
    fn changed(&self, proc: &Proc, body: RegionId, current: &Current) -> Vec<(Path, ValueId)> {
        let mut found = BTreeMap::new();
        for item in walk::items(proc, body) {
            if let ItemKind::Store { to, .. } = &proc.items[item.index()].kind
                && to.base == Base::Object(self.object)
                && let Some((path, ..)) = self.member(to)
                && let Some(Expr { kind: ExprKind::Value(init), .. }) = current.get(&path)
            {
                found.insert(path, *init);
            }
        }
        found.into_iter().collect()
    }

    /// An item without regions.
    fn plain(&self, proc: &mut Proc, region: RegionId, item: ItemId, current: &mut Current) {
        let Item { mut kind, span, .. } = proc.items[item.index()].clone();
        if let ItemKind::Let { value } = kind
            && let Def::Is(mut e) = proc.values[value.index()].def.clone()
        {
            self.rewrite(&mut e, current);
            proc.values[value.index()].def = Def::Is(e);
        }
        if let ItemKind::Declare { object } | ItemKind::Alloc { object, .. } = &kind {
            let mut shape = std::mem::take(&mut proc.objects[object.index()].shape);
            for dim in &mut shape {
                dim.lower.iter_mut().chain(&mut dim.extent).for_each(|e| self.rewrite(e, current));
            }
            proc.objects[object.index()].shape = shape;
        }
        rewrite::item_exprs(&mut kind, &mut |e| self.rewrite(e, current));
        if let ItemKind::Store { to, from } = &mut kind
            && to.base == Base::Object(self.object)
            && let Some((path, ty, _)) = self.member(to)
        {
            let member = &self.members[&path];
            if member.values {
                let var = if member.merged {
                    member.var
                } else {
                    let name = self.name(proc, &path);
                    proc.vars.push(Var { name, ty: ty.clone(), kind: VarKind::Temporary, span });
                    VarId::new(proc.vars.len() - 1)
                };
                let value = define(proc, var, Def::Is(from.clone()), region, span);
                current.insert(path, value_of(value, &ty));
                kind = ItemKind::Let { value };
            } else {
                self.place(to);
            }
        } else if let ItemKind::Store { to, .. } = &mut kind {
            self.place(to);
        }
        proc.items[item.index()].kind = kind;
    }

    /// Whether an item is about the address of the struct only.
    fn is_gone(&self, proc: &Proc, item: ItemId) -> bool {
        match &proc.items[item.index()].kind {
            ItemKind::Let { value } => self.addresses.contains(value),
            ItemKind::Free { pointer } => self.is_freed(proc, pointer),
            _ => false,
        }
    }

    /// What a member is called: `at_origin_x`, the member `origin.x` of `at`.
    fn name(&self, proc: &Proc, path: &[FieldId]) -> String {
        let (mut id, mut name) = (self.elem, proc.objects[self.object.index()].name.clone());
        for field in path {
            let field = &self.program.types.structs[id.index()].fields[field.index()];
            name = format!("{name}_{}", field.name);
            if let Type::Struct(inner) = field.ty {
                id = inner;
            }
        }
        super::splice::unique(proc, &name)
    }

    fn rewrite(&self, e: &mut Expr, current: &Current) {
        if let ExprKind::Load(place) = &e.kind
            && place.base == Base::Object(self.object)
            && let Some((path, ..)) = self.member(place)
            && let Some(value) = current.get(&path)
        {
            *e = value.clone();
            return;
        }
        if let ExprKind::Load(place) | ExprKind::Address(place) = &mut e.kind {
            self.place(place);
        }
        rewrite::operands(e, &mut |operand| self.rewrite(operand, current));
    }

    /// A place in a member that keeps its memory.
    fn place(&self, place: &mut Place) {
        if place.base != Base::Object(self.object) {
            return;
        }
        let Some((path, _, rest)) = self.member(place) else { return };
        if let Some(member) = self.members.get(&path).filter(|member| !member.values) {
            let path = rest.to_vec();
            (place.base, place.path) = (Base::Object(member.object), path);
        }
    }
}

/// A value of a variable.
fn define(proc: &mut Proc, var: VarId, def: Def, region: RegionId, span: Span) -> ValueId {
    proc.values.push(Value { var, def, region, span });
    ValueId::new(proc.values.len() - 1)
}

fn value_of(value: ValueId, ty: &Type) -> Expr {
    Expr { kind: ExprKind::Value(value), ty: ty.clone() }
}
