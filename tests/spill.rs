//! Tapes larger than the memory limit: their oldest part is in a file that has no name, and nothing is lost when the disk
//! is full. Each case in a process of its own, because the limit is the process's.

mod common;

use adtape::{Spill, Status, Tape, process};
use common::{scratch, skip};
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const ROLE: &str = "ADTAPE_TEST_ROLE";

fn child(role: &str, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "what_a_child_does", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env("ADTAPE_SPILL_DIRECTORY", directory).env("ADTAPE_MEMORY_LIMIT", "8M");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(mut command: Command) -> String {
    let output = command.output().expect("a child");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    said
}

const ARRAY: usize = 10_000;

/// Pushes arrays until it fails, or up to `most`; returns how many and why it ended.
fn push_arrays(tape: &Tape, most: usize) -> (usize, Option<adtape::Error>) {
    for i in 0..most {
        if let Err(error) = tape.push_slice(&[i as f64; ARRAY]) {
            return (i, Some(error));
        }
    }
    (most, None)
}

fn pop_arrays(tape: &Tape, count: usize) {
    pop_arrays_down_to(tape, 0, count);
    assert_eq!(tape.stats().expect("stats").bytes, 0);
}

/// Pops those from number `from` on, of `count` that are on the tape.
fn pop_arrays_down_to(tape: &Tape, from: usize, count: usize) {
    let mut found = vec![0.0; ARRAY];
    for i in (from..count).rev() {
        tape.pop_slice(&mut found).expect("what was pushed");
        assert!(found.iter().all(|x| *x == i as f64), "array {i}");
    }
}

/// The most memory that this process has had, in bytes.
fn most_resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("of this process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the most memory");
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).expect("a number") * 1024
}

/// The control group of a child that has no limit of its own, and its memory.
const GROUP: &str = "ADTAPE_TEST_GROUP";
const GROUP_BYTES: u64 = 256 << 20;

/// Enters the control group that the environment names, if it does.
fn enter_group() {
    if let Some(group) = std::env::var_os(GROUP) {
        let processes = Path::new(&group).join("cgroup.procs");
        fs::write(processes, std::process::id().to_string()).expect("a group of our own");
    }
}

fn directory_of_environment() -> String {
    std::env::var("ADTAPE_SPILL_DIRECTORY").expect("a directory")
}

/// The file without a name that this process has open in a directory.
fn spill_file(directory: String) -> fs::File {
    let files = fs::read_dir("/proc/self/fd").expect("of this process").filter_map(Result::ok);
    let ours = |path: &Path| fs::read_link(path).is_ok_and(|link| link.starts_with(&directory));
    let path = files.map(|file| file.path()).find(|path| ours(path)).expect("a file in that directory");
    fs::OpenOptions::new().write(true).open(path).expect("our file")
}

/// A store that takes its time, and says when it is at work.
#[derive(Default)]
struct Slow {
    bytes: Vec<u8>,
    at_work: Arc<AtomicBool>,
}

impl Spill for Slow {
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), adtape::Error> {
        self.at_work.store(true, Ordering::Release);
        std::thread::sleep(Duration::from_millis(300));
        self.bytes.truncate(offset as usize);
        self.bytes.extend(bytes);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), adtape::Error> {
        bytes.copy_from_slice(&self.bytes[offset as usize..][..bytes.len()]);
        Ok(())
    }
}

/// Forks while another thread moves the oldest part of this one's tape to its store.
fn fork_while_the_tape_is_moved(tape: Tape) {
    let store = Slow::default();
    let at_work = store.at_work.clone();
    let tape = tape.with_spill(Box::new(store)).expect("a tape without values");
    let (count, error) = push_arrays(&tape, 80);
    assert!(error.is_none() && tape.stats().expect("stats").spilled_bytes == 0);
    let other = std::thread::spawn(|| {
        let tape = Tape::new().expect("a tape");
        let (count, error) = push_arrays(&tape, 40);
        assert!(error.is_none());
        pop_arrays(&tape, count);
    });
    while !at_work.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
    // SAFETY: the child uses a tape and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: it ends a child that waits for a thread of its parent.
        unsafe { libc::alarm(20) };
        pop_arrays(&tape, count);
        // SAFETY: nothing is left to be done.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: the status has a place.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0, "the child ended by signal {}", libc::WTERMSIG(status));
    other.join().expect("the other thread did its work");
    pop_arrays(&tape, count);
}

