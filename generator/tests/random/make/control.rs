//! Branches, loops of every kind, and jumps out of them.

use super::procs::N;
use super::stmt::Made;
use super::{Maker, binary, number};
use crate::ast::*;

impl Maker {
    pub(super) fn branch(&mut self, depth: usize) -> Made {
        let on = self.cond(2);
        let then = self.block(depth, 3);
        let other = match self.rng.below(4) {
            0 | 1 => Vec::new(),
            2 => self.branch(depth)?,
            _ => self.block(depth, 3),
        };
        Some(vec![Stmt::If(on, then, other)])
    }

    pub(super) fn switch(&mut self, depth: usize) -> Made {
        let on = self.int(1);
        let on = if self.rng.chance(60) { binary(Bin::Rem, on, number(4)) } else { on };
        let mut cases = Vec::new();
        let mut label = 0;
        let loops = std::mem::take(&mut self.loops);
        for _ in 0..self.rng.within(1, 3) {
            let mut labels = vec![label];
            label += 1;
            if self.rng.chance(20) {
                labels.push(label);
                label += 1;
            }
            cases.push((labels, vec![Stmt::Block(self.block(depth, 2))], self.rng.chance(25)));
        }
        let default = if self.rng.chance(70) { vec![Stmt::Block(self.block(depth, 2))] } else { Vec::new() };
        self.loops = loops;
        Some(vec![Stmt::Switch(on, cases, default)])
    }

    /// `if (…) break;`
    pub(super) fn jump(&mut self) -> Made {
        let out = self.rng.pick(&[Stmt::Break, Stmt::Continue]);
        let mut list = Vec::new();
        if self.rng.chance(30) {
            list.extend(self.real_assignment()?);
        }
        list.push(out);
        Some(vec![Stmt::If(self.cond(1), list, Vec::new())])
    }

    pub(super) fn early_return(&mut self) -> Made {
        if self.nesting == 0 && self.rng.chance(60) {
            return None;
        }
        let leave = self.leave();
        Some(vec![Stmt::If(self.cond(1), vec![leave], Vec::new())])
    }

    pub(super) fn early_goto(&mut self) -> Made {
        self.jumps_out = true;
        Some(vec![Stmt::If(self.cond(1), vec![Stmt::Goto], Vec::new())])
    }

    /// The body of a loop in which a counter stays within a range.
    fn body(&mut self, counter: Option<(usize, i64, i64)>, depth: usize) -> Vec<Stmt> {
        let mark = self.scope.len();
        if let Some((var, low, high)) = counter {
            self.show(var, Some((low, high)), 0, false);
        }
        self.loops += 1;
        self.nesting += 1;
        let list = self.block(depth, 4);
        self.nesting -= 1;
        self.loops -= 1;
        self.scope.truncate(mark);
        list
    }

    /// What a loop runs up to, and the largest that it can be.
    fn bound(&mut self) -> (Expr, i64) {
        let n = self.n();
        match (self.rng.below(10), n) {
            (0..=4, Some(n)) => (Expr::Load(Box::new(n)), N),
            (5, Some(n)) => (binary(Bin::Sub, Expr::Load(Box::new(n)), number(1)), N - 1),
            (6, Some(n)) => (binary(Bin::Add, Expr::Load(Box::new(n)), number(1)), N + 1),
            (7, _) => (self.index(4), 3),
            _ => {
                let count = self.rng.within(1, 6);
                (number(count), count)
            }
        }
    }

    pub(super) fn any_loop(&mut self, depth: usize) -> Made {
        if self.nesting > 2 {
            return None;
        }
        match self.rng.below(18) {
            0..=5 => self.count_up(depth),
            6 | 7 => self.count_down(depth),
            8 => self.unsigned_down(depth),
            9 => self.two_counters(depth),
            10 | 11 => self.while_loop(depth),
            12 => self.do_loop(depth),
            13 => self.data_loop(depth),
            14 => self.moving_bound(depth),
            15 if self.swarm.swaps => self.two_buffers(),
            16 | 17 if self.swarm.marching => self.march(),
            _ => self.count_up(depth),
        }
    }

