//! Parameters: a run that is resumed goes on only with those that it began with.

use super::*;
use crate::driver::{Driver, Program};
use crate::part::part;

/// x <- (1 + a) x, while a and the field b are parameters, under their names.
struct Growth {
    x: [f64; 1],
    adjoint: [f64; 1],
    a: [f64; 1],
    b: Vec<f32>,
    registers: &'static [&'static str],
    stop_at: u64,
    /// A step changes the parameter a.
    drifts: bool,
    turns: u64,
}

impl Growth {
    fn new(a: f64, b: Vec<f32>) -> Growth {
        let registers = &["a", "b"];
        Growth { x: [1.0], adjoint: [0.0], a: [a], b, registers, stop_at: u64::MAX, drifts: false, turns: 0 }
    }
}

impl Program for Growth {
    fn step(&mut self, _: u64) -> Result<Flow, Error> {
        self.x[0] *= 1.0 + self.a[0] + f64::from(self.b[0]);
        self.a[0] += f64::from(u8::from(self.drifts));
        Ok(Flow::Continue)
    }
    fn adjoint_step(&mut self, _: u64, first: bool) -> Result<(), Error> {
        self.turns += 1;
        if self.turns == self.stop_at {
            return Err(Error::new(Status::Stopped, "pretends to be killed"));
        }
        self.adjoint[0] = if first { 1.0 } else { self.adjoint[0] } * (1.0 + self.a[0] + f64::from(self.b[0]));
        Ok(())
    }
    fn state(&mut self) -> Vec<Variable<'_>> {
        vec![Variable::new("x", &mut self.x)]
    }
    fn adjoints(&mut self) -> Vec<Variable<'_>> {
        vec![Variable::new("adjoint", &mut self.adjoint)]
    }
    fn parameters(&mut self) -> Vec<Variable<'_>> {
        let all = [Variable::new("a", &mut self.a), Variable::new("b", &mut self.b)];
        all.into_iter().filter(|variable| self.registers.contains(&variable.name())).collect()
    }
}

fn run(store: &Arc<dyn Store>, growth: &mut Growth) -> Result<Progress, Error> {
    let mut driver = Driver::new();
    driver.set_resume(store.clone(), "run", Duration::ZERO).unwrap();
    driver.run(&mut Schedule::binomial(9, 3).unwrap(), growth, |_| ())
}

fn new_store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

/// The store of a run that was killed in the middle.
fn killed(registers: &'static [&'static str]) -> Arc<dyn Store> {
    let store = new_store();
    let mut growth = Growth { stop_at: 5, registers, ..Growth::new(0.25, vec![0.5, 2.0]) };
    assert_eq!(run(&store, &mut growth).unwrap_err().status(), Status::Stopped);
    store
}

#[test]
fn run_goes_on_with_the_parameters_that_it_began_with() {
    let mut undisturbed = Growth::new(0.25, vec![0.5, 2.0]);
    run(&new_store(), &mut undisturbed).unwrap();
    let mut resumed = Growth::new(0.25, vec![0.5, 2.0]);
    assert!(run(&killed(&["a", "b"]), &mut resumed).unwrap().resumed_steps > 0);
    assert_eq!(resumed.adjoint, undisturbed.adjoint);
    // The order does not matter, nor whether there are any.
    assert!(run(&killed(&[]), &mut Growth { registers: &[], ..Growth::new(0.25, vec![0.5]) }).is_ok());
}

#[test]
fn other_parameters_are_refused_and_named() {
    let growth = Growth::new;
    let cases: [(&'static [&'static str], Growth, &str); 6] = [
        (&["a", "b"], growth(0.5, vec![0.5, 2.0]), "parameter \"a\" was 0.25 and is 0.5 now"),
        (&["a", "b"], growth(0.25, vec![0.75, 2.0]), "parameter \"b\" was 0.5 and is 0.75 now"),
        (&["a", "b"], growth(0.25, vec![0.5, 2.5]), "parameter \"b\" has other values behind the first"),
        (&["a", "b"], growth(0.25, vec![0.5, 2.0, 2.0]), "parameter \"b\" has other values behind the first, or more"),
        (
            &["a", "b"],
            Growth { registers: &["a"], ..growth(0.25, vec![0.5, 2.0]) },
            "parameter \"b\" is not registered now",
        ),
        (&["a"], growth(0.25, vec![0.5, 2.0]), "parameter \"b\" was not registered then"),
    ];
    for (registered, mut other, said) in cases {
        let store = killed(registered);
        let error = run(&store, &mut other).unwrap_err();
        assert_eq!((error.status(), other.turns), (Status::Mismatch, 0), "{error}");
        assert!(error.message().contains(said) && error.message().contains("is of another run"), "{error}");
        // The point is still there for the right ones.
        let mut right = Growth { registers: registered, ..Growth::new(0.25, vec![0.5, 2.0]) };
        assert!(run(&store, &mut right).unwrap().resumed_steps > 0);
    }
}

