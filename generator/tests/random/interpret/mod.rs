//! Runs a program as C defines it, with dual numbers: the values, and the tangent that the generator's must equal.
//!
//! Whatever C leaves undefined ends the run with a reason: a subscript outside its array, a variable without a value,
//! signed overflow. So do values that grow, equal arguments of `fmax`, and a run that takes long: such programs are no
//! test of anything.

mod value;

use std::collections::HashMap;

use crate::ast::*;
use crate::dual::Dual;

/// An address: object, scalar in it, and the part of the object that the pointer may walk over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ptr {
    pub object: usize,
    pub at: usize,
    pub low: usize,
    pub high: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Val {
    Undef,
    Int(i128),
    Real(Dual),
    Ptr(Ptr),
}

/// Where the control goes after a statement.
enum Flow {
    Next,
    Break,
    Continue,
    Goto,
    Return(Vec<Val>),
}

type Run<T> = Result<T, &'static str>;

/// Statements and passes of loops before a program counts as endless.
const STEPS: usize = 20_000;
/// Values and tangents beyond this are no test.
const LARGE: f64 = 1e4;

pub struct Machine<'a> {
    program: &'a Program,
    pub objects: Vec<Vec<Val>>,
    alive: Vec<bool>,
    globals: Vec<usize>,
    statics: HashMap<(usize, usize), usize>,
    steps: usize,
    depth: usize,
    /// The largest tangent met.
    pub largest: f64,
    /// Functions met at a pole, whose derivative something would ask for but for what drops it.
    pub poles: usize,
}

struct Frame<'a> {
    id: usize,
    proc: &'a Proc,
    slots: Vec<Option<usize>>,
}

