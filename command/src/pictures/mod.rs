//! Pictures, as SVG: in pages, which have a light and a dark side, and in files of their own.

pub mod flame;
pub mod memory;
pub mod steps;
pub mod theme;
