//! What `--explain` says: why a value is stored and who reads it, or how it comes back.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::builder::{Builder, Stored};
use crate::flow::required::Hull;
use crate::ir::*;
use crate::plan::game::How;
use crate::plan::{Explained, Explanation};

impl Builder<'_> {
    /// Why a value has no recipe, and what kind of reason that is.
    pub(super) fn why(&self, value: ValueId) -> (String, Explained) {
        let real = matches!(*self.primal.type_of(value), Type::Float { .. });
        let definition = self.definitions.get(value);
        let why = match &self.primal.values[value].def {
            Def::Result(_) => "it is the result of a call".into(),
            Def::Head(..) => "each pass of the loop changes it in a way that cannot be undone".into(),
            Def::Out(..) => "it is what the loop left".into(),
            Def::Join(..) if definition.is_none() => "it comes from either of two branches".into(),
            Def::Entry(_) | Def::Undefined | Def::Popped(_) => "it has no definition here".into(),
            _ => {
                let Some(definition) = definition else {
                    return ("it cannot be evaluated again".into(), Explained::Other);
                };
                if real && definition.cost > self.cx.dear {
                    let why = format!("evaluating it again costs {}, and --dear is {}", definition.cost, self.cx.dear);
                    return (why, Explained::Other);
                }
                let mut missing = Vec::new();
                walk::values(&definition.expr, &mut |v| {
                    let name = self.told_apart(v).unwrap_or_else(|| self.variable_name(v));
                    if !self.game.has(v) && v != value && !missing.contains(&name) {
                        missing.push(name);
                    }
                });
                match (missing.is_empty(), definition.loads) {
                    (false, _) => format!("to evaluate it again takes {}", missing.join(", ")),
                    (true, true) => "it is read from memory that changes".into(),
                    (true, false) => {
                        return ("the plan keeps it instead of what it is computed from".into(), Explained::Kept);
                    }
                }
            }
        };
        (why, Explained::Other)
    }

    /// How a value comes back that is not stored.
    pub(super) fn explain_recipe(&mut self, value: ValueId, expr: &Expr, how: How) {
        let this = &self.primal.values[value];
        let var = &self.primal.vars[this.var];
        if !matches!(var.kind, VarKind::User | VarKind::Renamed) {
            return;
        }
        let text = self.text(expr);
        let how = match how {
            How::Recompute => {
                let mut with = BTreeSet::new();
                walk::values(expr, &mut |v| with.extend(self.told_apart(v)));
                let with: Vec<String> = with.into_iter().collect();
                let with = if with.is_empty() { String::new() } else { format!(", with {}", with.join(", ")) };
                format!("computed again: {text}{with}")
            }
            How::Invert(from) => {
                self.inverted.insert(from);
                let line = self.primal.values[from].span.line;
                format!("recovered as {text}: inverts line {line}")
            }
            How::Same => return,
        };
        self.explain(this.span, var.name.clone(), how, 0.0);
    }

    fn variable_name(&self, value: ValueId) -> String {
        self.primal.vars[self.primal.values[value].var].name.clone()
    }

    /// A value by name and line, where its name stands for values of several lines.
    fn told_apart(&self, value: ValueId) -> Option<String> {
        let name = self.variable_name(value);
        let line = self.primal.values[value].span.line;
        (line != 0 && self.several.contains(&name)).then(|| format!("{name} (line {line})"))
    }

    /// Tells values of one name apart: by line, on one line by column. Those of one place have different reasons.
    fn tell_apart(&mut self) {
        let mut places: FxHashMap<String, BTreeSet<(u32, u32, u32)>> = FxHashMap::default();
        let variables: FxHashSet<&str> = self.primal.vars.iter().map(|var| var.name.as_str()).collect();
        let place = |line: &Explanation| (line.span.source, line.span.line, line.span.column);
        for line in self.plan.explanations.iter().filter(|line| variables.contains(line.what.as_str())) {
            places.entry(line.what.clone()).or_default().insert(place(line));
        }
        for line in &mut self.plan.explanations {
            let Some(all) = places.get(&line.what).filter(|all| all.len() > 1) else { continue };
            let (source, number, column) = place(line);
            let on_line = all.range((source, number, 0)..=(source, number, u32::MAX)).count();
            let column = if on_line > 1 { format!(", column {column}") } else { String::new() };
            line.what += &format!(" (line {number}{column})");
        }
    }

    /// Notes which line reads memory, by its place.
    pub(super) fn note_loads(&mut self, expr: &Expr) {
        let mut names = Vec::new();
        walk::expressions(expr, &mut |e| {
            if let ExprKind::Load(place) = &e.kind {
                names.push(self.place_text(place));
            }
        });
        for name in names {
            self.loads.entry(name).or_default().insert(self.span.line);
        }
    }

    /// Puts the lines that read what is stored into the explanations.
    pub(super) fn name_readers(&mut self) {
        let mut values: FxHashMap<&Explanation, Vec<ValueId>> = FxHashMap::default();
        for (stored, line) in self.stored.values() {
            if let Stored::Record(_, value) = stored {
                values.entry(line).or_default().push(*value);
            }
        }
        let calls = self.primal.items.iter().any(|item| matches!(item.kind, ItemKind::Call { .. }));
        // The adjoint of the result stands at the function's own line.
        let own = self.primal.span.line;
        let others = |lines: &BTreeSet<u32>| lines.iter().copied().filter(|line| *line != 0 && *line != own).collect();
        let mut of_place: FxHashMap<String, (BTreeSet<u32>, Arc<[u32]>)> = FxHashMap::default();
        for line in &mut self.plan.explanations {
            let stored = values.get(line).map_or(&[][..], Vec::as_slice);
            if line.kind == Explained::Kept && stored.iter().any(|value| self.inverted.contains(value)) {
                line.how = "stored: what others need is recovered from it".into();
            }
            let of_values;
            let (lines, readers) = if line.kind == Explained::Overwritten {
                if !of_place.contains_key(&line.what) {
                    let meet = self.loads.iter().filter(|(place, _)| may_meet(place, &line.what));
                    let lines = meet.flat_map(|(_, lines)| lines).copied().collect();
                    let readers = others(&lines);
                    of_place.insert(line.what.clone(), (lines, readers));
                }
                let (lines, readers) = &of_place[&line.what];
                if lines.is_empty() {
                    line.how += if calls {
                        ": no line here reads it, a function that is called may"
                    } else {
                        ": no line here reads it"
                    };
                }
                (lines, readers.clone())
            } else {
                of_values = stored.iter().filter_map(|value| self.reads.get(value)).flatten().copied().collect();
                (&of_values, others(&of_values))
            };
            if lines.contains(&own) && own != 0 {
                line.how += "; the result reads it";
            }
            line.readers = readers;
        }
        self.tell_apart();
    }

    /// A place as the user knows it.
    pub(super) fn place_text(&self, place: &Place) -> String {
        let mut named = place.clone();
        // `((double *)a)[k]` of rows `a` is called `a[0, k]`.
        if let (Base::At(pointer), [Step::Index(at)]) = (&place.base, &place.path[..])
            && let ExprKind::Cast(first) = &pointer.kind
            && let ExprKind::Address(first) = &first.kind
        {
            named.clone_from(first);
            if let (Some(Step::Index(row)), [only]) = (named.path.last_mut(), &at[..]) {
                row.iter_mut().last().into_iter().for_each(|last| last.at.clone_from(&only.at));
            }
        }
        self.text(&super::reverse::load(named))
    }

    /// A part of a snapshot: where it begins, and how much it is.
    pub(super) fn part_text(&self, Hull { first, count }: &Hull) -> (String, String) {
        let begins = self.place_text(first);
        let name = match begins.rsplit_once('[') {
            Some((array, index)) if index.starts_with("(0 : ") => array.to_owned(),
            _ => begins,
        };
        let how = match count.kind {
            ExprKind::Int(1) => "in each snapshot".to_owned(),
            ExprKind::Int(n) => format!("in each snapshot: {n} elements"),
            _ => format!("in each snapshot: {} elements", self.text(count).replace("(int64_t)", "")),
        };
        (name, how)
    }

    fn text(&self, expr: &Expr) -> String {
        let text = print::without_labels(&self.printer.expr(expr));
        text.replace("[0].", "->")
    }
}

