//! The file of a profile: a JSON object a line, each with its kind under `record`. Kinds and keys that this command does
//! not know are passed over.

use crate::say;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The format that is read.
const FORMAT: u64 = 1;
/// Bytes of the longest line: those of a program are far shorter, and a device may have none that ends.
const LONGEST: u64 = 1 << 20;

/// What a program's run did with its tapes.
#[derive(Default)]
pub struct Profile {
    pub process: Process,
    pub sites: BTreeMap<u64, Site>,
    pub pushes: Vec<Push>,
    pub paths: Vec<CallPath>,
    /// By time.
    pub samples: Vec<Sample>,
    pub threads: Vec<Thread>,
    pub drivers: Vec<Driver>,
    /// By time.
    pub actions: Vec<Action>,
}

#[derive(Deserialize)]
#[serde(tag = "record", rename_all = "lowercase")]
enum Record {
    Process(Process),
    Site(Site),
    Push(Push),
    Path(CallPath),
    Time(Sample),
    Thread(Thread),
    Driver(Driver),
    Action(Action),
    #[serde(other)]
    Unknown,
}

/// The first record.
#[derive(Clone, Default, Deserialize)]
pub struct Process {
    pub format: u64,
    #[serde(default)]
    pub adtape: String,
    #[serde(default)]
    pub program: String,
    #[serde(default)]
    pub pid: u64,
    #[serde(default)]
    pub seconds: f64,
    /// Most bytes on the tapes at once.
    #[serde(default)]
    pub tape_peak: u64,
    /// Pushed in all.
    #[serde(default)]
    pub tape_bytes: u64,
    #[serde(default)]
    pub operations: u64,
    /// Some sweeps were not counted; others stand for them.
    #[serde(default)]
    pub estimated: bool,
}

/// Where a call is. Without debug information only module and offset are known.
#[derive(Clone, Default, Deserialize)]
pub struct Site {
    pub id: u64,
    pub file: Option<String>,
    pub line: Option<u64>,
    pub function: Option<String>,
    pub module: Option<String>,
    pub offset: Option<u64>,
}

/// Operations and bytes.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
pub struct Amount {
    #[serde(default)]
    pub operations: u64,
    #[serde(default)]
    pub bytes: u64,
}

impl std::ops::AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        self.operations += other.operations;
        self.bytes += other.bytes;
    }
}

#[derive(Clone, Deserialize)]
pub struct Push {
    pub site: u64,
    #[serde(default)]
    pub kind: String,
    #[serde(flatten)]
    pub amount: Amount,
    /// On the tape when it held most.
    #[serde(default)]
    pub at_peak: u64,
    /// The variable still held the value at its pop.
    pub still_held: Option<Amount>,
    /// Equal to the value pushed before at this site.
    pub repeated: Option<Amount>,
    /// Of arrays: unchanged since the last push of the same address at this site.
    pub unchanged: Option<Amount>,
    /// Bytes that were so at each push.
    #[serde(default)]
    pub never_changed: u64,
}

/// Calls that led to pushes, the outermost first.
#[derive(Clone, Deserialize)]
pub struct CallPath {
    pub sites: Vec<u64>,
    pub bytes: u64,
}

/// Memory at a moment.
#[derive(Clone, Copy, Default, Deserialize)]
pub struct Sample {
    pub seconds: f64,
    #[serde(default)]
    pub tape: u64,
    #[serde(default)]
    pub resident: u64,
    #[serde(default)]
    pub spilled: u64,
    #[serde(default)]
    pub checkpoints: u64,
    #[serde(default)]
    pub heap: u64,
}

#[derive(Clone, Deserialize)]
pub struct Thread {
    #[serde(default)]
    pub number: u64,
    #[serde(default)]
    pub name: String,
    #[serde(flatten)]
    pub amount: Amount,
    #[serde(default)]
    pub peak: u64,
}

/// A run of a driver.
#[derive(Clone, Deserialize)]
pub struct Driver {
    pub run: u64,
    #[serde(default)]
    pub steps: u64,
    #[serde(default)]
    pub snapshots: u64,
    #[serde(default)]
    pub schedule: String,
}

