//! Generates adjoint and tangent of programs, builds and runs them, and compares with the interpreter.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use adtape_generate::emit::{self, Options};
use adtape_generate::flow::Head;
use adtape_generate::front::{self, Input};
use adtape_generate::ir::{Carried, ItemKind, Program, validate, walk};
use adtape_generate::plan::again::Named;
use adtape_generate::refuse::Refusal;
use adtape_generate::replay::Verdict;
use adtape_generate::transform::{self, Adjoint, Choices};

use crate::case::{self, Case};
use crate::compare::{self, Answer};
use crate::{common, entries, print, world};

/// Static functions that generated files define for themselves.
const OWN_NAMES: [&str; 9] = [
    "allocate_or_abort",
    "zero_or_product",
    "quotient_or_infinity",
    "product_or_infinity",
    "quotient_by_squares",
    "scale_or_infinity",
    "square_or_infinity",
    "power_or_infinity",
    "logarithm_or_nan",
];

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Right,
    /// The generator's reason, without names and numbers.
    Refused(String),
    /// What is wrong, and the details.
    Wrong(&'static str, String),
}

impl Outcome {
    /// Whether two programs fail in the same way.
    pub fn same_class(&self, other: &Outcome) -> bool {
        match (self, other) {
            (Outcome::Wrong(a, _), Outcome::Wrong(b, _)) => a == b,
            _ => self == other,
        }
    }
}

/// What the environment's `FORM` asks for: `again` runs the passes of all loops again, `taped` of none, `checkpoint` those
/// of a loop from snapshots where that can be; by default some programs have the one, some the other.
fn form() -> String {
    std::env::var("FORM").unwrap_or_default()
}

/// A loop that runs again from how many snapshots, and the adjoint.
type FromSnapshots = (Vec<(Named, u32)>, Adjoint);

/// The adjoint of which a loop runs again from snapshots, and its name: the first of some for which that can be. What can
/// be and is not proved is wrong.
fn from_snapshots(
    program: &Program,
    heads: &[Head],
    choices: &Choices,
    seed: u64,
) -> Result<Option<FromSnapshots>, Outcome> {
    let mut names = Vec::new();
    for proc in &program.procs {
        for item in &proc.items {
            let ItemKind::Loop { test, carried, .. } = &item.kind else { continue };
            walk::values(test, &mut |value| {
                let tested = carried.iter().filter(|each| each.head == value);
                let named = |each: &Carried| format!("{}:{}", proc.name, proc.vars[each.var].name);
                names.extend(tested.map(named));
            });
        }
    }
    names.dedup();
    let (snapshots, length) = (1 + (seed % 4) as u32, names.len());
    for k in 0..length.min(4) {
        let name = Named::parse(&names[(k + seed as usize / 16) % length]);
        let choices = Choices { checkpoints: vec![(name, snapshots)], ..choices.clone() };
        match transform::adjoint(program, heads, &choices) {
            Ok(adjoint) => return Ok(Some((choices.checkpoints, adjoint))),
            Err(why) => match why.iter().find(|why| why.what.starts_with("internal: ")) {
                Some(why) => return Err(Outcome::Wrong("not proved", format!("{why:?} from snapshots"))),
                None => continue,
            },
        }
    }
    Ok(None)
}

/// How programs are judged.
#[derive(Clone, Copy, Default)]
pub struct Strictness {
    /// A warning in generated text counts as wrong.
    pub warnings: bool,
    pub sanitize: bool,
    pub optimise: bool,
    pub clang: bool,
}

pub struct Judge {
    folder: PathBuf,
    strictness: Strictness,
    /// Programs whose sweeps are all proved.
    pub proved: AtomicUsize,
    /// Programs of which a loop runs again from snapshots.
    pub checkpointed: AtomicUsize,
    /// Programs of which a forward sweep leaves something out.
    pub deferred: AtomicUsize,
    /// Programs whose adjoint, tangent and a second adjoint are linked beside their object file.
    pub beside: AtomicUsize,
}