/// The names that stand for values of several lines.
pub(super) fn several(primal: &Proc) -> FxHashSet<String> {
    let mut first: FxHashMap<&str, u32> = FxHashMap::default();
    let mut several = FxHashSet::default();
    for value in primal.values.iter().filter(|value| value.span.line != 0 && value.def != Def::Undefined) {
        let name = primal.vars[value.var].name.as_str();
        if *first.entry(name).or_insert(value.span.line) != value.span.line {
            several.insert(name.to_owned());
        }
    }
    several
}

/// Whether two places, as texts, may share memory: they are apart if they belong to different names, to different members,
/// or to elements with different numbers.
fn may_meet(one: &str, other: &str) -> bool {
    let (one, other) = (steps(one), steps(other));
    let numbers = |step: &str| -> Vec<Option<i64>> { step[1..].split(',').map(|at| at.trim().parse().ok()).collect() };
    let apart = |(one, other): (&&str, &&str)| match (one.starts_with('['), other.starts_with('[')) {
        (true, true) => {
            let (one, other) = (numbers(one), numbers(other));
            one.iter().zip(&other).any(|(one, other)| one.is_some() && other.is_some() && one != other)
        }
        (false, false) => one != other,
        _ => false,
    };
    one.iter().zip(&other).next().is_none_or(|first| first.0 == first.1) && !one.iter().zip(&other).any(apart)
}

/// `x`, `[i`, `y` of `x[i].y`.
fn steps(place: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = place.trim_start_matches(|c| !is_word(c));
    let mut found = Vec::new();
    while let Some(c) = rest.chars().next() {
        if is_word(c) {
            let (word, behind) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
            found.push(word);
            rest = behind;
        } else if c == '[' {
            let mut depth = 0;
            let end = rest.find(|c| {
                depth += i32::from(c == '[') - i32::from(c == ']');
                depth == 0
            });
            let (index, behind) = rest.split_at(end.unwrap_or(rest.len()));
            found.push(index);
            rest = behind;
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::may_meet;

    #[test]
    fn members_and_numbers_tell_places_apart() {
        assert!(!may_meet("e->n", "e->z") && !may_meet("x[0]", "x[1]") && !may_meet("x[i]", "y[i]"));
        assert!(may_meet("x[i]", "x[0]") && may_meet("m->x[k].y", "m->x[0].y") && may_meet("a[0, k]", "a[0, 3]"));
        assert!(!may_meet("a[0, k]", "a[1, k]") && !may_meet("m.x[t[0]].y", "m.x[1].z") && may_meet("*p", "*p"));
    }
}
