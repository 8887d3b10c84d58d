//! Expressions: places, subscripts, reals, integers, conditions, pointers.

use super::{Item, Maker, binary, number};
use crate::ast::*;
use crate::dual::{ONE, POLES, TWO};

impl Maker {
    /// A scalar in memory or a variable, and what it stays within if it is an integer.
    pub(super) fn place(&mut self, real: bool, write: bool) -> Option<(Lv, (i64, i64), bool)> {
        for _ in 0..12 {
            if self.scope.is_empty() {
                return None;
            }
            let item = self.rng.pick(&self.scope);
            if write && !item.writable {
                continue;
            }
            let plain = item.ty.scalar();
            let (mut ty, mut extent, mut steps) = (item.ty.clone(), item.extent, Vec::new());
            let found = loop {
                ty = match ty {
                    ty if ty.scalar() => break ty.real() == real,
                    Ty::Array(of, count) => {
                        let count = if count == VARIABLE { extent } else { count };
                        let index = self.index(count);
                        steps.push(Step::At(index, false));
                        *of
                    }
                    Ty::Ptr(of) if extent > 0 => {
                        let star = self.rng.chance(20);
                        let index = self.index(extent);
                        steps.push(Step::At(index, star));
                        *of
                    }
                    Ty::Struct(of) => {
                        let fields = self.program.structs[of].fields.len();
                        let field = self.rng.below(fields);
                        steps.push(Step::Field(field));
                        extent = 4;
                        self.program.structs[of].fields[field].1.clone()
                    }
                    _ => break false,
                };
            };
            if found {
                let range = if plain { item.range.unwrap_or((-50, 50)) } else { (0, 3) };
                return Some((Lv { base: item.base, steps }, range, plain && item.range.is_none()));
            }
        }
        None
    }

    /// A variable that stays within a range.
    fn ranged(&mut self, high: i64) -> Option<(Expr, i64, i64)> {
        let of = |item: &&Item| item.range.is_some_and(|range| range.0 >= 0 && range.1 <= high);
        let all: Vec<Item> = self.scope.iter().filter(of).cloned().collect();
        if all.is_empty() {
            return None;
        }
        // The variables of the innermost loops come last.
        let at = if self.rng.chance(60) { all.len() - 1 } else { self.rng.below(all.len()) };
        let (low, high) = all[at].range.unwrap();
        Some((Expr::Load(Box::new(Lv { base: all[at].base, steps: Vec::new() })), low, high))
    }

    /// An integer from 0 up to, without, `extent`; seldom more.
    pub(super) fn index(&mut self, extent: usize) -> Expr {
        let top = i64::try_from(extent).unwrap() - 1;
        let r = self.rng.below(100);
        if r < 20 || top <= 0 {
            return number(self.rng.within(0, top.max(0)));
        }
        if r < 78
            && let Some((load, low, high)) = self.ranged(top + 1)
        {
            let (mut least, mut most) = (-low, top - high);
            if self.rng.chance(4) {
                (least, most) = (least - 1, most + 1);
            }
            if least > most {
                return binary(Bin::Sub, load, number(1));
            }
            return match self.rng.below(10) {
                0 => binary(Bin::Sub, number(top), load),
                1 if high * 2 <= top => binary(Bin::Mul, number(2), load),
                2 if self.ranged(top - high).is_some() => {
                    let (other, ..) = self.ranged(top - high).unwrap();
                    binary(Bin::Add, load, other)
                }
                3..=6 => match self.rng.within(least.min(0), most.max(0)).clamp(-2, 2) {
                    0 => load,
                    by if by < 0 => binary(Bin::Sub, load, number(-by)),
                    by => binary(Bin::Add, load, number(by)),
                },
                _ => load,
            };
        }
        if r < 86
            && top >= 3
            && let Some((lv, (0, 3), _)) = self.place_of_int()
        {
            return Expr::Load(Box::new(lv));
        }
        let of = self.int(1);
        let unsigned = Expr::Cast(Ty::Int(Int::U32), Box::new(of));
        if self.rng.chance(30) && self.swarm.bits {
            let mask = (0..5).map(|k| (1 << k) - 1).filter(|mask| *mask <= top).max().unwrap_or(0);
            return binary(Bin::And, unsigned, Expr::Int(mask, Int::U32));
        }
        binary(Bin::Rem, unsigned, Expr::Int(top + 1, Int::U32))
    }

