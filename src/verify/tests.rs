//! Models with known errors: what each test says of them.

#![forbid(unsafe_code)]

use super::*;
use crate::error::Status;
use crate::tape::with_thread_tape;

type Model = (fn(&[f64]) -> f64, fn(&[f64]) -> Vec<f64>);

/// A function of any number of components with products, a quotient and a sine.
fn smooth(x: &[f64]) -> f64 {
    let next = |i: usize| x[(i + 1) % x.len()];
    (0..x.len()).map(|i| x[i] * next(i).sin() + x[i] / (1.0 + x[i] * x[i]) + 0.1 * (i as f64) * x[i]).sum()
}

fn gradient_of_smooth(x: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; x.len()];
    for i in 0..x.len() {
        let j = (i + 1) % x.len();
        let q = 1.0 + x[i] * x[i];
        g[i] += x[j].sin() + (1.0 - x[i] * x[i]) / (q * q) + 0.1 * i as f64;
        g[j] += x[i] * x[j].cos();
    }
    g
}

fn point(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.3 + (i as f64 * 0.37).sin()).collect()
}

fn tested(f: fn(&[f64]) -> f64, g: &[f64], x: &[f64]) -> Report {
    test_gradient(&mut |x| f(x), Gradient::Array(g), x, &mut TestOptions::default()).unwrap()
}

#[test]
fn right_gradient_has_order_two_and_no_component_is_named() {
    for n in [1, 2, 7, 300, 20_000] {
        let x = point(n);
        let report = tested(smooth, &gradient_of_smooth(&x), &x);
        let s = report.summary;
        assert_eq!(report.reason(), Reason::Agrees, "{n}: {report}");
        assert!((s.order - 2.0).abs() < 0.1 && s.error < 1e-8 && s.evaluations < 40, "{n}: {report}");
        assert!(report.components().is_empty() && s.uncertainty < 1e-7 * s.slope.abs().max(1.0), "{n}: {report}");
    }
}

#[test]
fn wrong_component_is_named_with_what_it_should_be() {
    for n in [1, 3, 50, 1000, 30_000] {
        let x = point(n);
        let right = gradient_of_smooth(&x);
        let k = n / 3;
        let mistakes: [(&str, f64); 4] =
            [("sign", -right[k]), ("factor", 2.0 * right[k]), ("zero", 0.0), ("small", right[k] * (1.0 + 1e-2))];
        for (what, value) in mistakes {
            let mut g = right.clone();
            g[k] = value;
            let report = tested(smooth, &g, &x);
            assert_eq!(report.reason(), Reason::Wrong, "{what} of {n}: {report}");
            assert_eq!(report.components()[0], k as i64, "{what} of {n}: {report}");
            assert_eq!(report.components().len(), 1, "{what} of {n}: {report}");
            let found = report.summary.component_reference[0];
            assert!((found - right[k]).abs() < 1e-5 * right[k].abs().max(1.0), "{what} of {n}: {report}");
            assert!(report.summary.evaluations < 500, "{what} of {n}: {report}");
        }
    }
}

#[test]
fn small_error_is_seen_and_falls_with_order_one_in_the_end() {
    let x = point(4);
    let mut g = gradient_of_smooth(&x);
    g[2] *= 1.0 + 1e-5;
    let report = tested(smooth, &g, &x);
    assert_eq!(report.reason(), Reason::Wrong, "{report}");
    assert!((report.summary.order - 1.0).abs() < 0.2, "{report}");
    // What is asked for decides.
    let mut lenient = TestOptions { tolerance: 1e-3, ..TestOptions::default() };
    let report = test_gradient(&mut |x: &[f64]| smooth(x), Gradient::Array(&g), &x, &mut lenient).unwrap();
    assert!(report.summary.passed, "{report}");
}

/// A kink between the steps looks like an error of the slope from the larger ones; the smaller ones know better.
#[test]
fn small_kink_near_x_is_no_error() {
    for (constant, kink, at) in [(1e3, 1e-5, 1e-5), (1.0, 1e-5, 1e-6)] {
        let mut f = |x: &[f64]| constant + x[0] * x[0] + kink * (x[0] - 1.0 - at).max(0.0);
        let mut options = TestOptions { direction: Some(&[1.0]), ..TestOptions::default() };
        let mut tested = |g| test_gradient(&mut f, Gradient::Array(&[g]), &[1.0], &mut options).unwrap();
        let report = tested(2.0);
        assert!(report.summary.passed && (report.summary.order - 2.0).abs() < 0.1, "{report}");
        assert_eq!(tested(2.0001).reason(), Reason::Wrong);
    }
}

