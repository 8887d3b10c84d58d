//! Whether a program is well formed: every variable declared before it is used, jumps where they may stand.

use std::collections::{HashMap, HashSet};

use crate::ast::*;
use crate::make::WITHIN;

/// Checks what a compiler would reject.
pub fn is_well_formed(program: &Program) -> bool {
    program.procs.iter().all(|proc| {
        let has_label = proc.body.contains(&Stmt::Label);
        let known = (0..proc.params).collect();
        let mut check =
            Check { program, proc, known, begins: HashMap::new(), related: HashSet::new(), has_label, right: true };
        check.list(&proc.body, false, false);
        let returns = matches!(proc.body.last(), Some(Stmt::Return(Some(_))));
        let is_head = std::ptr::eq(proc, program.head());
        let mut must = (0..proc.params).filter(|k| if is_head { shares(program, *k) } else { compares(proc, *k) });
        check.right && (returns || proc.ret == Ty::Void) && must.all(|k| check.related.contains(&k))
    })
}

/// Whether a parameter of the head leads where another pointer leads, too. Then the program must say so.
fn shares(program: &Program, k: usize) -> bool {
    let is_span = match &program.head().vars[k].ty {
        Ty::Ptr(of) => matches!(**of, Ty::Struct(of) if program.structs[of].is_span),
        _ => false,
    };
    is_span || program.roles[k].into.is_some()
}

/// Whether a helper is there to compare this pointer.
fn compares(proc: &Proc, k: usize) -> bool {
    proc.name.starts_with(WITHIN) && matches!(proc.vars[k].ty, Ty::Ptr(_))
}

struct Check<'a> {
    program: &'a Program,
    proc: &'a Proc,
    known: HashSet<usize>,
    /// Where pointer variables begin.
    begins: HashMap<usize, usize>,
    /// Variables whose pointers are compared, or subtracted from each other.
    related: HashSet<usize>,
    has_label: bool,
    right: bool,
}

