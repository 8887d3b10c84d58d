//! Faults in sweeps.

use adtape_generate::ir::*;

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    PushDropped,
    PopsSwapped,
    WrongRecipe,
    ShadowOffByOne,
    AdditionDropped,
    /// An adjoint that was consumed is not set to 0.
    ClearDropped,
    TripsOffByOne,
    RestoreDropped,
    BranchTurned,
    BitInverted,
    /// Elements in front of a pass that runs again: the last of them is neither pushed nor popped.
    HullShortened,
    /// The same: the first is left out, one behind the last taken.
    HullMoved,
    /// What runs a pass again leaves a store out.
    StoreNotRunAgain,
    /// Snapshots of a loop lack the last element of a part.
    PartShortened,
    /// They lack a part.
    PartDropped,
    /// They lack a variable.
    VariableDropped,
    /// Passes that run again hand two variables on, each in the place of the other.
    VariablesSwapped,
    /// A pointer comes back as another one of those that it may be.
    PointersSwapped,
    /// The snapshot is kept at the end of a pass.
    SnapshotLate,
}

impl Kind {
    /// Only sweeps that run passes again have them.
    pub const OF_AGAIN: [Kind; 3] = [Kind::HullShortened, Kind::HullMoved, Kind::StoreNotRunAgain];

    /// Only sweeps of loops that run again from snapshots have them.
    pub const OF_SNAPSHOTS: [Kind; 6] = [
        Kind::PartShortened,
        Kind::PartDropped,
        Kind::VariableDropped,
        Kind::VariablesSwapped,
        Kind::PointersSwapped,
        Kind::SnapshotLate,
    ];

    /// Sweeps have more of them than there is time for: one of so many is tried.
    pub fn step(self) -> usize {
        if matches!(self, Kind::ShadowOffByOne | Kind::AdditionDropped | Kind::ClearDropped) { 3 } else { 1 }
    }

    pub const ALL: [Kind; 19] = [
        Kind::PushDropped,
        Kind::PopsSwapped,
        Kind::WrongRecipe,
        Kind::ShadowOffByOne,
        Kind::AdditionDropped,
        Kind::ClearDropped,
        Kind::TripsOffByOne,
        Kind::RestoreDropped,
        Kind::BranchTurned,
        Kind::BitInverted,
        Kind::HullShortened,
        Kind::HullMoved,
        Kind::StoreNotRunAgain,
        Kind::PartShortened,
        Kind::PartDropped,
        Kind::VariableDropped,
        Kind::VariablesSwapped,
        Kind::PointersSwapped,
        Kind::SnapshotLate,
    ];
}

/// Its pointers are read by any index.
pub const TABLE: &str = "generator/tests/programs/table_of_pointers.c";
/// Its state lies behind pointers in a struct, which functions read.
pub const STATE: &str = "generator/tests/checkpoint/state_behind_pointers.c";
/// Procedures with adjoints of copies are "not proved" where others are refused.
pub const STRUCTS: &str = "generator/tests/programs/structs_by_value.c";

/// Mutants that mean what the sweeps mean: program, kind, number, reason.
pub const EQUIVALENT: [(&str, Kind, usize, &str); 13] = [
    (STATE, Kind::StoreNotRunAgain, 0, "the pointer to what the caller passes comes back with the struct"),
    (STATE, Kind::StoreNotRunAgain, 1, "the pointer to what the caller passes comes back with the struct"),
    (TABLE, Kind::StoreNotRunAgain, 0, "the pointer to what the caller passes comes back with the table"),
    (TABLE, Kind::StoreNotRunAgain, 1, "the pointer to what the caller passes comes back with the table"),
    ("generator/tests/edge/runs.c", Kind::ClearDropped, 0, "in a loop that never runs"),
    (STRUCTS, Kind::RestoreDropped, 0, "the callee does not read its argument"),
    (STRUCTS, Kind::RestoreDropped, 1, "the callee does not read its argument"),
    (STRUCTS, Kind::StoreNotRunAgain, 0, "the callee does not read its argument"),
    ("generator/tests/edge/runs.c", Kind::TripsOffByOne, 2, "a loop from n to n - 2 runs in neither sweep"),
    ("generator/tests/edge/runs.c", Kind::TripsOffByOne, 3, "a loop from n to n - 2 runs in neither sweep"),
    ("generator/tests/edge/runs.c", Kind::WrongRecipe, 1, "in a loop that never runs"),
    ("generator/tests/edge/runs.c", Kind::WrongRecipe, 2, "in a loop that never runs"),
    ("generator/tests/edge/runs.c", Kind::ShadowOffByOne, 1, "in a loop that never runs"),
];

