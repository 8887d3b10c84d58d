//! One source file with its headers: what its names mean.

use super::functions;
use super::sources::{Files, Sources};
use super::tree::{Node, Tree};
use super::types::{self, CType, Extent, Names, Qualified};
use crate::ir::library::HANDLES;
use crate::ir::{DeclaredType, Field, FieldId, Meaning, Named, Struct, StructId, Type, Types, Use};
use crate::names::words;
use rustc_hash::{FxHashMap, FxHashSet};

/// Tables of one tree.
pub struct Unit<'a> {
    /// Positions of the tree.
    pub files: Files,
    /// Functions with a body, by name.
    pub functions: FxHashMap<&'a str, &'a Node<'a>>,
    /// File-scope variables, by identity.
    pub variables: FxHashMap<u64, &'a Node<'a>>,
    /// Declarations that define a file-scope variable, by name.
    pub definitions: FxHashMap<&'a str, &'a Node<'a>>,
    /// Members, by identity of their declaration.
    pub fields: FxHashMap<u64, FieldId>,
    /// Members that are other names for elements of an array: the first of these, and their types.
    pub overlays: FxHashMap<u64, (u64, Type)>,
    /// Types at file scope.
    pub declared: Vec<DeclaredType>,
    /// Ordinary names at file scope, but for those of headers of the system.
    pub named: Vec<Named>,
    /// What declarations of headers name of other files.
    pub uses: Vec<Use>,
    /// Functions that do not come back.
    pub never_return: FxHashSet<&'a str>,
    /// Whether its functions stand for others: see `rules`.
    pub of_bodies: bool,
    /// Enumerators.
    pub constants: FxHashMap<u64, i128>,
    constants_by_name: FxHashMap<&'a str, i128>,
    typedefs: FxHashMap<&'a str, &'a Node<'a>>,
    records: FxHashMap<String, &'a Node<'a>>,
    records_by_id: FxHashMap<u64, &'a Node<'a>>,
    structs: FxHashMap<u64, Option<StructId>>,
    signed_enums: FxHashMap<String, bool>,
    signed_enums_by_id: FxHashMap<u64, bool>,
    cache: FxHashMap<String, Qualified>,
}

/// Structs of all units, and the members they were made of.
#[derive(Default)]
pub struct Structs {
    /// As the program keeps them.
    pub types: Types,
    written: FxHashMap<String, (StructId, Vec<(String, String)>)>,
    /// Names of structs that are taken for arrays of their numbers.
    pub views: FxHashSet<String>,
    /// Structs that attributes or pragmas lay out in another way than C's: `packed`, `aligned`, `#pragma pack`.
    odd: FxHashSet<StructId>,
}

impl Structs {
    /// Size and alignment in bytes, on a machine with 64-bit pointers; `None` for what has none that is known.
    pub fn layout(&self, ty: &Type) -> Option<(u64, u64)> {
        match ty {
            Type::Int { bits, .. } => {
                let bytes = u64::from(*bits).div_ceil(8);
                Some((bytes, bytes))
            }
            Type::Float { bits: 80 } => Some((16, 16)),
            Type::Float { bits } => Some((u64::from(*bits) / 8, u64::from(*bits) / 8)),
            Type::Pointer(_) => Some((8, 8)),
            Type::Array(row) => {
                let (size, align) = self.layout(&row.elem)?;
                Some((size.checked_mul(row.extent?)?, align))
            }
            Type::Struct(id) if self.odd.contains(id) => None,
            Type::Struct(id) if self.types.structs[*id].shared => Some((8, 8)),
            Type::Struct(id) => {
                let (mut size, mut align) = (0_u64, 1);
                for field in &self.types.structs[*id].fields {
                    let (bytes, alignment) = match &field.ty {
                        Type::Array(row) if row.extent.is_none() => (0, self.layout(&row.elem)?.1),
                        ty => self.layout(ty)?,
                    };
                    size = size.next_multiple_of(alignment) + bytes;
                    align = align.max(alignment);
                }
                Some((size.next_multiple_of(align), align))
            }
            Type::Void => Some((1, 1)),
            Type::Opaque(_) => None,
        }
    }
}

