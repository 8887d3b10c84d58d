//! Functions that drift, that are noisy, and whose values have no squares: wrong gradients must not hide behind them.

#![forbid(unsafe_code)]

use super::vector::random;
use super::*;
use crate::part::part;

/// Sum of k x_k²/2 from 1 on, and its gradient, with values of this size.
fn squares(x: &[f64], size: f64) -> f64 {
    x.iter().zip(1..).map(|(x, k)| 0.5 * f64::from(k) * x * (size * x)).sum()
}

fn gradient_of_squares(x: &[f64], size: f64) -> Vec<f64> {
    x.iter().zip(1..).map(|(x, k)| size * f64::from(k) * x).collect()
}

fn reason(f: &mut dyn FnMut(&[f64]) -> f64, gradient: &[f64], x: &[f64]) -> Reason {
    test_gradient(f, Gradient::Array(gradient), x, &mut TestOptions::default()).unwrap().reason()
}

#[test]
fn function_that_drifts_is_not_repeatable_whatever_the_gradient_is() {
    let x = [0.9, -1.1, 0.4];
    for drift in [1e-3, 1e-6, 1e-10] {
        for factor in [1.0, 1.001, -1.0] {
            let wrong: Vec<f64> = gradient_of_squares(&x, 1.0).iter().map(|g| factor * g).collect();
            let mut calls = 0.0;
            let mut f = |x: &[f64]| {
                calls += 1.0;
                squares(x, 1.0) + drift * calls
            };
            assert_eq!(reason(&mut f, &wrong, &x), Reason::NotRepeatable, "{drift:e}, {factor}");
            let none = test_gradient(&mut f, Gradient::None, &x, &mut TestOptions::default()).unwrap();
            assert_eq!(none.reason(), Reason::NotRepeatable, "{drift:e}: {none}");
            let mut constant = |_: &[f64]| {
                calls += 1.0;
                1.0 + drift * calls
            };
            assert_eq!(reason(&mut constant, &[0.0; 3], &x), Reason::NotRepeatable, "{drift:e}");
        }
    }
}

#[test]
fn noise_hides_no_error_of_a_percent() {
    let x = [0.9, -1.1, 0.4];
    for size in [1e-2, 1e-3, 1e-4, 3e-5, 1e-5, 1e-6] {
        for seed in 0..20 {
            let wrong: Vec<f64> = gradient_of_squares(&x, 1.0).iter().map(|g| 1.01 * g).collect();
            let mut calls = 1000 * seed;
            let mut f = |x: &[f64]| {
                calls += 1;
                squares(x, 1.0) + size * random(calls)
            };
            let found = reason(&mut f, &wrong, &x);
            assert!(!found.passed(), "{size:e}, {seed}: {found:?}");
        }
    }
    // A program that accepts that much gets it.
    let mut calls = 0;
    let mut f = |x: &[f64]| {
        calls += 1;
        squares(x, 1.0) + 1e-4 * random(calls)
    };
    let options = &mut TestOptions { tolerance: 0.1, ..TestOptions::default() };
    let report = test_gradient(&mut f, Gradient::Array(&gradient_of_squares(&x, 1.0)), &x, options).unwrap();
    assert!(report.summary.passed, "{report}");
}

