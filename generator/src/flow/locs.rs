//! Locations: what the analyses of memory speak of.
//!
//! A location is a root and a path of fields; subscripts are erased, so all elements of an array are one location.
//!
//! | root | stands for |
//! |---|---|
//! | object | an object of a procedure: an array, a struct, all blocks of one `Alloc` |
//! | global | an object with static storage |
//! | pointee of a formal | what a pointer argument points to when its procedure begins |
//! | pointee of a cell | what a pointer in memory points to at entry: `net->w`, all rows of `double **a` |
//! | literal | text that the compiler keeps: `"..."` |
//! | unknown | anything: a pointer that was made of an integer or by a function without source |
//!
//! All locations of a root are made with it, so that questions need no change. A list (`struct node { struct node
//! *next; }`) would have pointees without end: a pointee of the same struct type as one that it was reached from *is*
//! that one.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use crate::ir::{FieldId, GlobalId, Life, ObjectId, ProcId, Program, StructId, Type, Types};

/// A location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Loc(pub u32);

/// A set of locations.
pub type Set = BTreeSet<Loc>;

/// Where a location begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Root {
    /// An object of a procedure.
    Object(ProcId, ObjectId),
    /// An object with static storage.
    Global(GlobalId),
    /// What the pointer argument at this position points to at entry.
    Formal(ProcId, u32),
    /// What the pointer in this location points to at entry.
    Cell(Loc),
    /// Text constants.
    Literal,
    /// Anything.
    Unknown,
}

impl Root {
    /// Whether it is memory itself, so that no two such roots overlap; the others stand for memory that has its own root.
    pub fn is_memory(self) -> bool {
        matches!(self, Root::Object(..) | Root::Global(_) | Root::Literal)
    }
}

struct Entry {
    root: Root,
    parent: Option<(Loc, FieldId)>,
    ty: Type,
    children: Vec<Loc>,
    /// The procedure whose entry gives the root its meaning; `None`: one meaning in the whole program.
    native: Option<ProcId>,
    /// Whether elements follow each other here: an array, a block, what a pointer argument points to.
    many: bool,
}

/// All locations of a program.
#[derive(Default)]
pub struct Locs {
    entries: Vec<Entry>,
    tops: FxHashMap<Root, Loc>,
    /// Cells whose pointee is an earlier root: a list.
    folds: Vec<(Loc, Loc)>,
}

/// Pointees of pointees of pointees: no deeper than this.
const DEPTH: usize = 12;

/// The type of the elements of an array, of any dimension; a scalar type or struct itself.
pub fn element(ty: &Type) -> &Type {
    match ty {
        Type::Array(row) => element(&row.elem),
        other => other,
    }
}

/// What a pointer type points to, arrays taken apart.
pub fn pointee(ty: &Type) -> &Type {
    match ty {
        Type::Pointer(to) => element(to),
        _ => &Type::Void,
    }
}

/// Whether memory of type `a` can be accessed as `b`: equal up to the spelling and the sign of integers.
pub fn compatible(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Int { bits: x, .. }, Type::Int { bits: y, .. }) | (Type::Float { bits: x }, Type::Float { bits: y }) => {
            x == y
        }
        (Type::Pointer(x), Type::Pointer(y)) => {
            matches!(**x, Type::Void) || matches!(**y, Type::Void) || compatible(element(x), element(y))
        }
        (Type::Opaque(x), Type::Opaque(y)) => x == y,
        (Type::Struct(x), Type::Struct(y)) => x == y,
        _ => false,
    }
}

impl Locs {
    /// The location of a whole root. Makes it, with all its fields, if it is new.
    pub fn top(&mut self, types: &Types, root: Root, ty: &Type, many: bool) -> Loc {
        if let Some(&top) = self.tops.get(&root) {
            return top;
        }
        let native = match root {
            Root::Formal(p, _) => Some(p),
            Root::Cell(cell) => self.entry_of(cell),
            _ => None,
        };
        let top =
            if let Some(earlier) = self.fold(root, ty) { earlier } else { self.grow(types, root, None, ty, native) };
        self.entries[top.0 as usize].many |= many;
        if let Root::Cell(cell) = root
            && self.entries[top.0 as usize].root != root
        {
            self.folds.push((cell, top));
        }
        self.tops.insert(root, top);
        top
    }

