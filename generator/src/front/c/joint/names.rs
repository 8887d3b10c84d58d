//! What a declaration at file scope declares.

use super::lex::{Token, is_attribute};

/// A name and what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// As the source has it.
    pub name: String,
    /// What it names.
    pub what: What,
}

/// Kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Typedef, tag or enumerator: one file's own.
    Type,
    /// A function or a constant that is static: one file's own.
    Own,
    /// A static variable: one file's own, and never the same as another file's.
    Variable,
    /// Known to the linker.
    Shared,
}

/// The names that a declaration declares, tags and enumerators among them.
pub fn declared(tokens: &[Token]) -> Vec<Declared> {
    let mut found = Vec::new();
    types_inside(tokens, &mut found);
    let outer = outside_of_brackets(tokens);
    let has = |word: &str| outer.iter().any(|at| tokens[*at].text == word);
    // A pointer to what is constant may change itself.
    let before_value = outer.iter().map(|at| tokens[*at].text.as_str()).take_while(|text| *text != "=");
    let behind_star = before_value.collect::<Vec<_>>();
    let star = behind_star.iter().rposition(|text| *text == "*").map_or(0, |at| at + 1);
    let constant = behind_star[star..].contains(&"const");
    let is_function = outer.iter().any(|at| tokens[*at].text == "(") && !has("=");
    let what = match () {
        () if has("typedef") => What::Type,
        () if !has("static") => What::Shared,
        () if is_function || constant => What::Own,
        () => What::Variable,
    };
    for name in declarators(tokens, &outer) {
        found.push(Declared { name, what });
    }
    found
}

/// Positions of the tokens that stand outside of all brackets; an opening bracket counts as outside, attributes not.
fn outside_of_brackets(tokens: &[Token]) -> Vec<usize> {
    let (mut found, mut depth, mut skip) = (Vec::new(), 0_usize, false);
    for (at, token) in tokens.iter().enumerate() {
        let text = token.text.as_str();
        if depth == 0 && is_attribute(text) {
            skip = true;
            continue;
        }
        if matches!(text, ")" | "]" | "}") {
            depth = depth.saturating_sub(1);
            skip &= depth > 0;
            continue;
        }
        if depth == 0 && !skip {
            found.push(at);
        }
        if matches!(text, "(" | "[" | "{") {
            depth += 1;
        }
    }
    found
}

/// The names of a declaration's variables, functions or types.
fn declarators(tokens: &[Token], outer: &[usize]) -> Vec<String> {
    let (mut found, mut named) = (Vec::new(), false);
    let mut value = false;
    for (position, at) in outer.iter().enumerate() {
        let token = &tokens[*at];
        match token.text.as_str() {
            "=" => value = true,
            "," => (value, named) = (false, false),
            // `(*name)(...)`, a pointer to a function or to an array.
            "(" if !named && !value => {
                let inside = tokens[*at + 1..].iter().take_while(|token| token.text != ")");
                found.extend(inside.filter(|token| token.is_word()).last().map(|token| token.text.clone()));
                named = true;
            }
            _ if value || named || !token.is_word() || is_keyword(&token.text) => {}
            _ => {
                let next = outer.get(position + 1).map(|at| tokens[*at].text.as_str());
                let tag =
                    position > 0 && matches!(tokens[outer[position - 1]].text.as_str(), "struct" | "union" | "enum");
                if !tag && matches!(next, Some("(" | "[" | "=" | "," | ";" | ":") | None) {
                    found.push(token.text.clone());
                    named = true;
                }
                // Behind the parameters of a function stand its body or old declarations of parameters, unless the
                // declaration goes on with a comma.
                let behind = outer.get(position + 2).map(|at| tokens[*at].text.as_str());
                if matches!(next, Some("(")) && behind != Some(",") {
                    return found;
                }
            }
        }
    }
    found
}

/// Tags of structs that are defined, and enumerators, anywhere outside of the bodies of functions.
fn types_inside(tokens: &[Token], found: &mut Vec<Declared>) {
    let mut at = 0;
    while at < tokens.len() {
        let kind = tokens[at].text.as_str();
        if kind == "{" && at > 0 && tokens[at - 1].text == ")" {
            return;
        }
        if matches!(kind, "struct" | "union" | "enum") {
            let open = (at + 1..tokens.len()).take_while(|at| tokens[*at].is_word()).last().unwrap_or(at) + 1;
            if tokens.get(open).is_some_and(|token| token.text == "{") {
                if open > at + 1 {
                    found.push(Declared { name: tokens[open - 1].text.clone(), what: What::Type });
                }
                if kind == "enum" {
                    enumerators(&tokens[open + 1..], found);
                }
            }
        }
        at += 1;
    }
}

fn enumerators(tokens: &[Token], found: &mut Vec<Declared>) {
    let (mut begins, mut depth) = (true, 0_usize);
    for token in tokens {
        match token.text.as_str() {
            "}" if depth == 0 => return,
            "(" | "{" => depth += 1,
            ")" | "}" => depth -= 1,
            "," if depth == 0 => begins = true,
            _ => {
                if begins && token.is_word() {
                    found.push(Declared { name: token.text.clone(), what: What::Type });
                }
                begins = false;
            }
        }
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "auto"
            | "char"
            | "const"
            | "double"
            | "enum"
            | "extern"
            | "float"
            | "inline"
            | "int"
            | "long"
            | "register"
            | "restrict"
            | "short"
            | "signed"
            | "static"
            | "struct"
            | "typedef"
            | "union"
            | "unsigned"
            | "void"
            | "volatile"
            | "_Bool"
            | "_Complex"
            | "__inline"
            | "__inline__"
            | "__restrict"
            | "__const"
            | "_Noreturn"
    )
}

#[cfg(test)]
mod tests {
    use super::super::lex::{Lexer, declarations};
    use super::*;

    fn names(text: &str) -> Vec<(String, What)> {
        let mut lexer = Lexer::default();
        lexer.line(text, (0, 1));
        let pieces = declarations(lexer.tokens);
        pieces.iter().flat_map(|piece| declared(piece)).map(|found| (found.name, found.what)).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, What)]) {
        let expected: Vec<_> = expected.iter().map(|(name, what)| (name.to_string(), *what)).collect();
        assert_eq!(names(text), expected, "{text}");
    }

    #[test]
    fn names_of_declarations_are_found() {
        use What::*;
        check("static const double a[2] = {b, c}, d = 1;", &[("a", Own), ("d", Own)]);
        check("static double *p, q[3];", &[("p", Variable), ("q", Variable)]);
        check("double f(double x) { static int n; return g(x); }", &[("f", Shared)]);
        check("static inline double f(x) double x; { return x; }", &[("f", Own)]);
        check("typedef struct t { double x; } s;", &[("t", Type), ("s", Type)]);
        check("typedef double (*call)(int, void *);", &[("call", Type)]);
        check("enum e { A, B = (1, 2), C };", &[("e", Type), ("A", Type), ("B", Type), ("C", Type)]);
        check("struct s f(struct s *x);", &[("f", Shared)]);
        check("extern double x __attribute__((aligned(8)));", &[("x", Shared)]);
        check("double *f(int), *g(double *), x;", &[("f", Shared), ("g", Shared), ("x", Shared)]);
        check("static vec3 y;", &[("y", Variable)]);
    }
}