#[test]
fn values_without_squares_are_judged_as_others_are() {
    // Values of f, and of x.
    let sizes = [1e-319, 1e-316, 1e-310, 1e-200, 1e-155, 1e-100, 1.0, 1e100, 1e154, 1e200, 1e307];
    for (size, x_size) in sizes.iter().flat_map(|size| sizes.map(|x_size| (*size, x_size))) {
        // A component of the gradient is a number only so; numbers below 1e-312 have less than ten digits.
        let of_gradient = libm::log10(size) - libm::log10(x_size);
        if of_gradient.abs() > 300.0 || x_size < 1e-300 {
            continue;
        }
        let x = [0.9 * x_size, -1.1 * x_size, 0.4 * x_size];
        let mut f = |x: &[f64]| squares(&[x[0] / x_size, x[1] / x_size, x[2] / x_size], size);
        let gradient = gradient_of_squares(&[0.9, -1.1, 0.4], size / x_size);
        let what = format!("f {size:e}, x {x_size:e}");
        let of =
            |g: &[f64]| test_gradient(&mut { &mut f }, Gradient::Array(g), &x, &mut TestOptions::default()).unwrap();
        let mut of = of;
        let right = of(&gradient);
        let expected = if size < 1e-317 { Reason::Noise } else { Reason::Agrees };
        assert_eq!(right.reason(), expected, "{what}: {right}");
        let summary = right.summary;
        assert!(summary.noise < 0.01 * size && (summary.slope / size).abs() < 10.0, "{what}: {right}");
        let opposite: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let report = of(&opposite);
        assert_eq!(report.reason(), Reason::Wrong, "{what}: {report}");
        let mut one = gradient.clone();
        one[1] *= 1.1;
        let report = of(&one);
        assert!(!report.summary.passed, "{what}: {report}");
        if report.reason() == Reason::Wrong {
            assert_eq!(report.components(), [1], "{what}: {report}");
            let off = (report.summary.component_reference[0] / gradient[1] - 1.0).abs();
            assert!(off < 1e-2, "{what}: {report}");
        }
    }
}

#[test]
fn products_without_squares_are_judged_as_others_are() {
    for size in [1e-320, 1e-317, 1e-300, 1e-250, 1e-160, 1e155, 1e300] {
        let mut tangent = |xd: &[f64], yd: &mut [f64]| yd[0] = size * (xd[0] - 2.0 * xd[1]);
        for sign in [1.0, -1.0] {
            let mut adjoint =
                |yb: &[f64], xb: &mut [f64]| xb.copy_from_slice(&[size * yb[0], -2.0 * sign * size * yb[0]]);
            let report = test_dot(&mut tangent, &mut adjoint, 2, 1, &mut TestOptions::default()).unwrap();
            let expected = match sign {
                _ if size < 1e-318 => Reason::Noise,
                1.0 => Reason::Agrees,
                _ => Reason::Wrong,
            };
            assert_eq!(report.reason(), expected, "{size:e}: {report}");
        }
        let mut f = |z: &[[f64; 2]]| [size * (z[0][0] * z[0][0] - z[0][1] * z[0][1]), 2.0 * z[0][0] * (size * z[0][1])];
        for (sign, expected) in [(1.0, Reason::Agrees), (-1.0, Reason::Wrong)] {
            let g = [sign * 2.0 * 0.7 * size];
            let report = test_complex(&mut f, Gradient::Array(&g), &[0.7], &mut TestOptions::default()).unwrap();
            // The step makes a number below the smallest one of these.
            let expected = if size < 1e-310 { Reason::Noise } else { expected };
            assert_eq!(report.reason(), expected, "{size:e}: {report}");
        }
    }
}

/// A function, what is wrong with it and with its gradient, all at random. Everything is in units of `size` and `x_size`.
struct Doubtful {
    coefficients: Vec<[f64; 3]>,
    u: Vec<f64>,
    direction: Vec<f64>,
    size: f64,
    x_size: f64,
    /// What each call adds, and how large what it adds at random is.
    drift: f64,
    noise: f64,
    right: Vec<f64>,
    given: Vec<f64>,
}