    /// The procedure at whose entry the contents of this location get their meaning, if it is a procedure's.
    fn entry_of(&self, loc: Loc) -> Option<ProcId> {
        match self.root(loc) {
            Root::Object(p, _) => Some(p),
            _ => self.native(loc),
        }
    }

    /// The earlier root that a new pointee of a cell is taken for.
    fn fold(&self, root: Root, ty: &Type) -> Option<Loc> {
        let mut root = root;
        for depth in 0.. {
            let Root::Cell(cell) = root else { return None };
            root = self.root(cell);
            let top = self.tops[&root];
            if matches!(ty, Type::Struct(_)) && self.ty(top) == ty {
                return Some(top);
            }
            if depth > DEPTH {
                return self.tops.get(&Root::Unknown).copied();
            }
        }
        None
    }

    fn grow(
        &mut self,
        types: &Types,
        root: Root,
        parent: Option<(Loc, FieldId)>,
        ty: &Type,
        native: Option<ProcId>,
    ) -> Loc {
        let loc = Loc(u32::try_from(self.entries.len()).expect("fewer than 2^32 locations"));
        let many = matches!(ty, Type::Array(_));
        let ty = element(ty).clone();
        self.entries.push(Entry { root, parent, ty: ty.clone(), children: Vec::new(), native, many });
        self.grow_fields(types, loc, &ty);
        loc
    }

    fn grow_fields(&mut self, types: &Types, loc: Loc, ty: &Type) {
        let Type::Struct(StructId(s)) = ty else { return };
        let (root, native) = (self.root(loc), self.native(loc));
        for (k, field) in types.structs[StructId(*s)].fields.iter().enumerate() {
            let child = self.grow(types, root, Some((loc, FieldId::new(k))), &field.ty, native);
            self.entries[loc.0 as usize].children.push(child);
        }
    }

    /// Gives a pointee of type `void` the type that the program reads it as. Changes nothing else.
    pub fn retype(&mut self, types: &Types, loc: Loc, ty: &Type) -> bool {
        let entry = &mut self.entries[loc.0 as usize];
        let vague = entry.ty == Type::Void && matches!(entry.root, Root::Formal(..) | Root::Cell(_));
        if !vague || matches!(ty, Type::Void | Type::Opaque(_)) {
            return false;
        }
        entry.ty = ty.clone();
        self.grow_fields(types, loc, ty);
        true
    }

    /// The location of a root that exists.
    pub fn find(&self, root: Root) -> Option<Loc> {
        self.tops.get(&root).copied()
    }

    /// Number of locations.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Every location.
    pub fn all(&self) -> impl Iterator<Item = Loc> + use<> {
        (0..self.entries.len()).map(|k| Loc(k as u32))
    }

    /// Where it begins.
    pub fn root(&self, loc: Loc) -> Root {
        self.entries[loc.0 as usize].root
    }

    /// The location of its whole root.
    pub fn root_top(&self, loc: Loc) -> Loc {
        let mut loc = loc;
        while let Some((parent, _)) = self.entries[loc.0 as usize].parent {
            loc = parent;
        }
        loc
    }

    /// What it is a member of.
    pub fn parent(&self, loc: Loc) -> Option<Loc> {
        self.entries[loc.0 as usize].parent.map(|(parent, _)| parent)
    }

    /// The procedure whose entry gives its root a meaning.
    pub fn native(&self, loc: Loc) -> Option<ProcId> {
        self.entries[loc.0 as usize].native
    }

    /// Type of an element: a scalar, a struct, or unknown.
    pub fn ty(&self, loc: Loc) -> &Type {
        &self.entries[loc.0 as usize].ty
    }

    /// Whether elements follow each other here.
    pub fn is_many(&self, loc: Loc) -> bool {
        self.entries[loc.0 as usize].many
    }

    /// Whether it is a real number.
    pub fn is_real(&self, loc: Loc) -> bool {
        matches!(self.ty(loc), Type::Float { .. })
    }

    /// A member.
    pub fn child(&self, loc: Loc, field: FieldId) -> Option<Loc> {
        if self.root(loc) == Root::Unknown {
            return Some(loc);
        }
        self.entries[loc.0 as usize].children.get(field.index()).copied()
    }

