//! Functions that make or free memory for their callers, written where they are called; and blocks that are allocated
//! where the one before them could be.
//!
//! ```text
//!   struct work *w = work_new(n);          work w;  w_a = malloc(n * sizeof(double));
//!   w->a[0] = x;                    ──►    w_a[0] = x;
//!   work_free(w);                          free(w_a);
//! ```
//!
//! A block that outlives the function that allocates it has no place where the reverse sweep could make it again. So
//! such functions are written into their callers ([`splice`]), tests whether there was memory are decided ([`fold`]), and
//! structs of which all accesses are known then become variables ([`members`], [`apart`]). What the program does stays the
//! same, but for one thing: where there is no memory, the generated functions stop with a message.
//!
//! More ways to write a program anew: [`held`](mod@held), for pointers that move in memory, [`handed`], for pointers that a
//! loop hands on, and [`arguments`], for structs that are passed from memory which the call overwrites.
//!
//! Nobody does this to a program that has sweeps without it. Small functions with structs are written out in all
//! programs ([`by_value`]).

mod apart;
mod arguments;
mod fold;
mod handed;
mod held;
mod members;
mod small;
mod splice;
mod statics;
mod target;

pub use arguments::copied;
pub use fold::decide;
pub use handed::by_index;
pub use held::held;
pub use small::by_value;

use crate::flow::walk;
use crate::flow::{Flow, Head, Root};
use crate::ir::*;

/// The program without calls of functions that make or free memory for others; `None` if there is nothing to win.
pub fn constructors(program: &Program, heads: &[Head]) -> Option<Program> {
    let flow = Flow::analyse(program, heads).ok()?;
    let gives = |p: ProcId| statics::returns(program, &program.procs[p]);
    let makes = |p: ProcId| gives_away(&flow, p) || allocates_on_condition(&program.procs[p]) || gives(p);
    let given = program.procs.ids().filter(|p| gives(*p));
    let may = given.clone().all(|p| statics::may_be_copied(&flow, p));
    let opens = |proc: &Proc| splice::gives_away(proc) || may && statics::returns(program, proc);
    let mut written = without(program, heads, &makes, &opens, may)?;
    statics::declare(&mut written, heads).then_some(written)
}

/// The program without calls of functions that store pointers in memory of their callers, `*out = c ? a : b`; `None` if
/// there is nothing to win.
pub fn setters(program: &Program, heads: &[Head]) -> Option<Program> {
    without(program, heads, &|p| sets_pointers(&program.procs[p]), &sets_pointers, false)
}

/// The program without calls of functions that take a pointer of no type, and by an integer what it leads to: `check(y,
/// "y", 0)`; `None` if there is nothing to win. Where the integer is a constant, the branches on it are decided.
pub fn untyped(program: &Program, heads: &[Head]) -> Option<Program> {
    let takes = |proc: &Proc| {
        let has = |is: &dyn Fn(&Type) -> bool| proc.params.iter().any(|param| is(&param.ty));
        let is_head = heads.iter().any(|head| head.proc == proc.name);
        let is_untyped = |ty: &Type| matches!(ty, Type::Pointer(to) if **to == Type::Void);
        !is_head && has(&is_untyped) && has(&|ty| matches!(ty, Type::Int { .. }))
    };
    without(program, heads, &|p| takes(&program.procs[p]), &takes, false)
}

