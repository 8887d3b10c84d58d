//! Names of generated code: they collide neither with the user's nor with C's.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use crate::directives::{directives, literal, without_comments};
use crate::ir::{Function, Program, Source, functions};

/// What the first line of a generated file ends with.
pub const SIGNATURE: &str = "written by adtape. */";

/// Keywords of C99 and C23.
const KEYWORDS: &str = "auto break case char const continue default do double else enum extern float for goto if inline \
    int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile \
    while _Bool _Complex _Imaginary bool true false nullptr alignas alignof asm constexpr static_assert thread_local \
    typeof _Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert _Thread_local __alignof__ __asm __asm__ __attribute \
    __attribute__ __const __extension__ __inline __inline__ __int128 __restrict __restrict__ __signed__ __thread \
    __typeof __typeof__ __volatile__";

/// Names of the standard headers that generated code includes.
const TAKEN: &str = "NULL malloc calloc realloc free abort exit memset memcpy memmove printf fprintf stderr stdout size_t \
    ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t INFINITY NAN HUGE_VAL I unix linux main \
    errno signgam gamma modf frexp nan div rand abs labs index rindex bcmp bcopy";

/// What generated code calls and names beside functions of `math.h`.
const CALLED: &str = "malloc calloc realloc free abort exit memset memcpy memmove fprintf stderr size_t ptrdiff_t int8_t \
    int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t INFINITY NAN const double float int long \
    signed sizeof static unsigned void";

/// The names that a scope may not take.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Those that other scopes share.
    outer: Arc<FxHashSet<String>>,
    own: FxHashSet<String>,
    /// The numbers below these are taken, by wish.
    next: FxHashMap<String, usize>,
}

impl Names {
    /// Keywords, library names, and every word of the user's sources: macros are among them. What `header`, which a source
    /// may include, was before is none of them; where its name is not known, generated headers have names at file scope
    /// alone.
    pub fn of_program(program: &Program, header: Option<&str>) -> Names {
        let of_c = Names::of_c();
        let is_before = |source: &&Source| match header {
            _ if source.main => false,
            Some(header) => is_named(&source.path, header),
            None => source.text.lines().next().is_some_and(|line| line.ends_with(SIGNATURE)),
        };
        let others = program.sources.iter().filter(|source| !is_before(source));
        let mut taken: FxHashSet<&str> = others.flat_map(|source| words(&source.text)).collect();
        let at_file_scope = program.c.named.iter().filter(|_| header.is_none());
        taken.extend(at_file_scope.map(|named| named.name.as_str()));
        let objects = program.globals.iter().map(|global| &global.name);
        let procs = program.procs.iter().map(|proc| &proc.name);
        let named = objects
            .chain(procs)
            .chain(program.c.preprocessed.macros.iter().map(|(name, _)| name))
            .chain(of_c.outer.iter());
        taken.extend(named.map(String::as_str));
        Names { outer: Arc::new(taken.into_iter().map(String::from).collect()), ..Names::default() }
    }

    /// Keywords and library names.
    pub fn of_c() -> Names {
        static OF_C: LazyLock<Arc<FxHashSet<String>>> = LazyLock::new(|| {
            let functions = functions::all().flat_map(|function| [32, 64, 80].map(|bits| function.at(bits).c_name()));
            let words = KEYWORDS.split_whitespace().chain(TAKEN.split_whitespace());
            Arc::new(words.map(String::from).chain(functions).collect())
        });
        Names { outer: OF_C.clone(), ..Names::default() }
    }

    /// These names as those of a scope around others, which then share them.
    pub fn shared(mut self) -> Names {
        if !self.own.is_empty() {
            self.own.extend(self.outer.iter().cloned());
            self.outer = Arc::new(std::mem::take(&mut self.own));
        }
        self
    }

    fn has(&self, name: &str) -> bool {
        self.outer.contains(name) || self.own.contains(name)
    }

    /// Whether nobody has the name yet.
    pub fn is_free(&self, name: &str) -> bool {
        !self.has(name) && !is_of_library(name)
    }

