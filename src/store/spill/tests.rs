//! Parts against vectors, on files of the system and on some that fail.

#![forbid(unsafe_code)]

use super::desk::Desk;
use super::handle::{Handle, Shared};
use super::medium::{Medium, nameless};
use super::space::Space;
use super::{Spill, SpillFile, directory, in_directory, is_directory_set, set_directory};
use crate::error::{Error, Status};
use crate::sync::{Arc, Mutex, StaticCounter, UNORDERED};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

mod rooms;
use rooms::Pieces;

const BLOCK: usize = 4096;

/// A file in memory whose operations fail as its test says.
#[derive(Default)]
struct Fragile {
    bytes: Mutex<Vec<u8>>,
    /// Operations so far.
    count: StaticCounter,
    /// Those with these numbers fail.
    fails: Mutex<std::ops::Range<u64>>,
    /// Whether reads fail, too, or return another byte; otherwise, writes only.
    reads: Mutex<Reads>,
    /// The most that is written or read at once; 0: no bound.
    at_once: usize,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Reads {
    #[default]
    Right,
    Refused,
    Changed,
}

impl Fragile {
    fn fails(&self) -> bool {
        self.fails.lock().contains(&self.count.fetch_add(1, UNORDERED))
    }

    fn piece(&self, bytes: usize) -> usize {
        if self.at_once == 0 { bytes } else { bytes.min(self.at_once) }
    }
}

impl Medium for Fragile {
    fn allocate(&self, _: u64, _: u64) -> io::Result<()> {
        if *self.reads.lock() == Reads::Right && self.fails() { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        if *self.reads.lock() == Reads::Right && self.fails() {
            return Err(ErrorKind::StorageFull.into());
        }
        let (at, n, mut all) = (offset as usize, self.piece(bytes.len()), self.bytes.lock());
        let end = all.len().max(at + n);
        all.resize(end, 0);
        all[at..at + n].copy_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let fails = *self.reads.lock() != Reads::Right && self.fails();
        if fails && *self.reads.lock() == Reads::Refused {
            return Err(io::Error::from_raw_os_error(libc::EIO));
        }
        let (at, n) = (offset as usize, self.piece(bytes.len()));
        bytes[..n].copy_from_slice(&self.bytes.lock()[at..at + n]);
        if fails {
            bytes[n / 2] ^= 1;
        }
        Ok(n)
    }

    fn cut(&self, bytes: u64) -> io::Result<()> {
        self.bytes.lock().truncate(bytes as usize);
        Ok(())
    }
}

/// A file with `buffers` buffers of a page.
fn shared<M: Medium + 'static>(medium: M, buffers: usize, limit: u64) -> Arc<Shared<M>> {
    Arc::new(Shared::with_desk(Desk::new(Space::new(medium, limit), BLOCK, buffers * BLOCK), Path::new("/there")))
}

fn nameless_file() -> File {
    nameless(&std::env::temp_dir()).unwrap()
}

/// A part, and what it should hold.
struct Checked<M: Medium + 'static> {
    part: Handle<M>,
    model: Vec<u8>,
    random: fastrand::Rng,
}

impl<M: Medium> Checked<M> {
    fn new(shared: &Arc<Shared<M>>, seed: u64) -> Checked<M> {
        Checked { part: Handle::new(shared.clone()), model: Vec::new(), random: fastrand::Rng::with_seed(seed) }
    }

    fn write(&mut self, from: usize, bytes: usize) -> Result<(), Error> {
        let piece: Vec<u8> = (0..bytes).map(|i| (i / 3) as u8 ^ self.random.u8(..)).collect();
        self.part.write(from as u64, &piece)?;
        if bytes > 0 {
            self.model.truncate(from);
            self.model.extend(piece);
        }
        Ok(())
    }

