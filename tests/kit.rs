//! The kit layer: the names of Tapenade's run-time over the tape. Its tests are programs that make the calls as
//! generated adjoints do, linked against the static and the shared library, compiled anew against the headers, and
//! compiled with the source for -flto.

mod common;

use common::{build_release, cc, fc, root, run, scratch, skip, stdout};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Settings that a run must not inherit.
const SETTINGS: [&str; 7] = [
    "ADTAPE_CHECK",
    "ADTAPE_PROFILE",
    "ADTAPE_MEMORY_LIMIT",
    "ADTAPE_RESERVE",
    "ADTAPE_STEP",
    "ADTAPE_HUGE_PAGES",
    "ADTAPE_KIT_ORDER",
];

// ---- building ----------------------------------------------------------------------------------------

/// The directory of libadtape_kit.a and libadtape_kit.so, built as `make install` builds them.
fn build_kit() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let directory = scratch("kit-library");
        run(Command::new(root().join("kit/build.sh")).arg(build_release()).arg(&directory));
        directory
    })
}

/// How a test program gets the kit's calls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// Separately compiled, static library.
    Static,
    /// Separately compiled, shared library.
    Shared,
    /// Compiled anew against the headers.
    Inline,
    /// Compiled with the source for -flto.
    Lto,
}

fn link(compiler: &mut Command, how: How) {
    let (release, kit) = (build_release(), build_kit());
    if how == How::Shared {
        compiler.arg("-L").arg(kit).arg("-L").arg(release).args(["-ladtape_kit", "-ladtape", "-lm"]);
        // Also for what the kit's library needs, not only for what the program does.
        compiler.arg(format!("-Wl,--disable-new-dtags,-rpath,{}:{}", kit.display(), release.display()));
        return;
    }
    if how != How::Lto {
        compiler.arg(kit.join("libadtape_kit.a"));
    }
    compiler.arg(release.join("libadtape.a")).args(["-lpthread", "-ldl", "-lm"]);
}

fn include(compiler: &mut Command) {
    compiler.arg("-I").arg(root().join("kit/include")).arg("-I").arg(root().join("include"));
}

/// Compiles sources of kit/tests or, with a slash in their name, of the repository, to a program.
fn compile(compiler: &str, sources: &[&str], how: How, flags: &[&str]) -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let stem = Path::new(sources[0]).file_stem().expect("a file name").to_string_lossy();
    let program = scratch(&format!("kit-{stem}-{}", NUMBER.fetch_add(1, Ordering::Relaxed))).join("program");
    let mut command = Command::new(compiler);
    command.args(["-O2", "-g"]).args(flags);
    for source in sources {
        command.arg(if source.contains('/') { root().join(source) } else { root().join("kit/tests").join(source) });
    }
    match how {
        How::Inline => {
            include(command.arg("-DKIT_INLINE"));
        }
        How::Lto => {
            include(command.arg("-flto=auto").arg(root().join("kit/adtape_kit_lto.c")));
        }
        _ => {}
    }
    command.arg("-o").arg(&program);
    link(&mut command, how);
    run(&mut command);
    program
}

fn has(compiler: &str, test: &str) -> bool {
    let there = Command::new(compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        skip(test, &format!("{compiler} not found"));
    }
    there
}

/// Whether the Fortran compiler and the C compiler behind `gcc` understand each other's -flto.
fn has_gnu_lto(test: &str) -> bool {
    let gnu = has(&fc(), test) && stdout(Command::new(fc()).arg("--version")).starts_with("GNU");
    if !gnu {
        skip(test, &format!("{} is not the GNU compiler", fc()));
    }
    gnu
}

// ---- running -----------------------------------------------------------------------------------------

fn command(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    for name in SETTINGS {
        command.env_remove(name);
    }
    command.envs(settings.iter().copied());
    command
}

/// What a run that must succeed and say nothing on standard error prints.
fn passes(program: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    let Output { stdout, stderr, .. } = run(&mut command(program, arguments, settings));
    assert!(stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

const CHECK: (&str, &str) = ("ADTAPE_CHECK", "1");
const PROFILE: (&str, &str) = ("ADTAPE_PROFILE", "1");
const PAGES: (&str, &str) = ("ADTAPE_STEP", "4096");
const BY_TYPE: (&str, &str) = ("ADTAPE_KIT_ORDER", "type");

// ---- symbols -----------------------------------------------------------------------------------------

/// kit/symbols.txt: each name with the vintages of the kit that have it, or "own".
fn listed() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("kit/symbols.txt")).expect("kit/symbols.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split(' ').map(str::to_owned);
            (words.next().expect("a name"), words.collect())
        })
        .collect()
}

