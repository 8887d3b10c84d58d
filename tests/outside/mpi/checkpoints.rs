//! `mpi/tests/checkpoints.c`: what fails on one rank fails on all; and a job that is killed at a random moment, on any
//! rank, leaves a checkpoint that is complete, also where some of its processes live on for a while: stragglers.
//!
//! `MPI_KILLS=1000` kills so often under each MPI (`make mpi-kills`).

use super::{MPIS, Mpi, alone, clean, compile, give_way, mpis, passes, scratch, several};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A directory that is empty.
fn files(mpi: Mpi, name: &str) -> PathBuf {
    scratch(&format!("mpi-{mpi}-files-{name}"))
}

/// The program, compiled once for each MPI.
fn program(mpi: Mpi) -> &'static Path {
    static BUILT: [OnceLock<PathBuf>; 2] = [OnceLock::new(), OnceLock::new()];
    BUILT[usize::from(mpi == MPIS[1])].get_or_init(|| compile(mpi, "checkpoints", &[]))
}

#[test]
fn failure_of_one_rank_is_that_of_all_and_leaves_the_last_checkpoint() {
    for mpi in mpis("failures of checkpoints") {
        let program = program(mpi);
        for ranks in [1, several(mpi)] {
            let files = files(mpi, &format!("failures-{ranks}")).display().to_string();
            let said = passes(mpi, ranks, program, &[&files, "failures"], &[]);
            assert!(said.contains("all right"), "{said}");
        }
    }
}

// ---- kills ---------------------------------------------------------------------------------------------------------

/// A sequence of numbers that are hard to foresee.
pub struct Random(u64);

