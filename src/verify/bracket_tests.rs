//! The search for the line where a gradient goes wrong: each mistake is found between the two waypoints that enclose it.

use super::{Gradient, Real, Report, TestOptions, test_gradient, waypoint_forward, waypoint_reverse};

const STAGES: usize = 40;
const N: usize = 5;

/// y and p go through stages; each changes all of y by y and p. p is a parameter.
fn stage<T: Real>(k: usize, y: &mut [T], p: &[T]) {
    for i in 0..N {
        let (a, b) = (y[i].widened(), y[(i + 1) % N].widened());
        y[i] = T::nearest(a + 0.01 * p[k % 2].widened() * a * b - 0.02 * (k as f64).sin() * a);
    }
}

fn stage_adjoint<T: Real>(k: usize, before: &[T], p: &[T], y_b: &mut [T], p_b: &mut [T], broken: bool) {
    let mut y = before.to_vec();
    let mut stack = Vec::new();
    for i in 0..N {
        stack.push(y[i]);
        let (a, b) = (y[i].widened(), y[(i + 1) % N].widened());
        y[i] = T::nearest(a + 0.01 * p[k % 2].widened() * a * b - 0.02 * (k as f64).sin() * a);
    }
    for i in (0..N).rev() {
        y[i] = stack.pop().unwrap();
        let (a, b, q, of) = (y[i].widened(), y[(i + 1) % N].widened(), p[k % 2].widened(), y_b[i].widened());
        let next = (i + 1) % N;
        let sign = if broken && i == 2 { -1.0 } else { 1.0 };
        y_b[next] = T::nearest(y_b[next].widened() + sign * 0.01 * q * a * of);
        p_b[k % 2] = T::nearest(p_b[k % 2].widened() + 0.01 * a * b * of);
        y_b[i] = T::nearest(of * (1.0 + 0.01 * q * b - 0.02 * (k as f64).sin()));
    }
}

/// x is y, then p. The states before each stage.
fn forward<T: Real>(x: &[T], states: &mut Vec<Vec<T>>) -> f64 {
    let (mut y, mut p) = (x[..N].to_vec(), x[N..].to_vec());
    for k in 0..STAGES {
        waypoint_forward("p", &mut p);
        waypoint_forward("y", &mut y);
        states.push(y.clone());
        stage(k, &mut y, &p);
    }
    waypoint_forward("p", &mut p);
    waypoint_forward("y", &mut y);
    y.iter().map(|y| y.widened() * y.widened()).sum()
}

fn reverse<T: Real>(x: &[T], states: &[Vec<T>], g: &mut [T], broken: Option<usize>) {
    let p = &x[N..];
    let mut y = states[STAGES - 1].clone();
    stage(STAGES - 1, &mut y, p);
    let mut y_b: Vec<T> = y.iter().map(|y| T::nearest(2.0 * y.widened())).collect();
    let mut p_b = vec![T::ZERO; 2];
    waypoint_reverse("y", &y, &y_b);
    waypoint_reverse("p", p, &p_b);
    for k in (0..STAGES).rev() {
        stage_adjoint(k, &states[k], p, &mut y_b, &mut p_b, broken == Some(k));
        waypoint_reverse("y", &states[k], &y_b);
        waypoint_reverse("p", p, &p_b);
    }
    g[..N].copy_from_slice(&y_b);
    g[N..].copy_from_slice(&p_b);
}

fn point<T: Real>() -> Vec<T> {
    (0..N + 2).map(|i| T::nearest(0.5 + 0.1 * i as f64)).collect()
}

fn tested<T: Real + Default>(broken: Option<usize>) -> Report {
    tested_in::<T>(broken, 1000)
}

fn tested_in<T: Real + Default>(broken: Option<usize>, search_runs: i64) -> Report {
    let mut f = |x: &[T]| forward(x, &mut Vec::new());
    let mut gradient = |x: &[T], g: &mut [T]| {
        let mut states = Vec::new();
        forward(x, &mut states);
        reverse(x, &states, g, broken);
    };
    let mut options = TestOptions { search_runs, ..TestOptions::default() };
    test_gradient(&mut f, Gradient::Call(&mut gradient), &point(), &mut options).unwrap()
}

/// "'y', number 7 of 82" behind these words.
fn number(text: &str, words: &str, name: &str) -> Option<usize> {
    let behind = text.split_once(words)?.1;
    let line = behind.lines().next()?;
    line.split_once(&format!("'{name}', number "))?.1.split_once(' ')?.0.parse().ok()
}

#[test]
fn each_broken_stage_is_between_the_waypoints_that_are_named() {
    for broken in (0..STAGES).step_by(3).chain([STAGES - 1]) {
        let text = tested::<f64>(Some(broken)).to_string();
        let passed = 2 * (STAGES - 1 - broken) + 1; // waypoints of the reverse sweep up to y's before the stage
        assert_eq!(number(&text, "    right at ", "y"), Some(passed), "{broken}: {text}");
        assert_eq!(number(&text, "    wrong at ", "y"), Some(passed + 2), "{broken}: {text}");
        assert!(text.contains("bracket_tests.rs:"), "{text}");
    }
}

