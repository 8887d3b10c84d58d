//! `adtape explain CODE`: what the code of a message means, and what to do.

use crate::say;

/// A section for each code.
const PAGE: &str = include_str!("../codes.md");

/// Prints what a code means.
pub fn explain(code: &str) -> Result<(), u8> {
    match sections().find(|(name, _)| *name == code) {
        Some((name, text)) => {
            say::print(&format!("{name}\n\n{text}\n"));
            Ok(())
        }
        None => {
            let all: Vec<&str> = sections().map(|(name, _)| name).collect();
            Err(say::error(&format!("there is no code {code}"), &format!("name one of these: {}", all.join(", ")), 2))
        }
    }
}

/// Codes, each with its text.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.split("\n## ").skip(1).filter_map(|section| section.split_once('\n')).map(|(name, text)| (name, text.trim()))
}

#[cfg(test)]
mod tests {
    use super::sections;
    use adtape_generate::refuse::Class;

    #[test]
    fn each_code_has_a_section() {
        let known: Vec<&str> = sections().map(|(name, _)| name).collect();
        let others = ["internal", "usage", "file", "failed", "dropped-directive", "stored-instead"];
        let codes: Vec<&str> = Class::ALL.iter().map(|class| class.code()).chain(others).collect();
        assert_eq!(known, codes);
        assert!(sections().all(|(_, text)| text.len() > 40));
    }
}
