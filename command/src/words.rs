//! Command lines in texts.

/// The words of a text as a shell reads them: quotes and backslashes keep blanks inside of a word.
pub fn words(name: &str, text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(open)) if c == open => quote = None,
            // Between double quotes a backslash keeps what would end or change the text there.
            ('\\', Some('"')) if !matches!(rest.peek(), Some('"' | '\\' | '$' | '`')) => {
                word.get_or_insert_default().push(c);
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(rest.next()),
            (_, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(format!("{name} has no second {open}: {text}"));
    }
    words.extend(word);
    Ok(words)
}
