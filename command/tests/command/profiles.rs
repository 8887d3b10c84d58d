//! `adtape report` and `adtape diff`: tables as they are printed, pages that need nothing from elsewhere, and what is
//! said of files that are no profile. Goldens are written anew with ADTAPE_BLESS.

use crate::common::Scratch;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn profiles() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/profile")
}

fn adtape(args: &[&str]) -> Output {
    crate::tool::adtape(&profiles(), args)
}

fn printed(args: &[&str]) -> String {
    crate::tool::printed(&profiles(), args)
}

/// A file for the command's arguments.
fn file(scratch: &Scratch, name: &str, text: &str) -> String {
    scratch.write(name, text).display().to_string()
}

fn assert_golden(name: &str, text: &str) {
    let path = profiles().join(name);
    if std::env::var_os("ADTAPE_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == text, "{name} is not what is printed:\n{text}");
}

#[test]
fn report_says_who_pushes_and_what_need_not_be_stored() {
    assert_golden("storm.report.txt", &printed(&["report", "storm.jsonl"]));
}

#[test]
fn diff_says_what_grew_where_also_where_lines_have_moved() {
    assert_golden("storm.diff.txt", &printed(&["diff", "storm.jsonl", "storm-after.jsonl"]));
    let same = printed(&["diff", "storm.jsonl", "storm.jsonl"]);
    assert!(same.ends_with("\nno change at 4 sites\n"), "{same}");
}

/// Everything a page shows is in it: no address is fetched but names of XML's namespaces.
#[test]
fn page_has_all_pictures_and_needs_nothing_beside_it() {
    let scratch = Scratch::new("page");
    let page = scratch.0.join("storm.html").display().to_string();
    assert!(printed(&["report", "storm.jsonl", "--html", &page]).ends_with(&format!("page: {page}\n")));
    let html = std::fs::read_to_string(&page).unwrap();
    // What may be won comes first.
    let at = |part: &str| html.find(part).unwrap_or_else(|| panic!("{part} is missing"));
    assert!(at("What need not have been stored, perhaps") < at("Memory over time"));
    for part in [
        "Memory over time",
        "What is pushed, by call site",
        "What is pushed, by routine",
        "Bytes by call path",
        "all kept: tapes of 10 steps",
        "at most 3 kept: 2.50 forward runs",
    ] {
        assert!(html.contains(part), "{part} is missing");
    }
    for fetches in ["src=", "href=\"http", "@import", "url(http", "<link"] {
        assert!(!html.contains(fetches), "{fetches}");
    }
    // Names from the profile are text.
    assert!(html.contains("weather.c:40 (weather)") && html.contains("prefers-color-scheme: dark"));
}

#[test]
fn names_in_a_profile_are_no_markup() {
    let scratch = Scratch::new("markup");
    let profile = file(
        &scratch,
        "a.jsonl",
        "{\"record\":\"process\",\"format\":1,\"program\":\"<b>&\",\"tape_peak\":8}\n\
         {\"record\":\"site\",\"id\":1,\"file\":\"a.cc\",\"line\":3,\"function\":\"f<int>(\\\"x\\\"; y)\"}\n\
         {\"record\":\"push\",\"site\":1,\"kind\":\"f64\",\"operations\":1,\"bytes\":8,\"at_peak\":8}\n",
    );
    printed(&["report", &profile, "--html"]);
    let html = scratch.read("a.html");
    assert!(!html.contains("<b>&") && !html.contains("f<int>"), "{html}");
    assert!(html.contains("f&lt;int&gt;") && html.contains("by function and line"));
}

/// A name in a file is shown as it is, not obeyed by the terminal, and stays in its line.
#[test]
fn names_in_a_profile_do_not_reach_the_terminal_as_commands() {
    let scratch = Scratch::new("escapes");
    let escape = |name: &str, file: &str| {
        format!(
            "{{\"record\":\"process\",\"format\":1,\"program\":\"{name}\",\"adtape\":\"{name}\",\"tape_peak\":8}}\n\
             {{\"record\":\"site\",\"id\":1,\"file\":\"{file}{name}\",\"line\":3,\"function\":\"{name}\"}}\n\
             {{\"record\":\"push\",\"site\":1,\"kind\":\"{name}\",\"operations\":1,\"bytes\":8,\"repeated\":{{\"bytes\":8}}}}\n\
             {{\"record\":\"thread\",\"number\":0,\"name\":\"{name}\"}}\n{{\"record\":\"thread\",\"number\":1}}\n\
             {{\"record\":\"driver\",\"run\":1,\"schedule\":\"{name}\"}}\n"
        )
    };
    for name in ["\\u001b[2J", "\\u009b2J", "\\u202etxt\\u0007", "a\\nb\\rc"] {
        let before = file(&scratch, "a.jsonl", &escape(name, "a.c"));
        let after = file(&scratch, "b.jsonl", &escape(name, "b.c"));
        for args in [&["report", &before][..], &["diff", &before, &after]] {
            let said = printed(args);
            let obeyed = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}');
            assert!(!said.contains(obeyed), "{said:?}");
            let lines = said.lines().filter(|line| line.contains("a.c")).count();
            assert!(lines >= 1 && said.lines().all(|line| !line.starts_with('b')), "{said}");
        }
    }
    let output = adtape(&["report", "no\x1b[2J.jsonl"]);
    assert!(!output.stderr.contains(&0x1b), "{}", String::from_utf8_lossy(&output.stderr).escape_debug());
}

