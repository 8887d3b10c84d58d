//! Pointers that a loop hands on from pass to pass, found by its index.
//!
//! ```text
//!   h = x;                                            for (i = 0; i < n; i++) {
//!   for (i = 0; i < n; i++) {                             const double *h = i == 0 ? x : net[i - 1].z;
//!       forward(&net[i], h);                  ──►         forward(&net[i], h);
//!       h = net[i].z;                                 }
//!   }                                                 h = n == 0 ? x : net[n - 1].z;
//! ```
//!
//! What a pass hands on must follow from the index, from values in front of the loop, and from memory that the loop does
//! not write. The index moves by a constant and does not wrap, so it has its first value in the first pass only.

use std::collections::BTreeSet;

use super::splice;
use crate::flow::{Flow, Head, walk};
use crate::ir::*;

/// Definitions that are followed.
const DEPTH: u32 = 16;

/// Pointers of one program that are found so: no more than these.
const MOST: usize = 16;

/// The program in which such pointers are found by the indices of their loops; `None` if there are none.
pub fn by_index(program: &Program, heads: &[Head]) -> Option<Program> {
    let mut found = program.clone();
    for count in 0..MOST {
        let flow = Flow::analyse(&found, heads).ok()?;
        let Some((p, handed)) = found.procs.ids().find_map(|p| {
            let items = walk::items(&found.procs[p], RegionId(0)).into_iter();
            Some((p, items.into_iter().find_map(|item| Handed::find(&flow, p, item))?))
        }) else {
            return (count > 0 && validate::program(&found).is_ok()).then_some(found);
        };
        let proc = &mut found.procs[p];
        handed.replace(proc);
        splice::tidy(proc);
    }
    None
}

/// A pointer that a loop hands on.
struct Handed {
    item: ItemId,
    body: RegionId,
    /// The position of the pointer among what the loop carries.
    slot: usize,
    pointer: Carried,
    index: Carried,
    /// What the index moves by.
    step: i128,
    /// What a pass hands on, by the head of the index.
    end: Expr,
}

impl Handed {
    fn find(flow: &Flow, p: ProcId, item: ItemId) -> Option<Handed> {
        let proc = &flow.program.procs[p];
        let ItemKind::Loop { test, body, carried, .. } = &proc.items[item].kind else { return None };
        let (index, step) = carried.iter().find_map(|index| Some((index, step(proc, index)?)))?;
        let mut tested = BTreeSet::new();
        crate::ir::walk::values(test, &mut |value| {
            tested.insert(value);
        });
        let memory = |pointer: &Carried| proc.vars[pointer.var].ty.leads_to_memory();
        let mut pointers = carried.iter().enumerate().filter(|(_, pointer)| memory(pointer));
        pointers.find_map(|(slot, pointer)| {
            let end = expanded(flow.program, proc, *body, pointer.end, index.head, DEPTH)?;
            let written = flow.writes(p, *body);
            let is_written = |place: &Place| flow.may_be_in(p, place, written);
            let fits = !tested.contains(&pointer.head) && !walk::loads(&end).into_iter().any(is_written);
            let (pointer, index) = (pointer.clone(), index.clone());
            fits.then_some(Handed { item, body: *body, slot, pointer, index, step, end })
        })
    }

    /// Puts what is found by the index in the place of what the loop carries.
    fn replace(self, proc: &mut Proc) {
        let Item { span, .. } = proc.items[self.item];
        let Some((region, _)) = proc.positions()[self.item.index()] else { return };
        let inside = self.value(proc, self.index.head, self.body, span);
        proc.regions[self.body].items.insert(0, inside.1);
        let behind = self.value(proc, self.index.out, region, span);
        let items = &mut proc.regions[region].items;
        let at = items.iter().position(|item| *item == self.item).map_or(items.len(), |at| at + 1);
        items.insert(at, behind.1);
        if let ItemKind::Loop { carried, .. } = &mut proc.items[self.item].kind {
            carried.remove(self.slot);
        }
        for gone in [self.pointer.head, self.pointer.out] {
            proc.values[gone].def = Def::Undefined;
        }
        rewrite::values(proc, &mut |value| {
            if *value == self.pointer.head {
                *value = inside.0;
            } else if *value == self.pointer.out {
                *value = behind.0;
            }
        });
    }

