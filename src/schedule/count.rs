//! Binomial numbers: how far s snapshots reach, and what that costs.
//!
//! β(s, r) = (s + r)! / (s! r!) steps can be reversed with s snapshots when no step is run more than r times besides
//! its turn, and t(n, s) = r n − β(s + 1, r − 1), with β(s, r − 1) < n ≤ β(s, r), is the least number of extra steps
//! (Griewank & Walther 2000, section 2). At n = β(s, r − 1) both neighbouring r give the same.

#![forbid(unsafe_code)]

/// Repetitions that are tried one by one.
const FEW: u64 = 16;

/// β(s, r), or `u64::MAX` if that is less.
pub(super) fn beta(s: u64, r: u64) -> u64 {
    let (few, many) = (s.min(r), s.max(r));
    let mut value: u128 = 1;
    for i in 1..=few {
        // Below 2^64 times below 2^65: the partial products are binomial numbers themselves, so the division is exact.
        let Some(product) = value.checked_mul(u128::from(many) + u128::from(i)) else { return u64::MAX };
        value = product / u128::from(i);
        if value >= u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    value as u64
}

/// The number of repetitions of n steps with s snapshots, and the reach of one repetition less: r and β(s, r − 1) with
/// β(s, r − 1) < n ≤ β(s, r). n ≥ 2, s ≥ 1.
pub(super) fn rank(n: u64, s: u64) -> (u64, u64) {
    // Nearly always there are few, and each reach follows from the one before.
    let mut reach = 1;
    for r in 1..=FEW.min(n - 1) {
        let product = u128::from(reach).saturating_mul(u128::from(s) + u128::from(r));
        let next = u64::try_from(product).map_or_else(|_| product / u128::from(r), |p| u128::from(p / r));
        if next >= u128::from(n) {
            return (r, reach);
        }
        reach = next as u64;
    }
    let (mut low, mut high) = (FEW.min(n - 1), n - 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if beta(s, middle) < n { low = middle } else { high = middle }
    }
    (high, beta(s, high - 1))
}

/// t(n, s), or `u64::MAX` if that is less.
pub(super) fn extra_steps(n: u64, s: u64) -> u64 {
    if n <= 1 {
        return 0;
    }
    if s == 0 {
        return u64::MAX;
    }
    let (r, reach) = rank(n, s);
    // β(s + 1, r − 1) = β(s, r − 1) (s + r) / (s + 1)
    let saved = u128::from(reach) * (u128::from(s) + u128::from(r)) / (u128::from(s) + 1);
    u64::try_from(u128::from(r) * u128::from(n) - saved).unwrap_or(u64::MAX)
}

/// `value` · `numerator` / `denominator`, a whole number that fits.
#[inline]
fn scale(value: u64, numerator: u64, denominator: u64) -> u64 {
    match value.checked_mul(numerator) {
        Some(product) => product / denominator,
        None => (u128::from(value) * u128::from(numerator) / u128::from(denominator)) as u64,
    }
}

/// How n steps with s snapshots, the first of them taken, are cut: in front m steps with s snapshots and r − 1
/// repetitions, behind the others with s − 1 and r.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// m, the length of the front part.
    pub front: u64,
    /// β(s, r − 2), the reach that goes with the front part.
    pub front_reach: u64,
    /// β(s − 1, r − 1), the reach that goes with the part behind.
    pub back_reach: u64,
}

/// Cuts n ≥ 2 steps, where `reach` = β(s, r − 1) ≤ n ≤ β(s, r). Every m between β(s, r − 2) and β(s, r − 1) that
/// leaves between β(s − 1, r − 1) and β(s − 1, r) steps is optimal; this one has the fewest saves too (Griewank &
/// Walther 2000, figure 4).
#[inline]
pub(super) fn cut(n: u64, s: u64, r: u64, reach: u64) -> Cut {
    let back_reach = scale(reach, s, s - 1 + r);
    let front_reach = reach - back_reach;
    let third = if s == 1 { 0 } else { scale(back_reach, s - 1, s - 1 + (r - 1)) };
    let front = n.saturating_sub(back_reach).saturating_sub(third).clamp(front_reach, reach).max(1);
    Cut { front, front_reach, back_reach }
}