#[test]
fn device_without_an_end_is_no_profile() {
    let output = adtape(&["report", "/dev/zero"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/dev/zero is no profile of adtape"));
}

/// The message, the place, what to do, and status 1.
#[test]
fn what_is_no_profile_is_said_where_and_why() {
    let scratch = Scratch::new("wrong");
    let process = "{\"record\":\"process\",\"format\":1,\"adtape\":\"0.1.0\"}\n";
    let cases = [
        ("empty", String::new(), "is empty", "run the program with ADTAPE_PROFILE=1"),
        ("blank", "\n".into(), "is empty", "run the program with ADTAPE_PROFILE=1"),
        ("endless", "\0".repeat(3 << 20), "is no profile of adtape", "ADTAPE_PROFILE=1"),
        ("long", format!("{process}{}", " ".repeat(3 << 20)), "long:2: the line has 1 MiB and more", "once more"),
        ("text", "hello\n".into(), "is no profile of adtape", "ADTAPE_PROFILE=1"),
        ("other", "{\"record\":\"site\",\"id\":1}\n".into(), "is no profile of adtape", "ADTAPE_PROFILE=1"),
        ("newer", process.replace(":1,", ":7,"), "has format 7, and this command reads format 1", "adtape 0.1.0"),
        (
            "cut",
            format!("{process}\n{{\"record\":\"push\",\"site\":1,\"kin"),
            "cut:3: the line is cut off",
            "once more",
        ),
        ("changed", format!("{process}{{\"record\":\"push\"}}\n"), "changed:2: the line is no record", "once more"),
    ];
    for (name, text, what, help) in cases {
        let file = file(&scratch, name, &text);
        let output = adtape(&["report", &file]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.starts_with("adtape: error: ") && said.contains(name) && said.contains(what), "{name}: {said}");
        assert!(said.lines().any(|line| line.starts_with("help: ") && line.contains(help)), "{name}: {said}");
    }
    let output = adtape(&["report", "nothing.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing.jsonl cannot be read: No such file"));
}

#[test]
fn reader_that_has_seen_enough_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(profiles()).args(["report", "storm.jsonl"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

/// A profile in the place of the page would be lost.
#[test]
fn page_is_never_written_over_a_profile() {
    let output = adtape(&["report", "storm.jsonl", "--html", "storm-after.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("give a name that ends in .html"));
}

/// A profile has a limit of actions; a run that is not whole has no count and no picture.
#[test]
fn run_of_a_driver_that_is_not_whole_is_not_counted() {
    let scratch = Scratch::new("actions");
    let whole = std::fs::read_to_string(profiles().join("storm.jsonl")).unwrap();
    let last = whole.lines().rfind(|line| line.contains("\"reverse\"")).unwrap();
    let estimated = whole.replacen("\"format\"", "\"estimated\": true, \"format\"", 1);
    let file = file(&scratch, "a.jsonl", &estimated.replace(last, ""));
    let said = printed(&["report", &file, "--html"]);
    let run = said.lines().find(|line| line.contains("binomial")).unwrap_or_default();
    assert_eq!(run.matches(" -").count(), 2, "{said}");
    assert!(said.contains("estimated: behind the first million pushes"), "{said}");
    let html = scratch.read("a.html");
    assert!(!html.contains("all kept:") && html.contains("estimated: behind the first million"));
}

#[test]
fn profile_of_a_program_that_pushed_nothing_is_short() {
    let scratch = Scratch::new("nothing");
    let file = file(
        &scratch,
        "a.jsonl",
        "{\"record\":\"process\",\"format\":1,\"program\":\"a\",\"pid\":7,\"adtape\":\"0.1.0\"}\n",
    );
    let said = printed(&["report", &file, "--html"]);
    assert!(said.contains("nothing was pushed"), "{said}");
    assert!(scratch.read("a.html").contains("Nothing was pushed."));
}

/// docs/command.md shows what is printed.
#[test]
fn page_about_the_command_shows_what_it_prints() {
    let page = std::fs::read_to_string(profiles().join("../../../docs/command.md")).unwrap();
    let schedule = ["schedule", "--steps", "1000", "--snapshots", "10", "--state", "920k"];
    for args in [&["report", "storm.jsonl"][..], &["diff", "storm.jsonl", "storm-after.jsonl"], &schedule] {
        let text = printed(args);
        assert!(page.contains(&text), "docs/command.md lacks\n{text}");
    }
}
