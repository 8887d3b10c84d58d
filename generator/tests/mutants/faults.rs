//! The faults.

/// A fault: the file in `generator/src/flow`, what stands there, what stands there instead, what that means. Both texts
/// are expressions of one type, and the first stands in the file once.
pub type Fault<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Sections and what is required.
#[rustfmt::skip]
const REQUIRED: &[Fault] = &[
    ("sections.rs", "Some(Piece { hi: at.plus(1)?, lo: at })", "Some(Piece { hi: at.plus(2)?, lo: at })", "an element is two long"),
    ("sections.rs", "Some(Piece { hi: at.plus(1)?, lo: at })", "Some(Piece { hi: at.clone(), lo: at })", "an element is empty"),
    ("sections.rs", "out.push(Piece { lo: self.lo.clone(), hi: killed.lo.clone() })", "()", "a kill takes what is in front of it"),
    ("sections.rs", "out.push(Piece { lo: killed.hi.clone(), hi: self.hi.clone() })", "()", "a kill takes what is behind it"),
    ("sections.rs", "facts.at_most(&self.hi, &other.lo) || facts.at_most(&other.hi, &self.lo)",
        "self.hi.plus(-1).is_some_and(|hi| facts.at_most(&hi, &other.lo)) || facts.at_most(&other.hi, &self.lo)",
        "neighbours are disjoint though the first is one too long"),
    ("sections.rs", "facts.at_most(&self.hi, &other.lo) || facts.at_most(&other.hi, &self.lo)",
        "facts.at_most(&self.hi, &other.lo) || other.hi.plus(-1).is_some_and(|hi| facts.at_most(&hi, &self.lo))",
        "neighbours are disjoint though the second is one too long"),
    ("sections.rs", "facts.with(self.hi.sub(&self.lo).and_then(|p| p.plus(-1)))", "facts.with(self.hi.sub(&self.lo).and_then(|p| p.plus(-2)))",
        "what is not empty has two elements"),
    ("sections.rs", "facts.at_most(&self.hi, &self.lo)", "self.hi.plus(-1).is_some_and(|hi| facts.at_most(&hi, &self.lo))",
        "one element is empty"),
    ("sections.rs", "*pieces = vec![Piece::whole()]", "pieces.truncate(PIECES)", "of many pieces some are forgotten"),
    ("sections.rs", "if rest.len() > 1 && left.len() + 2 > PIECES { vec![piece] } else { rest }",
        "if rest.len() > 1 && left.len() + 2 > PIECES { Vec::new() } else { rest }",
        "of many remainders some are forgotten"),
    ("required/steady.rs", "self.untouched(proc, region, from.., expr)", "self.untouched(proc, region, from + 1.., expr)",
        "an item leaves what it reads itself"),
    ("required/steady.rs", "self.untouched(proc, region, at..at + 1, expr)", "self.untouched(proc, region, at..at, expr)",
        "a branch or a loop leaves what its condition reads"),
    ("required/steady.rs", "at.contains(position)", "false", "everything is steady"),
    ("required/steady.rs", "d >= nearest", "d >= nearest - 1", "a run of stores reads what it has overwritten"),
    ("required/steady.rs", "nearest |= i128::from(inner == store)", "()", "a run of stores reads its own new element"),
    ("required.rs", "self.locator.recursive(p)", "false", "callers of a function that calls itself require nothing"),
    ("required/items.rs", "sections::kill(&mut open, &sum.killed, facts)", "()", "what was written before is exposed"),
    ("required/items.rs", "facts.at_most(end, &piece.lo)", "end.plus(-1).is_some_and(|end| facts.at_most(&end, &piece.lo))",
        "the last element of an object is outside"),
    ("required/items.rs", "pieces.iter().any(|q| !q.disjoint(piece, facts))", "pieces.contains(piece)", "only equal sections meet"),
    ("required/items.rs", "!pieces.is_empty() && self.flow.points.may_alias(p, loc, other)", "false", "other names are other memory"),
    ("required/items.rs", "self.loads(p, e, &self.locator.facts(p, region), &mut s.req)", "()", "what is read again is not required"),
    ("required/items.rs", "self.loads(p, &need, &Facts::default(), &mut s.req)", "()", "the result needs nothing"),
    ("required/items.rs", "self.end_of_life(p, object, s)", "()", "contents are lost where a life ends"),
    ("required/items.rs", "pieces.len() == 1", "true", "a store that may hit surely hits"),
    ("required/items.rs", "sections::must(&mut s.sum.killed, *loc, piece.clone())", "()", "a store kills nothing for what is around it"),
    ("required/items.rs", "sections::kill(&mut s.req, &killed, facts)", "()", "a store kills nothing"),
    ("required/items.rs", "sections::union(&mut s.req, &second.req)", "()", "the second arm requires nothing"),
    ("required/items.rs", "other.contains(piece)", "{ let _ = (other, piece); true }", "one arm kills what the other one leaves"),
    ("required/items.rs", "sections::union(&mut s.sum.written, &arm.written)", "()", "branches write nothing"),
    ("required/loops.rs", "if low { filled.at_most(&end, q) } else { filled.at_most(q, &end) }", "true", "the first end that is tried is taken"),
    ("required/loops.rs", "sections::union(&mut inside.req, &before)", "()", "passes before require nothing"),
    ("required/loops.rs", "now.sub(step)?", "now.sub(step)?.sub(step)?", "the pass before does not count"),
    ("required/loops.rs", "now.add(step)?", "now.add(step)?.add(step)?", "downwards the pass before does not count"),
    ("required/loops.rs", "sections::union(&mut s.req, &required)", "()", "a loop requires nothing behind it"),
    ("required/loops.rs", "facts.nonneg(index.hi.sub(&index.lo).and_then(|q| q.plus(-1)))", "true", "a loop surely runs"),
    ("required/loops.rs", "index.filter(|i| i.sole)", "index", "a loop is never left early"),
    ("required/loops.rs", "(facts.at_most(from, to) || idle.at_most(&hi, &lo)).then_some(Piece { lo, hi })", "{ let _ = &idle; Some(Piece { lo, hi }) }",
        "bounds are in order"),
    ("required/loops.rs", "!(index.dense() || index.up && index.last().is_some())", "false", "each step hits the bound"),
    ("required/loops.rs", "at(p, index.head, &piece.lo, to)?", "at(p, index.head, &piece.lo, &to.plus(1)?)?", "a loop kills one element more"),
    ("required/loops.rs", "sections::union(&mut s.sum.written, &over(&pass.sum.written))", "()", "loops write nothing"),
    ("required/calls.rs", "sections::union(verdict.entry.entry(g).or_default(), &new)", "{ let _ = (&mut *verdict, &new); }", "callers require nothing"),
    ("required/calls.rs", "sections::union(&mut s.req, &self.up(&call, &callee.required, false))", "()", "callees require nothing"),
    ("required/calls.rs", "sections::union(&mut s.sum.written, &written)", "()", "callees write nothing"),
    ("required/calls.rs", "self.by_arguments(call, q)?.add(at)", "{ let _ = at; self.by_arguments(call, q) }",
        "arguments point to first elements"),
    ("required/calls.rs", "q.sub(at)?.replace(&rename)", "q.replace(&rename)", "parameters point to first elements"),
    ("required/calls.rs", "mine.iter().any(|&m| points.may_alias(p, m, wanted))", "false", "callees know no other names"),
    ("required/calls.rs", "!(self.locator.recursive(p) && self.locator.recursive(g))", "true", "a function that calls itself does nothing then"),
];

