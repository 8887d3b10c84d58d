//! The demo (examples/shallow_water) in its small size: what it prints is right, the same in C and in Fortran, and plain
//! text where there is no terminal; what it draws is what it measured; it shrinks to the memory there is, and says what
//! is wrong with what it is asked.

use crate::common::{build_release, clean, root, run, scratch, skip};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};

// ---- compiling and running ----------------------------------------------------------------------------

fn make(target: &str) -> PathBuf {
    let build = scratch(target);
    let mut make = Command::new("make");
    make.current_dir(root()).args(["-f", "examples/shallow_water/demo.mk"]);
    make.arg(format!("BUILD={}", build.display()));
    make.arg(format!("ADTAPE_LIB={}", build_release().join("libadtape.a").display()));
    make.args(["CC=gcc", "CFLAGS=-O2 -Wall -Wextra -Wpedantic -Werror", "FC=gfortran"]);
    make.args(["FFLAGS=-O2 -std=f2018 -Wall -Wextra -Wno-unused-dummy-argument"]);
    run(make.arg(build.join(target)));
    build.join(target)
}

fn compiles(compiler: &str, language: &str, source: &str) -> bool {
    let command = format!("printf '%s\\n' '{source}' | {compiler} -x {language} -fsyntax-only -");
    let status = Command::new("sh").args(["-c", &command]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The program in C, compiled once; None, after having said so, where the optimiser's library is missing.
fn demo_c() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| compiles("gcc", "c", "#include <lbfgs.h>").then(|| make("shallow_water_c")));
    if program.is_none() {
        skip("demo in C", "lbfgs.h not found (Debian: liblbfgs-dev)");
    }
    program.as_deref()
}

/// The program in Fortran, compiled once.
fn demo_fortran() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let there = compiles("gfortran", "f95", "end") && compiles("gcc", "c", "#include <lbfgs.h>");
        there.then(|| make("shallow_water_fortran"))
    });
    if program.is_none() {
        skip("demo in Fortran", "gfortran or lbfgs.h not found (Debian: gfortran, liblbfgs-dev)");
    }
    program.as_deref()
}

fn programs() -> impl Iterator<Item = &'static Path> {
    [demo_c(), demo_fortran()].into_iter().flatten()
}

fn command(program: &Path, size: &str, settings: &[(&str, &str)]) -> Command {
    let mut command = clean(program);
    command.env_remove("DEMO_DATA").env_remove("DEMO_PAGE").env("SIZE", size).envs(settings.iter().copied());
    command
}

/// What a run prints that must succeed, and nothing on standard error.
fn output(program: &Path, size: &str, settings: &[(&str, &str)]) -> String {
    let Output { stdout, stderr, .. } = run(&mut command(program, size, settings));
    assert!(stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("the demo prints UTF-8")
}

/// What the program prints in its small size without settings: one run for all tests.
fn plain(program: &Path) -> String {
    static SAID: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    let mut said = SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    said.entry(program.to_path_buf()).or_insert_with(|| output(program, "small", &[])).clone()
}

// ---- reading what it prints ---------------------------------------------------------------------------

/// What follows a label at the start of a line.
fn value<'a>(text: &'a str, label: &str) -> &'a str {
    let start = format!("  {label} ");
    let found = text.lines().find_map(|line| line.strip_prefix(&start));
    found.unwrap_or_else(|| panic!("no \"{label}\" in\n{text}")).trim()
}

/// The numbers in a text, in order.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| c.is_whitespace() || "(),:;".contains(c));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn number(text: &str, label: &str) -> f64 {
    *numbers(value(text, label)).first().unwrap_or_else(|| panic!("no number after \"{label}\" in\n{text}"))
}

/// The lines of the optimiser's table: iteration, cost, norm of the gradient, and what else there is.
fn iterations(text: &str) -> Vec<Vec<f64>> {
    let table = text.lines().skip_while(|line| !line.starts_with("  iteration")).skip(1);
    table.take_while(|line| !line.starts_with("  cost")).map(numbers).collect()
}

