//! The faults.

/// A fault: the file in `generator/src`, what stands there, what stands there instead, what that means. Both texts
/// are expressions of one type, and the first stands in the file once.
pub type Fault<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Sections and what is required.
#[rustfmt::skip]
const REQUIRED: &[Fault] = &[
    ("flow/sections.rs", "Some(Piece { hi: at.plus(1)?, lo: at })", "Some(Piece { hi: at.plus(2)?, lo: at })", "an element is two long"),
    ("flow/sections.rs", "Some(Piece { hi: at.plus(1)?, lo: at })", "Some(Piece { hi: at.clone(), lo: at })", "an element is empty"),
    ("flow/sections.rs", "out.push(Piece { lo: self.lo.clone(), hi: killed.lo.clone() })", "()", "a kill takes what is in front of it"),
    ("flow/sections.rs", "out.push(Piece { lo: killed.hi.clone(), hi: self.hi.clone() })", "()", "a kill takes what is behind it"),
    ("flow/sections.rs", "facts.at_most(&self.hi, &other.lo) || facts.at_most(&other.hi, &self.lo)",
        "self.hi.plus(-1).is_some_and(|hi| facts.at_most(&hi, &other.lo)) || facts.at_most(&other.hi, &self.lo)",
        "neighbours are disjoint though the first is one too long"),
    ("flow/sections.rs", "facts.at_most(&self.hi, &other.lo) || facts.at_most(&other.hi, &self.lo)",
        "facts.at_most(&self.hi, &other.lo) || other.hi.plus(-1).is_some_and(|hi| facts.at_most(&hi, &self.lo))",
        "neighbours are disjoint though the second is one too long"),
    ("flow/sections.rs", "facts.with(self.hi.sub(&self.lo).and_then(|p| p.plus(-1)))", "facts.with(self.hi.sub(&self.lo).and_then(|p| p.plus(-2)))",
        "what is not empty has two elements"),
    ("flow/sections.rs", "facts.at_most(&self.hi, &self.lo)", "self.hi.plus(-1).is_some_and(|hi| facts.at_most(&hi, &self.lo))",
        "one element is empty"),
    ("flow/sections.rs", "*pieces = vec![Piece::whole()]", "pieces.truncate(PIECES)", "of many pieces some are forgotten"),
    ("flow/sections.rs", "if rest.len() > 1 && left.len() + 2 > PIECES { vec![piece] } else { rest }",
        "if rest.len() > 1 && left.len() + 2 > PIECES { Vec::new() } else { rest }",
        "of many remainders some are forgotten"),
    ("flow/required/steady.rs", "self.untouched(proc, region, from.., expr)", "self.untouched(proc, region, from + 1.., expr)",
        "an item leaves what it reads itself"),
    ("flow/required/steady.rs", "self.untouched(proc, region, at..at + 1, expr)", "self.untouched(proc, region, at..at, expr)",
        "a branch or a loop leaves what its condition reads"),
    ("flow/required/steady.rs", "at.contains(position)", "false", "everything is steady"),
    ("flow/required/steady.rs", "d >= nearest", "d >= nearest - 1", "a run of stores reads what it has overwritten"),
    ("flow/required/steady.rs", "nearest |= i128::from(inner == store)", "()", "a run of stores reads its own new element"),
    ("flow/required.rs", "self.locator.recursive(p)", "false", "callers of a function that calls itself require nothing"),
    ("flow/required/items.rs", "sections::kill(&mut open, &sum.killed, facts)", "()", "what was written before is exposed"),
    ("flow/required/items.rs", "facts.at_most(end, &piece.lo)", "end.plus(-1).is_some_and(|end| facts.at_most(&end, &piece.lo))",
        "the last element of an object is outside"),
    ("flow/required/items.rs", "pieces.iter().any(|q| !q.disjoint(piece, facts))", "pieces.contains(piece)", "only equal sections meet"),
    ("flow/required/items.rs", "!pieces.is_empty() && self.flow.points.may_alias(p, loc, other)", "false", "other names are other memory"),
    ("flow/required/items.rs", "self.loads(p, e, &self.locator.facts(p, region), &mut s.req)", "()", "what is read again is not required"),
    ("flow/required/items.rs", "self.loads(p, &need, &Facts::default(), &mut s.req)", "()", "the result needs nothing"),
    ("flow/required/items.rs", "self.end_of_life(p, object, s)", "()", "contents are lost where a life ends"),
    ("flow/required/items.rs", "pieces.len() == 1", "true", "a store that may hit surely hits"),
    ("flow/required/items.rs", "sections::must(&mut s.sum.killed, *loc, piece.clone())", "()", "a store kills nothing for what is around it"),
    ("flow/required/items.rs", "sections::kill(&mut s.req, &killed, facts)", "()", "a store kills nothing"),
    ("flow/required/items.rs", "sections::union(&mut s.req, &second.req)", "()", "the second arm requires nothing"),
    ("flow/required/items.rs", "other.contains(piece)", "{ let _ = (other, piece); true }", "one arm kills what the other one leaves"),
    ("flow/required/items.rs", "sections::union(&mut s.sum.written, &arm.written)", "()", "branches write nothing"),
    ("flow/required/loops.rs", "if low { filled.at_most(&end, q) } else { filled.at_most(q, &end) }", "true", "the first end that is tried is taken"),
    ("flow/required/loops.rs", "sections::union(&mut inside.req, &before)", "()", "passes before require nothing"),
    ("flow/required/loops.rs", "now.sub(step)?", "now.sub(step)?.sub(step)?", "the pass before does not count"),
    ("flow/required/loops.rs", "now.add(step)?", "now.add(step)?.add(step)?", "downwards the pass before does not count"),
    ("flow/required/loops.rs", "sections::union(&mut s.req, &required)", "()", "a loop requires nothing behind it"),
    ("flow/required/loops.rs", "facts.nonneg(index.hi.sub(&index.lo).and_then(|q| q.plus(-1)))", "true", "a loop surely runs"),
    ("flow/required/loops.rs", "index.filter(|i| i.sole)", "index", "a loop is never left early"),
    ("flow/required/loops.rs", "(facts.at_most(from, to) || idle.at_most(&hi, &lo)).then_some(Piece { lo, hi })", "{ let _ = &idle; Some(Piece { lo, hi }) }",
        "bounds are in order"),
    ("flow/required/loops.rs", "!(index.dense() || index.up && index.last().is_some())", "false", "each step hits the bound"),
    ("flow/required/loops.rs", "at(p, index.head, &piece.lo, to)?", "at(p, index.head, &piece.lo, &to.plus(1)?)?", "a loop kills one element more"),
    ("flow/required/loops.rs", "sections::union(&mut s.sum.written, &over(&pass.sum.written))", "()", "loops write nothing"),
    ("flow/required/calls.rs", "sections::union(verdict.entry.entry(g).or_default(), &new)", "{ let _ = (&mut *verdict, &new); }", "callers require nothing"),
    ("flow/required/calls.rs", "sections::union(&mut s.req, &self.up(&call, &callee.required, false))", "()", "callees require nothing"),
    ("flow/required/calls.rs", "sections::union(&mut s.sum.written, &written)", "()", "callees write nothing"),
    ("flow/required/calls.rs", "self.by_arguments(call, q)?.add(at)", "{ let _ = at; self.by_arguments(call, q) }",
        "arguments point to first elements"),
    ("flow/required/calls.rs", "q.sub(at)?.replace(&rename)", "q.replace(&rename)", "parameters point to first elements"),
    ("flow/required/calls.rs", "mine.iter().any(|&m| points.may_alias(p, m, wanted))", "false", "callees know no other names"),
    ("flow/required/calls.rs", "!(self.locator.recursive(p) && self.locator.recursive(g))", "true", "a function that calls itself does nothing then"),
];