impl<'a> Unit<'a> {
    /// Reads the declarations of a tree.
    pub fn new(tree: &'a Tree<'a>, path: &str, sources: &mut Sources) -> Unit<'a> {
        let mut unit = Unit {
            files: Files::new(&tree.files, sources, path),
            functions: FxHashMap::default(),
            variables: FxHashMap::default(),
            definitions: FxHashMap::default(),
            fields: FxHashMap::default(),
            overlays: FxHashMap::default(),
            declared: Vec::new(),
            named: Vec::new(),
            uses: super::uses::of_headers(tree, path, sources),
            never_return: FxHashSet::default(),
            of_bodies: false,
            constants: FxHashMap::default(),
            constants_by_name: FxHashMap::default(),
            typedefs: FxHashMap::default(),
            records: FxHashMap::default(),
            records_by_id: FxHashMap::default(),
            structs: FxHashMap::default(),
            signed_enums: FxHashMap::default(),
            signed_enums_by_id: FxHashMap::default(),
            cache: FxHashMap::default(),
        };
        for node in &tree.root.inner {
            if node.never_returns {
                unit.never_return.insert(&node.name);
            }
            match node.kind {
                "FunctionDecl" if node.has_body() => {
                    unit.functions.insert(&node.name, node);
                }
                "VarDecl" => unit.variable(node),
                _ => {
                    unit.type_declaration(node, sources);
                    unit.declared.extend(unit.declared_type(node, sources));
                }
            }
            let named = unit.named(node, sources);
            unit.named.extend(named);
        }
        unit
    }

    /// As one of bodies that stand for functions: without what output would name.
    pub fn of_bodies(mut self) -> Unit<'a> {
        self.of_bodies = true;
        self.declared.clear();
        self.named.clear();
        self.uses.clear();
        self
    }

    /// The ordinary names that a declaration at file scope declares, but for those of headers of the system.
    fn named(&self, node: &Node, sources: &Sources) -> Vec<Named> {
        let all = std::iter::once(node).chain(&node.inner).filter(|node| !node.implicit);
        let named = all.filter_map(|node| {
            let span = self.files.point(node.location, sources);
            let path = sources.list.get(span.source as usize).map_or("", |source| source.path.as_str());
            let meaning = self.meaning(node).filter(|_| !path.starts_with("/usr/"))?;
            Some(Named { name: node.name.to_string(), span, meaning })
        });
        named.collect()
    }

    fn meaning(&self, node: &Node) -> Option<Meaning> {
        Some(match node.kind {
            "FunctionDecl" if node.has_body() => Meaning::Function(functions::of(&|ty| self.meant(ty), node)),
            "FunctionDecl" => Meaning::Prototype(functions::of(&|ty| self.meant(ty), node)),
            "VarDecl" => Meaning::Variable(node.written_type.to_string()),
            "TypedefDecl" => Meaning::Type(node.written_type.to_string()),
            "EnumConstantDecl" => Meaning::Enumerator(self.constants.get(&node.id).copied()),
            _ => return None,
        })
    }

    fn variable(&mut self, node: &'a Node<'a>) {
        self.variables.insert(node.id, node);
        if node.has_init || (node.storage != "extern" && !self.definitions.contains_key(node.name.as_ref())) {
            self.definitions.insert(&node.name, node);
        }
    }

    /// A typedef, struct or enumeration, at file scope or in a function.
    pub fn type_declaration(&mut self, node: &'a Node<'a>, sources: &Sources) {
        match node.kind {
            "TypedefDecl" => {
                self.typedefs.insert(&node.name, node);
            }
            "RecordDecl" => {
                self.records_by_id.insert(node.id, node);
                if node.complete {
                    self.record_declaration(node, sources);
                }
            }
            "EnumDecl" => self.enumeration(node, sources),
            _ => {}
        }
    }

    fn declared_type(&self, node: &Node, sources: &Sources) -> Option<DeclaredType> {
        let declares = match node.kind {
            "TypedefDecl" => !node.implicit,
            "RecordDecl" => node.complete,
            kind => kind == "EnumDecl",
        };
        let constants = node.inner.iter().filter(|part| part.kind == "EnumConstantDecl");
        let named = std::iter::once(node).chain(constants).filter(|node| declares && !node.name.is_empty());
        let names: Vec<String> = named.map(|node| node.name.to_string()).collect();
        (!names.is_empty()).then(|| DeclaredType { names, span: self.files.span(node, sources) })
    }

    fn record_declaration(&mut self, node: &'a Node<'a>, sources: &Sources) {
        let tag = if node.name.is_empty() { self.unnamed(node, sources) } else { node.name.to_string() };
        self.records.insert(tag, node);
        for part in &node.inner {
            self.type_declaration(part, sources);
        }
    }

    /// `file:line:column`, the way clang names what has no name.
    fn unnamed(&self, node: &Node, sources: &Sources) -> String {
        let span = self.files.point(node.location, sources);
        let Some(source) = sources.list.get(span.source as usize) else { return String::new() };
        let (line, column) = sources.line_column(span.source as usize, span.start);
        format!("{}:{line}:{column}", source.path)
    }

    fn enumeration(&mut self, node: &'a Node<'a>, sources: &Sources) {
        let (mut next, mut signed) = (Some(0), false);
        for constant in node.inner.iter().filter(|part| part.kind == "EnumConstantDecl") {
            let value = match constant.inner.iter().find(|part| !part.kind.ends_with("Comment")) {
                Some(given) => given_value(given),
                None => next,
            };
            next = value.map(|value| value + 1);
            // One whose value cannot be read is refused where it is used.
            let Some(value) = value else { continue };
            self.constants.insert(constant.id, value);
            self.constants_by_name.insert(&constant.name, value);
            signed |= value < 0;
        }
        let tag = if node.name.is_empty() { self.unnamed(node, sources) } else { node.name.to_string() };
        self.signed_enums.insert(tag, signed);
        self.signed_enums_by_id.insert(node.id, signed);
    }

    /// The type that a name stands for, through typedefs; a struct without a tag has the name of its typedef.
    pub fn meant(&self, name: &str) -> String {
        let mut name = name;
        for _ in 0..self.typedefs.len() {
            let Some(node) = self.typedefs.get(name) else { break };
            let text = node.written_type.trim_start_matches("const ");
            if text.split_whitespace().last() == Some(name) {
                break;
            }
            name = text;
        }
        name.to_string()
    }

    /// An enumerator by its name.
    pub fn constant(&self, name: &str) -> Option<i128> {
        self.constants_by_name.get(name).copied()
    }

    /// A type as clang prints it.
    pub fn ctype(&mut self, text: &str, structs: &mut Structs) -> Qualified {
        if let Some(known) = self.cache.get(text) {
            return known.clone();
        }
        let found = types::parse(text, &mut Naming { unit: self, structs });
        self.cache.insert(text.to_string(), found.clone());
        found
    }

    /// Forgets types that were read, because a function declares types of its own.
    pub fn forget_types(&mut self) {
        self.cache.clear();
    }
}

