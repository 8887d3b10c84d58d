//! What an operation moves, in numbers and in words.

#![forbid(unsafe_code)]

use crate::tape::types::Type;

/// What is pushed or popped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tape) struct Load {
    pub ty: Type,
    /// Values; of control, the bits.
    pub count: u64,
}

impl Load {
    /// What all operations of a place have in common: the type and, of control, the number of bits.
    #[inline]
    pub fn what(self) -> u32 {
        match self.ty {
            Type::Control => self.ty as u32 | (self.count as u32) << 8,
            ty => ty as u32,
        }
    }

    /// What a record has to say besides.
    #[inline]
    pub fn counted(self) -> u64 {
        if self.ty == Type::Control { 1 } else { self.count }
    }

    /// Whether one value takes more or fewer bytes than another.
    #[inline]
    pub fn varies(self) -> bool {
        self.ty != Type::Control && !self.ty.has_arrays()
    }

    /// `one f64`, `10 values of f64`, `2 control bits`.
    pub fn said(self) -> String {
        let name = self.ty.name();
        match self.count {
            1 if self.ty == Type::Control => "one control bit".to_owned(),
            1 => format!("one {name}"),
            count if self.ty == Type::Control => format!("{count} control bits"),
            count => format!("{count} values of {name}"),
        }
    }
}
