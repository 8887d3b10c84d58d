//! Structs that the program also takes for arrays of their numbers: `(double *)&point`, `memcpy(x, &point, sizeof point)`.
//!
//! Such a struct is kept as one array, and its members are names for elements, as those of a union are. The generated
//! code names them as the source does where the subscript is a constant.

use super::tree::Node;
use super::unit::Unit;
use rustc_hash::FxHashSet;

/// The names of the structs that functions which the heads may reach take for arrays.
pub fn find(units: &[Unit], heads: &[String]) -> FxHashSet<String> {
    let (mut open, mut seen, mut found) = (heads.to_vec(), FxHashSet::default(), FxHashSet::default());
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        for unit in units {
            if let Some(function) = unit.functions.get(name.as_str()) {
                look(function, unit, &mut open, &mut found);
            }
        }
    }
    found
}

fn look(node: &Node, unit: &Unit, called: &mut Vec<String>, found: &mut FxHashSet<String>) {
    let taken = |from: &str, to: &str| taken(from, to, &|name| unit.meant(name));
    match (node.kind, &node.inner[..]) {
        ("DeclRefExpr", _) if node.refers_kind == "FunctionDecl" => called.push(node.refers_name.to_string()),
        ("CStyleCastExpr" | "ImplicitCastExpr", [from]) if node.operator == "BitCast" => {
            found.extend(taken(from.bare().ty(), node.ty()));
        }
        ("CallExpr", [callee, to, from, ..]) if copies(callee) => {
            let (to, from) = (before_conversion(to).ty(), before_conversion(from).ty());
            found.extend(taken(to, from));
            found.extend(taken(from, to));
        }
        _ => {}
    }
    node.inner.iter().for_each(|part| look(part, unit, called, found));
}

fn copies(callee: &Node) -> bool {
    let name = callee.inner.first().map_or("", |name| name.refers_name.as_ref());
    matches!(name, "memcpy" | "memmove" | "__builtin_memcpy" | "__builtin_memmove")
}

fn before_conversion<'n, 'a>(mut node: &'n Node<'a>) -> &'n Node<'a> {
    while matches!(node.kind, "ParenExpr" | "ImplicitCastExpr" | "CStyleCastExpr")
        && (node.kind == "ParenExpr" || matches!(node.operator.as_ref(), "BitCast" | "NoOp"))
        && let [inner] = &node.inner[..]
    {
        node = inner;
    }
    node
}

/// The struct whose pointer becomes one to numbers.
fn taken(from: &str, to: &str, meant: &dyn Fn(&str) -> String) -> Option<String> {
    const NUMBERS: &[&str] = &["double", "float", "long double", "int", "unsigned int", "long", "unsigned long"];
    let (name, number) = (meant(target(from)?), meant(target(to)?));
    let from_struct = !NUMBERS.contains(&name.as_str()) && name != "void" && name != "char";
    (from_struct && NUMBERS.contains(&number.as_str())).then_some(name)
}

/// What a pointer type points to, without qualifiers.
fn target(pointer: &str) -> Option<&str> {
    let mut rest = pointer.trim();
    for qualifier in ["restrict", "const", "volatile"] {
        rest = rest.strip_suffix(qualifier).unwrap_or(rest).trim_end();
    }
    rest = rest.strip_suffix('*')?.trim_end();
    for qualifier in ["const ", "volatile "] {
        rest = rest.strip_prefix(qualifier).unwrap_or(rest);
    }
    rest = rest.strip_suffix(" const").unwrap_or(rest);
    (!rest.contains(['*', '(', '['])).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_is_named_without_its_qualifiers() {
        assert_eq!(target("const struct point *restrict"), Some("struct point"));
        assert_eq!(target("point *"), Some("point"));
        assert_eq!(target("point **"), None);
        assert_eq!(target("double (*)[3]"), None);
        assert_eq!(target("double"), None);
    }

    #[test]
    fn struct_is_taken_for_numbers_in_one_direction_only() {
        let taken = |from, to| taken(from, to, &|name| if name == "real" { "double".into() } else { name.into() });
        assert_eq!(taken("const point *", "const double *").as_deref(), Some("point"));
        assert_eq!(taken("point *", "real *").as_deref(), Some("point"));
        assert_eq!(taken("double *", "point *"), None);
        assert_eq!(taken("real *", "double *"), None);
        assert_eq!(taken("void *", "double *"), None);
        assert_eq!(taken("point *", "void *"), None);
    }
}
