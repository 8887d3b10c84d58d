//! C types: clang prints them as text, this reads the text.

use crate::ir::library::HANDLES;
use crate::ir::{Constants, Field, IntKind, StructId, Type, Types};

/// A type with its qualifiers.
#[derive(Clone, Debug, PartialEq)]
pub struct Qualified {
    /// The type.
    pub ty: CType,
    /// `const`
    pub constant: bool,
    /// `volatile`
    pub volatile: bool,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum CType {
    /// `void`
    Void,
    /// Integers, characters, truth values, enumerations.
    Int {
        /// 1 for `_Bool`.
        bits: u8,
        /// Negative values exist.
        signed: bool,
        /// Spelling.
        name: String,
    },
    /// `float`, `double`, `long double` (80).
    Float(u8),
    /// A pointer.
    Pointer(Box<Qualified>),
    /// An array.
    Array(Box<Qualified>, Extent),
    /// A struct.
    Struct(StructId),
    /// A function.
    Function,
    /// A type whose inside is not read, and why.
    Opaque(String),
}

/// Number of elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// A constant.
    Known(u64),
    /// An expression, as clang prints it.
    Text(String),
    /// `[]`, `[*]`
    Unknown,
}

impl Qualified {
    /// Without qualifiers.
    pub fn plain(ty: CType) -> Qualified {
        Qualified { ty, constant: false, volatile: false }
    }

    /// Whether anything of it is volatile.
    pub fn is_volatile(&self) -> bool {
        self.volatile
            || match &self.ty {
                CType::Array(elem, _) | CType::Pointer(elem) => elem.is_volatile(),
                _ => false,
            }
    }

    /// Whether it is an array of pointers to functions, or of arrays of them.
    pub fn is_table_of_functions(&self) -> bool {
        match &self.ty {
            CType::Array(elem, _) => elem.ty.is_function_pointer() || elem.is_table_of_functions(),
            _ => false,
        }
    }

    /// What of it is `const`.
    pub fn constants(&self) -> Constants {
        let (mut constants, mut part, mut at) = (Constants::default(), 0, Some(self));
        while let Some(this) = at {
            if this.constant {
                constants.add(part);
            }
            part += u32::from(matches!(this.ty, CType::Pointer(_)));
            at = match &this.ty {
                CType::Pointer(to) | CType::Array(to, _) => Some(to),
                _ => None,
            };
        }
        constants
    }

    /// Whether nothing of it is ever written through it.
    pub fn is_constant(&self) -> bool {
        match &self.ty {
            CType::Array(elem, _) => elem.is_constant(),
            _ => self.constant,
        }
    }
}

impl CType {
    /// Whether it is a pointer to a function.
    pub fn is_function_pointer(&self) -> bool {
        matches!(self, CType::Pointer(to) if to.ty == CType::Function)
    }

    /// The elements of a pointer to rows of which some extent is a value.
    pub fn elements_of_rows(&self) -> Option<Type> {
        let CType::Pointer(to) = self else { return None };
        to.ty.is_open().then(|| {
            let mut elem = &to.ty;
            while let CType::Array(inner, _) = elem {
                elem = &inner.ty;
            }
            elem.ir()
        })
    }

    /// Whether it is an array, or an array of arrays, of which some extent is a value.
    pub fn is_open(&self) -> bool {
        match self {
            CType::Array(elem, extent) => matches!(extent, Extent::Text(_)) || elem.ty.is_open(),
            _ => false,
        }
    }

    /// As the intermediate representation names it.
    pub fn ir(&self) -> Type {
        match self {
            CType::Void => Type::Void,
            CType::Int { bits, signed, name } => {
                let named = || Type::Int { bits: *bits, signed: *signed, kind: IntKind::Named(name.as_str().into()) };
                Type::integer(name).unwrap_or_else(named)
            }
            CType::Float(bits) => Type::Float { bits: *bits },
            CType::Pointer(to) => Type::pointer(to.ty.ir()),
            CType::Array(elem, extent) => {
                let extent = if let Extent::Known(extent) = extent { Some(*extent) } else { None };
                Type::array(elem.ty.ir(), extent)
            }
            CType::Struct(id) => Type::Struct(*id),
            CType::Function => Type::function(),
            CType::Opaque(name) => Type::Opaque(name[..].into()),
        }
    }
}

