//! An entry as it lies in a file: header, blocks, table, trailer. `docs/format.md` has every byte.
//!
//! ```text
//!   | header 4096 | block 0 | block 1 | … | last block | table: 8 for each block | trailer 32 |
//! ```
//!
//! Blocks hold 256 KiB of contents each, the last one what is left. Each is as it is or compressed, whichever is
//! shorter, and has a CRC-32 in the table; header, table and trailer have one each. A block is checked when something
//! of it is read for the first time.

#![forbid(unsafe_code)]

use super::block::{self, Scratch};
use super::memory::beyond_the_end;
use crate::error::{Error, Status};
use std::io;

/// What a file begins with. The first byte is in no text, the line ends do not survive a transfer as text.
pub(super) const MAGIC: [u8; 8] = *b"\x89ADTP\r\n\x1a";
/// What the trailer begins with.
const END: [u8; 8] = *b"ADTP-END";
pub(super) const VERSION: u32 = 2;
/// Where the header says which entry it is.
const IDENTITY_AT: usize = 16;
/// A page, so that blocks lie in pages of their own: the system copies them more quickly.
pub(super) const HEADER: usize = 4096;
const TRAILER: usize = 32;
const ROW: usize = 8;
/// Contents of a block.
pub(super) const BLOCK: usize = 256 << 10;
/// Blocks that are handed out at once where they lie one behind the other anyway.
const TOGETHER: usize = 4;
/// A reader takes other blocks too, up to this size.
const LARGEST_BLOCK: usize = 16 << 20;
/// In a row's length: the block is compressed.
const COMPRESSED: u32 = 1 << 31;

/// Takes contents from front to back and hands out what a file is made of.
pub(super) struct ImageWriter {
    compress: bool,
    /// Contents of the block that is not full yet.
    block: Vec<u8>,
    packed: Vec<u8>,
    scratch: Scratch,
    table: Vec<u8>,
    contents: u64,
    written: u64,
}

impl ImageWriter {
    /// The writer, and the header. `identity` is the entry's name and whose it is.
    pub fn new(compress: bool, identity: &str) -> (ImageWriter, Vec<u8>) {
        let mut header = vec![0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&(BLOCK as u32).to_le_bytes());
        write_text(&mut header, IDENTITY_AT, identity);
        seal(&mut header);
        let writer = ImageWriter {
            compress,
            block: Vec::with_capacity(BLOCK),
            packed: Vec::new(),
            scratch: Scratch::default(),
            table: Vec::new(),
            contents: 0,
            written: HEADER as u64,
        };
        (writer, header)
    }

    /// Adds contents; `out` gets what is complete.
    pub fn write<E>(&mut self, mut bytes: &[u8], mut out: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.contents += bytes.len() as u64;
        while !bytes.is_empty() {
            if self.block.is_empty() && bytes.len() >= BLOCK {
                // Straight from where they are.
                let blocks = if self.compress { 1 } else { (bytes.len() / BLOCK).min(TOGETHER) };
                let (now, later) = bytes.split_at(blocks * BLOCK);
                self.put(now, &mut out)?;
                bytes = later;
                continue;
            }
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == BLOCK {
                self.flush(&mut out)?;
            }
        }
        Ok(())
    }

    /// Hands out the rest.
    pub fn finish<E>(mut self, mut out: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if !self.block.is_empty() {
            self.flush(&mut out)?;
        }
        let mut trailer = [0; TRAILER];
        trailer[..8].copy_from_slice(&END);
        trailer[8..16].copy_from_slice(&self.contents.to_le_bytes());
        let all = self.written + (self.table.len() + TRAILER) as u64;
        trailer[16..24].copy_from_slice(&all.to_le_bytes());
        trailer[24..28].copy_from_slice(&crc32fast::hash(&self.table).to_le_bytes());
        seal(&mut trailer);
        self.table.extend_from_slice(&trailer);
        out(&self.table)
    }

    fn flush<E>(&mut self, out: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut block = std::mem::take(&mut self.block);
        let done = self.put(&block, out);
        block.clear();
        self.block = block;
        done
    }

    /// Hands out whole blocks, or the last one; of compressed ones, one at a time.
    fn put<E>(&mut self, contents: &[u8], out: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.compress && block::compress(contents, &mut self.scratch, &mut self.packed) {
            let packed = std::mem::take(&mut self.packed);
            self.note(&packed, COMPRESSED);
            self.packed = packed;
            return out(&self.packed);
        }
        for block in contents.chunks(BLOCK) {
            self.note(block, 0);
        }
        out(contents)
    }

