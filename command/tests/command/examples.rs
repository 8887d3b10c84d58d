//! examples/generated: the generated files are what the generator writes today, each driver finds the gradient right, the
//! check agrees, nothing raises what would be the end of a program with traps, and the README says what is stored. `ADTAPE_BLESS=1` writes the generated files anew.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{each, flags, quick, root, traps};

const EXAMPLES: [(&str, &str); 6] = [
    ("stencil", "misfit(misfit)/(u rate)"),
    ("ode", "distance(distance)/(rates start)"),
    ("mesh", "energy(energy)/(height mesh)"),
    ("least_squares", "cost(cost)/(p)"),
    ("network", "loss(loss)/(net)"),
    ("forecast", "misfit(misfit)/(start forcing)"),
];

/// Models whose adjoints `make bench` measures beside those written by hand.
const MEASURED: [(&str, &str); 4] = [
    ("burgers", "burgers(burgers)/(u)"),
    ("heat", "heat(heat)/(u k)"),
    ("bundle", "bundle(bundle)/(camera point weight)"),
    ("addresses", "addresses(addresses)/(a)"),
];

/// Runs a command that must succeed; what it printed.
fn run(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [said, complained] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{command:?}: {:?}\n{said}{complained}", output.status);
    assert!(!complained.contains("could not be proved"), "{command:?}: {complained}");
    (said, complained)
}

/// Compares the adjoint of a model with the file in the repository.
fn assert_golden(work: &Path, folder: &Path, name: &str) {
    for file in [format!("{name}_b.c"), format!("{name}_b.h")] {
        let text = fs::read_to_string(work.join(&file)).expect("a generated file");
        if std::env::var_os("ADTAPE_BLESS").is_some() {
            fs::write(folder.join(&file), &text).expect("a golden");
        }
        let golden = fs::read_to_string(folder.join(&file)).unwrap_or_default();
        assert!(text == golden, "{}/{file} is not what the generator writes: make bless", folder.display());
    }
}

#[test]
fn measured_adjoints_are_up_to_date_and_agree_with_those_written_by_hand() {
    let folder = root().join("benches/generated");
    let scratch = std::env::temp_dir().join(format!("adtape-measured-{}", std::process::id()));
    fs::create_dir_all(&scratch).expect("a folder for what is built");
    each(&MEASURED, |(name, head)| {
        let source = format!("{name}.c");
        fs::copy(folder.join(&source), scratch.join(&source)).expect("a model");
        run(Command::new(env!("CARGO_BIN_EXE_adtape"))
            .current_dir(&scratch)
            .args(["adjoint", &source, "--head", head]));
        assert_golden(&scratch, &folder, name);
    });
    let program = scratch.join("program");
    let mut cc = Command::new("cc");
    cc.current_dir(&folder).args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    cc.args(["main.c", "hand.c"]).args(MEASURED.map(|(name, _)| format!("{name}_b.c")));
    run(cc.args(flags()).arg("-lm"));
    run(Command::new(&program).arg("0"));
    fs::remove_dir_all(&scratch).expect("the folder is ours");
}

#[test]
fn generated_files_are_up_to_date_and_their_gradients_right() {
    let (flags, quick) = (flags(), quick().join(" "));
    let readme = fs::read_to_string(root().join("examples/generated/README.md")).expect("the README");
    let scratch = std::env::temp_dir().join(format!("adtape-examples-{}", std::process::id()));
    each(&EXAMPLES, |(name, head)| {
        let folder = root().join("examples/generated").join(name);
        let work = scratch.join(name);
        fs::create_dir_all(&work).expect("a folder for what is built");
        fs::copy(root().join("examples/generated/common.h"), scratch.join("common.h")).expect("common.h");
        for file in [format!("{name}.c"), "driver.c".into()] {
            fs::copy(folder.join(&file), work.join(&file)).expect("a file of the example");
        }
        let mut generate = Command::new(env!("CARGO_BIN_EXE_adtape"));
        generate.current_dir(&work).args(["adjoint", &format!("{name}.c"), "--head", head, "--check", "driver.c"]);
        let (_, said) = run(generate.env("ADTAPE_FLAGS", &quick));
        assert!(said.contains(" operands compared, 0 wrong") && said.contains("tangent-adjoint product"), "{said}");
        assert_golden(&work, &folder, name);
        let program = work.join("program");
        let mut cc = Command::new("cc");
        cc.current_dir(&folder).args(["-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-o"]);
        run(cc.arg(&program).args([&format!("{name}_b.c"), "driver.c", &traps()]).args(&flags).arg("-lm"));
        let (said, _) = run(Command::new(&program).env("ADTAPE_PROFILE", &work));
        let tape = said.lines().find(|line| line.starts_with("tape: ")).expect("a line on the tape");
        assert!(readme.contains(tape), "examples/generated/README.md does not say '{tape}'");
    });
    fs::remove_dir_all(&scratch).expect("the folder is ours");
}
