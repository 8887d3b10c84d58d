//! Conditions of the preprocessor in the sources, and which of their arms it takes.
//!
//! What it takes is asked for behind the sources, where the generated file asserts it: only conditions count whose macros
//! mean there what they meant before, because no file of the sources changes them, and that do not depend on the compiler.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::directives::{directives, guard, with_blank_comments};
use crate::ir::{Arm, Condition, Inclusion};
use crate::names::words;

/// In front of the number of an arm.
const TAKEN: &str = "#pragma adtape taken ";

/// The conditions of the sources and their own headers, for what `ask` says of a text behind them, preprocessed.
pub fn of(files: &[Inclusion], read: &dyn Fn(&str) -> String, ask: &dyn Fn(&str) -> Option<String>) -> Vec<Condition> {
    let own = files.iter().filter(|one| !one.is_system).map(|one| one.files[0].as_str());
    let texts: Vec<(&str, String)> = own.collect::<BTreeSet<_>>().into_iter().map(|path| (path, read(path))).collect();
    let unsure = Unsure::of(files, &texts);
    let mut found = Vec::new();
    for (path, text) in &texts {
        let mut lines = Lines::of(text);
        lines.list(path, &mut found);
    }
    found.retain_mut(|condition| unsure.keep(condition));
    let mut question = String::new();
    let mut count = 0;
    found.iter().for_each(|condition| write(condition, &mut count, &mut question));
    if count == 0 {
        return Vec::new();
    }
    let Some(answer) = ask(&question) else { return Vec::new() };
    let taken = answer.lines().filter_map(|line| line.trim().strip_prefix(TAKEN)?.trim().parse().ok()).collect();
    let mut count = 0;
    found.iter_mut().for_each(|condition| mark(condition, &mut count, &taken));
    found
}

/// Conditions with a number in each arm, also in the one that is not there.
fn write(condition: &Condition, count: &mut usize, out: &mut String) {
    for arm in &condition.arms {
        let _ = writeln!(out, "{}\n{TAKEN}{count}", arm.directive);
        *count += 1;
        arm.inside.iter().for_each(|inner| write(inner, count, out));
    }
    out.push_str("#endif\n");
}

fn mark(condition: &mut Condition, count: &mut usize, taken: &BTreeSet<usize>) {
    for arm in &mut condition.arms {
        arm.taken = taken.contains(count);
        *count += 1;
        arm.inside.iter_mut().for_each(|inner| mark(inner, count, taken));
    }
}

/// Macros that may mean something else behind the sources, or for another compiler.
struct Unsure<'p> {
    names: BTreeSet<&'p str>,
}

impl<'p> Unsure<'p> {
    fn of(files: &'p [Inclusion], texts: &'p [(&str, String)]) -> Unsure<'p> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        names.extend(files.iter().filter(|one| one.is_system).flat_map(|one| &one.defines).map(String::as_str));
        let mut defined: BTreeSet<&str> = BTreeSet::new();
        for line in texts.iter().flat_map(|(_, text)| directives(text)) {
            if !line.defines || !defined.insert(line.name) {
                names.insert(line.name);
            }
        }
        Unsure { names }
    }

    /// Whether a condition counts, or one inside of it; of one that does not, those inside go, too.
    fn keep(&self, condition: &mut Condition) -> bool {
        let mut names = condition.arms.iter().flat_map(|arm| words(&arm.directive).skip(1));
        let is_unsure = names.any(|name| self.names.contains(name) || is_of_compiler(name));
        drop(names);
        if is_unsure {
            return false;
        }
        for arm in &mut condition.arms {
            arm.inside.retain_mut(|inner| self.keep(inner));
        }
        !names_of(condition).is_empty() || condition.arms.iter().any(|arm| !arm.inside.is_empty())
    }
}

/// Names that compilers have for themselves; the library's are not the sources' to choose.
fn is_of_compiler(name: &str) -> bool {
    name.starts_with("__")
        || name.starts_with("ADTAPE_")
        || name.starts_with('_') && name[1..].starts_with(|c: char| c.is_ascii_uppercase())
}

/// The macros that a condition tests.
fn names_of(condition: &Condition) -> BTreeSet<&str> {
    let all = condition.arms.iter().flat_map(|arm| words(&arm.directive).skip(1));
    all.filter(|name| *name != "defined").collect()
}

