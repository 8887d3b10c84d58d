//! Terms: what a value is, in terms of what a procedure begins with. Equal terms have one number.
//!
//! An integer is a polynomial over atoms in normal form; what is no polynomial is an atom of its own. Reals are kept as
//! the program computes them: no rule of algebra is applied to them. The polynomial of an integer gives it modulo two
//! to the power of its width. It is **exact** if it gives the number itself: arithmetic of signed integers does not
//! overflow, so a sum of exact terms is exact. Only exact terms may be made wider.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::collections::BTreeSet;

use crate::flow::poly::{Atom, Poly};
use crate::ir::{Binary, Function, GlobalId, ItemId, ObjectId, ProcId, Type, Unary, ValueId, VarId};

/// The number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct T(pub u32);

/// The number of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct P(pub u32);

/// A state of memory in the forward sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Version(pub u32);

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Term {
    /// An integer that is more than an atom.
    Int(Poly),
    /// The argument at this position.
    Entry(u32),
    /// A carried variable when a pass begins that is no sum of equal steps.
    Head(ItemId, u32),
    /// The same behind the loop.
    Out(ItemId, u32),
    /// The result of a call.
    Result(ItemId),
    /// What has no definition.
    Undefined(ValueId),
    /// How often a loop runs, where no index tells.
    Passes(ItemId),
    /// How many passes ran before the one at hand.
    Pass(ItemId),
    /// How often a loop runs whose index is the first away from its bound and goes by the second: 0 if it is not above 0.
    Trips(T, i128),
    /// The second if the first is not 0, else the third.
    Choose(T, T, T),
    /// An operation that is not taken apart. The type is that of an operand, or of the result for conversions.
    Unary(Unary, T, Type),
    /// An operation with two operands.
    Binary(Binary, T, T, Type),
    /// A function of the table.
    Function(Function, Vec<T>),
    /// A conversion that may change the number.
    Cast(T, Type, Type),
    /// A real constant.
    Float(String),
    /// Text that C understands.
    Text(String),
    /// The null pointer.
    Null,
    /// What a place holds in a state of memory.
    Load(Version, P),
    /// An object of the primal: the root of places in it.
    Object(ObjectId),
    /// An object with static storage.
    Global(GlobalId),
    /// The adjoint of a variable.
    Variable(VarId),
    /// An object that only the reverse sweep has.
    Own(ObjectId),
    /// The shadow of a pointer or root.
    Shadow(T),
    /// A pointer to a place.
    Address(P),
    /// The adjoint of the result.
    Seed,
    /// What an adjoint holds when an item is about to be reversed.
    Adjoint(P),
    /// What a reverse sweep that was called left in the adjoint of an argument.
    Returned(ItemId, u32),
    /// Nobody knows: memory that was not restored, or an adjoint that was not set.
    Lost(u32),
}

/// A place: a root and the way to a scalar or to elements from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    pub root: T,
    pub steps: Vec<Way>,
}

/// A step of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    Field(u32),
    /// One element.
    At(T),
    /// Elements from the first to the one before the second.
    Range(T, T),
    /// All elements, and all that is in them.
    All,
}

/// All terms and places of one procedure.
#[derive(Default)]
pub(super) struct Terms {
    terms: Vec<Term>,
    known: FxHashMap<Term, T>,
    spots: Vec<Spot>,
    known_spots: FxHashMap<Spot, P>,
    /// Whether an adjoint is in the term.
    linear: Vec<bool>,
    /// Terms that are the number itself at a width and sign.
    exact: FxHashSet<(T, u8, bool)>,
    /// By what the lowest bits of a number with a sign are: the number itself, at that width.
    signed: FxHashMap<(T, u8), T>,
    /// Kept from one walk for the next.
    seen: Cell<Seen>,
}

/// Terms that a walk has met, each with the last walk that did.
#[derive(Default)]
struct Seen {
    walk: u64,
    met: Vec<u64>,
}

impl Seen {
    fn begin(&mut self, terms: usize) {
        self.walk += 1;
        self.met.resize(terms, 0);
    }

    /// Whether the walk has not met the term before.
    fn insert(&mut self, t: T) -> bool {
        std::mem::replace(&mut self.met[t.0 as usize], self.walk) != self.walk
    }
}

impl Terms {
    pub fn make(&mut self, term: Term) -> T {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let linear = match &term {
            Term::Seed | Term::Adjoint(_) | Term::Returned(..) => true,
            Term::Unary(_, x, _) | Term::Cast(x, ..) => self.is_linear(*x),
            Term::Binary(_, x, y, _) => self.is_linear(*x) || self.is_linear(*y),
            Term::Function(_, args) => args.iter().any(|x| self.is_linear(*x)),
            Term::Choose(c, x, y) => [c, x, y].into_iter().any(|x| self.is_linear(*x)),
            _ => false,
        };
        let new = T(u32::try_from(self.terms.len()).expect("fewer than 2^32 terms"));
        self.terms.push(term.clone());
        self.known.insert(term, new);
        self.linear.push(linear);
        new
    }

