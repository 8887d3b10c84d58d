//! Makes a program that fails small, as long as it fails in the same way.
//!
//! A step takes something away: a statement, the frame of a branch or loop around its body, one operand of an
//! expression in place of the whole, a role of the head. What is left must still be well formed and defined.

use crate::ast::*;
use crate::case::{self, Case};
use crate::form;
use crate::judge::{Judge, Outcome};
use crate::make::WITHIN;

/// The most candidates that are judged together.
const TOGETHER: usize = 16;

/// The smallest program found, and what comes of it. Ends where no step succeeds, or after so many candidates.
pub fn shrink(judge: &Judge, case: Case, outcome: Outcome, most: usize) -> (Case, Outcome) {
    let (mut best, mut outcome, mut judged) = (case, outcome, 0);
    let (mut at, mut failed, mut together) = (0, 0, 1);
    while judged < most {
        let steps = count(&best.program);
        let mut batch = Vec::new();
        while batch.len() < together && failed < steps {
            if let Some(case) = candidate(&best, at % steps) {
                batch.push((at % steps, case));
            }
            at += 1;
            failed += 1;
        }
        if batch.is_empty() {
            break;
        }
        judged += batch.len();
        let (ats, cases): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let outcomes = judge.all(&cases);
        let found = cases.into_iter().zip(outcomes).zip(ats).find(|((_, found), _)| found.same_class(&outcome));
        if let Some(((smaller, found), step)) = found {
            (best, outcome) = (smaller, found);
            (at, failed, together) = (step, 0, 1);
        } else {
            // Where one step fails, the next ones mostly fail too.
            together = (2 * together).min(TOGETHER);
        }
    }
    (best, outcome)
}

/// The program after a step, if it is smaller, well formed and defined. Its names keep their numbers, so each
/// candidate gets a seed of its own for its files.
fn candidate(best: &Case, at: usize) -> Option<Case> {
    let mut program = best.program.clone();
    let mut cut = Cut { at, now: 0, done: false };
    cut.program(&mut program);
    if !cut.done || program == best.program || !form::is_well_formed(&program) {
        return None;
    }
    let seed = best.seed % PARITY + PARITY * (at as u64 + 1);
    rename(&mut program, seed);
    case::with(seed, program)
}

// Candidates keep the parity of the seed, which decides on the second tape.
const PARITY: u64 = 1_000_000;

fn rename(program: &mut Program, seed: u64) {
    let last = program.procs.len() - 1;
    for (k, proc) in program.procs.iter_mut().enumerate() {
        proc.name = match proc {
            _ if k == last => format!("f{seed}"),
            _ if proc.is_outside => format!("told_{seed}"),
            _ if proc.name.starts_with(WITHIN) => format!("{WITHIN}_{seed}"),
            _ => format!("h{k}_{seed}"),
        };
    }
    for (k, of) in program.structs.iter_mut().enumerate() {
        of.name = format!("S{k}_{seed}");
    }
    for (k, global) in program.globals.iter_mut().enumerate() {
        global.var.name = format!("g{k}_{seed}");
    }
}

fn count(program: &Program) -> usize {
    let mut cut = Cut { at: usize::MAX, now: 0, done: false };
    cut.program(&mut program.clone());
    cut.now
}

/// Walks over all possible steps, and takes one.
struct Cut {
    at: usize,
    now: usize,
    done: bool,
}

impl Cut {
    fn here(&mut self) -> bool {
        self.now += 1;
        let here = self.now - 1 == self.at;
        self.done |= here;
        here
    }

    fn program(&mut self, program: &mut Program) {
        for k in (0..program.procs.len()).rev() {
            let mut body = std::mem::take(&mut program.procs[k].body);
            self.list(&mut body);
            program.procs[k].body = body;
        }
        for role in &mut program.roles {
            if role.dependent && self.here() {
                role.dependent = false;
            }
            if role.independent && self.here() {
                role.independent = false;
            }
        }
        if program.result && self.here() {
            program.result = false;
        }
    }