    fn count_up(&mut self, depth: usize) -> Made {
        let kind = if self.swarm.widths && self.rng.chance(30) { self.int_type() } else { Ty::Int(Int::I32) };
        let i = self.variable("i", kind);
        let (bound, high) = self.bound();
        let first = self.rng.pick(&[0, 0, 0, 1, 1, 2]);
        let step = self.rng.pick(&[1, 1, 1, 1, 2, 3]);
        let op = if self.rng.chance(20) { Bin::Le } else { Bin::Lt };
        let last = if op == Bin::Le { high } else { high - 1 };
        let body = self.body(Some((i, first, last.max(first))), depth);
        let next = match step {
            1 => Stmt::Eval(Expr::Bump(Box::new(Self::local(i)), 1, self.rng.chance(70))),
            step => Stmt::Assign(Self::local(i), Some(Bin::Add), number(step)),
        };
        let cond = binary(op, Self::load(i), bound);
        Some(vec![Stmt::For(vec![Stmt::Decl(i, Init::One(number(first)), None)], cond, vec![next], body)])
    }

    fn count_down(&mut self, depth: usize) -> Made {
        let i = self.variable("i", Ty::Int(Int::I32));
        let (bound, high) = self.bound();
        let low = self.rng.pick(&[0, 0, 1]);
        let step = self.rng.pick(&[1, 1, 1, 2]);
        let body = self.body(Some((i, low, (high - 1).max(low))), depth);
        let next = match step {
            1 => Stmt::Eval(Expr::Bump(Box::new(Self::local(i)), -1, self.rng.chance(70))),
            step => Stmt::Assign(Self::local(i), Some(Bin::Sub), number(step)),
        };
        let first = binary(Bin::Sub, bound, number(1));
        let cond = binary(Bin::Ge, Self::load(i), number(low));
        Some(vec![Stmt::For(vec![Stmt::Decl(i, Init::One(first), None)], cond, vec![next], body)])
    }

    /// `for (unsigned i = n; i-- > 0;)`, and `while (k--)`.
    fn unsigned_down(&mut self, depth: usize) -> Made {
        let kind = self.rng.pick(&[Int::U32, Int::U64, Int::I32, Int::U8]);
        let i = self.variable("i", Ty::Int(kind));
        let (bound, high) = match self.n() {
            Some(n) if self.rng.chance(60) => (Expr::Load(Box::new(n)), N),
            _ => (number(4), 4),
        };
        let body = self.body(Some((i, 0, high - 1)), depth);
        let cond = if self.rng.chance(60) {
            binary(Bin::Gt, Expr::Bump(Box::new(Self::local(i)), -1, true), number(0))
        } else {
            Expr::Bump(Box::new(Self::local(i)), -1, true)
        };
        let first = Stmt::Decl(i, Init::One(bound), None);
        Some(if self.rng.chance(60) {
            vec![Stmt::For(vec![first], cond, Vec::new(), body)]
        } else {
            vec![first, Stmt::While(cond, body)]
        })
    }

    /// `for (i = 0, j = n - 1; i < j; i++, j--)`
    fn two_counters(&mut self, depth: usize) -> Made {
        let (i, j) = (self.variable("i", Ty::Int(Int::I32)), self.variable("j", Ty::Int(Int::I32)));
        let mark = self.scope.len();
        let n = Expr::Load(Box::new(self.n()?));
        self.show(j, Some((0, N - 1)), 0, false);
        let body = self.body(Some((i, 0, N - 1)), depth);
        self.scope.truncate(mark);
        let decls = [i, j].map(|var| Stmt::Decl(var, Init::None, None));
        let init = vec![
            Stmt::Assign(Self::local(i), None, number(0)),
            Stmt::Assign(Self::local(j), None, binary(Bin::Sub, n, number(1))),
        ];
        let step = [(i, 1), (j, -1)].map(|(var, by)| Stmt::Eval(Expr::Bump(Box::new(Self::local(var)), by, true)));
        let cond = binary(Bin::Lt, Self::load(i), Self::load(j));
        let [a, b] = decls;
        Some(vec![a, b, Stmt::For(init, cond, step.to_vec(), body)])
    }

