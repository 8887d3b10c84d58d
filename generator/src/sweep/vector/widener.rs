//! From assignments to adjoints to loops over directions.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::shadows::Shadows;
use super::wide::{Given, Wide, widen_object};
use crate::ir::*;
use crate::sweep::{items::binary, unique};

/// Whether an item may move in front of assignments to adjoints.
fn may_go_first(kind: &ItemKind) -> bool {
    if let ItemKind::Let { .. }
    | ItemKind::DeclareVar { .. }
    | ItemKind::Declare { .. }
    | ItemKind::Sweep(SweepItem::Nothing) = kind
    {
        true
    } else if let ItemKind::Sweep(SweepItem::Pop { what }) = kind {
        !matches!(what, Popped::Memory(_) | Popped::Elements { .. })
    } else {
        false
    }
}

pub(super) struct Widener<'a> {
    wide: &'a Wide,
    given: &'a Given<'a>,
    shadows: Shadows<'a>,
    /// Adjoints with a name that are read outside of the loop that computes them.
    arrays: FxHashMap<ValueId, ObjectId>,
    /// The variable that counts directions.
    counter: Option<VarId>,
}

/// Where items for one direction are put: in the body of a loop, or, what all directions share, in front of it.
struct Site<'s> {
    /// The region of the loop, and its items so far.
    region: RegionId,
    out: &'s mut Vec<ItemId>,
    span: Span,
    statement: Option<StatementId>,
    /// The body of the loop, and the direction.
    body: RegionId,
    direction: Expr,
    /// Values of the program that were computed in front of the loop.
    known: Vec<(Expr, ValueId)>,
}

impl<'a> Widener<'a> {
    pub(super) fn new(wide: &'a Wide, given: &'a Given<'a>, shadows: Shadows<'a>) -> Self {
        Widener { wide, given, shadows, arrays: FxHashMap::default(), counter: None }
    }

    pub(super) fn run(mut self, proc: &mut Proc) {
        self.declarations(proc);
        let runs = self.runs(proc);
        self.arrays_of_values(proc, &runs);
        for region in 0..proc.regions.len() {
            self.region(proc, RegionId::new(region));
        }
    }

    fn declarations(&self, proc: &mut Proc) {
        for (at, var) in proc.vars.iter_mut().enumerate().filter(|(at, _)| self.shadows.vars[*at]) {
            if !matches!(var.ty, Type::Float { .. }) {
                var.ty = self.wide.ty(&var.ty);
            } else if proc.params.iter().any(|param| param.var == Some(VarId::new(at))) {
                var.ty = Type::pointer(var.ty.clone());
            }
        }
        for param in &mut proc.params {
            if let Some(var) = param.var.filter(|var| self.shadows.vars[var.index()]) {
                param.ty = proc.vars[var].ty.clone();
                param.declaration = String::new();
            }
        }
        for object in proc.objects.iter_mut().zip(&self.shadows.objects).filter(|(_, is)| **is) {
            widen_object(self.wide, object.0);
        }
    }

    /// The loops that items go into: by number.
    fn runs(&self, proc: &Proc) -> FxHashMap<ItemId, usize> {
        let (mut runs, mut run) = (FxHashMap::default(), 0);
        for region in &proc.regions {
            run += 1;
            for &item in &region.items {
                let kind = &proc.items[item].kind;
                if self.shadows.assigns(proc, kind) {
                    runs.insert(item, run);
                } else if !may_go_first(kind) {
                    run += 1;
                }
            }
        }
        runs
    }

    /// Makes arrays of the adjoints that are read where another loop, or none, runs.
    fn arrays_of_values(&mut self, proc: &mut Proc, runs: &FxHashMap<ItemId, usize>) {
        let mut homes = FxHashMap::default();
        for (&item, &run) in runs {
            if let ItemKind::Let { value } = proc.items[item].kind {
                homes.insert(value, run);
            }
        }
        let mut outside = BTreeSet::new();
        for &item in proc.regions.iter().flat_map(|region| &region.items) {
            walk::values_of_item(proc, item, &mut |value| {
                if homes.get(&value).is_some_and(|home| runs.get(&item) != Some(home)) {
                    outside.insert(value);
                }
            });
        }
        for value in outside {
            let known = &proc.values[value];
            let var = &proc.vars[known.var];
            let (name, elem, region) = (var.name.clone(), var.ty.clone(), known.region);
            self.arrays.insert(value, self.array(proc, &name, elem, region));
        }
    }

    fn array(&self, proc: &mut Proc, name: &str, elem: Type, region: RegionId) -> ObjectId {
        let name = unique(proc, name.to_string());
        let (shape, life) = (vec![self.wide.dim()], Life::Region(region));
        proc.objects.push(Object { name, elem, shape, life, constant: false, span: proc.span });
        ObjectId::new(proc.objects.len() - 1)
    }

