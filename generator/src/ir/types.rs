//! The intermediate representation: structured control, scalars in SSA form, memory as named objects.
//!
//! ```text
//!   Program ── procs ── Proc ── regions ── Region ── items ── Item (Let, Store, Call, Branch, Loop, ...)
//!      │                 ├───── values: one definition each (SSA)
//!      ├─ globals        └───── objects: arrays, structs, scalars whose address is taken
//!      └─ types
//! ```
//!
//! | word | meaning |
//! |---|---|
//! | variable | a scalar (number or pointer) of the source whose address is never taken |
//! | value | one definition of a variable; every use names the value, so nothing is ever overwritten |
//! | object | memory: an array, a struct, a block of the heap, a scalar whose address is taken |
//! | place | an access path into memory: a base and a path of subscripts and fields |
//! | region | a sequence of items with one entry and one exit: a body, an arm, one pass of a loop |
//! | join | the value of a variable behind a branch: the value of the arm that ran |
//! | head, end, out | of a variable that a loop changes: its value when a pass begins, when it ends, behind the loop |
//!
//! There is no jump. `break`, `continue`, `return`, `goto` and `switch` are lowered to branches and loops: what follows
//! a statement that may leave is guarded by an integer flag (a variable of kind [`VarKind::Flag`]). So every analysis
//! knows two constructs only, and a flag in the reverse sweep is a scalar as any other: recomputed, or one bit.
//!
//! Expressions have no effects. What a source expression writes (`*p++ = *q++`, `a = b = e`, a call) becomes items in
//! the order of evaluation. `&&`, `||` and `ExprKind::Select` evaluate their second operand only if C does; an operand
//! with effects becomes a branch, and so does every `?:` of floating type.
//!
//! The same types hold the sweeps that are generated ([`Role`]): they add accumulation, pushes, pops and witnesses.

use super::{DeclaredType, Expr, Item, Place, Preprocessed, Region, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $name {
            /// Position in the vector that it indexes.
            pub fn index(self) -> usize {
                self.0 as usize
            }
            /// The handle of position `index`.
            pub fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 of a kind"))
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

ids! {
    /// Index into [`Program::procs`].
    ProcId,
    /// Index into [`Program::globals`].
    GlobalId,
    /// Index into [`Types::structs`].
    StructId,
    /// Index into [`Struct::fields`].
    FieldId,
    /// Index into [`Proc::vars`].
    VarId,
    /// Index into [`Proc::values`].
    ValueId,
    /// Index into [`Proc::objects`].
    ObjectId,
    /// Index into [`Proc::regions`].
    RegionId,
    /// Index into [`Proc::items`].
    ItemId,
    /// Index into [`Proc::statements`].
    StatementId,
    /// Index into [`Program::sources`].
    SourceId,
}

/// A whole program: everything the head reaches, and the globals these procedures name.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Structs.
    pub types: Types,
    /// The source files, whole, so that messages and the forward sweep can quote them.
    pub sources: Vec<Source>,
    /// Variables with static storage, function-local statics among them.
    pub globals: Vec<Object>,
    /// Procedures with a body, callees anywhere.
    pub procs: Vec<Proc>,
    /// What functions declare inside that their sweeps must declare too.
    pub statics: Vec<Static>,
    /// Declarations, inside of functions, of variables at file scope and of functions without source: nothing else may
    /// declare these.
    pub externs: Vec<String>,
    /// What the preprocessor knows of the sources, as far as it was asked.
    pub preprocessed: Preprocessed,
    /// Types that the sources and their headers declare at file scope.
    pub declared: Vec<DeclaredType>,
    /// Variables with static storage whose initialiser has addresses of others.
    pub led: Vec<GlobalId>,
    /// Variables with static storage that no other file can name, and the shadows of those that no head names.
    pub hidden: BTreeSet<GlobalId>,
    /// Variables with static storage that nothing but procedures of the program may write by name, or give away.
    pub closed: BTreeSet<GlobalId>,
    /// Function pointers at file scope that are taken to hold the function of their initialiser, and that function.
    pub assumed: Vec<(String, String)>,
    /// Variables with static storage that calls in one expression may write in either order: nothing reads what they
    /// leave.
    pub unordered: Vec<GlobalId>,
}

/// A declaration inside a function of a type, or of variables with static storage. Nothing outside of the function can
/// name them, so its sweeps declare them anew. The variables hold the same contents always, or are scratch.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// The function.
    pub function: String,
    /// The variables; none for a type.
    pub globals: Vec<GlobalId>,
    /// The declaration in C, with the variables under the names that [`Program::globals`] has.
    pub text: String,
    /// Where the function has it.
    pub span: Span,
    /// The numbers that variables begin with, where the front end knows them.
    pub initial: Vec<(GlobalId, f64)>,
    /// Whether the variables are written: each call writes them before it reads them, or the first call fills them; its
    /// sweeps share them.
    pub scratch: bool,
    /// One of the variables that brings a value from one call to the next: no sweep may have a copy of it, so only the
    /// function itself names it.
    pub lasting: Option<GlobalId>,
}

