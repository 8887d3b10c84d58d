//! Runs a program in the intermediate representation over bytes, the way C means it.

use adtape_generate::ir::*;
use std::collections::HashMap;

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Int(i128),
    Real(f64),
    /// Block and offset in bytes.
    Pointer(Option<(usize, i64)>),
    /// Text, a stream: nobody computes with it.
    Nothing,
}

pub struct Machine<'p> {
    program: &'p Program,
    blocks: Vec<Vec<u8>>,
    globals: HashMap<GlobalId, usize>,
    steps: usize,
}

struct Frame<'p> {
    proc: &'p Proc,
    values: Vec<Option<Scalar>>,
    objects: HashMap<ObjectId, usize>,
}

struct Spot {
    block: usize,
    offset: i64,
    dims: Vec<Option<i64>>,
    elem: Type,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program) -> Self {
        Machine { program, blocks: Vec::new(), globals: HashMap::new(), steps: 0 }
    }

    pub fn block(&mut self, bytes: Vec<u8>) -> usize {
        self.blocks.push(bytes);
        self.blocks.len() - 1
    }

    pub fn bytes(&self, block: usize) -> &[u8] {
        &self.blocks[block]
    }

    pub fn set_global(&mut self, name: &str, bytes: Vec<u8>) {
        if let Some(at) = self.program.globals.iter().position(|global| global.name == name) {
            let block = self.block(bytes);
            self.globals.insert(GlobalId::new(at), block);
        }
    }

    fn size(&self, ty: &Type) -> i64 {
        self.layout(ty).0
    }

    fn layout(&self, ty: &Type) -> (i64, i64) {
        match ty {
            Type::Int { bits, .. } => (i64::from(*bits).max(8) / 8, i64::from(*bits).max(8) / 8),
            Type::Float { bits: 80 } => (16, 16),
            Type::Float { bits } => (i64::from(*bits) / 8, i64::from(*bits) / 8),
            Type::Pointer(_) => (8, 8),
            Type::Array(row) => {
                let (size, align) = self.layout(&row.elem);
                (size * row.extent.unwrap_or(0) as i64, align)
            }
            Type::Struct(id) => {
                let (mut size, mut align) = (0, 1);
                for field in &self.program.types.structs[*id].fields {
                    let (bytes, alignment) = self.layout(&field.ty);
                    size = (size + alignment - 1) / alignment * alignment + bytes;
                    align = align.max(alignment);
                }
                ((size + align - 1) / align * align, align)
            }
            Type::Void | Type::Opaque(_) => panic!("no layout: {ty:?}"),
        }
    }

    fn field(&self, id: StructId, field: FieldId) -> (i64, Type) {
        let mut at = 0;
        for (index, one) in self.program.types.structs[id].fields.iter().enumerate() {
            let (bytes, alignment) = self.layout(&one.ty);
            at = (at + alignment - 1) / alignment * alignment;
            if index == field.index() {
                return (at, one.ty.clone());
            }
            at += bytes;
        }
        panic!("no field");
    }

    pub fn read(&self, block: usize, offset: i64, ty: &Type) -> Scalar {
        let size = self.size(ty) as usize;
        let bytes = self.blocks[block].get(offset as usize..offset as usize + size);
        let bytes = bytes.unwrap_or_else(|| panic!("read of {offset} in {}", self.blocks[block].len()));
        let mut wide = [0_u8; 8];
        wide[..size.min(8)].copy_from_slice(&bytes[..size.min(8)]);
        let word = u64::from_le_bytes(wide);
        match ty {
            Type::Int { .. } => Scalar::Int(wrap(i128::from(word), ty)),
            Type::Float { bits: 32 } => Scalar::Real(f64::from(f32::from_bits(word as u32))),
            Type::Float { .. } => Scalar::Real(f64::from_bits(word)),
            _ if word == 0 => Scalar::Pointer(None),
            _ => Scalar::Pointer(Some(((word >> 32) as usize - 1, i64::from(word as u32 as i32)))),
        }
    }

    pub fn write(&mut self, block: usize, offset: i64, ty: &Type, value: Scalar) {
        let size = self.size(ty) as usize;
        let word = match value {
            Scalar::Int(value) => value as u64,
            Scalar::Real(value) if *ty == (Type::Float { bits: 32 }) => u64::from((value as f32).to_bits()),
            Scalar::Real(value) => value.to_bits(),
            Scalar::Pointer(None) => 0,
            Scalar::Pointer(Some((block, offset))) => ((block as u64 + 1) << 32) | u64::from(offset as i32 as u32),
            Scalar::Nothing => 0,
        };
        let to = &mut self.blocks[block][offset as usize..offset as usize + size];
        to.copy_from_slice(&word.to_le_bytes()[..size]);
    }

    pub fn call(&mut self, id: ProcId, args: &[Arg], into: Option<(usize, i64)>) -> Option<Scalar> {
        let proc = &self.program.procs[id];
        let mut frame = Frame { proc, values: vec![None; proc.values.len()], objects: HashMap::new() };
        for (param, arg) in proc.params.iter().zip(args) {
            match arg {
                Arg::Scalar(value) => frame.values[param.entry.unwrap().index()] = Some(*value),
                Arg::Struct(bytes) => {
                    let block = self.block(bytes.clone());
                    frame.objects.insert(param.object.unwrap(), block);
                }
            }
        }
        self.region(&mut frame, RegionId(0));
        if let (Some(object), Some((block, offset))) = (proc.result_object, into) {
            let bytes = self.blocks[frame.objects[&object]].clone();
            self.blocks[block][offset as usize..offset as usize + bytes.len()].copy_from_slice(&bytes);
        }
        proc.result.as_ref().map(|result| self.eval(&frame, result))
    }

    fn region(&mut self, frame: &mut Frame<'p>, region: RegionId) {
        let proc = frame.proc;
        for item in &proc.regions[region].items {
            self.item(frame, *item);
        }
    }

    fn item(&mut self, frame: &mut Frame<'p>, item: ItemId) {
        self.steps += 1;
        assert!(self.steps < 10_000_000, "the program does not end");
        let proc = frame.proc;
        match &proc.items[item].kind {
            ItemKind::Let { value } => {
                let Def::Is(expr) = &proc.values[*value].def else { panic!("let of no expression") };
                // A value without definition may be copied as long as nobody computes with it.
                frame.values[value.index()] = match expr.kind {
                    ExprKind::Value(other) => frame.values[other.index()],
                    _ => Some(self.eval(frame, expr)),
                };
            }
            ItemKind::Store { to, from } => {
                let value = self.eval(frame, from);
                let spot = self.place(frame, to);
                self.write(spot.block, spot.offset, &to.ty, value);
            }
            ItemKind::Call { callee: Callee::Proc(id), args, result, into } => {
                let args: Vec<Arg> = args.iter().map(|arg| self.arg(frame, arg)).collect();
                let into = into.as_ref().map(|place| {
                    let spot = self.place(frame, place);
                    (spot.block, spot.offset)
                });
                let value = self.call(*id, &args, into);
                if let Some(result) = result {
                    frame.values[result.index()] = value;
                }
            }
            ItemKind::Call { result, .. } => {
                if let Some(result) = result {
                    frame.values[result.index()] = Some(Scalar::Int(0));
                }
            }
            ItemKind::Branch { on, then, otherwise, joins } => {
                let first = self.truth(frame, on);
                self.region(frame, if first { *then } else { *otherwise });
                for join in joins {
                    let from = if first { join.then } else { join.otherwise };
                    frame.values[join.out.index()] = frame.values[from.index()];
                }
            }
            ItemKind::Loop { test, at, body, carried } => {
                let mut now: Vec<_> = carried.iter().map(|one| frame.values[one.init.index()]).collect();
                loop {
                    for (one, value) in carried.iter().zip(&now) {
                        frame.values[one.head.index()] = *value;
                    }
                    if *at == TestAt::Before && !self.truth(frame, test) {
                        break;
                    }
                    self.region(frame, *body);
                    now = carried.iter().map(|one| frame.values[one.end.index()]).collect();
                    if *at == TestAt::After && !self.truth(frame, test) {
                        break;
                    }
                }
                for (one, value) in carried.iter().zip(now) {
                    frame.values[one.out.index()] = value;
                }
            }
            ItemKind::Declare { object } => {
                let declared = &proc.objects[*object];
                let count: i64 = declared.shape.iter().map(|dim| self.extent(frame, dim).unwrap()).product();
                let size = count * self.size(&declared.elem);
                let block = self.block(vec![0xab; size as usize]);
                frame.objects.insert(*object, block);
            }
            ItemKind::Alloc { object, count, zeroed } => {
                let Scalar::Int(count) = self.eval(frame, count) else { panic!("count") };
                let size = count as i64 * self.size(&proc.objects[*object].elem);
                let block = self.block(vec![if *zeroed { 0 } else { 0xab }; size as usize]);
                frame.objects.insert(*object, block);
            }
            ItemKind::Free { .. } | ItemKind::DeclareVar { .. } | ItemKind::Sweep(SweepItem::Nothing) => {}
            other => panic!("not run: {other:?}"),
        }
    }

    fn arg(&mut self, frame: &Frame<'p>, arg: &Expr) -> Arg {
        if let (Type::Struct(_), ExprKind::Load(place)) = (&arg.ty, &arg.kind) {
            let spot = self.place(frame, place);
            let size = self.size(&arg.ty) as usize;
            return Arg::Struct(self.blocks[spot.block][spot.offset as usize..][..size].to_vec());
        }
        Arg::Scalar(self.eval(frame, arg))
    }

    fn extent(&self, frame: &Frame<'p>, dim: &Dim) -> Option<i64> {
        dim.extent.as_ref().map(|extent| match self.eval(frame, extent) {
            Scalar::Int(extent) => extent as i64,
            other => panic!("extent {other:?}"),
        })
    }

    fn place(&self, frame: &Frame<'p>, place: &Place) -> Spot {
        let mut spot = match &place.base {
            Base::Object(object) => {
                let declared = &frame.proc.objects[*object];
                let dims = declared.shape.iter().map(|dim| self.extent(frame, dim)).collect();
                Spot { block: frame.objects[object], offset: 0, dims, elem: declared.elem.clone() }
            }
            Base::Global(global) => {
                let declared = &self.program.globals[*global];
                let dims = declared.shape.iter().map(|dim| self.extent(frame, dim)).collect();
                let block = *self.globals.get(global).unwrap_or_else(|| panic!("no contents: {}", declared.name));
                Spot { block, offset: 0, dims, elem: declared.elem.clone() }
            }
            Base::At(pointer) => {
                let Scalar::Pointer(Some((block, offset))) = self.eval(frame, pointer) else { panic!("null") };
                let Type::Pointer(to) = &pointer.ty else { panic!("no pointer") };
                let (mut dims, elem) = peel(to);
                dims.insert(0, None);
                Spot { block, offset, dims, elem }
            }
        };
        for step in &place.path {
            match step {
                Step::Index(subscripts) => {
                    let mut index = 0;
                    for (at, subscript) in subscripts.iter().enumerate() {
                        let Scalar::Int(value) = self.eval(frame, &subscript.at) else { panic!("subscript") };
                        let extent = self.extent(frame, &subscript.dim).or(spot.dims[at]);
                        if at > 0 {
                            index *= extent.expect("an extent");
                        }
                        index += value as i64;
                    }
                    spot.dims.drain(..subscripts.len());
                    let rest: i64 = spot.dims.iter().map(|dim| dim.expect("an extent")).product();
                    spot.offset += index * rest * self.size(&spot.elem);
                }
                Step::Field(field) => {
                    let Type::Struct(id) = spot.elem else { panic!("field of {:?}", spot.elem) };
                    let (offset, ty) = self.field(id, *field);
                    spot.offset += offset;
                    (spot.dims, spot.elem) = peel(&ty);
                }
            }
        }
        spot
    }

    fn truth(&self, frame: &Frame<'p>, expr: &Expr) -> bool {
        match self.eval(frame, expr) {
            Scalar::Int(value) => value != 0,
            Scalar::Pointer(to) => to.is_some(),
            other => panic!("condition {other:?}"),
        }
    }

    fn eval(&self, frame: &Frame<'p>, expr: &Expr) -> Scalar {
        let value = match &expr.kind {
            ExprKind::Int(value) => Scalar::Int(*value),
            ExprKind::Float(text) => Scalar::Real(real(text)),
            ExprKind::Null => Scalar::Pointer(None),
            ExprKind::Verbatim(_) => Scalar::Nothing,
            ExprKind::Value(value) => frame.values[value.index()]
                .unwrap_or_else(|| panic!("value {value:?} of {} is not defined", frame.proc.name)),
            ExprKind::Load(place) => {
                let spot = self.place(frame, place);
                self.read(spot.block, spot.offset, &place.ty)
            }
            ExprKind::Address(place) => {
                let spot = self.place(frame, place);
                Scalar::Pointer(Some((spot.block, spot.offset)))
            }
            ExprKind::Unary(op, operand) => match (op, self.eval(frame, operand)) {
                (Unary::Negate, Scalar::Int(value)) => Scalar::Int(-value),
                (Unary::Negate, Scalar::Real(value)) => Scalar::Real(-value),
                (Unary::Complement, Scalar::Int(value)) => Scalar::Int(!value),
                (Unary::Not, _) => Scalar::Int(i128::from(!self.truth(frame, operand))),
                other => panic!("operand {other:?}"),
            },
            ExprKind::Binary(Binary::And, a, b) => {
                Scalar::Int(i128::from(self.truth(frame, a) && self.truth(frame, b)))
            }
            ExprKind::Binary(Binary::Or, a, b) => Scalar::Int(i128::from(self.truth(frame, a) || self.truth(frame, b))),
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.eval(frame, a), self.eval(frame, b));
                self.binary(*op, x, y, &a.ty)
            }
            ExprKind::Function(function, args) => {
                let args: Vec<Scalar> = args.iter().map(|arg| self.eval(frame, arg)).collect();
                apply(function.name, function.bits, &args)
            }
            ExprKind::Cast(operand) => match (self.eval(frame, operand), &expr.ty) {
                (Scalar::Real(value), Type::Int { .. }) => Scalar::Int(value.trunc() as i128),
                (Scalar::Int(value), Type::Float { bits: 32 }) => Scalar::Real(f64::from(value as f32)),
                (Scalar::Int(value), Type::Float { .. }) => Scalar::Real(value as f64),
                (value, _) => value,
            },
            ExprKind::Select(on, a, b) => {
                if self.truth(frame, on) {
                    self.eval(frame, a)
                } else {
                    self.eval(frame, b)
                }
            }
        };
        match (value, &expr.ty) {
            (Scalar::Int(value), Type::Int { .. }) => Scalar::Int(wrap(value, &expr.ty)),
            (Scalar::Real(value), Type::Float { bits: 32 }) => Scalar::Real(f64::from(value as f32)),
            (value, _) => value,
        }
    }

    fn binary(&self, op: Binary, a: Scalar, b: Scalar, ty: &Type) -> Scalar {
        let truth = |value: bool| Scalar::Int(i128::from(value));
        match (a, b) {
            (Scalar::Int(a), Scalar::Int(b)) => match op {
                Binary::Add => Scalar::Int(a + b),
                Binary::Subtract => Scalar::Int(a - b),
                Binary::Multiply => Scalar::Int(a.wrapping_mul(b)),
                Binary::Divide => Scalar::Int(a / b),
                Binary::Remainder => Scalar::Int(a % b),
                Binary::ShiftLeft => Scalar::Int(a << b),
                Binary::ShiftRight => Scalar::Int(a >> b),
                Binary::BitAnd => Scalar::Int(a & b),
                Binary::BitOr => Scalar::Int(a | b),
                Binary::BitXor => Scalar::Int(a ^ b),
                _ => truth(compare(op, a.partial_cmp(&b))),
            },
            (Scalar::Real(a), Scalar::Real(b)) => match op {
                Binary::Add => Scalar::Real(a + b),
                Binary::Subtract => Scalar::Real(a - b),
                Binary::Multiply => Scalar::Real(a * b),
                Binary::Divide => Scalar::Real(a / b),
                _ => truth(compare(op, a.partial_cmp(&b))),
            },
            (Scalar::Pointer(a), Scalar::Pointer(b)) => match op {
                Binary::PointerDifference => {
                    let (Some(a), Some(b), Type::Pointer(to)) = (a, b, ty) else { panic!("difference of null") };
                    assert_eq!(a.0, b.0, "difference across blocks");
                    Scalar::Int(i128::from((a.1 - b.1) / self.size(to)))
                }
                _ => truth(compare(op, a.partial_cmp(&b))),
            },
            other => panic!("operands {other:?}"),
        }
    }
}

