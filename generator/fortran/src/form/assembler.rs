//! Statements under construction: both forms feed their lines here.

use super::statement::{Kind, Label, Statement, Statements, offset};
use crate::source::{Place, Span};

/// What the next character is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Code: `!` begins a comment, `;` ends the statement.
    Code,
    /// A character constant that this quote ends.
    Quoted(u8),
    /// A Hollerith constant with so many characters to come.
    Hollerith(usize),
}

/// Why a line's text ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The line is over.
    Line,
    /// `&` in free form: the statement goes on.
    Ampersand,
}

/// Builds statements from pieces of lines.
pub struct Assembler {
    /// What is finished.
    pub done: Statements,
    /// What the next character is part of.
    pub state: State,
    current: Option<Statement>,
    fixed: bool,
}

impl Assembler {
    pub fn new(fixed: bool) -> Assembler {
        Assembler { done: Statements::default(), state: State::Code, current: None, fixed }
    }

    /// Whether a statement is under construction.
    pub fn is_open(&self) -> bool {
        self.current.is_some()
    }

    /// Begins a statement.
    pub fn begin(&mut self, kind: Kind, label: Option<Label>) {
        self.finish();
        self.current = Some(Statement::new(kind, label, self.fixed));
    }

    /// Ends the statement, if there is one. An empty one without a label leaves nothing.
    pub fn finish(&mut self) {
        let Some(mut statement) = self.current.take() else { return };
        if let State::Hollerith(left) = self.state {
            statement.text.extend(std::iter::repeat_n(' ', left));
        }
        // The lexer reports a character constant without an end.
        self.state = State::Code;
        if !self.fixed && statement.kind == Kind::Code {
            split_label(&mut statement);
        }
        if statement.label.is_some() || !statement.text.trim().is_empty() {
            self.done.statements.push(statement);
        }
    }

    /// Adds blanks that the text does not have: the rest of a short line.
    pub fn pad(&mut self, count: usize) {
        let count = match self.state {
            State::Code => 0,
            State::Quoted(_) => count,
            State::Hollerith(left) => {
                self.state = if left > count { State::Hollerith(left - count) } else { State::Code };
                count.min(left)
            }
        };
        if let Some(statement) = &mut self.current {
            statement.text.extend(std::iter::repeat_n(' ', count));
        }
    }

    /// Adds one blank, which ends a word.
    pub fn separate(&mut self) {
        if let Some(statement) = &mut self.current {
            statement.text.push(' ');
        }
    }

    /// Adds a line's text as it is, for directives.
    pub fn add_verbatim(&mut self, text: &str, place: Place) {
        let Some(statement) = &mut self.current else { return };
        statement.continue_at(place);
        statement.text.push_str(text);
    }

    /// Adds a line's text, up to its comment; `;` begins the next statement.
    pub fn add(&mut self, text: &str, place: Place) -> Ended {
        let bytes = text.as_bytes();
        let at = |i: usize| Place { line: place.line, column: place.column + offset(i) };
        let mut i = 0;
        self.start_piece(at(0));
        while i < bytes.len() {
            match self.state {
                State::Quoted(_) | State::Hollerith(_) => {
                    let (next, ended) = self.add_constant(text, i);
                    if ended == Ended::Ampersand {
                        return ended;
                    }
                    i = next;
                }
                State::Code => match bytes[i] {
                    b'!' => {
                        self.done.comments.push(Span { from: at(i), to: at(bytes.len()) });
                        return Ended::Line;
                    }
                    b';' => {
                        self.begin(Kind::Code, None);
                        i += 1;
                        self.start_piece(at(i));
                    }
                    b'&' if !self.fixed && is_last(&text[i + 1..]) => {
                        if let Some(comment) = text[i..].find('!') {
                            self.done.comments.push(Span { from: at(i + comment), to: at(bytes.len()) });
                        }
                        return Ended::Ampersand;
                    }
                    _ => i = self.add_code(text, i),
                },
            }
        }
        Ended::Line
    }

    fn start_piece(&mut self, place: Place) {
        if let Some(statement) = &mut self.current {
            statement.continue_at(place);
        }
    }

