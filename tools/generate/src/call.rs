//! Declarations of calls, as the templates write them:
//!
//! ```text
//! pop_pair(t?, pair: inout pair target, p?: inout address target, stat)
//! heap_alloc(h?, t?, bytes: i64) -> address
//! ```
//!
//! An argument is `name`, `?` where it may be left out, and after a colon: `in`, `out` or `inout` if it is passed by
//! reference; `unspecified` for none; or `freed`, `ended` of a handle that becomes NULL, on success or in any case; a word for the type
//! (`words.rs`), or `kind` and `adjoint` for each kind of a set; then Fortran's attributes; at last the shape: `rank` for
//! each rank, or what stands in the declaration, as `(:)`. `t?` is the tape: a procedure with it, and one for the
//! thread's own. `h?` is the thread's own heap along with it. `stat` is the optional status.

use crate::reference::Form;
use crate::words::{self, Passing, Word};

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// By value in C; read only otherwise.
    Value,
    /// By reference, read only.
    In,
    /// By reference, defined by the call.
    Out,
    /// By reference, read and written.
    InOut,
    /// By reference, without a word about it.
    Unspecified,
    /// A handle that becomes NULL on success.
    Freed,
    /// A handle that becomes NULL in any case.
    Ended,
}

/// What an argument's type is.
#[derive(Clone, Debug)]
pub enum Type {
    /// A word of the vocabulary.
    Word(Word),
    /// The kind that the procedure is for.
    Kind,
    /// The kind of the adjoint; no argument where there is none.
    Adjoint,
    /// The address of a function of this type of C.
    Function(String),
}

/// An argument's dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar.
    Scalar,
    /// The rank that the procedure is for.
    Rank,
    /// As it stands in the declaration.
    As(String),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Whether it may be left out.
    pub optional: bool,
    /// How it is passed.
    pub intent: Intent,
    /// Its type.
    pub what: Type,
    /// Fortran's attributes.
    pub attributes: Vec<String>,
    /// Its dimensions.
    pub shape: Shape,
}

/// A call, as declared.
#[derive(Clone, Debug)]
pub struct Call {
    /// The name in Fortran.
    pub name: String,
    /// The arguments that every form has.
    pub arguments: Vec<Argument>,
    /// Whether there is a form with a tape and one on the thread's own.
    pub on_tape: bool,
    /// Whether there is a form with a heap and one on the thread's own.
    pub on_heap: bool,
    /// Whether it has the optional status.
    pub status: bool,
    /// The type of a function's result.
    pub result: Option<Word>,
}

impl Call {
    /// What a program in Fortran writes, `name` being the generic's.
    pub fn forms(&self, name: &str) -> Vec<Form> {
        let own: Vec<&str> = self.arguments.iter().map(|argument| argument.name.as_str()).collect();
        let handles = [(self.on_heap, "h"), (self.on_tape, "t")];
        let given = handles.iter().filter(|(there, _)| *there).map(|(_, handle)| *handle).chain(own.iter().copied());
        let given: Vec<&str> = given.collect();
        let text = |arguments: &[&str]| {
            let verb = if self.result.is_some() { "q =" } else { "call" };
            format!("{verb} {name}({})", arguments.join(", "))
        };
        let arguments: Vec<String> = self.arguments.iter().filter_map(Argument::declaration).collect();
        let mut forms = vec![Form { text: text(&own), arguments: arguments.clone() }];
        if given.len() > own.len() {
            forms.push(Form { text: text(&given), arguments });
        }
        forms
    }

    /// Reads a declaration.
    pub fn parse(text: &str) -> Result<Call, String> {
        let fault = |what: &str| format!("{what} in the declaration `{text}`");
        let (name, rest) = text.split_once('(').ok_or_else(|| fault("no parenthesis"))?;
        let (inside, after) = rest.rsplit_once(')').ok_or_else(|| fault("no closing parenthesis"))?;
        let result = match after.trim().strip_prefix("->") {
            Some(word) => Some(words::find(word.trim()).ok_or_else(|| fault("a result of no known type"))?),
            None if after.trim().is_empty() => None,
            None => return Err(fault("something after the arguments")),
        };
        let mut call = Call {
            name: name.trim().to_owned(),
            arguments: Vec::new(),
            on_tape: false,
            on_heap: false,
            status: false,
            result,
        };
        for item in split(inside) {
            match item.as_str() {
                "t?" => call.on_tape = true,
                "h?" => call.on_heap = true,
                "stat" => call.status = true,
                _ => call.arguments.push(argument(&item).map_err(|what| fault(&what))?),
            }
        }
        Ok(call)
    }
}

impl Argument {
    /// What a program declares, where that is one type.
    fn declaration(&self) -> Option<String> {
        let Type::Word(word) = &self.what else { return None };
        let of_type = match word.passing {
            Passing::Size | Passing::Integer => "integer(4 or 8)",
            Passing::Text | Passing::Label => "character(*)",
            _ if word.fortran.ends_with("(*)") => return None,
            _ => word.fortran,
        };
        let optional = if self.optional { ", optional" } else { "" };
        let shape = if let Shape::As(shape) = &self.shape { shape.as_str() } else { "" };
        Some(format!("{of_type}{optional} :: {}{shape}", self.name))
    }
}

/// The arguments between commas that stand in no parentheses.
fn split(text: &str) -> Vec<String> {
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if c == ',' && depth == 0 {
            items.push(String::new());
        } else {
            items.last_mut().expect("the first item").push(c);
        }
    }
    items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

fn argument(text: &str) -> Result<Argument, String> {
    let (name, rest) = text.split_once(':').ok_or_else(|| format!("`{text}` without a type"))?;
    let (name, optional) = match name.trim().strip_suffix('?') {
        Some(name) => (name, true),
        None => (name.trim(), false),
    };
    let mut words = rest.split_whitespace().peekable();
    let intent = match words.peek().copied() {
        Some("in") => Intent::In,
        Some("out") => Intent::Out,
        Some("inout") => Intent::InOut,
        Some("unspecified") => Intent::Unspecified,
        Some("freed") => Intent::Freed,
        Some("ended") => Intent::Ended,
        _ => Intent::Value,
    };
    if intent != Intent::Value {
        words.next();
    }
    let word = words.next().ok_or_else(|| format!("`{text}` without a type"))?;
    let what = match word {
        "kind" => Type::Kind,
        "adjoint" => Type::Adjoint,
        "function" => Type::Function(words.next().ok_or("a function without its type of C")?.to_owned()),
        _ => Type::Word(words::find(word).ok_or_else(|| format!("the unknown word `{word}`"))?),
    };
    let mut attributes: Vec<String> = words.map(str::to_owned).collect();
    let shape = match attributes.last().map(String::as_str) {
        Some("rank") => Shape::Rank,
        Some(last) if last.starts_with('(') => Shape::As(last.to_owned()),
        _ => Shape::Scalar,
    };
    if shape != Shape::Scalar {
        attributes.pop();
    }
    let known = ["pointer", "allocatable", "target", "contiguous"];
    match attributes.iter().find(|attribute| !known.contains(&attribute.as_str())) {
        Some(unknown) => Err(format!("the unknown attribute `{unknown}`")),
        None => Ok(Argument { name: name.to_owned(), optional, intent, what, attributes, shape }),
    }
}
