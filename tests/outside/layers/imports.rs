//! Which file of a crate imports which.
//!
//! A file imports another if a path in it, in a `use` line or elsewhere, ends at an item of the other; an item that a
//! module above re-exports, by its name or by `*`, is that of the file that defines it. A re-export is an import only
//! where the file uses the name itself. Code that is compiled for tests only does not count.

use super::source::Source;
use super::tokens::{Token, tokens};
use std::collections::{BTreeMap, BTreeSet};

type Path = Vec<String>;

/// A name that a file brings into its scope.
struct Import {
    /// From the crate root; of `*` the module.
    path: Path,
    /// `*`: every name of the module.
    alias: String,
    /// It is there for others.
    exported: bool,
    /// Tokens of the `use` line it is in.
    statement: std::ops::Range<usize>,
}

struct File {
    name: String,
    tokens: Vec<Token>,
    /// The items that it defines outside of functions and `impl`s.
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in expressions and types, from the crate root.
    paths: Vec<Path>,
}

/// The modules of the crate by path, each with its file.
pub struct Crate {
    files: Vec<File>,
    modules: BTreeMap<Path, usize>,
}

/// Without what is compiled for tests only: `cfg(test)` and `cfg(all(test, …))`.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let begins = |i: usize, words: &[&str]| {
        words.iter().enumerate().all(|(j, word)| tokens.get(i + j).is_some_and(|token| token.text == *word))
    };
    let (mut kept, mut i) = (Vec::new(), 0);
    while i < tokens.len() {
        if begins(i, &["#", "[", "cfg", "(", "test"]) || begins(i, &["#", "[", "cfg", "(", "all", "(", "test"]) {
            i = after_item(&tokens, closing(&tokens, i + 1) + 1);
            continue;
        }
        kept.push(Token { text: tokens[i].text.clone(), line: tokens[i].line });
        i += 1;
    }
    kept
}

/// Where the bracket that opens at `open` closes.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    tokens.len()
}

/// Behind the item that begins at `start`, attributes included.
fn after_item(tokens: &[Token], start: usize) -> usize {
    let mut i = start;
    while i < tokens.len() {
        match tokens[i].text.as_str() {
            ";" => return i + 1,
            "{" => return closing(tokens, i) + 1,
            "(" | "[" => i = closing(tokens, i) + 1,
            _ => i += 1,
        }
    }
    i
}

/// The paths of a `use` tree that begins at `i`, each with the name it gets; and where the tree ends.
fn use_tree(tokens: &[Token], mut i: usize, prefix: &Path, found: &mut Vec<(Path, String)>) -> usize {
    let mut path = prefix.clone();
    loop {
        match tokens[i].text.as_str() {
            "{" => {
                i += 1;
                while tokens[i].text != "}" {
                    i = use_tree(tokens, i, &path, found);
                    i += usize::from(tokens[i].text == ",");
                }
                return i + 1;
            }
            "self" if path.len() > prefix.len() || !prefix.is_empty() => i += 1,
            "*" => {
                found.push((path, "*".to_owned()));
                return i + 1;
            }
            word => {
                path.push(word.to_owned());
                i += 1;
            }
        }
        match tokens[i].text.as_str() {
            "::" => i += 1,
            "as" => {
                found.push((path, tokens[i + 1].text.clone()));
                return i + 2;
            }
            _ => {
                let name = path.last().cloned().unwrap_or_default();
                found.push((path, name));
                return i;
            }
        }
    }
}

impl Crate {
    pub fn of(sources: &[Source]) -> Crate {
        let mut modules = BTreeMap::new();
        let mut scanned = Vec::new();
        let for_tests: Vec<Path> = sources.iter().flat_map(test_modules).collect();
        let is_for_tests = |source: &Source| for_tests.iter().any(|module| source.module().starts_with(module));
        for source in sources.iter().filter(|source| !is_for_tests(source)) {
            let number = scanned.len();
            let tokens = without_tests(tokens(&source.text));
            modules.insert(source.module(), number);
            for module in inline_modules(&source.module(), &tokens) {
                modules.insert(module, number);
            }
            scanned.push((source, tokens));
        }
        let files = scanned.into_iter().map(|(source, tokens)| File::of(source, tokens, &modules)).collect();
        Crate { files, modules }
    }

