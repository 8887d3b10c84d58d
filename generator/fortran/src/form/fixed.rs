//! Statements in fixed form: label in columns 1 to 5, continuation in column 6, text from column 7.

use super::assembler::{Assembler, State};
use super::directive::directive;
use super::statement::{Kind, Label, Statements, is_for_preprocessor, offset};
use crate::message::Message;
use crate::source::{Place, Source, Span};

/// The column of the text, from 0.
pub(super) const TEXT_AT: usize = 6;

/// A line of code, split into its fields.
pub(super) struct Fields<'a> {
    pub label: &'a str,
    pub continues: bool,
    pub text: &'a str,
    text_at: usize,
    /// How many columns the line lacks to be full.
    missing: usize,
}

pub fn statements(source: &Source, columns: usize) -> Statements {
    let mut lines = Lines { assembler: Assembler::new(true), missing: 0, sentinel: None };
    for line in 0..source.line_count() {
        lines.add(source.line(line), line, columns);
    }
    lines.assembler.finish();
    lines.assembler.done
}

struct Lines {
    assembler: Assembler,
    /// How many columns the last line of code lacks.
    missing: usize,
    /// The sentinel of the directive that the next line may continue.
    sentinel: Option<String>,
}

impl Lines {
    fn add(&mut self, text: &str, line: u32, columns: usize) {
        let text = text.trim_end();
        let at = |column: usize| Place { line, column: offset(column) };
        let blank = text.len() - text.trim_start().len();
        if text.is_empty() || is_for_preprocessor(text, line, &mut self.assembler.done.messages) {
            return;
        }
        if text.starts_with(['c', 'C', '*', 'd', 'D', '!']) {
            self.add_comment(text, line);
            return;
        }
        if text[blank..].starts_with('!') && blank != TEXT_AT - 1 {
            self.add_comment_text(text, blank, line);
            return;
        }
        let fields = fields(text, columns);
        if fields.continues && (self.assembler.is_open() && self.sentinel.is_none()) {
            self.assembler.pad(self.missing);
        } else {
            if fields.continues {
                let span = Span { from: at(0), to: at(text.len()) };
                let message = "a continuation line that continues nothing: column 6 must be blank";
                self.assembler.done.messages.push(Message::new(span, message));
            }
            let label = self.label(fields.label, line);
            self.assembler.begin(Kind::Code, label);
        }
        self.sentinel = None;
        self.missing = fields.missing;
        self.assembler.add(fields.text, at(fields.text_at));
    }

    fn label(&mut self, field: &str, line: u32) -> Option<Label> {
        let digits: String = field.chars().filter(|c| !c.is_whitespace()).collect();
        let start = field.len() - field.trim_start().len();
        let at = |column: usize| Place { line, column: offset(column) };
        let span = Span { from: at(start), to: at(field.trim_end().len()) };
        if digits.is_empty() {
            return None;
        }
        let number = digits.parse().ok();
        if number.is_none() {
            let text =
                format!("{digits:?} in columns 1 to 5, where only a label may stand: begin the text in column 7");
            self.assembler.done.messages.push(Message::new(span, text));
        }
        number.map(|number| Label { number, span })
    }

    /// A line that is a comment from its first column, or a directive.
    fn add_comment(&mut self, text: &str, line: u32) {
        let may = !text.starts_with(['d', 'D']) && self.assembler.state == State::Code;
        let Some(found) = directive(&text[1..]).filter(|_| may) else {
            self.add_comment_text(text, 0, line);
            return;
        };
        let start = 1 + found.text_at;
        let sixth = text.as_bytes().get(start).copied().unwrap_or(b' ');
        let continues = start == TEXT_AT - 1 && !matches!(sixth, b' ' | b'\t' | b'0');
        let body_at = if start == TEXT_AT - 1 { text.len().min(TEXT_AT) } else { start };
        let body = &text[body_at..];
        let body = body.strip_suffix('&').unwrap_or(body);
        if continues && self.sentinel.as_deref() == Some(found.sentinel.as_str()) {
            self.assembler.separate();
        } else {
            self.assembler.begin(Kind::Directive(found.sentinel.clone()), None);
        }
        self.sentinel = Some(found.sentinel);
        self.assembler.add_verbatim(body, Place { line, column: offset(body_at) });
    }