/// Makes the fault with number `at` of a kind; what it is. `None`: there are no more.
pub fn mutate(kind: Kind, at: usize, forward: &mut Proc, reverse: &mut Proc) -> Option<String> {
    match kind {
        Kind::PushDropped => {
            let push = nth(forward, at, |item| matches!(item.kind, ItemKind::Sweep(SweepItem::Push { .. })))?;
            drop(forward, push);
            Some(format!("push {push:?}"))
        }
        Kind::PopsSwapped => {
            let mut all = Vec::new();
            for (region, items) in reverse.regions.by_id() {
                let is_pop =
                    |k: &usize| matches!(reverse.items[items.items[*k]].kind, ItemKind::Sweep(SweepItem::Pop { .. }));
                let pops: Vec<usize> = (0..items.items.len()).filter(is_pop).collect();
                all.extend(pops.windows(2).map(|pair| (region, pair[0], pair[1])));
            }
            let (region, k, l) = *all.get(at)?;
            reverse.regions[region].items.swap(k, l);
            Some(format!("pops {k} and {l} of {region:?}"))
        }
        Kind::WrongRecipe => {
            let is_recipe = |item: &Item| match item.kind {
                ItemKind::Let { value } => reverse.vars[reverse.values[value].var].ty.is_integer(),
                _ => false,
            };
            let recipe = nth(reverse, at, is_recipe)?;
            let ItemKind::Let { value } = reverse.items[recipe].kind else { return None };
            let Def::Is(expr) = &mut reverse.values[value].def else { return None };
            *expr = plus_one(expr);
            Some(format!("recipe of {value:?}"))
        }
        Kind::ShadowOffByOne => {
            let is_shadow = |item: &Item| match &item.kind {
                ItemKind::Sweep(SweepItem::Accumulate { to, .. }) | ItemKind::Store { to, .. } => {
                    matches!(to.ty, Type::Float { .. }) && matches!(to.path.last(), Some(Step::Index(_)))
                }
                _ => false,
            };
            let shadow = nth(reverse, at, is_shadow)?;
            if let ItemKind::Sweep(SweepItem::Accumulate { to, .. }) | ItemKind::Store { to, .. } =
                &mut reverse.items[shadow].kind
                && let Some(Step::Index(subscripts)) = to.path.last_mut()
                && let Some(subscript) = subscripts.last_mut()
            {
                subscript.at = plus_one(&subscript.at);
            }
            Some(format!("shadow in {shadow:?}"))
        }
        Kind::AdditionDropped => {
            let addition = nth(reverse, at, |item| matches!(item.kind, ItemKind::Sweep(SweepItem::Accumulate { .. })))?;
            let ItemKind::Sweep(SweepItem::Accumulate { to, from }) = &reverse.items[addition].kind else {
                return None;
            };
            let program = Program::default();
            let what =
                format!("addition {} += {}", print::place(&program, reverse, to), print::expr(&program, reverse, from));
            drop(reverse, addition);
            Some(what)
        }
        Kind::ClearDropped => {
            // What is consumed last need not be 0.
            let order = in_order(reverse);
            let base = |item: &ItemId| match &reverse.items[*item].kind {
                ItemKind::Store { to, .. } | ItemKind::Sweep(SweepItem::Accumulate { to, .. }) => Some(to.base.clone()),
                _ => None,
            };
            let clears = |k: &usize| match &reverse.items[order[*k]].kind {
                ItemKind::Store { to, from: Expr { kind: ExprKind::Float(_), .. } } => {
                    let later = order[k + 1..].iter().any(|later| base(later).as_ref() == Some(&to.base));
                    is_adjoint(reverse, &to.base) && later
                }
                _ => false,
            };
            let clear = order[(0..order.len()).filter(clears).nth(at)?];
            let what = print::item(&Program::default(), reverse, clear);
            drop(reverse, clear);
            Some(what)
        }
        Kind::TripsOffByOne => {
            let repeats = nth(reverse, at / 2, |item| matches!(item.kind, ItemKind::Loop { .. }))?;
            if let ItemKind::Loop { test, .. } = &mut reverse.items[repeats].kind
                && let ExprKind::Binary(_, left, right) = &mut test.kind
            {
                let side = if at.is_multiple_of(2) { left } else { right };
                **side = plus_one(side);
            }
            Some(format!("test of {repeats:?}"))
        }
        Kind::HullShortened => hull_changed(at, forward, reverse, &|_, count| {
            let one = Expr::constant(1, count.ty.clone());
            let less = ExprKind::Binary(Binary::Subtract, Box::new(count.clone()), Box::new(one));
            *count = Expr { kind: less, ty: count.ty.clone() };
        }),
        Kind::HullMoved => hull_changed(at, forward, reverse, &|place, _| {
            if let Some(Step::Index(subscripts)) = place.path.last_mut()
                && let Some(subscript) = subscripts.last_mut()
            {
                subscript.at = plus_one(&subscript.at);
            }
        }),
        Kind::StoreNotRunAgain => {
            let primal = |item: &Item| match &item.kind {
                ItemKind::Store { to: Place { base, .. }, .. } => !is_adjoint(reverse, base),
                _ => false,
            };
            let store = nth(reverse, at, primal)?;
            drop(reverse, store);
            Some(format!("store {store:?}"))
        }
        Kind::PartShortened => {
            snapshots_changed(at, forward, reverse, &|snapshot| snapshot.memory.len(), &|snapshot, k| {
                let count = &mut snapshot.memory[k].1;
                let one = Expr::constant(1, count.ty.clone());
                let less = ExprKind::Binary(Binary::Subtract, Box::new(count.clone()), Box::new(one));
                *count = Expr { kind: less, ty: count.ty.clone() };
            })
        }
        Kind::PartDropped => {
            snapshots_changed(at, forward, reverse, &|snapshot| snapshot.memory.len(), &|snapshot, k| {
                snapshot.memory.remove(k);
            })
        }
        Kind::VariableDropped => {
            snapshots_changed(at, forward, reverse, &|snapshot| snapshot.from.len(), &|snapshot, k| {
                if snapshot.at != SnapshotAt::First {
                    snapshot.from.remove(k);
                }
                if !snapshot.to.is_empty() {
                    snapshot.to.remove(k);
                }
                snapshot.among.remove(k);
            })
        }
        Kind::PointersSwapped => {
            let count = |snapshot: &Snapshot| snapshot.among.iter().filter(|among| among.len() > 1).count();
            snapshots_changed(at, forward, reverse, &count, &|snapshot, k| {
                let mut pointers = snapshot.among.iter_mut().filter(|among| among.len() > 1);
                if snapshot.at == SnapshotAt::First
                    && let Some(among) = pointers.nth(k)
                {
                    among.swap(0, 1);
                }
            })
        }
        Kind::VariablesSwapped => {
            let pairs = |snapshot: &Snapshot| snapshot.from.windows(2).filter(|pair| pair[0].ty == pair[1].ty).count();
            snapshots_changed(at, forward, reverse, &pairs, &|snapshot, k| {
                let mut pairs = (0..snapshot.from.len().saturating_sub(1))
                    .filter(|first| snapshot.from[*first].ty == snapshot.from[first + 1].ty);
                if snapshot.at == SnapshotAt::Next
                    && let Some(first) = pairs.nth(k)
                {
                    snapshot.from.swap(first, first + 1);
                }
            })
        }
        Kind::SnapshotLate => {
            let snapshot = nth(forward, at, |item| matches!(item.kind, ItemKind::Sweep(SweepItem::Snapshot(_))))?;
            for region in &mut forward.regions {
                if let Some(k) = region.items.iter().position(|item| *item == snapshot) {
                    let snapshot = region.items.remove(k);
                    region.items.push(snapshot);
                }
            }
            Some(format!("snapshot {snapshot:?}"))
        }
        Kind::RestoreDropped => restore_dropped(at, forward, reverse),
        Kind::BranchTurned => {
            let branch = nth(reverse, at, |item| matches!(item.kind, ItemKind::Branch { .. }))?;
            if let ItemKind::Branch { on, .. } = &mut reverse.items[branch].kind {
                let int = Type::int();
                *on = Expr::unary(Unary::Not, on.clone(), int);
            }
            Some(format!("branch {branch:?}"))
        }
        Kind::BitInverted => {
            let bits =
                |item: &Item| matches!(item.kind, ItemKind::Sweep(SweepItem::Push { what: Pushed::Bits { .. } }));
            let push = nth(forward, at, bits)?;
            if let ItemKind::Sweep(SweepItem::Push { what: Pushed::Bits { value, .. } }) = &mut forward.items[push].kind
            {
                *value = Expr::unary(Unary::Not, value.clone(), value.ty.clone());
            }
            Some(format!("bit {push:?}"))
        }
    }
}

