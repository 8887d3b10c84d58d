//! Static variables of functions that need not be static.
//!
//! Code that a translator wrote from Fortran declares every local variable `static`. One that each call assigns before
//! it reads, on every way through the function, is like any other local. If a call may come back into the function, its
//! variables stay what they are; so do those with an address that may outlive the call.

use super::*;

/// The static scalars that a function assigns before it reads them.
pub fn assigned_first<'a>(body: &'a Node<'a>) -> FxHashSet<u64> {
    let mut candidates = FxHashSet::default();
    scan::walk(body, &mut |node| {
        if node.kind == "VarDecl" && node.storage == "static" && !node.has_init {
            candidates.insert(node.id);
        }
        true
    });
    let read = read_first(body, candidates.clone());
    candidates.retain(|id| !read.contains(id));
    candidates
}

/// Those of some variables that a function may read before it assigns them.
pub fn read_first<'a>(body: &'a Node<'a>, candidates: FxHashSet<u64>) -> FxHashSet<u64> {
    let mut ways = Ways { candidates, ..Ways::default() };
    while !ways.candidates.is_empty() {
        ways.changed = false;
        ways.statement(body, Some(FxHashSet::default()));
        if !ways.changed {
            break;
        }
    }
    ways.read
}

/// What is assigned at a point on every way to it; `None` where no way leads.
type State = Option<FxHashSet<u64>>;

fn meet(one: State, other: State) -> State {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.intersection(&other).copied().collect()),
        (one, other) => one.or(other),
    }
}

/// Ways through a function.
#[derive(Default)]
struct Ways {
    candidates: FxHashSet<u64>,
    /// What is read before it is assigned.
    read: FxHashSet<u64>,
    /// At labels, from jumps so far.
    labels: FxHashMap<u64, FxHashSet<u64>>,
    changed: bool,
    /// Behind the loops and switches around, and at the next pass of loops.
    breaks: Vec<State>,
    continues: Vec<State>,
    /// At the cases of the switches around, and whether one is the default.
    cases: Vec<(State, bool)>,
}

impl Ways {
    fn statement<'a>(&mut self, node: &'a Node<'a>, state: State) -> State {
        match (node.kind, &node.inner[..]) {
            ("CompoundStmt", parts) => parts.iter().fold(state, |state, part| self.statement(part, state)),
            ("DeclStmt", parts) => {
                parts.iter().filter(|part| part.has_init).fold(state, |state, part| self.all(&part.inner, state))
            }
            ("IfStmt", [on, arms @ ..]) => {
                let state = self.expression(on, state);
                let mut arms = arms.iter();
                let then = arms.next().map_or(state.clone(), |arm| self.statement(arm, state.clone()));
                let otherwise = arms.next().map_or(state.clone(), |arm| self.statement(arm, state));
                meet(then, otherwise)
            }
            ("WhileStmt", [on, body]) => self.repeat([None, None], on, body, true, state),
            ("ForStmt", [init, _, on, step, body]) => self.repeat([Some(init), Some(step)], on, body, true, state),
            ("DoStmt", [body, on]) => self.repeat([None, None], on, body, false, state),
            ("SwitchStmt", [on, body]) => {
                let state = self.expression(on, state);
                self.breaks.push(None);
                self.cases.push((state.clone(), false));
                let end = self.statement(body, None);
                let default = self.cases.pop().is_some_and(|(_, default)| default);
                let end = meet(end, self.breaks.pop().flatten());
                if default { end } else { meet(end, state) }
            }
            ("CaseStmt" | "DefaultStmt", [.., inner]) => {
                let mut state = state;
                if let Some((at, default)) = self.cases.last_mut() {
                    *default |= node.kind == "DefaultStmt";
                    state = meet(state, at.clone());
                }
                self.statement(inner, state)
            }
            ("LabelStmt", [.., inner]) => {
                let state = meet(state, self.labels.get(&node.refers).cloned());
                self.statement(inner, state)
            }
            ("GotoStmt", _) => {
                if let Some(state) = state {
                    let known = self.labels.get(&node.refers).cloned();
                    let new = meet(Some(state), known.clone());
                    if new != known {
                        self.changed = true;
                        self.labels.insert(node.refers, new.unwrap_or_default());
                    }
                }
                None
            }
            ("ReturnStmt", parts) => {
                self.all(parts, state);
                None
            }
            ("BreakStmt", _) => {
                if let Some(at) = self.breaks.last_mut() {
                    *at = meet(at.take(), state);
                }
                None
            }
            ("ContinueStmt", _) => {
                if let Some(at) = self.continues.last_mut() {
                    *at = meet(at.take(), state);
                }
                None
            }
            ("AttributedStmt", [.., inner]) => self.statement(inner, state),
            _ => self.expression(node, state),
        }
    }

    /// A loop; `before`: whether its test stands before its body.
    fn repeat<'a>(
        &mut self,
        [init, step]: [Option<&'a Node<'a>>; 2],
        on: &'a Node<'a>,
        body: &'a Node<'a>,
        before: bool,
        state: State,
    ) -> State {
        let state = init.map_or(state.clone(), |init| self.statement(init, state));
        let pass = if before { self.expression(on, state) } else { state };
        self.enter_loop();
        let end = self.statement(body, pass.clone());
        let (breaks, continues) = self.leave_loop();
        let mut again = meet(end, continues);
        if let Some(step) = step {
            again = self.expression(step, again);
        }
        if !before {
            again = self.expression(on, again);
        }
        if pass.is_none() && again.is_some() {
            // Jumps alone lead into the loop: its next pass begins as this one ends.
            return meet(self.repeat([None, step], on, body, before, again), breaks);
        }
        meet(if before { pass } else { again }, breaks)
    }

    fn enter_loop(&mut self) {
        self.breaks.push(None);
        self.continues.push(None);
    }

    fn leave_loop(&mut self) -> (State, State) {
        (self.breaks.pop().flatten(), self.continues.pop().flatten())
    }

    fn all<'a>(&mut self, nodes: &'a [Node<'a>], state: State) -> State {
        nodes.iter().fold(state, |state, node| self.expression(node, state))
    }

    fn expression<'a>(&mut self, node: &'a Node<'a>, state: State) -> State {
        match (node.kind, &node.inner[..]) {
            ("DeclRefExpr", _) => {
                if self.candidates.contains(&node.refers) && state.as_ref().is_some_and(|s| !s.contains(&node.refers)) {
                    self.read.insert(node.refers);
                }
                state
            }
            ("BinaryOperator", [to, from]) if node.operator == "=" && to.bare().kind == "DeclRefExpr" => {
                let mut state = self.expression(from, state);
                if let Some(state) = &mut state {
                    state.insert(to.bare().refers);
                }
                state
            }
            ("BinaryOperator", [one, other]) if matches!(node.operator.as_ref(), "&&" | "||") => {
                let state = self.expression(one, state);
                self.expression(other, state.clone());
                state
            }
            ("ConditionalOperator", [on, then, otherwise]) => {
                let state = self.expression(on, state);
                let then = self.expression(then, state.clone());
                let otherwise = self.expression(otherwise, state);
                meet(then, otherwise)
            }
            ("BinaryConditionalOperator", [first, .., otherwise]) => {
                let state = self.expression(first, state);
                self.expression(otherwise, state.clone());
                state
            }
            ("UnaryExprOrTypeTraitExpr", _) => state,
            ("StmtExpr", [body]) => self.statement(body, state),
            (_, parts) => self.all(parts, state),
        }
    }
}