/// Names in the output of nm that come with one of the given letters.
fn symbols(file: &Path, options: &[&str], letters: &str) -> BTreeSet<String> {
    let text = stdout(Command::new("nm").args(options).arg("--format=posix").arg(file));
    let words = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let found = words.filter(|words| words.len() > 1 && letters.contains(words[1]));
    found.map(|words| words[0].split('@').next().expect("a name").to_owned()).collect()
}

#[test]
fn library_exports_the_symbols_listed() {
    let listed: BTreeSet<_> = listed().into_keys().collect();
    let shared = symbols(&build_kit().join("libadtape_kit.so"), &["-D", "--defined-only"], "TWVDBR");
    assert_eq!(shared.difference(&listed).collect::<Vec<_>>(), [] as [&String; 0], "exported, but not listed");
    assert_eq!(listed.difference(&shared).collect::<Vec<_>>(), [] as [&String; 0], "listed, but not exported");
    let archive = symbols(&build_kit().join("libadtape_kit.a"), &["-g", "--defined-only"], "TW");
    assert_eq!(listed.difference(&archive).collect::<Vec<_>>(), [] as [&String; 0], "listed, but not in the archive");
}

/// What a source of kit/tests refers to.
fn called(compiler: &str, sources: &[&str], flags: &[&str]) -> BTreeSet<String> {
    let directory = scratch(&format!("kit-calls-{}{}", sources[0], flags.len()));
    let mut names = BTreeSet::new();
    for source in sources {
        let object = directory.join(format!("{source}.o"));
        let mut command = Command::new(compiler);
        command.args(["-O1", "-w", "-c"]).args(flags).arg(root().join("kit/tests").join(source));
        if compiler == fc() {
            command.arg(format!("-J{}", directory.display())).arg("-I").arg(&directory);
        }
        include(&mut command);
        run(command.arg("-o").arg(&object));
        names.extend(symbols(&object, &["-u"], "U"));
    }
    names
}

#[test]
fn every_symbol_listed_is_called_by_a_test() {
    let mut names = BTreeSet::new();
    for source in ["random.c", "edges.c", "limits.c", "buffers.c", "reports.c", "openmp.c", "binomial.c", "admm.c"] {
        names.extend(called(&cc(), &[source], &["-fopenmp"]));
    }
    // The libraries' own fast path calls some of the slow path by other names.
    names.extend(called(&cc(), &["random.c"], &["-fopenmp", "-DKIT_INLINE"]));
    names.extend(called(&cc(), &["random.c"], &["-fopenmp", "-DKIT_INLINE", "-DADTAPE_KIT_CALLS"]));
    let never: Vec<_> = listed().into_keys().filter(|name| !names.contains(name)).collect();
    assert!(never.is_empty(), "no call in kit/tests: {never:?}");
}

/// That they perform what they refer to, the programs themselves check when they have run long enough.
#[test]
fn random_programs_have_every_push_pop_and_look() {
    let moves = |name: &String| ["push", "pop", "look"].iter().any(|verb| name.starts_with(verb));
    let in_c = called(&cc(), &["random.c"], &[]);
    let never: Vec<_> = listed().into_keys().filter(moves).filter(|name| !in_c.contains(name)).collect();
    assert!(never.is_empty(), "not in random.c: {never:?}");
    if has(&fc(), "random_programs_have_every_push_pop_and_look") {
        let in_fortran = called(&fc(), &RANDOM_FORTRAN, &[]);
        let fortran = listed().into_keys().filter(moves).filter(|name| name.ends_with('_'));
        let never: Vec<_> = fortran.filter(|name| !in_fortran.contains(name)).collect();
        assert!(never.is_empty(), "not in random.f90: {never:?}");
    }
}

