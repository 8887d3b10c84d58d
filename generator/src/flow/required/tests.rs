use super::interpreter::Machine;
use super::*;
use crate::flow::Head;
use crate::ir::{Program, parse, print};
use programs::random_program;
use rustc_hash::FxHashMap;

mod programs;
mod sets;

fn head(dependent: &str) -> Head {
    Head { proc: "f".into(), dependents: vec![dependent.into()], independents: vec!["x".into()] }
}

fn read(text: &str) -> Program {
    parse::program(text).unwrap_or_else(|what| panic!("{what}\n{text}"))
}

/// A body of `f` in a form shorter than the intermediate one: `for i in lo..hi { ... }`, `down i in lo..hi`,
/// `for i in lo..hi step s`; everything else is passed on. Loops have only their index.
fn expand(body: &str) -> String {
    let mut out = String::new();
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let mut open: Vec<String> = Vec::new();
    let mut current: FxHashMap<String, usize> = FxHashMap::default();
    let rename = |line: &str, current: &FxHashMap<String, usize>| {
        let mut text = String::new();
        let mut word = String::new();
        for c in line.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' || c == '.' || c == '\'' {
                word.push(c);
            } else {
                match current.get(&word) {
                    Some(k) => text += &format!("{word}.{k}"),
                    None => text += &word,
                }
                word.clear();
                text.push(c);
            }
        }
        text
    };
    for line in body.lines() {
        let line = line.trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first().is_some_and(|w| *w == "for" || *w == "down") {
            let var = words[1].to_string();
            let (range, step) = match line.split_once(" step ") {
                Some((r, s)) => (r, s.trim_end_matches('{').trim().to_string()),
                None => (line, "1".to_string()),
            };
            let (range, with) = match range.split_once(" with ") {
                Some((r, w)) => (r, Some(w.trim_end_matches('{').trim())),
                None => (range, None),
            };
            let range = range.split_once(" in ").unwrap().1.trim_end_matches('{').trim();
            let (lo, hi) = range.split_once("..").unwrap();
            let (lo, hi) = (rename(lo, &current), rename(hi, &current));
            let k = *counts.get(&var).unwrap_or(&0);
            counts.insert(var.clone(), k + 4);
            let (init, test, end) = if words[0] == "for" {
                (lo, format!("{var}.{} < {hi}", k + 1), format!("{var}.{} + {step}", k + 1))
            } else {
                (format!("{hi} - 1"), format!("{var}.{} >= {lo}", k + 1), format!("{var}.{} - {step}", k + 1))
            };
            let mut begin = format!("let {var}.{k} = {init}\n");
            let mut carry = format!("carry {var}.{} = {var}.{k} | {var}.{} -> {var}.{}\n", k + 1, k + 2, k + 3);
            let mut end = format!("let {var}.{} = {end}\n", k + 2);
            let mut test = test;
            current.insert(var.clone(), k + 1);
            // `with v from e by s`: another variable; `with v until c`: ends the loop.
            if let Some(with) = with {
                let (name, what) = with.split_once(' ').unwrap();
                let j = *counts.get(name).unwrap_or(&0);
                counts.insert(name.into(), j + 4);
                current.insert(name.into(), j + 1);
                if let Some((from, by)) = what.strip_prefix("from ").and_then(|w| w.split_once(" by ")) {
                    begin += &format!("let {name}.{j} = {}\n", rename(from, &current));
                    end += &format!("let {name}.{} = {name}.{} + {}\n", j + 2, j + 1, rename(by, &current));
                } else {
                    begin += &format!("let {name}.{j} = 0\n");
                    let until = what.strip_prefix("until ").unwrap();
                    end = format!("let {name}.{} = {}\n{end}", j + 2, rename(until, &current));
                    test = format!("!{name}.{} && {test}", j + 1);
                }
                carry += &format!("carry {name}.{} = {name}.{j} | {name}.{} -> {name}.{}\n", j + 1, j + 2, j + 3);
            }
            out += &format!("{begin}loop before {test} {carry} {{\n");
            open.push(format!("{end}}}\n"));
        } else if line == "}" {
            out += &open.pop().unwrap();
        } else if line.ends_with('{') {
            out += &rename(line, &current);
            out.push('\n');
            open.push("}\n".into());
            if line.starts_with('}') {
                open.pop();
            }
        } else {
            out += &rename(line, &current);
            out.push('\n');
        }
    }
    out
}