/// Where elements lie, and what loops and conditions say of them.
#[rustfmt::skip]
const PLACES: &[Fault] = &[
    ("locate/loops.rs", "fact.add(head)?.plus(1)?", "fact.add(head)?", "a loop ends one pass earlier"),
    ("locate/loops.rs", "Some((lo, init.plus(1)?, false, step.scale(-1)?))", "Some((lo, init, false, step.scale(-1)?))",
        "a loop that counts down begins one lower"),
    ("locate/loops.rs", "if index.up { head.sub(&index.lo) } else { index.hi.sub(&head)?.plus(-1) }",
        "if index.up { head.sub(&index.lo)?.plus(1) } else { index.hi.sub(&head)?.plus(-1) }", "one pass more went before"),
    ("locate/loops.rs", "if index.up { Some(index.hi) } else { index.lo.plus(-1) }", "if index.up { index.hi.plus(-1) } else { index.lo.plus(-1) }",
        "behind a loop its index is one less"),
    ("locate/loops.rs", "!outer.at_most(&index.lo, &index.hi) && !facts.at_most(&index.lo, &index.hi)", "false", "behind a loop that did not run its index is the bound"),
    ("locate/conditions.rs", "b.sub(a).and_then(|p| p.plus(-1))", "b.sub(a).and_then(|p| p.plus(-2))", "less means less by two"),
    ("locate/conditions.rs", "vec![b.sub(&a)]", "vec![less(&a, &b)]",
        "at most means less"),
    ("locate/conditions.rs", "region == *then", "region != *then", "conditions hold in the other arm"),
    ("locate/single.rs", "*life == Life::Heap && !self.points.escapes(top) && self.freed_in(p, region, top)", "true", "blocks of several passes are one"),
];

