//! Fortran: from the tree and the names of `adtape_fortran` to the intermediate representation.
//!
//! ```text
//!   texts ──► reach ────────────────► procedure ──► statement, loops, call
//!   files,    what heads call, how      dummies,      assign, arrays ──► place, expression, intrinsic
//!   places    arguments are passed      locals        forall, associate, allocation
//! ```
//!
//! A scalar dummy that no procedure writes is a value; others are pointers. Arrays are pointers to their first element,
//! dimensions from the last to the first, subscripts from 0: the lower bounds stay with the front end, and the emitter
//! adds constant ones again. An array of assumed shape brings its extents along, as parameters behind the others.

mod allocation;
mod arrays;
mod assign;
mod associate;
mod bound;
mod call;
mod components;
mod constructor;
mod data;
mod derived;
mod dummies;
mod expression;
mod files;
mod forall;
mod hosted;
mod intrinsic;
mod jumps;
mod lasting;
mod loops;
mod make;
mod makers;
mod memory;
mod operators;
mod packed;
mod passive;
mod phrases;
mod place;
mod powers;
mod procedure;
mod reach;
mod rearranged;
mod reductions;
mod returned;
mod state;
mod statement;
mod storage;
mod stretches;
mod text;
mod texts;
mod types;
mod written_out;

use super::{Input, Unread};
use crate::ir::{Fortran, GlobalId, Program};
use crate::refuse::{Class, Refusal};
use adtape_fortran::{read as read_text, scope};
use state::Reader;
use std::collections::BTreeSet;
use std::sync::Arc;
use texts::Texts;

/// Whether a file is named as Fortran is.
pub fn is_fortran(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(extension.as_str(), "f" | "for" | "ftn" | "f77" | "fpp" | "f90" | "f95" | "f03" | "f08" | "f18")
}

/// Reads the sources.
///
/// # Errors
/// All refusals that were met, in the order of the sources.
pub fn read(input: &Input) -> Result<Program, Unread> {
    let mut texts = Texts::default();
    for path in &input.files {
        texts
            .load(path, &input.arguments)
            .map_err(|refusal| Unread { refusals: vec![refusal], sources: Vec::new() })?;
    }
    texts.number_included();
    let readings: Vec<_> = texts.sources.iter().map(|text| read_text(&text.source, text.form)).collect();
    let mut refusals = Vec::new();
    for (file, reading) in readings.iter().enumerate() {
        let said = reading.messages.iter();
        refusals.extend(said.map(|message| language(&mut texts, file, message)));
    }
    if !refusals.is_empty() {
        return Err(texts.unread(refusals));
    }
    let files: Vec<_> = readings.iter().map(|reading| &reading.file).collect();
    let names = scope::resolve(&files);
    let refusals: Vec<Refusal> =
        names.messages.iter().map(|(file, message)| language(&mut texts, *file, message)).collect();
    if !refusals.is_empty() {
        return Err(texts.unread(refusals));
    }
    let operators = operators::operators(&names);
    let mut reader = Reader::new(&names, &operators, texts);
    // Names have no case there.
    reader.left_out = input.passive.iter().map(|name| name.to_ascii_lowercase()).collect();
    reader.fortran.files = files.iter().map(|file| files::modules(file)).collect();
    for (number, file) in reader.fortran.files.iter_mut().enumerate() {
        file.copied = reader.texts.copied(number);
    }
    reader.heads(&input.heads);
    reader.lower();
    if !reader.refusals.is_empty() {
        let mut refusals = std::mem::take(&mut reader.refusals);
        refusals.sort_by_key(|refusal| (refusal.span.source, refusal.span.start));
        refusals.dedup();
        return Err(reader.texts.unread(refusals));
    }
    Ok(reader.finish())
}

/// What the reader of a text says, as a refusal.
fn language(texts: &mut Texts, file: usize, message: &adtape_fortran::message::Message) -> Refusal {
    Refusal {
        class: Class::Language,
        span: texts.span(file, message.span),
        what: message.text.clone(),
        help: String::new(),
    }
}

impl Reader<'_> {
    fn finish(self) -> Program {
        let mut fortran: Fortran = self.fortran;
        fortran.taken.extend(self.names.externals().map(str::to_string));
        // Sets have no order of their own.
        fortran.taken.sort();
        fortran.taken.dedup();
        // Nothing but the procedure itself names what it keeps.
        let kept: BTreeSet<GlobalId> = self.statics.iter().flat_map(|declared| &declared.globals).copied().collect();
        Program {
            types: self.types,
            statics: self.statics,
            hidden: kept.clone(),
            closed: kept,
            sources: self.texts.files.into(),
            globals: self.globals,
            procs: self.procs.into_iter().flatten().collect(),
            fortran: Some(Arc::new(fortran)),
            ..Program::default()
        }
    }
}
