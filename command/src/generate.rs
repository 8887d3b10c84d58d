//! From sources to generated files.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use adtape_generate::emit::{self, Options, Output};
use adtape_generate::plan::again::{self, Named};
use adtape_generate::transform::{self, Choices};

use crate::job::{Job, TANGENT, output};
use crate::messages::{Level, Message, emit};
use crate::options::{Common, What, Wishes};
use crate::{check, explain, report, say};

impl Wishes {
    fn suffix(&self) -> &'static str {
        if self.vector.is_some() { "_bv" } else { "_b" }
    }

    fn choices(&self, one_call: bool) -> Choices {
        let again = self.again.iter().map(|text| Named::parse(text)).collect();
        let checkpoints = self.checkpoint.clone();
        let Wishes { dear, split, derivatives_only, value, in_order, vector, .. } = *self;
        let most = Choices { again, checkpoints, dear, one_call, split, ..Choices::default() };
        Choices { derivatives_only, value, in_order, vector, ..most }
    }
}

/// `adtape adjoint`; the exit status where it fails.
pub fn adjoint(common: &Common, wishes: &Wishes) -> Result<(), u8> {
    let job = Job::new(common, wishes.suffix())?;
    if job.prints && wishes.explain {
        return Err(say::error("-o - and --explain both print", "name a file with -o, or one for --explain-html", 2));
    }
    let choices = wishes.choices(common.one_call);
    if let Some(what) = again::unknown(&job.program, &choices.again) {
        return Err(say::plain(&format!("--again: {what}"), 2));
    }
    let names: Vec<Named> = choices.checkpoints.iter().map(|(name, _)| name.clone()).collect();
    if let Some(what) = again::unknown(&job.program, &names) {
        return Err(say::plain(&format!("--checkpoint: {what}"), 2));
    }
    let adjoint = transform::adjoint(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
    // The process ends soon, and nobody needs the memory back piece by piece.
    let adjoint = ManuallyDrop::new(adjoint);
    let output = if wishes.tangent {
        let tangents = transform::tangent(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
        emit::with_tangent(&adjoint, &tangents, &job.options())
    } else {
        emit::adjoint(&adjoint, &job.options())
    };
    let output = output.map_err(|all| job.refused(&all))?;
    // Nothing is written before all that can be refused is there.
    let checked =
        wishes.check.as_ref().map(|driver| checked(&job, wishes).map(|output| (driver, output))).transpose()?;
    job.write(&output)?;
    report::dropped(&job.program, &job.files);
    if adjoint.demotions > 0 {
        let values = if adjoint.demotions == 1 { "value is" } else { "values are" };
        let why = "because computing again could not be proved right; please report this program";
        let what = format!("{} {values} stored, {why}", adjoint.demotions);
        let (text, places, help) = (format!("adtape: note: {what}\n"), Vec::new(), String::new());
        emit(Message { level: Level::Note, code: "stored-instead", what, help, places, text });
    }
    if wishes.explain {
        say::print(&explain::text(&adjoint, &job.files));
    }
    if let Some(file) = &wishes.explain_html {
        if job.reads_or_writes(Path::new(file)) {
            return Err(say::error(
                &format!("{file} is no name for the page: it is read or written"),
                "name another",
                2,
            ));
        }
        say::write(file, &explain::page(&adjoint))?;
    }
    match checked {
        Some((driver, output)) => check::run(&output, &job, driver),
        None => Ok(()),
    }
}

/// The adjoint that checks itself.
fn checked(job: &Job, wishes: &Wishes) -> Result<Output, u8> {
    let choices = Choices { check: true, vector: None, ..wishes.choices(job.one_call) };
    let adjoint = transform::adjoint(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
    let includes = job.files.iter().enumerate().map(|(k, file)| check::include(k, file)).collect();
    let options = Options { includes, ..job.options() };
    let tangents = transform::tangent(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
    emit::checked(&adjoint, &tangents, &options).map_err(|all| job.refused(&all))
}

/// `adtape tangent`.
pub fn tangent(common: &Common) -> Result<(), u8> {
    let job = Job::new(common, TANGENT)?;
    let choices = Choices { one_call: common.one_call, ..Choices::default() };
    let tangents = transform::tangent(&job.program, &job.heads, &choices).map_err(|all| job.refused(&all))?;
    let output = emit::tangent(&tangents, &job.options()).map_err(|all| job.refused(&all))?;
    job.write(&output)?;
    report::dropped(&job.program, &job.files);
    Ok(())
}

/// The file that a command writes.
pub fn output_of(what: &What) -> PathBuf {
    match what {
        What::Adjoint { common, wishes } => output(common, wishes.suffix()),
        What::Tangent { common } => output(common, TANGENT),
        _ => PathBuf::new(),
    }
}

/// Performs a command that writes generated files, and compares them with those that are there.
pub fn compare(what: What) -> Result<(), u8> {
    match what {
        What::Adjoint { common, wishes } => adjoint(&Common { compares: true, ..common }, &wishes),
        What::Tangent { common } => tangent(&Common { compares: true, ..common }),
        _ => Ok(()),
    }
}
