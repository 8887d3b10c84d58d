//! Memory that variables share, cut into stretches: see `storage.rs`, which finds them.

use crate::ir::{Dim, Expr, GlobalId, Type};
use adtape_fortran::scope::program::SymbolId;
use rustc_hash::FxHashMap;

/// Memory that variables share.
#[derive(Default)]
pub struct Storage {
    /// Stretches of all blocks and sets.
    pub stretches: Vec<Stretch>,
    /// By variable: its stretch, and how many elements in front of it the stretch has.
    pub places: FxHashMap<SymbolId, (usize, i128)>,
    /// Why a variable has no place.
    pub refused: FxHashMap<SymbolId, String>,
}

/// Memory of one type between two cuts.
pub struct Stretch {
    /// What sweeps call it.
    pub name: String,
    /// The type of an element.
    pub elem: Type,
    /// The bounds that all procedures agree on; else a row of elements from 1.
    pub bounds: Vec<(i128, i128)>,
    /// Whether variables are parts of it.
    pub is_row: bool,
    /// Its block, and its part there; none for variables of one procedure.
    pub part: Option<(usize, usize)>,
    /// The variable with static storage that it is, once a procedure names it.
    pub global: Option<GlobalId>,
}

impl Storage {
    /// Whether a variable shares memory.
    pub fn has(&self, id: SymbolId) -> bool {
        self.places.contains_key(&id) || self.refused.contains_key(&id)
    }

    /// Whether two variables lie in one stretch.
    pub fn meet(&self, one: SymbolId, other: SymbolId) -> bool {
        let stretch = |id| self.places.get(id).map(|(stretch, _)| *stretch);
        stretch(&one).is_some_and(|stretch_of_one| stretch(&other) == Some(stretch_of_one))
    }
}

impl Stretch {
    /// The number of elements.
    pub fn count(&self) -> i128 {
        self.bounds.iter().map(|(lower, upper)| (upper - lower + 1).max(0)).product()
    }

    /// Its dimensions, the first of Fortran first.
    pub fn dims(&self) -> Vec<Dim> {
        self.bounds.iter().map(|(lower, upper)| Dim::of(Expr::int((upper - lower + 1).max(0)))).collect()
    }
}
