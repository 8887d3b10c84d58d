//! Parts of the reference's pages: what the header says of a function, as Markdown.

use crate::header::{self, Function};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Columns of a line of prose.
const COLUMNS: usize = 118;

/// Calls in Fortran by the name of the function of C.
pub type Forms = BTreeMap<String, Vec<Form>>;

/// One form of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// As in a program: `call mark_take(t, mark)`.
    pub text: String,
    /// Declarations of its arguments.
    pub arguments: Vec<String>,
}

/// A section: the heading, which is the functions' names unless there is a title, declarations, forms in Fortran, what
/// each function does, and the examples.
pub fn section(
    title: Option<String>,
    functions: Vec<Function>,
    forms: &Forms,
    examples: &[(String, String)],
) -> String {
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let heading = title.unwrap_or_else(|| names.join(", "));
    let mut text = format!("### {heading}\n\n<!-- example: declarations -->\n```c\n");
    for text_of_c in functions.iter().flat_map(|function| &function.declarations) {
        text += &declaration(text_of_c);
    }
    text += "```\n\n";
    text += &fortran(forms, &functions);
    for function in &functions {
        let label = if functions.len() > 1 { format!("**`{}`** ", function.name) } else { String::new() };
        text += &prose(&(label + &function.comment));
    }
    for (language, example) in examples {
        text += &fenced(language, example);
    }
    text.trim_end().to_owned()
}

/// An example as a block; what its first line says of it in a comment stands before the block.
pub fn fenced(language: &str, example: &str) -> String {
    let (mut words, mut text) = (String::new(), example);
    if let Some((first, rest)) = example.split_once('\n')
        && let Some(found) = first.trim_start_matches(['/', '*', '!', ' ']).strip_prefix("example: ")
    {
        words = format!("<!-- example: {} -->\n", found.trim_end_matches(['*', '/', ' ']));
        text = rest;
    }
    format!("{words}```{language}\n{}\n```\n\n", text.trim_end())
}

/// A declaration, on as few lines as it needs.
fn declaration(text: &str) -> String {
    let (mut lines, mut rest) = (String::new(), text.to_owned());
    while rest.len() > 110 {
        let Some(end) = rest[..110].rfind(", ") else { break };
        lines += &format!("{}\n", &rest[..=end]);
        rest = format!("    {}", &rest[end + 2..]);
    }
    lines + &rest + "\n"
}

/// What a program in Fortran writes: as declared, or else as the comments say.
fn fortran(forms: &Forms, functions: &[Function]) -> String {
    let calls: Vec<&Form> = functions.iter().filter_map(|function| forms.get(&function.name)).flatten().collect();
    let mut items: Vec<String> = Vec::new();
    for item in calls.iter().map(|form| &form.text).chain(calls.iter().flat_map(|form| &form.arguments)) {
        let item = format!("`{item}`");
        if !items.contains(&item) {
            items.push(item);
        }
    }
    let declared = items.iter().position(|item| item.contains(" :: "));
    let mut text = String::new();
    if !items.is_empty() {
        let (calls, arguments) = items.split_at(declared.unwrap_or(items.len()));
        let with = if arguments.is_empty() { "" } else { ", with " };
        text = wrapped(&format!("Fortran: {}{with}{}.", calls.join(", "), arguments.join(", "))) + "\n";
    }
    let others = functions.iter().filter(|function| !forms.contains_key(&function.name));
    let said: Vec<&str> = others.filter_map(|function| function.fortran.as_deref()).collect();
    let mut once: Vec<&str> = Vec::new();
    for text in said.iter().map(|text| text.trim_start_matches("Fortran: ").trim_end_matches('.')) {
        if !once.iter().any(|other| other.starts_with(text)) {
            once.push(text);
        }
    }
    text + &if once.is_empty() {
        String::new()
    } else {
        wrapped(&format!("Fortran: {}.", quoted(&once.join("; ")))) + "\n"
    }
}

