//! Builds a procedure in SSA form while its source is read.
//!
//! The builder keeps which value each variable has at the point it has reached. A branch joins what its arms changed; a
//! loop carries what its body changed. Nobody says in advance what a body will change: a variable that the body names
//! gets a head when it is first read there, and a head that turns out to be constant is replaced by the value before
//! the loop when the procedure is finished. Joins, carried variables and intermediate values that nobody uses are dropped
//! then, too.

use super::rewrite;
use super::*;
use rustc_hash::FxHashMap;

/// Builds one procedure.
pub struct Builder {
    proc: Proc,
    /// Current value of each variable; `None`: as at the head of the innermost loop, or never assigned.
    env: Vec<Option<ValueId>>,
    /// Variables whose scope is still open.
    alive: Vec<bool>,
    /// The value of a variable that was never assigned.
    undefined: FxHashMap<VarId, ValueId>,
    open: Vec<Open>,
    region: RegionId,
    /// Heads that are constant, and what they are.
    replaced: FxHashMap<ValueId, ValueId>,
    /// Source of the items that are made next.
    pub span: Span,
    /// Statement of the items that are made next.
    pub statement: Option<StatementId>,
}

enum Open {
    Branch(OpenBranch),
    Loop(OpenLoop),
}

struct OpenBranch {
    item: ItemId,
    outside: RegionId,
    before: Vec<Option<ValueId>>,
    /// The values at the end of the first arm, once the second has begun.
    first: Option<Vec<Option<ValueId>>>,
}

struct OpenLoop {
    item: ItemId,
    outside: RegionId,
    body: RegionId,
    before: Vec<Option<ValueId>>,
    heads: FxHashMap<VarId, (ValueId, ValueId)>,
    test: Option<(Expr, TestAt)>,
}

impl Builder {
    /// An empty procedure.
    pub fn new(name: &str, result_type: Type, span: Span) -> Builder {
        let proc = Proc {
            name: name.to_string(),
            result_type,
            regions: vec![Region::default()].into(),
            span,
            ..Proc::default()
        };
        Builder {
            proc,
            env: Vec::new(),
            alive: Vec::new(),
            undefined: FxHashMap::default(),
            open: Vec::new(),
            region: RegionId(0),
            replaced: FxHashMap::default(),
            span,
            statement: None,
        }
    }

    /// The procedure as far as it is built. Values that loops carry are not final before [`Builder::finish`].
    pub fn proc(&self) -> &Proc {
        &self.proc
    }

    /// For what needs no bookkeeping: parameters, statements, `is_static`.
    pub fn proc_mut(&mut self) -> &mut Proc {
        &mut self.proc
    }

    /// The region that items go to.
    pub fn region(&self) -> RegionId {
        self.region
    }

    /// How many branches and loops are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// A new variable, in scope, without a value.
    pub fn var(&mut self, name: &str, ty: Type, kind: VarKind, span: Span) -> VarId {
        let id = VarId::new(self.proc.vars.len());
        self.proc.vars.push(Var::new(name, ty, kind, span));
        self.env.push(None);
        self.alive.push(true);
        id
    }

    /// The variable's scope ends: nothing joins or carries it any more.
    pub fn close_scope(&mut self, var: VarId) {
        self.alive[var.index()] = false;
    }

    /// A new object.
    pub fn object(&mut self, object: Object) -> ObjectId {
        let id = ObjectId::new(self.proc.objects.len());
        self.proc.objects.push(object);
        id
    }

    /// Appends an item.
    pub fn emit(&mut self, kind: ItemKind) -> ItemId {
        let id = ItemId::new(self.proc.items.len());
        self.proc.items.push(Item { kind, span: self.span, statement: self.statement });
        self.proc.regions[self.region].items.push(id);
        id
    }

    /// The items of the current region so far.
    pub fn items_here(&self) -> &[ItemId] {
        &self.proc.regions[self.region].items
    }

    fn value(&mut self, var: VarId, def: Def, region: RegionId) -> ValueId {
        let id = ValueId::new(self.proc.values.len());
        self.proc.values.push(Value { var, def, region, span: self.span });
        id
    }

    /// A parameter's value at entry.
    pub fn entry(&mut self, var: VarId, position: u32) -> ValueId {
        let value = self.value(var, Def::Entry(position), RegionId(0));
        self.env[var.index()] = Some(value);
        value
    }

    /// `var = from`.
    pub fn assign(&mut self, var: VarId, from: Expr) -> ValueId {
        let value = self.value(var, Def::Is(from), self.region);
        self.env[var.index()] = Some(value);
        self.emit(ItemKind::Let { value });
        value
    }

    /// The variable is declared (again): it has no value.
    pub fn forget(&mut self, var: VarId) {
        let undefined = self.never_assigned(var);
        self.env[var.index()] = Some(undefined);
    }

