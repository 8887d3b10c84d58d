//! Prototypes that are C and C++: a generated header may stand in both.
//!
//! C++ has no `restrict`, no `[static n]` and no parameters of variable extent, and some names of parameters are words of
//! its own. What C does not mind either is written in C++'s way; else both languages get a prototype.

use std::collections::BTreeSet;

use crate::names::words;

/// What stands around prototypes and variables.
const BEGIN: &str = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
const END: &str = "\n#ifdef __cplusplus\n}\n#endif\n";

/// Words of C++ that are names in C.
const WORDS: &str = "alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await \
    co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit \
    export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid typename using \
    virtual wchar_t xor xor_eq";

/// Declarations of variables, and comments with prototypes, as the header has them.
pub(super) fn linkage(declared: &str) -> String {
    let is_prototype = |line: &&str| !line.starts_with([' ', '/', '#', '\n']) && line.ends_with(");");
    let mut text = String::from(BEGIN);
    for line in declared.lines() {
        text += &if is_prototype(&line) { prototype(line) } else { format!("{line}\n") };
    }
    text + END
}

/// The words of prototypes and variables, without comments, that may name types: names of functions and parameters are
/// none, and neither are parameters in extents.
pub(super) fn types_named(declared: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in declared.lines().map(str::trim_end) {
        let declarators = match line.strip_suffix(");").and_then(|line| line.split_once('(')) {
            Some((front, list)) => [vec![front], outside_of_brackets(list)].concat(),
            None => vec![line.trim_end_matches(';')],
        };
        let names: Vec<String> = declarators.iter().map(|declarator| name_of(declarator)).collect();
        let all = declarators.iter().zip(&names).flat_map(|(declarator, name)| without_name(declarator, name));
        found.extend(all.filter(|(word, in_extent)| !in_extent || !names.contains(word)).map(|(word, _)| word));
    }
    found
}

/// The words of a declaration of a type, or of the definition of a macro, that may name types, constants or macros: names
/// of members are none.
pub(super) fn named_inside(declaration: &str) -> BTreeSet<String> {
    let all = |text: &str| words(text).map(str::to_string).collect::<Vec<_>>();
    let mut found = BTreeSet::new();
    if declaration.starts_with('#') {
        found.extend(all(declaration));
        return found;
    }
    for piece in declaration.split([';', '{', '}']) {
        for (at, part) in outside_of_brackets(piece).into_iter().enumerate() {
            match at {
                // An enumerator with a value.
                _ if part.contains('=') => found.extend(all(part)),
                0 => found.extend(without_name(part, &name_of(part)).into_iter().map(|(word, _)| word)),
                _ => found.extend(part.split_once('[').into_iter().flat_map(|(_, extents)| all(extents))),
            }
        }
    }
    found
}

/// The words of a declarator but for its name, and whether each stands in an extent.
fn without_name(declarator: &str, name: &str) -> Vec<(String, bool)> {
    let (front, extents) = declarator.split_once('[').unwrap_or((declarator, ""));
    let (types, behind) = front.rsplit_once(name).filter(|_| !name.is_empty()).unwrap_or((front, ""));
    let of_types = words(types).chain(words(behind)).map(|word| (word.to_string(), false));
    of_types.chain(words(extents).map(|word| (word.to_string(), true))).collect()
}

/// A prototype on one line, for both languages.
fn prototype(line: &str) -> String {
    let Some((front, rest)) = line.split_once('(') else { return format!("{line}\n") };
    let list = rest.strip_suffix(");").unwrap_or(rest);
    let params = outside_of_brackets(list);
    let names: Vec<String> = params.iter().map(|param| name_of(param)).collect();
    let joined = |params: &[String]| format!("{front}({});\n", params.join(", "));
    let own: Option<Vec<Param>> = params.iter().map(|param| in_cplusplus(param, &names)).collect();
    match own {
        None => format!("#ifndef __cplusplus /* it has no parameters of variable extent */\n{line}\n#endif\n"),
        Some(all) => {
            let text: Vec<String> = all.iter().map(|param| param.text.clone()).collect();
            if all.iter().all(|param| param.is_c) {
                joined(&text)
            } else {
                format!("#ifdef __cplusplus\n{}#else\n{line}\n#endif\n", joined(&text))
            }
        }
    }
}

/// A parameter as C++ takes it, and whether C takes it for the same one.
struct Param {
    text: String,
    is_c: bool,
}

