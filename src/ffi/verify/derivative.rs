//! Derivative tests: a gradient against its function, a tangent against its adjoint.

use crate::error::{Error, Status};
use crate::ffi::arguments::{list_of, number, print, text_or_none, write_out};
use crate::ffi::outcome::status;
use crate::ffi::texts::TEXTS;
use crate::verify::{self, Gradient, Real, Report, Summary, test_complex, test_dot, test_gradient};
use std::ffi::{CString, c_char, c_void};
use std::path::Path;

/// The function that is tested: its value at `x`, which has `n` components. A value that is not finite says that it
/// failed. It may be a forward sweep on the thread's tape, which the test leaves as it was.
pub type FunctionF64 = Option<unsafe extern "C" fn(n: i64, x: *const f64, user: *mut c_void) -> f64>;
/// The like for float.
pub type FunctionF32 = Option<unsafe extern "C" fn(n: i64, x: *const f32, user: *mut c_void) -> f64>;

/// Computes the gradient at `x`; `gradient` has `n` values that are 0 before.
pub type GradientF64 = Option<unsafe extern "C" fn(n: i64, x: *const f64, gradient: *mut f64, user: *mut c_void)>;
/// The like for float.
pub type GradientF32 = Option<unsafe extern "C" fn(n: i64, x: *const f32, gradient: *mut f32, user: *mut c_void)>;

/// A tangent or an adjoint: `n` values in, `m` values out, which are 0 before.
pub type LinearF64 = Option<unsafe extern "C" fn(n: i64, x: *const f64, m: i64, y: *mut f64, user: *mut c_void)>;
/// The like for float.
pub type LinearF32 = Option<unsafe extern "C" fn(n: i64, x: *const f32, m: i64, y: *mut f32, user: *mut c_void)>;

/// The function in complex arithmetic: `z` are `n` numbers of type double complex (float complex), `value` is one double
/// complex.
pub type ComplexCall = Option<unsafe extern "C" fn(n: i64, z: *const c_void, value: *mut f64, user: *mut c_void)>;

/// The dot product of two vectors of which this process has `n` components each, summed up over all processes. The type
/// of the components is that of the test.
pub type ProductCall =
    Option<unsafe extern "C" fn(n: i64, a: *const c_void, b: *const c_void, user: *mut c_void) -> f64>;

/// Options of a derivative test. Zeros, or NULL in place of the structure, are right for most.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct TestOptions {
    /// The direction: as many values as `x`, of the test's type. NULL: each component of x changes by about its own size,
    /// with a sign and a factor at random.
    pub direction: *const c_void,
    /// Of adtape_test_dot_f64: what the adjoint starts from, `m` values. NULL: numbers at random.
    pub weights: *const c_void,
    /// The dot product, where each process has a part of the vectors; all processes call the test. NULL: the plain one.
    pub product: ProductCall,
    /// The function in complex arithmetic: the test then takes a complex step in place of finite ones.
    pub complex_function: ComplexCall,
    /// The largest step, in units of the direction; 0 for 1/16 of the ratio of the norms of x and direction.
    pub first_step: f64,
    /// The relative error that is accepted; 0 for 1e-7 (float: 1e-3), for products and complex steps 1e-10 (1e-4).
    pub tolerance: f64,
    /// Evaluations for the search of components that disagree; 0 for 400, negative for no search.
    pub search_runs: i64,
    /// What the first component is called: 0, or 1.
    pub first_index: i64,
    /// A file for a picture of the remainders, if its name ends in .svg, or else for their table. NULL for none.
    pub plot: *const c_char,
    /// Steps at most; 0 for 16.
    pub steps: i32,
    /// A file descriptor that the explanation is written to, as 1 or 2; 0 for none.
    pub output: i32,
}

impl Default for TestOptions {
    fn default() -> TestOptions {
        TestOptions {
            direction: std::ptr::null(),
            weights: std::ptr::null(),
            product: None,
            complex_function: None,
            first_step: 0.0,
            tolerance: 0.0,
            search_runs: 0,
            first_index: 0,
            plot: std::ptr::null(),
            steps: 0,
            output: 0,
        }
    }
}

fn missing(what: &str) -> Error {
    Error::new(
        Status::NullPointer,
        format!("a derivative test without {what}\n  pass it, or NULL where the call says so"),
    )
}

/// Values of the program; None for NULL.
///
/// # Safety
/// `values` is NULL or valid for `n` values that live for `'a`.
unsafe fn values<'a, T>(values: *const T, n: i64, what: &str) -> Result<Option<&'a [T]>, Error> {
    if values.is_null() {
        number(n, what)?;
        return Ok(None);
    }
    // SAFETY: by contract.
    unsafe { list_of(values, n, what) }.map(Some)
}