/// Whether a place of a reverse sweep is in memory of adjoints: by its name.
fn is_adjoint(reverse: &Proc, base: &Base) -> bool {
    let is_named = |name: &str| name.ends_with("_b") || name.contains("_b_");
    match base {
        Base::Object(object) => is_named(&reverse.objects[*object].name),
        Base::Global(_) => false,
        Base::At(pointer) => match &pointer.kind {
            ExprKind::Value(value) => is_named(&reverse.vars[reverse.values[*value].var].name),
            ExprKind::Address(place) => is_adjoint(reverse, &place.base),
            _ => false,
        },
    }
}

/// Changes which elements are pushed at the beginning of a pass, and the pop of them alike.
fn hull_changed(
    at: usize,
    forward: &mut Proc,
    reverse: &mut Proc,
    change: &dyn Fn(&mut Place, &mut Expr),
) -> Option<String> {
    let bodies = |proc: &Proc| -> Vec<RegionId> {
        let all = in_order(proc).into_iter().filter_map(|item| match proc.items[item].kind {
            ItemKind::Loop { body, .. } => Some(body),
            _ => None,
        });
        all.collect()
    };
    let first = |proc: &Proc, body: &RegionId, wanted: &dyn Fn(&ItemKind) -> bool| -> Vec<ItemId> {
        let items = proc.regions[*body].items.iter().copied();
        items.filter(|item| wanted(&proc.items[*item].kind)).collect()
    };
    let pushes: Vec<ItemId> = bodies(forward)
        .iter()
        .flat_map(|body| {
            let items = &forward.regions[*body].items;
            let is_hull = |item: &&ItemId| {
                matches!(forward.items[**item].kind, ItemKind::Sweep(SweepItem::Push { what: Pushed::Elements { .. } }))
            };
            items.iter().take_while(is_hull).copied().collect::<Vec<_>>()
        })
        .collect();
    let push = *pushes.get(at)?;
    let ItemKind::Sweep(SweepItem::Push { what: Pushed::Elements { place, .. } }) = &forward.items[push].kind else {
        return None;
    };
    // The pop of a place with this text; each hull of these programs has its own.
    let name = print::place(&Program::default(), forward, place);
    let pop = bodies(reverse).iter().find_map(|body| {
        first(reverse, body, &|kind| matches!(kind, ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { .. } })))
            .into_iter()
            .find(|pop| match &reverse.items[*pop].kind {
                ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { place, .. } }) => {
                    stem(&print::place(&Program::default(), reverse, place)) == stem(&name)
                }
                _ => false,
            })
    })?;
    if let ItemKind::Sweep(SweepItem::Push { what: Pushed::Elements { place, count } }) = &mut forward.items[push].kind
    {
        change(place, count);
    }
    if let ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { place, count } }) = &mut reverse.items[pop].kind {
        change(place, count);
    }
    Some(format!("hull {name}"))
}