    /// The file that defines what a path leads to; None if it leads out of the crate.
    fn file_of(&self, path: &[String]) -> Option<usize> {
        let mut end = 0;
        while end < path.len() && self.modules.contains_key(&path[..=end]) {
            end += 1;
        }
        let file = *self.modules.get(&path[..end])?;
        let Some(item) = path.get(end) else { return Some(file) };
        self.shown(file, item, &path[end + 1..], 0).or(Some(file))
    }

    /// The file that defines an item which a file defines or shows to others; `rest`: how the path goes on behind it.
    fn shown(&self, file: usize, item: &str, rest: &[String], depth: usize) -> Option<usize> {
        if self.files[file].defined.contains(item) {
            return Some(file);
        }
        // No chain of re-exports is that long.
        let mut exported = self.files[file].imports.iter().filter(|import| import.exported && depth < 8);
        exported.find_map(|import| match import.alias.as_str() {
            "*" => self.modules.get(&import.path).and_then(|module| self.shown(*module, item, rest, depth + 1)),
            alias if alias == item => self.file_of(&[&import.path[..], rest].concat()),
            _ => None,
        })
    }

    /// The files that each file imports.
    fn graph(&self) -> Vec<BTreeSet<usize>> {
        let mut graph = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            let mut imported: BTreeSet<usize> = file.paths.iter().filter_map(|path| self.file_of(path)).collect();
            for import in &file.imports {
                imported.extend(self.imported(file, import));
            }
            imported.remove(&number);
            graph.push(imported);
        }
        graph
    }

    /// The files whose items a file gets by one of its imports and uses.
    fn imported(&self, file: &File, import: &Import) -> Vec<usize> {
        let text = |i: usize| file.tokens.get(i).map_or("", |token| token.text.as_str());
        let elsewhere = (0..file.tokens.len()).filter(|i| !import.statement.contains(i));
        if import.alias == "*" {
            let Some(&module) = self.modules.get(&import.path) else { return Vec::new() };
            let first = |i: &usize| *i == 0 || !matches!(text(*i - 1), "." | "::" | "fn");
            // A variable may have the name of a function.
            let names =
                |i: &usize| text(*i).starts_with(char::is_uppercase) || matches!(text(*i + 1), "(" | "::" | "!");
            let used = elsewhere.filter(|i| first(i) && names(i));
            return used.filter_map(|i| self.shown(module, text(i), &segments(&file.tokens, i + 2), 0)).collect();
        }
        let mut named = elsewhere.filter(|i| text(*i) == import.alias);
        if self.modules.contains_key(&import.path) {
            // A module: its items that the file names.
            let items = named.filter(|i| text(*i + 1) == "::");
            let path = |i: usize| [&import.path[..], &segments(&file.tokens, i + 2)].concat();
            return items.filter_map(|i| self.file_of(&path(i))).collect();
        }
        if import.exported && named.next().is_none() {
            return Vec::new();
        }
        self.file_of(&import.path).into_iter().collect()
    }

    /// For each circle its files, one after the other.
    pub fn circles(&self) -> Vec<String> {
        let graph = self.graph();
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        let mut circles = Vec::new();
        for start in 0..graph.len() {
            if seen.contains(&start) {
                continue;
            }
            if let Some(circle) = shortest_circle(&graph, start) {
                seen.extend(&circle);
                let names: Vec<&str> = circle.iter().map(|i| self.files[*i].name.as_str()).collect();
                circles.push(format!("{} -> {}", names.join(" -> "), names[0]));
            }
        }
        circles
    }
}

/// The shortest way from a file back to itself.
fn shortest_circle(graph: &[BTreeSet<usize>], start: usize) -> Option<Vec<usize>> {
    let mut from = BTreeMap::new();
    let mut ways = std::collections::VecDeque::from([start]);
    while let Some(file) = ways.pop_front() {
        for next in &graph[file] {
            if *next == start {
                let mut circle = vec![file];
                while circle[circle.len() - 1] != start {
                    circle.push(from[&circle[circle.len() - 1]]);
                }
                circle.reverse();
                return Some(circle);
            }
            from.entry(*next).or_insert_with(|| {
                ways.push_back(*next);
                file
            });
        }
    }
    None
}

