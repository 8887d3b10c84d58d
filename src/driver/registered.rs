//! The variables that a program registers, for a driver to save by itself.

#![forbid(unsafe_code)]

use super::variable::{Variable, bytes_of, fingerprint_of};
use crate::checkpoint::{CheckpointReader, CheckpointWriter};
use crate::error::{Error, Status};
use crate::tape::Section;

/// What a registered variable is.
#[derive(Clone, Copy)]
pub enum Role {
    /// Steps read and change it: it is saved in snapshots.
    State,
    /// Adjoint steps add to it: it is kept for a run that is resumed.
    Adjoint,
}

/// Variables, each once and under a name of its own.
#[derive(Default)]
pub struct Registered {
    state: Vec<Variable<'static>>,
    adjoints: Vec<Variable<'static>>,
    /// Addresses of those without gaps, from and to; none are empty and none overlap.
    places: Vec<(usize, usize)>,
}

impl Registered {
    /// Adds a section, under a made-up name if it has none. `place` is where it lies, from and to, if it has no gaps.
    pub fn add(
        &mut self,
        role: Role,
        name: Option<&str>,
        section: Section,
        place: Option<(usize, usize)>,
    ) -> Result<(), Error> {
        let (made_up, variables) = match role {
            Role::State => ("state", &self.state),
            Role::Adjoint => ("adjoint", &self.adjoints),
        };
        let name = name.map_or_else(|| format!("{made_up}-{}", variables.len()), str::to_owned);
        if self.all().any(|variable| variable.name() == name) {
            return Err(Error::new(
                Status::BadArgument,
                format!("{name:?} is registered already\n  give each variable a name of its own"),
            ));
        }
        if let Some(place) = place.filter(|(begin, end)| begin < end) {
            self.take_place(&name, place)?;
        }
        let variable = Variable::of_section(&name, section);
        match role {
            Role::State => self.state.push(variable),
            Role::Adjoint => self.adjoints.push(variable),
        }
        Ok(())
    }

    fn take_place(&mut self, name: &str, (begin, end): (usize, usize)) -> Result<(), Error> {
        if let Some((other, others)) = self.places.iter().find(|(a, b)| begin < *b && *a < end) {
            let [bytes, others] = [end - begin, others - other];
            return Err(Error::new(
                Status::BadArgument,
                format!(
                    "{name:?}, {bytes} bytes at 0x{begin:x}, overlaps with the {others} bytes at 0x{other:x}\n  \
                     register each part once",
                ),
            ));
        }
        self.places.push((begin, end));
        Ok(())
    }

    /// What snapshots have.
    pub fn state(&self) -> &[Variable<'static>] {
        &self.state
    }

    /// Bytes of the state.
    pub fn state_bytes(&self) -> u64 {
        bytes_of(&self.state) as u64
    }

    /// Tells states apart, but for a chance of 2^-32.
    pub fn fingerprint(&self) -> u64 {
        fingerprint_of(&self.state)
    }

    /// Writes all variables to a checkpoint.
    pub fn write(&self, checkpoint: &mut CheckpointWriter) -> Result<(), Error> {
        self.all().try_for_each(|variable| variable.write(checkpoint))
    }

    /// Reads what [`write`](Registered::write) wrote.
    pub fn read(&self, checkpoint: &mut CheckpointReader) -> Result<(), Error> {
        self.all().try_for_each(|variable| variable.read(checkpoint))
    }

    fn all(&self) -> impl Iterator<Item = &Variable<'static>> {
        self.state.iter().chain(&self.adjoints)
    }
}
