//! Runs that were killed, and what is left of them.

use super::super::resume::replay;
use super::*;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Instant;

/// A map whose process is killed at one of its calls: what is in memory is lost, what is in the store is not.
struct Killed {
    map: Map,
    disk: StoreStorage,
    calls: u64,
    kill_at: u64,
    /// It resumes without its adjoint.
    forgets_adjoint: bool,
}

impl Killed {
    fn new(store: &Arc<dyn Store>, ends: u64, kill_at: u64) -> Killed {
        let disk = StoreStorage::lasting(store.clone(), "run");
        Killed { map: Map::new(ends), disk, calls: 0, kill_at, forgets_adjoint: false }
    }

    fn call(&mut self) -> Result<(), Error> {
        self.calls += 1;
        if self.calls == self.kill_at { Err(Error::new(Status::Stopped, "killed")) } else { Ok(()) }
    }
}

impl Model for Killed {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        self.call()?;
        self.map.step(step)
    }
    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.call()?;
        self.map.adjoint_step(step, first)
    }
    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.call()?;
        match place.level {
            Level::Memory => self.map.save(step, place),
            Level::Disk => self.disk.save(step, place, &[Variable::new("x", &mut self.map.x)]),
        }
    }
    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.call()?;
        match place.level {
            Level::Memory => self.map.load(step, place),
            Level::Disk => self.disk.load(step, place, &[Variable::new("x", &mut self.map.x)]),
        }
    }
    fn forget(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.call()?;
        match place.level {
            Level::Memory => self.map.forget(step, place),
            Level::Disk => self.disk.forget(step, place),
        }
    }
    fn record_step(&mut self, step: u64) -> Result<Flow, Error> {
        self.call()?;
        self.map.record_step(step)
    }
    fn reverse_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.call()?;
        self.map.reverse_step(step, first)
    }
}

impl Resumable for Killed {
    fn fingerprint(&mut self) -> Result<u64, Error> {
        Ok(fingerprint_of(&[Variable::new("x", &mut self.map.x)]))
    }
    fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error> {
        self.call()?;
        let map = &mut self.map;
        point.write("x", &map.x)?;
        point.write("adjoint", &map.adjoint)?;
        map.storage.write(point)?;
        self.call()
    }
    fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error> {
        self.call()?;
        let map = &mut self.map;
        point.read("x", &mut map.x)?;
        if !self.forgets_adjoint {
            point.read("adjoint", &mut map.adjoint)?;
        }
        map.storage.read(point)
    }
    fn kept(&mut self) -> Result<(), Error> {
        self.call()?;
        self.disk.kept()
    }
    fn keep_only(&mut self, steps: &[u64]) -> Result<(), Error> {
        self.call()?;
        self.disk.keep_only(steps)
    }
}

/// Of `ends` steps.
fn schedules(n: u64) -> Vec<Schedule> {
    let all = [
        Schedule::binomial(n, 1),
        Schedule::binomial(n, 3),
        Schedule::binomial(2 * n, 3),
        Schedule::online(3),
        Schedule::multistage(n, 1, 2),
        Schedule::multistage(n + 3, 2, 2),
        Schedule::disk_revolve(n, 2, 1.5, 0.5),
        Schedule::two_level(Some(n), 4, 2),
        Schedule::two_level(None, 3, 1),
        Schedule::mixed(n, 3),
    ];
    all.into_iter().map(Result::unwrap).chain([Schedule::store_all(n)]).collect()
}

#[test]
fn run_that_is_killed_at_any_call_again_and_again_goes_on_to_the_same_gradient() {
    const N: u64 = 11;
    let expected = gradient(Ok(Schedule::store_all(N)), N);
    for schedule in schedules(N) {
        for every in (1..80).chain([1000]) {
            let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let (mut kills, mut resumed, mut kill_at) = (0, 0, every);
            let (map, done) = loop {
                let mut model = Killed::new(&store, N, kill_at);
                let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
                match drive_resumable(&mut schedule.clone(), &mut model, &mut resume, |_| ()) {
                    Ok(done) => {
                        resume.remove().unwrap();
                        break (model.map, done);
                    }
                    Err(error) => assert_eq!(error.status(), Status::Stopped, "{error}"),
                }
                // A process that is killed before its first point gets no further: the next one lives longer.
                (kills, resumed, kill_at) = (kills + 1, resumed + 1, kill_at + 1);
                assert!(kills < 1000, "{} does not get on", schedule.name());
            };
            assert_eq!(map.adjoint.map(f64::to_bits), expected, "{}, every {every}", schedule.name());
            assert_eq!((done.steps, done.reversed_steps), (N, N));
            assert!(done.forward_steps_total == 0 || done.forward_steps_total == done.forward_steps, "{done:?}");
            assert_eq!(store.names().unwrap(), [""; 0], "{}, every {every}", schedule.name());
        }
    }
}