/// A place that was evaluated.
struct Spot {
    at: Ptr,
    ty: Ty,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program) -> Machine<'a> {
        let mut machine = Machine {
            program,
            objects: Vec::new(),
            alive: Vec::new(),
            globals: Vec::new(),
            statics: HashMap::new(),
            steps: 0,
            depth: 0,
            largest: 0.0,
            poles: 0,
        };
        for global in &program.globals {
            let mut types = Vec::new();
            program.flat(&global.var.ty, &mut types);
            let value = |(k, ty): (usize, &Ty)| {
                let of = global.init.get(k).copied().unwrap_or(0.0);
                match ty {
                    Ty::Int(_) => Val::Int(of as i128),
                    Ty::F32 => Val::Real(Dual::of(f64::from(of as f32))),
                    _ => Val::Real(Dual::of(of)),
                }
            };
            let object = machine.object(types.iter().enumerate().map(value).collect());
            machine.globals.push(object);
        }
        machine
    }

    pub fn object(&mut self, cells: Vec<Val>) -> usize {
        self.objects.push(cells);
        self.alive.push(true);
        self.objects.len() - 1
    }

    /// Calls a procedure: the scalars of its result.
    pub fn call(&mut self, id: usize, args: Vec<Vec<Val>>) -> Run<Vec<Val>> {
        let proc = &self.program.procs[id];
        self.depth += 1;
        if self.depth > 40 {
            return Err("recursion is deep");
        }
        let mut frame = Frame { id, proc, slots: vec![None; proc.vars.len()] };
        for (slot, arg) in frame.slots.iter_mut().zip(args) {
            *slot = Some(self.object(arg));
        }
        let flow = self.list(&mut frame, &proc.body)?;
        for slot in frame.slots.iter().enumerate().filter(|(k, _)| !proc.vars[*k].is_static).filter_map(|(_, s)| *s) {
            self.alive[slot] = false;
        }
        self.depth -= 1;
        match flow {
            Flow::Return(value) => Ok(value),
            _ if proc.ret == Ty::Void => Ok(Vec::new()),
            _ => Err("no result"),
        }
    }

    fn list(&mut self, frame: &mut Frame, list: &[Stmt]) -> Run<Flow> {
        let mut at = 0;
        while at < list.len() {
            match self.stmt(frame, &list[at])? {
                Flow::Next => at += 1,
                Flow::Goto => match list.iter().position(|stmt| *stmt == Stmt::Label) {
                    Some(label) => at = label,
                    None => return Ok(Flow::Goto),
                },
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn tick(&mut self) -> Run<()> {
        self.steps += 1;
        if self.steps > STEPS { Err("takes long") } else { Ok(()) }
    }

    fn stmt(&mut self, frame: &mut Frame, stmt: &Stmt) -> Run<Flow> {
        self.tick()?;
        match stmt {
            Stmt::Decl(var, init, extent) => self.declare(frame, *var, init, extent.as_ref())?,
            Stmt::Assign(to, op, from) => self.assign(frame, to, *op, from)?,
            Stmt::Chain(a, b, from) => {
                self.assign(frame, b, None, from)?;
                self.assign(frame, a, None, &Expr::Load(Box::new(b.clone())))?;
            }
            Stmt::March(p, delta, op, from) => {
                let value = self.expr(frame, from)?;
                let place =
                    Lv { steps: [&p.steps[..], &[Step::At(Expr::Int(0, Int::I32), true)]].concat(), ..p.clone() };
                if *delta < 0 {
                    self.bump(frame, p, *delta)?;
                }
                let spot = self.place(frame, &place)?;
                self.put(frame, &spot, *op, value)?;
                if *delta > 0 {
                    self.bump(frame, p, *delta)?;
                }
            }
            Stmt::Take(to, op, p, delta) => {
                let place =
                    Lv { steps: [&p.steps[..], &[Step::At(Expr::Int(0, Int::I32), true)]].concat(), ..p.clone() };
                if *delta < 0 {
                    self.bump(frame, p, *delta)?;
                }
                self.assign(frame, to, *op, &Expr::Load(Box::new(place)))?;
                if *delta > 0 {
                    self.bump(frame, p, *delta)?;
                }
            }
            Stmt::Eval(Expr::Call(callee, args)) => {
                self.invoke(frame, *callee, args)?;
            }
            Stmt::Eval(expr) => {
                self.expr(frame, expr)?;
            }
            Stmt::If(on, then, other) => {
                return if self.truth(frame, on)? { self.list(frame, then) } else { self.list(frame, other) };
            }
            Stmt::For(init, cond, step, body) => {
                for stmt in init {
                    self.stmt(frame, stmt)?;
                }
                return self.looping(frame, Some(cond), body, step, None);
            }
            Stmt::While(cond, body) => return self.looping(frame, Some(cond), body, &[], None),
            Stmt::DoWhile(body, cond) => return self.looping(frame, None, body, &[], Some(cond)),
            Stmt::Switch(on, cases, default) => return self.switch(frame, on, cases, default),
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Goto => return Ok(Flow::Goto),
            Stmt::Label => {}
            Stmt::Return(None) => return Ok(Flow::Return(Vec::new())),
            Stmt::Return(Some(expr)) => {
                let to = frame.proc.ret.clone();
                return Ok(Flow::Return(self.converted(frame, expr, &to)?));
            }
            Stmt::Copy(to, from, count, of, moving) => {
                let cells = count * self.program.cells(of);
                let (to, from) = (self.pointer(frame, to)?, self.pointer(frame, from)?);
                let overlap = to.object == from.object && to.at < from.at + cells && from.at < to.at + cells;
                if overlap && !moving {
                    return Err("memcpy of memory that overlaps");
                }
                let (from, to) = (self.span(from, cells)?, self.span(to, cells)?);
                let all = self.objects[from.0][from.1..from.1 + cells].to_vec();
                self.objects[to.0][to.1..to.1 + cells].copy_from_slice(&all);
            }
            Stmt::Zero(to, count, of) => {
                let cells = count * self.program.cells(of);
                let to = self.pointer(frame, to)?;
                let (object, at) = self.span(to, cells)?;
                let zero = if of.real() { Val::Real(Dual::of(0.0)) } else { Val::Int(0) };
                self.objects[object][at..at + cells].fill(zero);
            }
            Stmt::Heap(var, count, zeroed, body) => {
                let Ty::Ptr(of) = &frame.proc.vars[*var].ty else { return Err("no pointer") };
                let count = self.int(frame, count)?;
                let cells = usize::try_from(count).map_err(|_| "negative extent")? * self.program.cells(of);
                let zero = if of.real() { Val::Real(Dual::of(0.0)) } else { Val::Int(0) };
                if count == 0 {
                    return Err("a block of nothing");
                }
                let object = self.object(vec![if *zeroed { zero } else { Val::Undef }; cells]);
                let ptr = Ptr { object, at: 0, low: 0, high: cells };
                frame.slots[*var] = Some(self.object(vec![Val::Ptr(ptr)]));
                let flow = self.list(frame, body)?;
                self.alive[object] = false;
                return Ok(flow);
            }
            Stmt::Block(body) => return self.list(frame, body),
            Stmt::Tell(proc) => drop(self.call(*proc, Vec::new())?),
        }
        Ok(Flow::Next)
    }

    fn looping(
        &mut self,
        frame: &mut Frame,
        before: Option<&Expr>,
        body: &[Stmt],
        step: &[Stmt],
        behind: Option<&Expr>,
    ) -> Run<Flow> {
        loop {
            self.tick()?;
            if let Some(cond) = before
                && !self.truth(frame, cond)?
            {
                return Ok(Flow::Next);
            }
            match self.list(frame, body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
            for stmt in step {
                self.stmt(frame, stmt)?;
            }
            if let Some(cond) = behind
                && !self.truth(frame, cond)?
            {
                return Ok(Flow::Next);
            }
        }
    }

    fn switch(
        &mut self,
        frame: &mut Frame,
        on: &Expr,
        cases: &[(Vec<i64>, Vec<Stmt>, bool)],
        default: &[Stmt],
    ) -> Run<Flow> {
        let value = self.int(frame, on)?;
        let from = cases.iter().position(|(labels, ..)| labels.iter().any(|label| i128::from(*label) == value));
        let mut falls = true;
        for (_, body, on) in &cases[from.unwrap_or(cases.len())..] {
            match self.list(frame, body)? {
                Flow::Next => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
            falls = *on;
            if !falls {
                break;
            }
        }
        if !falls {
            return Ok(Flow::Next);
        }
        match self.list(frame, default)? {
            Flow::Break => Ok(Flow::Next),
            flow => Ok(flow),
        }
    }

    fn declare(&mut self, frame: &mut Frame, var: usize, init: &Init, extent: Option<&Expr>) -> Run<()> {
        let of = &frame.proc.vars[var];
        if of.is_static
            && let Some(object) = self.statics.get(&(frame.id, var))
        {
            frame.slots[var] = Some(*object);
            return Ok(());
        }
        let cells = match (extent, &of.ty) {
            (Some(extent), Ty::Array(of, _)) => {
                let count = self.int(frame, extent)?;
                if count <= 0 {
                    return Err("an array of nothing");
                }
                usize::try_from(count).unwrap() * self.program.cells(of)
            }
            _ => self.program.cells(&of.ty),
        };
        if cells > 1000 {
            return Err("a large array");
        }
        let values = match init {
            Init::None => vec![Val::Undef; cells],
            Init::One(expr) => self.converted(frame, expr, &of.ty)?,
            Init::List(list) => {
                let mut types = Vec::new();
                self.program.flat(&of.ty, &mut types);
                let mut values = Vec::new();
                for (k, ty) in types.iter().enumerate() {
                    values.push(match list.get(k) {
                        Some(expr) => self.converted(frame, expr, ty)?[0],
                        None if ty.real() => Val::Real(Dual::of(0.0)),
                        None => Val::Int(0),
                    });
                }
                values
            }
        };
        let object = self.object(values);
        if of.is_static {
            self.statics.insert((frame.id, var), object);
        }
        frame.slots[var] = Some(object);
        Ok(())
    }

    fn assign(&mut self, frame: &mut Frame, to: &Lv, op: Option<Bin>, from: &Expr) -> Run<()> {
        let ty = self.program.ty_of(frame.proc, to);
        if let Ty::Struct(_) = ty {
            let values = self.converted(frame, from, &ty)?;
            let spot = self.place(frame, to)?;
            let (object, at) = self.span(spot.at, values.len())?;
            self.objects[object][at..at + values.len()].copy_from_slice(&values);
            return Ok(());
        }
        let value = self.expr(frame, from)?;
        let spot = self.place(frame, to)?;
        self.put(frame, &spot, op, value)
    }

    /// Assigns to a place, after computing with what it holds.
    fn put(&mut self, frame: &mut Frame, spot: &Spot, op: Option<Bin>, value: (Val, Ty)) -> Run<()> {
        let value = match op {
            None => value,
            Some(op) => {
                let old = (self.get(spot.at)?, spot.ty.clone());
                self.binary(frame, op, old, value)?
            }
        };
        let value = self.convert(value, &spot.ty)?;
        let (object, at) = self.span(spot.at, 1)?;
        self.objects[object][at] = value;
        Ok(())
    }

    fn bump(&mut self, frame: &mut Frame, lv: &Lv, delta: i64) -> Run<(Val, Val, Ty)> {
        let spot = self.place(frame, lv)?;
        let old = self.get(spot.at)?;
        let by = (Val::Int(i128::from(delta)), Ty::Int(Int::I32));
        let new = match &spot.ty {
            Ty::Ptr(_) => self.moved((old, spot.ty.clone()), by)?,
            _ => self.binary(frame, Bin::Add, (old, spot.ty.clone()), by)?,
        };
        let new = self.convert(new, &spot.ty)?;
        let (object, at) = self.span(spot.at, 1)?;
        self.objects[object][at] = new;
        Ok((old, new, spot.ty))
    }

    /// Checks that so many scalars are there.
    fn span(&self, at: Ptr, cells: usize) -> Run<(usize, usize)> {
        if at.low > at.at || at.at + cells > at.high || at.at + cells > self.objects[at.object].len() {
            return Err("outside of its array");
        }
        if self.alive[at.object] { Ok((at.object, at.at)) } else { Err("memory that is gone") }
    }

    fn get(&self, at: Ptr) -> Run<Val> {
        let (object, at) = self.span(at, 1)?;
        match self.objects[object][at] {
            Val::Undef => Err("no value yet"),
            value => Ok(value),
        }
    }

    fn place(&mut self, frame: &mut Frame, lv: &Lv) -> Run<Spot> {
        let object = match lv.base {
            Base::Local(var) => frame.slots[var].ok_or("not declared")?,
            Base::Global(global) => self.globals[global],
        };
        let mut ty = self.program.var(frame.proc, lv.base).ty.clone();
        let mut at = Ptr { object, at: 0, low: 0, high: self.objects[object].len() };
        for step in &lv.steps {
            match step {
                Step::At(index, _) => {
                    let index = self.int(frame, index)?;
                    let of = match ty {
                        Ty::Array(of, extent) => {
                            if extent != VARIABLE {
                                at = Ptr { low: at.at, high: at.at + extent * self.program.cells(&of), ..at };
                            }
                            of
                        }
                        Ty::Ptr(of) => {
                            let Val::Ptr(ptr) = self.get(at)? else { return Err("no pointer") };
                            at = ptr;
                            of
                        }
                        _ => return Err("no array"),
                    };
                    at = self.walk(at, index, self.program.cells(&of))?;
                    ty = *of;
                    if at.at >= at.high {
                        return Err("outside of its array");
                    }
                }
                Step::Field(k) => {
                    let Ty::Struct(of) = ty else { return Err("no struct") };
                    let fields = &self.program.structs[of].fields;
                    let before: usize = fields[..*k].iter().map(|(_, ty)| self.program.cells(ty)).sum();
                    ty = fields[*k].1.clone();
                    let low = at.at + before;
                    at = Ptr { at: low, low, high: low + self.program.cells(&ty), ..at };
                }
            }
        }
        Ok(Spot { at, ty })
    }

    fn walk(&self, from: Ptr, count: i128, cells: usize) -> Run<Ptr> {
        let at = i128::try_from(from.at).unwrap() + count * i128::try_from(cells).unwrap();
        let at = usize::try_from(at).map_err(|_| "outside of its array")?;
        if at < from.low || at > from.high { Err("outside of its array") } else { Ok(Ptr { at, ..from }) }
    }

    fn moved(&self, base: (Val, Ty), by: (Val, Ty)) -> Run<(Val, Ty)> {
        let (Val::Ptr(from), Ty::Ptr(of), Val::Int(by)) = (base.0, &base.1, by.0) else { return Err("no pointer") };
        Ok((Val::Ptr(self.walk(from, by, self.program.cells(of))?), base.1.clone()))
    }
}