    pub fn get(&self, t: T) -> &Term {
        &self.terms[t.0 as usize]
    }

    pub fn is_linear(&self, t: T) -> bool {
        self.linear[t.0 as usize]
    }

    pub fn spot(&mut self, spot: Spot) -> P {
        if let Some(&known) = self.known_spots.get(&spot) {
            return known;
        }
        let new = P(u32::try_from(self.spots.len()).expect("fewer than 2^32 places"));
        self.spots.push(spot.clone());
        self.known_spots.insert(spot, new);
        new
    }

    pub fn get_spot(&self, p: P) -> &Spot {
        &self.spots[p.0 as usize]
    }

    // ---- integers ------------------------------------------------------------------------------------------------

    /// The polynomial of an integer.
    pub fn poly(&self, t: T) -> Poly {
        match self.get(t) {
            Term::Int(poly) => poly.clone(),
            term => {
                let natural = match term {
                    Term::Pass(_) | Term::Passes(_) | Term::Trips(..) => true,
                    Term::Cast(_, Type::Int { bits: own, signed: false, .. }, Type::Int { bits, .. }) => bits > own,
                    Term::Cast(_, Type::Float { .. }, Type::Int { signed: false, .. }) => true,
                    _ => false,
                };
                Poly::atom(Atom::Value(ProcId(0), ValueId(t.0), natural))
            }
        }
    }

    /// The integer of a polynomial.
    pub fn int(&mut self, poly: Poly) -> T {
        match poly.as_value() {
            Some((_, atom)) => T(atom.0),
            None => self.make(Term::Int(poly)),
        }
    }

    pub fn number(&mut self, n: i128) -> T {
        self.make(Term::Int(Poly::constant(n)))
    }

    pub fn constant(&self, t: T) -> Option<i128> {
        match self.get(t) {
            Term::Int(poly) => poly.as_constant(),
            _ => None,
        }
    }

    /// `x + scale * y`, as integers; `None` where coefficients grow too large.
    pub fn sum(&mut self, x: T, y: T, scale: i128) -> Option<T> {
        let poly = self.poly(x).add(&self.poly(y).scale(scale)?)?;
        Some(self.int(poly))
    }

    /// What is not negative if and only if one integer is less than another.
    pub fn less(&self, low: T, high: T) -> Option<Poly> {
        self.poly(high).sub(&self.poly(low))?.plus(-1)
    }

    pub fn product(&mut self, x: T, y: T) -> Option<T> {
        let poly = self.poly(x).mul(&self.poly(y))?;
        Some(self.int(poly))
    }

    /// Says that a term is the number itself at this type.
    pub fn is_exactly(&mut self, t: T, ty: &Type) {
        let Type::Int { bits, signed, .. } = *ty else { return };
        if self.exact.insert((t, bits, signed)) && signed && bits < 64 {
            let poly = self.unwidened(t, bits).modulo(bits);
            let low = self.int(poly);
            if low != t {
                self.signed.entry((low, bits)).or_insert(t);
            }
        }
    }

    pub fn is_exact(&self, t: T, ty: &Type) -> bool {
        let Type::Int { bits, signed, .. } = ty else { return false };
        match self.constant(t) {
            Some(n) if *signed => (-(1i128 << (bits - 1))..1 << (bits - 1)).contains(&n),
            Some(n) => (0..1i128 << bits).contains(&n),
            None => self.exact.contains(&(t, *bits, *signed)),
        }
    }

    /// An integer at another type.
    pub fn convert(&mut self, t: T, from: &Type, to: &Type) -> T {
        let (Type::Int { bits: own, signed: own_sign, .. }, Type::Int { bits, signed, .. }) = (from, to) else {
            return self.make(Term::Cast(t, unnamed(from), unnamed(to)));
        };
        if let Some(n) = self.constant(t) {
            return self.number(wrapped(n, *bits, *signed));
        }
        if *bits == 1 || (bits > own && !self.is_exact(t, from)) {
            // What has no sign is the same number at every wider type.
            let signed = *signed || *bits > 1 && !own_sign;
            let to = if signed { Type::signed(*bits) } else { Type::unsigned(*bits) };
            return self.make(Term::Cast(t, unnamed(from), to));
        }
        let poly = if bits <= own { self.unwidened(t, *bits) } else { self.poly(t) };
        let new = self.int(poly.modulo(*bits));
        // What had no sign, or more bits than an int, may be another number as one: an integer of its own, so that
        // arithmetic with it is exact.
        let may_differ = bits == own && !own_sign || bits < own && *bits == 32;
        if *signed && *bits < 64 && may_differ && self.constant(new).is_none() && !self.is_exact(new, to) {
            if let Some(&known) = self.signed.get(&(new, *bits)) {
                return known;
            }
            let low = Type::unsigned(*bits);
            let new = self.make(Term::Cast(new, low, unnamed(to)));
            self.is_exactly(new, to);
            return new;
        }
        // A number that does not change is the number itself at its new type.
        if self.is_exact(t, from) && (own_sign == signed && bits >= own || !own_sign && bits > own) {
            self.is_exactly(new, to);
        }
        new
    }