#[test]
fn result_of_a_run_that_ended_is_there_until_it_is_removed() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let run = |resume: &mut Resume| {
        let mut model = Killed::new(&store, 20, u64::MAX);
        drive_resumable(&mut Schedule::binomial(20, 3).unwrap(), &mut model, resume, |_| ()).unwrap();
        (model.map.adjoint.map(f64::to_bits), model.calls)
    };
    let new = || Resume::new(store.clone(), "run", Duration::from_secs(3600)).unwrap();
    let mut first = new();
    let (gradient, calls) = run(&mut first);
    assert_eq!(run(&mut new()), (gradient, 1), "it is read");
    assert_eq!(run(&mut first), (gradient, calls), "a second run in one process is computed");
    first.remove().unwrap();
    assert_eq!(run(&mut new()), (gradient, calls));
}

#[test]
fn point_of_another_run_is_refused_with_both() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let resume = || Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
    let killed = Killed::new(&store, 20, 40);
    let start = |n, mut model: Killed| {
        drive_resumable(&mut Schedule::binomial(n, 3).unwrap(), &mut model, &mut resume(), |_| ())
    };
    assert_eq!(start(20, killed).unwrap_err().status(), Status::Stopped);
    let other = start(30, Killed::new(&store, 30, u64::MAX)).unwrap_err();
    assert_eq!(other.status(), Status::Mismatch);
    assert!(other.message().contains("20 steps") && other.message().contains("30 steps"), "{other}");
    let mut model = Killed::new(&store, 20, u64::MAX);
    model.map.x[1] += 1e-15;
    let other = start(20, model).unwrap_err();
    assert!(other.status() == Status::Mismatch && other.message().contains("initial state"), "{other}");
    let mut begun = Schedule::binomial(20, 3).unwrap();
    begun.next();
    let begun = drive_resumable(&mut begun, &mut Killed::new(&store, 20, u64::MAX), &mut resume(), |_| ()).unwrap_err();
    assert!(begun.status() == Status::BadArgument && begun.message().contains("has begun"), "{begun}");
    start(20, Killed::new(&store, 20, u64::MAX)).unwrap();
}

/// A variable that was registered no more when the run resumed was left in the checkpoint: another gradient, status OK.
#[test]
fn what_is_left_of_a_point_or_of_a_snapshot_is_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let start = |kill_at| {
        let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
        let mut model = Killed { forgets_adjoint: true, ..Killed::new(&store, 20, kill_at) };
        drive_resumable(&mut Schedule::binomial(20, 3).unwrap(), &mut model, &mut resume, |_| ()).unwrap_err()
    };
    assert_eq!(start(40).status(), Status::Stopped);
    let error = start(u64::MAX);
    assert_eq!(error.status(), Status::Mismatch);
    assert!(error.message().contains("\"adjoint\"") && error.message().contains("register all"), "{error}");
    // And of a snapshot on disk.
    let mut storage = StoreStorage::new(store.clone(), "other");
    let at = Place { level: Level::Disk, slot: 0 };
    let (mut x, mut y) = ([1.0], [2.0]);
    storage.save(5, at, &[Variable::new("x", &mut x), Variable::new("y", &mut y)]).unwrap();
    let error = storage.load(5, at, &[Variable::new("x", &mut x)]).unwrap_err();
    assert!(error.status() == Status::Mismatch && error.message().contains("\"y\""), "{error}");
}

/// A store in memory that counts its entries, and fails now and then.
struct Faulty {
    memory: MemoryStore,
    creates: AtomicU64,
    /// This `create` finds the disk full, counted from 1.
    full_at: u64,
    /// Nothing can be opened, nothing removed.
    gone: AtomicBool,
}

