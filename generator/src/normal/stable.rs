//! Blocks of a program on the stable heap: what is left where blocks outlive the code that makes them.
//!
//! A block that the reverse sweep can make again where the program made it needs no help ([`crate::sweep`] re-makes
//! it). A list, a tree, rows that a loop allocates do: the sweeps take these programs' blocks from adtape's stable heap
//! (categories C4 and C5 of the pointer paper), where a block that was freed comes back at its address. So
//!
//! - a pointer into a block is restored by its bits, from the tape or from memory;
//! - the adjoint of what it points to is one addition away ([`Unary::Adjoint`]): pointers need no shadows of their own.
//!
//! This pass brings a program into the form that the sweeps expect of such blocks ([`Life::Stable`]): one value has the
//! address of each new block, and pointers that are read from memory have names where a call or a store may change
//! that memory.

use crate::flow::{Flow, Head, Loc, Root, Set};
use crate::ir::*;
use crate::refuse::{Class, Refusal};

/// Where a block may move, so that the program needs the stable heap: why it is refused without.
pub fn moves(program: &Program) -> Option<Refusal> {
    let item = program.procs.iter().flat_map(|proc| &proc.items).find(|item| item.kind.resizes())?;
    let (what, help) = ("'realloc' does not go with several adjoints at once", "leave --vector out");
    Some(Refusal { class: Class::Pointer, span: item.span, what: what.into(), help: help.into() })
}

/// Whether a program makes blocks.
pub fn makes_blocks(program: &Program) -> bool {
    let makes = |item: &Item| matches!(item.kind, ItemKind::Alloc { .. }) || item.kind.resizes();
    program.procs.iter().any(|proc| proc.items.iter().any(makes))
}

/// The program with its blocks on the stable heap, and with the variables that must lie there, too; `None` if there is
/// nothing to move.
pub fn moved(program: &Program, heads: &[Head]) -> Option<Program> {
    let (mut moved, mut on_heap) = (makes_blocks(program), blocks(program, heads));
    while let Ok(flow) = Flow::analyse(&on_heap, heads)
        && let Some(more) = variables(&on_heap, &flow)
    {
        (on_heap, moved) = (more, true);
    }
    moved.then_some(on_heap)
}

/// The program with all its blocks on the stable heap.
fn blocks(program: &Program, heads: &[Head]) -> Program {
    let mut stable = program.clone();
    let flow = Flow::analyse(program, heads).ok();
    let changing = flow.as_ref().map(Changing::new);
    for (p, proc) in stable.procs.iter_mut().enumerate() {
        names(proc, &|place| changing.as_ref().is_none_or(|changing| changing.may_change(ProcId::new(p), place)));
        addresses(proc);
    }
    stable
}

/// The memory in which pointers change.
struct Changing<'f> {
    flow: &'f Flow<'f>,
    /// Where the program stores pointers.
    stored: Set,
}

impl<'f> Changing<'f> {
    fn new(flow: &'f Flow<'f>) -> Changing<'f> {
        let mut stored = Set::new();
        for (p, proc) in flow.program.procs.iter().enumerate() {
            let is_pointer = |loc: &Loc| matches!(flow.points.locs.ty(*loc), Type::Pointer(_));
            stored.extend(flow.writes(ProcId::new(p), RegionId(0)).iter().copied().filter(is_pointer));
            // What a call returns goes to a place of the caller.
            let into = proc.items.iter().filter_map(|item| {
                let ItemKind::Call { into: Some(into), .. } = &item.kind else { return None };
                Some(into)
            });
            let cells = into.flat_map(|place| flow.cells(ProcId::new(p), place));
            stored.extend(cells.flat_map(|cell| flow.points.locs.leaves(cell)));
        }
        Changing { flow, stored }
    }

    /// Whether the program may store a pointer at a place.
    fn may_change(&self, p: ProcId, place: &Place) -> bool {
        self.flow.may_be_in(p, place, &self.stored)
    }
}