    fn place_of_int(&mut self) -> Option<(Lv, (i64, i64), bool)> {
        // A subscript within a subscript ends by itself: each one costs.
        if self.budget == 0 {
            return None;
        }
        self.budget -= 1;
        self.place(false, false)
    }

    pub(super) fn int(&mut self, depth: usize) -> Expr {
        let r = self.rng.below(100);
        if depth == 0 || r < 35 {
            if !r.is_multiple_of(5)
                && let Some((lv, ..)) = self.place_of_int()
            {
                return Expr::Load(Box::new(lv));
            }
            let kind = if self.swarm.widths && self.rng.chance(20) { Int::U32 } else { Int::I32 };
            return Expr::Int(self.rng.within(0, 5), kind);
        }
        let (a, b) = (self.int(depth - 1), self.int(0));
        match r {
            35..=70 => binary(self.rng.pick(&[Bin::Add, Bin::Sub, Bin::Add, Bin::Mul]), a, b),
            71..=78 => binary(self.rng.pick(&[Bin::Rem, Bin::Div]), a, number(self.rng.within(2, 5))),
            79..=85 if self.swarm.bits => {
                let op = self.rng.pick(&[Bin::And, Bin::Or, Bin::Xor, Bin::Shl, Bin::Shr]);
                let b = if matches!(op, Bin::Shl | Bin::Shr) { number(self.rng.within(0, 3)) } else { b };
                if self.rng.chance(20) { Expr::Un(Un::Invert, Box::new(a)) } else { binary(op, a, b) }
            }
            86..=89 if self.swarm.widths => Expr::Cast(self.int_type(), Box::new(a)),
            90..=92 => Expr::Cond(Box::new([self.cond(0), a, b])),
            93..=94 => Expr::Un(Un::Minus, Box::new(a)),
            95..=96 => Expr::Cast(Ty::Int(Int::I32), Box::new(binary(Bin::Mul, Expr::Real(3.0, false), self.real(0)))),
            97 => self.cond(0),
            _ => binary(Bin::Add, a, b),
        }
    }

    pub(super) fn cond(&mut self, depth: usize) -> Expr {
        match self.rng.below(10) {
            0..=2 => {
                let op = self.rng.pick(&[Bin::Lt, Bin::Le, Bin::Gt, Bin::Ge, Bin::Eq, Bin::Ne]);
                binary(op, self.int(depth.min(1)), self.int(0))
            }
            3..=5 => {
                let at = Expr::Real(self.rng.pick(&[0.0, 0.3, -0.2, 0.5]), false);
                binary(self.rng.pick(&[Bin::Lt, Bin::Gt]), self.real(depth.min(1)), at)
            }
            6 => binary(Bin::Eq, binary(Bin::Rem, self.int(0), number(2)), number(0)),
            7 if depth > 0 => {
                binary(self.rng.pick(&[Bin::Both, Bin::Either]), self.cond(depth - 1), self.cond(depth - 1))
            }
            8 => Expr::Un(Un::Not, Box::new(self.int(0))),
            _ => binary(self.rng.pick(&[Bin::Lt, Bin::Gt]), self.real(0), self.real(0)),
        }
    }

    pub(super) fn real(&mut self, depth: usize) -> Expr {
        if depth > 0 && self.program.poles && self.rng.chance(25) {
            return self.pole(depth - 1);
        }
        let r = self.rng.below(100);
        if depth == 0 || r < 22 {
            if !r.is_multiple_of(8)
                && let Some((lv, ..)) = self.place(true, false)
            {
                return Expr::Load(Box::new(lv));
            }
            let float = self.swarm.float && self.rng.chance(20);
            return Expr::Real(self.rng.pick(&[0.5, 0.25, 1.5, 0.1, 2.0, 0.75]), float);
        }
        match r {
            22..=42 => binary(self.rng.pick(&[Bin::Add, Bin::Sub]), self.real(depth - 1), self.real(depth - 1)),
            43..=64 => binary(Bin::Mul, self.real(depth - 1), self.real(depth - 1)),
            65..=67 => Expr::Un(Un::Minus, Box::new(self.real(depth - 1))),
            68..=71 => {
                let below = Expr::Math("cos", vec![self.real(depth - 1)], false);
                binary(Bin::Div, self.real(depth - 1), binary(Bin::Add, Expr::Real(2.0, false), below))
            }
            72..=75 => Expr::Cond(Box::new([self.cond(1), self.real(depth - 1), self.real(depth - 1)])),
            76..=78 => {
                let (a, b) = (self.real(0), self.real(0));
                Expr::Cond(Box::new([binary(Bin::Gt, a.clone(), b.clone()), a, b]))
            }
            79..=81 => binary(Bin::Mul, Expr::Real(0.1, false), self.int(1)),
            82..=83 => Expr::Cast(self.real_type(), Box::new(self.int(0))),
            84..=87 => match self.pure_call(depth - 1) {
                Some(call) => call,
                None => self.function(depth - 1),
            },
            88..=89 if self.swarm.float => Expr::Cast(self.real_type(), Box::new(self.real(depth - 1))),
            _ => self.function(depth - 1),
        }
    }