impl Faulty {
    fn new(memory: MemoryStore, full_at: u64) -> Faulty {
        Faulty { memory, creates: AtomicU64::new(0), full_at, gone: AtomicBool::new(false) }
    }

    fn check(&self) -> Result<(), Error> {
        if self.gone.load(Ordering::Relaxed) { Err(Error::new(Status::Io, "the disk is gone")) } else { Ok(()) }
    }
}

impl Store for Faulty {
    fn create(&self, name: &str) -> Result<Box<dyn EntryWriter>, Error> {
        if self.creates.fetch_add(1, Ordering::Relaxed) + 1 == self.full_at {
            Err(Error::new(Status::Io, "the disk is full"))
        } else {
            self.memory.create(name)
        }
    }
    fn open(&self, name: &str) -> Result<Box<dyn EntryReader>, Error> {
        self.check()?;
        self.memory.open(name)
    }
    fn remove(&self, name: &str) -> Result<(), Error> {
        self.check()?;
        self.memory.remove(name)
    }
    fn names(&self) -> Result<Vec<String>, Error> {
        self.memory.names()
    }
}

#[test]
fn disk_that_is_full_ends_the_run_and_it_goes_on_from_the_point_before() {
    const N: u64 = 11;
    let expected = gradient(Ok(Schedule::store_all(N)), N);
    for full_at in 1..40 {
        let memory = MemoryStore::new();
        let mut store: Arc<dyn Store> = Arc::new(Faulty::new(memory.clone(), full_at));
        let mut ends = 0;
        let map = loop {
            let mut model = Killed::new(&store, N, u64::MAX);
            let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
            let schedule = Schedule::multistage(N, 1, 2);
            match drive_resumable(&mut schedule.unwrap(), &mut model, &mut resume, |_| ()) {
                Ok(_) => break model.map,
                Err(error) => assert_eq!(error.status(), Status::Io, "{error}"),
            }
            ends += 1;
            store = Arc::new(memory.clone());
        };
        assert_eq!(ends, 1, "{full_at}");
        assert_eq!(map.adjoint.map(f64::to_bits), expected, "{full_at}");
        assert_eq!(memory.names().unwrap(), ["run"]);
    }
}

#[test]
fn snapshot_on_disk_that_is_gone_is_an_error_before_anything_is_computed() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let run = |kill_at| {
        let mut model = Killed::new(&store, 30, kill_at);
        let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
        let done = drive_resumable(&mut Schedule::multistage(30, 1, 3).unwrap(), &mut model, &mut resume, |_| ());
        (done.map(drop), model.calls)
    };
    assert_eq!(run(100).0.unwrap_err().status(), Status::Stopped);
    store.remove("run-step-0").unwrap();
    let (result, calls) = run(u64::MAX);
    let error = result.unwrap_err();
    assert!(error.status() == Status::NotFound && error.message().contains("run-step-0"), "{error}");
    assert_eq!(calls, 1, "that of keep_only");
}

#[test]
fn name_of_a_run_that_cannot_be_one_is_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    for name in ["", "a/b", &"x".repeat(75)] {
        let error = Resume::new(store.clone(), name, Duration::ZERO).err().unwrap();
        assert_eq!(error.status(), Status::BadArgument, "{name:?}");
    }
    Resume::new(store, &"x".repeat(74), Duration::ZERO).unwrap();
}

/// A store that could not be read was taken for one without a point.
#[test]
fn store_that_fails_is_an_error_and_what_is_not_there_need_not_be_removed() {
    let faulty = Arc::new(Faulty::new(MemoryStore::new(), 0));
    let store: Arc<dyn Store> = faulty.clone();
    let mut resume = Resume::new(store.clone(), "run", Duration::ZERO).unwrap();
    let run = |resume: &mut Resume| {
        let mut model = Killed::new(&store, 5, u64::MAX);
        drive_resumable(&mut Schedule::binomial(5, 2).unwrap(), &mut model, resume, |_| ())
    };
    resume.remove().unwrap();
    assert!(!resume.is_finished());
    run(&mut resume).unwrap();
    assert!(resume.is_finished());
    faulty.gone.store(true, Ordering::Relaxed);
    assert_eq!(resume.remove().unwrap_err().status(), Status::Io);
    assert!(!resume.is_finished());
    assert_eq!(run(&mut resume).unwrap_err().status(), Status::Io);
    faulty.gone.store(false, Ordering::Relaxed);
    resume.remove().unwrap();
    assert_eq!(store.names().unwrap(), [""; 0]);
}

