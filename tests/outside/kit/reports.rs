//! What the kit prints, and OpenMP.

use super::*;

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
        ("Bit buffer:3 bits", 9),
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
        (" C+F Traffic: 1 600 000 + 3 001 000 bytes", 1),
        (" F Traffic: 1 900 bytes", 2),
        (" Stack size: 1 600 000 bytes", 4),
        (" Stack size at location 7 : 1 600 000 bytes", 1),
        (" Stack look at: 1 592 000 bytes", 1),
        ("sizes 1 551424 1 543424", 1),
        ("blocks 2", 1),
        ("Buffer size:0 bytes i.e. 0 Kbytes", 4),
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

/// The kit notes sizes for its reports at each operation that it sees. That was a call of the library each time, which
/// looked for idle memory: check mode took 10 times as long as now.
#[test]
fn operation_in_check_mode_takes_the_slow_path_once() {
    let headers = ["kit/include", "include"].map(|folder| format!("-I{}", root().join(folder).display()));
    let program = compile(&cc(), &["watched.c"], How::Static, &headers.each_ref().map(String::as_str));
    assert_eq!(passes(&program, &[], &[CHECK]).trim(), "6000");
}

// ---- OpenMP ------------------------------------------------------------------------------------------

fn openmp_loops_replay(how: How) {
    let program = compile(&cc(), &["openmp.c"], how, &["-fopenmp", "-w"]);
    let text = passes(&program, &[], &[]);
    // Seven of eight threads are not the one that asks; a thread's peak is at least a page's worth.
    assert!(peak(&text, "Peak stack size") > 8 * 4096, "{text}");
    passes(&program, &[], &[CHECK, PAGES]);
    passes(&program, &[], &[BY_TYPE]);
    let text = passes(&program, &[], &[PROFILE]);
    assert!(!text.contains("traffic 0 bytes"), "{text}");
}

#[test]
fn openmp_loops_replay_on_one_to_eight_threads() {
    openmp_loops_replay(How::Inline);
}

/// Of `make matrix`.
mod matrix {
    use super::*;

    #[test]
    fn openmp_loops_replay_linked_otherwise() {
        [How::Static, How::Shared].into_iter().for_each(openmp_loops_replay);
    }
}

#[test]
fn openmp_team_that_shrinks_is_reported() {
    let program = compile(&cc(), &["openmp.c"], How::Static, &["-fopenmp", "-w"]);
    for settings in [&[][..], &[CHECK], &[BY_TYPE]] {
        let output = run(&mut command(&program, &["shrink"], settings));
        let said = String::from_utf8_lossy(&output.stderr);
        let reports = said.matches("a team of threads that shrinks between the sweeps loses values").count();
        assert_eq!(reports, 2, "one for each thread that is gone: {said}");
    }
}

/// With order by type nothing was said of the main thread's tapes; else that a thread ended, in a program with one.
#[test]
fn values_left_by_the_main_thread_are_reported_as_the_programs() {
    let text = "void pushReal8(double x);\nint main(void) { pushReal8(1.5); return 0; }\n";
    let source = scratch("kit-left").join("left.c");
    fs::write(&source, text).expect("scratch directory is writable");
    let program = compile(&cc(), &[source.to_str().expect("a path")], How::Static, &[]);
    for settings in [&[][..], &[CHECK], &[BY_TYPE]] {
        let said = String::from_utf8(run(&mut command(&program, &[], settings)).stderr).expect("text");
        assert!(said.starts_with("adtape: warning: the program ended with 8 bytes on its tape"), "{said}");
        let find = match settings {
            [mode] if *mode == CHECK => "the last push without its pop: one f64 at ",
            _ => "run with ADTAPE_CHECK=1",
        };
        assert!(said.contains(find) && !said.contains("thread"), "{said}");
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