#[test]
fn broken_stage_in_single_precision_is_found() {
    let text = tested::<f32>(Some(20)).to_string();
    assert_eq!(number(&text, "    wrong at ", "y"), Some(2 * (STAGES - 1 - 20) + 3), "{text}");
}

#[test]
fn right_gradient_says_nothing_of_waypoints() {
    let report = tested::<f64>(None);
    assert!(report.summary.passed && !report.to_string().contains("waypoint"), "{report}");
}

#[test]
fn sweep_that_runs_steps_again_is_searched_as_one_that_does_not() {
    let mut f = |x: &[f64]| forward(x, &mut Vec::new());
    let mut gradient = |x: &[f64], g: &mut [f64]| {
        // All of the forward sweep once more before the reverse sweep, as a driver with few snapshots does.
        forward(x, &mut Vec::new());
        let mut states = Vec::new();
        forward(x, &mut states);
        reverse(x, &states, g, Some(7));
    };
    let report = test_gradient(&mut f, Gradient::Call(&mut gradient), &point(), &mut TestOptions::default()).unwrap();
    assert_eq!(number(&report.to_string(), "    wrong at ", "y"), Some(2 * (STAGES - 1 - 7) + 3), "{report}");
}

#[test]
fn waypoints_that_do_not_mirror_each_other_are_named() {
    let mut f = |x: &[f64]| {
        let mut y = [x[0]];
        waypoint_forward("y", &mut y);
        y[0] = y[0] * y[0];
        waypoint_forward("z", &mut y);
        y[0] * 3.0
    };
    let mut gradient = |x: &[f64], g: &mut [f64]| {
        waypoint_reverse("z", &[x[0] * x[0]], &[3.0]);
        waypoint_reverse("q", x, &[5.0 * x[0]]);
        g[0] = 5.0 * x[0];
    };
    let report = test_gradient(&mut f, Gradient::Call(&mut gradient), &[0.7], &mut TestOptions::default()).unwrap();
    let text = report.to_string();
    assert!(text.contains("behind 1 that do, the reverse sweep comes to 'q' of 1 values"), "{text}");
    assert!(text.contains("the forward sweep has 'y' of 1 values"), "{text}");
    assert!(text.contains("the adjoint is right up to the waypoint at"), "{text}");
}

#[test]
fn copy_that_is_passed_in_place_of_the_variable_is_noticed() {
    let mut f = |x: &[f64]| {
        waypoint_forward("x", &mut x.to_vec());
        x[0] * x[0]
    };
    let mut gradient = |x: &[f64], g: &mut [f64]| {
        g[0] = 3.0 * x[0];
        waypoint_reverse("x", x, &[3.0 * x[0]]);
    };
    let report = test_gradient(&mut f, Gradient::Call(&mut gradient), &[0.7], &mut TestOptions::default()).unwrap();
    assert!(report.to_string().contains("pass the variable itself, not a copy"), "{report}");
}

#[test]
fn function_without_waypoints_and_gradient_without_are_said() {
    let mut f = |x: &[f64]| x[0] * x[0];
    let mut gradient = |x: &[f64], g: &mut [f64]| {
        g[0] = 3.0 * x[0];
        waypoint_reverse("x", x, g);
    };
    let run = |f: &mut dyn FnMut(&[f64]) -> f64, gradient: &mut dyn FnMut(&[f64], &mut [f64])| {
        test_gradient(f, Gradient::Call(gradient), &[0.7], &mut TestOptions::default()).unwrap().to_string()
    };
    assert!(run(&mut f, &mut gradient).contains("the function passes none"));
    let mut without = |x: &[f64], g: &mut [f64]| g[0] = 3.0 * x[0];
    assert!(run(&mut f, &mut without).contains("waypoints in both sweeps would say between which lines"));
}

#[test]
fn first_waypoint_whose_adjoint_differs_in_a_second_call_is_named() {
    let mut f = |x: &[f64]| x[0] * x[0];
    let mut kept = 0.0;
    let mut gradient = |x: &[f64], g: &mut [f64]| {
        waypoint_reverse("x", x, &[1.0]);
        kept += 2.0 * x[0];
        g[0] = kept;
        waypoint_reverse("x", x, g);
    };
    let report = test_gradient(&mut f, Gradient::Call(&mut gradient), &[0.7], &mut TestOptions::default()).unwrap();
    assert!(report.to_string().contains("that of 'x' differs at"), "{report}");
}

#[test]
fn search_that_runs_out_of_evaluations_claims_nothing_it_does_not_know() {
    for runs in [30, 60, 120, 180, 240] {
        let text = tested_in::<f64>(Some(17), runs).to_string();
        let passed = 2 * (STAGES - 1 - 17) + 1;
        let found = number(&text, "    right at ", "y") == Some(passed);
        assert!(found || !text.contains("    right at "), "{runs}: {text}");
        assert!(found || !text.contains("see the seed"), "{runs}: {text}");
        assert!(number(&text, "    wrong at ", "y").is_none_or(|at| at >= passed + 2), "{runs}: {text}");
    }
}