/// Runs a test with the program's options, says what was asked for, and writes the report.
///
/// # Safety
/// `options` is NULL or valid, with what it points to; `report` is NULL or valid for a write.
unsafe fn tested<T: Real>(
    (n, m): (i64, i64),
    user: *mut c_void,
    options: *const TestOptions,
    report: *mut Summary,
    test: impl FnOnce(&mut verify::TestOptions<'_, T>, TestOptions) -> Result<Report, Error>,
) -> Status {
    let run = || {
        // SAFETY: by contract.
        let given = unsafe { options.as_ref() }.copied().unwrap_or_default();
        let mut product = given.product.map(|call| {
            move |a: &[T], b: &[T]| {
                // SAFETY: the program's function, called as it was promised.
                unsafe { call(a.len() as i64, a.as_ptr().cast(), b.as_ptr().cast(), user) }
            }
        });
        // SAFETY: by contract.
        let (direction, weights, plot) = unsafe {
            (
                values(given.direction.cast::<T>(), n, "components of a direction")?,
                values(given.weights.cast::<T>(), m, "weights")?,
                text_or_none(given.plot, "the name of a plot")?,
            )
        };
        let mut options = verify::TestOptions {
            direction,
            weights,
            product: product.as_mut().map(|call| call as _),
            first_step: given.first_step,
            tolerance: given.tolerance,
            steps: given.steps,
            search_runs: given.search_runs,
            first_index: given.first_index,
            plot: plot.map(Path::new),
        };
        let done = test(&mut options, given)?;
        let text = done.to_string();
        if given.output != 0 {
            print(&text, given.output)?;
        }
        TEXTS.with(|texts| *texts.test.borrow_mut() = CString::new(text).unwrap_or_default());
        Ok(done.summary)
    };
    // SAFETY: by contract.
    status(unsafe { write_out(report, "the report", run) })
}

/// # Safety
/// `x` and `gradient` are NULL or valid for `n` values; the rest as for [`tested`].
#[allow(clippy::too_many_arguments)]
unsafe fn gradient_of<T: Real>(
    function: Option<unsafe extern "C" fn(i64, *const T, *mut c_void) -> f64>,
    call: Option<unsafe extern "C" fn(i64, *const T, *mut T, *mut c_void)>,
    user: *mut c_void,
    n: i64,
    x: *const T,
    gradient: *const T,
    options: *const TestOptions,
    report: *mut Summary,
) -> Status {
    let test = |options: &mut verify::TestOptions<'_, T>, given: TestOptions| {
        // SAFETY: by contract.
        let (x, array) =
            unsafe { (list_of(x, n, "components of x")?, values(gradient, n, "components of a gradient")?) };
        let mut call = call.map(|call| {
            // SAFETY: the program's function, called as it was promised.
            move |x: &[T], g: &mut [T]| unsafe { call(x.len() as i64, x.as_ptr(), g.as_mut_ptr(), user) }
        });
        let gradient = match (&mut call, array) {
            (Some(_), Some(_)) => {
                let said = "a gradient is given twice, as an array and as a function\n  give one of them";
                return Err(Error::new(Status::BadArgument, said));
            }
            (Some(call), None) => Gradient::Call(call),
            (None, Some(array)) => Gradient::Array(array),
            (None, None) => Gradient::None,
        };
        if let Some(complex) = given.complex_function {
            let mut function = |z: &[[T; 2]]| {
                let mut value = [0.0; 2];
                // SAFETY: the program's function, called as it was promised: a pair is a complex number.
                unsafe { complex(z.len() as i64, z.as_ptr().cast(), value.as_mut_ptr(), user) };
                value
            };
            return test_complex(&mut function, gradient, x, options);
        }
        let function = function.ok_or_else(|| missing("a function"))?;
        // SAFETY: the program's function, called as it was promised.
        let mut function = |x: &[T]| unsafe { function(x.len() as i64, x.as_ptr(), user) };
        test_gradient(&mut function, gradient, x, options)
    };
    // SAFETY: by contract.
    unsafe { tested((n, 0), user, options, report, test) }
}

/// A tangent or an adjoint of the program.
type Linear<T> = Option<unsafe extern "C" fn(i64, *const T, i64, *mut T, *mut c_void)>;

/// # Safety
/// As for [`tested`].
unsafe fn dot_of<T: Real>(
    tangent: Linear<T>,
    adjoint: Linear<T>,
    user: *mut c_void,
    (n, m): (i64, i64),
    options: *const TestOptions,
    report: *mut Summary,
) -> Status {
    let test = |options: &mut verify::TestOptions<'_, T>, _: TestOptions| {
        let (inputs, outputs) = (number(n, "inputs of a tangent")?, number(m, "outputs of a tangent")?);
        let map = |call: Linear<T>, what| {
            let call = call.ok_or_else(|| missing(what))?;
            Ok(move |from: &[T], to: &mut [T]| {
                // SAFETY: the program's function, called as it was promised.
                unsafe { call(from.len() as i64, from.as_ptr(), to.len() as i64, to.as_mut_ptr(), user) }
            })
        };
        let (mut tangent, mut adjoint) = (map(tangent, "a tangent")?, map(adjoint, "an adjoint")?);
        test_dot(&mut tangent, &mut adjoint, inputs as usize, outputs as usize, options)
    };
    // SAFETY: by contract.
    unsafe { tested((n, m), user, options, report, test) }
}