/// One source file.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path as the user gave it, or as the compiler found it.
    pub path: String,
    /// Contents.
    pub text: String,
    /// Whether it was named on the command line (and is included by the generated file), not found as a header.
    pub main: bool,
    /// Where the text comes from, if it is several sources in one: from each byte on, a path and a line.
    pub origins: Vec<(u32, String, u32)>,
}

impl Source {
    /// The file that the text at a byte comes from.
    pub fn path_at(&self, start: u32) -> &str {
        self.origin(start).map_or(&self.path, |(_, path, _)| path)
    }

    /// The last place at or before a byte whose origin is known.
    pub fn origin(&self, start: u32) -> Option<&(u32, String, u32)> {
        let behind = self.origins.partition_point(|(from, ..)| *from <= start);
        self.origins.get(behind.checked_sub(1)?)
    }
}

/// A place in the sources: a range of bytes, and line and column (from 1) of its first byte. Line 0: no source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Which file.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte, from 1.
    pub column: u32,
}

/// Named types.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// Structs, in order of first appearance.
    pub structs: Vec<Struct>,
    /// The typedef of a pointer to a struct without a name: nothing else names its type.
    pub pointers: BTreeMap<StructId, String>,
}

impl Types {
    /// The type and count of the numbers that a type consists of, if it is one type.
    pub fn numbers(&self, ty: &Type) -> Option<(Type, u64)> {
        match ty {
            Type::Array { elem, extent } => {
                let (number, count) = self.numbers(elem)?;
                Some((number, count.checked_mul((*extent)?)?))
            }
            Type::Struct(id) => {
                let mut all = self.structs[id.index()].fields.iter().map(|field| self.numbers(&field.ty));
                let (number, mut count) = all.next()??;
                for next in all {
                    let (other, more) = next?;
                    count += more;
                    (other == number).then_some(())?;
                }
                Some((number, count))
            }
            ty => ty.is_number().then(|| (ty.clone(), 1)),
        }
    }
}

/// A struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct {
    /// How C spells the type: `struct point` or the name of a typedef.
    pub name: String,
    /// Members, in order.
    pub fields: Vec<Field>,
    /// The members that the source declares, if the only one of [`Self::fields`] is an array of all their numbers.
    pub parts: Vec<Field>,
    /// The struct of whose reals it has several adjoints, and how many.
    pub adjoints: Option<(StructId, u32)>,
}

impl Struct {
    /// Whether the source gives it no name. It is called by its place there then: `model.c:3:8`.
    pub fn is_unnamed(&self) -> bool {
        self.name.contains(':')
    }

    /// Whether it ends with an array of any length.
    pub fn has_tail(&self) -> bool {
        self.fields.last().is_some_and(|last| matches!(last.ty, Type::Array { extent: None, .. }))
    }

