//! The papers' examples: each gradient is that of the tangent, the tape is empty, and what is stored is counted.
//!
//! A change of a count is a change of the plan: more than before is a regression, less is to be written down here.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use adtape_generate::emit::{self, Options};
use adtape_generate::front::{self, Input};
use adtape_generate::transform::{Choices, adjoint, tangent};

use common::{head, include, library};

/// Example; reals, integers, bits, counts that one run pushes; where.
#[rustfmt::skip]
const STORED: [(&str, [u32; 4], &str); 18] = [
    ("000_alg1", [16, 0, 0, 0], "8 steps: 2 reals each; both addresses are recovered"),
    ("000_fig1", [0, 0, 0, 0], "pointers that follow from others"),
    ("000_fig3", [0, 8, 0, 0], "8 steps: the offset of the marching pointer; its base has a name"),
    ("001_fig11", [140, 0, 0, 0], "28 segments: 5 reals; no index"),
    ("001_fig12a", [60, 0, 0, 0], "60 elements: 1 real; no index"),
    ("001_fig12b", [0, 0, 0, 0], "all bounds and indices again"),
    ("001_fig13", [0, 10, 0, 0], "10 searches: where each ended"),
    ("001_fig14a", [63, 8, 0, 8], "63 eliminations: 1 real; 8 levels: 1 integer and 1 count"),
    ("001_fig2", [11, 0, 0, 1], "11 steps: 1 real; the number of steps"),
    ("001_fig4", [0, 5, 0, 0], "4 steps: 1 integer, and the last value"),
    ("001_fig7", [16, 0, 0, 1], "8 steps: 2 reals; the number of steps"),
    ("001_fig8", [200, 20, 0, 0], "10 outer steps: 20 reals and 2 integers"),
    ("001_fig9", [200, 110, 0, 0], "100 inner steps: 2 reals and 1 integer; 10 outer ones: 1 integer"),
    ("002_bratu", [0, 0, 0, 0], "everything is evaluated again"),
    ("002_fig1", [8, 0, 0, 0], "8 steps: 1 real; the branch again"),
    ("003_eq3", [15, 0, 0, 0], "5 steps: 3 reals"),
    ("003_sec2", [0, 0, 0, 0], "the branch again"),
    ("004_fig1", [5, 0, 0, 0], "5 steps: 1 real"),
];

/// A division more than the default may be evaluated again.
const DEAR: [(&str, u32); 1] = [("004_fig1", 5)];

/// What an example says when it runs.
fn run(name: &str) -> String {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/papers");
    let folder = std::env::temp_dir().join(format!("adtape-papers-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (from, to) in
        [(format!("{name}.c"), "model.c"), ("counting.h".into(), "counting.h"), ("driver.h".into(), "driver.h")]
    {
        fs::copy(papers.join(from), folder.join(to)).unwrap();
    }
    let files = vec![folder.join("model.c").to_string_lossy().into_owned()];
    let program = front::read(&Input { files, heads: vec!["f".into()], ..Input::default() });
    let program = program.unwrap_or_else(|what| panic!("{name}: {what:#?}"));
    let head = head("f(f)/(x)");
    let dear = DEAR.iter().find(|(dear, _)| *dear == name).map_or(Choices::default().dear, |(_, dear)| *dear);
    let (heads, choices) = ([head], Choices { dear, ..Choices::default() });
    let options = |file: &str| Options { file: file.into(), includes: vec!["model.c".into()], ..Options::default() };
    let reverse = adjoint(&program, &heads, &choices).unwrap_or_else(|what| panic!("{name}: {what:#?}"));
    let reverse = emit::adjoint(&reverse, &options("model_b.c")).unwrap_or_else(|what| panic!("{name}: {what:#?}"));
    let forward = tangent(&program, &heads, &choices).unwrap_or_else(|what| panic!("{name}: {what:#?}"));
    let forward = emit::tangent(&forward, &options("model_d.c")).unwrap_or_else(|what| panic!("{name}: {what:#?}"));
    let write = |file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
    let has =
        |header: &str, argument: &str| if header.contains(argument) { format!(", {argument}") } else { String::new() };
    let driver = format!(
        "#include <adtape.h>\n#include <math.h>\n#include <stdio.h>\n#include \"model_b.h\"\n#include \"model_d.h\"\n\
         #define W_B {}\n#define W_D {}\nvoid tables(int *ia);\nlong pushed[4];\n#include \"driver.h\"\n",
        has(&reverse.header, "w_b"),
        has(&forward.header, "w_d"),
    );
    write("model_b.c", &reverse.source);
    write("model_b.h", &reverse.header);
    write("model_d.c", &forward.source);
    write("model_d.h", &forward.header);
    write("driver.c", &driver);
    let include = include();
    for arguments in [
        &["-c", "model_b.c", "-include", "counting.h"][..],
        // Both files include the model.
        &["-o", "t", "driver.c", "model_d.c", "model_b.o", "-Wl,--allow-multiple-definition"],
    ] {
        let mut build = Command::new("gcc");
        build.current_dir(&folder).args(["-std=gnu99", "-O1", "-Wall", "-Wextra", &include]).args(arguments);
        let built = build.arg(library()).args(["-lm", "-lpthread", "-ldl"]).output().unwrap();
        assert!(built.status.success(), "{name}: {}", String::from_utf8_lossy(&built.stderr));
    }
    let ran = Command::new("timeout").arg("20").arg(folder.join("t")).output().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert!(ran.status.success(), "{name}: {}", ran.status);
    String::from_utf8_lossy(&ran.stdout).trim().to_string()
}

#[test]
fn examples_of_the_papers_store_what_they_did() {
    let mut wrong = String::new();
    for (name, [reals, integers, bits, counts], place) in STORED {
        let expected = format!("{reals} reals, {integers} integers, {bits} bits, {counts} counts");
        let said = run(name);
        if said != expected {
            wrong += &format!("{name}: {said}, not {expected} ({place})\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
