//! Checkpoints in files when things go wrong: a process killed at any moment of a write, disks and limits that are full,
//! files that were cut off, changed, or written in another version. The old checkpoint stays readable, and the error says
//! what and where. (Crashes of the machine, which lose what was not synced, are simulated in `src/store/crash.rs`.)

mod common;

use adtape::{ArchiveStore, CheckpointReader, CheckpointWriter, Error, FileOptions, FileStore, Status, Store};
use common::{scratch, skip};
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::time::Duration;

/// In the environment of a child: what it does, and the directory that it does it in.
const ROLE: &str = "ADTAPE_TEST_ROLE";
const DIRECTORY: &str = "ADTAPE_TEST_DIRECTORY";

fn options() -> FileOptions {
    FileOptions { run: Some("run".to_owned()), rank: Some(0), ..FileOptions::default() }
}

fn store(directory: &Path) -> Result<FileStore, Error> {
    FileStore::new(directory, options())
}

/// With one file for each checkpoint or one for all.
fn store_of(directory: &Path, one_file: bool) -> Result<Box<dyn Store>, Error> {
    if one_file {
        return Ok(Box::new(ArchiveStore::new(directory, options())?));
    }
    Ok(Box::new(store(directory)?))
}

/// What version `version` of a checkpoint holds: of varying size, several blocks of a file.
fn values(version: u64) -> Vec<u64> {
    (0..100_000 + (version % 7) * 30_000).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ version).collect()
}

fn write(store: &dyn Store, name: &str, version: u64) -> Result<(), Error> {
    let mut checkpoint = CheckpointWriter::create(store, name)?;
    checkpoint.write("version", &[version as i64])?;
    for (i, part) in values(version).chunks(40_000).enumerate() {
        let part: Vec<i64> = part.iter().map(|x| *x as i64).collect();
        checkpoint.write(&format!("part-{i}"), &part)?;
    }
    checkpoint.commit()
}

/// The version of a checkpoint, all of which must be as it was written.
fn version(store: &dyn Store, name: &str) -> Result<u64, Error> {
    let mut checkpoint = CheckpointReader::open(store, name)?;
    let mut version = [0_i64];
    checkpoint.read("version", &mut version)?;
    let version = version[0] as u64;
    for (i, part) in values(version).chunks(40_000).enumerate() {
        let mut found = vec![0_i64; part.len()];
        checkpoint.read(&format!("part-{i}"), &mut found)?;
        assert!(found.iter().zip(part).all(|(a, b)| *a as u64 == *b), "version {version}, part {i}");
    }
    assert_eq!(checkpoint.peek()?, None);
    Ok(version)
}

fn child(role: &str, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "what_a_child_does", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(DIRECTORY, directory).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs in a child.
#[test]
fn what_a_child_does() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let directory = std::env::var(DIRECTORY).expect("a directory");
    let store = store_of(Path::new(&directory), role.contains("one file")).expect("a store");
    let store = &*store;
    match role.as_str() {
        "write until killed" | "write until killed, one file" => {
            for version in version(store, "a").map_or(1, |last| last + 1).. {
                println!("begins {version}");
                write(store, "a", version).expect("there is room");
                println!("committed {version}");
            }
        }
        _ => {
            // Under a limit or on a small disk: fails at some moment, and says why.
            let error = (2..100).find_map(|version| write(store, &format!("a{version}"), version).err());
            let error = error.expect("it does not all fit");
            assert_eq!(error.status(), Status::Io);
            println!("said: {}", error.message().replace('\n', " "));
            assert_eq!(version(store, "a").expect("the old one"), 1);
        }
    }
}

/// What a child says, line by line.
struct Said {
    lines: Lines<BufReader<ChildStdout>>,
    begun: u64,
    committed: u64,
}

impl Said {
    /// Listens until the child has said so many times that it committed, or is dead.
    fn listen(&mut self, commits: u64) {
        let mut left = commits;
        while left > 0 {
            let Some(Ok(line)) = self.lines.next() else { return };
            let number = |word: &str| line.split(word).nth(1)?.trim().parse::<u64>().ok();
            self.begun = number("begins ").unwrap_or(self.begun);
            if let Some(version) = number("committed ") {
                (self.committed, left) = (version, left - 1);
            }
        }
    }
}

