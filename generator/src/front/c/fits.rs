//! Whether a syntax tree that was written before is that of a source as it is now.
//!
//! A tree names files, and where in them each token stands. Names, numbers, operators and keywords of the tree must
//! stand there in the text, and each pair of braces of the text must be part of the tree.

use super::sources::readable;
use super::tree::{Location, NOWHERE, Node, Pos, Tree};
use crate::directives::{literal, without_comments};
use crate::ir::Span;
use crate::refuse::{Class, Refusal};

/// Statements that begin with a word.
const WORDS: [(&str, &str); 8] = [
    ("IfStmt", "if"),
    ("ForStmt", "for"),
    ("WhileStmt", "while"),
    ("DoStmt", "do"),
    ("SwitchStmt", "switch"),
    ("ReturnStmt", "return"),
    ("BreakStmt", "break"),
    ("ContinueStmt", "continue"),
];

/// A name, a number or an operator of the tree that does not stand in the text.
struct Misfit {
    file: u32,
    offset: u32,
    expected: String,
}

struct Texts<'t> {
    tree: &'t Tree<'t>,
    /// The texts of its files; none of one that is not there, or is the system's.
    all: Vec<Option<String>>,
}

/// Refuses a tree, read from the file `named`, that is not that of a source.
pub fn check(tree: &Tree, named: &str, source: &str) -> Result<(), Refusal> {
    let refused = |what: String| {
        let help = format!("write it again: clang -Xclang -ast-dump=json -fsyntax-only {source} > {named}");
        Err(Refusal { class: Class::Head, span: Span::default(), what: format!("adtape: {what}"), help })
    };
    let own = |path: &&String| !path.starts_with("/usr/") && !path.starts_with('<');
    let Some(main) = tree.files.iter().position(|path| path == source) else {
        let others: Vec<&str> = tree.files.iter().filter(own).map(String::as_str).collect();
        return refused(format!("{named} is not the syntax tree of {source}: it names {}", others.join(", ")));
    };
    if let Some(includer) = &tree.includers[main] {
        return refused(format!("{named} is the syntax tree of {includer}, which includes {source}"));
    }
    let read = |path: &String| std::fs::read(path).ok().filter(|_| own(&path)).map(readable);
    let texts = Texts { tree, all: tree.files.iter().map(read).collect() };
    if let Some(misfit) = tree.root.inner.iter().find_map(|node| texts.misfit(node)) {
        let path = &tree.files[misfit.file as usize];
        let text = texts.all[misfit.file as usize].as_deref().unwrap_or_default();
        let line = text.bytes().take(misfit.offset as usize).filter(|byte| *byte == b'\n').count() + 1;
        let what = format!("'{}' is not where it was, at line {line}", misfit.expected);
        return refused(format!("{named} is the syntax tree of another text than that of {path}: {what}"));
    }
    if let Some(line) = texts.unknown(main as u32) {
        let what = format!("what line {line} declares is not in it");
        return refused(format!("{named} is the syntax tree of another text than that of {source}: {what}"));
    }
    Ok(())
}

