//! The variables that a program registers, for a driver to save by itself.

#![forbid(unsafe_code)]

use super::variable::{Variable, bytes_of};
use crate::error::{Error, Status};
use crate::tape::Section;

/// What a registered variable is.
#[derive(Clone, Copy)]
pub enum Role {
    /// Steps read and change it: it is saved in snapshots.
    State,
    /// Adjoint steps add to it: it is kept for a run that is resumed.
    Adjoint,
    /// Steps read it and never change it: a run that is resumed has to have the values that it had.
    Parameter,
}

/// Variables, each once and under a name of its own.
#[derive(Default)]
pub struct Registered {
    state: Vec<Variable<'static>>,
    adjoints: Vec<Variable<'static>>,
    parameters: Vec<Variable<'static>>,
    /// Where those without gaps lie, from and to; none are empty and none overlap.
    places: Vec<(usize, usize)>,
}

impl Registered {
    /// Adds a section, under a made-up name if it has none. Its name.
    pub fn add(&mut self, role: Role, name: Option<&str>, section: Section) -> Result<String, Error> {
        if name.is_some_and(|name| !(1..=1000).contains(&name.len())) {
            return Err(Error::new(
                Status::BadArgument,
                "a variable's name has no bytes, or too many\n  give 1 to 1000",
            ));
        }
        let (made_up, count) = match role {
            Role::State => ("state", self.state.len()),
            Role::Adjoint => ("adjoint", self.adjoints.len()),
            Role::Parameter => ("parameter", self.parameters.len()),
        };
        let name = name.map_or_else(|| format!("{made_up}-{count}"), str::to_owned);
        if self.all().any(|variable| variable.name() == name) {
            return Err(Error::new(
                Status::BadArgument,
                format!("{name:?} is registered already\n  give each variable a name of its own"),
            ));
        }
        if let Some(place) = section.place() {
            self.take_place(&name, place)?;
        }
        let variable = Variable::of_section(&name, section);
        match role {
            Role::State => self.state.push(variable),
            Role::Adjoint => self.adjoints.push(variable),
            Role::Parameter => self.parameters.push(variable),
        }
        Ok(name)
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
    pub fn state(&self) -> Vec<Variable<'_>> {
        self.state.iter().map(Variable::again).collect()
    }

    /// What is kept besides for a run that is resumed.
    pub fn adjoints(&self) -> Vec<Variable<'_>> {
        self.adjoints.iter().map(Variable::again).collect()
    }

    /// What a run that is resumed has to find as it was.
    pub fn parameters(&self) -> Vec<Variable<'_>> {
        self.parameters.iter().map(Variable::again).collect()
    }

    /// The name of the variable without gaps that begins at an address.
    pub fn name_at(&self, address: usize) -> Option<&str> {
        self.all().find(|variable| variable.begin() == Some(address)).map(Variable::name)
    }

    /// Bytes of the state.
    pub fn state_bytes(&self) -> u64 {
        bytes_of(&self.state) as u64
    }

    fn all(&self) -> impl Iterator<Item = &Variable<'static>> {
        self.state.iter().chain(&self.adjoints).chain(&self.parameters)
    }
}
