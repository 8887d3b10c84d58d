//! Structs of which all accesses are known, taken apart: an object for each member, and a value for each pointer and each
//! integer that is set in one place after the other.
//!
//! A candidate is a struct with a pointer in it that one `malloc` makes or one declaration. Every place behind a pointer
//! to it is named by the struct itself ([`resolved`]); then nothing may mention its address any more.

use std::collections::{BTreeMap, BTreeSet};

use super::splice::{add, scalars};
use crate::flow::walk;
use crate::ir::rewrite;
use crate::ir::*;
use crate::plan::recompute::zero;

/// Definitions that are followed.
const DEPTH: u32 = 64;

/// A member, by the way to it: fields of structs inside each other.
type Path = Vec<FieldId>;

/// The calls to which a candidate is passed: their procedures hide what happens to it.
pub fn callees(program: &Program, proc: &Proc) -> Vec<ItemId> {
    let candidates: BTreeSet<ObjectId> = candidates(program, proc).into_keys().collect();
    let is_passed = |arg: &Expr| match &arg.kind {
        ExprKind::Load(place) if matches!(arg.ty, Type::Struct(_)) => candidate(proc, place, &candidates).is_some(),
        _ => whole(program, proc, arg, &candidates).is_some(),
    };
    let passes = |(item, _): &(ItemId, ProcId)| match &proc.items[item.index()].kind {
        ItemKind::Call { args, into, .. } => {
            args.iter().any(is_passed) || into.as_ref().is_some_and(|into| candidate(proc, into, &candidates).is_some())
        }
        _ => false,
    };
    walk::calls(proc).into_iter().filter(passes).map(|(item, _)| item).collect()
}

/// Takes candidates apart. Returns whether there was one.
pub fn take_apart(program: &Program, proc: &mut Proc) -> bool {
    let found = candidates(program, proc);
    let objects: BTreeSet<ObjectId> = found.keys().copied().collect();
    if objects.is_empty() {
        return false;
    }
    name_places(proc, &objects);
    found.into_iter().any(|(object, made)| Apart::new(program, proc, object, made).is_some_and(|apart| apart.run(proc)))
}

/// Structs with pointers that are made once, and the items that make them.
fn candidates(program: &Program, proc: &Proc) -> BTreeMap<ObjectId, ItemId> {
    let mut made: BTreeMap<ObjectId, Vec<ItemId>> = BTreeMap::new();
    for item in walk::items(proc, RegionId(0)) {
        match &proc.items[item.index()].kind {
            ItemKind::Declare { object } => made.entry(*object).or_default().push(item),
            ItemKind::Alloc { object, count, .. } => {
                let is_one = matches!(count.kind, ExprKind::Int(1)) || value_is_one(proc, count);
                // A block of several structs counts twice, and is none.
                made.entry(*object).or_default().extend(if is_one { vec![item] } else { vec![item, item] });
            }
            _ => {}
        }
    }
    let holds = |object: &ObjectId| {
        let this = &proc.objects[object.index()];
        let place = Place { base: Base::Object(*object), path: Vec::new(), ty: this.elem.clone() };
        let pointer = |place: &Place| matches!(&place.ty, Type::Pointer(to) if !matches!(**to, Type::Opaque(_)));
        matches!(this.elem, Type::Struct(_))
            && (this.life == Life::Heap || this.shape.is_empty())
            && proc.result_object != Some(*object)
            && scalars(program, &place).is_some_and(|all| all.iter().any(pointer))
    };
    let once = made.into_iter().filter(|(_, items)| items.len() == 1);
    once.filter(|(object, _)| holds(object)).map(|(object, items)| (object, items[0])).collect()
}

fn value_is_one(proc: &Proc, count: &Expr) -> bool {
    match &count.kind {
        ExprKind::Int(1) => true,
        ExprKind::Cast(x) => value_is_one(proc, x),
        ExprKind::Value(value) => {
            matches!(&proc.values[value.index()].def, Def::Is(e) if value_is_one(proc, e))
        }
        _ => false,
    }
}

/// The candidate that a place is in.
fn candidate(proc: &Proc, place: &Place, all: &BTreeSet<ObjectId>) -> Option<ObjectId> {
    match &resolved(proc, place, DEPTH)?.base {
        Base::Object(object) if all.contains(object) => Some(*object),
        _ => None,
    }
}

/// The candidate whose own address, or that of a struct in it, an expression is.
fn whole(program: &Program, proc: &Proc, e: &Expr, all: &BTreeSet<ObjectId>) -> Option<ObjectId> {
    let place = target(proc, e, DEPTH)?;
    match &place.base {
        Base::Object(object) if all.contains(object) && !scalars(program, &place)?.is_empty() => {
            matches!(place.ty, Type::Struct(_)).then_some(*object)
        }
        _ => None,
    }
}

/// What a pointer points to, if that is a place in an object.
fn target(proc: &Proc, e: &Expr, depth: u32) -> Option<Place> {
    let depth = depth.checked_sub(1)?;
    match &e.kind {
        ExprKind::Address(place) => resolved(proc, place, depth),
        ExprKind::Value(value) => match &proc.values[value.index()].def {
            Def::Is(e) => target(proc, e, depth),
            _ => None,
        },
        _ => None,
    }
}

/// A place by the object that it is in.
pub fn resolved(proc: &Proc, place: &Place, depth: u32) -> Option<Place> {
    let Base::At(pointer) = &place.base else {
        return matches!(place.base, Base::Object(_)).then(|| place.clone());
    };
    let to = target(proc, pointer, depth)?;
    let first = place.path.first();
    let only = matches!(first, Some(Step::Index(all)) if matches!(&all[..], [Subscript { at, .. }] if at.kind == ExprKind::Int(0)));
    let same = pointer.ty == Type::Pointer(Box::new(to.ty.clone()));
    (only && same).then(|| {
        let path = to.path.into_iter().chain(place.path[1..].iter().cloned()).collect();
        Place { base: to.base, path, ty: place.ty.clone() }
    })
}

