//! Writing a checkpoint, section by section.

use super::format::{self, MAX_SECTION_NAME, SectionKind, padded};
use crate::error::{Error, Status};
use crate::store::{EntryWriter, Store};
use crate::tape::cursor::section::bytes_of;
use crate::tape::{Scalar, Section, Type};

/// Runs of a section that are shorter than this are gathered before they are written.
const SHORT_RUN: usize = 4096;
/// Up to so many bytes.
const GATHER: usize = 64 << 10;

/// A checkpoint that is being written. Dropped without a [`commit`](CheckpointWriter::commit), it leaves nothing
/// behind, and an older one of its name is untouched.
///
/// ```
/// # use adtape::*;
/// # fn main() -> Result<(), Error> {
/// let store = MemoryStore::new();
/// let (mut step, mut field) = ([40_i64], vec![1.5; 1000]);
/// let mut checkpoint = CheckpointWriter::create(&store, "step-40")?;
/// checkpoint.write("step", &step)?;
/// checkpoint.write("field", &field)?;
/// checkpoint.commit()?;
///
/// (step, field) = ([0], vec![0.0; 1000]);
/// let mut checkpoint = CheckpointReader::open(&store, "step-40")?;
/// checkpoint.read("step", &mut step)?;
/// checkpoint.read("field", &mut field)?;
/// assert!(step == [40] && field[999] == 1.5);
/// # Ok(())
/// # }
/// ```
pub struct CheckpointWriter {
    entry: Box<dyn EntryWriter>,
    name: String,
    sections: u64,
    /// Heads of sections, and short runs on their way.
    buffer: Vec<u8>,
    /// The store refused something: the checkpoint is incomplete for ever.
    failed: bool,
}

impl CheckpointWriter {
    /// Begins a checkpoint, to be seen under `name` when it is committed.
    pub fn create(store: &dyn Store, name: &str) -> Result<CheckpointWriter, Error> {
        let mut entry = store.create(name)?;
        entry.write(&format::head())?;
        Ok(CheckpointWriter { entry, name: name.to_owned(), sections: 0, buffer: Vec::new(), failed: false })
    }

    /// Writes values as a section.
    #[inline]
    pub fn write<T: Scalar>(&mut self, section: &str, values: &[T]) -> Result<(), Error> {
        self.write_bytes(section, T::TYPE, bytes_of(values))
    }

    /// Writes values of a type, given by their bytes.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let store = MemoryStore::new();
    /// let mut checkpoint = CheckpointWriter::create(&store, "a")?;
    /// let quadruple = [0_u8; 16];
    /// checkpoint.write_bytes("x", Type::F128, &quadruple)?;
    /// assert_eq!(checkpoint.write_bytes("y", Type::F128, &[0; 17]).unwrap_err().status(), Status::BadArgument);
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_bytes(&mut self, section: &str, ty: Type, bytes: &[u8]) -> Result<(), Error> {
        check_type(ty)?;
        if !bytes.len().is_multiple_of(ty.bytes()) {
            return Err(Error::new(
                Status::BadArgument,
                format!("{} bytes are no whole number of values of {}", bytes.len(), ty.name()),
            ));
        }
        let count = (bytes.len() / ty.bytes()) as u64;
        self.begin(section, SectionKind::Values, ty, count, true, &[])?;
        self.pass_on(bytes)?;
        self.pad(bytes.len())
    }