/// The program with those variables on the stable heap, too, whose addresses lie in memory, or that pointers lead to
/// which also lead to blocks: a list that begins with a variable, a pointer to the pointer behind which a node goes.
/// `None` if there are none left.
fn variables(program: &Program, flow: &Flow) -> Option<Program> {
    let mut found = Vec::new();
    let mut mixed = flow.points.stored();
    for (p, proc) in program.procs.iter().enumerate() {
        let p = ProcId::new(p);
        let values = (0..proc.values.len()).map(|value| proc.value_expr(ValueId::new(value)));
        let half = |value: &Expr| matches!(value.ty, Type::Pointer(_)) && flow.points.half_on_heap(p, value);
        let grounds = |value: Expr| flow.targets(p, &value).into_iter().flat_map(|t| flow.points.grounds_of(t));
        mixed.extend(values.filter(half).flat_map(grounds).map(|ground| flow.points.locs.root_top(ground)));
    }
    for (p, proc) in program.procs.iter().enumerate() {
        let p = ProcId::new(p);
        for (o, object) in proc.objects.iter().enumerate() {
            let o = ObjectId::new(o);
            let Some(top) = flow.points.locs.find(Root::Object(p, o)) else { continue };
            let local = matches!(object.life, Life::Region(_)) && proc.result_object != Some(o);
            let known = object.shape.iter().all(|dim| dim.extent.is_some());
            let one = known && (object.shape.len() <= 1 || by_elements(proc, o));
            if local && one && !object.constant && (flow.points.escapes(top) || mixed.contains(&top)) {
                found.push((p, o));
            }
        }
    }
    let mut program = (!found.is_empty()).then(|| program.clone())?;
    found.into_iter().for_each(|(p, object)| make_block(&mut program.procs[p], object));
    Some(program)
}

/// Whether every place in an object of several dimensions is an element or a row.
fn by_elements(proc: &Proc, object: ObjectId) -> bool {
    let (mut all, count) = (true, proc.objects[object].shape.len());
    // Reads places, and changes none.
    rewrite::places(&mut proc.clone(), &mut |place| {
        let known = match &place.path[..] {
            [Step::Index(at)] => !at.is_empty(),
            [Step::Index(at), ..] => at.len() == count,
            _ => false,
        };
        all &= place.base != Base::Object(object) || known;
    });
    all
}

/// The address of a row becomes that of its first element, as a pointer to rows.
fn rows_by_elements(expr: &mut Expr, object: ObjectId, shape: &[Dim], elem: &Type) {
    if let ExprKind::Address(place) = &mut expr.kind
        && place.base == Base::Object(object)
        && let [Step::Index(at)] = &mut place.path[..]
        && at.len() < shape.len()
    {
        let zero = Expr::int(0);
        at.extend(shape[at.len()..].iter().map(|dim| Subscript { at: zero.clone(), dim: dim.clone() }));
        place.ty = elem.clone();
        let address = Expr { kind: expr.kind.clone(), ty: Type::pointer(elem.clone()) };
        expr.kind = ExprKind::Cast(Box::new(address));
        return;
    }
    rewrite::operands(expr, &mut |operand| rows_by_elements(operand, object, shape, elem));
}

/// Gives an object of several dimensions one, and its places one subscript.
fn flatten(proc: &mut Proc, object: ObjectId) {
    let long = Type::long();
    let cast = |e: &Expr| Expr::cast(e.clone(), long.clone());
    let two = |op, a: Expr, b: Expr| Expr::binary(op, a, b, long.clone());
    let extents = proc.objects[object].shape.iter().filter_map(|dim| dim.extent.as_deref());
    let Some(count) = extents.map(cast).reduce(|a, b| two(Binary::Multiply, a, b)) else { return };
    let dim = Dim::of(count);
    let Object { shape, elem, .. } = proc.objects[object].clone();
    let mut rows = |expr: &mut Expr| rows_by_elements(expr, object, &shape, &elem);
    for value in &mut proc.values {
        if let Def::Is(expr) = &mut value.def {
            rows(expr);
        }
    }
    proc.items.iter_mut().for_each(|item| rewrite::item_exprs(&mut item.kind, &mut rows));
    proc.result.iter_mut().for_each(&mut rows);
    rewrite::places(proc, &mut |place| {
        if let (true, Some(Step::Index(at))) = (place.base == Base::Object(object), place.path.first_mut()) {
            let each = at.iter().map(|at| (cast(&at.at), at.dim.extent.as_deref().map(cast)));
            let flat = each.reduce(|(before, _), (at, extent)| match extent {
                Some(extent) => (two(Binary::Add, two(Binary::Multiply, before, extent), at), None),
                None => (before, None),
            });
            at.splice(.., flat.map(|(at, _)| Subscript { at, dim: dim.clone() }));
        }
    });
    proc.objects[object].shape = vec![dim];
}

