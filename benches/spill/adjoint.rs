//! A stencil with its adjoint by hand, as large as a field of an ocean model: diffusion whose coefficient depends on the
//! field. Each step overwrites the field, and pushes it before.

use adtape::Tape;

/// Cells in each direction, with a boundary that stays.
const N: usize = 1024;
const STEPS: usize = 128;
const RATE: f64 = 0.1;

pub struct Model {
    start: Vec<f64>,
    weights: Vec<f64>,
}

/// What flows from a cell with the value `a` to its neighbour with the value `b`.
fn flux(a: f64, b: f64) -> f64 {
    let mean = 0.5 * (a + b);
    (a - b) * (1.0 + mean * mean).sqrt()
}

/// The derivatives of [`flux`].
fn flux_adjoint(a: f64, b: f64) -> (f64, f64) {
    let mean = 0.5 * (a + b);
    let root = (1.0 + mean * mean).sqrt();
    let through_mean = (a - b) * 0.5 * mean / root;
    (root + through_mean, through_mean - root)
}

impl Model {
    pub fn new() -> Model {
        let field = |phase: f64| (0..N * N).map(|i| (0.01 * (i % N) as f64 + phase * (i / N) as f64).sin()).collect();
        Model { start: field(0.02), weights: field(0.003) }
    }

    pub fn tape_bytes(&self) -> u64 {
        (N * N * STEPS * 8) as u64
    }

    /// Cells times steps.
    pub fn elements(&self) -> f64 {
        (N * N * STEPS) as f64
    }

    fn step(u: &[f64], new: &mut [f64]) {
        for row in 1..N - 1 {
            for i in row * N + 1..row * N + N - 1 {
                let out = flux(u[i], u[i - 1]) + flux(u[i], u[i + 1]) + flux(u[i], u[i - N]) + flux(u[i], u[i + N]);
                new[i] = u[i] - RATE * out;
            }
        }
    }

    /// Runs all steps and leaves their fields on the tape, a row at a time; the weighted sum of the last field.
    pub fn forward(&self, tape: &Tape) -> f64 {
        let mut u = self.start.clone();
        let mut new = u.clone();
        for _ in 0..STEPS {
            for row in u.chunks(N) {
                tape.push_slice(row).expect("room on the disk");
            }
            Model::step(&u, &mut new);
            std::mem::swap(&mut u, &mut new);
        }
        u.iter().zip(&self.weights).map(|(u, weight)| u * weight).sum()
    }

    /// The derivative of that sum with respect to the first field.
    pub fn reverse(&self, tape: &Tape) -> Vec<f64> {
        let mut adjoint = self.weights.clone();
        let (mut u, mut before) = (vec![0.0; N * N], vec![0.0; N * N]);
        for _ in 0..STEPS {
            for row in u.chunks_mut(N).rev() {
                tape.pop_slice(row).expect("what was pushed");
            }
            before.copy_from_slice(&adjoint);
            for row in 1..N - 1 {
                for i in row * N + 1..row * N + N - 1 {
                    let out = -RATE * adjoint[i];
                    for j in [i - 1, i + 1, i - N, i + N] {
                        let (by_own, by_other) = flux_adjoint(u[i], u[j]);
                        before[i] += out * by_own;
                        before[j] += out * by_other;
                    }
                }
            }
            std::mem::swap(&mut adjoint, &mut before);
        }
        adjoint
    }

    /// Compares a sum and its gradient with those of the model without a tape, the latter by a difference along one
    /// direction.
    pub fn check(&self, sum: f64, gradient: &[f64]) {
        static EXPECTED: std::sync::OnceLock<[f64; 2]> = std::sync::OnceLock::new();
        let h = 1e-6;
        let expect = || [self.moved(0.0), (self.moved(h) - self.moved(-h)) / (2.0 * h)];
        let [expected, along] = EXPECTED.get_or_init(expect);
        assert_eq!(sum, *expected);
        let by_adjoint: f64 = gradient.iter().zip(&self.weights).map(|(g, w)| g * w).sum();
        assert!(
            (by_adjoint - along).abs() <= 1e-6 * along.abs(),
            "{by_adjoint} by the adjoint, {along} by a difference"
        );
    }

    /// The sum where the first field is moved by `h` times the weights.
    fn moved(&self, h: f64) -> f64 {
        let mut u: Vec<f64> = self.start.iter().zip(&self.weights).map(|(u, weight)| u + h * weight).collect();
        let mut new = u.clone();
        for _ in 0..STEPS {
            Model::step(&u, &mut new);
            std::mem::swap(&mut u, &mut new);
        }
        u.iter().zip(&self.weights).map(|(u, weight)| u * weight).sum()
    }
}