/// A comment as paragraphs, with the names of the library in quotes.
fn prose(comment: &str) -> String {
    let mut text = String::new();
    for paragraph in comment.split("\n\n") {
        let joined = paragraph.replace('\n', " ");
        text += &wrapped(&quoted(&joined));
        text += "\n";
    }
    text
}

/// Names of the library in quotes, where they are not in quotes yet.
fn quoted(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '…';
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i > 0 {
            out.push('`');
        }
        if i % 2 == 1 {
            out += part;
            continue;
        }
        let mut rest = part;
        while let Some(start) = ["adtape_", "ADTAPE_"].iter().filter_map(|prefix| rest.find(prefix)).min() {
            let inside = rest[..start].chars().next_back().is_some_and(is_word);
            let mut end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |n| start + n);
            end +=
                ["<type>", "<name>"].iter().find(|part| rest[end..].starts_with(**part)).map_or(0, |part| part.len());
            out += &rest[..start];
            let word = &rest[start..end];
            let _ = if inside { write!(out, "{word}") } else { write!(out, "`{word}`") };
            rest = &rest[end..];
        }
        out += rest;
    }
    out
}

/// A paragraph on lines that are not too long.
fn wrapped(text: &str) -> String {
    wrapped_behind("", text)
}

/// A paragraph on lines that are not too long, each behind a mark.
pub fn wrapped_behind(mark: &str, text: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::from(mark));
    for word in text.split_whitespace() {
        if line != mark && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines += &line;
            lines.push('\n');
            line = String::from(mark);
        }
        line += if line == mark { "" } else { " " };
        line += word;
    }
    lines + &line + "\n"
}

/// The fields of a structure of C as a table.
pub fn fields(header: &str, name: &str) -> Result<String, String> {
    let rows = header::fields(header, name)?;
    let rows = rows.iter().map(|(field, what)| format!("| `{field}` | {} |\n", cell(what)));
    Ok("| field | meaning |\n|---|---|\n".to_owned() + rows.collect::<String>().trim_end())
}

/// Constants of C as a table.
pub fn values(header: &str, prefix: &str) -> Result<String, String> {
    let rows = header::values(header, prefix);
    if rows.is_empty() {
        return Err(format!("no constant begins with {prefix}"));
    }
    let rows = rows.iter().map(|(name, value, what)| format!("| `{name}` | {value} | {} |\n", cell(what)));
    Ok("| constant | value | meaning |\n|---|---|---|\n".to_owned() + rows.collect::<String>().trim_end())
}

/// A sentence as a cell has it: not begun large, without a full stop at its end.
pub fn cell(text: &str) -> String {
    let text = quoted(text.trim().trim_end_matches('.'));
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    let rest = chars.as_str();
    let is_name = rest.starts_with(|c: char| c.is_uppercase() || c == '_');
    if is_name || text.starts_with("C ") || text.starts_with("Fortran ") { text } else { first + rest }
}

#[cfg(test)]
mod tests {
    use super::{cell, fenced, quoted, wrapped};

    #[test]
    fn names_of_the_library_are_quoted_once() {
        assert_eq!(quoted("adtape_push_<type> goes."), "`adtape_push_<type>` goes.");
        assert_eq!(
            quoted("by adtape_destroy (`adtape_create` too), ADTAPE_TYPE_…."),
            "by `adtape_destroy` (`adtape_create` too), `ADTAPE_TYPE_…`."
        );
    }

    #[test]
    fn a_paragraph_is_wrapped_between_words() {
        let text = wrapped(&"word ".repeat(50));
        assert!(text.lines().all(|line| line.len() <= 118) && text.lines().count() == 3, "{text}");
    }

    #[test]
    fn a_cell_is_no_sentence_but_keeps_names() {
        assert_eq!(cell("Bytes below."), "bytes below");
        assert_eq!(cell("IEEE single precision."), "IEEE single precision");
        assert_eq!(cell("C `bool`."), "C `bool`");
    }

    #[test]
    fn the_words_of_an_example_stand_before_its_block() {
        let text = fenced("c", "/* example: whole */\nint main(void) {}\n");
        assert_eq!(text, "<!-- example: whole -->\n```c\nint main(void) {}\n```\n\n");
    }
}
