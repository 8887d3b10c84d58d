//! What the lowering of a program and of one function knows: shared by all files of this folder.

use super::super::rules::Rules;
use super::super::sources::Sources;
use super::super::tree::{Node, Unordered};
use super::super::types::{self, CType, Qualified};
use super::super::unit::{Structs, Unit};
use super::effects::{Effects, Summary};
use super::names::Names;
use crate::front::jumps::{Jumps, Target};
use crate::ir::build::Builder;
use crate::ir::*;
use crate::refuse::{Class, Refusal};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What is lowered so far.
pub(super) struct Reader<'a> {
    pub(super) units: Vec<Unit<'a>>,
    pub(super) sources: Sources,
    pub(super) structs: Structs,
    pub(super) globals: Vec<Object>,
    /// Those whose initialiser has addresses of others.
    pub(super) led: Vec<GlobalId>,
    pub(super) statics: Vec<Declared>,
    /// Unit (for statics) and name or identity of a global.
    pub(super) global_numbers: FxHashMap<(Option<usize>, String), GlobalId>,
    pub(super) procs: Vec<Option<Proc>>,
    pub(super) proc_numbers: FxHashMap<Key, ProcId>,
    /// Names of the procedures in C, where two static functions have one.
    pub(super) link_names: FxHashMap<(Option<usize>, String), String>,
    /// Effects of each procedure; unknown while it is being lowered.
    pub(super) summaries: Vec<Option<Summary>>,
    /// Whether a procedure calls itself, while it is being lowered.
    pub(super) recursive: Vec<bool>,
    pub(super) refusals: Vec<Refusal>,
    /// Those of procedures that are lowered, while one that calls them is not yet: it may be lowered once more.
    pub(super) settled: Vec<Refusal>,
    /// Procedures that a call may come back into, so that their static variables are no locals.
    pub(super) kept: FxHashSet<ProcId>,
    /// Calls so far of procedures that are being lowered, but for calls of themselves.
    pub(super) reentered: usize,
    /// Function pointers at file scope that are taken to hold the function of their initialiser: both, and a call.
    pub(super) assumed: Vec<(String, String, Span)>,
    /// See [`Surroundings::externs`].
    pub(super) externs: Vec<String>,
    /// Names of variables that functions assign, or take the address of.
    pub(super) changed: FxHashSet<String>,
    /// Whether no function keeps an address beyond its call; found out when it is needed.
    pub(super) addresses_stay: Option<bool>,
    /// Functions that sources store; found out when it is needed.
    pub(super) stored_functions: Option<Stored>,
    /// Functions that only report and that cannot be read.
    pub(super) reports: FxHashSet<(Option<usize>, String)>,
    /// Variables whose writes need no order: see `scratch`.
    pub(super) scratch: FxHashSet<String>,
    /// Expressions without an order, in any function.
    pub(super) unordered: Vec<Unordered>,
    /// Functions whose derivative is given, or that have none.
    pub(super) rules: Arc<Rules>,
}

/// What a declaration of the source is in the procedure.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A scalar in SSA form.
    Var(VarId),
    /// Memory of this procedure.
    Object(ObjectId),
    /// Memory with static storage.
    Global(GlobalId),
    /// A struct whose address is never taken: a binding for each member.
    Split(StructId, Vec<Binding>),
    /// A number that never changes.
    Constant(i128),
    /// A stream of `stdio.h`.
    Stream(String),
}

pub(super) type Result<T> = std::result::Result<T, Box<Refusal>>;

/// Lowers one function.
pub(super) struct Lower<'r, 'a> {
    pub(super) reader: &'r mut Reader<'a>,
    pub(super) unit: usize,
    /// The procedure that is made.
    pub(super) id: ProcId,
    pub(super) b: Builder,
    pub(super) bindings: FxHashMap<u64, Binding>,
    /// The declarations that each variable was bound to.
    pub(super) declarations: FxHashMap<VarId, Vec<u64>>,
    pub(super) names_in_text: Names<'a>,
    /// Declarations that were refused.
    pub(super) refused: FxHashMap<u64, Box<Refusal>>,
    /// What its parameters stand for, and by declaration the unit and name of the functions that they are.
    pub(super) given: Vec<Given>,
    pub(super) functions: FxHashMap<u64, (usize, String)>,
    /// Parameters for which each call of this copy passes NULL instead of a function.
    pub(super) without_function: FxHashSet<u64>,
    /// Local variables that hold one of several functions: see `choices.rs`.
    pub(super) choices: Choices,
    /// Names in scope, innermost last.
    pub(super) visible: Vec<(String, u64)>,
    /// Names of all objects and variables so far.
    pub(super) names: FxHashSet<String>,
    /// Declarations whose address is taken.
    pub(super) addressed: FxHashSet<u64>,
    /// The function's statements.
    pub(super) body: Option<&'a Node<'a>>,
    /// Declarations of scalars that a statement assigns.
    pub(super) assigned: FxHashSet<u64>,
    /// Ways out of the statements at hand.
    pub(super) jumps: Jumps,
    /// Where `break` and `continue` lead.
    pub(super) breaks: Vec<Target>,
    pub(super) continues: Vec<Target>,
    /// Where `return` leads, and the variable that holds the result.
    pub(super) returns: Target,
    pub(super) result_var: Option<VarId>,
    pub(super) result: Option<Expr>,
    pub(super) result_object: Option<ObjectId>,
    pub(super) result_type: CType,
    /// Extents of arrays with variable length, by their text.
    pub(super) extents: FxHashMap<String, Expr>,
    pub(super) effects: Effects,
    /// Whether statements may stand in front of the expression at hand.
    pub(super) may_part: bool,
    /// Objects that one expression makes and nothing else names.
    pub(super) private: FxHashSet<ObjectId>,
    /// Static variables that are assigned before they are read, and whether one is taken as a local.
    pub(super) assigned_first: FxHashSet<u64>,
    pub(super) automatic: bool,
    pub(super) summary: Summary,
    /// For each variable or array of requests of MPI the one that says which buffers these have, and its element.
    pub(super) companions: FxHashMap<ObjectId, (ObjectId, Type)>,
    /// Name for the block that the next `malloc` makes.
    pub(super) block_name: String,
    /// Statement around the current one.
    pub(super) enclosing: Option<StatementId>,
}

