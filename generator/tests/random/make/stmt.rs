//! Statements that assign, declare and copy.

use super::{Maker, binary, number};
use crate::ast::*;

pub(super) type Made = Option<Vec<Stmt>>;

impl Maker {
    pub(super) fn block(&mut self, depth: usize, most: usize) -> Vec<Stmt> {
        let mark = self.scope.len();
        let mut list = Vec::new();
        for _ in 0..=self.rng.below(most) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            list.extend(self.stmt(depth));
        }
        if list.is_empty() {
            list.extend(self.real_assignment().unwrap_or_default());
        }
        self.scope.truncate(mark);
        list
    }

    fn stmt(&mut self, depth: usize) -> Vec<Stmt> {
        for _ in 0..8 {
            let (r, mark) = (self.rng.below(100), self.scope.len());
            let made = match r {
                0..=26 => self.real_assignment(),
                27..=34 => self.int_assignment(),
                35..=40 => self.call_statement(),
                41..=44 => self.declaration(),
                45..=46 if self.swarm.effects => self.chain(),
                47..=48 if self.swarm.copies => self.copy(),
                49..=51 if self.swarm.pointers => self.pointer_variable(),
                52..=53 if self.swarm.swaps => self.swap(),
                66..=67 if self.swarm.pointers => self.pointed_elsewhere(),
                54..=55 if self.swarm.structs => self.struct_copy(),
                56..=62 if self.loops > 0 && self.swarm.jumps => self.jump(),
                63 if self.swarm.returns => self.early_return(),
                64 if self.swarm.gotos && self.nesting > 0 => self.early_goto(),
                _ if depth == 0 => self.real_assignment(),
                65..=75 => self.branch(depth - 1),
                76..=92 => self.any_loop(depth - 1),
                93..=94 if self.swarm.switches => self.switch(depth - 1),
                95 if self.swarm.heap => self.heap(depth - 1),
                96 if self.swarm.variable => self.variable_array(depth - 1),
                98 if self.swarm.arrays => self.within(),
                99 if self.swarm.handlers && self.nesting == 0 => self.tell(),
                97 => Some(vec![Stmt::Block(self.block(depth - 1, 3))]),
                _ => None,
            };
            if let Some(made) = made {
                return made;
            }
            // What could not be made leaves no name behind.
            self.scope.truncate(mark);
        }
        Vec::new()
    }

    pub(super) fn real_assignment(&mut self) -> Made {
        let (to, ..) = self.place(true, true)?;
        Some(vec![match self.rng.below(10) {
            0..=4 => Stmt::Assign(to, None, self.damped(3)),
            5..=6 => {
                let by = binary(Bin::Mul, Expr::Real(0.25, false), self.real(2));
                Stmt::Assign(to, Some(self.rng.pick(&[Bin::Add, Bin::Sub])), by)
            }
            7 => Stmt::Assign(to, Some(Bin::Mul), Expr::Math("cos", vec![self.real(1)], false)),
            8 => Stmt::Assign(to, None, self.real(1)),
            _ => {
                let below = Expr::Math("sin", vec![self.real(1)], false);
                Stmt::Assign(to, Some(Bin::Div), binary(Bin::Add, Expr::Real(1.5, false), below))
            }
        }])
    }

    /// An integer of 0 to 3 for what must stay there, any for a variable that is free.
    fn int_assignment(&mut self) -> Made {
        let (to, range, free) = self.place(false, true)?;
        if free {
            return Some(vec![match self.rng.below(5) {
                0 if self.swarm.effects => {
                    Stmt::Eval(Expr::Bump(Box::new(to), self.rng.pick(&[1, -1]), self.rng.chance(50)))
                }
                1 => Stmt::Assign(to, Some(self.rng.pick(&[Bin::Add, Bin::Sub])), self.int(0)),
                2 if self.swarm.bits => {
                    Stmt::Assign(to, Some(self.rng.pick(&[Bin::And, Bin::Or, Bin::Xor])), self.int(0))
                }
                _ => Stmt::Assign(to, None, self.int(2)),
            }]);
        }
        let count = usize::try_from(range.1.max(0)).unwrap() + 1;
        let value = self.index(count.min(4));
        Some(vec![Stmt::Assign(to, None, value)])
    }

    pub(super) fn call_statement(&mut self) -> Made {
        if self.callees.is_empty() || self.pure {
            return None;
        }
        let (id, _) = self.rng.pick(&self.callees);
        let call = self.call(id, 2)?;
        let ret = self.program.procs[id].ret.clone();
        match ret {
            Ty::Void => Some(vec![Stmt::Eval(call)]),
            Ty::Struct(_) => {
                let var = self.variable("o", ret);
                self.show(var, None, 0, true);
                Some(vec![Stmt::Decl(var, Init::One(call), None)])
            }
            ret => {
                let var = self.variable("r", ret);
                self.show(var, None, 0, true);
                Some(vec![Stmt::Decl(var, Init::One(call), None)])
            }
        }
    }

    /// The variables that a function begins with.
    pub(super) fn locals(&mut self, most: usize) -> Vec<Stmt> {
        let mut list = Vec::new();
        for _ in 0..=self.rng.below(most) {
            let ty = self.real_type();
            let init =
                if self.rng.chance(50) { self.real(1) } else { Expr::Real(self.rng.pick(&[0.0, 1.0, 0.5]), false) };
            let var = self.variable("s", ty);
            self.show(var, None, 0, true);
            list.push(Stmt::Decl(var, Init::One(init), None));
        }
        for _ in 0..self.rng.below(most) {
            let ty = self.int_type();
            let var = self.variable("k", ty);
            let ranged = self.rng.chance(50);
            list.push(Stmt::Decl(var, Init::One(self.index(4)), None));
            self.show(var, ranged.then_some((0, 3)), 0, true);
        }
        for _ in 0..self.rng.below(most) {
            list.extend(self.local_array());
        }
        if self.swarm.tables && self.rng.chance(60) {
            let real = self.rng.chance(60);
            let ty = if real { self.real_type() } else { Ty::Int(Int::I32) };
            let var = self.variable("c", Ty::array(ty, 5));
            (self.vars[var].constant, self.vars[var].is_static) = (true, self.rng.chance(60));
            let of = |rng: &mut crate::prng::Prng| {
                if real { Expr::Real(rng.real(), false) } else { number(rng.within(0, 3)) }
            };
            let list_of = (0..5).map(|_| of(&mut self.rng)).collect();
            list.push(Stmt::Decl(var, Init::List(list_of), None));
            self.show(var, None, 0, false);
        }
        if self.has_structs() && self.rng.chance(60) {
            let ty = self.any_struct();
            let var = self.variable("o", ty);
            let mut decl = self.filled(var);
            if decl.is_none() {
                let row = self.variable("t", Ty::array(Ty::F64, 4));
                list.extend(self.filled(row));
                self.show(row, None, 0, true);
                decl = self.filled(var);
            }
            list.push(decl.expect("an array for each pointer"));
            self.show(var, None, 0, true);
        }
        list
    }

    /// A declaration that gives every scalar of a struct or array a value; none if nothing is there that a pointer in it
    /// may point to.
    pub(super) fn filled(&mut self, var: usize) -> Option<Stmt> {
        let mut types = Vec::new();
        self.program.flat(&self.vars[var].ty.clone(), &mut types);
        let mut values = Vec::new();
        for ty in types {
            values.push(match ty {
                ty if ty.real() => self.real(0),
                Ty::Ptr(of) => self.pointer(&of, 4, true)?,
                _ => number(self.rng.within(0, 3)),
            });
        }
        Some(Stmt::Decl(var, Init::List(values), None))
    }

    fn local_array(&mut self) -> Vec<Stmt> {
        let (count, elem) = (self.rng.below(7) + 4, self.real_type());
        match self.rng.below(10) {
            0 => {
                let var = self.variable("t", Ty::array(Ty::Int(Int::I32), count.min(6)));
                let decl = self.filled(var);
                self.show(var, None, 0, true);
                Vec::from_iter(decl)
            }
            1 => {
                let var = self.variable("t", Ty::array(elem, 4));
                let decl = self.filled(var);
                self.show(var, None, 0, true);
                Vec::from_iter(decl)
            }
            2 if self.swarm.rows && self.rng.chance(40) => self.rows_of_rows(elem),
            2 | 3 if self.swarm.rows => {
                let var = self.variable("t", Ty::array(Ty::array(elem, 4), 3));
                let (i, j) = (self.variable("i", Ty::Int(Int::I32)), self.variable("j", Ty::Int(Int::I32)));
                let mark = self.scope.len();
                self.show(i, Some((0, 2)), 0, false);
                self.show(j, Some((0, 3)), 0, false);
                let value = self.damped(1);
                self.scope.truncate(mark);
                let steps = vec![Step::At(Self::load(i), false), Step::At(Self::load(j), false)];
                let store = Stmt::Assign(Lv { base: Base::Local(var), steps }, None, value);
                let inner = self.up(j, number(4), vec![store]);
                self.show(var, None, 0, true);
                vec![Stmt::Decl(var, Init::None, None), self.up(i, number(3), vec![inner])]
            }
            _ => {
                let var = self.variable("t", Ty::array(elem, count));
                let mut list = vec![Stmt::Decl(var, Init::None, None)];
                list.push(self.fill(var, count));
                self.show(var, None, 0, true);
                list
            }
        }
    }

    /// A loop that gives every element of an array a value.
    pub(super) fn fill(&mut self, var: usize, count: usize) -> Stmt {
        let i = self.variable("i", Ty::Int(Int::I32));
        let mark = self.scope.len();
        self.show(i, Some((0, i64::try_from(count).unwrap() - 1)), 0, false);
        let value = self.damped(1);
        self.scope.truncate(mark);
        let to = Lv { base: Base::Local(var), steps: vec![Step::At(Self::load(i), false)] };
        self.up(i, number(i64::try_from(count).unwrap()), vec![Stmt::Assign(to, None, value)])
    }

    /// `for (int i = 0; i < bound; i++)`
    pub(super) fn up(&mut self, i: usize, bound: Expr, body: Vec<Stmt>) -> Stmt {
        let step = Stmt::Eval(Expr::Bump(Box::new(Self::local(i)), 1, true));
        let init = Stmt::Decl(i, Init::One(number(0)), None);
        Stmt::For(vec![init], binary(Bin::Lt, Self::load(i), bound), vec![step], body)
    }

    fn declaration(&mut self) -> Made {
        if self.rng.chance(60) {
            let ty = self.real_type();
            let init = self.damped(2);
            let var = self.variable("d", ty);
            self.show(var, None, 0, true);
            Some(vec![Stmt::Decl(var, Init::One(init), None)])
        } else if self.rng.chance(50) {
            let ty = self.int_type();
            let var = self.variable("k", ty);
            let init = self.index(4);
            self.show(var, Some((0, 3)), 0, true);
            Some(vec![Stmt::Decl(var, Init::One(init), None)])
        } else {
            Some(self.local_array())
        }
    }

    fn chain(&mut self) -> Made {
        let ((a, ..), (b, ..)) = (self.place(true, true)?, self.place(true, true)?);
        let value = self.damped(2);
        // C leaves open whether a subscript of the first place is read before the second place is written.
        let fixed = a.steps.iter().all(|step| matches!(step, Step::Field(_) | Step::At(Expr::Int(..), _)));
        (a != b && fixed).then(|| vec![Stmt::Chain(a, b, value)])
    }

    fn copy(&mut self) -> Made {
        let of = self.real_type();
        let count = self.rng.below(4) + 1;
        let to = self.pointer(&of, count.max(2), true)?;
        if self.rng.chance(20) {
            return Some(vec![Stmt::Zero(to, count, of)]);
        }
        let from = self.pointer(&of, count.max(2), false)?;
        Some(vec![Stmt::Copy(to, from, count, of, self.rng.chance(40))])
    }

    fn swap(&mut self) -> Made {
        let ((a, ..), (b, ..)) = (self.place(true, true)?, self.place(true, true)?);
        let ty = self.real_type();
        let var = self.variable("w", ty);
        Some(vec![
            Stmt::Decl(var, Init::One(Expr::Load(Box::new(a.clone()))), None),
            Stmt::Assign(a, None, Expr::Load(Box::new(b.clone()))),
            Stmt::Assign(b, None, Self::load(var)),
        ])
    }

    fn struct_copy(&mut self) -> Made {
        let ty = self.any_struct();
        let mut places = Vec::new();
        for item in &self.scope {
            match &item.ty {
                of if *of == ty => places.push((Lv { base: item.base, steps: Vec::new() }, item.writable)),
                Ty::Ptr(of) if **of == ty => {
                    let steps = vec![Step::At(number(0), true)];
                    places.push((Lv { base: item.base, steps }, item.writable));
                }
                _ => {}
            }
        }
        if places.is_empty() {
            return None;
        }
        let (from, _) = self.rng.pick(&places);
        let (to, writable) = self.rng.pick(&places);
        if !writable || from == to {
            let var = self.variable("o", ty);
            self.show(var, None, 0, true);
            return Some(vec![Stmt::Decl(var, Init::One(Expr::Load(Box::new(from))), None)]);
        }
        Some(vec![Stmt::Assign(to, None, Expr::Load(Box::new(from)))])
    }

    fn heap(&mut self, depth: usize) -> Made {
        let of = self.real_type();
        let var = self.variable("b", Ty::ptr(of));
        let (count, extent) = match self.rng.below(3) {
            0 => (binary(Bin::Add, Expr::Load(Box::new(self.n()?)), number(4)), 4),
            _ => (number(5), 5),
        };
        let zeroed = self.rng.chance(40);
        let mut body = Vec::new();
        if !zeroed {
            body.push(self.fill(var, extent));
        }
        let mark = self.scope.len();
        self.show(var, None, extent, true);
        let (loops, nesting) = (std::mem::take(&mut self.loops), std::mem::take(&mut self.nesting));
        let (returns, gotos) = (self.swarm.returns, self.swarm.gotos);
        (self.swarm.returns, self.swarm.gotos) = (false, false);
        body.extend(self.block(depth, 4));
        (self.swarm.returns, self.swarm.gotos) = (returns, gotos);
        (self.loops, self.nesting) = (loops, nesting);
        self.scope.truncate(mark);
        Some(vec![Stmt::Heap(var, count, zeroed, body)])
    }

    /// The parameter `n`, or another small integer that is not negative.
    pub(super) fn n(&mut self) -> Option<Lv> {
        let of = |item: &&super::Item| item.range.is_some_and(|range| range.0 >= 0) && !item.writable;
        self.scope.iter().find(of).map(|item| Lv { base: item.base, steps: Vec::new() })
    }

    fn variable_array(&mut self, depth: usize) -> Made {
        let n = Expr::Load(Box::new(self.n()?));
        let of = self.real_type();
        let var = self.variable("q", Ty::array(of, VARIABLE));
        let mut list = vec![Stmt::Decl(var, Init::None, Some(binary(Bin::Add, n, number(4))))];
        list.push(self.fill(var, 4));
        let mark = self.scope.len();
        self.show(var, None, 4, true);
        let gotos = std::mem::replace(&mut self.swarm.gotos, false);
        list.extend(self.block(depth, 4));
        self.swarm.gotos = gotos;
        self.scope.truncate(mark);
        Some(vec![Stmt::Block(list)])
    }
}
