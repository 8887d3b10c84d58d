//! Check mode: a state that is computed again must be what it was.
//!
//! A step depends on something that is not registered if it leads from one registered state to two. It does not show
//! where a step is turned, because what the turn's forward sweep leaves is not a state. So the steps from a snapshot that
//! was loaded to the next turn are run once before, compared, and the snapshot is loaded again.

#![forbid(unsafe_code)]

use crate::error::{Error, Status};
use crate::settings::settings;

/// States beyond are not compared: their numbers would take more than 64 MiB.
const MOST: usize = 1 << 22;

/// A number for each state that was computed so far.
pub(super) struct States {
    numbers: Vec<Option<u64>>,
}

impl States {
    /// None outside check mode.
    pub fn in_check_mode() -> Option<States> {
        let check = settings().is_ok_and(|settings| settings.check);
        check.then(States::new)
    }

    pub fn new() -> States {
        States { numbers: Vec::new() }
    }

    /// Whether the state was computed before.
    pub fn knows(&self, state: u64) -> bool {
        usize::try_from(state).is_ok_and(|state| self.numbers.get(state).is_some_and(Option::is_some))
    }

    /// Whether the state is what it was when it was computed first, which may be now.
    fn is_as_before(&mut self, state: u64, number: Option<u64>) -> bool {
        let Some((index, number)) = usize::try_from(state).ok().filter(|index| *index < MOST).zip(number) else {
            return true;
        };
        if self.numbers.len() <= index {
            self.numbers.resize(index + 1, None);
        }
        *self.numbers[index].get_or_insert(number) == number
    }

    /// After step `step`.
    pub fn computed(&mut self, step: u64, number: Option<u64>) -> Result<(), Error> {
        if self.is_as_before(step + 1, number) {
            return Ok(());
        }
        Err(Error::new(
            Status::Mismatch,
            format!(
                "step {step}, run again from the same state, led to another one: it reads something that a step has \
                 changed and that is not registered\n  \
                 register all that a step reads and an earlier one wrote: a counter or the seed of random numbers, too"
            ),
        ))
    }

    /// State `step` was loaded.
    pub fn loaded(&mut self, step: u64, number: Option<u64>) -> Result<(), Error> {
        if self.is_as_before(step, number) {
            return Ok(());
        }
        Err(Error::new(
            Status::Mismatch,
            format!(
                "the state of step {step} that was loaded is not the one that was computed and saved\n  \
                 save and load all of the state, and change neither the snapshots nor what is registered meanwhile"
            ),
        ))
    }
}