/// The value that an enumerator is given: clang computes it, and may convert it.
pub fn given_value(node: &Node) -> Option<i128> {
    let value = node.value.parse().ok().filter(|_| matches!(node.kind, "ConstantExpr" | "IntegerLiteral"));
    let wraps = matches!(node.kind, "ImplicitCastExpr" | "CStyleCastExpr" | "ParenExpr" | "ConstantExpr");
    value.or_else(|| given_value(node.inner.first().filter(|_| wraps)?))
}

struct Naming<'x, 'a> {
    unit: &'x mut Unit<'a>,
    structs: &'x mut Structs,
}

impl Names for Naming<'_, '_> {
    fn typedef(&mut self, name: &str) -> Option<Qualified> {
        if matches!(name, "va_list" | "__builtin_va_list" | "__va_list_tag" | "FILE" | "fpos_t") {
            return None;
        }
        let node = *self.unit.typedefs.get(name)?;
        let text = node.written_type.as_ref();
        if HANDLES.contains(&name) {
            return Some(Qualified::plain(types::handle(name)));
        }
        let unnamed = named_by(node, "RecordDecl").and_then(|id| self.unit.records_by_id.get(&id).copied());
        match unnamed {
            // A struct that has a tag and is not defined here.
            Some(record) if !record.name.is_empty() && !self.unit.records.contains_key(record.name.as_ref()) => {
                Some(Qualified::plain(CType::Opaque(text.to_string())))
            }
            // `typedef struct { ... } name`: clang calls the type by the typedef's name.
            Some(record) if record.name.is_empty() && text.split_whitespace().last() == Some(name) => {
                let ty = match self.intern(record, name) {
                    Some(id) => CType::Struct(id),
                    None => CType::Opaque(name.to_string()),
                };
                Some(Qualified { ty, constant: text.contains("const "), volatile: text.contains("volatile ") })
            }
            _ if text == name => None,
            _ if text.strip_prefix("enum ") == Some(name) => {
                let id = named_by(node, "EnumDecl");
                let signed = id.and_then(|id| self.unit.signed_enums_by_id.get(&id).copied()).unwrap_or(false);
                Some(Qualified::plain(CType::Int { bits: 32, signed, name: name.to_string() }))
            }
            _ => Some(self.unit.ctype(text, self.structs)),
        }
    }

