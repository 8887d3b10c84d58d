//! The user's comments in forward sweeps and tangents: those that stand directly above a statement.

use super::state::Body;
use crate::ir::*;

/// What a line of comment says to a compiler, behind its first character.
const DIRECTIVES: [&str; 6] = ["$", "dir$", "dec$", "gcc$", "ibm*", "pgi$"];

impl Body<'_> {
    /// Writes the comment above the statement that an item is a part of, once.
    pub fn comment(&mut self, span: Span) {
        if span.line == 0 || !self.commented.insert((span.source, span.line)) {
            return;
        }
        let program = self.unit.program;
        let Some(source) = program.sources.get(span.source as usize) else { return };
        let before = source.text.get(..(span.start as usize)).unwrap_or_default();
        let above = before.rsplit_once('\n').map_or("", |(above, _)| above);
        let is_fixed = is_fixed(&source.path);
        let found = above.lines().rev().map_while(|line| said(line, is_fixed));
        let mut lines: Vec<&str> = found.collect();
        lines.reverse();
        for line in lines {
            self.statement(&format!("!{}", line.trim_end()));
        }
    }
}

/// Whether a file has the name of fixed form.
fn is_fixed(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(&*extension, "f" | "for" | "ftn" | "f77" | "fpp")
}

/// What a line of nothing but comment says; none for another line, and for directives.
fn said(line: &str, is_fixed: bool) -> Option<&str> {
    let in_first_column = if is_fixed { line.strip_prefix(['c', 'C', '*']) } else { None };
    let text = in_first_column.or_else(|| line.trim_start().strip_prefix('!'))?;
    let lower = text.to_ascii_lowercase();
    (!DIRECTIVES.iter().any(|word| lower.starts_with(word))).then_some(text)
}
