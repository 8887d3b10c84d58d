//! Declarations of a text without what makes them definitions: another object file has that.

use super::lex::Token;
use super::names::{self, What};
use crate::ir::{Part, PartKind};

/// A declaration at file scope; none if it declares nothing.
pub fn of(tokens: &[Token]) -> Option<Part> {
    let declared = names::declared(tokens);
    let first = declared.iter().find(|found| found.what != What::Type).or(declared.first())?;
    let open = body(tokens);
    let kind = match (first.what, open) {
        (What::Type, _) => PartKind::Type,
        (What::Own, Some(_)) => PartKind::StaticFunction,
        (What::Own, None) if is_prototype(tokens) => PartKind::StaticPrototype,
        (What::Own, None) => PartKind::Constant,
        (What::Variable, _) => PartKind::StaticVariable,
        // Without `extern`, C has it in each file that calls it.
        (What::Shared, Some(open)) if is_inline(&tokens[..open]) => PartKind::StaticFunction,
        (What::Shared, _) => PartKind::Shared,
    };
    let outside = match (kind, open) {
        (PartKind::Shared, Some(open)) => prototype(&tokens[..open]),
        (PartKind::Shared, None) if is_prototype(tokens) => text(tokens),
        (PartKind::Shared, None) => variable(tokens),
        _ => String::new(),
    };
    let names = declared.into_iter().map(|found| found.name).collect();
    Some(Part { names, kind, whole: text(tokens), outside, pragmas: pragmas(tokens) })
}

/// Where the body of a function begins.
fn body(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_usize;
    let (mut parameters, mut value) = (false, false);
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "{" if depth == 0 && parameters && !value => return Some(at),
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                parameters |= depth == 0 && token.text == ")";
            }
            "=" if depth == 0 => value = true,
            _ => {}
        }
    }
    None
}

/// Whether a declaration without a body is one of functions.
fn is_prototype(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    let mut found = false;
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            // `(*name)(...)` is a pointer.
            "(" if depth == 0 => {
                let before = at.checked_sub(1).map(|before| &tokens[before]);
                let is_name = before.is_some_and(|before| before.is_word() && !super::lex::is_attribute(&before.text));
                let is_star = tokens.get(at + 1).is_some_and(|next| next.text == "*");
                found |= is_name && !is_star;
                depth += 1;
            }
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "=" if depth == 0 => return false,
            _ => {}
        }
    }
    found
}

fn is_inline(head: &[Token]) -> bool {
    let has = |words: &[&str]| head.iter().any(|token| words.contains(&token.text.as_str()));
    has(&["inline", "__inline", "__inline__"]) && !has(&["extern"])
}

/// The prototype of a function; one with parameters in the old style has none in it.
fn prototype(head: &[Token]) -> String {
    match head.iter().position(|token| token.text == ";") {
        Some(_) => {
            let open = head.iter().position(|token| token.text == "(").unwrap_or_default();
            format!("{});", text(&head[..=open]))
        }
        None => format!("{};", text(head)),
    }
}

/// A variable without its initialiser.
fn variable(tokens: &[Token]) -> String {
    let mut kept: Vec<Token> = Vec::new();
    let (mut depth, mut value) = (0_usize, false);
    for token in tokens {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "=" if depth == 0 => value = true,
            "," | ";" if depth == 0 => value = false,
            _ => {}
        }
        if !value {
            kept.push(token.clone());
        }
    }
    let is_extern = kept.iter().any(|token| token.text == "extern");
    format!("{}{}", if is_extern { "" } else { "extern " }, text(&kept))
}

/// Tokens as text, without comments and empty lines.
fn text(tokens: &[Token]) -> String {
    let mut out = String::new();
    for token in tokens {
        let comment = token.before.find(['/', '#']);
        let blanks = comment.map_or(token.before.as_str(), |at| &token.before[..at]);
        if !out.is_empty() && !token.before.is_empty() {
            match blanks.rfind('\n').or(token.before.rfind('\n').filter(|_| comment.is_some())) {
                Some(at) => {
                    let indent: String = token.before[at + 1..].chars().take_while(|c| c.is_whitespace()).collect();
                    out += &format!("\n{indent}");
                }
                None => out.push(' '),
            }
        }
        out += &token.text;
    }
    out
}

/// The pragmas in front of a declaration and inside, which may hold for what follows: `#pragma pack(pop)`.
fn pragmas(tokens: &[Token]) -> String {
    let lines = tokens.iter().flat_map(|token| token.before.lines());
    let kept = lines.filter(|line| line.trim_start().starts_with("#pragma pack"));
    kept.map(|line| format!("{}\n", line.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lex::{Lexer, declarations};
    use super::*;

    fn parts(text: &str) -> Vec<Part> {
        let mut lexer = Lexer::default();
        for (line, text) in text.lines().enumerate() {
            lexer.line(&format!("{text}\n"), (0, line as u32 + 1));
        }
        declarations(lexer.tokens).iter().filter_map(|piece| of(piece)).collect()
    }

    #[track_caller]
    fn check(text: &str, kind: PartKind, outside: &str) {
        let found = parts(text);
        assert_eq!((found.len(), found[0].kind, found[0].outside.as_str()), (1, kind, outside), "{text}");
    }

    #[test]
    fn definitions_become_declarations() {
        use PartKind::*;
        check("double f(double x) /* c */ { return x; }", Shared, "double f(double x);");
        check("double f(x, n) double x; int n; { return x; }", Shared, "double f();");
        check("struct s f(int n) { return g(n); }", Shared, "struct s f(int n);");
        check("double a = 1.0, b[2] = {1, 2}, *c;", Shared, "extern double a, b[2], *c;");
        check("double (*law)(double) = g;", Shared, "extern double (*law)(double);");
        check("extern const double w[3];", Shared, "extern const double w[3];");
        check("struct s { double x; } v = {1};", Shared, "extern struct s { double x; } v;");
        check("double g(double, int);", Shared, "double g(double, int);");
        check("inline double f(double x) { return x; }", StaticFunction, "");
        check("static double f(double x) { return x; }", StaticFunction, "");
        check("static double f(double x);", StaticPrototype, "");
        check("static const double w[2] = {1, 2};", Constant, "");
        check("static double w[2] = {1, 2};", StaticVariable, "");
        check("typedef double (*law)(double);", Type, "");
        check("struct s { double x; };", Type, "");
    }

    #[test]
    fn pragmas_that_lay_out_types_stay() {
        let found = parts("#pragma pack(push, 1)\nstruct s { char c; double x; };\n#pragma pack(pop)\nint n;\n");
        assert_eq!([&found[0].pragmas, &found[1].pragmas], ["#pragma pack(push, 1)\n", "#pragma pack(pop)\n"]);
    }
}
