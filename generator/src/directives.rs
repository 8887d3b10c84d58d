//! Macros, comments and words in the text of a source.

/// A line that defines a macro, or ends a definition.
pub struct Directive<'a> {
    /// Where the line begins in the text.
    pub at: usize,
    /// Whether it is a definition.
    pub defines: bool,
    /// The macro.
    pub name: &'a str,
    /// What stands behind the name, on this line.
    pub body: &'a str,
}

/// The definitions of a text and their ends, in order.
pub fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    let mut behind = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = behind;
        behind += line.len();
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        let (defines, rest) = match directive.strip_prefix("define") {
            Some(rest) => (true, rest),
            None => (false, directive.strip_prefix("undef")?),
        };
        let rest = rest.trim();
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (name, body) = rest.split_at(end);
        (!name.is_empty()).then_some(Directive { at, defines, name, body })
    })
}

/// The macro that says that a header has been included.
pub fn guard(text: &str) -> Option<&str> {
    let first = directives(text).next().filter(|first| first.defines && first.body.is_empty())?;
    let above = without_comments(&text[..first.at]);
    let condition = above.trim().strip_prefix('#')?.trim_start().strip_prefix("ifndef")?;
    (condition.trim() == first.name).then_some(first.name)
}

/// The text with each comment replaced by a blank.
pub fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let length = if let Some(comment) = from.strip_prefix("/*") {
            out.push(' ');
            comment.find("*/").map_or(from.len(), |end| end + 4)
        } else if from.starts_with("//") {
            out.push(' ');
            from.find('\n').unwrap_or(from.len())
        } else if from.starts_with('/') {
            out.push('/');
            1
        } else {
            let end = literal(from);
            out.push_str(&from[..end]);
            end
        };
        rest = &from[length..];
    }
    out + rest
}

/// The text with a blank for each character of a comment, and all its lines.
pub fn with_blank_comments(text: &str) -> String {
    let blank = |comment: &str| comment.chars().map(|c| if c == '\n' { c } else { ' ' }).collect::<String>();
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let (comment, length) = match from.as_bytes() {
            [b'/', b'*', ..] => (true, from[2..].find("*/").map_or(from.len(), |end| end + 4)),
            [b'/', b'/', ..] => (true, from.find('\n').unwrap_or(from.len())),
            [b'/', ..] => (false, 1),
            // A quote that ends on no line is one of words, behind `#error` or where a condition leaves text out.
            _ => (false, literal(from).min(from.find('\n').unwrap_or(from.len()))),
        };
        out += &if comment { blank(&from[..length]) } else { from[..length].to_string() };
        rest = &from[length..];
    }
    out + rest
}

/// The length of the string or character constant that a text begins with.
pub fn literal(text: &str) -> usize {
    let quote = text.chars().next().unwrap_or('"');
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Whether the word behind a text is the tag of a type, or a member.
pub fn names_other(front: &str) -> bool {
    let front = front.trim_end();
    let last = front.rsplit(|c: char| !is_word(c)).next();
    front.ends_with('.') || front.ends_with("->") || matches!(last, Some("struct" | "union" | "enum"))
}

/// Replaces whole words outside of string and character constants; `to` gets a word and the text in front of it.
pub fn rename(text: &str, to: &dyn Fn(&str, &str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '"' | '\'' => literal(rest),
            c if is_word(c) => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        let front = &text[..text.len() - rest.len()];
        out.push_str(&to(word, front).unwrap_or_else(|| word.to_string()));
        rest = behind;
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{directives, names_other, rename, with_blank_comments, without_comments};

    #[test]
    fn macros_begin_and_end() {
        let text = "#define N 3 \nint x;\n  # undef N\n#define SQ(x) ((x)*(x))\n#include <a.h>\n#define\n";
        let all: Vec<_> = directives(text).map(|d| (d.at, d.defines, d.name, d.body)).collect();
        assert_eq!(all, [(0, true, "N", " 3"), (20, false, "N", ""), (32, true, "SQ", "(x) ((x)*(x))")]);
    }

    #[test]
    fn comments_go_and_strings_stay() {
        assert_eq!(without_comments("a /* Moon's x */ b // \"\nc \"/* d */\" / e"), "a   b  \nc \"/* d */\" / e");
    }

    #[test]
    fn lines_stay_where_comments_go() {
        let text = "a /* b\nc */ d // e\n#error don't\n\"/* f */\" / g";
        assert_eq!(with_blank_comments(text), "a     \n     d     \n#error don't\n\"/* f */\" / g");
    }

    #[test]
    fn words_are_renamed_whole_and_not_in_strings() {
        let to = |word: &str, front: &str| (word == "x" && !names_other(front)).then(|| "f_x".to_string());
        assert_eq!(rename("double x[2] = {xx, \"x\", x}", &to), "double f_x[2] = {xx, \"x\", f_x}");
        assert_eq!(rename("struct x x = {.x = a > x}", &to), "struct x f_x = {.x = a > f_x}");
    }
}
