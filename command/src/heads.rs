//! Heads as the command line names them: `f(y)/(x) g(z w)/(u,v)`.

use adtape_generate::flow::Head;

/// All heads of a text, or what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<Head>, String> {
    let mut heads = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let wrong = || format!("'{text}' is no head: write 'f(y)/(x)'");
        let (name, behind) = rest.split_once('(').ok_or_else(wrong)?;
        let (dependents, behind) = behind.split_once(')').ok_or_else(wrong)?;
        let behind = behind.trim_start().strip_prefix('/').ok_or_else(wrong)?;
        let behind = behind.trim_start().strip_prefix('(').ok_or_else(wrong)?;
        let (independents, behind) = behind.split_once(')').ok_or_else(wrong)?;
        let names =
            |list: &str| list.split([' ', ',']).filter(|name| !name.is_empty()).map(String::from).collect::<Vec<_>>();
        let name = name.trim();
        let is_name = |name: &str| !name.is_empty() && name.chars().all(is_of_names);
        let head = Head { proc: name.into(), dependents: names(dependents), independents: names(independents) };
        let listed = head.dependents.iter().chain(&head.independents).all(|name| is_name(name));
        if !is_name(name) || !listed || head.dependents.is_empty() || head.independents.is_empty() {
            return Err(wrong());
        }
        heads.push(head);
        rest = behind.trim_start();
    }
    Ok(heads)
}

/// Whether C has the character in names: it takes letters of all scripts.
fn is_of_names(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { !c.is_whitespace() && !c.is_control() }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn several_heads_are_read_from_one_text() {
        let heads = parse("f(y z)/(x) g( g ) / (u, v)").unwrap();
        assert_eq!(heads.len(), 2);
        assert_eq!((heads[0].proc.as_str(), &heads[0].dependents[..]), ("f", &["y".to_string(), "z".to_string()][..]));
        assert_eq!(
            (heads[1].proc.as_str(), &heads[1].independents[..]),
            ("g", &["u".to_string(), "v".to_string()][..])
        );
    }

    #[test]
    fn names_of_a_head_are_those_of_c_in_any_script() {
        let heads = parse("größe(größe)/(λ, ж_1)").unwrap();
        assert_eq!((heads[0].proc.as_str(), heads[0].independents.len()), ("größe", 2));
        assert!(parse("f(größe\u{a0})/(x)").is_err(), "a blank is no letter");
    }

    #[test]
    fn what_is_no_head_is_an_error() {
        for wrong in ["f", "f(y)", "f(y)(x)", "f()/(x)", "f(y)/()", "(y)/(x)", "f(y)/(x", "f(y-1)/(x)"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
