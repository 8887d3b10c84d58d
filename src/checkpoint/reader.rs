//! Reading a checkpoint, section by section, and looking at it.

use super::format::{self, HEAD, SECTION_HEAD, SectionInfo, SectionKind, padded};
use super::writer::in_checkpoint;
use crate::error::{Error, Status};
use crate::store::{EntryReader, Store};
use crate::tape::cursor::section::bytes_of_mut;
use crate::tape::{Scalar, Section, Type};

/// Runs of a section that are shorter than this are read together.
const SHORT_RUN: usize = 4096;
/// Up to so many bytes.
const SCATTER: usize = 64 << 10;

/// A checkpoint that is being read. Example: [`CheckpointWriter`](super::CheckpointWriter).
///
/// Sections are read in the order in which they were written; [`find`](CheckpointReader::find) goes to another one. A
/// call that fails because the section is another one than was asked for changes nothing. After one that fails
/// otherwise, what it should have read into is undefined.
pub struct CheckpointReader {
    entry: Box<dyn EntryReader>,
    name: String,
    /// Where the next section, or the end, begins.
    at: u64,
    /// Sections before it.
    passed: u64,
    /// The head of the next section.
    head: Vec<u8>,
    /// Bytes of that head; 0 if it was not read yet.
    head_bytes: usize,
    scattered: Vec<u8>,
}

impl CheckpointReader {
    /// Opens a checkpoint. It can be read to its end even if it is removed or replaced meanwhile.
    pub fn open(store: &dyn Store, name: &str) -> Result<CheckpointReader, Error> {
        let entry = store.open(name)?;
        let mut reader = CheckpointReader {
            entry,
            name: name.to_owned(),
            at: 0,
            passed: 0,
            head: vec![0; 256],
            head_bytes: 0,
            scattered: Vec::new(),
        };
        let mut head = [0; HEAD];
        let read = reader.entry.read_at(0, &mut head).and_then(|()| format::check_head(&head));
        read.map_err(|error| reader.located(error))?;
        reader.at = HEAD as u64;
        Ok(reader)
    }

    /// Reads a section into values; it must be the next one.
    #[inline]
    pub fn read<T: Scalar>(&mut self, section: &str, values: &mut [T]) -> Result<(), Error> {
        self.read_bytes(section, T::TYPE, bytes_of_mut(values))
    }

