//! The items of a procedure in the place of a call of it.

use crate::flow::{Head, walk};
use crate::ir::parts::{PartMut, parts_of_item_mut};
use crate::ir::rewrite;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Items of a procedure in which calls are replaced: no more than these.
pub const LARGEST: usize = 6000;

/// Scalars of a struct that are copied one by one.
const MANY: usize = 64;

/// By how much the numbers of a procedure move where it is written into another one.
struct Moved {
    vars: u32,
    values: u32,
    objects: u32,
    items: u32,
    /// Region 0 becomes this one; the others follow from here on.
    region: RegionId,
    regions: u32,
}

impl Moved {
    fn region(&self, region: RegionId) -> RegionId {
        if region.0 == 0 { self.region } else { RegionId(self.regions + region.0 - 1) }
    }

    fn item(&self, item: &mut ItemId) {
        item.0 += self.items;
    }

    fn var(&self, var: &mut VarId) {
        var.0 += self.vars;
    }

    fn apply(&self, body: &mut Proc) {
        rewrite::values(body, &mut |value| value.0 += self.values);
        rewrite::places(body, &mut |place| {
            if let Base::Object(object) = &mut place.base {
                object.0 += self.objects;
            }
        });
        for value in &mut body.values {
            self.var(&mut value.var);
            value.region = self.region(value.region);
            match &mut value.def {
                Def::Join(item, _) | Def::Head(item, _) | Def::Out(item, _) => self.item(item),
                Def::Result(item) | Def::Popped(item) => self.item(item),
                Def::Entry(_) | Def::Undefined | Def::Is(_) => {}
            }
        }
        for item in &mut body.items {
            item.statement = None;
            parts_of_item_mut(&mut item.kind, &mut |part| match part {
                PartMut::Region(region) => *region = self.region(*region),
                PartMut::Var(var) => self.var(var),
                PartMut::Object(object) => object.0 += self.objects,
                PartMut::Expr(_) | PartMut::Read(_) | PartMut::Written(_) | PartMut::Used(_) | PartMut::Defined(_) => {}
            });
        }
        for object in &mut body.objects {
            if let Life::Region(region) = &mut object.life {
                *region = self.region(*region);
            }
        }
        for region in &mut body.regions {
            region.items.iter_mut().for_each(|item| self.item(item));
            if let Some((outer, item)) = &mut region.parent {
                *outer = self.region(*outer);
                self.item(item);
            }
        }
        body.result_object.iter_mut().for_each(|object| object.0 += self.objects);
        body.params.iter_mut().filter_map(|param| param.object.as_mut()).for_each(|object| object.0 += self.objects);
    }
}

/// Writes a procedure in the place of a call. Returns whether it could. `constants`: also one that declares constants
/// inside, see [`super::statics`].
pub fn call(program: &Program, proc: &mut Proc, item: ItemId, callee: ProcId, constants: bool) -> bool {
    let Some((region, at)) = proc.positions()[item.index()] else { return false };
    let ItemKind::Call { args, result, into, .. } = proc.items[item].kind.clone() else { return false };
    let mut body = program.procs[callee].clone();
    // What a function declares inside has its name in its own sweeps only.
    let mut declared = program.statics.iter().filter(|declared| declared.function == body.name);
    let fits = declared.all(|declared| constants && is_constant(program, declared))
        && !body.has_list
        // Its body only stands for what it does.
        && body.rule.is_none()
        // The caller may have a variable of its own with that name.
        && !body.items.iter().any(is_volatile)
        && body.params.len() == args.len()
        && into.is_some() == body.result_object.is_some();
    if !fits || (result.is_some() && body.result.is_none()) {
        return false;
    }
    let number = |length: usize| u32::try_from(length).expect("fewer than 2^32 of a kind");
    let moved = Moved {
        vars: number(proc.vars.len()),
        values: number(proc.values.len()),
        objects: number(proc.objects.len()),
        items: number(proc.items.len()),
        region,
        regions: number(proc.regions.len()),
    };
    moved.apply(&mut body);
    let span = proc.items[item].span;
    // What goes before the body and behind it.
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for (param, arg) in body.params.clone().into_iter().zip(&args) {
        if let Some(entry) = param.entry {
            body.values[ValueId(entry.0 - moved.values)].def = Def::Is(arg.clone());
            before.push(ItemKind::Let { value: entry });
        }
        if let Some(object) = param.object {
            let ExprKind::Load(from) = &arg.kind else { return false };
            body.objects[ObjectId(object.0 - moved.objects)].life = Life::Region(region);
            let to = Place { base: Base::Object(object), path: Vec::new(), ty: arg.ty.clone() };
            let Some(copies) = copies(program, &to, from) else { return false };
            before.push(ItemKind::Declare { object });
            before.extend(copies);
        }
    }
    if let Some(value) = result {
        proc.values[value].def = body.result.map_or(Def::Undefined, Def::Is);
        behind.push(ItemKind::Let { value });
    }
    if let (Some(into), Some(object)) = (&into, body.result_object) {
        let from = Place { base: Base::Object(object), path: Vec::new(), ty: into.ty.clone() };
        let Some(copies) = copies(program, into, &from) else { return false };
        behind.extend(copies);
    }
    rename(proc, &mut body.vars, &mut body.objects);
    proc.vars.append(&mut body.vars);
    proc.values.append(&mut body.values);
    proc.objects.append(&mut body.objects);
    proc.items.append(&mut body.items);
    let mut regions = body.regions.into_iter();
    let inside = regions.next().map(|region| region.items).unwrap_or_default();
    proc.regions.extend(regions);
    let mut add = |kind: ItemKind| add(proc, kind, span);
    let before: Vec<ItemId> = before.into_iter().map(&mut add).collect();
    let behind: Vec<ItemId> = behind.into_iter().map(&mut add).collect();
    let all = before.into_iter().chain(inside).chain(behind);
    proc.regions[region].items.splice(at..=at, all);
    true
}