/// Runs in a child.
#[test]
fn what_a_child_does() {
    let Ok(role) = std::env::var(ROLE) else { return };
    enter_group();
    let tape = Tape::new().expect("a tape");
    match role.as_str() {
        "larger than memory" => {
            let (before, limit, beside) = (most_resident(), 8 << 20, 64 << 20);
            for _ in 0..3 {
                let (count, error) = push_arrays(&tape, 1000); // 80 MB
                assert!(error.is_none());
                assert!(tape.stats().expect("stats").spilled_bytes > 70_000_000);
                assert!(process::memory().peak_committed_bytes <= limit);
                pop_arrays(&tape, count);
            }
            // The pieces of the file that are written and read ahead are memory, too, and the limit does not count them.
            assert!(most_resident() <= before + limit + beside, "{} bytes more", most_resident() - before);
            let memory = process::memory();
            let (least, most) = (65_000_000, 81_000_000);
            assert!((least..most).contains(&memory.peak_disk_bytes), "{memory:?}");
            assert!((3 * least..3 * most).contains(&memory.disk_written_bytes), "{memory:?}");
            assert!(memory.disk_read_bytes >= 3 * least, "{memory:?}");
            assert!(memory.disk_wait_nanoseconds > 0, "{memory:?}");
            drop(tape);
            assert_eq!(process::memory().disk_bytes, 0);
        }
        "repeat region" => {
            let (before, popped, within) = (60, 40, 80);
            push_arrays(&tape, before);
            tape.repeat_start().expect("a region");
            for _ in 0..3 {
                pop_arrays_down_to(&tape, before - popped, before);
                push_arrays(&tape, within);
                // Much of what was popped is in the store, although it is not on the tape at present.
                assert!(tape.stats().expect("stats").spilled_bytes > ((before - popped + 10) * ARRAY * 8) as u64);
                pop_arrays_down_to(&tape, 0, within);
                pop_arrays_down_to(&tape, before - popped - 5, before - popped);
                tape.repeat_reset().expect("the region's start");
            }
            tape.repeat_end().expect("a region");
            pop_arrays(&tape, before);
        }
        "killed" => {
            push_arrays(&tape, 500);
            println!("spilled {}", tape.stats().expect("stats").spilled_bytes);
            // SIGKILL: nothing is cleaned up by the process.
            let own = std::process::id().to_string();
            Command::new("kill").args(["-KILL", &own]).status().expect("kill");
            std::thread::park();
        }
        "full disk" => {
            let (count, error) = push_arrays(&tape, 1000);
            let error = error.expect("the disk is small");
            assert_eq!(error.status(), Status::Io);
            println!("said: {}", error.message().replace('\n', " "));
            // The push that failed changed nothing; smaller things may still fit.
            assert_eq!(tape.stats().expect("stats").bytes, (count * ARRAY * 8) as u64);
            pop_arrays(&tape, count);
        }
        "peak" => {
            let before = most_resident();
            let (count, error) = push_arrays(&tape, 6500); // 520 MB
            assert!(error.is_none());
            pop_arrays(&tape, count);
            let taken = most_resident() - before;
            assert!(taken <= (64 << 20) + (64 << 20), "{taken} bytes with a limit of 64 MiB");
        }
        "exits" => {
            push_arrays(&tape, 500);
            println!("did its work");
            std::process::exit(0); // blocks are on their way to the file
        }
        "limited disk" => {
            let (count, error) = push_arrays(&tape, 1000);
            let error = error.expect("it may take 10 MiB of the disk");
            assert_eq!(error.status(), Status::Io);
            assert!(error.message().contains("ADTAPE_DISK_LIMIT"), "{error}");
            assert!(count * ARRAY * 8 > 16_000_000, "memory and disk were used: {count} arrays");
            pop_arrays(&tape, count);
        }
        "by default" => {
            let (count, error) = push_arrays(&tape, 3750); // 300 MB
            assert!(error.is_none());
            assert_eq!(process::memory().limit_bytes, GROUP_BYTES / 4 * 3);
            assert!(tape.stats().expect("stats").spilled_bytes > 90_000_000);
            pop_arrays(&tape, count);
        }
        "by default, little disk" => {
            let (count, error) = push_arrays(&tape, 2700); // 216 MB, 10 of which the disk may take
            assert!(error.is_none());
            assert_eq!(process::memory().limit_bytes, GROUP_BYTES);
            pop_arrays(&tape, count);
        }
        "cut off" => {
            let (count, _) = push_arrays(&tape, 1000);
            let spilled = tape.stats().expect("stats").spilled_bytes;
            spill_file(directory_of_environment()).set_len(spilled / 2).expect("our file");
            let (mut found, mut left) = (vec![0.0; ARRAY], count);
            let error = loop {
                match tape.pop_slice(&mut found) {
                    Ok(()) => left -= 1,
                    Err(error) => break error,
                }
                assert!(found.iter().all(|x| *x == left as f64), "array {left}");
            };
            assert!(left < count && left * ARRAY * 8 > spilled as usize / 2, "{left} arrays are left");
            // A block that was still on its way makes the file long again, with a hole in place of what was cut off.
            let said = match error.status() {
                Status::Io => "reading back the oldest part of a tape",
                Status::Damaged => "the oldest part of a tape does not come back",
                other => panic!("{other:?}: {error}"),
            };
            assert!(error.message().contains(said), "{error}");
            assert!(tape.pop_slice(&mut found).is_err(), "the tape has lost something");
        }
        "forks" => fork_while_the_tape_is_moved(tape),
        "no directory" => {
            let (count, error) = push_arrays(&tape, 1000);
            assert_eq!(error.map(|error| error.status()), Some(Status::MemoryLimit));
            pop_arrays(&tape, count);
        }
        "set by call" => {
            assert_eq!(
                process::set_spill_directory(Some(Path::new("/nowhere/at/all"))).unwrap_err().status(),
                Status::Io
            );
            process::set_spill_directory(Some(&std::env::temp_dir())).expect("a directory");
            let (count, error) = push_arrays(&tape, 500);
            assert!(error.is_none());
            pop_arrays(&tape, count);
        }
        other => panic!("{other}"),
    }
    println!("did its work");
}

