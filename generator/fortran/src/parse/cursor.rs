//! A position in the tokens of a statement.
//!
//! In fixed form a name may hold a keyword with what follows it: `gotox`, `do10i`, `realfunctionf`. The cursor cuts the
//! keyword off and goes on inside of the token; digits that come next are a number.

use crate::form::{Label, Statement};
use crate::lex::{Kind, Sign, Token, Tokens};
use crate::message::Message;
use crate::source::Span;
use crate::tree::expression::Ident;

/// What is read, or why it cannot be.
pub type Parsed<T> = Result<T, Message>;

/// A position in the tokens of a statement.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    statement: &'a Statement,
    tokens: &'a Tokens,
    /// The token.
    at: usize,
    /// How many characters of it are read.
    skip: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a statement.
    pub fn new(statement: &'a Statement, tokens: &'a Tokens) -> Cursor<'a> {
        Cursor { statement, tokens, at: 0, skip: 0 }
    }

    /// The token and its text. Behind a keyword, digits of the same name are a number.
    pub fn peek(&self) -> Option<(Kind, &'a str)> {
        let token = self.tokens.tokens.get(self.at)?;
        let text = self.tokens.text(token);
        if self.skip == 0 {
            return Some((token.kind, text));
        }
        let rest = &text[self.skip..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        Some(if digits > 0 { (Kind::Integer, &rest[..digits]) } else { (Kind::Name, rest) })
    }

    /// The token behind the next one.
    pub fn peek_second(&self) -> Option<(Kind, &'a str)> {
        let mut next = *self;
        next.advance();
        next.peek()
    }

    /// Goes behind the token.
    pub fn advance(&mut self) {
        let length = self.tokens.tokens.get(self.at).map_or(0, |token| self.tokens.text(token).len());
        let taken = if self.skip > 0 { self.peek().map_or(0, |(_, text)| text.len()) } else { length };
        self.skip_behind(taken);
    }

    fn skip_behind(&mut self, taken: usize) {
        let length = self.tokens.tokens.get(self.at).map_or(0, |token| self.tokens.text(token).len());
        self.skip += taken;
        if self.skip >= length {
            (self.at, self.skip) = (self.at + 1, 0);
        }
    }

    /// Whether nothing follows.
    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.tokens.len()
    }

    /// Whether a sign comes next.
    pub fn at(&self, sign: Sign) -> bool {
        matches!(self.peek(), Some((Kind::Sign(next), _)) if next == sign)
    }

    /// Whether a sign comes behind the next token.
    pub fn second_at(&self, sign: Sign) -> bool {
        matches!(self.peek_second(), Some((Kind::Sign(next), _)) if next == sign)
    }

    /// Takes a sign if it comes next.
    pub fn eat(&mut self, sign: Sign) -> bool {
        let found = self.at(sign);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a sign that must come next.
    pub fn expect(&mut self, sign: Sign) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.fault(&format!("`{}` is missing", sign.text()))) }
    }

    /// Takes `::`.
    pub fn eat_colons(&mut self) -> bool {
        let found = self.at(Sign::Colon) && self.second_at(Sign::Colon);
        if found {
            self.advance();
            self.advance();
        }
        found
    }

    /// Takes a keyword, given without blanks: `goto` for `GO TO` as well.
    pub fn keyword(&mut self, word: &str) -> bool {
        let mut next = *self;
        let mut rest = word;
        while !rest.is_empty() {
            let Some((Kind::Name, text)) = next.peek() else { return false };
            if let Some(behind) = rest.strip_prefix(text) {
                rest = behind;
                next.advance();
            } else if self.statement.fixed && text.starts_with(rest) {
                next.skip_behind(rest.len());
                rest = "";
            } else {
                return false;
            }
        }
        *self = next;
        true
    }

    /// Whether a keyword comes next.
    pub fn at_keyword(&self, word: &str) -> bool {
        let mut next = *self;
        next.keyword(word)
    }

    /// The name that comes next.
    pub fn peek_name(&self) -> Option<&'a str> {
        self.peek().filter(|(kind, _)| *kind == Kind::Name).map(|(_, text)| text)
    }

    /// Takes a name if one comes next.
    pub fn eat_name(&mut self) -> Option<Ident> {
        let name = self.peek_name()?;
        let span = self.span();
        self.advance();
        Some(Ident { name: name.into(), span })
    }

    /// Takes a name.
    pub fn name(&mut self) -> Parsed<Ident> {
        self.eat_name().ok_or_else(|| self.fault("a name is missing"))
    }

    /// Takes a label if one comes next.
    pub fn eat_label(&mut self) -> Option<Label> {
        let (kind, text) = self.peek()?;
        let number = text.parse().ok().filter(|_| kind == Kind::Integer)?;
        let span = self.span();
        self.advance();
        Some(Label { number, span })
    }

    /// Takes a label.
    pub fn label(&mut self) -> Parsed<Label> {
        self.eat_label().ok_or_else(|| self.fault("a label is missing"))
    }

    /// Takes items with commas between them.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Cursor<'a>) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(Sign::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Takes names with commas between them.
    pub fn names(&mut self) -> Parsed<Vec<Ident>> {
        self.list(Cursor::name)
    }

    /// Requires the end of the statement.
    pub fn end(&self) -> Parsed<()> {
        if self.is_done() { Ok(()) } else { Err(self.fault("the statement should end")) }
    }

    /// The place of the token, or of the end of the statement.
    pub fn span(&self) -> Span {
        let Some(token) = self.tokens.tokens.get(self.at) else {
            let whole = self.statement.whole();
            return Span { from: whole.to, to: whole.to };
        };
        if self.skip == 0 {
            return self.statement.span(token.raw.0, token.raw.1);
        }
        let length = self.peek().map_or(0, |(_, text)| text.len());
        let (from, to) = (self.raw(token, self.skip), self.raw(token, self.skip + length - 1) + 1);
        self.statement.span(from, to)
    }

    /// Where a character of a name is in the statement's text, blanks between counted.
    fn raw(&self, token: &Token, character: usize) -> u32 {
        let text = &self.statement.text.as_bytes()[token.raw.0 as usize..token.raw.1 as usize];
        let mut places = (token.raw.0..).zip(text).filter(|(_, byte)| !byte.is_ascii_whitespace()).map(|(i, _)| i);
        places.nth(character).unwrap_or(token.raw.0)
    }

    /// From a place before to the end of the token that was taken last.
    pub fn span_from(&self, from: Span) -> Span {
        let Some(before) = (match self.skip {
            0 => self.at.checked_sub(1).and_then(|last| self.tokens.tokens.get(last)).map(|token| token.raw.1),
            taken => self.tokens.tokens.get(self.at).map(|token| self.raw(token, taken - 1) + 1),
        }) else {
            return from;
        };
        from.to(self.statement.span(before.saturating_sub(1), before))
    }

    /// A fault at the token.
    pub fn fault(&self, what: &str) -> Message {
        let before = match self.peek() {
            None => " at the end of the statement".to_owned(),
            Some((Kind::Sign(sign), _)) => format!(" before `{}`", sign.text()),
            Some((_, text)) => format!(" before `{text}`"),
        };
        Message::new(self.span(), format!("{what}{before}"))
    }

    /// Goes behind the parenthesis or bracket that opens here; false without an end.
    pub fn skip_brackets(&mut self) -> bool {
        let mut depth = 0_usize;
        while let Some((kind, _)) = self.peek() {
            match kind {
                Kind::Sign(Sign::Open | Sign::OpenBracket) => depth += 1,
                Kind::Sign(Sign::Close | Sign::CloseBracket) => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return true;
            }
        }
        false
    }

    /// Whether a token that satisfies `wanted` follows outside of parentheses.
    pub fn has_outside(&self, wanted: impl Fn(&Cursor) -> bool) -> bool {
        let mut next = *self;
        while !next.is_done() {
            if wanted(&next) {
                return true;
            }
            if next.at(Sign::Open) || next.at(Sign::OpenBracket) {
                next.skip_brackets();
            } else {
                next.advance();
            }
        }
        false
    }

    /// The text of the statement behind what is read, as it is written.
    pub fn rest(&self) -> &'a str {
        let from = self.tokens.tokens.get(self.at).map_or(self.statement.text.len(), |token| token.raw.0 as usize);
        &self.statement.text[from..]
    }
}
