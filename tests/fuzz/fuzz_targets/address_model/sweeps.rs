//! Programs as generated code runs them: sections, forward and then backward, event by event.
//!
//! In programs of calls at random hardly an object comes back and goes again before anybody asks for an address. Here
//! most do: an address is used several times, each use is reversed, and its slot goes to another kind of object.

use super::input::Input;
use super::program::Run;
use adtape::{LiveRange, RangeKind};

/// What the forward sweep did that the reverse sweep has to undo.
enum Event {
    Birth(usize),
    /// The object, and what is on the tape.
    Death,
    Pointer,
}

/// Runs sections until the input ends. Lists are compared now and then only: whoever lists all puts what is kept apart
/// into the maps, and no program does that.
pub fn run_sweeps(input: &[u8]) {
    let mut run = Run::new(Input(input));
    while !run.input.0.is_empty() {
        let mut events = Vec::new();
        for _ in 0..4 + run.input.below(48) {
            run.forward(&mut events);
        }
        run.compare();
        run.begin_reverse();
        while let Some(event) = events.pop() {
            run.reverse(event);
            match run.input.below(32) {
                0..12 => run.ask(),
                12 => run.compare(),
                _ => {}
            }
        }
        run.compare();
    }
}

impl Run<'_> {
    fn forward(&mut self, events: &mut Vec<Event>) {
        match self.input.byte() % 8 {
            0..4 => events.extend(self.birth().map(Event::Birth)),
            4..7 => events.extend(self.death().then_some(Event::Death)),
            _ => {
                let before = self.model.tape.len();
                self.push_pointer();
                events.extend((self.model.tape.len() > before).then_some(Event::Pointer));
            }
        }
    }

    /// A birth, mostly where something died; the object.
    fn birth(&mut self) -> Option<usize> {
        let (n, deaths) = (self.input.byte() as usize, &self.model.deaths);
        let base = match n {
            0..160 if !deaths.is_empty() => (deaths[n % deaths.len()].base + 8).saturating_sub(8 * (n as u64 % 3)),
            _ => 8 * (16 + n as u64 % 32),
        };
        // Half of them are variables of procedures.
        let kind = if self.input.below(2) == 0 { RangeKind::Stack } else { self.input.kind() };
        let bytes = self.input.bytes();
        let before = self.model.objects.len();
        self.add_there(base, bytes, kind, "");
        (self.model.objects.len() > before).then_some(before)
    }

    fn death(&mut self) -> bool {
        let before = self.model.tape.len();
        self.end();
        self.model.tape.len() > before
    }

    fn reverse(&mut self, event: Event) {
        match event {
            Event::Birth(i) if self.model.objects[i].alive => {
                let base = self.model.objects[i].base;
                self.undo_birth(base);
            }
            Event::Birth(_) => {}
            Event::Death => {
                self.pop();
                if let Some((i, range)) = self.model.popped.pop() {
                    self.bring_back(i, range);
                }
            }
            Event::Pointer => self.pop(),
        }
    }

    /// Brings an object back, mostly elsewhere: to the first of some places that is free.
    fn bring_back(&mut self, i: usize, range: LiveRange) {
        for _ in 0..4 {
            let base = match self.input.byte() {
                n @ 0..200 => 8 * (512 + n),
                _ => range.base as u64,
            };
            if self.come_back(i, range, base) {
                return;
            }
        }
    }

    /// Asks for an address of the forward sweep.
    fn ask(&mut self) {
        let n = self.input.byte() as usize;
        let alive: Vec<(u64, u64)> =
            self.model.alive().map(|(_, object)| (object.forward_base, object.bytes)).collect();
        let address = match (n, alive.is_empty()) {
            (0..224, false) => {
                let (base, bytes) = alive[n % alive.len()];
                base + self.input.byte() % (bytes + 1)
            }
            _ => self.pointer(),
        };
        self.rebase_address(address);
    }
}