pub enum Arg {
    Scalar(Scalar),
    Struct(Vec<u8>),
}

fn peel(ty: &Type) -> (Vec<Option<i64>>, Type) {
    let (mut dims, mut ty) = (Vec::new(), ty);
    while let Type::Array(row) = ty {
        dims.push(row.extent.map(|extent| extent as i64));
        ty = &row.elem;
    }
    (dims, ty.clone())
}

fn compare(op: Binary, order: Option<std::cmp::Ordering>) -> bool {
    match op {
        Binary::Less => order.is_some_and(|order| order.is_lt()),
        Binary::LessEqual => order.is_some_and(|order| order.is_le()),
        Binary::Greater => order.is_some_and(|order| order.is_gt()),
        Binary::GreaterEqual => order.is_some_and(|order| order.is_ge()),
        Binary::Equal => order.is_some_and(|order| order.is_eq()),
        Binary::NotEqual => !order.is_some_and(|order| order.is_eq()),
        other => panic!("no comparison: {other:?}"),
    }
}

fn wrap(value: i128, ty: &Type) -> i128 {
    let Type::Int { bits, signed, .. } = ty else { return value };
    if *bits == 1 {
        return i128::from(value != 0);
    }
    let size = 1_i128 << bits;
    let low = value.rem_euclid(size);
    if *signed && low >= size / 2 { low - size } else { low }
}

