//! Types: numbers, pointers, arrays, structs.

use super::{FieldId, IdVec, StructId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Named types.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// Structs, in order of first appearance.
    pub structs: IdVec<StructId, Struct>,
    /// The typedef of a pointer to a struct without a name: nothing else names its type.
    pub pointers: BTreeMap<StructId, String>,
}

impl Types {
    /// The type and count of the numbers that a type consists of, if it is one type.
    pub fn numbers(&self, ty: &Type) -> Option<(Type, u64)> {
        match ty {
            Type::Array(row) => {
                let (number, count) = self.numbers(&row.elem)?;
                Some((number, count.checked_mul(row.extent?)?))
            }
            Type::Struct(id) => {
                let mut all = self.structs[*id].fields.iter().map(|field| self.numbers(&field.ty));
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
    pub fields: IdVec<FieldId, Field>,
    /// The members that the source declares, if the only one of [`Self::fields`] is an array of all their numbers.
    pub parts: Vec<Field>,
    /// Whether it is a union, whose members, all pointers, share memory.
    pub shared: bool,
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
        self.fields.last().is_some_and(|last| last.ty.is_open())
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

/// Which parts of a declared type are `const`: number 0 is the variable itself, number k what k pointers lead to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Constants(u8);

impl Constants {
    /// Takes note that a part is `const`. Deeper parts than the seventh count as the seventh.
    pub fn add(&mut self, part: u32) {
        self.0 |= 1 << part.min(7);
    }

    /// Whether any part is.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether a part is to which the variable, a pointer, leads.
    pub fn is_led_to(self) -> bool {
        self.0 > 1
    }

    /// Whether the last part of this type is.
    pub fn is_last(self, ty: &Type) -> bool {
        let depth = std::iter::successors(ty.target(), |ty| ty.innermost().target()).count();
        self.0 >> depth.min(7) & 1 == 1
    }
}

/// Which of the integer types of one width it is: C tells them apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum IntKind {
    /// A type that is defined by its width: `uint64_t`.
    #[default]
    Exact,
    /// `_Bool`
    Bool,
    /// `char`, `unsigned char`
    Char,
    /// `signed char`
    SignedChar,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `long long`
    LongLong,
    /// `size_t`, `ssize_t`
    Size,
    /// `ptrdiff_t`
    Difference,
    /// `intptr_t`
    Address,
    /// A type of the source: `enum side`.
    Named(Name),
}

/// A type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    #[default]
    Void,
    /// An integer, a truth value, a character or an enumeration.
    Int {
        /// Width in bits: 8, 16, 32, 64; 1 for `_Bool`.
        bits: u8,
        /// Whether negative values exist. Unsigned arithmetic wraps; signed arithmetic never overflows.
        signed: bool,
        /// Which of the integer types of this width it is.
        kind: IntKind,
    },
    /// `float` (32) or `double` (64). `long double` is kept as 80.
    Float {
        /// 32, 64 or 80.
        bits: u8,
    },
    /// A pointer. `restrict` and `const` are not kept here.
    Pointer(Arc<Type>),
    /// An array inside a struct, behind a pointer or declared.
    Array(Arc<Row>),
    /// A struct.
    Struct(StructId),
    /// A type that is only passed on: `FILE`, a union, a function. Access to what is inside is refused.
    Opaque(Name),
}

impl Type {
    /// A pointer to a type.
    pub fn pointer(to: Type) -> Type {
        Type::Pointer(Arc::new(to))
    }

    /// An array of so many elements, as far as that is known.
    pub fn array(elem: Type, extent: Option<u64>) -> Type {
        Type::Array(Arc::new(Row { elem, extent }))
    }

    /// Whether it is an array whose extent is no constant.
    pub fn is_open(&self) -> bool {
        matches!(self, Type::Array(row) if row.extent.is_none())
    }

    /// What a pointer points to, or what an array has for elements.
    pub fn inside(&self) -> Option<&Type> {
        match self {
            Type::Pointer(to) => Some(to),
            Type::Array(row) => Some(&row.elem),
            _ => None,
        }
    }
}

/// Elements that lie one behind the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// Type of an element; an array again for several dimensions.
    pub elem: Type,
    /// Extent if it is a constant; `None`: given by a value (see [`Dim`](super::Dim)) or not known.
    pub extent: Option<u64>,
}

/// A name that many types share. It is one word, because each expression has a type.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<Box<str>>);

impl std::ops::Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name(Arc::new(text.into()))
    }
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        std::fmt::Debug::fmt(&**self, f)
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self)
    }
}
