//! Jumps and labels inside a statement: found once, from the inside out, when its node is complete.

/// What a node and its parts do to control.
#[derive(Clone, Copy, Debug, Default)]
pub struct Control {
    /// Has a label.
    pub label: bool,
    /// Has a `goto`.
    pub goto: bool,
    /// Has a jump that leads out of it, or a label that jumps may lead to from outside.
    pub jumps_out: bool,
    /// Control may reach what follows. `true` if in doubt.
    pub falls: bool,
    /// Has a `return`, `goto` or label.
    leaves: bool,
    /// Has a `break`, `continue` or `case` that belongs to a loop or `switch` around it.
    loose: bool,
}

impl Control {
    /// What a node of this class does, from what its parts do.
    pub fn of(kind: &str, parts: impl ExactSizeIterator<Item = Control> + Clone) -> Control {
        let any = |has: fn(Control) -> bool| parts.clone().any(has);
        let label = kind == "LabelStmt" || any(|part| part.label);
        let goto = kind == "GotoStmt" || any(|part| part.goto);
        let leaves = matches!(kind, "ReturnStmt" | "GotoStmt" | "LabelStmt") || any(|part| part.leaves);
        let loose = match kind {
            "BreakStmt" | "ContinueStmt" | "CaseStmt" | "DefaultStmt" => true,
            "WhileStmt" | "ForStmt" | "DoStmt" | "SwitchStmt" => false,
            _ => any(|part| part.loose),
        };
        let falls = match (kind, parts.len()) {
            ("ReturnStmt" | "BreakStmt" | "ContinueStmt" | "GotoStmt", _) => false,
            ("CompoundStmt", _) => label || parts.clone().all(|part| part.falls),
            // The condition is the first part.
            ("IfStmt", 3) => parts.clone().skip(1).any(|arm| arm.falls),
            ("AttributedStmt", _) => parts.clone().last().is_none_or(|last| last.falls),
            _ => true,
        };
        Control { label, goto, jumps_out: leaves || loose, falls, leaves, loose }
    }
}
