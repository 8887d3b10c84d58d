//! Names that the sources have and that the output must have: a clash is refused where the sources declare the name.
//!
//! All other names of the output avoid those of the sources: see `super::names`.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

use super::beginning;
use crate::directives::directives;
use crate::emit::c::unit::Unit;
use crate::ir::*;
use crate::names::SIGNATURE;
use crate::names::{is_library_header, is_of_headers};
use crate::refuse::{Class, Refusal};

/// Refuses names at file scope, and macros, under which the output has something for other files: `exported` has what it
/// is and its name. Refuses names of the library, too, whatever the sources use them for.
pub(super) fn refused(
    program: &Program,
    shadows: &BTreeMap<GlobalId, GlobalId>,
    exported: impl Iterator<Item = (String, String)>,
) -> Vec<Refusal> {
    let taken = at_file_scope(program, shadows);
    let refusal = |span: Span, what: String| Refusal {
        class: Class::Language,
        span,
        what,
        help: "give it another name".to_string(),
    };
    let clash = |(what, name): (String, String)| {
        let span = *taken.get(name.as_str())?;
        let declares = |named: &&Named| named.name == name && is_prototype(named);
        let mut found = refusal(span, format!("'{name}' is the name of {what}"));
        if program.c.named.iter().find(|named| named.name == name).filter(declares).is_some() {
            found.help = "give it another name, or include the generated header instead of the declaration".into();
        }
        Some(found)
    };
    let mut refusals: Vec<Refusal> = exported.filter_map(clash).collect();
    let of_c = program.c.named.iter().filter(|named| is_another(named));
    refusals.extend(of_c.map(|named| refusal(named.span, of_c_as(&named.name))));
    refusals.extend(program.c.named.iter().filter_map(of_another_type));
    let locals = program.procs.iter().flat_map(|proc| {
        let vars = proc.vars.iter().map(|var| (var.name.as_str(), var.span));
        vars.chain(proc.objects.iter().map(|object| (object.name.as_str(), object.span)))
    });
    let inside = program.procs.iter().flat_map(|proc| proc.vars.iter().map(|var| (var.name.as_str(), var.span)));
    let inside: BTreeMap<&str, Span> = inside.filter(|(name, _)| is_needed_inside(name)).collect();
    refusals.extend(inside.into_iter().map(|(name, span)| refusal(span, of_c_as(name))));
    let declared = program.c.declared.iter();
    let tags = declared.flat_map(|declared| declared.names.iter().map(|name| (name.as_str(), declared.span)));
    let tags_of_c = tags.clone().filter(|(name, span)| MACROS.contains(name) && !is_exempt(program, span));
    let macros = program.c.preprocessed.others.iter().map(|name| (name.as_str(), definition(program, name)));
    let members_of_c = members(program, |name| MACROS.contains(&name));
    for (name, span) in tags_of_c.chain(macros).chain(members_of_c) {
        let found = refusal(span, of_c_as(name));
        if !refusals.contains(&found) {
            refusals.push(found);
        }
    }
    // The library's macros would rename members, too.
    let renamed = members(program, |name| name.starts_with("ADTAPE_"));
    let all = taken.into_iter().chain(locals).chain(tags).chain(renamed);
    let clashes = all.filter(|(name, span)| is_of_headers(name) && !is_exempt(program, span));
    for (name, span) in clashes {
        let found = refusal(span, format!("'{name}' is a name of the library, which generated code includes"));
        if !refusals.contains(&found) {
            refusals.push(found);
        }
    }
    refusals.sort_by_key(|refusal| (refusal.span.source, refusal.span.start));
    refusals
}

/// What other files may name of the shadows of variables: what each is, and its name.
pub(super) fn shadows<'p>(
    program: &'p Program,
    shadows: &'p BTreeMap<GlobalId, GlobalId>,
    what: &'p str,
) -> impl Iterator<Item = (String, String)> + 'p {
    let name = |id: &GlobalId| &program.globals[*id].name;
    let exported = shadows.iter().filter(|(_, shadow)| !program.hidden.contains(shadow));
    exported.map(move |(primal, shadow)| (format!("the {what} of '{}'", name(primal)), name(shadow).clone()))
}

impl Unit<'_> {
    /// The name of a function that a sweep calls.
    pub(super) fn function(&self, function: &Function) -> String {
        let name = self.helpers.called(function).unwrap_or_else(|| function.c_name());
        let mut called = self.called.lock().expect("nobody stops while it is locked");
        if !called.contains(&name) {
            called.insert(name.clone());
        }
        name
    }
}