    fn push(&mut self, text: &str) {
        if let Some(statement) = &mut self.current {
            statement.text.push_str(text);
        }
    }

    /// Adds code up to the next character with a meaning here.
    fn add_code(&mut self, text: &str, i: usize) -> usize {
        let bytes = text.as_bytes();
        let special = |byte: u8| matches!(byte, b'!' | b';' | b'&' | b'\'' | b'"' | b'h' | b'H');
        let first = bytes[i];
        let length = bytes[i + 1..].iter().position(|byte| special(*byte)).unwrap_or(bytes.len() - i - 1);
        match first {
            b'\'' | b'"' => {
                self.state = State::Quoted(first);
                self.push(&text[i..=i]);
                i + 1
            }
            b'h' | b'H' => {
                let so_far = self.current.as_ref().map_or("", |statement| &statement.text);
                let count = hollerith(so_far);
                self.push(&text[i..=i]);
                match count {
                    Some(count) => {
                        self.state = State::Hollerith(count);
                        i + 1
                    }
                    None => {
                        self.push(&text[i + 1..i + 1 + length]);
                        i + 1 + length
                    }
                }
            }
            _ => {
                self.push(&text[i..i + 1 + length]);
                i + 1 + length
            }
        }
    }

    /// Adds a part of a character or Hollerith constant.
    fn add_constant(&mut self, text: &str, i: usize) -> (usize, Ended) {
        let rest = &text[i..];
        let (length, state) = match self.state {
            State::Quoted(quote) => match rest.bytes().position(|byte| byte == quote) {
                Some(end) => (end + 1, State::Code),
                None => (rest.len(), self.state),
            },
            State::Hollerith(left) => match rest.char_indices().nth(left) {
                Some((end, _)) => (end, State::Code),
                None => match left - rest.chars().count() {
                    0 => (rest.len(), State::Code),
                    more => (rest.len(), State::Hollerith(more)),
                },
            },
            State::Code => (0, State::Code),
        };
        let open = state != State::Code;
        if open && !self.fixed && rest.trim_end().ends_with('&') {
            let kept = rest.trim_end();
            self.push(&kept[..kept.len() - 1]);
            return (text.len(), Ended::Ampersand);
        }
        self.push(&rest[..length]);
        self.state = state;
        (i + length, Ended::Line)
    }
}

/// Whether nothing follows but a comment.
fn is_last(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with('!')
}

/// The length of the Hollerith constant whose `H` comes next, if one begins here: digits behind a sign, not those of
/// `REAL*8`, nor of a label or a name.
fn hollerith(so_far: &str) -> Option<usize> {
    let digits = so_far.len() - so_far.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (before, digits) = so_far.split_at(so_far.len() - digits);
    let count = digits.parse().ok().filter(|count| *count > 0)?;
    let before = before.trim_end();
    let begins = match before.chars().last()? {
        '(' | ',' | '/' | '=' | '.' | ':' | '+' | '-' | '<' | '>' | '[' => true,
        '*' => !is_type(before[..before.len() - 1].trim()),
        'X' | 'x' => is_format(before),
        _ => false,
    };
    begins.then_some(count)
}

fn is_type(text: &str) -> bool {
    ["real", "integer", "logical", "complex", "character"].iter().any(|name| text.eq_ignore_ascii_case(name))
}

/// Whether a text begins a FORMAT statement.
fn is_format(text: &str) -> bool {
    let mut letters = text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase());
    "format(".chars().all(|expected| letters.next() == Some(expected))
}

/// Moves the digits that a statement begins with to its label.
fn split_label(statement: &mut Statement) {
    let start = statement.text.len() - statement.text.trim_start().len();
    let digits = statement.text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let behind = &statement.text[start + digits..];
    if digits == 0 || !(behind.is_empty() || behind.starts_with(char::is_whitespace)) {
        return;
    }
    if let Ok(number) = statement.text[start..start + digits].parse() {
        let span = statement.span(offset(start), offset(start + digits));
        statement.label = Some(Label { number, span });
        statement.text.replace_range(start..start + digits, &" ".repeat(digits));
    }
}
