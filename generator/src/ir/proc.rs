//! Procedures: parameters, variables and their values, memory, regions.

use super::{
    Base, Callee, Constants, Dim, Expr, ExprKind, External, IdVec, Item, ItemId, ItemKind, ObjectId, Place, Reason,
    Region, RegionId, Role, Rule, Span, Statement, StatementId, Step, Subscript, Type, ValueId, VarId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Memory: an array, a struct, a heap block, a scalar whose address is taken.
#[derive(Clone, Debug)]
pub struct Object {
    /// Name, unique in its procedure (or among globals). Source name unless that would collide.
    pub name: String,
    /// Type of one element: never [`Type::Array`].
    pub elem: Type,
    /// Dimensions from the slowest to the fastest; empty for a single element.
    pub shape: Vec<Dim>,
    /// When it lives.
    pub life: Life,
    /// Whether C declares it `const`: nothing ever writes it.
    pub constant: bool,
    /// Declaration.
    pub span: Span,
}

impl Object {
    /// Its first element; `id` is its own handle.
    pub fn first(&self, id: ObjectId) -> Place {
        let zero = |dim: &Dim| Subscript { at: Expr::int(0), dim: dim.clone() };
        let path = match (&self.life, &self.shape[..]) {
            (Life::Heap | Life::Stable, []) => vec![Step::Index(vec![zero(&Dim::default())])],
            (_, []) => Vec::new(),
            (_, shape) => vec![Step::Index(shape.iter().map(zero).collect())],
        };
        Place { base: Base::Object(id), path, ty: self.elem.clone() }
    }
}

/// When an object lives.
#[derive(Clone, Debug, PartialEq)]
pub enum Life {
    /// A by-value struct parameter: position among the parameters. Its contents come from the caller.
    Param(u32),
    /// Static storage.
    Global,
    /// Each time its region runs, from its [`ItemKind::Declare`] to the end of the region.
    Region(RegionId),
    /// From an `ItemKind::Alloc` to the `ItemKind::Free` of it. One object stands for all blocks of that `Alloc`.
    Heap,
    /// Like [`Life::Heap`], and the sweeps keep the blocks on the stable heap, where they come back at their
    /// addresses. A `Let` right behind the `Alloc` takes the address; nothing else names the object.
    Stable,
}

impl Life {
    /// Whether an `ItemKind::Alloc` makes it.
    pub fn is_block(&self) -> bool {
        matches!(self, Life::Heap | Life::Stable)
    }
}

/// A procedure.
#[derive(Clone, Debug, Default)]
pub struct Proc {
    /// Name as C links it.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// The language that it is written in, and its sweeps.
    pub language: Language,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// Type of the result; [`Type::Void`] for none. A struct is returned through [`Proc::result_object`].
    pub result_type: Type,
    /// Whether it returns a pointer to `const`. No part of the text form.
    pub result_is_constant: bool,
    /// The result at the end of the body; `None` for void and for structs.
    pub result: Option<Expr>,
    /// The `return` statement that the result is in; no line where there is none, or several. No part of the text form.
    pub result_span: Span,
    /// The object whose contents are the result, for a struct.
    pub result_object: Option<ObjectId>,
    /// Scalars.
    pub vars: IdVec<VarId, Var>,
    /// Their definitions.
    pub values: IdVec<ValueId, Value>,
    /// Memory declared here.
    pub objects: IdVec<ObjectId, Object>,
    /// Regions; 0 is the body.
    pub regions: IdVec<RegionId, Region>,
    /// Items of all regions.
    pub items: IdVec<ItemId, Item>,
    /// Source statements that items come from.
    pub statements: IdVec<StatementId, Statement>,
    /// Declared `static`: not visible to other files.
    pub is_static: bool,
    /// Has a list of further arguments, which it passes on: no sweep of it can be written.
    pub has_list: bool,
    /// What must not meet, because C leaves its order open. No part of the text form: [`crate::flow::order`] judges it
    /// before anything else is done with the program.
    pub orders: Vec<Order>,
    /// Its derivative, where that is given. No part of the text form.
    pub rule: Option<Arc<Rule>>,
    /// By loop whose passes may run at the same time: scalars to which they add. No part of the text form.
    pub sums: BTreeMap<ItemId, Vec<ObjectId>>,
    /// Which source defines it, and where.
    pub span: Span,
}

/// A language of procedures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// C
    #[default]
    C,
    /// Fortran
    Fortran,
}

