//! Templates and what they can call.
//!
//! | in a template | is |
//! |---|---|
//! | `call("mark_take(t?, mark: out mark, stat)")` | a generic and its procedures, bound to the glue, which is written too |
//! | `interface("push", c(…), external(…))` | a generic of procedures of several declarations |
//! | `c("…", kinds=, symbol=)` | procedures bound to functions of C |
//! | `external("…", kinds=, ranks=)` | procedures that are externals of Fortran |
//! | `constants("ADTAPE_TYPE_")` | the header's constants with this prefix |
//! | `structure("adtape_stats_t", "adtape_stats", private=)` | the header's structure, as a derived type of this name |
//! | `reference("adtape_mark_take", …, title=)` | a section of the reference: functions, calls in Fortran, examples of the first's name |
//! | `examples("scalar")` | examples of this name |
//! | `fields("adtape_stats_t")`, `values("ADTAPE_STATUS_")` | a table of a structure's fields, of constants |
//! | `types()` | the table of types |
//!
//! A function whose name ends in `<type>` stands for a family; its examples' names end in `type`.
//!
//! `kinds` names a set of `kinds.rs`, `ranks` is the least and the most. `symbol` is the pattern of the name in C. The
//! glue's function is written unless `glue=false`; it calls `calls`, else the library's function of the same name, with
//! NULL, the objects of the process, as argument number `objects`, from 0. With `direct=true` the form with a handle is
//! the library's function.

use crate::call::Call;
use crate::fortran::{Binding, body};
use crate::kinds::{self, KINDS};
use crate::reference::{Form, Forms};
use crate::variant::{self, Variant, colons};
use crate::{glue, header, reference, types};
use minijinja::value::{Kwargs, Rest, Value};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, context};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// What a template declares beside its own text.
#[derive(Debug, Default)]
pub struct Declared {
    /// Functions of the glue.
    pub glue: String,
    /// Public names of the module.
    pub public: BTreeSet<String>,
    /// Calls in Fortran.
    pub forms: Forms,
    /// Declarations that no generic has yet.
    pending: Vec<Call>,
}

/// What templates read beside their own text.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The headers of C, one after the other.
    pub header: String,
    /// The headers of inlined code.
    pub inlined: String,
    /// Calls in Fortran.
    pub forms: Forms,
    /// The reference's examples by name of file.
    pub examples: BTreeMap<String, String>,
}

impl Sources {
    /// What the headers say of a function.
    pub fn function(&self, name: &str) -> Result<header::Function, String> {
        header::inlined(&self.inlined, name).map_or_else(|| header::function(&self.header, name), Ok)
    }
}

type Shared = Arc<Mutex<Declared>>;

fn invalid(what: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}

/// Renders the template of this name; returns its text and what it declares.
pub fn render(name: &str, source: &str, sources: &Arc<Sources>) -> Result<(String, Declared), Error> {
    let shared = Shared::default();
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_keep_trailing_newline(true);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    let state = shared.clone();
    environment.add_function("c", move |text: &str, options: Kwargs| bound(&state, text, &options, false));
    let (state, read) = (shared.clone(), sources.clone());
    environment.add_function("call", move |text: &str, options: Kwargs| called(&state, &read, text, &options));
    let state = shared.clone();
    environment.add_function("external", move |text: &str, options: Kwargs| external(&state, text, options));
    let (state, read) = (shared.clone(), sources.clone());
    environment.add_function("interface", move |name: &str, bodies: Rest<String>| {
        let forms = publish(&state, name);
        let comment = comment(&read, &format!("adtape_{}", glue::bare(name)), name, &forms);
        format!("{comment}  interface {name}\n{}  end interface", bodies.concat())
    });
    add_header(&mut environment, sources);
    add_reference(&mut environment, sources);
    environment.add_filter("colons", |rank: usize| colons(rank));
    environment.add_template(name, source)?;
    let text = environment.get_template(name)?.render(context! {
        kinds => KINDS.map(Value::from_serialize),
        ranks => (0..=7).collect::<Vec<usize>>(),
    })?;
    let declared = std::mem::take(&mut *shared.lock().expect("no panic before"));
    Ok((text, declared))
}

