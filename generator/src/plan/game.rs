//! The token game: which values the reverse sweep can have without storing them.
//!
//! A token on a value says that the reverse sweep can name it wherever it needs it inside the current region.
//! Tokens are given (arguments, what the tape returns, the index of a reversed loop) and derived: a value is
//! *recomputed* when the operands of its definition have tokens; an operand is found by *inverting* a definition whose
//! result and other operands have tokens. The paper plays this on pairs of variable and definition (Hascoët, Utke,
//! Naumann: Cheaper Adjoints, section 3); values in SSA form are these pairs.
//!
//! Tokens live on levels, one for each region that the reverse sweep is in. A token that is derived inside a region is
//! gone when the region is left, and is derived again when it is asked for again.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::facts::Analysed;
use super::levels::Levels;
use super::recompute::{Definition, Definitions};
use crate::ir::{Binary, Expr, ExprKind, ItemId, Place, Proc, ProcId, RegionId, Step, Subscript, Type, Unary, ValueId};

/// How the reverse sweep gets a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// It has a name already: popped, an index, a constant of the sweep.
    Named,
    /// The argument at this position.
    Entry(u32),
    /// The end of carried variable `1` of loop `0`: what the reversed loop carries backwards.
    Carried(ItemId, u32),
    /// Evaluate the expression.
    Recipe(Expr, How),
}

/// Why a recipe is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It is the definition.
    Recompute,
    /// It solves the definition of this value.
    Invert(ValueId),
    /// It is equal by control flow: the end of an arm and the join, a flag that the loop's test implies.
    Same,
}

struct Level {
    region: RegionId,
    /// Whether the values of the region are not computed yet: only those that are given have tokens.
    closed: bool,
    /// In an arm: the values behind the branch that are values at the end of the arm, see [`Game::same`].
    same: Vec<ValueId>,
}

/// The game in one procedure.
pub struct Game<'a> {
    proc: &'a Proc,
    id: ProcId,
    facts: &'a Analysed<'a>,
    definitions: &'a Definitions,
    levels: Vec<Level>,
    /// The tokens on each level.
    tokens: Levels<Token>,
    /// The levels of each region.
    regions: FxHashMap<RegionId, Vec<usize>>,
    /// By value behind a branch: the values at the ends of its arms that it is on their levels, outermost first.
    same: FxHashMap<ValueId, Vec<(usize, ValueId)>>,
    /// Largest cost at which a real is recomputed.
    dear: u32,
    /// While a token is tried: the values that got tokens by it, so that they can be taken away again.
    trail: Option<Vec<ValueId>>,
    /// Moves that were tried.
    steps: u64,
}

impl<'a> Game<'a> {
    /// A game without tokens, in no region yet.
    pub fn new(proc: &'a Proc, id: ProcId, facts: &'a Analysed<'a>, definitions: &'a Definitions, dear: u32) -> Self {
        Game {
            proc,
            id,
            facts,
            definitions,
            levels: Vec::new(),
            tokens: Levels::default(),
            regions: FxHashMap::default(),
            same: FxHashMap::default(),
            dear,
            trail: None,
            steps: 0,
        }
    }

    /// Enters a region with tokens on some values. `same`: pairs of a value from outside and one that it equals in
    /// this region.
    pub fn enter(&mut self, region: RegionId, given: Vec<(ValueId, Token)>, same: &[(ValueId, ValueId)]) {
        let mut new: Vec<ValueId> = same.iter().map(|pair| pair.0).filter(|outer| self.has(*outer)).collect();
        self.push(region, false);
        let top = self.tokens.top();
        for (outer, inner) in same {
            self.same.entry(*outer).or_default().push((top, *inner));
            self.levels[top].same.push(*outer);
        }
        for (value, token) in given {
            if self.set(value, token) {
                new.push(value);
            }
        }
        // Definitions of this region whose operands all come from outside.
        for &value in self.definitions.of_region(region) {
            if !self.has(value) && (self.is_what_is_behind(value, same) || self.recompute(value)) {
                new.push(value);
            }
        }
        self.propagate(new);
    }

    /// Puts a token on a value at the end of an arm that an operand of its own definition was recovered from: it has not to
    /// be computed again.
    fn is_what_is_behind(&mut self, value: ValueId, same: &[(ValueId, ValueId)]) -> bool {
        let Some((outer, _)) = same.iter().find(|(outer, inner)| *inner == value && self.has(*outer)) else {
            return false;
        };
        let Some(definition) = self.definitions.get(value) else { return false };
        let mut recovered = false;
        crate::ir::walk::values(&definition.expr, &mut |v| {
            recovered |= matches!(self.token(v), Some(Token::Recipe(_, How::Invert(from))) if from == outer);
        });
        recovered && self.set(value, Token::Recipe(self.proc.value_expr(*outer), How::Same))
    }

