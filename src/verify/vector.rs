//! Vectors: sums without loss, products on one process or several, directions.

#![forbid(unsafe_code)]

use super::options::{Product, TestOptions};
use super::real::Real;

/// A sum whose rounding errors are summed too (Neumaier).
#[derive(Default)]
struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        if !sum.is_finite() {
            // What such a sum has lost would be the difference of two infinities.
            self.sum = sum;
            return;
        }
        let larger = self.sum.abs() >= x.abs();
        self.lost += if larger { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }
}

/// The sum of `terms`; not finite if one of them is not.
pub(super) fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let mut total = Sum::default();
    terms.for_each(|x| total.add(x));
    let whole = total.sum + total.lost;
    if whole.is_nan() { total.sum } else { whole }
}

/// The dot product, by the program's function if there is one.
pub(super) fn dot<T: Real>(product: &mut Option<Product<'_, T>>, a: &[T], b: &[T]) -> f64 {
    match product {
        Some(product) => product(a, b),
        None => sum(a.iter().zip(b).map(|(a, b)| a.widened() * b.widened())),
    }
}

/// The square root of the sum of the squares. Squares that are too large or too small for a number are no trouble: on
/// several processes all of them find the same, and scale alike.
pub(super) fn norm<T: Real>(product: &mut Option<Product<'_, T>>, a: &[T]) -> f64 {
    let squares = dot(product, a, a);
    if squares.is_finite() && squares >= f64::MIN_POSITIVE / T::EPSILON {
        return squares.sqrt();
    }
    let factor = if squares >= 1.0 || squares.is_nan() { 1.0 / T::FAR } else { T::FAR };
    let scaled: Vec<T> = a.iter().map(|a| T::nearest(a.widened() * factor)).collect();
    dot(product, &scaled, &scaled).max(0.0).sqrt() / factor
}

/// The square root of the sum of the squares of the products of components: the size of a dot product whose terms have
/// signs at random.
pub(super) fn scale<T: Real>(product: &mut Option<Product<'_, T>>, a: &[T], b: &[T]) -> f64 {
    let each: Vec<T> = a.iter().zip(b).map(|(a, b)| T::nearest(a.widened() * b.widened())).collect();
    norm(product, &each)
}

/// The k-th of a sequence without pattern, in [-1.5, -0.5] or [0.5, 1.5]: no two terms cancel.
pub(super) fn random(k: u64) -> f64 {
    let mut z = k.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    let size = 0.5 + (z >> 11) as f64 / (1_u64 << 53) as f64;
    if z & 1 == 0 { size } else { -size }
}

/// The direction of a test: the program's, or each component by about its own size.
pub(super) fn direction<T: Real>(x: &[T], options: &mut TestOptions<'_, T>) -> Vec<T> {
    if let Some(given) = options.direction {
        return given.to_vec();
    }
    let ones = vec![T::nearest(1.0); x.len()];
    let count = dot(&mut options.product, &ones, &ones);
    let typical = norm(&mut options.product, x) / count.max(1.0).sqrt();
    let typical = if typical > 0.0 && typical.is_finite() { typical } else { 1.0 };
    let size = |x: f64| if x == 0.0 { typical } else { x.abs().max(typical / 64.0) };
    x.iter().enumerate().map(|(i, x)| T::nearest(random(i as u64) * size(x.widened()))).collect()
}

/// The step that changes x by itself.
pub(super) fn own_size<T: Real>(x: &[T], d: &[T], options: &mut TestOptions<'_, T>) -> f64 {
    if options.direction.is_none() {
        return 1.0;
    }
    let (x, d) = (norm(&mut options.product, x), norm(&mut options.product, d));
    let ratio = if x > 0.0 { x / d } else { 1.0 / d };
    if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 }
}
