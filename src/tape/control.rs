//! Branch ids as bits, loop counters as few bytes.
//!
//! A counter is written in groups of 7 bits ([`varint`]), the last byte first: pops meet the first, whose top bit says
//! that more bytes lie below it.

#![forbid(unsafe_code)]

use super::bits;
use super::branches::Branches;
use super::core::Core;
use super::cursor::Cursor;
use super::failure::located;
use super::hot::NO_BITS;
use super::types::Type;
use super::watch::Load;
use crate::error::{Error, Status};
use crate::site::Site;
use crate::varint::{self, Decoded, Decoder};

impl Cursor {
    /// Pushes the `bits` (1 to 64) low bits of `value`. In check mode a value that they do not hold is an error.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push_control(1, 1)?; // the first of two branches
    /// tape.push_control(5, 3)?; // the fifth of up to eight
    /// assert_eq!(tape.stats()?.pending_bits, 4);
    /// assert_eq!(tape.pop_control(3)?, 5);
    /// assert_eq!(tape.pop_control(1)?, 1);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[track_caller]
    pub fn push_control(&self, value: u64, bits: u32) -> Result<(), Error> {
        if bits.wrapping_sub(1) < 61 && self.bits.get() < 1 << (62 - bits) {
            self.bits.set(self.bits.get() << bits | (value & ((1 << bits) - 1)));
            return Ok(());
        }
        self.push_control_at(value, bits, Site::caller())
    }

    /// Pops the `bits` (1 to 64) bits that [`push_control`](Cursor::push_control) pushed, which has an example.
    #[inline]
    #[track_caller]
    pub fn pop_control(&self, bits: u32) -> Result<u64, Error> {
        if bits.wrapping_sub(1) < 61 && self.bits.get() as i64 >= 1 << bits {
            let value = self.bits.get() & ((1 << bits) - 1);
            self.bits.set(self.bits.get() >> bits);
            return Ok(value);
        }
        self.pop_control_at(bits, Site::caller())
    }