    /// Enters a region that is about to be run again: tokens on what a pass begins with.
    pub fn enter_closed(&mut self, region: RegionId, given: Vec<(ValueId, Token)>) {
        self.push(region, true);
        for (value, token) in given {
            self.set(value, token);
        }
    }

    /// The innermost region has been run again: tokens on values that it computed, and all that follows.
    pub fn open(&mut self, given: Vec<ValueId>) {
        let top = self.levels.last_mut().expect("a region is entered");
        top.closed = false;
        let region = top.region;
        let mut new: Vec<ValueId> = self.tokens.on_top().to_vec();
        new.sort();
        for value in given {
            if self.set(value, Token::Named) {
                new.push(value);
            }
        }
        for &value in self.definitions.of_region(region) {
            if !self.has(value) && self.recompute(value) {
                new.push(value);
            }
        }
        self.propagate(new);
    }

    /// Leaves the innermost region: its tokens are gone.
    pub fn leave(&mut self) {
        let left = self.levels.pop().expect("a region is entered");
        self.tokens.leave();
        self.regions.get_mut(&left.region).and_then(Vec::pop);
        for outer in left.same {
            self.same.get_mut(&outer).and_then(Vec::pop);
        }
    }

    fn push(&mut self, region: RegionId, closed: bool) {
        self.regions.entry(region).or_default().push(self.levels.len());
        self.levels.push(Level { region, closed, same: Vec::new() });
        self.tokens.enter();
    }

    /// The token of a value.
    pub fn token(&self, value: ValueId) -> Option<&Token> {
        self.tokens.get(value)
    }

    /// Whether the value has a token.
    pub fn has(&self, value: ValueId) -> bool {
        self.token(value).is_some()
    }

    /// Whether every value of the expression has a token.
    pub fn has_all(&self, expr: &Expr) -> bool {
        let mut all = true;
        crate::ir::walk::values(expr, &mut |v| all &= self.has(v));
        all
    }

    /// Whether the region of the value is being reversed.
    pub fn visible(&self, value: ValueId) -> bool {
        let region = self.proc.values[value].region;
        self.levels_of(region).any(|level| !self.levels[level].closed)
    }

    /// The level of the region of a value: 0 is the body.
    pub fn level_of(&self, value: ValueId) -> Option<usize> {
        let region = self.proc.values[value].region;
        self.levels_of(region).next()
    }

    /// The levels of a region, but for those that are taken away.
    fn levels_of(&self, region: RegionId) -> impl Iterator<Item = usize> {
        let all = self.regions.get(&region).into_iter().flatten().copied();
        all.filter(|level| *level < self.levels.len())
    }

    /// How many moves were tried.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of levels.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Puts a token on a value, on the level given, and derives what follows: there, so that it stays when a region inside
    /// is left, and then in all regions.
    pub fn give(&mut self, level: usize, value: ValueId, token: Token) {
        let mut all = vec![value];
        if level == self.tokens.top() {
            self.tokens.insert(level, value, token);
        } else {
            let (inside, tokens) = (self.levels.split_off(level + 1), self.tokens.take_inside(level));
            self.tokens.insert(level, value, token);
            all.extend(self.propagate(vec![value]));
            self.levels.extend(inside);
            self.tokens.put_back(tokens);
        }
        self.propagate(all);
    }

    /// How many of the wanted values would get a token with one on `candidate`; 0 if `goal` would not.
    pub fn gain(&mut self, candidate: ValueId, goal: ValueId, wanted: &BTreeSet<ValueId>) -> usize {
        let trail = self.followers(candidate);
        if !trail.contains(&goal) && !self.has(goal) {
            0
        } else if wanted.is_empty() {
            trail.len()
        } else {
            trail.iter().filter(|v| wanted.contains(v)).count().max(1)
        }
    }

    /// Whether a token on `candidate` would be one on a wanted value.
    pub fn brings(&mut self, candidate: ValueId, wanted: &BTreeSet<ValueId>) -> bool {
        wanted.contains(&candidate)
            || !wanted.is_empty() && self.followers(candidate).iter().any(|v| wanted.contains(v))
    }

