//! What compilers say of the sources in `tests/files`: flang reads what we read, and finds as many statements; gfortran
//! gives names the types, ranks and values that we give them.

use crate::common::{files, read_text, skip, type_text};
use adtape_fortran::scope::program::{Class, Program, ScopeId, ScopeKind};
use adtape_fortran::scope::resolve;
use adtape_fortran::scope::value::Value;
use adtape_fortran::source::Form;
use adtape_fortran::tree::statement::{Action, Block, Statement};
use adtape_fortran::tree::unit::Unit;
use std::path::Path;
use std::process::Command;

/// flang's names for nodes that hold a statement without being one.
const WRAPPERS: [&str; 5] =
    ["ImplicitPartStmt", "OtherSpecificationStmt", "ActionStmt", "ComponentDefStmt", "UnlabeledStatement"];

/// How many statements flang finds in a source; none without flang.
fn flang_count(name: &str) -> Option<usize> {
    let mut command = Command::new("flang-new-19");
    command.args(["-fc1", "-fdebug-dump-parse-tree-no-sema", name]).current_dir(files());
    let output = command.output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "flang refuses {name}:\n{said}{}", String::from_utf8_lossy(&output.stderr));
    let is_statement = |word: &str| word.ends_with("Stmt") && !WRAPPERS.contains(&word);
    let words = |line: &str| line.split(|c: char| !c.is_ascii_alphanumeric()).any(is_statement);
    Some(said.lines().filter(|line| words(line)).count())
}

/// The actions of a block that flang counts beside their statement: those behind a condition.
fn conditional(block: &Block) -> usize {
    block.iter().map(conditional_of).sum()
}

fn conditional_of(statement: &Statement) -> usize {
    match &statement.action {
        Action::IfAction(_, inner) | Action::WhereAction(_, inner) | Action::ForallAction(_, inner) => {
            1 + conditional_of(inner)
        }
        Action::If(arms) | Action::Where(arms) => arms.iter().map(|arm| conditional(&arm.block)).sum(),
        Action::Do(looped) => conditional(&looped.body),
        Action::Select(select) => select.arms.iter().map(|arm| conditional(&arm.block)).sum(),
        Action::Associate(_, block)
        | Action::Block(_, block)
        | Action::Critical(_, block)
        | Action::Team(_, _, _, block)
        | Action::Forall(_, block) => conditional(block),
        _ => 0,
    }
}

fn unit_conditional(unit: &Unit) -> usize {
    conditional(&unit.body) + unit.contained.iter().map(unit_conditional).sum::<usize>()
}

#[test]
fn flang_finds_as_many_statements() {
    for name in ["units.f90", "actions.f90", "old.f"] {
        let text = std::fs::read_to_string(files().join(name)).expect("the source");
        let (_, reading) = read_text(name, &text, Form::of_name(name));
        assert_eq!(reading.messages, []);
        let directives = text.lines().filter(|line| line.trim_start().starts_with("!dir$")).count();
        let ours = reading.statement_count + reading.file.units.iter().map(unit_conditional).sum::<usize>();
        let not_statements =
            text.lines().filter(|line| line.trim_start().starts_with("!$") && !line.contains("$omp&")).count();
        let Some(flang) = flang_count(name) else {
            return skip("flang_finds_as_many_statements", "there is no flang-new-19");
        };
        assert_eq!(ours - not_statements - directives, flang, "{name}");
    }
}

/// A name as gfortran prints it.
#[derive(Default, Debug)]
pub struct Dumped {
    /// The procedure or the module that knows it.
    procedure: String,
    /// The name.
    pub name: String,
    type_: String,
    attributes: String,
    /// The value of a constant.
    pub value: Option<String>,
    rank: u8,
}

/// The names that gfortran knows in a text; none without gfortran.
pub fn dump(name: &str, text: &str) -> Option<Vec<Dumped>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adtape-fortran-dumps");
    std::fs::create_dir_all(&folder).expect("the target directory is writable");
    std::fs::write(folder.join(name), text).expect("the source is written");
    let mut command = Command::new("gfortran");
    command.args(["-fsyntax-only", "-fdump-fortran-original", "-ffree-line-length-none", name]).current_dir(folder);
    let output = command.output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "gfortran refuses {name}:\n{}", String::from_utf8_lossy(&output.stderr));
    let (mut names, mut procedure): (Vec<Dumped>, String) = (Vec::new(), String::new());
    for line in said.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("procedure name = ") {
            procedure = name.to_owned();
        } else if let Some(rest) = line.strip_prefix("symtree: '") {
            let name = rest.split('\'').next().unwrap_or_default().to_owned();
            names.push(Dumped { procedure: procedure.clone(), name, ..Dumped::default() });
        } else if let Some(last) = names.last_mut() {
            if let Some(text) = line.strip_prefix("type spec : ") {
                last.type_ = text.to_owned();
            } else if let Some(text) = line.strip_prefix("attributes: ") {
                last.attributes = text.to_owned();
            } else if let Some(text) = line.strip_prefix("value: ") {
                last.value = Some(text.to_owned());
            } else if let Some(text) = line.strip_prefix("Array spec:(") {
                last.rank = text.split(' ').next().and_then(|rank| rank.parse().ok()).unwrap_or_default();
            }
        }
    }
    Some(names)
}

fn scope_named(program: &Program, name: &str) -> Option<ScopeId> {
    let is_it = |scope: &ScopeId| match program.scope(*scope).kind {
        ScopeKind::Unit(unit) => unit.header.name.as_ref().is_some_and(|found| *found.name == *name),
        _ => false,
    };
    (0..u32::try_from(program.scopes.len()).expect("few")).map(ScopeId).find(is_it)
}

