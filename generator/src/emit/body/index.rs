//! Where values, variables and objects of a procedure are mentioned, found once.

use std::collections::{HashMap, HashSet};

use crate::emit::objects_of;
use crate::ir::*;

/// Mentions in a procedure.
pub(super) struct Index<'a> {
    /// Values that any item reads.
    pub(super) read: HashSet<ValueId>,
    /// How many items that stand in a region read each value.
    pub(super) readers: HashMap<ValueId, usize>,
    /// The item that defines each value by an expression.
    pub(super) lets: HashMap<ValueId, ItemId>,
    /// The items that stand in a region and name each object.
    pub(super) naming: HashMap<ObjectId, Vec<ItemId>>,
    /// Objects that an item in a region declares.
    pub(super) declared: HashSet<ObjectId>,
    /// The item that declares each variable of C.
    pub(super) declaring: HashMap<VarId, ItemId>,
    /// The user's variables by name.
    pub(super) variables: HashMap<&'a str, Vec<VarId>>,
    /// Objects that live in a region, by name.
    pub(super) locals: HashMap<&'a str, Vec<ObjectId>>,
    /// Variables that something beside the source's own statements reads where they may have no value yet.
    pub(super) unset: HashSet<VarId>,
}

impl<'a> Index<'a> {
    pub(super) fn new(proc: &'a Proc) -> Index<'a> {
        let (mut read, mut readers, mut declaring) = (HashSet::new(), HashMap::new(), HashMap::new());
        for item in (0..proc.items.len()).map(ItemId::new) {
            if let ItemKind::DeclareVar { var } = proc.items[item.index()].kind {
                declaring.entry(var).or_insert(item);
            }
            walk::values_of_item(proc, item, &mut |value| {
                read.insert(value);
            });
        }
        let (mut naming, mut declared, mut lets) = (HashMap::<_, Vec<_>>::new(), HashSet::new(), HashMap::new());
        for &item in proc.regions.iter().flat_map(|region| &region.items) {
            let mut own = HashSet::new();
            walk::values_of_item(proc, item, &mut |value| {
                own.insert(value);
            });
            own.into_iter().for_each(|value| *readers.entry(value).or_default() += 1);
            objects_of(proc, item, &mut |object| naming.entry(object).or_default().push(item));
            match proc.items[item.index()].kind {
                ItemKind::Declare { object } => {
                    declared.insert(object);
                }
                ItemKind::Let { value } => {
                    lets.insert(value, item);
                }
                _ => {}
            }
        }
        let mut variables = HashMap::<&str, Vec<VarId>>::new();
        for (at, var) in proc.vars.iter().enumerate().filter(|(_, var)| var.kind == VarKind::User) {
            variables.entry(&var.name).or_default().push(VarId::new(at));
        }
        let mut locals = HashMap::<&str, Vec<ObjectId>>::new();
        let local = |object: &&Object| matches!(object.life, Life::Region(_));
        for (at, object) in proc.objects.iter().enumerate().filter(|(_, object)| local(object)) {
            locals.entry(&object.name).or_default().push(ObjectId::new(at));
        }
        Index { read, readers, lets, naming, declared, declaring, variables, locals, unset: unset(proc) }
    }
}

fn unset(proc: &Proc) -> HashSet<VarId> {
    let mut found = HashSet::new();
    for &item in proc.regions.iter().flat_map(|region| &region.items) {
        if proc.items[item.index()].statement.is_none() {
            walk::values_of_item(proc, item, &mut |value| {
                if may_be_undefined(proc, value) {
                    found.insert(proc.values[value.index()].var);
                }
            });
        }
    }
    found
}

/// Whether a value may come from that of a variable that has none yet.
fn may_be_undefined(proc: &Proc, value: ValueId) -> bool {
    let (mut open, mut seen) = (vec![value], HashSet::new());
    while let Some(value) = open.pop() {
        let def = &proc.values[value.index()].def;
        if *def == Def::Undefined {
            return true;
        }
        if seen.insert(value) {
            open.extend(proc.merged(def).into_iter().flatten());
        }
    }
    false
}

/// Pointers that some subscript other than 0 goes with.
pub(super) fn arrays(proc: &Proc) -> HashSet<VarId> {
    let mut found = HashSet::new();
    let mut see = |place: &Place| {
        if let (Base::At(pointer), Some(Step::Index(subscripts))) = (&place.base, place.path.first())
            && let (ExprKind::Value(value), Some(first)) = (&pointer.kind, subscripts.first())
            && first.at.kind != ExprKind::Int(0)
        {
            found.insert(proc.values[value.index()].var);
        }
    };
    for item in 0..proc.items.len() {
        walk::operands(proc, ItemId::new(item), &mut |operand| {
            let mut inside = |e: &Expr| {
                if let ExprKind::Load(place) | ExprKind::Address(place) = &e.kind {
                    see(place);
                }
            };
            match operand {
                Ok(expr) => walk::expressions(expr, &mut inside),
                Err(place) => {
                    walk::in_place(place, &mut inside);
                    see(place);
                }
            }
        });
    }
    found
}