#[test]
fn common_factor_of_all_components_is_said() {
    let x = point(5);
    for (factor, said) in [(-1.0, "the sign of each of them is wrong"), (0.5, "times 2.000000 would be right")] {
        let g: Vec<f64> = gradient_of_smooth(&x).iter().map(|g| factor * g).collect();
        let report = tested(smooth, &g, &x).to_string();
        assert!(report.contains(said) && report.contains("all components disagree"), "{report}");
    }
}

#[test]
fn swapped_components_do_not_cancel() {
    let x = point(6);
    let mut g = gradient_of_smooth(&x);
    g.swap(1, 4);
    let report = tested(smooth, &g, &x);
    let mut named = report.components().to_vec();
    named.sort_unstable();
    assert_eq!((report.reason(), named), (Reason::Wrong, vec![1, 4]), "{report}");
}

#[test]
fn linear_quadratic_cubic_constant_and_stationary_functions_pass() {
    let x = [1.0, -2.0, 0.5];
    let cases: [(&str, Model, Reason); 5] = [
        ("linear", (|x| 3.0 * x[0] - x[1] + 0.25 * x[2], |_| vec![3.0, -1.0, 0.25]), Reason::Linear),
        ("quadratic", (|x| x[0] * x[0] + x[1] * x[2], |x| vec![2.0 * x[0], x[2], x[1]]), Reason::Agrees),
        ("cubic", (|x| (x[0] - 1.0).powi(3) + x[1], |_| vec![0.0, 1.0, 0.0]), Reason::Agrees),
        ("constant", (|_| 4.5, |_| vec![0.0; 3]), Reason::Constant),
        ("minimum", (|x| (x[0] - 1.0).powi(2) + (x[1] + 2.0).powi(2), |_| vec![0.0; 3]), Reason::Agrees),
    ];
    for (what, (f, g), reason) in cases {
        let report = tested(f, &g(&x), &x);
        assert_eq!(report.reason(), reason, "{what}: {report}");
        assert!(report.summary.passed && report.summary.error < 1e-9, "{what}: {report}");
        let order = match what {
            "linear" | "constant" => 0.0,
            "cubic" => 3.0,
            _ => 2.0,
        };
        assert!((report.summary.order - order).abs() < 0.1, "{what}: {report}");
    }
    let linear: fn(&[f64]) -> f64 = |x| 3.0 * x[0] - x[1];
    assert_eq!(tested(linear, &[3.0, 1.0], &x[..2]).components(), [1]);
    assert_eq!(tested(linear, &[0.0, 0.0], &x[..2]).reason(), Reason::Wrong, "a gradient of zero of what is linear");
}

#[test]
fn kink_at_x_is_told_from_a_wrong_gradient() {
    let f: fn(&[f64]) -> f64 = |x| x[0].max(2.0) + x[1] * x[1];
    let x = [2.0, 1.0];
    for g in [[0.0, 2.0], [1.0, 2.0], [0.5, 2.0]] {
        let report = tested(f, &g, &x);
        assert_eq!(report.reason(), Reason::Kink, "{report}");
        assert!(report.to_string().contains("on one side of x"), "{report}");
    }
    assert_eq!(tested(f, &[1.0, 7.0], &x).reason(), Reason::Wrong);
    // Beside the kink there is a gradient.
    assert!(tested(f, &[1.0, 2.0], &[2.001, 1.0]).summary.passed);
    assert!(tested(f, &[0.0, 2.0], &[1.999, 1.0]).summary.passed);
}

/// A forward sweep on the thread's tape.
fn with_branches(x: &[f64]) -> f64 {
    let mut y = x[0];
    for k in 0..40 {
        with_thread_tape(|tape| tape.push(y)).unwrap();
        let above = y > 1.3;
        with_thread_tape(|tape| tape.push_control(u64::from(above), 1)).unwrap();
        y = if above { 0.5 * y } else { y * 1.01 + 0.001 * f64::from(k) };
    }
    y
}