/// Whether a type is that of a list of arguments.
pub fn is_list(text: &str) -> bool {
    text.contains("va_list")
}

/// Looks up the names that occur in types.
pub trait Names {
    /// What a typedef stands for.
    fn typedef(&mut self, name: &str) -> Option<Qualified>;
    /// A struct by its tag or by `(unnamed struct at file:line:column)`; `None` if it has no members here.
    fn record(&mut self, tag: &str) -> Option<StructId>;
    /// Whether an enumeration has negative values.
    fn enum_is_signed(&mut self, tag: &str) -> bool;
}

/// Reads a type as clang prints it.
pub fn parse(text: &str, names: &mut dyn Names) -> Qualified {
    let mut parser = Parser { rest: text.trim(), names };
    let base = parser.specifiers();
    let whole = parser.declarator(base);
    if parser.rest.is_empty() { whole } else { Qualified::plain(CType::Opaque(text.to_string())) }
}

struct Parser<'t, 'n> {
    rest: &'t str,
    names: &'n mut dyn Names,
}

impl<'t> Parser<'t, '_> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, token: char) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        self.skip_space();
        let length =
            self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(self.rest.len());
        if length == 0 {
            return None;
        }
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(word)
    }

    /// Everything up to the bracket that closes one that is open; the bracket is taken, too.
    fn through(&mut self, close: char) -> &'t str {
        let open = if close == ')' { '(' } else { '[' };
        let mut depth = 0;
        for (at, c) in self.rest.char_indices() {
            if c == open {
                depth += 1;
            } else if c == close && depth == 0 {
                let inside = &self.rest[..at];
                self.rest = &self.rest[at + close.len_utf8()..];
                return inside;
            } else if c == close {
                depth -= 1;
            }
        }
        std::mem::take(&mut self.rest)
    }

    fn specifiers(&mut self) -> Qualified {
        let (mut constant, mut volatile) = (false, false);
        let mut words: Vec<&str> = Vec::new();
        let mut named = None;
        loop {
            let before = self.rest;
            let Some(word) = self.word() else { break };
            match word {
                "const" => constant = true,
                "volatile" => volatile = true,
                "restrict" | "register" => {}
                "struct" | "union" | "enum" => named = Some(self.tagged(word)),
                "__attribute__" | "_Atomic" | "typeof" | "__typeof__" => {
                    if self.take('(') {
                        self.through(')');
                    }
                    named = Some(Qualified::plain(CType::Opaque(word.to_string())));
                }
                "unsigned" | "signed" | "long" | "short" | "int" | "char" | "float" | "double" | "_Bool" | "bool"
                | "void" | "_Complex" | "__int128" | "_Float128" | "__float128" | "_Float16" => words.push(word),
                name if named.is_none() && words.is_empty() => {
                    let known = self.names.typedef(name);
                    named = Some(known.unwrap_or_else(|| Qualified::plain(CType::Opaque(name.to_string()))));
                }
                _ => {
                    self.rest = before;
                    break;
                }
            }
        }
        let mut base = named.unwrap_or_else(|| Qualified::plain(arithmetic(&words)));
        base.constant |= constant;
        base.volatile |= volatile;
        base
    }

    fn tagged(&mut self, class: &str) -> Qualified {
        self.skip_space();
        let start = self.rest;
        let tag = match start.find('(') {
            Some(at) if start[at..].starts_with("(unnamed") || start[at..].starts_with("(anonymous") => {
                self.rest = &start[at + 1..];
                self.through(')')
            }
            _ => self.word().unwrap_or(""),
        };
        Qualified::plain(match class {
            "enum" => {
                let signed = self.names.enum_is_signed(tag);
                let name = if tag.contains(' ') { "int".to_string() } else { format!("enum {tag}") };
                let name = if tag.contains(' ') && !signed { "unsigned int".to_string() } else { name };
                CType::Int { bits: 32, signed, name }
            }
            "struct" | "union" => match self.names.record(tag) {
                Some(id) => CType::Struct(id),
                None => CType::Opaque(format!("{class} {tag}")),
            },
            _ => CType::Opaque(format!("{class} {tag}")),
        })
    }

    /// The abstract declarator behind `base`.
    fn declarator(&mut self, mut base: Qualified) -> Qualified {
        loop {
            self.skip_space();
            if self.take('*') {
                base = Qualified::plain(handle_to(&base.ty).unwrap_or_else(|| CType::Pointer(Box::new(base))));
                continue;
            }
            let before = self.rest;
            match self.word() {
                Some("const") => base.constant = true,
                Some("volatile") => base.volatile = true,
                Some("restrict" | "__restrict" | "_Nonnull" | "_Nullable") => {}
                Some(_) => {
                    self.rest = before;
                    return base;
                }
                None => break,
            }
        }
        if self.rest.starts_with('(') && self.rest[1..].trim_start().starts_with(['*', '(']) {
            self.take('(');
            let inner = self.through(')');
            let base = self.suffix(base);
            let rest = std::mem::replace(&mut self.rest, inner);
            let whole = self.declarator(base);
            let whole = if self.rest.is_empty() { whole } else { Qualified::plain(CType::Opaque(inner.to_string())) };
            self.rest = rest;
            return whole;
        }
        self.suffix(base)
    }

    /// `[n][m]` and `(int, double)`.
    fn suffix(&mut self, base: Qualified) -> Qualified {
        if self.take('(') {
            self.through(')');
            self.suffix(base);
            return Qualified::plain(CType::Function);
        }
        if !self.take('[') {
            return base;
        }
        let inside = self.through(']').trim();
        let elem = self.suffix(base);
        let extent = match inside.parse::<u64>() {
            Ok(extent) => Extent::Known(extent),
            Err(_) if inside.is_empty() || inside == "*" => Extent::Unknown,
            Err(_) => Extent::Text(inside.to_string()),
        };
        Qualified::plain(CType::Array(Box::new(elem), extent))
    }
}