    /// A polynomial that is the same modulo two to the power of `bits`: what was made wider from at least as many bits is
    /// what it was before.
    fn unwidened(&self, t: T, bits: u8) -> Poly {
        let poly = self.poly(t);
        let by = |_: ProcId, atom: ValueId| match *self.get(T(atom.0)) {
            Term::Cast(x, Type::Int { bits: own, .. }, Type::Int { bits: to, .. }) if bits <= own && own <= to => {
                Some(self.poly(x))
            }
            _ => None,
        };
        poly.replace(&by).unwrap_or(poly)
    }

    /// The sum, difference or product of two integers of a type.
    pub fn arithmetic(&mut self, op: Binary, x: T, y: T, ty: &Type) -> Option<T> {
        let Type::Int { bits, signed, .. } = ty else { return None };
        let (a, b) = (self.poly(x), self.poly(y));
        let poly = match op {
            Binary::Add => a.add(&b)?,
            Binary::Subtract => a.sub(&b)?,
            Binary::Multiply => a.mul(&b)?,
            _ => return None,
        };
        if *signed {
            let exact = self.is_exact(x, ty) && self.is_exact(y, ty);
            let new = self.int(poly);
            if exact {
                self.is_exactly(new, ty);
            }
            return Some(new);
        }
        Some(self.int(poly.modulo(*bits)))
    }

    /// What is left of `a ^ b` where one of them is the other and something else: the undoing of `^=`.
    pub fn xor(&self, a: T, b: T) -> Option<T> {
        [(a, b), (b, a)].into_iter().find_map(|(sum, one)| match *self.get(sum) {
            Term::Binary(Binary::BitXor, x, y, _) if y == one => Some(x),
            Term::Binary(Binary::BitXor, x, y, _) if x == one => Some(y),
            _ => None,
        })
    }

    /// Whether an integer has an atom for which the test holds, or an atom that is made of one.
    pub fn mentions(&self, t: T, test: &dyn Fn(&Term) -> bool) -> bool {
        let mut seen = self.seen.take();
        seen.begin(self.terms.len());
        let found = self.mentions_new(t, test, &mut seen);
        self.seen.set(seen);
        found
    }

    fn mentions_new(&self, t: T, test: &dyn Fn(&Term) -> bool, seen: &mut Seen) -> bool {
        if !seen.insert(t) {
            return false;
        }
        let term = self.get(t);
        if test(term) {
            return true;
        }
        self.parts(term).into_iter().any(|part| self.mentions_new(part, test, seen))
    }

    /// The loops whose passes are mentioned.
    pub fn passes(&self, about: &[T]) -> BTreeSet<ItemId> {
        let (mut found, mut open) = (BTreeSet::new(), about.to_vec());
        let mut seen = self.seen.take();
        seen.begin(self.terms.len());
        while let Some(t) = open.pop() {
            if seen.insert(t) {
                let term = self.get(t);
                if let Term::Pass(item) = term {
                    found.insert(*item);
                }
                open.extend(self.parts(term));
            }
        }
        self.seen.set(seen);
        found
    }

    /// The terms that a term is made of.
    pub fn parts(&self, term: &Term) -> Vec<T> {
        match term {
            Term::Int(poly) => {
                let mut atoms = BTreeSet::new();
                poly.values(&mut atoms);
                atoms.into_iter().map(|(_, atom)| T(atom.0)).collect()
            }
            Term::Trips(x, _) | Term::Unary(_, x, _) | Term::Cast(x, ..) | Term::Shadow(x) => vec![*x],
            Term::Binary(_, x, y, _) => vec![*x, *y],
            Term::Choose(c, x, y) => vec![*c, *x, *y],
            Term::Function(_, args) => args.clone(),
            Term::Load(_, p) | Term::Address(p) | Term::Adjoint(p) => self.parts_of_spot(*p),
            _ => Vec::new(),
        }
    }

    pub fn parts_of_spot(&self, p: P) -> Vec<T> {
        let spot = self.get_spot(p);
        let steps = spot.steps.iter().flat_map(|step| match step {
            Way::At(t) => vec![*t],
            Way::Range(a, b) => vec![*a, *b],
            Way::Field(_) | Way::All => Vec::new(),
        });
        std::iter::once(spot.root).chain(steps).collect()
    }
}

/// A type without the name that C gives it, which means nothing here.
pub(super) fn unnamed(ty: &Type) -> Type {
    match ty {
        Type::Int { bits, signed: true, .. } => Type::signed(*bits),
        Type::Int { bits, signed: false, .. } => Type::unsigned(*bits),
        other => other.clone(),
    }
}

/// A number at a width and sign.
fn wrapped(n: i128, bits: u8, signed: bool) -> i128 {
    let modulus = 1i128 << bits;
    let n = n.rem_euclid(modulus);
    // Unsigned numbers near the modulus stand for negative ones, as coefficients do.
    if (signed || bits >= 32) && n >= modulus / 2 { n - modulus } else { n }
}
