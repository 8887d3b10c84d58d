//! Sections: unions of symbolic intervals of the elements of each location.
//!
//! All elements that a location stands for are numbered: subscripts are flattened by extents, through arrays of structs
//! of arrays. A [`Piece`] is a half-open interval of these numbers; a location without a number (several blocks, an
//! unknown pointer) has only the whole.
//!
//! **Half-open remainder**: `[a,b) - [c,d) = [a,c) + [d,b)`, always right without any proof. Each half is dropped if it
//! is proved empty, and the piece stays as it is if it is proved disjoint.
//!
//! May-sets may be too large and must-sets too small, never the other way: [`add`] makes a may-set of more than eight
//! pieces whole, and [`must`] forgets.

use std::collections::BTreeMap;

use super::locs::Loc;
use super::poly::{Facts, Poly};

/// Elements `lo..hi` of a location, none if `hi <= lo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First.
    pub lo: Poly,
    /// Behind the last.
    pub hi: Poly,
}

/// Pieces of scalar locations: a union.
pub type Secs = BTreeMap<Loc, Vec<Piece>>;

/// More pieces of a location than this become one.
const PIECES: usize = 8;

impl Piece {
    /// All elements.
    pub fn whole() -> Piece {
        Piece { lo: Poly::infinity().scale(-1).expect("small"), hi: Poly::infinity() }
    }

    /// One element.
    pub fn one(at: Poly) -> Option<Piece> {
        Some(Piece { hi: at.plus(1)?, lo: at })
    }

    /// Whether it is all elements.
    pub fn is_whole(&self) -> bool {
        self.lo.is_end(-1) && self.hi.is_end(1)
    }

    /// The fact that it is not empty.
    pub fn filled(&self, facts: &Facts) -> Facts {
        facts.with(self.hi.sub(&self.lo).and_then(|p| p.plus(-1)))
    }

    /// Whether it is proved empty.
    pub fn empty(&self, facts: &Facts) -> bool {
        facts.at_most(&self.hi, &self.lo)
    }

    /// Whether the two are proved to have no element in common.
    pub fn disjoint(&self, other: &Piece, facts: &Facts) -> bool {
        let none = |p: &Piece| p.hi.sub(&p.lo).and_then(|d| d.as_constant()).is_some_and(|d| d <= 0);
        if none(self) || none(other) {
            return true;
        }
        let facts = other.filled(&self.filled(facts));
        facts.at_most(&self.hi, &other.lo) || facts.at_most(&other.hi, &self.lo)
    }

    /// Whether every element of it is proved to be in `other`.
    pub fn inside(&self, other: &Piece, facts: &Facts) -> bool {
        let facts = self.filled(facts);
        let from = other.is_whole() || self.lo == other.lo || facts.at_most(&other.lo, &self.lo);
        from && (other.is_whole() || self.hi == other.hi || facts.at_most(&self.hi, &other.hi))
    }

    /// What is left when `killed` is surely gone.
    fn minus(&self, killed: &Piece, facts: &Facts) -> Vec<Piece> {
        if killed.is_whole() {
            return Vec::new();
        }
        if !self.is_whole() && self.disjoint(killed, facts) {
            return vec![self.clone()];
        }
        let facts = self.filled(facts);
        let mut out = Vec::new();
        if self.lo != killed.lo && !facts.at_most(&killed.lo, &self.lo) {
            out.push(Piece { lo: self.lo.clone(), hi: killed.lo.clone() });
        }
        if self.hi != killed.hi && !facts.at_most(&self.hi, &killed.hi) {
            out.push(Piece { lo: killed.hi.clone(), hi: self.hi.clone() });
        }
        out
    }
}

/// Adds a piece to a may-set.
pub fn add(set: &mut Secs, loc: Loc, piece: Piece) {
    let pieces = set.entry(loc).or_default();
    if pieces.contains(&piece) || pieces.first().is_some_and(Piece::is_whole) {
        return;
    }
    if piece.is_whole() || pieces.len() >= PIECES {
        *pieces = vec![Piece::whole()];
    } else {
        pieces.push(piece);
    }
}

/// Adds a may-set to a may-set.
pub fn union(set: &mut Secs, other: &Secs) {
    for (loc, pieces) in other {
        for piece in pieces {
            add(set, *loc, piece.clone());
        }
    }
}

/// Adds a piece to a must-set, or forgets it where there are too many.
pub fn must(set: &mut Secs, loc: Loc, piece: Piece) {
    let pieces = set.entry(loc).or_default();
    if !pieces.contains(&piece) && pieces.len() < PIECES {
        pieces.push(piece);
    }
}

/// Adds a must-set to a must-set.
pub fn must_all(set: &mut Secs, other: Secs) {
    for (loc, pieces) in other {
        pieces.into_iter().for_each(|piece| must(set, loc, piece));
    }
}