/// The handle of MPI that a pointer to a type is, as the header has it that sources are read with.
fn handle_to(to: &CType) -> Option<CType> {
    let CType::Opaque(name) = to else { return None };
    name.strip_prefix("struct adtape_handle_").filter(|name| HANDLES.contains(name)).map(handle)
}

/// A handle of MPI.
pub fn handle(name: &str) -> CType {
    CType::Int { bits: 64, signed: true, name: name.to_string() }
}

/// What is said of a variable whose type has no form here, and the way round.
pub fn opaque(name: &str) -> (String, &'static str) {
    if name.contains("_Complex") {
        let help = "use two reals, the real and the imaginary part, and write out the arithmetic on them";
        return (format!("is a complex number ('{name}'), which the generator does not know"), help);
    }
    (format!("has type '{name}'"), "use float, double, integers, and structs and arrays of them")
}

/// Arithmetic types by their keywords, on a machine with 64-bit `long`.
fn arithmetic(words: &[&str]) -> CType {
    let has = |word: &str| words.contains(&word);
    let longs = words.iter().filter(|word| **word == "long").count();
    let int = |bits: u8, signed: bool, name: &str| CType::Int { bits, signed, name: name.to_string() };
    if has("_Complex") || has("_Float128") || has("__float128") || has("__int128") || has("_Float16") {
        return CType::Opaque(words.join(" "));
    }
    match (has("unsigned"), longs) {
        _ if has("void") => CType::Void,
        _ if has("float") => CType::Float(32),
        (_, 0) if has("double") => CType::Float(64),
        _ if has("double") => CType::Float(80),
        _ if has("_Bool") || has("bool") => int(1, false, "_Bool"),
        (true, _) if has("char") => int(8, false, "unsigned char"),
        _ if has("char") && has("signed") => int(8, true, "signed char"),
        _ if has("char") => int(8, true, "char"),
        (true, _) if has("short") => int(16, false, "unsigned short"),
        _ if has("short") => int(16, true, "short"),
        (true, 0) => int(32, false, "unsigned int"),
        (true, 1) => int(64, false, "unsigned long"),
        (true, _) => int(64, false, "unsigned long long"),
        (false, 1) => int(64, true, "long"),
        (false, 2..) => int(64, true, "long long"),
        (false, 0) if has("int") || has("signed") => int(32, true, "int"),
        (false, 0) => CType::Opaque(words.join(" ")),
    }
}

