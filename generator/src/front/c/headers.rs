//! What the headers that generated code includes behind the sources mean by names of the sources.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{conditions, inclusions, meant, run, sources};
use crate::ir::{Inclusion, Preprocessed};
use crate::names::{self, words};

/// In front of what generated code includes.
const MARK: &str = "#pragma adtape headers";

/// The macros that sources and their own headers define, and what the headers behind them mean by names of theirs. The
/// sources are read one behind the other, as the generated file includes them, or each alone where that is no C; those
/// that are no C alone count as without macros.
pub fn macros(clang: &str, arguments: &[String], files: &[String]) -> Preprocessed {
    let of = |files: &[String]| -> Result<Preprocessed, String> {
        let headers = names::HEADERS_OF_C.map(|header| format!("#include <{header}>\n")).concat();
        let sources = run::includes(files);
        let text = format!("{sources}{MARK}\n{headers}");
        let text = run::with_macros(clang, arguments, &text)?;
        let found = macros_of(&text);
        let ask = |question: &str| run::expanded_text(clang, arguments, &format!("{sources}{question}")).ok();
        let inclusions = included(&text);
        let mut conditions = conditions::of(&inclusions, &text_of, &ask);
        conditions.iter_mut().for_each(|one| one.path = run::name_as_given(&one.path, files));
        Ok(Preprocessed {
            conditions: Arc::new(conditions),
            inclusions: Arc::new(as_given(inclusions, files)),
            others: meant::others(clang, arguments, &sources, &found.macros),
            files: found.files.iter().map(|path| run::name_as_given(path, files)).collect(),
            ..found
        })
    };
    let alone = |file: &String| of(std::slice::from_ref(file)).unwrap_or_default();
    match files {
        [] => Preprocessed::default(),
        [file] => alone(file),
        all => of(all).unwrap_or_else(|_| {
            let each: Vec<Preprocessed> = all.iter().map(alone).collect();
            let all = |names: fn(&Preprocessed) -> &Vec<String>| each.iter().flat_map(names).cloned().collect();
            let macros = each.iter().flat_map(|each| &each.macros).cloned().collect();
            let asked = each.iter().all(|each| each.asked);
            let has_directives = each.iter().any(|each| each.has_directives || !each.asked);
            let (files, hidden, taken) = (all(|each| &each.files), all(|each| &each.hidden), all(|each| &each.taken));
            let (others, inclusions) = (all(|each| &each.others), Arc::new(in_one_list(&each)));
            Preprocessed {
                asked,
                files,
                inclusions,
                macros,
                others,
                hidden,
                taken,
                has_directives,
                ..Preprocessed::default()
            }
        }),
    }
}

/// The files of the sources, by the compiler's names.
fn included(text: &str) -> Vec<Inclusion> {
    inclusions::of(text.split(MARK).next().unwrap_or_default(), &text_of)
}

fn text_of(path: &str) -> String {
    std::fs::read(path).map(sources::readable).unwrap_or_default()
}

/// Files by the names that they have where each source is read alone.
fn as_given(mut all: Vec<Inclusion>, files: &[String]) -> Vec<Inclusion> {
    for path in all.iter_mut().flat_map(|one| &mut one.files) {
        *path = run::name_as_given(path, files);
    }
    all
}

/// The files of sources that were read each alone.
fn in_one_list(each: &[Preprocessed]) -> Vec<Inclusion> {
    let mut found: Vec<Inclusion> = Vec::new();
    for alone in each {
        let first = found.len();
        found.extend(alone.inclusions.iter().map(|one| {
            let macros = one.macros.iter().map(|(name, body, by)| (name.clone(), body.clone(), by + first));
            Inclusion { by: one.by.map(|by| by + first), macros: macros.collect(), ..one.clone() }
        }));
    }
    found
}

