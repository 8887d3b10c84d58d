//! Macros and comments in the text of a source.

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
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, body) = rest.split_at(end);
        (!name.is_empty()).then_some(Directive { at, defines, name, body })
    })
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

#[cfg(test)]
mod tests {
    use super::{directives, without_comments};

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
}
