//! Free form to fixed form.

/// Moves statements of free form, one a line, to the columns of fixed form. Directives stay comments.
pub fn of_free(text: &str) -> String {
    text.lines().map(statement).collect()
}

fn statement(line: &str) -> String {
    if line.trim_start().starts_with('!') {
        return format!("{}\n", line.trim_start());
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (label, rest) = line.split_at(digits);
    let characters: Vec<char> = rest.trim_start().chars().collect();
    let piece = |(i, piece): (usize, &[char])| {
        let text: String = piece.iter().collect();
        if i == 0 { format!("{label:<5} {text}\n") } else { format!("     &{text}\n") }
    };
    characters.chunks(66).enumerate().map(piece).collect()
}
