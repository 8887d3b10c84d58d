//! A declaration's procedures: one for each form, kind, width of integers and rank.

use crate::call::{Argument, Call, Shape, Type};
use crate::kinds::{Kind, Pairing};
use crate::words::Passing;

/// On which tape, or heap, a procedure works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// On the calling thread's own.
    Own,
    /// On the one that is handed over.
    Given,
    /// On none.
    None,
}

/// One procedure of a declaration.
#[derive(Clone, Debug)]
pub struct Variant<'a> {
    /// What was declared.
    pub call: &'a Call,
    /// On which tape.
    pub form: Form,
    /// For which kind, if the declaration is for a set of them.
    pub pairing: Option<Pairing>,
    /// For which rank, if the declaration is for each.
    pub rank: Option<usize>,
    /// Bits of the arguments that are integers of either width, in order.
    pub widths: Vec<u8>,
}

/// All procedures of a declaration, form by form innermost.
pub fn all<'a>(call: &'a Call, kinds: &[Pairing], ranks: &[usize]) -> Vec<Variant<'a>> {
    let forms: &[Form] = if call.on_tape || call.on_heap { &[Form::Own, Form::Given] } else { &[Form::None] };
    let wide = call.arguments.iter().filter(|argument| width_varies(argument)).count();
    let mut found = Vec::new();
    for rank in optional(ranks) {
        for pairing in optional(kinds) {
            for choice in 0..1_u32 << wide {
                let width = |i: usize| if choice >> (wide - 1 - i) & 1 == 0 { 32 } else { 64 };
                let widths: Vec<u8> = (0..wide).map(width).collect();
                for &form in forms {
                    found.push(Variant { call, form, pairing, rank, widths: widths.clone() });
                }
            }
        }
    }
    found
}

fn optional<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

/// Whether there is a procedure for either width of an argument.
pub fn width_varies(argument: &Argument) -> bool {
    matches!(&argument.what, Type::Word(word) if matches!(word.passing, Passing::Size | Passing::Integer))
}

impl Variant<'_> {
    /// What its name has beside the call's: kind, widths and rank.
    pub fn suffix(&self) -> String {
        let kind = self.pairing.map_or(String::new(), |pairing| format!("_{}", pairing.name));
        let widths: String = self.widths.iter().map(|width| format!("_i{width}")).collect();
        let rank = self.rank.map_or(String::new(), |rank| format!("_rank{rank}"));
        kind + &widths + &rank
    }

    /// The preprocessor's condition for its kind, or nothing.
    pub fn condition(&self) -> &'static str {
        self.pairing.map_or("", |pairing| pairing.kind.condition)
    }

    /// The kind of an argument whose type varies with the procedure; the outer None if it is no argument of this one.
    pub fn kind_of(&self, argument: &Argument) -> Option<Option<Kind>> {
        match argument.what {
            Type::Kind => Some(Some(self.pairing?.kind)),
            Type::Adjoint => self.pairing?.adjoint.map(Some),
            _ => Some(None),
        }
    }

    /// Whether an argument may be left out.
    pub fn is_optional(&self, argument: &Argument) -> bool {
        argument.optional && !(matches!(argument.what, Type::Adjoint) && self.pairing.is_some_and(|p| !p.optional))
    }

    /// The arguments of this procedure with the bits of those whose width varies, without tape, heap and status.
    pub fn arguments(&self) -> Vec<(&Argument, Option<u8>)> {
        let mut widths = self.widths.iter().copied();
        let arguments = self.call.arguments.iter().filter(|argument| self.kind_of(argument).is_some());
        arguments.map(|argument| (argument, width_varies(argument).then(|| widths.next()).flatten())).collect()
    }

    /// An argument's dimensions, as its declaration has them.
    pub fn shape(&self, argument: &Argument) -> String {
        match &argument.shape {
            Shape::Scalar => String::new(),
            Shape::As(text) => text.clone(),
            Shape::Rank => colons(self.rank.unwrap_or(0)),
        }
    }
}

/// The dimensions of an array of assumed shape.
pub fn colons(rank: usize) -> String {
    if rank == 0 { String::new() } else { format!("({})", vec![":"; rank].join(", ")) }
}
