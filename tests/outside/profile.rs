//! Profile mode as users meet it: programs in C and Fortran whose pushes are counted by hand (tests/profile), what their
//! table and file say, and ends of programs in the middle of something.

use crate::common::{root, scratch};
use crate::programs::Language::{C, Fortran};
use crate::programs::{Set, command, compile};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

const PROFILE: Set = Set { name: "profile", modules: &[] };

fn in_c() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compile(&PROFILE, "tests/profile/sweeps", C).expect("gcc"))
}

/// `file:line` of the one line of a program that ends in a comment.
fn place(file: &str, comment: &str) -> String {
    let source = fs::read_to_string(root().join("tests/profile").join(file)).expect("the program");
    let ends = |line: &str| line.trim_end().trim_end_matches("*/").trim_end().ends_with(&format!("LINE {comment}"));
    let found: Vec<usize> = source.lines().enumerate().filter(|(_, l)| ends(l)).map(|(i, _)| i + 1).collect();
    assert_eq!(found.len(), 1, "{comment} stands once in {file}");
    format!("{file}:{}", found[0])
}

/// What a key of a record has, as it stands there.
fn field<'a>(record: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = record.split_once(&format!("\"{key}\":"))?;
    let end = if rest.starts_with('{') { rest.find('}')? + 1 } else { rest.find([',', '}'])? };
    Some(rest[..end].trim_matches('"'))
}

fn number(record: &str, key: &str) -> u64 {
    let text = field(record, key).unwrap_or_else(|| panic!("no {key} in {record}"));
    text.parse().unwrap_or_else(|_| panic!("{key} is {text} in {record}"))
}

/// A profile's file.
struct Profile {
    text: String,
}

impl Profile {
    fn all(&self, name: &str) -> Vec<&str> {
        let begin = format!("{{\"record\":\"{name}\"");
        self.text.lines().filter(|line| line.starts_with(&begin)).collect()
    }

    fn process(&self, key: &str) -> u64 {
        number(self.all("process")[0], key)
    }

    /// The record of what the line of a program moved.
    fn moved(&self, name: &str, place: &str) -> &str {
        let (file, line) = place.split_once(':').expect("a place");
        let is_there = |record: &&&str| {
            field(record, "file").is_some_and(|path| path.ends_with(file)) && field(record, "line") == Some(line)
        };
        let sites: Vec<u64> = self.all("site").iter().filter(is_there).map(|site| number(site, "id")).collect();
        let found: Vec<&str> =
            self.all(name).into_iter().filter(|record| sites.contains(&number(record, "site"))).collect();
        assert_eq!(found.len(), 1, "one {name} at {place} in\n{}", self.text);
        found[0]
    }
}

/// The profiles in a directory, by the number of pushes.
fn profiles(directory: &Path) -> Vec<Profile> {
    let mut found: Vec<Profile> = crate::common::files_below(directory, |_| true)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|path| Profile { text: fs::read_to_string(path).expect("a profile") })
        .collect();
    found.sort_by_key(|profile| profile.process("operations"));
    found
}