#[test]
fn branch_that_changes_is_named_by_its_line_and_the_tape_is_as_before() {
    with_thread_tape(|tape| tape.push(7_i32)).unwrap();
    let x = [1.0];
    let slope = |x: f64| (with_branches(&[x + 1e-7]) - with_branches(&[x - 1e-7])) / 2e-7;
    let mark = with_thread_tape(|tape| tape.mark()).unwrap();
    let mut g = [slope(x[0])];
    with_thread_tape(|tape| tape.reset_to(&mark)).unwrap();
    let options =
        || TestOptions { tolerance: 1e-4, first_step: 0.25, direction: Some(&[1.0]), ..TestOptions::default() };
    let report = test_gradient(&mut with_branches, Gradient::Array(&g), &x, &mut options()).unwrap();
    assert!(report.summary.passed && report.summary.branch_step > 0.0, "{report}");
    let text = report.to_string();
    assert!(text.contains("a branch changes between h = ") && text.contains("verify/tests.rs:"), "{text}");
    assert!(text.contains("branches before it are equal"), "{text}");
    g[0] *= -1.0;
    let report = test_gradient(&mut with_branches, Gradient::Array(&g), &x, &mut options()).unwrap();
    assert_eq!(report.reason(), Reason::Wrong, "{report}");
    let left = with_thread_tape(|tape| tape.stats()).unwrap();
    assert_eq!((left.bytes, left.pending_bits), (4, 0));
    assert_eq!(with_thread_tape(|tape| tape.pop::<i32>()).unwrap(), 7);
}

#[test]
fn branches_of_a_gradient_call_are_compared_where_the_function_pushes_none() {
    let f = |x: &[f64]| if x[0] > 1.01 { 2.0 * x[0] * x[0] } else { x[0] * x[0] };
    let mut g = |x: &[f64], g: &mut [f64]| {
        with_thread_tape(|tape| tape.push_control(u64::from(x[0] > 1.01), 1)).unwrap();
        let above = with_thread_tape(|tape| tape.pop_control(1)).unwrap();
        g[0] = if above == 1 { 4.0 * x[0] } else { 2.0 * x[0] };
    };
    let options = &mut TestOptions { direction: Some(&[1.0]), ..TestOptions::default() };
    let report = test_gradient(&mut { f }, Gradient::Call(&mut g), &[1.0], options).unwrap();
    assert!(report.summary.passed && report.to_string().contains("branch 0, then branch 1"), "{report}");
    assert_eq!(report.summary.branch_position, 0);
}

#[test]
fn noise_is_that_of_x_itself_whatever_the_first_step_is() {
    let x: Vec<f64> = (0..20_000).map(|i| 0.3 + f64::from(i % 97) / 50.0).collect();
    let mut f = |x: &[f64]| x.iter().fold(0.0, |sum, x| sum + x.sin() * x) / 20_000.0;
    let g: Vec<f64> = x.iter().map(|x| (x.cos() * x + x.sin()) / 20_000.0).collect();
    for first_step in [0.0, 1e-2, 1e-4, 1e-6] {
        let options = &mut TestOptions { first_step, ..TestOptions::default() };
        let report = test_gradient(&mut f, Gradient::Array(&g), &x, options).unwrap();
        assert!(report.summary.passed && report.summary.noise > 3e-15, "{first_step:e}: {report}");
    }
}

#[test]
fn noise_is_measured_and_is_no_fault_of_the_gradient() {
    let x = point(3);
    let g = gradient_of_smooth(&x);
    for size in [1e-12, 1e-9, 1e-6] {
        let mut calls = 0_u64;
        let mut f = |x: &[f64]| {
            calls += 1;
            smooth(x) + size * super::vector::random(calls)
        };
        let report = test_gradient(&mut f, Gradient::Array(&g), &x, &mut TestOptions::default()).unwrap();
        assert!(report.summary.passed, "{size:e}: {report}");
        assert!((size / 8.0..8.0 * size).contains(&report.summary.noise), "{size:e}: {report}");
        assert!(report.to_string().contains("down it is rounding"), "{report}");
        let wrong = [g[0], -g[1], g[2]];
        let report = test_gradient(&mut f, Gradient::Array(&wrong), &x, &mut TestOptions::default()).unwrap();
        assert_eq!((report.reason(), report.components()), (Reason::Wrong, &[1_i64][..]), "{size:e}: {report}");
    }
    let mut calls = 0_u64;
    let mut f = |x: &[f64]| {
        calls += 1;
        x[0] + 10.0 * super::vector::random(calls)
    };
    let report = test_gradient(&mut f, Gradient::Array(&[1.0]), &[1.0], &mut TestOptions::default()).unwrap();
    assert_eq!(report.reason(), Reason::Noise, "{report}");
}

