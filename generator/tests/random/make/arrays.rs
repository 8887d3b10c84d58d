//! Several pointers of the caller into one array, with statements that say so; handlers of another file, which write a
//! variable at file scope.

use super::stmt::Made;
use super::{Maker, binary, number};
use crate::ast::*;

/// How names of helpers begin that compare their pointers.
pub const WITHIN: &str = "within";

/// How many elements are between two neighbours among the pointers.
const APART: i64 = 4;

/// A parameter: name, type, elements behind it, whether it is written through.
type Param = (String, Ty, usize, bool);

/// Two pointers into one array, the second behind the first.
#[derive(Clone)]
pub struct Pair {
    low: Lv,
    high: Lv,
}

impl Maker {
    /// Adds parameters of the head that lead into one array: three pointers, or a struct of two. What each leads into.
    pub(super) fn windows(
        &mut self,
        params: &mut Vec<Param>,
        roles: &mut Vec<(bool, bool)>,
    ) -> Vec<Option<(usize, usize)>> {
        let mut into = vec![None; params.len()];
        if !self.swarm.arrays {
            return into;
        }
        let role = (self.rng.chance(70), true);
        let which = self.rng.below(3);
        if which != 0 {
            let first = params.len();
            for (k, name) in ["lo", "mid", "hi"].into_iter().enumerate() {
                let at = k * APART as usize;
                params.push((name.into(), Ty::ptr(Ty::F64), 3 * APART as usize - at, true));
                roles.push(role);
                into.push((k > 0).then_some((first, at)));
            }
            for k in [first, first + 1] {
                self.pairs.push(Pair { low: Self::local(k), high: Self::local(k + 1) });
            }
        }
        if which != 1 {
            let of = self.program.structs.len();
            let fields = ["begin", "end"].map(|name| (name.to_string(), Ty::ptr(Ty::F64)));
            let name = format!("S{of}{}", self.tag);
            self.program.structs.push(Struct { name, fields: fields.to_vec(), is_span: true });
            let member = |field| Lv {
                base: Base::Local(params.len()),
                steps: vec![Step::At(number(0), true), Step::Field(field)],
            };
            self.pairs.push(Pair { low: member(0), high: member(1) });
            params.push(("span".into(), Ty::ptr(Ty::Struct(of)), 1, true));
            roles.push(role);
            into.push(None);
        }
        into
    }

    /// A statement for each two neighbours that says that they lead into one array.
    pub(super) fn said(&mut self) -> Vec<Stmt> {
        let pairs = self.pairs.clone();
        pairs.into_iter().flat_map(|pair| self.said_of(&pair)).collect()
    }

    /// A statement that has a meaning within one array only.
    pub(super) fn within(&mut self) -> Made {
        let at = self.rng.below(self.pairs.len());
        let pair = self.pairs.get(at)?.clone();
        Some(self.said_of(&pair))
    }

    fn said_of(&mut self, pair: &Pair) -> Vec<Stmt> {
        let load = |lv: &Lv| Expr::Load(Box::new(lv.clone()));
        let (low, high) = (load(&pair.low), load(&pair.high));
        match self.rng.below(9) {
            0 => {
                let q = self.variable("q", Ty::ptr(Ty::F64));
                let value = self.damped(1);
                let op = self.rng.pick(&[Bin::Lt, Bin::Ne]);
                let store = Stmt::Assign(element(&Self::local(q), number(0), true), None, value);
                let next = Stmt::Eval(Expr::Bump(Box::new(Self::local(q)), 1, true));
                let first = Stmt::Decl(q, Init::One(low), None);
                vec![Stmt::For(vec![first], binary(op, Self::load(q), high), vec![next], vec![store])]
            }
            1 => {
                let q = self.variable("q", Ty::ptr(Ty::F64));
                let here = element(&Self::local(q), number(0), true);
                let value = Expr::Math("sin", vec![binary(Bin::Add, load(&here), self.real(0))], false);
                let back = Stmt::Eval(Expr::Bump(Box::new(Self::local(q)), -1, false));
                let body = vec![back, Stmt::Assign(here, None, value)];
                let first = Stmt::Decl(q, Init::One(high), None);
                vec![first, Stmt::While(binary(Bin::Ne, Self::load(q), low), body)]
            }
            2 => {
                let (i, m) = (self.variable("i", Ty::Int(Int::I32)), self.variable("m", Ty::Int(Int::I32)));
                let count = Expr::Cast(Ty::Int(Int::I32), Box::new(binary(Bin::Sub, high, low)));
                let from = element(&pair.high, binary(Bin::Sub, Self::load(i), Self::load(m)), false);
                let value = binary(Bin::Mul, self.damped(0), load(&from));
                let store = Stmt::Assign(element(&pair.low, Self::load(i), false), None, value);
                vec![Stmt::Decl(m, Init::One(count), None), self.up(i, Self::load(m), vec![store])]
            }
            3 if self.within.is_some() => {
                let callee = self.within.expect("asked");
                let var = self.variable("r", Ty::F64);
                let call = Expr::Call(callee, vec![low, high, self.damped(1)]);
                self.show(var, None, 0, true);
                vec![Stmt::Decl(var, Init::One(call), None)]
            }
            4 | 5 => {
                let op = self.rng.pick(&[Bin::Lt, Bin::Le, Bin::Gt, Bin::Ge, Bin::Eq, Bin::Ne]);
                let then = self.real_assignment().unwrap_or_default();
                let other = if self.rng.chance(50) { self.below(pair) } else { Vec::new() };
                vec![Stmt::If(binary(op, low, high), then, other)]
            }
            _ => self.below(pair),
        }
    }

