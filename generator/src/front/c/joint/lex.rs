//! Preprocessed text as tokens, and tokens as declarations.
//!
//! A token carries the blanks, comments and pragmas in front of it, so that tokens in order give the text again. A
//! declaration ends at a `;` outside of all brackets, or with the body of a function.

/// A word, number, literal or sign.
#[derive(Clone, Debug)]
pub struct Token {
    /// Blanks, comments and lines of pragmas in front of it.
    pub before: String,
    /// Its characters.
    pub text: String,
    /// Number of its file, and its line there.
    pub place: (usize, u32),
}

impl Token {
    /// Whether it is a name or a keyword.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
    }
}

/// What is in front of a token, so far.
#[derive(Default)]
pub struct Lexer {
    before: String,
    /// Whether a comment has begun and not ended.
    comment: bool,
    /// Tokens in order.
    pub tokens: Vec<Token>,
}

impl Lexer {
    /// Reads one line of a file.
    pub fn line(&mut self, text: &str, place: (usize, u32)) {
        let mut rest = text;
        if self.comment {
            let Some(end) = rest.find("*/") else {
                self.before += rest;
                return;
            };
            self.before += &rest[..end + 2];
            self.comment = false;
            rest = &rest[end + 2..];
        } else if rest.trim_start().starts_with('#') {
            self.before += rest;
            return;
        }
        while let Some(first) = rest.chars().next() {
            let length = match first {
                c if c.is_whitespace() => {
                    self.before.push(c);
                    rest = &rest[c.len_utf8()..];
                    continue;
                }
                '/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                    None => {
                        self.before += rest;
                        self.comment = true;
                        return;
                    }
                    Some(end) => {
                        self.before += &rest[..end + 4];
                        rest = &rest[end + 4..];
                        continue;
                    }
                },
                '/' if rest.starts_with("//") => {
                    self.before += rest;
                    break;
                }
                '"' | '\'' => quoted(rest),
                c if c.is_ascii_digit() => number(rest),
                '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest),
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                '-' if rest.starts_with("->") => 2,
                c => c.len_utf8(),
            };
            let (token, behind) = rest.split_at(length);
            self.tokens.push(Token { before: std::mem::take(&mut self.before), text: token.into(), place });
            rest = behind;
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The length of a number with its suffix: `1.5e-3f`.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        let sign = matches!(bytes[at], b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        let exponent = !hexadecimal || matches!(bytes[at - 1], b'p' | b'P');
        if !(bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.' || bytes[at] == b'_' || sign && exponent) {
            break;
        }
        at += 1;
    }
    at
}

/// The length of a string or a character with its quotes.
fn quoted(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != bytes[0] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

/// Cuts tokens into declarations.
pub fn declarations(tokens: Vec<Token>) -> Vec<Vec<Token>> {
    let mut all = Vec::new();
    let mut current: Vec<Token> = Vec::new();
    let (mut depth, mut attribute, mut parameters, mut old_style, mut value) = (0_usize, false, false, false, false);
    for token in tokens {
        let text = token.text.clone();
        let last = current.last().map(|token| token.text.clone()).unwrap_or_default();
        // Right behind the parameters of a function, a word begins the declarations of parameters in the old style.
        if depth == 0 && parameters && !value && last == ")" && token.is_word() && !is_attribute(&text) {
            old_style = true;
        }
        current.push(token);
        match text.as_str() {
            "(" | "[" | "{" => {
                if depth == 0 {
                    attribute = is_attribute(&last) || last == ")" && attribute;
                }
                depth += 1;
            }
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && text == ")" {
                    parameters |= !attribute;
                }
                if depth == 0 && text == "}" && parameters && !value {
                    all.push(std::mem::take(&mut current));
                    (parameters, old_style) = (false, false);
                }
            }
            "=" if depth == 0 => value = true,
            ";" if depth == 0 && !old_style => {
                all.push(std::mem::take(&mut current));
                (parameters, value) = (false, false);
            }
            _ => {}
        }
    }
    if !current.is_empty() {
        all.push(current);
    }
    all
}

/// Words whose parentheses are no parameters.
pub fn is_attribute(word: &str) -> bool {
    matches!(
        word,
        "__attribute__"
            | "__attribute"
            | "__asm__"
            | "__asm"
            | "asm"
            | "__declspec"
            | "_Alignas"
            | "__typeof__"
            | "typeof"
            | "_Static_assert"
            | "__extension__"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let mut lexer = Lexer::default();
        for (line, text) in text.lines().enumerate() {
            lexer.line(&format!("{text}\n"), (0, line as u32 + 1));
        }
        let text = |piece: &Vec<Token>| piece.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ");
        declarations(lexer.tokens).iter().map(text).collect()
    }

    #[test]
    fn function_ends_with_its_body_and_a_variable_at_its_semicolon() {
        let found = pieces("static double f(double x) { return x; } double a[2] = {1., .5e-3}; int g(void);");
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[1], "double a [ 2 ] = { 1. , .5e-3 } ;");
    }

    #[test]
    fn parameters_in_the_old_style_belong_to_their_function() {
        let found = pieces("double f(a, n) double a; int n; { return a; }\nint x;");
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn prototypes_of_one_declaration_end_with_their_semicolon() {
        let found = pieces("extern double *f(int), *g(double *, int);\nstatic int x;\nint h(void) { return x; }");
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn attributes_are_no_parameters() {
        let found = pieces("__attribute__((unused)) static int x; struct s { int a; } y; int z __attribute__((used));");
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