/// Changes all snapshots of a loop alike: `at` counts what the forward sweep's have of it.
fn snapshots_changed(
    at: usize,
    forward: &mut Proc,
    reverse: &mut Proc,
    count: &dyn Fn(&Snapshot) -> usize,
    change: &dyn Fn(&mut Snapshot, usize),
) -> Option<String> {
    let of = |proc: &Proc, wanted: &dyn Fn(&SnapshotAt) -> bool| -> Vec<ItemId> {
        let is = |item: &ItemId| matches!(&proc.items[*item].kind, ItemKind::Sweep(SweepItem::Snapshot(it)) if wanted(&it.at));
        in_order(proc).into_iter().filter(is).collect()
    };
    let heads = of(forward, &|_| true);
    // The reverse sweep has the last loop first.
    let mut firsts = of(reverse, &|at| *at == SnapshotAt::First);
    let mut nexts = of(reverse, &|at| *at == SnapshotAt::Next);
    firsts.reverse();
    nexts.reverse();
    let mut left = at;
    for (k, head) in heads.into_iter().enumerate() {
        let ItemKind::Sweep(SweepItem::Snapshot(snapshot)) = &mut forward.items[head].kind else { continue };
        let here = count(snapshot);
        if left >= here {
            left -= here;
            continue;
        }
        change(snapshot, left);
        for item in [firsts[k], nexts[k]] {
            if let ItemKind::Sweep(SweepItem::Snapshot(snapshot)) = &mut reverse.items[item].kind {
                change(snapshot, left);
            }
        }
        return Some(format!("part {left} of snapshot {head:?}"));
    }
    None
}

