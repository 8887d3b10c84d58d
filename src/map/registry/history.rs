//! Check mode: where in the program objects came and went, and where pointers were popped that wait. What is `cold`
//! would become a part of callers that are quick without check mode.

#![forbid(unsafe_code)]

use super::object::Serial;
use crate::site::Site;
use crate::sync::{ForkLock, Holdable};
use std::collections::{HashMap, HashSet, VecDeque};

/// As many objects that are gone for good are known, the latest, and pointer variables, the first.
const GONE: usize = 1 << 16;

/// See the module.
#[derive(Default)]
pub(crate) struct History {
    known: ForkLock<Known>,
}

#[derive(Default)]
struct Known {
    lives: HashMap<Serial, Life>,
    /// Objects that nothing brings back, the oldest first.
    gone: VecDeque<Serial>,
    /// By the address of the pointer variable.
    pops: HashMap<u64, Site>,
    /// Places with a hint, by address.
    hints: HashSet<usize>,
    /// A birth or death was reversed.
    reversed: bool,
}

#[derive(Clone, Copy)]
struct Life {
    born: Site,
    ended: Option<Site>,
    back: Option<Site>,
}

impl History {
    /// What a fork holds.
    pub fn holdable(&self) -> &dyn Holdable {
        &self.known
    }

    #[cold]
    pub fn born(&self, serial: Serial, site: Site) {
        self.known.lock().lives.insert(serial, Life { born: site, ended: None, back: None });
    }

    /// It ended in the forward sweep; `for_good`: nothing brings it back.
    #[cold]
    pub fn ended(&self, serial: Serial, site: Site, for_good: bool) {
        let mut known = self.known.lock();
        if let Some(life) = known.lives.get_mut(&serial) {
            (life.ended, life.back) = (Some(site), None);
        }
        if for_good {
            known.gone.push_back(serial);
            if known.gone.len() > GONE
                && let Some(oldest) = known.gone.pop_front()
            {
                known.lives.remove(&oldest);
            }
        }
    }

    /// Its death was reversed.
    pub fn came_back(&self, serial: Serial, site: Site) {
        let mut known = self.known.lock();
        known.reversed = true;
        if let Some(life) = known.lives.get_mut(&serial) {
            life.back = Some(site);
        }
    }

    /// Its birth was reversed.
    #[cold]
    pub fn undone(&self, serial: Serial) {
        let mut known = self.known.lock();
        known.reversed = true;
        known.lives.remove(&serial);
    }

    /// A pointer variable waits that was popped there.
    #[cold]
    pub fn waits(&self, variable: u64, site: Site) {
        let mut known = self.known.lock();
        if known.pops.len() < GONE || known.pops.contains_key(&variable) {
            known.pops.insert(variable, site);
        }
    }

    /// Where the variable was popped.
    pub fn popped(&self, variable: u64) -> Option<Site> {
        self.known.lock().pops.get(&variable).copied()
    }

    /// Whether a place has had no hint yet; it has one now.
    pub fn hints(&self, site: Site) -> bool {
        self.known.lock().hints.insert(site.address())
    }

    /// Whether there was a reverse sweep.
    pub fn reversed(&self) -> bool {
        self.known.lock().reversed
    }

    /// `, born at model.c:12 (f), ended at model.c:40 (f), back since model.c:80 (f_b)`, as far as it is known.
    pub fn said(&self, serial: Serial) -> String {
        let life = self.known.lock().lives.get(&serial).copied();
        let Some(Life { born, ended, back }) = life else { return String::new() };
        let events = [("born at", Some(born)), ("ended at", ended), ("back since", back)];
        let known = events.into_iter().filter_map(|(what, site)| Some((what, site.filter(|s| *s != Site::UNKNOWN)?)));
        known.map(|(what, site)| format!(", {what} {}", site.named().said())).collect()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn lives_are_said_by_line_and_the_oldest_of_those_that_are_gone_are_forgotten() {
        let (history, here) = (History::default(), Site::caller());
        let serial = |birth| Serial::new(0, birth);
        history.born(serial(1), here);
        history.ended(serial(1), here, false);
        history.came_back(serial(1), Site::UNKNOWN);
        let line = here.named().said();
        assert_eq!(history.said(serial(1)), format!(", born at {line}, ended at {line}"));
        history.undone(serial(1));
        assert_eq!(history.said(serial(1)), "");
        for birth in 2..GONE as u64 + 3 {
            history.born(serial(birth), here);
            history.ended(serial(birth), here, true);
        }
        assert!(history.said(serial(2)).is_empty() && !history.said(serial(3)).is_empty());
    }
}