    /// The values that would have tokens with one on `candidate`.
    pub fn followers(&mut self, candidate: ValueId) -> Vec<ValueId> {
        let top = self.levels.len() - 1;
        self.trail = Some(Vec::new());
        self.set(candidate, Token::Named);
        self.propagate(vec![candidate]);
        let trail = self.trail.take().unwrap_or_default();
        for value in &trail {
            self.tokens.remove(top, *value);
        }
        trail
    }

    fn set(&mut self, value: ValueId, token: Token) -> bool {
        if self.has(value) {
            return false;
        }
        self.tokens.insert(self.tokens.top(), value, token);
        if let Some(trail) = &mut self.trail {
            trail.push(value);
        }
        true
    }

    /// Derives all that follows from new tokens: the values that have tokens by that.
    fn propagate(&mut self, mut new: Vec<ValueId>) -> Vec<ValueId> {
        let mut found = Vec::new();
        while let Some(value) = new.pop() {
            found.push(value);
            let definitions = self.definitions;
            for &user in definitions.users(value).iter().chain([&value]) {
                self.steps += 1;
                if !self.visible(user) {
                    continue;
                }
                if self.has(user) {
                    if let Some(found) = self.invert(user) {
                        new.push(found);
                    }
                } else if self.recompute(user) {
                    new.push(user);
                }
            }
            let same = self.same.get(&value).into_iter().flatten();
            let same: Vec<ValueId> =
                same.filter(|(level, _)| *level < self.levels.len()).map(|(_, inner)| *inner).collect();
            for other in same {
                if self.set(other, Token::Recipe(self.proc.value_expr(value), How::Same)) {
                    new.push(other);
                }
            }
        }
        found
    }

    /// Puts a token on a value whose definition can be evaluated again.
    fn recompute(&mut self, value: ValueId) -> bool {
        match self.definitions.get(value) {
            Some(known) if self.has_all(&known.expr) && self.repeatable(value).is_some() => {
                self.set(value, Token::Recipe(known.expr.clone(), How::Recompute))
            }
            _ => false,
        }
    }

