//! What the headers of C say: functions, constants and structures, with their comments.

use crate::types;

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

/// `int64_t bytes;` as a component that begins at zero.
fn component(line: &str) -> Option<String> {
    let (of_type, name) = line.strip_suffix(';')?.rsplit_once([' ', '*'])?;
    let (of_type, zero) = match of_type.trim() {
        "uint64_t" | "int64_t" => ("integer(c_int64_t)", "0"),
        "uint32_t" | "int32_t" => ("integer(c_int32_t)", "0"),
        "double" => ("real(c_double)", "0"),
        "bool" => ("logical(c_bool)", ".false."),
        "void" | "const char" => ("type(c_ptr)", "c_null_ptr"),
        _ => return None,
    };
    Some(format!("    {of_type} :: {} = {zero}\n", name.replace('[', "(").replace(']', ")")))
}

/// A function of the header.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its comment, paragraphs with an empty line between, without what it says of Fortran.
    pub comment: String,
    /// What its comment says of Fortran, if anything.
    pub fortran: Option<String>,
    /// Its declaration, on one line; of a family, one for each macro that makes its functions.
    pub declarations: Vec<String>,
}

/// What the headers of inlined code say of a function: `/* … */` before `ADTAPE_INLINE_ type name(…) {`.
///
/// `<type>` at the end of the name is a family: a macro that is applied to tables of types has the function, with
/// `##name` at the end of its name. Its declarations are those of one type for each macro.
pub fn inlined(header: &str, name: &str) -> Option<Function> {
    let lines: Vec<&str> = header.lines().map(|line| line.trim_end_matches('\\').trim()).collect();
    let wanted = name.replace("<type>", "##name");
    let names =
        |line: &str| line.split('(').next().is_some_and(|head| head.rsplit([' ', '*']).next() == Some(wanted.as_str()));
    let declares =
        |line: &&str| line.starts_with("ADTAPE_INLINE_ ") || line.starts_with("void ") && line.ends_with(';');
    let found: Vec<usize> = (0..lines.len()).filter(|i| declares(&lines[*i]) && names(lines[*i])).collect();
    let declared = |at: usize| {
        let end = at + lines[at..].iter().position(|line| line.contains(['{', ';']))?;
        let text = lines[at..=end].join(" ");
        let text = text.split(['{', ';']).next()?.trim_start_matches("ADTAPE_INLINE_ ").trim();
        let text = if name == wanted { text.to_owned() } else { types::of_one_type(header, &lines[..at], text)? };
        Some(format!("{text};"))
    };
    let declarations = found.iter().map(|at| declared(*at)).collect::<Option<Vec<_>>>()?;
    let at = *found.first()?;
    let above = lines[..at].iter().rposition(|line| line.starts_with("/*"))?;
    if !lines[at - 1].ends_with("*/") {
        return None;
    }
    let strip =
        |line: &str| line.trim_start_matches("/*").trim_start_matches('*').trim_end_matches("*/").trim().to_owned();
    let comment: Vec<String> = lines[above..at].iter().map(|line| strip(line)).collect();
    let (comment, fortran) = paragraphs(&comment.iter().map(String::as_str).collect::<Vec<_>>());
    Some(Function { name: name.to_owned(), comment, fortran, declarations })
}

/// What the header says of a function.
pub fn function(header: &str, name: &str) -> Result<Function, String> {
    let (mut comment, mut declaration) = (Vec::new(), String::new());
    for line in header.lines() {
        if let Some(text) = line.strip_prefix("//") {
            comment.push(text.strip_prefix(' ').unwrap_or(text));
        } else if line.is_empty() {
            comment.clear();
            declaration.clear();
        } else {
            declaration += if declaration.is_empty() { "" } else { " " };
            declaration += line.trim();
            if line.ends_with(';') {
                if declaration.contains(&format!(" {name}(")) || declaration.contains(&format!("*{name}(")) {
                    let (comment, fortran) = paragraphs(&comment);
                    let declarations = vec![declaration];
                    return Ok(Function { name: name.to_owned(), comment, fortran, declarations });
                }
                declaration.clear();
            }
        }
    }
    Err(format!("{name} is not in the header"))
}