    /// Reads a section into the bytes of values of a type; it must be the next one.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let store = MemoryStore::new();
    /// let mut checkpoint = CheckpointWriter::create(&store, "a")?;
    /// checkpoint.write("pressure", &[1.0_f64; 10])?;
    /// checkpoint.commit()?;
    /// let mut checkpoint = CheckpointReader::open(&store, "a")?;
    /// let wrong = checkpoint.read("pressure", &mut [0.0_f64; 9]).unwrap_err();
    /// assert_eq!(wrong.status(), Status::Mismatch);
    /// assert!(wrong.message().contains("10 values of f64") && wrong.message().contains("9 values of f64"));
    /// checkpoint.read_bytes("pressure", Type::F64, &mut [0; 80])?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_bytes(&mut self, section: &str, ty: Type, bytes: &mut [u8]) -> Result<(), Error> {
        let head = self.next_head()?;
        // All that differs must be said; that nothing does must be seen quickly.
        let same = head.is_some_and(|head| head.holds(section, ty, bytes.len()));
        if !same {
            return Err(self.mismatch(section, ty, bytes.len() as u64 / ty.bytes() as u64, &[]));
        }
        self.read_values(0, bytes)?;
        self.pass(bytes.len());
        Ok(())
    }

    /// Reads a section into a section of an array; it must be the next one.
    pub fn read_section(&mut self, section: &str, into: &Section) -> Result<(), Error> {
        let info = self.peek()?;
        let wanted = into.bounds(&[]);
        let extents = |bounds: &[(i64, i64)]| bounds.iter().map(|(_, extent)| *extent).collect::<Vec<_>>();
        let same = info.as_ref().is_some_and(|info| {
            info.name == section
                && info.ty == into.ty()
                && info.allocated
                && info.count == into.count() as u64
                && (info.bounds.len() < 2 || wanted.len() < 2 || extents(&info.bounds) == extents(&wanted))
        });
        if !same {
            return Err(self.mismatch(section, into.ty(), into.count() as u64, &wanted));
        }
        self.scatter(into)?;
        self.pass(into.count() * into.ty().bytes());
        Ok(())
    }

    /// What the next section is, without reading its values; None at the end.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// # let store = MemoryStore::new();
    /// # let mut checkpoint = CheckpointWriter::create(&store, "a")?;
    /// # checkpoint.write("step", &[40_i64])?;
    /// # checkpoint.commit()?;
    /// let mut checkpoint = CheckpointReader::open(&store, "a")?;
    /// while let Some(section) = checkpoint.peek()? {
    ///     println!("{}: {} values of {}", section.name, section.count, section.ty.name());
    ///     checkpoint.skip()?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn peek(&mut self) -> Result<Option<SectionInfo>, Error> {
        let at = self.at;
        match self.next_head()?.map(|head| SectionInfo::decode(head.0)) {
            None => Ok(None),
            Some(Some(info)) => Ok(Some(info)),
            Some(None) => Err(self.located(not_a_section(at))),
        }
    }

    /// Passes over the next section; false at the end.
    pub fn skip(&mut self) -> Result<bool, Error> {
        match self.peek()? {
            None => Ok(false),
            Some(info) => {
                self.pass(info.bytes() as usize);
                Ok(true)
            }
        }
    }

    /// Refuses a checkpoint of which something is left.
    pub(crate) fn expect_end(&mut self) -> Result<(), Error> {
        let Some(info) = self.peek()? else { return Ok(()) };
        Err(Error::new(
            Status::Mismatch,
            format!(
                "checkpoint {:?} in {} has a section {:?}, {}, that nothing reads\n  \
                 register all variables that were registered when it was written",
                self.name,
                self.entry.place(),
                info.name,
                info.describe()
            ),
        ))
    }

    /// Reads bytes of the next section's values, of whatever kind it is, from the byte `from` on. It stays the next one.
    pub fn peek_bytes(&mut self, from: u64, bytes: &mut [u8]) -> Result<(), Error> {
        if self.peek()?.is_none() {
            return Err(Error::new(Status::Mismatch, format!("checkpoint {:?} has no more sections", self.name)));
        }
        self.read_part(from, bytes)
    }

    /// Goes to a section by its name: the next one that has it or, if there is none up to the end, the first one.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// # let store = MemoryStore::new();
    /// # let mut checkpoint = CheckpointWriter::create(&store, "a")?;
    /// # checkpoint.write("step", &[40_i64])?;
    /// # checkpoint.write("field", &[0.5; 3])?;
    /// # checkpoint.commit()?;
    /// let mut checkpoint = CheckpointReader::open(&store, "a")?;
    /// let mut field = vec![0.0; checkpoint.find("field")?.count as usize];
    /// checkpoint.read("field", &mut field)?;
    /// assert_eq!(checkpoint.find("velocity").unwrap_err().status(), Status::NotFound);
    /// # Ok(())
    /// # }
    /// ```
    pub fn find(&mut self, section: &str) -> Result<SectionInfo, Error> {
        let start = (self.at, self.passed);
        for from_the_start in [false, true] {
            if from_the_start {
                self.rewind();
            }
            while let Some(info) = self.peek()? {
                if info.name == section {
                    return Ok(info);
                }
                if from_the_start && self.at >= start.0 {
                    break;
                }
                self.pass(info.bytes() as usize);
            }
        }
        (self.at, self.passed, self.head_bytes) = (start.0, start.1, 0);
        let message = format!(
            "checkpoint {:?} in {} has no section {section:?}\n  its sections can be listed without reading it",
            self.name,
            self.entry.place()
        );
        Err(Error::new(Status::NotFound, message))
    }

    /// Goes back to the first section.
    pub fn rewind(&mut self) {
        (self.at, self.passed, self.head_bytes) = (HEAD as u64, 0, 0);
    }

    /// What all sections are, without reading their values. The next section stays the next one.
    pub fn sections(&mut self) -> Result<Vec<SectionInfo>, Error> {
        let start = (self.at, self.passed);
        self.rewind();
        let mut all = Vec::new();
        while let Some(info) = self.peek()? {
            self.pass(info.bytes() as usize);
            all.push(info);
        }
        (self.at, self.passed, self.head_bytes) = (start.0, start.1, 0);
        Ok(all)
    }

    /// Bytes of the checkpoint, heads of sections included.
    pub fn bytes(&self) -> u64 {
        self.entry.bytes()
    }

    // ---- sections that are read in parts ---------------------------------------------------------

    /// Goes to a section of a kind by its name, and returns how many bytes it has. [`read_part`] and [`end_parts`]
    /// follow.
    ///
    /// [`read_part`]: CheckpointReader::read_part
    /// [`end_parts`]: CheckpointReader::end_parts
    pub(crate) fn begin_parts(&mut self, section: &str, kind: SectionKind) -> Result<u64, Error> {
        let info = self.find(section)?;
        if info.kind == kind {
            return Ok(info.bytes());
        }
        Err(self.located(Error::new(
            Status::Mismatch,
            format!("section {section:?} is {}, and another kind is asked for", info.describe()),
        )))
    }

    /// Reads bytes of the section from the byte `from` on.
    pub(crate) fn read_part(&mut self, from: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let inside = from.checked_add(bytes.len() as u64).is_some_and(|end| end <= Head(&self.head).value_bytes());
        if !inside {
            return Err(self.damaged("a section is shorter than another one says"));
        }
        self.read_values(from, bytes)
    }

    /// Passes over the section.
    pub(crate) fn end_parts(&mut self) {
        let bytes = Head(&self.head).value_bytes();
        self.pass(bytes as usize);
    }

    /// All bytes of a section of a kind.
    pub(crate) fn read_whole(&mut self, section: &str, kind: SectionKind) -> Result<Vec<u8>, Error> {
        let bytes = self.begin_parts(section, kind)?;
        let mut whole = Vec::new();
        whole.try_reserve_exact(bytes as usize).map_err(|_| {
            Error::new(Status::OutOfMemory, format!("no memory for section {section:?} of {bytes} bytes"))
        })?;
        whole.resize(bytes as usize, 0);
        self.read_part(0, &mut whole)?;
        self.end_parts();
        Ok(whole)
    }

    /// Checks that the bytes of the section can be read as they were written.
    pub(crate) fn verify_parts(&mut self) -> Result<(), Error> {
        let (offset, bytes) = (self.at + self.head_bytes as u64, Head(&self.head).value_bytes());
        self.entry.verify(offset, bytes).map_err(|error| self.located(error))
    }

    /// The error for a section that should be a pointer of this name, and is not.
    #[cold]
    pub(crate) fn not_the_pointer(&mut self, section: &str) -> Error {
        self.mismatch_with(SectionInfo {
            name: section.to_owned(),
            kind: SectionKind::Pointer,
            ty: Type::I64,
            count: 2,
            bounds: Vec::new(),
            allocated: true,
        })
    }

    /// An error that says where.
    #[cold]
    pub(crate) fn damaged(&self, what: &str) -> Error {
        let place = self.entry.place();
        self.located(Error::new(Status::Damaged, format!("{what}: the checkpoint in {place} is damaged")))
    }

    // ---- the next section ------------------------------------------------------------------------

    /// The head of the next section; None at the end.
    #[inline]
    fn next_head(&mut self) -> Result<Option<Head<'_>>, Error> {
        if self.head_bytes == 0 && !self.read_head()? {
            return Ok(None);
        }
        Ok(Some(Head(&self.head[..self.head_bytes])))
    }

    /// Reads it; false at the end.
    fn read_head(&mut self) -> Result<bool, Error> {
        let left = self.entry.bytes() - self.at;
        if left == HEAD as u64 {
            let mut end = [0; HEAD];
            self.entry.read_at(self.at, &mut end).map_err(|error| self.located(error))?;
            return match format::decode_end(&end) {
                Some(sections) if sections == self.passed => Ok(false),
                _ => Err(self.located(not_a_section(self.at))),
            };
        }
        let mut start = [0; SECTION_HEAD];
        self.entry.read_at(self.at, &mut start).map_err(|error| self.located(error))?;
        let bytes = SectionInfo::head_bytes(&start).ok_or_else(|| self.located(not_a_section(self.at)))?;
        if self.head.len() < bytes {
            self.head.resize(bytes, 0);
        }
        self.head[..SECTION_HEAD].copy_from_slice(&start);
        let rest = &mut self.head[SECTION_HEAD..bytes];
        let read = self.entry.read_at(self.at + SECTION_HEAD as u64, rest);
        read.map_err(|error| self.located(error))?;
        // Values and the end behind them must fit into what is left.
        let values = Head(&self.head[..bytes]).value_bytes();
        let needed = values.checked_add((bytes + HEAD + 7) as u64);
        if needed.is_none_or(|needed| needed - 7 > left) {
            return Err(self.located(not_a_section(self.at)));
        }
        self.head_bytes = bytes;
        Ok(true)
    }

    /// Reads values of the next section from the byte `from` on.
    #[inline]
    fn read_values(&mut self, from: u64, bytes: &mut [u8]) -> Result<(), Error> {
        let offset = self.at + self.head_bytes as u64 + from;
        self.entry.read_at(offset, bytes).map_err(|error| self.located(error))
    }

    fn scatter(&mut self, into: &Section) -> Result<(), Error> {
        let all = into.count() * into.ty().bytes();
        let mut buffer = std::mem::take(&mut self.scattered);
        let (mut from, mut used, mut filled) = (0, 0, 0);
        let done = into.for_each_run_mut(|run| {
            if run.len() >= SHORT_RUN {
                self.read_values(from as u64, run)?;
                from += run.len();
                return Ok(());
            }
            if used == filled {
                // Whole runs, as all have one length.
                filled = (SCATTER - SCATTER % run.len()).min(all - from);
                buffer.resize(SCATTER, 0);
                self.read_values(from as u64, &mut buffer[..filled])?;
                (used, from) = (0, from + filled);
            }
            run.copy_from_slice(&buffer[used..used + run.len()]);
            used += run.len();
            Ok(())
        });
        self.scattered = buffer;
        done
    }

    /// The next section was dealt with.
    #[inline]
    fn pass(&mut self, value_bytes: usize) {
        self.at += (self.head_bytes + padded(value_bytes)) as u64;
        self.passed += 1;
        self.head_bytes = 0;
    }

    // ---- errors ----------------------------------------------------------------------------------

    /// Says of both what is there and what was wanted.
    #[cold]
    fn mismatch(&mut self, section: &str, ty: Type, count: u64, bounds: &[(i64, i64)]) -> Error {
        self.mismatch_with(SectionInfo {
            name: section.to_owned(),
            kind: SectionKind::Values,
            ty,
            count,
            bounds: bounds.to_vec(),
            allocated: true,
        })
    }

    #[cold]
    fn mismatch_with(&mut self, wanted: SectionInfo) -> Error {
        let there = match self.peek() {
            Err(error) => return error,
            Ok(None) => "there are no more sections".to_owned(),
            Ok(Some(info)) => format!("the next section is {:?}, {}", info.name, info.describe()),
        };
        Error::new(
            Status::Mismatch,
            format!(
                "checkpoint {:?} in {}: {there}; {:?}, {}, is asked for\n  \
                 read the sections in the order in which they were written, \
                 each into a variable like the one that it was written from",
                self.name,
                self.entry.place(),
                wanted.name,
                wanted.describe()
            ),
        )
    }

    #[cold]
    fn located(&self, error: Error) -> Error {
        in_checkpoint(error, &self.name)
    }
}

/// The bytes of a section's head, whose length is known to be right.
#[derive(Clone, Copy)]
struct Head<'a>(&'a [u8]);

impl Head<'_> {
    fn value_bytes(self) -> u64 {
        u64::from_le_bytes(self.0[24..32].try_into().expect("eight bytes"))
    }

    /// Whether it is a list of values of this name, type and size. Of arrays with a shape only the count matters here.
    #[inline]
    fn holds(self, section: &str, ty: Type, bytes: usize) -> bool {
        let name = usize::from(self.0[8]) | usize::from(self.0[9]) << 8;
        self.0[4] <= SectionKind::Allocatable as u8
            && self.0[5] == ty as u8
            && self.value_bytes() == bytes as u64
            && self.0[SECTION_HEAD..].get(..name) == Some(section.as_bytes())
            && self.0[7] == 1
    }
}

#[cold]
fn not_a_section(at: u64) -> Error {
    Error::new(
        Status::Damaged,
        format!("what is at offset {at} is no section: the checkpoint is damaged, or was not written by this library"),
    )
}