/// The program without calls of procedures for which `opens` holds once the calls in them are written out; `makes` says
/// where to begin; `constants`: see [`splice::call`].
fn without(
    program: &Program,
    heads: &[Head],
    makes: &dyn Fn(ProcId) -> bool,
    opens: &dyn Fn(&Proc) -> bool,
    constants: bool,
) -> Option<Program> {
    let recursive = walk::recursive(program);
    let mut program = program.clone();
    let (mut open, mut touched) = (vec![false; program.procs.len()], Vec::new());
    let order = walk::callees_first(&program);
    for p in order {
        if recursive[p.index()] {
            continue;
        }
        let mut proc = program.procs[p].clone();
        let calls_open = || walk::calls(&proc).iter().any(|(_, callee)| open[callee.index()]);
        if !makes(p) && !calls_open() && members::callees(&program, &proc).is_empty() {
            continue;
        }
        dissolve(&program, &mut proc, &|callee| !recursive[callee.index()], &open, constants)?;
        // A procedure with a variable that may hold one of several functions stays as it is.
        if !splice::name_functions(&mut proc) {
            continue;
        }
        splice::tidy(&mut proc);
        open[p.index()] = opens(&proc);
        program.procs[p] = proc;
        touched.push(p);
    }
    if touched.is_empty() {
        return None;
    }
    let is_head = |proc: &Proc| heads.iter().any(|head| head.proc == proc.name);
    if program.procs.iter().zip(&open).any(|(proc, open)| *open && is_head(proc)) {
        return None;
    }
    splice::hollow_unreached(&mut program, heads);
    touched.into_iter().for_each(|p| splice::check_blocks(&mut program.procs[p]));
    validate::program(&program).is_ok().then_some(program)
}

/// The program without tests whether there was memory for a block; `None` if it has none.
pub fn without_tests(program: &Program) -> Option<Program> {
    let (mut program, mut any) = (program.clone(), false);
    for proc in &mut program.procs {
        if fold::branches(proc) {
            splice::tidy(proc);
            any = true;
        }
    }
    (any && validate::program(&program).is_ok()).then_some(program)
}

/// Whether a procedure makes a block that others see, or frees one of others, or keeps one in memory.
fn gives_away(flow: &Flow, p: ProcId) -> bool {
    let proc = &flow.program.procs[p];
    let own = |loc: &crate::flow::Loc| matches!(flow.points.locs.root(*loc), Root::Object(owner, _) if owner == p);
    let escapes = |object: ObjectId| {
        let heap = proc.objects[object].life == Life::Heap;
        let top = flow.points.locs.find(Root::Object(p, object));
        heap && top.is_some_and(|top| flow.points.escapes(top))
    };
    let foreign =
        |item: &Item| matches!(&item.kind, ItemKind::Free { pointer } if !flow.targets(p, pointer).iter().all(own));
    proc.objects.ids().any(escapes) || proc.items.iter().any(foreign)
}

/// Whether a procedure stores a pointer where a parameter leads.
fn sets_pointers(proc: &Proc) -> bool {
    let is_entry = |pointer: &Expr| match &pointer.kind {
        ExprKind::Value(value) => matches!(proc.values[*value].def, Def::Entry(_)),
        _ => false,
    };
    proc.items.iter().any(|item| {
        let ItemKind::Store { to: Place { base: Base::At(pointer), ty: Type::Pointer(_), .. }, .. } = &item.kind else {
            return false;
        };
        is_entry(pointer)
    })
}

/// Whether a branch allocates something: `if (!a) goto failed; b = malloc(...)` does, if `b` is used behind `failed`.
fn allocates_on_condition(proc: &Proc) -> bool {
    proc.regions.iter().any(|region| {
        let is_arm = region.parent.is_some_and(|(_, item)| matches!(proc.items[item].kind, ItemKind::Branch { .. }));
        is_arm && region.items.iter().any(|item| matches!(proc.items[*item].kind, ItemKind::Alloc { .. }))
    })
}

/// Writes calls of such procedures into a procedure, and takes structs apart, until nothing changes; `None` if it grows
/// too large.
fn dissolve(
    program: &Program,
    proc: &mut Proc,
    may: &dyn Fn(ProcId) -> bool,
    open: &[bool],
    constants: bool,
) -> Option<()> {
    loop {
        let mut changed = false;
        let mut wanted: Vec<ItemId> = members::callees(program, proc);
        wanted.extend(walk::calls(proc).into_iter().filter(|(_, callee)| open[callee.index()]).map(|(item, _)| item));
        wanted.sort();
        wanted.dedup();
        for item in wanted {
            let ItemKind::Call { callee: Callee::Proc(callee), .. } = proc.items[item].kind else { continue };
            if may(callee) {
                changed |= splice::call(program, proc, item, callee, constants);
            }
            if proc.items.len() > splice::LARGEST {
                return None;
            }
        }
        splice::name_functions(proc);
        changed |= fold::branches(proc);
        changed |= members::take_apart(program, proc);
        if !changed {
            return Some(());
        }
    }
}
