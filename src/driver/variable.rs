//! The variables of a program that make up its state.

#![forbid(unsafe_code)]

use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::error::Error;
use crate::tape::{Scalar, Section, Type};
use std::marker::PhantomData;

/// A variable that is part of a model's state: a name, and the values of one type that it has.
pub struct Variable<'a> {
    name: String,
    section: Section,
    values: PhantomData<&'a mut [u8]>,
}

impl<'a> Variable<'a> {
    /// An array, or a part of one.
    pub fn new<T: Scalar>(name: &str, values: &'a mut [T]) -> Variable<'a> {
        Variable { name: name.to_owned(), section: Section::of(values), values: PhantomData }
    }

    /// A section, which lives as long as [`Section::new`] was promised.
    pub fn of_section(name: &str, section: Section) -> Variable<'static> {
        Variable { name: name.to_owned(), section, values: PhantomData }
    }

    /// The same variable, for as long as this one is not used.
    pub(super) fn again(&self) -> Variable<'_> {
        Variable { name: self.name.clone(), section: self.section.again(), values: PhantomData }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Type of its values.
    pub fn ty(&self) -> Type {
        self.section.ty()
    }

    /// The bytes of its first value, if it has one.
    pub(super) fn first(&self) -> Option<Vec<u8>> {
        let mut first = None;
        // The first run of values ends the search as an error would.
        let _ = self.section.for_each_run(|run| {
            first = run.get(..self.ty().bytes()).map(<[u8]>::to_vec);
            Err(Error::new(crate::error::Status::Stopped, "the first value is found"))
        });
        first
    }

    /// Where it begins, if its values lie one behind the other.
    pub(super) fn begin(&self) -> Option<usize> {
        self.section.place().map(|(begin, _)| begin)
    }

    /// Bytes of its values.
    pub fn bytes(&self) -> usize {
        self.section.count() * self.section.ty().bytes()
    }

    /// Writes it as the next section of a checkpoint.
    pub fn write(&self, checkpoint: &mut CheckpointWriter) -> Result<(), Error> {
        checkpoint.write_section(&self.name, &self.section)
    }

    /// Reads it from the next section of a checkpoint.
    pub fn read(&self, checkpoint: &mut CheckpointReader) -> Result<(), Error> {
        checkpoint.read_section(&self.name, &self.section)
    }

    pub(super) fn append_to(&self, buffer: &mut Vec<u8>) {
        let _ = self.section.for_each_run(|run| {
            buffer.extend_from_slice(run);
            Ok(())
        });
    }

    /// Takes its values from the beginning of `bytes`, which are enough, and returns the others.
    pub(super) fn take_from<'b>(&self, mut bytes: &'b [u8]) -> &'b [u8] {
        let _ = self.section.for_each_run_mut(|run| {
            let (mine, others) = bytes.split_at(run.len());
            run.copy_from_slice(mine);
            bytes = others;
            Ok(())
        });
        bytes
    }
}

/// Bytes of all.
pub fn bytes_of(variables: &[Variable]) -> usize {
    variables.iter().map(Variable::bytes).sum()
}

/// Tells states apart, but for a chance of 2^-32.
pub fn fingerprint_of(variables: &[Variable]) -> u64 {
    let mut hash = crc32fast::Hasher::new();
    for variable in variables {
        let _ = variable.section.for_each_run(|run| {
            hash.update(run);
            Ok(())
        });
    }
    hash.finalize().into()
}
