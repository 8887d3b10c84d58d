//! `--explain`: what is stored and why, what comes back and how; as lines of text, or as a page with the sources.

use std::collections::BTreeMap;

use adtape_generate::ir::Rule;
use adtape_generate::plan::Explanation;
use adtape_generate::replay::Verdict;
use adtape_generate::transform::{Adjoint, Sweeps};

use crate::report;

/// One line for each thing that was done to the program first, then for each value, branch, loop and place that the plan
/// decided on, in the order of the sources.
pub fn text(adjoint: &Adjoint, files: &[String]) -> String {
    let row = |name: &str, line: &Explanation| {
        let place =
            report::place(line.span, &adjoint.program.sources, files).map(|at| at.to_string()).unwrap_or_default();
        let bytes = bytes(line);
        let [what, why] = [&line.what, &why(line)].map(|text| report::spoken(text, &adjoint.program.sources));
        format!("{name:<12} {place:<24} {what:<12} {why}{bytes}\n")
    };
    let mut out: String = adjoint.decisions.iter().map(|decision| row(&decision.proc, &decision.line)).collect();
    for sweeps in &adjoint.sweeps {
        let mut lines: Vec<&Explanation> = sweeps.plan.explanations.iter().collect();
        lines.sort_by_key(|line| (line.span.source, line.span.line, line.span.column));
        let (span, verdict) = match &sweeps.verdict {
            Verdict::Unjudged => (sweeps.forward.span, "not proved: it was not asked for".to_owned()),
            Verdict::Proved => (sweeps.forward.span, "proved".to_owned() + &given(adjoint, sweeps)),
            Verdict::Open { construct: why, span } | Verdict::Refused { what: why, span, .. } => {
                (*span, format!("not proved: {why}"))
            }
        };
        let place = report::place(span, &adjoint.program.sources, files).map(|at| at.to_string()).unwrap_or_default();
        out += &format!("{:<12} {place:<24} {:<12} {verdict}\n", sweeps.name, "replay");
        out.extend(lines.into_iter().map(|line| row(&sweeps.name, line)));
    }
    out += &proved(adjoint);
    out
}

/// How many procedures are proved, and how many values are stored because of a proof that failed.
fn proved(adjoint: &Adjoint) -> String {
    let proved = adjoint.sweeps.iter().filter(|sweeps| sweeps.verdict == Verdict::Proved).count();
    let (all, demotions) = (adjoint.sweeps.len(), adjoint.demotions);
    let rules = adjoint.rules();
    let given = if rules.is_empty() { String::new() } else { format!(" given the rules of {}", rules.join(", ")) };
    format!("replay: {proved} of {all} procedures proved{given}, {demotions} demotions to stores\n")
}

/// Which derivative a procedure is given.
fn given(adjoint: &Adjoint, sweeps: &Sweeps) -> String {
    match adjoint.program.procs[sweeps.proc].rule.as_deref() {
        None => String::new(),
        Some(Rule { reverse: Some(reverse), .. }) => format!(", given {}", reverse.name),
        Some(_) => ", given that no derivative passes".into(),
    }
}

/// What happens to it, and who reads it.
fn why(line: &Explanation) -> String {
    let numbers: Vec<String> = line.readers.iter().map(u32::to_string).collect();
    match &numbers[..] {
        [] => line.how.clone(),
        [one] => format!("{}; read by line {one}", line.how),
        all => format!("{}; read by lines {}", line.how, all.join(", ")),
    }
}

fn bytes(line: &Explanation) -> String {
    match line.bytes {
        0.0 => String::new(),
        bytes if bytes < 1.0 => format!("  {} bits", bytes * 8.0),
        1.0 => "  1 byte".into(),
        bytes => format!("  {bytes} bytes"),
    }
}

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1d2733; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font: 13px/1.5 ui-monospace, monospace; }
td { padding: 0 .6rem; vertical-align: top; white-space: pre-wrap; }
td.number { color: #8a94a0; text-align: right; width: 3rem; user-select: none; }
tr.note td { font: 13px/1.5 system-ui, sans-serif; padding-bottom: .15rem; }
tr.stored td.text { background: #fdf1e2; border-left: 3px solid #d9822b; }
tr.again td.text { background: #eaf5ee; border-left: 3px solid #2e8b57; }
b { font-family: ui-monospace, monospace; } .bytes { color: #a85b0d; float: right; }
@media (prefers-color-scheme: dark) {
  body { background: #16191d; color: #d5dbe1; } tr.stored td.text { background: #33271a; } tr.again td.text { background: #1b2b22; }
  .bytes { color: #e0a060; }
}
";

/// A procedure, and what the plan says about it.
type Note<'a> = (&'a str, &'a Explanation);

/// A page that needs nothing else: each source that the plan says something about, with notes below its lines.
pub fn page(adjoint: &Adjoint) -> String {
    // By source and line.
    let mut notes: BTreeMap<(u32, &str), BTreeMap<u32, Vec<Note>>> = BTreeMap::new();
    let decisions = adjoint.decisions.iter().map(|decision| (decision.proc.as_str(), &decision.line));
    let planned = adjoint.sweeps.iter();
    let planned = planned.flat_map(|each| each.plan.explanations.iter().map(|line| (each.name.as_str(), line)));
    for (name, line) in decisions.chain(planned) {
        let known = adjoint.program.sources.get(line.span.source as usize);
        let path = known.map_or("", |source| source.path_at(line.span.start));
        let source = notes.entry((line.span.source, path)).or_default();
        source.entry(line.span.line).or_default().push((name, line));
    }
    let heads: Vec<&str> = adjoint.heads.iter().map(|head| adjoint.program.procs[*head].name.as_str()).collect();
    let title = format!("What the adjoint of {} stores", escaped(&heads.join(", ")));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p>Below each line: what is stored there (orange, with the bytes each time), and what comes back without (green).</p>\n"
    );
    for ((source, path), lines) in &notes {
        let Some(source) = adjoint.program.sources.get(*source as usize) else { continue };
        out += &format!("<h2>{}</h2>\n<table>\n", escaped(path));
        let text = if source.origins.is_empty() {
            source.text.clone()
        } else {
            std::fs::read_to_string(path).unwrap_or_default()
        };
        for (number, text) in (1..).zip(text.lines()) {
            let text = escaped(text);
            out += &format!("<tr><td class=\"number\">{number}</td><td class=\"text\">{text}</td></tr>\n");
            for (name, line) in lines.get(&number).into_iter().flatten() {
                let kind = if line.how.contains("stored") { "stored" } else { "again" };
                let (what, why, bytes) = (escaped(&line.what), escaped(&why(line)), bytes(line));
                out += &format!(
                    "<tr class=\"note {kind}\"><td></td><td class=\"text\"><span class=\"bytes\">{bytes}</span><b>{what}</b> {why} \
                     <small>({})</small></td></tr>\n",
                    escaped(name)
                );
            }
        }
        out += "</table>\n";
    }
    out + "</body>\n</html>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
