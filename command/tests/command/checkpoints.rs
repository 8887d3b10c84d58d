//! `adtape inspect` and `adtape schedule`.

// Sections are described by addresses.
#![allow(unsafe_code)]

use crate::common::Scratch;
use adtape::{ArchiveStore, CheckpointWriter, FileOptions, FileStore, Section, Store, Type};
use std::path::Path;
use std::process::Command;

fn options() -> FileOptions {
    FileOptions { run: Some("storm".to_owned()), rank: Some(0), ..FileOptions::default() }
}

const NX: usize = 300;
const NY: usize = 400;

fn field() -> Vec<f64> {
    (0..NX * NY).map(|i| i as f64 + 0.25).collect()
}

fn write(store: &dyn Store, name: &str) {
    let mut field = field();
    let extents = [NX, NY].map(|extent| extent as i64);
    let mut checkpoint = CheckpointWriter::create(store, name).unwrap();
    checkpoint.write("step", &[40_i64]).unwrap();
    let strides = [8, 8 * NX as i64];
    // SAFETY: extents and strides are those of the field, which outlives the section.
    let section = unsafe { Section::new(Type::F64, field.as_mut_ptr().cast(), &extents, &strides).unwrap() };
    checkpoint.write_section("h/depth", &section).unwrap();
    checkpoint.write("h_depth", &[0.5_f32, 1.5, 2.5]).unwrap();
    checkpoint.write("wave", &[[1.0_f64, -2.0]]).unwrap();
    checkpoint.commit().unwrap();
}

/// A file of NumPy's format 1.0, read by its specification: the description of the array, its bytes.
fn array(path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let (start, rest) = bytes.split_at(10);
    assert_eq!(&start[..8], b"\x93NUMPY\x01\x00");
    let (header, values) = rest.split_at(usize::from(u16::from_le_bytes([start[8], start[9]])));
    assert!((10 + header.len()).is_multiple_of(64) && header.ends_with(b"\n"), "the values are aligned");
    (String::from_utf8_lossy(header).trim_end().to_owned(), values.to_vec())
}

fn little_endian<const N: usize, T: Copy>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|value| bytes(*value)).collect()
}

