//! What a program pushes: by which call it goes onto the tape, and by which it comes back.

use adtape::{Cursor, Error, Type};
use fastrand::Rng;

/// What lies on the tape, as pushed.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Bytes(Vec<u8>),
    /// Pushed as values of 8 bytes each.
    Words(Vec<u8>),
    Bits(u32, u64),
    Count(i64),
}

impl Item {
    fn bytes(&self) -> Option<&Vec<u8>> {
        match self {
            Item::Bytes(bytes) | Item::Words(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Pushes an item, by a call drawn from those that it may be pushed by.
pub fn push(tape: &Cursor, item: &Item, random: &mut Rng) -> Result<(), Error> {
    match item {
        Item::Bits(width, value) => tape.push_control(*value, *width),
        Item::Count(count) => tape.push_count(*count),
        Item::Bytes(bytes) => tape.push_slice(bytes),
        Item::Words(bytes) if bytes.len() == 8 => {
            tape.push(f64::from_bits(u64::from_ne_bytes(bytes[..].try_into().unwrap())))
        }
        // As a contiguous array or as a section of every second word, backwards.
        Item::Words(bytes) if random.bool() => {
            let words: Vec<f64> =
                bytes.chunks_exact(8).map(|word| f64::from_ne_bytes(word.try_into().unwrap())).collect();
            tape.push_slice(&words)
        }
        Item::Words(bytes) => {
            let mut spread = vec![0u8; 2 * bytes.len() + 8];
            let words = bytes.len() / 8;
            for (i, word) in bytes.chunks_exact(8).enumerate() {
                spread[16 * (words - i)..][..8].copy_from_slice(word);
            }
            // SAFETY: `words` elements from the last one down, 16 bytes apart.
            unsafe { tape.push_section(Type::F64, spread.as_ptr().add(16 * words), &[words as i64], &[-16]) }
        }
    }
}

/// Pops an item, by a call drawn likewise, and compares.
pub fn pop(tape: &Cursor, item: &Item, random: &mut Rng) -> Result<(), Error> {
    let bytes = match item {
        Item::Bits(width, value) => {
            assert_eq!(tape.pop_control(*width)?, *value);
            return Ok(());
        }
        Item::Count(count) => {
            assert_eq!(tape.pop_count()?, *count);
            return Ok(());
        }
        item => item.bytes().unwrap(),
    };
    let mut found = vec![0u8; bytes.len()];
    match item {
        Item::Words(_) if bytes.len() == 8 => found.copy_from_slice(&tape.pop::<f64>()?.to_ne_bytes()),
        Item::Words(_) if random.bool() => {
            let mut words = vec![0f64; bytes.len() / 8];
            tape.pop_slice(&mut words)?;
            found = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        }
        Item::Words(_) => {
            // As two dimensions, rows 24 bytes apart.
            let words = bytes.len() / 8;
            let (rows, columns) = if words % 2 == 0 { (words / 2, 2) } else { (words, 1) };
            let mut spread = vec![0u8; 24 * rows + 8];
            // SAFETY: rows of up to two words each, 24 bytes apart.
            unsafe { tape.pop_section(Type::F64, spread.as_mut_ptr(), &[columns, rows as i64], &[8, 24])? };
            for (row, chunk) in found.chunks_exact_mut(8 * columns as usize).enumerate() {
                chunk.copy_from_slice(&spread[24 * row..][..8 * columns as usize]);
            }
        }
        _ => tape.pop_slice(&mut found)?,
    }
    assert!(found == *bytes, "popped other bytes than were pushed");
    Ok(())
}
