//! Handles: what parts of a program name each other by.

use std::fmt;

/// A handle: a number of 32 bits with a type.
pub trait Id: Copy {
    /// The handle of a position.
    fn at(position: usize) -> Self;
    /// Position in the vector that it indexes.
    fn position(self) -> usize;
}

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
        impl Id for $name {
            fn at(position: usize) -> Self {
                Self::new(position)
            }
            fn position(self) -> usize {
                self.index()
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
    /// Index into [`Program::procs`](super::Program::procs).
    ProcId,
    /// Index into [`Program::globals`](super::Program::globals).
    GlobalId,
    /// Index into [`Types::structs`](super::Types::structs).
    StructId,
    /// Index into [`Struct::fields`](super::Struct::fields).
    FieldId,
    /// Index into [`Proc::vars`](super::Proc::vars).
    VarId,
    /// Index into [`Proc::values`](super::Proc::values).
    ValueId,
    /// Index into [`Proc::objects`](super::Proc::objects).
    ObjectId,
    /// Index into [`Proc::regions`](super::Proc::regions).
    RegionId,
    /// Index into [`Proc::items`](super::Proc::items).
    ItemId,
    /// Index into [`Proc::statements`](super::Proc::statements).
    StatementId,
    /// Index into [`Program::sources`](super::Program::sources).
    SourceId,
}

impl RegionId {
    /// The body of a procedure.
    pub const BODY: RegionId = RegionId(0);
}
