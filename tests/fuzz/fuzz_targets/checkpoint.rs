//! Bytes as a checkpoint: as the contents that a store without checksums hands out, and as a file. Whatever they are, the
//! reader returns sections or an error; it never reads beyond the end, nor allocates more than the bytes account for.

#![no_main]

use adtape::{CheckpointReader, Error, FileOptions, FileStore, MemoryStore, Store};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;

fuzz_target!(|bytes: &[u8]| {
    let store = MemoryStore::new();
    let mut writer = store.create("a").expect("memory");
    writer.write(bytes).expect("memory");
    writer.commit().expect("memory");
    let _ = read(&store, bytes.len() as u64);

    let directory = directory();
    std::fs::write(directory.join("fuzz.r0.a.adtape"), bytes).expect("a file");
    let options = FileOptions { run: Some("fuzz".to_owned()), rank: Some(0), ..FileOptions::default() };
    let store = FileStore::new(&directory, options).expect("a store");
    // LZ4 makes at most 255 bytes of one.
    let _ = read(&store, 300 * bytes.len() as u64);
});

/// One for each process, in memory where there is such a directory.
fn directory() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    let parent = if shared.is_dir() { shared } else { std::env::temp_dir() };
    let directory = parent.join(format!("adtape-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// Reads everything in three ways; all values together have at most `most` bytes.
fn read(store: &dyn Store, most: u64) -> Result<(), Error> {
    let mut checkpoint = CheckpointReader::open(store, "a")?;
    let sections = checkpoint.sections()?;
    let bytes: u64 = sections.iter().map(|section| section.bytes()).sum();
    assert!(bytes <= most, "{bytes} bytes of values in a checkpoint of {} bytes", checkpoint.bytes());
    for section in &sections {
        let mut found = vec![0; section.bytes() as usize];
        let _ = checkpoint.read_bytes(&section.name, section.ty, &mut found);
        let _ = checkpoint.skip();
    }
    for section in sections.iter().rev() {
        assert_eq!(checkpoint.find(&section.name)?.name, section.name);
    }
    Ok(())
}
