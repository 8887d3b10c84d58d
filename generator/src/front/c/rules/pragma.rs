//! Directives in front of declarations: `#pragma adjoint passive …`, `#pragma adjoint rule …`.

use std::iter::Peekable;
use std::str::CharIndices;

/// A directive.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// What it says.
    pub kind: Kind,
    /// Names of functions, maybe with `*` for any letters; those of the declaration behind it, if there are none.
    pub names: Vec<String>,
    /// What it says of memory.
    pub clauses: Clauses,
    /// What is 0 behind a call.
    pub residual: Option<Residual>,
}

/// A call of a function whose result is 0 behind each call of the function of the directive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residual {
    /// The function that computes it.
    pub function: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The parameter that it determines.
    pub unknown: String,
}

/// What a directive says of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No derivative passes through it.
    Passive,
    /// Its derivative is given.
    Rule,
    /// Its derivative follows from a residual.
    Implicit,
}

/// What a function does to memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clauses {
    /// At most this is read.
    pub reads: Vec<Section>,
    /// It is written, and not read before.
    pub writes: Vec<Section>,
    /// It is read, and may be written.
    pub updates: Vec<Section>,
    /// It has a state of its own: it never runs once more.
    pub has_state: bool,
    /// What is left there has no derivative: factors that only the function's kin reads, work space.
    pub lost: Vec<String>,
    /// The number that is not 0 where results are undefined.
    pub status: Option<String>,
    /// What the derivative reads; `None`: everything.
    pub needs: Option<Vec<Need>>,
}

/// Elements behind a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The parameter.
    pub name: String,
    /// Which.
    pub shape: Shape,
}

/// Which elements; bounds are text of C.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Those that another clause names; alone, the first one.
    Named,
    /// `x[first:count:stride]`.
    Run { first: String, count: String, stride: Option<String> },
    /// `a(rows, columns, leading)`, by columns.
    Matrix { rows: String, columns: String, leading: String },
    /// `tri(a, n, leading, uplo)`, by columns: the triangle that `uplo`, 'U' or 'L', names.
    Triangle { size: String, leading: String, uplo: String },
}

impl Shape {
    /// The texts of its bounds.
    pub fn bounds(&self) -> Vec<&str> {
        match self {
            Shape::Named => Vec::new(),
            Shape::Run { first, count, stride } => {
                [first, count].into_iter().chain(stride).map(String::as_str).collect()
            }
            Shape::Matrix { rows, columns, leading } => vec![rows, columns, leading],
            Shape::Triangle { size, leading, uplo } => vec![size, leading, uplo],
        }
    }
}

/// What a derivative reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// Where.
    pub section: Section,
    /// As it is in front of the call.
    pub before: bool,
    /// Only where one of these parameters has an adjoint.
    pub when: Vec<String>,
}

/// What is wrong in the text of a directive, and the byte where.
pub type Wrong = (usize, String);

/// Reads what stands behind `#pragma adjoint`; `None`: a directive of another kind.
pub fn parse(text: &str) -> Result<Option<Directive>, Wrong> {
    let mut words = Words { text, chars: text.char_indices().peekable() };
    let kind = match words.word() {
        "passive" => Kind::Passive,
        "rule" => Kind::Rule,
        "implicit" => Kind::Implicit,
        _ => return Ok(None),
    };
    let residual = if kind == Kind::Implicit { Some(words.residual()?) } else { None };
    let mut found = Directive { kind, names: Vec::new(), clauses: Clauses::default(), residual };
    while let Some(at) = words.next_at() {
        let word = words.name();
        let (inside, inner) = match words.next_char() {
            Some('(') => words.inside('(', ')')?,
            _ if kind == Kind::Passive && !word.is_empty() => {
                found.names.push(word.to_owned());
                continue;
            }
            _ => return Err((at, format!("a clause is expected here, as in {CLAUSES}"))),
        };
        found.clauses.add(word, at, inside, inner)?;
    }
    Ok(Some(found))
}

const CLAUSES: &str = "reads(x[0:n]) writes(y[0:n]) updates(z[0:n]) needs(x, y after)";

impl Clauses {
    /// What is read.
    pub fn read(&self) -> impl Iterator<Item = &Section> {
        self.reads.iter().chain(&self.updates)
    }

    /// What may be written.
    pub fn written(&self) -> impl Iterator<Item = &Section> {
        self.writes.iter().chain(&self.updates)
    }

