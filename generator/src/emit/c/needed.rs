//! Which headers a generated header includes: those that declare what its prototypes name, and what these need and do
//! not include themselves. Decided from the files that the preprocessor entered.
//!
//! ```text
//!   model.c ─┬─ 2: #define WIDE               a type of part.h is named: part.h names a typedef of base.h and
//!            ├─ 3: base.h                     does not include it, base.h tests WIDE. private.h stays out.
//!            ├─ 4: private.h
//!            └─ 5: part.h ── 3: <stddef.h>
//! ```

use std::collections::BTreeSet;

use super::beginning;
use crate::ir::{Inclusion, Program};

/// Where something stands in the text of all files: the lines of the directives that lead there, and its own.
pub(super) type Place = Vec<u32>;

/// The files that were entered.
pub(super) struct Headers<'p> {
    program: &'p Program,
    all: &'p [Inclusion],
    /// The sources as the generated file includes them.
    includes: &'p [String],
    /// Whether only the generated file may include a file: it, or one that it includes, defines functions for
    /// others.
    own: Vec<bool>,
}

/// What a chosen header needs in front of it.
#[derive(Default)]
pub(super) struct Before {
    /// Names of types, and of what else counts as declared by the sources.
    pub(super) names: BTreeSet<String>,
    /// Other headers.
    pub(super) headers: BTreeSet<usize>,
    /// Macros of the sources: name, and what stands behind it.
    pub(super) macros: BTreeSet<(String, String)>,
}

impl<'p> Headers<'p> {
    /// None where no preprocessor was asked.
    pub(super) fn of(program: &'p Program, includes: &'p [String]) -> Option<Headers<'p>> {
        let all = &program.c.preprocessed.inclusions[..];
        let exported = program.procs.iter().filter(|proc| !proc.is_static);
        let mut paths: BTreeSet<&str> = exported.filter_map(|proc| beginning::home(program, &proc.span)).collect();
        paths.extend(program.sources.iter().filter(|source| source.main).map(|source| source.path.as_str()));
        let mut own: Vec<bool> =
            all.iter().map(|one| one.files.iter().any(|path| paths.contains(path.as_str()))).collect();
        for at in (0..all.len()).rev() {
            if let Some(by) = all[at].by {
                own[by] |= own[at];
            }
        }
        (!all.is_empty()).then_some(Headers { program, all, includes, own })
    }

    /// The headers that bring a file: more than one if the same source includes it several times, with other macros.
    pub(super) fn with(&self, path: &str) -> Vec<usize> {
        let has = |one: &Inclusion| one.files.iter().any(|file| file == path);
        let found: Vec<usize> = (0..self.all.len()).filter(|at| has(&self.all[*at])).collect();
        let Some(first) = found.first().copied() else { return found };
        // A header of the system guards itself.
        let again = |at: &usize| *at == first || !self.all[first].is_system && self.root(*at) == self.root(first);
        found.into_iter().filter(again).collect()
    }

    /// The header that defines a macro.
    pub(super) fn defining(&self, name: &str) -> Option<usize> {
        let mut all = 0..self.all.len();
        all.find(|at| self.all[*at].defines.contains(name) && !self.own[*at])
    }

    /// Whether only the generated file may include the file of this path.
    pub(super) fn is_own(&self, path: &str) -> bool {
        self.with(path).iter().any(|at| self.own[*at])
    }

    /// A file and all that it includes.
    fn below(&self, at: usize) -> impl Iterator<Item = usize> {
        (at..self.all.len()).filter(move |other| self.is_below(*other, at))
    }

    fn is_below(&self, at: usize, above: usize) -> bool {
        at == above || self.all[at].by.is_some_and(|by| self.is_below(by, above))
    }

    fn root(&self, at: usize) -> usize {
        self.all[at].by.map_or(at, |by| self.root(by))
    }

    /// Where the text of a file begins.
    fn begin(&self, at: usize) -> Place {
        let mut place = self.all[at].by.map(|by| self.begin(by)).unwrap_or_default();
        place.push(self.all[at].line);
        place
    }

    /// Where a line of a file stands.
    pub(super) fn place(&self, path: &str, line: u32) -> Place {
        let mut place = self.with(path).first().map(|at| self.begin(*at)).unwrap_or_default();
        place.push(line);
        place
    }

    /// Where the directive of a header stands.
    pub(super) fn directive(&self, at: usize) -> Place {
        self.begin(at)
    }

    /// What stands in front of a header, as far as its text and that of what it includes need it.
    pub(super) fn before(&self, at: usize) -> Before {
        let mut before = Before::default();
        for part in self.below(at).filter(|part| !self.all[*part].is_system) {
            for (name, body, by) in self.all[part].macros.iter().filter(|(.., by)| !self.is_below(*by, at)) {
                if self.own[*by] {
                    before.macros.insert((name.clone(), body.clone()));
                } else {
                    before.headers.insert(*by);
                }
            }
            let of = |used: &&crate::ir::Use| self.all[part].files.contains(&used.by);
            for used in self.program.c.uses.iter().filter(of) {
                let homes = self.with(&used.of);
                if homes.iter().any(|home| self.is_below(*home, at)) {
                    continue;
                }
                if homes.iter().any(|home| self.own[*home]) || homes.is_empty() {
                    before.names.insert(used.name.clone());
                } else {
                    before.headers.extend(homes);
                }
            }
        }
        before
    }

    /// Those of these headers that no other one of them includes.
    pub(super) fn outermost(&self, mut chosen: BTreeSet<usize>) -> BTreeSet<usize> {
        for at in chosen.clone() {
            let brings = |other: &usize| *other != at && (self.is_below(at, *other) || self.names_again(*other, at));
            if chosen.iter().any(brings) {
                chosen.remove(&at);
            }
        }
        chosen
    }

    /// Whether a file, or one that it includes, has a directive for another one that was there already.
    fn names_again(&self, at: usize, other: usize) -> bool {
        let known = &self.all[other];
        let is_meant = |part: usize, name: &str| match &known.files[..] {
            _ if known.is_system && known.name == name => true,
            [path, ..] if !known.is_system => self.resolves(part, name, path),
            _ => false,
        };
        !self.is_below(at, other)
            && self.below(at).any(|part| self.all[part].again.iter().any(|name| is_meant(part, name)))
    }

    /// Whether a directive of a file leads to a path.
    fn resolves(&self, part: usize, name: &str, path: &str) -> bool {
        let file = name.trim_matches(['"', '<', '>']);
        let folder = self.all[part].files[0].rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = if folder.is_empty() { file.to_string() } else { format!("{folder}/{file}") };
        name.starts_with('"') && beside == path || path == file || path.ends_with(&format!("/{file}"))
    }

    /// A header as the generated one includes it, with its quotes: one beside the file that includes it is found from
    /// there.
    pub(super) fn name(&self, at: usize) -> String {
        let one = &self.all[at];
        let Some(by) = one.by.filter(|by| !self.all[*by].is_system) else { return one.name.clone() };
        let includer = &self.all[by];
        let found = if includer.by.is_none() {
            let sources = self.program.sources.iter().zip(self.includes);
            let known = sources.into_iter().find(|(source, _)| source.path == includer.files[0]);
            known.map_or_else(|| includer.files[0].clone(), |(_, include)| include.clone())
        } else {
            self.name(by)
        };
        beginning::found_from(&includer.files[0], found.trim_matches(['"', '<', '>']), &one.name)
    }
}