/// `None` for a type that C++ does not have.
fn in_cplusplus(param: &str, names: &[String]) -> Option<Param> {
    let own = name_of(param);
    let mut text = String::new();
    let mut is_c = true;
    let mut rest = param;
    let mut extents = 0;
    while let Some(c) = rest.chars().next() {
        let end = if is_word(c) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
        let (token, behind) = rest.split_at(end);
        rest = behind;
        match token {
            "restrict" | "__restrict" | "__restrict__" => {
                // A qualifier of the parameter itself is no part of its type.
                let next = behind.trim_start();
                let is_last = next.is_empty() || !own.is_empty() && !behind.contains(')') && next.starts_with(&own);
                is_c &= is_last;
                rest = behind.trim_start();
            }
            "[" => {
                let (inside, behind) = behind.split_once(']')?;
                let qualifier = |word: &str| ["static", "const", "volatile", "restrict", "__restrict"].contains(&word);
                let kept: Vec<&str> = inside.split_whitespace().filter(|word| !qualifier(word)).collect();
                let kept = kept.join(" ");
                let varies = kept == "*" || words(&kept).any(|word| names.iter().any(|name| name == word));
                let is_first = extents == 0 && !text.contains('(');
                text += match (varies, is_first) {
                    (true, true) => "[]".to_string(),
                    (true, false) => return None,
                    (false, _) => format!("[{kept}]"),
                }
                .as_str();
                extents += 1;
                rest = behind;
            }
            "_Bool" => {
                text += "bool";
                is_c = false;
            }
            word if word == own && !own.is_empty() && WORDS.split_whitespace().any(|other| other == word) => {
                text += &format!("{word}_");
            }
            token => text += token,
        }
    }
    Some(Param { text, is_c })
}

/// The name that a parameter declares: the last word in front of its extents, and of the parameters of a pointer to a
/// function.
fn name_of(param: &str) -> String {
    let declarator = match param.find("(*") {
        Some(at) => &param[at..param[at..].find(')').map_or(param.len(), |end| at + end)],
        None => param,
    };
    let front = declarator.split('[').next().unwrap_or(declarator);
    let name = words(front).last().unwrap_or_default();
    // A lone word is a type.
    let is_name = front.trim_end().ends_with(name) && front.trim() != name;
    if is_name { name.to_string() } else { String::new() }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The parts of a list between commas outside of all brackets.
fn outside_of_brackets(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = list.split(|c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::{named_inside, prototype, types_named};

    #[test]
    fn names_of_parameters_are_no_types() {
        let named = |text: &str| types_named(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(
            named("part f_b(int n, const part *part, real a[n][N], grid *grid_b);"),
            "N const grid int part real"
        );
        assert_eq!(named("void f_b(double (*law)(double, cell), shape law_b);"), "cell double shape void");
        assert_eq!(named("extern struct s s_b[3];"), "extern s struct");
        assert_eq!(named("struct cell_v {\n    part part[4];\n};"), "cell_v part struct");
        assert_eq!(named("void f_b(void);"), "void");
    }

    #[test]
    fn names_of_members_are_no_types() {
        let named = |text: &str| named_inside(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(
            named("struct s { double part, grid[N]; cell (*law)(real); cell cell; }"),
            "N cell double real struct"
        );
        assert_eq!(named("enum e { A = SIZE, B }"), "A SIZE enum");
        assert_eq!(named("typedef struct corner corner"), "corner struct typedef");
        assert_eq!(named("#define ALL (SIDES + COUNT)"), "ALL COUNT SIDES define");
    }

    #[test]
    fn what_both_languages_take_is_one_prototype() {
        let of = |text: &str| prototype(&format!("void f_b({text});"));
        assert_eq!(of("int n, const double *x"), "void f_b(int n, const double *x);\n");
        assert_eq!(of("double *restrict x, double y[static 3]"), "void f_b(double *x, double y[3]);\n");
        assert_eq!(of("int n, double x[restrict n], int new"), "void f_b(int n, double x[], int new_);\n");
        assert_eq!(of("void"), "void f_b(void);\n");
    }

    #[test]
    fn what_only_c_has_is_kept_from_cplusplus() {
        let of = |text: &str| prototype(&format!("void f_b({text});"));
        assert!(of("int n, double a[n][n]").starts_with("#ifndef __cplusplus "));
        assert!(of("int n, double (*a)[n]").starts_with("#ifndef __cplusplus "));
        let both = "#ifdef __cplusplus\nvoid f_b(double **x);\n#else\nvoid f_b(double *restrict *x);\n#endif\n";
        assert_eq!(of("double *restrict *x"), both);
    }
}
