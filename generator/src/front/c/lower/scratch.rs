//! Integers at file scope that carry nothing from one call to another: `sgngam` of the gamma functions, the code of the
//! last error.
//!
//! A function that reads such a variable assigns it before, on every way, and no expression of it has two calls that
//! assign it. So each read yields what the same call has assigned, or a function that it called since, and two calls in
//! one expression may come in either order, although both assign the variable.

use super::automatic;
use super::*;

/// What a function does with integers at file scope, by their names.
#[derive(Default)]
struct Uses {
    /// Assigned, by the function itself or by what it calls.
    assigned: FxHashSet<String>,
    /// Read by the function itself.
    read: FxHashSet<String>,
    /// Read before they are assigned, or used in a way that is not followed here.
    exposed: FxHashSet<String>,
    calls: FxHashSet<String>,
    /// What each expression calls that has several calls.
    together: Vec<Vec<String>>,
    /// Calls what no name says.
    indirect: bool,
}

/// The names of such variables among all functions that the heads may reach.
pub fn find(units: &[Unit], heads: &[String]) -> FxHashSet<String> {
    let (mut open, mut all) = (heads.to_vec(), FxHashMap::<String, Uses>::default());
    while let Some(name) = open.pop() {
        if all.contains_key(&name) {
            continue;
        }
        let mut uses = Uses::default();
        for unit in units {
            if let Some(function) = unit.functions.get(name.as_str()) {
                look(function, unit, &mut uses);
            }
        }
        open.extend(uses.calls.iter().cloned());
        all.insert(name, uses);
    }
    loop {
        let mut more: Vec<(String, FxHashSet<String>)> = Vec::new();
        for (name, uses) in &all {
            let below = uses.calls.iter().filter_map(|callee| all.get(callee)).flat_map(|callee| &callee.assigned);
            let new: FxHashSet<String> = below.filter(|variable| !uses.assigned.contains(*variable)).cloned().collect();
            if !new.is_empty() {
                more.push((name.clone(), new));
            }
        }
        if more.is_empty() {
            break;
        }
        for (name, new) in more {
            all.entry(name).or_default().assigned.extend(new);
        }
    }
    if all.values().any(|uses| uses.indirect) {
        return FxHashSet::default();
    }
    let mut found: FxHashSet<String> = all.values().flat_map(|uses| &uses.assigned).cloned().collect();
    // An initialiser can only take addresses of variables.
    for definition in units.iter().flat_map(|unit| unit.definitions.values()) {
        scan::walk(definition, &mut |node| {
            found.remove(node.refers_name.as_ref());
            true
        });
    }
    for uses in all.values() {
        let left_open = |variable: &String| {
            let assigns = |callee: &&String| all.get(*callee).is_some_and(|callee| callee.assigned.contains(variable));
            uses.together.iter().any(|calls| calls.iter().filter(assigns).count() > 1)
        };
        found.retain(|variable| {
            !(uses.exposed.contains(variable) || uses.read.contains(variable) && left_open(variable))
        });
    }
    found
}

fn look<'a>(function: &'a Node<'a>, unit: &Unit, uses: &mut Uses) {
    let mut names: FxHashMap<u64, &str> = FxHashMap::default();
    let mut targets: FxHashSet<*const Node> = FxHashSet::default();
    scan::walk(function, &mut |node| {
        match (node.kind, node.operator.as_ref(), node.inner.first()) {
            ("CallExpr", ..) if scan::callee(node).is_none() => uses.indirect = true,
            ("VarDecl", ..) if node.storage == "extern" => drop(uses.exposed.insert(node.name.to_string())),
            ("DeclRefExpr", ..) if node.refers_kind == "FunctionDecl" => {
                uses.calls.insert(node.refers_name.to_string());
            }
            ("DeclRefExpr", ..)
                if unit.variables.get(&node.refers).is_some_and(|variable| is_integer(unit, variable)) =>
            {
                names.insert(node.refers, node.refers_name.as_ref());
                if !targets.contains(&std::ptr::from_ref(node)) {
                    uses.read.insert(node.refers_name.to_string());
                }
            }
            ("BinaryOperator", "=", Some(to)) if to.bare().kind == "DeclRefExpr" => {
                let to = to.bare();
                targets.insert(std::ptr::from_ref(to));
                if unit.variables.contains_key(&to.refers) {
                    uses.assigned.insert(to.refers_name.to_string());
                }
            }
            ("CompoundAssignOperator", _, Some(to)) | ("UnaryOperator", "++" | "--" | "&", Some(to)) => {
                let to = to.bare();
                if unit.variables.contains_key(&to.refers) {
                    uses.assigned.insert(to.refers_name.to_string());
                    uses.exposed.insert(to.refers_name.to_string());
                }
            }
            _ => {}
        }
        true
    });
    scan::walk(function, &mut |node| {
        let is_expression = node.kind.ends_with("Expr") || node.kind.ends_with("Operator");
        if is_expression {
            let mut calls = Vec::new();
            scan::walk(node, &mut |part| {
                let callee = if part.kind == "CallExpr" { scan::callee(part) } else { None };
                calls.extend(callee.map(|callee| callee.refers_name.to_string()));
                true
            });
            uses.together.extend((calls.len() > 1).then_some(calls));
        }
        !is_expression
    });
    let Some(body) = scan::body(function) else { return };
    let exposed = automatic::read_first(body, names.keys().copied().collect());
    uses.exposed.extend(exposed.iter().filter_map(|id| names.get(id)).map(|name| (*name).to_string()));
    // A name of another kind, or of a static variable that another source has, too, is no scratch.
    let own = |name: &String| names.values().any(|known| known == name);
    let others: Vec<String> = uses.assigned.iter().filter(|name| !own(name)).cloned().collect();
    uses.exposed.extend(others);
}

fn is_integer(unit: &Unit, variable: &Node) -> bool {
    let ty = unit.meant(variable.ty());
    let words = ["int", "long", "short", "char", "unsigned", "signed", "_Bool"];
    ty.split(' ').all(|word| words.contains(&word))
}