    /// A counter that the body moves on; `continue` must not skip it, so it moves first.
    fn while_loop(&mut self, depth: usize) -> Made {
        let kind = self.int_type();
        let k = self.variable("k", kind);
        let high = self.rng.within(3, 7);
        let step = match self.rng.below(5) {
            0 => Stmt::Assign(
                Self::local(k),
                None,
                binary(Bin::Add, binary(Bin::Mul, Self::load(k), number(2)), number(1)),
            ),
            1 => Stmt::Assign(Self::local(k), Some(Bin::Add), binary(Bin::Add, self.index(3), number(1))),
            _ => Stmt::Assign(Self::local(k), Some(Bin::Add), number(1)),
        };
        let cond = match self.rng.below(4) {
            0 => binary(Bin::Both, binary(Bin::Lt, Self::load(k), number(high)), self.cond(0)),
            _ => binary(Bin::Lt, Self::load(k), number(high)),
        };
        let first = self.rng.chance(50);
        let jumps = self.swarm.jumps;
        self.swarm.jumps &= first;
        let range = if first { (1, high + 4) } else { (0, high - 1) };
        let mut body = self.body(Some((k, range.0, range.1)), depth);
        self.swarm.jumps = jumps;
        if first {
            body.insert(0, step);
        } else {
            body.push(step);
        }
        Some(vec![Stmt::Decl(k, Init::One(number(self.rng.within(0, 2))), None), Stmt::While(cond, body)])
    }

    fn do_loop(&mut self, depth: usize) -> Made {
        let k = self.variable("k", Ty::Int(Int::I32));
        let mut body = self.body(Some((k, 1, 6)), depth);
        let (init, step, cond) = match self.rng.below(3) {
            0 => {
                let half = Stmt::Assign(Self::local(k), Some(Bin::Div), number(2));
                (6, Some(half), binary(Bin::Gt, Self::load(k), number(0)))
            }
            1 => (3, None, binary(Bin::Gt, Expr::Bump(Box::new(Self::local(k)), -1, false), number(0))),
            _ => {
                let on = Stmt::Assign(Self::local(k), Some(Bin::Add), number(2));
                (1, Some(on), binary(Bin::Lt, Self::load(k), number(6)))
            }
        };
        if let Some(step) = step {
            body.insert(0, step);
        }
        Some(vec![Stmt::Decl(k, Init::One(number(init)), None), Stmt::DoWhile(body, cond)])
    }

    /// A loop that a real ends.
    fn data_loop(&mut self, depth: usize) -> Made {
        let e = self.variable("e", Ty::F64);
        let first = self.damped(1);
        self.show(e, None, 0, true);
        let k = self.variable("k", Ty::Int(Int::I32));
        let mut body = self.body(None, depth);
        let factor = binary(Bin::Add, Expr::Real(0.5, false), binary(Bin::Mul, Expr::Real(0.2, false), self.damped(0)));
        body.insert(0, Stmt::Assign(Self::local(e), Some(Bin::Mul), factor));
        body.insert(0, Stmt::Eval(Expr::Bump(Box::new(Self::local(k)), 1, true)));
        let small = binary(Bin::Gt, Expr::Math("fabs", vec![Self::load(e)], false), Expr::Real(0.05, false));
        let cond = binary(Bin::Both, small, binary(Bin::Lt, Self::load(k), number(6)));
        let repeat = if self.rng.chance(40) { Stmt::DoWhile(body, cond) } else { Stmt::While(cond, body) };
        Some(vec![Stmt::Decl(e, Init::One(first), None), Stmt::Decl(k, Init::One(number(0)), None), repeat])
    }

    /// A bound that the body overwrites.
    fn moving_bound(&mut self, depth: usize) -> Made {
        let (i, m) = (self.variable("i", Ty::Int(Int::I32)), self.variable("m", Ty::Int(Int::I32)));
        let n = Expr::Load(Box::new(self.n()?));
        let mut body = self.body(Some((i, 0, N - 1)), depth);
        let change = match self.rng.below(3) {
            0 => Stmt::Assign(Self::local(m), None, binary(Bin::Sub, Self::load(m), number(1))),
            1 => Stmt::If(self.cond(0), vec![Stmt::Assign(Self::local(m), Some(Bin::Sub), number(1))], Vec::new()),
            _ => Stmt::Assign(Self::local(m), None, binary(Bin::Add, Self::load(i), number(1))),
        };
        body.push(change);
        let first = Stmt::Decl(m, Init::One(n), None);
        let bound = Self::load(m);
        Some(vec![first, self.up(i, bound, body)])
    }