/// The names of a preprocessed text: those of the sources are in no header of the system.
fn macros_of(text: &str) -> Preprocessed {
    let mut found = Preprocessed { asked: true, ..Preprocessed::default() };
    let (mut own, mut behind) = (false, false);
    let (mut code, mut of_system) = (String::new(), BTreeSet::new());
    let (mut defined, mut declared) = (BTreeSet::new(), BTreeSet::new());
    for line in text.lines() {
        if let Some(marker) = line.strip_prefix("# ") {
            // # line "file" flags: 3 is a header of the system.
            let flags = marker.rsplit('"').next().unwrap_or_default();
            let path = marker.find('"').zip(marker.rfind('"')).and_then(|(open, end)| marker.get(open + 1..end));
            let path = path.unwrap_or_default();
            let is_file = !path.starts_with('<') && !flags.split(' ').any(|flag| flag == "3");
            // The library's names mean in generated code what they mean here.
            own = is_file && !names::is_library_header(path) || path == "<command line>";
            if is_file && !behind {
                found.files.push(path.replace("\\\"", "\"").replace("\\\\", "\\"));
            }
        } else if line.starts_with(MARK) {
            behind = true;
        } else if let Some(definition) = line.strip_prefix("#define ") {
            let name = words(definition).next().unwrap_or_default();
            match (own, behind) {
                (true, false) => found.macros.push((name.to_string(), definition[name.len()..].to_string())),
                (_, true) => drop(defined.insert(name)),
                _ => {}
            }
        } else if line.starts_with('#') {
            found.has_directives |= line.starts_with("#pragma omp ");
        } else if behind {
            declared.extend(words(line));
        } else if own {
            code.push_str(line);
            code.push('\n');
        } else {
            of_system.extend(words(line));
        }
    }
    found.files.sort();
    found.files.dedup();
    let code = names::code(&code);
    let may = |name: &&str| !of_system.contains(name) && !names::is_needed(name);
    let used: BTreeSet<&str> = words(&code).filter(|name| defined.contains(name)).filter(may).collect();
    found.hidden = used.iter().map(ToString::to_string).collect();
    let at_file_scope = at_file_scope(&code);
    let taken = at_file_scope.into_iter().filter(|name| declared.contains(name) && !used.contains(name)).filter(may);
    found.taken = taken.map(str::to_string).collect();
    found
}

/// The words of a text outside of all brackets, and the enumerators.
fn at_file_scope(code: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let (mut depth, mut enumerates, mut last) = (0_usize, false, 0);
    for (at, c) in code.char_indices().chain([(code.len(), ';')]) {
        if !matches!(c, '{' | '}' | '(' | ')' | ';') {
            continue;
        }
        let part = &code[last..at];
        if depth == 0 || enumerates {
            found.extend(words(part));
        }
        last = at;
        match c {
            '{' if depth == 0 => enumerates = words(part).any(|word| word == "enum"),
            '}' if depth == 1 => enumerates = false,
            _ => {}
        }
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_of_the_system_are_not_the_sources() {
        let text = "# 1 \"<built-in>\" 1\n#define A 1\n# 1 \"m.c\" 2\n#define B(x) x\n# 9 \"math.h\" 1 3 4\n\
                    #define C 2\n# 2 \"m.c\" 2\n#define D\nint x;\n";
        assert_eq!(macros_of(text).macros, [("B".into(), "(x) x".into()), ("D".into(), String::new())]);
        assert_eq!(macros_of(text).files, ["m.c"]);
    }

    #[test]
    fn names_that_headers_take_are_those_of_the_file() {
        let text = "# 1 \"m.c\"\nenum { BUFSIZ = 3, div };\nstatic double index(double y0) { double rand; return M_E; }\n\
                    size_t n;\n__attribute__((unused)) __inline__ int k;\n# 1 \"a.h\" 1 3\ntypedef long size_t;\n\
                    # 2 \"m.c\" 2\n#pragma adtape headers\n\
                    # 1 \"b.h\" 1 3\n#define BUFSIZ 8192\n#define M_E 2\nint index(int); int rand(void); int div(void);\n\
                    __inline__ double y0(double, size_t) __attribute__((pure));\n";
        let found = macros_of(text);
        assert_eq!(found.hidden, ["BUFSIZ", "M_E"]);
        assert_eq!(found.taken, ["div", "index"]);
    }
}
