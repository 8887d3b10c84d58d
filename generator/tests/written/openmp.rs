//! Random programs with directives of OpenMP, run by an interpreter with several teams: where the result differs from
//! that of one thread, the program must be refused.

use adtape_generate::front::{self, Input};

use crate::common::{self, Scratch};
#[path = "../random/prng.rs"]
mod prng;
use prng::Prng;

const PASSES: usize = 6;

/// Operands. `X` and `Y` are elements of arrays at a distance from the pass.
#[derive(Clone, Copy, Debug)]
enum Read {
    X,
    Y(i64),
    Temporary,
    Sum,
    Own,
}

/// A factor times an operand, added to another one.
#[derive(Clone, Copy, Debug)]
struct Value(f64, Read, Read);

#[derive(Clone, Copy, Debug)]
enum Step {
    SetTemporary(Value),
    SetTemporaryIf(Value),
    AddToSum(Value),
    AddToSumAtomic(Value),
    AddToOwn(Value),
    SetOwn(f64),
    SetElement(i64, Value),
    AddToFirst(Value),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Copies {
    Shared,
    Private,
    First,
    Last,
}

/// What stands in a region, one behind the other.
#[derive(Clone, Debug)]
enum Part {
    Each(Step),
    Passes(Vec<Step>, Copies),
    Single(Step),
    MergeOwn,
}

#[derive(Clone, Debug)]
struct Model {
    /// In a region of its own, or one divided loop.
    region: bool,
    parts: Vec<Part>,
    /// Clauses for the temporary and the sum, on the outermost directive.
    copies: Copies,
    reduces: bool,
    starts: f64,
    reads_temporary: bool,
}

fn read(random: &mut Prng, own: bool) -> Read {
    match random.below(if own { 12 } else { 11 }) {
        0..=5 => Read::X,
        6..=7 => Read::Y(0),
        8 => Read::Y(random.within(-1, 1)),
        9 => Read::Temporary,
        10 => {
            if random.chance(40) {
                Read::Sum
            } else {
                Read::X
            }
        }
        _ => Read::Own,
    }
}

fn value(random: &mut Prng, own: bool) -> Value {
    Value(random.real(), read(random, own), read(random, own))
}

fn step(random: &mut Prng, own: bool) -> Step {
    let reads_own = own && random.chance(15);
    let of = value(random, reads_own);
    match random.below(if own { 16 } else { 13 }) {
        0..=2 => Step::SetTemporary(of),
        3 => Step::SetTemporaryIf(of),
        4..=6 => Step::AddToSum(of),
        7 => Step::AddToSumAtomic(of),
        8..=10 => Step::SetElement(0, of),
        11 => Step::SetElement(random.within(-1, 1), of),
        12 => {
            if random.chance(25) {
                Step::AddToFirst(of)
            } else {
                Step::SetElement(0, of)
            }
        }
        13..=14 => Step::AddToOwn(of),
        _ => Step::SetOwn(if random.chance(50) { 0.0 } else { 1.5 }),
    }
}

impl Model {
    fn random(random: &mut Prng) -> Model {
        let copies = |random: &mut Prng| random.pick(&[Copies::Shared, Copies::Private, Copies::First, Copies::Last]);
        let steps = |random: &mut Prng, own: bool| (0..1 + random.below(3)).map(|_| step(random, own)).collect();
        let (region, reduces) = (random.chance(40), random.chance(60));
        if !region {
            let mut all: Vec<Step> = steps(random, false);
            // Private copies that each pass sets, so that only what is behind the loop can tell.
            if random.chance(50) {
                all.insert(0, Step::SetTemporary(Value(random.real(), Read::X, Read::X)));
            }
            let parts = vec![Part::Passes(all, Copies::Shared)];
            let (copies, reads_temporary) = (copies(random), random.chance(60));
            return Model { region, parts, copies, reduces, starts: 0.0, reads_temporary };
        }
        let mut parts = Vec::new();
        for _ in 0..1 + random.below(3) {
            parts.push(match random.below(10) {
                0 => Part::Each(step(random, true)),
                1..=6 => Part::Passes(steps(random, true), copies(random)),
                7 => Part::Single(step(random, true)),
                _ => Part::MergeOwn,
            });
        }
        if random.chance(60) {
            parts.push(Part::MergeOwn);
        }
        // The copies of one variable are named once.
        let inner = parts.iter().any(|part| matches!(part, Part::Passes(_, copies) if *copies != Copies::Shared));
        let copies = if inner || random.chance(60) { Copies::Shared } else { Copies::Private };
        // What one loop leaves in each thread's copy, another one reads; nothing else is wrong.
        if random.chance(30) {
            let used = Step::SetElement(0, Value(random.real(), Read::Own, Read::X));
            parts = [Step::SetOwn(1.5), used].map(|step| Part::Passes(vec![step], Copies::Shared)).into();
        }
        let starts = if random.chance(80) { 0.0 } else { 1.0 };
        Model {
            region,
            parts,
            copies,
            reduces: reduces && random.chance(30),
            starts,
            reads_temporary: random.chance(40),
        }
    }