/// Makes a block of a variable: from its declaration to the end of its region.
fn make_block(proc: &mut Proc, object: ObjectId) {
    let declares = |item: &Item| matches!(item.kind, ItemKind::Declare { object: this } if this == object);
    let Some(at) = proc.items.iter().position(declares).map(ItemId::new) else { return };
    let Some((region, position)) = proc.positions()[at.index()] else { return };
    if proc.objects[object].shape.len() > 1 {
        flatten(proc, object);
    }
    let shape = &proc.objects[object].shape;
    let is_one = shape.is_empty();
    let count = shape.first().and_then(|dim| dim.extent.as_deref()).cloned().unwrap_or_else(|| Expr::int(1));
    proc.objects[object].shape = vec![Dim::of(count.clone())];
    proc.objects[object].life = Life::Stable;
    proc.items[at].kind = ItemKind::Alloc { object, count, zeroed: false };
    if region == RegionId(0)
        && let Some(result) = proc.result.clone()
        && crate::ir::walk::loads(&result)
    {
        let (value, item) = define(proc, "result", result.clone(), region, at);
        proc.regions[RegionId::BODY].items.push(item);
        proc.result = Some(Expr::value(value, result.ty));
    }
    let place = proc.objects[object].first(object);
    let address = Expr::address(place);
    let name = proc.objects[object].name.clone();
    let (value, item) = define(proc, &format!("{name}_at"), address.clone(), region, at);
    proc.regions[region].items.insert(position + 1, item);
    if is_one {
        let zero = Expr::int(0);
        let definition = proc.values[value].def.clone();
        rewrite::places(proc, &mut |place| {
            if place.base == Base::Object(object) {
                let subscript = Subscript { at: zero.clone(), dim: Dim::default() };
                place.path.insert(0, Step::Index(vec![subscript]));
            }
        });
        proc.values[value].def = definition;
    }
    rename(proc, object, value, &address.ty);
    // The test of a loop may read it when its pass has ended.
    let tested = proc.regions[region].parent.is_some_and(|(_, item)| {
        let ItemKind::Loop { test, at, .. } = &proc.items[item].kind else { return false };
        *at == TestAt::After && crate::ir::walk::loads(test)
    });
    if !tested {
        let pointer = Expr::value(value, address.ty);
        let span = proc.items[at].span;
        proc.items.push(Item { kind: ItemKind::Free { pointer }, span, statement: None });
        let free = ItemId::new(proc.items.len() - 1);
        proc.regions[region].items.push(free);
    }
}