/// The parameters of every procedure.
const F: &str = "(int n, double* x, int* ia, double* w)";

/// Runs `f` for several `n`, backwards too. Returns stores and pushes in all.
fn runs(program: &Program, demand: bool) -> Result<(usize, usize), String> {
    let flow = match Flow::analyse(program, &[head("w")]) {
        Ok(flow) => flow,
        Err(reasons) => return Err(format!("{reasons:?}")),
    };
    let mut required = Required::new(&flow);
    let mut demands = Vec::new();
    if demand {
        for (p, proc) in program.procs.iter().enumerate() {
            let p = ProcId::new(p);
            for (r, region) in proc.regions.iter().enumerate() {
                for &id in &region.items {
                    for e in walk::of_item(proc, &proc.items[id]) {
                        let loop_item = matches!(proc.items[id].kind, crate::ir::ItemKind::Loop { .. });
                        if !loop_item && required.steady(p, id, e) && required.demand(p, id, e) {
                            demands.push((p, id, RegionId::new(r), e.clone()));
                        }
                    }
                }
            }
        }
        required.run();
    }
    let f = ProcId::new(program.procs.iter().position(|p| p.name == "f").unwrap());
    let mut total = (0, 0);
    for n in [0, 1, 2, 3, 5, 8] {
        let machine = Machine::new(program, &required, demands.clone());
        match machine.run(f, &[n], 70) {
            Ok(Ok((stores, pushes))) => total = (total.0 + stores, total.1 + pushes),
            Ok(Err(what)) => return Err(format!("n = {n}: {what}")),
            Err(_) => {}
        }
    }
    Ok(total)
}

fn body(text: &str) -> Program {
    read(&format!("proc f{F} {{\n{}\n}}", expand(text)))
}

/// Whether the stores to `t` behind the first loop are stored: `p` for each that is, `-` for each that is not.
fn pushes(program: &Program) -> String {
    let flow = Flow::analyse(program, &[head("w")]).unwrap();
    let required = Required::new(&flow);
    let mut out = String::new();
    for (p, proc) in program.procs.iter().enumerate() {
        for id in walk::items(proc, RegionId(0)) {
            if let crate::ir::ItemKind::Store { .. } = proc.items[id].kind {
                out.push(if required.push_old(ProcId::new(p), id) { 'p' } else { '-' });
            }
        }
    }
    out
}