    fn region(&mut self, proc: &mut Proc, region: RegionId) {
        let items = std::mem::take(&mut proc.regions[region].items);
        let (mut out, mut waiting) = (Vec::with_capacity(items.len()), Vec::new());
        for item in items {
            if self.shadows.assigns(proc, &proc.items[item].kind) {
                waiting.push(item);
                continue;
            }
            if !may_go_first(&proc.items[item].kind) {
                self.each(proc, region, &mut out, std::mem::take(&mut waiting));
            }
            self.item(proc, region, &mut out, item);
            out.push(item);
        }
        self.each(proc, region, &mut out, waiting);
        proc.regions[region].items = out;
    }

    fn variable(&mut self, proc: &mut Proc, name: &str, ty: Type) -> VarId {
        proc.vars.push(Var::new(name, ty, VarKind::Temporary, proc.span));
        self.shadows.vars.push(false);
        VarId::new(proc.vars.len() - 1)
    }

    fn define(&mut self, proc: &mut Proc, var: VarId, def: Def, region: RegionId) -> ValueId {
        proc.values.push(Value { var, def, region, span: proc.span });
        self.shadows.of_value.push(var);
        ValueId::new(proc.values.len() - 1)
    }

    /// A loop over the directions with these items in it.
    fn each(&mut self, proc: &mut Proc, region: RegionId, out: &mut Vec<ItemId>, items: Vec<ItemId>) {
        let Some(first) = items.first() else { return };
        let Item { span, statement, .. } = proc.items[*first];
        let int = Type::int();
        let number = |n: i128| Expr::int(n);
        let var = self.counter.unwrap_or_else(|| self.variable(proc, "k", int.clone()));
        self.counter = Some(var);
        let body = RegionId::new(proc.regions.len());
        let repeat = ItemId::new(proc.items.len());
        proc.items.push(Item { kind: ItemKind::Sweep(SweepItem::Nothing), span, statement });
        proc.regions.push(Region { parent: Some((region, repeat)), items: Vec::new() });
        let init = self.define(proc, var, Def::Is(number(0)), region);
        let head = self.define(proc, var, Def::Head(repeat, 0), body);
        let direction = Expr::value(head, int.clone());
        let next = binary(Binary::Add, direction.clone(), number(1), int.clone());
        let end = self.define(proc, var, Def::Is(next), body);
        let behind = self.define(proc, var, Def::Out(repeat, 0), region);
        let mut site = Site { region, out, span, statement, body, direction: direction.clone(), known: Vec::new() };
        items.iter().for_each(|item| self.one(proc, &mut site, *item));
        site.put(proc, ItemKind::Let { value: init });
        let last = site.item(proc, ItemKind::Let { value: end });
        proc.regions[body].items = items.into_iter().chain([last]).collect();
        let test = binary(Binary::Less, direction, number(i128::from(self.wide.directions)), int);
        let carried = vec![Carried { var, init, head, end, out: behind }];
        proc.items[repeat].kind = ItemKind::Loop { test, at: TestAt::Before, body, carried };
        out.push(repeat);
    }

    /// An item for one direction.
    fn one(&mut self, proc: &mut Proc, site: &mut Site, item: ItemId) {
        let direction = site.direction.clone();
        let mut kind = proc.items[item].kind.clone();
        if let ItemKind::Let { value } = kind {
            let Def::Is(expr) = proc.values[value].def.clone() else { return };
            let from = self.direction_of(proc, site, &expr);
            match self.arrays.get(&value) {
                Some(&object) => {
                    site.put(proc, ItemKind::Declare { object });
                    proc.values[value].def = Def::Undefined;
                    kind = ItemKind::Store { to: self.element(object, &expr.ty, &direction), from };
                }
                None => {
                    let known = &mut proc.values[value];
                    (known.def, known.region) = (Def::Is(from), site.body);
                }
            }
        } else if let ItemKind::Store { to, from } | ItemKind::Sweep(SweepItem::Accumulate { to, from }) = &mut kind {
            *from = self.direction_of(proc, site, from);
            *to = self.place(proc, to, Some(&direction));
        }
        proc.items[item].kind = kind;
    }

    /// An expression for one direction, with what all directions share computed in front of the loop.
    fn direction_of(&mut self, proc: &mut Proc, site: &mut Site, expr: &Expr) -> Expr {
        let shared = self.shared(proc, site, expr);
        self.expr(proc, &shared, Some(&site.direction))
    }