    fn text(&self) -> String {
        let mut out = String::from("double f(int n, const double *x) {\n    double y[10], s = 0.5, t = 2.0;\n");
        out += "    for (int k = 0; k < 10; k++) y[k] = 1.0 + k;\n";
        let reduces = if self.reduces { " reduction(+ : s)" } else { "" };
        let kind = if self.region { "parallel" } else { "parallel for" };
        out += &format!("#pragma omp {kind}{}{reduces}\n", clause(self.copies));
        match (&self.region, &self.parts[..]) {
            (false, [Part::Passes(steps, _)]) => out += &passes(steps),
            _ => {
                out += &format!("    {{\n    double own = {:?};\n", self.starts);
                for part in &self.parts {
                    out += &match part {
                        Part::Each(step) => statement(*step, "0"),
                        Part::Passes(steps, copies) => format!("#pragma omp for{}\n{}", clause(*copies), passes(steps)),
                        Part::Single(step) => format!("#pragma omp single\n    {{\n{}    }}\n", statement(*step, "0")),
                        Part::MergeOwn => "#pragma omp critical\n    s += own;\n".into(),
                    };
                }
                out += "    }\n";
            }
        }
        let t = if self.reads_temporary { " + 0.3 * t" } else { "" };
        out + &format!("    for (int k = 0; k < 10; k++) s += (0.5 + k) * y[k];\n    return s{t};\n}}\n")
    }
}

fn clause(copies: Copies) -> &'static str {
    match copies {
        Copies::Shared => "",
        Copies::Private => " private(t)",
        Copies::First => " firstprivate(t)",
        Copies::Last => " lastprivate(t)",
    }
}

fn passes(steps: &[Step]) -> String {
    let inner: String = steps.iter().map(|step| statement(*step, "i")).collect();
    format!("    for (int i = 1; i <= n; i++) {{\n{inner}    }}\n")
}

fn shifted(at: &str, by: i64) -> String {
    match (at, by) {
        ("0", by) => (1 + by).to_string(),
        (at, 0) => at.into(),
        (at, by) if by < 0 => format!("{at} - {}", -by),
        (at, by) => format!("{at} + {by}"),
    }
}

