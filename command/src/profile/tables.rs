//! `adtape report` as text.

use super::read::{Driver, Profile};
use super::sites::{Row, routines, rows, to_win};
use crate::say::{bytes, columns, grouped, name, plural, seconds, share};
use std::collections::BTreeSet;

/// Sites that are listed.
const SITES: usize = 25;

/// All tables of a profile.
pub fn report(profile: &Profile) -> String {
    let process = &profile.process;
    let mut text = format!(
        "profile of {} (process {}, adtape {}), {}\n",
        name(or_unknown(&process.program)),
        process.pid,
        name(or_unknown(&process.adtape)),
        seconds(process.seconds)
    );
    text += &format!(
        "tape: {} at its peak; {} in {} pushed in all\n",
        bytes(process.tape_peak),
        bytes(process.tape_bytes),
        plural(process.operations, "operation")
    );
    if process.estimated {
        text += &format!("{ESTIMATED}\n");
    }
    let rows = rows(profile);
    if rows.is_empty() {
        return text + "nothing was pushed: there is nothing to say by site\n";
    }
    text += &by_site(&rows, process.tape_peak);
    text += &by_routine(profile, process.tape_peak);
    text += &not_needed(&rows, process.tape_bytes);
    text += &threads(profile);
    text + &drivers(profile)
}

/// Said where a profile was too costly to count in full.
pub const ESTIMATED: &str = "estimated: behind the first million pushes of a tape, samples stand for the others";

fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "?" } else { text }
}

fn heads(heads: &[&str]) -> Vec<String> {
    heads.iter().map(|head| (*head).to_owned()).collect()
}

fn by_site(rows: &[Row], peak: u64) -> String {
    let mut table = vec![heads(&["site", "type", "pushes", "bytes", "at peak", "of peak"])];
    for row in rows.iter().take(SITES) {
        table.push(vec![
            row.name.clone(),
            row.kinds.clone(),
            grouped(row.amount.operations),
            bytes(row.amount.bytes),
            bytes(row.at_peak),
            share(row.at_peak, peak),
        ]);
    }
    format!("\npushes by call site\n{}{}", columns(&table, 2), others(rows))
}

/// A line for the sites that the table leaves out.
fn others(rows: &[Row]) -> String {
    let Some(rest) = rows.get(SITES..).filter(|rest| !rest.is_empty()) else { return String::new() };
    let sum = rest.iter().map(|row| row.amount.bytes).sum();
    format!("  and {} with {} in all\n", plural(rest.len() as u64, "more site"), bytes(sum))
}

/// Sums by routine, where one has several sites; else the table of sites says it.
fn by_routine(profile: &Profile, peak: u64) -> String {
    let rows = routines(profile);
    if rows.iter().all(|row| row.sites < 2) {
        return String::new();
    }
    let mut table = vec![heads(&["routine", "sites", "pushes", "bytes", "at peak", "of peak", "not needed"])];
    for row in rows.iter().take(SITES) {
        table.push(vec![
            row.name.clone(),
            grouped(row.sites),
            grouped(row.amount.operations),
            bytes(row.amount.bytes),
            bytes(row.at_peak),
            share(row.at_peak, peak),
            bytes(row.to_win),
        ]);
    }
    let rest = rows.get(SITES..).unwrap_or_default();
    let others = match rest.len() {
        0 => String::new(),
        n => {
            let sum = rest.iter().map(|row| row.amount.bytes).sum();
            format!("  and {} with {} in all\n", plural(n as u64, "more routine"), bytes(sum))
        }
    };
    format!("\npushes by routine\n{}{others}", columns(&table, 1))
}

fn not_needed(rows: &[Row], pushed: u64) -> String {
    let (wins, all) = to_win(rows);
    if wins.is_empty() {
        return String::new();
    }
    let mut table = vec![heads(&["site", "still held", "repeated", "unchanged", "never changed", "of its bytes"])];
    for row in wins.iter().take(SITES) {
        let win = row.bytes_to_win();
        table.push(vec![
            row.name.clone(),
            bytes(row.still_held.bytes),
            bytes(row.repeated.bytes),
            bytes(row.unchanged.bytes),
            share(row.never_changed, row.amount.bytes),
            share(win, row.amount.bytes),
        ]);
    }
    format!(
        "\nwhat need not have been stored in this run, perhaps: {} of {} pushed ({})\n{}\
         {NOT_NEEDED}",
        bytes(all),
        bytes(pushed),
        share(all, pushed),
        columns(&table, 1)
    )
}

/// What the columns mean; the page says the same.
pub const NOT_NEEDED: &str = "  still held: the variable had the value at its pop anyway\n  \
    repeated: the value was that of the push before it at the site\n  \
    unchanged: the array was pushed from the same place before and had not changed, or this part of it had not\n  \
    never changed: the share of its bytes that was so at each push\n  \
    a hint, no proof: another run may differ\n";

fn threads(profile: &Profile) -> String {
    if profile.threads.len() < 2 {
        return String::new();
    }
    let mut table = vec![heads(&["thread", "pushes", "bytes", "peak"])];
    for thread in &profile.threads {
        let name = if thread.name.is_empty() { String::new() } else { format!(" ({})", thread.name) };
        table.push(vec![
            format!("{}{name}", thread.number),
            grouped(thread.amount.operations),
            bytes(thread.amount.bytes),
            bytes(thread.peak),
        ]);
    }
    format!("\nthreads\n{}", columns(&table, 1))
}

fn drivers(profile: &Profile) -> String {
    if profile.drivers.is_empty() {
        return String::new();
    }
    let mut table = vec![heads(&["run", "schedule", "steps", "snapshots", "steps run forward", "of the loop"])];
    for driver in &profile.drivers {
        let forward = steps_forward(profile, driver);
        table.push(vec![
            driver.run.to_string(),
            driver.schedule.clone(),
            if driver.steps > 0 { grouped(driver.steps) } else { "-".to_owned() },
            if driver.snapshots > 0 { grouped(driver.snapshots) } else { "-".to_owned() },
            forward.map_or("-".to_owned(), |(forward, _)| grouped(forward)),
            forward.map_or("-".to_owned(), |(forward, steps)| format!("{:.2} times", forward as f64 / steps as f64)),
        ]);
    }
    format!("\nruns of drivers\n{}", columns(&table, 2))
}

/// Forward steps of a driver's run, those with recording too, and the steps of its loop; None if the profile does not have
/// all of its actions.
pub fn steps_forward(profile: &Profile, driver: &Driver) -> Option<(u64, u64)> {
    let (mut recorded, mut forward, mut reversed) = (BTreeSet::new(), 0, 0);
    for action in profile.actions.iter().filter(|action| action.run == driver.run) {
        match action.action.as_str() {
            "advance" => forward += action.to.unwrap_or(action.step + 1).saturating_sub(action.step),
            "record" => forward += u64::from(recorded.insert(action.step)),
            "reverse" => {
                // With recording, if it was not recorded before.
                forward += u64::from(!recorded.remove(&action.step));
                reversed += 1;
            }
            _ => {}
        }
    }
    let whole = reversed > 0 && (driver.steps == 0 || driver.steps == reversed);
    whole.then_some((forward, reversed))
}
