//! `adtape diff`: two profiles beside each other. Sites are compared by file, line and function; where lines have moved,
//! by file and function, if the site is the only one there in both.

use super::read::Profile;
use super::sites::{Row, rows};
use crate::say::{bytes, change, columns, grouped, plural, signed};
use std::collections::BTreeMap;

/// Sites that are listed.
const SITES: usize = 40;

struct Change {
    name: String,
    old: Row,
    new: Row,
}

impl Change {
    fn is_none(&self) -> bool {
        self.old.amount == self.new.amount && self.old.at_peak == self.new.at_peak
    }

    fn bytes(&self) -> u64 {
        self.old.amount.bytes.abs_diff(self.new.amount.bytes)
    }
}

/// What grew, what shrank, the largest change first.
pub fn table(old: &Profile, new: &Profile) -> String {
    let (a, b) = (&old.process, &new.process);
    let mut totals = vec![["", "before", "after", "change"].map(str::to_owned).to_vec()];
    for (name, old, new) in
        [("tape at its peak", a.tape_peak, b.tape_peak), ("bytes pushed", a.tape_bytes, b.tape_bytes)]
    {
        totals.push(vec![name.to_owned(), bytes(old), bytes(new), relative(old, new)]);
    }
    let operations = [a.operations, b.operations].map(grouped);
    totals.push(vec![
        "operations".into(),
        operations[0].clone(),
        operations[1].clone(),
        signed(a.operations, b.operations, grouped),
    ]);
    let mut changes = changes(rows(old), rows(new));
    let all = changes.len();
    changes.retain(|change| !change.is_none());
    let mut text = columns(&totals, 1);
    if changes.is_empty() {
        return text + &format!("\nno change at {}\n", plural(all as u64, "site"));
    }
    changes.sort_by(|a, b| b.bytes().cmp(&a.bytes()).then_with(|| a.name.cmp(&b.name)));
    let head = ["site", "bytes before", "after", "change", "pushes", "at peak"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for one in changes.iter().take(SITES) {
        table.push(vec![
            one.name.clone(),
            bytes(one.old.amount.bytes),
            bytes(one.new.amount.bytes),
            change(one.old.amount.bytes, one.new.amount.bytes),
            signed(one.old.amount.operations, one.new.amount.operations, grouped),
            change(one.old.at_peak, one.new.at_peak),
        ]);
    }
    text += &format!("\nwhat changed by call site\n{}", columns(&table, 1));
    if let Some(rest) = changes.len().checked_sub(SITES).filter(|rest| *rest > 0) {
        text += &format!("  and {} with smaller changes\n", plural(rest as u64, "more site"));
    }
    if changes.len() < all {
        text += &format!("no change at {}\n", plural((all - changes.len()) as u64, "other site"));
    }
    text
}

/// `+2.25 GiB (+12 %)`.
fn relative(old: u64, new: u64) -> String {
    if old == 0 || old == new {
        return change(old, new);
    }
    format!("{} ({:+.1} %)", change(old, new), 100.0 * (new as f64 - old as f64) / old as f64)
}

fn changes(old: Vec<Row>, new: Vec<Row>) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut before: BTreeMap<String, Row> = old.into_iter().map(|row| (row.name.clone(), row)).collect();
    let mut born = Vec::new();
    for row in new {
        match before.remove(&row.name) {
            Some(old) => changes.push(Change { name: row.name.clone(), old, new: row }),
            None => born.push(row),
        }
    }
    let mut gone: Vec<Row> = before.into_values().collect();
    for row in born {
        let moved = only(&gone, &row).filter(|_| row_is_only(&changes, &row)).map(|at| gone.remove(at));
        let name = match &moved {
            Some(old) => format!("{}, before {}", row.name, old.name.split(' ').next().unwrap_or_default()),
            None => row.name.clone(),
        };
        changes.push(Change { name, old: moved.unwrap_or_default(), new: row });
    }
    changes.extend(gone.into_iter().map(|row| Change { name: row.name.clone(), old: row, new: Row::default() }));
    changes
}

/// The one row of those that are gone that is in the same function of the same file, with the same types.
fn only(gone: &[Row], row: &Row) -> Option<usize> {
    let same = |other: &Row| place(&other.name).is_some() && place(&other.name) == place(&row.name);
    let mut found = gone.iter().enumerate().filter(|(_, other)| same(other) && other.kinds == row.kinds);
    found.next().map(|(at, _)| at).filter(|_| found.next().is_none())
}

/// Whether no other site of the new program in that function had its partner by line.
fn row_is_only(changes: &[Change], row: &Row) -> bool {
    !changes.iter().any(|change| place(&change.name) == place(&row.name) && change.new.kinds == row.kinds)
}

/// `model.c (weather)` of `model.c:40 (weather)`.
fn place(name: &str) -> Option<(&str, &str)> {
    let (file, rest) = name.split_once(':')?;
    Some((file, rest.split_once(' ')?.1))
}
