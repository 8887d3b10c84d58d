//! Lines of Fortran in free form.

/// The most columns of a line.
const COLUMNS: usize = 100;

/// Text that is written line by line.
#[derive(Default)]
pub struct Lines {
    /// What is written.
    pub text: String,
    /// How deep the next line stands.
    pub indent: usize,
}

impl Lines {
    /// Writes a statement or a comment, on several lines if it is long. It may be broken behind a comma, around a
    /// blank or, where there is neither, behind a parenthesis or a product's sign.
    pub fn line(&mut self, statement: &str) {
        let pad = "  ".repeat(self.indent);
        let is_comment = statement.starts_with('!');
        let doc = if statement.starts_with("!>") { "!> " } else { "! " };
        let (behind, before) = if is_comment { ("", doc) } else { (" &", "  & ") };
        let (mut start, mut rest) = (pad.clone(), statement);
        while start.len() + rest.len() > COLUMNS {
            let room = COLUMNS - 2 - start.len().min(COLUMNS / 2);
            let fits = rest.char_indices().map(|(at, _)| at).take_while(|at| *at <= room).last().unwrap_or(rest.len());
            let broken = |behind_these: &[char]| {
                let mut ends = rest[..fits].rmatch_indices(behind_these).map(|(at, _)| at + 1);
                // `**` is one operator.
                ends.find(|at| is_comment || is_outside_text(&rest[..*at]) && !rest[*at..].starts_with('*'))
            };
            let Some(at) = broken(&[' ', ',']).or_else(|| broken(&['('])).or_else(|| broken(&['*'])) else {
                break;
            };
            self.text += &format!("{start}{}{behind}\n", rest[..at].trim_end());
            start = format!("{pad}{before}");
            rest = rest[at..].trim_start();
        }
        self.text += &format!("{start}{rest}\n");
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.text.push('\n');
    }
}

/// Lines of statements, of which long ones go on in further lines.
pub fn broken(text: &str) -> String {
    let mut out = Lines::default();
    for line in text.lines() {
        let statement = line.trim_start();
        if statement.is_empty() {
            out.blank();
            continue;
        }
        out.indent = (line.len() - statement.len()) / 2;
        out.line(statement);
    }
    out.text
}

/// Whether a text ends outside of quotes.
fn is_outside_text(text: &str) -> bool {
    ['\'', '"'].into_iter().all(|quote| text.matches(quote).count().is_multiple_of(2))
}
