//! The lines of a body while it is printed. `else { if … }` becomes `else if …` behind its last line, and the lines in
//! it move one step out: in a chain of `else if`, each would move as often as there are arms in front of it. So a
//! line keeps the steps that begin and end at it, and moves when the text is complete.

/// A line, with the steps of indentation that it was printed at.
struct Line {
    indent: usize,
    text: String,
    /// Whether it was taken back.
    gone: bool,
    /// Runs of lines that move a step out, which begin here; which end here.
    begin: usize,
    end: usize,
}

impl Line {
    /// How many blanks stand in front, moved out by so many steps, and what stands behind them.
    fn parts(&self, out: usize) -> (usize, &str) {
        let text = self.text.trim_start_matches(' ');
        (4 * (self.indent - out) + self.text.len() - text.len(), text)
    }
}

/// The lines of a body.
#[derive(Default)]
pub(in crate::emit) struct Lines {
    lines: Vec<Line>,
    /// The last chain, from its `} else if` to its end: of these lines all but the last stand deeper than it, or begin
    /// with `} else`.
    chain: Option<(usize, usize)>,
    /// Lines that were compared: what tests of growth count.
    compared: u64,
}

impl Lines {
    pub(in crate::emit) fn clear(&mut self) {
        self.lines.clear();
        self.chain = None;
    }

    pub(in crate::emit) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(in crate::emit) fn truncate(&mut self, length: usize) {
        self.lines.truncate(length);
        self.chain = None;
    }

    pub(in crate::emit) fn push(&mut self, indent: usize, text: &str) {
        self.lines.push(Line { indent, text: text.to_string(), gone: false, begin: 0, end: 0 });
    }

    /// Replaces the first line of a loop.
    pub(in crate::emit) fn replace(&mut self, at: usize, text: &str) {
        self.lines[at].text = text.to_string();
    }

    /// The lines without indentation.
    pub(in crate::emit) fn words(&self) -> String {
        self.lines.iter().filter(|line| !line.gone).flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }

    /// The text.
    pub(in crate::emit) fn text(&self) -> String {
        let (mut text, mut out) = (String::new(), 0);
        for line in &self.lines {
            out += line.begin;
            if !line.gone {
                (0..line.indent - out).for_each(|_| text.push_str("    "));
                text.push_str(&line.text);
                text.push('\n');
            }
            out -= line.end;
        }
        text
    }

    /// Turns `} else {`, which is line `at` and stands at `indent`, into `} else if` if what follows is one `if` and
    /// nothing else.
    pub(in crate::emit) fn chain(&mut self, at: usize, indent: usize) -> bool {
        let mut behind = (at + 1..self.lines.len()).filter(|k| !self.lines[*k].gone).peekable();
        // The line of the source is that of the `if` in front.
        let is_comment = |k: &usize| {
            let (_, text) = self.lines[*k].parts(0);
            text.starts_with("/* ") && text.ends_with(" */")
        };
        let comment = behind.next_if(is_comment);
        let inner = 4 * (indent + 1);
        let starts = behind.next().filter(|k| {
            let (blanks, text) = self.lines[*k].parts(0);
            blanks == inner && text.starts_with("if (")
        });
        // An `if` with a statement that is copied from the source may be one line.
        let Some(first) = starts.filter(|_| behind.peek().is_some()) else { return false };
        let known = self.chain.filter(|(_, end)| *end == self.lines.len()).map(|(from, _)| from);
        if !self.is_one(first + 1, known, inner) {
            return false;
        }
        for taken in comment.into_iter().chain([first]) {
            self.lines[taken].gone = true;
        }
        self.lines[at].text = format!("}} else {}", self.lines[first].parts(0).1);
        self.lines[first + 1].begin += 1;
        let last = self.lines.len() - 1;
        self.lines[last].end += 1;
        self.chain = Some((at, self.lines.len()));
        true
    }

    /// Whether the lines from one on to the end are those of an `if` that stands behind so many blanks; from `known` on
    /// they are.
    fn is_one(&mut self, from: usize, known: Option<usize>, inner: usize) -> bool {
        let mut out = 0;
        for k in from..known.unwrap_or(self.lines.len()) {
            self.compared += 1;
            let line = &self.lines[k];
            out += line.begin;
            if !line.gone {
                let (blanks, text) = line.parts(out);
                if blanks == inner && text == "}" {
                    return known.is_none() && (k + 1..self.lines.len()).all(|k| self.lines[k].gone);
                }
                let is_between = blanks >= inner + 4 || blanks == inner && text.starts_with("} else");
                if !is_between {
                    return false;
                }
            }
            out -= line.end;
        }
        known.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `if` in `else`, so deep.
    fn nested(depth: usize) -> Lines {
        let mut lines = Lines::default();
        let opened: Vec<usize> = (0..depth)
            .map(|k| {
                lines.push(k + 1, &format!("if (k == {k}) {{"));
                lines.push(k + 2, "s *= x;");
                lines.push(k + 1, "} else {");
                lines.len() - 1
            })
            .collect();
        lines.push(depth + 1, "s = 0.0;");
        lines.push(depth, "}");
        for (k, at) in opened.into_iter().enumerate().rev().skip(1) {
            assert!(lines.chain(at, k + 1));
        }
        lines
    }

    #[test]
    fn else_with_one_if_becomes_else_if() {
        let text = "    if (k == 0) {\n        s *= x;\n    } else if (k == 1) {\n        s *= x;\n    } else if (k == 2) {\n\
                    \x20       s *= x;\n    } else {\n        s = 0.0;\n    }\n";
        assert_eq!(nested(3).text(), text);
    }

    #[test]
    fn else_with_more_than_one_if_stays() {
        let mut lines = nested(2);
        lines.push(1, "return s;");
        let text = lines.text();
        let mut around = Lines::default();
        around.push(1, "} else {");
        text.lines().for_each(|line| around.push(1, line));
        assert!(!around.chain(0, 1));
        assert_eq!(
            around.text(),
            format!("    }} else {{\n{}", text.lines().map(|line| format!("    {line}\n")).collect::<String>())
        );
    }

    #[test]
    fn lines_that_are_compared_grow_with_the_chain() {
        let [few, many] = [100, 200].map(|depth| nested(depth).compared);
        assert!(few > 0 && many <= 2 * few + 10, "{few} and {many}");
    }
}