fn is_volatile(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Call { callee: Callee::External { function: External::Volatile, .. }, .. })
}

/// Puts functions in the place of the variables that hold them: C has no name for their types. Returns whether none is
/// left.
pub fn name_functions(proc: &mut Proc) -> bool {
    let params: FxHashSet<VarId> = proc.params.iter().filter_map(|param| param.var).collect();
    let held = |value: &Value| proc.vars[value.var].ty.is_function_pointer() && !params.contains(&value.var);
    let mut known: FxHashMap<ValueId, Expr> = FxHashMap::default();
    for (at, value) in proc.values.iter().enumerate().filter(|(_, value)| held(value)) {
        match &value.def {
            Def::Is(e) if !crate::ir::walk::loads(e) => {
                known.insert(ValueId::new(at), e.clone());
            }
            Def::Undefined => {}
            _ => return false,
        }
    }
    if known.is_empty() {
        return true;
    }
    replace(proc, &known);
    true
}

/// Puts what some values are in their places. Their items go.
pub fn replace(proc: &mut Proc, known: &FxHashMap<ValueId, Expr>) {
    let with = |value: ValueId| known.get(&value).cloned();
    for (at, value) in proc.values.iter_mut().enumerate() {
        match &mut value.def {
            def if known.contains_key(&ValueId::new(at)) => *def = Def::Undefined,
            Def::Is(e) => rewrite::substitute(e, &with),
            _ => {}
        }
    }
    proc.items.iter_mut().for_each(|item| {
        rewrite::item_exprs(&mut item.kind, &mut |e| rewrite::substitute(e, &with));
    });
    proc.result.iter_mut().for_each(|result| rewrite::substitute(result, &with));
    let dims = proc.objects.iter_mut().flat_map(|object| &mut object.shape);
    dims.flat_map(|dim| &mut dim.extent).for_each(|e| rewrite::substitute(e, &with));
    let gone = |item: &ItemId| matches!(proc.items[*item].kind, ItemKind::Let { value } if known.contains_key(&value));
    proc.regions.iter_mut().for_each(|region| region.items.retain(|item| !gone(item)));
}

/// An item that no region has yet.
pub fn add(proc: &mut Proc, kind: ItemKind, span: Span) -> ItemId {
    proc.items.push(Item { kind, span, statement: None });
    ItemId::new(proc.items.len() - 1)
}

/// The names that a procedure has.
pub fn names(proc: &Proc) -> FxHashSet<String> {
    let own = proc.vars.iter().map(|var| var.name.clone()).chain(proc.objects.iter().map(|o| o.name.clone()));
    own.chain(proc.params.iter().map(|param| param.name.clone())).collect()
}

/// A name that is not among others, and now is.
pub fn fresh(name: &str, taken: &mut FxHashSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    let mut names = std::iter::once(name.to_string()).chain(numbered);
    names.find(|name| taken.insert(name.clone())).unwrap_or_default()
}

/// A name that the procedure does not have.
pub fn unique(proc: &Proc, name: &str) -> String {
    fresh(name, &mut names(proc))
}

/// Gives variables and objects names that the procedure does not have.
fn rename(proc: &Proc, vars: &mut [Var], objects: &mut [Object]) {
    let mut taken = names(proc);
    let mut unique = |name: &str| fresh(name, &mut taken);
    for var in vars {
        var.name = unique(&var.name);
        if var.kind == VarKind::User {
            var.kind = VarKind::Renamed;
        }
    }
    for object in objects {
        object.name = unique(&object.name);
    }
}

