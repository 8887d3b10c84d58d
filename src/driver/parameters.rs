//! What steps read and never change: a run that is resumed with other values would give a gradient of neither.
//!
//! A point has of each parameter its name, a number that tells values apart, and the first value, for messages.

#![forbid(unsafe_code)]

use super::variable::{Variable, fingerprint_of};
use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::error::{Error, Status};
use crate::tape::Type;

/// Only in points of runs with parameters.
const SECTION: &str = "adtape-parameters";

/// The parameters of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters(Vec<Parameter>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parameter {
    name: String,
    /// Type and number of bytes are in it.
    number: u64,
    /// The first value, as messages have it.
    first: String,
}

impl Parameters {
    pub fn of(variables: &[Variable]) -> Parameters {
        let parameter = |variable: &Variable| {
            let (ty, bytes) = (variable.ty(), variable.bytes());
            let shape = format!("{} values of {}", bytes / ty.bytes().max(1), ty.name());
            let number =
                u64::from(crc32fast::hash(shape.as_bytes())) << 32 | fingerprint_of(std::slice::from_ref(variable));
            let first = variable.first().map_or_else(|| "nothing".to_owned(), |first| ty.said(&first));
            Parameter { name: variable.name().to_owned(), number, first }
        };
        Parameters(variables.iter().map(parameter).collect())
    }

    /// What differs in a run that has those: of one parameter, or that one of the two runs lacks it.
    pub fn difference(&self, now: &Parameters) -> Option<String> {
        let of = |list: &Parameters, name: &str| list.0.iter().find(|there| there.name == name).cloned();
        for before in &self.0 {
            let name = &before.name;
            match of(now, name) {
                None => return Some(format!("parameter {name:?} is not registered now")),
                Some(now) if now.number == before.number => {}
                Some(now) if now.first != before.first => {
                    return Some(format!("parameter {name:?} was {} and is {} now", before.first, now.first));
                }
                Some(_) => {
                    return Some(format!("parameter {name:?} has other values behind the first, or more, or fewer"));
                }
            }
        }
        let more = now.0.iter().find(|now| of(self, &now.name).is_none())?;
        Some(format!("parameter {:?} was not registered then", more.name))
    }

    pub fn write(&self, checkpoint: &mut CheckpointWriter) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for Parameter { name, number, first } in &self.0 {
            bytes.extend_from_slice(&number.to_le_bytes());
            for text in [name, first] {
                bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                bytes.extend_from_slice(text.as_bytes());
            }
        }
        checkpoint.write_bytes(SECTION, Type::Bytes, &bytes)
    }

    pub fn read(checkpoint: &mut CheckpointReader) -> Result<Parameters, Error> {
        let Some(count) = checkpoint.peek()?.filter(|section| section.name == SECTION).map(|section| section.bytes())
        else {
            return Ok(Parameters::default());
        };
        let mut bytes = vec![0; count as usize];
        checkpoint.read_bytes(SECTION, Type::Bytes, &mut bytes)?;
        let (mut rest, mut list) = (&bytes[..], Vec::new());
        while !rest.is_empty() {
            let parameter = take_parameter(&mut rest);
            list.push(parameter.ok_or_else(|| Error::new(Status::Damaged, "the parameters of a point make no sense"))?);
        }
        Ok(Parameters(list))
    }
}

fn take_parameter(bytes: &mut &[u8]) -> Option<Parameter> {
    let number = take_number(bytes)?;
    let mut text = || {
        let length = usize::try_from(take_number(bytes)?).ok()?;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    };
    Some(Parameter { number, name: text()?, first: text()? })
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}

/// A parameter is another one than when the run began.
#[cold]
pub(super) fn changed(what: &str) -> Error {
    Error::new(
        Status::Mismatch,
        format!("a parameter has changed since the run began: {what}\n  register as state what steps change"),
    )
}