#[test]
fn process_killed_at_any_moment_of_a_write_leaves_a_whole_checkpoint() {
    kill_at_many_moments("write until killed", &scratch("faults_killed"), false);
}

#[test]
fn process_killed_at_any_moment_of_a_write_to_one_file_for_all_leaves_a_whole_checkpoint() {
    kill_at_many_moments("write until killed, one file", &scratch("faults_killed_one_file"), true);
}

fn kill_at_many_moments(role: &str, directory: &Path, one_file: bool) {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut last, mut amid) = (0, 0);
    for round in 0..100 {
        let mut child = child(role, directory).spawn().expect("a child");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut said = Said { lines, begun: 0, committed: 0 };
        said.listen(random.u64(..3));
        std::thread::sleep(Duration::from_micros(random.u64(..15_000)));
        child.kill().expect("SIGKILL");
        child.wait().expect("dead");
        said.listen(u64::MAX);
        let (begun, committed) = (said.begun, said.committed);
        let store = store_of(directory, one_file).expect("a store");
        let found = match version(&*store, "a") {
            Err(error) if error.status() == Status::NotFound && last == 0 && committed == 0 => continue,
            result => result.unwrap_or_else(|error| panic!("round {round}: {error}")),
        };
        assert!(
            found >= committed.max(last) && found <= begun.max(last),
            "round {round}: {found} of {committed} to {begun}"
        );
        amid += u64::from(begun > committed);
        last = found;
        drop(store);
        let left = fs::read_dir(directory).expect("a directory").count();
        assert_eq!(left, 1, "round {round}: parts and locks of killed processes are removed");
    }
    assert!(last > 20 && amid > 20, "{last} versions were written, {amid} processes killed while they wrote one");
}

/// What a child that ran out of space said.
fn said_without_space(mut command: Command) -> String {
    let output = command.output().expect("a child");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text.lines().find_map(|line| line.split("said: ").nth(1)).expect("an error").to_owned()
}

#[test]
fn limit_on_file_sizes_is_an_error_that_says_so_and_leaves_the_old_checkpoint() {
    let directory = scratch("faults_limit");
    write(&store(&directory).expect("a store"), "a", 1).expect("there is room");
    let inner = child("limited", &directory);
    // 512 KiB; the signal that goes with it is ignored, as a program under such a limit does.
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\""])
        .arg(inner.get_program())
        .args(inner.get_args());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = said_without_space(command);
    assert!(said.contains("File too large") && said.contains("ulimit -f") && said.contains(".part-"), "{said}");
}

#[test]
fn full_disk_is_an_error_that_says_so_and_leaves_the_old_checkpoint() {
    const TEST: &str = "full_disk_is_an_error_that_says_so_and_leaves_the_old_checkpoint";
    let directory = scratch("faults_full");
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=6m", "adtape-test"]).arg(&directory).stderr(Stdio::null());
    if !mount.status().is_ok_and(|status| status.success()) {
        return skip(TEST, "no file system can be mounted");
    }
    let told = std::panic::catch_unwind(|| {
        write(&store(&directory).expect("a store"), "a", 1).expect("there is room");
        said_without_space(child("limited", &directory))
    });
    assert!(Command::new("umount").arg(&directory).status().expect("umount").success());
    let said = told.expect("the child failed");
    assert!(said.contains("the disk is full") && said.contains("writing"), "{said}");
}

#[test]
fn changed_or_cut_file_is_damaged_and_the_error_names_file_and_place() {
    let directory = scratch("faults_damaged");
    let store = store(&directory).expect("a store");
    write(&store, "a", 1).expect("there is room");
    let path = directory.join("run.r0.a.adtape");
    let good = fs::read(&path).expect("the file");
    let mut random = fastrand::Rng::with_seed(2);
    for round in 0..300 {
        let at = random.usize(..good.len());
        let mut bad = good.clone();
        match round % 3 {
            0 => bad.truncate(at),
            1 => bad[at] ^= 1 << random.u32(..8),
            _ => bad[at..].iter_mut().take(4096).for_each(|byte| *byte = 0),
        }
        if bad == good {
            continue;
        }
        // As an editor would: into the file itself.
        fs::write(&path, &bad).expect("the file");
        let error = version(&store, "a").expect_err("damage is seen");
        assert_eq!(error.status(), Status::Damaged, "round {round}: {error}");
        assert!(error.message().contains("run.r0.a.adtape"), "{error}");
        let place = ["offset", "cut off", "table", "begins with"];
        assert!(place.iter().any(|word| error.message().contains(word)), "{error}");
    }
    fs::write(&path, &good).expect("the file");
    assert_eq!(version(&store, "a").expect("whole again"), 1);
}