/// Whether a value is what gfortran prints: `3`, `1.0e-1_8`, `(/ 1 , 2/)`, `'text'`.
pub fn is_value(value: &Value, text: &str) -> bool {
    let text = text.trim();
    let without_kind = text.rsplit_once('_').map_or(text, |(number, _)| number);
    match value {
        Value::Integer(value, _) => without_kind.parse() == Ok(*value),
        Value::Real(real) if real.kind == 4 => without_kind.parse::<f32>().map(f64::from) == Ok(real.value),
        Value::Real(real) => without_kind.parse() == Ok(real.value),
        Value::Logical(value, _) => without_kind == format!(".{value}."),
        Value::Text(value) => text == format!("'{value}'"),
        Value::Array(items, _) => {
            let inner = text.trim_start_matches("(/").trim_end_matches("/)");
            let texts: Vec<&str> = inner.split(" , ").collect();
            texts.len() == items.len() && items.iter().zip(texts).all(|(item, text)| is_value(item, text))
        }
    }
}

/// Compares one name; false if it has nothing to compare.
fn compare(program: &Program, dumped: &Dumped, faults: &mut Vec<String>) -> bool {
    let is = |word: &str| dumped.attributes.contains(word);
    let of_compilers = dumped.name.starts_with(|c: char| !c.is_lowercase());
    let has_type = !dumped.type_.is_empty() && !dumped.type_.contains("UNKNOWN");
    if of_compilers || !has_type || is("INTRINSIC-PROC") || is("ASSOCIATE-VAR") {
        return false;
    }
    let Some(scope) = scope_named(program, &dumped.procedure) else { return false };
    let Some(symbol) = program.lookup(scope, &dumped.name) else {
        faults.push(format!("unknown: {dumped:?}"));
        return true;
    };
    let found = type_text(program, &program.symbol_type(symbol)).to_uppercase();
    let words: Vec<&str> = dumped.type_.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let expected = words.iter().take(2).copied().collect::<Vec<_>>().join(" ").to_uppercase();
    // A character has its length between type and kind.
    let is_same = if expected.starts_with("CHARACTER") { found.starts_with("CHARACTER") } else { found == expected };
    let rank = match program.symbol(symbol).class {
        Class::Variable | Class::Constant => program.rank(symbol),
        _ => None,
    };
    let value_fits = match (&dumped.value, is("PARAMETER")) {
        (Some(text), true) => program.value_of(symbol).is_some_and(|value| is_value(&value, text)),
        _ => true,
    };
    if !is_same || rank.is_some_and(|rank| rank != dumped.rank) || !value_fits {
        faults.push(format!("{found} {rank:?} {:?}: {dumped:?}", program.value_of(symbol)));
    }
    true
}

#[test]
fn gfortran_gives_names_the_types_ranks_and_values_that_we_do() {
    for (name, least) in [("kinds.f90", 90), ("commons.f", 20)] {
        let text = std::fs::read_to_string(files().join(name)).expect("the source");
        let (source, reading) = read_text(name, &text, Form::of_name(name));
        assert_eq!(reading.messages, []);
        let program = resolve(&[&reading.file]);
        let messages: Vec<String> = program.messages.iter().map(|(_, message)| message.in_source(&source)).collect();
        assert!(messages.is_empty(), "{}", messages.join("\n"));
        let Some(names) = dump(name, &text) else {
            return skip("gfortran_gives_names_the_types_ranks_and_values_that_we_do", "there is no gfortran");
        };
        let mut faults = Vec::new();
        let compared = names.iter().filter(|dumped| compare(&program, dumped, &mut faults)).count();
        assert!(faults.is_empty(), "{name}\n{}", faults.join("\n"));
        assert!(compared >= least, "{name}: {compared} names were compared");
    }
}

#[test]
fn gfortran_puts_members_of_common_where_we_do() {
    let declared = "integer*2 i\nreal*8 x, y(2, 3)\ncomplex z\ncharacter*5 c\nlogical l(4)\nreal*4 s\ncomplex*16 w\n\
                    integer*8 n(0:2)\ncommon /b/ i, x, y, c, z, l, s, w, n\n";
    let names = ["i", "x", "y", "c", "z", "l", "s", "w", "n"];
    let prints: String = names.iter().map(|name| format!("print '(i0)', loc({name}) - loc(i)\n")).collect();
    let text = format!("program p\n{declared}{prints}end program\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adtape-fortran-common");
    std::fs::create_dir_all(&folder).expect("the target directory is writable");
    std::fs::write(folder.join("common.f90"), &text).expect("the source is written");
    let built = Command::new("gfortran").args(["-w", "-o", "common", "common.f90"]).current_dir(&folder).status();
    let Ok(status) = built else {
        return skip("gfortran_puts_members_of_common_where_we_do", "there is no gfortran");
    };
    assert!(status.success(), "gfortran refuses the program");
    let output = Command::new(folder.join("common")).output().expect("the program runs");
    let expected: Vec<i128> =
        String::from_utf8_lossy(&output.stdout).lines().map(|line| line.trim().parse().expect("a number")).collect();
    let (_, reading) = read_text("common.f90", &text, Form::Free);
    let program = resolve(&[&reading.file]);
    let scope = program.scope_of(&reading.file.units[0]).expect("the program");
    let layouts = program.common_blocks(scope);
    let found: Vec<i128> = layouts[0].members.iter().map(|member| member.offset_bytes.expect("known")).collect();
    assert_eq!(found, expected);
}