    /// The members that the source declares.
    pub fn declared(&self) -> &[Field] {
        if self.parts.is_empty() { &self.fields } else { &self.parts }
    }
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Type of the member; arrays are [`Type::Array`].
    pub ty: Type,
    /// A pointer, or an array of pointers, to `const`: what it points to is written through a cast only. A member
    /// without pointers that is `const` itself.
    pub read_only: bool,
}

/// A type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    #[default]
    Void,
    /// An integer, `_Bool`, `char` or enumeration. `name` is how C spells it (`int`, `size_t`, `enum side`).
    Int {
        /// Width in bits: 8, 16, 32, 64; 1 for `_Bool`.
        bits: u8,
        /// Whether negative values exist. Unsigned arithmetic wraps; signed arithmetic never overflows.
        signed: bool,
        /// How C spells it.
        name: String,
    },
    /// `float` (32) or `double` (64). `long double` is kept as 80.
    Float {
        /// 32, 64 or 80.
        bits: u8,
    },
    /// A pointer. `restrict` and `const` are not kept here.
    Pointer(Box<Type>),
    /// An array inside a struct, behind a pointer or declared: elements and extent.
    Array {
        /// Type of an element; an array again for several dimensions.
        elem: Box<Type>,
        /// Extent if it is a constant; `None`: given by a value (see [`Dim`]) or not known.
        extent: Option<u64>,
    },
    /// A struct.
    Struct(StructId),
    /// A type that is only passed on: `FILE`, a union, a function. Access to what is inside is refused.
    Opaque(String),
}

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

/// One dimension of an array. C: lower bound 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Dim {
    /// Lower bound; `None` is 0.
    pub lower: Option<Expr>,
    /// Number of elements; `None`: not known (first dimension behind a pointer).
    pub extent: Option<Expr>,
}

/// When an object lives.
#[derive(Clone, Debug, PartialEq)]
pub enum Life {
    /// A by-value struct parameter: position among the parameters. Its contents come from the caller.
    Param(u32),
    /// Static storage.
    Global,
    /// Each time its region runs, from its [`ItemKind::Declare`](super::ItemKind::Declare) to the end of the region.
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

/// What a procedure is in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// As the user wrote it.
    #[default]
    Primal,
    /// The forward sweep: the primal with pushes.
    Forward,
    /// The reverse sweep.
    Reverse,
    /// The tangent.
    Tangent,
}

/// A procedure.
#[derive(Clone, Debug, Default)]
pub struct Proc {
    /// Name as C links it.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// Type of the result; [`Type::Void`] for none. A struct is returned through [`Proc::result_object`].
    pub result_type: Type,
    /// The result at the end of the body; `None` for void and for structs.
    pub result: Option<Expr>,
    /// The object whose contents are the result, for a struct.
    pub result_object: Option<ObjectId>,
    /// Scalars.
    pub vars: Vec<Var>,
    /// Their definitions.
    pub values: Vec<Value>,
    /// Memory declared here.
    pub objects: Vec<Object>,
    /// Regions; 0 is the body.
    pub regions: Vec<Region>,
    /// Items of all regions.
    pub items: Vec<Item>,
    /// Source statements that items come from.
    pub statements: Vec<Statement>,
    /// Declared `static`: not visible to other files.
    pub is_static: bool,
    /// Has a list of further arguments, which it passes on: no sweep of it can be written.
    pub has_list: bool,
    /// What must not meet, because C leaves its order open. No part of the text form: [`crate::flow::order`] judges it
    /// before anything else is done with the program.
    pub orders: Vec<Order>,
    /// Which source defines it, and where.
    pub span: Span,
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
    /// The value of an expression: [`ItemKind::Let`](super::ItemKind::Let).
    Is(Expr),
    /// Join number `1` of the branch `0`.
    Join(ItemId, u32),
    /// Carried variable number `1` of the loop `0`, when a pass begins. Belongs to the body.
    Head(ItemId, u32),
    /// Carried variable number `1` of the loop `0`, behind the loop.
    Out(ItemId, u32),
    /// Result of the call.
    Result(ItemId),
    /// Taken from the tape by this [`ItemKind::Pop`](super::ItemKind::Pop).
    Popped(ItemId),
}
