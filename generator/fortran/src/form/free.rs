//! Statements in free form.

use super::assembler::{Assembler, Ended, State};
use super::directive::directive;
use super::statement::{Kind, Statements, is_for_preprocessor, offset};
use crate::source::{Place, Source, Span};

/// What the next line continues.
#[derive(Clone, PartialEq, Eq)]
enum Open {
    Nothing,
    Code,
    Directive(String),
}

pub fn statements(source: &Source) -> Statements {
    let mut assembler = Assembler::new(false);
    let mut open = Open::Nothing;
    for line in 0..source.line_count() {
        open = add_line(&mut assembler, source.line(line), line, open);
    }
    assembler.finish();
    assembler.done
}

fn add_line(assembler: &mut Assembler, text: &str, line: u32, open: Open) -> Open {
    let text = text.trim_end();
    let start = text.len() - text.trim_start().len();
    let at = |column: usize| Place { line, column: offset(column) };
    let trimmed = &text[start..];
    let in_constant = open == Open::Code && assembler.state != State::Code;
    if trimmed.is_empty() || (!in_constant && is_for_preprocessor(text, line, &mut assembler.done.messages)) {
        return open;
    }
    if trimmed.starts_with('!') && !in_constant {
        let found = directive(&trimmed[1..]).filter(|_| open != Open::Code);
        let Some(found) = found else {
            assembler.done.comments.push(Span { from: at(start), to: at(text.len()) });
            return open;
        };
        let body_at = start + 1 + found.text_at;
        return add_directive(assembler, found.sentinel, &text[body_at..], at(body_at), &open);
    }
    let ended = match open {
        Open::Code => continue_code(assembler, text, start, line),
        Open::Nothing | Open::Directive(_) => {
            assembler.begin(Kind::Code, None);
            assembler.add(trimmed, at(start))
        }
    };
    match ended {
        Ended::Ampersand => Open::Code,
        Ended::Line => {
            assembler.finish();
            Open::Nothing
        }
    }
}

/// Continues a statement. Only a line that begins with `&` goes on within a word or keeps its blanks out of a constant.
fn continue_code(assembler: &mut Assembler, text: &str, start: usize, line: u32) -> Ended {
    let at = |column: usize| Place { line, column: offset(column) };
    if text[start..].starts_with('&') {
        let rest = &text[start + 1..];
        let ended = assembler.add(rest, at(start + 1));
        return if rest.trim().is_empty() { Ended::Ampersand } else { ended };
    }
    if assembler.state != State::Code {
        return assembler.add(text, at(0));
    }
    assembler.separate();
    assembler.add(&text[start..], at(start))
}

fn add_directive(assembler: &mut Assembler, sentinel: String, body: &str, place: Place, open: &Open) -> Open {
    let continues = body.ends_with('&');
    let body = body.strip_suffix('&').unwrap_or(body);
    let (body, place) = match open {
        Open::Directive(before) if *before == sentinel => {
            let blank = body.len() - body.trim_start().len();
            let skipped = blank + usize::from(body[blank..].starts_with('&'));
            assembler.separate();
            (&body[skipped..], Place { line: place.line, column: place.column + offset(skipped) })
        }
        _ => {
            assembler.begin(Kind::Directive(sentinel.clone()), None);
            (body, place)
        }
    };
    assembler.add_verbatim(body, place);
    if continues {
        return Open::Directive(sentinel);
    }
    assembler.finish();
    Open::Nothing
}

#[cfg(test)]
mod tests {
    use super::super::statements;
    use super::*;
    use crate::source::Form;

    fn texts(text: &str) -> Vec<(Option<u32>, String)> {
        let source = Source::of_text("m.f90", text, Form::Free, &mut |_, _| None);
        let found = statements(&source, Form::Free);
        assert_eq!(found.messages, []);
        let each =
            |s: &super::super::statement::Statement| (s.label.map(|label| label.number), s.text.trim().to_owned());
        found.statements.iter().map(each).collect()
    }

    #[test]
    fn continued_lines_make_one_statement() {
        let joined = [
            ("x = a + & ! why\n\n! more\n  b", "x = a +  b"),
            ("x = a + &\n  & b", "x = a +  b"),
            ("call fo&\n   &o", "call foo"),
            ("s = 'a&\n  &b'", "s = 'ab'"),
            ("s = 'a ! b & c'", "s = 'a ! b & c'"),
            ("x = &\n# 3 \"m.f90\"\n  1", "x =  1"),
            ("s = \"it's &\n&!\"", "s = \"it's !\""),
        ];
        for (text, expected) in joined {
            assert_eq!(texts(text), [(None, expected.to_owned())], "{text}");
        }
    }

    #[test]
    fn semicolons_and_labels_begin_statements() {
        let found = texts("10 continue; 20 x = ';' ; y = 2\n30 format(5h it's, i3)\n40\n");
        let expected = [
            (Some(10), "continue"),
            (Some(20), "x = ';'"),
            (None, "y = 2"),
            (Some(30), "format(5h it's, i3)"),
            (Some(40), ""),
        ];
        assert_eq!(found, expected.map(|(label, text)| (label, text.to_owned())));
    }

    #[test]
    fn directives_are_statements_and_may_be_continued() {
        let text = "!$omp parallel do &\n!$omp& private(x)\nx = 1\n!$ y = 2\n!dir$ ivdep\n";
        assert_eq!(
            texts(text).into_iter().map(|(_, text)| text).collect::<Vec<_>>(),
            ["parallel do   private(x)", "x = 1", "ivdep"]
        );
    }

    #[test]
    fn place_of_a_continued_word_is_on_its_own_line() {
        let source = Source::of_text("m.f90", "x = a + &\n   & bcd\n", Form::Free, &mut |_, _| None);
        let found = statements(&source, Form::Free);
        let statement = &found.statements[0];
        let at = offset(statement.text.find("bcd").expect("there"));
        let span = statement.span(at, at + 3);
        assert_eq!((span.from.line, span.from.column, span.to.column), (1, 5, 8));
        assert_eq!(source.text(span), "bcd");
    }
}
