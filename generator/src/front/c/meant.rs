//! Whether macros of the sources mean what C means by their names: the compiler computes it.

use super::run;
use super::tree;
use super::unit::given_value;

/// The enumerator that says it.
const ANSWER: &str = "adtape_meant";

/// Names that generated code takes from C's headers as macros, and a constant that is 1 if behind the sources, and a few
/// headers, the name means what C means: a null pointer, no number, the largest of all, a pointer to a file.
const NAMES: [(&str, &str, &str); 4] = [
    (
        "NULL",
        "",
        "(__builtin_classify_type(NULL) == 1 || __builtin_classify_type(NULL) == 5) && (__PTRDIFF_TYPE__)(NULL) == 0",
    ),
    ("NAN", "", "__builtin_isnan(NAN) != 0"),
    ("INFINITY", "", "__builtin_isinf_sign(INFINITY) == 1"),
    ("stderr", "#include <stdio.h>\n", "__builtin_types_compatible_p(__typeof__(stderr), FILE *)"),
];

/// Those of the names that are macros of the sources and mean something else, also if the compiler knows no value at all.
/// `text` includes the sources.
pub fn others(clang: &str, arguments: &[String], text: &str, macros: &[(String, String)]) -> Vec<String> {
    let own = NAMES.iter().filter(|(name, ..)| macros.iter().any(|(defined, _)| defined == name));
    let means_another = |(_, headers, constant): &&(&str, &str, &str)| {
        let text = format!("{text}{headers}enum {{ {ANSWER} = {constant} }};\n");
        answer(clang, arguments, &text) != Some(1)
    };
    own.filter(means_another).map(|(name, ..)| name.to_string()).collect()
}

/// The value of the enumerator behind a text.
fn answer(clang: &str, arguments: &[String], text: &str) -> Option<i128> {
    let printed = run::declaration_of_text(clang, arguments, text, ANSWER).ok()?;
    let tree = tree::parse(&printed[printed.find('{')?..]).ok()?;
    given_value(tree.root.inner.first()?)
}