    fn list(&mut self, list: &mut Vec<Stmt>) {
        // Halves and quarters first.
        for parts in [2, 4] {
            let size = list.len() / parts;
            for part in (0..parts).filter(|_| size > 1) {
                if self.here() {
                    list.drain(part * size..(part + 1) * size);
                    return;
                }
            }
        }
        let mut k = 0;
        while k < list.len() {
            if self.here() {
                list.remove(k);
                return;
            }
            if let Some(bodies) = bodies(&list[k]) {
                for body in bodies {
                    if self.here() {
                        list.splice(k..=k, body);
                        return;
                    }
                }
            }
            self.stmt(&mut list[k]);
            k += 1;
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Decl(_, init, _) => match init {
                Init::One(expr) => self.expr(expr),
                Init::List(list) => list.iter_mut().for_each(|expr| self.expr(expr)),
                Init::None => {}
            },
            Stmt::Assign(to, op, from) => {
                self.lv(to);
                if op.is_some() && self.here() {
                    *op = None;
                }
                self.expr(from);
            }
            Stmt::Chain(a, b, from) => {
                self.lv(a);
                self.lv(b);
                self.expr(from);
            }
            Stmt::March(_, _, _, from) => self.expr(from),
            Stmt::Take(to, ..) => self.lv(to),
            Stmt::Eval(expr) => self.expr(expr),
            Stmt::If(on, then, other) => {
                self.expr(on);
                self.list(then);
                self.list(other);
            }
            Stmt::For(init, cond, step, body) => {
                init.iter_mut().for_each(|stmt| self.stmt(stmt));
                self.expr(cond);
                step.iter_mut().for_each(|stmt| self.stmt(stmt));
                self.list(body);
            }
            Stmt::While(cond, body) | Stmt::DoWhile(body, cond) => {
                self.expr(cond);
                self.list(body);
            }
            Stmt::Switch(on, cases, default) => {
                self.expr(on);
                let mut k = 0;
                while k < cases.len() {
                    if self.here() {
                        cases.remove(k);
                        return;
                    }
                    self.list(&mut cases[k].1);
                    k += 1;
                }
                self.list(default);
            }
            Stmt::Return(Some(expr)) => self.expr(expr),
            Stmt::Copy(to, from, ..) => {
                self.expr(to);
                self.expr(from);
            }
            Stmt::Zero(to, ..) => self.expr(to),
            Stmt::Heap(_, count, _, body) => {
                self.expr(count);
                self.list(body);
            }
            Stmt::Block(body) => self.list(body),
            _ => {}
        }
    }

    fn lv(&mut self, lv: &mut Lv) {
        for step in &mut lv.steps {
            if let Step::At(index, star) = step {
                if *star && self.here() {
                    *star = false;
                }
                self.expr(index);
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        let parts: Vec<Expr> = match expr {
            Expr::Un(_, of) | Expr::Cast(_, of) => vec![(**of).clone()],
            Expr::Bin(_, a, b) => vec![(**a).clone(), (**b).clone()],
            Expr::Cond(of) => vec![of[1].clone(), of[2].clone()],
            Expr::Math(_, args, _) => args.clone(),
            Expr::Move(base, _) => vec![(**base).clone()],
            _ => Vec::new(),
        };
        for part in parts {
            if self.here() {
                *expr = part;
                return;
            }
        }
        let simple = match expr {
            Expr::Load(lv) if !lv.steps.is_empty() => true,
            Expr::Bin(..) | Expr::Math(..) | Expr::Cond(_) | Expr::Un(..) | Expr::Call(..) | Expr::Load(_) => true,
            Expr::Int(value, _) => *value > 1,
            _ => false,
        };
        if simple {
            for value in [0, 1] {
                if self.here() {
                    *expr = Expr::Int(value, Int::I32);
                    return;
                }
            }
        }
        match expr {
            Expr::Load(lv) | Expr::Addr(lv) | Expr::Decay(lv) | Expr::Bump(lv, ..) => self.lv(lv),
            Expr::Un(_, of) | Expr::Cast(_, of) => self.expr(of),
            Expr::Bin(_, a, b) | Expr::Move(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Cond(of) => of.iter_mut().for_each(|of| self.expr(of)),
            Expr::Math(_, args, _) | Expr::Call(_, args) => args.iter_mut().for_each(|of| self.expr(of)),
            _ => {}
        }
    }
}

/// What a statement may be replaced by.
fn bodies(stmt: &Stmt) -> Option<Vec<Vec<Stmt>>> {
    Some(match stmt {
        Stmt::If(_, then, other) => vec![then.clone(), other.clone()],
        Stmt::For(init, _, _, body) => vec![[init.clone(), body.clone()].concat()],
        Stmt::While(_, body) | Stmt::DoWhile(body, _) | Stmt::Block(body) => vec![body.clone()],
        Stmt::Switch(_, cases, default) => {
            cases.iter().map(|(_, body, _)| body.clone()).chain([default.clone()]).collect()
        }
        _ => return None,
    })
}