fn statement(step: Step, at: &str) -> String {
    let read = |read: Read| match read {
        Read::X => format!("x[{}]", shifted(at, 0)),
        Read::Y(by) => format!("y[{}]", shifted(at, by)),
        Read::Temporary => "t".into(),
        Read::Sum => "s".into(),
        Read::Own => "own".into(),
    };
    let value = |Value(factor, one, other): Value| format!("{factor:?} * {} + {}", read(one), read(other));
    match step {
        Step::SetTemporary(of) => format!("        t = {};\n", value(of)),
        Step::SetTemporaryIf(of) => format!("        if (x[{}] > 1.0) t = {};\n", shifted(at, 0), value(of)),
        Step::AddToSum(of) => format!("        s += {};\n", value(of)),
        Step::AddToSumAtomic(of) => format!("#pragma omp atomic\n        s += {};\n", value(of)),
        Step::AddToOwn(of) => format!("        own += {};\n", value(of)),
        Step::SetOwn(to) => format!("        own = {to:?};\n"),
        Step::SetElement(by, of) => format!("        y[{}] = {};\n", shifted(at, by), value(of)),
        Step::AddToFirst(of) => format!("        y[9] += {};\n", value(of)),
    }
}

/// What a program computes with one team and one order of passes. NaN: what has no value.
struct Run<'m> {
    model: &'m Model,
    random: Prng,
    threads: usize,
    x: [f64; 10],
    y: [f64; 10],
    s: f64,
    t: f64,
    /// Private copies, one for each thread.
    own: Vec<f64>,
    own_s: Vec<f64>,
    own_t: Vec<f64>,
}

/// The variables that a step has of its own.
#[derive(Clone, Copy, PartialEq)]
struct Scope {
    thread: usize,
    own_s: bool,
    own_t: bool,
}

impl Run<'_> {
    /// With 0 threads as without directives.
    fn result(model: &Model, threads: usize, seed: u64) -> f64 {
        let mut x = [0.0; 10];
        x.iter_mut().enumerate().for_each(|(k, x)| *x = 0.4 + 0.17 * ((k * 7) % 10) as f64);
        let mut y = [0.0; 10];
        y.iter_mut().enumerate().for_each(|(k, y)| *y = 1.0 + k as f64);
        let all = |value| vec![value; threads.max(1)];
        let (own, own_s, own_t) = (all(model.starts), all(0.0), all(2.0));
        let mut run = Run { model, random: Prng::new(seed), threads, x, y, s: 0.5, t: 2.0, own, own_s, own_t };
        run.all();
        let tail: f64 = run.y.iter().enumerate().map(|(k, y)| (0.5 + k as f64) * y).sum();
        run.s + tail + if model.reads_temporary { 0.3 * run.t } else { 0.0 }
    }

    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        if self.threads > 0 {
            for at in (1..count).rev() {
                order.swap(at, self.random.below(at + 1));
            }
        }
        order
    }

    fn all(&mut self) {
        let team = self.threads > 0;
        let (own_s, own_t) = (team && self.model.reduces, team && self.model.copies != Copies::Shared);
        if !self.model.region {
            let Part::Passes(steps, _) = &self.model.parts[0] else { return };
            self.divide(steps, self.model.copies, own_s, false);
        } else {
            if own_t {
                self.own_t.fill(f64::NAN);
            }
            for part in &self.model.parts {
                match part {
                    Part::Passes(steps, copies) => self.divide(steps, *copies, own_s, own_t),
                    Part::Each(step) => {
                        for thread in self.order(self.threads.max(1)) {
                            self.step(*step, 1, Scope { thread, own_s, own_t });
                        }
                    }
                    Part::Single(step) => {
                        let thread = self.random.below(self.threads.max(1));
                        self.step(*step, 1, Scope { thread, own_s, own_t });
                    }
                    Part::MergeOwn => {
                        for thread in self.order(self.threads.max(1)) {
                            if own_s { self.own_s[thread] += self.own[thread] } else { self.s += self.own[thread] }
                        }
                    }
                }
            }
        }
        self.s += self.own_s.iter().sum::<f64>();
    }

    /// The passes in any order, each by any thread, as schedule(dynamic) has them.
    fn divide(&mut self, steps: &[Step], copies: Copies, own_s: bool, own_t: bool) {
        let team = self.threads > 0;
        let mine = team && copies != Copies::Shared;
        if mine {
            let start = if copies == Copies::First { self.t } else { f64::NAN };
            self.own_t.fill(start);
        }
        for pass in self.order(PASSES) {
            let thread = self.random.below(self.threads.max(1));
            let scope = Scope { thread, own_s, own_t: own_t || mine };
            steps.iter().for_each(|step| self.step(*step, pass + 1, scope));
            if mine && copies == Copies::Last && pass + 1 == PASSES {
                self.t = self.own_t[thread];
            }
        }
    }

    fn step(&mut self, step: Step, pass: usize, scope: Scope) {
        let at = |by: i64| (pass as i64 + by) as usize;
        let read = |read: Read| match read {
            Read::X => self.x[pass],
            Read::Y(by) => self.y[at(by)],
            Read::Temporary => {
                if scope.own_t {
                    self.own_t[scope.thread]
                } else {
                    self.t
                }
            }
            Read::Sum => {
                if scope.own_s {
                    self.own_s[scope.thread]
                } else {
                    self.s
                }
            }
            Read::Own => self.own[scope.thread],
        };
        let value = |Value(factor, one, other): Value| factor * read(one) + read(other);
        match step {
            Step::SetTemporary(of) | Step::SetTemporaryIf(of) => {
                let new = value(of);
                if matches!(step, Step::SetTemporaryIf(_)) && self.x[pass] <= 1.0 {
                    return;
                }
                if scope.own_t { self.own_t[scope.thread] = new } else { self.t = new }
            }
            Step::AddToSum(of) | Step::AddToSumAtomic(of) => {
                let new = value(of);
                if scope.own_s { self.own_s[scope.thread] += new } else { self.s += new }
            }
            Step::AddToOwn(of) => self.own[scope.thread] += value(of),
            Step::SetOwn(to) => self.own[scope.thread] = to,
            Step::SetElement(by, of) => self.y[at(by)] = value(of),
            Step::AddToFirst(of) => self.y[9] += value(of),
        }
    }
}