/// What templates take from the header.
fn add_header(environment: &mut Environment, sources: &Arc<Sources>) {
    let read = sources.clone();
    environment.add_function("constants", move |prefix: &str| header::constants(&read.header, prefix).map_err(invalid));
    let read = sources.clone();
    environment.add_function("structure", move |of_c: &str, name: &str, options: Kwargs| {
        let private = options.get::<Option<bool>>("private")?.unwrap_or(false);
        options.assert_all_used()?;
        header::structure(&read.header, of_c, name, private).map_err(invalid)
    });
}

/// What pages of the reference take from the header and the examples.
fn add_reference(environment: &mut Environment, sources: &Arc<Sources>) {
    let read = sources.clone();
    environment.add_function("reference", move |names: Rest<String>, options: Kwargs| {
        let title = options.get::<Option<String>>("title")?;
        options.assert_all_used()?;
        let name = names.first().and_then(|name| name.strip_prefix("adtape_")).unwrap_or_default();
        let examples = named(&read, &name.replace("<type>", "type"));
        let functions = names.iter().map(|name| read.function(name)).collect::<Result<_, _>>().map_err(invalid)?;
        Ok::<_, Error>(reference::section(title, functions, &read.forms, &examples))
    });
    let read = sources.clone();
    environment.add_function("examples", move |name: &str| {
        let blocks = examples(&read, name)?;
        let text: String = blocks.iter().map(|(language, text)| reference::fenced(language, text)).collect();
        Ok::<_, Error>(text.trim_end().to_owned())
    });
    let read = sources.clone();
    environment.add_function("fields", move |name: &str| reference::fields(&read.header, name).map_err(invalid));
    let read = sources.clone();
    environment.add_function("values", move |prefix: &str| reference::values(&read.header, prefix).map_err(invalid));
    let read = sources.clone();
    environment.add_function("types", move || types::table(&read.header, &read.inlined).map_err(invalid));
}

/// The examples of a name: `name.c`, what it prints in `name.c.txt`, `name.f90`, each with its language.
fn named(sources: &Sources, name: &str) -> Vec<(String, String)> {
    let endings = [(".c", "c"), (".c.txt", "text"), (".f90", "fortran"), (".f90.txt", "text")];
    let named = endings.iter().filter_map(|(ending, language)| {
        let text = sources.examples.get(&format!("{name}{ending}"))?;
        Some(((*language).to_owned(), text.clone()))
    });
    named.collect()
}

/// The examples of a name; an error if there are none.
fn examples(sources: &Sources, name: &str) -> Result<Vec<(String, String)>, Error> {
    let found = named(sources, name);
    if found.is_empty() { Err(invalid(format!("there is no example {name}.c or {name}.f90"))) } else { Ok(found) }
}

/// What stands before an interface: its calls, and what the function of C that it is for does, if there is one; the
/// reference has the rest.
fn comment(sources: &Sources, function: &str, name: &str, forms: &[Form]) -> String {
    let Ok(found) = sources.function(function) else { return String::new() };
    let said = found.comment.replace('\n', " ");
    let sentence = said.split_once(". ").map_or(said.trim_end_matches('.'), |(first, _)| first);
    let mut calls: Vec<&str> = Vec::new();
    for form in forms {
        if !calls.contains(&form.text.as_str()) {
            calls.push(&form.text);
        }
    }
    if calls.is_empty() {
        calls.push(name);
    }
    reference::wrapped_behind("  ! ", &format!("{}: {sentence}. See {function}.", calls.join(", ")))
}

/// A generic is public, unless only the module calls it; its declarations are its calls in Fortran, which are returned.
fn publish(state: &Shared, name: &str) -> Vec<Form> {
    let mut declared = state.lock().expect("no panic before");
    let forms: Vec<Form> = std::mem::take(&mut declared.pending).iter().flat_map(|call| call.forms(name)).collect();
    if !name.starts_with("glue_") {
        declared.public.insert(name.to_owned());
        let known = declared.forms.entry(format!("adtape_{}", glue::bare(name))).or_default();
        for form in &forms {
            if !known.iter().any(|other| other.text == form.text) {
                known.push(form.clone());
            }
        }
    }
    forms
}

