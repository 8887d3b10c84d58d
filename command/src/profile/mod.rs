//! Profiles, which a program writes in profile mode: `adtape report` and `adtape diff`.
//!
//! ```text
//!   file  --read-->  Profile  --sites-->  a row for each call site  --tables-->  text
//!                                                                   --page---->  one HTML file, with pictures
//! ```

mod changes;
mod json;
mod page;
mod read;
mod sites;
mod tables;

use crate::say;
use std::path::Path;

/// `adtape report`: tables or JSON on standard output and, if it is asked for, a page.
pub fn report(file: &str, html: Option<&str>, as_json: bool) -> Result<(), u8> {
    let page = html.map(|page| page_name(file, page)).transpose()?;
    let profile = read::read(Path::new(file))?;
    say::print(&if as_json { json::report(&profile) } else { tables::report(&profile) });
    match page {
        None => Ok(()),
        Some(page) => {
            say::write(&page, &page::html(&profile, file))?;
            if !as_json {
                say::print(&format!("\npage: {page}\n"));
            }
            Ok(())
        }
    }
}

/// `adtape diff`: what the second program pushes more or less than the first, by site.
pub fn diff(old: &str, new: &str) -> Result<(), u8> {
    let (old, new) = (read::read(Path::new(old))?, read::read(Path::new(new))?);
    say::print(&changes::table(&old, &new));
    Ok(())
}

/// The page's name: as given, or beside the profile.
fn page_name(file: &str, page: &str) -> Result<String, u8> {
    if page.is_empty() {
        return Ok(Path::new(file).with_extension("html").display().to_string());
    }
    say::must_end(page, "page", ".html").map(|()| page.to_owned())
}
