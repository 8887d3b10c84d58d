//! What other tools read: messages as JSON and in SARIF, codes, tables as JSON, completions.

use crate::common::{Scratch, root};
use serde_json::Value;

const REFUSED: &str = "double ext(double x);\nstatic double g(double x) { return x; }\n\
                       double f(double x) {\n    return ext(x) + g(ext(x));\n}\n";

fn objects(said: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(said).lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn refusals_are_objects_with_codes_and_places() {
    let folder = Scratch::new("machine-json");
    folder.write("model.c", REFUSED);
    let command = ["adjoint", "model.c", "--head", "f(f)/(x)", "--message-format", "json"];
    let output = folder.run(&command);
    assert_eq!(output.status.code(), Some(3));
    let all = objects(&output.stderr);
    assert_eq!(all.len(), 1, "{all:?}");
    let found = &all[0];
    assert_eq!((&found["level"], &found["code"]), (&"error".into(), &"no-source".into()));
    assert_eq!((&found["file"], &found["line"], &found["column"]), (&"model.c".into(), &4.into(), &12.into()));
    assert!(found["message"].as_str().unwrap().starts_with("'ext' is called here and its source is not"), "{found}");
    assert!(found["help"].as_str().unwrap().contains("add the file that defines it"), "{found}");
    let blas = std::fs::read_to_string(root().join("command/tests/refusals/blas.c")).unwrap();
    folder.write("blas.c", &blas);
    let output = folder.run(&["adjoint", "blas.c", "--head", "f(f)/(x)", "--message-format", "json"]);
    let also = &objects(&output.stderr)[0]["also"][0];
    assert_eq!((&also["file"], &also["line"], &also["column"]), (&"blas.c".into(), &5.into(), &16.into()));
    let text = folder.run(&command[..4]);
    assert!(String::from_utf8_lossy(&text.stderr).starts_with("model.c:4:12: error: refused: 'ext' is called"));
}

#[test]
fn wrong_heads_and_command_lines_are_objects_too() {
    let folder = Scratch::new("machine-usage");
    folder.write("model.c", "double f(double x) { return x; }\n");
    for (arguments, code) in [
        (&["model.c", "--head", "f(f)/(y)"][..], "head"),
        (&["model.c", "--head", "f"], "usage"),
        (&["model.cpp", "--head", "f(f)/(x)"], "usage"),
        (&["model.c", "--head", "f(f)/(x)", "-o", "/nowhere/f_b.c"], "file"),
    ] {
        let output = folder.run(&[&["adjoint", "--message-format=json"], arguments].concat());
        let all = objects(&output.stderr);
        assert!(!all.is_empty() && all.iter().all(|one| one["code"] == code), "{code}: {all:?}");
        assert!(all.iter().all(|one| one["level"] == "error"), "{all:?}");
    }
}

#[test]
fn warnings_are_objects_and_leave_the_status_alone() {
    let folder = Scratch::new("machine-warning");
    let text = "double f(int n, const double *x) {\n    double s = 0.0;\n#pragma omp parallel for reduction(+ : s)\n\
                for (int i = 0; i < n; i++) s += x[i] * x[i];\n    return s;\n}\n";
    folder.write("model.c", text);
    let output = folder.run(&["tangent", "model.c", "--head", "f(f)/(x)", "--message-format", "json"]);
    assert!(output.status.success());
    for one in objects(&output.stderr) {
        assert!(one["level"] == "warning" && one["code"] == "dropped-directive" && one["line"] == 3, "{one}");
    }
    assert!(!folder.read("model_d.c").contains("message-format"), "the head does not say how messages are written");
}

#[test]
fn sarif_has_all_messages() {
    let folder = Scratch::new("machine-sarif");
    folder.write("model.c", REFUSED);
    let output = folder.run(&["adjoint", "model.c", "--head", "f(f)/(x)", "--sarif", "out.sarif"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("model.c:4:12: error: "), "messages stay");
    let all: Value = serde_json::from_str(&folder.read("out.sarif")).unwrap();
    assert_eq!(all["version"], "2.1.0");
    let run = &all["runs"][0];
    assert_eq!(
        (&run["tool"]["driver"]["name"], &run["tool"]["driver"]["rules"][0]["id"]),
        (&"adtape".into(), &"no-source".into())
    );
    let result = &run["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"no-source".into(), &"error".into()));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"model.c".into(), &4.into()));
    folder.write("right.c", "double f(double x) { return x * x; }\n");
    folder.printed(&["adjoint", "right.c", "--head", "f(f)/(x)", "--sarif", "out.sarif"]);
    let all: Value = serde_json::from_str(&folder.read("out.sarif")).unwrap();
    assert_eq!(all["runs"][0]["results"], Value::Array(Vec::new()));
}

#[test]
fn codes_are_explained() {
    let folder = Scratch::new("machine-codes");
    let said = folder.printed(&["explain", "no-source"]);
    assert!(said.starts_with("no-source\n\nA function is called whose source") && said.contains("--passive"), "{said}");
    let output = folder.run(&["explain", "nothing"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("no-source, type, pointer"), "{said}");
}

#[test]
fn reports_are_objects() {
    let profiles = root().join("command/tests/profile");
    let text = crate::tool::printed(&profiles, &["report", "storm.jsonl", "--json"]);
    let all: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&all["operations"], &all["format"]), (&730_000_000.into(), &1.into()));
    let site = &all["sites"][0];
    assert_eq!((&site["site"], &site["operations"]), (&"weather.c:40 (weather)".into(), &500_000_000.into()));
    assert_eq!(site["bytes"], 4_000_000_000_u64);
    assert_eq!((&all["threads"][1]["name"], &all["drivers"][0]["schedule"]), (&"worker".into(), &"binomial".into()));
}

#[test]
fn shells_get_their_completions() {
    let folder = Scratch::new("machine-completions");
    for shell in ["bash", "zsh", "fish"] {
        let text = folder.printed(&["completions", shell]);
        assert!(text.contains("adjoint") && text.contains("derivatives-only"), "{shell}: {text}");
    }
    let usage = folder.printed(&["adjoint", "--help"]);
    assert!(usage.contains("--head <f(y)/(x)> <FILES>..."), "{usage}");
}