    /// Leaves so many bytes at the end to the part, in memory, as far as it takes them, and waits until `wanted` of them are
    /// in the file.
    fn leave(&mut self, bytes: usize, wanted: usize) -> Result<usize, Error> {
        let all: Vec<u8> = (0..bytes).map(|i| (i / 3) as u8 ^ self.random.u8(..)).collect();
        let from = self.model.len() as u64;
        let mut rooms = Pieces::new(all.clone(), from, self.random.fork());
        let gone = self.part.keep(&mut rooms, bytes, wanted);
        let kept = (rooms.from - from) as usize;
        assert!(rooms.bytes == all[kept..], "what is not kept is as it was");
        self.model.extend(&all[..kept]);
        gone
    }

    /// Takes the last bytes back in their memory; whether they were there.
    fn give_back(&mut self, end: usize) -> Result<bool, Error> {
        let room = self.part.give_back(end as u64)?;
        self.model.truncate(end);
        let Some(room) = room else { return Ok(false) };
        let from = end - room.bytes().len();
        assert!(*room.bytes() == self.model[from..], "[{from}, {end})");
        room.leave();
        self.model.truncate(from);
        Ok(true)
    }

    /// Reads the last `bytes` bytes below `end`; what lies above it is not needed any more.
    fn read(&mut self, end: usize, bytes: usize) -> Result<(), Error> {
        let mut found = vec![0; bytes];
        self.part.read((end - bytes) as u64, &mut found)?;
        assert!(found == self.model[end - bytes..end], "[{}, {end})", end - bytes);
        self.model.truncate(end);
        Ok(())
    }

    /// Reads the last `bytes` bytes, or all, which are not needed any more then.
    fn take(&mut self, bytes: usize) -> Result<(), Error> {
        let len = self.model.len();
        self.read(len, bytes.min(len))?;
        self.model.truncate(len - bytes.min(len));
        Ok(())
    }

    fn take_all(&mut self) {
        while !self.model.is_empty() {
            if !self.give_back(self.model.len()).unwrap() {
                self.take(2 * BLOCK + 7).unwrap();
            }
        }
    }

    /// A step of a sweep up or down, which turns and is rewound at times.
    fn step(&mut self, up: bool) {
        let len = self.model.len();
        if up {
            let from = if self.random.u8(..8) == 0 { self.random.usize(len / 2..=len) } else { len };
            let bytes = self.random.usize(..9 * BLOCK);
            match self.random.u8(..4) {
                0 => self.write(from, bytes).unwrap(),
                _ => _ = self.leave(bytes, bytes / 2).unwrap(),
            }
        } else {
            let end = if self.random.u8(..8) == 0 { self.random.usize(len / 2..=len) } else { len };
            let bytes = self.random.usize(..9 * BLOCK).min(end);
            if self.random.u8(..4) > 0 {
                let mut end = end;
                while self.give_back(end).unwrap() {
                    end = self.model.len();
                }
                return;
            }
            if self.random.bool() {
                // As a tape does that is about to read into the memory which it has left.
                self.part.leave((end - bytes) as u64);
            }
            self.read(end, bytes).unwrap();
            if self.random.bool() {
                self.write(end - bytes, 1 + bytes / 3).unwrap();
            }
        }
    }
}

/// The thread may be at a block that was dropped meanwhile.
fn wait_until_empty<M: Medium + 'static>(shared: &Shared<M>) {
    let begin = Instant::now();
    while !shared.desk().space().is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(60), "some places were not given back");
        std::thread::yield_now();
    }
}