#[test]
fn tape_larger_than_the_memory_limit_comes_back_and_its_file_has_no_name() {
    let directory = scratch("spill_larger");
    assert!(run(child("larger than memory", &directory)).contains("did its work"));
    assert_eq!(fs::read_dir(&directory).expect("a directory").count(), 0);
}

/// What was popped in the region, and then spilled with what was pushed above it, was not read back from the store when a
/// pop went on below it: after the reset the tape had zeros there.
#[test]
fn reset_restores_what_was_popped_and_spilled_in_the_region() {
    let directory = scratch("spill_region");
    assert!(run(child("repeat region", &directory)).contains("did its work"));
}

#[test]
fn memory_of_the_process_stays_within_the_limit_and_little_more() {
    let directory = scratch("spill_peak");
    let mut command = child("peak", &directory);
    command.env("ADTAPE_MEMORY_LIMIT", "64M");
    assert!(run(command).contains("did its work"));
}

/// A control group with little memory; none where the system lets us make none.
fn group(name: &str) -> Option<PathBuf> {
    let name = format!("adtape-{name}-{}", std::process::id());
    let versions = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
    versions.into_iter().find_map(|(root, limit)| {
        let group = Path::new(root).join(&name);
        fs::create_dir(&group).ok()?;
        let is_limited = group.join(limit).exists() && fs::write(group.join(limit), GROUP_BYTES.to_string()).is_ok();
        is_limited.then(|| group.clone()).or_else(|| fs::remove_dir(&group).ok().and(None))
    })
}

/// What a child said that has neither a limit nor a directory set, in a control group with little memory; None, after
/// having said so, where there can be no group.
fn run_by_default(role: &str, test: &str, disk_limit: Option<&str>) -> Option<String> {
    let directory = scratch(test);
    let Some(group) = group(test) else {
        skip(test, "no control group can be made");
        return None;
    };
    let mut command = child(role, &directory);
    command.env_remove("ADTAPE_SPILL_DIRECTORY").env_remove("ADTAPE_MEMORY_LIMIT");
    command.env("TMPDIR", &directory).env(GROUP, &group);
    if let Some(limit) = disk_limit {
        command.env("ADTAPE_DISK_LIMIT", limit);
    }
    let said = std::panic::catch_unwind(AssertUnwindSafe(|| run(command)));
    fs::remove_dir(&group).expect("an empty group");
    Some(said.expect("the child did its work"))
}