    fn add(&mut self, word: &str, at: usize, inside: &str, from: usize) -> Result<(), Wrong> {
        let behind = |wrong: Wrong| (wrong.0 + from, wrong.1);
        let list = match word {
            "reads" => &mut self.reads,
            "writes" | "work" => &mut self.writes,
            "updates" | "may" => &mut self.updates,
            "needs" => {
                let needs = self.needs.get_or_insert_default();
                if inside.trim().is_empty() {
                    return Ok(());
                }
                needs.extend(
                    parts(inside, ',')
                        .map(|(at, part)| need(at, part))
                        .collect::<Result<Vec<_>, _>>()
                        .map_err(behind)?,
                );
                return Ok(());
            }
            "factors" => {
                let names = sections(inside).map_err(behind)?;
                self.lost.extend(names.into_iter().map(|section| section.name));
                return Ok(());
            }
            "status" => {
                self.status = Some(inside.trim().to_string());
                return Ok(());
            }
            "state" => {
                self.has_state = true;
                return Ok(());
            }
            // What may be one memory: no analysis counts on the contrary.
            "alias" => return Ok(()),
            _ => return Err((at, format!("there is no clause '{word}'; there are {CLAUSES}"))),
        };
        let found = sections(inside).map_err(behind)?;
        if word == "work" {
            self.lost.extend(found.iter().map(|section| section.name.clone()));
        }
        list.extend(found);
        Ok(())
    }
}

/// `a after : b c`.
fn need(at: usize, text: &str) -> Result<Need, Wrong> {
    let mut words = Words { text, chars: text.char_indices().peekable() };
    let behind = |wrong: Wrong| (wrong.0 + at, wrong.1);
    let section = words.section().map_err(behind)?;
    let mut found = Need { section, before: false, when: Vec::new() };
    while words.next_at().is_some() {
        if words.next_char() == Some(':') {
            words.chars.next();
            while words.next_at().is_some() {
                match words.name() {
                    "" => return Err((at + words.at(), "the name of a parameter is expected here".into())),
                    name => found.when.push(name.to_owned()),
                }
            }
        } else {
            let here = words.at();
            match words.name() {
                "before" => found.before = true,
                "after" => found.before = false,
                _ => return Err((at + here, "'before', 'after' or ':' is expected here".into())),
            }
        }
    }
    Ok(found)
}

fn sections(text: &str) -> Result<Vec<Section>, Wrong> {
    let mut words = Words { text, chars: text.char_indices().peekable() };
    let mut found = Vec::new();
    while words.next_at().is_some() {
        if words.next_char() == Some(',') {
            words.chars.next();
        } else {
            found.push(words.section()?);
        }
    }
    Ok(found)
}