impl Check<'_> {
    fn list(&mut self, list: &[Stmt], in_loop: bool, in_switch: bool) {
        let before = self.known.clone();
        list.iter().for_each(|stmt| self.stmt(stmt, in_loop, in_switch));
        self.known = before;
    }

    fn stmt(&mut self, stmt: &Stmt, in_loop: bool, in_switch: bool) {
        match stmt {
            Stmt::Decl(var, init, extent) => {
                let own = &self.proc.vars[*var];
                self.right &= !own.constant || matches!(own.ty, Ty::Ptr(_)) || *init != Init::None;
                match init {
                    Init::One(expr) => {
                        self.expr(expr);
                        self.begins.extend(self.begin(expr).map(|begin| (*var, begin)));
                    }
                    Init::List(list) => list.iter().for_each(|expr| self.expr(expr)),
                    Init::None => {}
                }
                extent.iter().for_each(|expr| self.expr(expr));
                // A name that is declared twice in a block: two variables of the maker never share one.
                self.right &= self.known.insert(*var);
            }
            Stmt::Assign(to, _, from) => {
                self.lv(to);
                self.expr(from);
            }
            Stmt::Chain(a, b, from) => {
                self.lv(a);
                self.lv(b);
                self.expr(from);
            }
            Stmt::March(p, _, _, from) => {
                self.lv(p);
                self.expr(from);
            }
            Stmt::Take(to, _, p, _) => {
                self.lv(to);
                self.lv(p);
            }
            Stmt::Eval(expr) => {
                self.right &= matches!(expr, Expr::Call(..) | Expr::Bump(..));
                self.expr(expr);
            }
            Stmt::If(on, then, other) => {
                self.expr(on);
                self.list(then, in_loop, in_switch);
                self.list(other, in_loop, in_switch);
            }
            Stmt::For(init, cond, step, body) => {
                let before = self.known.clone();
                init.iter().for_each(|stmt| self.stmt(stmt, false, false));
                self.expr(cond);
                step.iter().for_each(|stmt| self.stmt(stmt, false, false));
                self.list(body, true, false);
                self.known = before;
            }
            Stmt::While(cond, body) | Stmt::DoWhile(body, cond) => {
                self.expr(cond);
                self.list(body, true, false);
            }
            Stmt::Switch(on, cases, default) => {
                self.expr(on);
                for (_, body, _) in cases {
                    // A declaration cannot follow a label.
                    self.right &= body.iter().all(|stmt| matches!(stmt, Stmt::Block(_)));
                    self.list(body, in_loop, true);
                }
                self.right &= !default.is_empty() || cases.last().is_none_or(|(_, body, _)| !body.is_empty());
                self.right &= default.iter().all(|stmt| matches!(stmt, Stmt::Block(_)));
                self.list(default, in_loop, true);
            }
            Stmt::Break => self.right &= in_loop || in_switch,
            Stmt::Continue => self.right &= in_loop,
            Stmt::Goto => self.right &= self.has_label,
            Stmt::Label => {}
            Stmt::Return(value) => {
                self.right &= value.is_some() == (self.proc.ret != Ty::Void);
                value.iter().for_each(|expr| self.expr(expr));
            }
            Stmt::Copy(to, from, ..) => {
                self.expr(to);
                self.expr(from);
            }
            Stmt::Zero(to, ..) => self.expr(to),
            Stmt::Heap(var, count, _, body) => {
                self.expr(count);
                let before = self.known.clone();
                self.known.insert(*var);
                self.list(body, false, false);
                self.known = before;
            }
            Stmt::Block(body) => self.list(body, in_loop, in_switch),
            Stmt::Tell(_) => {}
        }
    }

    fn lv(&mut self, lv: &Lv) {
        if let Base::Local(var) = lv.base {
            self.right &= self.known.contains(&var);
        }
        for step in &lv.steps {
            if let Step::At(index, _) = step {
                self.expr(index);
                self.right &= self.right && self.class(index) == Some(false);
                if let (Base::Local(var), Expr::Int(..0, _)) = (lv.base, index) {
                    self.related.insert(self.begins.get(&var).copied().unwrap_or(var));
                }
            }
        }
    }

    /// Whether an expression is real; none for what is no number.
    fn class(&self, expr: &Expr) -> Option<bool> {
        match self.program.ty(self.proc, expr) {
            ty if ty.scalar() => Some(ty.real()),
            _ => None,
        }
    }

    /// The variable where a pointer begins.
    fn begin(&self, expr: &Expr) -> Option<usize> {
        match (expr, self.program.ty(self.proc, expr)) {
            (Expr::Load(lv) | Expr::Bump(lv, ..), Ty::Ptr(_)) => match lv.base {
                Base::Local(var) => Some(self.begins.get(&var).copied().unwrap_or(var)),
                Base::Global(_) => None,
            },
            _ => None,
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Load(lv) | Expr::Addr(lv) | Expr::Decay(lv) | Expr::Bump(lv, ..) => self.lv(lv),
            Expr::Un(op, of) => {
                self.expr(of);
                self.right &= *op != Un::Invert || self.class(of) == Some(false);
            }
            Expr::Cast(_, of) => self.expr(of),
            Expr::Bin(op, a, b) => {
                self.expr(a);
                self.expr(b);
                if let (Some(a), Some(b)) = (self.begin(a), self.begin(b)) {
                    self.related.extend([a, b]);
                }
                let integers = matches!(op, Bin::Rem | Bin::And | Bin::Or | Bin::Xor | Bin::Shl | Bin::Shr);
                self.right &= self.right && (!integers || self.class(a) == Some(false) && self.class(b) == Some(false));
            }
            Expr::Move(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Cond(of) => of.iter().for_each(|of| self.expr(of)),
            Expr::Math(_, args, _) | Expr::Call(_, args) => {
                args.iter().for_each(|of| self.expr(of));
                if let Expr::Call(callee, _) = expr
                    && self.program.procs[*callee].name.starts_with(WITHIN)
                {
                    let begins: Vec<usize> = args.iter().filter_map(|arg| self.begin(arg)).collect();
                    self.related.extend(begins);
                }
            }
            _ => {}
        }
    }
}