/// The bytes in "8.1 MB".
fn bytes(text: &str) -> f64 {
    let unit = text.split([' ', ';', ',']).nth(1).expect("a unit");
    let factor = match unit {
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        other => panic!("\"{other}\" in \"{text}\" is no unit"),
    };
    factor * numbers(text)[0]
}

/// Everything that any run must have found.
fn assert_verified(text: &str) {
    assert!((number(text, "Taylor order") - 2.0).abs() <= 0.1, "{text}");
    assert!(value(text, "Taylor order").ends_with("passed"), "{text}");
    assert!(value(text, "dot-product test").ends_with("passed"), "{text}");
    let (tangent, adjoint) = (number(text, "(y, H' d)"), number(text, "(H'^T y, d)"));
    assert!((tangent - adjoint).abs() <= 1e-10 * tangent.abs(), "{text}");
    let costs: Vec<f64> = iterations(text).iter().map(|line| line[1]).collect();
    assert!(costs.len() > 4 && costs.windows(2).all(|pair| pair[1] < pair[0]), "{text}");
    assert!(costs[costs.len() - 1] < 0.2 * costs[0], "{text}");
    assert!(value(text, "checkpoints").ends_with("passed"), "{text}");
    // What was won, by what this run measured: the gradient's time in runs of the primal.
    let won = text.lines().last().and_then(|line| line.strip_prefix("won: ")).unwrap_or_default();
    let found = numbers(won);
    assert!(found.len() == 3 && found[0] == number(text, "controls") && found[2] == found[0] + 1.0, "{text}");
    let gradient = text.lines().find(|line| line.starts_with("  gradient ") && line.ends_with(" x primal"));
    let runs = numbers(gradient.unwrap_or_default())[1];
    assert!((found[1] - runs).abs() <= 0.056, "{text}");
    assert!(!text.contains("FAILED") && !text.contains("DIFFERENT"), "{text}");
}

/// The lines of the table of checkpoints: snapshots (0 for store-all), steps, bytes of checkpoints, most bytes on the tape,
/// extra steps, theory's.
fn reversals(text: &str) -> Vec<[f64; 6]> {
    let table = text.lines().skip_while(|line| !line.starts_with("  snapshots  steps")).skip(1);
    let rows = table.take_while(|line| !line.starts_with("  checkpoints "));
    let columns = rows.map(|row| row.split_whitespace().collect::<Vec<_>>());
    let read = |row: Vec<&str>| {
        assert_eq!((row.len(), row[10]), (11, "equal"), "{row:?}");
        assert!(row[8..10].iter().all(|number| number.parse::<f64>().is_ok()), "{row:?}");
        let number = |i: usize| row[i].parse::<f64>().unwrap_or_else(|_| panic!("no number in {row:?}"));
        let snapshots = if row[0] == "store-all" { 0.0 } else { number(0) };
        [snapshots, number(1), bytes(&row[2..4].join(" ")), bytes(&row[4..6].join(" ")), number(6), number(7)]
    };
    columns.map(read).collect()
}

// ---- the tests ----------------------------------------------------------------------------------------

fn verifies_its_gradient(program: &Path) {
    let text = plain(program);
    assert_verified(&text);
    assert!(!text.contains(['\r', '\x1b']), "a progress bar where there is no terminal:\n{text}");
    let errors = numbers(value(&text, "rms error"));
    assert!(errors[1] < errors[0] && errors[3] < errors[2], "{text}");
    assert!(number(&text, "scalar share") >= 50.0, "{text}");
    assert!(number(&text, "control bits") > 1.0, "{text}");
    assert!(bytes(value(&text, "tape bytes")) > 20e6, "{text}");
    assert!(bytes(value(&text, "tape peak")) >= bytes(value(&text, "tape bytes")), "{text}");
    for label in ["primal", "forward sweep", "reverse sweep", "gradient", "tape in forward", "share of the tape"] {
        assert!(number(&text, label).is_finite(), "{text}");
    }
    assert!(!text.contains("shrunk"), "{text}");
}
#[test]
fn demo_in_c_verifies_its_gradient_and_goes_downhill() {
    if let Some(program) = demo_c() {
        verifies_its_gradient(program);
    }
}
#[test]
fn demo_in_fortran_verifies_its_gradient_and_goes_downhill() {
    if let Some(program) = demo_fortran() {
        verifies_its_gradient(program);
    }
}