/// The sets of kinds and ranks that a declaration is for.
fn sets(options: &Kwargs) -> Result<(Vec<kinds::Pairing>, Vec<usize>), Error> {
    let kinds = match options.get::<Option<String>>("kinds")? {
        Some(name) => kinds::set(&name).ok_or_else(|| invalid(format!("no set of kinds is named {name}")))?,
        None => Vec::new(),
    };
    let ranks = match options.get::<Option<Vec<usize>>>("ranks")?.as_deref() {
        Some([least, most]) => (*least..=*most).collect(),
        Some(_) => return Err(invalid("ranks are the least and the most".to_owned())),
        None => Vec::new(),
    };
    Ok((kinds, ranks))
}

/// Interface bodies with the conditions of their kinds around them.
fn bodies(variants: &[Variant], binding: &Binding, alone: bool) -> String {
    let mut text = String::new();
    let mut condition = "";
    for variant in variants {
        if variant.condition() != condition {
            text += if condition.is_empty() { "" } else { "#endif\n" };
            condition = variant.condition();
            text += condition;
            text += if condition.is_empty() { "" } else { "\n" };
        }
        text += &body(variant, binding, alone, 4);
    }
    text + if condition.is_empty() { "" } else { "#endif\n" }
}

fn bound(state: &Shared, text: &str, options: &Kwargs, only: bool) -> Result<String, Error> {
    let call = Call::parse(text).map_err(invalid)?;
    let (kinds, ranks) = sets(options)?;
    let direct = options.get::<Option<bool>>("direct")?.unwrap_or(false);
    let symbol = match options.get::<Option<String>>("symbol")? {
        None if direct => Some(format!("adtape_{{fortran_self_}}{}", call.name)),
        symbol => symbol,
    };
    let writes_glue = options.get::<Option<bool>>("glue")?.unwrap_or(symbol.is_none() && kinds.is_empty());
    let calls = options.get::<Option<String>>("calls")?;
    let objects = options.get::<Option<usize>>("objects")?;
    options.assert_all_used()?;
    let pattern = symbol.unwrap_or_else(|| format!("adtape_fortran_{{self_}}{}{{suffix}}", glue::bare(&call.name)));
    let variants = variant::all(&call, &kinds, &ranks);
    let alone = only && variants.len() == 1;
    if writes_glue {
        for variant in &variants {
            let function = glue::function(variant, &pattern, calls.as_deref(), objects);
            state.lock().expect("no panic before").glue += &function;
        }
    }
    state.lock().expect("no panic before").pending.push(call.clone());
    Ok(bodies(&variants, &Binding::C(pattern), alone))
}

fn called(state: &Shared, sources: &Sources, text: &str, options: &Kwargs) -> Result<String, Error> {
    let calls = options.get::<Option<String>>("calls")?;
    let bodies = bound(state, text, options, true)?;
    let name = text.split('(').next().unwrap_or_default();
    let forms = publish(state, name);
    let function = match &calls {
        Some(calls) => calls.split('(').next().unwrap_or_default().to_owned(),
        None => format!("adtape_{}", glue::bare(name)),
    };
    let comment = if name.starts_with("glue_") { String::new() } else { comment(sources, &function, name, &forms) };
    // A procedure of its own name is no specific procedure of a generic.
    let alone = bodies.contains(&format!(" {name}("));
    Ok(format!(
        "{comment}  interface{}\n{bodies}  end interface",
        if alone { String::new() } else { format!(" {name}") }
    ))
}

fn external(state: &Shared, text: &str, options: Kwargs) -> Result<String, Error> {
    let call = Call::parse(text).map_err(invalid)?;
    let (kinds, ranks) = sets(&options)?;
    options.assert_all_used()?;
    state.lock().expect("no panic before").pending.push(call.clone());
    Ok(bodies(&variant::all(&call, &kinds, &ranks), &Binding::External, false))
}
