//! Words of the text form.

use std::fmt;

use crate::ir::Span;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a keyword: `for`, `i`, `i'1`.
    Name(String),
    /// A value: `i.2`.
    Value(String, u32),
    /// An integer constant and its suffix in lower case.
    Int(i128, String),
    /// A floating constant.
    Float(String),
    /// A string.
    Text(String),
    /// `#3`.
    Number(u32),
    /// `@14:3`.
    Span(Span),
    /// An operator or a bracket.
    Punct(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Name(name) => write!(f, "'{name}'"),
            Token::Value(name, label) => write!(f, "'{name}.{label}'"),
            Token::Int(n, suffix) => write!(f, "'{n}{suffix}'"),
            Token::Float(text) => write!(f, "'{text}'"),
            Token::Text(text) => write!(f, "{text:?}"),
            Token::Number(n) => write!(f, "'#{n}'"),
            Token::Span(span) => write!(f, "'@{}:{}'", span.line, span.column),
            Token::Punct(text) => write!(f, "'{text}'"),
        }
    }
}

/// Longer ones first.
const PUNCTUATION: [&str; 40] = [
    "+=", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::", "(", ")", "[", "]", "{", "}", ",", ";", ":", "=",
    "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "?", ".", "#", "@", "\\", "'", "$",
];

/// All tokens, each with its line.
pub(super) fn lex(text: &str) -> Result<Vec<(Token, usize)>, String> {
    let mut lexer = Lexer { rest: text, line: 1, tokens: Vec::new() };
    while lexer.skip_blanks() {
        let line = lexer.line;
        let token = lexer.token().map_err(|what| format!("line {line}: {what}"))?;
        lexer.tokens.push((token, line));
    }
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    tokens: Vec<(Token, usize)>,
}

impl<'a> Lexer<'a> {
    /// Whether anything is left.
    fn skip_blanks(&mut self) -> bool {
        loop {
            if let Some(rest) = self.rest.strip_prefix("//") {
                self.rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            } else if let Some(c) = self.rest.chars().next().filter(|c| c.is_whitespace()) {
                self.line += usize::from(c == '\n');
                self.rest = &self.rest[c.len_utf8()..];
            } else {
                return !self.rest.is_empty();
            }
        }
    }

    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn token(&mut self) -> Result<Token, String> {
        let first = self.rest.chars().next().unwrap_or_default();
        let second = self.rest.chars().nth(1).unwrap_or_default();
        if first.is_ascii_alphabetic() || first == '_' {
            return self.name();
        }
        if first.is_ascii_digit() || first == '.' && second.is_ascii_digit() {
            return self.constant();
        }
        if first == '"' {
            return self.string();
        }
        if first == '#' && second.is_ascii_digit() {
            self.rest = &self.rest[1..];
            return self.count().map(Token::Number);
        }
        if first == '@' {
            self.rest = &self.rest[1..];
            return self.span();
        }
        let known = PUNCTUATION.into_iter().find(|punct| self.rest.starts_with(punct));
        let known = known.ok_or_else(|| format!("'{first}' means nothing here"))?;
        self.rest = &self.rest[known.len()..];
        Ok(Token::Punct(known))
    }

    fn count(&mut self) -> Result<u32, String> {
        let digits = self.take(|c| c.is_ascii_digit());
        digits.parse().map_err(|_| format!("expected a small number, not '{digits}'"))
    }

    fn name(&mut self) -> Result<Token, String> {
        let mut name = self.take(|c| c.is_ascii_alphanumeric() || c == '_').to_string();
        let digit_behind = |rest: &str, mark: char| {
            rest.strip_prefix(mark).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        if digit_behind(self.rest, '\'') {
            self.rest = &self.rest[1..];
            name = format!("{name}'{}", self.count()?);
        }
        if digit_behind(self.rest, '.') {
            self.rest = &self.rest[1..];
            return Ok(Token::Value(name, self.count()?));
        }
        Ok(Token::Name(name))
    }

    fn constant(&mut self) -> Result<Token, String> {
        if let Some(rest) = self.rest.strip_prefix("0x") {
            self.rest = rest;
            let digits = self.take(|c| c.is_ascii_hexdigit());
            let n = i128::from_str_radix(digits, 16).map_err(|_| format!("'0x{digits}' is no number"))?;
            return Ok(Token::Int(n, self.take(|c| "uUlL".contains(c)).to_lowercase()));
        }
        let all = self.rest;
        let mut end = 0;
        let mut is_float = false;
        let bytes = all.as_bytes();
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'0'..=b'9' => {}
                b'.' => is_float = true,
                b'e' | b'E' => {
                    is_float = true;
                    end += usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
                }
                _ => break,
            }
            end += 1;
        }
        self.rest = &all[end..];
        let digits = &all[..end];
        if is_float {
            let suffix = self.take(|c| "fFlL".contains(c));
            return Ok(Token::Float(format!("{digits}{suffix}")));
        }
        let n = digits.parse().map_err(|_| format!("'{digits}' is no number"))?;
        Ok(Token::Int(n, self.take(|c| "uUlL".contains(c)).to_lowercase()))
    }

    /// A string with the escapes of Rust's `{:?}`.
    fn string(&mut self) -> Result<Token, String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.line += self.rest[..at].matches('\n').count();
                    self.rest = &self.rest[at + 1..];
                    return Ok(Token::Text(text));
                }
                '\\' => match chars.next().map(|next| next.1) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('0') => text.push('\0'),
                    Some('u') => {
                        let code: String =
                            chars.by_ref().map(|next| next.1).take_while(|c| *c != '}').skip(1).collect();
                        let code = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                        text.push(code.ok_or("an escape is no character")?);
                    }
                    Some(other) => text.push(other),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err("a string has no end".into())
    }

    /// `@[source/]line[:column[:start-end]]`
    fn span(&mut self) -> Result<Token, String> {
        let mut span = Span { line: self.count()?, ..Span::default() };
        if let Some(rest) = self.rest.strip_prefix('/') {
            self.rest = rest;
            span.source = span.line;
            span.line = self.count()?;
        }
        if let Some(rest) = self.rest.strip_prefix(':') {
            self.rest = rest;
            span.column = self.count()?;
            if let Some(rest) = self.rest.strip_prefix(':') {
                self.rest = rest;
                span.start = self.count()?;
                self.rest = self.rest.strip_prefix('-').ok_or("expected '-' between first and last byte")?;
                span.end = self.count()?;
            }
        }
        Ok(Token::Span(span))
    }
}
