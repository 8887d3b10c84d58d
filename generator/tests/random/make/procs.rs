//! Functions: helpers of random interfaces, recursion, the head.

use super::{Maker, binary, number};
use crate::ast::*;

/// Loops up to `n` reach less than this.
pub const N: i64 = 6;

impl Maker {
    /// Starts a function: its parameters, each with what a pointer has behind it and whether it is written through.
    fn open(&mut self, params: Vec<(String, Ty, usize, bool)>) {
        self.vars.clear();
        self.scope.clear();
        self.loops = 0;
        self.nesting = 0;
        self.jumps_out = false;
        for (at, global) in self.program.globals.iter().enumerate() {
            let ty = global.var.ty.clone();
            let extent = if let Ty::Array(_, count) = ty { count } else { 0 };
            let range = matches!(ty, Ty::Int(_)).then_some((0, 3));
            let is_told = self.told.is_some_and(|(told, _)| told == at);
            let writable = !global.var.constant && !self.pure && !is_told;
            self.scope.push(super::Item { base: Base::Global(at), ty, range, extent, writable });
        }
        for (name, ty, extent, writable) in params {
            let range = matches!(ty, Ty::Int(_)).then_some(if name == "n" { (0, N) } else { (0, 3) });
            let constant = matches!(ty, Ty::Ptr(_)) && !writable;
            self.vars.push(Var { name, ty, constant, is_static: false });
            self.show(self.vars.len() - 1, range, extent, writable);
        }
    }

    fn close(&mut self, name: String, ret: Ty, params: usize, body: Vec<Stmt>, is_static: bool) {
        let vars = std::mem::take(&mut self.vars);
        self.program.procs.push(Proc { name, ret, params, vars, body, is_static, is_outside: false });
    }

    pub(super) fn helper(&mut self) {
        let id = self.program.procs.len();
        self.pure = self.rng.chance(40);
        let recursive = self.swarm.recursion && self.rng.chance(50);
        let mut params = Vec::new();
        if recursive || self.rng.chance(40) {
            params.push(("m".to_string(), Ty::Int(Int::I32), 0, false));
        }
        for k in 0..self.rng.within(1, 3) {
            let writable = !self.pure && self.rng.chance(70);
            let (ty, extent) = match self.rng.below(10) {
                0..=4 => (Ty::ptr(self.real_type()), 4),
                5 if self.has_structs() => (Ty::ptr(self.any_struct()), 1),
                6 if self.has_structs() => (self.any_struct(), 0),
                7 => (Ty::ptr(Ty::Int(Int::I32)), 4),
                _ => (self.real_type(), 0),
            };
            let writable = writable || !matches!(ty, Ty::Ptr(_));
            params.push((format!("a{k}"), ty, extent, writable));
        }
        self.ret = match self.rng.below(10) {
            0..=2 if !self.pure => Ty::Void,
            3 if self.has_structs() && !recursive => self.any_struct(),
            _ => self.real_type(),
        };
        let count = params.len();
        self.open(params);
        self.budget = 14;
        let mut body = Vec::new();
        if let Ty::Struct(_) = self.ret {
            let var = self.variable("o", self.ret.clone());
            match self.filled(var) {
                Some(decl) => {
                    body.push(decl);
                    self.show(var, None, 0, true);
                }
                // A pointer in the result would point to nothing.
                None => self.ret = Ty::F64,
            }
        }
        body.extend(self.locals(1));
        if recursive {
            body.push(self.base_case());
        }
        body.extend(self.block(2, 2));
        if recursive {
            body.extend(self.recursion(id, count));
            body.extend(self.block(1, 1));
        }
        if self.jumps_out {
            body.push(Stmt::Label);
        }
        if self.ret != Ty::Void {
            body.push(self.leave());
        }
        self.close(format!("h{id}{}", self.tag), self.ret.clone(), count, body, true);
        self.callees.push((id, self.pure));
    }

    pub(super) fn any_struct(&mut self) -> Ty {
        let plain = self.program.structs.iter().filter(|of| !of.is_span).count();
        Ty::Struct(self.rng.below(plain))
    }

    /// Whether there are structs for every use.
    pub(super) fn has_structs(&self) -> bool {
        self.program.structs.iter().any(|of| !of.is_span)
    }

    fn base_case(&mut self) -> Stmt {
        let leave = if self.ret == Ty::Void { Stmt::Return(None) } else { self.leave() };
        Stmt::If(binary(Bin::Le, Self::load(0), number(0)), vec![leave], Vec::new())
    }