/// Where elements lie, and what loops and conditions say of them.
#[rustfmt::skip]
const PLACES: &[Fault] = &[
    ("flow/locate/loops.rs", "fact.add(head)?.plus(1)?", "fact.add(head)?", "a loop ends one pass earlier"),
    ("flow/locate/loops.rs", "Some((lo, init.plus(1)?, false, step.scale(-1)?))", "Some((lo, init, false, step.scale(-1)?))",
        "a loop that counts down begins one lower"),
    ("flow/locate/loops.rs", "if index.up { head.sub(&index.lo) } else { index.hi.sub(&head)?.plus(-1) }",
        "if index.up { head.sub(&index.lo)?.plus(1) } else { index.hi.sub(&head)?.plus(-1) }", "one pass more went before"),
    ("flow/locate/loops.rs", "if index.up { Some(index.hi) } else { index.lo.plus(-1) }", "if index.up { index.hi.plus(-1) } else { index.lo.plus(-1) }",
        "behind a loop its index is one less"),
    ("flow/locate/loops.rs", "!outer.at_most(&index.lo, &index.hi) && !facts.at_most(&index.lo, &index.hi)", "false", "behind a loop that did not run its index is the bound"),
    ("flow/locate/conditions.rs", "b.sub(a).and_then(|p| p.plus(-1))", "b.sub(a).and_then(|p| p.plus(-2))", "less means less by two"),
    ("flow/locate/conditions.rs", "vec![b.sub(&a)]", "vec![less(&a, &b)]",
        "at most means less"),
    ("flow/locate/conditions.rs", "region == *then", "region != *then", "conditions hold in the other arm"),
    ("flow/locate/single.rs", "*life == Life::Heap && !self.points.escapes(top) && self.freed_in(p, region, top)", "true", "blocks of several passes are one"),
];

