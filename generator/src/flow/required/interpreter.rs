//! Runs a program of the intermediate form forwards and backwards, and checks that what the analysis says to store is
//! enough: every load that an adjoint reads yields in the reverse sweep what it yielded in the forward sweep.
//!
//! A real number is only a serial number: each store makes a new one, so a wrong read never goes unnoticed.

use crate::ir::*;
use rustc_hash::FxHashMap;

use super::super::{locate, walk};
use super::state::Required;

#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    Int(i128),
    Real(u64),
    Pointer(Option<(usize, Vec<i64>)>),
}

type Key = (usize, Vec<i64>);

enum Event {
    /// These cells had these contents.
    Check(Vec<(Key, Val)>, String),
    /// A cell was overwritten.
    Write(Key, Option<Val>, bool),
    /// A block was lost.
    End(usize, Vec<(Key, Val)>, bool),
}

pub struct Machine<'m> {
    program: &'m Program,
    required: &'m Required<'m>,
    demands: Vec<(ProcId, ItemId, RegionId, Expr)>,
    memory: FxHashMap<Key, Val>,
    blocks: usize,
    serial: u64,
    log: Vec<Event>,
    /// Number of elements of each block.
    sizes: FxHashMap<usize, i64>,
    fuel: usize,
}

struct Frame {
    p: ProcId,
    values: Vec<Option<Val>>,
    objects: FxHashMap<ObjectId, usize>,
}

/// The program did something undefined, or ran too long: no test.
pub struct Stop;
type Run<T> = Result<T, Stop>;

impl<'m> Machine<'m> {
    pub fn new(
        program: &'m Program,
        required: &'m Required<'m>,
        demands: Vec<(ProcId, ItemId, RegionId, Expr)>,
    ) -> Self {
        let memory = FxHashMap::default();
        Machine {
            program,
            required,
            demands,
            memory,
            blocks: 0,
            serial: 0,
            log: Vec::new(),
            sizes: FxHashMap::default(),
            fuel: 20_000,
        }
    }

