//! Actions and constructs.

use super::declaration::{Declaration, Entity};
use super::expression::{Argument, Expr, Ident, Reference, TypeSpec};
use super::header::End;
use crate::form::Label;
use crate::source::Span;
use crate::stack::deep;

/// Statements, one behind the other.
pub type Block = Vec<Statement>;

/// A statement of the body of a procedure: an action, or a construct with all that it contains.
#[derive(Debug)]
pub struct Statement {
    /// Its label.
    pub label: Option<Label>,
    /// The name of the construct: `name: do`.
    pub name: Option<Ident>,
    /// What it does.
    pub action: Action,
    /// Its first line, or the action.
    pub span: Span,
    /// The statement that ends a construct.
    pub end: Option<End>,
}

impl Clone for Statement {
    fn clone(&self) -> Statement {
        let Statement { label, name, action, span, end } = self;
        deep(|| Statement { label: *label, name: name.clone(), action: action.clone(), span: *span, end: *end })
    }
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Action {
    /// `a = b`
    Assign(Reference, Expr),
    /// `a => b`
    PointTo(Reference, Expr),
    /// `call f(x)`
    Call(Reference),
    /// `if (a) then … else if (b) then … else … end if`
    If(Vec<Arm>),
    /// `if (a) action`
    IfAction(Expr, Box<Statement>),
    /// `if (a) 10, 20, 30`
    IfSign(Expr, [Label; 3]),
    /// A loop.
    Do(Do),
    /// `select case`, `select type`, `select rank`.
    Select(Select),
    /// `associate (a => b)`
    Associate(Vec<(Ident, Expr)>, Block),
    /// `block`
    Block(Vec<Declaration>, Block),
    /// `critical`
    Critical(Vec<Argument>, Block),
    /// `change team (team, a[*] => b, stat = i)`: the team, associated coarrays, what else is given.
    Team(Expr, Vec<Entity>, Vec<Argument>, Block),
    /// `where (a) … elsewhere … end where`
    Where(Vec<Arm>),
    /// `where (a) b = c`
    WhereAction(Expr, Box<Statement>),
    /// `forall (i = 1:n) … end forall`
    Forall(Indices, Block),
    /// `forall (i = 1:n) a(i) = b(i)`
    ForallAction(Indices, Box<Statement>),
    /// `goto 10`
    Goto(Label),
    /// `goto (10, 20), i`
    GotoComputed(Vec<Label>, Expr),
    /// `goto i, (10, 20)`
    GotoAssigned(Ident, Vec<Label>),
    /// `assign 10 to i`
    AssignLabel(Label, Ident),
    /// `cycle name`
    Cycle(Option<Ident>),
    /// `exit name`
    Exit(Option<Ident>),
    /// `return`, with the number of an alternate return.
    Return(Option<Expr>),
    /// `stop`, `error stop`, `pause`.
    Stop(Stop),
    /// `continue`
    Continue,
    /// Input and output.
    Transfer(Transfer),
    /// `allocate (type :: objects, options)`
    Allocate(Option<TypeSpec>, Vec<Argument>),
    /// `deallocate (objects, options)`
    Deallocate(Vec<Argument>),
    /// `nullify (objects)`
    Nullify(Vec<Reference>),
    /// `sync all`, `event post`, `lock` …: words and arguments.
    Images(Box<str>, Vec<Argument>),
    /// A declaration that may stand among actions: FORMAT, DATA, ENTRY, NAMELIST, a directive.
    Declaration(Box<Declaration>),
    /// A statement that could not be read; a message says why.
    Unread,
}

/// A condition with what is done where it holds.
#[derive(Clone, Debug)]
pub struct Arm {
    /// None for `else`.
    pub condition: Option<Expr>,
    /// What is done.
    pub block: Block,
    /// The line with the condition.
    pub span: Span,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Do {
    /// The label of the statement that ends it. Without END DO, that statement is the last of the body, perhaps of the
    /// body of an inner loop.
    pub label: Option<Label>,
    /// What keeps it going.
    pub control: Control,
    /// What it does.
    pub body: Block,
    /// END DO ends it.
    pub end_do: bool,
}

/// What keeps a loop going.
#[derive(Clone, Debug)]
pub enum Control {
    /// `i = from, to, step`
    Count(Box<Count>),
    /// `while (a)`
    While(Expr),
    /// Nothing but EXIT ends it.
    Forever,
    /// `concurrent (i = 1:n) local(x)`
    Concurrent(Indices, Vec<(Box<str>, Vec<Ident>)>),
}

/// The control of a counted loop.
#[derive(Clone, Debug)]
pub struct Count {
    /// The variable.
    pub variable: Reference,
    /// Its first value.
    pub from: Expr,
    /// Its last.
    pub to: Expr,
    /// From one to the next.
    pub step: Option<Expr>,
}

/// `(integer :: i = 1:n, j = 1:m:2, mask)`
#[derive(Clone, Debug)]
pub struct Indices {
    /// The type of the indices.
    pub spec: Option<TypeSpec>,
    /// Each with first, last and step.
    pub indices: Vec<(Ident, Expr, Expr, Option<Expr>)>,
    /// Where it holds.
    pub mask: Option<Box<Expr>>,
}

/// A choice.
#[derive(Clone, Debug)]
pub struct Select {
    /// By what it chooses.
    pub by: Selector,
    /// The name of the selector in the arms: `select type (a => b)`.
    pub name: Option<Ident>,
    /// What it chooses by.
    pub selector: Expr,
    /// What it chooses from.
    pub arms: Vec<SelectArm>,
}

/// By what an arm is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selector {
    /// `select case`
    Value,
    /// `select type`
    Type,
    /// `select rank`
    Rank,
}

/// An arm of a choice.
#[derive(Clone, Debug)]
pub struct SelectArm {
    /// When it is chosen.
    pub guard: Guard,
    /// What is done.
    pub block: Block,
    /// The line with the guard.
    pub span: Span,
}

/// When an arm is chosen.
#[derive(Clone, Debug)]
pub enum Guard {
    /// `case (1, 3:5)`, `rank (2)`, `rank (*)`
    Values(Vec<Argument>),
    /// `type is (t)`
    TypeIs(TypeSpec),
    /// `class is (t)`
    ClassIs(TypeSpec),
    /// `case default`, `class default`, `rank default`
    Default,
}

/// An end of the program.
#[derive(Clone, Debug)]
pub struct Stop {
    /// How it ends.
    pub kind: StopKind,
    /// What it tells the system.
    pub code: Option<Expr>,
    /// `quiet =`
    pub quiet: Option<Expr>,
}

/// How the program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopKind {
    /// `stop`
    Stop,
    /// `error stop`
    Error,
    /// `pause`
    Pause,
}

/// Input or output.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// The statement.
    pub kind: TransferKind,
    /// The control list stands in parentheses.
    pub parenthesised: bool,
    /// Unit, format, and what else controls it.
    pub controls: Vec<Argument>,
    /// What is read or written.
    pub items: Vec<Expr>,
}

/// A statement of input or output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransferKind {
    /// `read`
    Read,
    /// `write`
    Write,
    /// `print`
    Print,
    /// `open`
    Open,
    /// `close`
    Close,
    /// `inquire`
    Inquire,
    /// `rewind`
    Rewind,
    /// `backspace`
    Backspace,
    /// `endfile`
    Endfile,
    /// `flush`
    Flush,
    /// `wait`
    Wait,
}

impl TransferKind {
    /// The statement's word.
    pub fn word(self) -> &'static str {
        match self {
            TransferKind::Read => "read",
            TransferKind::Write => "write",
            TransferKind::Print => "print",
            TransferKind::Open => "open",
            TransferKind::Close => "close",
            TransferKind::Inquire => "inquire",
            TransferKind::Rewind => "rewind",
            TransferKind::Backspace => "backspace",
            TransferKind::Endfile => "endfile",
            TransferKind::Flush => "flush",
            TransferKind::Wait => "wait",
        }
    }
}