/// The modules that a file declares by `#[cfg(test)] mod name;`.
fn test_modules(source: &Source) -> Vec<Path> {
    let tokens = tokens(&source.text);
    let text = |i: usize| tokens.get(i).map_or("", |token| token.text.as_str());
    let for_tests = |i: usize| {
        let before = tokens[..i].iter().rev().take_while(|token| !matches!(token.text.as_str(), ";" | "}"));
        before.into_iter().any(|token| token.text == "test")
    };
    let declared = (0..tokens.len()).filter(|i| text(*i) == "mod" && text(*i + 2) == ";" && for_tests(*i));
    declared.map(|i| [&source.module()[..], &[text(i + 1).to_owned()]].concat()).collect()
}

fn inline_modules(module: &Path, tokens: &[Token]) -> Vec<Path> {
    let text = |i: usize| tokens.get(i).map_or("", |token: &Token| token.text.as_str());
    let named = (0..tokens.len()).filter(|i| text(*i) == "mod" && text(i + 2) == "{");
    named.map(|i| [&module[..], &[text(i + 1).to_owned()]].concat()).collect()
}

/// The segments of a path that goes on at `start`.
fn segments(tokens: &[Token], start: usize) -> Path {
    let mut path = Vec::new();
    let mut i = start;
    while let Some(token) = tokens.get(i) {
        if !token.text.chars().all(|c| c.is_alphanumeric() || c == '_') {
            break;
        }
        path.push(token.text.clone());
        if tokens.get(i + 1).is_none_or(|token| token.text != "::") {
            break;
        }
        i += 2;
    }
    path
}

impl File {
    fn of(source: &Source, tokens: Vec<Token>, modules: &BTreeMap<Path, usize>) -> File {
        let text = |i: usize| tokens.get(i).map_or("", |token: &Token| token.text.as_str());
        let (mut module, mut braces) = (source.module(), Vec::new());
        let (mut imports, mut paths, mut defined, mut i) = (Vec::new(), Vec::new(), BTreeSet::new(), 0);
        while i < tokens.len() {
            if braces.iter().all(|is_module| *is_module) {
                defined.extend(definition(&tokens, i));
            }
            match text(i) {
                "mod" if text(i + 2) == "{" => {
                    module.push(text(i + 1).to_owned());
                    braces.push(true);
                    i += 3;
                }
                "{" => {
                    braces.push(false);
                    i += 1;
                }
                "}" => {
                    if braces.pop() == Some(true) {
                        module.pop();
                    }
                    i += 1;
                }
                "use" => {
                    let mut found = Vec::new();
                    let end = use_tree(&tokens, i + 1, &Vec::new(), &mut found);
                    let exported = i > 0 && matches!(text(i - 1), "pub" | ")");
                    for (path, alias) in found {
                        if let Some(path) = absolute(&path, &module, modules) {
                            imports.push(Import { path, alias, exported, statement: i..end });
                        }
                    }
                    i = end;
                }
                _ if text(i + 1) == "::" && (i == 0 || text(i - 1) != "::") => {
                    let path = segments(&tokens, i);
                    i += 2 * path.len().max(1) - 1;
                    paths.extend(absolute(&path, &module, modules));
                }
                _ => i += 1,
            }
        }
        File { name: source.path.clone(), tokens, defined, imports, paths }
    }
}

/// The name of the item whose definition begins at a token.
fn definition(tokens: &[Token], i: usize) -> Option<String> {
    let text = |i: usize| tokens.get(i).map_or("", |token| token.text.as_str());
    let at = match (text(i), text(i + 1)) {
        ("macro_rules", "!") => i + 2,
        ("const" | "static", "mut") => i + 2,
        ("fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static", _) => i + 1,
        _ => return None,
    };
    Some(text(at).to_owned())
}

/// A path from the crate root; None if it begins at none of its modules.
fn absolute(path: &[String], module: &Path, modules: &BTreeMap<Path, usize>) -> Option<Path> {
    let mut base = module.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|segment| segment == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        first => {
            let child = [&module[..], &[first.to_owned()]].concat();
            modules.get(&child)?;
        }
    }
    Some([&base[..], rest].concat())
}
