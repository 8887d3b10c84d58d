//! Random programs on ranges of addresses, against a `BTreeMap`: what is found, refused and removed must be the same.

#![no_main]

#[path = "../../../src/map/ranges/mod.rs"]
#[allow(unused)]
mod ranges;
#[path = "../../../src/sync/mod.rs"]
#[allow(unused)]
mod sync;

use libfuzzer_sys::fuzz_target;
use ranges::{Range, Ranges, SharedRanges, Touching};
use std::collections::BTreeMap;

/// What is left of the input: zeros, once it ends.
struct Program<'a>(&'a [u8]);

impl Program<'_> {
    fn byte(&mut self) -> u64 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        u64::from(*first)
    }

    /// A number of one byte's or two bytes' resolution and any magnitude.
    fn number(&mut self) -> u64 {
        let shift = self.byte();
        let digits = self.byte() << 8 | if shift & 64 == 0 { self.byte() } else { 0 };
        let number = digits.rotate_left(shift as u32 & 63);
        if shift & 128 == 0 { number } else { !number }
    }
}

#[derive(Default)]
struct Model(BTreeMap<u64, Range>);

impl Model {
    fn below(&self, address: u64) -> Option<Range> {
        self.0.range(..=address).next_back().map(|(_, range)| *range)
    }

    fn above(&self, address: u64) -> Option<Range> {
        self.0.range(address.checked_add(1)?..).next().map(|(_, range)| *range)
    }

    fn find(&self, address: u64) -> Option<Range> {
        self.below(address).filter(|range| address <= range.end())
    }

    fn insert(&mut self, range: Range) -> Result<Touching, Range> {
        let (below, above) = (self.below(range.base), self.above(range.base));
        let overlapping = below.filter(|below| below.end() > range.base);
        match overlapping.or(above.filter(|above| above.base < range.end())) {
            Some(there) => Err(there),
            None => {
                self.0.insert(range.base, range);
                Ok(Touching {
                    hollow: false,
                    below: below.is_some_and(|below| below.end() == range.base),
                    above: above.filter(|above| above.base == range.end()).map(|above| above.value),
                })
            }
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let mut program = Program(input);
    let (mut ranges, shared, mut model) = (Ranges::new(), SharedRanges::new(), Model::default());
    while !program.0.is_empty() {
        let (operation, mut address) = (program.byte(), program.number());
        // At an edge of a range that is there.
        if operation & 8 != 0
            && let Some(near) = model.below(address)
        {
            address = if operation & 16 != 0 { near.end() } else { near.base };
        }
        match operation % 8 {
            // A row of ranges that touch or leave gaps, so that leaves fill within a short program.
            0..4 => {
                let (bytes, gap, count) = (program.number().max(1), program.byte(), program.byte() % 64);
                for i in 0..=count {
                    let Some(base) =
                        (bytes.checked_add(gap)).and_then(|step| address.checked_add(step.checked_mul(i)?))
                    else {
                        break;
                    };
                    if base.checked_add(bytes).is_some() {
                        let range = Range { base, bytes, value: base.rotate_left(operation as u32) };
                        let expected = model.insert(range);
                        assert_eq!([ranges.insert(range), shared.insert(range)], [expected; 2]);
                    }
                }
            }
            4..7 => {
                for _ in 0..=program.byte() % 64 {
                    let base = model.above(address).map_or(address, |above| above.base);
                    let expected = model.0.remove(&base);
                    assert_eq!([ranges.remove(base), shared.remove(base)], [expected; 2]);
                }
            }
            _ => assert!(ranges.iter().eq(model.0.values().copied()) && shared.iter().eq(ranges.iter())),
        }
        for address in [address.saturating_sub(1), address, address.saturating_add(1)] {
            let at = model.0.get(&address).copied();
            assert_eq!([ranges.find(address), shared.find(address)], [model.find(address); 2]);
            assert_eq!([ranges.below(address), shared.below(address)], [model.below(address); 2]);
            assert_eq!([ranges.above(address), shared.above(address)], [model.above(address); 2]);
            assert_eq!([ranges.at(address), shared.at(address)], [at; 2]);
        }
        assert_eq!([ranges.len(), shared.len()], [model.0.len(); 2]);
    }
});
