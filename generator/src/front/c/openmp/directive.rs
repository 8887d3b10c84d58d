//! One directive of OpenMP: its words and clauses, as the preprocessor prints them.

use super::super::tree::Node;

/// A directive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directive {
    /// The text behind `#pragma `, macros expanded.
    pub text: String,
    /// What it asks for: `parallel`, `for`.
    pub words: Vec<String>,
    /// In their order.
    pub clauses: Vec<Clause>,
}

/// `reduction(+ : s)`
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// `reduction`
    pub name: String,
    /// `+`; empty if there is none.
    pub modifier: String,
    /// `s`: names without subscripts.
    pub items: Vec<String>,
}

/// Directives that are no statements.
const DECLARATIVE: [&str; 8] =
    ["threadprivate", "declare", "end", "begin", "requires", "allocate", "assumes", "declare_target"];

impl Directive {
    /// The directive of a line, which stands for the node of this kind; `None` if it does not.
    pub fn parse(text: &str, kind: &str) -> Option<Directive> {
        let words = words_of(kind)?;
        let mut rest = text.strip_prefix("omp")?.trim_start();
        for word in &words {
            rest = rest.strip_prefix(word.as_str())?;
            if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                return None;
            }
            rest = rest.trim_start();
        }
        // The name of a critical section, the variables of a flush.
        if let Some((_, behind)) = parentheses(rest) {
            rest = behind;
        }
        Some(Directive { text: text.trim_end().to_string(), words, clauses: clauses(rest) })
    }

    /// Whether a line is a directive that is a statement.
    pub fn is_statement(text: &str) -> bool {
        let first =
            text.strip_prefix("omp").and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').nth(1));
        first.is_some_and(|first| !DECLARATIVE.contains(&first))
    }

    /// Whether it asks for this, among others.
    pub fn asks(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    /// The clauses of a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Clause> {
        self.clauses.iter().filter(move |clause| clause.name == name)
    }

    /// The loops that `collapse` makes one.
    pub fn loops(&self) -> usize {
        self.all("collapse").find_map(|clause| clause.items.first()?.parse().ok()).unwrap_or(1)
    }
}

/// `OMPParallelForDirective` is parallel, for.
fn words_of(kind: &str) -> Option<Vec<String>> {
    let inner = kind.strip_prefix("OMP")?.strip_suffix("Directive")?;
    let mut words: Vec<String> = Vec::new();
    for c in inner.chars() {
        if c.is_ascii_uppercase() {
            words.push(String::new());
        }
        words.last_mut()?.push(c.to_ascii_lowercase());
    }
    Some(words)
}

/// What stands between the parentheses that a text begins with, and what stands behind them.
fn parentheses(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (c == ')').then(|| (&text[1..at], &text[at + 1..]));
        }
    }
    None
}

fn clauses(text: &str) -> Vec<Clause> {
    let mut all = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\t', ',']);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end.max(1).min(rest.len()));
        let (inside, behind) = parentheses(behind).unwrap_or(("", behind));
        let (modifier, list) = inside.split_once(':').filter(|(front, _)| !front.contains('[')).unwrap_or(("", inside));
        let item = |item: &str| item.split('[').next().unwrap_or_default().trim().to_string();
        let items = outside_of_brackets(list).map(item).filter(|item| !item.is_empty()).collect();
        all.push(Clause { name: name.to_string(), modifier: modifier.trim().to_string(), items });
        rest = behind.trim_start_matches([' ', '\t', ',']);
    }
    all
}

/// The parts of a list, whose commas stand outside of all brackets.
fn outside_of_brackets(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// Whether a node is a directive that is a statement.
pub fn is_directive(node: &Node) -> bool {
    node.kind.starts_with("OMP") && node.kind.ends_with("Directive")
}

/// The nodes that run where a node runs: a directive's clauses are none.
pub fn parts<'n, 'a>(node: &'n Node<'a>) -> &'n [Node<'a>] {
    match node.kind {
        // What the region declares is listed behind its statement once more.
        "CapturedStmt" => node.inner.first().map_or(&[], |region| &region.inner[..region.inner.len().min(1)]),
        _ if is_directive(node) => match node.inner.last() {
            Some(last) if !last.kind.is_empty() && !last.kind.ends_with("Clause") => std::slice::from_ref(last),
            _ => &[],
        },
        _ => &node.inner,
    }
}

/// The statement of a directive, without what the compiler puts around it.
pub fn statement<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let mut inner = parts(node).first()?;
    while inner.kind == "CapturedStmt" {
        inner = parts(inner).first()?;
    }
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_have_modifiers_and_items() {
        let text = "omp parallel for private(i, j), reduction(max : m, a[:n]) nowait schedule(static, g(1, 2))";
        let found = Directive::parse(text, "OMPParallelForDirective").expect("a directive");
        let clause = |name: &str, modifier: &str, items: &[&str]| Clause {
            name: name.into(),
            modifier: modifier.into(),
            items: items.iter().map(ToString::to_string).collect(),
        };
        let all = [
            clause("private", "", &["i", "j"]),
            clause("reduction", "max", &["m", "a"]),
            clause("nowait", "", &[]),
            clause("schedule", "", &["static", "g(1, 2)"]),
        ];
        assert_eq!((found.words, found.clauses), (vec!["parallel".to_string(), "for".into()], all.to_vec()));
    }

    #[test]
    fn a_directive_of_another_kind_is_none() {
        assert_eq!(Directive::parse("omp parallel for", "OMPForDirective"), None);
        assert_eq!(Directive::parse("omp forward", "OMPForDirective"), None);
        let critical = Directive::parse("omp critical(name)", "OMPCriticalDirective").expect("a directive");
        assert!(critical.clauses.is_empty());
        assert!(!Directive::is_statement("omp threadprivate(a)") && Directive::is_statement("omp barrier"));
    }
}