    /// The fields from the root down.
    pub fn path(&self, loc: Loc) -> Vec<FieldId> {
        let mut path = Vec::new();
        let mut loc = loc;
        while let Some((parent, field)) = self.entries[loc.0 as usize].parent {
            path.push(field);
            loc = parent;
        }
        path.reverse();
        path
    }

    /// What `path` leads to from `loc`.
    pub fn follow(&self, loc: Loc, path: &[FieldId]) -> Option<Loc> {
        path.iter().try_fold(loc, |at, field| self.child(at, *field))
    }

    /// Whether one is the other or a part of it.
    pub fn overlap(&self, a: Loc, b: Loc) -> bool {
        self.within(a, b) || self.within(b, a)
    }

    /// Whether `a` is `b` or a part of it.
    pub fn within(&self, a: Loc, b: Loc) -> bool {
        let mut at = Some(a);
        while let Some(loc) = at {
            if loc == b {
                return true;
            }
            at = self.entries[loc.0 as usize].parent.map(|(parent, _)| parent);
        }
        false
    }

    /// The scalars in it.
    pub fn leaves(&self, loc: Loc) -> Vec<Loc> {
        let mut out = Vec::new();
        let mut stack = vec![loc];
        while let Some(loc) = stack.pop() {
            let children = &self.entries[loc.0 as usize].children;
            if children.is_empty() { out.push(loc) } else { stack.extend(children.iter().rev()) }
        }
        out
    }

    /// Cells whose pointee is this root although another cell made it.
    pub fn folded(&self, top: Loc) -> impl Iterator<Item = Loc> + '_ {
        self.folds.iter().filter(move |(_, t)| *t == top).map(|(cell, _)| *cell)
    }

    /// Whether the contents at the entry of a procedure come from outside of it.
    pub fn from_outside(&self, program: &Program, loc: Loc) -> bool {
        match self.root(loc) {
            Root::Formal(..) | Root::Cell(_) | Root::Global(_) => true,
            Root::Object(p, o) => matches!(program.procs[p].objects[o].life, Life::Param(_)),
            Root::Literal | Root::Unknown => false,
        }
    }

    /// How C writes it, up to subscripts: `table`, `*x`, `net->w`, `*net->w`.
    pub fn c_name(&self, program: &Program, loc: Loc) -> String {
        let at = |pointer: String| if self.path(loc).is_empty() { format!("*{pointer}") } else { pointer + "->" };
        let mut name = match self.root(loc) {
            Root::Formal(p, k) => at(program.procs[p].params[k as usize].name.clone()),
            Root::Cell(cell) => at(self.c_name(program, cell)),
            Root::Global(g) => program.globals[g].name.clone(),
            Root::Object(p, o) => program.procs[p].objects[o].name.clone(),
            Root::Literal | Root::Unknown => self.name(program, loc),
        };
        let mut at = self.root_top(loc);
        for field in self.path(loc) {
            if let Type::Struct(s) = self.ty(at) {
                let dot = if name.ends_with("->") { "" } else { "." };
                name = format!("{name}{dot}{}", program.types.structs[*s].fields[field].name);
            }
            at = self.child(at, field).unwrap_or(at);
        }
        name
    }

    /// How messages and tests write it: `f.t`, `*f.x`, `*f.net.w`, `table`.
    pub fn name(&self, program: &Program, loc: Loc) -> String {
        let mut name = match self.root(loc) {
            Root::Object(p, o) => {
                let p = &program.procs[p];
                format!("{}.{}", p.name, p.objects[o].name)
            }
            Root::Global(g) => program.globals[g].name.clone(),
            Root::Formal(p, k) => {
                let p = &program.procs[p];
                format!("*{}.{}", p.name, p.params[k as usize].name)
            }
            Root::Cell(cell) => format!("*({})", self.name(program, cell)),
            Root::Literal => "text".into(),
            Root::Unknown => "anything".into(),
        };
        let mut at = self.root_top(loc);
        for field in self.path(loc) {
            if let Type::Struct(s) = self.ty(at) {
                name = format!("{name}.{}", program.types.structs[*s].fields[field].name);
            }
            at = self.child(at, field).unwrap_or(at);
        }
        name
    }
}