    /// Gives names back that are neither C's nor the library's.
    pub fn release(&mut self, names: &FxHashSet<String>) {
        let fixed = Names::of_c();
        let stays = |name: &&String| !names.contains(*name) || fixed.has(name);
        self.outer = Arc::new(self.outer.iter().chain(&self.own).filter(stays).cloned().collect());
        self.own.clear();
        self.next.clear();
    }

    /// Takes a name, whoever has it.
    pub fn take(&mut self, name: &str) {
        if !self.has(name) {
            self.own.insert(name.into());
        }
    }

    /// A free name that begins like `wish`.
    pub fn fresh(&mut self, wish: &str) -> String {
        // With a number behind it, `adtape` would be one of the library's names.
        let wish = if is_of_library(&format!("{wish}_")) { &format!("own_{wish}") } else { wish };
        let mut name = wish.to_string();
        if !self.is_free(&name) {
            let mut count = self.next.get(wish).copied().unwrap_or(0);
            while !self.is_free(&name) {
                count += 1;
                name = format!("{wish}_{count}");
            }
            self.next.insert(wish.into(), count);
        }
        self.take(&name);
        name
    }
}

fn is_of_library(name: &str) -> bool {
    name.starts_with("adtape_") || name.starts_with("ADTAPE_")
}

/// Names that the sources give to types.
pub fn types(program: &Program) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    for source in &program.sources {
        for (at, _) in source.text.match_indices("typedef") {
            let (mut depth, mut last, mut word) = (0_usize, "", 0);
            let rest = &source.text[at..];
            for (here, c) in rest.char_indices() {
                if !(c.is_alphanumeric() || c == '_') {
                    if word < here && depth == 0 {
                        last = &rest[word..here];
                    }
                    word = here + c.len_utf8();
                }
                match c {
                    '{' | '[' | '(' => depth += 1,
                    '}' | ']' | ')' => depth = depth.saturating_sub(1),
                    ';' if depth == 0 => break,
                    _ => {}
                }
            }
            found.insert(last.to_string());
        }
    }
    found
}

/// What local names of a reverse sweep may not hide: macros, types and functions. Words that are variables are free.
pub fn local(program: &Program, all: &Names) -> Names {
    let mut variables = FxHashSet::default();
    for proc in &program.procs {
        variables.extend(proc.vars.iter().map(|var| var.name.clone()));
        variables.extend(proc.objects.iter().map(|object| object.name.clone()));
        variables.extend(proc.params.iter().map(|param| param.name.clone()));
    }
    let mut names = all.clone();
    names.release(&variables);
    let fixed = program.globals.iter().map(|global| &global.name).chain(program.procs.iter().map(|proc| &proc.name));
    fixed.for_each(|name| names.take(name));
    // A local with the name of a type would hide it from the declarations of the sweep.
    types(program).iter().for_each(|name| names.take(name));
    names.shared()
}

/// What generated code includes of C, the library's headers among it.
pub const HEADERS_OF_C: [&str; 7] = ["stdbool.h", "math.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"];

/// The library's headers, as generated code includes them.
const HEADERS: [&str; 11] = [
    include_str!("../../include/adtape/process.h"),
    include_str!("../../include/adtape/tape.h"),
    include_str!("../../include/adtape/objects.h"),
    include_str!("../../include/adtape/heap.h"),
    include_str!("../../include/adtape/checkpoint.h"),
    include_str!("../../include/adtape/driver.h"),
    include_str!("../../include/adtape/verify.h"),
    include_str!("../../include/adtape/inline_objects.h"),
    include_str!("../../include/adtape/inline.h"),
    include_str!("../../include/adtape/inline_local.h"),
    include_str!("../../include/adtape/inline_heap.h"),
];

/// Whether a file is one of the library's headers.
pub fn is_library_header(path: &str) -> bool {
    const THEMES: [&str; 11] = [
        "process",
        "tape",
        "objects",
        "heap",
        "checkpoint",
        "driver",
        "verify",
        "inline_objects",
        "inline",
        "inline_local",
        "inline_heap",
    ];
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().and_then(|name| name.strip_suffix(".h")), parts.next());
    let is_theme = |name: &str| folder == Some("adtape") && THEMES.contains(&name);
    name.is_some_and(|name| {
        matches!(name, "adtape" | "adtape_kit" | "adtape_kit_types" | "adtape_mpi") || is_theme(name)
    })
}

