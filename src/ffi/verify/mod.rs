//! Tests of derivatives.

mod derivative;
