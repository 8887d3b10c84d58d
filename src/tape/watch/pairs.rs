//! Which pop takes what which push left, by line of the program: a pop that takes another line's values than ever before
//! may be the one that is wrong, long before a type or count differs.
//!
//! A line has several partners in right programs, too: branches that share a pop, a first iteration apart from the others.
//! So a new pair is doubtful only if the push already has a partner, and *crossing* if the pop has one as well. Right
//! programs meet a new pair and go on as before; where a sweep has slipped, the next pair is new again. The first of
//! several new ones in succession, one of them crossing, is the one to report. Without lines nothing is doubtful: copies
//! that a compiler makes of a call have addresses of their own.

#![forbid(unsafe_code)]

use crate::hash::mix;
use crate::site::{Place, Places};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// What a hash table of numbers needs.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, _: &[u8]) {
        unreachable!("numbers only");
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = mix(number);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Clone, Copy)]
struct Partner {
    /// A place of pops; [`NOBODY`] before the first.
    pop: u32,
    times: u64,
    /// The address of the site of `pop`, and what it pops there.
    address: usize,
    what: u32,
}

const NOBODY: u32 = u32::MAX;
/// A push that had one partner as often is established. Random programs meet fewer in succession.
const ESTABLISHED: u64 = 5;

/// A pair that was new.
#[derive(Clone, Copy, Debug)]
struct Doubt {
    push: u32,
    pop: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The pop had a partner, the push none. No reason to doubt; a pop that is missing begins so.
    NewPush,
    /// The push had a partner, the pop none.
    NewPop,
    /// Both had another one.
    Crossing,
}

/// Pairs of places.
#[derive(Default)]
pub(super) struct Pairs {
    /// By push: the partner that it had first.
    first: Vec<Partner>,
    /// The others, by push and pop.
    others: HashMap<u64, u64, BuildHasherDefault<Mixed>>,
    /// Numbers of lines, as they are said.
    lines: HashMap<String, u32>,
    /// By place: the number of its line, none where it has no line.
    line_of: HashMap<u32, Option<u32>>,
    /// Pairs of lines, push and pop, and the lines of either.
    known: HashSet<(u32, u32)>,
    pushes: HashSet<u32>,
    pops: HashSet<u32>,
    /// Places that popped something.
    popping: HashSet<u32>,
    /// Pairs of places whose lines are not in these yet.
    unread: Vec<(u32, u32)>,
    /// Doubts since the last pair that was known.
    doubts: Vec<Doubt>,
    /// The first doubt with a crossing that nothing followed.
    remembered: Option<Doubt>,
    /// The hint that was given.
    reported: Option<String>,
}

impl Pairs {
    /// Notes that `pop` takes what `push` left; a hint, if this is the first time that the sweeps seem to have slipped.
    #[inline]
    pub fn note(&mut self, push: u32, pop: u32, places: &Places) -> Option<String> {
        if let Some(first) = self.first.get_mut(push as usize)
            && first.pop == pop
        {
            first.times += 1;
            if !self.doubts.is_empty() {
                self.settle_doubts();
            }
            return None;
        }
        self.note_other(push, pop, places)
    }

    /// The place of a pop of `what` at `address` that takes what `push` left, where the two are the partners that the push
    /// had first, and nothing is in doubt. The pair is noted.
    #[inline(always)]
    pub fn note_first(&mut self, push: u32, address: usize, what: u32) -> Option<u32> {
        let first = self.first.get_mut(push as usize)?;
        if first.address != address || first.what != what || first.pop == NOBODY || !self.doubts.is_empty() {
            return None;
        }
        first.times += 1;
        Some(first.pop)
    }