impl Random {
    pub fn new() -> Random {
        let random = Random(SystemTime::now().duration_since(UNIX_EPOCH).expect("a date").as_nanos() as u64);
        println!("seed {}", random.0);
        random
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn ranks_perform_one_schedule_and_what_fails_on_one_fails_on_all() {
    for mpi in mpis("drivers on ranks") {
        let program = compile(mpi, "driver", &[]);
        for ranks in [1, several(mpi)] {
            let files = files(mpi, &format!("driver-{ranks}")).display().to_string();
            let said = passes(mpi, ranks, &program, &[&files], &[]);
            let head = format!("adtape: {ranks} ranks");
            assert!(said.contains("all right") && said.contains(&head) && said.contains("bytes on the tape"), "{said}");
        }
    }
}

/// Sends a signal to processes, which may be gone.
pub fn signal(name: &str, processes: &[u32]) {
    for process in processes {
        let mut kill = Command::new("kill");
        let _ = kill.args(["-s", name, &process.to_string()]).stderr(Stdio::null()).status();
    }
}

/// The processes that a process has started.
pub fn children(process: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

struct Job {
    mpiexec: Child,
    said: PathBuf,
}

impl Job {
    fn start(mpi: Mpi, program: &Path, files: &Path, ranks: usize, rank: i64, after: u64) -> Job {
        for rank in 0..ranks {
            let _ = fs::remove_file(files.join(format!("pid.{rank}")));
        }
        let said = files.join("said");
        let output = fs::File::create(&said).expect("a file");
        let mut command = clean("timeout");
        command.args(["-k", "5", "100", &format!("mpiexec.{mpi}"), "-n", &ranks.to_string()]).arg(program).arg(files);
        command.args(["until-killed", &rank.to_string(), &after.to_string()]).stdin(Stdio::null());
        command.stderr(output.try_clone().expect("a file")).stdout(output);
        Job { mpiexec: give_way(&mut command).spawn().expect("timeout runs"), said }
    }

    /// Its ranks, once they have all begun.
    fn processes(&self, files: &Path, ranks: usize) -> Vec<u32> {
        let begun = Instant::now();
        loop {
            let pid = |rank| fs::read_to_string(files.join(format!("pid.{rank}"))).ok()?.trim().parse().ok();
            let found: Vec<u32> = (0..ranks).filter_map(pid).collect();
            if found.len() == ranks {
                return found;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{}", self.text());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.said).unwrap_or_default()
    }

    /// The epoch that it went on from, if it came to that.
    fn ended(mut self) -> Option<u64> {
        let _ = self.mpiexec.wait();
        let said = self.text();
        assert!(!said.contains("check failed"), "{said}");
        let line = said.lines().find_map(|line| line.strip_prefix("went on from epoch "));
        line.map(|line| line.split(',').next().and_then(|epoch| epoch.parse().ok()).unwrap_or_else(|| panic!("{said}")))
    }

    /// Ends without a farewell: nobody is left who would end its ranks.
    fn lose_mpiexec(&self) {
        let outer = self.mpiexec.id();
        for mpiexec in children(outer) {
            // MPICH's mpiexec has its ranks started by another process.
            let between = children(mpiexec).into_iter().filter(|process| !children(*process).is_empty());
            signal("KILL", &[between.collect(), vec![mpiexec]].concat());
        }
    }
}

/// What is left of a killed job, and when it goes.
struct Stragglers {
    processes: Vec<u32>,
    stopped: u32,
}

impl Stragglers {
    /// They go on writing for a while.
    fn end(self, random: &mut Random) {
        std::thread::sleep(Duration::from_millis(random.below(60)));
        signal("CONT", &[self.stopped]);
        std::thread::sleep(Duration::from_millis(random.below(60)));
        signal("KILL", &self.processes);
    }
}

#[test]
fn job_that_is_killed_at_any_moment_leaves_a_complete_checkpoint() {
    let kills = std::env::var("MPI_KILLS").ok().map(|text| text.parse().expect("a number"));
    for mpi in mpis("kills of checkpoints") {
        let program = program(mpi);
        let _alone = alone();
        let mut random = Random::new();
        let (mut went_on, mut with_stragglers) = (0, 0);
        let all = kills.unwrap_or(2);
        for ranks in [2, 3] {
            let files = files(mpi, &format!("killed-{ranks}"));
            let mut stragglers: Option<Stragglers> = None;
            // Every other job leaves stragglers.
            for kill in all / 2 * (ranks as u64 - 2)..all / 2 * (ranks as u64 - 1) {
                let (rank, after) = (random.below(ranks as u64) as i64, random.below(60_000));
                let job = Job::start(mpi, program, &files, ranks, rank, after);
                if let Some(stragglers) = stragglers.take() {
                    stragglers.end(&mut random);
                }
                if kill % 2 == 1 {
                    let processes = job.processes(&files, ranks);
                    std::thread::sleep(Duration::from_millis(random.below(60)));
                    let stopped = processes[random.below(ranks as u64) as usize];
                    signal("STOP", &[stopped]);
                    job.lose_mpiexec();
                    let killed = processes[random.below(ranks as u64) as usize];
                    if killed != stopped {
                        signal("KILL", &[killed]);
                    }
                    stragglers = Some(Stragglers { processes, stopped });
                    with_stragglers += 1;
                }
                went_on += usize::from(job.ended().is_some_and(|epoch| epoch > 0));
            }
            if let Some(stragglers) = stragglers.take() {
                stragglers.end(&mut random);
            }
            // What nobody kills makes a checkpoint, and finds it.
            let found = [(); 2].map(|()| Job::start(mpi, program, &files, ranks, -1, 0).ended());
            assert!(found[1].is_some() && found[1] > found[0], "{mpi}: {found:?}");
            let left: Vec<_> =
                fs::read_dir(&files).expect("a directory").flatten().map(|entry| entry.file_name()).collect();
            let parts = left.iter().filter(|name| name.to_string_lossy().ends_with(".adtape")).count();
            assert_eq!(parts, ranks + 1, "{left:?}");
        }
        println!("{mpi}: {all} kills, {with_stragglers} with stragglers; {went_on} starts went on from a checkpoint");
    }
}