    /// One or two calls of the function itself.
    fn recursion(&mut self, id: usize, params: usize) -> Vec<Stmt> {
        let ret = self.ret.clone();
        let vars = self.vars.clone();
        // The function is not there yet: a stand-in with its interface.
        self.program.procs.push(Proc {
            name: String::new(),
            ret: ret.clone(),
            params,
            vars,
            body: Vec::new(),
            is_static: true,
            is_outside: false,
        });
        let mut list = Vec::new();
        for _ in 0..self.rng.within(1, 2) {
            let Some(Expr::Call(_, mut args)) = self.call(id, 1) else { continue };
            args[0] = binary(Bin::Sub, Self::load(0), number(1));
            let call = Expr::Call(id, args);
            if ret.real() {
                let var = self.variable("r", ret.clone());
                list.push(Stmt::Decl(var, Init::One(call), None));
                self.show(var, None, 0, true);
            } else {
                list.push(Stmt::Eval(call));
            }
        }
        self.program.procs.pop();
        list
    }

    /// `return` with a value of the type of the function.
    pub(super) fn leave(&mut self) -> Stmt {
        match self.ret.clone() {
            Ty::Void => Stmt::Return(None),
            Ty::Struct(_) => Stmt::Return(Some(Self::load(self.struct_result()))),
            Ty::Int(_) => Stmt::Return(Some(number(self.rng.within(0, 2)))),
            _ => {
                let value = self.damped(2);
                Stmt::Return(Some(value))
            }
        }
    }

    fn struct_result(&self) -> usize {
        let of = |item: &&super::Item| item.ty == self.ret && matches!(item.base, Base::Local(_));
        match self.scope.iter().find(of).map(|item| item.base) {
            Some(Base::Local(var)) => var,
            _ => panic!("no struct to return"),
        }
    }

    pub(super) fn head(&mut self, seed: u64) {
        self.pure = false;
        let mut params = vec![("n".to_string(), Ty::Int(Int::I32), 0, false)];
        let mut roles = vec![(false, false)];
        for k in 0..self.rng.within(2, 5) {
            let name = ["x", "y", "z", "u", "w"][usize::try_from(k).unwrap()].to_string();
            let constant = self.rng.chance(30);
            let (ty, extent) = match self.rng.below(13) {
                0..=4 => (Ty::ptr(self.real_type()), 10),
                5 => (Ty::ptr(self.real_type()), 1),
                6 if self.swarm.rows => (Ty::ptr(Ty::array(self.real_type(), 4)), 4),
                12 if self.swarm.rows => (Ty::ptr(Ty::array(Ty::array(self.real_type(), 3), 2)), 3),
                7 => (self.real_type(), 0),
                8 | 9 if self.has_structs() => {
                    let extent = self.rng.pick(&[1, 1, 3]);
                    (Ty::ptr(self.any_struct()), extent)
                }
                10 if self.has_structs() => (self.any_struct(), 0),
                11 => (Ty::ptr(Ty::Int(Int::I32)), 8),
                _ => (Ty::ptr(Ty::F64), 10),
            };
            let pointer = matches!(ty, Ty::Ptr(_));
            let integers = matches!(&ty, Ty::Ptr(of) if matches!(**of, Ty::Int(_)));
            let writable = !(constant && pointer && extent > 1);
            let dependent = pointer && writable && !integers && self.rng.chance(65);
            let independent = !integers && self.rng.chance(70);
            params.push((name, ty, extent, writable));
            roles.push((dependent, independent));
        }
        // Something is differentiated with respect to something.
        if roles.iter().all(|(_, independent)| !independent) {
            params.push(("q".into(), Ty::ptr(Ty::F64), 10, true));
            roles.push((true, true));
        }
        let into = self.windows(&mut params, &mut roles);
        let dependents = roles.iter().any(|(dependent, _)| *dependent);
        self.ret = match self.rng.below(10) {
            0 | 1 if dependents => Ty::Void,
            2 if dependents => Ty::Int(Int::I32),
            _ => self.real_type(),
        };
        self.program.result = self.ret.real() && (!dependents || self.rng.chance(85));
        self.program.roles = params
            .iter()
            .zip(&roles)
            .zip(into)
            .map(|(((_, _, extent, _), (dependent, independent)), into)| Role {
                extent: *extent,
                into,
                dependent: *dependent,
                independent: *independent,
            })
            .collect();
        let count = params.len();
        self.open(params);
        self.budget = usize::try_from(self.rng.within(15, 60)).unwrap();
        let mut body = self.locals(3);
        body.extend(self.said());
        body.extend(self.tell().unwrap_or_default());
        let size = usize::try_from(self.rng.within(3, 8)).unwrap();
        body.extend(self.block(3, size));
        body.extend(self.gather());
        if self.jumps_out {
            body.push(Stmt::Label);
        }
        if self.ret != Ty::Void {
            body.push(self.leave());
        }
        self.close(format!("f{seed}"), self.ret.clone(), count, body, false);
    }
}
