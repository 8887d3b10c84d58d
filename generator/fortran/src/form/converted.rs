//! Lines of fixed form as lines of free form, one for one: a statement that goes on ends with `&`, and so does the line
//! that goes on begin.

use super::fixed::{TEXT_AT, fields};

/// A line of a statement, as it is written so far.
struct Open {
    /// Its place among the lines.
    at: usize,
    /// Its text up to a comment.
    code: String,
    /// The comment behind it.
    comment: String,
    /// Whether its text fills all columns, or ends inside of quotes: then nothing may stand in front of `&`.
    is_full: bool,
}

/// The lines in free form. `columns`: the last column of a statement.
pub fn converted(lines: &[&str], columns: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::with_capacity(lines.len());
    let (mut open, mut quote): (Option<Open>, Option<char>) = (None, None);
    for (at, line) in lines.iter().enumerate() {
        if is_comment(line) {
            found.push(match line.strip_prefix(['c', 'C', '*', 'd', 'D']) {
                Some(rest) => format!("!{rest}"),
                None => line.to_string(),
            });
            continue;
        }
        let parts = fields(line, columns);
        match open.take() {
            Some(before) if parts.continues => {
                let Open { at, code, comment, is_full } = before;
                let gap = if is_full { "" } else { " " };
                found[at] = format!("{code}{gap}&{comment}");
            }
            _ => quote = None,
        }
        let (code, comment) = split(parts.text, &mut quote);
        let begin = if parts.continues { "     &".to_string() } else { format!("{:<1$}", parts.label, TEXT_AT) };
        let width = columns.saturating_sub(TEXT_AT);
        let is_full = quote.is_some() || code.trim_end().chars().count() >= width;
        let code = if quote.is_some() { format!("{code:<width$}") } else { code.trim_end().to_string() };
        let comment = if comment.is_empty() { String::new() } else { format!(" {comment}") };
        found.push(format!("{begin}{code}{comment}").trim_end().to_string());
        open = Some(Open { at, code: format!("{begin}{code}"), comment, is_full });
    }
    found
}

/// Whether a line belongs to no statement.
fn is_comment(line: &str) -> bool {
    let text = line.trim_start();
    let is_behind = text.starts_with('!') && line.len() - text.len() != TEXT_AT - 1;
    text.is_empty() || is_behind || line.starts_with(['c', 'C', '*', 'd', 'D', '!', '#'])
}

/// The text of a line up to a comment, and the comment. `quote`: what opened a text that goes on.
fn split<'l>(text: &'l str, quote: &mut Option<char>) -> (&'l str, &'l str) {
    for (at, letter) in text.char_indices() {
        match (letter, *quote) {
            ('!', None) => return text.split_at(at),
            ('\'' | '"', None) => *quote = Some(letter),
            (_, Some(open)) if open == letter => *quote = None,
            _ => {}
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::converted;

    #[test]
    fn statements_go_on_by_ampersands_and_comments_stay() {
        let lines = ["C note", " 10   x = a  ! first", "", "     &    + b", "      s = 'ab", "     1cd!'", "#line"];
        let found = converted(&lines, 20);
        let expected =
            ["! note", " 10   x = a & ! first", "", "     &    + b", "      s = 'ab       &", "     &cd!'", "#line"];
        assert_eq!(found, expected);
    }

    #[test]
    fn text_behind_the_last_column_goes_and_full_lines_go_on_at_once() {
        let found = converted(&["      abcdefgh  00010", "     1ijk"], 14);
        assert_eq!(found, ["      abcdefgh&", "     &ijk"]);
    }
}
