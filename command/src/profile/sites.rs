//! A row for each call site: what was pushed there, and what of it need not have been stored.

use super::read::{Amount, Profile, Site};
use std::collections::BTreeMap;
use std::path::Path;

/// Pushes of one site.
#[derive(Clone, Default)]
pub struct Row {
    /// `model.c:40 (weather)`.
    pub name: String,
    /// Types, `f64, f64 array`.
    pub kinds: String,
    pub amount: Amount,
    pub at_peak: u64,
    pub still_held: Amount,
    pub repeated: Amount,
    pub unchanged: Amount,
    /// Bytes of these that were unchanged at each push.
    pub never_changed: u64,
}

impl Row {
    /// The most that one of the three reasons not to store would have won; they overlap.
    pub fn bytes_to_win(&self) -> u64 {
        [self.still_held, self.repeated, self.unchanged].iter().map(|amount| amount.bytes).max().unwrap_or(0)
    }
}

/// All sites with pushes, the one with most bytes first.
pub fn rows(profile: &Profile) -> Vec<Row> {
    let names = Names::of(profile);
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for push in &profile.pushes {
        let name = names.place(push.site);
        let row = rows.entry(name.clone()).or_insert_with(|| Row { name, ..Row::default() });
        if !push.kind.is_empty() && !row.kinds.split(", ").any(|kind| kind == push.kind) {
            let comma = if row.kinds.is_empty() { "" } else { ", " };
            row.kinds += &format!("{comma}{}", push.kind);
        }
        row.amount += push.amount;
        row.at_peak += push.at_peak;
        row.still_held += push.still_held.unwrap_or_default();
        row.repeated += push.repeated.unwrap_or_default();
        row.unchanged += push.unchanged.unwrap_or_default();
        row.never_changed += push.never_changed.min(push.amount.bytes);
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by(|a, b| b.amount.bytes.cmp(&a.amount.bytes).then_with(|| a.name.cmp(&b.name)));
    rows
}

/// Pushes of all sites of one routine.
pub struct Routine {
    /// `weather (weather.c)`.
    pub name: String,
    pub sites: u64,
    pub amount: Amount,
    pub at_peak: u64,
    /// Bytes that need not have been stored.
    pub to_win: u64,
}

/// All routines with pushes, the one with most bytes first.
pub fn routines(profile: &Profile) -> Vec<Routine> {
    let names = Names::of(profile);
    let of_site: BTreeMap<String, String> =
        profile.pushes.iter().map(|push| (names.place(push.site), names.routine(push.site))).collect();
    let mut found: BTreeMap<&String, Routine> = BTreeMap::new();
    for row in rows(profile) {
        let name = &of_site[&row.name];
        let none = || Routine { name: name.clone(), sites: 0, amount: Amount::default(), at_peak: 0, to_win: 0 };
        let routine = found.entry(name).or_insert_with(none);
        routine.sites += 1;
        routine.amount += row.amount;
        routine.at_peak += row.at_peak;
        routine.to_win += row.bytes_to_win();
    }
    let mut found: Vec<Routine> = found.into_values().collect();
    found.sort_by(|a, b| b.amount.bytes.cmp(&a.amount.bytes).then_with(|| a.name.cmp(&b.name)));
    found
}

/// Sites with something to win, the one with most first, and the bytes of all of them.
pub fn to_win(rows: &[Row]) -> (Vec<&Row>, u64) {
    let mut found: Vec<&Row> = rows.iter().filter(|row| row.bytes_to_win() > 0).collect();
    found.sort_by_key(|row| std::cmp::Reverse(row.bytes_to_win()));
    let all = found.iter().map(|row| row.bytes_to_win()).sum();
    (found, all)
}

/// What sites are called.
pub struct Names<'a> {
    sites: &'a BTreeMap<u64, Site>,
    /// Bytes of each path that all files have in common, up to a `/`.
    common: usize,
}

impl Names<'_> {
    pub fn of(profile: &Profile) -> Names<'_> {
        let mut files = profile.sites.values().filter_map(|site| site.file.as_deref()).filter(|f| f.starts_with('/'));
        let first = files.next().unwrap_or_default();
        let folder = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
        let common = files.fold(folder(first), |common, file| {
            let same = first.bytes().zip(file.bytes()).take_while(|(a, b)| a == b).count().min(common);
            folder(&first[..(0..=same).rev().find(|at| first.is_char_boundary(*at)).unwrap_or(0)])
        });
        Names { sites: &profile.sites, common }
    }

    /// `model.c:40 (weather)`, or what is known of it.
    pub fn place(&self, site: u64) -> String {
        let Some(known) = self.sites.get(&site) else { return format!("site {site}") };
        let function = known.function.as_ref().map(|function| format!(" ({function})")).unwrap_or_default();
        match (&known.file, known.line) {
            (Some(file), Some(line)) => format!("{}:{line}{function}", self.short(file)),
            (Some(file), None) => format!("{}{function}", self.short(file)),
            (None, _) => match &known.function {
                Some(function) => format!("{function} in {}", module(known)),
                None => address(known),
            },
        }
    }

    /// `weather`, for the frames of a flame graph.
    pub fn function(&self, site: u64) -> String {
        let known = self.sites.get(&site);
        known.map_or_else(|| format!("site {site}"), |known| known.function.clone().unwrap_or_else(|| address(known)))
    }

    /// `weather (weather.c)`, or what is known of it.
    pub fn routine(&self, site: u64) -> String {
        match self.sites.get(&site) {
            Some(Site { function: Some(function), file: Some(file), .. }) => {
                format!("{function} ({})", self.short(file))
            }
            Some(known @ Site { function: Some(function), .. }) => format!("{function} in {}", module(known)),
            _ => self.place(site),
        }
    }

    fn short<'f>(&self, file: &'f str) -> &'f str {
        if file.starts_with('/') { file.get(self.common..).unwrap_or(file) } else { file }
    }
}

fn module(site: &Site) -> &str {
    let name = site.module.as_deref().and_then(|module| Path::new(module).file_name()?.to_str());
    name.unwrap_or("an unknown module")
}

fn address(site: &Site) -> String {
    if site.module.is_none() {
        return "an unknown place".to_owned();
    }
    format!("{}+{:#x}", module(site), site.offset.unwrap_or(0))
}