    /// Writes a section of an array. Its shape is kept, and compared when it is read.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let store = MemoryStore::new();
    /// let mut field = [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0_f64]];
    /// // The two inner columns: two elements 8 bytes apart, twice, 32 bytes apart.
    /// // SAFETY: the section lies inside the field and is not used after it.
    /// let inner = unsafe { Section::new(Type::F64, (&raw mut field[0][1]).cast(), &[2, 2], &[8, 32])? };
    /// let mut checkpoint = CheckpointWriter::create(&store, "a")?;
    /// checkpoint.write_section("inner", &inner)?;
    /// checkpoint.commit()?;
    /// field = [[9.0; 4]; 2];
    /// CheckpointReader::open(&store, "a")?.read_section("inner", &inner)?;
    /// assert_eq!(field, [[9.0, 1.0, 2.0, 9.0], [9.0, 5.0, 6.0, 9.0]]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_section(&mut self, section: &str, from: &Section) -> Result<(), Error> {
        self.begin(section, SectionKind::Values, from.ty(), from.count() as u64, true, &from.bounds(&[]))?;
        self.copy(from)
    }

    /// Writes something that is allocated when it is read: its values and bounds, or that there are none. `lower` has
    /// the lower bound of each dimension.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let store = MemoryStore::new();
    /// let mut field = [0.5_f64; 12];
    /// // SAFETY: all of the field, as 3 by 4.
    /// let all = unsafe { Section::new(Type::F64, field.as_mut_ptr().cast(), &[3, 4], &[8, 24])? };
    /// let mut checkpoint = CheckpointWriter::create(&store, "a")?;
    /// checkpoint.write_allocatable("field", Type::F64, Some(&all), &[0, -1])?;
    /// checkpoint.write_allocatable("gone", Type::F64, None, &[])?;
    /// checkpoint.commit()?;
    /// let mut checkpoint = CheckpointReader::open(&store, "a")?;
    /// assert_eq!(checkpoint.peek()?.unwrap().bounds, [(0, 3), (-1, 4)]);
    /// checkpoint.read_section("field", &all)?; // after it was allocated with those bounds
    /// assert!(!checkpoint.peek()?.unwrap().allocated);
    /// # Ok(())
    /// # }
    /// ```
    pub fn write_allocatable(
        &mut self,
        section: &str,
        ty: Type,
        from: Option<&Section>,
        lower: &[i64],
    ) -> Result<(), Error> {
        let Some(from) = from else { return self.begin(section, SectionKind::Allocatable, ty, 0, false, &[]) };
        self.begin(section, SectionKind::Allocatable, ty, from.count() as u64, true, &from.bounds(lower))?;
        self.copy(from)
    }

    /// Writes a section of `bytes` bytes that `write` hands over in parts, one after the other. If it fails, the
    /// checkpoint cannot be completed any more.
    pub(crate) fn write_parts(
        &mut self,
        section: &str,
        kind: SectionKind,
        ty: Type,
        bytes: u64,
        write: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.begin(section, kind, ty, bytes / ty.bytes() as u64, true, &[])?;
        let mut written = 0;
        let done = write(&mut |part| {
            written += part.len() as u64;
            self.pass_on(part)
        });
        self.failed |= done.is_err();
        done?;
        debug_assert_eq!(written, bytes);
        self.pad(bytes as usize)
    }

    /// The name that it will have.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Makes the checkpoint complete and visible. With a store of files, it is on the disk when this returns.
    pub fn commit(mut self) -> Result<(), Error> {
        self.check()?;
        self.entry.write(&format::end(self.sections)).map_err(|e| in_checkpoint(e, &self.name))?;
        self.entry.commit().map_err(|e| in_checkpoint(e, &self.name))
    }

    fn check(&self) -> Result<(), Error> {
        if !self.failed {
            return Ok(());
        }
        Err(Error::new(
            Status::Poisoned,
            format!(
                "checkpoint {:?} cannot be completed since an earlier write failed\n  \
                 abandon it; an older one of its name is as it was",
                self.name
            ),
        ))
    }

    #[inline]
    fn begin(
        &mut self,
        section: &str,
        kind: SectionKind,
        ty: Type,
        count: u64,
        allocated: bool,
        bounds: &[(i64, i64)],
    ) -> Result<(), Error> {
        self.check()?;
        if section.is_empty() || section.len() > MAX_SECTION_NAME {
            return Err(Error::new(
                Status::BadArgument,
                format!("a section's name has {} bytes\n  give 1 to {MAX_SECTION_NAME}", section.len()),
            ));
        }
        self.buffer.clear();
        format::encode(&mut self.buffer, kind, ty, section, count, allocated, bounds);
        self.sections += 1;
        let head = std::mem::take(&mut self.buffer);
        let done = self.pass_on(&head);
        self.buffer = head;
        done
    }

    /// The values of a section, in order.
    fn copy(&mut self, from: &Section) -> Result<(), Error> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let done = from.for_each_run(|run| {
            if run.len() >= SHORT_RUN && buffer.is_empty() {
                return self.pass_on(run);
            }
            if buffer.len() + run.len() > GATHER {
                self.pass_on(&buffer)?;
                buffer.clear();
            }
            buffer.extend_from_slice(run);
            Ok(())
        });
        let done = done.and_then(|()| self.pass_on(&buffer));
        self.buffer = buffer;
        done?;
        self.pad(from.count() * from.ty().bytes())
    }

    fn pad(&mut self, bytes: usize) -> Result<(), Error> {
        match padded(bytes) - bytes {
            0 => Ok(()),
            n => self.pass_on(&[0; 8][..n]),
        }
    }

    #[inline]
    fn pass_on(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.entry.write(bytes).map_err(|error| {
            self.failed = true;
            in_checkpoint(error, &self.name)
        })
    }
}

fn check_type(ty: Type) -> Result<(), Error> {
    match ty {
        Type::Control | Type::Count => Err(Error::new(
            Status::BadArgument,
            format!("a checkpoint has no sections of {}\n  write an integer", ty.name()),
        )),
        _ => Ok(()),
    }
}

#[cold]
pub(super) fn in_checkpoint(error: Error, name: &str) -> Error {
    Error::new(error.status(), format!("checkpoint {name:?}: {}", error.message()))
}
