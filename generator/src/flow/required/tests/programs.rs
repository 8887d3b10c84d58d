//! Random programs as text.

use super::{F, expand};

/// A source of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn one<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }
}

/// A random program: loops of all kinds, subscripts by indices and tables, calls with offsets and aliases, blocks.
struct Writer {
    random: Random,
    names: usize,
    ints: Vec<String>,
    arrays: Vec<String>,
    table: Option<String>,
    callees: Vec<String>,
}

impl Writer {
    fn int(&mut self) -> String {
        let v = self.random.one(&self.ints.clone());
        let u = self.random.one(&self.ints.clone());
        let c = self.random.below(4);
        match self.random.below(14) {
            0 | 1 => v,
            2 => format!("{v} + {c}"),
            3 => format!("{} + {c}", self.ints[0]),
            4 => format!("{} - 1", self.ints[0]),
            5 => format!("{} - 1 - {v}", self.ints[0]),
            6 => format!("2 * {v} + {c}"),
            7 => format!("{v} + {u}"),
            8 => format!("{v} * {} + {u}", self.ints[0]),
            9 => format!("({v} + {c}) / 2"),
            10 => match &self.table {
                Some(table) => format!("{table}[{v}]"),
                None => v,
            },
            11 => format!("{v} * {u}"),
            _ => c.to_string(),
        }
    }

    fn cell(&mut self) -> String {
        let a = self.random.one(&self.arrays.clone());
        format!("{a}[{}]", self.int())
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.int(), self.int());
        let op = self.random.one(&["<", "<=", ">", ">=", "==", "!="]);
        format!("{a} {op} {b}")
    }

    fn statements(&mut self, depth: usize, out: &mut String) {
        for _ in 0..1 + self.random.below(if depth == 0 { 6 } else { 3 }) {
            self.statement(depth, out);
        }
    }

    fn statement(&mut self, depth: usize, out: &mut String) {
        let scope = (self.ints.len(), self.arrays.len());
        let kind = self.random.below(if depth < 3 { 16 } else { 7 });
        match kind {
            0..=2 => {
                let (a, b, c) = (self.cell(), self.cell(), self.cell());
                *out += &format!("store {a} = {b} * {c}\n");
            }
            3 => {
                let (a, b) = (self.cell(), self.cell());
                *out += &format!("store {a} = {b} + 1.0\n");
            }
            4 => {
                let a = self.cell();
                *out += &format!("store {a} = 2.0\n");
            }
            5 => {
                if let Some(table) = self.table.clone() {
                    let (a, b) = (self.int(), self.int());
                    *out += &format!("store {table}[{a}] = ({b}) % 5\n");
                }
            }
            6 => {
                if let Some(g) = self.callees.last().cloned() {
                    let (a, b, c) = (self.cell(), self.cell(), self.int());
                    let table = self.table.clone().unwrap_or("ia.0".into());
                    *out += &format!("call {g}({c}, &{a}, {table}, &{b})\n");
                }
            }
            7..=11 => {
                self.names += 1;
                let v = format!("i{}", self.names);
                let (lo, hi) = (self.int(), self.int());
                let hi = if self.random.below(2) == 0 { self.ints[0].clone() } else { hi };
                let lo = if self.random.below(2) == 0 { "0".to_string() } else { lo };
                let down = self.random.below(4) == 0;
                let step = match self.random.below(5) {
                    0 => " step 2",
                    1 if !down => " step 3",
                    _ => "",
                };
                let mut with = String::new();
                let mut inner = vec![v.clone()];
                match self.random.below(6) {
                    0 => {
                        let k = format!("k{}", self.names);
                        let from = self.int();
                        with = format!(" with {k} from {from} by {}", self.random.below(3));
                        inner.push(k);
                    }
                    1 => {
                        self.ints.push(v.clone());
                        let c = self.condition();
                        self.ints.pop();
                        with = format!(" with b{} until {c}", self.names);
                    }
                    _ => {}
                }
                let word = if down { "down" } else { "for" };
                *out += &format!("{word} {v} in {lo}..{hi}{with}{step} {{\n");
                self.ints.extend(inner);
                self.statements(depth + 1, out);
                *out += "}\n";
            }
            12 | 13 => {
                let c = self.condition();
                *out += &format!("if {c} {{\n");
                self.statements(depth + 1, out);
                self.ints.truncate(scope.0);
                self.arrays.truncate(scope.1);
                if self.random.below(2) == 0 {
                    *out += "} else {\n";
                    self.statements(depth + 1, out);
                }
                *out += "}\n";
            }
            14 => {
                self.names += 1;
                let q = format!("q{}", self.names);
                let cell = self.cell();
                *out += &format!("let {q}.0 = &{cell}\n");
                self.arrays.push(format!("{q}.0"));
                return;
            }
            _ => {
                self.names += 1;
                let u = format!("u{}", self.names);
                *out += &format!("declare double {u}[70]\n");
                self.arrays.push(u);
                return;
            }
        }
        self.ints.truncate(scope.0);
        self.arrays.truncate(scope.1);
    }

    fn procedure(&mut self, name: &str, out: &mut String) {
        self.ints = vec!["n.0".into()];
        self.arrays = vec!["x.0".into(), "w.0".into()];
        self.table = Some("ia.0".into());
        let mut text = String::new();
        if name == "f" || self.random.below(3) == 0 {
            text += "declare double t[70]\n";
            self.arrays.push("t".into());
        }
        if self.random.below(3) == 0 {
            text += "alloc double h[?], 60\nlet hp.0 = &h[0]\n";
            self.arrays.push("hp.0".into());
            self.statements(0, &mut text);
            self.arrays.retain(|a| a != "hp.0" && !a.starts_with('q'));
            text += "free hp.0\n";
        }
        self.statements(0, &mut text);
        *out += &format!("proc {name}{F} {{\n{}\n}}\n", expand(&text));
    }
}

pub fn random_program(seed: u64) -> String {
    let mut writer = Writer {
        random: Random(seed.wrapping_mul(77) + 5),
        names: 0,
        ints: Vec::new(),
        arrays: Vec::new(),
        table: None,
        callees: Vec::new(),
    };
    let mut out = String::new();
    for g in 0..writer.random.below(3) {
        let name = format!("g{g}");
        writer.procedure(&name, &mut out);
        writer.callees.push(name);
    }
    writer.procedure("f", &mut out);
    out
}