    #[inline(never)]
    fn note_other(&mut self, push: u32, pop: u32, places: &Places) -> Option<String> {
        if self.first.len() <= push as usize {
            self.first.resize(push as usize + 1, Partner { pop: NOBODY, times: 0, address: 0, what: 0 });
        }
        let key = u64::from(push) << 32 | u64::from(pop);
        if let Some(times) = self.others.get_mut(&key) {
            *times += 1;
            self.settle_doubts();
            return None;
        }
        let first = &mut self.first[push as usize];
        if first.pop == NOBODY {
            // Lines are read when something is in doubt: that takes time and memory.
            let Place { site, what } = places.get(pop);
            *first = Partner { pop, times: 1, address: site.address(), what };
            self.unread.push((push, pop));
            if !self.popping.insert(pop) && self.doubts.is_empty() {
                self.doubts.push(Doubt { push, pop, kind: Kind::NewPush });
            }
            return None;
        }
        self.popping.insert(pop);
        for (push, pop) in std::mem::take(&mut self.unread) {
            if let Some(lines) = self.line(push, places).zip(self.line(pop, places)) {
                self.pushes.insert(lines.0);
                self.pops.insert(lines.1);
                if !self.known.insert(lines) {
                    self.doubts.retain(|doubt| (doubt.push, doubt.pop) != (push, pop));
                }
            }
        }
        let lines = self.line(push, places).zip(self.line(pop, places));
        let had = self.times_of_line(push);
        self.others.insert(key, 1);
        let lines = lines?;
        if !self.known.insert(lines) {
            self.settle_doubts();
            return None;
        }
        let (old_push, old_pop) = (!self.pushes.insert(lines.0), !self.pops.insert(lines.1));
        if old_push && had >= ESTABLISHED && self.partners_of(push) == 1 {
            let kind = if old_pop { Kind::Crossing } else { Kind::NewPop };
            self.doubts.push(Doubt { push, pop, kind });
        }
        let count = |wanted: &[Kind]| self.doubts.iter().filter(|doubt| wanted.contains(&doubt.kind)).count();
        let slipped = count(&[Kind::Crossing]) >= 1 && count(&[Kind::Crossing, Kind::NewPop]) >= 2;
        if !slipped || self.reported.is_some() {
            return None;
        }
        self.reported = Some(self.said(self.doubts[0], places));
        self.reported.clone()
    }

    /// The sweeps go on as before.
    fn settle_doubts(&mut self) {
        let crossing = self.doubts.iter().any(|doubt| doubt.kind == Kind::Crossing);
        if crossing && self.remembered.is_none() {
            self.remembered = self.doubts.first().copied();
        }
        self.doubts.clear();
    }

    /// What may have been wrong before an error that was found now, or before what is left.
    pub fn suspicion(&self, places: &Places) -> Option<String> {
        if self.reported.is_some() {
            return self.reported.clone();
        }
        let open = self.doubts.iter().find(|doubt| doubt.kind != Kind::NewPush);
        let doubt = self.remembered.or_else(|| open.and(self.doubts.first()).copied())?;
        Some(self.said(doubt, places))
    }

    /// The place that popped first what `push` left.
    pub fn first_partner(&self, push: u32) -> Option<u32> {
        self.first.get(push as usize).map(|first| first.pop).filter(|pop| *pop != NOBODY)
    }

    /// Whether the hint was given.
    pub fn was_reported(&self) -> bool {
        self.reported.is_some()
    }

    fn said(&self, doubt: Doubt, places: &Places) -> String {
        let site = |place: u32| places.get(place).site.to_string();
        let line = |place: u32| self.line_of.get(&place).copied().flatten();
        let mut partners: Vec<(String, u64)> = Vec::new();
        for (push, pop, times) in self.all() {
            let other = match doubt.kind {
                Kind::NewPush if line(pop) == line(doubt.pop) && line(push) != line(doubt.push) => push,
                Kind::NewPop | Kind::Crossing if line(push) == line(doubt.push) && line(pop) != line(doubt.pop) => pop,
                _ => continue,
            };
            match partners.iter_mut().find(|(known, _)| *known == site(other)) {
                Some((_, sum)) => *sum += times,
                None => partners.push((site(other), times)),
            }
        }
        partners.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        let times = |n: u64| if n == 1 { "once".to_owned() } else { format!("{n} times") };
        let (pop, push) = (site(doubt.pop), site(doubt.push));
        let list = |word: &str| {
            let said = partners.iter().take(3).map(|(place, n)| format!("{word}{place} ({})", times(*n)));
            said.collect::<Vec<_>>().join(" and ")
        };
        match doubt.kind {
            Kind::NewPush => {
                format!(
                    "the pop at {pop} takes what {push} pushed\n  until now it took what was pushed {}",
                    list("at ")
                )
            }
            _ => format!("the pop at {pop} takes what {push} pushed\n  until now that was popped {}", list("at ")),
        }
    }