/// Stores that copy a struct; `None` if they are many.
pub fn copies(program: &Program, to: &Place, from: &Place) -> Option<Vec<ItemKind>> {
    let (to, from) = (scalars(program, to)?, scalars(program, from)?);
    let store = |(to, from): (Place, Place)| ItemKind::Store { to, from: load(from) };
    Some(to.into_iter().zip(from).map(store).collect())
}

/// Contents of a place.
pub fn load(place: Place) -> Expr {
    let ty = place.ty.clone();
    Expr { kind: ExprKind::Load(Box::new(place)), ty }
}

/// The scalars in a place; `None` if they are many, or of a kind that is not copied.
pub fn scalars(program: &Program, place: &Place) -> Option<Vec<Place>> {
    let mut found = Vec::new();
    match &place.ty {
        Type::Int { .. } | Type::Float { .. } | Type::Pointer(_) => found.push(place.clone()),
        Type::Struct(id) => {
            for (k, field) in program.types.structs[*id].fields.iter().enumerate() {
                let mut member = place.clone();
                member.path.push(Step::Field(FieldId::new(k)));
                member.ty = field.ty.clone();
                found.extend(scalars(program, &member)?);
            }
        }
        Type::Array(row) if row.extent.is_some_and(|extent| extent <= MANY as u64) => {
            let extent = row.extent.unwrap_or_default();
            let number = |value: u64| Expr::int(i128::from(value));
            for k in 0..extent {
                let subscript = Subscript { at: number(k), dim: Dim::of(number(extent)) };
                let mut element = place.clone();
                match element.path.last_mut() {
                    Some(Step::Index(all)) => all.push(subscript),
                    _ => element.path.push(Step::Index(vec![subscript])),
                }
                element.ty = row.elem.clone();
                found.extend(scalars(program, &element)?);
            }
        }
        _ => return None,
    }
    (found.len() <= MANY).then_some(found)
}

/// Whether the address of a block may leave a procedure, or it frees one of others.
pub fn gives_away(proc: &Proc) -> bool {
    let heap = |base: &Base| matches!(base, Base::Object(o) if proc.objects[*o].life == Life::Heap);
    let tainted = led_by(proc, &heap);
    let leaves = |item: &ItemId| {
        if let ItemKind::Store { from, .. } = &proc.items[*item].kind {
            leads(from, &tainted, &heap)
        } else if let ItemKind::Free { pointer } = &proc.items[*item].kind {
            !leads(pointer, &tainted, &heap)
        } else {
            false
        }
    };
    proc.result.as_ref().is_some_and(|result| leads(result, &tainted, &heap))
        || walk::items(proc, RegionId(0)).iter().any(leaves)
}

/// Whether the result of a procedure may be an address of memory that `is` says.
pub fn returns(proc: &Proc, is: &dyn Fn(&Base) -> bool) -> bool {
    proc.result.as_ref().is_some_and(|result| leads(result, &led_by(proc, is), is))
}

/// Whether an expression may be an address of memory that `is` says. `tainted`: the values that may be one.
fn leads(e: &Expr, tainted: &[bool], is: &dyn Fn(&Base) -> bool) -> bool {
    match &e.kind {
        ExprKind::Value(value) => tainted[value.index()],
        ExprKind::Cast(x) => leads(x, tainted, is),
        ExprKind::Select(_, x, y) => leads(x, tainted, is) || leads(y, tainted, is),
        ExprKind::Address(place) => match &place.base {
            Base::At(pointer) => leads(pointer, tainted, is),
            base => is(base),
        },
        _ => false,
    }
}

/// By value: whether it may be an address of memory that `is` says.
fn led_by(proc: &Proc, is: &dyn Fn(&Base) -> bool) -> Vec<bool> {
    let mut tainted = vec![false; proc.values.len()];
    loop {
        let leads = |(at, value): (usize, &Value)| match &value.def {
            _ if tainted[at] => false,
            Def::Is(e) => leads(e, &tainted, is),
            def => proc.merged(def).into_iter().flatten().any(|from| tainted[from.index()]),
        };
        let more: Vec<usize> = proc.values.iter().enumerate().filter(|each| leads(*each)).map(|(at, _)| at).collect();
        if more.is_empty() {
            return tainted;
        }
        more.into_iter().for_each(|at| tainted[at] = true);
    }
}

/// Numbers what is left in the order of the text. No statement of the source is what it was.
pub fn tidy(proc: &mut Proc) {
    renumber(proc);
    proc.statements.iter_mut().for_each(|statement| statement.copyable = false);
}

