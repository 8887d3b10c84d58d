//! Objects of the primal in the reverse sweep: they exist again, with their shadows and the contents that are needed.

use super::builder::Builder;
use crate::ir::*;
use crate::refuse::Class;

impl Builder<'_> {
    /// Objects that live in the region: they exist again, with their shadows, and with the contents that are needed.
    pub(super) fn objects(&mut self, region: RegionId) {
        for object in self.primal.objects.ids().rev() {
            match self.primal.objects[object].life {
                Life::Region(home) if home == region && self.is_run_again(region) => self.local_of_pass(object),
                Life::Region(home) if home == region => self.local(object),
                Life::Param(_) if region == RegionId(0) && self.cx.facts.written(self.id, object) => self.local(object),
                Life::Param(_) if region == RegionId(0) => self.local_shadow(object, &[]),
                _ => {}
            }
        }
        if region == RegionId(0) {
            (0..self.primal.objects.len()).for_each(|at| self.pointers_of_param(ObjectId::new(at)));
        }
        for &item in &self.primal.regions[region].items {
            if let ItemKind::Alloc { object, count, .. } = &self.primal.items[item].kind
                && self.primal.objects[*object].life == Life::Heap
            {
                self.block(region, *object, count);
            }
        }
    }

    pub(super) fn local(&mut self, object: ObjectId) {
        let this = &self.primal.objects[object];
        (self.span, self.statement) = (this.span, None);
        let mut shape = this.shape.clone();
        if !shape.iter().filter_map(|dim| dim.extent.as_deref()).all(|extent| self.same_size(object, extent)) {
            return;
        }
        for dim in &mut shape {
            *dim = Dim::from(dim.extent.as_deref().map(|extent| self.primal(extent)));
        }
        self.out.objects[object].shape = shape.clone();
        self.out.objects[object].life = Life::Region(self.at);
        self.emit(ItemKind::Declare { object });
        self.local_shadow(object, &shape);
        if self.cx.facts.keep(self.id, object) {
            let this = &self.primal.objects[object];
            let name = this.name.clone();
            let (place, count) = super::contents(&self.out.objects[object], object, &shape);
            self.emit(ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { place, count } }));
            self.explain(this.span, name, "contents stored where its life ends", 0.0);
        }
    }

    /// A local object of a pass that has run again: it is there, with its contents.
    fn local_of_pass(&mut self, object: ObjectId) {
        let this = &self.primal.objects[object];
        (self.span, self.statement) = (this.span, None);
        let mut shape = this.shape.clone();
        for dim in &mut shape {
            *dim = Dim::from(dim.extent.as_deref().map(|extent| self.primal(extent)));
        }
        self.out.objects[object].shape = shape.clone();
        self.out.objects[object].life = Life::Region(self.at);
        self.local_shadow(object, &shape);
    }

    pub(super) fn local_shadow(&mut self, object: ObjectId, shape: &[Dim]) {
        if self.cx.facts.active_object(self.id, object) {
            let shadow = self.new_shadow(object, shape.to_vec(), Life::Region(self.at));
            self.emit(ItemKind::Declare { object: shadow });
            self.emit(ItemKind::Sweep(SweepItem::Clear { object: shadow }));
        }
    }

    /// Whether the reverse sweep can evaluate the extent of an object where it enters the region of the object.
    pub(super) fn same_size(&mut self, object: ObjectId, extent: &Expr) -> bool {
        let made = |item: &Item| item.kind.begun() == Some(object);
        let item = self.primal.items.iter().position(made).map(ItemId::new);
        let Some(item) = item.filter(|_| walk::loads(extent)) else { return true };
        if self.cx.facts.steady(self.id, item, extent) {
            self.again.push((item, extent.clone()));
            return true;
        }
        let name = &self.primal.objects[object].name;
        let what = format!("the size of '{name}' is read from memory that changes while '{name}' lives");
        self.refuse(Class::NotProved, what, "assign the size to a variable first");
        false
    }

    /// A heap block: allocated where the reverse sweep enters its region, freed where it leaves it.
    pub(super) fn block(&mut self, region: RegionId, object: ObjectId, count: &Expr) {
        let this = &self.primal.objects[object];
        (self.span, self.statement) = (this.span, None);
        if !self.cx.facts.confined(self.id, object, region) {
            let what = format!("the block '{}' is used outside of the block of code that allocates it", this.name);
            self.refuse(Class::Pointer, what, "allocate it where it is used, without a condition around");
            return;
        }
        if !self.same_size(object, count) {
            return;
        }
        let count = self.primal(count);
        let count = self.bind("count", count);
        let shape = vec![Dim::of(count.clone())];
        self.out.objects[object].shape = shape.clone();
        self.emit(ItemKind::Alloc { object, count: count.clone(), zeroed: false });
        self.counts.insert(object, count.clone());
        if self.cx.facts.active_object(self.id, object) {
            let shadow = self.new_shadow(object, shape, Life::Heap);
            self.emit(ItemKind::Alloc { object: shadow, count, zeroed: true });
        }
        self.blocks.entry(self.at).or_default().push(object);
    }

    /// The contents of a block come back where it was freed.
    pub(super) fn reverse_free(&mut self, item: ItemId, pointer: &Expr) {
        if self.cx.facts.stable() {
            self.undo_free(item, pointer);
            return;
        }
        for object in self.cx.facts.blocks(self.id, pointer) {
            if !self.cx.facts.keep(self.id, object) {
                continue;
            }
            let Some(count) = self.counts.get(&object).cloned() else { continue };
            let this = &self.primal.objects[object];
            let place = self.out.objects[object].first(object);
            self.emit(ItemKind::Sweep(SweepItem::Pop { what: Popped::Elements { place, count } }));
            let name = this.name.clone();
            self.explain(self.span, name, "contents stored where it is freed", 0.0);
        }
    }

    /// A block of the stable heap comes back where it was.
    fn undo_free(&mut self, item: ItemId, pointer: &Expr) {
        self.own_block(pointer);
        self.emit(ItemKind::Sweep(SweepItem::Undo { what: Undone::Release }));
        if self.cx.facts.push_old(self.id, item) {
            self.explain(self.span, "a block".into(), "contents stored where it is freed", 0.0);
        }
    }

    /// Refuses what frees or moves a block that may not be on the stable heap.
    pub(super) fn own_block(&mut self, pointer: &Expr) {
        if pointer.kind != ExprKind::Null && !self.cx.facts.on_heap(self.id, pointer) {
            let what = "this may free or move a block that the functions here did not make".into();
            self.refuse(Class::Pointer, what, "free the block where it was allocated");
        }
    }

    /// Frees the blocks of a region that the reverse sweep leaves.
    pub(super) fn free_blocks(&mut self) {
        for object in self.blocks.remove(&self.at).unwrap_or_default().into_iter().rev() {
            for object in [Some(object), self.shadows.get(&object).copied()].into_iter().flatten() {
                let this = &self.out.objects[object];
                let pointer = Expr::address(this.first(object));
                self.emit(ItemKind::Free { pointer });
            }
        }
    }

    pub(super) fn new_shadow(&mut self, object: ObjectId, shape: Vec<Dim>, life: Life) -> ObjectId {
        let this = &self.primal.objects[object];
        let shadow = ObjectId::new(self.out.objects.len());
        let (name, elem, span) = (self.taken.unique(format!("{}_b", this.name)), this.elem.clone(), this.span);
        self.out.objects.push(Object { name, elem, shape, life, constant: false, span });
        self.shadows.insert(object, shadow);
        shadow
    }

    pub(super) fn shadow_of_global(&mut self, global: GlobalId) -> GlobalId {
        self.cx.global_shadows.get(&global).copied().unwrap_or_else(|| {
            let name = self.cx.program.globals[global].name.clone();
            let what = format!("internal: '{name}' has no adjoint here");
            self.refuse(Class::NotProved, what, "please report this program");
            global
        })
    }

    pub(super) fn shadow_of(&mut self, object: ObjectId) -> ObjectId {
        self.shadows.get(&object).copied().unwrap_or_else(|| {
            let name = self.primal.objects[object].name.clone();
            let what = format!("'{name}' has no adjoint here, and a pointer to what has one may point to it");
            self.refuse(Class::Pointer, what, "use different pointers for active and passive arrays");
            object
        })
    }
}
