//! What `adtape/declarations.h` says, for Fortran: its constants and structures, with their comments.

/// Declarations of the constants of C whose names begin with a prefix.
pub fn constants(header: &str, prefix: &str) -> Result<String, String> {
    let value = |line: &str| {
        let line = line.trim().trim_start_matches("#define ");
        let (name, value) = line.split_once([' ', '='])?;
        let value: i32 = value.trim_matches([' ', '=', ',']).parse().ok()?;
        name.starts_with(prefix).then(|| format!("  integer(c_int32_t), parameter, public :: {name} = {value}"))
    };
    let found: Vec<String> = header.lines().filter_map(value).collect();
    if found.is_empty() { Err(format!("no constant begins with {prefix}")) } else { Ok(found.join("\n")) }
}

/// A structure of C as a derived type with the same components.
pub fn structure(header: &str, of_c: &str, name: &str, private: bool) -> Result<String, String> {
    let fault = |what: &str| format!("{of_c} {what}");
    let end = header.find(&format!("\n}} {of_c};")).ok_or_else(|| fault("is no structure of the header"))?;
    let start = header[..end].rfind("typedef struct {\n").ok_or_else(|| fault("has no beginning"))?;
    let before: Vec<&str> = header[..start].lines().rev().take_while(|line| line.starts_with("//")).collect();
    let mut text: String = before.iter().rev().map(|line| format!("  !{}\n", line.trim_start_matches('/'))).collect();
    text += &format!("  type, bind(c), public :: {name}\n");
    text += if private { "    private\n" } else { "" };
    for line in header[start..end].lines().skip(1).map(str::trim) {
        text += &match line.strip_prefix("//") {
            Some(comment) => format!("    !{}\n", comment.replace('…', "...")),
            None => component(line).ok_or_else(|| fault(&format!("has `{line}`, which is no component in Fortran")))?,
        };
    }
    Ok(text + "  end type")
}

/// `uint64_t bytes;` as a component that begins at zero.
fn component(line: &str) -> Option<String> {
    let (of_type, name) = line.strip_suffix(';')?.rsplit_once([' ', '*'])?;
    let (of_type, zero) = match of_type.trim() {
        "uint64_t" | "int64_t" => ("integer(c_int64_t)", "0"),
        "uint32_t" | "int32_t" => ("integer(c_int32_t)", "0"),
        "void" | "const char" => ("type(c_ptr)", "c_null_ptr"),
        _ => return None,
    };
    Some(format!("    {of_type} :: {} = {zero}\n", name.replace('[', "(").replace(']', ")")))
}
