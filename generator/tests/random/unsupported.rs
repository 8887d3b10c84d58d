//! Random programs with one statement that is not supported: refused with a reason, whatever is around it.

use std::path::PathBuf;

use adtape_generate::emit::{self, Options};
use adtape_generate::front::{self, Input};
use adtape_generate::refuse::Refusal;
use adtape_generate::transform::{self, Choices};

use crate::{case, common, print};

/// What it stands for, what stands in front of the functions, the statement; `@` is an array of reals with derivatives.
const STATEMENTS: [(&str, &str, &str); 28] = [
    ("volatile", "", "{ volatile double *q_ = @; q_[0] = q_[0] * 1.5; }"),
    ("union", "", "{ union { double d; unsigned long u; } q_; q_.d = @[0]; q_.u ^= 1; @[0] = q_.d; }"),
    ("bytes", "", "{ unsigned char *q_ = (unsigned char *)@; q_[0] ^= 1; }"),
    ("setjmp", "#include <setjmp.h>\nstatic jmp_buf b_;", "if (setjmp(b_) == 0) @[0] *= 2.0;"),
    ("scanf", "#include <stdio.h>", "if (scanf(\"%lf\", @) != 1) @[0] = 0.0;"),
    ("fread", "#include <stdio.h>", "if (fread(@, 8, 1, stdin) != 1) @[0] = 0.0;"),
    ("assembly", "", "__asm__ volatile (\"\" : \"+m\"(@[0]));"),
    ("computed goto", "", "{ void *q_ = &&there_; goto *q_; there_: @[0] *= 2.0; }"),
    ("complex", "", "{ _Complex double q_ = @[0]; @[0] = __real__ (q_ * q_); }"),
    (
        "vector",
        "typedef double v_ __attribute__((vector_size(16)));",
        "{ v_ q_ = {@[0], 1.0}; q_ = q_ * q_; @[0] = q_[0]; }",
    ),
    ("no source", "void outside_(double *);", "outside_(@);"),
    ("no source for a value", "double outside_(double);", "@[0] = outside_(@[0]);"),
    ("pointer to a function", "double (*hook_)(double);", "@[0] = hook_(@[0]);"),
    ("two effects", "static double bump_(double *p) { *p *= 1.5; return *p; }", "@[0] = bump_(@) - bump_(@);"),
    ("atomic", "static _Atomic double a_;", "a_ = @[0]; @[0] = a_;"),
    ("pointer from an integer", "", "{ unsigned long q_ = (unsigned long)@; *(double *)q_ *= 1.5; }"),
    ("qsort", "static int less_(const void *a, const void *b) { return a < b; }", "qsort(@, 2, sizeof *@, less_);"),
    ("bit-field", "", "{ struct { int q : 3; } q_; q_.q = 1; @[0] *= q_.q; }"),
    ("text", "#include <stdio.h>", "{ char q_[32]; sprintf(q_, \"%.3f\", @[0]); @[0] = atof(q_); }"),
    ("bits", "", "{ unsigned long q_; memcpy(&q_, @, 8); q_ ^= 1; memcpy(@, &q_, 8); }"),
    ("another type", "", "@[0] = (double)*(long *)@;"),
    (
        "arguments without number",
        "#include <stdarg.h>\nstatic double sum_(int n, ...) { va_list v; va_start(v, n); double s = va_arg(v, double); \
         va_end(v); return s; }",
        "@[0] = sum_(1, @[0]);",
    ),
    ("goto into a switch", "", "{ goto in_; switch ((int)@[0]) { case 1: in_: @[0] *= 0.5; } }"),
    ("no order", "", "{ double q_ = @[0]; @[0] = (q_ = 2.0) + q_; }"),
    ("kept from call to call", "", "{ static double q_; @[0] += q_; q_ = @[0]; }"),
    ("longjmp", "#include <setjmp.h>\nstatic jmp_buf b_;", "if (@[0] > 1e3) longjmp(b_, 1);"),
    (
        "handler in a struct",
        "#include <signal.h>\nstatic void h_(int s) { (void)s; }",
        "{ struct sigaction q_ = {0}; q_.sa_handler = h_; sigaction(2, &q_, 0); @[0] *= 1.5; }",
    ),
    ("volatile by address", "static volatile int q_;", "{ volatile int *p_ = &q_; @[0] *= *p_; }"),
];

/// What goes wrong with `count` of them, from a seed on.
pub fn accepted(from: u64, count: usize) -> Vec<String> {
    let folder = std::env::temp_dir().join(format!("adtape-unsupported-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for seed in from.. {
        if tried == count {
            break;
        }
        let (kind, before, statement) = STATEMENTS[tried % STATEMENTS.len()];
        let program = case::of(seed).program;
        let (text, head) = (print::program(&program), common::head(&print::head(&program)));
        let Some(mutant) = with(&text, &head.proc, &head.independents, before, statement) else { continue };
        tried += 1;
        let path = folder.join("m.c");
        std::fs::write(&path, &mutant).unwrap();
        let outcome = refused(path, &[head]);
        let is_reason = |all: &Vec<Refusal>| !all.is_empty() && all.iter().all(|one| !one.what.starts_with("internal"));
        if !outcome.as_ref().is_some_and(is_reason) {
            wrong.push(format!("{kind}, seed {seed}: {outcome:?}\n{mutant}"));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    wrong
}

/// The program with a statement at the beginning of its head, if that has an array of reals with derivatives.
fn with(text: &str, name: &str, independents: &[String], before: &str, statement: &str) -> Option<String> {
    let (first, body) = text.rsplit_once(&format!(" {name}("))?;
    let (parameters, _) = body.split_once(')')?;
    let array = independents.iter().find(|name| parameters.split(", ").any(|one| one == format!("double *{name}")))?;
    let body = body.replacen("\n{\n", &format!("\n{{\n    {}\n", statement.replace('@', array)), 1);
    Some(format!("#include <stdlib.h>\n#include <string.h>\n{before}\n{first} {name}({body}"))
}

fn refused(path: PathBuf, heads: &[adtape_generate::flow::Head]) -> Option<Vec<Refusal>> {
    let files = vec![path.to_string_lossy().into_owned()];
    let input = Input { files, heads: vec![heads[0].proc.clone()], ..Input::default() };
    let work = || {
        let program = front::read(&input)?;
        let adjoint = transform::adjoint(&program, heads, &Choices::default())?;
        emit::adjoint(&adjoint, &Options { file: "m_b.c".into(), ..Options::default() })
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()?.err()
}
