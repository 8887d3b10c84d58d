//! Where the parts of the sweep come from: for whoever reads the sweep without the plan.

use std::collections::{BTreeMap, HashMap};

use super::Builder;
use crate::ir::{ItemId, ObjectId, ValueId, VarId};
use crate::sweep::tidy;

/// Where the parts of a reverse sweep come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// By item: the item of the primal that it reverses.
    pub items: Vec<Option<ItemId>>,
    /// By object: what it stands for.
    pub objects: Vec<Origin>,
    /// What runs passes again.
    pub copies: Copies,
}

/// The parts of a reverse sweep that run passes of loops again.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// By item: the item of the primal; `None` for what only the copy has, as pushes.
    pub items: BTreeMap<ItemId, Option<ItemId>>,
    /// By value, with those that the copy reads from around it: the value of the primal.
    pub values: HashMap<ValueId, ValueId>,
    /// Objects of the copy alone, with those of the primal.
    pub objects: Vec<(ObjectId, ObjectId)>,
}

/// What an object of a reverse sweep stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// An object of the primal, made again.
    Primal(ObjectId),
    /// The shadow of an object of the primal.
    Shadow(ObjectId),
    /// The adjoint of a variable.
    Variable(VarId),
    /// Nothing of the primal.
    #[default]
    Own,
}

impl Builder<'_> {
    /// Drops what is not used, and says where the rest comes from.
    pub(super) fn compact(&mut self) -> Origins {
        let mut of = vec![Origin::Own; self.out.objects.len()];
        (0..self.primal.objects.len()).for_each(|at| of[at] = Origin::Primal(ObjectId::new(at)));
        self.shadows.iter().for_each(|(object, shadow)| of[shadow.index()] = Origin::Shadow(*object));
        self.adjoints.iter().for_each(|(var, object)| of[object.index()] = Origin::Variable(*var));
        self.copies.objects.iter().for_each(|(own, object)| of[own.index()] = Origin::Primal(*object));
        let [items, objects, values] = tidy::compact(&mut self.out);
        let mut origins = Origins {
            items: vec![None; self.out.items.len()],
            objects: vec![Origin::Own; self.out.objects.len()],
            copies: Copies::default(),
        };
        let copies = self.copies.items.iter();
        let kept = copies.filter_map(|(item, origin)| Some((ItemId(items[item.index()]?), *origin)));
        origins.copies.items = kept.collect();
        let copies = self.copies.values.iter();
        let kept = copies.filter_map(|(value, origin)| Some((ValueId(values[value.index()]?), *origin)));
        origins.copies.values = kept.collect();
        for (new, origin) in items.iter().zip(&self.origins) {
            new.iter().for_each(|new| origins.items[*new as usize] = *origin);
        }
        for (new, origin) in objects.iter().zip(of) {
            new.iter().for_each(|new| origins.objects[*new as usize] = origin);
        }
        origins
    }
}