#[test]
fn parameter_that_a_step_changes_is_said_at_the_next_point() {
    let mut growth = Growth { drifts: true, ..Growth::new(0.25, vec![0.5]) };
    let error = run(&new_store(), &mut growth).unwrap_err();
    let said = "a parameter has changed since the run began: parameter \"a\" was 0.25 and is 1.25 now";
    assert!(error.status() == Status::Mismatch && error.message().contains(said), "{error}");
}

/// x <- (1 + something of each parameter) x; any number of parameters, each of any length.
#[derive(Clone)]
struct Fields {
    x: [f64; 1],
    adjoint: [f64; 1],
    fields: Vec<(String, Vec<f64>)>,
    stop_at: u64,
    turns: u64,
}

impl Fields {
    /// The same in whatever order the parameters are.
    fn factor(&self, step: u64) -> f64 {
        let of = |(name, values): &(String, Vec<f64>)| {
            0.1 * values[step as usize % values.len()].sin() + 1e-3 * (values[0] + (name.len() + values.len()) as f64)
        };
        let mut parts: Vec<f64> = self.fields.iter().map(of).collect();
        parts.sort_by(f64::total_cmp);
        1.0 + parts.iter().sum::<f64>()
    }
}

impl Program for Fields {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        self.x[0] *= self.factor(step);
        Ok(Flow::Continue)
    }
    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.turns += 1;
        if self.turns == self.stop_at {
            return Err(Error::new(Status::Stopped, "pretends to be killed"));
        }
        self.adjoint[0] = if first { 1.0 } else { self.adjoint[0] } * self.factor(step);
        Ok(())
    }
    fn state(&mut self) -> Vec<Variable<'_>> {
        vec![Variable::new("x", &mut self.x)]
    }
    fn adjoints(&mut self) -> Vec<Variable<'_>> {
        vec![Variable::new("adjoint", &mut self.adjoint)]
    }
    fn parameters(&mut self) -> Vec<Variable<'_>> {
        self.fields.iter_mut().map(|(name, values)| Variable::new(name, values)).collect()
    }
}

/// Whatever changes between a run that is killed and the one that takes its place: the gradient is that of the parameters
/// that are there now, or the run is refused.
#[test]
fn random_runs_that_are_resumed_have_the_gradient_of_their_parameters_or_are_refused() {
    let (mut refused, mut resumed) = (0, 0);
    for seed in 0..part(1500) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (steps, snapshots) = (rng.u64(2..25), rng.u64(1..5));
        let fields = (0..rng.usize(1..5)).map(|k| {
            let values = (0..rng.usize(1..7)).map(|_| 2.0 * rng.f64() - 1.0).collect();
            (format!("p{k}"), values)
        });
        let fields: Vec<(String, Vec<f64>)> = fields.collect();
        let (stop_at, turns) = (u64::MAX, 0);
        let first = Fields { x: [1.0], adjoint: [0.0], fields, stop_at, turns };
        let mut second = first.clone();
        let one = rng.usize(0..second.fields.len());
        match rng.u8(0..8) {
            0 => _ = second.fields.remove(one),
            1 => second.fields.push(("q".into(), vec![0.25])),
            2 => second.fields[one].1.push(0.5),
            3 => second.fields[one].0 += "s",
            4 => rng.shuffle(&mut second.fields),
            5 => {}
            _ => {
                let at = rng.usize(0..second.fields[one].1.len());
                let value = &mut second.fields[one].1[at];
                *value = if rng.bool() { -*value } else { f64::from_bits(value.to_bits() ^ 1) };
            }
        }
        let run = |fields: &mut Fields, store: &Arc<dyn Store>| {
            let mut driver = Driver::new();
            driver.set_resume(store.clone(), "run", Duration::ZERO).unwrap();
            driver.run(&mut Schedule::binomial(steps, snapshots).unwrap(), fields, |_| ())
        };
        let store = new_store();
        let mut killed = Fields { stop_at: rng.u64(1..=steps), ..first.clone() };
        assert_eq!(run(&mut killed, &store).unwrap_err().status(), Status::Stopped);
        let mut alone = second.clone();
        run(&mut alone, &new_store()).unwrap();
        let sorted = |fields: &Fields| {
            let mut all = fields.fields.clone();
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all
        };
        let are_equal = sorted(&first) == sorted(&second);
        match run(&mut second, &store) {
            Ok(progress) => {
                assert_eq!(second.adjoint[0].to_bits(), alone.adjoint[0].to_bits(), "{seed}");
                resumed += u64::from(progress.resumed_steps > 0);
            }
            Err(error) => {
                assert!(error.status() == Status::Mismatch && !are_equal, "{seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && resumed > 0, "{refused}, {resumed}");
}