/// The directives of a text, with their lines.
struct Lines {
    all: Vec<(u32, String)>,
    at: usize,
    /// The macro that says that the file has been included.
    guard: Option<String>,
}

impl Lines {
    fn of(text: &str) -> Lines {
        let text = with_blank_comments(text);
        let guard = guard(&text).map(str::to_string);
        let mut all = Vec::new();
        let mut open: Option<(u32, String)> = None;
        for (number, line) in (1..).zip(text.lines()) {
            let (first, mut whole) = match open.take() {
                Some((first, before)) => (first, before + line),
                None if line.trim_start().starts_with('#') => (number, line.to_string()),
                None => continue,
            };
            if whole.trim_end().ends_with('\\') {
                whole.truncate(whole.trim_end().len() - 1);
                open = Some((first, whole));
                continue;
            }
            let words: Vec<&str> = whole.trim_start()[1..].split_whitespace().collect();
            let is_condition =
                ["if", "el", "endif"].iter().any(|begin| words.first().is_some_and(|word| word.starts_with(begin)));
            if is_condition {
                all.push((first, format!("#{}", words.join(" "))));
            }
        }
        Lines { all, at: 0, guard }
    }

    /// Reads conditions up to the end of the one around them.
    fn list(&mut self, path: &str, found: &mut Vec<Condition>) {
        while let Some((first, directive)) = self.all.get(self.at).cloned() {
            if !directive.starts_with("#if") {
                return;
            }
            let condition = self.condition(path, first, directive);
            let guards = self.guard.as_ref().is_some_and(|guard| {
                condition.arms[0].directive.strip_prefix("#ifndef ").is_some_and(|name| name == guard)
            });
            if guards {
                found.extend(condition.arms.into_iter().flat_map(|arm| arm.inside));
            } else {
                found.push(condition);
            }
        }
    }

    /// Reads a condition whose first directive comes next.
    fn condition(&mut self, path: &str, first: u32, directive: String) -> Condition {
        let mut arms = Vec::new();
        let mut next = Some(directive);
        let mut last = u32::MAX;
        while let Some(directive) = next.take() {
            self.at += 1;
            let mut inside = Vec::new();
            self.list(path, &mut inside);
            arms.push(Arm { directive, taken: false, inside });
            if let Some((line, directive)) = self.all.get(self.at) {
                last = *line;
                next = directive.starts_with("#el").then(|| directive.clone());
            }
        }
        self.at += 1;
        Condition { path: path.to_string(), first, last, arms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, taken: &str) -> Vec<Condition> {
        let file = Inclusion { files: vec!["m.c".into()], ..Inclusion::default() };
        of(&[file], &|_| text.to_string(), &|_| Some(taken.to_string()))
    }

    #[test]
    fn arms_have_their_conditions_inside() {
        let text = "/* #if\n*/\n#if A > 1 && \\\n    B\n# ifdef C // c\n#endif\n#elif defined(D)\n#else\n#endif\n";
        let all = found(text, "#pragma adtape taken 0\n#pragma adtape taken 1\n");
        let [outer] = &all[..] else { panic!("{all:?}") };
        assert_eq!((outer.first, outer.last), (3, 9));
        let arms: Vec<(&str, bool)> = outer.arms.iter().map(|arm| (arm.directive.as_str(), arm.taken)).collect();
        assert_eq!(arms, [("#if A > 1 && B", true), ("#elif defined(D)", false), ("#else", false)]);
        assert_eq!(outer.arms[0].inside[0].arms[0].directive, "#ifdef C");
    }

    #[test]
    fn conditions_that_may_mean_something_else_behind_the_sources_do_not_count() {
        for text in [
            "#ifdef __GNUC__\n#endif\n",
            "#ifdef _OPENMP\n#ifdef A\n#endif\n#endif\n",
            "#define A 1\n#if A\n#endif\n#undef A\n",
            "#define A 1\n#define A 1\n#if A\n#endif\n",
            "#if 0\n#endif\n",
        ] {
            assert!(found(text, "").is_empty(), "{text}");
        }
        let text = "#ifndef M_H\n#define M_H\n#ifdef A\n#endif\n#endif\n";
        assert_eq!(found(text, "")[0].arms[0].directive, "#ifdef A");
    }
}