/// The parts of a text between commas or colons outside of brackets, with where they begin. The colon of `a ? b : c` is
/// another one.
fn parts(text: &str, mark: char) -> impl Iterator<Item = (usize, &str)> {
    let (mut depth, mut choices, mut from, mut all) = (0, 0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '?' if depth == 0 => choices += 1,
            ':' if depth == 0 && choices > 0 => choices -= 1,
            c if c == mark && depth == 0 => {
                all.push((from, &text[from..at]));
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push((from, &text[from..]));
    all.into_iter()
}

struct Words<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
}

impl<'t> Words<'t> {
    fn at(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn next_char(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    /// Where the next word begins; `None` at the end.
    fn next_at(&mut self) -> Option<usize> {
        while self.next_char().is_some_and(char::is_whitespace) {
            self.chars.next();
        }
        self.chars.peek().map(|(at, _)| *at)
    }

    fn taken(&mut self, is: impl Fn(char) -> bool) -> &'t str {
        let from = self.at();
        while self.next_char().is_some_and(&is) {
            self.chars.next();
        }
        let to = self.at();
        &self.text[from..to]
    }

    fn word(&mut self) -> &'t str {
        self.next_at();
        self.taken(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// A name, maybe with `*` for any letters; a character that begins none is passed.
    fn name(&mut self) -> &'t str {
        self.next_at();
        let name = self.taken(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '*'));
        if name.is_empty() {
            self.chars.next();
        }
        name
    }

    /// The text between brackets that begin here, and where it begins.
    fn inside(&mut self, open: char, close: char) -> Result<(&'t str, usize), Wrong> {
        let begun = self.at();
        let (mut depth, from) = (0, begun + open.len_utf8());
        for (at, c) in self.chars.by_ref() {
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    return Ok((&self.text[from..at], from));
                }
            }
        }
        Err((begun, format!("a '{close}' is missing")))
    }

    /// `residual(y, old, p, out) for y`
    fn residual(&mut self) -> Result<Residual, Wrong> {
        let at = self.next_at().unwrap_or(self.text.len());
        let wrong =
            || (at, "what is 0 behind a call is expected here, as in implicit residual(y, p, out) for y".into());
        let function = self.word().to_string();
        let inside = match self.next_char() {
            Some('(') if !function.is_empty() => self.inside('(', ')')?.0,
            _ => return Err(wrong()),
        };
        let args = inside.split(',').map(|arg| arg.trim().to_string()).collect();
        if self.word() != "for" {
            return Err(wrong());
        }
        let unknown = self.word().to_string();
        if unknown.is_empty() { Err(wrong()) } else { Ok(Residual { function, args, unknown }) }
    }

    fn section(&mut self) -> Result<Section, Wrong> {
        let at = self.next_at().unwrap_or(self.text.len());
        let name = self.word().to_owned();
        if name.is_empty() {
            return Err((at, "the name of a parameter is expected here".into()));
        }
        let owned = |parts: &[(usize, &str)]| parts.iter().map(|(_, part)| part.trim().to_owned()).collect::<Vec<_>>();
        match self.next_char() {
            Some('[') => {
                let (inside, _) = self.inside('[', ']')?;
                let bounds = owned(&parts(inside, ':').collect::<Vec<_>>());
                let mut bounds = bounds.into_iter();
                match (bounds.next(), bounds.next(), bounds.next(), bounds.next()) {
                    (Some(first), Some(count), stride, None) => {
                        Ok(Section { name, shape: Shape::Run { first, count, stride } })
                    }
                    _ => Err((at, format!("elements are '{name}[first:count]' or '{name}[first:count:stride]'"))),
                }
            }
            Some('(') => {
                let (inside, _) = self.inside('(', ')')?;
                let all = owned(&parts(inside, ',').collect::<Vec<_>>());
                match (name.as_str(), &all[..]) {
                    ("tri", [of, size, leading, uplo]) | ("tri", [of, size, leading, uplo, _]) => {
                        let [size, leading, uplo] = [size, leading, uplo].map(String::clone);
                        Ok(Section { name: of.clone(), shape: Shape::Triangle { size, leading, uplo } })
                    }
                    ("tri", _) => Err((at, "a triangle is 'tri(a, n, lda, uplo)'".into())),
                    (_, [rows, columns, leading]) => {
                        let [rows, columns, leading] = [rows, columns, leading].map(String::clone);
                        Ok(Section { name, shape: Shape::Matrix { rows, columns, leading } })
                    }
                    _ => Err((at, format!("a matrix is '{name}(rows, columns, leading)'"))),
                }
            }
            _ => Ok(Section { name, shape: Shape::Named }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_name_sections_and_needs() {
        let text = "rule reads(a(m, n, lda) x[0:n:incx]) updates(tri(c, n, ldc, uplo)) writes(y[0:n], info) \
                    needs(x : y a, a after, c before : beta)";
        let found = parse(text).expect("a rule").expect("a rule").clauses;
        let run = |name: &str, stride: Option<&str>| Section {
            name: name.into(),
            shape: Shape::Run { first: "0".into(), count: "n".into(), stride: stride.map(Into::into) },
        };
        assert_eq!(found.reads[1], run("x", Some("incx")));
        let matrix = Shape::Matrix { rows: "m".into(), columns: "n".into(), leading: "lda".into() };
        assert_eq!(found.reads[0], Section { name: "a".into(), shape: matrix });
        assert_eq!(found.writes, [run("y", None), Section { name: "info".into(), shape: Shape::Named }]);
        let triangle = Shape::Triangle { size: "n".into(), leading: "ldc".into(), uplo: "uplo".into() };
        assert_eq!(found.updates, [Section { name: "c".into(), shape: triangle }]);
        let needs = found.needs.expect("needs");
        assert_eq!((needs[0].before, &needs[0].when[..]), (false, &["y".to_string(), "a".to_string()][..]));
        assert_eq!((needs[1].before, needs[2].before, &needs[2].when[..]), (false, true, &["beta".to_string()][..]));
    }

    #[test]
    fn bounds_may_be_choices() {
        let found = parse("rule reads(x[0:t == 'N' ? n : m:inc])").expect("a rule").expect("a rule").clauses;
        let [first, count, stride] = ["0", "t == 'N' ? n : m", "inc"].map(String::from);
        assert_eq!(found.reads[0].shape, Shape::Run { first, count, stride: Some(stride) });
    }

    #[test]
    fn names_may_stand_for_many() {
        let found = parse("passive report timer_* writes(t[0:1])").expect("passive").expect("passive");
        assert_eq!((found.kind, &found.names[..]), (Kind::Passive, &["report".to_string(), "timer_*".to_string()][..]));
        assert_eq!(found.clauses.writes.len(), 1);
        assert_eq!(parse("again"), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_found_where_it_is() {
        let wrong = |text: &str| parse(text).expect_err(text);
        assert_eq!(wrong("rule raeds(x[0:n])").0, 5);
        assert_eq!(wrong("rule reads(x[0:n").0, 10);
        assert_eq!(wrong("rule reads(x[n])").0, 11);
        assert_eq!(wrong("rule needs(x sometimes)").0, 13);
        assert_eq!(wrong("rule reads(a(m, n))").0, 11);
        assert_eq!(wrong("rule names").0, 5);
    }
}
