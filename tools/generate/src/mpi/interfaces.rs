//! The module's interfaces.

use super::word::Word;
use super::{Argument, Call};

/// All generic names with their procedures. Those on types of `mpi_f08` are left out where there is no such module.
pub fn text(calls: &[Call]) -> String {
    calls.iter().map(generic).collect()
}

fn generic(call: &Call) -> String {
    let name = &call.name;
    let mut text = format!("\n  public :: {name}\n");
    if !call.has_handles() {
        return text + "  interface\n" + &procedure(call, name, false) + "  end interface\n";
    }
    text += &format!("  interface {name}\n");
    let integers = if call.is_external() { name.clone() } else { format!("{name}_integers") };
    text += &procedure(call, &integers, false);
    text += "#ifndef ADTAPE_MPI_NO_F08\n";
    text += &procedure(call, &format!("{name}_f08"), true);
    text + "#endif\n  end interface\n"
}

fn procedure(call: &Call, name: &str, f08: bool) -> String {
    let mut names: Vec<&str> = call.arguments.iter().map(|argument| argument.name.as_str()).collect();
    names.extend(call.has_code.then_some("ierror"));
    let bound = if call.is_external() { String::new() } else { format!(" bind(c, name=\"{}\")", call.binding()) };
    let mut text = wrapped(&format!("    subroutine {name}({}){bound}", names.join(", ")));
    text += &format!("      import :: {}\n", imports(call, f08).join(", "));
    for argument in &call.arguments {
        text += &format!("      {}\n", declaration(argument, f08));
    }
    if call.has_code {
        text += "      integer(c_int), intent(out), optional :: ierror\n";
    }
    text + "    end subroutine\n"
}

fn imports(call: &Call, f08: bool) -> Vec<String> {
    let types = call.arguments.iter().filter_map(|argument| argument.word.f08_type().filter(|_| f08));
    let addresses = call.arguments.iter().any(|argument| argument.word == Word::Addresses);
    let mut names: Vec<String> = types.chain(["c_int".to_owned()]).collect();
    names.extend(addresses.then(|| "c_ptr".to_owned()));
    names.sort();
    names.dedup();
    names
}

fn declaration(argument: &Argument, f08: bool) -> String {
    let (name, word) = (&argument.name, argument.word);
    let of_type = match word {
        Word::Buffer { .. } => "type(*), dimension(..), asynchronous".to_owned(),
        Word::Logical | Word::LogicalOut | Word::Logicals => "logical".to_owned(),
        Word::Addresses => "type(c_ptr)".to_owned(),
        _ => {
            word.f08_type().filter(|_| f08).map_or_else(|| "integer(c_int)".to_owned(), |name| format!("type({name})"))
        }
    };
    let intent = match word.reads_only() {
        Some(true) => ", intent(in)",
        Some(false) if matches!(word, Word::Buffer { .. } | Word::Request | Word::Requests | Word::Message) => "",
        Some(false) => ", intent(out)",
        None => "",
    };
    let shape = match word {
        Word::Numbers | Word::Indices | Word::Logicals | Word::Requests | Word::Addresses => "(*)",
        Word::Statuses if f08 => "(*)",
        Word::Status if !f08 => "(*)",
        // Of rank 2, as MPI's; the extent is ignored.
        Word::Statuses if !f08 => "(1, *)",
        _ => "",
    };
    format!("{of_type}{intent} :: {name}{shape}")
}

/// A statement, on more lines where it is long.
fn wrapped(statement: &str) -> String {
    let mut lines = vec![String::new()];
    for word in statement.split_inclusive(", ") {
        if lines.last().is_some_and(|line| line.len() + word.len() > 116) {
            lines.push("      ".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            *line += word;
        }
    }
    lines.join("&\n") + "\n"
}