/// Whether every team computes what one thread computes.
fn agrees(model: &Model) -> bool {
    let alone = Run::result(model, 0, 1);
    (0..40).all(|seed| {
        let with = Run::result(model, 1 + seed as usize % 3, 100 + seed);
        (with - alone).abs() <= 1e-9 * alone.abs().max(1.0)
    })
}

/// `PROGRAMS` and `FROM` choose others.
#[test]
fn programs_whose_result_depends_on_the_team_are_refused() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let (from, count) = (number("FROM", 1), number("PROGRAMS", 40));
    let folder = Scratch::new("teams");
    let models: Vec<(u64, Model)> =
        (from..from + count).map(|seed| (seed, Model::random(&mut Prng::new(seed)))).collect();
    let counts = std::sync::Mutex::new([0; 3]);
    common::each(&models, |(seed, model)| {
        let file = folder.write(&format!("{seed}.c"), &model.text());
        let files = vec![file.to_string_lossy().into_owned()];
        let read = front::read(&Input { files, heads: vec!["f".into()], ..Input::default() });
        let agrees = agrees(model);
        assert!(agrees || read.is_err(), "seed {seed}: the team decides, and the program is read:\n{}", model.text());
        let kind = if !agrees { 0 } else { 1 + usize::from(read.is_err()) };
        counts.lock().expect("no other check stopped")[kind] += 1;
        if kind == 2 && std::env::var_os("SHOW").is_some() {
            let why: Vec<String> = read.err().into_iter().flatten().map(|refusal| refusal.what).collect();
            println!("seed {seed} is refused: {why:#?}\n{}", model.text());
        }
    });
    let [depend, right, refused] = counts.into_inner().expect("no check stopped");
    println!("{depend} depend on the team, {right} do not and are read, {refused} do not and are refused");
    assert!(depend > 0 && right > 0, "{depend} depend on the team, {right} do not");
}
