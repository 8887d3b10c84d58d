//! Which names the libraries export, the docs list and the tests call.

use super::*;

/// "a{b,c}d" as "abd", "acd".
fn expand(pattern: &str) -> Vec<String> {
    let Some((head, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let (choices, tail) = rest.split_once('}').expect("a closing brace");
    choices.split(',').flat_map(|choice| expand(&format!("{head}{choice}{tail}"))).collect()
}

/// The names in the table of docs/kit.md, which is the list of what the libraries export.
fn listed() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("docs/kit.md")).expect("docs/kit.md");
    let table = text.split("| calls | current | 2020 | 2007-2016 |").nth(1).expect("the table of calls");
    let mut names = BTreeSet::new();
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        assert!(cells[2..5].iter().all(|cell| ["", "yes"].contains(cell)), "{row}");
        for name in cells[1].split('`').skip(1).step_by(2).flat_map(expand) {
            assert!(names.insert(name.clone()), "{name} is in the table twice");
        }
    }
    names
}

/// Names in the output of nm that come with one of the given letters.
pub fn symbols(file: &Path, options: &[&str], letters: &str) -> BTreeSet<String> {
    let text = stdout(Command::new("nm").args(options).arg("--format=posix").arg(file));
    let words = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let found = words.filter(|words| words.len() > 1 && letters.contains(words[1]));
    found.map(|words| words[0].split('@').next().expect("a name").to_owned()).collect()
}

#[test]
fn library_exports_the_symbols_listed() {
    let listed = listed();
    let shared = symbols(&build_kit().join("libadtape_kit.so.0"), &["-D", "--defined-only"], "TWVDBR");
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
    let never: Vec<_> = listed().into_iter().filter(|name| !names.contains(name)).collect();
    assert!(never.is_empty(), "no call in kit/tests: {never:?}");
}

/// The programs themselves check that they perform what they refer to, when they have run long enough.
#[test]
fn random_programs_have_every_push_pop_and_look() {
    let moves = |name: &String| ["push", "pop", "look"].iter().any(|verb| name.starts_with(verb));
    let in_c = called(&cc(), &["random.c"], &[]);
    let never: Vec<_> = listed().into_iter().filter(moves).filter(|name| !in_c.contains(name)).collect();
    assert!(never.is_empty(), "not in random.c: {never:?}");
    if has(&fc(), "random_programs_have_every_push_pop_and_look") {
        let in_fortran = called(&fc(), &RANDOM_FORTRAN, &[]);
        let fortran = listed().into_iter().filter(moves).filter(|name| name.ends_with('_'));
        let never: Vec<_> = fortran.filter(|name| !in_fortran.contains(name)).collect();
        assert!(never.is_empty(), "not in random.f90: {never:?}");
    }
}
