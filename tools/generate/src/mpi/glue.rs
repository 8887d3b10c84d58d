//! Functions of C that Fortran calls: they convert arguments, call the header's function, and convert what it set.

use super::word::Word;
use super::{Argument, Call};

/// All of them. What they call for conversions is in `mpi/fortran/adtape_mpi_fortran.c`.
pub fn text(calls: &[Call]) -> String {
    calls.iter().map(functions).collect()
}

/// The function that does it, and the two that Fortran calls.
fn functions(call: &Call) -> String {
    let own = format!("call_{}", call.name.trim_start_matches("adtape_"));
    let body = body(call);
    let mut declared = vec!["const void *site".to_owned()];
    declared.extend(call.arguments.iter().map(|argument| declaration(argument, false)));
    declared.extend(call.has_code.then(|| "MPI_Fint *ierror".to_owned()));
    let mut text = format!("\nstatic {}{body}", function("void", &own, &declared));
    text += &entry(call, &format!("{}_", call.name.to_lowercase()), &own, false);
    text + &entry(call, &call.binding(), &own, true)
}

/// `described`: buffers come by descriptor.
fn entry(call: &Call, name: &str, own: &str, described: bool) -> String {
    let mut declared: Vec<String> = call.arguments.iter().map(|argument| declaration(argument, described)).collect();
    declared.extend(call.has_code.then(|| "MPI_Fint *ierror".to_owned()));
    if declared.is_empty() {
        declared.push("void".to_owned());
    }
    let given = call.arguments.iter().enumerate().map(|(at, argument)| match (argument.word, datatype(call, at)) {
        (Word::Buffer { .. }, Some(of)) if described => format!("address_of_type({}, {of}, SITE)", argument.name),
        (Word::Buffer { .. }, None) if described => format!("address_of({}, SITE)", argument.name),
        _ => argument.name.clone(),
    });
    let given = ["SITE".to_owned()].into_iter().chain(given).chain(call.has_code.then(|| "ierror".to_owned()));
    let call = wrapped(&format!("    {own}({});", given.collect::<Vec<_>>().join(", ")), 8);
    format!("API {}    FIRST_CALL;\n{call}}}\n", function("void", name, &declared))
}

/// The datatype of the buffer at a place: the first that follows. None where there is none, or where it may mean nothing:
/// of calls with a root and two buffers.
fn datatype(call: &Call, at: usize) -> Option<&str> {
    let is_buffer = |argument: &&Argument| matches!(argument.word, Word::Buffer { .. });
    let has_root = call.arguments.iter().any(|argument| argument.name == "root");
    if has_root && call.arguments.iter().filter(is_buffer).count() > 1 {
        return None;
    }
    let behind = call.arguments[at..].iter().find(|argument| argument.word == Word::Handle("Datatype"))?;
    Some(&behind.name)
}

fn function(result: &str, name: &str, arguments: &[String]) -> String {
    wrapped(&format!("{result} {name}({}) {{", arguments.join(", ")), 4)
}

fn declaration(argument: &Argument, described: bool) -> String {
    let name = &argument.name;
    match argument.word {
        Word::Buffer { .. } if described => format!("const CFI_cdesc_t *{name}"),
        Word::Buffer { constant: true } => format!("const void *{name}"),
        Word::Buffer { constant: false } => format!("void *{name}"),
        Word::Addresses => format!("void *const {name}[]"),
        word if word.reads_only() == Some(true) => format!("const MPI_Fint *{name}"),
        _ => format!("MPI_Fint *{name}"),
    }
}