/// Steps and points that take at least a given time.
struct Slow {
    model: Killed,
    point: Duration,
}

impl Model for Slow {
    fn step(&mut self, step: u64) -> Result<Flow, Error> {
        thread::sleep(Duration::from_millis(1));
        self.model.step(step)
    }
    fn adjoint_step(&mut self, step: u64, first: bool) -> Result<(), Error> {
        self.model.adjoint_step(step, first)
    }
    fn save(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.model.save(step, place)
    }
    fn load(&mut self, step: u64, place: Place) -> Result<(), Error> {
        self.model.load(step, place)
    }
}

impl Resumable for Slow {
    fn fingerprint(&mut self) -> Result<u64, Error> {
        self.model.fingerprint()
    }
    fn keep(&mut self, point: &mut CheckpointWriter) -> Result<(), Error> {
        thread::sleep(self.point);
        self.model.keep(point)
    }
    fn resume(&mut self, point: &mut CheckpointReader) -> Result<(), Error> {
        self.model.resume(point)
    }
}

#[test]
fn points_come_no_more_often_than_asked_and_take_a_tenth_of_the_time() {
    let points = |interval, point| {
        let store = Arc::new(Faulty::new(MemoryStore::new(), 0));
        let mut model = Slow { model: Killed::new(&(store.clone() as Arc<dyn Store>), 30, u64::MAX), point };
        let mut resume = Resume::new(store.clone(), "run", interval).unwrap();
        drive_resumable(&mut Schedule::binomial(30, 3).unwrap(), &mut model, &mut resume, |_| ()).unwrap();
        store.creates.load(Ordering::Relaxed)
    };
    assert_eq!(points(Duration::from_secs(3600), Duration::ZERO), 1, "that of the end");
    // Two points but the last begin ten times as far apart as one takes, however slow the machine is.
    let (point, begun) = (Duration::from_millis(10), Instant::now());
    let count = points(Duration::from_nanos(1), point);
    let most = 2 + begun.elapsed().as_millis() / (10 * point).as_millis();
    assert!((2..=most).contains(&count.into()), "{count} points, at most {most}");
}

#[test]
fn position_outside_of_its_advance_is_none_of_the_schedule() {
    let schedule = || Schedule::multistage(30, 1, 2).unwrap();
    let (mut probe, mut actions) = (schedule(), 0);
    let (from, to) = loop {
        actions += 1;
        match probe.next().unwrap() {
            Action::Advance { from, to } if from > 0 && to > from + 2 => break (from, to),
            _ => {}
        }
    };
    let rest = |within| {
        let at = Position { actions, within, ended: None, records: 0 };
        replay(&mut schedule(), &at).map(|there| there.rest)
    };
    assert_eq!(rest(None), Some(None));
    for step in from + 1..to {
        assert_eq!(rest(Some(step)), Some(Some((step, to))));
    }
    for step in [0, from, to, to + 1] {
        assert_eq!(rest(Some(step)), None, "{step} of {from}..{to}");
    }
}

/// The steps that have snapshots on disk before each action of a schedule, by a list.
#[test]
fn snapshots_on_disk_at_a_position_are_those_that_were_saved_and_not_dropped() {
    let with_disk =
        [Schedule::multistage(30, 1, 2), Schedule::disk_revolve(30, 2, 1.5, 0.5), Schedule::two_level(Some(30), 4, 2)];
    for schedule in with_disk.map(Result::unwrap) {
        let (mut expected, mut actions) = (Vec::new(), 0);
        for action in schedule.clone() {
            actions += 1;
            match action {
                Action::Save { step, place } if place.level == Level::Disk => expected.push(step),
                Action::Drop { step, place } if place.level == Level::Disk => expected.retain(|kept| *kept != step),
                _ => {}
            }
            let at = Position { actions, within: None, ended: None, records: 0 };
            let there = replay(&mut schedule.clone(), &at).unwrap();
            expected.sort_unstable();
            assert_eq!(there.on_disk, expected, "{}, action {actions}", schedule.name());
        }
    }
}
