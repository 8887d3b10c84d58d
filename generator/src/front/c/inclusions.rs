//! Which file brings which, as the preprocessor entered them.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::ir::Inclusion;
use crate::names::{code, words};

/// What the compiler puts behind a directive that it keeps.
const KEPT: &str = "/* clang -E -dI */";

/// The files of a preprocessed text that names its includes and has its definitions; `read` gives the text of a file.
pub fn of(text: &str, read: &dyn Fn(&str) -> String) -> Vec<Inclusion> {
    let mut found = Entered::new(read);
    for line in text.lines() {
        found.line(line);
    }
    found.finish()
}

/// A macro that is defined: what stands behind its name, and who defines it.
type Known<'t> = (&'t str, usize);

struct Entered<'t> {
    read: &'t dyn Fn(&str) -> String,
    all: Vec<Inclusion>,
    /// The files that are open, innermost last: the number of each, none of what is no file; the line that comes next.
    open: Vec<(Option<usize>, u32)>,
    /// What a directive names that has entered nothing so far, and its line.
    pending: Option<(&'t str, u32)>,
    live: BTreeMap<&'t str, Known<'t>>,
    /// Words of all files but the system's.
    used: FxHashSet<String>,
}

impl<'t> Entered<'t> {
    fn new(read: &'t dyn Fn(&str) -> String) -> Entered<'t> {
        let (all, open, live, used) = (Vec::new(), Vec::new(), BTreeMap::new(), FxHashSet::default());
        Entered { read, all, open, pending: None, live, used }
    }

    fn here(&self) -> Option<usize> {
        self.open.last().and_then(|(number, _)| *number)
    }

    fn line(&mut self, line: &'t str) {
        if let Some((number, path, flags)) = marker(line) {
            if flags.contains(&"1") {
                self.enter(path, flags.contains(&"3"));
            } else if flags.contains(&"2") {
                self.skipped();
                self.open.pop();
            }
            match self.open.last_mut() {
                Some((_, next)) => *next = number,
                None => self.open.push((None, number)),
            }
            return;
        }
        if let Some(definition) = line.strip_prefix("#define ") {
            let name = words(definition).next().unwrap_or_default();
            if let Some(here) = self.here() {
                self.all[here].defines.insert(name.to_string());
                self.live.insert(name, (&definition[name.len()..], here));
            }
        } else if let Some(name) = line.strip_prefix("#undef ") {
            self.live.remove(name.trim());
        } else if let Some(directive) = line.strip_suffix(KEPT)
            && !self.here().is_some_and(|here| self.all[here].is_system)
        {
            self.skipped();
            let line = self.open.last().map_or(0, |(_, next)| *next);
            self.pending = directive.split_once(' ').map(|(_, name)| (name.trim(), line));
        }
        if let Some((_, next)) = self.open.last_mut() {
            *next += 1;
        }
    }

    /// The directive that was read last named what was there already.
    fn skipped(&mut self) {
        if let (Some((name, _)), Some(here)) = (self.pending.take(), self.here()) {
            self.all[here].again.push(name.to_string());
        }
    }

    fn enter(&mut self, path: &'t str, is_system: bool) {
        let (name, line) = self.pending.take().unwrap_or_default();
        let path = path.replace("\\\"", "\"").replace("\\\\", "\\");
        if path.starts_with('<') {
            self.open.push((None, 1));
            return;
        }
        // A header of the system brings all that it includes.
        if let Some(here) = self.here().filter(|here| is_system && self.all[*here].is_system) {
            self.all[here].files.push(path);
            self.open.push((Some(here), 1));
            return;
        }
        let mut entered =
            Inclusion { name: name.to_string(), by: self.here(), line, is_system, ..Inclusion::default() };
        if !is_system {
            let text = code(&(self.read)(&path));
            entered.macros = self.macros_of(&text);
            self.used.extend(words(&text).map(str::to_string));
        }
        entered.files.push(path);
        self.all.push(entered);
        self.open.push((Some(self.all.len() - 1), 1));
    }

    /// The macros that a text names, and those behind them.
    fn macros_of(&self, text: &str) -> Vec<(String, String, usize)> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut open: Vec<&str> = words(text).collect();
        while let Some(name) = open.pop() {
            let Some((body, by)) = self.live.get(name).filter(|_| seen.insert(name)) else { continue };
            open.extend(words(body));
            found.push((name.to_string(), body.to_string(), *by));
        }
        found.sort();
        found
    }

    fn finish(mut self) -> Vec<Inclusion> {
        for entered in &mut self.all {
            entered.defines.retain(|name| self.used.contains(name));
        }
        self.all
    }
}

/// `# 12 "model.c" 1 3`: line, file, flags.
pub(super) fn marker(line: &str) -> Option<(u32, &str, Vec<&str>)> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(' ')?;
    let (path, flags) = rest.strip_prefix('"')?.rsplit_once('"')?;
    Some((number.parse().ok()?, path, flags.split_whitespace().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_knows_who_includes_it_and_which_macros_it_needs() {
        let text = "# 1 \"<stdin>\"\n# 1 \"<built-in>\" 1\n#define __x 1\n# 1 \"<stdin>\" 2\n\
                    #include \"m.c\" /* clang -E -dI */\n# 1 \"<stdin>\"\n# 1 \"m.c\" 1\n#define N 3\n\n\
                    #include <math.h> /* clang -E -dI */\n# 3 \"m.c\"\n# 1 \"/i/math.h\" 1 3\n#define PI 3\n\
                    #include <bits.h> /* clang -E -dI */\n# 1 \"/i/math.h\"\n# 1 \"/i/bits.h\" 1 3\n#define INNER 3\n\
                    # 2 \"/i/math.h\" 2 3\n# 4 \"m.c\" 2\n#include \"a.h\" /* clang -E -dI */\n# 4 \"m.c\"\n\
                    # 1 \"./a.h\" 1\n#include <math.h> /* clang -E -dI */\n# 1 \"./a.h\"\n# 5 \"m.c\" 2\n";
        let read = |path: &str| if path == "./a.h" { "int a[N]; /* Q */ double b[PI];" } else { "" }.to_string();
        let all = of(text, &read);
        let files: Vec<&[String]> = all.iter().map(|one| &one.files[..]).collect();
        assert_eq!(files, [&["m.c"][..], &["/i/math.h", "/i/bits.h"], &["./a.h"]]);
        assert_eq!(all.iter().map(|one| one.by).collect::<Vec<_>>(), [None, Some(0), Some(0)]);
        assert_eq!(all.iter().map(|one| one.line).collect::<Vec<_>>(), [1, 3, 4]);
        assert_eq!(all[2].again, ["<math.h>"]);
        assert_eq!(all[2].macros, [("N".into(), " 3".into(), 0), ("PI".into(), " 3".into(), 1)]);
        assert!(all[1].defines.contains("PI") && !all[1].defines.contains("INNER"), "{:?}", all[1].defines);
    }
}