fn body(call: &Call) -> String {
    let count = call.arguments.first().map_or("", |argument| argument.name.as_str());
    let before: String = call.arguments.iter().filter_map(|argument| before(argument, count)).collect();
    let after: String = call.arguments.iter().filter_map(|argument| after(argument, count)).collect();
    let given = call.arguments.iter().map(given).collect::<Vec<_>>().join(", ");
    let call_ = format!("{}({given});", call.name);
    let call_ = if call.has_code { format!("    const int code = {call_}") } else { format!("    {call_}") };
    let end = if call.has_code { "    give_code(ierror, code);\n" } else { "" };
    let begin = "    adtape_mpi_abi0_site(site);\n";
    let back = "    adtape_mpi_abi0_site(NULL);\n";
    format!("{before}{begin}{}{back}{after}{end}}}\n", wrapped(&call_, 8))
}

/// What is made before the call.
fn before(argument: &Argument, count: &str) -> Option<String> {
    let name = &argument.name;
    Some(match argument.word {
        Word::Request => format!("    MPI_Request c_{name} = MPI_Request_f2c(*{name});\n"),
        Word::Message => format!("    MPI_Message c_{name} = MPI_Message_f2c(*{name});\n"),
        Word::HandleOut(handle) => format!("    MPI_{handle} c_{name} = MPI_{}_NULL;\n", handle.to_uppercase()),
        Word::Requests => format!("    MPI_Request *c_{name} = requests_of({name}, *{count});\n"),
        Word::Status => format!("    MPI_Status own_status, *c_{name} = status_of({name}, &own_status);\n"),
        Word::Statuses => format!("    MPI_Status *c_{name} = statuses_of({name}, *{count});\n"),
        Word::Logicals => {
            let count = if name == "periods" { "*ndims" } else { "dimensions_of(comm)" };
            format!("    int *c_{name} = integers_of({name}, {count});\n")
        }
        Word::LogicalOut | Word::Index => format!("    int c_{name} = 0;\n"),
        _ => return None,
    })
}

/// An argument of the call in C.
fn given(argument: &Argument) -> String {
    let name = &argument.name;
    match argument.word {
        Word::Buffer { constant } => format!("{}({name})", if constant { "buffer_in" } else { "buffer_of" }),
        Word::Number => format!("*{name}"),
        Word::Logical => format!("*{name} != 0"),
        Word::Handle("Datatype") => format!("MPI_Type_f2c(*{name})"),
        Word::Handle(handle) => format!("MPI_{handle}_f2c(*{name})"),
        Word::HandleOut(_) | Word::Request | Word::Message | Word::LogicalOut | Word::Index => format!("&c_{name}"),
        Word::Requests | Word::Status | Word::Statuses | Word::Logicals => format!("c_{name}"),
        Word::NumberOut | Word::Numbers | Word::Indices | Word::Addresses => name.clone(),
    }
}

/// What is given back after it.
fn after(argument: &Argument, count: &str) -> Option<String> {
    let name = &argument.name;
    Some(match argument.word {
        Word::HandleOut(handle) => format!("    *{name} = MPI_{handle}_c2f(c_{name});\n"),
        Word::Request => format!("    *{name} = MPI_Request_c2f(c_{name});\n"),
        Word::Message => format!("    *{name} = MPI_Message_c2f(c_{name});\n"),
        Word::Requests => format!("    requests_give({name}, c_{name}, *{count});\n"),
        Word::Status => format!("    status_give({name}, c_{name});\n"),
        Word::Statuses => format!("    statuses_give({name}, c_{name}, *{count});\n"),
        Word::Logicals => format!("    free(c_{name});\n"),
        Word::LogicalOut => format!("    *{name} = c_{name} != 0;\n"),
        Word::Index => format!("    *{name} = c_{name} == MPI_UNDEFINED ? MPI_UNDEFINED : c_{name} + 1;\n"),
        Word::Indices => format!("    indices_give({name}, *outcount);\n"),
        _ => return None,
    })
}

/// A statement, on more lines where it is long.
fn wrapped(statement: &str, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in statement.split_inclusive(", ") {
        if lines.last().is_some_and(|line| line.len() + word.trim_end().len() > 112) {
            lines.push(" ".repeat(indent));
        }
        if let Some(line) = lines.last_mut() {
            *line += word;
        }
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}
