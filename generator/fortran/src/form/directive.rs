//! Comments that are directives.

/// A directive: its sentinel in lower case, and where its text begins.
pub struct Directive {
    pub sentinel: String,
    pub text_at: usize,
}

/// Reads a comment, given behind its `!`, `C` or `*`: `$omp parallel`, `dir$ ivdep`. `$ x = 1`, code that is compiled
/// with OpenMP only, is a comment.
pub fn directive(comment: &str) -> Option<Directive> {
    let letters = |text: &str| text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let end = match comment.strip_prefix('$') {
        Some(rest) => Some(1 + letters(rest)).filter(|end| *end > 1)?,
        None => Some(letters(comment)).filter(|end| *end > 0 && comment[*end..].starts_with('$'))? + 1,
    };
    let behind = comment[end..].chars().next();
    let ends = behind.is_none_or(|c| c.is_whitespace() || c == '&' || c == '+');
    ends.then(|| Directive { sentinel: comment[..end].to_ascii_lowercase(), text_at: end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentinels_are_told_from_comments() {
        let sentinel = |comment| directive(comment).map(|found| found.sentinel);
        assert_eq!(sentinel("$OMP parallel do"), Some("$omp".into()));
        assert_eq!(sentinel("DIR$ IVDEP"), Some("dir$".into()));
        assert_eq!(sentinel("$ad nocheckpoint"), Some("$ad".into()));
        for comment in ["$ x = 1", "$Id: m.F,v 1.2$", " $omp", "costs 3$", "", "$"] {
            assert_eq!(sentinel(comment), None, "{comment}");
        }
    }
}
