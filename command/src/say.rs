//! Messages of the commands: what happened, where, what to do. And numbers for people.

use crate::messages::{Level, Message, emit};
use adtape::{Error, visible};
use std::io::{ErrorKind, Write};

pub use crate::messages::tell;

/// What errors are about that have no place in a source, by the exit status.
fn code(status: u8) -> &'static str {
    match status {
        1 => "file",
        2 => "usage",
        _ => "failed",
    }
}

/// Prints an error; the exit status.
pub fn error(what: &str, help: &str, status: u8) -> u8 {
    whole(what, help, status, format!("adtape: error: {what}\nhelp: {help}\n"))
}

/// Prints what is wrong with the command line or the driver, without help; the exit status.
pub fn plain(what: &str, status: u8) -> u8 {
    let (first, help) = what.split_once("\nhelp: ").unwrap_or((what, ""));
    whole(first, help, status, format!("adtape: {what}\n"))
}

fn whole(what: &str, help: &str, status: u8, text: String) -> u8 {
    let (what, help) = (what.to_owned(), help.to_owned());
    emit(Message { level: Level::Error, code: code(status), what, help, places: Vec::new(), text });
    status
}

/// Prints an error of the library, whose later lines say what to do.
pub fn failed(error: &Error, status: u8) -> u8 {
    let (what, help) = error.message().split_once('\n').unwrap_or((error.message(), ""));
    let help: Vec<&str> = help.lines().map(str::trim_start).collect();
    let lines: String = help.iter().map(|line| format!("help: {line}\n")).collect();
    whole(what, &help.join("\n"), status, format!("adtape: error: {what}\n{lines}"))
}

/// Prints a text, without what a terminal would obey. A reader that has seen enough of it, as `head` has, is no error; a
/// full disk is.
pub fn print(text: &str) {
    print_raw(&visible(text));
}

/// Prints a text as it is, for a file.
pub fn print_raw(text: &str) {
    let mut output = std::io::stdout().lock();
    if let Err(cause) = output.write_all(text.as_bytes()).and_then(|()| output.flush())
        && cause.kind() != ErrorKind::BrokenPipe
    {
        std::process::exit(error(&format!("the output cannot be written: {cause}"), "make room for it", 1).into());
    }
}

/// A name from a file, on one line.
pub fn name(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Refuses a name that does not end as what is written under it should: a profile in its place would be lost.
pub fn must_end(path: &str, what: &str, ending: &str) -> Result<(), u8> {
    if path.ends_with(ending) {
        return Ok(());
    }
    Err(error(&format!("{path} cannot be the name of the {what}"), &format!("give a name that ends in {ending}"), 2))
}

/// Writes a file.
pub fn write(path: &str, text: &str) -> Result<(), u8> {
    std::fs::write(path, text).map_err(|cause| cannot_write(path, &cause))
}

/// Prints why a file or folder cannot be written; the exit status.
pub fn cannot_write(path: &str, cause: &std::io::Error) -> u8 {
    error(&format!("{path} cannot be written: {cause}"), "choose a directory that you may write to", 1)
}

/// `1 site`, `2 sites`.
pub fn plural(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{} {one}s", grouped(count)) }
}

/// `12,345,678`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three digits and a unit, powers of 1024 as in what the library prints: `2.25 GiB`.
pub fn bytes(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let (mut value, mut unit) = (bytes as f64 / 1024.0, 0);
    while value >= 999.5 && unit < UNITS.len() - 1 {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$} {}", UNITS[unit])
}

const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];

/// Bytes with a sign: `+2.25 GiB`, `-3 B`.
pub fn change(old: u64, new: u64) -> String {
    signed(old, new, bytes)
}

/// With a sign, unless it is zero: `+12,345`.
pub fn signed(old: u64, new: u64, show: fn(u64) -> String) -> String {
    let sign = match new.cmp(&old) {
        std::cmp::Ordering::Less => "-",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", show(old.abs_diff(new)))
}

/// `12 ms`, `3.4 s`, `12 min`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => format!("{:.0} us", 1e6 * s),
        s if s < 1.0 => format!("{:.0} ms", 1e3 * s),
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A share: `12 %`, `0.3 %`, `-` of nothing.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let percent = 100.0 * part as f64 / whole as f64;
    if part == 0 || percent >= 9.95 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// Columns as wide as their widest cell: the first `words` of them to the left, the others, numbers, to the right.
pub fn columns(rows: &[Vec<String>], words: usize) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| name(cell)).collect()).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (i, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[i].saturating_sub(cell.chars().count()));
            line += &if i < words { format!("  {cell}{pad}") } else { format!("  {pad}{cell}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0, 1023, 1024, 10_229, 10_239, 15_600_000].map(bytes),
            ["0 B", "1023 B", "1.00 KiB", "9.99 KiB", "10.0 KiB", "14.9 MiB"]
        );
        assert_eq!([1_023_000, 1_023_900, u64::MAX].map(bytes), ["999 KiB", "0.98 MiB", "16384 PiB"]);
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([share(1, 3), share(1, 300), share(0, 3), share(1, 0)], ["33 %", "0.3 %", "0 %", "-"]);
        assert_eq!(columns(&[vec!["a\x1b[1m\nb".into(), "1".into()]], 1), "  a\\u{1b}[1m\\nb  1\n");
        assert_eq!([change(5, 3), change(3, 3), change(0, 2000)], ["-2 B", "0 B", "+1.95 KiB"]);
    }
}
