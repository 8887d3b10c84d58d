//! clang's syntax tree, as far as the front end reads it.
//!
//! clang prints a position's file only where it differs from the position printed before, so a file is carried on from
//! position to position in the order of printing. Lines are not read at all: the byte offset gives them. A position in
//! a macro has two sides: where its token is spelled, and where the macro is used.

use super::control::Control;
use crate::stack::deep;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

/// No file.
pub const NOWHERE: u32 = u32::MAX;

/// One token's position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pos {
    /// Index into [`Tree::files`]; [`NOWHERE`] where clang gives none.
    pub file: u32,
    /// First byte.
    pub offset: u32,
    /// Length of the token.
    pub length: u32,
}

/// A position: where the text is written, and for a macro where its token is spelled.
#[derive(Clone, Copy, Debug)]
pub struct Location {
    /// In the text, macros being one token.
    pub at: Pos,
    /// Where the token is spelled, if a macro was expanded.
    pub spelled: Option<Pos>,
}

const NO_POS: Pos = Pos { file: NOWHERE, offset: 0, length: 0 };
const NO_LOCATION: Location = Location { at: NO_POS, spelled: None };

/// A node of the tree.
#[derive(Debug)]
pub struct Node<'a> {
    /// Identity of a declaration.
    pub id: u64,
    /// Numbers of the first node inside and of its own: nodes are numbered as they are complete, behind their parts.
    pub numbers: (u32, u32),
    /// Jumps and labels inside.
    pub control: Control,
    /// clang's name of the node's class.
    pub kind: &'a str,
    /// A declaration's name stands here.
    pub location: Location,
    /// First token.
    pub begin: Location,
    /// Last token.
    pub end: Location,
    /// Name of a declaration, member or label.
    pub name: Cow<'a, str>,
    /// Type as written.
    pub written_type: Cow<'a, str>,
    /// Type without typedefs at the outermost level; empty if there are none.
    pub plain_type: Cow<'a, str>,
    /// Value of a literal.
    pub value: Cow<'a, str>,
    /// Operator, or class of a cast.
    pub operator: Cow<'a, str>,
    /// `static`, `extern`.
    pub storage: &'a str,
    /// The declaration that the node names.
    pub refers: u64,
    /// Class of that declaration.
    pub refers_kind: &'a str,
    /// Name of that declaration.
    pub refers_name: Cow<'a, str>,
    /// Type in which a compound assignment computes.
    pub compute_type: Cow<'a, str>,
    /// Operand of `sizeof`.
    pub argument_type: Cow<'a, str>,
    /// `->`, `i++`, the choice of `_Generic`: the flag that the node's class has.
    pub flag: bool,
    /// A struct with its members.
    pub complete: bool,
    /// Made by the compiler.
    pub implicit: bool,
    /// A member with a width in bits.
    pub bit_field: bool,
    /// A function that does not come back.
    pub never_returns: bool,
    /// A function that may be defined in several files.
    pub inline: bool,
    /// The first child stands for all elements that an initialiser leaves out.
    pub has_filler: bool,
    /// A variable with an initialiser.
    pub has_init: bool,
    /// An `if` with its second arm.
    pub has_else: bool,
    /// Parts; an absent part of a `for` has the empty kind.
    pub inner: Vec<Node<'a>>,
}

/// The tree of one source file.
pub struct Tree<'a> {
    /// The translation unit.
    pub root: Node<'a>,
    /// Files that positions name.
    pub files: Vec<String>,
    /// Of each, a file that includes it; none of a source, nor where the compiler's output is read as it comes.
    pub includers: Vec<Option<String>>,
    /// What the compiler says of operands that are changed and read without an order.
    pub unordered: Vec<Unordered>,
}

/// An expression whose operands have no order, so that it has no meaning that could be differentiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unordered {
    /// The file.
    pub path: String,
    /// The line in it.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// What is wrong, in the compiler's words.
    pub what: String,
}