    fn record(&mut self, tag: &str) -> Option<StructId> {
        let tag = tag.rsplit_once(" at ").map_or(tag, |(_, place)| place);
        if let Some(node) = self.unit.records.get(tag).copied() {
            if !node.name.is_empty() {
                return self.intern(node, &format!("{} {tag}", node.operator));
            }
            let found = self.intern(node, tag);
            let leads = |typedef: &&&Node| {
                typedef.written_type.ends_with(") *") && named_by(typedef, "RecordDecl") == Some(node.id)
            };
            if let (Some(id), Some(pointer)) = (found, self.unit.typedefs.values().find(leads)) {
                self.structs.types.pointers.insert(id, pointer.name.to_string());
            }
            return found;
        }
        match self.typedef(tag)?.ty {
            CType::Struct(id) => Some(id),
            _ => None,
        }
    }

    fn enum_is_signed(&mut self, tag: &str) -> bool {
        let tag = tag.rsplit_once(" at ").map_or(tag, |(_, place)| place);
        self.unit.signed_enums.get(tag).copied().unwrap_or(false)
    }
}

impl Unit<'_> {
    /// Whether a type is known by a name that has an alignment of its own.
    fn is_aligned(&self, written: &str) -> bool {
        let (mut open, mut seen) = (vec![written], FxHashSet::default());
        while let Some(text) = open.pop() {
            for node in words(text).filter_map(|word| self.typedefs.get(word)).filter(|node| seen.insert(node.id)) {
                if node.inner.iter().any(|part| part.kind == "AlignedAttr") {
                    return true;
                }
                open.push(&node.written_type);
            }
        }
        false
    }

    /// Whether a typedef names a union.
    pub fn is_union(&self, name: &str) -> bool {
        let named = self.typedefs.get(name).and_then(|node| named_by(node, "RecordDecl"));
        named.and_then(|id| self.records_by_id.get(&id)).is_some_and(|record| record.operator == "union")
    }
}

/// The struct or enumeration without a tag that a typedef names.
fn named_by(node: &Node, kind: &str) -> Option<u64> {
    node.inner.iter().find_map(|part| {
        let here = part.refers_kind == kind && part.refers != 0;
        here.then_some(part.refers).or_else(|| named_by(part, kind))
    })
}