    fn block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks
    }

    /// Calls a procedure with `ints` for its integers and a fresh block of `size` elements for each pointer; then runs
    /// backwards. Returns the number of stores and of those that were put on the tape, or what was read wrongly.
    pub fn run(mut self, p: ProcId, ints: &[i128], size: i64) -> Run<Result<(usize, usize), String>> {
        let proc = &self.program.procs[p];
        let mut next = ints.iter();
        let mut args = Vec::new();
        for param in &proc.params {
            args.push(match &param.ty {
                Type::Pointer(to) => {
                    let block = self.block();
                    self.sizes.insert(block, size);
                    for k in 0..size {
                        let val = match **to {
                            Type::Int { .. } => Val::Int(i128::from((k * 7 + 3) % 5)),
                            _ => self.fresh(),
                        };
                        self.memory.insert((block, vec![k]), val);
                    }
                    Val::Pointer(Some((block, vec![0])))
                }
                Type::Int { .. } => Val::Int(*next.next().unwrap_or(&1)),
                _ => self.fresh(),
            });
        }
        self.call(p, args)?;
        let stores = self.log.iter().filter(|e| matches!(e, Event::Write(..))).count();
        let pushes = self.log.iter().filter(|e| matches!(e, Event::Write(_, _, true))).count();
        Ok(self.backwards().map(|()| (stores, pushes)))
    }

    fn backwards(&mut self) -> Result<(), String> {
        while let Some(event) = self.log.pop() {
            match event {
                Event::Write(key, old, true) => {
                    match old {
                        Some(old) => self.memory.insert(key, old),
                        None => self.memory.remove(&key),
                    };
                }
                Event::Write(..) => {}
                Event::End(block, contents, kept) => {
                    self.memory.retain(|(b, _), _| *b != block);
                    for (key, val) in contents {
                        let val = if kept { val } else { self.fresh() };
                        self.memory.insert(key, val);
                    }
                }
                Event::Check(cells, what) => {
                    for (key, val) in cells {
                        if self.memory.get(&key) != Some(&val) {
                            return Err(format!("{what}: {key:?} is {:?} and was {val:?}", self.memory.get(&key)));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn fresh(&mut self) -> Val {
        self.serial += 1;
        Val::Real(self.serial)
    }

    fn call(&mut self, p: ProcId, args: Vec<Val>) -> Run<Option<Val>> {
        let proc = &self.program.procs[p];
        let mut frame = Frame { p, values: vec![None; proc.values.len()], objects: FxHashMap::default() };
        for (param, arg) in proc.params.iter().zip(args) {
            if let Some(v) = param.entry {
                frame.values[v.index()] = Some(arg);
            }
        }
        self.region(&mut frame, RegionId(0))?;
        match &proc.result {
            Some(e) => Ok(Some(self.eval(&frame, e)?)),
            None => Ok(None),
        }
    }

    fn region(&mut self, f: &mut Frame, region: RegionId) -> Run<()> {
        let proc = &self.program.procs[f.p];
        let mut wanted = Vec::new();
        for &id in &proc.regions[region].items {
            let here = self.demands.iter().filter(|(p, i, _, _)| (*p, *i) == (f.p, id));
            for e in here.map(|(_, _, _, e)| e.clone()).collect::<Vec<_>>() {
                wanted.extend(self.cells(f, &e)?);
            }
            self.item(f, id)?;
        }
        if region == RegionId(0) && proc.result.is_some() {
            let mut cells = Vec::new();
            for need in self.required.flow.result_needs(f.p) {
                cells.extend(self.cells(f, &need)?);
            }
            self.log.push(Event::Check(cells, format!("result of {}", proc.name)));
        }
        self.log.push(Event::Check(wanted, format!("demand in {}", proc.name)));
        for &id in &proc.regions[region].items {
            if let ItemKind::Declare { object } = proc.items[id].kind
                && let Some(block) = f.objects.remove(&object)
            {
                self.end(block, self.required.keep(f.p, object));
            }
        }
        Ok(())
    }

    fn end(&mut self, block: usize, kept: bool) {
        let contents: Vec<(Key, Val)> =
            self.memory.iter().filter(|((b, _), _)| *b == block).map(|(k, v)| (k.clone(), v.clone())).collect();
        self.memory.retain(|(b, _), _| *b != block);
        self.log.push(Event::End(block, contents, kept));
    }

    /// The cells that an expression loads from, with their contents.
    fn cells(&mut self, f: &Frame, e: &Expr) -> Run<Vec<(Key, Val)>> {
        let mut out = Vec::new();
        for place in walk::loads(e) {
            let key = self.place(f, place)?;
            let val = self.memory.get(&key).cloned().ok_or(Stop)?;
            out.push((key, val));
        }
        Ok(out)
    }

    fn item(&mut self, f: &mut Frame, id: ItemId) -> Run<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop)?;
        let proc = &self.program.procs[f.p];
        let item = &proc.items[id];
        let mut read = Vec::new();
        for need in self.required.flow.needs(f.p, id) {
            read.extend(self.cells(f, &need)?);
        }
        if let ItemKind::Store { to, .. } = &item.kind
            && self.required.push_old(f.p, id)
        {
            let mut address = Vec::new();
            walk::address(to, &mut |e| address.push(e));
            for e in address {
                read.extend(self.cells(f, e)?);
            }
        }
        let text = print::item(self.program, proc, id);
        let check = Event::Check(read, format!("{}: {}", proc.name, text.lines().next().unwrap_or_default()));
        self.log.push(check);
        if let ItemKind::Let { value } = &item.kind {
            let Def::Is(e) = &proc.values[*value].def else { return Err(Stop) };
            f.values[value.index()] = Some(self.eval(f, e)?);
        } else if let ItemKind::Store { to, from } = &item.kind {
            let val = match self.eval(f, from)? {
                Val::Real(_) => self.fresh(),
                other => other,
            };
            let key = self.place(f, to)?;
            if !(0..*self.sizes.get(&key.0).ok_or(Stop)?).contains(&key.1[0]) {
                return Err(Stop);
            }
            let old = self.memory.insert(key.clone(), val);
            self.log.push(Event::Write(key, old, self.required.push_old(f.p, id)));
        } else if let ItemKind::Branch { on, then, otherwise, joins } = &item.kind {
            let first = self.truth(f, on)?;
            self.region(f, if first { *then } else { *otherwise })?;
            for j in joins {
                f.values[j.out.index()] = f.values[if first { j.then } else { j.otherwise }.index()].clone();
            }
        } else if let ItemKind::Loop { test, at, body, carried } = &item.kind {
            for c in carried {
                f.values[c.head.index()] = f.values[c.init.index()].clone();
                f.values[c.end.index()] = f.values[c.init.index()].clone();
            }
            loop {
                self.fuel = self.fuel.checked_sub(1).ok_or(Stop)?;
                if *at == TestAt::Before && !self.truth(f, test)? {
                    break;
                }
                self.region(f, *body)?;
                for c in carried {
                    f.values[c.head.index()] = f.values[c.end.index()].clone();
                }
                if *at == TestAt::After && !self.truth(f, test)? {
                    break;
                }
            }
            for c in carried {
                f.values[c.out.index()] = f.values[c.head.index()].clone();
            }
        } else if let ItemKind::Call { callee: Callee::Proc(g), args, result, .. } = &item.kind {
            let args = args.iter().map(|a| self.eval(f, a)).collect::<Run<Vec<Val>>>()?;
            let out = self.call(*g, args)?;
            if let Some(v) = result {
                f.values[v.index()] = out;
            }
        } else if let ItemKind::Declare { object } = &item.kind {
            let mut size = 1;
            for dim in &proc.objects[*object].shape {
                size *= self.int(f, dim.extent.as_deref().ok_or(Stop)?)?;
            }
            self.begin(f, *object, size as i64);
        } else if let ItemKind::Alloc { object, count, .. } = &item.kind {
            let size = self.int(f, count)?;
            self.begin(f, *object, size as i64);
        } else if let ItemKind::Free { pointer } = &item.kind
            && let Val::Pointer(Some((block, _))) = self.eval(f, pointer)?
        {
            let object = f.objects.iter().find(|(_, b)| **b == block).map(|(o, _)| *o).ok_or(Stop)?;
            self.end(block, self.required.keep(f.p, object));
        }
        Ok(())
    }

    /// A new block, with contents that nobody wrote.
    fn begin(&mut self, f: &mut Frame, object: ObjectId, size: i64) {
        let block = self.block();
        f.objects.insert(object, block);
        self.sizes.insert(block, size);
        if let Type::Float { .. } = self.program.procs[f.p].objects[object].elem {
            for k in 0..size {
                let val = self.fresh();
                self.memory.insert((block, vec![k]), val);
            }
        }
    }

    fn truth(&mut self, f: &Frame, e: &Expr) -> Run<bool> {
        match self.eval(f, e)? {
            Val::Int(k) => Ok(k != 0),
            _ => Err(Stop),
        }
    }

    fn int(&mut self, f: &Frame, e: &Expr) -> Run<i128> {
        match self.eval(f, e)? {
            Val::Int(k) => Ok(k),
            _ => Err(Stop),
        }
    }

    fn place(&mut self, f: &Frame, place: &Place) -> Run<Key> {
        let (block, mut path) = match &place.base {
            Base::Object(o) => (*f.objects.get(o).ok_or(Stop)?, vec![0]),
            Base::Global(g) => (1_000_000 + g.index(), vec![0]),
            Base::At(pointer) => match self.eval(f, pointer)? {
                Val::Pointer(Some(key)) => key,
                _ => return Err(Stop),
            },
        };
        for (k, step) in place.path.iter().enumerate() {
            match step {
                Step::Index(subscripts) => {
                    let mut flat = 0;
                    for s in subscripts {
                        if let Some(extent) = &s.dim.extent {
                            flat *= self.int(f, extent)? as i64;
                        }
                        flat += self.int(f, &s.at)? as i64;
                    }
                    if k + 1 == place.path.len() {
                        flat *= locate::count(&place.ty).ok_or(Stop)? as i64;
                    }
                    *path.last_mut().ok_or(Stop)? += flat;
                }
                Step::Field(field) => path.extend([field.index() as i64, 0]),
            }
        }
        Ok((block, path))
    }

    fn eval(&mut self, f: &Frame, e: &Expr) -> Run<Val> {
        Ok(match &e.kind {
            ExprKind::Int(k) => Val::Int(*k),
            ExprKind::Null => Val::Pointer(None),
            ExprKind::Value(v) => f.values[v.index()].clone().ok_or(Stop)?,
            ExprKind::Load(place) => {
                let key = self.place(f, place)?;
                self.memory.get(&key).cloned().ok_or(Stop)?
            }
            ExprKind::Address(place) => Val::Pointer(Some(self.place(f, place)?)),
            _ if matches!(e.ty, Type::Float { .. }) => self.fresh(),
            ExprKind::Cast(a) => self.cast(f, a, &e.ty)?,
            ExprKind::Unary(op, a) => {
                let a = self.int(f, a)?;
                self.wrap(
                    match op {
                        Unary::Negate => -a,
                        Unary::Not => i128::from(a == 0),
                        Unary::Complement => !a,
                        Unary::Adjoint => return Err(Stop),
                    },
                    &e.ty,
                )?
            }
            ExprKind::Select(c, a, b) => {
                if self.truth(f, c)? {
                    self.eval(f, a)?
                } else {
                    self.eval(f, b)?
                }
            }
            ExprKind::Binary(Binary::And, a, b) => Val::Int(i128::from(self.truth(f, a)? && self.truth(f, b)?)),
            ExprKind::Binary(Binary::Or, a, b) => Val::Int(i128::from(self.truth(f, a)? || self.truth(f, b)?)),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.int(f, a)?, self.int(f, b)?);
                use Binary::*;
                self.wrap(
                    match op {
                        Add => a + b,
                        Subtract => a - b,
                        Multiply => a * b,
                        Divide => a.checked_div(b).ok_or(Stop)?,
                        Remainder => a.checked_rem(b).ok_or(Stop)?,
                        Less => i128::from(a < b),
                        LessEqual => i128::from(a <= b),
                        Greater => i128::from(a > b),
                        GreaterEqual => i128::from(a >= b),
                        Equal => i128::from(a == b),
                        NotEqual => i128::from(a != b),
                        _ => return Err(Stop),
                    },
                    &e.ty,
                )?
            }
            _ => return Err(Stop),
        })
    }

    fn cast(&mut self, f: &Frame, a: &Expr, ty: &Type) -> Run<Val> {
        match self.eval(f, a)? {
            Val::Int(k) => self.wrap(k, ty),
            other => Ok(other),
        }
    }

    fn wrap(&self, k: i128, ty: &Type) -> Run<Val> {
        let Type::Int { bits, signed, .. } = ty else { return Err(Stop) };
        let span = 1i128 << bits;
        let wrapped = k.rem_euclid(span);
        Ok(Val::Int(if *signed && wrapped >= span / 2 { wrapped - span } else { wrapped }))
    }
}