/// NumPy, where it is, reads the same.
fn numpy_agrees(scratch: &Scratch) {
    let script = "try:\n    import numpy as n\nexcept ImportError:\n    raise SystemExit(0)\n\
        h = n.load('out/h_depth.npy')\n\
        assert h.shape == (300, 400) and h[1, 0] == 1.25 and h[0, 1] == 300.25 and h.dtype == n.float64\n\
        assert n.load('out/wave.npy')[0] == 1 - 2j\n\
        assert n.load('out/step.npy').tolist() == [40]\n";
    let Ok(output) = Command::new("python3").current_dir(&scratch.0).args(["-c", script]).output() else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A checkpoint may come from anywhere: what it is called is text, no command to the terminal.
#[test]
fn names_of_sections_do_not_reach_the_terminal_as_commands() {
    let scratch = Scratch::new("escapes");
    let store = FileStore::new(&scratch.0, options()).unwrap();
    let mut checkpoint = CheckpointWriter::create(&store, "step").unwrap();
    let names = ["\x1b[2Jred", "a\u{9b}31m", "first\nsecond", "\u{202e}abc\r"];
    names.iter().for_each(|name| checkpoint.write(name, &[1.0_f64]).unwrap());
    checkpoint.commit().unwrap();
    let said = scratch.printed(&["inspect", "storm.r0.step.adtape"]);
    assert!(!said.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{said:?}");
    for part in ["\\u{1b}[2Jred", "a\\u{9b}31m", "first\\nsecond", "\\u{202e}abc\\r", "4 sections"] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
}

#[test]
fn sections_are_listed_and_exported_bit_for_bit() {
    let scratch = Scratch::new("exported");
    write(&FileStore::new(&scratch.0, options()).unwrap(), "step-40");
    let said = scratch.printed(&["inspect", "storm.r0.step-40.adtape", "--export", "out"]);
    for part in ["1 checkpoint", "h/depth", "300 x 400", "938 KiB", "complex_f64", "4 sections", "-> out/h_depth.npy"] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
    assert!(!said.contains("DAMAGED") && said.matches(" right").count() == 4, "{said}");
    let (described, values) = array(&scratch.0.join("out/h_depth.npy"));
    assert_eq!(described, "{'descr': '<f8', 'fortran_order': True, 'shape': (300, 400), }");
    assert!(values == little_endian(&field(), f64::to_le_bytes));
    // Both names become one on a file system that has no slash in names.
    let (described, values) = array(&scratch.0.join("out/h_depth-2.npy"));
    assert_eq!(described, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
    assert_eq!(values, little_endian(&[0.5, 1.5, 2.5], f32::to_le_bytes));
    let (described, values) = array(&scratch.0.join("out/step.npy"));
    assert_eq!(described, "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }");
    assert_eq!(values, little_endian(&[40], i64::to_le_bytes));
    let index = scratch.read("out/sections.json");
    assert!(index.contains("\"h/depth\"") && index.contains("\"h_depth-2.npy\""), "{index}");
    numpy_agrees(&scratch);
    let text = scratch.printed(&["inspect", "storm.r0.step-40.adtape", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let checkpoint = &all["checkpoints"][0];
    assert_eq!((&checkpoint["name"], &checkpoint["damage"]), (&"storm.r0.step-40".into(), &serde_json::Value::Null));
    let section = &checkpoint["sections"][1];
    assert_eq!((&section["section"], &section["bytes"]), (&"h/depth".into(), &960_000.into()));
    assert_eq!((&section["extents"][1], &section["damage"]), (&400.into(), &serde_json::Value::Null));
}

#[test]
fn changed_byte_is_named_with_section_and_block() {
    let scratch = Scratch::new("damaged");
    write(&FileStore::new(&scratch.0, options()).unwrap(), "a");
    let path = scratch.0.join("storm.r0.a.adtape");
    let mut bytes = std::fs::read(&path).unwrap();
    // In the second block of three: within the field.
    bytes[4096 + 300_000] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let output = scratch.run(&["inspect", "storm.r0.a.adtape", "--export", "out"]);
    let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(4), "{out}{said}");
    assert!(out.lines().any(|line| line.contains("h/depth") && line.contains("DAMAGED")), "{out}");
    assert!(out.lines().any(|line| line.contains("step") && line.contains("right")), "{out}");
    assert!(said.contains("block 1, 262144 bytes at offset 266240") && said.contains("its checksum differs"), "{said}");
    assert!(said.contains("help: restore the file from a copy"), "{said}");
    let output = scratch.run(&["inspect", "storm.r0.a.adtape", "--json"]);
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let damage = &all["checkpoints"][0]["sections"][1]["damage"];
    assert!(output.status.code() == Some(4) && damage.as_str().unwrap().contains("checksum"), "{all}");
    // Half an array is none.
    assert!(!scratch.0.join("out/h_depth.npy").exists() && scratch.0.join("out/step.npy").exists());
}

#[test]
fn archive_is_read_without_its_lock_and_stays_as_it_was() {
    let scratch = Scratch::new("archive");
    let store = ArchiveStore::new(&scratch.0, options()).unwrap();
    write(&store, "a");
    write(&store, "b");
    let before = std::fs::read(scratch.0.join("storm.r0.adtapes")).unwrap();
    let said = scratch.printed(&["inspect", "storm.r0.adtapes", "--export", "out"]);
    assert!(said.contains("2 checkpoints") && said.contains("storm.r0.a\n") && said.contains("storm.r0.b\n"), "{said}");
    let (_, values) = array(&scratch.0.join("out/storm.r0.b/h_depth.npy"));
    assert!(values == little_endian(&field(), f64::to_le_bytes));
    assert!(std::fs::read(scratch.0.join("storm.r0.adtapes")).unwrap() == before);
    drop(store);
}

#[test]
fn renamed_file_is_read_and_its_name_said() {
    let scratch = Scratch::new("renamed");
    write(&FileStore::new(&scratch.0, options()).unwrap(), "a");
    std::fs::rename(scratch.0.join("storm.r0.a.adtape"), scratch.0.join("old.adtape")).unwrap();
    let said = scratch.printed(&["inspect", "old.adtape"]);
    assert!(said.contains("it was storm.r0.a.adtape when it was written"), "{said}");
}

#[test]
fn what_is_no_checkpoint_is_said() {
    let scratch = Scratch::new("wrong");
    write(&FileStore::new(&scratch.0, options()).unwrap(), "a");
    let whole = std::fs::read(scratch.0.join("storm.r0.a.adtape")).unwrap();
    let mut newer = whole[..4096].to_vec();
    newer[8] = 9;
    let crc = crc(&newer[..4092]);
    newer[4092..].copy_from_slice(&crc.to_le_bytes());
    newer.extend_from_slice(&whole[4096..]);
    let cases: [(&str, &[u8], &str); 5] = [
        ("empty", b"", "was cut off"),
        ("text", b"hello, this is a text", "it is no checkpoint of adtape: it begins with \"hello, t\""),
        ("short", &whole[..5000], "the trailer"),
        ("newer", &newer, "it has version 9 of the format"),
        (
            "head",
            &[&whole[..100], b"x", &whole[101..]].concat(),
            "the header, 4096 bytes at offset 0, is not as it was",
        ),
    ];
    for (name, bytes, what) in cases {
        std::fs::write(scratch.0.join(name), bytes).unwrap();
        let output = scratch.run(&["inspect", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{name}: {said}");
        assert!(said.contains(name) && said.contains(what), "{name}: {said}");
    }
    let output = scratch.run(&["inspect", "nowhere.adtape"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("opening nowhere.adtape failed"));
}

/// CRC-32 of zlib, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0_u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[test]
fn schedules_stand_beside_each_other_with_their_costs() {
    let scratch = Scratch::new("schedule");
    let args =
        ["schedule", "--steps", "1000", "--snapshots", "10", "--state", "920k", "--html", "a.html", "--svg", "a.svg"];
    let said = scratch.printed(&args);
    let row = |name: &str| said.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default().to_owned();
    // 3636 extra steps: Griewank and Walther's formula.
    assert!(row("binomial").contains("4,636") && row("binomial").contains("10 (8.77 MiB)"), "{said}");
    assert!(row("store_all").contains(" 1,000 ") && row("store_all").contains(" 1.00 "), "{said}");
    for name in ["multistage", "disk_revolve", "two_level", "online", "mixed"] {
        assert!(row(name).split_whitespace().count() >= 6, "{name}:\n{said}");
    }
    let html = scratch.read("a.html");
    assert_eq!(html.matches("<svg").count(), 6, "one picture for each but store_all");
    assert!(scratch.read("a.svg").contains("at most 10 kept: 4.64 forward runs"));
}

#[test]
fn schedule_that_is_refused_is_said_and_the_others_are_there() {
    let scratch = Scratch::new("refused");
    let said = scratch.printed(&["schedule", "--steps", "100000", "--snapshots", "10"]);
    assert!(said.lines().any(|line| line.contains("mixed") && line.contains("refused")), "{said}");
    assert!(said.lines().any(|line| line.trim_start().starts_with("mixed: ")), "{said}");
    let output = scratch.run(&["schedule", "--steps", "10", "--snapshots", "2", "--svg", "a.svg", "--of", "best"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no schedule best"));
}
