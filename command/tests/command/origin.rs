//! The head of a generated file, and whether the file is up to date.

use crate::common::{Scratch, root};
use std::fs;

fn model(name: &str) -> Scratch {
    let folder = Scratch::new(&format!("origin-{name}"));
    folder.write("model.c", "#include <math.h>\n#include \"own.h\"\n#include \"unused.h\"\ndouble f(double x) {\n    return GAIN * sin(x) * N;\n}\n");
    folder.write("own.h", "#define GAIN 2.0\n");
    folder.write("unused.h", "/* Nothing yet. */\n");
    folder
}

const COMMAND: [&str; 7] = ["adjoint", "model.c", "--head", "f(f)/(x)", "-D", "N=3", "-I."];

fn verify(folder: &Scratch, file: &str) -> (Option<i32>, String, String) {
    let output = folder.run(&["adjoint", "--verify", file]);
    let [said, complained] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    (output.status.code(), said, complained)
}

#[test]
fn head_names_version_command_and_each_input_wherever_the_folder_is() {
    let written = ["one", "another"].map(|name| {
        let folder = model(name);
        let output = folder.run(&[&COMMAND[..], &["--explain"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder.read("model_b.c")
    });
    assert_eq!(written[0], written[1], "no name of the machine");
    let head: Vec<&str> = written[0].lines().take(7).collect();
    assert_eq!(head[0], "/* model_b.c: the adjoint of f, written by adtape. */");
    let page = std::fs::read_to_string(root().join("docs/generator.md")).unwrap();
    assert!(page.contains(&format!("```text\n{}\n```", head[..6].join("\n"))), "docs/generator.md shows another head");
    assert_eq!(head[1], format!("/* version: {}", env!("CARGO_PKG_VERSION")));
    assert_eq!(head[2], " * command: adtape adjoint model.c --head 'f(f)/(x)' -D N=3 -I.");
    let inputs: Vec<&str> = head[3..6].iter().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(inputs, ["model.c", "own.h", "unused.h"]);
    // FNV-1a of the text, as anybody computes it.
    let text = "/* Nothing yet. */\n";
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    assert_eq!(head[5], format!(" * input: {hash:016x} unused.h"));
    assert!(head[6].starts_with(" * Compile it with the -I, -D and -U of the command"), "{}", head[6]);
}

/// A header changed from 2.0 to 3.0, and the adjoint of yesterday was compiled without a word.
#[test]
fn file_that_its_command_would_write_anew_is_not_up_to_date() {
    let folder = model("verify");
    assert!(folder.run(&COMMAND).status.success());
    let up_to_date = |file: &str| {
        let (status, said, complained) = verify(&folder, file);
        assert!(status == Some(0) && said == format!("{file} is up to date\n"), "{said}{complained}");
    };
    up_to_date("model_b.c");
    let stale = |file: &str, why: &str| {
        let (status, said, complained) = verify(&folder, file);
        let first = format!("adtape: error: {file} is not up to date: {why}");
        assert!(status == Some(4) && said.is_empty() && complained.starts_with(&first), "{said}{complained}");
        complained
    };
    for (name, change) in [("own.h", "#define GAIN 3.0\n"), ("unused.h", "\n"), ("model.c", "\n")] {
        let old = folder.read(name);
        folder.write(name, change);
        let said = stale("model_b.c", &format!("{name} has changed\n"));
        let again = "help: write it again: adtape adjoint model.c --head 'f(f)/(x)' -D N=3 -I.\n";
        assert!(said.ends_with(again), "{said}");
        fs::remove_file(folder.0.join(name)).unwrap();
        stale("model_b.c", &format!("{name} is not there\n"));
        folder.write(name, &old);
        up_to_date("model_b.c");
    }
    // A header that now comes first is no input of the head.
    folder.write("own.h", "#define GAIN 3.0\n");
    let said = stale("model_b.c", "own.h has changed\n");
    let page = std::fs::read_to_string(root().join("docs/generator.md")).unwrap();
    assert!(page.contains(&format!("```text\n{said}```")), "docs/generator.md has another message");
    folder.write("own.h", "#define GAIN 2.0\n");
    let source = folder.read("model_b.c");
    folder.write("math.h", "#define sin(x) cos(x)\n#include_next <math.h>\n");
    stale("model_b.c", "its command would write another text now\n");
    fs::remove_file(folder.0.join("math.h")).unwrap();
    for (name, file) in [("model_b.c", "model_b.c"), ("model_b.h", "model_b.h")] {
        let old = folder.read(name);
        folder.write(name, &format!("{old}/* By hand. */\n"));
        let (status, _, complained) = verify(&folder, "model_b.c");
        assert!(status == Some(4) && complained.contains(&format!("{file} is not up to date")), "{complained}");
        folder.write(name, &old);
    }
    folder.write("model_b.c", &source.replacen("version: ", "version: 0.0.", 1));
    stale("model_b.c", "adtape 0.0.");
    folder.write("model_b.c", &source.replacen(" * command: ", " * by: ", 1));
    stale("model_b.c", "its head does not name the command that wrote it");
    folder.write("model_b.c", &source);
    stale("model_b.h", "its head does not name the command that wrote it; a header is checked with its .c file");
    for (file, status, why) in
        [("model.c", 2, "model.c was not written by adtape"), ("none.c", 1, "none.c cannot be read")]
    {
        let (found, _, complained) = verify(&folder, file);
        assert!(found == Some(status) && complained.contains(why), "{complained}");
    }
    fs::create_dir(folder.0.join("moved")).unwrap();
    fs::copy(folder.0.join("model_b.c"), folder.0.join("moved/other.c")).unwrap();
    stale("moved/other.c", "it was written as model_b.c: from there, its inputs cannot be found\n");
    assert_eq!(folder.run(&["adjoint", "--verify", "model_b.c", "--split"]).status.code(), Some(2));
}

#[test]
fn file_is_verified_from_any_folder_and_tangents_are_too() {
    let folder = model("elsewhere");
    fs::create_dir_all(folder.0.join("out/deep")).unwrap();
    let command = ["tangent", "./model.c", "--head", "f(f)/(x)", "-DN=2", "-o", "./out/model_d.c"];
    let output = folder.run(&command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for from in ["", "out", "out/deep"] {
        let file = match from {
            "" => "out/model_d.c",
            "out" => "model_d.c",
            _ => "../model_d.c",
        };
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_adtape"));
        let output = command.current_dir(folder.0.join(from)).args(["tangent", "--verify", file]).output().unwrap();
        assert!(output.status.success(), "{from}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A file that includes the header that is written from it was never up to date.
#[test]
fn files_that_the_command_writes_are_none_of_its_inputs() {
    let folder = Scratch::new("origin-itself");
    folder.write("model_b.h", "");
    let text = "#include \"model_b.h\"\ndouble f(double x) { return x * x; }\ndouble slope(double x);\n";
    folder.write("model.c", text);
    assert!(folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)"]).status.success());
    assert!(!folder.read("model_b.c").contains("input: - ") && !folder.read("model_b.c").contains(" model_b.h\n"));
}

/// The words of the header that was there were names of the source: the second run wrote `f_b_1` for `f_b`.
#[test]
fn model_that_includes_its_own_header_is_up_to_date_at_once() {
    let models = [
        "#include \"model_b.h\"\ndouble f(const double *p) { return p[0] * p[0]; }\n",
        "#include \"own.h\"\n#include \"model_b.h\"\nreal f(const real *p) { return p[0] * p[0]; }\n",
        "#include \"model_b.h\"\ndouble w;\ndouble f(const double *p) {\n    double tape = p[0];\n    w = tape;\n    \
         for (int i = 0; i < 3; i++) tape *= tape;\n    return tape * w;\n}\n",
        "#include \"model_b.h\"\ndouble f(double p) { return p * p; }\ndouble slope(double p) {\n    \
         double p_b = 0.0;\n    f_b(p, &p_b, 1.0);\n    return p_b;\n}\n",
    ];
    for model in models {
        let folder = Scratch::new("origin-own-header");
        folder.write("model_b.h", "");
        folder.write("own.h", "#ifndef OWN_H\n#define OWN_H\ntypedef double real;\n#endif\n");
        let command = ["adjoint", "model.c", "--head", "f(f)/(p)"];
        if model.contains("slope") {
            // Its caller needs the prototype.
            folder.write("model.c", model.split("double slope").next().unwrap());
            assert!(folder.run(&command).status.success());
        }
        folder.write("model.c", model);
        assert!(folder.run(&command).status.success());
        let (status, said, complained) = verify(&folder, "model_b.c");
        assert!(status == Some(0) && said == "model_b.c is up to date\n", "{model}{complained}");
    }
}