#[test]
fn what_is_not_finite_or_zero_is_said() {
    let reason = |f: fn(&[f64]) -> f64, g: f64, x: f64| tested(f, &[g], &[x]).reason();
    assert_eq!(reason(|_| f64::NAN, 1.0, 1.0), Reason::NotFinite);
    assert_eq!(reason(|x| x[0], f64::INFINITY, 1.0), Reason::NotFinite);
    assert_eq!(reason(|x| if x[0] == 1.0 { 1.0 } else { f64::NAN }, 1.0, 1.0), Reason::NotFinite);
    // Steps that are too large are left out: here x + h d is to stay within (0.999, 1.001).
    assert_eq!(reason(|x| if (x[0] - 1.0).abs() < 1e-3 { x[0].sqrt() } else { f64::NAN }, 0.5, 1.0), Reason::Agrees);
    let options = &mut TestOptions { direction: Some(&[0.0, 0.0]), ..TestOptions::default() };
    let report = test_gradient(&mut |x: &[f64]| x[0], Gradient::Array(&[1.0, 0.0]), &[1.0, 2.0], options).unwrap();
    assert_eq!(report.reason(), Reason::ZeroDirection);
    for (x, g) in [(&[][..], &[][..]), (&[1.0][..], &[1.0, 2.0][..])] {
        let error = test_gradient(&mut |_| 0.0, Gradient::Array(g), x, &mut TestOptions::default()).unwrap_err();
        assert_eq!(error.status(), Status::BadArgument);
    }
}

#[test]
fn state_from_one_call_to_the_next_is_found() {
    let mut kept = 0.0;
    let mut g = |x: &[f64], g: &mut [f64]| {
        kept += 2.0 * x[0]; // an adjoint that is never set to zero
        g[0] = kept;
    };
    let report =
        test_gradient(&mut |x: &[f64]| x[0] * x[0], Gradient::Call(&mut g), &[3.0], &mut TestOptions::default())
            .unwrap();
    assert_eq!(report.reason(), Reason::NotRepeatable, "{report}");
    let mut calls = 0.0;
    let mut f = |x: &[f64]| {
        calls += 1.0;
        x[0] * calls
    };
    let report = test_gradient(&mut f, Gradient::Array(&[1.0]), &[3.0], &mut TestOptions::default()).unwrap();
    assert_eq!(report.reason(), Reason::NotRepeatable, "{report}");
    let mut g = |x: &[f64], g: &mut [f64]| {
        with_thread_tape(|tape| tape.push(x[0])).unwrap();
        g[0] = 1.0;
    };
    let report =
        test_gradient(&mut |x: &[f64]| x[0], Gradient::Call(&mut g), &[3.0], &mut TestOptions::default()).unwrap();
    assert_eq!(report.reason(), Reason::TapeLeft, "{report}");
    assert!(report.to_string().contains("+8 bytes"), "{report}");
    with_thread_tape(|tape| tape.pop::<f64>()).unwrap();
}

