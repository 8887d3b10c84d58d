//! The two precisions that tests know.

#![forbid(unsafe_code)]

use crate::tape::Scalar;

/// 2 to the power of what may be an exponent of a normal number.
pub(super) const fn power_of_2(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// f32 or f64.
pub trait Real: Scalar + Copy + PartialEq {
    /// The distance from 1 to the next number.
    const EPSILON: f64;
    /// The relative error of a gradient that a test accepts where the program says nothing.
    const GRADIENT_TOLERANCE: f64;
    /// The like for two products, or for a complex step.
    const PRODUCT_TOLERANCE: f64;
    /// A power of 2 whose product with what is small, or quotient of what is large, has a square that is a number.
    const FAR: f64;
    /// The smallest number above 0: all that is near it has an error of about half of it.
    const LEAST: f64;
    /// 0.
    const ZERO: Self;

    /// In double precision.
    fn widened(self) -> f64;
    /// The nearest number.
    fn nearest(x: f64) -> Self;
    /// The pattern of bits.
    fn pattern(self) -> u64;
}

impl Real for f64 {
    const EPSILON: f64 = f64::EPSILON;
    const GRADIENT_TOLERANCE: f64 = 1e-7;
    const PRODUCT_TOLERANCE: f64 = 1e-10;
    const FAR: f64 = power_of_2(600);
    const LEAST: f64 = f64::from_bits(1);
    const ZERO: f64 = 0.0;

    fn widened(self) -> f64 {
        self
    }
    fn nearest(x: f64) -> f64 {
        x
    }
    fn pattern(self) -> u64 {
        self.to_bits()
    }
}

impl Real for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    const GRADIENT_TOLERANCE: f64 = 1e-3;
    const PRODUCT_TOLERANCE: f64 = 1e-4;
    const FAR: f64 = power_of_2(80);
    const LEAST: f64 = power_of_2(-149);
    const ZERO: f32 = 0.0;

    fn widened(self) -> f64 {
        f64::from(self)
    }
    fn nearest(x: f64) -> f32 {
        x as f32
    }
    fn pattern(self) -> u64 {
        u64::from(self.to_bits())
    }
}