#[test]
fn tape_goes_to_the_temporary_directory_beyond_three_quarters_of_the_memory_and_says_so() {
    if let Some(said) = run_by_default("by default", "spill_by_default", None) {
        assert!(said.contains("did its work"), "{said}");
        assert_eq!(said.matches("their oldest parts go to a file in").count(), 1, "{said}");
    }
}

#[test]
fn tape_that_finds_no_room_on_a_disk_nobody_named_goes_on_in_memory_and_says_so() {
    if let Some(said) = run_by_default("by default, little disk", "spill_little_disk", Some("10M")) {
        assert!(said.contains("did its work"), "{said}");
        assert_eq!(said.matches("tapes go on in memory").count(), 1, "{said}");
    }
}

/// The thread in the background meets the end of the file first; the error is of the pop that needs what is missing.
#[test]
fn file_that_was_cut_off_is_an_error_of_a_pop() {
    let directory = scratch("spill_cut_off");
    assert!(run(child("cut off", &directory)).contains("did its work"));
}

#[test]
fn process_may_exit_while_its_tape_is_being_written() {
    let directory = scratch("spill_exit");
    assert!(run(child("exits", &directory)).contains("did its work"));
    assert_eq!(fs::read_dir(&directory).expect("a directory").count(), 0);
}

#[test]
fn limit_on_the_disk_is_an_error_of_the_push_and_nothing_is_lost() {
    let directory = scratch("spill_limit");
    let mut command = child("limited disk", &directory);
    command.env("ADTAPE_DISK_LIMIT", "10M");
    assert!(run(command).contains("did its work"));
}

/// The child waited for ever for the thread that was at work on its tape, which it does not have.
#[test]
fn child_of_fork_has_its_tape_whatever_another_thread_was_doing_with_it() {
    assert!(run(child("forks", &scratch("spill_fork"))).contains("did its work"));
}

/// Without a directory a limit is a limit; an empty name is none.
#[test]
fn limit_without_a_directory_spills_nothing() {
    for directory in [None, Some("")] {
        let mut command = child("no directory", Path::new("/"));
        match directory {
            None => command.env_remove("ADTAPE_SPILL_DIRECTORY"),
            Some(name) => command.env("ADTAPE_SPILL_DIRECTORY", name),
        };
        assert!(run(command).contains("did its work"));
    }
}

#[test]
fn directory_can_be_set_by_call() {
    let directory = scratch("spill_call");
    let mut command = child("set by call", &directory);
    command.env_remove("ADTAPE_SPILL_DIRECTORY");
    assert!(run(command).contains("did its work"));
}

/// A small file system in memory at a directory; false, after having said so, where none can be mounted.
fn mounted(directory: &Path, size: &str, test: &str) -> bool {
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "adtape-test"]).arg(directory).stderr(Stdio::null());
    let done = mount.status().is_ok_and(|status| status.success());
    if !done {
        skip(test, "no file system can be mounted");
    }
    done
}

fn unmount(directory: &Path) {
    assert!(Command::new("umount").arg(directory).status().expect("umount").success());
}

#[test]
fn full_disk_is_an_error_of_the_push_and_nothing_is_lost() {
    let directory = scratch("spill_full");
    if !mounted(&directory, "20m", "full_disk_is_an_error_of_the_push_and_nothing_is_lost") {
        return;
    }
    let told = std::panic::catch_unwind(|| run(child("full disk", &directory)));
    unmount(&directory);
    let said = told.expect("the child did its work");
    assert!(said.contains("did its work") && said.contains("the disk is full"), "{said}");
}

#[test]
fn space_of_a_killed_process_is_given_back() {
    let directory = scratch("spill_killed");
    if !mounted(&directory, "100m", "space_of_a_killed_process_is_given_back") {
        return;
    }
    let output = child("killed", &directory).output().expect("a child");
    let used = Command::new("df").args(["--output=used", "-B1"]).arg(&directory).output().expect("df");
    let left = fs::read_dir(&directory).expect("a directory").count();
    unmount(&directory);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let spilled: u64 =
        said.split("spilled ").nth(1).and_then(|n| n.split_whitespace().next()?.parse().ok()).expect("a number");
    assert!(!output.status.success() && spilled > 20_000_000, "{said}");
    let used = String::from_utf8_lossy(&used.stdout).into_owned();
    let used: u64 = used.lines().nth(1).and_then(|line| line.trim().parse().ok()).expect("bytes");
    assert_eq!((left, used), (0, 0));
}