/// The edge programs of the prototype. Each shows one mutant of the analysis.
fn edges() -> Vec<(&'static str, String)> {
    let fill = "declare double t[60]\nfor i in 0..60 {\nstore t[i] = 0.2 + 0.1 * x.0[i]\n}\n";
    let use_ = |lo: &str, hi: &str| format!("for i in {lo}..{hi} {{\nstore w.0[0] = w.0[0] + t[i] * t[i]\n}}\n");
    let square = |a: &str, b: &str| format!("store w.0[0] = w.0[0] + t[{a}] * t[{b}]\n");
    let mut out = vec![
        (
            "a cell behind the last of a loop",
            format!(
                "{fill}{}for i in 0..n.0 {{\nstore t[i] = 0.5 * x.0[i]\n}}\nstore t[n.0] = x.0[3]\n{}",
                use_("0", "n.0 + 1"),
                use_("0", "n.0 + 1")
            ),
        ),
        (
            "a loop that may not run",
            format!(
                "{fill}{}for i in 0..n.0 - 4 {{\nstore t[0] = x.0[i]\n}}\nstore t[0] = x.0[5]\n{}",
                square("0", "0"),
                square("0", "0")
            ),
        ),
        (
            "the last cell of a loop",
            format!(
                "{fill}{}if n.0 > 0 {{\nstore t[n.0 - 1] = x.0[7]\n{}}}\n",
                use_("0", "n.0"),
                square("n.0 - 1", "2")
            ),
        ),
        (
            "what a pass needs is killed by its own store",
            format!(
                "{fill}for i in 0..n.0 {{\nstore t[i] = x.0[i]\n{}}}\nstore t[0] = x.0[9]\nstore t[n.0 + 1] = x.0[8]\n{}",
                square("i", "i"),
                square("0", "n.0")
            ),
        ),
        (
            "a cell above and a cell below",
            format!("{fill}for i in 0..n.0 {{\n{}store t[i + 3] = sin(t[i])\n}}\n", square("i + 1", "i + 1")),
        ),
        (
            "a cell that the pass before read",
            format!("{fill}for i in 0..n.0 {{\n{}store t[i] = x.0[i]\n}}\n", square("i + 1", "i + 1")),
        ),
        (
            "two loops",
            format!(
                "{fill}for i in 0..n.0 {{\nfor j in 0..n.0 {{\n{}store t[i + j] = 0.3 * w.0[0]\n}}\n}}\n",
                square("j", "j")
            ),
        ),
        (
            "a stride",
            format!(
                "{fill}for i in 0..n.0 step 2 {{\n{}}}\nif n.0 > 0 {{\nstore t[n.0 - 1] = x.0[2]\n}}\nstore t[1] = x.0[1]\n{}",
                square("i", "i"),
                square("n.0", "1")
            ),
        ),
        (
            "backwards",
            format!(
                "{fill}down i in 0..n.0 {{\n{}store t[i + 1] = x.0[i]\n}}\nstore t[0] = x.0[1]\n{}",
                square("i", "i + 2"),
                square("0", "1")
            ),
        ),
    ];
    let all = use_("0", "n.0");
    let more: [(&str, String); 19] = [
        (
            "a loop that begins behind the first",
            format!("{all}for i in 1..n.0 {{\nstore t[i] = x.0[i]\n}}\nstore t[0] = 1.0\n"),
        ),
        ("at most", format!("{all}for j in 0..n.0 + 1 {{\nif n.0 <= j {{\nstore t[j - 1] = x.0[j]\n}}\n}}\n")),
        (
            "a loop that is left",
            format!("{all}for i in 0..n.0 with b until i == 1 {{\nstore t[i] = x.0[i]\n}}\nstore t[3] = 1.0\n"),
        ),
        ("one arm writes", format!("{}if n.0 > 2 {{\nstore t[2] = 1.0\n}}\nstore t[2] = 3.0\n", square("2", "2"))),
        ("one arm reads", format!("if n.0 > 2 {{\n}} else {{\n{}}}\nstore t[2] = 3.0\n", square("2", "2"))),
        (
            "the index behind its loop",
            format!(
                "{all}if n.0 > 0 {{\nfor j in 0..n.0 {{\nstore w.0[j + 1] = x.0[j]\n}}\nstore t[j.3 - 1] = 1.0\n}}\n"
            ),
        ),
        (
            "a variable beside the index",
            format!("for i in 0..n.0 with k from 0 by 1 {{\n{}store t[k] = x.0[i]\n}}\n", square("i", "i")),
        ),
        (
            "one of two conditions",
            format!("{all}for i in 0..n.0 {{\nif i >= n.0 || i >= 0 {{\nstore t[i] = x.0[i]\n}}\n}}\n"),
        ),
        ("a pointer that marches", format!("{all}let q.0 = n.0 > 2 ? &t[0] : &w.0[5]\nstore q.0[1] = 2.0\n")),
        (
            "the subscript of a passive store",
            format!("{}store ia.0[ia.0[1]] = 4\nstore ia.0[1] = 0\n", square("ia.0[2]", "ia.0[2]")),
        ),
        ("a table that is looked up", format!("for i in 0..n.0 {{\n{}store ia.0[i] = 0\n}}\n", square("ia.0[i]", "i"))),
        (
            "a triangle",
            format!("for i in 0..n.0 {{\nfor j in 0..i {{\n{}}}\nstore t[i - 1 + 1] = x.0[i]\n}}\n", square("i", "j")),
        ),
        (
            "one of two arrays is written",
            format!("{}let q.0 = n.0 > 2 ? &t[0] : &w.0[5]\nstore q.0[1] = 2.0\nstore t[1] = 3.0\n", square("1", "1")),
        ),
        (
            "rows of a length that may be negative",
            format!(
                "{}for i in 0..n.0 - 4 {{\nfor j in 0..n.0 - 4 {{\nstore t[i * (n.0 - 4) + j] = 1.0\n}}\n}}\n\
                 store t[0] = 2.0\n",
                use_("0", "(n.0 - 4) * (n.0 - 4)")
            ),
        ),
        (
            "downwards by two",
            format!("{all}down i in 0..n.0 step 2 {{\nstore t[i] = 1.0\nstore t[i + 1] = 1.0\n}}\nstore t[0] = 2.0\n"),
        ),
        (
            "rows that end behind the bound, where the last is shorter",
            format!(
                "if n.0 > 0 {{\n{}for i in 0..n.0 step 2 {{\nfor j in i * (2 * n.0 - i)..(i + 2) * (2 * n.0 - i - 2) \
                 {{\nstore t[j] = 1.0\n}}\n}}\nstore t[n.0 * n.0 - 1] = 2.0\n}}\n",
                use_("0", "n.0 * n.0")
            ),
        ),
        (
            "the first pass of a loop that counts down",
            format!("down i in 0..n.0 {{\n{}}}\nif n.0 > 0 {{\nstore t[n.0 - 1] = 1.0\n}}\n", square("i", "i")),
        ),
        (
            "the last element, by the index behind its loop",
            format!(
                "if n.0 > 0 {{\n{}for j in 0..n.0 {{\nstore w.0[j + 1] = x.0[j]\n}}\nstore t[j.3 - 1] = 1.0\n}}\n",
                square("n.0 - 1", "n.0 - 1")
            ),
        ),
        (
            "the index behind a loop that may not run",
            format!(
                "{}for j in 4..n.0 {{\nstore w.0[j + 1] = x.0[j]\n}}\nstore t[j.3] = 1.0\nstore t[n.0] = 2.0\n",
                square("n.0", "n.0")
            ),
        ),
    ];
    out.extend(more.into_iter().map(|(name, text)| (name, format!("{fill}{text}"))));
    let callees = [
        (
            "an offset on the way down",
            "proc put(double* o) {\nstore o.0[1] = 2.0\n}\n",
            format!("{}call put(&t[3])\n", square("4", "4")),
        ),
        (
            "an offset on the way up",
            "proc sum(double* o, double* r) {\nstore r.0[0] = o.0[1] * o.0[1]\n}\n",
            "call sum(&t[3], &w.0[1])\nstore t[4] = 1.0\n".into(),
        ),
        (
            "the last that a callee needs",
            "proc sum(int m, double* o, double* r) {\nfor i in 0..m.0 {\nstore r.0[0] = r.0[0] + o.0[i] * o.0[i]\n}\n}\n",
            "call sum(n.0, &t[3], &w.0[1])\nif n.0 > 0 {\nstore t[n.0 + 2] = 1.0\n}\n".into(),
        ),
        (
            "a callee that leaves the last",
            "proc fill(int m, double* o) {\nfor i in 0..m.0 {\nstore o.0[i] = 0.5\n}\n}\n",
            format!("{}call fill(n.0, &t[0])\nstore t[n.0] = 1.0\n", use_("0", "n.0 + 1")),
        ),
        (
            "two names of one array",
            "proc two(double* a, double* b, double* r) {\nstore r.0[0] = b.0[1] * b.0[1]\nstore a.0[1] = 3.0\n}\n",
            "call two(&t[0], &t[0], &w.0[1])\n".into(),
        ),
        (
            "a callee that is given one of two arrays",
            "proc put(double* o) {\nstore o.0[1] = 2.0\n}\n",
            format!("{all}let q.0 = n.0 > 2 ? &t[0] : &w.0[5]\ncall put(q.0)\n"),
        ),
        (
            "a callee whose arms write one element each",
            "proc put(int m, double* o) {\nif m.0 > 2 {\nstore o.0[1] = 1.0\n} else {\nstore o.0[2] = 1.0\n}\n}\n",
            format!("{}call put(n.0, &t[3])\nstore t[4] = 3.0\nstore t[5] = 3.0\n", square("4", "5")),
        ),
        (
            "a callee that exchanges its arguments and calls itself",
            "proc g(int m, double* a, double* b, double* r) {\nif m.0 > 0 {\nstore a.0[0] = 1.0\ncall g(m.0 - 1, b.0, \
             a.0, r.0)\nstore a.0[0] = 2.0\n} else {\nstore r.0[0] = a.0[0] * a.0[0]\n}\n}\n",
            "call g(n.0, &t[0], x.0, &w.0[1])\n".into(),
        ),
    ];
    out.extend(callees.into_iter().map(|(name, callee, text)| (name, format!("#{callee}#{fill}{text}"))));
    let put = "proc put(int m, double* o, double s) {\nfor i in m.0 - 1..m.0 {\nstore o.0[i] = s.0\n}\n}\n";
    out.push((
        "a callee that writes the last cell",
        format!(
            "#{put}#{fill}{}if n.0 > 0 {{\ncall put(n.0, &t[0], w.0[0])\n{}}}\n",
            use_("0", "n.0"),
            square("n.0 - 1", "0")
        ),
    ));
    out
}

