//! Every reference of a block, in order, with the constructs that it stands in.

use super::attribute::Dim;
use super::declaration::{Declaration, DeclarationKind, Entity, Init};
use super::expression::{Argument, ArgumentValue, Expr, ExprKind, Ident, Reference};
use super::statement::{Action, Block, Control, Guard, Indices, Select, SelectArm, Statement};
use crate::stack::deep;

/// What a walk comes to.
pub enum Node<'t> {
    /// A variable, a function or an array, read or written.
    Reference(&'t Reference),
    /// What CALL names.
    Callee(&'t Reference),
    /// The variable of a loop in a list, or an index of FORALL.
    Index(&'t Ident),
    /// An operator with its operands, which come behind it.
    Operator(&'t Expr),
    /// What is assigned, and its value; both come behind it.
    Assigned(&'t Reference, &'t Expr),
    /// A statement that makes a scope of its own: BLOCK, ASSOCIATE, SELECT, a loop with typed indices.
    Enter(&'t Statement),
    /// An arm of SELECT TYPE in which the selector has the type of the guard.
    EnterArm(&'t Select, &'t SelectArm),
    /// Its end.
    Leave,
}

/// Follows a tree.
pub type Visit<'a, 't> = dyn FnMut(Node<'t>) + 'a;

/// Follows the statements of a block.
pub fn block<'t>(statements: &'t Block, visit: &mut Visit<'_, 't>) {
    for one in statements {
        deep(|| statement(one, visit));
    }
}

/// Follows an expression.
pub fn expr<'t>(expression: &'t Expr, visit: &mut Visit<'_, 't>) {
    deep(|| match &expression.kind {
        ExprKind::Reference(one) => reference(one, visit),
        ExprKind::Parenthesised(operand) => expr(operand, visit),
        ExprKind::Unary(_, operand) => {
            visit(Node::Operator(expression));
            expr(operand, visit);
        }
        ExprKind::Binary(_, left, right) => {
            visit(Node::Operator(expression));
            expr(left, visit);
            expr(right, visit);
        }
        ExprKind::Complex(left, right) => {
            expr(left, visit);
            expr(right, visit);
        }
        ExprKind::Array(_, items) => items.iter().for_each(|item| expr(item, visit)),
        ExprKind::ImpliedDo(implied) => {
            visit(Node::Index(&implied.variable));
            implied.bounds.iter().chain(&implied.items).for_each(|item| expr(item, visit));
        }
        ExprKind::Substring(text, section) => {
            expr(text, visit);
            section.lower.iter().chain(&section.upper).for_each(|bound| expr(bound, visit));
        }
        ExprKind::Integer(..) | ExprKind::Real(..) | ExprKind::Logical(..) | ExprKind::Text(..) => {}
        ExprKind::Hollerith(_) | ExprKind::Boz(_) => {}
    });
}

/// Follows a reference and what stands in its parentheses.
pub fn reference<'t>(one: &'t Reference, visit: &mut Visit<'_, 't>) {
    visit(Node::Reference(one));
    lists(one, visit);
}

fn lists<'t>(one: &'t Reference, visit: &mut Visit<'_, 't>) {
    for part in &one.parts {
        part.lists.iter().chain(&part.image).for_each(|list| arguments(list, visit));
    }
}

fn arguments<'t>(list: &'t [Argument], visit: &mut Visit<'_, 't>) {
    for argument in list {
        match &argument.value {
            ArgumentValue::Expr(value) | ArgumentValue::StarFrom(value) | ArgumentValue::Percent(_, value) => {
                expr(value, visit);
            }
            ArgumentValue::Section(section) => {
                let bounds = section.lower.iter().chain(&section.upper).chain(&section.stride);
                bounds.for_each(|bound| expr(bound, visit));
            }
            ArgumentValue::Label(_) | ArgumentValue::Star(_) | ArgumentValue::AssumedRank(_) => {}
        }
    }
}

/// Follows the expressions of a declaration: bounds and first values.
pub fn declaration<'t>(declared: &'t Declaration, visit: &mut Visit<'_, 't>) {
    match &declared.kind {
        DeclarationKind::Type(_, _, entities) | DeclarationKind::Attribute(_, entities) => {
            entities.iter().for_each(|one| entity(one, visit));
        }
        DeclarationKind::Parameter(constants) => constants.iter().for_each(|(_, value)| expr(value, visit)),
        DeclarationKind::Data(sets) => sets.iter().flat_map(|set| &set.objects).for_each(|object| expr(object, visit)),
        DeclarationKind::Common(blocks) => {
            blocks.iter().flat_map(|block| &block.members).for_each(|member| entity(member, visit));
        }
        _ => {}
    }
}

fn entity<'t>(one: &'t Entity, visit: &mut Visit<'_, 't>) {
    for dim in one.dims.iter().flatten() {
        match dim {
            Dim::Explicit(lower, upper) => lower.iter().chain([upper]).for_each(|bound| expr(bound, visit)),
            Dim::Assumed(lower) | Dim::Star(lower) => lower.iter().for_each(|bound| expr(bound, visit)),
            Dim::AssumedRank => {}
        }
    }
    match &one.init {
        Some(Init::Value(value) | Init::Pointer(value)) => expr(value, visit),
        Some(Init::Data(_)) | None => {}
    }
}

