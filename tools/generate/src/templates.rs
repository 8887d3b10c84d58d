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
//!
//! `kinds` names a set of `kinds.rs`, `ranks` is the least and the most. `symbol` is the pattern of the name in C. The
//! glue's function is written unless `glue=false`; it calls `calls`, else the library's function of the same name, with
//! the session as argument number `session`, from 0. With `direct=true` the form with a handle is the library's function.

use crate::call::Call;
use crate::fortran::{Binding, body};
use crate::kinds::{self, KINDS};
use crate::variant::{self, Variant, colons};
use crate::{fortran, glue, header};
use minijinja::value::{Kwargs, Rest, Value};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, context};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// What a template declares beside its own text.
#[derive(Debug, Default)]
pub struct Declared {
    /// Functions of the glue.
    pub glue: String,
    /// Public names of the module.
    pub public: BTreeSet<String>,
}

type Shared = Arc<Mutex<Declared>>;

fn invalid(what: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}

/// Renders the template of this name; `header` is `adtape/declarations.h`. Returns its text and what it declares.
pub fn render(name: &str, source: &str, header: &str) -> Result<(String, Declared), Error> {
    let shared = Shared::default();
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_keep_trailing_newline(true);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    let state = shared.clone();
    environment.add_function("c", move |text: &str, options: Kwargs| bound(&state, text, &options, false));
    let state = shared.clone();
    environment.add_function("call", move |text: &str, options: Kwargs| called(&state, text, &options));
    environment.add_function("external", external);
    let state = shared.clone();
    environment.add_function("interface", move |name: &str, bodies: Rest<String>| {
        publish(&state, name);
        format!("  interface {name}\n{}  end interface", bodies.concat())
    });
    let text = header.to_owned();
    environment.add_function("constants", move |prefix: &str| header::constants(&text, prefix).map_err(invalid));
    let text = header.to_owned();
    environment.add_function("structure", move |of_c: &str, name: &str, options: Kwargs| {
        let private = options.get::<Option<bool>>("private")?.unwrap_or(false);
        options.assert_all_used()?;
        header::structure(&text, of_c, name, private).map_err(invalid)
    });
    environment.add_filter("colons", |rank: usize| colons(rank));
    environment.add_template(name, source)?;
    let text = environment.get_template(name)?.render(context! {
        kinds => KINDS.map(Value::from_serialize),
        ranks => (0..=7).collect::<Vec<usize>>(),
    })?;
    let declared = std::mem::take(&mut *shared.lock().expect("no panic before"));
    Ok((text, declared))
}

fn publish(state: &Shared, name: &str) {
    if !name.starts_with("glue_") {
        state.lock().expect("no panic before").public.insert(name.to_owned());
    }
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
    let session = options.get::<Option<usize>>("session")?;
    options.assert_all_used()?;
    let pattern = symbol.unwrap_or_else(|| format!("adtape_fortran_{{self_}}{}{{suffix}}", glue::bare(&call.name)));
    let variants = variant::all(&call, &kinds, &ranks);
    let alone = only && variants.len() == 1;
    if writes_glue {
        for variant in &variants {
            let function = glue::function(variant, &pattern, calls.as_deref(), session);
            state.lock().expect("no panic before").glue += &function;
        }
    }
    Ok(bodies(&variants, &Binding::C(pattern), alone))
}

fn called(state: &Shared, text: &str, options: &Kwargs) -> Result<String, Error> {
    let bodies = bound(state, text, options, true)?;
    let name = text.split('(').next().unwrap_or_default();
    publish(state, name);
    // A procedure of its own name is no specific procedure of a generic.
    let alone = bodies.contains(&format!(" {name}("));
    Ok(format!("  interface{}\n{bodies}  end interface", if alone { String::new() } else { format!(" {name}") }))
}

fn external(text: &str, options: Kwargs) -> Result<String, Error> {
    let call = Call::parse(text).map_err(invalid)?;
    let (kinds, ranks) = sets(&options)?;
    options.assert_all_used()?;
    Ok(bodies(&variant::all(&call, &kinds, &ranks), &fortran::Binding::External, false))
}
