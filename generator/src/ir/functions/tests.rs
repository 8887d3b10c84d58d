use std::fmt::Write;
use std::process::Command;

use super::*;
use crate::ir::print;

/// The arguments and the result as values of a procedure `t`, for printing.
fn operands(function: Function) -> (Program, Vec<Expr>, Expr) {
    let mut text = String::new();
    let mut names = String::new();
    for (position, name) in ["a", "b", "c"].into_iter().take(function.arity()).enumerate() {
        let ty = function.param_type(position).unwrap();
        let _ = write!(text, "{} {name}, ", print::ty(&Program::default(), &ty));
        let _ = write!(names, "witness 0: {name}.0 ");
    }
    let real = if function.bits == 32 { "float" } else { "double" };
    let program = parse::program(&format!("proc t({text}{real} r) {{ {names} witness 0: r.0 }}")).unwrap();
    let values = program.procs[ProcId(0)].items.iter().map(|item| {
        if let ItemKind::Sweep(SweepItem::Witness { value, .. }) = &item.kind { value.clone() } else { unreachable!() }
    });
    let mut values: Vec<_> = values.collect();
    let result = values.pop().unwrap();
    (program, values, result)
}

/// The partial as C, and whether there is one.
fn partial_text(function: Function, position: usize) -> Option<String> {
    let (program, args, result) = operands(function);
    match function.partial(position, &args, &result) {
        Partial::Zero => Some("0.0".into()),
        Partial::One => Some("1.0".into()),
        Partial::Is(expr) | Partial::Steep(expr) => {
            let text = print::expr(&program, &program.procs[ProcId(0)], &expr);
            Some(["a", "b", "c", "r"].iter().fold(text, |text, name| text.replace(&format!("{name}.0"), name)))
        }
        Partial::Refused(_) => None,
    }
}

#[test]
fn every_partial_of_the_table_is_read() {
    for row in TABLE {
        for (position, arg) in row.args.iter().enumerate() {
            if let Arg::Real(Template::Is(text) | Template::Steep(text), _) = arg {
                let known = read(row, text).unwrap_or_else(|what| panic!("{}: {what}", row.name));
                assert_eq!(known.expr.ty, Type::double(), "{} {position}", row.name);
            }
        }
    }
    assert!(TABLE.is_sorted_by_key(|row| row.name));
}

#[test]
fn names_of_all_widths_are_found() {
    let found = |name| Function::lookup(name).map(|function| (function.name, function.bits, function.c_name()));
    assert_eq!(found("sin"), Some(("sin", 64, "sin".into())));
    assert_eq!(found("sinf"), Some(("sin", 32, "sinf".into())));
    assert_eq!(found("erfcl"), Some(("erfc", 80, "erfcl".into())));
    assert_eq!(found("__builtin_isnan"), Some(("isnan", 64, "isnan".into())));
    assert_eq!(found("erf"), Some(("erf", 64, "erf".into())));
    for unknown in ["absf", "isnanf", "f", "l", "", "modf", "frexp", "sinff", "labsl"] {
        assert_eq!(found(unknown), None, "{unknown}");
    }
    assert!(unsupported("modff").is_some() && unsupported("modf").is_some() && unsupported("sin").is_none());
}

#[test]
fn reads_name_the_arguments_and_the_result_of_a_partial() {
    let reads = |name, position| Function::lookup(name).unwrap().reads(position);
    assert_eq!(reads("exp", 0), Reads { args: [false; 3], result: true });
    assert_eq!(reads("sin", 0), Reads { args: [true, false, false], result: false });
    assert_eq!(reads("pow", 1), Reads { args: [true, false, false], result: true });
    assert_eq!(reads("fma", 0), Reads { args: [false, true, false], result: false });
    assert_eq!(reads("floor", 0), Reads::default());
    assert!(Function::lookup("floorf").unwrap().partial_is_zero(0));
    assert!(!Function::lookup("fmod").unwrap().partial_is_zero(0));
    assert!(!Function::lookup("lgamma").unwrap().partial_is_zero(0));
    let copysign = Function::lookup("copysign").unwrap();
    assert_eq!([0, 1].map(|k| copysign.partial_is_zero(k)), [false, true]);
    assert!(Function::named("digamma").unwrap().must_be_passive(0).is_some() && Function::lookup("digamma").is_none());
}

