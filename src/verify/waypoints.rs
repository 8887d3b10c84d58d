//! Waypoints: places that both sweeps pass, with a variable and, in the reverse sweep, its adjoint.
//!
//! Without a test that listens, a waypoint does nothing. A test numbers those of a run, notes what they passed, keeps the
//! values of one that it asks for, and in a run of the function puts other values into the variable of one.

#![forbid(unsafe_code)]

use super::real::Real;
use crate::hash::mix;
use crate::site::Site;
use std::cell::{Cell, RefCell};

/// Waypoints of a run that are noted, 56 bytes each; those behind them are not searched.
const NOTED: usize = 1 << 20;

/// One passage of a waypoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Passage {
    pub site: Site,
    /// The number of its name in [`Passages::names`].
    pub name: usize,
    pub count: usize,
    /// Whether its values are f32.
    pub single: bool,
    /// Digests of the variable, and of the adjoint in the reverse sweep.
    pub of_x: u64,
    pub of_adjoint: u64,
}

/// What a waypoint of the reverse sweep passed.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub x: Vec<f64>,
    pub adjoint: Vec<f64>,
}

/// The waypoints of a run, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Passages {
    pub names: Vec<String>,
    pub forward: Vec<Passage>,
    pub reverse: Vec<Passage>,
    /// The values of the waypoint that was asked for.
    pub kept: Option<Values>,
    ask: Ask,
}

/// What a run is to do at one waypoint.
#[derive(Clone, Debug, Default)]
pub(super) enum Ask {
    #[default]
    Nothing,
    /// Keep the values of this one of the forward sweep.
    KeepForward(usize),
    /// Keep the values of this one of the reverse sweep.
    KeepReverse(usize),
    /// Put these values into the variable of this one of the forward sweep.
    Put(usize, Vec<f64>),
}

thread_local! {
    static LISTENS: Cell<bool> = const { Cell::new(false) };
    /// Elsewhere: what is thread-local takes space that the libraries of a process share.
    static PASSAGES: RefCell<Box<Passages>> = RefCell::default();
}

fn digest<T: Real>(values: &[T]) -> u64 {
    values.iter().fold(values.len() as u64, |sum, value| mix(sum.rotate_left(31) ^ value.pattern()))
}

fn widened<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| value.widened()).collect()
}

impl Passages {
    fn passage<T: Real>(&mut self, name: &str, x: &[T], adjoint: &[T], site: Site) -> Passage {
        let known = self.names.iter().position(|known| known == name);
        let name = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        let single = size_of::<T>() == size_of::<f32>();
        Passage { site, name, count: x.len(), single, of_x: digest(x), of_adjoint: digest(adjoint) }
    }

    /// Whether a waypoint of one run stands for the other's.
    pub fn mirrors(&self, mine: usize, other: &Passages, theirs: usize) -> bool {
        let (Some(a), Some(b)) = (self.forward.get(mine), other.reverse.get(theirs)) else { return false };
        (a.count, a.single) == (b.count, b.single) && self.names[a.name] == other.names[b.name]
    }
}

/// The forward sweep passes a waypoint with variable `x`, which goes by `name`. Its reverse sweep passes
/// [`waypoint_reverse`] at the same place. While [`test_gradient`](super::test_gradient) searches where a gradient goes
/// wrong it changes `x` here; else nothing happens.
///
/// ```
/// use adtape::verify::{Gradient, TestOptions, test_gradient, waypoint_forward, waypoint_reverse};
///
/// # fn main() -> Result<(), adtape::Error> {
/// let forward = |x: &[f64]| {
///     let mut y = x.to_vec();
///     waypoint_forward("y", &mut y);
///     y[0] = y[0].sin() * y[1];
///     waypoint_forward("y", &mut y);
///     y[0] * y[0]
/// };
/// let mut gradient = |x: &[f64], g: &mut [f64]| {
///     let mut y_b = vec![2.0 * x[0].sin() * x[1], 0.0];
///     waypoint_reverse("y", &[x[0].sin() * x[1], x[1]], &y_b);
///     y_b[1] += x[0].sin() * y_b[0];
///     y_b[0] = -x[0].cos() * x[1] * y_b[0]; // the sign is wrong
///     waypoint_reverse("y", x, &y_b);
///     g.copy_from_slice(&y_b);
/// };
/// let report = test_gradient(&mut { forward }, Gradient::Call(&mut gradient), &[0.7, 1.5], &mut TestOptions::default())?;
/// assert!(!report.summary.passed);
/// assert!(report.to_string().contains("the adjoint goes wrong between two waypoints"), "{report}");
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn waypoint_forward<T: Real>(name: &str, x: &mut [T]) {
    forward_at(name, x, Site::caller());
}

/// The reverse sweep passes a waypoint: all statements behind the waypoint of the forward sweep are reversed, and
/// `adjoint` is the adjoint of `x` there.
#[track_caller]
pub fn waypoint_reverse<T: Real>(name: &str, x: &[T], adjoint: &[T]) {
    reverse_at(name, x, adjoint, Site::caller());
}

pub(crate) fn forward_at<T: Real>(name: &str, x: &mut [T], site: Site) {
    if !LISTENS.get() {
        return;
    }
    PASSAGES.with_borrow_mut(|run| {
        let number = run.forward.len();
        match &run.ask {
            Ask::Put(at, values) if *at == number && values.len() == x.len() => {
                x.iter_mut().zip(values).for_each(|(x, value)| *x = T::nearest(*value));
            }
            Ask::KeepForward(at) if *at == number => {
                run.kept = Some(Values { x: widened(x), adjoint: Vec::new() });
            }
            _ => {}
        }
        if number < NOTED {
            let passage = run.passage(name, x, &[], site);
            run.forward.push(passage);
        }
    });
}

pub(crate) fn reverse_at<T: Real>(name: &str, x: &[T], adjoint: &[T], site: Site) {
    if !LISTENS.get() {
        return;
    }
    PASSAGES.with_borrow_mut(|run| {
        let number = run.reverse.len();
        if matches!(run.ask, Ask::KeepReverse(at) if at == number) {
            run.kept = Some(Values { x: widened(x), adjoint: widened(adjoint) });
        }
        if number < NOTED {
            let passage = run.passage(name, x, adjoint, site);
            run.reverse.push(passage);
        }
    });
}

/// Ends listening also where a run of the program unwinds.
struct Listening;

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENS.set(false);
    }
}

/// Runs `run` while the thread's waypoints are noted.
pub(super) fn noted<R>(ask: Ask, run: impl FnOnce() -> R) -> (Passages, R) {
    PASSAGES.set(Box::new(Passages { ask, ..Passages::default() }));
    LISTENS.set(true);
    let listening = Listening;
    let result = run();
    drop(listening);
    (*PASSAGES.take(), result)
}

/// Where two calls of a gradient first differ, as far as waypoints say it.
pub(super) fn first_difference(first: &Passages, second: &Passages) -> Option<String> {
    let same = |a: &Passage, b: &Passage| (a.site, a.of_adjoint) == (b.site, b.of_adjoint);
    let at = first.reverse.iter().zip(&second.reverse).position(|(a, b)| !same(a, b))?;
    let differs = first.reverse[at];
    let name = &first.names[differs.name];
    Some(match at.checked_sub(1) {
        None => format!(
            "the adjoint of '{name}' differs at the first waypoint of the reverse sweep already, {}: it is not set to zero \
             before",
            differs.site
        ),
        Some(before) => format!(
            "up to the waypoint at {} the adjoints of both calls are the same; that of '{name}' differs at {}",
            first.reverse[before].site, differs.site
        ),
    })
}
