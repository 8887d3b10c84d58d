//! The types of functions, as declarations are compared by them.

use super::tree::Node;

/// The type of a function: typedefs of its result and of its parameters stand for what they name, and qualifiers of the
/// parameters themselves are left out.
pub fn of(meant: &dyn Fn(&str) -> String, node: &Node) -> String {
    let written = node.written_type.as_ref();
    let (result, _) = written.split_once('(').unwrap_or((written, ""));
    let result = meant(result.trim());
    let space = if result.ends_with('*') { "" } else { " " };
    if written.ends_with("()") {
        return format!("{result}{space}()");
    }
    let mut params: Vec<String> =
        node.inner.iter().filter(|part| part.kind == "ParmVarDecl").map(|param| parameter(meant, param.ty())).collect();
    if written.ends_with("...)") {
        params.push("...".to_string());
    }
    let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
    format!("{result}{space}({params})")
}

fn parameter(meant: &dyn Fn(&str) -> String, ty: &str) -> String {
    let ty = ty.replace("restrict", "").trim_end().replace("*const", "*");
    let is_pointer = ty.contains(['*', '[', '(']);
    let ty = if is_pointer { &ty } else { ty.trim_start_matches("const ") };
    meant(ty.trim_end())
}