/// Whether a function puts an address where it may outlive a call: anywhere but in local variables and arguments.
fn keeps_addresses<'a>(function: &'a Node<'a>) -> bool {
    let mut locals = FxHashSet::default();
    scan::walk(function, &mut |node| {
        if matches!(node.kind, "ParmVarDecl" | "VarDecl") && node.storage.is_empty() {
            locals.insert(node.id);
        }
        true
    });
    let pointer = |node: &Node| node.ty().contains('*');
    scan::any(function, &|node| match (node.kind, &node.inner[..]) {
        ("ReturnStmt", [value]) => pointer(value),
        ("BinaryOperator", [to, _]) if node.operator == "=" => {
            let to = to.bare();
            pointer(node) && !(to.kind == "DeclRefExpr" && locals.contains(&to.refers))
        }
        ("VarDecl", _) => node.storage == "static" && node.has_init && pointer(node),
        ("InitListExpr", parts) => parts.iter().any(pointer),
        ("UnaryOperator", [of]) => node.operator == "&" && pointer(of),
        _ => node.operator == "PointerToIntegral",
    })
}

impl<'a> Lower<'_, 'a> {
    /// Whether no function of the program keeps an address beyond its call.
    fn addresses_stay(&mut self) -> bool {
        let units = &self.reader.units;
        *self.reader.addresses_stay.get_or_insert_with(|| {
            !units.iter().flat_map(|unit| unit.functions.values()).any(|node| keeps_addresses(node))
        })
    }

    /// Whether a static variable of this function is taken as a local one.
    pub fn is_automatic(&mut self, node: &'a Node<'a>) -> bool {
        let found = self.ctype(node);
        let scalar = matches!(found.ty, CType::Int { .. } | CType::Float(_) | CType::Pointer(_));
        let may = scalar
            && self.assigned_first.contains(&node.id)
            && !found.is_volatile()
            && (!self.addressed.contains(&node.id)
                || (!matches!(found.ty, CType::Pointer(_)) && self.addresses_stay()))
            && !self.reader.kept.contains(&self.id);
        self.automatic |= may;
        may
    }
}