/// Refuses what hides functions of C's library that the output calls: `called` has their names.
pub(super) fn hidden(program: &Program, called: &BTreeSet<&str>) -> Vec<Refusal> {
    let hides = |named: &&Named| called.contains(named.name.as_str()) && !is_prototype(named);
    program.c.named.iter().filter(hides).map(|named| refusal(named.span, of_c_as(&named.name))).collect()
}

/// Whether a name of the sources is that of a function of `math.h` which they declare themselves.
pub(super) fn is_of_mathematics(program: &Program, name: &str) -> bool {
    let mut all = program.c.named.iter().filter(|named| named.name == name).peekable();
    Function::lookup(name).is_some() && all.peek().is_some() && all.all(is_prototype)
}

fn is_prototype(named: &Named) -> bool {
    matches!(named.meaning, Meaning::Prototype(_))
}

fn of_c_as(name: &str) -> String {
    format!("generated code needs '{name}' as C's library has it")
}

fn refusal(span: Span, what: String) -> Refusal {
    Refusal { class: Class::Language, span, what, help: "give it another name".to_string() }
}

/// Functions of C's library that generated code calls beside those of `math.h`, and their types, with `size_t` as in
/// [`TYPES`].
const FUNCTIONS: [(&str, &str); 10] = [
    ("malloc", "void *(unsigned long)"),
    ("calloc", "void *(unsigned long, unsigned long)"),
    ("realloc", "void *(void *, unsigned long)"),
    ("free", "void (void *)"),
    ("abort", "void (void)"),
    ("exit", "void (int)"),
    ("memset", "void *(void *, int, unsigned long)"),
    ("memcpy", "void *(void *, const void *, unsigned long)"),
    ("memmove", "void *(void *, const void *, unsigned long)"),
    ("fprintf", "int (FILE *, const char *, ...)"),
];
/// Macros of C's headers, and a variable that may be one.
const MACROS: [&str; 4] = ["NULL", "NAN", "INFINITY", "stderr"];
/// Types of C's headers, and what they are where both compilers of the tests run.
const TYPES: [(&str, &str); 10] = [
    ("size_t", "unsigned long"),
    ("ptrdiff_t", "long"),
    ("int8_t", "signed char"),
    ("int16_t", "short"),
    ("int32_t", "int"),
    ("int64_t", "long"),
    ("uint8_t", "unsigned char"),
    ("uint16_t", "unsigned short"),
    ("uint32_t", "unsigned int"),
    ("uint64_t", "unsigned long"),
];

/// Whether a name that generated code needs means something else than in C's headers, so that these cannot be included.
fn is_another(named: &Named) -> bool {
    let name = named.name.as_str();
    if let Some((_, of_c)) = TYPES.iter().find(|(known, _)| *known == name) {
        // Headers of C name types of their own there.
        return !matches!(&named.meaning, Meaning::Type(text) if text == of_c || text.starts_with("__"));
    }
    if MACROS.contains(&name) {
        return !matches!(&named.meaning, Meaning::Variable(text) if name == "stderr" && text.contains("FILE"));
    }
    // Whether the types of functions fit: see [`of_another_type`].
    let is_function = matches!(named.meaning, Meaning::Function(_) | Meaning::Prototype(_));
    FUNCTIONS.iter().any(|(known, _)| *known == name) && !is_function
}

/// Refuses a function that C's headers, which stand behind the sources, declare with another type. A definition under the
/// name of a function of `math.h` is no such thing: the headers have another name for it then.
fn of_another_type(named: &Named) -> Option<Refusal> {
    let (ty, is_defined) = match &named.meaning {
        Meaning::Function(ty) => (ty, true),
        Meaning::Prototype(ty) => (ty, false),
        Meaning::Variable(_) | Meaning::Type(_) | Meaning::Enumerator(_) => return None,
    };
    let name = named.name.as_str();
    let known = FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, of_c)| of_c.to_string());
    let of_c = known.or_else(|| Function::lookup(name).filter(|_| !is_defined).and_then(|of| type_of(&of)))?;
    let what =
        format!("'{name}' has the type '{ty}' here and '{of_c}' in C's library, whose headers generated code needs");
    let help = if is_defined { "give it another name" } else { "include C's header instead of the declaration" };
    (!is_compatible(ty, &of_c)).then(|| Refusal { help: help.to_string(), ..refusal(named.span, what) })
}