/// CRC-32 as docs/format.md has it, by the definition.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ (0xEDB8_8320 & (c & 1).wrapping_neg()))
    })
}

/// Files put together by hand from docs/format.md, with contents of both versions, are read, and images of other versions
/// are refused.
#[test]
fn file_written_from_the_documentation_is_read() {
    let directory = scratch("faults_format");
    let contents = |version: u8| {
        let mut contents = b"ADTCKPT\0".to_vec();
        contents.extend([version, 0, 0, 0, 0, 0, 0, 0]);
        contents.extend(b"SECT\x01\x06\0\x01\x01\0\0\0");
        contents.extend(40_u32.to_le_bytes()); // 32 + name
        contents.extend(2_u64.to_le_bytes());
        contents.extend(16_u64.to_le_bytes());
        contents.extend(b"x\0\0\0\0\0\0\0");
        contents.extend(1.5_f64.to_le_bytes());
        contents.extend((-2.5_f64).to_le_bytes());
        contents.extend(b"DONE\0\0\0\0\x01\0\0\0\0\0\0\0");
        contents
    };
    let file = |version: u32, name: &str, contents: &[u8]| {
        let mut file = b"\x89ADTP\r\n\x1a".to_vec();
        file.extend(version.to_le_bytes());
        file.extend(262_144_u32.to_le_bytes());
        let identity = format!("run.r0.{name}");
        file.extend((identity.len() as u32).to_le_bytes());
        file.extend(identity.as_bytes());
        file.resize(4092, 0);
        file.extend(crc32(&file).to_le_bytes());
        file.extend(contents);
        let mut table = (contents.len() as u32).to_le_bytes().to_vec();
        table.extend(crc32(contents).to_le_bytes());
        file.extend(&table);
        let mut trailer = b"ADTP-END".to_vec();
        trailer.extend((contents.len() as u64).to_le_bytes());
        trailer.extend((file.len() as u64 + 32).to_le_bytes());
        trailer.extend(crc32(&table).to_le_bytes());
        trailer.extend(crc32(&trailer).to_le_bytes());
        file.extend(trailer);
        file
    };
    for (name, version, inside) in [("by-hand", 2, 2), ("earlier", 2, 1), ("old", 1, 2), ("new", 3, 2)] {
        let path = directory.join(format!("run.r0.{name}.adtape"));
        fs::write(path, file(version, name, &contents(inside))).expect("the file");
    }
    let store = store(&directory).expect("a store");
    let mut x = [0.0; 2];
    for name in ["by-hand", "earlier"] {
        x = [0.0; 2];
        let mut checkpoint = CheckpointReader::open(&store, name).expect("a checkpoint");
        checkpoint.read("x", &mut x).expect("its section");
        assert_eq!(x, [1.5, -2.5]);
        assert_eq!(checkpoint.peek().expect("the end"), None);
    }
    // The other way round: what the library writes of the same section is this file, byte for byte.
    let mut checkpoint = CheckpointWriter::create(&store, "ours").expect("a checkpoint");
    checkpoint.write("x", &x).expect("a section");
    checkpoint.commit().expect("on the disk");
    assert!(fs::read(directory.join("run.r0.ours.adtape")).expect("the file") == file(2, "ours", &contents(2)));
    for (name, version) in [("old", "version 1"), ("new", "version 3")] {
        let error = CheckpointReader::open(&store, name).err().expect("another version");
        assert_eq!(error.status(), Status::OtherVersion);
        assert!(error.message().contains(version) && error.message().contains(&format!("{name}.adtape")), "{error}");
    }
}