fn edge(text: &str) -> Program {
    match text.strip_prefix('#').and_then(|t| t.split_once('#')) {
        Some((other, text)) => {
            let (first, rest) = other.split_once('\n').unwrap();
            let callee = expand(rest.trim_end().strip_suffix('}').unwrap());
            read(&format!("{first}\n{callee}\n}}\nproc f{F} {{\n{}\n}}", expand(text)))
        }
        None => body(text),
    }
}

#[test]
fn edge_programs_run_backwards() {
    for (name, text) in edges() {
        let program = edge(&text);
        for demand in [false, true] {
            if let Err(what) = runs(&program, demand) {
                panic!("{name}: {what}\n{}", print::program(&program));
            }
        }
    }
}

/// `p` for each store that is put on the tape, `-` for each that is not; callees first.
#[test]
fn edge_programs_store_what_is_needed_and_no_more() {
    let expected = [
        "--pp-", "--pp-", "--p-", "---p--", "---", "--p", "--p", "--pp-", "--pp-", "--pp", "--p", "--pp", "--pp",
        "--p", "---p", "--p", "--p", "--p", "--pp", "--p", "--p", "--pp", "--pp", "--ppp", "--pp", "--p", "---p",
        "---pp", "p--", "--p", "--p", "p--p", "-p-", "p--", "pp--pp", "ppp-", "p--p",
    ];
    let found: Vec<String> = edges().iter().map(|(_, text)| pushes(&edge(text))).collect();
    assert_eq!(found, expected);
}