/// "a{b,c}d" as "abd", "acd".
fn expand(pattern: &str) -> Vec<String> {
    let Some((head, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let (choices, tail) = rest.split_once('}').expect("a closing brace");
    choices.split(',').flat_map(|choice| expand(&format!("{head}{choice}{tail}"))).collect()
}

#[test]
fn table_in_docs_says_what_the_list_says() {
    let text = fs::read_to_string(root().join("docs/kit.md")).expect("docs/kit.md");
    let table = text.split("| calls | current | 2020 | 2007-2011 |").nth(1).expect("the table of calls");
    let mut in_docs = BTreeMap::new();
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let vintages = ["current", "2020", "2011"].into_iter().zip(&cells[2..5]).filter(|(_, cell)| **cell == "yes");
        let mut vintages: Vec<_> = vintages.map(|(name, _)| name.to_owned()).collect();
        if vintages.is_empty() {
            vintages.push("own".to_owned());
        }
        for name in cells[1].split('`').skip(1).step_by(2).flat_map(expand) {
            assert!(in_docs.insert(name.clone(), vintages.clone()).is_none(), "{name} is in the table twice");
        }
    }
    assert_eq!(in_docs, listed());
}

// ---- random programs ---------------------------------------------------------------------------------

fn random_programs(program: &Path, programs: &str) {
    let seed = ["2500", "1"];
    passes(program, &[programs, seed[0], seed[1]], &[]);
    passes(program, &[programs, seed[0], "1001"], &[PAGES]);
    passes(program, &["20", seed[0], "2001"], &[CHECK]);
    passes(program, &["20", seed[0], "3001"], &[PROFILE, PAGES]);
}

#[test]
fn random_programs_in_c_agree_with_the_model() {
    for how in [How::Static, How::Shared, How::Inline] {
        let program = compile(&cc(), &["random.c"], how, &["-w"]);
        random_programs(&program, "150");
        passes(&program, &["150", "2500", "4001", "type"], &[BY_TYPE]);
        passes(&program, &["20", "2500", "5001", "type"], &[BY_TYPE, CHECK, PAGES]);
    }
}

#[test]
fn random_programs_without_optimisation_agree_with_the_model() {
    random_programs(&compile(&cc(), &["random.c"], How::Inline, &["-w", "-O0"]), "40");
    random_programs(&compile(&cc(), &["random.c"], How::Inline, &["-w", "-O0", "-DADTAPE_KIT_CALLS"]), "40");
}

const RANDOM_FORTRAN: [&str; 3] = ["scalars.f90", "arrays.f90", "random.f90"];

fn compile_random_fortran(how: How) -> PathBuf {
    let modules = format!("-J{}", scratch(&format!("kit-random-modules-{how:?}")).display());
    compile(&fc(), &RANDOM_FORTRAN, how, &[&modules])
}

#[test]
fn random_programs_in_fortran_agree_with_the_model() {
    if has(&fc(), "random_programs_in_fortran_agree_with_the_model") {
        for how in [How::Static, How::Shared] {
            random_programs(&compile_random_fortran(how), "100");
        }
    }
}

#[test]
fn random_programs_with_lto_agree_with_the_model() {
    if has_gnu_lto("random_programs_with_lto_agree_with_the_model") {
        random_programs(&compile_random_fortran(How::Lto), "100");
        random_programs(&compile("gcc", &["random.c"], How::Lto, &["-w"]), "100");
    }
}

// ---- edges -------------------------------------------------------------------------------------------

#[test]
fn edges_of_the_calls_hold() {
    for how in [How::Static, How::Shared, How::Inline] {
        let program = compile(&cc(), &["edges.c"], how, &["-w"]);
        passes(&program, &[], &[]);
        passes(&program, &["type"], &[]);
        passes(&program, &["type"], &[BY_TYPE]);
        passes(&program, &["type"], &[BY_TYPE, CHECK]);
    }
}

#[test]
fn every_call_holds_at_its_edges() {
    for how in [How::Static, How::Shared, How::Inline] {
        let program = compile(&cc(), &["limits.c"], how, &["-w"]);
        passes(&program, &["errors"], &[]);
        for settings in [&[][..], &[PAGES], &[CHECK], &[BY_TYPE]] {
            passes(&program, &["values"], settings);
        }
    }
}

/// Takes the 2 GiB of one such array, on the tape; the program's own array is folded into 5 MiB.
#[test]
fn arrays_beyond_two_gib_come_back() {
    passes(&compile(&cc(), &["limits.c"], How::Static, &["-w"]), &["large"], &[]);
}

/// Values lie packed and untyped; check mode names both sites of a mismatch, also through a call out of line.
#[test]
fn check_mode_names_the_call_sites_in_the_program() {
    let directory = scratch("kit-mismatch");
    let source = directory.join("mismatch.c");
    let text = "void pushReal8(double x);\nvoid popReal4(float *x);\n\
                void push_here(void) { pushReal8(1.5); __asm__(\"\"); }\n\
                void pop_here(void) { float x; popReal4(&x); __asm__(\"\"); }\n\
                int main(void) { push_here(); pop_here(); return 0; }\n";
    fs::write(&source, text).expect("scratch directory is writable");
    let program = compile(&cc(), &[source.to_str().expect("a path")], How::Static, &["-fno-inline"]);
    let output = command(&program, &[], &[CHECK]).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    for words in ["pushed: one f64", "popped: one f32", "mismatch.c:3", "mismatch.c:4"] {
        assert!(said.contains(words), "no \"{words}\" in {said}");
    }
}

#[test]
fn program_may_keep_its_own_buffers_above_the_stack() {
    for how in [How::Static, How::Shared] {
        let program = compile(&cc(), &["buffers.c"], how, &[]);
        passes(&program, &["200000"], &[]);
        passes(&program, &["50000"], &[PAGES]);
        passes(&program, &["20000"], &[CHECK]);
    }
}

#[test]
fn binomial_checkpointing_takes_the_least_number_of_steps_and_fixed_points_end() {
    for how in [How::Static, How::Shared] {
        let program = compile(&cc(), &["binomial.c"], how, &[]);
        passes(&program, &[], &[]);
        let program = compile(&cc(), &["binomial.c"], how, &["-DREPLACE"]);
        passes(&program, &["replaced"], &[]);
    }
    if has_gnu_lto("binomial_checkpointing_takes_the_least_number_of_steps_and_fixed_points_end") {
        let program = compile("gcc", &["binomial.c"], How::Lto, &["-DREPLACE"]);
        passes(&program, &["replaced"], &[]);
    }
}

/// The names in Fortran's spelling, called from Fortran; the program's own adFixedPoint_notReduced, in Fortran, goes before
/// the kit's.
#[test]
fn binomial_checkpointing_and_fixed_points_serve_fortran() {
    let test = "binomial_checkpointing_and_fixed_points_serve_fortran";
    if !has(&fc(), test) {
        return;
    }
    for how in [How::Static, How::Shared] {
        for flags in [&[][..], &["-DREPLACE"]] {
            let modules = format!("-J{}", scratch("kit-binomial-module").display());
            passes(&compile(&fc(), &["binomial.F90"], how, &[flags, &[&modules]].concat()), &[], &[]);
        }
    }
    if has_gnu_lto(test) {
        let modules = format!("-J{}", scratch("kit-binomial-lto-module").display());
        passes(&compile(&fc(), &["binomial.F90"], How::Lto, &["-DREPLACE", &modules]), &[], &[]);
    }
}

// ---- addresses ---------------------------------------------------------------------------------------

/// The calls on addresses with the arguments of today, and with those of 2020: from a library that comes before, from
/// the header, or chosen when the source is compiled.
fn address_programs(source: &str, test: &str) -> Vec<PathBuf> {
    let mut programs: Vec<_> = [How::Static, How::Shared, How::Inline]
        .into_iter()
        .flat_map(|how| {
            let before = match how {
                How::Static => Some("libadtape_kit_admm2020.a"),
                How::Shared => Some("libadtape_kit_admm2020.so"),
                _ => None,
            };
            let before = before.map(|name| build_kit().join(name).to_string_lossy().into_owned());
            let older: Vec<&str> = std::iter::once(source).chain(before.as_deref()).collect();
            let flags = ["-Wall", "-Wextra", "-Werror", "-pthread"];
            [
                compile(&cc(), &[source], how, &flags),
                compile(&cc(), &older, how, &[&flags[..], &["-DABI2020"]].concat()),
            ]
        })
        .collect();
    if has_gnu_lto(test) {
        programs.push(compile("gcc", &[source], How::Lto, &["-pthread"]));
        programs.push(compile("gcc", &[source], How::Lto, &["-pthread", "-DABI2020", "-DADTAPE_KIT_ADMM2020"]));
    }
    programs
}

/// Of each pointer that is restored: with its block there or away, under allocators that use an address again at once
/// and never, in either sweep.
#[test]
fn restored_pointers_point_to_their_blocks_whatever_the_addresses_do() {
    for program in address_programs("admm.c", "restored_pointers_point_to_their_blocks_whatever_the_addresses_do") {
        passes(&program, &["random", "400", "1"], &[]);
        passes(&program, &["threads"], &[]);
        let text = passes(&program, &["edges"], &[]);
        for line in [
            "Registerings:71, Unregisterings:70, numberOfRebases:59",
            "chunks:2[peak:2] waiting:1[peak:5]",
            "unregistered, but not registered:1",
            "  (old:0x100000000000=>)0x100000000000+80 (10 elements)",
            "  (old:0x100000000000=>)0x1000000000a0+80    Shadow: (old:0x200000000000=>)0x2000000000a0+88 (10 elements)",
        ] {
            assert!(text.lines().any(|l| l == line), "\"{line}\" in\n{text}");
        }
        for end in ["]->0x5000", "]->0x6000"] {
            assert!(text.lines().any(|l| l.ends_with(end)), "\"{end}\" in\n{text}");
        }
    }
}

/// Of a program with a list, a marching pointer and indices, under the same allocators.
#[test]
fn gradient_of_a_program_that_allocates_is_that_of_finite_differences() {
    for program in address_programs("blocks.c", "gradient_of_a_program_that_allocates_is_that_of_finite_differences") {
        passes(&program, &[], &[]);
        passes(&program, &[], &[CHECK, PAGES]);
    }
}

#[test]
fn module_for_fortran_binds_the_arguments_that_it_declares() {
    let test = "module_for_fortran_binds_the_arguments_that_it_declares";
    if !has(&fc(), test) {
        return;
    }
    let modules = format!("-J{}", scratch("kit-admm-module").display());
    let sources = ["kit/admm_tapenade_interface.f90", "kit/tests/admm.f90"];
    let older = build_kit().join("libadtape_kit_admm2020.a").to_string_lossy().into_owned();
    for how in [How::Static, How::Shared] {
        let text = passes(&compile(&fc(), &sources, how, &[&modules]), &[], &[]);
        assert!(text.starts_with("Registerings:4, Unregisterings:4, numberOfRebases:3\n"), "{text}");
    }
    // The module does not depend on which arguments the other names have.
    passes(&compile(&fc(), &[sources[0], sources[1], &older], How::Static, &[&modules]), &[], &[]);
}

#[test]
fn library_of_2020_has_the_two_names_with_other_arguments() {
    let names = ["ADMM_register", "ADMM_registerShadowed"].map(str::to_owned);
    let shared = symbols(&build_kit().join("libadtape_kit_admm2020.so"), &["-D", "--defined-only"], "TWVDBR");
    assert_eq!(shared, BTreeSet::from(names.clone()));
    let archive = symbols(&build_kit().join("libadtape_kit_admm2020.a"), &["-g", "--defined-only"], "TW");
    assert_eq!(archive, BTreeSet::from(names));
}

/// Lists searched from their beginning would make it ten times as dear.
#[test]
fn block_among_many_costs_little_more_than_among_few() {
    let program = compile(&cc(), &["admm.c"], How::Static, &["-pthread"]);
    let text = passes(&program, &["cost"], &[]);
    let ratio: f64 = text.trim_end().rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a ratio");
    assert!(ratio < 6.0, "{text}");
}

// ---- reports -----------------------------------------------------------------------------------------

/// The bytes in a line "… (N blocks): BYTES bytes" that starts with `head`.
fn peak(text: &str, head: &str) -> u64 {
    let line = text.lines().find(|line| line.starts_with(head)).unwrap_or_else(|| panic!("no {head} in {text}"));
    let digits: String = line.split(':').nth(1).expect("a number").chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn reports_say_what_users_of_the_kit_expect() {
    let program = compile(&cc(), &["reports.c"], How::Static, &["-w"]);
    let text = passes(&program, &[], &[PROFILE]);
    for (line, times) in [
        ("Stack at empty is empty", 1),
        ("Bit buffer is empty", 1),
        ("Total push/pop traffic 1600000 bytes", 2),
        (" 3--> <1600000>", 1),
        (" 7--> <1600000>", 1),
        ("size 1600000", 1),
        ("locstr 0.0", 1),
        ("locstr 2.551424", 1),
        ("Stack top at here is 2.551424 :", 1),
        ("Stack top at there is 2.551424 :", 1),
        ("Bit buffer:3 bits", 8),
        ("  1 active", 2),
        ("safe 1 1", 1),
        ("Total pushed traffic 1601900 bytes", 2),
        ("Total pushed traffic 1600005 bytes", 2),
        (" --> <1.551424>1.2.3.4.5.6.7.8.9", 1),
        (" --> <1.551424>1.1.1.1.1.1.1.1.1", 1),
        (" --   12 --> <1.551424>0.0.0.0.0.0.0.0.0", 1),
        ("3 000 005", 1),
        (" C Traffic: 1 600 000 bytes", 3),
        (" F Traffic: 3 001 000 bytes", 1),
        (" F Traffic: 1 900 bytes", 2),
        (" Stack size: 1 600 000 bytes", 3),
        (" Stack size at location 7 : 1 600 000 bytes", 1),
        (" Stack look at: 1 592 000 bytes", 1),
        ("sizes 1 551424 1 543424", 1),
        ("blocks 2", 1),
        ("Buffer size:0 bytes i.e. 0 Kbytes", 3),
        ("buffers 0", 1),
    ] {
        assert_eq!(text.lines().filter(|l| *l == line).count(), times, "\"{line}\" in\n{text}");
    }
    assert_eq!(text.lines().filter(|l| l.starts_with('t') && l.contains(" ERROR AT:1.551424")).count(), 2, "{text}");
    for head in ["Peak stack size (2 blocks):", " Max Stack size (2 blocks):"] {
        let peak = peak(&text, head);
        assert!((1_600_000..=1_625_000).contains(&peak), "{head} {peak}");
    }
    let text = passes(&program, &[], &[]);
    assert!(text.contains("Total push/pop traffic 0 bytes"), "traffic is counted in profile mode only: {text}");
}

// ---- OpenMP ------------------------------------------------------------------------------------------

#[test]
fn openmp_loops_replay_on_one_to_eight_threads() {
    for how in [How::Static, How::Shared, How::Inline] {
        let program = compile(&cc(), &["openmp.c"], how, &["-fopenmp", "-w"]);
        let text = passes(&program, &[], &[]);
        // Seven of eight threads are not the one that asks; a thread's peak is at least a page's worth.
        assert!(peak(&text, "Peak stack size") > 8 * 4096, "{text}");
        passes(&program, &[], &[CHECK, PAGES]);
        passes(&program, &[], &[BY_TYPE]);
        let text = passes(&program, &[], &[PROFILE]);
        assert!(!text.contains("traffic 0 bytes"), "{text}");
    }
}

#[test]
fn openmp_team_that_shrinks_is_reported() {
    let program = compile(&cc(), &["openmp.c"], How::Static, &["-fopenmp", "-w"]);
    for settings in [&[][..], &[CHECK], &[BY_TYPE]] {
        let output = run(&mut command(&program, &["shrink"], settings));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("a team of threads that shrinks between the sweeps loses values"), "{said}");
    }
}

#[test]
fn openmp_examples_have_the_bits_of_the_serial_run() {
    let in_c = compile(&cc(), &["examples/openmp/openmp.c"], How::Inline, &["-fopenmp", "-Wall", "-Wextra", "-Werror"]);
    let mut programs = vec![in_c];
    if has(&fc(), "openmp_examples_have_the_bits_of_the_serial_run") {
        let modules = format!("-J{}", scratch("kit-openmp-module").display());
        programs.push(compile(&fc(), &["examples/openmp/openmp.f90"], How::Static, &["-fopenmp", &modules]));
    }
    for program in programs {
        for (cells, settings) in [("20000", &[][..]), ("3", &[]), ("2000", &[CHECK, PAGES])] {
            let text = passes(&program, &[cells], settings);
            assert_eq!(text.trim_end().lines().last(), Some("all checks passed"), "{text}");
        }
    }
}

// ---- -flto -------------------------------------------------------------------------------------------

/// Calls in the code of a function, those of its cold part not included.
fn calls(program: &Path, function: &str) -> usize {
    let text = stdout(Command::new("objdump").args(["-d", &format!("--disassemble={function}")]).arg(program));
    assert!(text.contains(&format!("<{function}>:")), "{function} is not in {}", program.display());
    text.lines().filter(|line| line.contains("call")).count()
}

#[test]
fn no_call_is_left_in_a_hot_c_loop_with_the_headers() {
    let separate = compile(&cc(), &["hot_loop.c"], How::Static, &[]);
    assert!(calls(&separate, "forward_sweep") >= 5 && calls(&separate, "reverse_sweep") >= 5);
    for flags in [&["-O2"][..], &["-O3"], &["-O2", "-fPIC"]] {
        let program = compile(&cc(), &["hot_loop.c"], How::Inline, flags);
        for function in ["forward_sweep", "reverse_sweep"] {
            assert_eq!(calls(&program, function), 0, "{function} with {flags:?}");
        }
        assert_eq!(passes(&program, &[], &[]), passes(&separate, &[], &[]), "{flags:?}");
    }
}

#[test]
fn no_call_is_left_in_a_hot_fortran_loop_with_lto() {
    let test = "no_call_is_left_in_a_hot_fortran_loop_with_lto";
    if !has_gnu_lto(test) {
        return;
    }
    let sources = ["hot_loop.f90", "hot_main.f90"];
    let expected = passes(&compile(&fc(), &sources, How::Static, &[]), &[], &[]);
    // With calls that are not inlined there is something to count: the test's own check.
    let separate = compile(&fc(), &sources, How::Static, &["-fno-inline"]);
    assert!(calls(&separate, "forward_sweep_") >= 5);
    for flags in [&["-O2"][..], &["-O3"], &["-fPIC"], &["-march=native"]] {
        // Exported, so that the subroutines are there beside their inlined copies.
        let program = compile(&fc(), &sources, How::Lto, &[flags, &["-rdynamic"]].concat());
        for function in ["forward_sweep_", "reverse_sweep_"] {
            assert_eq!(calls(&program, function), 0, "{function} with {flags:?}");
        }
        if flags[0] != "-march=native" {
            assert_eq!(passes(&program, &[], &[]), expected, "{flags:?}");
        }
    }
}

/// The compilers of C and Fortran differ in types (a logical is no int) and in presumptions about floating-point numbers.
#[test]
fn main_programs_with_lto_pop_what_they_pushed() {
    let test = "main_programs_with_lto_pop_what_they_pushed";
    if !has_gnu_lto(test) {
        return;
    }
    assert_eq!(passes(&compile(&fc(), &["aliases.f90"], How::Static, &[]), &[], &[]), "passed\n");
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os", "-Ofast"] {
        let program = compile(&fc(), &["aliases.f90"], How::Lto, &[level]);
        assert_eq!(passes(&program, &[], &[]), "passed\n", "{level}");
    }
}

