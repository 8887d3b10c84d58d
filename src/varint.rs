//! Numbers in groups of seven bits, the lowest group first, a byte each; the highest bit of a byte says that more follow.
//!
//! A number has one encoding that counts: [`encode`] writes the shortest. [`Decoder`] takes any of up to ten bytes that
//! stay within 64 bits.

#![forbid(unsafe_code)]

/// Bytes of the longest number.
pub(crate) const MOST_BYTES: usize = 10;

/// The bytes of a number, and how many they are.
pub(crate) fn encode(number: u64) -> ([u8; MOST_BYTES], usize) {
    let (mut bytes, mut rest, mut length) = ([0; MOST_BYTES], number, 0);
    while rest >= 0x80 {
        bytes[length] = rest as u8 | 0x80;
        rest >>= 7;
        length += 1;
    }
    bytes[length] = rest as u8;
    (bytes, length + 1)
}

/// What the bytes so far make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoded {
    /// More bytes follow.
    Open,
    Whole(u64),
    /// No number of 64 bits has such bytes.
    Invalid,
}

/// Takes the bytes of a number one by one.
#[derive(Default)]
pub(crate) struct Decoder {
    value: u64,
    length: usize,
}

impl Decoder {
    pub fn take(&mut self, byte: u8) -> Decoded {
        let (group, shift) = (u64::from(byte & 0x7f), 7 * self.length as u32);
        let shifted = group.checked_shl(shift).filter(|shifted| shifted >> shift == group);
        let Some(shifted) = shifted else { return Decoded::Invalid };
        self.value |= shifted;
        self.length += 1;
        match byte & 0x80 {
            0 => Decoded::Whole(self.value),
            _ if self.length == MOST_BYTES => Decoded::Invalid,
            _ => Decoded::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Decoded {
        let mut decoder = Decoder::default();
        bytes.iter().fold(Decoded::Open, |_, byte| decoder.take(*byte))
    }

    #[test]
    fn numbers_take_a_byte_for_every_seven_bits_and_come_back() {
        for (number, length) in [(0, 1), (127, 1), (128, 2), (16383, 2), (16384, 3), (u64::MAX >> 1, 9), (u64::MAX, 10)]
        {
            let (bytes, n) = encode(number);
            assert_eq!(n, length, "{number}");
            assert_eq!(decode(&bytes[..n]), Decoded::Whole(number));
            assert_eq!(decode(&bytes[..n - 1]), Decoded::Open);
        }
        assert_eq!(encode(300).0[..2], [0xac, 0x02]);
    }

    #[test]
    fn numbers_beyond_64_bits_are_invalid() {
        assert_eq!(decode(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), Decoded::Invalid);
        assert_eq!(decode(&[0xff; 10]), Decoded::Invalid);
        assert_eq!(decode(&[0x80, 0x00]), Decoded::Whole(0));
    }
}