/// Reads clang's output.
pub fn parse(json: &str) -> Result<Tree<'_>, String> {
    let state = RefCell::new(State::default());
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.disable_recursion_limit();
    let root = NodeSeed(&state).deserialize(&mut reader).map_err(|error| error.to_string())?;
    let state = state.into_inner();
    Ok(Tree { root, files: state.files, includers: state.includers, unordered: Vec::new() })
}

/// A tree whose declarations are read part by part.
#[derive(Default)]
pub struct Growing<'a> {
    state: RefCell<State>,
    declarations: Vec<Node<'a>>,
}

impl<'a> Growing<'a> {
    /// The tree with a list of declarations behind those that it has.
    pub fn with(mut self, json: &'a str) -> Result<Growing<'a>, String> {
        let mut reader = serde_json::Deserializer::from_str(json);
        reader.disable_recursion_limit();
        let more = ListSeed(&self.state).deserialize(&mut reader).map_err(|error| error.to_string())?;
        self.declarations.extend(more);
        Ok(self)
    }

    /// The tree.
    pub fn finish(self) -> Tree<'a> {
        let root = Node { kind: "TranslationUnitDecl", inner: self.declarations, ..empty() };
        let state = self.state.into_inner();
        Tree { root, files: state.files, includers: state.includers, unordered: Vec::new() }
    }
}

struct State {
    files: Vec<String>,
    includers: Vec<Option<String>>,
    /// File of the position printed last.
    file: u32,
    /// Nodes that are complete.
    nodes: u32,
}

impl Default for State {
    fn default() -> Self {
        State { files: Vec::new(), includers: Vec::new(), file: NOWHERE, nodes: 0 }
    }
}

impl State {
    fn enter(&mut self, file: &str) {
        let known = self.files.iter().position(|known| known == file);
        self.file = known.unwrap_or_else(|| {
            self.files.push(file.to_string());
            self.includers.push(None);
            self.files.len() - 1
        }) as u32;
    }
}

macro_rules! visitor {
    ($name:ident, $value:ty, $what:literal, |$this:ident, $map:ident| $body:block) => {
        impl<'de> DeserializeSeed<'de> for $name<'_> {
            type Value = $value;
            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
                deep(|| from.deserialize_any(self))
            }
        }
        impl<'de> Visitor<'de> for $name<'_> {
            type Value = $value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($what)
            }
            fn visit_map<M: MapAccess<'de>>($this, mut $map: M) -> Result<Self::Value, M::Error> $body
        }
    };
}

/// Who includes a file.
#[derive(serde::Deserialize)]
struct Included {
    #[serde(default)]
    file: String,
}

struct NodeSeed<'s>(&'s RefCell<State>);
struct LocationSeed<'s>(&'s RefCell<State>);
struct RangeSeed<'s>(&'s RefCell<State>);
struct ListSeed<'s>(&'s RefCell<State>);
struct TypeSeed<'s>(std::marker::PhantomData<&'s ()>);
struct ReferenceSeed<'s>(std::marker::PhantomData<&'s ()>);
/// A string, or a number or truth value as a string.
struct Text;
/// An identity: a number in hexadecimal.
struct Identity;

