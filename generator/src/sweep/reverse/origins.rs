//! Where the parts of the sweep come from: for whoever reads the sweep without the plan.

use super::Builder;
use crate::ir::{ItemId, ObjectId, VarId};
use crate::sweep::tidy;

/// Where the parts of a reverse sweep come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// By item: the item of the primal that it reverses.
    pub items: Vec<Option<ItemId>>,
    /// By object: what it stands for.
    pub objects: Vec<Origin>,
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
        let [items, objects] = tidy::compact(&mut self.out);
        let mut origins =
            Origins { items: vec![None; self.out.items.len()], objects: vec![Origin::Own; self.out.objects.len()] };
        for (new, origin) in items.iter().zip(&self.origins) {
            new.iter().for_each(|new| origins.items[*new as usize] = *origin);
        }
        for (new, origin) in objects.iter().zip(of) {
            new.iter().for_each(|new| origins.objects[*new as usize] = origin);
        }
        origins
    }
}
