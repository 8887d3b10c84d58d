//! Messages in the form of a compiler's.

use adtape_generate::ir::{Program, Source, Span};
use adtape_generate::refuse::{Class, Refusal};

use crate::messages::{Level, Message, Place, emit};
use crate::say;

/// Prints all refusals; the exit status.
pub fn refusals(refusals: &[Refusal], sources: &[Source], files: &[String]) -> u8 {
    // What follows from another refusal is no reason of its own.
    let internal = |refusal: &Refusal| refusal.what.starts_with("internal: ");
    let follows = |refusal: &Refusal| refusal.what.contains("and a pointer to what has one may point to it");
    let consequence = |refusal: &Refusal| internal(refusal) || follows(refusal);
    let reasons = refusals.iter().any(|refusal| !consequence(refusal));
    let refusals: Vec<&Refusal> = refusals.iter().filter(|refusal| !reasons || !consequence(refusal)).collect();
    for (refusal, spans) in causes(&refusals, sources) {
        let mut places: Vec<Place> = spans.iter().filter_map(|span| place(*span, sources, files)).collect();
        places.dedup();
        let code = if internal(refusal) { INTERNAL } else { refusal.class.code() };
        let what = spoken(refusal.what.trim_start_matches("adtape: "), sources);
        let text = text(refusal, &places, sources, files);
        emit(Message { level: Level::Error, code, what, help: refusal.help.clone(), places, text });
    }
    let all = |class| refusals.iter().all(|refusal| refusal.class == class);
    match () {
        () if all(Class::Head) => 2,
        () if !refusals.is_empty() && all(Class::Memory) => 4,
        () if !refusals.is_empty() && refusals.iter().all(|refusal| internal(refusal)) => 4,
        () => 3,
    }
}

/// The code of a fault of the generator.
pub const INTERNAL: &str = "internal";

/// Each cause once, at the first of its places in the order of the sources, with all of them in this order.
///
/// An analysis finds the places in an order of its own.
fn causes<'r>(refusals: &[&'r Refusal], sources: &[Source]) -> Vec<(&'r Refusal, Vec<Span>)> {
    let mut causes: Vec<Vec<&Refusal>> = Vec::new();
    for refusal in refusals {
        let same = |cause: &&mut Vec<&Refusal>| cause[0].what == refusal.what && cause[0].help == refusal.help;
        match causes.iter_mut().find(same) {
            Some(cause) => cause.push(refusal),
            None => causes.push(vec![refusal]),
        }
    }
    // A cause without a place comes last.
    let at = |refusal: &&Refusal| {
        let Span { source, line, column, start, .. } = refusal.span;
        let file = sources.get(source as usize).map_or("", |source| source.path_at(start));
        (line == 0, source, file.to_owned(), line, column)
    };
    let sorted = |mut cause: Vec<&'r Refusal>| {
        cause.sort_by_key(at);
        (cause[0], cause.iter().map(|refusal| refusal.span).collect())
    };
    causes.into_iter().map(sorted).collect()
}

/// Places that are named beside the first one of a cause.
const NAMED: usize = 5;

/// `model.c:88:5: error: refused: ...`, the source line with a mark below, the other places, and the way round.
fn text(refusal: &Refusal, places: &[Place], sources: &[Source], files: &[String]) -> String {
    let what = spoken(&refusal.what, sources);
    let mut out = match places.first() {
        Some(place) => format!("{place}: error: refused: {what}\n"),
        None if refusal.what.starts_with("adtape: ") => format!("{}\n", refusal.what),
        None => format!("adtape: error: refused: {what}\n"),
    };
    if let Some(line) = line(refusal.span, sources, files) {
        let before = usize::try_from(refusal.span.column.saturating_sub(1)).unwrap_or_default();
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let indent: String = line.chars().take(before).map(blank).collect();
        out += &format!("  {line}\n  {indent}^\n");
    }
    if let [_, more @ ..] = places
        && !more.is_empty()
    {
        let (named, rest) = more.split_at(more.len().min(NAMED));
        let rest = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let all = say::plural(places.len() as u64, "place");
        let named: Vec<String> = named.iter().map(Place::to_string).collect();
        out += &format!("  also at {}{rest}: {all} in all\n", named.join(", "));
    }
    if !refusal.help.is_empty() {
        out += &format!("help: {}\n", refusal.help);
    }
    out
}