/// Lines of a comment as paragraphs, and what it says of Fortran. `Returns`, `Errors`, `Cost:` at the beginning of a line
/// begin a paragraph, `Fortran:`, `Source:` and `Kit:` at the beginning of a sentence.
fn paragraphs(comment: &[&str]) -> (String, Option<String>) {
    let mut text = String::new();
    for line in comment {
        let begins = ["Returns ", "Errors ", "Errors: ", "Cost: "].iter().any(|word| line.starts_with(word));
        text += if begins && !text.is_empty() { "\n\n" } else { "" };
        text += line;
        text.push('\n');
    }
    for word in ["Fortran:", "Source:", "Kit:"] {
        text = text.replace(&format!(". {word}"), &format!(".\n\n{word}"));
        text = text.replace(&format!("\n{word}"), &format!("\n\n{word}"));
    }
    let all = text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    let (of_fortran, kept): (Vec<&str>, Vec<&str>) = all.partition(|paragraph| paragraph.starts_with("Fortran:"));
    (kept.join("\n\n"), of_fortran.first().map(|text| text.replace('\n', " ")))
}

/// The fields of a structure, each with its comment.
pub fn fields(header: &str, of_c: &str) -> Result<Vec<(String, String)>, String> {
    let end = header.find(&format!("\n}} {of_c};")).ok_or_else(|| format!("{of_c} is no structure of the header"))?;
    let start = header[..end].rfind("typedef struct {\n").unwrap_or(0);
    let (mut found, mut comment) = (Vec::new(), String::new());
    for line in header[start..end].lines().skip(1).map(str::trim) {
        match line.strip_prefix("//") {
            Some(text) => comment += text,
            None => {
                let name = line.trim_end_matches(';').rsplit([' ', '*']).next().unwrap_or_default();
                found.push((name.to_owned(), std::mem::take(&mut comment)));
            }
        }
    }
    Ok(found)
}

/// Constants whose names begin with a prefix, each with its value and comment.
pub fn values(header: &str, prefix: &str) -> Vec<(String, i32, String)> {
    let (mut found, mut comment) = (Vec::new(), String::new());
    for line in header.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("//") {
            comment += text;
            continue;
        }
        let said = std::mem::take(&mut comment);
        let constant = line.trim_start_matches("#define ").split_once([' ', '=']);
        if let Some((name, value)) = constant.filter(|(name, _)| name.starts_with(prefix))
            && let Ok(value) = value.trim_matches([' ', '=', ',']).parse()
        {
            found.push((name.to_owned(), value, said));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::inlined;

    #[test]
    fn an_inlined_function_has_the_comment_above_it_and_a_declaration_without_its_body() {
        let header = "/* Frees. Errors: none. Fortran: `call f(p)`. */\n\
                      ADTAPE_INLINE_ void adtape_free(void *p) { adtape_push(p); }\n\
                      /* Pushes `p`, which\n * stays. */\n\
                      ADTAPE_INLINE_ void adtape_push(const void *p,\n                                int n) {\n}\n\
                      ADTAPE_INLINE_ int adtape_bare(void) { return 0; }\n";
        let push = inlined(header, "adtape_push").expect("the function");
        assert_eq!(push.declarations, ["void adtape_push(const void *p, int n);"]);
        assert_eq!(push.comment, "Pushes `p`, which\nstays.");
        let free = inlined(header, "adtape_free").expect("the function");
        assert_eq!(free.fortran.as_deref(), Some("Fortran: `call f(p)`."));
        assert!(inlined(header, "adtape_bare").is_none() && inlined(header, "adtape_lost").is_none());
    }
    #[test]
    fn a_family_has_the_declaration_of_one_type_for_each_macro() {
        let header = "#define VALUES_(X) \\\n    X(i8, int8_t, TYPE_I8) \\\n    X(f64, double, TYPE_F64)\n\
                      #define ADDRESSES_(X) X(f128, 16, TYPE_F128)\n\
                      #define DEFINE_VALUE_(name, T, code) \\\n    /* Pushes.  \\\n     * Once. */ \\\n\
                          ADTAPE_INLINE_ void push_##name(T x) { f(x); }\n\
                      #define DEFINE_ADDRESS_(name, bytes, code) \\\n    ADTAPE_INLINE_ void push_##name(const void *x) {}\n\
                      VALUES_(DEFINE_VALUE_)\nADDRESSES_(DEFINE_ADDRESS_)\n";
        let push = inlined(header, "push_<type>").expect("the family");
        assert_eq!(push.declarations, ["void push_f64(double x);", "void push_f128(const void *x);"]);
        assert_eq!(push.comment, "Pushes.\nOnce.");
    }
}