/// Numbers what is left in the order of the text.
pub fn renumber(proc: &mut Proc) {
    rewrite::prune(proc);
    let order = walk::items(proc, RegionId(0));
    let mut new = vec![None; proc.items.len()];
    for (at, item) in order.iter().enumerate() {
        new[item.index()] = Some(ItemId::new(at));
    }
    proc.items = order.iter().map(|item| proc.items[*item].clone()).collect();
    for region in &mut proc.regions {
        region.items = region.items.iter().filter_map(|item| new[item.index()]).collect();
        if let Some((_, item)) = &mut region.parent {
            *item = new[item.index()].unwrap_or(ItemId(0));
        }
    }
    for value in &mut proc.values {
        let gone = match &mut value.def {
            Def::Join(item, _) | Def::Head(item, _) | Def::Out(item, _) | Def::Result(item) | Def::Popped(item) => {
                let now = new[item.index()];
                *item = now.unwrap_or(*item);
                now.is_none()
            }
            _ => false,
        };
        if gone {
            value.def = Def::Undefined;
        }
    }
    rewrite::compact(proc);
    // Variables that held the address of a struct that is no more.
    let mut used = vec![false; proc.vars.len()];
    proc.values.iter().for_each(|value| used[value.var.index()] = true);
    proc.params.iter().filter_map(|param| param.var).for_each(|var| used[var.index()] = true);
    for (var, _) in proc.vars.iter_mut().zip(&used).filter(|(_, used)| !**used) {
        var.kind = VarKind::Temporary;
    }
    let unused = |item: &Item| matches!(item.kind, ItemKind::DeclareVar { var } if !used[var.index()]);
    let gone: Vec<bool> = proc.items.iter().map(unused).collect();
    proc.regions.iter_mut().for_each(|region| region.items.retain(|item| !gone[item.index()]));
    rewrite::compact(proc);
}

/// Leaves nothing of a procedure but its parameters.
pub fn hollow(proc: &mut Proc) {
    proc.regions = vec![Region::default()].into();
    proc.items.clear();
    proc.statements.clear();
    for object in &mut proc.objects {
        object.shape.clear();
        if !matches!(object.life, Life::Param(_)) {
            object.life = Life::Region(RegionId(0));
        }
    }
    proc.result = proc.result.take().map(|result| zero(&result.ty));
    let entries: Vec<Value> = proc.params.iter().filter_map(|param| Some(proc.values[param.entry?].clone())).collect();
    for (at, param) in proc.params.iter_mut().filter(|param| param.entry.is_some()).enumerate() {
        param.entry = Some(ValueId::new(at));
    }
    proc.params.iter_mut().for_each(|param| param.shape.clear());
    proc.values = entries.into();
    if let Some(object) = proc.result_object {
        let declared = add(proc, ItemKind::Declare { object }, proc.span);
        proc.regions[RegionId::BODY].items.push(declared);
    }
}

/// Stops the program where there is no memory for a block: nothing tests that any more.
pub fn check_blocks(proc: &mut Proc) {
    for region in proc.regions.ids() {
        let items = std::mem::take(&mut proc.regions[region].items);
        let mut all = Vec::new();
        for item in items {
            all.push(item);
            let ItemKind::Alloc { object, .. } = proc.items[item].kind else { continue };
            let check = missing(proc, region, object, proc.items[item].span);
            all.push(check);
        }
        proc.regions[region].items = all;
    }
}

fn missing(proc: &mut Proc, region: RegionId, object: ObjectId, span: Span) -> ItemId {
    let first = proc.objects[object].first(object);
    let ty = Type::pointer(first.ty.clone());
    let address = Expr { kind: ExprKind::Address(Box::new(first)), ty: ty.clone() };
    let null = Expr { kind: ExprKind::Null, ty };
    let on = Expr::binary(Binary::Equal, address, null, Type::int());
    let arms = [RegionId::new(proc.regions.len()), RegionId::new(proc.regions.len() + 1)];
    let branch = ItemKind::Branch { on, then: arms[0], otherwise: arms[1], joins: Vec::new() };
    let branch = add(proc, branch, span);
    proc.regions.extend([(); 2].map(|()| Region { parent: Some((region, branch)), items: Vec::new() }));
    let function = External::Stop(Reason::NoMemory);
    let callee = Callee::External { function, returns: false, unknown: false };
    let stop = add(proc, ItemKind::Call { callee, args: Vec::new(), result: None, into: None }, span);
    proc.regions[arms[0]].items = vec![stop];
    branch
}

/// Whether a declaration inside a function is one of constants.
pub fn is_constant(program: &Program, declared: &Static) -> bool {
    let globals = &declared.globals;
    !globals.is_empty() && globals.iter().all(|global| program.globals[*global].constant)
}

/// Empties procedures that no head reaches any more.
pub fn hollow_unreached(program: &mut Program, heads: &[Head]) {
    let reached = walk::reached(program, heads);
    let unreached = program.procs.ids().zip(&reached).filter(|(_, reached)| !**reached);
    unreached.for_each(|(p, _)| hollow(&mut program.procs[p]));
}
