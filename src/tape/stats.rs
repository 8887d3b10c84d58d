//! What a tape did, as programs ask for it: bytes now and at most, always; traffic in profile mode; a report.

#![forbid(unsafe_code)]

use super::bits;
use super::cursor::Cursor;
use super::profile::{Operation, Traffic};
use super::types::Type;
use crate::error::Error;
use std::fmt;

/// Sizes of a tape, in bytes where not said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Stats {
    /// On the tape now; control bits that do not yet fill a word not included.
    pub bytes: u64,
    /// The most that was in use at once, repeat regions included. Never less than the truth, and at most 4096
    /// bytes or 1/64 more, whichever is larger. Exact in check mode, and in profile mode for a million pushes.
    pub peak_bytes: u64,
    /// Control bits that do not yet fill a word, 0 to 61.
    pub pending_bits: u64,
    /// Memory, what is in the spill store not included.
    pub committed_bytes: u64,
    /// Address space.
    pub reserved_bytes: u64,
    /// Active repeat regions.
    pub repeat_depth: u64,
    /// How often the tape outgrew its address space and moved.
    pub moves: u64,
    /// How often an operation took the slow path.
    pub slow_calls: u64,
    /// In the spill store instead of in memory.
    pub spilled_bytes: u64,
}

impl Cursor {
    /// Whether neither values nor control bits are on the tape.
    pub fn is_empty(&self) -> Result<bool, Error> {
        self.stats().map(|stats| stats.bytes == 0 && stats.pending_bits == 0)
    }

    /// Sizes now and at most.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push_slice(&[0_i32; 100])?;
    /// tape.push_control(1, 1)?;
    /// let stats = tape.stats()?;
    /// assert_eq!((stats.bytes, stats.pending_bits), (400, 1));
    /// assert!(stats.peak_bytes >= 400);
    /// # Ok(())
    /// # }
    /// ```
    pub fn stats(&self) -> Result<Stats, Error> {
        self.slow(|core| {
            let machine = &mut core.machine;
            let span = machine.span();
            Ok(Stats {
                committed_bytes: span.resident_bytes() as u64,
                reserved_bytes: span.reserved() as u64,
                moves: span.moves(),
                spilled_bytes: span.discarded() as u64,
                bytes: machine.len() as u64,
                peak_bytes: machine.peak() as u64,
                pending_bits: u64::from(bits::len(machine.bits())),
                repeat_depth: machine.depth() as u64,
                slow_calls: core.slow_calls,
            })
        })
    }

    /// [`bytes`](Stats::bytes) and [`peak_bytes`](Stats::peak_bytes) where the tape's state is left where it is; and whether
    /// each operation takes the slow path.
    pub(crate) fn sizes_as_they_are(&self) -> ((u64, u64), bool) {
        self.begun().map_or(((0, 0), false), |core| core.sizes_as_they_are(self))
    }

    /// Turns profile mode on (with all counts at zero, if it was off) or off (the counts are lost). Example:
    /// [`traffic`](Cursor::traffic).
    pub fn set_profile(&self, on: bool) -> Result<(), Error> {
        self.slow(|core| {
            core.set_profile(on);
            Ok(())
        })
    }

    /// Traffic of one type, or of all; zero outside profile mode.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.set_profile(true)?;
    /// tape.push_slice(&[0.0_f64; 10])?;
    /// tape.push(1.0_f64)?;
    /// let traffic = tape.traffic(Some(Type::F64), Operation::Push)?;
    /// assert_eq!((traffic.calls, traffic.elements, traffic.bytes), (2, 11, 88));
    /// assert_eq!(tape.traffic(None, Operation::Pop)?, Traffic::default());
    /// # Ok(())
    /// # }
    /// ```
    pub fn traffic(&self, ty: Option<Type>, operation: Operation) -> Result<Traffic, Error> {
        self.slow(|core| Ok(core.profile.as_ref().map_or_else(Traffic::default, |p| p.traffic(ty, operation))))
    }

    /// Sets all traffic and the count of slow calls to zero, and the peak to what is on the tape now.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push_slice(&[0_u8; 100_000])?;
    /// tape.pop_slice(&mut [0_u8; 100_000])?;
    /// tape.reset_stats()?;
    /// assert_eq!(tape.stats()?.peak_bytes, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reset_stats(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.forget_peak();
            core.slow_calls = 0;
            if let Some(profile) = &mut core.profile {
                **profile = Default::default();
            }
            Ok(())
        })
    }

    /// A report for people: the sizes and, in profile mode, a table of the traffic.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push(1.0_f64)?;
    /// let report = tape.report()?;
    /// assert!(report.starts_with("adtape: tape holds 8 bytes"), "{report}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn report(&self) -> Result<String, Error> {
        let stats = self.stats()?;
        let mut text = stats.to_string();
        let rows =
            Type::ALL.map(|ty| (ty, self.traffic(Some(ty), Operation::Push), self.traffic(Some(ty), Operation::Pop)));
        let mut head = true;
        for (ty, push, pop) in rows {
            let (push, pop) = (push?, pop?);
            if push.calls + pop.calls == 0 {
                continue;
            }
            if std::mem::take(&mut head) {
                text += &format!(
                    "  {:<12} {:>13} {:>15} {:>17} {:>13} {:>15} {:>17}\n",
                    "type", "pushes", "elements", "bytes", "pops", "elements", "bytes"
                );
            }
            text += &format!(
                "  {:<12} {:>13} {:>15} {:>17} {:>13} {:>15} {:>17}\n",
                ty.name(),
                push.calls,
                push.elements,
                push.bytes,
                pop.calls,
                pop.elements,
                pop.bytes
            );
        }
        Ok(text)
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::error::bytes;
        writeln!(f, "adtape: tape holds {}, peak {}", bytes(self.bytes), bytes(self.peak_bytes))?;
        writeln!(f, "  memory {}, address space {}", bytes(self.committed_bytes), bytes(self.reserved_bytes))?;
        if self.spilled_bytes > 0 {
            writeln!(f, "  spilled {}", bytes(self.spilled_bytes))?;
        }
        writeln!(
            f,
            "  {} pending control bits, {} repeat regions, {} slow-path calls, {} moves",
            self.pending_bits, self.repeat_depth, self.slow_calls, self.moves
        )
    }
}