    /// Pushes a loop counter: 1 byte for 0 to 127, one more for every factor of 128, at most 10.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push_count(1000)?;
    /// assert_eq!(tape.stats()?.bytes, 2);
    /// assert_eq!(tape.pop_count()?, 1000);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn push_count(&self, count: i64) -> Result<(), Error> {
        self.push_count_at(count, Site::caller())
    }

    /// Pops the loop counter that [`push_count`](Cursor::push_count) pushed, which has an example.
    #[track_caller]
    pub fn pop_count(&self) -> Result<i64, Error> {
        self.pop_count_at(Site::caller())
    }

    /// Begins to listen, anew, or ends it; returns what was heard until now. Not for a tape with a local cursor.
    pub(crate) fn listen(&self, on: bool) -> Result<Branches, Error> {
        self.slow(|core| Ok(core.listen(on)))
    }

    /// In check mode what is on the tape and who pushed it, the last push first; none on a tape without anything.
    pub(crate) fn left(&self) -> Result<Option<String>, Error> {
        self.slow(|core| Ok(core.left()))
    }

    /// A push of control bits on a watched tape, where nothing else is to be done than to watch; whether it was one.
    #[inline(always)]
    pub(crate) fn push_control_quickly(&self, value: u64, bits: u32, site: Site) -> bool {
        self.begun().is_some_and(|core| core.quick_push_control(self, value, bits, site))
    }

    /// A pop of control bits on a watched tape, as [`push_control_quickly`](Cursor::push_control_quickly).
    #[inline(always)]
    pub(crate) fn pop_control_quickly(&self, bits: u32, site: Site) -> Option<u64> {
        self.begun()?.quick_pop_control(self, bits, site)
    }

    #[cold]
    pub(crate) fn push_control_at(&self, value: u64, bits: u32, site: Site) -> Result<(), Error> {
        if let Some(full) = bits::exactly_full(self.bits.get(), value, bits)
            && self.put_words([full])
        {
            self.bits.set(NO_BITS);
            return Ok(());
        }
        if let Some((full, left)) = bits::overflow(self.bits.get(), value, bits)
            && self.put_words([full])
        {
            self.bits.set(left);
            return Ok(());
        }
        self.push_control_slow(value, bits, site)
    }

    // Apart, so that a word that is filled or taken off needs no stack frame.
    #[inline(never)]
    fn push_control_slow(&self, value: u64, bits: u32, site: Site) -> Result<(), Error> {
        if self.push_control_quickly(value, bits, site) {
            return Ok(());
        }
        self.slow(|core| {
            check_width(bits)?;
            core.check_fits(value, bits)?;
            core.machine.make_room_for_bits(bits)?;
            let low = value & (u64::MAX >> (64 - bits));
            core.note_known(Load { ty: Type::Control, count: u64::from(bits) }, low, 0, site)?;
            core.hear(value, bits, site);
            core.machine.push_bits(value, bits)
        })
        .map_err(|e| located(e, "push", Type::Control, i64::from(bits as i32), site))
    }

    #[cold]
    pub(crate) fn pop_control_at(&self, bits: u32, site: Site) -> Result<u64, Error> {
        if bits.wrapping_sub(1) < 61
            && self.bits.get() == NO_BITS
            && let Some(Ok(full)) = self.top_words().map(|[full]| bits::refill(full))
        {
            self.drop_words(1);
            self.bits.set(full >> bits);
            return Ok(full & ((1 << bits) - 1));
        }
        if let Some([word]) = self.top_words()
            && let Some((value, left)) = bits::underflow(self.bits.get(), word, bits)
        {
            self.drop_words(1);
            self.bits.set(left);
            return Ok(value);
        }
        self.pop_control_slow(bits, site)
    }

    #[inline(never)]
    fn pop_control_slow(&self, bits: u32, site: Site) -> Result<u64, Error> {
        if let Some(value) = self.pop_control_quickly(bits, site) {
            return Ok(value);
        }
        self.slow(|core| {
            check_width(bits)?;
            let load = Load { ty: Type::Control, count: u64::from(bits) };
            let met = core.meet(load, site)?;
            let value = core.machine.pop_bits(bits)?;
            if let Err(error) = core.compare(met, value, load, site) {
                core.machine.push_bits(value, bits)?;
                return Err(error);
            }
            core.popped(met, load, 0, site);
            Ok(value)
        })
        .map_err(|e| located(e, "pop", Type::Control, i64::from(bits as i32), site))
    }

    pub(crate) fn push_count_at(&self, count: i64, site: Site) -> Result<(), Error> {
        let (mut bytes, length) = varint::encode(count as u64);
        bytes[..length].reverse();
        self.slow(|core| {
            core.machine.make_room(length)?;
            core.note_known(COUNT, count as u64, length, site)?;
            core.hear(count as u64, 0, site);
            core.machine.push(&bytes[..length])
        })
        .map_err(|e| located(e, "push", Type::Count, 1, site))
    }

    pub(crate) fn pop_count_at(&self, site: Site) -> Result<i64, Error> {
        self.slow(|core| pop_count(core, site)).map_err(|e| located(e, "pop", Type::Count, 1, site))
    }
}

const COUNT: Load = Load { ty: Type::Count, count: 1 };

/// Reads the counter's bytes first and takes them off only when they are one.
fn pop_count(core: &mut Core, site: Site) -> Result<i64, Error> {
    let met = core.meet(COUNT, site)?;
    core.machine.hold();
    let (mut decoder, mut length) = (Decoder::default(), 0);
    let value = loop {
        let mut byte = [0];
        if let Err(error) = core.machine.pop(&mut byte) {
            break Err(error);
        }
        length += 1;
        match decoder.take(byte[0]) {
            Decoded::Open => {}
            Decoded::Whole(value) => break core.compare(met, value, COUNT, site).map(|()| value),
            Decoded::Invalid => break Err(not_a_count()),
        }
    };
    core.machine.let_go(value.is_ok());
    if value.is_ok() {
        core.popped(met, COUNT, length, site);
    }
    value.map(|value| value as i64)
}

#[cold]
fn not_a_count() -> Error {
    Error::new(
        Status::Corrupt,
        "a counter is popped where none was pushed\n  \
         pushes and pops do not match; run with ADTAPE_CHECK=1 to see the first that does not",
    )
}

fn check_width(bits: u32) -> Result<(), Error> {
    if (1..=64).contains(&bits) {
        return Ok(());
    }
    Err(Error::new(Status::BadArgument, format!("{} is not a number of control bits\n  it is 1 to 64", bits as i32)))
}