impl Doubtful {
    fn new(seed: u64) -> Doubtful {
        let mut rng = fastrand::Rng::with_seed(seed);
        let n = rng.usize(1..6);
        let power = |rng: &mut fastrand::Rng, low: f64, high: f64| 10_f64.powf(low + rng.f64() * (high - low));
        let (size, x_size) = if rng.bool() {
            let size = power(&mut rng, -200.0, 200.0);
            (size, power(&mut rng, -90.0, 90.0))
        } else {
            (1.0, 1.0)
        };
        let coefficients: Vec<[f64; 3]> = (0..n).map(|_| [(); 3].map(|()| 2.0 * rng.f64() - 1.0)).collect();
        let u: Vec<f64> = (0..n).map(|_| (0.3 + rng.f64()) * if rng.bool() { 1.0 } else { -1.0 }).collect();
        let direction = (0..n).map(|_| 2.0 * rng.f64() - 1.0).collect();
        let drift = if rng.u8(0..4) == 0 { power(&mut rng, -9.0, -2.0) } else { 0.0 };
        let noise = if rng.u8(0..3) == 0 { power(&mut rng, -7.0, -1.0) } else { 0.0 };
        let of = |(u, [a, b, c]): (&f64, &[f64; 3])| a + b * u + c * u.cos();
        let right: Vec<f64> = u.iter().zip(&coefficients).map(of).collect();
        let mut given = right.clone();
        let (one, factor) = (rng.usize(0..n), 1.0 + power(&mut rng, -4.0, 0.0));
        match rng.u8(0..7) {
            0 | 1 => given.iter_mut().for_each(|g| *g *= factor),
            2 => given[one] /= factor,
            3 => given[one] = -given[one],
            4 => given[one] = 0.0,
            _ => {}
        }
        Doubtful { coefficients, u, direction, size, x_size, drift, noise, right, given }
    }

    fn value(&self, u: &[f64]) -> f64 {
        let of = |(u, [a, b, c]): (&f64, &[f64; 3])| a * u + 0.5 * b * u * u + c * u.sin();
        u.iter().zip(&self.coefficients).map(of).sum()
    }

    fn along(&self, gradient: &[f64]) -> f64 {
        gradient.iter().zip(&self.direction).map(|(g, d)| g * d).sum()
    }

    /// How wrong the slope is, of the size of what is compared.
    fn error(&self, first: f64) -> f64 {
        let (right, given) = (self.along(&self.right), self.along(&self.given));
        let moved: Vec<f64> = self.u.iter().zip(&self.direction).map(|(u, d)| u + first * d).collect();
        let bend = (self.value(&moved) - self.value(&self.u)) / first - given;
        let squares: f64 = self.given.iter().zip(&self.direction).map(|(g, d)| g * d * (g * d)).sum();
        (given - right).abs() / right.abs().max(given.abs()).max(bend.abs()).max(squares.sqrt())
    }

    fn tested(&self, first: f64) -> Report {
        let scaled = |values: &[f64], by: f64| values.iter().map(|value| value * by).collect::<Vec<f64>>();
        let mut calls = 0;
        let mut f = |x: &[f64]| {
            calls += 1;
            let off = self.drift * calls as f64 + self.noise * random(calls);
            self.size * (self.value(&scaled(x, 1.0 / self.x_size)) + off)
        };
        let direction = scaled(&self.direction, self.x_size);
        let mut options = TestOptions { direction: Some(&direction), first_step: first, ..TestOptions::default() };
        let (gradient, x) = (scaled(&self.given, self.size / self.x_size), scaled(&self.u, self.x_size));
        test_gradient(&mut f, Gradient::Array(&gradient), &x, &mut options).unwrap()
    }
}

/// A drift passed for a small error, noise hid one of a percent, and large values had no squares.
#[test]
fn random_doubtful_functions_are_judged_as_by_who_knows_them() {
    const FIRST: f64 = 1.0 / 16.0;
    for seed in 0..part(5000) {
        let function = Doubtful::new(seed);
        let Doubtful { size, x_size, drift, noise, .. } = function;
        let (report, error) = (function.tested(FIRST), function.error(FIRST));
        let reason = report.reason();
        let what = format!("{seed}: {size:e}, {x_size:e}, drift {drift:e}, noise {noise:e}, error {error:e}: {report}");
        let visible = if drift > 0.0 || noise > 0.0 { 2e-2 } else { 1e-5 };
        if drift > 100.0 * noise {
            assert_eq!(reason, Reason::NotRepeatable, "{what}");
        } else if error > visible {
            assert!(!reason.passed(), "{what}");
        } else if function.given == function.right && drift == 0.0 {
            assert!(if noise > 0.0 { reason != Reason::Wrong } else { reason.passed() }, "{what}");
        }
    }
}