    /// An intermediate result: the expression's value now, whatever is written later.
    pub fn keep(&mut self, name: &str, from: Expr) -> Expr {
        let ty = from.ty.clone();
        let var = self.var(name, ty.clone(), VarKind::Temporary, self.span);
        let value = self.assign(var, from);
        Expr::value(value, ty)
    }

    /// A call whose result goes to `var`, if any.
    pub fn call(&mut self, callee: Callee, args: Vec<Expr>, var: Option<VarId>, into: Option<Place>) -> ItemId {
        let item = self.emit(ItemKind::Call { callee, args, result: None, into });
        let Some(var) = var else { return item };
        let value = self.value(var, Def::Result(item), self.region);
        self.env[var.index()] = Some(value);
        if let ItemKind::Call { result, .. } = &mut self.proc.items[item].kind {
            *result = Some(value);
        }
        item
    }

    /// The variable's value here.
    pub fn read(&mut self, var: VarId) -> ValueId {
        if let Some(value) = self.env[var.index()] {
            return value;
        }
        let value = self.before_loops(var, self.open.len());
        self.env[var.index()] = Some(value);
        value
    }

    /// The variable's value here, as an expression.
    pub fn get(&mut self, var: VarId) -> Expr {
        let ty = self.proc.vars[var].ty.clone();
        Expr::value(self.read(var), ty)
    }

    /// The variable's value when a pass of the innermost open loop begins.
    pub fn head(&mut self, var: VarId) -> Expr {
        let value = self.before_loops(var, self.open.len());
        Expr::value(value, self.proc.vars[var].ty.clone())
    }

    /// What `var` is at the head of the innermost of the first `depth` open constructs that is a loop.
    fn before_loops(&mut self, var: VarId, depth: usize) -> ValueId {
        let Some(at) = self.open[..depth].iter().rposition(|open| matches!(open, Open::Loop(_))) else {
            return self.never_assigned(var);
        };
        let Open::Loop(frame) = &self.open[at] else { unreachable!("a loop by the search above") };
        if let Some((head, _)) = frame.heads.get(&var) {
            return *head;
        }
        let (item, body) = (frame.item, frame.body);
        let init = match frame.before.get(var.index()).copied().flatten() {
            Some(value) => value,
            None => self.before_loops(var, at),
        };
        let head = self.value(var, Def::Head(item, 0), body);
        if let Open::Loop(frame) = &mut self.open[at] {
            frame.heads.insert(var, (head, init));
        }
        head
    }

    fn never_assigned(&mut self, var: VarId) -> ValueId {
        if let Some(value) = self.undefined.get(&var) {
            return *value;
        }
        let value = self.value(var, Def::Undefined, RegionId(0));
        self.undefined.insert(var, value);
        value
    }

    fn inner_region(&mut self, item: ItemId) -> RegionId {
        let id = RegionId::new(self.proc.regions.len());
        self.proc.regions.push(Region { parent: Some((self.region, item)), items: Vec::new() });
        id
    }

    /// Begins a branch and its first arm.
    pub fn begin_branch(&mut self, on: Expr) {
        let outside = self.region;
        let nothing = RegionId(0);
        let item = self.emit(ItemKind::Branch { on, then: nothing, otherwise: nothing, joins: Vec::new() });
        let first = self.inner_region(item);
        let second = self.inner_region(item);
        if let ItemKind::Branch { then, otherwise, .. } = &mut self.proc.items[item].kind {
            (*then, *otherwise) = (first, second);
        }
        self.open.push(Open::Branch(OpenBranch { item, outside, before: self.env.clone(), first: None }));
        self.region = first;
    }

    /// Ends the first arm and begins the second.
    pub fn otherwise(&mut self) {
        let Some(Open::Branch(branch)) = self.open.last_mut() else { return };
        let before = branch.before.clone();
        branch.first = Some(std::mem::replace(&mut self.env, before));
        self.env.resize(self.proc.vars.len(), None);
        if let ItemKind::Branch { otherwise, .. } = &self.proc.items[branch.item].kind {
            self.region = *otherwise;
        }
    }

    /// Ends the branch (and its first arm, if it has no second).
    pub fn end_branch(&mut self) {
        if matches!(self.open.last(), Some(Open::Branch(branch)) if branch.first.is_none()) {
            self.otherwise();
        }
        let Some(Open::Branch(branch)) = self.open.pop() else { return };
        self.region = branch.outside;
        let first = branch.first.unwrap_or_default();
        let second = std::mem::take(&mut self.env);
        let mut after = branch.before;
        after.resize(self.proc.vars.len(), None);
        let mut joins = Vec::new();
        for (index, value) in after.iter_mut().enumerate() {
            let (one, other) = (first.get(index).copied().flatten(), second.get(index).copied().flatten());
            if one == other {
                *value = one;
                continue;
            }
            if !self.alive[index] {
                continue;
            }
            let var = VarId::new(index);
            let then = one.unwrap_or_else(|| self.before_loops(var, self.open.len()));
            let otherwise = other.unwrap_or_else(|| self.before_loops(var, self.open.len()));
            *value = Some(then);
            if then != otherwise {
                let out = self.value(var, Def::Join(branch.item, 0), self.region);
                joins.push(Join { var, then, otherwise, out });
                *value = Some(out);
            }
        }
        if let ItemKind::Branch { joins: place, .. } = &mut self.proc.items[branch.item].kind {
            *place = joins;
        }
        self.env = after;
    }

