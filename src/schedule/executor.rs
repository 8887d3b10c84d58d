//! Performs a schedule on a pretended loop and checks it at every action.

use super::{Action, Level, Place, Prediction, Schedule};
use std::collections::HashSet;

/// How many snapshots may be stored on each level.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub memory: u64,
    pub disk: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stored {
    State(u64),
    Tape(u64),
}

/// A loop, its storage, and what was done so far.
pub struct Executor {
    limits: Limits,
    /// The number of steps that the loop turns out to have.
    steps: u64,
    /// By level and slot.
    stored: [Vec<Option<Stored>>; 2],
    in_use: [u64; 2],
    states: HashSet<u64>,
    tapes: Vec<u64>,
    present: Option<u64>,
    /// The steps from here on are reversed; None before the first.
    reversed: Option<u64>,
    pub done: Prediction,
    /// How often each step was run without being turned, if that is asked for.
    pub runs: Option<Vec<u64>>,
}

impl Executor {
    pub fn new(steps: u64, limits: Limits) -> Executor {
        let done = Prediction { steps, ..Prediction::default() };
        Executor {
            limits,
            steps,
            stored: [Vec::new(), Vec::new()],
            in_use: [0; 2],
            states: HashSet::new(),
            tapes: Vec::new(),
            present: Some(0),
            reversed: None,
            done,
            runs: None,
        }
    }

    pub fn counting_runs(mut self) -> Executor {
        self.runs = Some(vec![0; self.steps as usize]);
        self
    }

    /// Performs the schedule to its end; tells it where the loop ends if it does not know or is mistaken.
    pub fn run(mut self, schedule: &mut Schedule) -> Executor {
        while let Some(action) = schedule.next() {
            self.perform(action);
            let runs_out = matches!(action, Action::Advance { to, .. } if to >= self.steps)
                || matches!(action, Action::Record { step, .. } if step + 1 >= self.steps);
            if runs_out && self.reversed.is_none() && schedule.steps() != Some(self.steps) {
                schedule.end_at(self.steps).unwrap();
            }
        }
        assert_eq!(schedule.next(), None, "a schedule that has ended goes on");
        assert_eq!(self.reversed.unwrap_or(self.steps), 0, "steps that are not reversed");
        assert_eq!(self.in_use, [0; 2], "left behind");
        self
    }

    pub fn perform(&mut self, action: Action) {
        match action {
            Action::Advance { from, to } => {
                assert_eq!(self.present, Some(from), "{action:?}: another state is present");
                assert!(to > from, "{action:?}");
                assert!(self.reversed.is_none_or(|done| to < done), "{action:?}: of no use");
                // A loop that ends early stops within the action.
                let to = to.min(self.steps);
                self.done.extra_steps = self.done.extra_steps.saturating_add(to - from);
                if let Some(runs) = &mut self.runs {
                    runs[from as usize..to as usize].iter_mut().for_each(|runs| *runs += 1);
                }
                self.present = Some(to);
            }
            Action::Save { step, place } => {
                assert_eq!(self.present, Some(step), "{action:?}: another state is present");
                assert!(self.states.insert(step), "{action:?}: again");
                self.store(place, Stored::State(step));
                *self.counts(place.level).0 += 1;
            }
            Action::Load { step, place } => {
                assert_eq!(*self.at(place), Some(Stored::State(step)), "{action:?}: not there");
                self.present = Some(step);
                *self.counts(place.level).1 += 1;
            }
            Action::Drop { step, place } => {
                match self.at(place).take() {
                    Some(Stored::State(state)) if state == step => assert!(self.states.remove(&step)),
                    Some(Stored::Tape(tape)) if tape == step => assert_eq!(self.tapes.pop(), Some(step)),
                    other => panic!("{action:?}: there is {other:?}"),
                }
                self.in_use[place.level as usize] -= 1;
            }
            Action::Turn { step, first } => {
                assert_eq!(self.present, Some(step), "{action:?}: another state is present");
                self.reverse(step, first, action);
            }
            Action::Record { step, place } => {
                assert_eq!(self.present, Some(step), "{action:?}: another state is present");
                self.tapes.push(step);
                self.store(place, Stored::Tape(step));
                self.present = Some(step + 1);
            }
            Action::Reverse { step, place, first } => {
                assert_eq!(self.at(place).take(), Some(Stored::Tape(step)), "{action:?}: not there");
                self.in_use[place.level as usize] -= 1;
                assert_eq!(self.tapes.pop(), Some(step), "{action:?}: not the last tape");
                self.reverse(step, first, action);
            }
        }
    }

    fn counts(&mut self, level: Level) -> (&mut u64, &mut u64) {
        match level {
            Level::Memory => (&mut self.done.memory_saves, &mut self.done.memory_loads),
            Level::Disk => (&mut self.done.disk_saves, &mut self.done.disk_loads),
        }
    }

    fn at(&mut self, place: Place) -> &mut Option<Stored> {
        let slots = &mut self.stored[place.level as usize];
        let slot = usize::try_from(place.slot).unwrap();
        slots.resize(slots.len().max(slot + 1), None);
        &mut slots[slot]
    }

    fn store(&mut self, place: Place, what: Stored) {
        let limit = [self.limits.memory, self.limits.disk][place.level as usize];
        assert!(place.slot < limit, "{place:?}: there are {limit} slots");
        assert_eq!(self.at(place).replace(what), None, "{place:?} is taken");
        self.in_use[place.level as usize] += 1;
        assert!(self.in_use[place.level as usize] <= limit, "more than {limit} in {:?}", place.level);
    }

    fn reverse(&mut self, step: u64, first: bool, action: Action) {
        assert_eq!(step + 1, self.reversed.unwrap_or(self.steps), "{action:?}: out of order");
        assert_eq!(first, self.reversed.is_none(), "{action:?}: first or not");
        self.reversed = Some(step);
        self.present = None;
    }
}