visitor!(NodeSeed, Node<'de>, "a node", |self, map| {
    let mut node = Node { numbers: (self.0.borrow().nodes, 0), ..empty() };
    let here = std::marker::PhantomData;
    while let Some(key) = map.next_key_seed(Text)? {
        match key.as_ref() {
            "id" => node.id = map.next_value_seed(Identity)?,
            "kind" => node.kind = map.next_value()?,
            "loc" => node.location = map.next_value_seed(LocationSeed(self.0))?,
            "range" => (node.begin, node.end) = map.next_value_seed(RangeSeed(self.0))?,
            "name" => node.name = map.next_value_seed(Text)?,
            "type" => (node.written_type, node.plain_type) = map.next_value_seed(TypeSeed(here))?,
            "value" => node.value = map.next_value_seed(Text)?,
            "opcode" | "castKind" => node.operator = map.next_value_seed(Text)?,
            "storageClass" => node.storage = map.next_value()?,
            "referencedDecl" | "ownedTagDecl" | "decl" => {
                (node.refers, node.refers_kind, node.refers_name) = map.next_value_seed(ReferenceSeed(here))?;
            }
            "referencedMemberDecl" | "targetLabelDeclId" | "declId" => node.refers = map.next_value_seed(Identity)?,
            "computeLHSType" => {
                let (written, plain) = map.next_value_seed(TypeSeed(here))?;
                node.compute_type = if plain.is_empty() { written } else { plain };
            }
            "argType" => {
                let (written, plain) = map.next_value_seed(TypeSeed(here))?;
                node.argument_type = if plain.is_empty() { written } else { plain };
            }
            "tagUsed" => node.operator = map.next_value_seed(Text)?,
            "isArrow" | "isPostfix" | "selected" => node.flag = map.next_value()?,
            "completeDefinition" => node.complete = map.next_value()?,
            "isImplicit" => node.implicit = map.next_value()?,
            "isBitfield" => node.bit_field = map.next_value()?,
            "inline" => node.inline = map.next_value()?,
            "hasElse" => node.has_else = map.next_value()?,
            "init" => {
                map.next_value::<IgnoredAny>()?;
                node.has_init = true;
            }
            "inner" => node.inner = map.next_value_seed(ListSeed(self.0))?,
            "array_filler" => {
                node.inner = map.next_value_seed(ListSeed(self.0))?;
                node.has_filler = true;
            }
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    if node.kind == "FunctionDecl" {
        // `__attribute__((noreturn))` stands behind the parameters.
        node.never_returns = node.inner.iter().any(|part| part.kind == "C11NoReturnAttr");
        if let Some(at) = node.written_type.find(" __attribute__((") {
            node.never_returns |= node.written_type[at..].contains("noreturn");
            node.written_type = node.written_type[..at].to_string().into();
        }
    }
    if node.kind == "VarDecl" {
        node.inner.retain(|part| !HARMLESS.contains(&part.kind));
    }
    if node.kind == "GenericSelectionExpr" {
        // The associations have no kind.
        let chosen = node.inner.iter_mut().find(|part| part.kind.is_empty() && part.flag);
        if let Some(value) = chosen.and_then(|part| part.inner.pop()) {
            (node.kind, node.inner) = ("ParenExpr", vec![value]);
        }
    }
    node.control = Control::of(node.kind, node.inner.iter().map(|part| part.control));
    node.numbers.1 = self.0.borrow().nodes;
    self.0.borrow_mut().nodes += 1;
    Ok(node)
});

/// Attributes of variables that change neither their values nor how long they live.
const HARMLESS: &[&str] =
    &["UnusedAttr", "UsedAttr", "RetainAttr", "AlignedAttr", "DeprecatedAttr", "VisibilityAttr", "SectionAttr"];

fn empty<'a>() -> Node<'a> {
    const NONE: Cow<'static, str> = Cow::Borrowed("");
    Node {
        id: 0,
        numbers: (0, 0),
        control: Control::default(),
        kind: "",
        location: NO_LOCATION,
        begin: NO_LOCATION,
        end: NO_LOCATION,
        name: NONE,
        written_type: NONE,
        plain_type: NONE,
        value: NONE,
        operator: NONE,
        storage: "",
        refers: 0,
        refers_kind: "",
        refers_name: NONE,
        compute_type: NONE,
        argument_type: NONE,
        flag: false,
        complete: false,
        implicit: false,
        bit_field: false,
        never_returns: false,
        inline: false,
        has_filler: false,
        has_init: false,
        has_else: false,
        inner: Vec::new(),
    }
}

visitor!(LocationSeed, Location, "a position", |self, map| {
    let mut found = NO_LOCATION;
    while let Some(key) = map.next_key_seed(Text)? {
        match key.as_ref() {
            "file" => {
                let file: Cow<'de, str> = map.next_value_seed(Text)?;
                self.0.borrow_mut().enter(&file);
                found.at.file = self.0.borrow().file;
            }
            "offset" => {
                found.at.offset = map.next_value()?;
                found.at.file = self.0.borrow().file;
            }
            "tokLen" => found.at.length = map.next_value()?,
            "includedFrom" => {
                let includer: Included = map.next_value()?;
                let mut state = self.0.borrow_mut();
                if let Some(known) = state.includers.get_mut(found.at.file as usize) {
                    *known = Some(includer.file);
                }
            }
            "spellingLoc" => found.spelled = Some(map.next_value_seed(LocationSeed(self.0))?.at),
            "expansionLoc" => found.at = map.next_value_seed(LocationSeed(self.0))?.at,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(found)
});

visitor!(RangeSeed, (Location, Location), "a range", |self, map| {
    let mut range = (NO_LOCATION, NO_LOCATION);
    while let Some(key) = map.next_key_seed(Text)? {
        match key.as_ref() {
            "begin" => range.0 = map.next_value_seed(LocationSeed(self.0))?,
            "end" => range.1 = map.next_value_seed(LocationSeed(self.0))?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(range)
});

visitor!(TypeSeed, (Cow<'de, str>, Cow<'de, str>), "a type", |self, map| {
    let mut found = (Cow::Borrowed(""), Cow::Borrowed(""));
    while let Some(key) = map.next_key_seed(Text)? {
        match key.as_ref() {
            "qualType" => found.0 = map.next_value_seed(Text)?,
            "desugaredQualType" => found.1 = map.next_value_seed(Text)?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(found)
});

visitor!(ReferenceSeed, (u64, &'de str, Cow<'de, str>), "a reference", |self, map| {
    let mut found = (0, "", Cow::Borrowed(""));
    while let Some(key) = map.next_key_seed(Text)? {
        match key.as_ref() {
            "id" => found.0 = map.next_value_seed(Identity)?,
            "kind" => found.1 = map.next_value()?,
            "name" => found.2 = map.next_value_seed(Text)?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(found)
});

impl<'de> DeserializeSeed<'de> for ListSeed<'_> {
    type Value = Vec<Node<'de>>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ListSeed<'_> {
    type Value = Vec<Node<'de>>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes")
    }
    fn visit_seq<S: SeqAccess<'de>>(self, mut sequence: S) -> Result<Self::Value, S::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = sequence.next_element_seed(NodeSeed(self.0))? {
            // clang attaches a documentation comment to what it documents.
            if node.kind != "FullComment" {
                nodes.push(node);
            }
        }
        // Most nodes have one part, and room for four.
        Ok(nodes.into_boxed_slice().into_vec())
    }
}

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_string()))
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Cow::Owned(number.to_string()))
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Cow::Owned(number.to_string()))
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Cow::Owned(number.to_string()))
    }
    fn visit_bool<E: Error>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(Cow::Owned(u8::from(truth).to_string()))
    }
}