    /// Begins a loop and its body. The test is given later.
    pub fn begin_loop(&mut self) {
        let outside = self.region;
        let test = Expr::int(0);
        let nothing = RegionId(0);
        let item = self.emit(ItemKind::Loop { test, at: TestAt::Before, body: nothing, carried: Vec::new() });
        let inside = self.inner_region(item);
        if let ItemKind::Loop { body, .. } = &mut self.proc.items[item].kind {
            *body = inside;
        }
        let before = std::mem::replace(&mut self.env, vec![None; self.proc.vars.len()]);
        let heads = FxHashMap::default();
        self.open.push(Open::Loop(OpenLoop { item, outside, body: inside, before, heads, test: None }));
        self.region = inside;
    }

    /// The test of the innermost open construct, which is a loop: in terms of heads, or of values at the body's end.
    pub fn test(&mut self, test: Expr, at: TestAt) {
        if let Some(Open::Loop(frame)) = self.open.last_mut() {
            frame.test = Some((test, at));
        }
    }

    /// Ends the loop.
    pub fn end_loop(&mut self) {
        let body_ends = std::mem::take(&mut self.env);
        let mut changed = Vec::new();
        for (index, end) in body_ends.iter().enumerate() {
            let (Some(end), true) = (end, self.alive[index]) else { continue };
            let var = VarId::new(index);
            let Some(Open::Loop(frame)) = self.open.last() else { return };
            match frame.heads.get(&var) {
                Some((head, _)) if head == end => continue,
                _ => changed.push((var, *end)),
            }
        }
        // A variable that the body assigns without reading it has no head yet.
        for (var, _) in &changed {
            self.before_loops(*var, self.open.len());
        }
        let Some(Open::Loop(frame)) = self.open.pop() else { return };
        self.region = frame.outside;
        let mut after = frame.before;
        after.resize(self.proc.vars.len(), None);
        let mut carried = Vec::new();
        let mut heads = frame.heads;
        for (var, end) in changed {
            let Some((head, init)) = heads.remove(&var) else { continue };
            let out = self.value(var, Def::Out(frame.item, 0), self.region);
            carried.push(Carried { var, init, head, end, out });
            after[var.index()] = Some(out);
        }
        for (head, init) in heads.into_values() {
            self.replaced.insert(head, init);
        }
        if let ItemKind::Loop { test, at, carried: place, .. } = &mut self.proc.items[frame.item].kind {
            if let Some(given) = frame.test {
                (*test, *at) = given;
            }
            *place = carried;
        }
        self.env = after;
    }

    /// Ends whatever is open beyond the first `depth` constructs: after a refusal in the middle of a statement.
    pub fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            match self.open.last() {
                Some(Open::Branch(_)) => self.end_branch(),
                _ => self.end_loop(),
            }
        }
    }

    /// Whether nothing is open: items go to the body itself.
    pub fn at_top(&self) -> bool {
        self.open.is_empty()
    }

    /// The finished procedure: constant heads replaced, unused joins and intermediate results dropped, ids compact.
    pub fn finish(mut self, result: Option<Expr>) -> Proc {
        self.close_to(0);
        self.proc.result = result;
        let replaced = std::mem::take(&mut self.replaced);
        let resolve = |mut value: ValueId| {
            while let Some(next) = replaced.get(&value) {
                value = *next;
            }
            value
        };
        rewrite::values(&mut self.proc, &mut |value| *value = resolve(*value));
        drop_equal_joins(&mut self.proc);
        rewrite::prune(&mut self.proc);
        rewrite::compact(&mut self.proc);
        self.proc
    }
}

/// Joins of two values that turned out to be the same once constant heads were replaced, and loops that carry a
/// variable around unchanged.
fn drop_equal_joins(proc: &mut Proc) {
    loop {
        let mut same = FxHashMap::default();
        for item in &mut proc.items {
            if let ItemKind::Branch { joins, .. } = &mut item.kind {
                joins.retain(|join| {
                    let equal = join.then == join.otherwise;
                    if equal {
                        same.insert(join.out, join.then);
                    }
                    !equal
                });
            } else if let ItemKind::Loop { carried, .. } = &mut item.kind {
                carried.retain(|one| {
                    let constant = one.end == one.head || one.end == one.init;
                    if constant {
                        same.insert(one.head, one.init);
                        same.insert(one.out, one.init);
                    }
                    !constant
                });
            }
        }
        if same.is_empty() {
            return;
        }
        rewrite::values(proc, &mut |value| {
            while let Some(next) = same.get(value) {
                *value = *next;
            }
        });
    }
}