/// Runs a program in profile mode, in a directory of its own.
fn run(program: &Path, name: &str) -> (Output, Vec<Profile>) {
    let directory = scratch(&format!("profile-of-{name}"));
    let mut command = command(program, &[name], &[("ADTAPE_PROFILE", "1")]);
    let output = command.current_dir(&directory).output().expect("the program starts");
    (output, profiles(&directory))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The profile of a program that ends well.
fn profile_of(name: &str) -> (String, Profile) {
    let (output, mut profiles) = run(in_c(), name);
    assert!(output.status.success() && profiles.len() == 1, "{name}: {}", said(&output));
    (said(&output), profiles.remove(0))
}

#[test]
fn counts_by_line_are_those_counted_by_hand() {
    let (said, profile) = profile_of("counts");
    let scalar = profile.moved("push", &place("sweeps.c", "scalar"));
    assert_eq!((number(scalar, "operations"), number(scalar, "bytes"), number(scalar, "at_peak")), (100, 800, 800));
    assert_eq!(field(scalar, "kind"), Some("f64"));
    assert_eq!(field(scalar, "repeated"), Some("{\"operations\":90,\"bytes\":720}"), "ten values, ten times each");
    let array = profile.moved("push", &place("sweeps.c", "array"));
    assert_eq!((number(array, "operations"), number(array, "bytes")), (100, 51_200));
    assert_eq!(field(array, "kind"), Some("f64 array"));
    // It changes after steps 0, 4, ..., 96, so 25 of the 99 pushes behind the first differ from the one before.
    let unchanged = Some("{\"operations\":74,\"bytes\":37888}");
    assert_eq!((field(array, "unchanged"), field(array, "repeated")), (unchanged, unchanged));
    // The reverse sweep pops into the array itself; behind the last step it is what it was four steps before.
    assert_eq!(field(array, "still_held"), Some("{\"operations\":75,\"bytes\":38400}"));
    let control = profile.moved("push", &place("sweeps.c", "control"));
    assert_eq!((number(control, "operations"), number(control, "bytes")), (100, 13), "100 bits");
    let pop = profile.moved("pop", &place("sweeps.c", "pop array"));
    assert_eq!((number(pop, "operations"), number(pop, "bytes")), (100, 51_200));
    assert_eq!((profile.process("operations"), profile.process("tape_bytes")), (300, 52_013));
    assert_eq!(profile.process("tape_peak"), 52_013);
    assert!(said.contains(&place("sweeps.c", "array")) && said.contains("75.0%"), "{said}");
    assert!(said.lines().all(|line| line.len() <= 120 || line.contains(".jsonl")), "{said}");
}

#[test]
fn samples_of_long_sweeps_and_of_many_short_ones_stand_for_all() {
    let (said, profile) = profile_of("long");
    // Both sweeps push all of it.
    let (all, large) = (4_000_000, 8192 * 8);
    let large_pushes = 2 * 2_000_000_u64.div_ceil(4096);
    for (comment, operations, bytes, share) in [
        ("first of two", all, 8 * all, 0.1),
        ("second of two", all, 8 * all, 0.1),
        ("many flags", all, all / 8, 0.1),
        ("row", all / 8, 128 * all / 8, 0.1),
        ("large", large_pushes, large * large_pushes, 0.2),
    ] {
        let push = profile.moved("push", &place("sweeps.c", comment));
        for (key, expected) in [("operations", operations), ("bytes", bytes)] {
            let ratio = number(push, key) as f64 / expected as f64;
            assert!((1.0 - share..1.0 + share).contains(&ratio), "{comment}: {key} {ratio}\n{push}");
        }
    }
    let pops = number(profile.moved("pop", &place("sweeps.c", "pop of a row")), "operations");
    assert!((0.9..1.1).contains(&(pops as f64 / (all / 8) as f64)), "{pops} pops of rows");
    let peak = 2_000_000 * 16 + 250_000 + 250_000 * 128 + 489 * large;
    let ratio = profile.process("tape_peak") as f64 / peak as f64;
    assert!((0.9..1.1).contains(&ratio), "peak {ratio}");
    assert!(said.contains("in about "), "{said}");
}

#[test]
fn tapes_that_are_sampled_give_back_what_was_pushed() {
    let program = compile(&PROFILE, "tests/profile/mixed", C).expect("gcc");
    for seed in ["1", "2", "3", "4"] {
        let (output, profiles) = run(&program, seed);
        assert!(output.status.success(), "{seed}: {}{}", String::from_utf8_lossy(&output.stdout), said(&output));
        assert_eq!(field(profiles[0].all("process")[0], "estimated"), Some("true"));
    }
}

#[test]
fn call_paths_lead_from_main_to_the_push() {
    let (_, profile) = profile_of("counts");
    let name = |id: &str| {
        let site = profile.all("site").into_iter().find(|site| field(site, "id") == Some(id)).expect("a site");
        field(site, "function").expect("a function").to_owned()
    };
    let paths = profile.all("path");
    assert!(!paths.is_empty());
    for path in paths {
        let (_, sites) = path.split_once("\"sites\":[").expect("sites");
        let (sites, _) = sites.split_once(']').expect("an end");
        let names: Vec<String> = sites.split(',').map(name).collect();
        assert_eq!(names.first().map(String::as_str), Some("main"), "{path}");
        assert!(number(path, "bytes") > 0);
    }
}

#[test]
fn discarded_values_are_not_on_the_tape_any_more() {
    let (_, profile) = profile_of("marks");
    let at_peak = |comment| number(profile.moved("push", &place("sweeps.c", comment)), "at_peak");
    assert_eq!((at_peak("kept"), at_peak("discarded"), at_peak("read again")), (512, 8000, 0));
    assert_eq!(profile.process("tape_peak"), 8512);
    let last = profile.all("time").into_iter().last().expect("a sample").to_owned();
    assert!(number(&last, "resident") < 1 << 24, "{last}");
}

#[test]
fn threads_count_for_themselves() {
    let (_, profile) = profile_of("threads");
    let threads = profile.all("thread");
    let done: Vec<_> =
        threads.iter().map(|t| (number(t, "operations"), number(t, "bytes"), number(t, "peak"))).collect();
    assert_eq!(done, [(300, 52_013, 52_013); 2], "{threads:?}");
    assert_eq!(threads.iter().filter(|thread| field(thread, "name") == Some("main")).count(), 1, "{threads:?}");
    assert_eq!(profile.process("operations"), 600);
    assert_eq!(profile.process("tape_peak"), 52_013, "one after the other");
}

#[test]
fn tapes_by_handle_count_too() {
    let (_, profile) = profile_of("handles");
    assert_eq!((profile.process("operations"), profile.process("tape_peak")), (600, 52_013));
}

#[test]
fn profile_of_a_program_that_ends_in_an_error_is_written() {
    let (output, profiles) = run(in_c(), "abort");
    assert!(!output.status.success() && profiles.len() == 1, "{}", said(&output));
    assert_eq!(profiles[0].process("operations"), 300);
    let said = said(&output);
    assert!(said.contains("adtape: profile of sweeps") && said.contains("adtape: error: "), "{said}");
}

/// A line feed that is a write by itself comes behind the text of another process, where several write to one file.
#[test]
fn each_message_is_one_write() {
    let (ours, theirs) = std::os::unix::net::UnixDatagram::pair().expect("a pair");
    let mut program = command(in_c(), &["abort"], &[("ADTAPE_PROFILE", "1")]);
    program.current_dir(scratch("profile-of-writes")).stderr(std::os::fd::OwnedFd::from(theirs));
    assert!(!program.status().expect("the program starts").success());
    drop(program);
    ours.set_nonblocking(true).expect("a socket");
    let (mut messages, mut bytes) = (Vec::new(), vec![0; 1 << 16]);
    while let Ok(n) = ours.recv(&mut bytes) {
        if n == 0 {
            break;
        }
        messages.push(String::from_utf8_lossy(&bytes[..n]).into_owned());
    }
    assert_eq!(messages.len(), 3, "the table, the file, the error: {messages:#?}");
    assert!(messages.iter().all(|text| text.starts_with("adtape: ") && text.ends_with('\n')), "{messages:#?}");
}

#[test]
fn exit_with_values_left_is_no_reason_not_to_write() {
    let (output, profiles) = run(in_c(), "exit");
    let left = profiles[0].moved("push", &place("sweeps.c", "left"));
    assert_eq!((number(left, "operations"), number(left, "at_peak")), (1, 8));
    assert!(said(&output).contains("the program ended with 8 bytes on its tape"), "{}", said(&output));
}

#[test]
fn child_that_pushes_has_a_profile_of_its_own() {
    let (output, profiles) = run(in_c(), "fork");
    let counts: Vec<u64> = profiles.iter().map(|profile| profile.process("operations")).collect();
    assert_eq!(counts, [1, 301], "{}", said(&output));
}

#[test]
fn directory_takes_the_file_and_standard_error_nothing() {
    let directory = scratch("profile-directory");
    let output =
        command(in_c(), &[], &[("ADTAPE_PROFILE", directory.to_str().expect("text"))]).output().expect("it runs");
    assert_eq!((output.status.success(), said(&output).as_str()), (true, ""));
    assert_eq!(profiles(&directory).len(), 1);
}

#[test]
fn directory_that_is_not_there_is_said_once_at_the_start() {
    let file = in_c().to_str().expect("text").to_owned();
    for directory in ["/not/there", "/proc/self", &file] {
        // What the program leaves is said at its end.
        let output = command(in_c(), &["exit"], &[("ADTAPE_PROFILE", directory)]).output().expect("it runs");
        let said = said(&output);
        let warning = format!("adtape: warning: the profile cannot be written to {directory}: ");
        assert!(said.starts_with(&warning) && said.matches("warning: the profile").count() == 1, "{said}");
        assert!(said.contains("the program ended with 8 bytes on its tape"), "{said}");
    }
}

/// An array of 1280 blocks of which 16 change each time, all in one part of it: the pushes are known by blocks.
#[test]
fn array_that_changes_in_part_has_the_rest_to_win() {
    let (said, profile) = profile_of("parts");
    let (bytes, block) = (1280 * 512, 512);
    let pushes = 200_u64;
    let part = profile.moved("push", &place("sweeps.c", "part"));
    assert_eq!((number(part, "operations"), number(part, "bytes")), (pushes, pushes * bytes));
    let win = |key| number(field(part, key).unwrap_or_else(|| panic!("no {key} in {part}")), "bytes");
    // A block of so large an array has 1024 bytes; a part that changes has eight of them.
    let same = (pushes - 1) * (bytes - 16 * block);
    // The first pop finds all of it.
    assert_eq!((win("unchanged"), win("still_held")), (same, same + bytes));
    // Two parts of the array change in turn; the rest of it never does.
    assert_eq!(number(part, "never_changed"), (pushes - 1) * (bytes - 32 * block));
    assert_eq!(field(part, "repeated"), None);
    let line = said.lines().find(|line| line.contains(&place("sweeps.c", "part"))).expect("its line");
    assert!(line.contains("98.8%") && line.contains("97.0%"), "{said}");
}

#[test]
fn routine_with_several_places_has_a_sum() {
    let (said, _) = profile_of("counts");
    let (_, sums) = said.split_once("  by routine\n").expect("sums");
    let words: Vec<&str> = sums.lines().next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(words[..4], ["50.8", "KiB", "100.0%", "300"], "{said}");
    assert!(sums.contains("3 places        forward (sweeps.c)"), "{said}");
}

#[test]
fn elements_in_fortran_are_known_by_their_addresses() {
    let Some(program) = compile(&PROFILE, "tests/profile/sweeps", Fortran) else { return };
    let (output, profiles) = run(&program, "fortran");
    let profile = &profiles[0];
    assert!(output.status.success());
    let scalar = profile.moved("push", &place("sweeps.f90", "scalar"));
    assert_eq!((number(scalar, "operations"), number(scalar, "bytes")), (3000, 24_000));
    // Three of four are as they were, in the second step and in the third.
    assert_eq!(field(scalar, "unchanged"), Some("{\"operations\":1500,\"bytes\":12000}"));
    // The array is popped first, with the elements that changed since.
    assert_eq!(field(scalar, "still_held"), Some("{\"operations\":2250,\"bytes\":18000}"));
    let array = profile.moved("push", &place("sweeps.f90", "array"));
    assert_eq!((number(array, "operations"), number(array, "bytes")), (3, 24_000));
    let pop = profile.moved("pop", &place("sweeps.f90", "pop"));
    assert_eq!(number(pop, "operations"), 3000);
}