/// Whether generated code, or a header that it includes, has this name of the library.
pub fn is_of_headers(name: &str) -> bool {
    static USED: LazyLock<FxHashSet<&str>> = LazyLock::new(|| HEADERS.iter().flat_map(|text| words(text)).collect());
    static PASTED: LazyLock<FxHashSet<&str>> = LazyLock::new(|| HEADERS.iter().flat_map(|text| pasted(text)).collect());
    let made = ["ADTAPE_OWN_TYPES", "ADTAPE_TYPE_", "ADTAPE_TAG_", "adtape_not_"];
    let is_pasted = |name: &str| {
        let mut rests = PASTED.iter().filter_map(|begin| name.strip_prefix(begin));
        rests.any(|rest| USED.contains(rest))
    };
    let is_made = |name: &str| made.iter().any(|begin| name.starts_with(begin));
    is_of_library(name) && (USED.contains(name) || name == "ADTAPE_H" || is_made(name) || is_pasted(name))
}

/// Beginnings of names that a header's macros put together: `adtape_push_##name`.
fn pasted(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("##").map(|(at, _)| {
        let before = &text[..at];
        let start = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
        &before[start..]
    })
}

/// The macro that says that a generated header has been included: no word of the sources, but for those of what this
/// header was before.
pub fn guard(program: &Program, header: &str) -> String {
    let guard = header.to_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let guard = if guard.starts_with(|c: char| c.is_ascii_digit()) { format!("ADTAPE_{guard}") } else { guard };
    let before = |path: &str| is_named(path, header);
    let others = program.sources.iter().filter(|source| !before(&source.path));
    let mut names = Names {
        outer: Arc::new(others.flat_map(|source| words(&source.text)).map(String::from).collect()),
        ..Names::default()
    };
    if !program.files().iter().any(|path| before(path)) {
        program.c.preprocessed.macros.iter().for_each(|(name, _)| names.take(name));
    }
    if names.has(&guard) { names.fresh(&guard) } else { guard }
}

/// Whether a path is that of a file of this name.
fn is_named(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name)
}

/// Macros that the sources define and that the library's headers, or C's, or a text behind them use as names.
pub fn macros_in_headers<'a>(program: &'a Program, behind: &str) -> BTreeSet<&'a str> {
    static USED: LazyLock<FxHashSet<&str>> = LazyLock::new(|| HEADERS.iter().flat_map(|text| words(text)).collect());
    let standard = Names::of_c();
    let needed = |name: &str| ["NULL", "UINT64_C", "INT64_C", "bool", "true", "false", "static_assert"].contains(&name);
    let behind: FxHashSet<&str> = words(behind).collect();
    let used = |name: &str| USED.contains(name) || standard.has(name) || behind.contains(name);
    macros(program).map(|(name, _)| name).filter(|name| used(name) && !needed(name)).collect()
}

/// Macros that the sources define under names that generated code uses, or that are the name of something else in the
/// sources, too: what is not expanded there must not be expanded in generated code. They are undefined in front of it.
pub fn macros_undone(program: &Program) -> BTreeSet<&str> {
    // One with arguments is expanded where it is called.
    let (with_arguments, plain): (Vec<_>, Vec<_>) = macros(program).partition(|(_, body)| body.starts_with('('));
    let [with_arguments, plain] =
        [with_arguments, plain].map(|all| -> FxHashSet<&str> { all.into_iter().map(|(name, _)| name).collect() });
    let is_used =
        |name: &&&str| CALLED.split_whitespace().any(|word| word == **name) || Function::lookup(name).is_some();
    let objects = program.globals.iter().chain(program.procs.iter().flat_map(|proc| &proc.objects));
    let params = program.procs.iter().flat_map(|proc| &proc.params).map(|param| &param.name);
    let vars = program.procs.iter().flat_map(|proc| &proc.vars).map(|var| &var.name);
    let members = program.types.structs.iter().flat_map(|known| &known.fields).map(|field| &field.name);
    let types = program.c.declared.iter().flat_map(|declared| &declared.names);
    let procs = || program.procs.iter().map(|proc| &proc.name);
    let named = objects.map(|object| &object.name).chain(procs()).chain(params).chain(vars).chain(members).chain(types);
    let named = named.filter_map(|name| plain.get(name.as_str()));
    let called = procs().filter_map(|name| with_arguments.get(name.as_str()));
    let used = plain.iter().chain(&with_arguments).filter(is_used);
    named.chain(called).chain(used).copied().collect()
}