/// What an array holds at entry is exposed, unless the language says that it is undefined there.
#[test]
fn arrays_that_are_undefined_at_entry_expose_nothing() {
    let exposed = |word: &str| {
        let program = read(&format!(
            "proc g({word}double* w, double* x, int* t) {{
               store w.0[t.0[0]] = x.0[0]
               store x.0[1] = w.0[t.0[1]] * x.0[0]
             }}
             proc f(double* x, double* w, int* t) {{ call g(w.0, x.0, t.0) }}"
        ));
        let flow = Flow::analyse(&program, &[head("x")]).unwrap();
        let required = Required::new(&flow);
        [ProcId(0), ProcId(1)].map(|p| required.show(&required.sum(p).exposed))
    };
    for (word, is_exposed) in [("", true), ("undefined ", false)] {
        let [callee, caller] = exposed(word);
        assert_eq!((callee.contains("*g.w["), caller.contains("*f.w[")), (is_exposed, is_exposed), "{callee} {caller}");
        assert!(callee.contains("*g.x[0, 1)") && caller.contains("*f.x[0, 1)"), "{callee} {caller}");
    }
}

/// A block that a pass hands on is another than that of the next pass.
#[test]
fn blocks_of_passes_are_one_where_each_pass_frees_its_own() {
    let single = |alloc: &str, end: &str| {
        let program = body(&format!(
            "for i in 0..n.0 {{\n{alloc} double b[3], 3\nlet q.0 = &b[0]\nstore q.0[0] = x.0[i]\nstore w.0[i] = \
             q.0[0] * q.0[0]\n{end}}}\n"
        ));
        let flow = Flow::analyse(&program, &[head("w")]).unwrap();
        let locs = &flow.points.locs;
        let block = locs.all().find(|&l| locs.name(&program, l) == "f.b").expect("a block");
        Required::new(&flow).single(ProcId(0), block)
    };
    assert!(single("alloc", "free q.0\n"));
    assert!(!single("alloc", ""));
    assert!(!single("alloc stable", "free q.0\n"));
}

/// Runs random programs; `ADTAPE_RANDOM` says how many and `ADTAPE_SEED` where to begin.
#[test]
fn random_programs_run_backwards() {
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let (count, first) = (number("ADTAPE_RANDOM", 40), number("ADTAPE_SEED", 0));
    let (mut all, mut pushed, mut ran) = (0, 0, 0);
    for seed in first..first + count {
        let text = random_program(seed);
        let program = read(&text);
        for demand in [false, true] {
            match runs(&program, demand) {
                Ok((stores, pushes)) => {
                    all += stores;
                    pushed += pushes;
                    ran += usize::from(stores > 0);
                }
                Err(what) => panic!("seed {seed}, demands {demand}: {what}\n{text}"),
            }
        }
    }
    eprintln!("{ran} of {} runs, {pushed} of {all} stores pushed", 2 * count);
    assert!(ran as u64 > count / 2, "too few programs run: {ran}");
}