    fn all(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let first = self.first.iter().enumerate().filter(|(_, first)| first.pop != NOBODY);
        let first = first.map(|(push, first)| (push as u32, first.pop, first.times));
        first.chain(self.others.iter().map(|(key, times)| ((key >> 32) as u32, *key as u32, *times)))
    }

    /// Lines that popped what a push of this line left, before the pair that is new.
    fn partners_of(&self, push: u32) -> usize {
        let line = |place: u32| self.line_of.get(&place).copied().flatten();
        let partners: HashSet<Option<u32>> =
            self.all().filter(|(other, ..)| line(*other) == line(push)).map(|(_, pop, _)| line(pop)).collect();
        partners.len().saturating_sub(1)
    }

    fn times_of_line(&self, push: u32) -> u64 {
        let line = |place: u32| self.line_of.get(&place).copied().flatten();
        let same = |other: u32| other == push || line(other).is_some() && line(other) == line(push);
        self.all().filter(|(other, ..)| same(*other)).map(|(.., times)| times).sum()
    }

    fn line(&mut self, place: u32, places: &Places) -> Option<u32> {
        if let Some(line) = self.line_of.get(&place) {
            return *line;
        }
        let next = self.lines.len() as u32;
        let site = places.get(place).site;
        let line = site.has_line().then(|| site.to_string()).map(|text| *self.lines.entry(text).or_insert(next));
        self.line_of.insert(place, line);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::Site;
    use std::panic::Location;

    fn here(places: &mut Places, what: &'static Location<'static>) -> u32 {
        places.number(Site::Rust(what), 0)
    }

    #[track_caller]
    fn line() -> &'static Location<'static> {
        Location::caller()
    }

    fn four() -> (Places, [u32; 5]) {
        let mut places = Places::new();
        // A line each.
        let a = line();
        let b = line();
        let pop_b = line();
        let pop_a = line();
        let other = line();
        let lines = [a, b, pop_b, pop_a, other];
        let numbers = lines.map(|line| here(&mut places, line));
        (places, numbers)
    }

    #[test]
    fn sweep_that_slips_is_reported_once_by_its_first_new_pair() {
        let (places, [a, b, pop_b, pop_a, other]) = four();
        let mut pairs = Pairs::default();
        for _ in 0..7 {
            assert_eq!(pairs.note(b, pop_b, &places), None);
            assert_eq!(pairs.note(a, pop_a, &places), None);
        }
        assert_eq!(pairs.note(b, other, &places), None, "it may be a branch");
        let hint = pairs.note(a, pop_b, &places).expect("the next pair is new again");
        let said = |place: u32| places.get(place).site.to_string();
        assert!(hint.starts_with(&format!("the pop at {} takes what {} pushed", said(other), said(b))), "{hint}");
        assert!(hint.ends_with(&format!("popped at {} (7 times)", said(pop_b))), "{hint}");
        assert_eq!(pairs.note(b, pop_a, &places), None, "once is enough");
    }

    #[test]
    fn branches_that_share_pops_are_no_doubt() {
        let (places, [a, b, pop_both, pop_a, other]) = four();
        let mut pairs = Pairs::default();
        for round in 0..20 {
            assert_eq!(pairs.note(if round % 3 == 0 { a } else { b }, pop_both, &places), None);
            assert_eq!(pairs.note(a, pop_a, &places), None);
            if round > 10 {
                assert_eq!(pairs.note(b, other, &places), None);
                assert_eq!(pairs.note(a, pop_a, &places), None);
            }
        }
        assert_eq!(pairs.suspicion(&places), None);
    }
}
