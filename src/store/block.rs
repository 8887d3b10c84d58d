//! Compression of a block, without loss: LZ4 over the bytes in another order.
//!
//! Of neighbouring numbers the high bytes are alike and the low ones are noise. So the bytes are sorted by their place
//! in words of eight: first all first bytes, then all second ones. LZ4 finds repetitions in the former and hurries over
//! the latter. Bytes behind the last whole word stay at the end. `benches/README.md` has it beside other crates.
//!
//! ```text
//!   a0 a1 … a7  b0 b1 … b7  …   ->   a0 b0 …  a1 b1 …  …  a7 b7 …
//! ```

#![forbid(unsafe_code)]

const WORD: usize = 8;

/// Room for what [`compress`] and [`decompress`] need besides.
#[derive(Default)]
pub(super) struct Scratch {
    sorted: Vec<u8>,
}

/// Compresses a block into `out`; `false`, and nothing of use in `out`, if it does not become smaller.
pub(super) fn compress(block: &[u8], scratch: &mut Scratch, out: &mut Vec<u8>) -> bool {
    sort(block, &mut scratch.sorted);
    out.resize(lz4_flex::block::get_maximum_output_size(block.len()), 0);
    match lz4_flex::block::compress_into(&scratch.sorted, out) {
        Ok(n) if n < block.len() => {
            out.truncate(n);
            true
        }
        _ => false,
    }
}

/// Decompresses into `block`, whose length is that of the contents; `false` if `bytes` are not what they should be.
pub(super) fn decompress(bytes: &[u8], scratch: &mut Scratch, block: &mut [u8]) -> bool {
    scratch.sorted.resize(block.len(), 0);
    if lz4_flex::block::decompress_into(bytes, &mut scratch.sorted).ok() != Some(block.len()) {
        return false;
    }
    unsort(&scratch.sorted, block);
    true
}

fn sort(block: &[u8], sorted: &mut Vec<u8>) {
    sorted.resize(block.len(), 0);
    let words = block.len() / WORD;
    let (planes, tail) = sorted.split_at_mut(words * WORD);
    let mut rest = planes;
    let mut plane: [&mut [u8]; WORD] = std::array::from_fn(|_| {
        let (plane, behind) = std::mem::take(&mut rest).split_at_mut(words);
        rest = behind;
        plane
    });
    for (i, word) in block.chunks_exact(WORD).enumerate() {
        for (byte, plane) in word.iter().zip(&mut plane) {
            plane[i] = *byte;
        }
    }
    tail.copy_from_slice(&block[words * WORD..]);
}

fn unsort(sorted: &[u8], block: &mut [u8]) {
    let words = block.len() / WORD;
    let (planes, tail) = sorted.split_at(words * WORD);
    let plane: [&[u8]; WORD] = std::array::from_fn(|k| &planes[k * words..(k + 1) * words]);
    for (i, word) in block.chunks_exact_mut(WORD).enumerate() {
        for (byte, plane) in word.iter_mut().zip(&plane) {
            *byte = plane[i];
        }
    }
    block[words * WORD..].copy_from_slice(tail);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_every_length_come_back() {
        let (mut scratch, mut packed) = (Scratch::default(), Vec::new());
        for n in (0..70).chain([1000, 4099, 65536]) {
            let block: Vec<u8> =
                (0..n).flat_map(|i| (1.0 + f64::from(i) / 1e6).to_le_bytes()).take(n as usize).collect();
            let mut found = vec![0; block.len()];
            if compress(&block, &mut scratch, &mut packed) {
                assert!(packed.len() < block.len());
                assert!(decompress(&packed, &mut scratch, &mut found));
                assert!(found == block);
                assert!(!decompress(&packed[..packed.len() - 1], &mut scratch, &mut found));
                assert!(!decompress(&packed, &mut scratch, &mut found[1..]));
            } else {
                assert!(n < 70, "a smooth block of {n} bytes becomes smaller");
            }
        }
    }
}