/// What an expression reads or writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Touched {
    /// The place; without subscripts unless it `is_element`.
    pub place: Place,
    /// Whether it is one element, whose subscripts are numbers.
    pub is_element: bool,
}

/// A call and what the rest of its expression does: the order is open in C, so neither may change what the other uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The call.
    pub call: ItemId,
    /// What the rest reads.
    pub read: Vec<Touched>,
    /// What it writes without a call.
    pub written: Vec<Touched>,
    /// What it calls.
    pub calls: Vec<ItemId>,
    /// The function that is called.
    pub name: String,
    /// Where the rest is.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name; made up where the source has none.
    pub name: String,
    /// Type as C sees it: arrays have become pointers.
    pub ty: Type,
    /// How C declares it, with `@` for the name: `double @[restrict]`, `double (*@)[m]`.
    pub declaration: String,
    /// For a scalar or a pointer: the variable and its value at entry. A scalar parameter whose address is taken has
    /// both this and an object, and the body begins with the store.
    pub var: Option<VarId>,
    /// Its value at entry ([`Def::Entry`]).
    pub entry: Option<ValueId>,
    /// For a struct by value: the object.
    pub object: Option<ObjectId>,
    /// Dimensions of the array it points to, if the declaration gives them: `a[n][m]` has `[n]`, `[m]`.
    pub shape: Vec<Dim>,
    /// Whether the source says that it is only read (`const double *`, Fortran `intent(in)`).
    pub read_only: bool,
    /// Whether nothing else reaches the memory that it points to while the procedure runs.
    pub apart: bool,
    /// Whether the language forbids that memory is written while the procedure reaches it under another name, too
    /// (Fortran's dummies without TARGET).
    pub no_alias: bool,
    /// Whether nothing may read the memory that it points to before the procedure writes it (Fortran's `intent(out)`).
    pub undefined_at_entry: bool,
}

/// A scalar variable of the source, or one that lowering made.
#[derive(Clone, Debug)]
pub struct Var {
    /// Name, unique in its procedure except that variables of sibling scopes may share one.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Where it comes from.
    pub kind: VarKind,
    /// Declaration.
    pub span: Span,
    /// What its declaration says is `const`. No part of the text form: what is printed in C may need casts.
    pub constants: Constants,
}

impl Var {
    /// A variable without anything `const`.
    pub fn new(name: impl Into<String>, ty: Type, kind: VarKind, span: Span) -> Var {
        Var { name: name.into(), ty, kind, span, constants: Constants::default() }
    }
}

/// Where a variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    /// Declared by the user under this very name.
    User,
    /// Declared by the user under another name, which a nested scope hides: text that names it is not copied.
    Renamed,
    /// An intermediate result, made by lowering.
    Temporary,
    /// 0 or 1: whether a statement that leaves has run.
    Flag,
}

/// One definition of a variable.
#[derive(Clone, Debug)]
pub struct Value {
    /// Of which variable.
    pub var: VarId,
    /// How it comes about.
    pub def: Def,
    /// The region in which it is defined; visible there behind its definition, and in regions inside.
    pub region: RegionId,
    /// Source.
    pub span: Span,
}

/// How a value comes about.
#[derive(Clone, Debug, PartialEq)]
pub enum Def {
    /// The argument at this position.
    Entry(u32),
    /// A variable that was not assigned yet. Reading it is undefined in C; nothing is ever stored for it.
    Undefined,
    /// The value of an expression: [`ItemKind::Let`].
    Is(Expr),
    /// Join number `1` of the branch `0`.
    Join(ItemId, u32),
    /// Carried variable number `1` of the loop `0`, when a pass begins. Belongs to the body.
    Head(ItemId, u32),
    /// Carried variable number `1` of the loop `0`, behind the loop.
    Out(ItemId, u32),
    /// Result of the call.
    Result(ItemId),
    /// Taken from the tape by this [`SweepItem::Pop`](super::SweepItem::Pop).
    Popped(ItemId),
}