    fn add_comment_text(&mut self, text: &str, start: usize, line: u32) {
        let at = |column: usize| Place { line, column: offset(column) };
        self.assembler.done.comments.push(Span { from: at(start), to: at(text.len()) });
    }
}

/// Splits a line. A tab in the first columns ends the label; a digit behind it continues a statement.
pub(super) fn fields(text: &str, columns: usize) -> Fields<'_> {
    if let Some(rest) = text.strip_prefix('&') {
        return Fields { label: "", continues: true, text: rest, text_at: 1, missing: 0 };
    }
    let head = text.bytes().take(TEXT_AT).position(|byte| byte == b'\t');
    if let Some(tab) = head {
        let digit = text.as_bytes().get(tab + 1).is_some_and(|byte| matches!(byte, b'1'..=b'9'));
        let text_at = tab + 1 + usize::from(digit);
        let label = &text[..tab];
        return Fields { label, continues: digit, text: &text[text_at..], text_at, missing: 0 };
    }
    let column = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(i, _)| i);
    let (label_end, text_at, end) = (column(TEXT_AT - 1), column(TEXT_AT), column(columns));
    let continues = !matches!(&text[label_end..text_at], "" | " " | "0");
    let missing = columns.saturating_sub(text.chars().count());
    let text_at = text_at.min(end);
    Fields { label: &text[..label_end], continues, text: &text[text_at..end], text_at, missing }
}

#[cfg(test)]
mod tests {
    use super::super::{Statement, statements};
    use super::*;
    use crate::source::Form;

    fn read(text: &str) -> Vec<Statement> {
        let form = Form::of_name("m.f");
        let source = Source::of_text("m.f", text, form, &mut |_, _| None);
        let found = statements(&source, form);
        assert_eq!(found.messages, []);
        found.statements
    }

    #[test]
    fn columns_make_label_continuation_and_text() {
        let text =
            "c comment\n 10   X = 1\n     &  + 2\n      Y = 3 ! why\n* more\n     1  + 4\n\tZ = 5\n20\tW = 6\n\t1+ 7\n";
        let found = read(text);
        let each = |s: &Statement| (s.label.map(|label| label.number), s.text.trim().to_owned());
        let expected = [(Some(10), "X = 1  + 2"), (None, "Y = 3   + 4"), (None, "Z = 5"), (Some(20), "W = 6+ 7")];
        assert_eq!(found.iter().map(each).collect::<Vec<_>>(), expected.map(|(label, text)| (label, text.to_owned())));
    }

    #[test]
    fn text_behind_the_last_column_is_comment() {
        let line = format!("{:<72}{}", "      X = 1", "00000010");
        assert_eq!(read(&line)[0].text.trim(), "X = 1");
        let wide = Form::Fixed { columns: 132 };
        let source = Source::of_text("m.f", &line.replace("00000010", "+ 2"), wide, &mut |_, _| None);
        assert!(statements(&source, wide).statements[0].text.ends_with("+ 2"));
    }

    #[test]
    fn character_constants_go_on_through_full_lines() {
        let found = read("      S = 'ab\n     &cd; !'\n");
        let expected = format!("S = 'ab{}cd; !'", " ".repeat(72 - 13));
        assert_eq!(found[0].text, expected);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn hollerith_constants_hide_quotes() {
        for text in ["      DATA X/5HDON'T/, Y/1H!/", "   10 FORMAT(1X5HDON'T)", "      CALL F(4Ha'b;, 3)"] {
            assert_eq!(read(text).len(), 1, "{text}");
        }
        let found = read("      REAL*8 H(3); X = 'a'\n");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn continuation_of_nothing_is_reported() {
        let form = Form::of_name("m.f");
        let source = Source::of_text("m.f", "     & X = 1\n x    Y = 2\n", form, &mut |_, _| None);
        assert_eq!(statements(&source, form).messages.len(), 2);
    }

    #[test]
    fn directives_are_continued_in_column_six() {
        let found = read("!$omp parallel do\nc$omp+private(x)\n      X = 1\nC$AD NOCHECKPOINT\n");
        assert_eq!(found[0].text, "parallel do private(x)");
        assert_eq!(found[2].kind, Kind::Directive("$ad".into()));
    }
}