/// What a driver did: `advance` from step to step, `store`, `restore` or `discard` a state, `record` a step and keep its
/// tape, `reverse` one.
#[derive(Clone, Deserialize)]
pub struct Action {
    pub run: u64,
    pub action: String,
    pub step: u64,
    pub to: Option<u64>,
}

/// Reads a profile, or says what is wrong with the file; the exit status.
pub fn read(path: &Path) -> Result<Profile, u8> {
    let name = path.display();
    let open = File::open(path).and_then(|file| {
        let is_folder = file.metadata()?.is_dir();
        if is_folder { Err(std::io::Error::other("it is a directory")) } else { Ok(file) }
    });
    let file = open.map_err(|cause| {
        let help = "give the file that a program wrote with ADTAPE_PROFILE=1";
        say::error(&format!("{name} cannot be read: {cause}"), help, 1)
    })?;
    let mut profile = Profile::default();
    let (mut lines, mut text, mut begun) = (0, Vec::new(), false);
    let mut input = BufReader::new(file);
    loop {
        text.clear();
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut text);
        let read = read.map_err(|cause| say::error(&format!("{name} cannot be read: {cause}"), "try again", 1))?;
        if read == 0 {
            break;
        }
        lines += 1;
        if read as u64 == LONGEST && !begun {
            return Err(no_profile(path));
        }
        if read as u64 == LONGEST {
            return Err(too_long(path, lines));
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let whole = text.ends_with(b"\n");
        let record = serde_json::from_slice(&text).map_err(|cause| wrong_line(path, lines, !begun, whole, &cause))?;
        if !begun {
            let Record::Process(process) = record else { return Err(no_profile(path)) };
            if process.format != FORMAT {
                return Err(other_format(path, &process));
            }
            (profile.process, begun) = (process, true);
        } else {
            profile.take(record);
        }
    }
    if !begun {
        let help = "run the program with ADTAPE_PROFILE=1 to its end: the profile is written when it exits";
        return Err(say::error(&format!("{name} is empty"), help, 1));
    }
    profile.samples.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(profile)
}

impl Profile {
    fn take(&mut self, record: Record) {
        match record {
            Record::Site(site) => drop(self.sites.insert(site.id, site)),
            Record::Push(push) => self.pushes.push(push),
            Record::Path(path) => self.paths.push(path),
            Record::Time(sample) => self.samples.push(sample),
            Record::Thread(thread) => self.threads.push(thread),
            Record::Driver(driver) => self.drivers.push(driver),
            Record::Action(action) => self.actions.push(action),
            Record::Process(_) | Record::Unknown => {}
        }
    }
}

fn no_profile(path: &Path) -> u8 {
    let what = format!("{} is no profile of adtape: it does not begin with a record \"process\"", path.display());
    say::error(&what, "give the file that a program wrote with ADTAPE_PROFILE=1", 1)
}

fn other_format(path: &Path, process: &Process) -> u8 {
    let what = format!("{} has format {}, and this command reads format {FORMAT}", path.display(), process.format);
    let by = if process.adtape.is_empty() { "that wrote it".to_owned() } else { process.adtape.clone() };
    say::error(&what, &format!("use the command of adtape {by}"), 1)
}

fn too_long(path: &Path, line: u64) -> u8 {
    let what = format!("{}:{line}: the line has 1 MiB and more, which no record has", path.display());
    say::error(&what, "the file was changed since the program wrote it: run it once more", 1)
}

fn wrong_line(path: &Path, line: u64, first: bool, whole: bool, cause: &serde_json::Error) -> u8 {
    let place = format!("{}:{line}", path.display());
    if first && (cause.is_syntax() || cause.is_data()) && whole {
        return no_profile(path);
    }
    if cause.is_eof() || !whole {
        let help = "the program was killed while it wrote, or the disk was full: run it once more";
        return say::error(&format!("{place}: the line is cut off at column {}", cause.column()), help, 1);
    }
    let help = "the file was changed since the program wrote it: run it once more";
    say::error(&format!("{place}: the line is no record: {cause}"), help, 1)
}