/// Refuses blocks that the memory of the caller, or a variable at file scope, leads to when a head is done: the reverse
/// sweep undoes their making, and their adjoints are nowhere to be given. A variable that each head sets before it is
/// read may keep its pointer, unless a head names it: nothing of the program follows it then.
pub fn check(flow: &Flow, heads: &[Head]) -> Result<(), Vec<Refusal>> {
    let stable = |p: ProcId, e: &Expr| {
        let grounds = flow.targets(p, e).into_iter().flat_map(|target| flow.points.grounds_of(target));
        matches!(e.ty, Type::Pointer(_)) && grounds.into_iter().any(|ground| flow.points.is_stable(ground))
    };
    let is_named = |global: GlobalId| heads.iter().any(|head| head.names(&flow.program.globals[global].name));
    let outside = |loc: &Loc| match flow.points.locs.root(*loc) {
        Root::Object(..) => false,
        Root::Global(global) => !flow.points.is_set_first(*loc) || is_named(global),
        Root::Formal(..) | Root::Cell(_) | Root::Literal | Root::Unknown => true,
    };
    let refusal = |span, what: &str| Refusal {
        class: Class::Pointer,
        span,
        what: what.into(),
        help: "keep the pointer in memory that the function has itself, or at file scope if each call sets it first"
            .into(),
    };
    let mut refusals = Vec::new();
    for (p, proc) in flow.program.procs.iter().enumerate() {
        let p = ProcId::new(p);
        for item in &proc.items {
            let ItemKind::Store { to, from } = &item.kind else { continue };
            let cells = flow.cells(p, to).into_iter().flat_map(|cell| flow.points.grounds_of(cell));
            if stable(p, from) && cells.into_iter().any(|ground| outside(&ground)) {
                refusals.push(refusal(item.span, "a block is left in memory that outlives the function's call"));
            }
        }
        if flow.heads.contains(&p) && proc.result.as_ref().is_some_and(|result| stable(p, result)) {
            refusals.push(refusal(proc.span, "the function gives its caller a block"));
        }
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Gives the address of each new block a name, by which all else calls the block.
fn addresses(proc: &mut Proc) {
    let positions = proc.positions();
    for (at, position) in proc.items.ids().zip(positions) {
        let ItemKind::Alloc { object, .. } = proc.items[at].kind else { continue };
        proc.objects[object].life = Life::Stable;
        let Some((region, position)) = position else { continue };
        let place = proc.objects[object].first(object);
        let address = Expr::address(place);
        let named = |item: ItemId| {
            let ItemKind::Let { value } = proc.items[item].kind else { return None };
            (proc.values[value].def == Def::Is(address.clone())).then_some(value)
        };
        let items = &proc.regions[region].items;
        // Items were put in front of this one since the positions were counted.
        let position = items[position..].iter().position(|item| *item == at).map_or(position, |k| position + k);
        let known = items.get(position + 1).copied().and_then(named);
        let value = known.unwrap_or_else(|| {
            let (value, item) = define(proc, "block", address.clone(), region, at);
            proc.regions[region].items.insert(position + 1, item);
            value
        });
        rename(proc, object, value, &address.ty);
    }
}

/// Reaches an object through a value that has its address, but for the definition of that value.
fn rename(proc: &mut Proc, object: ObjectId, value: ValueId, ty: &Type) {
    let pointer = Expr::value(value, ty.clone());
    let definition = proc.values[value].def.clone();
    rewrite::places(proc, &mut |place| {
        if place.base == Base::Object(object) {
            place.base = Base::At(Box::new(pointer.clone()));
        }
    });
    proc.values[value].def = definition;
}

/// Names the pointers that calls take from memory that may change, and those by which stores reach memory: the reverse
/// sweep needs them where the memory holds something else.
fn names(proc: &mut Proc, may_change: &dyn Fn(&Place) -> bool) {
    for region in 0..proc.regions.len() {
        let region = RegionId::new(region);
        let mut items = Vec::new();
        for item in std::mem::take(&mut proc.regions[region].items) {
            let mut kind = proc.items[item].kind.clone();
            let mut name = |proc: &mut Proc, expr: &mut Expr| {
                let changes = || crate::flow::walk::loads(expr).into_iter().any(may_change);
                if matches!(expr.ty, Type::Pointer(_)) && changes() {
                    let (value, new) = define(proc, "pointer", expr.clone(), region, item);
                    items.push(new);
                    *expr = Expr::value(value, expr.ty.clone());
                }
            };
            if let ItemKind::Call { callee: Callee::Proc(_), args, .. } = &mut kind {
                args.iter_mut().for_each(|arg| name(proc, arg));
            } else if let ItemKind::Store { to: Place { base: Base::At(pointer), .. }, .. } = &mut kind {
                name(proc, pointer);
            }
            proc.items[item].kind = kind;
            items.push(item);
        }
        proc.regions[region].items = items;
    }
}

/// A value with its item, which stands in no region yet. `like`: the item that it belongs to.
fn define(proc: &mut Proc, name: &str, expr: Expr, region: RegionId, like: ItemId) -> (ValueId, ItemId) {
    let Item { span, statement, .. } = proc.items[like];
    proc.vars.push(Var::new(name, expr.ty.clone(), VarKind::Temporary, span));
    let var = VarId::new(proc.vars.len() - 1);
    proc.values.push(Value { var, def: Def::Is(expr), region, span });
    let value = ValueId::new(proc.values.len() - 1);
    proc.items.push(Item { kind: ItemKind::Let { value }, span, statement });
    (value, ItemId::new(proc.items.len() - 1))
}
