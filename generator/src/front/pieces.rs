//! Parts of lists of statements that may jump, of any language.

use crate::ir::StatementId;

/// A statement in the tree of a language.
pub trait Part: Copy {
    /// Whether it jumps to a label.
    fn jumps_to(self, label: u64) -> bool;
    /// Labels in it at which control can come in from before.
    fn labels_inside(self) -> Vec<u64>;
    /// Whether it has a label anywhere.
    fn has_label(self) -> bool;
    /// Whether control may reach what follows. `true` if in doubt.
    fn may_fall(self) -> bool;
    /// Whether it declares what statements behind it name.
    fn is_declaration(self) -> bool;
    /// For an `if` with one arm that always leaves: whether the first arm is the one that stays.
    fn arm_that_stays(self) -> Option<bool>;
}

/// A part of a list.
#[derive(Clone)]
pub enum Piece<P> {
    /// A statement without label.
    Statement(P),
    /// A label.
    Label(u64),
    /// A jump in place of falling into a label that was moved.
    Goto(u64),
    /// Statements that some of them jump back to: to a label in front of all of them, or within the first one.
    Again { label: u64, within: bool, pieces: Vec<Piece<P>> },
    /// The step of a `for`, behind its body: it belongs to the loop's statement.
    Step(P, Option<StatementId>),
}

impl<P: Part> Piece<P> {
    /// Whether it jumps to a label.
    pub fn jumps_to(&self, label: u64) -> bool {
        match self {
            Piece::Statement(part) => part.jumps_to(label),
            Piece::Goto(to) => *to == label,
            Piece::Label(_) | Piece::Step(..) => false,
            Piece::Again { pieces, .. } => pieces.iter().any(|piece| piece.jumps_to(label)),
        }
    }

    /// Labels here at which control can come in from before.
    pub fn labels(&self) -> Vec<u64> {
        match self {
            Piece::Label(label) => vec![*label],
            Piece::Statement(part) => part.labels_inside(),
            Piece::Again { pieces, .. } => pieces.iter().flat_map(Piece::labels).collect(),
            Piece::Goto(_) | Piece::Step(..) => Vec::new(),
        }
    }

    /// Whether control may reach what follows.
    pub fn falls(&self) -> bool {
        match self {
            Piece::Statement(part) => part.may_fall(),
            Piece::Goto(_) => false,
            Piece::Label(_) | Piece::Again { .. } | Piece::Step(..) => true,
        }
    }
}