    /// Two buffers that change places after each pass.
    fn two_buffers(&mut self) -> Made {
        if self.pure {
            return None;
        }
        let (one, two) = (self.pointer(&Ty::F64, 5, true)?, self.pointer(&Ty::F64, 5, true)?);
        if one == two {
            return None;
        }
        let [a, b, c] = [0; 3].map(|_| self.variable("p", Ty::ptr(Ty::F64)));
        let (t, i) = (self.variable("t", Ty::Int(Int::I32)), self.variable("i", Ty::Int(Int::I32)));
        let mark = self.scope.len();
        self.show(b, None, 5, true);
        self.show(a, None, 5, false);
        self.show(i, Some((1, 3)), 0, false);
        let value = self.damped(2);
        self.scope.truncate(mark);
        let to = Lv { base: Base::Local(b), steps: vec![Step::At(Self::load(i), false)] };
        let inner = Stmt::For(
            vec![Stmt::Decl(i, Init::One(number(1)), None)],
            binary(Bin::Lt, Self::load(i), number(4)),
            vec![Stmt::Eval(Expr::Bump(Box::new(Self::local(i)), 1, true))],
            vec![Stmt::Assign(to, None, value)],
        );
        let body = vec![
            inner,
            Stmt::Decl(c, Init::One(Self::load(a)), None),
            Stmt::Assign(Self::local(a), None, Self::load(b)),
            Stmt::Assign(Self::local(b), None, Self::load(c)),
        ];
        let count = number(self.rng.within(1, 3));
        let list = vec![Stmt::Decl(a, Init::One(one), None), Stmt::Decl(b, Init::One(two), None)];
        Some([list, vec![self.up(t, count, body)]].concat())
    }

    /// `*p++` in a loop, up or down.
    fn march(&mut self) -> Made {
        let write = !self.pure && self.rng.chance(60);
        let extent = 4;
        let mut from = self.pointer(&Ty::F64, extent, write)?;
        let p = self.variable("p", Ty::ptr(Ty::F64));
        self.vars[p].constant = !write;
        let down = self.rng.chance(25);
        if down {
            from = Expr::Move(Box::new(from), Box::new(number(4)));
        }
        let i = self.variable("i", Ty::Int(Int::I32));
        let (count, delta) = (number(self.rng.within(1, 4)), if down { -1 } else { 1 });
        let mark = self.scope.len();
        self.show(i, Some((0, 3)), 0, false);
        let mut body = Vec::new();
        if self.rng.chance(40) {
            body.extend(self.real_assignment()?);
        }
        if write {
            let op = self.rng.pick(&[None, Some(Bin::Add), Some(Bin::Mul)]);
            let value = self.damped(2);
            body.push(Stmt::March(Self::local(p), delta, op, value));
        } else {
            let (to, ..) = self.place(true, true)?;
            body.push(Stmt::Take(to, self.rng.pick(&[None, Some(Bin::Add)]), Self::local(p), delta));
        }
        if self.rng.chance(30) {
            body.extend(self.real_assignment()?);
        }
        self.scope.truncate(mark);
        Some(vec![Stmt::Decl(p, Init::One(from), None), self.up(i, count, body)])
    }

    /// Sums of what was computed, so that derivatives reach the result.
    pub(super) fn gather(&mut self) -> Vec<Stmt> {
        let mut list = Vec::new();
        for _ in 0..self.rng.within(1, 2) {
            let i = self.variable("i", Ty::Int(Int::I32));
            let (bound, high) = self.bound();
            let mark = self.scope.len();
            self.show(i, Some((0, high - 1)), 0, false);
            let made = self.place(true, true).map(|(to, ..)| {
                let value = binary(Bin::Mul, Expr::Real(0.3, false), self.real(2));
                Stmt::Assign(to, Some(Bin::Add), value)
            });
            self.scope.truncate(mark);
            if let Some(made) = made {
                list.push(self.up(i, bound, vec![made]));
            }
        }
        list
    }
}
