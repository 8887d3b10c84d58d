//! The table of types: what the X macros of the inlined header, the header's constants and `kinds.rs` know of each.

use crate::header;
use crate::kinds::{KINDS, OTHERS};
use crate::reference::cell;

/// A row of an X macro: `X(f64, double, ADTAPE_TYPE_F64)`, of types by address `X(f128, 16, ADTAPE_TYPE_F128)`.
struct Row<'a> {
    name: &'a str,
    /// What C passes by value, or the bytes at an address.
    by: &'a str,
    code: &'a str,
}

/// The rows of the macro of this name; of all if it is empty.
fn rows<'a>(header: &'a str, table: &str) -> Vec<Row<'a>> {
    let (mut rows, mut inside) = (Vec::new(), false);
    for line in header.lines() {
        if let Some(macro_name) = line.strip_prefix("#define ") {
            inside = macro_name.split_once("(X)").is_some_and(|(name, _)| table.is_empty() || name == table);
        }
        let row = inside.then(|| line.split_once(" X(")).flatten().and_then(|(_, row)| row.split_once(')'));
        let cells: Vec<&str> = row.map(|(cells, _)| cells.split(',').map(str::trim).collect()).unwrap_or_default();
        if let [name, by, code] = cells[..] {
            rows.push(Row { name, by, code });
        }
        inside &= line.ends_with('\\');
    }
    rows
}

/// A declaration of a macro, `void push_##name(T x)`, of a type that the macro is applied to: double where it is one.
/// `above` are the lines up to the declaration.
pub fn of_one_type(header: &str, above: &[&str], declaration: &str) -> Option<String> {
    let defined = above.iter().rev().find_map(|line| line.strip_prefix("#define "))?.split('(').next()?;
    let table = header.lines().find_map(|line| line.strip_suffix(&format!("({defined})")))?;
    let rows = rows(header, table);
    let named = |name: &str| rows.iter().find(|row| row.name == name);
    let row = named("f64").or_else(|| named("complex_f64")).or(rows.first())?;
    let text = declaration.replace("##name", row.name);
    Some(text.replace("(T ", &format!("({} ", row.by)).replace(", T ", &format!(", {} ", row.by)))
}

/// Bytes of a type of C.
fn bytes(of_c: &str) -> Option<usize> {
    Some(match of_c {
        "int8_t" | "bool" | "char" => 1,
        "int16_t" => 2,
        "int32_t" | "float" => 4,
        "int64_t" | "double" | "void *" => 8,
        "long double" => 16,
        by_address => by_address.parse().ok()?,
    })
}

/// A type as Fortran declares it.
fn fortran(name: &str) -> Option<String> {
    if let Some((_, text)) = OTHERS.iter().find(|(other, _)| *other == name) {
        return Some((*text).to_owned());
    }
    let kind = KINDS.iter().find(|kind| kind.name == name)?;
    let (of_type, number) = kind.gfortran;
    let only = if kind.flang.is_empty() { " (gfortran)" } else { "" };
    Some(format!("`{}({number})`{only}", of_type.to_lowercase()))
}

/// The table on the page: a row for each constant, in their order.
pub fn table(header: &str, inlined: &str) -> Result<String, String> {
    let rows = rows(inlined, "");
    let mut text =
        "| `<type>` | C | Fortran | bytes | constant | value | meaning |\n|---|---|---|---|---|---|---|\n".to_owned();
    for (constant, value, meaning) in header::values(header, "ADTAPE_TYPE_") {
        let family = match rows.iter().find(|row| row.code == constant) {
            Some(row) => {
                let fault = |what: &str| format!("{}: {what}", row.name);
                let bytes = bytes(row.by).ok_or_else(|| fault("types.rs does not know the size of its type"))?;
                let of_c =
                    if row.by.parse::<usize>().is_ok() { "by address".to_owned() } else { format!("`{}`", row.by) };
                let fortran =
                    fortran(row.name).ok_or_else(|| fault("kinds.rs does not say how Fortran declares it"))?;
                format!("| `{}` | {of_c} | {fortran} | {bytes} ", row.name)
            }
            None => "| | | | ".to_owned(),
        };
        text += &format!("{family}| `{constant}` | {value} | {} |\n", cell(&meaning));
    }
    Ok(text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::table;

    const VALUES: &str = "// IEEE double.\nADTAPE_TYPE_F64 = 6,\n// Bits.\nADTAPE_TYPE_CONTROL = 22,\n";

    #[test]
    fn a_type_has_a_row_with_its_name_and_one_without_family_has_none() {
        let text = table(VALUES, "#define T_(X) \\\n    X(f64, double, ADTAPE_TYPE_F64)\n").expect("a table");
        let rows: Vec<&str> = text.lines().skip(2).collect();
        let f64 = "| `f64` | `double` | `real(8)` | 8 | `ADTAPE_TYPE_F64` | 6 | IEEE double |";
        assert_eq!(rows, [f64, "| | | | | `ADTAPE_TYPE_CONTROL` | 22 | bits |"]);
    }

    #[test]
    fn a_type_that_fortran_lacks_is_an_error() {
        let fault = table(VALUES, "#define T_(X) X(f99, double, ADTAPE_TYPE_F64)\n").unwrap_err();
        assert!(fault.contains("f99") && fault.contains("kinds.rs"), "{fault}");
    }
}
