//! From a statement to tokens.
//!
//! In fixed form blanks mean nothing, so a name runs on over them: `DO 10 I = 1` begins with the name `do10i`, and
//! `1. D0` is a number. The parser cuts keywords off such names ([`crate::parse::cursor`]).

use crate::form::Statement;
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name or a keyword, in lower case, without blanks.
    Name,
    /// Digits.
    Integer,
    /// A number with a point or an exponent, in lower case.
    Real,
    /// `_8` or `_wp` behind a constant: what follows the underscore.
    Suffix,
    /// `c_char_` or `1_` in front of a character constant: what precedes the underscore.
    Prefix,
    /// A character constant: its characters, without quotes.
    Text,
    /// The characters of `3Habc`.
    Hollerith,
    /// `z'ff'`: the letter of the base, then the digits.
    Boz,
    /// `.and.`, `.true.`, `.mine.`: the letters, in lower case.
    Dotted,
    /// Any other sign.
    Sign(Sign),
}

macro_rules! signs {
    ($($name:ident $text:literal,)*) => {
        /// Signs, the longer ones first.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Sign {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        const SIGNS: &[(Sign, &str)] = &[$((Sign::$name, $text),)*];

        impl Sign {
            /// The sign as it is written.
            pub fn text(self) -> &'static str {
                match self {
                    $(Sign::$name => $text,)*
                }
            }
        }
    };
}

signs! {
    Power "**", Concat "//", Equal "==", NotEqual "/=", LessEqual "<=", GreaterEqual ">=", Points "=>",
    Open "(", Close ")", OpenBracket "[", CloseBracket "]", Comma ",", Assign "=", Plus "+", Minus "-", Times "*",
    Slash "/", Less "<", Greater ">", Colon ":", Percent "%", Period ".", Ampersand "&",
}

/// A token: what it is and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its characters in [`Tokens::clean`].
    pub text: (u32, u32),
    /// Its characters in the statement's text.
    pub raw: (u32, u32),
}

/// The tokens of a statement.
#[derive(Clone, Default, Debug)]
pub struct Tokens {
    /// In order.
    pub tokens: Vec<Token>,
    /// The texts of the tokens that have one, one behind the other.
    pub clean: String,
}

impl Tokens {
    /// The text of a token.
    pub fn text(&self, token: &Token) -> &str {
        &self.clean[token.text.0 as usize..token.text.1 as usize]
    }
}

/// What cannot be a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Its characters in the statement's text.
    pub raw: (u32, u32),
    /// What is wrong.
    pub text: String,
}

/// Splits a statement into tokens.
pub fn tokens(statement: &Statement) -> Result<Tokens, Fault> {
    let mut lexer = Lexer {
        text: &statement.text,
        bytes: statement.text.as_bytes(),
        fixed: statement.fixed,
        at: 0,
        found: Tokens::default(),
    };
    lexer.found.clean.reserve(statement.text.len());
    while lexer.skip_blanks() {
        lexer.token()?;
    }
    Ok(lexer.found)
}