    fn note(&mut self, stored: &[u8], flag: u32) {
        self.table.extend_from_slice(&(stored.len() as u32 | flag).to_le_bytes());
        self.table.extend_from_slice(&crc32fast::hash(stored).to_le_bytes());
        self.written += stored.len() as u64;
    }
}

/// Writes the CRC of all before into the last four bytes.
pub(super) fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - 4;
    let crc = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&crc.to_le_bytes());
}

/// Whether the last four bytes are the CRC of all before.
pub(super) fn is_sealed(bytes: &[u8]) -> bool {
    let (body, crc) = bytes.split_at(bytes.len() - 4);
    crc32fast::hash(body).to_le_bytes() == crc
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Writes a text behind the number of its bytes, four bytes long.
pub(super) fn write_text(bytes: &mut [u8], at: usize, text: &str) {
    bytes[at..at + 4].copy_from_slice(&(text.len() as u32).to_le_bytes());
    bytes[at + 4..at + 4 + text.len()].copy_from_slice(text.as_bytes());
}

/// Reads it; None if it is longer than `most` or no text.
pub(super) fn text_at(bytes: &[u8], at: usize, most: usize) -> Option<&str> {
    let len = u32_at(bytes, at) as usize;
    let text = bytes[at + 4..].get(..len).filter(|_| len <= most)?;
    std::str::from_utf8(text).ok()
}

/// Which entry an image says that it is; None if it is no image, or its header is not as it was written.
pub(super) fn identity_of(image: &[u8]) -> Option<&str> {
    let header = image.get(..HEADER).filter(|header| header[..8] == MAGIC && is_sealed(header))?;
    text_at(header, IDENTITY_AT, HEADER)
}

struct Row {
    offset: usize,
    stored: usize,
    crc: u32,
    compressed: bool,
    checked: bool,
}

/// Reads contents from an image. `at` in messages is the offset in the image.
pub(super) struct ImageReader {
    rows: Vec<Row>,
    block: usize,
    contents: u64,
    /// The last block that was decompressed.
    unpacked: Vec<u8>,
    unpacked_row: usize,
    scratch: Scratch,
}

impl ImageReader {
    /// Reads header, table and trailer of the image of the entry `identity`.
    pub fn new(image: &[u8], identity: &str) -> Result<ImageReader, Error> {
        if image.len() < 8 || image[..8] != MAGIC {
            let begin = image[..image.len().min(8)].escape_ascii();
            return Err(damaged(match image.len() {
                0..8 => format!("it has {} bytes (\"{begin}\") and was cut off", image.len()),
                _ => format!("it is no checkpoint of adtape: it begins with \"{begin}\""),
            }));
        }
        if image.len() < HEADER + TRAILER {
            return Err(damaged(format!(
                "it has {} bytes, and the smallest has {}: it was cut off",
                image.len(),
                HEADER + TRAILER
            )));
        }
        if !is_sealed(&image[..HEADER]) {
            return Err(damaged(format!("the header, {HEADER} bytes at offset 0, is not as it was written")));
        }
        let version = u32_at(image, 8);
        if version != VERSION {
            return Err(Error::new(
                Status::OtherVersion,
                format!("it has version {version} of the format, and this library reads version {VERSION}"),
            ));
        }
        let found = text_at(&image[..HEADER], IDENTITY_AT, HEADER).unwrap_or_default();
        if found != identity {
            return Err(damaged(format!(
                "the header says that it is {found:?}, and {identity:?} is asked for: it was renamed or swapped"
            )));
        }
        let block = u32_at(image, 12) as usize;
        if !(4096..=LARGEST_BLOCK).contains(&block) {
            return Err(damaged(format!(
                "the header says that blocks have {block} bytes: 4096 to {LARGEST_BLOCK} are possible"
            )));
        }
        let end = image.len() - TRAILER;
        let trailer = &image[end..];
        if trailer[..8] != END || !is_sealed(trailer) || u64_at(trailer, 16) != image.len() as u64 {
            return Err(damaged(format!(
                "the trailer, {TRAILER} bytes at offset {end}, is not as it was written: the file was cut off or changed"
            )));
        }
        let contents = u64_at(trailer, 8);
        let table_error = || damaged("the table of blocks, before the trailer, is not as it was written".to_owned());
        let count = contents.checked_div(block as u64).ok_or_else(table_error)? as usize;
        let count = count + usize::from(!contents.is_multiple_of(block as u64));
        let table = count.checked_mul(ROW).and_then(|n| end.checked_sub(n)).ok_or_else(table_error)?;
        if crc32fast::hash(&image[table..end]) != u32_at(trailer, 24) {
            return Err(table_error());
        }
        let mut rows = Vec::with_capacity(count);
        let mut offset = HEADER;
        for row in image[table..end].chunks_exact(ROW) {
            let (length, crc) = (u32_at(row, 0), u32_at(row, 4));
            let stored = (length & !COMPRESSED) as usize;
            rows.push(Row { offset, stored, crc, compressed: length & COMPRESSED != 0, checked: false });
            offset += stored;
        }
        let reader = ImageReader {
            rows,
            block,
            contents,
            unpacked: Vec::new(),
            unpacked_row: usize::MAX,
            scratch: Scratch::default(),
        };
        let lengths_agree = |(i, row): (usize, &Row)| row.compressed || row.stored == reader.length(i);
        if offset != table || !reader.rows.iter().enumerate().all(lengths_agree) {
            return Err(table_error());
        }
        Ok(reader)
    }

    pub fn contents(&self) -> u64 {
        self.contents
    }

    /// Contents of a block.
    fn length(&self, row: usize) -> usize {
        let from = row as u64 * self.block as u64;
        (self.contents - from).min(self.block as u64) as usize
    }

    /// Reads contents at an offset of theirs. `fetch` copies bytes of the image to where they go: for whole blocks,
    /// which are checked there, it is quicker than a copy from `image`, where that is a mapping.
    pub fn read_at(
        &mut self,
        image: &[u8],
        fetch: impl Fn(usize, &mut [u8]) -> io::Result<()>,
        offset: u64,
        mut bytes: &mut [u8],
    ) -> Result<(), Error> {
        if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > self.contents) {
            return Err(beyond_the_end(offset, bytes.len(), self.contents));
        }
        let mut at = offset;
        while !bytes.is_empty() {
            let row = (at / self.block as u64) as usize;
            let inside = (at % self.block as u64) as usize;
            let n = bytes.len().min(self.length(row) - inside);
            let (now, later) = bytes.split_at_mut(n);
            if n == self.length(row) && !self.rows[row].compressed {
                self.whole_block(&fetch, row, now)?;
            } else {
                now.copy_from_slice(&self.block(image, row)?[inside..inside + n]);
            }
            (bytes, at) = (later, at + n as u64);
        }
        Ok(())
    }

    /// Reads a block that is stored as it is, and checks it.
    fn whole_block(
        &mut self,
        fetch: impl Fn(usize, &mut [u8]) -> io::Result<()>,
        i: usize,
        bytes: &mut [u8],
    ) -> Result<(), Error> {
        let row = &mut self.rows[i];
        fetch(row.offset, bytes).map_err(|e| {
            let message = format!("block {i}, {} bytes at offset {}, cannot be read: {e}", bytes.len(), row.offset);
            Error::new(Status::Io, message)
        })?;
        if !row.checked && crc32fast::hash(bytes) != row.crc {
            return Err(changed(i, row));
        }
        row.checked = true;
        Ok(())
    }

    /// The contents of a block, checked.
    fn block<'a>(&'a mut self, image: &'a [u8], i: usize) -> Result<&'a [u8], Error> {
        let length = self.length(i);
        let row = &mut self.rows[i];
        let stored = &image[row.offset..row.offset + row.stored];
        if !row.checked && crc32fast::hash(stored) != row.crc {
            return Err(changed(i, row));
        }
        if !row.compressed {
            row.checked = true;
            return Ok(stored);
        }
        if self.unpacked_row != i {
            self.unpacked_row = usize::MAX;
            self.unpacked.resize(length, 0);
            if !block::decompress(stored, &mut self.scratch, &mut self.unpacked) {
                let (stored, offset) = (row.stored, row.offset);
                return Err(damaged(format!("block {i}, {stored} bytes at offset {offset}, cannot be decompressed")));
            }
            row.checked = true;
            self.unpacked_row = i;
        }
        Ok(&self.unpacked)
    }
}