impl Naming<'_, '_> {
    fn intern(&mut self, node: &Node, name: &str) -> Option<StructId> {
        if let Some(known) = self.unit.structs.get(&node.id) {
            return *known;
        }
        if !node.complete {
            return None;
        }
        let mut fields: Vec<&Node> = node.inner.iter().filter(|part| part.kind == "FieldDecl").collect();
        let mut shared = false;
        if node.operator == "union" {
            // Not known while its own members are read.
            self.unit.structs.insert(node.id, None);
            match self.array_of_union(&fields) {
                Some(array) => fields = vec![array],
                None if self.are_pointers(&fields) => shared = true,
                None => return None,
            }
        }
        for (index, field) in fields.iter().enumerate() {
            self.unit.fields.insert(field.id, FieldId::new(index));
        }
        let written: Vec<_> = fields.iter().map(|field| (field.name.to_string(), field.ty().to_string())).collect();
        if let Some((known, members)) = self.structs.written.get(name)
            && *members == written
        {
            let known = *known;
            self.unit.structs.insert(node.id, Some(known));
            let parts = self.structs.types.structs[known].parts.clone();
            self.overlay(&fields, &parts);
            return Some(known);
        }
        let id = StructId::new(self.structs.types.structs.len());
        self.structs.types.structs.push(Struct { name: name.to_string(), shared, ..Struct::default() });
        self.structs.written.insert(name.to_string(), (id, written));
        self.unit.structs.insert(node.id, Some(id));
        let odd = |part: &Node| matches!(part.kind, "PackedAttr" | "AlignedAttr" | "MaxFieldAlignmentAttr");
        let is_odd = node.inner.iter().chain(fields.iter().flat_map(|field| &field.inner)).any(odd)
            || fields.iter().any(|field| self.unit.is_aligned(&field.written_type));
        if is_odd {
            self.structs.odd.insert(id);
        }
        let mut members: Vec<Field> = fields.iter().map(|field| self.field(field)).collect();
        if self.structs.views.contains(name)
            && !is_odd
            && let Some(array) = types::array_of_all(&members, &self.structs.types)
        {
            self.overlay(&fields, &members);
            let parts = std::mem::replace(&mut members, vec![array]);
            self.structs.types.structs[id].parts = parts;
        }
        self.structs.types.structs[id].fields = members.into();
        Some(id)
    }

    /// Makes members names for elements of the array that their struct is.
    fn overlay(&mut self, declared: &[&Node], parts: &[Field]) {
        let mut at = 0;
        for (node, part) in declared.iter().zip(parts) {
            self.unit.overlays.insert(node.id, (at, part.ty.clone()));
            at += self.structs.types.numbers(&part.ty).map_or(0, |(_, count)| count);
        }
    }

    /// The member of a union that is an array of numbers, or one of its numbers, if all others are the same numbers under
    /// other names.
    fn array_of_union<'n>(&mut self, fields: &[&'n Node<'n>]) -> Option<&'n Node<'n>> {
        let types: Vec<Type> = fields.iter().map(|field| self.field(field).ty).collect();
        if types.iter().any(|ty| matches!(ty, Type::Struct(_)) && self.structs.layout(ty).is_none()) {
            return None;
        }
        let numbers: Vec<_> = types.iter().map(|ty| self.structs.types.numbers(ty)).collect::<Option<_>>()?;
        if numbers.windows(2).any(|pair| pair[0] != pair[1]) {
            return None;
        }
        let is_array = |ty: &Type| matches!(ty, Type::Array(row) if row.elem.is_number());
        let is_one = types.iter().all(Type::is_number);
        let array = types.iter().position(is_array).or_else(|| is_one.then_some(0))?;
        for (at, ty) in types.into_iter().enumerate().filter(|(at, _)| *at != array) {
            self.unit.overlays.insert(fields[at].id, (0, ty));
        }
        Some(fields[array])
    }

    fn are_pointers(&mut self, fields: &[&Node]) -> bool {
        fields.iter().map(|field| self.field(field).ty).all(|ty| ty.leads_to_memory())
    }

    fn field(&mut self, field: &Node) -> Field {
        let text = if field.plain_type.is_empty() { &field.written_type } else { &field.plain_type };
        let found = self.unit.ctype(text, self.structs);
        let read_only = is_read_only(&found);
        let ty = match found {
            _ if field.bit_field => Type::Opaque("bit-field".into()),
            _ if found.is_volatile() => Type::Opaque(format!("volatile {}", text.replace("volatile ", ""))[..].into()),
            found => found.ty.ir(),
        };
        Field { name: field.name.to_string(), ty, read_only }
    }
}

/// Whether a member is constant, or a pointer to what is, or an array of either.
fn is_read_only(found: &Qualified) -> bool {
    match &found.ty {
        CType::Pointer(to) => to.is_constant(),
        CType::Array(elem, _) => is_read_only(elem),
        _ => found.constant,
    }
}

/// The extent of an array type if it is a constant.
pub fn constant_extent(extent: &Extent) -> Option<u64> {
    match extent {
        Extent::Known(extent) => Some(*extent),
        _ => None,
    }
}
