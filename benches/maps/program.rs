//! The ranges and the addresses that are looked for.

use crate::ranges::Range;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

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
        let mut random = Random(88_172_645_463_325_252);
        let mut base = 0x7f00_0000_0000 - 2000 * count as u64;
        let mut ranges = Vec::with_capacity(count);
        for i in 0..count {
            let least = 16_usize << random.below(9);
            let bytes = (least + random.below(least)).next_multiple_of(16) as u64;
            ranges.push(Range { base, bytes, value: i as u64 });
            base += bytes + 16;
            if random.below(64) == 0 {
                base += (random.below(65536) & !15) as u64;
            }
        }
        let mut shuffled = ranges.clone();
        for i in (1..count).rev() {
            shuffled.swap(i, random.below(i + 1));
        }
        let mut inside = |range: &Range| range.base + random.below(range.bytes as usize) as u64;
        let ascending = ranges.iter().cycle().take(LOOKED_FOR).map(&mut inside).collect();
        let mut order = Random(7);
        let random = (0..LOOKED_FOR).map(|_| inside(&ranges[order.below(count)])).collect();
        Program { ranges, shuffled, random, ascending }
    }
}