/// A message with names of the sources alone: `h_block` and `x_memory` are names of the generator for what `h` and `x`
/// lead to.
pub fn spoken(what: &str, sources: &[Source]) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut rest) = (String::new(), what);
    while let Some(c) = rest.chars().next() {
        let end = if is_word(c) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
        let (word, behind) = rest.split_at(end);
        let own =
            ["_block", "_memory"].iter().find_map(|ending| word.strip_suffix(ending)).filter(|own| !own.is_empty());
        out += own.filter(|_| !sources.iter().any(|source| source.text.contains(word))).unwrap_or(word);
        rest = behind;
    }
    out
}

/// Prints a warning for each directive of OpenMP that the sweeps do not have.
pub fn dropped(program: &Program, files: &[String]) {
    for directive in &program.c.preprocessed.dropped {
        let what = format!("the derivative runs on one thread: it has no '#pragma {}'", directive.text);
        let places: Vec<Place> = place(directive.span, &program.sources, files).into_iter().collect();
        let at = places.first().map_or_else(|| "adtape".into(), Place::to_string);
        let text = format!("{at}: warning: {what}\n");
        let (code, help) = ("dropped-directive", String::new());
        emit(Message { level: Level::Warning, code, what, help, places, text });
    }
}

/// `model.c:88:5`.
pub fn place(span: Span, sources: &[Source], files: &[String]) -> Option<Place> {
    if span.line == 0 {
        return None;
    }
    let at = usize::try_from(span.source).ok()?;
    // What the front end refuses leaves no sources; the files of the command line come first in its numbers.
    let path =
        sources.get(at).map(|source| source.path_at(span.start)).or_else(|| files.get(at).map(String::as_str))?;
    Some(Place { file: path.to_owned(), line: span.line, column: span.column })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A cause that a callee below has too was named where it was found first, at its last line.
    #[test]
    fn cause_stands_at_its_lowest_line_whatever_order_it_is_found_in() {
        let refusal = |source, line, column| Refusal {
            class: Class::Pointer,
            span: Span { source, line, column, ..Span::default() },
            what: "w".into(),
            help: String::new(),
        };
        let [high, low, same, header, nowhere] =
            [refusal(0, 9, 1), refusal(0, 3, 5), refusal(0, 3, 2), refusal(1, 1, 1), refusal(0, 0, 0)];
        let files = ["m.c".to_owned(), "own.h".to_owned()];
        let said = |found: &[&Refusal]| {
            let [(first, spans)] = &causes(found, &[])[..] else { panic!("one cause") };
            let places: Vec<Place> = spans.iter().filter_map(|span| place(*span, &[], &files)).collect();
            text(first, &places, &[], &files)
        };
        let expected = "m.c:3:2: error: refused: w\n  also at m.c:3:5, m.c:9:1, own.h:1:1: 4 places in all\n";
        assert_eq!(said(&[&header, &high, &low, &nowhere, &same]), expected);
        assert_eq!(said(&[&nowhere, &same, &low, &header, &high]), expected);
        assert_eq!(said(&[&high, &nowhere]), "m.c:9:1: error: refused: w\n");
        assert_eq!(said(&[&nowhere]), "adtape: error: refused: w\n");
    }

    #[test]
    fn messages_have_names_of_the_sources() {
        let source =
            Source { path: "m.c".into(), text: "double v4rho4, my_block;".into(), main: true, origins: Vec::new() };
        let of = |text: &str| spoken(text, std::slice::from_ref(&source));
        assert_eq!(of("blocks 'v4rho4_memory' and 'h_block'"), "blocks 'v4rho4' and 'h'");
        assert_eq!(of("'my_block', _block"), "'my_block', _block");
    }
}