#[cold]
fn changed(i: usize, row: &Row) -> Error {
    damaged(format!(
        "block {i}, {} bytes at offset {}, is not as it was written: its checksum differs",
        row.stored, row.offset
    ))
}

#[cold]
pub(super) fn damaged(message: String) -> Error {
    Error::new(Status::Damaged, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(contents: &[u8], piece: usize, compress: bool) -> Vec<u8> {
        let (mut writer, header) = ImageWriter::new(compress, "run.r0.a");
        let mut image = header;
        let mut out = |bytes: &[u8]| -> Result<(), ()> {
            image.extend_from_slice(bytes);
            Ok(())
        };
        for bytes in contents.chunks(piece.max(1)) {
            writer.write(bytes, &mut out).unwrap();
        }
        writer.finish(&mut out).unwrap();
        image
    }

    fn contents(n: usize) -> Vec<u8> {
        (0..n as u64).flat_map(|i| (1.0 + (i as f64 * 1e-3).sin()).to_le_bytes()).take(n).collect()
    }

    fn from(image: &[u8]) -> impl Fn(usize, &mut [u8]) -> io::Result<()> {
        |offset, bytes| {
            bytes.copy_from_slice(&image[offset..offset + bytes.len()]);
            Ok(())
        }
    }

    fn read(image: &[u8]) -> Result<Vec<u8>, Error> {
        let mut reader = ImageReader::new(image, "run.r0.a")?;
        let mut found = vec![0; reader.contents() as usize];
        reader.read_at(image, from(image), 0, &mut found)?;
        Ok(found)
    }

    #[test]
    fn contents_of_every_length_come_back_however_they_were_cut() {
        for n in [0, 1, 7, 8, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 77] {
            for piece in [997, BLOCK, n] {
                for compress in [false, true] {
                    let contents = contents(n);
                    let image = image(&contents, piece, compress);
                    assert!(read(&image).unwrap() == contents, "{n} {piece} {compress}");
                    assert!(!compress || n < BLOCK || image.len() < n, "smooth contents become smaller");
                    let mut reader = ImageReader::new(&image, "run.r0.a").unwrap();
                    let mut some = vec![0; n / 2];
                    reader.read_at(&image, from(&image), (n / 3) as u64, &mut some).unwrap();
                    assert!(some == contents[n / 3..n / 3 + n / 2]);
                }
            }
        }
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_an_error() {
        for compress in [false, true] {
            let contents = contents(BLOCK + 500);
            let good = image(&contents, 999, compress);
            let step = if compress { 11 } else { 97 };
            let near_the_ends = |i: usize| i < 200 || i.abs_diff(HEADER) < 100 || i + 200 > good.len();
            for byte in (0..good.len()).filter(|i| near_the_ends(*i) || i % (1000 + step) == 0) {
                let mut bad = good.clone();
                bad[byte] ^= 1 << (byte % 8);
                let error = read(&bad).expect_err("a flipped bit");
                assert!(error.status() == Status::Damaged, "{byte}: {error}");
                let cut = read(&good[..byte]).expect_err("a cut");
                assert!(cut.status() == Status::Damaged, "{byte}: {cut}");
            }
            let mut longer = good.clone();
            longer.push(0);
            assert_eq!(read(&longer).unwrap_err().status(), Status::Damaged);
        }
    }

    #[test]
    fn damage_is_said_with_block_and_offset_and_leaves_the_rest_readable() {
        let contents = contents(2 * BLOCK);
        let mut image = image(&contents, BLOCK, false);
        image[HEADER + BLOCK + 5] ^= 4;
        let mut reader = ImageReader::new(&image, "run.r0.a").unwrap();
        let mut found = vec![0; BLOCK];
        reader.read_at(&image, from(&image), 0, &mut found).unwrap();
        let error = reader.read_at(&image, from(&image), BLOCK as u64, &mut found).unwrap_err();
        assert!(error.message().contains(&format!("block 1, {BLOCK} bytes at offset {}", HEADER + BLOCK)), "{error}");
    }

    #[test]
    fn another_version_is_named_beside_ours() {
        let mut image = image(b"contents", 8, false);
        image[8] = 7;
        seal(&mut image[..HEADER]);
        let error = ImageReader::new(&image, "run.r0.a").err().unwrap();
        assert_eq!(error.status(), Status::OtherVersion);
        assert!(error.message().contains("version 7") && error.message().contains("version 2"), "{error}");
    }

    #[test]
    fn image_of_another_entry_is_refused_and_both_are_named() {
        let image = image(b"contents", 8, false);
        let error = ImageReader::new(&image, "run.r0.b").err().unwrap();
        assert_eq!(error.status(), Status::Damaged);
        assert!(error.message().contains("run.r0.a") && error.message().contains("run.r0.b"), "{error}");
    }
}
