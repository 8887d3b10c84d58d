//! Notes where the parts of the sweep come from.

use crate::ir::{Copies, ItemId, ObjectId, Origin, Origins, ValueId};
use crate::sweep::builder::Builder;
use crate::sweep::tidy;

impl Builder<'_> {
    /// Drops what is not used, and says where the rest comes from.
    pub(super) fn compact(&mut self) -> Origins {
        let mut of = vec![Origin::Own; self.out.objects.len()];
        (0..self.primal.objects.len()).for_each(|at| of[at] = Origin::Primal(ObjectId::new(at)));
        self.shadows.iter().for_each(|(object, shadow)| of[shadow.index()] = Origin::Shadow(*object));
        self.adjoints.iter().for_each(|(var, object)| of[object.index()] = Origin::Variable(*var));
        self.copied_objects.iter().for_each(|(own, object)| of[own.index()] = Origin::Primal(*object));
        let [items, objects, values] = tidy::compact(&mut self.out);
        let mut origins = Origins {
            items: vec![None; self.out.items.len()],
            objects: vec![Origin::Own; self.out.objects.len()],
            copies: Copies::default(),
        };
        let copies = self.copies.items.iter();
        let kept = copies.filter_map(|(item, origin)| Some((ItemId(items[item.index()]?), *origin)));
        origins.copies.items = kept.collect();
        let copies = self.copies.values.iter().map(|(of, names)| {
            let kept =
                names.iter().filter_map(|(value, origin)| Some((ValueId(values[value.index()]?), origin.clone())));
            (*of, kept.collect())
        });
        origins.copies.values = copies.collect();
        for (new, origin) in items.iter().zip(&self.origins) {
            new.iter().for_each(|new| origins.items[*new as usize] = *origin);
        }
        for (new, origin) in objects.iter().zip(of) {
            new.iter().for_each(|new| origins.objects[*new as usize] = origin);
        }
        origins
    }
}
