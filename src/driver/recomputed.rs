//! Check mode: a state that is computed again must be what it was.
//!
//! A step depends on something that is not registered if it leads from one registered state to two. It does not show
//! where a step is turned, because what the turn's forward sweep leaves is not a state. So the steps from a snapshot that
//! was loaded to the next turn are run once before, compared, and the snapshot is loaded again.

#![forbid(unsafe_code)]

use super::variable::{Variable, bytes_of, fingerprint_of};
use crate::error::{Error, Status};
use crate::settings::settings;
use std::collections::HashMap;

/// States beyond are not compared: their numbers would take more than 64 MiB.
const MOST: usize = 1 << 22;
/// Bytes of states that are kept, the first ones, to say what differs.
const KEPT: usize = 256 << 20;

/// A number for each state that was computed so far.
pub(super) struct States {
    numbers: Vec<Option<u64>>,
    /// The values of the first ones.
    kept: HashMap<usize, Vec<u8>>,
    kept_bytes: usize,
}

impl States {
    /// None outside check mode.
    pub fn in_check_mode() -> Option<States> {
        let check = settings().is_ok_and(|settings| settings.check);
        check.then(States::new)
    }

    pub fn new() -> States {
        States { numbers: Vec::new(), kept: HashMap::new(), kept_bytes: 0 }
    }

    /// Whether the state was computed before.
    pub fn knows(&self, state: u64) -> bool {
        usize::try_from(state).is_ok_and(|state| self.numbers.get(state).is_some_and(Option::is_some))
    }

    /// What differs, if the state is not what it was when it was computed first, which may be now.
    fn difference(&mut self, state: u64, values: Option<Vec<Variable>>) -> Option<String> {
        let (index, values) = usize::try_from(state).ok().filter(|index| *index < MOST).zip(values)?;
        if self.numbers.len() <= index {
            self.numbers.resize(index + 1, None);
        }
        let number = fingerprint_of(&values);
        let Some(before) = self.numbers[index] else {
            self.numbers[index] = Some(number);
            let bytes = bytes_of(&values);
            if self.kept_bytes.saturating_add(bytes) <= KEPT {
                self.kept_bytes += bytes;
                self.kept.insert(index, bytes_in(&values));
            }
            return None;
        };
        let before = (before != number).then(|| self.kept.get(&index))?;
        Some(before.map_or(String::new(), |before| said(&values, before)))
    }

    /// After step `step`.
    pub fn computed(&mut self, step: u64, values: Option<Vec<Variable>>) -> Result<(), Error> {
        let Some(difference) = self.difference(step + 1, values) else { return Ok(()) };
        Err(Error::new(
            Status::Mismatch,
            format!(
                "step {step}, run again from the same state, led to another one: it reads something that a step has \
                 changed and that is not registered{difference}\n  \
                 register all that a step reads and an earlier one wrote: a counter or the seed of random numbers, too"
            ),
        ))
    }

    /// State `step` was loaded.
    pub fn loaded(&mut self, step: u64, values: Option<Vec<Variable>>) -> Result<(), Error> {
        let Some(difference) = self.difference(step, values) else { return Ok(()) };
        Err(Error::new(
            Status::Mismatch,
            format!(
                "the state of step {step} that was loaded is not the one that was computed and saved{difference}\n  \
                 save and load all of the state, and change neither the snapshots nor what is registered meanwhile"
            ),
        ))
    }
}

fn bytes_in(values: &[Variable]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(bytes_of(values));
    values.iter().for_each(|variable| variable.append_to(&mut bytes));
    bytes
}

/// Which variables differ from what they were, and the first element of each that does, a line for each.
fn said(values: &[Variable], before: &[u8]) -> String {
    let now = bytes_in(values);
    let (mut at, mut text) = (0, String::new());
    for variable in values {
        let part = at..at + variable.bytes();
        at = part.end;
        let Some((old, new)) = before.get(part.clone()).zip(now.get(part)) else { break };
        let size = variable.ty().bytes();
        let differ = || old.chunks(size).zip(new.chunks(size)).enumerate().filter(|(_, (old, new))| old != new);
        let Some((first, (old, new))) = differ().next() else { continue };
        let (count, all) = (differ().count(), variable.bytes() / size);
        text += &format!(
            "\n  {}: element {first} of {all}, counted from 0, was {} at first and is {} now; {count} differ",
            variable.name(),
            variable.ty().said(old),
            variable.ty().said(new)
        );
    }
    text
}