/// The type of a function of `math.h`; none for what its header has as a macro for all widths.
fn type_of(function: &Function) -> Option<String> {
    let word = |ty: &Type| match ty {
        Type::Float { bits: 32 } => Some("float".to_string()),
        Type::Float { bits: 64 } => Some("double".to_string()),
        Type::Float { .. } => Some("long double".to_string()),
        Type::Int { .. } => ty.integer_name().map(str::to_string),
        Type::Void | Type::Pointer(_) | Type::Array(_) | Type::Struct(_) | Type::Opaque(_) => None,
    };
    let params: Option<Vec<String>> = (0..function.arity()).map(|at| word(&function.param_type(at)?)).collect();
    Some(format!("{} ({})", word(&function.result_type())?, params?.join(", ")))
}

/// Whether C takes two declarations of a function for one: without parameters to go by, a declaration fits all types that
/// arguments have by themselves.
fn is_compatible(ty: &str, of_c: &str) -> bool {
    let of_c_result = of_c.split('(').next();
    let (of_c, ty) = (of_c, ty.replace("struct _IO_FILE", "FILE"));
    let by_itself = !of_c.contains("...") && !of_c.split(['(', ',', ')']).skip(1).any(|param| param.trim() == "float");
    ty == of_c || ty.ends_with("()") && ty.split('(').next() == of_c_result && by_itself
}

/// The members with such a name, each with the place of its struct.
fn members(program: &Program, is_such: impl Fn(&str) -> bool + Copy) -> impl Iterator<Item = (&str, Span)> {
    let place = move |of: &Struct| {
        let name = of.name.split_whitespace().last().unwrap_or_default();
        let declared = program.c.declared.iter().find(|declared| declared.names.iter().any(|other| other == name));
        declared.map_or_else(Span::default, |declared| declared.span)
    };
    program.types.structs.iter().flat_map(move |of| {
        let named = of.declared().iter().filter(move |field| is_such(&field.name));
        let span = place(of);
        named.map(move |field| (field.name.as_str(), span))
    })
}

/// Whether a variable of a function may not have a name, because the sweeps of the function need it.
fn is_needed_inside(name: &str) -> bool {
    MACROS.contains(&name) || TYPES.iter().any(|(known, _)| *known == name)
}

/// Names at file scope, macros among them, and where each stands first.
fn at_file_scope<'p>(program: &'p Program, shadows: &BTreeMap<GlobalId, GlobalId>) -> FxHashMap<&'p str, Span> {
    let mut taken = FxHashMap::default();
    // A shadow is no name of the sources.
    let is_shadow = |at: usize| shadows.values().any(|shadow| shadow.index() == at);
    let own = program.globals.iter().enumerate().filter(|(at, _)| !is_shadow(*at));
    let globals = own.map(|(_, global)| (global.name.as_str(), global.span));
    for (name, span) in globals.chain(program.procs.iter().map(|proc| (proc.name.as_str(), proc.span))) {
        taken.entry(name).or_insert(span);
    }
    // A source may include what was generated from it before.
    let generated = |span: &Span| {
        program.sources.get(span.source as usize).is_some_and(|source| !source.main && is_generated(source))
    };
    for named in program.c.named.iter().filter(|named| !generated(&named.span)) {
        taken.entry(named.name.as_str()).or_insert(named.span);
    }
    for (name, _) in &program.c.preprocessed.macros {
        taken.entry(name).or_insert_with(|| definition(program, name));
    }
    taken
}

/// Where a macro is defined; nowhere if the command line or a header does that which nothing else is used of.
fn definition(program: &Program, name: &str) -> Span {
    let find = |(number, source): (usize, &Source)| {
        let at = directives(&source.text).find(|line| line.defines && line.name == name)?.at;
        let line = source.text[..at].matches('\n').count() as u32 + 1;
        let end = source.text[at..].find('\n').map_or(source.text.len(), |length| at + length);
        Some(Span { source: number as u32, start: at as u32, end: end as u32, line, column: 1 })
    };
    program.sources.iter().enumerate().find_map(find).unwrap_or_default()
}

/// Whether a place is in a header of the library or in a generated file, which have its names rightly.
fn is_exempt(program: &Program, span: &Span) -> bool {
    let Some(source) = program.sources.get(span.source as usize).filter(|_| span.line > 0) else { return false };
    let home = beginning::home(program, span).unwrap_or_default();
    is_library_header(home) || is_generated(source)
}

fn is_generated(source: &Source) -> bool {
    source.text.lines().next().is_some_and(|line| line.ends_with(SIGNATURE))
}
