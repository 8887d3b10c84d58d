//! Text in two languages.

use std::fmt::Write as _;

/// An expression, a name or a condition in Fortran and in C.
#[derive(Clone, Debug)]
pub struct Both {
    pub fortran: String,
    pub c: String,
}

impl Both {
    pub fn new(fortran: impl Into<String>, c: impl Into<String>) -> Both {
        Both { fortran: fortran.into(), c: c.into() }
    }

    /// What is spelled alike.
    pub fn same(text: impl Into<String>) -> Both {
        let text = text.into();
        Both { c: text.clone(), fortran: text }
    }

    pub fn real(value: f64) -> Both {
        let text = if value < 0.0 { format!("({value:?})") } else { format!("{value:?}") };
        let fortran = text.replace(')', "");
        let end = if value < 0.0 { "d0)" } else { "d0" };
        Both::new(fortran + end, text)
    }
}

/// Fills a pattern with texts: `{0}` stands for the first one in both languages.
pub fn fill(fortran: &str, c: &str, with: &[&Both]) -> Both {
    let (mut out_f, mut out_c) = (fortran.to_owned(), c.to_owned());
    for (k, text) in with.iter().enumerate() {
        let hole = format!("{{{k}}}");
        out_f = out_f.replace(&hole, &text.fortran);
        out_c = out_c.replace(&hole, &text.c);
    }
    Both::new(out_f, out_c)
}

/// A source in both languages, line by line.
#[derive(Default)]
pub struct Source {
    pub fortran: String,
    pub c: String,
    pub depth: usize,
}

impl Source {
    /// A line of Fortran, which is continued where it is long.
    pub fn fortran(&mut self, line: &str) {
        let mut rest = format!("{:1$}{line}", "", 2 * self.depth);
        while rest.len() > 120 {
            let at = rest[..118].rfind(' ').filter(|at| *at > 20).expect("a blank in a long line");
            let _ = writeln!(self.fortran, "{} &", &rest[..at]);
            rest = format!("{:1$}{2}", "", 2 * self.depth + 4, &rest[at + 1..]);
        }
        let _ = writeln!(self.fortran, "{rest}");
    }

    pub fn c(&mut self, line: &str) {
        let _ = writeln!(self.c, "{:1$}{line}", "", 4 * self.depth);
    }

    pub fn both(&mut self, fortran: &str, c: &str) {
        self.fortran(fortran);
        self.c(c);
    }

    pub fn line(&mut self, line: &Both) {
        self.both(&line.fortran, &line.c);
    }
}
