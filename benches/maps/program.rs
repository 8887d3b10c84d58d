//! The ranges and the addresses that are looked for.

use crate::ranges::Range;
use fastrand::Rng;

/// How many addresses are looked for in a round.
const LOOKED_FOR: usize = 1_000_000;

pub struct Program {
    /// By ascending address, as an allocator lays blocks out: 16 bytes to 8 KiB, 16 bytes apart, now and then a gap.
    pub ranges: Vec<Range>,
    pub shuffled: Vec<Range>,
    /// Inside ranges, in random order.
    pub random: Vec<u64>,
    /// Inside ranges, each in the one after that of the last.
    pub ascending: Vec<u64>,
}

impl Program {
    pub fn new(count: usize) -> Program {
        let mut random = Rng::with_seed(1);
        let mut base = 0x7f00_0000_0000 - 2000 * count as u64;
        let mut ranges = Vec::with_capacity(count);
        for i in 0..count {
            let least = 16_usize << random.usize(..9);
            let bytes = (least + random.usize(..least)).next_multiple_of(16) as u64;
            ranges.push(Range { base, bytes, value: i as u64 });
            base += bytes + 16;
            if random.usize(..64) == 0 {
                base += (random.usize(..65536) & !15) as u64;
            }
        }
        let mut shuffled = ranges.clone();
        random.shuffle(&mut shuffled);
        let mut inside = |range: &Range| range.base + random.usize(..range.bytes as usize) as u64;
        let ascending = ranges.iter().cycle().take(LOOKED_FOR).map(&mut inside).collect();
        let mut order = Rng::with_seed(2);
        let random = (0..LOOKED_FOR).map(|_| inside(&ranges[order.usize(..count)])).collect();
        Program { ranges, shuffled, random, ascending }
    }
}
