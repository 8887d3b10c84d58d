//! The calls of `adtape_mpi.h` in Fortran: interfaces of a module, and functions of C between them and the header's.
//!
//! The header's declarations are the table. Each call has two functions of C:
//!
//! * `adtape_mpi_send_`, for programs that include `mpif.h`: an external procedure, buffers by address;
//! * `adtape_fmpi_send`, bound by the module's interfaces: buffers by descriptor, so that nothing is copied. Handles are
//!   integers (`use mpi`) or types with one component (`use mpi_f08`), which lie alike. A logical is no type of C: where
//!   there is one, the interfaces are those of external procedures, `adtape_mpi_test_` and `adtape_mpi_test_f08_`.

mod glue;
mod interfaces;
mod word;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use word::Word;

const HEADER: &str = "mpi/include/adtape_mpi.h";
const GENERATED: &str = "mpi/fortran/generated";

/// Calls whose Fortran is written by hand, in `mpi/fortran`: their arguments are others than in C.
const BY_HAND: [&str; 3] = ["adtape_MPI_Init", "adtape_MPI_Init_thread", "adtape_mpi_op_adjoint"];
/// What the header has for the functions between.
const INNER: &str = "adtape_mpi_abi0_";

/// A call of the header.
struct Call {
    /// Its name.
    name: String,
    /// Whether it returns MPI's error code, which is the last argument in Fortran.
    has_code: bool,
    /// Its arguments.
    arguments: Vec<Argument>,
}

struct Argument {
    name: String,
    word: Word,
}

impl Call {
    /// The name of its function of C that the module's interfaces bind, of an external procedure that on types of
    /// `mpi_f08`.
    fn binding(&self) -> String {
        let name = self.name.to_lowercase();
        if self.is_external() { name + "_f08_" } else { name.replacen("adtape_mpi_", "adtape_fmpi_", 1) }
    }

    /// Whether an argument is a logical.
    fn is_external(&self) -> bool {
        let is_logical = |word| matches!(word, Word::Logical | Word::LogicalOut | Word::Logicals);
        self.arguments.iter().any(|argument| is_logical(argument.word))
    }

    /// Whether an argument has another type in `mpi_f08`.
    fn has_handles(&self) -> bool {
        self.arguments.iter().any(|argument| argument.word.f08_type().is_some())
    }
}

/// The generated files by their paths below the root of the repository.
pub fn files(root: &Path) -> Result<BTreeMap<PathBuf, String>, String> {
    let calls = calls(&crate::text_of(root, Path::new(HEADER))?)?;
    let notice = crate::notice(HEADER);
    let file = |name: &str, text: String| (Path::new(GENERATED).join(name), text);
    Ok(BTreeMap::from([
        file("interfaces.inc", format!("! {notice}\n{}", interfaces::text(&calls))),
        file("glue.inc", format!("/* {notice} */\n{}", glue::text(&calls))),
    ]))
}

/// The header's declarations of functions, but for those by hand.
fn calls(header: &str) -> Result<Vec<Call>, String> {
    let code: String = header.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line} ")).collect();
    let code = without_comments(&code);
    let declared = code.split(';').map(str::trim).filter(|text| !text.starts_with("typedef") && text.contains('('));
    declared.filter_map(|text| call(text).transpose()).collect()
}

fn without_comments(code: &str) -> String {
    let mut parts = code.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("*/").map_or("", |(_, behind)| behind))
}

/// A declaration, `int adtape_MPI_Barrier(MPI_Comm comm)`.
fn call(text: &str) -> Result<Option<Call>, String> {
    let (head, arguments) = text.trim_end_matches(')').split_once('(').ok_or_else(|| format!("{text}: no function"))?;
    let (result, name) = head.rsplit_once(' ').ok_or_else(|| format!("{head}: no function"))?;
    // What stands before the first declaration is `extern "C" {`.
    let has_code = result.ends_with("int");
    if BY_HAND.contains(&name) || name.starts_with(INNER) {
        return Ok(None);
    }
    let arguments = arguments.split(',').map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let arguments = arguments.filter(|text| text != "void").enumerate();
    let arguments = arguments.map(|(at, text)| argument(name, &text, at == 0));
    Ok(Some(Call { name: name.to_owned(), has_code, arguments: arguments.collect::<Result<_, _>>()? }))
}

fn argument(call: &str, text: &str, is_first: bool) -> Result<Argument, String> {
    let split = text.rfind([' ', '*']).map_or(0, |at| at + 1);
    let (of_type, name) = text.split_at(split);
    let (name, array) = name.strip_suffix("[]").map_or((name, ""), |name| (name, "[]"));
    let of_type = of_type.trim().replace(" *", "*") + array;
    let word = Word::of(&of_type, name, is_first).ok_or_else(|| {
        format!("{call}: `{text}` has no counterpart in Fortran; add it to tools/generate/src/mpi/word.rs, or BY_HAND")
    })?;
    Ok(Argument { name: name.to_owned(), word })
}
