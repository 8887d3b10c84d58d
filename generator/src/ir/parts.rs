//! The parts of expressions, places and items: the one list of what each kind evaluates, reads, writes, defines and
//! holds. A macro makes two walks of it, one by shared references and one that may rewrite. Passes ask for parts instead
//! of matching each kind, so that they see those of a new kind.

use super::{
    Base, Dim, Expr, ExprKind, ItemKind, ObjectId, Place, Popped, Pushed, RegionId, SnapshotAt, Step, SweepItem,
    ValueId, VarId,
};

macro_rules! walks {
    ($part:ident, $parts:ident, $parts_of_place:ident, $parts_of_dim:ident, $parts_of_item:ident $(, $mutable:tt)?) => {
        /// A part of an item. Expressions are outermost ones.
        pub enum $part<'a> {
            /// An expression that it evaluates.
            Expr(&'a $($mutable)? Expr),
            /// A place that it reads or names.
            Read(&'a $($mutable)? Place),
            /// A place that it writes, or may write.
            Written(&'a $($mutable)? Place),
            /// A value that it reads outside of expressions: an arm of a join, the init or the end of what is carried.
            Used(&'a $($mutable)? ValueId),
            /// A value that it defines.
            Defined(&'a $($mutable)? ValueId),
            /// A variable that it declares, joins or carries.
            Var(&'a $($mutable)? VarId),
            /// An object that it begins or clears.
            Object(&'a $($mutable)? ObjectId),
            /// A region that runs inside of it.
            Region(&'a $($mutable)? RegionId),
        }

        /// Calls `see` on the direct operands of an expression.
        pub fn $parts<'a>(expr: &'a $($mutable)? Expr, see: &mut dyn FnMut(&'a $($mutable)? Expr)) {
            match &$($mutable)? expr.kind {
                ExprKind::Load(place) | ExprKind::Address(place) => $parts_of_place(place, see),
                ExprKind::Unary(_, x) | ExprKind::Cast(x) => see(x),
                ExprKind::Binary(_, x, y) => [x, y].into_iter().for_each(|x| see(x)),
                ExprKind::Select(c, x, y) => [c, x, y].into_iter().for_each(|x| see(x)),
                ExprKind::Function(_, args) => args.into_iter().for_each(see),
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Null | ExprKind::Verbatim(_) | ExprKind::Value(_) => {
                }
            }
        }

        /// Calls `see` on the outermost expressions in a place: its pointer, its subscripts, their bounds.
        pub fn $parts_of_place<'a>(place: &'a $($mutable)? Place, see: &mut dyn FnMut(&'a $($mutable)? Expr)) {
            if let Base::At(pointer) = &$($mutable)? place.base {
                see(pointer);
            }
            for step in &$($mutable)? place.path {
                let Step::Index(subscripts) = step else { continue };
                for subscript in subscripts {
                    see(&$($mutable)? subscript.at);
                    $parts_of_dim(&$($mutable)? subscript.dim, see);
                }
            }
        }

        /// Calls `see` on the extent of a dimension.
        pub fn $parts_of_dim<'a>(dim: &'a $($mutable)? Dim, see: &mut dyn FnMut(&'a $($mutable)? Expr)) {
            if let Some(extent) = &$($mutable)? dim.extent {
                see(extent);
            }
        }

        /// Calls `see` on every part of an item. The expression of a `Let` is part of its value.
        pub fn $parts_of_item<'a>(kind: &'a $($mutable)? ItemKind, see: &mut dyn FnMut($part<'a>)) {
            use $part::*;
            match kind {
                ItemKind::Let { value } => see(Defined(value)),
                ItemKind::Store { to, from } => {
                    see(Written(to));
                    see(Expr(from));
                }
                ItemKind::Call { callee: _, args, result, into } => {
                    args.into_iter().for_each(|arg| see(Expr(arg)));
                    into.into_iter().for_each(|into| see(Written(into)));
                    result.into_iter().for_each(|result| see(Defined(result)));
                }
                ItemKind::Branch { on, then, otherwise, joins } => {
                    see(Expr(on));
                    see(Region(then));
                    see(Region(otherwise));
                    for join in joins {
                        see(Var(&$($mutable)? join.var));
                        see(Used(&$($mutable)? join.then));
                        see(Used(&$($mutable)? join.otherwise));
                        see(Defined(&$($mutable)? join.out));
                    }
                }
                ItemKind::Loop { test, at: _, body, carried } => {
                    see(Expr(test));
                    see(Region(body));
                    for each in carried {
                        see(Var(&$($mutable)? each.var));
                        see(Used(&$($mutable)? each.init));
                        see(Defined(&$($mutable)? each.head));
                        see(Used(&$($mutable)? each.end));
                        see(Defined(&$($mutable)? each.out));
                    }
                }
                ItemKind::DeclareVar { var } => see(Var(var)),
                ItemKind::Declare { object } => see(Object(object)),
                ItemKind::Alloc { object, count, zeroed: _ } => {
                    see(Object(object));
                    see(Expr(count));
                }
                ItemKind::Free { pointer } => see(Expr(pointer)),
                ItemKind::Given { args, needs, when } => {
                    args.into_iter().for_each(|arg| see(Expr(arg)));
                    needs.into_iter().for_each(|need| see(Expr(need)));
                    when.into_iter().for_each(|of| see(Expr(of)));
                }
                ItemKind::Sweep(item) => match item {
                    SweepItem::Release { pointer, contents: _ } => see(Expr(pointer)),
                    SweepItem::Clear { object } => see(Object(object)),
                    SweepItem::Accumulate { to, from } => {
                        see(Written(to));
                        see(Expr(from));
                    }
                    SweepItem::Push { what } => match what {
                        Pushed::Value(value) | Pushed::Bits { value, bits: _ } | Pushed::Count(value) => {
                            see(Expr(value));
                        }
                        Pushed::Elements { place, count } => {
                            see(Read(place));
                            see(Expr(count));
                        }
                        Pushed::Pointer { value, bases, base } => {
                            see(Expr(value));
                            bases.into_iter().for_each(|of| see(Expr(of)));
                            see(Expr(base));
                        }
                    },
                    SweepItem::Pop { what } => match what {
                        Popped::Value(value) | Popped::Bits { value, bits: _ } | Popped::Count(value) => {
                            see(Defined(value));
                        }
                        Popped::Memory(place) => see(Written(place)),
                        Popped::Elements { place, count } => {
                            see(Written(place));
                            see(Expr(count));
                        }
                        Popped::Pointer { value, shadow, bases, shadows } => {
                            see(Defined(value));
                            shadow.into_iter().for_each(|shadow| see(Defined(shadow)));
                            bases.into_iter().chain(shadows).for_each(|of| see(Expr(of)));
                        }
                    },
                    SweepItem::Witness { notes: _, site: _, value } => see(Expr(value)),
                    SweepItem::Shadowed { place, shadow } => {
                        see(Read(place));
                        see(Read(shadow));
                    }
                    SweepItem::Snapshot(snapshot) => {
                        if let SnapshotAt::Head { most: _, passes: Some(passes) } = &$($mutable)? snapshot.at {
                            see(Expr(passes));
                        }
                        for (place, count) in &$($mutable)? snapshot.memory {
                            see(Written(place));
                            see(Expr(count));
                        }
                        for of in &$($mutable)? snapshot.from {
                            see(Expr(of));
                        }
                        for of in (&$($mutable)? snapshot.among).into_iter().flatten() {
                            see(Expr(of));
                        }
                        for value in (&$($mutable)? snapshot.to).into_iter().chain(&$($mutable)? snapshot.more) {
                            see(Defined(value));
                        }
                    }
                    SweepItem::Undo { what: _ } | SweepItem::Rehearsal { step: _ } | SweepItem::Nothing => {}
                },
            }
        }
    };
}

walks!(Part, parts, parts_of_place, parts_of_dim, parts_of_item);
walks!(PartMut, parts_mut, parts_of_place_mut, parts_of_dim_mut, parts_of_item_mut, mut);

impl ItemKind {
    /// What `pick` takes of the parts.
    fn picked<'a, T>(&'a self, pick: impl Fn(Part<'a>) -> Option<T>) -> Vec<T> {
        let mut picked = Vec::new();
        parts_of_item(self, &mut |part| picked.extend(pick(part)));
        picked
    }

    /// The regions that run inside of it.
    pub fn regions(&self) -> Vec<RegionId> {
        self.picked(|part| if let Part::Region(region) = part { Some(*region) } else { None })
    }

    /// The values that it reads outside of expressions.
    pub fn used(&self) -> Vec<ValueId> {
        self.picked(|part| if let Part::Used(value) = part { Some(*value) } else { None })
    }

    /// The values that it defines, in its own region or, for heads, in its body.
    pub fn defined(&self) -> Vec<ValueId> {
        self.picked(|part| if let Part::Defined(value) = part { Some(*value) } else { None })
    }

    /// The places that it writes.
    pub fn written(&self) -> Vec<&Place> {
        self.picked(|part| if let Part::Written(place) = part { Some(place) } else { None })
    }

    /// The value that a definition or a call assigns.
    pub fn assigned(&self) -> Option<ValueId> {
        let (ItemKind::Let { value } | ItemKind::Call { result: Some(value), .. }) = self else { return None };
        Some(*value)
    }

    /// The number of elements, where it allocates this block.
    pub fn count_of(&self, block: ObjectId) -> Option<&Expr> {
        let ItemKind::Alloc { object, count, .. } = self else { return None };
        (*object == block).then_some(count)
    }

    /// The object that begins here.
    pub fn begun(&self) -> Option<ObjectId> {
        let (ItemKind::Declare { object } | ItemKind::Alloc { object, .. }) = self else { return None };
        Some(*object)
    }
}
