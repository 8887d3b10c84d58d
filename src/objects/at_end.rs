//! Check mode: what the objects of the process were left in at its end.

#![forbid(unsafe_code)]

use super::set::Objects;
use crate::error::{counted, say};
use crate::map::registry::{RangeKind, Target, Wait, number};
use crate::sync::{StaticFlag, is_first_time};

/// Lines for each kind of thing.
const LINES: usize = 10;

impl Objects {
    /// Lets the end of the process say what is left, in check mode.
    pub(super) fn watch_end(&self) {
        extern "C" fn at_exit() {
            if let Some(text) = Objects::of_process().left() {
                say(&text);
            }
        }
        static ONCE: StaticFlag = StaticFlag::new(false);
        if self.registry().history().is_some() && is_first_time(&ONCE) {
            crate::tape::at_exit(at_exit);
        }
    }

    /// Pointers that wait still, and what is alive behind a reverse sweep that should have undone its birth.
    fn left(&self) -> Option<String> {
        let registry = self.registry();
        let history = registry.history()?;
        let mut parts = Vec::new();
        let waiting: Vec<String> =
            registry.waiting().into_iter().map(|(variable, wait)| self.said_waiting(variable, &wait)).collect();
        parts.extend(listed(&waiting, |n| format!("{} still for an object that did not come back", waits(n))));
        let objects = registry.list();
        let alive = objects.iter().filter(|object| matches!(object.kind, RangeKind::Stack | RangeKind::Heap));
        let alive: Vec<String> = alive.map(|object| registry.describe_object(object)).collect();
        let head =
            |n: usize| format!("{} alive, whose births the reverse sweep did not undo", counted(n as u64, "range"));
        parts.extend(listed(if history.reversed() { &alive } else { &[] }, head));
        let help =
            "\n  adtape_rebase_add brings back what adtape_live_end ended, adtape_rebase_remove undoes adtape_live_add";
        (!parts.is_empty())
            .then(|| format!("adtape: check: the program ended with {}{help}", parts.join("\nand with ")))
    }

    fn said_waiting(&self, variable: u64, wait: &Wait) -> String {
        let registry = self.registry();
        let popped = registry.history().and_then(|history| history.popped(variable));
        let popped = popped.map_or(String::new(), |site| format!(", popped at {},", site.named().said()));
        match wait.target {
            Target::Object(serial, offset) => {
                let life = registry.history().map_or(String::new(), |history| history.said(serial));
                format!(
                    "the pointer at {variable:#x}{popped} waits for object {}{life}, {offset} bytes in",
                    number(serial)
                )
            }
            Target::Forward(address) => {
                format!("the pointer at {variable:#x}{popped} waits for what lay at {address:#x}")
            }
        }
    }
}

fn waits(n: usize) -> String {
    if n == 1 { "1 pointer that waits".to_owned() } else { format!("{n} pointers that wait") }
}

/// A heading and the first lines.
fn listed(lines: &[String], head: impl Fn(usize) -> String) -> Option<String> {
    let rest = lines.len().saturating_sub(LINES);
    let more = if rest > 0 { format!("\n  and {rest} more") } else { String::new() };
    let lines_said: String = lines.iter().take(LINES).map(|line| format!("\n  {line}")).collect();
    (!lines.is_empty()).then(|| format!("{}:{lines_said}{more}", head(lines.len())))
}