impl Texts<'_> {
    /// The text of a file of which something is known.
    fn of(&self, file: u32) -> Option<&str> {
        (file != NOWHERE).then(|| self.all.get(file as usize)?.as_deref()).flatten()
    }

    /// What stands at a position; no text where the file ends before it.
    fn token(&self, at: Pos) -> Option<&str> {
        let text = self.of(at.file)?;
        Some(text.get(at.offset as usize..(at.offset + at.length) as usize).unwrap_or_default())
    }

    /// The first part of a node that does not stand in the text.
    fn misfit(&self, node: &Node) -> Option<Misfit> {
        self.own_misfit(node).or_else(|| node.inner.iter().find_map(|part| self.misfit(part)))
    }

    fn own_misfit(&self, node: &Node) -> Option<Misfit> {
        let (at, expected) = match node.kind {
            _ if node.implicit => return None,
            "FunctionDecl" | "VarDecl" | "ParmVarDecl" | "FieldDecl" | "TypedefDecl" | "EnumConstantDecl" => {
                (node.location, node.name.to_string())
            }
            "DeclRefExpr" => (node.begin, node.refers_name.to_string()),
            "MemberExpr" => (node.end, node.name.to_string()),
            "IntegerLiteral" | "FloatingLiteral" => return self.another_number(node),
            "BinaryOperator" | "CompoundAssignOperator" => return self.another_operator(node),
            "UnaryOperator" => (if node.flag { node.end } else { node.begin }, node.operator.to_string()),
            kind => (node.begin, WORDS.iter().find(|(known, _)| *known == kind)?.1.to_string()),
        };
        let at = spelling(at);
        let differs = !expected.is_empty() && !expected.starts_with("__") && at.length > 0;
        (differs && self.token(at)? != expected).then_some(Misfit { file: at.file, offset: at.offset, expected })
    }

    fn another_number(&self, node: &Node) -> Option<Misfit> {
        let at = spelling(node.begin);
        let text = self.token(at)?.trim_end_matches(['u', 'U', 'l', 'L']).replace('\'', "");
        let is_equal = if node.kind == "IntegerLiteral" {
            let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok();
            let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
                Some(digits) => radix(digits, 16),
                None if text.len() > 1 && text.starts_with('0') => radix(&text[1..], 8),
                None => text.parse().ok(),
            };
            // What other digits may stand for, binary ones, is not compared, but a number it must be.
            value.map_or(text.starts_with(|c: char| c.is_ascii_digit()), |value| node.value == value.to_string())
        } else {
            match (text.trim_end_matches(['f', 'F']).parse::<f64>(), node.value.parse::<f64>()) {
                (Ok(here), Ok(there)) => (here - there).abs() <= 1e-6 * there.abs() || here == there,
                _ => text.starts_with(|c: char| c.is_ascii_digit() || c == '.'),
            }
        };
        let expected = node.value.to_string();
        (!is_equal).then_some(Misfit { file: at.file, offset: at.offset, expected })
    }

    /// An operator stands between its operands.
    fn another_operator(&self, node: &Node) -> Option<Misfit> {
        let [left, right] = &node.inner[..] else { return None };
        let is_plain = |at: Location| at.spelled.is_none();
        if !is_plain(left.end) || left.end.at.file != right.begin.at.file {
            return None;
        }
        let begin = left.end.at.offset + left.end.at.length;
        let text = self.of(left.end.at.file)?.get(begin as usize..right.begin.at.offset as usize).unwrap_or_default();
        let between = without_comments(text);
        let between = between.trim_matches(|c: char| c.is_whitespace() || c == '(' || c == ')');
        // A line may end in a backslash, and an operator may be a macro.
        let is_macro = !between.is_empty() && between.chars().all(|c| c.is_alphanumeric() || c == '_');
        let continued = between.contains('\\') && between.contains(&*node.operator);
        // A macro may begin with the operator.
        let inside = between.is_empty() && !is_plain(right.begin);
        let stands = between == node.operator || is_macro || continued || inside;
        let expected = node.operator.to_string();
        (!stands).then_some(Misfit { file: left.end.at.file, offset: begin, expected })
    }

    /// The line of the first brace outside of all nodes and directives of conditions.
    fn unknown(&self, file: u32) -> Option<usize> {
        let text = self.of(file)?;
        let mut covered: Vec<(u32, u32)> = Vec::new();
        for node in &self.tree.root.inner {
            if node.begin.at.file == file && node.end.at.file == file {
                covered.push((node.begin.at.offset, node.end.at.offset + node.end.at.length));
            }
        }
        let is_covered = |at: usize| covered.iter().any(|(begin, end)| (*begin as usize..*end as usize).contains(&at));
        let (mut at, mut depth) = (0, 0_usize);
        while at < text.len() {
            let rest = &text[at..];
            let starts_line = text[..at].trim_end_matches([' ', '\t']).ends_with('\n') || at == 0;
            if rest.starts_with("/*") {
                at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            } else if rest.starts_with("//") {
                at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with(['"', '\'']) {
                at += literal(rest);
            } else if rest.starts_with('#') && starts_line {
                let directive = rest[1..].trim_start();
                depth = match () {
                    () if directive.starts_with("if") => depth + 1,
                    () if directive.starts_with("endif") => depth.saturating_sub(1),
                    () => depth,
                };
                let mut length = rest.find('\n').unwrap_or(rest.len());
                while rest[..length].ends_with('\\') {
                    length += 1 + rest[length + 1..].find('\n').unwrap_or(rest.len() - length - 1);
                }
                at += length;
            } else {
                if rest.starts_with('{') && depth == 0 && !is_covered(at) {
                    return Some(text[..at].matches('\n').count() + 1);
                }
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        None
    }
}

/// Where a token is written.
fn spelling(at: Location) -> Pos {
    at.spelled.unwrap_or(at.at)
}