const NO_END: &str = "a character constant without an end: close it on this line, or continue the line";

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    fixed: bool,
    at: usize,
    found: Tokens,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl<'a> Lexer<'a> {
    fn byte(&self, i: usize) -> u8 {
        self.bytes.get(i).copied().unwrap_or(0)
    }

    fn skip_blanks(&mut self) -> bool {
        while self.byte(self.at).is_ascii_whitespace() {
            self.at += 1;
        }
        self.at < self.bytes.len()
    }

    /// The next byte with a meaning, from `i`.
    fn next(&self, mut i: usize) -> usize {
        while self.fixed && self.byte(i).is_ascii_whitespace() {
            i += 1;
        }
        i
    }

    fn add(&mut self, kind: Kind, clean: &str, end: usize) {
        let start = self.found.clean.len();
        self.found.clean.push_str(clean);
        self.push(kind, start, end);
    }

    /// Adds a token whose clean text is there from `start` on.
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let offset = |i: usize| u32::try_from(i).expect("a statement is shorter than that");
        let text = (offset(start), offset(self.found.clean.len()));
        self.found.tokens.push(Token { kind, text, raw: (offset(self.at), offset(end)) });
        self.at = end;
    }

    /// Appends what a run of bytes has, in lower case and without blanks; returns where it ends.
    fn take(&mut self, from: usize, part: impl Fn(u8) -> bool) -> usize {
        let (mut i, mut end) = (from, from);
        while part(self.byte(i)) {
            self.found.clean.push(self.byte(i).to_ascii_lowercase().into());
            end = i + 1;
            i = self.next(end);
        }
        end
    }

    fn token(&mut self) -> Result<(), Fault> {
        let byte = self.byte(self.at);
        match byte {
            b'\'' | b'"' => self.constant(None),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.name(),
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(self.next(self.at + 1)).is_ascii_digit() => self.number(),
            b'.' if self.dotted(self.at).is_some() => {
                let (word, end) = self.dotted(self.at).unwrap_or_default();
                self.add(Kind::Dotted, &word, end);
                if matches!(word.as_str(), "true" | "false") {
                    self.suffix();
                }
                Ok(())
            }
            _ => self.sign(),
        }
    }

    fn name(&mut self) -> Result<(), Fault> {
        let start = self.found.clean.len();
        let end = self.take(self.at, is_name);
        let name = &self.found.clean[start..];
        if matches!(self.byte(end), b'\'' | b'"') {
            if matches!(name, "b" | "o" | "z" | "x") {
                let base = name.to_owned();
                self.found.clean.truncate(start);
                let from = self.at;
                self.at = end;
                self.constant(Some(&base))?;
                if let Some(last) = self.found.tokens.last_mut() {
                    last.raw.0 = u32::try_from(from).unwrap_or_default();
                }
                return Ok(());
            }
            if name.ends_with('_') && name.len() > 1 {
                self.found.clean.pop();
                self.push(Kind::Prefix, start, end);
                return Ok(());
            }
        }
        self.push(Kind::Name, start, end);
        Ok(())
    }

    /// A character constant, or the digits of `base`.
    fn constant(&mut self, base: Option<&str>) -> Result<(), Fault> {
        let quote = char::from(self.byte(self.at));
        let start = self.found.clean.len();
        self.found.clean.push_str(base.unwrap_or_default());
        let mut i = self.at + 1;
        loop {
            let rest = self.text.get(i..).unwrap_or_default();
            let Some(length) = rest.find(quote) else {
                return Err(self.fault(self.bytes.len(), NO_END.to_owned()));
            };
            self.found.clean.push_str(&rest[..length]);
            i += length + 1;
            if self.byte(i) != quote as u8 {
                break;
            }
            self.found.clean.push(quote);
            i += 1;
        }
        if base.is_some() {
            self.push(Kind::Boz, start, i);
            return Ok(());
        }
        let digits = &self.found.clean[start..];
        let behind = self.byte(i).to_ascii_lowercase();
        let is_boz = matches!(behind, b'b' | b'o' | b'z' | b'x') && !is_name(self.byte(i + 1));
        if is_boz && !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            self.found.clean.insert(start, behind.into());
            self.push(Kind::Boz, start, i + 1);
        } else {
            self.push(Kind::Text, start, i);
        }
        Ok(())
    }

    /// The letters of `.name.` and where it ends, if it begins at `i`.
    fn dotted(&self, i: usize) -> Option<(String, usize)> {
        let mut at = self.next(i + 1);
        let mut word = String::new();
        while self.byte(at).is_ascii_alphabetic() || (self.byte(at) == b'_' && !word.is_empty()) {
            word.push(self.byte(at).to_ascii_lowercase().into());
            at = self.next(at + 1);
        }
        (!word.is_empty() && self.byte(at) == b'.').then_some((word, at + 1))
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.found.clean.len();
        let mut end = self.take(self.at, |byte| byte.is_ascii_digit());
        let mut kind = Kind::Integer;
        if self.byte(end) == b'_' && matches!(self.byte(end + 1), b'\'' | b'"') {
            self.push(Kind::Prefix, start, end + 1);
            return Ok(());
        }
        if let Some(end) = self.hollerith(start, end) {
            self.push(Kind::Hollerith, start, end);
            return Ok(());
        }
        let point = self.next(end);
        if self.byte(point) == b'.' && self.dotted(point).is_none() {
            kind = Kind::Real;
            self.found.clean.push('.');
            let fraction = self.next(point + 1);
            end = self.take(fraction, |byte| byte.is_ascii_digit()).max(point + 1);
            if !self.byte(fraction).is_ascii_digit() {
                end = point + 1;
            }
        }
        if let Some(exponent_end) = self.exponent(end, kind) {
            (kind, end) = (Kind::Real, exponent_end);
        }
        self.push(kind, start, end);
        self.suffix();
        Ok(())
    }

    /// Takes an exponent. Behind digits without a point a blank ends the number: `REAL*8 E1` has none.
    fn exponent(&mut self, end: usize, kind: Kind) -> Option<usize> {
        let letter = if kind == Kind::Real { self.next(end) } else { end };
        if !matches!(self.byte(letter).to_ascii_lowercase(), b'e' | b'd' | b'q') {
            return None;
        }
        let mut at = self.next(letter + 1);
        let sign = self.byte(at);
        if matches!(sign, b'+' | b'-') {
            at = self.next(at + 1);
        }
        if !self.byte(at).is_ascii_digit() {
            return None;
        }
        self.found.clean.push(self.byte(letter).to_ascii_lowercase().into());
        if matches!(sign, b'+' | b'-') {
            self.found.clean.push(sign.into());
        }
        Some(self.take(at, |byte| byte.is_ascii_digit()))
    }

    /// Replaces the count that stands from `start` in the clean text by the characters of a Hollerith constant.
    fn hollerith(&mut self, start: usize, end: usize) -> Option<usize> {
        if !matches!(self.byte(end), b'h' | b'H') || self.follows_type() {
            return None;
        }
        let count: usize = self.found.clean[start..].parse().ok().filter(|count| *count > 0)?;
        let rest = self.text.get(end + 1..)?;
        let length = rest.char_indices().nth(count).map_or(rest.len(), |(i, _)| i);
        if rest.chars().take(count).count() < count {
            return None;
        }
        self.found.clean.truncate(start);
        self.found.clean.push_str(&rest[..length]);
        Some(end + 1 + length)
    }

    /// Whether the number is the 8 of `REAL*8`.
    fn follows_type(&self) -> bool {
        let tokens = &self.found.tokens;
        tokens.len() == 2 && tokens[0].kind == Kind::Name && tokens[1].kind == Kind::Sign(Sign::Times)
    }

    /// Takes the kind behind a constant.
    fn suffix(&mut self) {
        let underscore = self.next(self.at);
        let first = self.next(underscore + 1);
        if self.byte(underscore) != b'_' || !is_name(self.byte(first)) {
            return;
        }
        let start = self.found.clean.len();
        self.at = first;
        let end = if self.byte(first).is_ascii_digit() {
            self.take(first, |byte| byte.is_ascii_digit())
        } else {
            self.take(first, is_name)
        };
        self.push(Kind::Suffix, start, end);
    }

    fn sign(&mut self) -> Result<(), Fault> {
        for (sign, text) in SIGNS {
            if let Some(end) = self.spells(text) {
                let start = self.found.clean.len();
                self.push(Kind::Sign(*sign), start, end);
                return Ok(());
            }
        }
        let c = self.text[self.at..].chars().next().unwrap_or_default();
        let text = format!("the character {c:?} has no meaning in Fortran here");
        Err(self.fault(self.at + c.len_utf8(), text))
    }

    /// Where a sign ends that begins here; in fixed form blanks may part it.
    fn spells(&self, text: &str) -> Option<usize> {
        let mut at = self.at;
        for (i, byte) in text.bytes().enumerate() {
            if i > 0 {
                at = self.next(at);
            }
            if self.byte(at) != byte {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    fn fault(&self, end: usize, text: String) -> Fault {
        let offset = |i: usize| u32::try_from(i).expect("a statement is shorter than that");
        let raw: Range<u32> = offset(self.at)..offset(end);
        Fault { raw: (raw.start, raw.end), text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::statements;
    use crate::source::{Form, Source};

    fn lex(text: &str, form: Form) -> Vec<(Kind, String)> {
        let source = Source::of_text("m", text, form, &mut |_, _| None);
        let found = tokens(&statements(&source, form).statements[0]).expect("tokens");
        let text = |token: &Token| match token.kind {
            Kind::Sign(sign) => sign.text().to_owned(),
            _ => found.text(token).to_owned(),
        };
        found.tokens.iter().map(|token| (token.kind, text(token))).collect()
    }

    fn words(text: &str, form: Form) -> Vec<String> {
        lex(text, form).into_iter().map(|(_, text)| text).collect()
    }

    const FIXED: Form = Form::Fixed { columns: 72 };

    #[test]
    fn points_belong_to_numbers_or_to_operators() {
        for (text, expected) in [
            ("a=1.eq.2", vec!["a", "=", "1", "eq", "2"]),
            ("a=1.e5.and.x", vec!["a", "=", "1.e5", "and", "x"]),
            ("a=1..or..5d-3", vec!["a", "=", "1.", "or", ".5d-3"]),
            ("a=1.5_wp+2_8-.true._lk", vec!["a", "=", "1.5", "wp", "+", "2", "8", "-", "true", "lk"]),
            ("a=x.mine.3.e0", vec!["a", "=", "x", "mine", "3.e0"]),
            ("a=1.d0.lt.b", vec!["a", "=", "1.d0", "lt", "b"]),
        ] {
            assert_eq!(words(text, Form::Free), expected, "{text}");
        }
    }

    #[test]
    fn blanks_mean_nothing_in_fixed_form() {
        for (text, expected) in [
            ("DO 10 I = 1. D0, 1 000", vec!["do10i", "=", "1.d0", ",", "1000"]),
            ("X = 1 . E + 3 . AND . Y", vec!["x", "=", "1.e+3", "and", "y"]),
            ("REAL*8 E1, H2", vec!["real", "*", "8", "e1", ",", "h2"]),
            ("X = A * * 2 / / B", vec!["x", "=", "a", "**", "2", "//", "b"]),
            ("X = 'a  b' // 3Hc d", vec!["x", "=", "a  b", "//", "c d"]),
            ("X(1) = 2 .E. 3", vec!["x", "(", "1", ")", "=", "2", "e", "3"]),
        ] {
            assert_eq!(words(&format!("      {text}"), FIXED), expected, "{text}");
        }
    }

    #[test]
    fn constants_lose_their_quotes() {
        let found = lex("s = c_char_'it''s' // \"a'b\" // z'fF' // 'ff'x // b\"01\"", Form::Free);
        let constants: Vec<_> = found.into_iter().filter(|(kind, _)| !matches!(kind, Kind::Sign(_))).skip(1).collect();
        let expected = [
            (Kind::Prefix, "c_char"),
            (Kind::Text, "it's"),
            (Kind::Text, "a'b"),
            (Kind::Boz, "zfF"),
            (Kind::Boz, "xff"),
            (Kind::Boz, "b01"),
        ];
        assert_eq!(constants, expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn unknown_character_is_named() {
        let source = Source::of_text("m", "x = a ? b", Form::Free, &mut |_, _| None);
        let fault = tokens(&statements(&source, Form::Free).statements[0]).expect_err("no token");
        assert_eq!((fault.raw, fault.text.contains("'?'")), ((6, 7), true));
    }
}