#[test]
fn demo_computes_the_same_in_c_and_in_fortran() {
    let (Some(c), Some(fortran)) = (demo_c(), demo_fortran()) else { return };
    let (c, fortran) = (plain(c), plain(fortran));
    for label in ["cost", "gradient norm", "(y, H' d)", "(H'^T y, d)"] {
        let (a, b) = (number(&c, label), number(&fortran, label));
        assert!((a - b).abs() <= 1e-10 * a.abs(), "{label}: {a:e} in C, {b:e} in Fortran");
    }
    let (c_table, fortran_table) = (iterations(&c), iterations(&fortran));
    assert_eq!(c_table.len(), fortran_table.len());
    for (a, b) in c_table.iter().zip(&fortran_table) {
        assert!((a[1] - b[1]).abs() <= 1e-5 * a[1], "{a:?} in C, {b:?} in Fortran");
    }
    for label in ["grid", "observations", "tape bytes", "control bits"] {
        assert_eq!(value(&c, label), value(&fortran, label));
    }
}

#[test]
fn demo_says_that_it_cannot_write_its_data() {
    for program in programs() {
        let Output { status, stderr, .. } =
            command(program, "small", &[("DEMO_DATA", "/nowhere/data.csv")]).output().expect("the demo runs");
        let message = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(2), "{message}");
        assert!(message.contains("/nowhere/data.csv") && message.contains("DEMO_DATA"), "{message}");
    }
}

/// Every pop has the type and count of its push, also where the tape grows by a page at a time. The limit makes the
/// grid coarser: check mode notes every value.
#[test]
fn demo_runs_in_check_mode() {
    for program in programs() {
        let settings = [("ADTAPE_CHECK", "1"), ("ADTAPE_STEP", "4096"), ("ADTAPE_MEMORY_LIMIT", "16M")];
        assert_verified(&output(program, "small", &settings));
    }
}

#[test]
fn demo_refuses_an_unknown_size_and_says_what_is_allowed() {
    for program in programs() {
        let Output { status, stderr, stdout } = command(program, "huge", &[]).output().expect("the demo runs");
        let message = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(2), "{message}");
        for part in ["SIZE=huge", "SIZE=small", "SIZE=default", "SIZE=large"] {
            assert!(message.contains(part), "{message}");
        }
        assert!(stdout.is_empty(), "{}", String::from_utf8_lossy(&stdout));
    }
}

/// Down to where the grid is coarser too, and below that with an error instead of a crash.
#[test]
fn demo_shrinks_to_the_memory_limit_and_says_so() {
    for program in programs() {
        for (limit, limit_bytes, full_grid) in [("12M", 12e6 * 1.048_576, true), ("4M", 4e6 * 1.048_576, false)] {
            let text = output(program, "small", &[("ADTAPE_MEMORY_LIMIT", limit)]);
            assert_verified(&text);
            assert!(value(&text, "memory").ends_with("85 % of ADTAPE_MEMORY_LIMIT"), "{text}");
            assert!(value(&text, "shrunk").contains("SIZE=small is 64 x 36 cells, 24 steps"), "{text}");
            assert_eq!(value(&text, "grid").starts_with("64 x 36"), full_grid, "{text}");
            assert!(bytes(value(&text, "tape peak")) <= limit_bytes, "{text}");
        }
        let mut starved = command(program, "small", &[("ADTAPE_MEMORY_LIMIT", "1M")]);
        let Output { status, stderr, .. } = starved.output().expect("the demo runs");
        let message = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(2), "{message}");
        assert!(message.contains("not enough memory") && message.contains("ADTAPE_MEMORY_LIMIT"), "{message}");
    }
}

