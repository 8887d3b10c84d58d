//! Messages in the form of a compiler's.

use adtape_generate::ir::{Program, Source, Span};
use adtape_generate::refuse::{Class, Refusal};

use crate::say;

/// Prints all refusals; the exit status.
pub fn refusals(refusals: &[Refusal], sources: &[Source], files: &[String]) -> u8 {
    // What follows from another refusal is no reason of its own.
    let internal = |refusal: &Refusal| refusal.what.starts_with("internal: ");
    let follows = |refusal: &Refusal| refusal.what.contains("and a pointer to what has one may point to it");
    let consequence = |refusal: &Refusal| internal(refusal) || follows(refusal);
    let reasons = refusals.iter().any(|refusal| !consequence(refusal));
    let refusals: Vec<&Refusal> = refusals.iter().filter(|refusal| !reasons || !consequence(refusal)).collect();
    for refusal in &refusals {
        say::tell(&text(refusal, sources, files));
    }
    let all = |class| refusals.iter().all(|refusal| refusal.class == class);
    match () {
        () if all(Class::Head) => 2,
        () if !refusals.is_empty() && refusals.iter().all(|refusal| internal(refusal)) => 4,
        () => 3,
    }
}

/// `model.c:88:5: refused: ...`, the source line with a mark below, and the way round.
fn text(refusal: &Refusal, sources: &[Source], files: &[String]) -> String {
    let mut out = match place(refusal.span, sources, files) {
        Some(place) => format!("{place}: refused: {}\n", refusal.what),
        None if refusal.what.starts_with("adtape: ") => format!("{}\n", refusal.what),
        None => format!("adtape: refused: {}\n", refusal.what),
    };
    if let Some(line) = line(refusal.span, sources, files) {
        let before = usize::try_from(refusal.span.column.saturating_sub(1)).unwrap_or_default();
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let indent: String = line.chars().take(before).map(blank).collect();
        out += &format!("  {line}\n  {indent}^\n");
    }
    if !refusal.help.is_empty() {
        out += &format!("help: {}\n", refusal.help);
    }
    out
}

/// Prints a warning for each directive of OpenMP that the sweeps do not have.
pub fn dropped(program: &Program, files: &[String]) {
    for directive in &program.preprocessed.dropped {
        let place = place(directive.span, &program.sources, files).unwrap_or_else(|| "adtape".into());
        let what = format!("the derivative runs on one thread: it has no '#pragma {}'", directive.text);
        say::tell(&format!("{place}: warning: {what}\n"));
    }
}

/// `model.c:88:5`.
pub fn place(span: Span, sources: &[Source], files: &[String]) -> Option<String> {
    if span.line == 0 {
        return None;
    }
    let at = usize::try_from(span.source).ok()?;
    // What the front end refuses leaves no sources; the files of the command line come first in its numbers.
    let path =
        sources.get(at).map(|source| source.path_at(span.start)).or_else(|| files.get(at).map(String::as_str))?;
    Some(format!("{path}:{}:{}", span.line, span.column))
}

fn line(span: Span, sources: &[Source], files: &[String]) -> Option<String> {
    let at = usize::try_from(span.source).ok()?;
    let number = usize::try_from(span.line).ok()?.checked_sub(1)?;
    let text = match sources.get(at) {
        Some(source) if source.origins.is_empty() => source.text.clone(),
        Some(source) => std::fs::read_to_string(source.path_at(span.start)).ok()?,
        None => std::fs::read_to_string(files.get(at)?).ok()?,
    };
    text.lines().nth(number).map(String::from)
}
