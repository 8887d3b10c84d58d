//! Random programs: printed as free and as fixed form, read again, the tree must be the one that was printed.

use crate::common::{read_text, tree_of};
use crate::fixed;
use adtape_fortran::source::Form;
use fastrand::Rng;

/// How many programs a test makes.
const PROGRAMS: u64 = 300;

/// Names that are keywords elsewhere.
const NAMES: [&str; 14] =
    ["a", "b1", "if", "do", "end", "real", "where", "then", "e1", "d", "call", "format", "data", "else"];

/// Writes programs; `depth` bounds what is nested.
struct Writer {
    rng: Rng,
    labels: u32,
}

impl Writer {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.rng.usize(..from.len())]
    }

    fn name(&mut self) -> String {
        self.pick(&NAMES).to_owned()
    }

    fn list(&mut self, most: usize, mut one: impl FnMut(&mut Writer) -> String) -> String {
        (0..self.rng.usize(1..=most)).map(|_| one(self)).collect::<Vec<_>>().join(", ")
    }

    fn reference(&mut self, depth: usize) -> String {
        let mut text = self.name();
        while depth > 0 && self.rng.u8(..3) == 0 {
            text += &format!("({})", self.list(3, |writer| writer.argument(depth - 1)));
        }
        if depth > 0 && self.rng.u8(..5) == 0 { format!("{text}%{}", self.reference(depth - 1)) } else { text }
    }

    fn argument(&mut self, depth: usize) -> String {
        match self.rng.u8(..8) {
            0 => ":".to_owned(),
            1 => format!("{}:{}", self.operand(depth), self.operand(depth)),
            2 => format!("::{}", self.operand(depth)),
            3 => format!("{} = {}", self.name(), self.expression(depth)),
            _ => self.expression(depth),
        }
    }

    fn operand(&mut self, depth: usize) -> String {
        const CONSTANTS: [&str; 16] = [
            "1",
            "12_8",
            "1.5",
            "1.e0",
            ".5d-3",
            "2.e+5_wp",
            ".true.",
            ".false._lk",
            "'it''s'",
            "\"a;!&\"",
            "z'1F'",
            "1.",
            "k_'x'",
            "0",
            "1d0",
            "3Ha'b",
        ];
        match self.rng.u8(..6) {
            0 if depth > 0 => format!("({})", self.expression(depth - 1)),
            1 if depth > 0 => format!("[{}]", self.list(3, |writer| writer.expression(depth - 1))),
            2 if depth > 0 => format!("({}, {})", self.expression(depth - 1), self.expression(depth - 1)),
            3 => self.pick(&CONSTANTS).to_owned(),
            _ => self.reference(depth),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        const BINARY: [&str; 20] = [
            "+", "-", "*", "/", "**", "//", "==", "/=", "<", "<=", ".gt.", ".ge.", ".and.", ".or.", ".eqv.", ".neqv.",
            ".mine.", ".eq.", ".ne.", ">",
        ];
        if depth == 0 || self.rng.bool() {
            return self.operand(depth.saturating_sub(1));
        }
        match self.rng.u8(..6) {
            // A Hollerith constant behind a sign of its own would be another one.
            0 => format!("{} ({})", self.pick(&["-", "+", ".not.", ".other."]), self.expression(depth - 1)),
            _ => {
                let operator = self.pick(&BINARY);
                let (left, right) = (self.term(depth - 1), self.term(depth - 1));
                format!("{left} {operator} {right}")
            }
        }
    }

    /// An operand, or an operation whose grouping the parser decides.
    fn term(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.u8(..3) == 0 {
            let operator = self.pick(&["+", "*", "**", "//", "-"]);
            return format!("{} {operator} {}", self.operand(depth - 1), self.operand(depth - 1));
        }
        self.operand(depth)
    }

    fn statement(&mut self, depth: usize, out: &mut Vec<String>) {
        let condition = self.expression(2);
        match self.rng.u8(..16) {
            0 if depth > 0 => {
                out.push(format!("if ({condition}) then"));
                self.block(depth - 1, out);
                if self.rng.bool() {
                    out.push(format!("else if ({}) then", self.expression(2)));
                    self.block(depth - 1, out);
                    out.push("else".to_owned());
                    self.block(depth - 1, out);
                }
                out.push("end if".to_owned());
            }
            1 if depth > 0 => {
                out.push(format!("do {} = {}, {}", self.name(), self.operand(1), self.operand(1)));
                self.block(depth - 1, out);
                out.push("end do".to_owned());
            }
            2 if depth > 0 => {
                self.labels += 10;
                let label = self.labels;
                out.push(format!("do {label} {} = 1, {}", self.name(), self.operand(1)));
                if self.rng.bool() {
                    out.push(format!("do {label} {} = 1, {}, {}", self.name(), self.operand(1), self.operand(1)));
                }
                self.block(depth - 1, out);
                out.push(format!("{label} continue"));
            }
            3 if depth > 0 => {
                out.push(format!("select case ({condition})"));
                out.push(format!("case ({}, {}:)", self.operand(1), self.operand(1)));
                self.block(depth - 1, out);
                out.push("case default".to_owned());
                self.block(depth - 1, out);
                out.push("end select".to_owned());
            }
            4 if depth > 0 => {
                out.push(format!("where ({condition})"));
                out.push(format!("{} = {}", self.reference(1), self.expression(2)));
                out.push("elsewhere".to_owned());
                out.push("end where".to_owned());
            }
            5 => out.push(format!("call {}", self.reference(2))),
            6 => out.push(format!("if ({condition}) {} = {}", self.reference(1), self.expression(2))),
            7 => out.push(format!("if ({condition}) 10, 20, 30")),
            8 => out.push(format!("write (*, {}) {}", self.operand(0), self.list(3, |writer| writer.operand(2)))),
            9 => out.push(format!("print *, ({}, i = 1, {})", self.operand(1), self.operand(1))),
            10 => out.push("goto 10".to_owned()),
            11 => out.push(format!("{} => {}", self.reference(1), self.reference(2))),
            _ => out.push(format!("{} = {}", self.reference(2), self.expression(4))),
        }
    }

    fn block(&mut self, depth: usize, out: &mut Vec<String>) {
        for _ in 0..self.rng.usize(1..4) {
            self.statement(depth, out);
        }
    }

    fn program(&mut self) -> String {
        let mut out = vec!["subroutine s(a, b1)".to_owned(), "implicit real*8 (a-h, o-z)".to_owned()];
        for _ in 0..self.rng.usize(..4) {
            let spec = self.pick(&["integer", "real*8", "real(kind=wp)", "character*(*)", "type(t)", "logical(1)"]);
            let attributes = self.pick(&[" ::", ", save ::", ", dimension(3, *) ::", ""]);
            let dims = self.pick(&["(10)", "(0:n, *)", "", "(:, lo:)"]);
            out.push(format!("{spec}{attributes} {}{dims}, q", self.name()));
        }
        self.block(3, &mut out);
        out.push("end subroutine s".to_owned());
        out.join("\n") + "\n"
    }
}

