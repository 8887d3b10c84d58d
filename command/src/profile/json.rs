//! `adtape report --json`: the tables as one object, in bytes, operations and seconds.

use super::read::{Amount, Profile};
use super::sites::{Routine, Row, routines, rows};
use serde_json::{Value, json};

/// All that the tables say, of all sites.
pub fn report(profile: &Profile) -> String {
    let process = &profile.process;
    let all = json!({
        "format": 1,
        "program": process.program,
        "process": process.pid,
        "adtape": process.adtape,
        "seconds": process.seconds,
        "tape_peak_bytes": process.tape_peak,
        "pushed_bytes": process.tape_bytes,
        "operations": process.operations,
        "estimated": process.estimated,
        "sites": rows(profile).iter().map(site).collect::<Vec<_>>(),
        "routines": routines(profile).iter().map(routine).collect::<Vec<_>>(),
        "threads": profile.threads.iter().map(|thread| json!({
            "number": thread.number,
            "name": thread.name,
            "operations": thread.amount.operations,
            "bytes": thread.amount.bytes,
            "peak_bytes": thread.peak,
        })).collect::<Vec<_>>(),
        "drivers": profile.drivers.iter().map(|driver| json!({
            "run": driver.run,
            "schedule": driver.schedule,
            "steps": driver.steps,
            "snapshots": driver.snapshots,
        })).collect::<Vec<_>>(),
    });
    format!("{all:#}\n")
}

fn amount(amount: Amount) -> Value {
    json!({ "operations": amount.operations, "bytes": amount.bytes })
}

fn site(row: &Row) -> Value {
    json!({
        "site": row.name,
        "types": row.kinds.split(", ").collect::<Vec<_>>(),
        "operations": row.amount.operations,
        "bytes": row.amount.bytes,
        "at_peak_bytes": row.at_peak,
        "still_held": amount(row.still_held),
        "repeated": amount(row.repeated),
        "unchanged": amount(row.unchanged),
        "never_changed_bytes": row.never_changed,
    })
}

fn routine(routine: &Routine) -> Value {
    json!({
        "routine": routine.name,
        "sites": routine.sites,
        "operations": routine.amount.operations,
        "bytes": routine.amount.bytes,
        "at_peak_bytes": routine.at_peak,
        "not_needed_bytes": routine.to_win,
    })
}
