//! Tests of derivatives.

mod derivative;
mod waypoint;
