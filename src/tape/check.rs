//! Check mode: what was pushed, by type, count and call site, on a second tape; every pop is compared with it.
//!
//! Values lie packed and untyped on the tape, so a push of ten popped as nine goes unnoticed there. The records
//! follow every move of the tape, repeat regions and marks included, because they are on the same machine.

#![forbid(unsafe_code)]

use super::machine::Machine;
use super::types::Type;
use crate::error::{Error, Status};
use crate::site::Site;
use crate::vm::{Span, Trim};
use std::collections::HashMap;
use std::panic::Location;

/// What one push left behind.
#[derive(Clone, Copy)]
struct Record {
    /// Type in the low 8 bits, count above.
    what: u64,
    /// As [`Sites`] packs it.
    site: u64,
    /// Increases by one with every push of the tape, so that a record has its own.
    serial: u64,
}

const RECORD_BYTES: usize = 24;

impl Record {
    fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip([self.what, self.site, self.serial]) {
            chunk.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; RECORD_BYTES]) -> Record {
        let word = |i: usize| u64::from_ne_bytes(bytes[8 * i..8 * i + 8].try_into().expect("eight bytes"));
        Record { what: word(0), site: word(1), serial: word(2) }
    }
}

/// Call sites as words, which a tape can hold: an address as it is, a line of a Rust program by number.
#[derive(Default)]
struct Sites {
    lines: Vec<&'static Location<'static>>,
    /// Where in `lines` the one at an address is.
    numbers: HashMap<usize, u64>,
}

impl Sites {
    /// Above every address of a program's code.
    const LINE: u64 = 1 << 63;

    fn pack(&mut self, site: Site) -> u64 {
        match site {
            Site::Code(address) => address as u64,
            Site::Rust(line) => {
                let number = *self.numbers.entry(std::ptr::from_ref(line) as usize).or_insert_with(|| {
                    self.lines.push(line);
                    self.lines.len() as u64 - 1
                });
                Sites::LINE | number
            }
        }
    }

    fn unpack(&self, word: u64) -> Site {
        match word & Sites::LINE {
            0 => Site::Code(word as usize),
            _ => self.lines.get((word & !Sites::LINE) as usize).map_or(Site::UNKNOWN, |line| Site::Rust(line)),
        }
    }
}

/// The records of a tape.
pub(super) struct Recorder {
    machine: Machine,
    next_serial: u64,
    sites: Sites,
}

impl Recorder {
    pub fn new(span: Span) -> Recorder {
        Recorder { machine: Machine::new(span), next_serial: 1, sites: Sites::default() }
    }

    pub fn push(&mut self, ty: Type, count: u64, site: Site) -> Result<(), Error> {
        let record = Record { what: count << 8 | ty as u64, site: self.sites.pack(site), serial: self.next_serial };
        self.next_serial += 1;
        self.machine.push(&record.to_bytes())
    }

    /// Compares the last record with a pop; takes it off if they match.
    pub fn pop(&mut self, ty: Type, count: u64, site: Site) -> Result<(), Error> {
        self.expect(ty, count, site)?;
        self.forget_last();
        Ok(())
    }

    /// Compares the last record with a pop.
    pub fn expect(&mut self, ty: Type, count: u64, site: Site) -> Result<(), Error> {
        let record = match self.last()? {
            Some(record) => record,
            None => return Err(nothing_left(ty, count, site)),
        };
        if record.what != count << 8 | ty as u64 {
            return Err(mismatch(record, self.sites.unpack(record.site), ty, count, site));
        }
        Ok(())
    }

    /// Serial of the last push that is still on the tape, 0 if none.
    pub fn last_serial(&mut self) -> Result<u64, Error> {
        Ok(self.last()?.map_or(0, |record| record.serial))
    }

    /// The last push that is still on the tape, for a message.
    pub fn describe_last(&mut self) -> Option<String> {
        let record = self.last().ok()??;
        Some(format!("{} at {}", said(record.what & 0xff, record.what >> 8), self.sites.unpack(record.site)))
    }