/// Generated text of one program.
struct Generated {
    /// The driver's functions for it.
    entry: String,
}

impl Judge {
    pub fn new(name: &str, strictness: Strictness) -> Judge {
        let folder = std::env::temp_dir().join(format!("adtape-random-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [proved, checkpointed, deferred, beside] = std::array::from_fn(|_| AtomicUsize::new(0));
        Judge { folder, strictness, proved, checkpointed, deferred, beside }
    }

    /// What comes of each program.
    pub fn all(&self, cases: &[Case]) -> Vec<Outcome> {
        let generated = common::made_of(cases, |case| self.generate(case));
        let mut outcomes: Vec<Outcome> =
            generated.iter().map(|made| made.as_ref().err().cloned().unwrap_or(Outcome::Right)).collect();
        let mut ready: Vec<usize> = (0..cases.len()).filter(|k| generated[*k].is_ok()).collect();
        while !ready.is_empty() {
            let pairs: Vec<(&Case, &Generated)> =
                ready.iter().map(|k| (&cases[*k], generated[*k].as_ref().ok().unwrap())).collect();
            match self.built(&pairs) {
                Ok(said) => {
                    for (k, outcome) in ready.iter().zip(self.run(&pairs, &said)) {
                        outcomes[*k] = outcome;
                    }
                    break;
                }
                Err(said) => {
                    // Whoever the compiler complains about; everybody if it names nobody.
                    let of = |k: &usize| errors(&said, cases[*k].seed);
                    let named: Vec<usize> = ready.iter().filter(|k| of(k).is_some()).copied().collect();
                    let named = if named.is_empty() { ready.clone() } else { named };
                    for k in &named {
                        let text = of(k).unwrap_or_else(|| said.clone());
                        outcomes[*k] = Outcome::Wrong("does not compile", text);
                    }
                    ready.retain(|k| !named.contains(k));
                }
            }
        }
        outcomes
    }

    fn generate(&self, case: &Case) -> Result<Generated, Outcome> {
        let file = format!("m{}.c", case.seed);
        let path = self.folder.join(&file);
        let text = print::program(&case.program);
        let guarded = format!("#ifndef M_{0}\n#define M_{0}\n{text}#endif\n", case.seed);
        std::fs::write(&path, guarded).unwrap();
        let heads = [common::head(&print::head(&case.program))];
        // The second tape in every other program.
        let checked = case.seed % 2 == 1;
        let stem = format!("m{}", case.seed);
        let options = |suffix: &str| Options { file: format!("{stem}{suffix}.c"), includes: vec![file.clone()] };
        let refused = |all: Vec<Refusal>| refused(&all);
        let work = || -> Result<_, Outcome> {
            let files = vec![path.to_string_lossy().into_owned()];
            let input = Input { files, heads: vec![heads[0].proc.clone()], ..Input::default() };
            let program = front::read(&input).map_err(refused)?;
            // The driver sets every variable before each call.
            let again = match &form()[..] {
                "again" => true,
                "taped" => false,
                _ => case.seed / 2 % 2 == 1,
            };
            let again = if again { vec![Named::parse("*")] } else { Vec::new() };
            // Only sweeps that are not called one by one leave something out.
            let (split, derivatives_only) = (checked || case.seed & 8 == 0, case.seed & 16 == 0);
            let derivatives_only = derivatives_only && !split;
            let mut choices =
                Choices { again, check: checked, one_call: true, split, derivatives_only, ..Choices::default() };
            let from_snapshots = match &form()[..] {
                "again" | "taped" => None,
                "checkpoint" => from_snapshots(&program, &heads, &choices, case.seed)?,
                _ if case.seed / 4 % 4 == 1 => from_snapshots(&program, &heads, &choices, case.seed)?,
                _ => None,
            };
            let adjoint = match from_snapshots {
                Some((loops, adjoint)) => {
                    choices.checkpoints = loops;
                    self.checkpointed.fetch_add(1, Ordering::Relaxed);
                    adjoint
                }
                None => transform::adjoint(&program, &heads, &choices).map_err(refused)?,
            };
            if adjoint.demotions > 0 {
                return Err(Outcome::Wrong("not proved", format!("{} demotions", adjoint.demotions)));
            }
            let proved = adjoint.sweeps.iter().all(|each| each.verdict == Verdict::Proved);
            self.proved.fetch_add(usize::from(proved), Ordering::Relaxed);
            let deferred = adjoint.sweeps.iter().any(|each| each.deferred.forward.is_some());
            self.deferred.fetch_add(usize::from(deferred), Ordering::Relaxed);
            if !checked {
                let errors = |adjoint: &Adjoint| -> Vec<String> {
                    let sweeps = adjoint.sweeps.iter();
                    let both = sweeps.flat_map(|each| [each.runs_forward(), &each.reverse]);
                    both.flat_map(|proc| validate::proc(&adjoint.program, proc)).collect()
                };
                let several = Choices { vector: Some(2), ..choices.clone() };
                let several = transform::adjoint(&program, &heads, &several).map_err(refused)?;
                let wrong = if errors(&adjoint).is_empty() { errors(&several) } else { Vec::new() };
                if !wrong.is_empty() {
                    return Err(Outcome::Wrong("two directions at once", wrong.join("\n")));
                }
                emit::adjoint(&several, &options("_bv")).map_err(refused)?;
            }
            let adjoint = emit::adjoint(&adjoint, &options("_b")).map_err(refused)?;
            let tangent = transform::tangent(&program, &heads, &choices).map_err(refused)?;
            let tangent = emit::tangent(&tangent, &options("_d")).map_err(refused)?;
            if case.seed % 8 == 2 {
                self.link_beside(case, &file)?;
            }
            Ok((adjoint, tangent))
        };
        let (adjoint, tangent) = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(made) => made?,
            Err(fault) => {
                let what = fault.downcast_ref::<String>().cloned();
                let what = what.or_else(|| fault.downcast_ref::<&str>().map(|what| (*what).to_string()));
                return Err(Outcome::Wrong("panic", what.unwrap_or_default()));
            }
        };
        for (suffix, output) in [("_b", &adjoint), ("_d", &tangent)] {
            let own = format!("_{}", case.seed);
            let mut text = output.source.clone();
            // Many programs share a file: their static functions need names of their own.
            for name in OWN_NAMES {
                text = text.replace(name, &format!("{name}{suffix}{own}"));
            }
            std::fs::write(self.folder.join(format!("{stem}{suffix}.c")), text).unwrap();
            std::fs::write(self.folder.join(format!("{stem}{suffix}.h")), &output.header).unwrap();
        }
        let headers = (adjoint.header.as_str(), tangent.header.as_str());
        let entry = entries::text(&case.program, &case.sets[0].objects, case.seed, headers);
        let entry = entry.map_err(|what| Outcome::Wrong("interface", what))?;
        Ok(Generated { entry })
    }

    /// Links an adjoint, a tangent and the adjoint of a second head beside the program's object file, none of which brings
    /// the source along. Where that is refused, as for what is static and has a state, there is nothing to link.
    fn link_beside(&self, case: &Case, file: &str) -> Result<(), Outcome> {
        let stem = format!("m{}", case.seed);
        let mut heads = vec![("wb", print::head(&case.program)), ("wd", print::head(&case.program))];
        heads.extend(print::second_head(&case.program).map(|head| ("wh", head)));
        let mut files = vec![stem.clone()];
        for (suffix, head) in heads {
            let head = [common::head(&head)];
            let path = self.folder.join(file).to_string_lossy().into_owned();
            let input = Input {
                files: vec![path],
                heads: vec![head[0].proc.clone()],
                without_source: true,
                ..Input::default()
            };
            let options = Options { file: format!("{stem}_{suffix}.c"), includes: vec![file.into()] };
            let choices = Choices { one_call: true, ..Choices::default() };
            let made = front::read(&input).and_then(|program| {
                if suffix == "wd" {
                    transform::tangent(&program, &head, &choices).and_then(|made| emit::tangent(&made, &options))
                } else {
                    transform::adjoint(&program, &head, &choices).and_then(|made| emit::adjoint(&made, &options))
                }
            });
            let output = match made.map_err(|all| refused(&all)) {
                Ok(output) => output,
                Err(Outcome::Refused(_)) => return Ok(()),
                Err(wrong) => return Err(wrong),
            };
            std::fs::write(self.folder.join(format!("{stem}_{suffix}.c")), output.source).unwrap();
            std::fs::write(self.folder.join(format!("{stem}_{suffix}.h")), output.header).unwrap();
            files.push(format!("{stem}_{suffix}"));
        }
        let run = |arguments: &[&str]| {
            let mut compiler = Command::new("gcc");
            compiler.current_dir(&self.folder).args(["-std=gnu99", "-w", "-O0", &common::include()]).args(arguments);
            let output = compiler.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.success() { Ok(()) } else { Err(Outcome::Wrong("does not link beside its source", said)) }
        };
        for name in &files {
            run(&["-c", &format!("{name}.c"), "-o", &format!("{name}.o")])?;
        }
        let objects: Vec<String> = files.iter().map(|name| format!("{name}.o")).collect();
        let whole = format!("{stem}_whole.o");
        let link = ["-r", "-nostdlib", "-o", &whole].into_iter().chain(objects.iter().map(String::as_str));
        run(&link.collect::<Vec<_>>())?;
        self.beside.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Builds one program that runs them all; what the compiler said.
    fn built(&self, pairs: &[(&Case, &Generated)]) -> Result<String, String> {
        let mut text = String::new();
        let mut table = String::from("static const entry_t entries[] = {\n");
        for (case, made) in pairs {
            let seed = case.seed;
            let _ = writeln!(text, "#include \"m{seed}_b.c\"\n#include \"m{seed}_d.c\"");
            text += &made.entry;
            let _ = writeln!(table, "ENTRY_{seed}");
        }
        text += &table;
        text += "{.objects = 0}};\n";
        let driver = include_str!("driver.c").replace("/* ENTRIES */", &text);
        let driver = format!("#include <adtape.h>\n{driver}");
        std::fs::write(self.folder.join("driver.c"), driver).unwrap();
        let mut build = Command::new(if self.strictness.clang { "clang" } else { "gcc" });
        build.current_dir(&self.folder).args(["-std=gnu99", "-fopenmp-simd", "-Wall", "-Wextra", "-Wconversion"]);
        build.args(["-fno-builtin", "-Wno-unused-function", "-fno-diagnostics-color"]);
        build.arg(if self.strictness.optimise { "-O2" } else { "-O0" });
        if self.strictness.sanitize {
            build.args(["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
        }
        let built = build.args(["-o", "t", "driver.c"]).args(common::flags()).output().unwrap();
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        if built.status.success() { Ok(said) } else { Err(said) }
    }

    fn run(&self, pairs: &[(&Case, &Generated)], said: &str) -> Vec<Outcome> {
        let mut requests = Vec::new();
        for (entry, (case, made)) in pairs.iter().enumerate() {
            for data in &case.sets {
                for mode in modes(made) {
                    compare::request(&mut requests, u32::try_from(entry).unwrap(), mode, case, data);
                }
            }
        }
        let file = self.folder.join("requests");
        std::fs::write(&file, requests).unwrap();
        let mut run = Command::new("timeout");
        run.arg("600").arg(self.folder.join("t")).stdin(std::fs::File::open(file).unwrap());
        run.env("ASAN_OPTIONS", "detect_leaks=0").env("ADTAPE_MEMORY_LIMIT", "100M");
        let output = run.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let mut rest = &output.stdout[..];
        let mut outcomes = Vec::new();
        for (case, made) in pairs {
            let mut outcome = Outcome::Right;
            for data in &case.sets {
                let of = |rest: &mut &[u8]| Answer::read(rest, &case.program, &data.objects);
                let all: Option<Vec<Answer>> = modes(made).map(|_| of(&mut rest)).collect();
                let Some(all) = all else { return vec![Outcome::Wrong("driver", errors); pairs.len()] };
                if outcome == Outcome::Right {
                    outcome = match compare::judged(case, data, &all) {
                        Outcome::Wrong(what, details) if pairs.len() == 1 => {
                            Outcome::Wrong(what, details + "\n" + &errors)
                        }
                        outcome => outcome,
                    };
                }
            }
            if self.strictness.warnings && outcome == Outcome::Right {
                outcome = warned(said, case.seed);
            }
            outcomes.push(outcome);
        }
        outcomes
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        if std::env::var_os("KEEP").is_none() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// Primal, tangent, then the adjoint: as two sweeps, or with the second tape. Sweeps whose names were taken are not called
/// one by one.
fn modes(made: &Generated) -> impl Iterator<Item = u32> + use<> {
    let split = made.entry.contains("static void split_");
    [0, 1, if split { 3 } else { 2 }].into_iter()
}

/// The compiler's errors in the files of one program.
fn errors(said: &str, seed: u64) -> Option<String> {
    let of = |line: &&str| line.starts_with(&format!("m{seed}_")) && line.contains("error:");
    let all: Vec<&str> = said.lines().filter(of).collect();
    if all.is_empty() { None } else { Some(all.join("\n")) }
}

fn warned(said: &str, seed: u64) -> Outcome {
    let ours = [format!("m{seed}_b.c:"), format!("m{seed}_d.c:")];
    let of = |line: &&str| ours.iter().any(|file| line.starts_with(file.as_str())) && line.contains("warning:");
    let all: Vec<&str> = said.lines().filter(of).collect();
    if all.is_empty() { Outcome::Right } else { Outcome::Wrong("warnings", all.join("\n")) }
}

/// A refusal, unless its reason is a fault of the generator or of these programs, which are C.
fn refused(all: &[Refusal]) -> Outcome {
    let of = |is: &dyn Fn(&&Refusal) -> bool| all.iter().find(is).map(|one| one.what.clone());
    if let Some(what) = of(&|one| one.what.starts_with("internal: ")) {
        return Outcome::Wrong("internal error", what);
    }
    if let Some(what) = of(&|one| one.what.contains("does not accept")) {
        return Outcome::Wrong("not accepted by the compiler that reads it", what);
    }
    Outcome::Refused(normal(all))
}

/// The first reason, without names and numbers.
fn normal(all: &[Refusal]) -> String {
    let mut text = String::new();
    for (k, part) in all[0].what.split('\'').enumerate() {
        if k % 2 == 0 {
            text += &part.replace(|c: char| c.is_ascii_digit(), "#");
        } else {
            text += "'…'";
        }
    }
    text
}

/// The program of a failure, and how to see it again.
pub fn report(case: &Case, outcome: &Outcome) -> String {
    let head = print::head(&case.program);
    let floats = if case::has_floats(&case.program) { ", with floats" } else { "" };
    let n = case.sets.iter().map(|data| match data.objects[0].cells[0] {
        world::Cell::Int(n) => n.to_string(),
        _ => String::new(),
    });
    let n: Vec<String> = n.collect();
    format!(
        "seed {}: {outcome:?}{floats}, n = {}\n/* {head} */\n{}",
        case.seed,
        n.join(", "),
        print::program(&case.program)
    )
}