#[test]
fn random_programs_survive_printing_in_both_forms() {
    for seed in 0..PROGRAMS {
        let text = Writer { rng: Rng::with_seed(seed), labels: 0 }.program();
        let tree = tree_of("random.f90", &text, Form::Free);
        let (_, reading) = read_text("random.f90", &text, Form::Free);
        let printed = adtape_fortran::print::fortran(&reading.file);
        assert_eq!(tree, tree_of("printed.f90", &printed, Form::Free), "seed {seed}\n{text}\n{printed}");
        let columns = fixed::of_free(&printed);
        let form = Form::Fixed { columns: 72 };
        assert_eq!(tree, tree_of("fixed.f", &columns, form), "seed {seed}\n{text}\n{columns}");
    }
}

#[test]
fn deep_expressions_and_constructs_need_no_deep_stack() {
    let depth = 20_000;
    let nested = format!("x = {}1{}\n", "(".repeat(depth), ")".repeat(depth));
    let sum = format!("x = 1{}\n", " + 1".repeat(depth));
    let powers = format!("x = 1{}\n", " ** 1".repeat(depth));
    let signs = format!("x = {} 1\n", "- ".repeat(depth));
    let calls = format!("x = {}1{}\n", "f(".repeat(depth), ")".repeat(depth));
    let blocks = format!("{}{}", "if (x) then\n".repeat(500), "end if\n".repeat(500));
    for text in [nested, sum, powers, signs, calls, blocks] {
        let (_, reading) = read_text("deep.f90", &(text + "end\n"), Form::Free);
        assert_eq!(reading.messages, []);
        assert!(adtape_fortran::print::fortran(&reading.file.clone()).len() > 10_000);
    }
}