/// A tape that had nothing left itself said that others' blocks, which were read ahead, could give way, and none did: whoever
/// was short of memory tried it for ever.
#[test]
fn blocks_that_were_read_ahead_give_way() {
    let shared = shared(nameless_file(), 8, u64::MAX);
    let [mut full, mut empty] = [(); 2].map(|()| Handle::new(shared.clone()));
    let model: Vec<u8> = (0..6 * BLOCK).map(|i| (i / 7) as u8).collect();
    let random = fastrand::Rng::with_seed(3);
    let mut pieces = Pieces::new(model.clone(), 0, random.clone());
    assert_eq!(full.keep(&mut pieces, model.len(), model.len()).unwrap(), model.len());
    let mut last = vec![0; BLOCK];
    let begin = Instant::now();
    while full.held() == 0 {
        full.read(5 * BLOCK as u64, &mut last).unwrap();
        std::thread::yield_now();
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing is read ahead");
    }
    assert_eq!(last, model[5 * BLOCK..]);
    let (nothing, mut gone) = (&mut Pieces::new(Vec::new(), 0, random), 0);
    while full.held() > 0 {
        gone += empty.keep(nothing, 0, 1).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing gives way");
    }
    assert!(gone > 0 && gone.is_multiple_of(BLOCK), "{gone}");
    let mut all = vec![0; model.len()];
    full.read(0, &mut all).unwrap();
    assert_eq!(all, model);
}

/// Sweeps that turn at any moment, of several threads over one file, with no buffer, with few and with enough.
#[test]
fn what_goes_to_a_file_comes_back_whole_and_in_part() {
    for (seed, buffers) in [(1, 0), (2, 1), (3, 3), (4, 200)] {
        let shared = shared(nameless_file(), buffers, u64::MAX);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let mut checked = Checked::new(&shared, 10 * seed + thread);
                scope.spawn(move || {
                    for round in 0..300 {
                        checked.step(round % 60 < 35);
                    }
                    checked.take_all();
                });
            }
        });
        wait_until_empty(&shared);
    }
}

#[test]
fn file_takes_the_room_of_what_is_in_it_and_no_more() {
    let shared = shared(nameless_file(), 4, u64::MAX);
    let mut parts = [1, 2, 3].map(|seed| Checked::new(&shared, seed));
    for _ in 0..5 {
        for checked in &mut parts {
            checked.write(0, 100 * BLOCK).unwrap();
        }
    }
    parts.iter_mut().for_each(|checked| checked.read(100 * BLOCK, 100 * BLOCK).unwrap());
    let file = shared.desk().space().medium();
    assert!(shared.desk().space().used() <= 300 * BLOCK as u64);
    let most = 16 << 20; // what is taken at once
    assert!(file.metadata().unwrap().blocks() * 512 <= most, "{} blocks", file.metadata().unwrap().blocks());
    drop(parts);
    wait_until_empty(&shared);
    assert_eq!((file.metadata().unwrap().len(), file.metadata().unwrap().blocks()), (0, 0));
}

/// Whichever write of blocks fails once, it is an error of a write that is tried again, or of none.
#[test]
fn full_disk_is_an_error_of_the_write_that_needs_a_buffer_and_loses_nothing() {
    for (at, buffers) in (0..30).flat_map(|at| [(at, 0), (at, 2), (at, 5)]) {
        let medium = Fragile { fails: Mutex::new(at..at + 1), at_once: 1000, ..Fragile::default() };
        let mut checked = Checked::new(&shared(medium, buffers, u64::MAX), at);
        let mut errors = 0;
        while checked.model.len() < 15 * BLOCK {
            match checked.write(checked.model.len(), 3 * BLOCK / 2) {
                Ok(()) => {}
                Err(error) => {
                    errors += 1;
                    assert!(error.status() == Status::Io && error.message().contains("the disk is full"), "{error}");
                    assert!(error.message().contains("/there"), "{error}");
                }
            }
        }
        assert!(errors <= 1);
        checked.take_all();
    }
}