    fn shared(&mut self, proc: &mut Proc, site: &mut Site, expr: &Expr) -> Expr {
        if !self.shadows.expr(expr) {
            return self.in_front(proc, site, expr);
        }
        let mut inner = |x: &Expr| Box::new(self.shared(proc, site, x));
        let kind = match &expr.kind {
            ExprKind::Unary(op, x) => ExprKind::Unary(*op, inner(x)),
            ExprKind::Cast(x) => ExprKind::Cast(inner(x)),
            ExprKind::Binary(op, x, y) => ExprKind::Binary(*op, inner(x), inner(y)),
            ExprKind::Function(function, args) => {
                ExprKind::Function(*function, args.iter().map(|x| *inner(x)).collect())
            }
            // What an arm alone evaluates stays there.
            other => other.clone(),
        };
        Expr { kind, ty: expr.ty.clone() }
    }

    /// A value of the program, by a name unless it has one.
    fn in_front(&mut self, proc: &mut Proc, site: &mut Site, expr: &Expr) -> Expr {
        let is_name = matches!(expr.kind, ExprKind::Value(_) | ExprKind::Int(_) | ExprKind::Float(_));
        if is_name || !matches!(expr.ty, Type::Float { .. }) {
            return expr.clone();
        }
        let value = match site.known.iter().find(|(known, _)| known == expr) {
            Some((_, value)) => *value,
            None => {
                let var = self.variable(proc, "factor", expr.ty.clone());
                let value = self.define(proc, var, Def::Is(expr.clone()), site.region);
                site.put(proc, ItemKind::Let { value });
                site.known.push((expr.clone(), value));
                value
            }
        };
        Expr::value(value, expr.ty.clone())
    }

    fn element(&self, object: ObjectId, ty: &Type, direction: &Expr) -> Place {
        let subscript = Subscript { at: direction.clone(), dim: self.wide.dim() };
        Place { base: Base::Object(object), path: vec![Step::Index(vec![subscript])], ty: ty.clone() }
    }

    /// An item that stays outside of loops over directions.
    fn item(&mut self, proc: &mut Proc, region: RegionId, out: &mut Vec<ItemId>, item: ItemId) {
        let Item { mut kind, span, statement } = proc.items[item].clone();
        if let ItemKind::Let { value } = &kind {
            if let Def::Is(expr) = proc.values[*value].def.clone() {
                proc.values[*value].def = Def::Is(self.expr(proc, &expr, None));
            }
        } else if let ItemKind::Store { to, from } = &mut kind {
            (*to, *from) = (self.place(proc, to, None), self.expr(proc, from, None));
        } else if let ItemKind::Call { callee: Callee::Sweep(id, Role::Reverse), args, .. } = &mut kind {
            let roles = self.given.common.called.get(id).cloned().unwrap_or_default();
            for (arg, role) in args.iter_mut().zip(roles) {
                let is_seed = role == ReverseParam::Seed && matches!(arg.ty, Type::Float { .. });
                *arg = if is_seed {
                    self.seed(proc, region, out, (arg, span, statement))
                } else {
                    self.expr(proc, arg, None)
                };
            }
        } else if let ItemKind::Free { pointer } = &mut kind {
            *pointer = self.expr(proc, pointer, None);
        } else if let ItemKind::Sweep(SweepItem::Pop { what: Popped::Pointer { bases, shadows, .. } }) = &mut kind {
            // A pointer of which only the shadow is read has the shadows as its bases.
            bases.iter_mut().chain(shadows).for_each(|base| *base = self.expr(proc, base, None));
        }
        proc.items[item].kind = kind;
    }

    /// The adjoints of the result of a call, as an array.
    fn seed(
        &mut self,
        proc: &mut Proc,
        region: RegionId,
        out: &mut Vec<ItemId>,
        (arg, span, statement): (&Expr, Span, Option<StatementId>),
    ) -> Expr {
        let ty = Type::pointer(arg.ty.clone());
        let object = match arg.kind {
            ExprKind::Value(value) if proc.params.iter().any(|param| param.entry == Some(value)) => {
                return Expr::value(value, ty);
            }
            ExprKind::Value(value) if self.arrays.contains_key(&value) => self.arrays[&value],
            _ => {
                let object = self.array(proc, "seed", arg.ty.clone(), region);
                let mut new = |kind: ItemKind| {
                    proc.items.push(Item { kind, span, statement });
                    ItemId::new(proc.items.len() - 1)
                };
                out.push(new(ItemKind::Declare { object }));
                // The loop appends the subscript.
                let to = Place { base: Base::Object(object), path: Vec::new(), ty: arg.ty.clone() };
                let store = new(ItemKind::Store { to, from: arg.clone() });
                self.each(proc, region, out, vec![store]);
                object
            }
        };
        let zero = Expr::int(0);
        Expr { kind: ExprKind::Address(Box::new(self.element(object, &arg.ty, &zero))), ty }
    }