    fn last(&mut self) -> Result<Option<Record>, Error> {
        if self.machine.len() == 0 {
            return Ok(None);
        }
        // Records never straddle: every piece of this machine holds whole ones.
        self.machine.make_contiguous(RECORD_BYTES)?;
        let bytes = self.machine.last(RECORD_BYTES);
        Ok(Some(Record::from_bytes(bytes.try_into().expect("a whole record"))))
    }

    /// Takes the last record off; there is one.
    pub fn forget_last(&mut self) {
        self.machine.retreat(RECORD_BYTES);
    }

    /// Takes off all records after the one with this serial. It must be there: otherwise what a mark points to
    /// was popped and other values were pushed since, which is an error that keeps all records.
    pub fn forget_after(&mut self, serial: u64) -> Result<(), Error> {
        self.machine.hold();
        let last = loop {
            match self.last_serial() {
                Ok(last) if last > serial => self.forget_last(),
                last => break last,
            }
        };
        self.machine.let_go(matches!(last, Ok(last) if last == serial));
        if last? == serial {
            return Ok(());
        }
        Err(Error::new(
            Status::MarkAboveTop,
            "what the mark points to was popped and other values were pushed in its place since\n  \
             take the mark again after popping below it",
        ))
    }

    pub fn start(&mut self) {
        self.machine.start();
    }

    pub fn reset(&mut self) -> Result<(), Error> {
        self.machine.reset()
    }

    pub fn end(&mut self) -> Result<(), Error> {
        self.machine.end()
    }

    pub fn trim(&mut self, how: Trim) {
        self.machine.trim(how);
    }

    pub fn lend_idle(&mut self) {
        self.machine.lend_idle(0);
    }
}

fn said(ty: u64, count: u64) -> String {
    let name = Type::from_code(ty as i32).map_or("unknown type", Type::name);
    match count {
        1 if ty == Type::Control as u64 => "one control bit".to_owned(),
        1 => format!("one {name}"),
        _ if ty == Type::Control as u64 => format!("{count} control bits"),
        _ => format!("{count} values of {name}"),
    }
}

#[cold]
fn mismatch(record: Record, pushed_at: Site, ty: Type, count: u64, site: Site) -> Error {
    Error::new(
        Status::Mismatch,
        format!(
            "check mode: push and pop do not match\n  pushed: {} at {pushed_at}\n  popped: {} at {site}\n  \
             make the pop in the reverse sweep mirror the push in the forward sweep",
            said(record.what & 0xff, record.what >> 8),
            said(ty as u64, count),
        ),
    )
}

#[cold]
fn nothing_left(ty: Type, count: u64, site: Site) -> Error {
    Error::new(
        Status::Mismatch,
        format!(
            "check mode: push and pop do not match\n  pushed: nothing that is not popped yet\n  popped: {} at {site}\n  \
             the reverse sweep pops more often than the forward sweep pushed",
            said(ty as u64, count),
        ),
    )
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn pop_of_another_count_or_type_is_a_mismatch_and_takes_nothing_off() {
        let mut recorder = Recorder::new(Span::new().unwrap());
        recorder.push(Type::F64, 10, Site::UNKNOWN).unwrap();
        for (ty, count) in
            [(Type::F64, 9), (Type::F64, 11), (Type::F64, 10 + (1 << 40)), (Type::I64, 10), (Type::F64, 1)]
        {
            let error = recorder.pop(ty, count, Site::UNKNOWN).unwrap_err();
            assert_eq!(error.status(), Status::Mismatch, "{count} of {}", ty.name());
            assert!(error.message().contains("pushed: 10 values of f64"), "{error}");
        }
        recorder.pop(Type::F64, 10, Site::UNKNOWN).unwrap();
        assert_eq!(recorder.last_serial().unwrap(), 0);
    }
}