/// Activity, needs, effects, pointers.
#[rustfmt::skip]
const OTHERS: &[Fault] = &[
    ("flow/activity/graph.rs", "self.edges.push((self.nodes.loc(a), self.nodes.loc(b)))", "()", "derivatives do not flow from name to name"),
    ("flow/activity/graph.rs", "self.edges.push((self.nodes.loc(l), self.nodes.loc(q)))", "()", "callees read nothing active"),
    ("flow/activity/graph.rs", "self.edges.push((self.nodes.loc(q), self.nodes.loc(l)))", "()", "callees write nothing active"),
    ("flow/activity/graph.rs", "self.edges.extend(from.map(|w| (self.nodes.value(p, w), to)))", "drop(from)", "joins and loops pass no derivative"),
    ("flow/activity/graph.rs", "self.edges.push((self.nodes.result(*g), self.nodes.value(p, *v)))", "()", "results are passive"),
    ("flow/activity.rs", "graph.writes(*g).contains(&q) && up.iter().any(|&l| self.shadow(l))", "false", "a callee clears no adjoint"),
    ("flow/activity.rs", "self.shadow(a) && graph.writes(p).contains(&b)", "false", "a store under another name clears no adjoint"),
    ("flow/activity.rs", "group.iter().any(|&l| self.shadow(l))", "false", "what a pointer may lead to has adjoints apart"),
    ("flow/needs.rs", "args.iter().for_each(|a| self.add(a))", "()", "partials of functions read nothing"),
    ("flow/needs.rs", "self.add(c)", "()", "a conditional expression needs no condition"),
    ("flow/needs.rs", "needs.address(to)", "()", "a store needs no subscript"),
    ("flow/needs.rs", "if da {\n                            self.add(b);\n                        }", "if db {\n                            self.add(b);\n                        }",
        "the partial of a product reads the wrong factor"),
    ("flow/analyses.rs", "all.iter().any(|&other| self.may_alias(proc, leaf, other))", "all.contains(&leaf)",
        "memory under another name is never written"),
    ("flow/effects.rs", "up(&callee.writes, &mut effect.writes)", "()", "calls have no effects"),
    ("flow/effects.rs", "effect.add(&self.regions[p.index()][inner.index()])", "()", "regions have no effects"),
    ("flow/points/one.rs", "(a == top).then(|| self.locs.follow(b, &path)).flatten()", "None", "a pair is an alias in one direction"),
    ("flow/points/rounds.rs", "if a != b && !self.is_kept_apart(g, a, b) {\n                        new.extend(self.overlaid(p, a, to_a, b, to_b).into_iter().map(|pair| (g, pair)));\n                    }",
        "()", "arguments never overlap"),
    ("flow/points/rounds.rs", "proc.merged(def).into_iter().flatten().flat_map(of).collect()", "proc.merged(def).into_iter().flatten().take(1).flat_map(of).collect()",
        "a joined pointer leads where the first one does"),
    ("flow/points/rounds.rs", "self.store(cell, &targets)", "()", "pointers in memory lead nowhere"),
    ("flow/points/rounds.rs", "self.store(to, &up)", "()", "callees store no pointers"),
    ("flow/points/one.rs", "is_within_one_object(*op)", "false", "pointers that are compared are apart"),
    ("flow/points/one.rs", "lowest < 0", "false", "what lies in front of a pointer is no other object"),
    ("flow/points/one.rs", "others.iter().for_each(|y| self.pair(&mut one.related[p.index()], x, *y, call_span))", "()",
        "callees compare nothing"),
    ("flow/points/offset.rs", "first.moved(step)", "{ let _ = step; first }", "what a pass adds to a pointer leads nowhere"),
    ("flow/points/offset.rs", "number(inner).negated()", "number(inner)", "a minus in front of a subscript leads nowhere"),
    ("flow/points/one.rs", "all.extend(group)", "drop(group)", "what is one with a third is not one"),
    ("flow/points/one.rs", "argument(k).plus(Offset::Is(more))", "{ let _ = (&argument, k, more); Offset::Any }",
        "no callee reads below by a subscript of its caller's"),
    ("flow/points/one.rs", "**member != self.locs.root_top(other)", "false",
        "what is one with a pointer that leads below does not lie there"),
    ("flow/effects.rs", "given.contains(&top(global)) || !program.closed.contains(global) && !inside(global)", "false",
        "functions without source write what the program writes"),
];

/// Poles of partial derivatives, directives of OpenMP, names, files that do not bring the source along.
#[rustfmt::skip]
const AROUND: &[Fault] = &[
    ("ir/functions.rs", "if is_bounded { Partial::Is(partial) } else { Partial::Steep(partial) }", "{ let _ = is_bounded; Partial::Is(partial) }",
        "a partial with a pole is formed before anything asks for it"),
    ("front/c/openmp/passes.rs", "behind(&place.path, node, base, self.known()) == Use::Reads", "false",
        "what a thread's own copy is behind the loop means nothing"),
    ("emit/c/clashes.rs", "is_of_headers(name) && !is_exempt(program, span)", "{ let _ = span; false }",
        "names of the library may be the program's"),
    ("emit/c/clashes.rs", "*taken.get(name.as_str())?", "*taken.get(\"\")?", "the program may have the name of an adjoint"),
    ("emit/c/outside.rs", "with_extent(program, part)", "part.whole.clone()", "a file without the source defines what the source does"),
];

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Fault<'static>> {
    REQUIRED.iter().chain(PLACES).chain(OTHERS).chain(AROUND)
}
