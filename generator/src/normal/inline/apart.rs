//! Structs that are taken apart: their members, and what takes the place of their accesses. A scalar in memory is taken
//! for a struct that is its own member.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use super::splice::{add, fresh, names, scalars};
use super::target::{DEPTH, target};
use crate::flow::walk;
use crate::ir::rewrite;
use crate::ir::*;

/// A member: its struct, and the way to it, fields of structs inside each other.
type Path = (ObjectId, Vec<FieldId>);

/// The structs of a procedure that are taken apart.
pub struct Apart<'p> {
    program: &'p Program,
    structs: BTreeMap<ObjectId, Whole>,
    /// Values that are the address of such a struct, or of a struct in it.
    addresses: FxHashMap<ValueId, ObjectId>,
    members: BTreeMap<Path, Member>,
    /// Names that the procedure has.
    taken: FxHashSet<String>,
}

/// One struct.
struct Whole {
    elem: Type,
    made: ItemId,
    /// The region in which it lives.
    region: RegionId,
    heap: bool,
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

/// What each member that needs no memory holds, where it lives.
type Current = BTreeMap<Path, Expr>;

impl<'p> Apart<'p> {
    /// What is to be done with structs that are made once, by these items; `None` if something that is not understood
    /// may reach each of them.
    pub fn new(program: &'p Program, proc: &Proc, made: BTreeMap<ObjectId, ItemId>) -> Option<Apart<'p>> {
        let positions = proc.positions();
        let whole = |(object, made): (ObjectId, ItemId)| {
            let this = &proc.objects[object];
            let (region, _) = positions[made.index()]?;
            Some((object, Whole { elem: this.elem.clone(), made, region, heap: this.life == Life::Heap }))
        };
        let structs: BTreeMap<ObjectId, Whole> = made.into_iter().filter_map(whole).collect();
        let address = |value: ValueId| {
            let Def::Is(e) = &proc.values[value].def else { return None };
            let to = target(proc, e, DEPTH)?;
            let Base::Object(object) = to.base else { return None };
            (structs.contains_key(&object) && matches!(to.ty, Type::Struct(_))).then_some((value, object))
        };
        let addresses = proc.values.ids().filter_map(address).collect();
        let (members, taken) = (BTreeMap::new(), names(proc));
        let mut apart = Apart { program, structs, addresses, members, taken };
        apart.look(proc, &positions);
        let memory = |member: &Member| !member.values && matches!(member.ty, Type::Pointer(_));
        let kept: Vec<ObjectId> = apart.members.iter().filter(|(_, m)| memory(m)).map(|(path, _)| path.0).collect();
        kept.into_iter().for_each(|object| apart.keep(object));
        apart.members.retain(|path, _| apart.structs.contains_key(&path.0));
        apart.addresses.retain(|_, object| apart.structs.contains_key(object));
        (!apart.structs.is_empty()).then_some(apart)
    }

    /// Leaves a struct as it is.
    fn keep(&mut self, object: ObjectId) {
        self.structs.remove(&object);
    }

    /// The struct that a place is in, if it is one of these.
    fn object(&self, place: &Place) -> Option<ObjectId> {
        match place.base {
            Base::Object(object) if self.structs.contains_key(&object) => Some(object),
            _ => None,
        }
    }

    /// Whether a struct lives in a region.
    fn lives(&self, proc: &Proc, object: ObjectId, region: RegionId) -> bool {
        self.structs.get(&object).is_some_and(|whole| proc.is_within(region, whole.region))
    }

    /// The member that a place in a struct is in, its type, and what follows behind it.
    fn member<'s>(&self, place: &'s Place) -> Option<(Path, Type, &'s [Step])> {
        let object = self.object(place)?;
        let (whole, mut path) = (&self.structs[&object], &place.path[..]);
        if whole.heap {
            let [Step::Index(first), rest @ ..] = path else { return None };
            matches!(&first[..], [Subscript { at, .. }] if at.kind == ExprKind::Int(0)).then_some(())?;
            path = rest;
        }
        let (mut at, mut inside) = (Vec::new(), &whole.elem);
        while let Type::Struct(id) = inside {
            let [Step::Field(field), rest @ ..] = path else { return None };
            // Values of one member would not be those of another.
            if self.program.types.structs[*id].shared {
                return None;
            }
            at.push(*field);
            path = rest;
            inside = &self.program.types.structs[*id].fields[*field].ty;
        }
        Some(((object, at), inside.clone(), path))
    }

