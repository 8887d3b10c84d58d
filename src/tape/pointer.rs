//! Pointers, pairs, ranges and descriptors on the tape, in words of 8 bytes: what they mean is the registry's business.

#![forbid(unsafe_code)]

use super::core::{Core, located};
use super::cursor::Cursor;
use super::stats::Operation;
use super::types::Type;
use crate::error::Error;
use crate::map::registry::{LONG, Record};
use crate::site::Site;

const WORD: usize = size_of::<u64>();

impl Cursor {
    /// Pushes a record of a pointer or pair: one word, or three, of which the last says so.
    pub(crate) fn push_record(&self, ty: Type, record: Record, site: Site) -> Result<(), Error> {
        match record {
            Record::Short(word) if self.push_word(word) => Ok(()),
            Record::Short(word) => self.push_words(ty, [word], site),
            Record::Long([low, high]) => self.push_words(ty, [low, high, LONG], site),
        }
    }

    /// Pushes words that are popped together.
    pub(crate) fn push_words<const N: usize>(&self, ty: Type, words: [u64; N], site: Site) -> Result<(), Error> {
        self.push_list(ty, &words, site)
    }

    /// Pushes words that are popped together, of which the last says how many there are.
    pub(crate) fn push_list(&self, ty: Type, words: &[u64], site: Site) -> Result<(), Error> {
        let bytes = words.len() * WORD;
        self.slow(|core| {
            core.machine.make_room(bytes)?;
            core.note(Operation::Push, ty, 1, bytes, site)?;
            words.iter().try_for_each(|word| core.machine.push(&word.to_ne_bytes()))
        })
        .map_err(|e| located(e, "push", ty, 1, site))
    }

    /// Pops what [`push_list`](Cursor::push_list) pushed: `length` tells by the last word how many there are, and `read`
    /// gets all of them. If one of them refuses, they stay on the tape.
    pub(crate) fn pop_list<R>(
        &self,
        ty: Type,
        site: Site,
        length: impl FnOnce(u64) -> Result<usize, Error>,
        read: impl FnOnce(&[u64]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let popped = self.slow(|core| {
            pop(core, ty, site, |core| {
                let words = pop_list(core, length)?;
                Ok((read(&words)?, words.len() * WORD))
            })
        });
        popped.map_err(|e| located(e, "pop", ty, 1, site))
    }

    /// What [`pop_list`](Cursor::pop_list) would return; the words stay on the tape.
    pub(crate) fn peek_list<R>(
        &self,
        ty: Type,
        site: Site,
        length: impl FnOnce(u64) -> Result<usize, Error>,
        read: impl FnOnce(&[u64]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let seen = self.slow(|core| {
            if let Some(recorder) = &mut core.recorder {
                recorder.expect(ty, 1, site)?;
            }
            let start = core.machine.position();
            let words = pop_list(core, length);
            core.machine.restore(start);
            read(&words?)
        });
        seen.map_err(|e| located(e, "pop", ty, 1, site))
    }

    /// Pops what [`push_record`](Cursor::push_record) pushed. If `read` refuses it, it stays on the tape.
    pub(crate) fn pop_record<R>(
        &self,
        ty: Type,
        site: Site,
        read: impl FnOnce(Record) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let popped = match self.top_word() {
            Some(word) if word & 3 != LONG => read(Record::Short(word)).inspect(|_| self.drop_word()),
            _ => self.slow(|core| {
                pop(core, ty, site, |core| {
                    let record = match pop_word(core)? {
                        LONG => {
                            let high = pop_word(core)?;
                            (Record::Long([pop_word(core)?, high]), 3)
                        }
                        word => (Record::Short(word), 1),
                    };
                    Ok((read(record.0)?, record.1 * WORD))
                })
            }),
        };
        popped.map_err(|e| located(e, "pop", ty, 1, site))
    }

    /// Pops what [`push_words`](Cursor::push_words) pushed. If `read` refuses it, it stays on the tape.
    pub(crate) fn pop_words<const N: usize, R>(
        &self,
        ty: Type,
        site: Site,
        read: impl FnOnce([u64; N]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let popped = self.slow(|core| {
            pop(core, ty, site, |core| {
                let mut words = [0; N];
                for word in words.iter_mut().rev() {
                    *word = pop_word(core)?;
                }
                Ok((read(words)?, N * WORD))
            })
        });
        popped.map_err(|e| located(e, "pop", ty, 1, site))
    }
}

fn pop_word(core: &mut Core) -> Result<u64, Error> {
    let mut bytes = [0; WORD];
    core.machine.pop(&mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

/// The words of a list, in the order they were pushed.
fn pop_list(core: &mut Core, length: impl FnOnce(u64) -> Result<usize, Error>) -> Result<Vec<u64>, Error> {
    let last = pop_word(core)?;
    let mut words = vec![last; length(last)?];
    for word in words.iter_mut().rev().skip(1) {
        *word = pop_word(core)?;
    }
    Ok(words)
}

/// Runs `take`, which pops bytes and says how many; if it fails, they are on the tape again.
fn pop<R>(
    core: &mut Core,
    ty: Type,
    site: Site,
    take: impl FnOnce(&mut Core) -> Result<(R, usize), Error>,
) -> Result<R, Error> {
    if let Some(recorder) = &mut core.recorder {
        recorder.expect(ty, 1, site)?;
    }
    let start = core.machine.position();
    match take(core) {
        Ok((result, bytes)) => {
            if let Some(recorder) = &mut core.recorder {
                recorder.forget_last();
            }
            core.count(Operation::Pop, ty, 1, bytes);
            Ok(result)
        }
        Err(error) => {
            core.machine.restore(start);
            Err(error)
        }
    }
}
