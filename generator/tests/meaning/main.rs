//! What the front end reads means what the compiler makes of it: functions in C run beside their lowered form, on
//! random inputs, and every number that they return or write is compared bit for bit.

mod interpret;
mod jumps;

use adtape_generate::front::{Input, read};
use adtape_generate::ir::{ProcId, Type, validate};
use interpret::{Arg, Machine, Scalar};
use std::fmt::Write;
use std::process::Command;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/meaning/programs.c");
const REALS: usize = 32;
const INTEGERS: usize = 16;
const SEEDS: u64 = 40;

/// Variables with initial contents; the compiled program prints their bytes.
const GLOBALS: &[&str] = &["table", "counter", "grid", "scale"];

fn heads() -> Vec<String> {
    let text = std::fs::read_to_string(PROGRAMS).unwrap();
    let names = text.lines().filter_map(|line| line.strip_prefix("double f_")?.split('(').next());
    names.map(|name| format!("f_{name}")).collect()
}

/// Numbers that the program in C makes by the same rule.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

fn driver(file: &str, heads: &[String], globals: &[&str]) -> String {
    let mut text = format!("#include <stdio.h>\n#include <string.h>\n#include \"{file}\"\n");
    text.push_str(
        "static unsigned long long state;
        static unsigned next(void) { state = state * 6364136223846793005ULL + 1442695040888963407ULL; return (unsigned)(state >> 33); }
        static void show(const char *name, double (*f)(int, double *, int *)) {
            for (unsigned long long seed = 0; seed < SEEDS; seed++) {
                double x[32]; int k[16]; unsigned long long bits; double r;
                state = seed + 1;
                int n = 3 + (int)(next() % 5);
                for (int i = 0; i < 32; i++) x[i] = (double)(next() % 2000) / 1000.0;
                for (int i = 0; i < 16; i++) k[i] = (int)(next() % 10);
                r = f(n, x, k);
                memcpy(&bits, &r, 8); printf(\"%s %llu %016llx\", name, seed, bits);
                for (int i = 0; i < 32; i++) { memcpy(&bits, &x[i], 8); printf(\" %016llx\", bits); }
                for (int i = 0; i < 16; i++) printf(\" %d\", k[i]);
                printf(\"\\n\");
            }
        }
        static void bytes(const char *name, const void *at, size_t n) {
            printf(\"global %s \", name); for (size_t i = 0; i < n; i++) printf(\"%02x\", ((const unsigned char *)at)[i]); printf(\"\\n\");
        }
        int main(void) {\n",
    );
    for global in globals {
        writeln!(text, "bytes(\"{global}\", &{global}, sizeof {global});").unwrap();
    }
    for head in heads {
        writeln!(text, "show(\"{head}\", {head});").unwrap();
    }
    text.replace("SEEDS", &SEEDS.to_string()) + "return 0; }\n"
}

/// A new folder of this process.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("adtape-meaning-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What the compiler makes of the programs: one line a run.
fn compiled(file: &str, heads: &[String], globals: &[&str]) -> String {
    let folder = folder(if globals.is_empty() { "jumps-run" } else { "run" });
    let (source, program) = (folder.join("driver.c"), folder.join("driver"));
    std::fs::write(&source, driver(file, heads, globals)).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "clang".to_string());
    let built = Command::new(compiler)
        .args(["-O0", "-ffp-contract=off", "-w", "-o"])
        .args([&program, &source])
        .arg("-lm")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(ran.status.success());
    String::from_utf8(ran.stdout).unwrap()
}

fn interpreted(machine: &mut Machine, head: &str, id: ProcId, seed: u64) -> String {
    let mut random = Random(seed + 1);
    let n = 3 + (random.next() as u32 % 5) as i128;
    let reals: Vec<f64> = (0..REALS).map(|_| f64::from(random.next() as u32 % 2000) / 1000.0).collect();
    let integers: Vec<i32> = (0..INTEGERS).map(|_| (random.next() as u32 % 10) as i32).collect();
    let x = machine.block(reals.iter().flat_map(|value| value.to_le_bytes()).collect());
    let k = machine.block(integers.iter().flat_map(|value| value.to_le_bytes()).collect());
    let args = [Scalar::Int(n), Scalar::Pointer(Some((x, 0))), Scalar::Pointer(Some((k, 0)))].map(Arg::Scalar);
    let Some(Scalar::Real(result)) = machine.call(id, &args, None) else { panic!("no result") };
    let mut line = format!("{head} {seed} {:016x}", result.to_bits());
    for at in 0..REALS {
        let Scalar::Real(value) = machine.read(x, 8 * at as i64, &Type::Float { bits: 64 }) else {
            panic!("no number")
        };
        write!(line, " {:016x}", value.to_bits()).unwrap();
    }
    for bytes in machine.bytes(k).chunks(4) {
        write!(line, " {}", i32::from_le_bytes(bytes.try_into().unwrap())).unwrap();
    }
    line
}

/// Runs the functions of a file both ways: those that differ.
fn differences(file: &str, heads: &[String], globals: &[&str]) -> Vec<String> {
    let input = Input { files: vec![file.to_string()], heads: heads.to_vec(), ..Input::default() };
    let program = read(&input).unwrap_or_else(|refusals| panic!("refused: {refusals:#?}"));
    validate::program(&program).unwrap_or_else(|errors| panic!("not valid: {errors:#?}"));
    let expected = compiled(file, heads, globals);
    let mut lines = expected.lines();
    let contents: Vec<(String, Vec<u8>)> = (&mut lines)
        .take(globals.len())
        .map(|line| {
            let words: Vec<_> = line.split(' ').collect();
            let bytes = (0..words[2].len()).step_by(2).map(|at| u8::from_str_radix(&words[2][at..at + 2], 16).unwrap());
            (words[1].to_string(), bytes.collect())
        })
        .collect();
    let mut wrong = Vec::new();
    for head in heads {
        println!("{head}");
        let id = program.procs.iter().position(|proc| proc.name == *head).unwrap();
        let mut machine = Machine::new(&program);
        for (name, bytes) in &contents {
            machine.set_global(name, bytes.clone());
        }
        machine.set_global("f_static_memory", vec![0; 8]);
        machine.set_global("f_static_weight", 2.0_f64.to_le_bytes().to_vec());
        for seed in 0..SEEDS {
            let expected = lines.next().unwrap();
            let found = interpreted(&mut machine, head, ProcId::new(id), seed);
            if found != expected && !wrong.iter().any(|line: &String| line.starts_with(head.as_str())) {
                wrong.push(format!("{head} seed {seed}:\n  {found}\n  {expected}"));
            }
        }
    }
    wrong
}

#[test]
fn lowered_programs_compute_what_compiled_programs_do() {
    let heads = heads();
    let wrong = differences(PROGRAMS, &heads, GLOBALS);
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), heads.len(), wrong.join("\n"));
}

/// As many as `JUMPS` says, from the seed `FROM` on.
#[test]
fn random_jumps_lead_where_they_do_in_compiled_programs() {
    let number = |name: &str, otherwise| std::env::var(name).map_or(otherwise, |text| text.parse().unwrap());
    let (count, from) = (number("JUMPS", 60), number("FROM", 1));
    let heads: Vec<String> = (from..from + count).map(|seed| format!("f_jumps_{seed}")).collect();
    let texts = heads.iter().zip(from..).map(|(name, seed)| jumps::function(name, seed));
    let folder = folder("jumps");
    let file = folder.join("jumps.c");
    std::fs::write(&file, texts.collect::<String>()).unwrap();
    let wrong = differences(file.to_str().unwrap(), &heads, &[]);
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), heads.len(), wrong.join("\n"));
    std::fs::remove_dir_all(&folder).unwrap();
}
