//! The words of a source file.

#[derive(Debug, PartialEq)]
pub struct Token {
    pub text: String,
    pub line: usize,
}

/// Identifiers, `::` and single punctuation characters; no comments, literals or lifetimes.
pub fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let (mut found, mut i, mut line) = (Vec::new(), 0, 1);
    while i < chars.len() {
        let start = i;
        let mut text = None;
        match chars[i] {
            '/' if at(i + 1) == '/' => i += chars[i..].iter().take_while(|c| **c != '\n').count(),
            '/' if at(i + 1) == '*' => i = after_block_comment(&chars, i),
            '"' => i = after_string(&chars, i),
            'r' | 'b' | 'c' if literal_prefix(&chars, i).is_some() => {
                let (quote, hashes) = literal_prefix(&chars, i).unwrap_or_default();
                i = if hashes.is_some() {
                    after_raw(&chars, quote, hashes.unwrap_or(0))
                } else {
                    after_string(&chars, quote)
                };
            }
            '\'' if at(i + 1) == '\\' => i += 3 + chars[i + 3..].iter().take_while(|c| **c != '\'').count() + 1,
            '\'' if at(i + 2) == '\'' => i += 3,
            '\'' => i += 1 + chars[i + 1..].iter().take_while(|c| word(**c)).count(),
            ':' if at(i + 1) == ':' => {
                i += 2;
                text = Some("::".to_owned());
            }
            c if word(c) => {
                i += chars[i..].iter().take_while(|c| word(**c)).count();
                text = Some(chars[start..i].iter().collect());
            }
            c => {
                i += 1;
                text = (!c.is_whitespace()).then(|| c.to_string());
            }
        }
        if let Some(text) = text {
            found.push(Token { text, line });
        }
        line += chars[start..i.min(chars.len())].iter().filter(|c| **c == '\n').count();
    }
    found
}

fn after_block_comment(chars: &[char], start: usize) -> usize {
    let (mut depth, mut i) = (1, start + 2);
    while i < chars.len() && depth > 0 {
        match (chars[i], chars.get(i + 1)) {
            ('*', Some('/')) => (depth, i) = (depth - 1, i + 2),
            ('/', Some('*')) => (depth, i) = (depth + 1, i + 2),
            _ => i += 1,
        }
    }
    i
}

fn after_string(chars: &[char], quote: usize) -> usize {
    let mut i = quote + 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

fn after_raw(chars: &[char], quote: usize, hashes: usize) -> usize {
    let ends =
        |i: usize| chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
    (quote + 1..chars.len()).find(|i| ends(*i)).map_or(chars.len(), |i| i + 1 + hashes)
}

/// For `b"`, `c"`, `r"`, `br#"` and the like at `i`: where the quote is, and the number of hashes if raw.
fn literal_prefix(chars: &[char], i: usize) -> Option<(usize, Option<usize>)> {
    let letters = chars[i..].iter().take_while(|c| matches!(c, 'r' | 'b' | 'c')).count();
    let raw = chars[i + letters - 1] == 'r';
    let hashes = chars[i + letters..].iter().take_while(|c| **c == '#').count();
    let quote = i + letters + hashes;
    (letters <= 2 && (raw || hashes == 0) && chars.get(quote) == Some(&'"')).then_some((quote, raw.then_some(hashes)))
}