    /// The pointer where the index has this value, with the item that defines it.
    fn value(&self, proc: &mut Proc, index: ValueId, region: RegionId, span: Span) -> (ValueId, ItemId) {
        let ty = proc.vars[self.index.var].ty.clone();
        let of = |value| Expr::value(value, ty.clone());
        let two = |op, x, y, ty| Expr::binary(op, x, y, ty);
        let step = Expr::constant(self.step, ty.clone());
        let before = two(Binary::Subtract, of(index), step, ty.clone());
        let end = crate::ir::walk::replace(&self.end, &mut |value| (value == self.index.head).then(|| before.clone()));
        let is_first = two(Binary::Equal, of(index), of(self.index.init), Type::int());
        let Var { name, ty, .. } = proc.vars[self.pointer.var].clone();
        let init = Expr::value(self.pointer.init, ty.clone());
        let kind = ExprKind::Select(Box::new(is_first), Box::new(init), Box::new(end));
        let name = splice::unique(proc, &name);
        proc.vars.push(Var::new(name, ty.clone(), VarKind::Temporary, span));
        let var = VarId::new(proc.vars.len() - 1);
        proc.values.push(Value { var, def: Def::Is(Expr { kind, ty }), region, span });
        let value = ValueId::new(proc.values.len() - 1);
        (value, splice::add(proc, ItemKind::Let { value }, span))
    }
}

/// The constant by which a loop moves a variable in each pass, if it cannot come back to its first value.
fn step(proc: &Proc, index: &Carried) -> Option<i128> {
    let Type::Int { bits, signed, .. } = proc.vars[index.var].ty else { return None };
    let Def::Is(Expr { kind: ExprKind::Binary(op, head, by), .. }) = &proc.values[index.end].def else {
        return None;
    };
    let (ExprKind::Value(head), ExprKind::Int(by)) = (&head.kind, &by.kind) else { return None };
    let step = match op {
        Binary::Add => *by,
        Binary::Subtract => -by,
        _ => return None,
    };
    (*head == index.head && step != 0 && bits >= 32 && (signed || bits == 64)).then_some(step)
}

/// A value in terms of the index and of values in front of the loop.
fn expanded(
    program: &Program,
    proc: &Proc,
    body: RegionId,
    value: ValueId,
    index: ValueId,
    depth: u32,
) -> Option<Expr> {
    let depth = depth.checked_sub(1)?;
    let this = &proc.values[value];
    if value == index || !walk::contains(proc, body, this.region) {
        let ty = proc.vars[this.var].ty.clone();
        return Some(Expr::value(value, ty));
    }
    let e = match &this.def {
        Def::Is(e) => e.clone(),
        Def::Result(call) => returned(program, &proc.items[*call])?,
        _ => return None,
    };
    let mut all = this.region == body;
    let e = crate::ir::walk::replace(&e, &mut |value| {
        let inner = expanded(program, proc, body, value, index, depth);
        all &= inner.is_some();
        inner
    });
    all.then_some(e)
}

/// The result of a call in terms of its arguments and of memory that the caller can name, too.
fn returned(program: &Program, call: &Item) -> Option<Expr> {
    let ItemKind::Call { callee: Callee::Proc(callee), args, .. } = &call.kind else { return None };
    let callee = &program.procs[*callee];
    in_caller(callee, callee.result.as_ref()?, args, DEPTH)
}

fn in_caller(callee: &Proc, e: &Expr, args: &[Expr], depth: u32) -> Option<Expr> {
    let depth = depth.checked_sub(1)?;
    let mut all = true;
    walk::expr(e, &mut |part| {
        if let ExprKind::Load(place) | ExprKind::Address(place) = &part.kind {
            all &= !matches!(place.base, Base::Object(_));
        }
    });
    let e = crate::ir::walk::replace(e, &mut |value| {
        let this = &callee.values[value];
        let inner = match &this.def {
            Def::Entry(k) => args.get(*k as usize).filter(|arg| arg.ty == callee.vars[this.var].ty).cloned(),
            Def::Is(e) => in_caller(callee, e, args, depth),
            _ => None,
        };
        all &= inner.is_some();
        inner
    });
    all.then_some(e)
}
