//! Random functions that jump: forward, back, out of statements and into them.
//!
//! Every label stands in one random place, and every `goto` names a random one. Each label and each pass of a loop takes
//! one unit of `fuel`, so that the functions end.

use super::Random;
use std::fmt::Write;

/// One function of the form that `driver` calls.
pub fn function(name: &str, seed: u64) -> String {
    let mut random = Random(seed);
    random.next();
    let labels = 2 + random.next() as usize % 5;
    let mut maker = Maker { random, labels, placed: 0, text: String::new() };
    maker.list(0, false);
    while maker.placed < labels {
        maker.label();
    }
    let body = maker.text;
    format!(
        "double {name}(int n, double *x, int *k) {{ int fuel = 25, i = 0; double s = n;\n{body}return s + fuel; }}\n"
    )
}

struct Maker {
    random: Random,
    labels: usize,
    placed: usize,
    text: String,
}

impl Maker {
    fn below(&mut self, bound: u32) -> u32 {
        self.random.next() as u32 % bound
    }

    fn label(&mut self) {
        writeln!(self.text, "L{}: if (--fuel < 0) return s;", self.placed).unwrap();
        self.placed += 1;
    }

    fn condition(&mut self) -> String {
        let (at, bound) = (self.below(8), self.below(8));
        match self.below(4) {
            0 => format!("x[{at}] > 0.{bound}5"),
            1 => format!("fuel % 3 == {}", bound % 3),
            2 => format!("++i % 4 > {}", bound % 4),
            _ => format!("k[{at}] > {bound}"),
        }
    }

    fn block(&mut self, depth: u32, in_loop: bool) {
        self.text.push_str("{\n");
        self.list(depth + 1, in_loop);
        self.text.push_str("}\n");
    }

    fn list(&mut self, depth: u32, in_loop: bool) {
        for _ in 0..2 + self.below(5 - depth) {
            self.statement(depth, in_loop);
            if self.placed < self.labels && self.below(3) == 0 {
                self.label();
            }
        }
    }

    fn statement(&mut self, depth: u32, in_loop: bool) {
        let (at, on, to) = (self.below(8), self.condition(), self.below(self.labels as u32));
        let pass = "if (--fuel < 0) return s;";
        match self.below(if depth < 3 { 16 } else { 9 }) {
            0 | 1 => writeln!(self.text, "s = s * 0.5 + x[{at}];").unwrap(),
            2 => writeln!(self.text, "x[{at}] += s * 0.125;").unwrap(),
            3 => writeln!(self.text, "k[{at}] = (k[{at}] + 3) % 10;").unwrap(),
            4..=6 => writeln!(self.text, "if ({on}) goto L{to};").unwrap(),
            7 if in_loop => {
                writeln!(self.text, "if ({on}) {};", if at % 2 == 0 { "break" } else { "continue" }).unwrap()
            }
            7 => writeln!(self.text, "if ({on}) return s - {at};").unwrap(),
            8 => writeln!(self.text, "{{ double v = x[{at}]; s += v; x[{at}] = s * 0.25 - v; }}").unwrap(),
            9 | 10 => {
                writeln!(self.text, "if ({on})").unwrap();
                self.block(depth, in_loop);
            }
            11 | 12 => {
                writeln!(self.text, "if ({on})").unwrap();
                self.block(depth, in_loop);
                self.text.push_str("else\n");
                self.block(depth, in_loop);
            }
            13 => {
                writeln!(self.text, "while ({on}) {{ {pass}").unwrap();
                self.list(depth + 1, true);
                self.text.push_str("}\n");
            }
            14 => {
                writeln!(self.text, "for (i = {at}; {on}; i++) {{ {pass}").unwrap();
                self.list(depth + 1, true);
                self.text.push_str("}\n");
            }
            _ if in_loop => writeln!(self.text, "goto L{to};").unwrap(),
            _ => {
                writeln!(self.text, "do {{ {pass}").unwrap();
                self.list(depth + 1, true);
                writeln!(self.text, "}} while ({on});").unwrap();
            }
        }
    }
}