impl<'r, 'a> Lower<'r, 'a> {
    pub(super) fn new(reader: &'r mut Reader<'a>, unit: usize, id: ProcId, given: &[Given]) -> Lower<'r, 'a> {
        Lower {
            reader,
            unit,
            id,
            b: Builder::new("", Type::Void, Span::default()),
            bindings: FxHashMap::default(),
            declarations: FxHashMap::default(),
            names_in_text: Names::default(),
            refused: FxHashMap::default(),
            given: given.to_vec(),
            functions: FxHashMap::default(),
            without_function: FxHashSet::default(),
            choices: Choices::default(),
            visible: Vec::new(),
            names: FxHashSet::default(),
            addressed: FxHashSet::default(),
            body: None,
            assigned: FxHashSet::default(),
            jumps: Jumps::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            returns: 0,
            result_var: None,
            result: None,
            result_object: None,
            result_type: CType::Void,
            extents: FxHashMap::default(),
            effects: Effects::default(),
            may_part: false,
            private: FxHashSet::default(),
            assigned_first: FxHashSet::default(),
            automatic: false,
            summary: Summary::default(),
            companions: FxHashMap::default(),
            block_name: String::new(),
            enclosing: None,
        }
    }

    pub(super) fn span(&self, node: &Node) -> Span {
        self.reader.units[self.unit].files.span(node, &self.reader.sources)
    }

    pub(super) fn refuse<T>(
        &self,
        node: &Node,
        class: Class,
        what: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T> {
        Err(Box::new(Refusal { class, span: self.span(node), what: what.into(), help: help.into() }))
    }

    /// What is said of a variable whose type has no form here, and the way round.
    pub(super) fn opaque(&self, name: &str) -> (String, &'static str) {
        if name.starts_with("union ") || self.reader.units[self.unit].is_union(name) {
            let help = "use a struct; in place of the bits of a number, the function that they stand for";
            return (format!("is a union ('{name}'), whose members share memory"), help);
        }
        types::opaque(name)
    }

    pub(super) fn qualified(&mut self, text: &str) -> Qualified {
        self.reader.units[self.unit].ctype(text, &mut self.reader.structs)
    }

    /// The type of an expression or declaration.
    pub(super) fn ctype(&mut self, node: &Node) -> Qualified {
        self.qualified(node.ty())
    }

    pub(super) fn ir_type(&mut self, node: &Node) -> Type {
        self.ctype(node).ty.ir()
    }

    /// A name that nothing else in the procedure has.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }
}

/// The variables of one procedure.
#[derive(Default)]
pub(super) struct Choices {
    /// The functions that they may hold, each with the type of the variables that hold it, as C spells it.
    pub(super) functions: Vec<(String, String)>,
    /// The type of each variable.
    pub(super) types: FxHashMap<VarId, (Type, String)>,
}

impl Choices {
    /// The functions that a variable may hold.
    pub(super) fn of(&self, var: VarId) -> impl DoubleEndedIterator<Item = &String> {
        let ty = self.types.get(&var).map(|(_, text)| text);
        self.functions.iter().filter(move |(_, held_by)| Some(held_by) == ty).map(|(name, _)| name)
    }

    pub(super) fn note(&mut self, name: String, held_by: &str) {
        let function = (name, held_by.to_string());
        if !self.functions.contains(&function) {
            self.functions.push(function);
        }
    }
}

/// What a parameter stands for in a copy of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Given {
    /// Whatever the call passes.
    Open,
    /// No function: the call passes NULL.
    Null,
    /// The function that this name means in this unit.
    Function(usize, String),
}

/// The home of a static function, its name, and what its parameters stand for; nothing if none stands for a function.
pub(super) type Key = (Option<usize>, String, Vec<Given>);

/// Functions by what they are stored in: the unit where each is named, and its name. The list is empty where sources
/// store only NULL.
pub(super) type Stored = FxHashMap<String, Vec<(usize, String)>>;

/// A declaration inside a function.
pub(super) struct Declared {
    /// The function.
    pub(super) function: String,
    /// The name of the variable there, and what it is among the globals; `None` for a type.
    pub(super) variable: Option<(String, GlobalId)>,
    /// The number that the variable begins with, if it is known.
    pub(super) initial: Option<f64>,
    /// From the first word of its declaration to the end of its initialiser. A second variable of one declaration
    /// begins at the same word, so its span holds the first one too.
    pub(super) span: Span,
}