#[test]
fn disk_that_stays_full_ends_the_writes_and_what_was_accepted_comes_back() {
    for (at, buffers) in (0..20).flat_map(|at| [(at, 0), (at, 1), (at, 6)]) {
        let medium = Fragile { fails: Mutex::new(at..u64::MAX), ..Fragile::default() };
        let shared = shared(medium, buffers, u64::MAX);
        let [mut first, mut second] = [1, 2].map(|seed| Checked::new(&shared, seed));
        let mut accepted = 0;
        while first.write(first.model.len(), BLOCK).is_ok() {
            accepted += 1;
            assert!(accepted <= at as usize + buffers + 1);
        }
        // No buffer is left to the other one, either, until pops leave some.
        assert!(second.write(0, (buffers + 1) * BLOCK).is_err());
        assert_eq!(second.model.len(), 0);
        if buffers > 0 && accepted > 1 {
            first.read(first.model.len() - BLOCK, BLOCK).unwrap();
        }
        *shared.desk().space().medium().fails.lock() = 0..0;
        second.write(0, 3 * BLOCK).unwrap();
        second.read(3 * BLOCK, 3 * BLOCK).unwrap();
        first.take_all();
    }
}

#[test]
fn disk_that_stays_full_leaves_memory_to_its_tape() {
    for (at, blocks) in (0..20).flat_map(|at| [(at, 0), (at, 1), (at, 6)]) {
        let medium = Fragile { fails: Mutex::new(at..u64::MAX), ..Fragile::default() };
        let shared = shared(medium, blocks, u64::MAX);
        let mut checked = Checked::new(&shared, at);
        let error = loop {
            match checked.leave(3 * BLOCK, BLOCK) {
                Ok(gone) => assert!(gone >= BLOCK && checked.model.len() <= (at as usize + blocks + 1) * BLOCK),
                Err(error) => break error,
            }
        };
        assert!(error.message().contains("the disk is full"), "{error}");
        assert!(checked.part.held() <= blocks * BLOCK);
        checked.take_all();
        assert_eq!(checked.part.held(), 0);
    }
}

/// Whether it is met ahead of the pops or by one, the error is of the pop that needs the block, and of that alone.
#[test]
fn block_that_cannot_be_read_or_was_changed_is_an_error_of_its_own_pop() {
    for (how, status) in [(Reads::Refused, Status::Io), (Reads::Changed, Status::Damaged)] {
        for (at, buffers) in (0..12).flat_map(|at| [(at, 0), (at, 8)]) {
            let shared = shared(Fragile { at_once: 3000, ..Fragile::default() }, buffers, u64::MAX);
            let mut checked = Checked::new(&shared, at);
            checked.write(0, 20 * BLOCK).unwrap();
            let other = Checked::new(&shared, 99);
            let medium = shared.desk().space().medium();
            *medium.reads.lock() = how;
            // All that is read from there on fails.
            *medium.fails.lock() = medium.count.load(UNORDERED) + at..u64::MAX;
            let error = loop {
                match checked.take(BLOCK) {
                    Ok(()) if checked.model.is_empty() => break None, // it was all in buffers
                    Ok(()) => {}
                    Err(error) => break Some(error),
                }
            };
            if buffers == 0 {
                assert!(error.is_some());
            }
            if let Some(error) = error {
                let from = checked.model.len() - BLOCK;
                assert_eq!(error.status(), status, "{error}");
                for part in [&format!("from byte {from} on"), "at byte", "of a file in /there", "oldest part of a tape"]
                {
                    let told = error.message().replace("of the file", "of a file in /there");
                    assert!(told.contains(part), "{error}");
                }
                // The file is well again: nothing was lost.
                *medium.fails.lock() = 0..0;
                checked.take_all();
            }
            drop(other);
        }
    }
}

