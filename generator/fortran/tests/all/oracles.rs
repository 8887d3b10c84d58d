//! What compilers say of the sources in `tests/files`: flang reads what we read, and finds as many statements.

use crate::common::{files, read_text, skip};
use adtape_fortran::source::Form;
use adtape_fortran::tree::statement::{Action, Block, Statement};
use adtape_fortran::tree::unit::Unit;
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
