//! docs/generator.md, followed word for word: its files, its command, its driver.

use std::fs;
use std::process::Command;

use crate::common::root;

/// The fenced block behind the comment `<!-- mark -->`.
fn block(page: &str, mark: &str) -> String {
    let (_, rest) = page.split_once(&format!("<!-- {mark} -->\n```")).unwrap_or_else(|| panic!("no block {mark}"));
    let (_, rest) = rest.split_once('\n').expect("a block has lines");
    rest.split_once("\n```").expect("a block ends").0.to_string()
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {:?}\n{text}", output.status);
}

#[test]
fn guide_leads_from_a_model_to_its_checked_gradient() {
    let page = fs::read_to_string(root().join("docs/generator.md")).expect("docs/generator.md");
    let folder = std::env::temp_dir().join(format!("adtape-guide-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the model");
    for file in ["model.c", "main.c"] {
        fs::write(folder.join(file), block(&page, &format!("file: {file}"))).expect("a file of the guide");
    }
    let words: Vec<String> = block(&page, "run").replace('\'', "").split_whitespace().map(String::from).collect();
    assert_eq!(words[0], "adtape");
    run(Command::new(env!("CARGO_BIN_EXE_adtape")).current_dir(&folder).args(&words[1..]));
    let declared = fs::read_to_string(folder.join("model_b.h")).expect("the header");
    let signature = "void misfit_b(int n, const double *p, double *p_b, const double *t, const double *observed, \
                     double misfit_b);";
    assert!(declared.contains(signature), "{declared}");
    assert!(page.contains(signature), "docs/generator.md shows another signature");
    let mut cc = Command::new("cc");
    cc.current_dir(&folder).args(["-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror"]);
    run(cc.args(["model_b.c", "main.c", "-o", "main"]).args(crate::common::flags()));
    run(Command::new("./main").current_dir(&folder));
    fs::remove_dir_all(&folder).expect("the folder is ours");
}
