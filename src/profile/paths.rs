//! Call paths of pushes: one every so many bytes, and never for more than a hundredth of the time.

#![forbid(unsafe_code)]

use crate::site::{Site, each_caller};
use crate::sync::{StaticCounter, UNORDERED};
use std::collections::HashMap;

/// Bytes between two call paths of a lane, at first; the distance doubles with every [`AT_A_STEP`] of them.
pub(super) const FIRST_STEP: u64 = 4 << 10;
pub(super) const AT_A_STEP: u64 = 256;
/// Innermost calls that are kept of a path, and paths of the process; further ones are known by their last call.
const DEEPEST: usize = 64;
const MOST: usize = 4096;
/// Nanoseconds that paths may take, beside a hundredth of the time.
pub(super) const FREE: u64 = 2_000_000;

/// Where the process pushed: the innermost call first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Path {
    /// Its address.
    pub site: usize,
    /// Return addresses of the calls around.
    pub callers: Vec<usize>,
}

/// Bytes by path.
#[derive(Default)]
pub(super) struct Paths {
    bytes: HashMap<Path, (Site, u64)>,
    pub taken: u64,
}

impl Paths {
    pub fn add(&mut self, site: Site, callers: Vec<usize>, weight: u64) {
        self.taken += 1;
        let mut path = Path { site: site.address(), callers };
        if self.bytes.len() >= MOST && !self.bytes.contains_key(&path) {
            path.callers = Vec::new();
        }
        self.bytes.entry(path).or_insert((site, 0)).1 += weight;
    }

    /// Paths with their sites and bytes.
    pub fn all(&self) -> impl Iterator<Item = (Site, &[usize], u64)> {
        self.bytes.iter().map(|(path, (site, bytes))| (*site, &path.callers[..], *bytes))
    }
}

/// Between a half and one and a half of a step, so that no loop keeps time with it.
pub(super) fn jitter(step: u64) -> u64 {
    static STATE: StaticCounter = StaticCounter::new(1);
    let random = crate::hash::mix(STATE.fetch_add(1, UNORDERED));
    step / 2 + random % step.max(1)
}

/// The return addresses around the call at a site, the innermost first. Around a line of a Rust program all of them, those
/// of this library included.
pub(super) fn callers(site: Site) -> Vec<usize> {
    let mut all = Vec::with_capacity(DEEPEST);
    let mut inside = matches!(site, Site::Code(_));
    each_caller(|address| {
        if inside {
            inside = address != site.address();
        } else {
            all.push(address);
        }
        all.len() < DEEPEST
    });
    all
}