    /// Finds the members. Structs that are mentioned in ways that are not understood are kept.
    fn look(&mut self, proc: &Proc, positions: &[Option<(RegionId, usize)>]) {
        for item in walk::items(proc, RegionId(0)) {
            let Some((region, _)) = positions[item.index()] else { continue };
            let this = &proc.items[item];
            if let Some(object) = self.only_address(proc, item) {
                if !self.lives(proc, object, region) {
                    self.keep(object);
                }
                continue;
            }
            this.kind.used().into_iter().for_each(|value| self.value(value));
            if let ItemKind::Store { to, .. } = &this.kind {
                self.store(proc, to, region);
            }
            if let ItemKind::Call { into: Some(into), .. } = &this.kind {
                self.object(into).into_iter().for_each(|object| self.keep(object));
            }
            walk::of_item(proc, this).into_iter().for_each(|e| self.expr(proc, e, region));
            if let Some(object) = this.kind.begun() {
                let dims = proc.objects[object].shape.iter();
                dims.flat_map(|dim| &dim.extent).for_each(|e| self.expr(proc, e, region));
            }
        }
        proc.result.iter().for_each(|result| self.expr(proc, result, RegionId(0)));
    }

    /// The struct of which an item is about the address only.
    fn only_address(&self, proc: &Proc, item: ItemId) -> Option<ObjectId> {
        let kind = &proc.items[item].kind;
        if let ItemKind::Let { value } = kind {
            self.addresses.get(value).copied()
        } else if let ItemKind::Free { pointer } = kind
            && !matches!(&pointer.kind, ExprKind::Load(_))
        {
            let object = self.object(&target(proc, pointer, DEPTH)?)?;
            self.structs[&object].heap.then_some(object)
        } else {
            None
        }
    }

    /// A value that is an address and goes where it is not followed.
    fn value(&mut self, value: ValueId) {
        if let Some(object) = self.addresses.get(&value) {
            self.keep(*object);
        }
    }

    /// Looks at what a store in a region sets.
    fn store(&mut self, proc: &Proc, to: &Place, region: RegionId) {
        let Some(object) = self.object(to) else { return };
        self.access(to, self.lives(proc, object, region));
        if self.structs.get(&object).is_some_and(|whole| whole.region != region)
            && let Some((path, ..)) = self.member(to)
            && let Some(member) = self.members.get_mut(&path)
        {
            member.merged = true;
        }
    }

    /// Notes an access of a member of a struct; `follows`: a value of it may follow the one before.
    fn access(&mut self, place: &Place, follows: bool) {
        let Some(object) = self.object(place) else { return };
        let Some((path, ty, rest)) = self.member(place) else { return self.keep(object) };
        let scalar = rest.is_empty() && matches!(ty, Type::Int { .. } | Type::Float { .. } | Type::Pointer(_));
        let new = Member { ty, values: true, merged: false, var: VarId(0), object: ObjectId(0) };
        let member = self.members.entry(path).or_insert(new);
        member.values &= follows && scalar;
    }

    /// Looks at what an expression in a region reads.
    fn expr(&mut self, proc: &Proc, e: &Expr, region: RegionId) {
        let (mut values, mut found) = (Vec::new(), Vec::new());
        walk::expr(e, &mut |x| match &x.kind {
            ExprKind::Value(value) => values.push(*value),
            ExprKind::Load(place) => found.push((place, true)),
            ExprKind::Address(place) => found.push((place, false)),
            _ => {}
        });
        values.into_iter().for_each(|value| self.value(value));
        for (place, follows) in found {
            let Some(object) = self.object(place) else { continue };
            if self.lives(proc, object, region) {
                self.access(place, follows);
            } else {
                self.keep(object);
            }
        }
    }

    /// Does it.
    pub fn run(mut self, proc: &mut Proc) {
        let mut members = std::mem::take(&mut self.members);
        for (path, member) in &mut members {
            let span = proc.objects[path.0].span;
            if !member.values {
                let (mut shape, mut elem) = (Vec::new(), member.ty.clone());
                while let Type::Array(row) = elem {
                    shape.push(Dim::from(row.extent.map(|n| Expr::int(i128::from(n)))));
                    elem = row.elem.clone();
                }
                let (name, life) = (self.name(proc, path), Life::Region(self.structs[&path.0].region));
                proc.objects.push(Object { name, elem, shape, life, constant: false, span });
                member.object = ObjectId::new(proc.objects.len() - 1);
            } else if member.merged {
                let name = self.name(proc, path);
                proc.vars.push(Var::new(name, member.ty.clone(), VarKind::Temporary, span));
                member.var = VarId::new(proc.vars.len() - 1);
            }
        }
        self.members = members;
        let mut current = Current::new();
        self.of_region(proc, RegionId(0), &mut current);
        if let Some(mut result) = proc.result.take() {
            self.rewrite(&mut result, &current);
            proc.result = Some(result);
        }
    }

    /// Puts what the members are in their places, in a region.
    fn of_region(&mut self, proc: &mut Proc, region: RegionId, current: &mut Current) {
        let mut items = Vec::new();
        for item in std::mem::take(&mut proc.regions[region].items) {
            let made = proc.items[item].kind.begun();
            if let Some(object) = made.filter(|object| self.structs.contains_key(object)) {
                items.extend(self.begin(proc, object, current));
            } else if self.only_address(proc, item).is_none() {
                self.item(proc, region, item, current);
                items.push(item);
            }
        }
        proc.regions[region].items = items;
    }