#[test]
fn powers_by_small_constants_need_no_pow() {
    let pow = Function::lookup("powf").unwrap();
    let (program, mut args, result) = operands(pow);
    let mut text = |exponent: &str| {
        args[1] = Expr::float(exponent, Type::Float { bits: 32 });
        match pow.partial(0, &args, &result) {
            Partial::Is(expr) | Partial::Steep(expr) => print::expr(&program, &program.procs[ProcId(0)], &expr),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(text("2.0f"), "2.0f * a.0");
    assert_eq!(text("3.f"), "3.f * a.0 * a.0");
    assert_eq!(text("0.0f"), "Zero");
    assert_eq!(text("0.5f"), "0.5f * power_or_infinityf(a.0, 0.5f)");
}

/// What the generator defines, in short.
const HELPERS: &str = "
static double quotient_or_infinity(double x, double y) { return x / y; }
static double product_or_infinity(double x, double y) { return x * y; }
static double scale_or_infinity(double x) { return exp2(x); }
static double quotient_by_squares(double x, double y) { return x / (x * x + y * y); }
static double square_or_infinity(double x) { return x * x; }
static double power_or_infinity(double x, double y) { return pow(x, y == 0.0 ? 0.0 : y - 1.0); }
static double logarithm_or_nan(double x) { return log(x); }
#define quotient_or_infinityf(x, y) ((float)quotient_or_infinity(x, y))
#define product_or_infinityf(x, y) ((float)product_or_infinity(x, y))
#define scale_or_infinityf(x) ((float)scale_or_infinity(x))
#define quotient_by_squaresf(x, y) ((float)quotient_by_squares(x, y))
#define square_or_infinityf(x) ((float)square_or_infinity(x))
#define power_or_infinityf(x, y) ((float)power_or_infinity(x, y))
#define logarithm_or_nanf(x) ((float)logarithm_or_nan(x))
";

/// Builds and runs a C program; its output.
fn run(name: &str, text: &str) -> String {
    let folder = std::env::temp_dir().join(format!("adtape-functions-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("t.c"), folder.join("t"));
    std::fs::write(&source, text).unwrap();
    let built =
        Command::new("cc").args(["-std=gnu11", "-O1", "-o"]).args([&program, &source]).arg("-lm").output().unwrap();
    assert!(built.status.success(), "{}\n{text}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(&program).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Each partial against differences of the long double function, at points spread over the domain.
#[test]
fn partials_agree_with_differences_over_the_domain() {
    let mut text = String::from(
        "#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
static double digamma(double x) {
  const long double h = 1e-4L * (long double)x;
  long double one = lgammal(x + h) - lgammal(x - h), two = lgammal(x + 2 * h) - lgammal(x - 2 * h);
  return (double)((8 * one - two) / (12 * h));
}
/* A point of ]lo, hi[: k of 40. */
static double point(double lo, double hi, int k) {
  double s = (k + 0.37) / 40.0;
  if (isinf(lo) && isinf(hi)) return (s < 0.5 ? -1.0 : 1.0) * exp(12.0 * fabs(s - 0.5) - 3.2);
  if (isinf(hi)) return lo + exp(7.0 * s - 4.0);
  return lo + (hi - lo) * s;
}
static void compare(const char *name, int position, double x, double y, double found, long double expected) {
  long double scale = fmaxl(1.0L, fabsl(expected));
  if (!(fabsl(found - expected) <= 2e-11L * scale)) printf(\"%s by %d at %g %g: %.17g, not %.17Lg\\n\", name, position, x, y, found, expected);
}
",
    );
    let mut calls = String::new();
    for function in all().filter(|function| function.result_type().is_float()) {
        let wide = format!("{}l", function.name);
        for position in 0..function.arity() {
            let (Some(partial), Some(_)) = (partial_text(function, position), function.domain(position)) else {
                continue;
            };
            let id = format!("{}_{position}", function.name);
            let names = &["a", "b", "c"][..function.arity()];
            let list = |moved: &str| {
                let each = |(at, name): (usize, &&str)| {
                    if at == position { format!("(long double){name} + {moved}") } else { (*name).to_string() }
                };
                names.iter().enumerate().map(each).collect::<Vec<_>>().join(", ")
            };
            let difference = |h: &str| format!("({wide}({}) - {wide}({}))", list(h), list(&format!("-{h}")));
            let (difference1, difference2) = (difference("h"), difference("2.0L * h"));
            let mut declare = String::new();
            for (at, name) in names.iter().enumerate() {
                // The second argument goes through its domain with another stride than the first.
                let value = match function.domain(at) {
                    Some((lo, hi)) => {
                        format!("point({}, {}, ({} * k + {at}) % 40)", c_real(lo), c_real(hi), [1, 7, 11][at])
                    }
                    None => "k % 5".into(),
                };
                let ty = if function.domain(at).is_some() { "double" } else { "int" };
                let _ = writeln!(declare, "    {ty} {name} = {value};");
            }
            let first = if function.domain(0).is_some() { "a" } else { "(double)a" };
            let second = if names.len() > 1 { "(double)b" } else { "0.0" };
            let args = names.join(", ");
            let _ = write!(
                text,
                "static void {id}(void) {{
  int compared = 0;
  for (int k = 0; k < 40; k++) {{
{declare}    double r = {name}({args});
    long double h = 2e-5L * fminl(1.0L, fabsl((long double){moved}));
    double edge[] = {{ {lo}, {hi} }};
    for (int e = 0; e < 2; e++) if (!isinf(edge[e])) h = fminl(h, 2e-4L * fabsl(edge[e] - {moved}));
    (void)r;
    /* Across a kink or a jump differences mean nothing: they disagree there. */
    long double one = {difference1} / (2.0L * h), two = {difference2} / (4.0L * h);
    if (fabsl(one - two) > 1e-4L * fmaxl(1.0L, fabsl(one))) continue;
    compare(\"{name}\", {position}, {first}, {second}, {partial}, (4.0L * one - two) / 3.0L);
    compared++;
  }}
  if (compared < 20) printf(\"{name} by {position}: only %d points\\n\", compared);
}}
",
                name = function.name,
                moved = names[position],
                lo = c_real(function.domain(position).unwrap().0),
                hi = c_real(function.domain(position).unwrap().1),
            );
            let _ = writeln!(calls, "  {id}();");
        }
    }
    text = text.replacen("/* A point", &format!("{HELPERS}/* A point"), 1);
    let _ = write!(text, "int main(void) {{\n{calls}  return 0;\n}}\n");
    assert_eq!(run("differences", &text), "");
}

fn c_real(x: f64) -> String {
    if x.is_infinite() { format!("{}INFINITY", if x < 0.0 { "-" } else { "" }) } else { format!("{x:?}") }
}

/// Kinks, limits and edges of domains, in both widths.
#[test]
fn partials_at_kinks_and_edges_are_those_of_the_branch_taken() {
    let cases: &[(&str, usize, &[f64], f64)] = &[
        ("fabs", 0, &[0.0], 1.0),
        ("fabs", 0, &[-0.0], -1.0),
        ("fabs", 0, &[-3.0], -1.0),
        ("fmax", 0, &[2.0, 2.0], 1.0),
        ("fmax", 1, &[2.0, 2.0], 0.0),
        ("fmax", 0, &[f64::NAN, 2.0], 0.0),
        ("fmax", 1, &[f64::NAN, 2.0], 1.0),
        ("fmin", 0, &[2.0, f64::NAN], 1.0),
        ("fmin", 1, &[2.0, f64::NAN], 0.0),
        ("fmin", 1, &[2.0, 1.0], 1.0),
        ("fdim", 0, &[2.0, 2.0], 0.0),
        ("fdim", 1, &[3.0, 2.0], -1.0),
        ("pow", 0, &[0.0, 0.0], 0.0),
        ("pow", 0, &[0.0, 1.0], 1.0),
        ("pow", 0, &[0.0, 2.0], 0.0),
        ("pow", 0, &[0.0, 0.5], f64::INFINITY),
        ("pow", 0, &[-2.0, 3.0], 12.0),
        ("pow", 0, &[-2.0, 0.0], 0.0),
        ("pow", 1, &[0.0, 2.0], 0.0),
        ("pow", 1, &[1.0, 2.0], 0.0),
        ("sqrt", 0, &[0.0], f64::INFINITY),
        ("fmod", 1, &[7.5, 2.0], -3.0),
        ("fmod", 1, &[-7.5, 2.0], 3.0),
        ("remainder", 1, &[7.5, 2.0], -4.0),
        ("copysign", 0, &[3.0, -0.0], -1.0),
        ("ldexp", 0, &[3.0, 4.0], 16.0),
        ("j1", 0, &[0.0], 0.5),
    ];
    let includes = "#define _GNU_SOURCE\n#include <math.h>\n#include <stdio.h>\n";
    let mut text = format!("{includes}{HELPERS}int main(void) {{\n");
    for &(name, position, args, expected) in cases {
        for bits in [64, 32] {
            let function = Function::lookup(name).unwrap().at(bits);
            let partial = partial_text(function, position).unwrap();
            text += "  {";
            for (at, value) in args.iter().enumerate() {
                let ty = print::ty(&Program::default(), &function.param_type(at).unwrap());
                let value = if value.is_nan() { "NAN".into() } else { c_real(*value) };
                let _ = write!(text, " {ty} {} = ({ty})({value});", ["a", "b", "c"][at]);
            }
            let args = ["a", "b", "c"][..args.len()].join(", ");
            let real = if bits == 32 { "float" } else { "double" };
            let _ = writeln!(
                text,
                " {real} r = {c}({args}); (void)r; {real} found = {partial}; if (found != ({real}){expected}) printf(\"{c} by {position} \
                 at {args}: %g, not %g\\n\", (double)found, (double){expected}); }}",
                c = function.c_name(),
                expected = c_real(expected),
            );
        }
    }
    text += "  return 0;\n}\n";
    assert_eq!(run("kinks", &text), "");
}