fn real(text: &str) -> f64 {
    match text {
        "INFINITY" | "HUGE_VAL" => f64::INFINITY,
        "NAN" => f64::NAN,
        _ => {
            let narrow = text.ends_with(['f', 'F']);
            let digits = text.trim_end_matches(['f', 'F', 'l', 'L']);
            let value: f64 = digits.parse().unwrap_or_else(|_| panic!("{text}"));
            if narrow { f64::from(digits.parse::<f32>().unwrap()) } else { value }
        }
    }
}

fn apply(name: &str, bits: u8, args: &[Scalar]) -> Scalar {
    if let ("__builtin_popcount" | "__builtin_ctz" | "__builtin_clz", &[Scalar::Int(value)]) = (name, args) {
        let value = value as u32;
        let bits = match name {
            "__builtin_popcount" => value.count_ones(),
            "__builtin_ctz" => value.trailing_zeros(),
            _ => value.leading_zeros(),
        };
        return Scalar::Int(i128::from(bits));
    }
    let x = |at: usize| if let Scalar::Real(value) = args[at] { value } else { panic!("{name}: {args:?}") };
    Scalar::Real(match (name, bits) {
        ("isnan", _) => return Scalar::Int(i128::from(x(0).is_nan())),
        ("isfinite", _) => return Scalar::Int(i128::from(x(0).is_finite())),
        ("isinf", _) => return Scalar::Int(i128::from(x(0).is_infinite())),
        ("sin", 32) => f64::from((x(0) as f32).sin()),
        ("exp", 32) => f64::from((x(0) as f32).exp()),
        ("sin", _) => x(0).sin(),
        ("cos", _) => x(0).cos(),
        ("exp", _) => x(0).exp(),
        ("log", _) => x(0).ln(),
        ("sqrt", 32) => f64::from((x(0) as f32).sqrt()),
        ("sqrt", _) => x(0).sqrt(),
        ("fabs", _) => x(0).abs(),
        ("floor", _) => x(0).floor(),
        ("fmax", _) => x(0).max(x(1)),
        ("fmin", _) => x(0).min(x(1)),
        ("pow", _) => x(0).powf(x(1)),
        _ => panic!("function {name}"),
    })
}
