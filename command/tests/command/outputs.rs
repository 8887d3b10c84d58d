//! What the command writes over, and what it leaves alone.

use crate::common::Scratch;
use std::fs;
use std::os::unix::fs::MetadataExt;

const MODEL: &str = "double f(double x) {\n    return x * x;\n}\n";

/// Runs the adjoint of `f`: exit status, what it complains of.
fn adjoint(folder: &Scratch, more: &[&str]) -> (Option<i32>, String) {
    let output = folder.run(&[&["adjoint", "model.c", "--head", "f(f)/(x)"], more].concat());
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// `-o other.c` put the adjoint's header in place of `other.h`, from which the model uses nothing; `-o` of a link
/// destroyed the model.
#[test]
fn what_was_not_generated_stays() {
    let folder = Scratch::new("outputs-stay");
    let hand = "/* model_b.c: the adjoint of f, by hand. */\nvoid f_b(void);\n";
    folder.write("model.c", &format!("#include \"other.h\"\n#include \"macros.h\"\n{MODEL}"));
    folder.write("other.h", "int unused_here(int);\n");
    folder.write("macros.h", "#define UNUSED_HERE 1\n");
    folder.write("hand.c", hand);
    folder.write("alone.h", hand);
    fs::hard_link(folder.0.join("model.c"), folder.0.join("hard.c")).unwrap();
    std::os::unix::fs::symlink("model.c", folder.0.join("soft.c")).unwrap();
    std::os::unix::fs::symlink("hand.c", folder.0.join("led.c")).unwrap();
    fs::create_dir(folder.0.join("folder.c")).unwrap();
    let mine = "is there, and adtape did not write it: name another file with -o, or remove it first";
    let read = "model.c is read, so it cannot be written";
    let cases = [
        ("other.c", "other.h", "is read, so it cannot be written"),
        ("macros.c", "macros.h", mine),
        ("hand.c", "hand.c", mine),
        ("alone.c", "alone.h", mine),
        ("led.c", "led.c", mine),
        ("hard.c", "", read),
        ("soft.c", "", read),
        ("folder.c", "folder.c", "is no file"),
    ];
    for (output, named, why) in cases {
        let (status, said) = adjoint(&folder, &["-o", output]);
        assert!(status == Some(2) && said.contains(format!("{named} {why}").trim()), "{output}: {status:?} {said}");
    }
    let (status, said) = adjoint(&folder, &["--explain-html", "model.c"]);
    assert!(status == Some(2) && said.contains("model.c is no name for the page"), "{said}");
    assert!(folder.read("model.c").ends_with(MODEL) && folder.read("hand.c") == hand && folder.read("alone.h") == hand);
    assert_eq!(folder.read("other.h"), "int unused_here(int);\n");
    assert_eq!(folder.read("macros.h"), "#define UNUSED_HERE 1\n");
    assert!(!folder.0.join("other_b.c").exists() && !folder.0.join("alone.c").exists());
}

/// What depends on a generated file was built again after each run.
#[test]
fn outputs_are_replaced_as_a_whole_where_they_change() {
    let folder = Scratch::new("outputs-replaced");
    folder.write("model.c", MODEL);
    // An empty file holds nothing to lose.
    folder.write("model_b.c", "");
    assert_eq!(adjoint(&folder, &[]).0, Some(0));
    let identity = |name: &str| {
        let found = fs::metadata(folder.0.join(name)).unwrap();
        (found.ino(), found.mtime(), found.mtime_nsec())
    };
    let before = ["model_b.c", "model_b.h"].map(identity);
    assert_eq!(adjoint(&folder, &["--explain"]).0, Some(0));
    assert_eq!(["model_b.c", "model_b.h"].map(identity), before, "nothing changed");
    fs::hard_link(folder.0.join("model_b.c"), folder.0.join("old.c")).unwrap();
    let old = folder.read("model_b.c");
    folder.write("model.c", &MODEL.replace("x * x", "x * x * x"));
    assert_eq!(adjoint(&folder, &[]).0, Some(0));
    assert!(folder.read("old.c") == old && folder.read("model_b.c") != old);
    assert_eq!(identity("model_b.h"), before[1], "the header is what it was");
    // A link to where generated files lie stays a link.
    fs::create_dir(folder.0.join("generated")).unwrap();
    fs::rename(folder.0.join("model_b.c"), folder.0.join("generated/model_b.c")).unwrap();
    std::os::unix::fs::symlink("generated/model_b.c", folder.0.join("model_b.c")).unwrap();
    folder.write("model.c", &MODEL.replace("x * x", "4 * x * x"));
    assert_eq!(adjoint(&folder, &[]).0, Some(0));
    assert!(folder.0.join("model_b.c").is_symlink() && folder.read("generated/model_b.c").contains("4"));
    let left = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.filter(|name| name.to_string_lossy().starts_with('.')).count(), 0);
}