/// The values that a pointer is a copy of: one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CopyOf {
    /// Which.
    pub values: BTreeSet<ValueId>,
    /// The loops that hand it on from pass to pass, or out.
    pub loops: BTreeSet<ItemId>,
}

impl Proc {
    /// Gives back the room that was taken for more than there is: a program has many procedures, which live long.
    pub fn shrink(&mut self) {
        self.params.shrink_to_fit();
        self.vars.shrink_to_fit();
        self.values.shrink_to_fit();
        self.objects.shrink_to_fit();
        self.items.shrink_to_fit();
        self.statements.shrink_to_fit();
        self.regions.shrink_to_fit();
        self.regions.iter_mut().for_each(|region| region.items.shrink_to_fit());
    }

    /// The type of a value's variable.
    pub fn type_of(&self, value: ValueId) -> &Type {
        &self.vars[self.values[value].var].ty
    }

    /// A value as an expression.
    pub fn value_expr(&self, value: ValueId) -> Expr {
        Expr::value(value, self.type_of(value).clone())
    }

    /// Whether it stops where a pointer holds a function that no source names there, which the program's own text does
    /// not do.
    pub fn is_guarded(&self) -> bool {
        let unnamed = |function: &External| matches!(function, External::Stop(Reason::Unnamed(_)));
        let stops = |callee: &Callee| matches!(callee, Callee::External { function, .. } if unnamed(function));
        self.items.iter().any(|item| matches!(&item.kind, ItemKind::Call { callee, .. } if stops(callee)))
    }

    /// By item: its region and its position there.
    pub fn positions(&self) -> Vec<Option<(RegionId, usize)>> {
        let mut positions = vec![None; self.items.len()];
        for (at, region) in self.regions.iter().enumerate() {
            for (position, item) in region.items.iter().enumerate() {
                positions[item.index()] = Some((RegionId::new(at), position));
            }
        }
        positions
    }

    /// The two values that a joined or a carried one takes its own from.
    pub fn merged(&self, def: &Def) -> Option<[ValueId; 2]> {
        match def {
            Def::Join(item, k) => {
                if let ItemKind::Branch { joins, .. } = &self.items[*item].kind {
                    joins.get(*k as usize).map(|join| [join.then, join.otherwise])
                } else {
                    None
                }
            }
            Def::Head(item, k) | Def::Out(item, k) => {
                if let ItemKind::Loop { carried, .. } = &self.items[*item].kind {
                    carried.get(*k as usize).map(|each| [each.init, each.end])
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The values of which a pointer is one, if it comes from them by copies: through branches and from pass to pass, as
    /// buffers do that change places. `loops`: those that hand it on.
    pub fn copy_of(&self, pointer: ValueId) -> CopyOf {
        let (mut found, mut loops, mut seen) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut open = vec![pointer];
        while let Some(value) = open.pop() {
            if !seen.insert(value) {
                continue;
            }
            let def = &self.values[value].def;
            if let Def::Head(item, _) | Def::Out(item, _) = def {
                loops.insert(*item);
            }
            match def {
                Def::Is(Expr { kind: ExprKind::Value(of), .. }) => open.push(*of),
                Def::Undefined => {}
                def => match self.merged(def) {
                    Some(merged) => open.extend(merged),
                    None => drop(found.insert(value)),
                },
            }
        }
        CopyOf { values: found, loops }
    }

    /// Whether a region is another one, or inside it.
    pub fn is_within(&self, region: RegionId, outer: RegionId) -> bool {
        let around = |region: &RegionId| self.regions[*region].parent.map(|(parent, _)| parent);
        std::iter::successors(Some(region), around).any(|region| region == outer)
    }
}
