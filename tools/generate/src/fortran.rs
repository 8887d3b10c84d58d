//! Interface bodies in Fortran.

use crate::call::{Argument, Intent, Type};
use crate::variant::{Form, Variant};
use crate::words::Passing;

/// What a procedure is bound to.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A function of C, by a pattern of its name: `{form}` is self or call, `{self_}` self_ or nothing, so is
    /// `{fortran_self_}`, `{kind}` the kind's name, `{suffix}` that with widths and rank.
    C(String),
    /// An external of Fortran, `adtapeself…` or `adtapecall…`, which the glue defines as the compiler names it.
    External,
}

/// Columns that a line has room for.
pub const COLUMNS: usize = 120;

/// Name of a procedure in Fortran. A call that has one procedure only gives it its own name.
pub fn name(variant: &Variant, binding: &Binding, alone: bool) -> String {
    let form = |own, given, none| match variant.form {
        Form::Own => own,
        Form::Given => given,
        Form::None => none,
    };
    let call = &variant.call.name;
    match binding {
        Binding::C(_) if alone => call.clone(),
        Binding::C(_) => format!("{call}{}{}", variant.suffix(), form("_self", "_call", "")),
        Binding::External => {
            format!("adtape{}{}{}", form("self", "call", "call"), call, variant.suffix()).replace('_', "")
        }
    }
}

/// Name of the function of C that a procedure is bound to.
pub fn symbol(variant: &Variant, pattern: &str) -> String {
    let own = variant.form == Form::Own;
    pattern
        .replace("{form}", if own { "self" } else { "call" })
        .replace("{self_}", if own { "self_" } else { "" })
        .replace("{fortran_self_}", if own { "fortran_self_" } else { "" })
        .replace("{kind}", variant.pairing.map_or("", |pairing| pairing.name))
        .replace("{suffix}", &variant.suffix())
}

/// An interface body, at an indentation of two spaces.
pub fn body(variant: &Variant, binding: &Binding, alone: bool, indentation: usize) -> String {
    let name = name(variant, binding, alone);
    let declarations = declarations(variant, binding);
    let mut arguments: Vec<&str> = declarations.iter().map(|d| d.name.as_str()).collect();
    let (start, mut end) = match variant.call.result {
        None => ("subroutine", String::new()),
        Some(_) => ("function", " result(q)".to_owned()),
    };
    if let Binding::C(pattern) = binding {
        let symbol = symbol(variant, pattern);
        end = format!(" bind(c, name=\"{symbol}\"){end}");
    }
    let pad = " ".repeat(indentation);
    let head = broken(&format!("{pad}{start} {name}({})", arguments.join(", ")), &pad);
    let mut lines = vec![if head.len() - head.rfind('\n').map_or(0, |i| i + 1) + end.len() > COLUMNS {
        format!("{head} &\n{pad}   {end}")
    } else {
        head + &end
    }];
    let mut imports: Vec<&str> = Vec::new();
    let results = variant.call.result.iter().map(|word| word.import);
    for import in declarations.iter().map(|d| d.import).chain(results).filter(|import| !import.is_empty()) {
        if !imports.contains(&import) {
            imports.push(import);
        }
    }
    if !imports.is_empty() {
        lines.push(format!("{pad}  import :: {}", imports.join(", ")));
    }
    // Neighbours that are declared alike share a line.
    arguments.clear();
    for (i, declaration) in declarations.iter().enumerate() {
        arguments.push(&declaration.entity);
        if declarations.get(i + 1).is_none_or(|next| next.text != declaration.text) {
            lines.push(format!("{pad}  {} :: {}", declaration.text, arguments.join(", ")));
            arguments.clear();
        }
    }
    if let Some(word) = variant.call.result {
        lines.push(format!("{pad}  {} :: q", word.fortran));
    }
    lines.push(format!("{pad}end {start}\n"));
    lines.join("\n")
}

/// A line, continued behind commas where it is too long.
fn broken(line: &str, pad: &str) -> String {
    let (mut text, mut rest) = (String::new(), line.to_owned());
    while rest.len() > COLUMNS {
        let Some(end) = rest[..COLUMNS - 2].rfind(", ") else { break };
        text += &format!("{}, &\n", &rest[..end]);
        rest = format!("{pad}    {}", &rest[end + 2..]);
    }
    text + &rest
}

struct Declaration {
    name: String,
    /// The name with its dimensions.
    entity: String,
    /// What stands before the colons.
    text: String,
    import: &'static str,
}

fn declarations(variant: &Variant, binding: &Binding) -> Vec<Declaration> {
    let by_value = if matches!(binding, Binding::C(_)) { ", value" } else { ", intent(in)" };
    let plain = |name: &str, text: String, import| Declaration { name: name.into(), entity: name.into(), text, import };
    let mut found = Vec::new();
    if variant.form == Form::Given {
        if variant.call.on_heap {
            found.push(plain("h", format!("type(adtape_heap){by_value}"), "adtape_heap"));
        }
        if variant.call.on_tape {
            found.push(plain("t", format!("type(adtape_tape){by_value}"), "adtape_tape"));
        }
    }
    for (argument, width) in variant.arguments() {
        let entity = argument.name.clone() + &variant.shape(argument);
        let (text, import) = declaration(variant, argument, width, by_value);
        found.push(Declaration { name: argument.name.clone(), entity, text, import });
    }
    if variant.call.status {
        found.push(plain("stat", "integer(c_int32_t), intent(out), optional".to_owned(), "c_int32_t"));
    }
    found
}

fn declaration(variant: &Variant, argument: &Argument, width: Option<u8>, by_value: &str) -> (String, &'static str) {
    let kind = variant.kind_of(argument).flatten();
    let (of_type, import) = match (&argument.what, kind, width) {
        (_, Some(kind), _) => (kind.declaration, kind.import.unwrap_or("")),
        (_, _, Some(32)) => ("integer(c_int32_t)", "c_int32_t"),
        (_, _, Some(_)) => ("integer(c_int64_t)", "c_int64_t"),
        (Type::Word(word), ..) => (word.fortran, word.import),
        _ => ("type(c_funptr)", "c_funptr"),
    };
    let characters =
        matches!(&argument.what, Type::Word(word) if matches!(word.passing, Passing::Text | Passing::Label));
    let mut text = of_type.to_owned();
    for attribute in argument.attributes.iter().filter(|attribute| *attribute != "target") {
        text += &format!(", {attribute}");
    }
    text += match argument.intent {
        Intent::Value if characters => ", intent(in)",
        Intent::Value => by_value,
        Intent::Unspecified => "",
        Intent::In => ", intent(in)",
        Intent::Out => ", intent(out)",
        Intent::InOut | Intent::Freed | Intent::Ended => ", intent(inout)",
    };
    if argument.attributes.iter().any(|attribute| attribute == "target") {
        text += ", target";
    }
    if variant.is_optional(argument) {
        text += ", optional";
    }
    (text, import)
}