/// The compiler's own limits end the inlining in a program of some hundred calls; real adjoints have thousands.
#[test]
fn no_call_is_left_in_a_large_fortran_program_with_lto() {
    let test = "no_call_is_left_in_a_large_fortran_program_with_lto";
    if !has_gnu_lto(test) {
        return;
    }
    let mut text = String::new();
    for s in 0..12 {
        text += &format!("subroutine s{s}(n, x, y)\n  integer n, i\n  real(8) x(n), y(n)\n  do i = 1, n\n");
        for k in 0..40 {
            text += &format!(
                "    call pushreal8(x(i))\n    x(i) = x(i)*y(i) + {k}\n    call pushcontrol3b({})\n    \
                 call pushinteger4(i)\n",
                k % 8
            );
        }
        text += "  end do\nend subroutine\n";
    }
    text += "program p\n  real(8) x(10), y(10)\n  x = 1\n  y = 1\n";
    for s in 0..12 {
        text += &format!("  call s{s}(10, x, y)\n");
    }
    text += "end program\n";
    let source = scratch("kit-large").join("large.f90");
    fs::write(&source, text).expect("scratch directory is writable");
    let program = compile(&fc(), &[source.to_str().expect("a path")], How::Lto, &[]);
    let code = stdout(Command::new("objdump").arg("-d").arg(&program));
    let left = code.lines().filter(|line| {
        line.contains("call")
            && ["<pushreal8_>", "<pushcontrol3b_>", "<pushinteger4_>"].iter().any(|name| line.contains(name))
    });
    assert_eq!(left.count(), 0);
}
