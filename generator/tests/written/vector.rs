//! Several adjoints at once are, bit for bit, what one after the other gives.

use std::path::Path;

use crate::common::{Scratch, each, generate, head};
use adtape_generate::emit::{self, Options};
use adtape_generate::front::{self, Input};
use adtape_generate::ir::validate;
use adtape_generate::transform::{Choices, adjoint};

/// A macro of the driver; the head.
const HEADS: [(&str, &str); 9] = [
    ("ENERGY", "energy(energy c total)/(c angle total)"),
    ("GRID", "grid(y a)/(x a)"),
    ("SWAPS", "swaps(swaps)/(p by)"),
    ("CHAIN", "chain(chain)/(first)"),
    ("MIXED", "mixed(mixed y)/(x y)"),
    ("LINEAR", "linear(linear x y)/(x y)"),
    ("ROWS", "rows(rows)/(a list)"),
    ("TAILS", "tails(tails)/(x)"),
    ("POLES", "poles(poles)/(x)"),
];

#[test]
fn all_at_once_is_one_after_the_other() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vector");
    each(&HEADS, |(part, of)| {
        let folder = Scratch::new(&format!("vector-{part}"));
        for name in ["model.c", "driver.c"] {
            folder.write(name, &std::fs::read_to_string(sources.join(name)).unwrap());
        }
        let heads = [head(of)];
        let input = Input {
            files: vec![folder.0.join("model.c").to_string_lossy().into_owned()],
            heads: heads.iter().map(|head| head.proc.clone()).collect(),
            ..Input::default()
        };
        let program = front::read(&input).unwrap();
        let turned = adjoint(&program, &heads, &Choices::default()).unwrap_or_else(|why| panic!("{of}: {why:#?}"));
        for each in &turned.sweeps {
            assert_eq!(validate::proc(&turned.program, &each.reverse), [""; 0], "{of}");
        }
        let mut said = Vec::new();
        for (stem, vector) in [("model_b", None), ("model_bv", Some(3))] {
            // Several adjoints at once are added in the order of the reversed program.
            let choices = Choices { vector, in_order: true, ..Choices::default() };
            let sweeps = adjoint(&program, &heads, &choices).unwrap_or_else(|why| panic!("{of}: {why:#?}"));
            for each in &sweeps.sweeps {
                let errors = validate::proc(&sweeps.program, &each.reverse);
                assert!(errors.is_empty(), "{of}: {errors:#?}");
            }
            let file = format!("{stem}.c");
            let options = Options { file: file.clone(), includes: vec!["model.c".into()] };
            let output = emit::adjoint(&sweeps, &options).unwrap_or_else(|why| panic!("{of}: {why:#?}"));
            folder.write(&file, &output.source);
            folder.write(&format!("{stem}.h"), &output.header);
            let part = format!("-D{part}");
            let how = if vector.is_some() { "-DSEVERAL" } else { "-DONE_BY_ONE" };
            // Driver and generated file include the model both.
            let allow = "-Wl,--allow-multiple-definition";
            let files = ["driver.c", &file];
            let arguments = [&["-O1", "-Wconversion", allow, &part, how, "-o", stem][..], &files].concat();
            let warnings = generate::build(&folder, "gcc", &arguments);
            assert!(warnings.is_empty(), "{of}: {warnings}\n{}", output.source);
            said.push(generate::run(&folder, stem));
        }
        assert!(said[0].lines().count() > 3, "{of}: {}", said[0]);
        assert_eq!(said[0], said[1], "{of}");
    });
}