#[test]
fn single_precision_and_a_product_of_the_program_work_alike() {
    let f = |x: &[f32]| f64::from(x[0] * x[0] * x[1] + x[1].sin());
    let x = [1.5_f32, 0.7];
    let g = [2.0 * x[0] * x[1], x[0] * x[0] + x[1].cos()];
    let mut calls = 0;
    let mut product = |a: &[f32], b: &[f32]| {
        calls += 1;
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let mut options = TestOptions { product: Some(&mut product), ..TestOptions::default() };
    let report = test_gradient(&mut { f }, Gradient::Array(&g), &x, &mut options).unwrap();
    assert!(report.summary.passed && (report.summary.order - 2.0).abs() < 0.2, "{report}");
    let report = test_gradient(&mut { f }, Gradient::Array(&[g[0], -g[1]]), &x, &mut options).unwrap();
    assert_eq!((report.reason(), report.components().len()), (Reason::Wrong, 0), "{report}");
    assert!(calls > 10);
    let report = test_gradient(&mut { f }, Gradient::Array(&[g[0], -g[1]]), &x, &mut TestOptions::default()).unwrap();
    assert_eq!(report.components(), [1], "{report}");
}

#[test]
fn slope_without_a_gradient_has_an_error_that_is_known() {
    let x = point(5);
    let d = [1.0, 0.0, -1.0, 2.0, 0.5];
    let exact: f64 = gradient_of_smooth(&x).iter().zip(&d).map(|(g, d)| g * d).sum();
    let mut options = TestOptions { direction: Some(&d), ..TestOptions::default() };
    let report = test_gradient(&mut |x: &[f64]| smooth(x), Gradient::None, &x, &mut options).unwrap();
    let s = report.summary;
    assert_eq!(report.reason(), Reason::NoGradient);
    assert!((s.slope - exact).abs() <= 2.0 * s.uncertainty && s.uncertainty < 1e-8, "{exact} {report}");
}

#[test]
fn complex_step_names_what_disagrees_among_many() {
    let f = |z: &[[f64; 2]]| {
        let squares = z.iter().enumerate().map(|(i, z)| {
            let k = 1.0 + i as f64;
            [k * (z[0] * z[0] - z[1] * z[1]), k * 2.0 * z[0] * z[1]]
        });
        squares.fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
    };
    let x = point(5000);
    let mut g: Vec<f64> = x.iter().enumerate().map(|(i, x)| (1.0 + i as f64) * 2.0 * x).collect();
    let report = test_complex(&mut { f }, Gradient::Array(&g), &x, &mut TestOptions::default()).unwrap();
    assert!(report.summary.passed && report.summary.error < 1e-13, "{report}");
    g[1234] = 0.0;
    let mut options = TestOptions { first_index: 1, ..TestOptions::default() };
    let report = test_complex(&mut { f }, Gradient::Array(&g), &x, &mut options).unwrap();
    assert_eq!((report.reason(), report.components()), (Reason::Wrong, &[1235_i64][..]), "{report}");
    assert!(report.to_string().contains("a term is forgotten"), "{report}");
}

/// y_i = a_i x_i + x_{i+1}, at a point that is in a.
fn tangent(xd: &[f64], yd: &mut [f64]) {
    for i in 0..yd.len() {
        yd[i] = (1.0 + i as f64) * xd[i] + xd[i + 1];
    }
}

fn adjoint(yb: &[f64], xb: &mut [f64]) {
    for (i, y) in yb.iter().enumerate() {
        xb[i] += (1.0 + i as f64) * y;
        xb[i + 1] += y;
    }
}

#[test]
fn dot_product_test_names_inputs_and_outputs_that_disagree() {
    for m in [1, 5, 3000] {
        let n = m + 1;
        let report = test_dot(&mut tangent, &mut adjoint, n, m, &mut TestOptions::default()).unwrap();
        assert!(report.summary.passed && report.summary.error < 1e-12, "{report}");
        let k = m / 2;
        let mut forgotten = |yb: &[f64], xb: &mut [f64]| {
            adjoint(yb, xb);
            xb[k] -= (1.0 + k as f64) * yb[k];
        };
        let report = test_dot(&mut tangent, &mut forgotten, n, m, &mut TestOptions::default()).unwrap();
        assert_eq!(report.reason(), Reason::Wrong, "{m}: {report}");
        assert_eq!(report.components(), [k as i64, -(k as i64) - 1], "{m}: {report}");
    }
}

#[test]
fn dot_product_test_finds_what_is_not_linear_or_left() {
    let mut kept = [0.0; 4];
    let mut keeps = |yb: &[f64], xb: &mut [f64]| {
        adjoint(yb, &mut kept);
        xb.copy_from_slice(&kept);
    };
    let report = test_dot(&mut tangent, &mut keeps, 4, 3, &mut TestOptions::default()).unwrap();
    assert_eq!(report.reason(), Reason::NotLinear, "{report}");
    let mut pushes = |yb: &[f64], xb: &mut [f64]| {
        adjoint(yb, xb);
        with_thread_tape(|tape| tape.push_control(1, 3)).unwrap();
    };
    let report = test_dot(&mut tangent, &mut pushes, 4, 3, &mut TestOptions::default()).unwrap();
    assert_eq!(report.reason(), Reason::TapeLeft, "{report}");
    with_thread_tape(|tape| tape.pop_control(3)).unwrap();
    let mut nothing = |_: &[f64], _: &mut [f64]| {};
    let mut nothing_back = |_: &[f64], _: &mut [f64]| {};
    let report = test_dot(&mut nothing, &mut nothing_back, 4, 3, &mut TestOptions::default()).unwrap();
    assert_eq!(report.reason(), Reason::Constant, "{report}");
}

#[test]
fn plot_is_a_picture_or_a_table() {
    let folder = std::env::temp_dir().join(format!("adtape-verify-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let x = point(3);
    for (name, begins, has) in [("a.svg", "<svg", "derivative test: passed"), ("a.txt", "# step", " 1\n")] {
        let path = folder.join(name);
        let mut options = TestOptions { plot: Some(&path), ..TestOptions::default() };
        let g = gradient_of_smooth(&x);
        test_gradient(&mut |x: &[f64]| smooth(x), Gradient::Array(&g), &x, &mut options).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(begins) && text.contains(has), "{text}");
    }
    let lost = folder.join("none/a.svg");
    let mut options = TestOptions { plot: Some(&lost), ..TestOptions::default() };
    let error = test_gradient(&mut |x: &[f64]| x[0], Gradient::None, &x, &mut options).unwrap_err();
    assert_eq!(error.status(), Status::Io);
    std::fs::remove_dir_all(&folder).unwrap();
}