    /// The definition of a value, if it may be evaluated again where its operands have tokens.
    pub fn repeatable(&self, value: ValueId) -> Option<&'a Definition> {
        let known = self.definitions.get(value)?;
        let dear = matches!(self.proc.type_of(value), Type::Float { .. }) && known.cost > self.dear;
        let may = !dear
            && self.facts.ordered(self.id, &known.expr)
            && (!known.loads || self.facts.steady(self.id, known.item, &known.expr))
            && !(known.loads && self.definitions.is_size(value) && self.loads_local(&known.expr));
        may.then_some(known)
    }

    /// Whether an expression reads a local object, whose contents come back when its region is entered.
    fn loads_local(&self, expr: &Expr) -> bool {
        let mut found = false;
        crate::ir::walk::expressions(expr, &mut |inner| {
            let ExprKind::Load(place) = &inner.kind else { return };
            found |= match &place.base {
                crate::ir::Base::Object(object) => {
                    matches!(self.proc.objects[*object].life, crate::ir::Life::Region(_))
                }
                crate::ir::Base::Global(_) => false,
                crate::ir::Base::At(_) => self.facts.inside(self.id, place).is_some_and(|objects| !objects.is_empty()),
            };
        });
        found
    }

    /// Solves the definition of a value that has a token for the one operand that has none.
    fn invert(&mut self, value: ValueId) -> Option<ValueId> {
        if matches!(self.proc.type_of(value), Type::Float { .. }) {
            return None;
        }
        let definition = self.definitions.get(value)?;
        if !definition.invertible {
            return None;
        }
        let (operand, expr) = self.solve(&definition.expr, self.proc.value_expr(value))?;
        if !self.visible(operand) || !self.facts.ordered(self.id, &definition.expr) {
            return None;
        }
        // What is solved for may be asked for in front of the item, where other contents are back by then.
        if definition.loads && !self.facts.still(self.id, definition.item, &definition.expr) {
            return None;
        }
        self.set(operand, Token::Recipe(expr, How::Invert(value))).then_some(operand)
    }

    /// From `expr = result`: the operand without a token, and the expression that yields it.
    fn solve(&self, expr: &Expr, result: Expr) -> Option<(ValueId, Expr)> {
        let known = |e: &Expr| self.has_all(e);
        match &expr.kind {
            ExprKind::Value(operand) if !self.has(*operand) => Some((*operand, result)),
            ExprKind::Unary(op @ (Unary::Negate | Unary::Complement), x) => {
                self.solve(x, Expr::unary(*op, result, x.ty.clone()))
            }
            ExprKind::Binary(Binary::Add, x, y) if known(y) => self.solve(x, binary(Binary::Subtract, result, y, x)),
            ExprKind::Binary(Binary::Add, x, y) if known(x) => self.solve(y, binary(Binary::Subtract, result, x, y)),
            ExprKind::Binary(Binary::Subtract, x, y) if known(y) => self.solve(x, binary(Binary::Add, result, y, x)),
            ExprKind::Binary(Binary::Subtract, x, y) if known(x) => {
                let solved = binary(Binary::Subtract, (**x).clone(), &result, y);
                self.solve(y, solved)
            }
            ExprKind::Binary(Binary::BitXor, x, y) if known(y) => self.solve(x, binary(Binary::BitXor, result, y, x)),
            ExprKind::Binary(Binary::BitXor, x, y) if known(x) => self.solve(y, binary(Binary::BitXor, result, x, y)),
            // A conversion that loses nothing can be undone by the one back.
            ExprKind::Cast(x) if lossless(&x.ty, &expr.ty) => self.solve(x, Expr::cast(result, x.ty.clone())),
            ExprKind::Address(place) => self.solve_address(place, result),
            // Both arms start from one value: whichever ran is undone.
            ExprKind::Select(on, x, y) if known(on) => {
                let (operand, [first, second]) = self.solve_arms(x, y, result)?;
                let kind = ExprKind::Select(on.clone(), Box::new(first), Box::new(second));
                Some((operand, Expr { kind, ty: expr.ty.clone() }))
            }
            _ => None,
        }
    }

    /// From `x = result` and `y = result`, integers: the one operand without a token, and what yields it in each case.
    fn solve_arms(&self, x: &Expr, y: &Expr, result: Expr) -> Option<(ValueId, [Expr; 2])> {
        if !result.ty.is_integer() {
            return None;
        }
        let (operand, first) = self.solve(x, result.clone())?;
        let (other, second) = self.solve(y, result)?;
        (operand == other).then_some((operand, [first, second]))
    }

    /// The value in front of a branch that both arms of a join start from, and what it is by either of them, if all else
    /// has tokens.
    pub fn undone(&self, join: ValueId) -> Option<(ValueId, [Expr; 2])> {
        let definition = self.definitions.get(join)?;
        let ExprKind::Select(_, x, y) = &definition.expr.kind else { return None };
        let found = self.solve_arms(x, y, self.proc.value_expr(join))?;
        (definition.invertible && self.visible(found.0)).then_some(found)
    }

    /// `q = &p[k]`: `p = &q[-k]`, if `k` is known.
    fn solve_address(&self, place: &Place, result: Expr) -> Option<(ValueId, Expr)> {
        let crate::ir::Base::At(pointer) = &place.base else { return None };
        let [Step::Index(subscripts)] = &place.path[..] else { return None };
        let [Subscript { at, dim }] = &subscripts[..] else { return None };
        if !self.has_all(at) || result.ty != pointer.ty {
            return None;
        }
        let back = Expr::unary(Unary::Negate, signed(at), signed(at).ty);
        let undone = Place {
            base: crate::ir::Base::At(Box::new(result)),
            path: vec![Step::Index(vec![Subscript { at: back, dim: dim.clone() }])],
            ty: place.ty.clone(),
        };
        self.solve(pointer, Expr { kind: ExprKind::Address(Box::new(undone)), ty: pointer.ty.clone() })
    }
}

/// Whether every value of `from` has a value of its own in `to`.
fn lossless(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Int { bits: a, .. }, Type::Int { bits: b, .. }) => b >= a,
        (Type::Pointer(_), Type::Pointer(_)) => true,
        _ => false,
    }
}

/// `x op y` at the type of `like`. Inverting must wrap like the operation that it undoes: emission computes integer
/// inverses in unsigned arithmetic.
fn binary(op: Binary, x: Expr, y: &Expr, like: &Expr) -> Expr {
    Expr::binary(op, x, y.clone(), like.ty.clone())
}

/// A subscript in a type that can be negative.
fn signed(at: &Expr) -> Expr {
    match &at.ty {
        Type::Int { signed: true, bits: 64, .. } => at.clone(),
        _ => Expr::cast(at.clone(), Type::long()),
    }
}
