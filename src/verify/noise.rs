//! The noise of a function, from a table of differences.
//!
//! Of values at equal distances the k-th differences of what is smooth vanish, those of noise with deviation s grow to
//! s sqrt((2k)! / (k!)²). Where three rows of the table agree on s, and the differences change sign, s is the noise.
//! Sources: R. W. Hamming, Introduction to Applied Numerical Analysis (1971), chapter on difference tables; J. J. Moré,
//! S. M. Wild, Estimating computational noise, SIAM J. Sci. Comput. 33 (2011), algorithm ECnoise.

#![forbid(unsafe_code)]

/// Values that a table is made of.
pub(super) const POINTS: usize = 7;

/// What a table says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Table {
    /// The noise.
    Noise(f64),
    /// Half of the values are equal: a larger distance shows more.
    TooClose,
    /// The function changes more than its noise: a smaller distance shows it.
    TooFar,
}

/// Reads a table of values at equal distances.
pub(super) fn table(mut values: Vec<f64>) -> Table {
    let n = values.len();
    let (mut levels, mut signs, mut gamma) = (Vec::new(), Vec::new(), 1.0);
    for k in 1..n {
        values = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        if k == 1 && 2 * values.iter().filter(|d| **d == 0.0).count() >= n {
            return Table::TooClose;
        }
        gamma *= k as f64 / (4 * k - 2) as f64;
        let mean = values.iter().map(|d| d * d).sum::<f64>() / values.len() as f64;
        levels.push((gamma * mean).sqrt());
        signs.push(values.iter().any(|d| *d < 0.0) && values.iter().any(|d| *d > 0.0));
    }
    let agree = |three: &[f64]| {
        let least = three.iter().copied().fold(f64::INFINITY, f64::min);
        three.iter().all(|level| *level <= 4.0 * least)
    };
    let row = (0..levels.len().saturating_sub(2)).find(|k| signs[*k] && agree(&levels[*k..*k + 3]));
    row.map_or(Table::TooFar, |k| Table::Noise(levels[k]))
}

#[cfg(test)]
mod tests {
    use super::super::vector::random;
    use super::*;

    #[test]
    fn noise_of_known_size_is_found_under_what_is_smooth() {
        for size in [1e-3, 1e-8, 1e-13] {
            let value = |i: usize| {
                let x = 1.0 + 1e-6 * size * i as f64;
                x.exp() + size * random(77 + i as u64)
            };
            let Table::Noise(noise) = table((0..POINTS).map(value).collect()) else { panic!("no noise of {size}") };
            assert!(noise > size / 4.0 && noise < 4.0 * size, "{noise:e} of {size:e}");
        }
    }

    #[test]
    fn distance_that_is_too_small_or_too_large_is_said() {
        assert_eq!(table(vec![1.0; POINTS]), Table::TooClose);
        assert_eq!(table((0..POINTS).map(|i| (i as f64).exp()).collect()), Table::TooFar);
    }
}
