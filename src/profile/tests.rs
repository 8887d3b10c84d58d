//! What stands in the table and in the file.

use super::collect::{Report, Row};
use super::runs::{At, Begun, Done};
use super::timeline::Sample;
use super::uses::{Counts, OfThread, Thread};
use super::{file, table};
use crate::site::Named;

fn site(file: &str, line: u32) -> Named {
    Named { file: Some(file.into()), line: Some(line), function: Some("step".into()), module: None }
}

fn report() -> Report {
    let counts = Counts { operations: 10, bits: 640, values: 10, at_peak: 320, ..Counts::default() };
    let arrays = Counts {
        operations: 2,
        bits: 6400,
        values: 100,
        at_peak: 6400,
        held: (1, 3200),
        never_changed: 1600,
        ..Counts::default()
    };
    let pops = Counts { pops: (3, 130), ..Counts::default() };
    let row = |site, kind: &str, counts| Row { site, kind: kind.into(), counts };
    let code = Named { function: None, module: Some(("/lib/m \"x\".so".into(), 17)), ..Named::default() };
    Report {
        pid: 7,
        program: "/path/of/model".into(),
        seconds: 1.5,
        operations: 12,
        bytes: 880,
        peak: 840,
        sites: vec![site("a.c", 4), site("b.c", 5), code],
        rows: vec![row(1, "f64 array", arrays), row(0, "f64", counts), row(2, "control", pops)],
        paths: vec![(vec![2, 0], 44)],
        samples: vec![Sample { nanoseconds: 1500, tape: 1, resident: 2, spilled: 3, checkpoints: 4, heap: 5 }],
        threads: vec![(
            Thread { number: 0, name: Some("main".into()) },
            OfThread { operations: 12, bits: 7040, peak: 6720 },
        )],
        runs: vec![Begun { steps: Some(9), schedule: "multistage, 9 steps, 1 + 2 snapshots".into() }],
        actions: vec![At { run: 0, nanoseconds: 2_000_000, done: Done { action: "advance", step: 0, to: Some(4) } }],
        actions_left_out: 0,
        estimated: false,
    }
}

#[test]
fn file_has_a_record_a_line() {
    let text = file::text(&report());
    let expected = [
        r#"{"record":"process","format":1,"adtape":"VERSION","program":"/path/of/model","pid":7,"seconds":1.500000,"tape_peak":840,"tape_bytes":880,"operations":12,"actions_left_out":0,"estimated":false}"#,
        r#"{"record":"site","id":1,"file":"a.c","line":4,"function":"step"}"#,
        r#"{"record":"site","id":2,"file":"b.c","line":5,"function":"step"}"#,
        r#"{"record":"site","id":3,"module":"/lib/m \"x\".so","offset":17}"#,
        r#"{"record":"push","site":2,"kind":"f64 array","operations":2,"bytes":800,"at_peak":800,"still_held":{"operations":1,"bytes":400},"never_changed":200}"#,
        r#"{"record":"push","site":1,"kind":"f64","operations":10,"bytes":80,"at_peak":40}"#,
        r#"{"record":"pop","site":3,"kind":"control","operations":3,"bytes":17}"#,
        r#"{"record":"path","sites":[3,1],"bytes":44}"#,
        r#"{"record":"time","seconds":0.000002,"tape":1,"resident":2,"spilled":3,"checkpoints":4,"heap":5}"#,
        r#"{"record":"thread","number":0,"name":"main","operations":12,"bytes":880,"peak":840}"#,
        r#"{"record":"driver","run":1,"steps":9,"snapshots":3,"schedule":"multistage"}"#,
        r#"{"record":"action","run":1,"seconds":0.002000,"action":"advance","step":0,"to":4}"#,
    ];
    let expected: Vec<String> =
        expected.iter().map(|line| line.replace("VERSION", env!("CARGO_PKG_VERSION"))).collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn table_names_lines_and_what_could_be_won() {
    let text = table::text(&report());
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("adtape: profile of model: 840 B on the tapes at most, 880 B in 12 pushes"), "{text}");
    let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let first = ["800", "B", "95.2%", "2", "400", "B", "50.0%", "25.0%", "f64", "array", "b.c:5", "(step)"];
    assert_eq!(fields(lines[2]), first, "{text}");
    assert_eq!(fields(lines[3])[..4], ["80", "B", "4.8%", "10"], "{text}");
    assert!(!text.contains("control"), "a place that only pops has no line:\n{text}");
}

#[test]
fn table_is_short_and_narrow() {
    let mut report = report();
    report.sites = (0..50).map(|i| site(&format!("{}/{i}.c", "long/".repeat(40)), 1000 + i)).collect();
    let counts = |i: u64| Counts { operations: i, bits: i << 50, values: i, ..Counts::default() };
    report.rows =
        (0..50).map(|i| Row { site: i, kind: "complex_f128 array".into(), counts: counts(90 - i as u64) }).collect();
    let text = table::text(&report);
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    assert!(text.contains("from 30 further places"), "{text}");
    assert!(text.contains("/0.c:1000 (step)"), "the end of a path is kept:\n{text}");
    assert_eq!(text.lines().count(), 26, "{text}");
}
