//! NumPy's .npy, version 1.0: a text that says type and shape, then the values as they lie in memory, which is how a
//! checkpoint has them. So bytes are copied, and types go through that no Rust crate for the format knows.

use adtape::{SectionInfo, Type};
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// The header is a multiple of this.
const ALIGNMENT: usize = 64;

/// Writes one array.
pub struct Writer(BufWriter<File>);

impl Writer {
    /// Begins the file.
    pub fn create(path: &str, info: &SectionInfo) -> io::Result<Writer> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&header(info))?;
        Ok(Writer(file))
    }

    /// Adds bytes of values.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn header(info: &SectionInfo) -> Vec<u8> {
    let extents = match info.bounds.len() {
        0 => vec![info.count.to_string()],
        _ => info.bounds.iter().map(|(_, extent)| extent.to_string()).collect(),
    };
    let comma = if extents.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", extents.join(", "));
    // The first dimension is the fastest.
    let order = if extents.len() > 1 { "True" } else { "False" };
    let mut text = format!("{{'descr': '{}', 'fortran_order': {order}, 'shape': {shape}, }}", descr(info.ty));
    let before = 10;
    let all = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text += &" ".repeat(all - before - text.len() - 1);
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header
}

/// NumPy's name of a type; bytes without meaning where it has none.
fn descr(ty: Type) -> &'static str {
    match ty {
        Type::I8 | Type::Logical8 => "|i1",
        Type::I16 | Type::Logical16 => "<i2",
        Type::I32 | Type::Logical32 => "<i4",
        Type::I64 | Type::Logical64 => "<i8",
        Type::F32 => "<f4",
        Type::F64 => "<f8",
        Type::F80 => "<f16",
        Type::ComplexF32 => "<c8",
        Type::ComplexF64 => "<c16",
        Type::ComplexF80 => "<c32",
        Type::F128 | Type::Logical128 => "|V16",
        Type::ComplexF128 => "|V32",
        Type::Bool => "|b1",
        Type::Char => "|S1",
        Type::Opaque => "<u8",
        Type::Bytes | Type::Control | Type::Count => "|u1",
        Type::Pointer | Type::Pair | Type::Range | Type::Descriptor => "|u1",
    }
}
