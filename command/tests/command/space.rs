//! Address space: what the generator takes, and what it says where there is too little.

use crate::common::Scratch;

/// A folder with a model.
fn folder(name: &str, model: &str) -> Scratch {
    let folder = Scratch::new(&format!("space-{name}"));
    folder.write("model.c", model);
    folder
}

/// `adtape adjoint` where processes may have so much address space.
fn limited(folder: &Scratch, kilobytes: u32) -> std::process::Output {
    let command = format!("ulimit -v {kilobytes} && exec \"$0\" adjoint model.c --head 'f(f)/(x)'");
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(&folder.0).args(["-c", &command, env!("CARGO_BIN_EXE_adtape")]).output().unwrap()
}

/// Stacks of 8, 4 and 1 GB were asked for at once, and where they could not be had the model was refused.
#[test]
fn little_address_space_is_enough_for_a_small_model_and_else_it_is_named() {
    let folder = folder("limited", "double f(double x) { return x * x; }\n");
    for kilobytes in [4 << 20, 1 << 20, 500 << 10] {
        let output = limited(&folder, kilobytes);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{kilobytes} KiB");
    }
    let output = limited(&folder, 100 << 10);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("cannot run: the address space of each process is limited to 104857600 bytes"), "{said}");
    assert!(said.contains("\nhelp: "), "{said}");
}

/// Deep nesting takes more stack than the process begins with.
#[test]
fn deep_nesting_takes_its_stack_in_parts() {
    let arms: Vec<String> = (0..1500).map(|k| format!("if (k == {k}) s *= x;\n")).collect();
    let model = format!("double f(int k, double x) {{ double s = x; {} return s; }}\n", arms.join("else "));
    let folder = folder("deep", &model);
    let output = limited(&folder, 600 << 10);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
