//! Functions of the C glue that only convert arguments, call the library and pass the status on.

use crate::call::{Argument, Intent, Shape, Type};
use crate::fortran::{COLUMNS, symbol};
use crate::variant::{Form, Variant, width_varies};
use crate::words::{Passing, Word};

/// A function of C, with what it calls: `call` as it stands, else the function of the same name with NULL at that
/// place among the arguments. An object that is made comes first in Fortran and last in C.
pub fn function(variant: &Variant, pattern: &str, call: Option<&str>, objects: Option<usize>) -> String {
    let mut parameters: Vec<String> = Vec::new();
    let mut locals: Vec<String> = Vec::new();
    let mut values: Vec<String> = Vec::new();
    match variant.form {
        Form::Given => parameters.push("adtape_t *t".to_owned()),
        Form::Own => locals.push("adtape_t *const t = adtape_self();".to_owned()),
        Form::None => {}
    }
    if variant.form != Form::None {
        values.push("t".to_owned());
    }
    let mut ends = String::new();
    for (argument, width) in variant.arguments() {
        let name = &argument.name;
        parameters.push(parameter(argument, width));
        values.push(value(argument));
        if let Type::Word(Word { passing: Passing::Text, .. }) = argument.what {
            locals.push(format!("text_t {name}_text;"));
        }
        if let Type::Word(Word { passing: Passing::Label, .. }) = argument.what {
            locals.push(format!("label_t {name}_text;"));
        }
        match argument.intent {
            Intent::Freed => {
                ends += &format!("    if (status == ADTAPE_STATUS_OK) {{\n        *{name} = NULL;\n    }}\n")
            }
            Intent::Ended => ends += &format!("    *{name} = NULL;\n"),
            _ => {}
        }
    }
    if variant.call.status {
        parameters.push("int32_t *stat".to_owned());
    }
    let makes = |argument: &Argument| {
        argument.intent == Intent::Out && matches!(&argument.what, Type::Word(word) if word.passing == Passing::Handle)
    };
    if variant.form == Form::None && variant.call.arguments.first().is_some_and(makes) {
        values.rotate_left(1);
    }
    if let Some(place) = objects {
        values.insert(place.min(values.len()), "NULL".to_owned());
    }
    let library = format!("adtape_{}", bare(&variant.call.name));
    let call = call.map_or_else(|| format!("{library}({})", values.join(", ")), str::to_owned);
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let mut text = format!("void {}({parameters}) {{\n", symbol(variant, pattern));
    for local in locals {
        text += &format!("    {local}\n");
    }
    text += &match (variant.call.status, ends.is_empty()) {
        (true, true) => format!("    finish({call}, stat, SITE_);\n"),
        (true, false) => {
            format!("    const adtape_status_t status = {call};\n{ends}    finish(status, stat, SITE_);\n")
        }
        (false, _) => format!("    AT_SITE_({call});\n{ends}"),
    };
    text += "}\n";
    text.lines().map(wrapped).collect()
}

/// A line, broken at commas where it is too long.
fn wrapped(line: &str) -> String {
    let indentation = line.len() - line.trim_start().len();
    let (mut text, mut rest) = (String::new(), line.to_owned());
    while rest.len() > COLUMNS {
        let Some(end) = rest[..COLUMNS].rfind(", ") else { break };
        text += &format!("{}\n", &rest[..=end]);
        rest = format!("{}    {}", " ".repeat(indentation), &rest[end + 2..]);
    }
    format!("{text}{rest}\n")
}

/// A call's name as the library has it, without the prefix, and without that of a procedure that only the module calls.
pub fn bare(name: &str) -> &str {
    let name = name.strip_prefix("glue_").unwrap_or(name);
    name.strip_prefix("adtape_").unwrap_or(name)
}

fn parameter(argument: &Argument, width: Option<u8>) -> String {
    let name = &argument.name;
    let by_reference = argument.intent != Intent::Value || argument.optional;
    let word = match &argument.what {
        Type::Word(word) => word,
        Type::Function(of_c) => return format!("{of_c} {name}"),
        Type::Kind | Type::Adjoint => return format!("variable_t *{name}"),
    };
    match (word.passing, width) {
        _ if argument.shape != Shape::Scalar => format!("const CFI_cdesc_t *{name}"),
        (Passing::Text | Passing::Label, _) => format!("{}{name}", word.c),
        (Passing::Handle, _) if by_reference => format!("{} **{name}", word.c),
        (Passing::Handle, _) => format!("{} *{name}", word.c),
        (_, Some(width)) => format!("int{width}_t {name}"),
        _ if word.c.ends_with('*') && by_reference => format!("{}*{name}", word.c),
        _ if word.c.ends_with('*') => format!("{}{name}", word.c),
        _ if argument.intent == Intent::In => format!("const {} *{name}", word.c),
        _ if by_reference => format!("{} *{name}", word.c),
        _ => format!("{} {name}", word.c),
    }
}

/// What the library gets for an argument.
fn value(argument: &Argument) -> String {
    let name = &argument.name;
    let Type::Word(word) = &argument.what else { return name.clone() };
    match word.passing {
        _ if argument.shape != Shape::Scalar => format!("{name}->base_addr, {name}->dim[0].extent"),
        Passing::Text if argument.optional => format!("{name} == NULL ? NULL : c_text({name}, &{name}_text)"),
        Passing::Text => format!("c_text({name}, &{name}_text)"),
        Passing::Label => format!("c_label({name}, &{name}_text)"),
        Passing::Number => format!("NUMBER_({name})"),
        Passing::Handle if matches!(argument.intent, Intent::Freed | Intent::Ended) => format!("*{name}"),
        _ if width_varies(argument) => format!("(int64_t){name}"),
        _ => name.clone(),
    }
}