/// Takes away from a may-set what a must-set surely covers.
pub fn kill(set: &mut Secs, killed: &Secs, facts: &Facts) {
    for (loc, killers) in killed {
        let Some(pieces) = set.get_mut(loc) else { continue };
        for killer in killers {
            let mut left: Vec<Piece> = Vec::new();
            for piece in std::mem::take(pieces) {
                let rest = piece.minus(killer, facts);
                let rest = if rest.len() > 1 && left.len() + 2 > PIECES { vec![piece] } else { rest };
                rest.into_iter().for_each(|p| {
                    if !left.contains(&p) {
                        left.push(p);
                    }
                });
            }
            *pieces = left;
        }
        if pieces.is_empty() {
            set.remove(loc);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{ProcId, ValueId};

    fn v(k: u32) -> Poly {
        Poly::value(ProcId(0), ValueId(k), false)
    }

    fn c(k: i128) -> Poly {
        Poly::constant(k)
    }

    fn piece(lo: Poly, hi: Poly) -> Piece {
        Piece { lo, hi }
    }

    #[test]
    fn what_is_not_empty_has_one_element_and_perhaps_no_more() {
        let facts = Facts::default();
        let inside = |end: i128| {
            let end = v(0).scale(2).and_then(|p| p.plus(end)).expect("no overflow");
            piece(c(0), v(0)).inside(&piece(c(0), end), &facts)
        };
        assert!(inside(-1));
        assert!(!inside(-2));
    }

    #[test]
    fn pieces_of_which_too_many_would_be_left_stay_whole() {
        let facts = Facts::default();
        let mut set = Secs::new();
        for k in 0..PIECES as i128 {
            add(&mut set, Loc(0), piece(c(10 * k), c(10 * k + 9)));
        }
        let holes = (0..PIECES as i128).map(|k| piece(c(10 * k + 4), c(10 * k + 5))).collect();
        kill(&mut set, &Secs::from([(Loc(0), holes)]), &facts);
        for k in 0..PIECES as i128 {
            let read = piece(c(10 * k + 1), c(10 * k + 2));
            assert!(set[&Loc(0)].iter().any(|left| read.inside(left, &facts)), "{k}: {:?}", set[&Loc(0)]);
        }
    }

    #[test]
    fn numbers_meet_where_they_overlap_and_only_there() {
        let facts = Facts::default();
        let from = |a, b| piece(c(a), c(b));
        assert!(from(0, 3).disjoint(&from(3, 5), &facts));
        assert!(!from(0, 4).disjoint(&from(3, 5), &facts));
        assert!(from(5, 6).disjoint(&from(3, 5), &facts));
        assert!(!from(4, 6).disjoint(&from(3, 5), &facts));
        assert!(!Piece::whole().disjoint(&from(3, 5), &facts));
        assert!(from(2, 2).disjoint(&from(0, 5), &facts));
    }

    #[test]
    fn a_remainder_needs_no_proof() {
        // [0,1) - [0,n) is [n,1): not known to be empty, but known not to meet [j,j+1) for j < n.
        let (n, j) = (v(0), v(1));
        let mut facts = Facts::default();
        facts.add(Some(j.clone()));
        facts.add(n.sub(&j).and_then(|p| p.plus(-1)));
        let none = Facts::default();
        let left = piece(c(0), c(1)).minus(&piece(c(0), n.clone()), &none);
        assert_eq!(left, vec![piece(n.clone(), c(1))]);
        assert!(left[0].disjoint(&Piece::one(j.clone()).unwrap(), &facts));
        assert!(!left[0].disjoint(&Piece::one(n.clone()).unwrap(), &none));
    }

    #[test]
    fn whole_minus_a_piece_leaves_both_sides() {
        let left = Piece::whole().minus(&piece(c(2), c(5)), &Facts::default());
        assert_eq!(left.len(), 2);
        let at = |k| Piece::one(c(k)).unwrap();
        for k in 2..5 {
            assert!(left.iter().all(|p| p.disjoint(&at(k), &Facts::default())), "{k}");
        }
        for k in [1, 5] {
            assert!(left.iter().any(|p| !p.disjoint(&at(k), &Facts::default())), "{k}");
        }
    }

    #[test]
    fn inside_is_exact_at_both_ends() {
        let facts = Facts::default();
        let from = |a, b| piece(c(a), c(b));
        assert!(from(1, 3).inside(&from(1, 3), &facts));
        assert!(!from(0, 3).inside(&from(1, 3), &facts));
        assert!(!from(1, 4).inside(&from(1, 3), &facts));
        assert!(from(1, 4).inside(&Piece::whole(), &facts));
        assert!(!Piece::whole().inside(&from(1, 4), &facts));
    }

    #[test]
    fn too_many_pieces_are_the_whole() {
        let mut set = Secs::new();
        for k in 0..9 {
            add(&mut set, Loc(0), Piece::one(c(2 * k)).unwrap());
        }
        assert_eq!(set[&Loc(0)], vec![Piece::whole()]);
    }
}