/// Names places behind pointers to candidates by these.
fn name_places(proc: &mut Proc, all: &BTreeSet<ObjectId>) {
    let before = proc.clone();
    rewrite::places(proc, &mut |place| {
        if let Base::At(_) = place.base
            && let Some(named) = resolved(&before, place, DEPTH)
            && matches!(named.base, Base::Object(object) if all.contains(&object))
        {
            *place = named;
        }
    });
}

/// One struct that is taken apart.
struct Apart<'p> {
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
    object: ObjectId,
}

/// What each member that needs no memory holds.
type Current = BTreeMap<Path, Expr>;

impl<'p> Apart<'p> {
    /// What is to be done; `None` if something may reach it that is not understood.
    fn new(program: &'p Program, proc: &Proc, object: ObjectId, made: ItemId) -> Option<Apart<'p>> {
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
                    let direct = proc.regions[self.region.index()].items.contains(&item);
                    self.access(to, direct)?;
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
        let member = self.members.entry(path).or_insert(Member { ty, values: true, object: ObjectId(0) });
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
    fn run(mut self, proc: &mut Proc) -> bool {
        let this = proc.objects[self.object.index()].clone();
        for (path, member) in self.members.iter_mut().filter(|(_, member)| !member.values) {
            let (mut shape, mut elem) = (Vec::new(), member.ty.clone());
            while let Type::Array { elem: inner, extent } = elem {
                let count = |n: u64| Expr { kind: ExprKind::Int(i128::from(n)), ty: crate::ir::build::int() };
                shape.push(Dim { lower: None, extent: extent.map(count) });
                elem = *inner;
            }
            let name = super::splice::unique(proc, &format!("{}_{}", this.name, name(self.program, self.elem, path)));
            let life = Life::Region(self.region);
            proc.objects.push(Object { name, elem, shape, life, constant: false, span: this.span });
            member.object = ObjectId::new(proc.objects.len() - 1);
        }
        let followed = self.members.iter().filter(|(_, member)| member.values);
        let mut current: Current = followed.map(|(path, member)| (path.clone(), zero(&member.ty))).collect();
        let mut items = Vec::new();
        for item in proc.regions[self.region.index()].items.clone() {
            if item == self.made {
                items.extend(self.begin(proc));
                continue;
            }
            items.extend(self.item(proc, item, &mut current));
        }
        proc.regions[self.region.index()].items = items;
        if self.region == RegionId(0)
            && let Some(mut result) = proc.result.take()
        {
            self.rewrite(&mut result, &current);
            proc.result = Some(result);
        }
        true
    }

    /// Declares what the members become.
    fn begin(&self, proc: &mut Proc) -> Vec<ItemId> {
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
        items
    }

    /// What an item of the struct's region becomes.
    fn item(&self, proc: &mut Proc, item: ItemId, current: &mut Current) -> Option<ItemId> {
        if self.is_gone(proc, item) {
            return None;
        }
        let Item { kind, span, .. } = proc.items[item.index()].clone();
        self.inside_of(proc, item, current);
        if let ItemKind::Store { to, .. } = &kind
            && to.base == Base::Object(self.object)
            && let Some((path, ty, _)) = self.member(to)
            && self.members[&path].values
        {
            let ItemKind::Store { from, .. } = proc.items[item.index()].kind.clone() else { return None };
            let name = super::splice::unique(proc, &name(self.program, self.elem, &path));
            proc.vars.push(Var { name, ty: ty.clone(), kind: VarKind::Temporary, span });
            let var = VarId::new(proc.vars.len() - 1);
            proc.values.push(Value { var, def: Def::Is(from), region: self.region, span });
            let value = ValueId::new(proc.values.len() - 1);
            proc.items[item.index()].kind = ItemKind::Let { value };
            current.insert(path, Expr { kind: ExprKind::Value(value), ty });
        }
        Some(item)
    }

    /// Whether an item is about the address of the struct only.
    fn is_gone(&self, proc: &Proc, item: ItemId) -> bool {
        match &proc.items[item.index()].kind {
            ItemKind::Let { value } => self.addresses.contains(value),
            ItemKind::Free { pointer } => self.is_freed(proc, pointer),
            _ => false,
        }
    }

    /// Puts what the members are in their places, in an item and in the regions in it.
    fn inside_of(&self, proc: &mut Proc, item: ItemId, current: &Current) {
        for region in walk::regions(&proc.items[item.index()]) {
            let items = std::mem::take(&mut proc.regions[region.index()].items);
            let left: Vec<ItemId> = items.into_iter().filter(|item| !self.is_gone(proc, *item)).collect();
            left.iter().for_each(|item| self.inside_of(proc, *item, current));
            proc.regions[region.index()].items = left;
        }
        let mut kind = proc.items[item.index()].kind.clone();
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
        if let ItemKind::Store { to, .. } = &mut kind {
            self.place(to);
        }
        rewrite::item_exprs(&mut kind, &mut |e| self.rewrite(e, current));
        proc.items[item.index()].kind = kind;
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

/// What a member is called: `origin_x`.
fn name(program: &Program, id: StructId, path: &[FieldId]) -> String {
    let (mut id, mut names) = (id, Vec::new());
    for field in path {
        let field = &program.types.structs[id.index()].fields[field.index()];
        names.push(field.name.clone());
        if let Type::Struct(inner) = field.ty {
            id = inner;
        }
    }
    names.join("_")
}