fn statement<'t>(one: &'t Statement, visit: &mut Visit<'_, 't>) {
    let scoped = makes_scope(one);
    match &one.action {
        Action::Associate(pairs, _) => pairs.iter().for_each(|(_, value)| expr(value, visit)),
        Action::Select(select) => expr(&select.selector, visit),
        _ => {}
    }
    if scoped {
        visit(Node::Enter(one));
    }
    action(&one.action, visit);
    if scoped {
        visit(Node::Leave);
    }
}

/// Whether a statement makes a scope of its own.
pub fn makes_scope(one: &Statement) -> bool {
    match &one.action {
        Action::Associate(..) | Action::Block(..) => true,
        Action::Select(select) => select.name.is_some(),
        Action::Forall(indices, _) | Action::ForallAction(indices, _) => indices.spec.is_some(),
        Action::Do(looped) => matches!(&looped.control, Control::Concurrent(indices, _) if indices.spec.is_some()),
        _ => false,
    }
}

fn action<'t>(one: &'t Action, visit: &mut Visit<'_, 't>) {
    match one {
        Action::Assign(target, value) => {
            visit(Node::Assigned(target, value));
            reference(target, visit);
            expr(value, visit);
        }
        Action::PointTo(target, value) => {
            reference(target, visit);
            expr(value, visit);
        }
        Action::Call(callee) => {
            visit(Node::Callee(callee));
            lists(callee, visit);
        }
        Action::If(arms) | Action::Where(arms) => {
            for arm in arms {
                arm.condition.iter().for_each(|condition| expr(condition, visit));
                block(&arm.block, visit);
            }
        }
        Action::IfAction(condition, inner) | Action::WhereAction(condition, inner) => {
            expr(condition, visit);
            statement(inner, visit);
        }
        Action::Do(looped) => {
            control(&looped.control, visit);
            block(&looped.body, visit);
        }
        Action::Select(select) => select.arms.iter().for_each(|arm| select_arm(select, arm, visit)),
        Action::Associate(_, inner) | Action::Critical(_, inner) | Action::Team(_, _, _, inner) => block(inner, visit),
        Action::Block(declarations, inner) => {
            declarations.iter().for_each(|declared| declaration(declared, visit));
            block(inner, visit);
        }
        Action::Forall(header, inner) => {
            indices(header, visit);
            block(inner, visit);
        }
        Action::ForallAction(header, inner) => {
            indices(header, visit);
            statement(inner, visit);
        }
        Action::IfSign(value, _) | Action::GotoComputed(_, value) | Action::Return(Some(value)) => expr(value, visit),
        Action::Stop(stop) => stop.code.iter().chain(&stop.quiet).for_each(|value| expr(value, visit)),
        Action::Transfer(transfer) => {
            arguments(&transfer.controls, visit);
            transfer.items.iter().for_each(|item| expr(item, visit));
        }
        Action::Allocate(_, objects) | Action::Deallocate(objects) | Action::Images(_, objects) => {
            arguments(objects, visit);
        }
        Action::Nullify(objects) => objects.iter().for_each(|object| reference(object, visit)),
        Action::GotoAssigned(variable, _) | Action::AssignLabel(_, variable) => visit(Node::Index(variable)),
        Action::Declaration(declared) => declaration(declared, visit),
        Action::Goto(_) | Action::Cycle(_) | Action::Exit(_) | Action::Return(None) => {}
        Action::Continue | Action::Unread => {}
    }
}

fn select_arm<'t>(select: &'t Select, arm: &'t SelectArm, visit: &mut Visit<'_, 't>) {
    match &arm.guard {
        Guard::TypeIs(_) | Guard::ClassIs(_) => {
            visit(Node::EnterArm(select, arm));
            block(&arm.block, visit);
            visit(Node::Leave);
        }
        Guard::Values(values) => {
            arguments(values, visit);
            block(&arm.block, visit);
        }
        Guard::Default => block(&arm.block, visit),
    }
}

fn control<'t>(one: &'t Control, visit: &mut Visit<'_, 't>) {
    match one {
        Control::Count(count) => {
            reference(&count.variable, visit);
            [&count.from, &count.to].into_iter().chain(&count.step).for_each(|value| expr(value, visit));
        }
        Control::While(condition) => expr(condition, visit),
        Control::Forever => {}
        Control::Concurrent(header, _) => indices(header, visit),
    }
}

fn indices<'t>(header: &'t Indices, visit: &mut Visit<'_, 't>) {
    for (name, from, to, step) in &header.indices {
        visit(Node::Index(name));
        [from, to].into_iter().chain(step).for_each(|value| expr(value, visit));
    }
    header.mask.iter().for_each(|mask| expr(mask, visit));
}