/// Tests a gradient of `n` components at `x` against its function. R(h) = f(x + h d) - f(x) - h (gradient . d) falls with
/// h² if it is right, with h¹ if it is wrong: `order`. Rounding is no part of the verdict, because the noise of f is
/// measured first. For a gradient that is wrong the report names components that disagree, and what they should be.
///
/// The gradient is an array at `x`, or what computes it, both sweeps: then it is called twice at `x`, and what is left
/// from one call to the next, or on the thread's tape, is found. Exactly one of `gradient_call` and `gradient` is given;
/// none, if only the slope in the direction is asked for, by finite differences. `user` is handed to every function.
/// `options` may be NULL. With its `complex_function` the slope comes from a complex step, and `f` may be NULL. Function
/// or gradient that push control values on the thread's tape have their branches compared where the remainder does not
/// fall evenly; the text names the line. Several processes with parts of x give a `product`; components are then not
/// searched.
///
/// Returns ADTAPE_STATUS_OK if there is a verdict, `passed` or not; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE;
/// ADTAPE_STATUS_BAD_ARGUMENT (no components; two gradients; a step or tolerance that makes no sense); ADTAPE_STATUS_IO
/// (the plot or the text cannot be written). `*report` is then unchanged.
/// Cost: 10 to 30 calls of the function, up to 400 more (`search_runs`) if the gradient is wrong; 5 vectors of memory.
/// Fortran: `call test_gradient(f, x, report, gradient, gradient_call, …)`, `call test_complex(f, x, report, …)`.
/// Source: noise: R. W. Hamming, Introduction to Applied Numerical Analysis (1971); J. J. Moré, S. M. Wild, Estimating
/// computational noise, SIAM J. Sci. Comput. 33 (2011). Extrapolation: C. J. F. Ridders, Adv. Eng. Softw. 4 (1982).
/// Complex step: W. Squire, G. Trapp, SIAM Rev. 40 (1998).
///
/// # Safety
/// The contract of pointers in the crate's documentation; functions of the program as they were promised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_test_gradient_f64(
    f: FunctionF64,
    gradient_call: GradientF64,
    user: *mut c_void,
    n: i64,
    x: *const f64,
    gradient: *const f64,
    options: *const TestOptions,
    report: *mut Summary,
) -> Status {
    // SAFETY: by contract.
    unsafe { gradient_of(f, gradient_call, user, n, x, gradient, options, report) }
}

/// adtape_test_gradient_f64 of float.
///
/// # Safety
/// As for adtape_test_gradient_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_test_gradient_f32(
    f: FunctionF32,
    gradient_call: GradientF32,
    user: *mut c_void,
    n: i64,
    x: *const f32,
    gradient: *const f32,
    options: *const TestOptions,
    report: *mut Summary,
) -> Status {
    // SAFETY: by contract.
    unsafe { gradient_of(f, gradient_call, user, n, x, gradient, options, report) }
}

/// Tests a tangent, from `n` inputs to `m` outputs, and the adjoint of the same program, from `m` to `n`, against each
/// other: tangent(d) . w = d . adjoint(w), to rounding. Each is called once more with twice its input, which gives twice
/// its result: an adjoint that keeps something from one call to the next is found so. Where they disagree the report
/// names inputs and outputs.
///
/// Results are 0 before each call. `user` is handed to both; `options` may be NULL: its `direction` is d, `weights` w.
/// Returns ADTAPE_STATUS_OK if there is a verdict, `passed` or not; ADTAPE_STATUS_NULL_POINTER; ADTAPE_STATUS_COUNT_RANGE;
/// ADTAPE_STATUS_BAD_ARGUMENT; ADTAPE_STATUS_IO. `*report` is then unchanged.
/// Cost: two calls of each, up to 400 in all (`search_runs`) if they disagree.
/// Fortran: `call test_dot(tangent, adjoint, x, y, report, …)`; of x and y, inputs and outputs, only kind and size count.
///
/// # Safety
/// The contract of pointers in the crate's documentation; functions of the program as they were promised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_test_dot_f64(
    tangent: LinearF64,
    adjoint: LinearF64,
    user: *mut c_void,
    n: i64,
    m: i64,
    options: *const TestOptions,
    report: *mut Summary,
) -> Status {
    // SAFETY: by contract.
    unsafe { dot_of(tangent, adjoint, user, (n, m), options, report) }
}

/// adtape_test_dot_f64 of float.
///
/// # Safety
/// As for adtape_test_dot_f64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn adtape_test_dot_f32(
    tangent: LinearF32,
    adjoint: LinearF32,
    user: *mut c_void,
    n: i64,
    m: i64,
    options: *const TestOptions,
    report: *mut Summary,
) -> Status {
    // SAFETY: by contract.
    unsafe { dot_of(tangent, adjoint, user, (n, m), options, report) }
}

/// The explanation of this thread's last derivative test, of several lines: the verdict, how the remainders fall, the
/// branch that changes, the components that disagree. Valid until the thread's next test; empty before the first.
///
/// Errors: none. Fortran: `text = test_text()`.
#[unsafe(no_mangle)]
pub extern "C" fn adtape_test_text() -> *const c_char {
    TEXTS.with(|texts| texts.test.borrow().as_ptr())
}