    /// Declares what the members of a struct become.
    fn begin(&self, proc: &mut Proc, object: ObjectId, current: &mut Current) -> Vec<ItemId> {
        let whole = &self.structs[&object];
        let Item { kind, span, .. } = proc.items[whole.made].clone();
        let zeroed = matches!(kind, ItemKind::Alloc { zeroed: true, .. });
        let mut items = Vec::new();
        let all = self.members.range((object, Vec::new())..).take_while(|(path, _)| path.0 == object);
        for (path, member) in all {
            if !member.values {
                items.push(add(proc, ItemKind::Declare { object: member.object }, span));
                let whole = Place { base: Base::Object(member.object), path: Vec::new(), ty: member.ty.clone() };
                for to in scalars(self.program, &whole).filter(|_| zeroed).unwrap_or_default() {
                    let from = zero(&to.ty);
                    items.push(add(proc, ItemKind::Store { to, from }, span));
                }
            } else if member.merged && !matches!(whole.elem, Type::Struct(_)) {
                let value = define(proc, member.var, Def::Undefined, whole.region, span);
                current.insert(path.clone(), value_of(value, &member.ty));
            } else if member.merged {
                let value = define(proc, member.var, Def::Is(zero(&member.ty)), whole.region, span);
                items.push(add(proc, ItemKind::Let { value }, span));
                current.insert(path.clone(), value_of(value, &member.ty));
            } else {
                current.insert(path.clone(), zero(&member.ty));
            }
        }
        items
    }

    /// Puts what the members are in the place of what an item of a region reads, and values in that of its stores.
    fn item(&mut self, proc: &mut Proc, region: RegionId, item: ItemId, current: &mut Current) {
        let Item { mut kind, span, .. } = proc.items[item].clone();
        if let ItemKind::Branch { on, then, otherwise, joins } = &mut kind {
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
        } else if let ItemKind::Loop { test, at, body, carried } = &mut kind {
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
        } else {
            self.plain(proc, region, item, current);
            return;
        }
        proc.items[item].kind = kind;
    }

    /// The merged members that a loop sets, with their values in front of it.
    fn changed(&self, proc: &Proc, body: RegionId, current: &Current) -> Vec<(Path, ValueId)> {
        let mut found = BTreeMap::new();
        for item in walk::items(proc, body) {
            if let ItemKind::Store { to, .. } = &proc.items[item].kind
                && let Some((path, ..)) = self.member(to)
                && let Some(Expr { kind: ExprKind::Value(init), .. }) = current.get(&path)
            {
                found.insert(path, *init);
            }
        }
        found.into_iter().collect()
    }

    /// An item without regions.
    fn plain(&mut self, proc: &mut Proc, region: RegionId, item: ItemId, current: &mut Current) {
        let Item { mut kind, span, .. } = proc.items[item].clone();
        if let ItemKind::Let { value } = kind
            && let Def::Is(mut e) = proc.values[value].def.clone()
        {
            self.rewrite(&mut e, current);
            proc.values[value].def = Def::Is(e);
        }
        if let ItemKind::Declare { object } | ItemKind::Alloc { object, .. } = &kind {
            let mut shape = std::mem::take(&mut proc.objects[*object].shape);
            for dim in &mut shape {
                dim.extent.iter_mut().for_each(|e| self.rewrite(e, current));
            }
            proc.objects[*object].shape = shape;
        }
        rewrite::item_exprs(&mut kind, &mut |e| self.rewrite(e, current));
        if let ItemKind::Store { to, from } = &mut kind {
            match self.member(to).filter(|(path, ..)| self.members[path].values) {
                Some((path, ty, _)) => {
                    let member = &self.members[&path];
                    let var = if member.merged {
                        member.var
                    } else {
                        let name = self.name(proc, &path);
                        proc.vars.push(Var::new(name, ty.clone(), VarKind::Temporary, span));
                        VarId::new(proc.vars.len() - 1)
                    };
                    let value = define(proc, var, Def::Is(from.clone()), region, span);
                    current.insert(path, value_of(value, &ty));
                    kind = ItemKind::Let { value };
                }
                None => self.place(to),
            }
        }
        proc.items[item].kind = kind;
    }

    /// What a member is called: `at_origin_x`, the member `origin.x` of `at`.
    fn name(&mut self, proc: &Proc, (object, path): &Path) -> String {
        let (mut inside, mut name) = (&self.structs[object].elem, proc.objects[*object].name.clone());
        for field in path {
            let Type::Struct(id) = inside else { break };
            let field = &self.program.types.structs[*id].fields[*field];
            name = format!("{name}_{}", field.name);
            inside = &field.ty;
        }
        fresh(&name, &mut self.taken)
    }

    fn rewrite(&self, e: &mut Expr, current: &Current) {
        if let ExprKind::Load(place) = &e.kind
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
    Expr::value(value, ty.clone())
}
