//! What an expression of the function at hand reads and writes, and what must not meet in it.

use super::effects::*;
use super::make::address;
use super::*;

impl<'a> Lower<'_, 'a> {
    fn location(&self, place: &Place) -> Where {
        match &place.base {
            Base::Object(object) => Where::Object(*object),
            Base::Global(global) => Where::Global(*global),
            Base::At(pointer) => match &pointer.kind {
                ExprKind::Address(place) => self.location(place),
                ExprKind::Value(value) if self.is_given(*value) => Where::Outside,
                _ => Where::Anywhere,
            },
        }
    }

    /// Whether a value is a parameter as the procedure got it. In a loop that is the value of a variable that no statement
    /// assigns.
    fn is_given(&self, value: ValueId) -> bool {
        let proc = self.b.proc();
        let var = proc.values[value].var;
        let changes = |id: &u64| self.assigned.contains(id) || self.addressed.contains(id);
        let kept = || {
            let is_bound = |id: &u64| matches!(self.bindings.get(id), Some(Binding::Var(other)) if *other == var);
            let mut declarations = self.declarations.get(&var).into_iter().flatten();
            declarations.all(|id| !is_bound(id) || !changes(id))
        };
        proc.params.iter().any(|param| param.entry == Some(value) || (param.var == Some(var) && kept()))
    }

    /// Whether a place is one element wherever the expression begins: numbers for subscripts, of a variable or of what a
    /// parameter points to that nothing assigns.
    fn is_element(&self, place: &Place) -> bool {
        let fixed = |step: &Step| match step {
            Step::Index(subscripts) => subscripts.iter().all(is_fixed),
            Step::Field(_) => true,
        };
        let base = match &place.base {
            Base::Object(_) | Base::Global(_) => true,
            Base::At(pointer) => match &pointer.kind {
                ExprKind::Address(inner) => self.is_element(inner),
                ExprKind::Value(value) => self.is_given(*value),
                _ => false,
            },
        };
        base && !matches!(place.ty, Type::Array(_)) && place.path.iter().all(fixed)
    }

    /// Notes that a place is read or written.
    pub fn touch(&mut self, place: &Place, write: bool) {
        let kinds = Kinds::of(&place.ty, &self.reader.structs.types);
        let at = self.location(place);
        let private = matches!(at, Where::Object(object) if self.private.contains(&object));
        // Nobody reads `errno`, so it does not matter who writes it last.
        if private || self.is_errno(place) || self.is_scratch(place) {
            return;
        }
        let is_element = self.is_element(place);
        let place = if is_element { place.clone() } else { without_subscripts(place) };
        let list = if write { &mut self.effects.writes } else { &mut self.effects.reads };
        list.push(Access { at, kinds, touched: Touched { place, is_element } });
        if !matches!(at, Where::Object(_)) {
            self.summary.add(kinds, write, matches!(at, Where::Global(_)));
        }
    }

    /// Notes a call of a function with this name.
    pub fn touch_call(&mut self, name: &str, mut summary: Summary, args: &[Expr]) {
        // A pointer that the callee finds in memory may lead anywhere.
        let finds = summary.reads.and(summary.global_reads).meets(POINTER);
        if !finds && !args.iter().any(|arg| self.holds_pointer(&arg.ty) && !matches!(arg.kind, ExprKind::Null)) {
            (summary.reads, summary.writes) = (Kinds::default(), Kinds::default());
        }
        let own = !finds && args.iter().all(|arg| self.is_own(arg));
        self.summary.include(summary, own);
        let mut reach = Vec::new();
        reach.extend(finds.then_some(Where::Anywhere));
        for arg in args {
            match &arg.kind {
                ExprKind::Address(place) => reach.push(self.location(place)),
                ExprKind::Value(value) if self.is_given(*value) => reach.push(Where::Outside),
                _ if self.holds_pointer(&arg.ty) => reach.push(Where::Anywhere),
                _ => {}
            }
        }
        self.effects.calls.push(Call { name: name.to_string(), does: summary, reach, item: None });
    }

    /// Notes that a call of a function of the library does the writes that were noted behind the first ones, `before` of
    /// them; the last item stores.
    pub fn written_by_call(&mut self, name: &str, before: usize) {
        let item = self.b.items_here().last().copied();
        for Access { at, kinds, .. } in self.effects.writes.split_off(before) {
            let does = Summary { writes: kinds, ..Summary::default() };
            self.effects.calls.push(Call { name: name.to_string(), does, reach: vec![at], item });
        }
    }

    /// Whether an argument leads to no memory but that of this procedure.
    fn is_own(&self, arg: &Expr) -> bool {
        match &arg.kind {
            ExprKind::Address(place) => matches!(self.location(place), Where::Object(_)),
            ExprKind::Null => true,
            _ => !self.holds_pointer(&arg.ty),
        }
    }

    /// A pointer, or a struct with one in it.
    pub fn holds_pointer(&self, ty: &Type) -> bool {
        Kinds::of(ty, &self.reader.structs.types).meets(POINTER)
    }

    /// Begins an operand: what was noted so far is put aside.
    pub fn begin_operand(&mut self) -> Effects {
        std::mem::take(&mut self.effects)
    }

    /// Ends what C orders behind the effects put aside: the right side of a comma, of `&&`, an arm of `?:`.
    pub fn end_ordered(&mut self, aside: Effects) {
        self.effects.include(aside);
    }

    /// Makes the call that was noted last.
    pub fn make_call(&mut self, id: ProcId, args: Vec<Expr>, var: Option<VarId>, into: Option<Place>) {
        let item = self.b.call(Callee::Proc(id), args, var, into);
        if let Some(call) = self.effects.calls.last_mut() {
            call.item = Some(item);
        }
    }

    /// Ends an operand that nothing orders with the operands put aside.
    pub fn end_operand(&mut self, aside: Effects, node: &Node) -> Result<()> {
        let span = self.span(node);
        let meetings = [self.effects.meetings(&aside, span), aside.meetings(&self.effects, span)].concat();
        self.effects.include(aside);
        for order in meetings {
            self.b.proc_mut().orders.push(order.map_err(Box::new)?);
        }
        Ok(())
    }
}

/// Whether a subscript is a number, in an array whose extents are numbers.
fn is_fixed(subscript: &Subscript) -> bool {
    let is_number = |e: &Expr| matches!(e.kind, ExprKind::Int(_));
    is_number(&subscript.at) && subscript.dim.extent.as_deref().is_none_or(is_number)
}

/// A place as far as the analyses of pointers know it.
fn without_subscripts(place: &Place) -> Place {
    let field = |step: &&Step| matches!(step, Step::Field(_));
    let base = match &place.base {
        Base::At(pointer) => Base::At(Box::new(match &pointer.kind {
            ExprKind::Address(inner) => address(without_subscripts(inner)),
            _ => (**pointer).clone(),
        })),
        other => other.clone(),
    };
    Place { base, path: place.path.iter().filter(field).cloned().collect(), ty: place.ty.clone() }
}
