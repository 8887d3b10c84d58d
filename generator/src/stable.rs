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

use crate::flow::{Flow, Loc, Root};
use crate::ir::*;
use crate::refuse::{Class, Refusal};

/// The program with all its blocks on the stable heap; `None` if it makes none.
pub fn blocks(program: &Program) -> Option<Program> {
    let makes = |proc: &Proc| proc.items.iter().any(|item| matches!(item.kind, ItemKind::Alloc { .. }));
    if !program.procs.iter().any(makes) {
        return None;
    }
    let mut program = program.clone();
    for proc in &mut program.procs {
        addresses(proc);
        names(proc);
    }
    Some(program)
}

/// Refuses blocks that the memory of the caller, or a variable at file scope, leads to when a head is done: the reverse
/// sweep undoes their making, and their adjoints are nowhere to be given.
pub fn check(flow: &Flow, heads: &[ProcId]) -> Result<(), Vec<Refusal>> {
    let stable = |p: ProcId, e: &Expr| {
        let grounds = flow.targets(p, e).into_iter().flat_map(|target| flow.points.grounds_of(target));
        matches!(e.ty, Type::Pointer(_)) && grounds.into_iter().any(|ground| flow.points.is_stable(ground))
    };
    let outside = |loc: &Loc| match flow.points.locs.root(*loc) {
        Root::Object(..) => false,
        Root::Formal(..) | Root::Cell(_) | Root::Global(_) | Root::Literal | Root::Unknown => true,
    };
    let refusal = |span, what: &str| Refusal {
        class: Class::Pointer,
        span,
        what: what.into(),
        help: "keep the pointer in a variable of the function".into(),
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
        if heads.contains(&p) && proc.result.as_ref().is_some_and(|result| stable(p, result)) {
            refusals.push(refusal(proc.span, "the function gives its caller a block"));
        }
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// Gives the address of each new block a name, by which all else calls the block.
fn addresses(proc: &mut Proc) {
    let positions = proc.positions();
    for (at, position) in positions.into_iter().enumerate() {
        let ItemKind::Alloc { object, .. } = proc.items[at].kind else { continue };
        proc.objects[object.index()].life = Life::Stable;
        let Some((region, position)) = position else { continue };
        let place = crate::sweep::first(&proc.objects[object.index()], object);
        let address = Expr { ty: Type::Pointer(Box::new(place.ty.clone())), kind: ExprKind::Address(place) };
        let named = |item: ItemId| match proc.items[item.index()].kind {
            ItemKind::Let { value } => (proc.values[value.index()].def == Def::Is(address.clone())).then_some(value),
            _ => None,
        };
        let items = &proc.regions[region.index()].items;
        // Items were put in front of this one since the positions were counted.
        let position = items[position..].iter().position(|item| item.index() == at).map_or(position, |k| position + k);
        let known = items.get(position + 1).copied().and_then(named);
        let value = known.unwrap_or_else(|| {
            let (value, item) = define(proc, "block", address.clone(), region, ItemId::new(at));
            proc.regions[region.index()].items.insert(position + 1, item);
            value
        });
        rename(proc, object, value, &address.ty);
    }
}

/// Reaches an object through a value that has its address, but for the definition of that value.
fn rename(proc: &mut Proc, object: ObjectId, value: ValueId, ty: &Type) {
    let pointer = Expr { kind: ExprKind::Value(value), ty: ty.clone() };
    let definition = proc.values[value.index()].def.clone();
    rewrite::places(proc, &mut |place| {
        if place.base == Base::Object(object) {
            place.base = Base::At(Box::new(pointer.clone()));
        }
    });
    proc.values[value.index()].def = definition;
}

/// Names the pointers that calls take from memory, and those by which stores reach memory: the reverse sweep needs
/// them where the memory holds something else.
fn names(proc: &mut Proc) {
    for region in 0..proc.regions.len() {
        let region = RegionId::new(region);
        let mut items = Vec::new();
        for item in std::mem::take(&mut proc.regions[region.index()].items) {
            let mut kind = proc.items[item.index()].kind.clone();
            let mut name = |proc: &mut Proc, expr: &mut Expr| {
                if matches!(expr.ty, Type::Pointer(_)) && crate::plan::walk::loads(expr) {
                    let (value, new) = define(proc, "pointer", expr.clone(), region, item);
                    items.push(new);
                    *expr = Expr { kind: ExprKind::Value(value), ty: expr.ty.clone() };
                }
            };
            match &mut kind {
                ItemKind::Call { callee: Callee::Proc(_), args, .. } => {
                    args.iter_mut().for_each(|arg| name(proc, arg));
                }
                ItemKind::Store { to: Place { base: Base::At(pointer), .. }, .. } => name(proc, pointer),
                _ => {}
            }
            proc.items[item.index()].kind = kind;
            items.push(item);
        }
        proc.regions[region.index()].items = items;
    }
}

/// A value with its item, which stands in no region yet. `like`: the item that it belongs to.
fn define(proc: &mut Proc, name: &str, expr: Expr, region: RegionId, like: ItemId) -> (ValueId, ItemId) {
    let Item { span, statement, .. } = proc.items[like.index()];
    proc.vars.push(Var { name: name.into(), ty: expr.ty.clone(), kind: VarKind::Temporary, span });
    let var = VarId::new(proc.vars.len() - 1);
    proc.values.push(Value { var, def: Def::Is(expr), region, span });
    let value = ValueId::new(proc.values.len() - 1);
    proc.items.push(Item { kind: ItemKind::Let { value }, span, statement });
    (value, ItemId::new(proc.items.len() - 1))
}
