//! Which compression a store of files takes: candidates on the kinds of state that models have, block by block, in the
//! order that the bytes have and sorted by their place in words of eight.
//!
//!     cargo run --release --locked --manifest-path benches/compression/Cargo.toml --target-dir target/compression

use std::hint::black_box;
use std::time::Instant;

/// As in a file.
const BLOCK: usize = 256 << 10;
const BLOCKS: usize = 64;
const ROUNDS: usize = 3;

/// Compresses a block, or brings it back to its length.
type Pack = fn(&[u8]) -> Vec<u8>;
type Unpack = fn(&[u8], usize) -> Vec<u8>;

fn no_error<T, E: std::fmt::Debug>(result: Result<T, E>) -> T {
    result.expect("what was compressed is decompressed")
}

const CANDIDATES: [(&str, Pack, Unpack); 5] = [
    ("lz4_flex", lz4_flex::block::compress, |bytes, n| no_error(lz4_flex::block::decompress(bytes, n))),
    (
        "snap",
        |bytes| no_error(snap::raw::Encoder::new().compress_vec(bytes)),
        |bytes, _| no_error(snap::raw::Decoder::new().decompress_vec(bytes)),
    ),
    (
        "zstd, level 1",
        |bytes| no_error(zstd::bulk::compress(bytes, 1)),
        |bytes, n| no_error(zstd::bulk::decompress(bytes, n)),
    ),
    (
        "zstd, level 3",
        |bytes| no_error(zstd::bulk::compress(bytes, 3)),
        |bytes, n| no_error(zstd::bulk::decompress(bytes, n)),
    ),
    (
        "miniz_oxide, 1",
        |bytes| miniz_oxide::deflate::compress_to_vec(bytes, 1),
        |bytes, _| no_error(miniz_oxide::inflate::decompress_to_vec(bytes)),
    ),
];

fn sort(block: &[u8]) -> Vec<u8> {
    let words = block.len() / 8;
    let mut sorted = vec![0; block.len()];
    for (i, word) in block.chunks_exact(8).enumerate() {
        for (place, byte) in word.iter().enumerate() {
            sorted[place * words + i] = *byte;
        }
    }
    sorted
}

fn unsort(sorted: &[u8]) -> Vec<u8> {
    let words = sorted.len() / 8;
    let mut block = vec![0; sorted.len()];
    for (i, word) in block.chunks_exact_mut(8).enumerate() {
        for (place, byte) in word.iter_mut().enumerate() {
            *byte = sorted[place * words + i];
        }
    }
    block
}

/// A number from 0 to 1 for each index.
fn noise(i: usize) -> f64 {
    let mut x = (i as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A wave over a plane of 1024 columns.
fn smooth(i: usize) -> f64 {
    let (x, y) = ((i % 1024) as f64 / 1024.0, (i / 1024) as f64 / 1024.0);
    10.0 + (6.3 * x + 0.4).sin() * (3.1 * y).cos() + 0.05 * y
}

fn states() -> Vec<(&'static str, Vec<u8>)> {
    let n = BLOCKS * BLOCK / 8;
    let doubles = |f: &dyn Fn(usize) -> f64| (0..n).flat_map(|i| f(i).to_le_bytes()).collect::<Vec<u8>>();
    vec![
        ("smooth field", doubles(&smooth)),
        ("field with noise of 1e-4", doubles(&|i| smooth(i) * (1.0 + 1e-4 * noise(i)))),
        ("half of it masked", doubles(&|i| if i / 300 % 2 == 0 { 0.0 } else { smooth(i) * (1.0 + 1e-4 * noise(i)) })),
        ("random numbers", doubles(&noise)),
        ("indices of a mesh", (0..2 * n).flat_map(|i| (i as i32 + 7 * (i as i32 % 3)).to_le_bytes()).collect()),
    ]
}

/// Gigabytes a second of the best round.
fn speed(bytes: usize, mut work: impl FnMut()) -> f64 {
    let seconds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    1e-9 * bytes as f64 / seconds.fold(f64::INFINITY, f64::min)
}

fn main() {
    println!("{:<26}{:<16}{:<9}{:>10}{:>12}{:>12}", "state", "crate", "bytes", "size", "pack", "unpack");
    for (state, bytes) in states() {
        for (name, pack, unpack) in CANDIDATES {
            for sorted in [false, true] {
                let packed: Vec<Vec<u8>> =
                    bytes.chunks(BLOCK).map(|block| if sorted { pack(&sort(block)) } else { pack(block) }).collect();
                let back = |block: &Vec<u8>| {
                    let bytes = unpack(block, BLOCK);
                    if sorted { unsort(&bytes) } else { bytes }
                };
                assert!(bytes.chunks(BLOCK).zip(&packed).all(|(block, packed)| back(packed) == block));
                let packing = speed(bytes.len(), || {
                    for block in bytes.chunks(BLOCK) {
                        black_box(if sorted { pack(&sort(block)) } else { pack(block) });
                    }
                });
                let unpacking = speed(bytes.len(), || packed.iter().for_each(|block| drop(black_box(back(block)))));
                let size = packed.iter().map(|block| block.len().min(BLOCK)).sum::<usize>() as f64 / bytes.len() as f64;
                let order = if sorted { "sorted" } else { "as is" };
                println!("{state:<26}{name:<16}{order:<9}{size:>10.2}{packing:>7.2} GB/s{unpacking:>7.2} GB/s");
            }
        }
    }
}