/// The sources one behind the other. A macro that two of them define is undefined in between: each has its own, and
/// compilers warn of a second definition that differs.
pub fn includes(program: &Program, includes: &[String]) -> String {
    let (mut text, mut known) = (String::new(), FxHashMap::default());
    for (k, include) in includes.iter().enumerate() {
        let own = program.sources.get(k).map_or("", |source| &source.text);
        let own = directives(own).filter(|directive| directive.defines);
        let own: Vec<(&str, &str)> = own.map(|directive| (directive.name, directive.body)).collect();
        let others = own.iter().filter(|(name, body)| known.get(name).is_some_and(|other| other != body));
        let others: BTreeSet<&str> = others.map(|(name, _)| *name).collect();
        others.iter().for_each(|name| text += &format!("#undef {name}\n"));
        text += &format!("#include \"{include}\"\n");
        known.extend(own);
    }
    text
}

/// These macros, and those that are defined by them.
pub fn with_users<'a>(program: &'a Program, mut found: BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let mut all: Vec<(&str, &str)> = if found.is_empty() { Vec::new() } else { macros(program).collect() };
    loop {
        let (more, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, body)| words(body).any(|word| found.contains(word)));
        found.extend(more.iter().map(|(name, _)| *name));
        if more.is_empty() {
            return found;
        }
        all = others;
    }
}

/// Whether generated code needs what C means by a name.
pub fn is_needed(name: &str) -> bool {
    static NEEDED: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| CALLED.split_whitespace().chain(KEYWORDS.split_whitespace()).chain(["NULL"]).collect());
    NEEDED.contains(name)
}

/// Whether the sources give another meaning to what `stdbool.h` defines, which comes in behind them.
pub fn has_own_bool(program: &Program) -> bool {
    macros(program).any(|(name, _)| ["bool", "true", "false"].contains(&name)) || types(program).contains("bool")
}

/// The macros of the sources: their names, and what stands behind each. Without the preprocessor, those that a condition
/// leaves out are among them.
pub fn macros(program: &Program) -> impl Iterator<Item = (&str, &str)> {
    let unasked = program.sources.iter().filter(|_| !program.c.preprocessed.asked);
    let own = unasked.filter(|source| !source.path.starts_with("/usr/"));
    let all = own.flat_map(|source| directives(&source.text)).filter(|line| line.defines);
    let asked = program.c.preprocessed.macros.iter().map(|(name, body)| (name.as_str(), body.as_str()));
    all.map(|line| (line.name, line.body)).chain(asked)
}

/// The identifiers of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    // Whole headers of the system go through here: byte by byte is fast, also where nothing is optimised.
    static IS_PART: [bool; 256] = {
        let (mut is_part, mut byte) = ([false; 256], 0);
        while byte < 128 {
            is_part[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
            byte += 1;
        }
        is_part
    };
    let (bytes, mut at) = (text.as_bytes(), 0);
    std::iter::from_fn(move || {
        loop {
            while at < bytes.len() && !IS_PART[bytes[at] as usize] {
                at += 1;
            }
            let start = at;
            while at < bytes.len() && IS_PART[bytes[at] as usize] {
                at += 1;
            }
            match bytes.get(start) {
                None => return None,
                Some(digit) if digit.is_ascii_digit() => {}
                Some(_) => return Some(&text[start..at]),
            }
        }
    })
}

/// C without its comments, and with nothing in its strings: what names its words are.
pub fn code(text: &str) -> String {
    let text = without_comments(text);
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        out.push_str("\"\"");
        rest = &from[literal(from)..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_comments_and_strings_are_no_names() {
        assert_eq!(words("1x é_a9-3.e2 ä").collect::<Vec<_>>(), ["_a9", "e2"]);
        let text = "a /* b's \" */ / c; // d\ns = \"n\\n \\\" e\" + 'f' * g;";
        assert_eq!(words(&code(text)).collect::<Vec<_>>(), ["a", "c", "s", "g"]);
    }
}
