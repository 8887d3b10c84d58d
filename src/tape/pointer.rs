//! Pointers, pairs, ranges and descriptors on the tape, in words of 8 bytes: what they mean is the registry's business.

#![forbid(unsafe_code)]

use super::core::Core;
use super::cursor::Cursor;
use super::failure::located;
use super::types::Type;
use super::watch::{Load, Watch};
use crate::error::Error;
use crate::map::registry::{LONG, Record};
use crate::site::Site;

const WORD: usize = size_of::<u64>();

impl Cursor {
    /// Pushes a record of a pointer or pair: one word, or three, of which the last says so.
    pub(crate) fn push_record(&self, ty: Type, record: Record, site: Site) -> Result<(), Error> {
        match record {
            Record::Short(word) => self.push_words(ty, [word], site),
            Record::Long([low, high]) => self.push_words(ty, [low, high, LONG], site),
        }
    }

    /// Pushes words that are popped together.
    pub(crate) fn push_words<const N: usize>(&self, ty: Type, words: [u64; N], site: Site) -> Result<(), Error> {
        if self.put_words(words) {
            return Ok(());
        }
        self.push_list(ty, &words, site)
    }

    /// Pushes words that are popped together, of which the last says how many there are.
    pub(crate) fn push_list(&self, ty: Type, words: &[u64], site: Site) -> Result<(), Error> {
        let bytes = words.len() * WORD;
        self.slow(|core| {
            core.machine.make_room(bytes)?;
            let sum = words.iter().rev().fold(0, |sum, word| Watch::add(sum, *word));
            core.note_known(Load { ty, count: 1 }, sum, bytes, site)?;
            words.iter().try_for_each(|word| core.machine.push(&word.to_ne_bytes()))
        })
        .map_err(|e| located(e, "push", ty, 1, site))
    }

    /// Pops what [`push_list`](Cursor::push_list) pushed: `length` tells by the last word how many there are, and
    /// `read` gets all of them. If one of them refuses, they stay on the tape.
    pub(crate) fn pop_list<R>(
        &self,
        ty: Type,
        site: Site,
        length: impl FnOnce(u64) -> Result<usize, Error>,
        read: impl FnOnce(&[u64]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.read_list(ty, site, false, length, read)
    }

    /// What [`pop_list`](Cursor::pop_list) would return; the words stay on the tape.
    pub(crate) fn peek_list<R>(
        &self,
        ty: Type,
        site: Site,
        length: impl FnOnce(u64) -> Result<usize, Error>,
        read: impl FnOnce(&[u64]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.read_list(ty, site, true, length, read)
    }

    fn read_list<R>(
        &self,
        ty: Type,
        site: Site,
        stays: bool,
        length: impl FnOnce(u64) -> Result<usize, Error>,
        read: impl FnOnce(&[u64]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.pop_bytes(ty, site, |core| {
            let last = pop_word(core)?;
            let mut words = vec![last; length(last)?];
            for word in words.iter_mut().rev().skip(1) {
                *word = pop_word(core)?;
            }
            let gone = if stays { 0 } else { words.len() * WORD };
            Ok((read(&words)?, gone))
        })
    }

    /// Pops what [`push_record`](Cursor::push_record) pushed. If `read` refuses it, it stays on the tape.
    pub(crate) fn pop_record<R>(
        &self,
        ty: Type,
        site: Site,
        read: impl FnOnce(Record) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match self.top_words() {
            Some([word]) if word & 3 != LONG => {
                read(Record::Short(word)).inspect(|_| self.drop_words(1)).map_err(|e| located(e, "pop", ty, 1, site))
            }
            _ => self.pop_bytes(ty, site, |core| {
                let (record, words) = match pop_word(core)? {
                    LONG => {
                        let high = pop_word(core)?;
                        (Record::Long([pop_word(core)?, high]), 3)
                    }
                    word => (Record::Short(word), 1),
                };
                Ok((read(record)?, words * WORD))
            }),
        }
    }

    /// Pops what [`push_words`](Cursor::push_words) pushed. If `read` refuses it, it stays on the tape.
    pub(crate) fn pop_words<const N: usize, R>(
        &self,
        ty: Type,
        site: Site,
        read: impl FnOnce([u64; N]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if let Some(words) = self.top_words() {
            return read(words).inspect(|_| self.drop_words(N)).map_err(|e| located(e, "pop", ty, 1, site));
        }
        self.pop_bytes(ty, site, |core| {
            let mut words = [0; N];
            for word in words.iter_mut().rev() {
                *word = pop_word(core)?;
            }
            Ok((read(words)?, N * WORD))
        })
    }

    /// Runs `pop`, which pops words and says how many bytes of them are gone for good. If it says none, or fails, they
    /// are on the tape again.
    fn pop_bytes<R>(
        &self,
        ty: Type,
        site: Site,
        pop: impl FnOnce(&mut Core) -> Result<(R, usize), Error>,
    ) -> Result<R, Error> {
        let popped = self.slow(|core| {
            let load = Load { ty, count: 1 };
            let met = core.meet(load, site)?;
            core.machine.hold();
            core.words = 0;
            let popped = pop(core).and_then(|popped| {
                core.compare(met, core.words, load, site)?;
                Ok(popped)
            });
            let gone = popped.as_ref().map_or(0, |(_, bytes)| *bytes);
            core.machine.let_go(gone > 0);
            if gone > 0 {
                core.popped(met, load, gone, site);
            }
            popped.map(|(result, _)| result)
        });
        popped.map_err(|e| located(e, "pop", ty, 1, site))
    }
}

fn pop_word(core: &mut Core) -> Result<u64, Error> {
    let mut bytes = [0; WORD];
    core.machine.pop(&mut bytes)?;
    let word = u64::from_ne_bytes(bytes);
    core.words = Watch::add(core.words, word);
    Ok(word)
}