/// Eight bytes that another process had written through the descriptor came back as values.
#[test]
fn bytes_that_were_changed_in_the_file_do_not_come_back() {
    let shared = shared(nameless_file(), 0, u64::MAX);
    let mut checked = Checked::new(&shared, 1);
    checked.write(0, 3 * BLOCK).unwrap();
    shared.desk().space().medium().write_all_at(&[1; 8], BLOCK as u64 + 500).unwrap();
    checked.read(3 * BLOCK, BLOCK).unwrap();
    for (end, bytes) in [(2 * BLOCK, BLOCK), (2 * BLOCK, 10), (BLOCK + 100, 50), (BLOCK + 100, 300)] {
        assert_eq!(checked.read(end, bytes).unwrap_err().status(), Status::Damaged, "the {bytes} below {end}");
        checked.model.resize(3 * BLOCK, 0);
    }
    checked.model.truncate(BLOCK);
    checked.read(BLOCK, BLOCK).unwrap();
    shared.desk().space().medium().set_len(100).unwrap();
    assert_eq!(checked.read(BLOCK, BLOCK).unwrap_err().status(), Status::Io);
}

#[test]
fn limit_on_the_disk_holds_and_says_so() {
    let shared = shared(nameless_file(), 0, 5 * BLOCK as u64);
    let [mut first, mut second] = [1, 2].map(|seed| Checked::new(&shared, seed));
    first.write(0, 3 * BLOCK).unwrap();
    second.write(0, 2 * BLOCK).unwrap();
    let error = second.write(2 * BLOCK, 1).unwrap_err();
    assert!(error.message().contains("ADTAPE_DISK_LIMIT") && error.message().contains("20.00 KiB"), "{error}");
    drop(first);
    second.write(2 * BLOCK, 3 * BLOCK).unwrap();
    second.read(5 * BLOCK, 5 * BLOCK).unwrap();
}

#[test]
fn file_is_the_process_s_that_made_it() {
    let mut shared = shared(nameless_file(), 0, u64::MAX);
    Handle::new(shared.clone()).write(0, &[1; 100]).unwrap();
    let file = Arc::get_mut(&mut shared).expect("nobody else has it");
    file.process += 1;
    let process = file.process;
    let mut part = Handle::new(shared);
    for result in [part.read(0, &mut [0; 100]), part.write(100, &[2; 100])] {
        let error = result.unwrap_err();
        assert_eq!(error.status(), Status::Io);
        assert!(error.message().contains(&format!("process {process}")), "{error}");
    }
}

#[test]
fn never_written_bytes_are_refused() {
    let mut checked = Checked::new(&shared(nameless_file(), 2, u64::MAX), 1);
    checked.write(0, 100).unwrap();
    assert_eq!(checked.part.read(50, &mut [0; 51]).unwrap_err().status(), Status::BadArgument);
    assert_eq!(checked.part.write(101, &[0]).unwrap_err().status(), Status::BadArgument);
    checked.write(40, 10).unwrap();
    assert_eq!(checked.part.read(50, &mut [0; 1]).unwrap_err().status(), Status::BadArgument, "not written since");
    checked.read(50, 50).unwrap();
}

fn own_directory(test: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("adtape-spill-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

#[test]
fn file_has_no_name_and_is_one_for_a_directory() {
    let directory = own_directory("name");
    let mut part = SpillFile::new(&directory).unwrap();
    part.write(0, &[1; 8192]).unwrap();
    let file = directory::file_in(&directory).unwrap();
    let other = SpillFile::new(&directory).unwrap();
    assert!(Arc::ptr_eq(&file, &directory::file_in(&directory).unwrap()));
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
    std::fs::remove_dir(&directory).unwrap();
    drop((file, other, part));
    let error = SpillFile::new(&directory).err().unwrap();
    assert_eq!(error.status(), Status::Io);
    assert!(error.message().contains("adtape-spill-name"), "{error}");
}

#[test]
fn directory_is_the_program_s_or_else_the_environment_s() {
    let said = &crate::settings::settings().unwrap().spill_directory;
    let of_environment = matches!(said, crate::settings::Directory::Is(_));
    assert_eq!(is_directory_set(false), of_environment);
    set_directory(Some(&std::env::temp_dir())).unwrap();
    assert!(is_directory_set(false) && in_directory().unwrap().is_some());
    set_directory(None).unwrap();
    assert_eq!(is_directory_set(false), of_environment);
}