#[test]
fn demo_shrinks_to_the_limits_of_the_shell() {
    for program in programs() {
        for (limit, source) in [("ulimit -v 50000", "ulimit -v"), ("ulimit -d 24000", "ulimit -d")] {
            let mut shell = clean("sh");
            shell
                .env_remove("DEMO_DATA")
                .args(["-c", &format!("{limit} && exec \"$0\"")])
                .arg(program)
                .env("SIZE", "small");
            let text = String::from_utf8(run(&mut shell).stdout).expect("the demo prints UTF-8");
            assert_verified(&text);
            assert!(value(&text, "memory").contains(source), "{text}");
            assert!(value(&text, "shrunk").contains("SIZE=small is 64 x 36 cells"), "{text}");
        }
    }
}

/// Only as far as the problem is described: the whole run takes a minute.
#[test]
fn demo_of_default_size_has_a_hundred_thousand_controls() {
    for program in programs() {
        let mut child = command(program, "default", &[]).stdout(Stdio::piped()).spawn().expect("the demo starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut text = String::new();
        for line in lines {
            let line = line.expect("the demo prints UTF-8");
            text += &format!("{line}\n");
            if line.starts_with("  observations") {
                break;
            }
        }
        child.kill().expect("the demo is still running");
        child.wait().expect("it was started here");
        if text.contains("shrunk") {
            skip("demo of default size", "this machine has less than 3 GB of free memory");
        } else {
            assert!(number(&text, "controls") >= 1e5, "{text}");
        }
    }
}

/// Run by `make matrix` alone: what draws is compiled first, with its crates.
mod matrix {
    use super::*;

    /// Extra steps as few as the binomial formula says, one state of memory for each snapshot, the tape of one step.
    #[test]
    fn demo_gives_the_same_gradient_with_any_number_of_snapshots() {
        for program in programs() {
            let table = reversals(&plain(program));
            let counts: Vec<_> = table.iter().map(|row| [row[0], row[1], row[4]]).collect();
            let expected = [[0, 24, 0], [2, 24, 88], [5, 24, 44], [10, 24, 36], [50, 24, 23], [0, 8, 0], [1, 8, 28]];
            assert_eq!(counts, expected.map(|row| row.map(f64::from)), "{table:?}");
            let state = f64::from(3 * 8 * (64 + 4) * (36 + 4));
            for [snapshots, steps, stored, taped, extra, theory] in table {
                assert_eq!(extra, theory);
                assert!(
                    (stored - snapshots.min(steps - 1.0) * state).abs() <= 0.05e6,
                    "{stored} bytes for {snapshots}"
                );
                let steps_on_tape = if snapshots == 0.0 { steps } else { 1.0 };
                assert!((taped / (steps_on_tape * 1e6) - 1.0).abs() < 0.05, "{taped} bytes of tape");
            }
        }
    }

    #[test]
    fn demo_with_an_eighth_of_its_tape_in_memory_computes_the_same_bits() {
        let directory = scratch("demo_spilled");
        let limit = "2900000";
        let settings = [("ADTAPE_MEMORY_LIMIT", limit), ("ADTAPE_SPILL_DIRECTORY", directory.to_str().expect("UTF-8"))];
        for program in programs() {
            let (plain, spilled) = (plain(program), output(program, "small", &settings));
            assert_verified(&spilled);
            assert!(bytes(value(&spilled, "tape peak")) >= 8.0 * limit.parse::<f64>().expect("bytes"), "{spilled}");
            for label in ["cost", "gradient norm", "(y, H' d)", "(H'^T y, d)", "grid", "tape bytes", "control bits"] {
                assert_eq!(value(&plain, label), value(&spilled, label));
            }
            assert_eq!(iterations(&plain), iterations(&spilled));
        }
    }

    /// What the program in C prints while it writes its data, and the folder with the plot and the page made of them.
    fn drawn() -> Option<&'static (String, PathBuf)> {
        static DRAWN: OnceLock<(String, PathBuf)> = OnceLock::new();
        let program = demo_c()?;
        Some(DRAWN.get_or_init(|| {
            let build = scratch("demo_drawn");
            let [data, page] = ["checkpoints_c.csv", "page"].map(|name| build.join(name).display().to_string());
            let text = output(program, "small", &[("DEMO_DATA", &data), ("DEMO_PAGE", &page)]);
            let mut make = Command::new("make");
            make.current_dir(root()).args(["-f", "examples/shallow_water/demo.mk", "plot"]);
            run(make.arg(format!("BUILD={}", build.display())));
            (text, build)
        }))
    }

    /// The numbers of an attribute of each element of a kind.
    fn attributes(svg: &str, element: &str, attribute: &str) -> Vec<String> {
        let (start, name) = (format!("<{element} "), format!("{attribute}=\""));
        let values = svg.split(&start).skip(1).filter_map(|rest| rest.split_once(&name)?.1.split_once('"'));
        values.map(|(value, _)| value.to_owned()).collect()
    }

    /// Seven gradients in the upper panel, the five of the whole run in the lower one, and two entries of legends; those
    /// with snapshots lie on the curve of theory above.
    #[test]
    fn plot_shows_what_was_measured_on_the_curve_of_theory() {
        let Some((_, build)) = drawn() else { return };
        let svg = std::fs::read_to_string(build.join("checkpoints.svg")).expect("the plot");
        let marks: Vec<_> =
            attributes(&svg, "circle", "cx").into_iter().zip(attributes(&svg, "circle", "cy")).collect();
        assert_eq!(marks.len(), 7 + 5 + 2, "{svg}");
        let curves = attributes(&svg, "polyline", "points");
        let on_a_curve = |(x, y): &&(String, String)| curves.iter().any(|curve| curve.contains(&format!("{x},{y} ")));
        assert_eq!(marks[..7].iter().filter(on_a_curve).count(), 5, "{marks:?}\n{curves:?}");
        for label in ["store-all", "2 snapshots", "(MB, logarithmic)", "measured, C", "theory"] {
            assert!(svg.contains(label), "no \"{label}\"");
        }
    }

    /// The truth, the background, the analysis and what the cost depends on as pictures, and three plots; nothing is
    /// fetched.
    #[test]
    fn page_shows_fields_and_plots_and_needs_nothing_beside_it() {
        let Some((text, build)) = drawn() else { return };
        let html = std::fs::read_to_string(build.join("shallow_water.html")).expect("the page");
        // Four fields and two bars of colours.
        assert_eq!(html.matches("src=\"data:image/png;base64,").count(), 6);
        assert_eq!((html.matches("src=").count(), html.matches("<svg").count()), (6, 3));
        assert!(!html.contains("{{") && !html.contains("href="));
        let won = text.lines().last().unwrap_or_default();
        let runs = won.split_once("price of ").and_then(|(_, rest)| rest.split(' ').next()).unwrap_or("?");
        assert!(html.contains(&format!("6,912 derivatives for the price of {runs} runs")), "{won}");
        // A dot for each step of the test whose remainder is not 0, and one in the legend.
        let steps = text.lines().skip_while(|line| !line.starts_with("    step")).skip(1);
        let steps = steps.take_while(|line| line.starts_with("    ")).count();
        let taylor = html.split("Is the gradient right?").nth(1).and_then(|rest| rest.split("<h2>").next());
        assert_eq!(taylor.unwrap_or_default().matches("<circle").count(), steps + 1);
    }

    /// util-linux's `script` runs it on a terminal of its own.
    #[test]
    fn demo_draws_a_progress_bar_on_a_terminal() {
        if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_err() {
            skip("demo_draws_a_progress_bar_on_a_terminal", "script (Debian: bsdutils) not found");
            return;
        }
        for program in programs() {
            let mut script = clean("script");
            script
                .env_remove("DEMO_DATA")
                .args(["-qec"])
                .arg(program)
                .arg("/dev/null")
                .env("SIZE", "small")
                .stdin(Stdio::null());
            let text = String::from_utf8_lossy(&run(&mut script).stdout).into_owned();
            assert!(text.contains("\r[") && text.contains(" %  "), "{text}");
            // It is removed before each line: what a line shows in the end is what follows the last removal.
            let lines = text.split("\r\n").map(|line| line.rsplit('\r').next().unwrap_or_default());
            let shown: Vec<&str> = lines.map(|line| line.trim_start_matches("\x1b[K")).collect();
            assert!(shown.iter().any(|line| line.starts_with("  Taylor order")), "{text}");
            assert!(shown.iter().all(|line| !line.contains('\x1b') && !line.starts_with('[')), "{text}");
        }
    }
}