    /// A function that may be at a pole, whose value something drops there, as a rule.
    fn pole(&mut self, depth: usize) -> Expr {
        let at = self.real(0);
        let is_negative = binary(Bin::Lt, at.clone(), Expr::Real(0.0, false));
        let size = Expr::Cond(Box::new([is_negative, Expr::Un(Un::Minus, Box::new(at.clone())), at.clone()]));
        let name = self.rng.pick(&POLES);
        let args = match name {
            "sqrt" => vec![size.clone()],
            "pow" => vec![size.clone(), Expr::Real(self.rng.pick(&[0.5, 0.25]), false)],
            "asin" if self.rng.chance(50) => vec![Expr::Math("cos", vec![at.clone()], false)],
            "hypot" | "atan2" if self.rng.chance(50) => vec![at.clone(), binary(Bin::Mul, at.clone(), self.real(0))],
            "hypot" | "atan2" => vec![at.clone(), self.real(0)],
            _ => vec![at.clone()],
        };
        let float = self.swarm.float && self.rng.chance(25);
        let root = Expr::Math(name, args, float);
        let taken = Expr::Real(self.rng.pick(&[0.5, 2.0]), false);
        match self.rng.below(7) {
            0 | 1 => Expr::Math("fmax", vec![root, taken], false),
            2 => Expr::Math("fmin", vec![Expr::Un(Un::Minus, Box::new(root)), taken], false),
            3 | 4 => {
                let is_large = binary(Bin::Gt, if self.rng.chance(50) { size } else { root.clone() }, taken);
                Expr::Cond(Box::new([is_large, root, self.real(depth)]))
            }
            // Nothing evaluates this quotient at 0.
            5 => {
                let is_far = binary(Bin::Gt, size, Expr::Real(0.01, false));
                let quotient = binary(Bin::Div, self.real(depth), at);
                Expr::Cond(Box::new([is_far, quotient, self.real(0)]))
            }
            _ => root,
        }
    }

    /// A real that stays within a few units, whatever it is made of.
    pub(super) fn damped(&mut self, depth: usize) -> Expr {
        let of = self.real(depth);
        match self.rng.below(7) {
            0..=2 => Expr::Math(self.rng.pick(&["sin", "cos", "atan", "tanh"]), vec![of], false),
            3 => binary(Bin::Mul, Expr::Real(0.5, false), of),
            4 => {
                binary(Bin::Div, of.clone(), binary(Bin::Add, Expr::Real(1.0, false), binary(Bin::Mul, of.clone(), of)))
            }
            _ => of,
        }
    }

    fn function(&mut self, depth: usize) -> Expr {
        let of = self.real(depth);
        let float = self.swarm.float && self.rng.chance(25);
        let more = |by: f64, of: Expr| {
            let square = binary(Bin::Mul, of.clone(), of);
            binary(Bin::Add, Expr::Real(by, false), square)
        };
        if self.rng.chance(25) {
            let name = self.rng.pick(&TWO);
            let of = if name == "pow" { more(0.5, of) } else { of };
            let other = if name == "pow" && self.rng.chance(50) {
                Expr::Real(self.rng.pick(&[2.0, 0.5, 1.5, 3.0]), false)
            } else {
                self.real(0)
            };
            return Expr::Math(name, vec![of, other], float);
        }
        let name = if self.rng.chance(50) { self.rng.pick(&["sin", "cos", "tanh"]) } else { self.rng.pick(&ONE) };
        let of = match name {
            "sqrt" | "log" | "cbrt" | "log1p" => more(0.5, of),
            "exp" | "sinh" | "expm1" | "tan" | "asin" => Expr::Math("sin", vec![of], false),
            _ => of,
        };
        Expr::Math(name, vec![of], float)
    }

