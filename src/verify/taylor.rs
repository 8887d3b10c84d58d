//! Remainders over a series of steps, the order that they fall with, and the slope's error extrapolated to h = 0.
//!
//! Each step is a quarter of the one before. R(h) / h is the slope's error and terms in h, h², …, which an
//! extrapolation takes off; it stops where they get smaller than what the noise of f makes of them. Sources: L. F.
//! Richardson, Phil. Trans. A 210 (1911); C. J. F. Ridders, Accurate computation of F'(x), Adv. Eng. Softw. 4 (1982).

#![forbid(unsafe_code)]

use super::options::Product;
use super::probe::Probe;
use super::real::Real;
use super::report::Step;
use super::vector::dot;
use crate::error::Error;

/// From a step to the next.
pub(super) const RATIO: f64 = 4.0;

/// A gradient along a direction.
pub(super) struct Line<'a, T> {
    /// None where the slope itself is wanted.
    pub gradient: Option<&'a [T]>,
    pub direction: &'a [T],
    /// What the terms of gradient · direction add up to at most, times the scale: their rounding is in proportion.
    pub magnitude: f64,
}

/// A series of steps to one side of x.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    pub steps: Vec<Step>,
    /// Change of f by the largest step.
    pub change: f64,
    /// The slope's error; without a gradient the slope.
    pub error: f64,
    pub uncertainty: f64,
    /// Below it a remainder is noise, at the first step.
    pub floor: f64,
}

impl Series {
    /// Goes from `first`, which may be negative, towards x, `most` steps at most, until two remainders in a row are noise.
    pub fn run<T: Real>(
        probe: &mut Probe<'_, T>,
        line: &Line<'_, T>,
        product: &mut Option<Product<'_, T>>,
        first: f64,
        most: usize,
    ) -> Result<Series, Error> {
        let mut series = Series::default();
        let rounding = if product.is_some() { T::EPSILON } else { f64::EPSILON };
        let (mut h, mut floors) = (first, Vec::new());
        while series.steps.len() < most {
            let value = probe.at(line.direction, h)?;
            if !value.is_finite() {
                // A step that is smaller does not move x any more.
                if (h / first) < 64.0 * T::EPSILON || !series.steps.is_empty() {
                    break;
                }
                h /= RATIO;
                continue;
            }
            let along = match (line.gradient, &mut *product) {
                (None, _) => 0.0,
                (Some(gradient), None) => probe.moved_along(gradient),
                (Some(gradient), given) => {
                    let moved: Vec<T> = probe.moved().map(T::nearest).collect();
                    dot(given, gradient, &moved) * probe.scale()
                }
            };
            let floor = 8.0 * probe.noise + 4.0 * rounding * line.magnitude * h.abs();
            series.add(h, value - probe.value - along, floor);
            if floors.is_empty() {
                (series.change, series.floor) = (value - probe.value, floor);
            }
            floors.push(floor);
            if let [.., a, b] = &series.steps[..]
                && !a.clear
                && !b.clear
            {
                break;
            }
            h /= RATIO;
        }
        (series.error, series.uncertainty) = series.extrapolated(&floors);
        Ok(series)
    }

    fn add(&mut self, h: f64, remainder: f64, floor: f64) {
        let clear = remainder.abs() > floor;
        let before = self.steps.last().filter(|step| step.clear && clear);
        let log = |x: f64| libm::log(x.abs()) / libm::log(RATIO);
        let order = before.map(|step| log(step.remainder) - log(remainder));
        self.steps.push(Step { h, remainder, order, clear });
    }

    /// R(h) / h at h = 0, and how far that may be off.
    fn extrapolated(&self, floors: &[f64]) -> (f64, f64) {
        let (mut best, mut row) = ((0.0, f64::INFINITY), Vec::<f64>::new());
        for (step, floor) in self.steps.iter().zip(floors) {
            let noise = floor / step.h.abs();
            let mut next = vec![step.remainder / step.h];
            if !step.clear && noise < best.1 {
                best = (next[0], noise);
            }
            let mut power = 1.0;
            for (j, above) in row.iter().take(5).enumerate() {
                power *= RATIO;
                let value = (power * next[j] - above) / (power - 1.0);
                let off = (value - next[j]).abs().max((value - above).abs()) + noise / 4.0;
                if off < best.1 {
                    best = (value, off);
                }
                next.push(value);
            }
            row = next;
        }
        match self.largest_hidden() {
            Some(most) if best.0.abs() > most => (most.copysign(best.0), most),
            _ => best,
        }
    }

    /// The largest error of the slope that the last remainders leave room for, if they fall with about h²; whatever an
    /// extrapolation says, which kinks of f mislead. With R = b h + a h² at h and h / 4, an order between 1.5 and 2.5 puts
    /// b between 2/3 and -4/3 times R / h of the smaller step.
    fn largest_hidden(&self) -> Option<f64> {
        let last = self.clear().last()?;
        let squared = last.order.is_some_and(|order| (1.5..=2.5).contains(&order));
        squared.then(|| 4.0 / 3.0 * (last.remainder / last.h).abs())
    }

    /// The remainders that are clear of rounding.
    pub fn clear(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.clear)
    }

    /// The orders between neighbours that are clear, from the largest step on.
    pub fn orders(&self) -> impl DoubleEndedIterator<Item = f64> {
        self.steps.iter().filter_map(|step| step.order)
    }

    /// The order in the middle of all.
    pub fn middle_order(&self) -> f64 {
        let mut orders: Vec<f64> = self.orders().collect();
        orders.sort_by(f64::total_cmp);
        orders.get(orders.len() / 2).copied().unwrap_or(0.0)
    }
}