impl<'de> DeserializeSeed<'de> for Identity {
    type Value = u64;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        let text = Text.deserialize(from)?;
        let digits = text.trim_start_matches("0x");
        u64::from_str_radix(digits, 16).map_err(|_| D::Error::custom("an identity is not a number"))
    }
}

impl<'a> Node<'a> {
    /// Whether it is a function with its body.
    pub fn has_body(&self) -> bool {
        self.kind == "FunctionDecl" && self.inner.iter().any(|part| part.kind == "CompoundStmt")
    }

    /// Calls `see` with the name of each function that is named inside.
    pub fn functions_named(&self, see: &mut dyn FnMut(&str)) {
        if self.kind == "DeclRefExpr" && self.refers_kind == "FunctionDecl" {
            see(&self.refers_name);
        }
        deep(|| self.inner.iter().for_each(|part| part.functions_named(see)));
    }

    /// The type to work with: typedefs gone at the outermost level.
    pub fn ty(&self) -> &str {
        if self.plain_type.is_empty() { &self.written_type } else { &self.plain_type }
    }

    /// The part of a node that has one part.
    pub fn only(&self) -> &Node<'a> {
        self.inner.last().unwrap_or(self)
    }

    /// The node without parentheses around it.
    pub fn bare(&self) -> &Node<'a> {
        let mut node = self;
        while matches!(node.kind, "ParenExpr" | "ConstantExpr") || node.operator == "__extension__" {
            match node.inner.first() {
                Some(inner) => node = inner,
                None => break,
            }
        }
        node
    }
}

#[cfg(test)]
mod tests;