    /// An expression on adjoints; reals among them for one direction.
    fn expr(&self, proc: &Proc, expr: &Expr, direction: Option<&Expr>) -> Expr {
        if !self.shadows.expr(expr) {
            return expr.clone();
        }
        let is_real = matches!(expr.ty, Type::Float { .. });
        let ty = if is_real { expr.ty.clone() } else { self.wide.ty(&expr.ty) };
        let inner = |x: &Expr| Box::new(self.expr(proc, x, direction));
        let kind = match (&expr.kind, direction) {
            (ExprKind::Value(value), Some(direction)) if is_real => {
                if let Some(&object) = self.arrays.get(value) {
                    ExprKind::Load(Box::new(self.element(object, &ty, direction)))
                } else if proc.params.iter().any(|param| param.entry == Some(*value)) {
                    let pointer = Type::pointer(ty.clone());
                    let pointer = Expr::value(*value, pointer);
                    let subscript = Subscript { at: direction.clone(), dim: Dim::default() };
                    let path = vec![Step::Index(vec![subscript])];
                    ExprKind::Load(Box::new(Place { base: Base::At(Box::new(pointer)), path, ty: ty.clone() }))
                } else {
                    ExprKind::Value(*value)
                }
            }
            (ExprKind::Load(place), _) => {
                ExprKind::Load(Box::new(self.place(proc, place, direction.filter(|_| is_real))))
            }
            (ExprKind::Address(place), _) => return self.address(proc, place, ty),
            (ExprKind::Unary(op, x), _) => ExprKind::Unary(*op, inner(x)),
            (ExprKind::Cast(x), _) => ExprKind::Cast(inner(x)),
            (ExprKind::Binary(op, x, y), _) => ExprKind::Binary(*op, inner(x), inner(y)),
            (ExprKind::Select(on, x, y), _) => ExprKind::Select(on.clone(), inner(x), inner(y)),
            (ExprKind::Function(function, args), _) => {
                ExprKind::Function(*function, args.iter().map(|x| *inner(x)).collect())
            }
            (other, _) => other.clone(),
        };
        Expr { kind, ty }
    }

    fn address(&self, proc: &Proc, place: &Place, ty: Type) -> Expr {
        // Where subscripts are flattened, all directions together have none: the first one's address is theirs.
        let flat = |pointer: &Expr| pointer.ty.target().is_some_and(is_open);
        if let (Base::At(pointer), Type::Float { .. }) = (&place.base, &place.ty)
            && let [Step::Index(_)] = &place.path[..]
            && flat(&self.expr(proc, pointer, None))
        {
            let zero = Expr::int(0);
            let first = self.place(proc, place, Some(&zero));
            let real = Type::pointer(place.ty.clone());
            let first = Expr { kind: ExprKind::Address(Box::new(first)), ty: real };
            return Expr::cast(first, ty);
        }
        Expr { kind: ExprKind::Address(Box::new(self.place(proc, place, None))), ty }
    }

    /// A place that holds adjoints; that of a real for one direction.
    fn place(&self, proc: &Proc, place: &Place, direction: Option<&Expr>) -> Place {
        if !self.shadows.place(place) {
            return place.clone();
        }
        let base = match &place.base {
            Base::At(pointer) => Base::At(Box::new(self.expr(proc, pointer, None))),
            other => other.clone(),
        };
        let mut path = place.path.clone();
        let ty = match direction {
            Some(direction) => {
                let subscript = Subscript { at: direction.clone(), dim: self.wide.dim() };
                match path.last_mut() {
                    Some(Step::Index(subscripts)) => subscripts.push(subscript),
                    _ => path.push(Step::Index(vec![subscript])),
                }
                place.ty.clone()
            }
            None => self.wide.ty(&place.ty),
        };
        Place { base, path, ty }
    }
}

/// Whether an extent of an array is not known to its type.
fn is_open(ty: &Type) -> bool {
    matches!(ty, Type::Array(row) if row.extent.is_none() || is_open(&row.elem))
}

impl Site<'_> {
    fn item(&self, proc: &mut Proc, kind: ItemKind) -> ItemId {
        proc.items.push(Item { kind, span: self.span, statement: self.statement });
        ItemId::new(proc.items.len() - 1)
    }

    /// Puts an item in front of the loop.
    fn put(&mut self, proc: &mut Proc, kind: ItemKind) {
        let item = self.item(proc, kind);
        self.out.push(item);
    }
}
