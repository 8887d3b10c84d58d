//! What a watched tape says: of a pop that does not undo the push it meets, and of what is left at the end.

#![forbid(unsafe_code)]

use super::Watch;
use super::load::Load;
use super::recent::AROUND;
use super::records::Record;
use crate::error::{Error, Status};
use crate::site::Site;
use crate::tape::profile::Operation;
use crate::tape::types::Type;

/// So many places are said of what is left.
const LEFT: usize = 8;
/// Records that are counted by place at the end; a tape with more of them says so.
const MOST: u64 = 1 << 24;

impl Watch {
    #[cold]
    pub(super) fn mismatch(&mut self, record: Record, load: Load, site: Site) -> Error {
        let pushed_at = self.places.get(record.place).site;
        let text = format!(
            "check mode: push and pop do not match\n  pushed: {} at {pushed_at}\n  popped: {} at {site}\n  {}{}",
            self.load(record).said(),
            load.said(),
            self.remedy(record, load, site),
            self.around()
        );
        Error::new(Status::Mismatch, text)
    }

    /// What to do about a pop that meets another push than its own: what took the push until now, and whether the pop fits
    /// the push beneath.
    fn remedy(&mut self, record: Record, load: Load, site: Site) -> String {
        let mut text = "make the pop in the reverse sweep mirror the push in the forward sweep".to_owned();
        let partner = self.pairs.first_partner(record.place).map(|pop| self.places.get(pop).site);
        if let Some(partner) = partner.filter(|partner| *partner != site) {
            text += &format!("\n  until now what is pushed there was popped at {partner}");
        }
        let mut beneath = None;
        self.records.walk(|next| {
            let first = next == record && beneath.is_none();
            beneath = Some(next);
            first
        });
        let fits = |next: &Record| self.what(*next) == load.what() && (next.count == load.counted() || load.varies());
        if let Some(next) = beneath.filter(|next| *next != record && fits(next)) {
            let (missing, next) = (self.load(record).said(), self.places.get(next.place).site);
            text += &format!("\n  the pop fits the push beneath, at {next}: is a pop of {missing} missing before it?");
        }
        text
    }

    #[cold]
    pub(super) fn nothing_left(&mut self, load: Load, site: Site) -> Error {
        let (pushed, why) = match self.recent.latest().next() {
            None => (
                "nothing on this tape, ever",
                "each thread has a tape of its own, and so has each handle: pop what was pushed on the same one, or \
                 hand the tape over by adtape_release and adtape_acquire",
            ),
            Some(_) => {
                ("nothing that is not popped yet", "the reverse sweep pops more often than the forward sweep pushed")
            }
        };
        let text = format!(
            "check mode: push and pop do not match\n  pushed: {pushed}\n  popped: {} at {site}\n  {why}{}",
            load.said(),
            self.around()
        );
        Error::new(Status::Mismatch, text)
    }

    #[cold]
    pub(super) fn overwritten(&mut self, record: Record, load: Load, site: Site) -> Error {
        let pushed_at = self.places.get(record.place).site;
        let text = format!(
            "check mode: what is popped is not what was pushed\n  pushed: {} at {pushed_at}\n  popped: {} at {site}\n  \
             something wrote over it meanwhile: an array that is written beyond its end, a pointer that dangles, or \
             a change of the file that the tape spills to{}",
            load.said(),
            load.said(),
            self.around()
        );
        Error::new(Status::Mismatch, text)
    }

    fn load(&self, record: Record) -> Load {
        self.load_of(record.place, record.count)
    }

    fn load_of(&self, place: u32, count: u64) -> Load {
        let what = self.places.get(place).what;
        let ty = Type::from_code((what & 0xff) as i32).unwrap_or(Type::Bytes);
        let load = Load { ty, count };
        match ty {
            Type::Control => Load { count: u64::from(what >> 8), ..load },
            _ if load.varies() => Load { count: 1, ..load },
            _ => load,
        }
    }

    /// What was done before, what would be popped next, and where the sweeps may have slipped.
    fn around(&mut self) -> String {
        let mut text = String::new();
        let at = |watch: &Watch, load: Load, place: u32| format!("{} at {}", load.said(), watch.places.get(place).site);
        for (i, (done, place, count)) in self.recent.latest().enumerate() {
            let done = if done == Operation::Pop { "popped" } else { "pushed" };
            let head = if i == 0 { "before:" } else { "       " };
            text += &format!("\n  {head} {done} {}", at(self, self.load_of(place, count), place));
        }
        let mut below = Vec::new();
        self.records.walk(|record| {
            below.push(record);
            below.len() <= AROUND
        });
        for (i, record) in below.into_iter().skip(1).enumerate() {
            let head = if i == 0 { "next:  " } else { "       " };
            text += &format!("\n  {head} pushed {}", at(self, self.load(record), record.place));
        }
        if let Some(doubt) = self.pairs.suspicion(&self.places) {
            text += &format!("\n  look here first: {doubt}");
        }
        text
    }

    /// What is left on the tape and who pushed it, the last push first.
    pub fn left(&mut self) -> Option<String> {
        let mut groups: Vec<(u32, u64, u64)> = Vec::new();
        let mut seen = 0;
        self.records.walk(|record| {
            let count = record.count;
            match groups.iter_mut().find(|(place, ..)| *place == record.place) {
                Some((_, times, values)) => (*times, *values) = (*times + 1, *values + count),
                None => groups.push((record.place, 1, count)),
            }
            seen += 1;
            seen < MOST
        });
        let (first, _, _) = *groups.first()?;
        let mut text = String::new();
        for (place, times, values) in groups.iter().take(LEFT) {
            let load = self.load_of(*place, *values / *times);
            let head = if *place == first { "the last push without its pop:" } else { "and" };
            let often = if *times == 1 { String::new() } else { format!(", {times} times") };
            let join = if text.is_empty() { "" } else { "\n  " };
            text += &format!("{join}{head} {} at {}{often}", load.said(), self.places.get(*place).site);
        }
        if groups.len() > LEFT {
            text += &format!("\n  and from {} further places", groups.len() - LEFT);
        }
        if !self.pairs.was_reported()
            && let Some(doubt) = self.pairs.suspicion(&self.places)
        {
            text += &format!("\n  look here first: {doubt}");
        }
        Some(text)
    }
}