/// Activity, needs, effects, pointers.
#[rustfmt::skip]
const OTHERS: &[Fault] = &[
    ("activity/graph.rs", "self.edges.push((self.nodes.loc(a), self.nodes.loc(b)))", "()", "derivatives do not flow from name to name"),
    ("activity/graph.rs", "self.edges.push((self.nodes.loc(l), self.nodes.loc(q)))", "()", "callees read nothing active"),
    ("activity/graph.rs", "self.edges.push((self.nodes.loc(q), self.nodes.loc(l)))", "()", "callees write nothing active"),
    ("activity/graph.rs", "self.edges.extend(from.map(|w| (self.nodes.value(p, w), to)))", "drop(from)", "joins and loops pass no derivative"),
    ("activity/graph.rs", "self.edges.push((self.nodes.result(*g), self.nodes.value(p, *v)))", "()", "results are passive"),
    ("activity.rs", "graph.writes(*g).contains(&q) && up.iter().any(|&l| self.shadow(l))", "false", "a callee clears no adjoint"),
    ("activity.rs", "self.shadow(a) && graph.writes(p).contains(&b)", "false", "a store under another name clears no adjoint"),
    ("activity.rs", "group.iter().any(|&l| self.shadow(l))", "false", "what a pointer may lead to has adjoints apart"),
    ("needs.rs", "args.iter().for_each(|a| self.add(a))", "()", "partials of functions read nothing"),
    ("needs.rs", "self.add(c)", "()", "a conditional expression needs no condition"),
    ("needs.rs", "needs.address(to)", "()", "a store needs no subscript"),
    ("needs.rs", "if da {\n                            self.add(b);\n                        }", "if db {\n                            self.add(b);\n                        }",
        "the partial of a product reads the wrong factor"),
    ("mod.rs", "all.iter().any(|&other| self.may_alias(proc, leaf, other))", "all.contains(&leaf)",
        "memory under another name is never written"),
    ("effects.rs", "up(&callee.writes, &mut effect.writes)", "()", "calls have no effects"),
    ("effects.rs", "effect.add(&self.regions[p.index()][inner.index()])", "()", "regions have no effects"),
    ("points/one.rs", "(a == top).then(|| self.locs.follow(b, &path)).flatten()", "None", "a pair is an alias in one direction"),
    ("points/rounds.rs", "if a != b {\n                        new.extend(self.overlaid(p, a, to_a, b, to_b).into_iter().map(|pair| (g, pair)));\n                    }",
        "()", "arguments never overlap"),
    ("points/rounds.rs", "proc.merged(def).into_iter().flatten().flat_map(of).collect()", "proc.merged(def).into_iter().flatten().take(1).flat_map(of).collect()",
        "a joined pointer leads where the first one does"),
    ("points/rounds.rs", "self.store(cell, &targets)", "()", "pointers in memory lead nowhere"),
    ("points/rounds.rs", "self.store(to, &up)", "()", "callees store no pointers"),
    ("points/one.rs", "is_within_one_object(*op)", "false", "pointers that are compared are apart"),
    ("points/one.rs", "lowest < 0", "false", "what lies in front of a pointer is no other object"),
    ("points/one.rs", "others.iter().for_each(|y| self.pair(&mut one.related[p.index()], x, *y, call_span))", "()",
        "callees compare nothing"),
    ("points/one.rs", "all.extend(group)", "drop(group)", "what is one with a third is not one"),
    ("effects.rs", "given.contains(&top(global)) || !program.closed.contains(global) && !inside(global)", "false",
        "functions without source write what the program writes"),
];

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Fault<'static>> {
    REQUIRED.iter().chain(PLACES).chain(OTHERS)
}
