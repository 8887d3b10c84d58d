use super::record::{Before, FIRST, Summary, record_head, summary_page};
use super::*;
use crate::error::Status;
use crate::store::image::HEADER;

fn put(store: &ArchiveStore, name: &str, value: u8, count: usize) {
    let mut writer = store.create(name).unwrap();
    writer.write(&vec![value; count]).unwrap();
    writer.commit().unwrap();
}

fn check(store: &ArchiveStore, name: &str, value: u8, count: usize) {
    let mut reader = store.open(name).unwrap();
    let mut found = vec![0; count];
    assert_eq!(reader.bytes(), count as u64);
    reader.read_at(0, &mut found).unwrap();
    assert!(found.iter().all(|byte| *byte == value));
}

fn store(name: &str) -> (ArchiveStore, PathBuf) {
    let options =
        FileOptions { run: Some(format!("{name}-{}", std::process::id())), rank: Some(0), ..Default::default() };
    let store = ArchiveStore::new(std::env::temp_dir(), options).unwrap();
    let path = store.archive.path.clone();
    (store, path)
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

#[test]
fn file_of_entries_that_come_and_go_last_in_first_out_does_not_grow() {
    let (store, path) = store("lifo");
    for round in 0..5 {
        for depth in 0..6 {
            put(&store, &format!("step-{depth}"), depth, 30_000);
        }
        assert!(size(&path) < 6 * 45_000, "round {round}: {}", size(&path));
        for depth in (0..6).rev() {
            check(&store, &format!("step-{depth}"), depth, 30_000);
            store.remove(&format!("step-{depth}")).unwrap();
        }
    }
    put(&store, "last", 1, 10);
    assert_eq!(size(&path), FIRST + 3 * PAGE, "what was removed is cut off");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn file_of_entries_that_are_replaced_is_written_anew_now_and_then() {
    let (store, path) = store("replaced");
    put(&store, "kept", 9, 1000);
    let mut reader = store.open("kept").unwrap();
    let mut largest = 0;
    for round in 0..100 {
        put(&store, "a", round, 2 << 20);
        largest = largest.max(size(&path));
        check(&store, "a", round, 2 << 20);
    }
    assert!(largest < 24 << 20, "{largest}");
    let mut found = [0; 1000];
    reader.read_at(0, &mut found).unwrap();
    assert_eq!(found, [9; 1000]);
    check(&store, "kept", 9, 1000);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn entry_that_is_being_read_is_not_cut_off() {
    let (store, path) = store("held");
    put(&store, "a", 1, 300_000);
    let mut reader = store.open("a").unwrap();
    store.remove("a").unwrap();
    put(&store, "b", 2, 300_000);
    let mut found = vec![0; 300_000];
    reader.read_at(0, &mut found).unwrap();
    assert!(found.iter().all(|byte| *byte == 1));
    drop(reader);
    store.remove("b").unwrap();
    put(&store, "c", 3, 10);
    assert_eq!(size(&path), FIRST + 3 * PAGE);
    std::fs::remove_file(path).unwrap();
}

/// What a name may be found to have: contents of a value, or nothing.
type Found = Option<u8>;

fn found(store: &ArchiveStore, name: &str) -> Result<Found, Error> {
    let mut reader = match store.open(name) {
        Err(error) if error.status() == Status::NotFound => return Ok(None),
        result => result?,
    };
    let mut bytes = vec![0; reader.bytes() as usize];
    reader.read_at(0, &mut bytes)?;
    assert!(bytes.iter().all(|byte| *byte == bytes[0]));
    Ok(Some(bytes[0]))
}

/// A damaged head was passed over like what a commit leaves that never came to its end, and an older checkpoint of the
/// name was read without a word.
#[test]
fn damage_anywhere_gives_the_newest_checkpoint_or_an_error_never_an_older_one() {
    let (first, path) = store("anywhere");
    for (name, value) in [("a", 1), ("b", 2), ("gone", 3), ("a", 4), ("kept", 5), ("b", 6)] {
        put(&first, name, value, 5000 + usize::from(value));
    }
    first.remove("gone").unwrap();
    put(&first, "last", 7, 100);
    put(&first, "a", 8, 100);
    drop(first);
    let newest: [(&str, Found); 5] =
        [("a", Some(8)), ("b", Some(6)), ("gone", None), ("kept", Some(5)), ("last", Some(7))];
    let good = std::fs::read(&path).unwrap();
    let (mut errors, mut whole) = (0, 0);
    let mut look = |bad: &[u8], what: &str| {
        std::fs::write(&path, bad).unwrap();
        let options =
            FileOptions { run: Some(format!("anywhere-{}", std::process::id())), rank: Some(0), ..Default::default() };
        match ArchiveStore::new(std::env::temp_dir(), options) {
            Err(error) => assert_eq!(error.status(), Status::Damaged, "{what}: {error}"),
            Ok(store) => {
                for (name, expected) in newest {
                    match found(&store, name) {
                        Ok(found) => assert_eq!(found, expected, "{what}: {name}"),
                        Err(error) => assert_eq!(error.status(), Status::Damaged, "{what}: {name}: {error}"),
                    }
                    errors += usize::from(found(&store, name).is_err());
                    whole += usize::from(found(&store, name).is_ok());
                }
            }
        }
    };
    let page = PAGE as usize;
    for at in (0..good.len()).step_by(512) {
        for (what, bytes) in [("bit", at..at + 1), ("zeros", at..at + page), ("two pages", at..at + 2 * page)] {
            let mut bad = good.clone();
            let bytes = bytes.start..bytes.end.min(good.len());
            bad[bytes].iter_mut().for_each(|byte| *byte = if what == "bit" { *byte ^ 1 } else { 0 });
            look(&bad, &format!("{what} at {at}"));
        }
        look(&good[..at], &format!("cut at {at}"));
    }
    look(&good, "undamaged");
    assert_eq!(std::fs::read(&path).unwrap(), good);
    assert!(errors > 500 && whole > 2 * errors, "{errors} errors, {whole} whole");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn entry_whose_head_is_damaged_is_an_error_with_the_place_and_the_others_are_there() {
    let (first, path) = store("damaged");
    for name in ["a", "b", "c"] {
        put(&first, name, 1, 5000);
    }
    drop(first);
    let mut file = std::fs::read(&path).unwrap();
    // Each record takes four pages.
    let second = FIRST + 4 * PAGE;
    file[second as usize + 20] ^= 1;
    std::fs::write(&path, &file).unwrap();
    let (second_store, _) = store("damaged");
    assert_eq!(second_store.names().unwrap(), ["a", "b", "c"]);
    check(&second_store, "a", 1, 5000);
    check(&second_store, "c", 1, 5000);
    let error = second_store.open("b").err().unwrap();
    assert_eq!(error.status(), Status::Damaged);
    assert!(error.message().contains(&format!("\"b\", 16384 bytes at offset {second}")), "{error}");
    // A bit in an image is an error of that entry alone.
    drop(second_store);
    file[(FIRST + PAGE) as usize + HEADER + 100] ^= 1;
    std::fs::write(&path, &file).unwrap();
    let (third, _) = store("damaged");
    let mut reader = third.open("a").unwrap();
    let error = reader.read_at(0, &mut [0; 5000]).unwrap_err();
    assert!(error.status() == Status::Damaged && error.message().contains("block 0"), "{error}");
    check(&third, "c", 1, 5000);
    // Written anew or removed, it is as it should be, also after a restart.
    put(&third, "b", 2, 5000);
    third.remove("a").unwrap();
    drop(third);
    let (fourth, _) = store("damaged");
    assert_eq!(fourth.names().unwrap(), ["b", "c"]);
    check(&fourth, "b", 2, 5000);
    assert_eq!(fourth.open("a").err().unwrap().status(), Status::NotFound);
    drop(fourth);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn damage_of_which_nothing_is_known_concerns_all_that_is_older_until_it_is_written_anew() {
    let (first, path) = store("suspect");
    for name in ["a", "b", "c", "d"] {
        put(&first, name, 1, 5000);
    }
    drop(first);
    let mut file = std::fs::read(&path).unwrap();
    for record in [1, 2] {
        file[(FIRST + 4 * PAGE * record) as usize] ^= 1;
    }
    std::fs::write(&path, &file).unwrap();
    let (second, _) = store("suspect");
    for name in ["a", "b", "c", "never"] {
        let error = second.open(name).err().unwrap();
        assert_eq!(error.status(), Status::Damaged, "{error}");
        assert!(error.message().contains(&format!("offset {}, 32768 bytes", FIRST + 4 * PAGE)), "{error}");
    }
    check(&second, "d", 1, 5000);
    put(&second, "a", 2, 5000);
    second.remove("b").unwrap();
    for _ in 0..20 {
        // More is dead than alive: what is damaged stays all the same.
        put(&second, "d", 3, 60_000);
    }
    drop(second);
    let (third, _) = store("suspect");
    check(&third, "a", 2, 5000);
    check(&third, "d", 3, 60_000);
    assert_eq!(third.open("b").err().unwrap().status(), Status::NotFound);
    assert_eq!(third.open("c").err().unwrap().status(), Status::Damaged);
    drop(third);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn images_or_files_that_were_swapped_are_refused() {
    let (first, path) = store("swapped");
    put(&first, "a", 1, 5000);
    put(&first, "b", 2, 5000);
    let (other, other_path) = store("swapped-other");
    put(&other, "a", 3, 5000);
    drop((first, other));
    let mut file = std::fs::read(&path).unwrap();
    let image = |i: u64| (FIRST + 4 * PAGE * i + PAGE) as usize..(FIRST + 4 * PAGE * (i + 1)) as usize;
    let (a, b) = (file[image(0)].to_vec(), file[image(1)].to_vec());
    file[image(0)].copy_from_slice(&b);
    file[image(1)].copy_from_slice(&a);
    std::fs::write(&path, &file).unwrap();
    let (second, _) = store("swapped");
    let error = second.open("a").err().unwrap();
    assert_eq!(error.status(), Status::Damaged);
    assert!(error.message().contains(".r0.a\"") && error.message().contains(".r0.b\""), "{error}");
    drop(second);
    std::fs::rename(&other_path, &path).unwrap();
    let options =
        FileOptions { run: Some(format!("swapped-{}", std::process::id())), rank: Some(0), ..Default::default() };
    let error = ArchiveStore::new(std::env::temp_dir(), options).err().unwrap();
    assert_eq!(error.status(), Status::Damaged);
    assert!(error.message().contains("swapped-other"), "{error}");
    std::fs::remove_file(path).unwrap();
}

/// The number behind that of the last record was computed unchecked: 2^64 - 1 overflowed.
#[test]
fn sequence_numbers_that_are_used_up_are_an_error_and_all_is_readable() {
    let (first, path) = store("sequence");
    put(&first, "a", 1, 100);
    drop(first);
    let mut file = std::fs::read(&path).unwrap();
    let id = u64::from_le_bytes(file[16..24].try_into().unwrap());
    let record = Record::new(FIRST, file.len() as u64 - FIRST - PAGE, "a");
    let (mut records, end) = (vec![record], file.len() as u64);
    // The image is shorter than what is left of its last page.
    records[0].image = u64::from_le_bytes(file[FIRST as usize + 24..FIRST as usize + 32].try_into().unwrap());
    let summary = Summary { index: 0, sequence: u64::MAX, end, last: Before::of(records.last()) };
    for (at, page) in [
        (PAGE, summary_page(id, &summary)),
        (2 * PAGE, summary_page(id, &summary)),
        (FIRST, record_head(id, u64::MAX, &records[0], &Before::default())),
    ] {
        file[at as usize..(at + PAGE) as usize].copy_from_slice(&page);
    }
    std::fs::write(&path, &file).unwrap();
    let (second, _) = store("sequence");
    check(&second, "a", 1, 100);
    let mut writer = second.create("b").unwrap();
    writer.write(&[1; 100]).unwrap();
    let errors = [writer.commit().unwrap_err(), second.remove("a").unwrap_err()];
    assert!(errors.iter().all(|error| error.message().contains("sequence numbers are used up")), "{}", errors[0]);
    check(&second, "a", 1, 100);
    drop(second);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn removal_and_replacement_survive_a_restart() {
    let (first, path) = store("restart");
    put(&first, "a", 1, 1000);
    put(&first, "b", 2, 1000);
    put(&first, "a", 3, 2000);
    put(&first, "c", 4, 1000);
    first.remove("a").unwrap();
    drop(first);
    let (second, _) = store("restart");
    assert_eq!(second.names().unwrap(), ["b", "c"]);
    check(&second, "c", 4, 1000);
    second.remove("c").unwrap();
    drop(second);
    let (third, _) = store("restart");
    assert_eq!(third.names().unwrap(), ["b"], "no older version comes back");
    std::fs::remove_file(path).unwrap();
}
