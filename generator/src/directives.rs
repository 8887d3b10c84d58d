//! Macros in the text of a source.

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

#[cfg(test)]
mod tests {
    use super::directives;

    #[test]
    fn macros_begin_and_end() {
        let text = "#define N 3 \nint x;\n  # undef N\n#define SQ(x) ((x)*(x))\n#include <a.h>\n#define\n";
        let all: Vec<_> = directives(text).map(|d| (d.at, d.defines, d.name, d.body)).collect();
        assert_eq!(all, [(0, true, "N", " 3"), (20, false, "N", ""), (32, true, "SQ", "(x) ((x)*(x))")]);
    }
}