/// The array of all the numbers of a struct, if these are of one type.
pub fn array_of_all(members: &[Field], types: &Types) -> Option<Field> {
    let all: Vec<_> = members.iter().map(|member| types.numbers(&member.ty)).collect::<Option<_>>()?;
    let (number, _) = all.first()?.clone();
    if all.iter().any(|(other, _)| *other != number) {
        return None;
    }
    let extent = all.iter().map(|(_, count)| count).sum();
    let ty = Type::array(number, Some(extent));
    Some(Field { name: "all".to_string(), ty, read_only: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Few;

    impl Names for Few {
        fn typedef(&mut self, name: &str) -> Option<Qualified> {
            (name == "size_t").then(|| parse("unsigned long", self))
        }
        fn record(&mut self, tag: &str) -> Option<StructId> {
            match tag {
                "point" => Some(StructId(0)),
                "unnamed struct at a.c:13:3" => Some(StructId(1)),
                _ => None,
            }
        }
        fn enum_is_signed(&mut self, tag: &str) -> bool {
            tag == "sign"
        }
    }

    fn read(text: &str) -> CType {
        parse(text, &mut Few).ty
    }

    fn pointer(to: CType) -> CType {
        CType::Pointer(Box::new(Qualified::plain(to)))
    }

    #[test]
    fn pointer_to_row_is_told_from_array_of_pointers() {
        let row = CType::Array(Box::new(Qualified::plain(CType::Float(64))), Extent::Known(3));
        assert_eq!(read("double (*)[3]"), pointer(row));
        let pointers = CType::Array(Box::new(Qualified::plain(pointer(CType::Float(64)))), Extent::Known(3));
        assert_eq!(read("double *[3]"), pointers);
    }

    #[test]
    fn extents_of_several_dimensions_stand_from_the_outside_in() {
        let CType::Array(rows, Extent::Text(n)) = read("double[n + 1][m[2]]") else { panic!("an array") };
        let CType::Array(_, Extent::Text(m)) = rows.ty else { panic!("an array of arrays") };
        assert_eq!((n.as_str(), m.as_str()), ("n + 1", "m[2]"));
    }

    #[test]
    fn unnamed_struct_is_found_by_its_position() {
        assert_eq!(read("struct (unnamed struct at a.c:13:3) *"), pointer(CType::Struct(StructId(1))));
    }

    #[test]
    fn qualifiers_belong_to_what_they_stand_beside() {
        let CType::Pointer(to) = read("const double *restrict") else { panic!("a pointer") };
        assert!(to.constant);
        assert!(parse("double *const", &mut Few).constant);
        assert!(parse("volatile int", &mut Few).is_volatile());
    }

    #[test]
    fn pointer_to_function_is_one() {
        assert_eq!(read("double (*)(double, void *)"), pointer(CType::Function));
        assert_eq!(read("double (double)"), CType::Function);
    }

    #[test]
    fn integers_have_width_and_sign() {
        assert_eq!(read("size_t"), CType::Int { bits: 64, signed: false, name: "unsigned long".to_string() });
        assert_eq!(read("enum side"), CType::Int { bits: 32, signed: false, name: "enum side".to_string() });
        assert_eq!(read("signed char"), CType::Int { bits: 8, signed: true, name: "signed char".to_string() });
    }
}