    fn pure_call(&mut self, depth: usize) -> Option<Expr> {
        let all: Vec<usize> = self.callees.iter().filter(|(_, pure)| *pure).map(|(id, _)| *id).collect();
        let real = |id: &&usize| self.program.procs[**id].ret.real();
        let all: Vec<usize> = all.iter().filter(real).copied().collect();
        if all.is_empty() {
            return None;
        }
        let id = self.rng.pick(&all);
        self.call(id, depth)
    }

    /// A call with arguments that fit.
    pub(super) fn call(&mut self, id: usize, depth: usize) -> Option<Expr> {
        let params = self.program.procs[id].vars[..self.program.procs[id].params].to_vec();
        let mut args = Vec::new();
        for param in &params {
            args.push(match &param.ty {
                ty if ty.real() => self.real(depth),
                Ty::Int(_) => self.index(4),
                Ty::Ptr(of) => {
                    let extent = if matches!(**of, Ty::Struct(_) | Ty::Array(..)) { 1 } else { 4 };
                    self.pointer(of, extent, !param.constant)?
                }
                ty => self.aggregate(ty)?,
            });
        }
        Some(Expr::Call(id, args))
    }

    /// A place of a type that is no number.
    fn aggregate(&mut self, ty: &Ty) -> Option<Expr> {
        let all: Vec<Item> = self.scope.iter().filter(|item| item.ty == *ty).cloned().collect();
        if all.is_empty() {
            return None;
        }
        let base = self.rng.pick(&all).base;
        Some(Expr::Load(Box::new(Lv { base, steps: Vec::new() })))
    }

    /// An address with so many elements of a type behind it.
    pub(super) fn pointer(&mut self, of: &Ty, extent: usize, write: bool) -> Option<Expr> {
        let mut found: Vec<Expr> = Vec::new();
        let scope = self.scope.clone();
        for item in scope.iter().filter(|item| item.writable || !write) {
            let lv = Lv { base: item.base, steps: Vec::new() };
            self.addresses(lv, &item.ty, item.extent, of, extent, &mut found);
        }
        if found.is_empty() { None } else { Some(self.rng.pick(&found)) }
    }

    fn addresses(&mut self, lv: Lv, ty: &Ty, count: usize, of: &Ty, extent: usize, found: &mut Vec<Expr>) {
        let at = |index: Expr| {
            let mut lv = lv.clone();
            lv.steps.push(Step::At(index, false));
            lv
        };
        match ty {
            ty if ty == of && extent == 1 => found.push(Expr::Addr(Box::new(lv))),
            Ty::Array(elem, _) | Ty::Ptr(elem) if **elem == *of && count >= extent => {
                let pointer = matches!(ty, Ty::Ptr(_));
                let whole = if pointer { Expr::Load(Box::new(lv.clone())) } else { Expr::Decay(Box::new(lv.clone())) };
                let room = count - extent;
                found.push(whole.clone());
                if room > 0 {
                    let by = number(self.rng.within(1, i64::try_from(room).unwrap()));
                    let any = self.index(room + 1);
                    found.push(if self.rng.chance(50) {
                        Expr::Addr(Box::new(at(by)))
                    } else {
                        Expr::Move(Box::new(whole.clone()), Box::new(by))
                    });
                    found.push(Expr::Addr(Box::new(at(any))));
                    found.push(whole);
                }
            }
            Ty::Array(row, _) | Ty::Ptr(row) if count > 0 => {
                let index = self.index(count);
                let count = if let Ty::Array(_, count) = **row { count } else { 0 };
                if matches!(**row, Ty::Array(..) | Ty::Struct(_)) {
                    self.addresses(at(index), row, count, of, extent, found);
                }
            }
            Ty::Struct(id) => {
                for (k, (_, ty)) in self.program.structs[*id].fields.clone().iter().enumerate() {
                    let mut lv = lv.clone();
                    lv.steps.push(Step::Field(k));
                    let count = if let Ty::Array(_, count) = ty { *count } else { 4 };
                    self.addresses(lv, ty, count, of, extent, found);
                }
            }
            _ => {}
        }
    }
}