/// What a place begins with.
fn stem(text: &str) -> &str {
    text.split(['.', '[', '\'']).next().unwrap_or(text)
}

/// Memory that is neither pushed nor popped: the push and the pop stand for each other by place and order.
fn restore_dropped(at: usize, forward: &mut Proc, reverse: &mut Proc) -> Option<String> {
    let restores = |item: &Item| {
        matches!(item.kind, ItemKind::Sweep(SweepItem::Pop { what: Popped::Memory(_) | Popped::Elements { .. } }))
    };
    let pops: Vec<ItemId> = in_order(reverse).into_iter().filter(|item| restores(&reverse.items[*item])).collect();
    let stores = |item: &Item| {
        matches!(
            &item.kind,
            ItemKind::Sweep(SweepItem::Push {
                what: Pushed::Value(Expr { kind: ExprKind::Load(_), .. }) | Pushed::Elements { .. }
            })
        )
    };
    let mut pushes: Vec<ItemId> = in_order(forward).into_iter().filter(|item| stores(&forward.items[*item])).collect();
    pushes.reverse();
    let pop = *pops.get(at)?;
    // Arms of a branch come in another order: push and pop are then of two places, which is a fault, too.
    let push = *pushes.get(at)?;
    drop(reverse, pop);
    drop(forward, push);
    Some(format!("pop {pop:?}, push {push:?}"))
}

fn plus_one(expr: &Expr) -> Expr {
    let one = Expr::constant(1, expr.ty.clone());
    Expr::binary(Binary::Add, expr.clone(), one, expr.ty.clone())
}

/// The items of a procedure in the order of its text.
fn in_order(proc: &Proc) -> Vec<ItemId> {
    fn region(proc: &Proc, at: RegionId, all: &mut Vec<ItemId>) {
        for &item in &proc.regions[at].items {
            all.push(item);
            match &proc.items[item].kind {
                ItemKind::Branch { then, otherwise, .. } => {
                    region(proc, *then, all);
                    region(proc, *otherwise, all);
                }
                ItemKind::Loop { body, .. } => region(proc, *body, all),
                _ => {}
            }
        }
    }
    let mut all = Vec::new();
    region(proc, RegionId(0), &mut all);
    all
}

fn nth(proc: &Proc, at: usize, is: impl Fn(&Item) -> bool) -> Option<ItemId> {
    in_order(proc).into_iter().filter(|item| is(&proc.items[*item])).nth(at)
}

fn drop(proc: &mut Proc, item: ItemId) {
    proc.regions.iter_mut().for_each(|region| region.items.retain(|other| *other != item));
}