    /// A read or a store of what lies in front of a pointer.
    fn below(&mut self, pair: &Pair) -> Vec<Stmt> {
        let by = self.rng.within(1, APART);
        let place = element(&pair.high, number(-by), false);
        let list = if self.rng.chance(50) {
            let value = self.damped(2);
            Some(vec![Stmt::Assign(place.clone(), None, value)])
        } else {
            None
        };
        let read = |maker: &mut Self| {
            let (to, ..) = maker.place(true, true)?;
            let value = binary(Bin::Mul, maker.damped(0), Expr::Load(Box::new(place.clone())));
            Some(vec![Stmt::Assign(to, Some(Bin::Add), value)])
        };
        list.or_else(|| read(self)).unwrap_or_default()
    }

    /// A helper that runs from one pointer to the other.
    pub(super) fn comparing(&mut self) {
        let real = |name: &str, ty: Ty| Var { name: name.into(), ty, constant: false, is_static: false };
        let vars =
            vec![real("p", Ty::ptr(Ty::F64)), real("e", Ty::ptr(Ty::F64)), real("c", Ty::F64), real("s", Ty::F64)];
        let load = |lv: Lv| Expr::Load(Box::new(lv));
        let add = Stmt::Assign(Self::local(3), Some(Bin::Add), load(element(&Self::local(0), number(0), true)));
        let factor = Expr::Math("cos", vec![Self::load(2)], false);
        let step = Stmt::March(Self::local(0), 1, Some(Bin::Mul), factor);
        let last = binary(Bin::Mul, Self::load(3), load(element(&Self::local(1), number(-1), false)));
        let body = vec![
            Stmt::Decl(3, Init::One(Self::load(2)), None),
            Stmt::While(binary(Bin::Ne, Self::load(0), Self::load(1)), vec![add, step]),
            Stmt::Return(Some(last)),
        ];
        let name = format!("{WITHIN}{}", self.tag);
        self.within = Some(self.program.procs.len());
        let (is_static, is_outside) = (true, false);
        self.program.procs.push(Proc { name, ret: Ty::F64, params: 3, vars, body, is_static, is_outside });
    }

    /// A handler of another file, and the variable that it writes.
    pub(super) fn handler(&mut self) {
        let global = self.program.globals.len();
        let var = Var { name: format!("w{}", self.tag), ty: Ty::Int(Int::I32), constant: false, is_static: false };
        self.program.globals.push(Global { var, init: vec![1.0] });
        let place = Lv { base: Base::Global(global), steps: Vec::new() };
        let other = binary(Bin::Sub, number(3), Expr::Load(Box::new(place.clone())));
        let body = vec![Stmt::Assign(place, None, other)];
        let name = format!("told{}", self.tag);
        self.told = Some((global, self.program.procs.len()));
        let (is_static, is_outside) = (false, true);
        let vars = Vec::new();
        self.program.procs.push(Proc { name, ret: Ty::Void, params: 0, vars, body, is_static, is_outside });
    }

    pub(super) fn tell(&mut self) -> Made {
        let (_, handler) = self.told.filter(|_| !self.pure)?;
        Some(vec![Stmt::Tell(handler)])
    }
}

fn element(of: &Lv, at: Expr, star: bool) -> Lv {
    let mut place = of.clone();
    place.steps.push(Step::At(at, star));
    place
}
