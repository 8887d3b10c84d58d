//! Messages on standard error: as text in the form of a compiler's, or as a JSON object a line for editors and other
//! tools; and all of a run in a file in SARIF.

use std::fmt;
use std::io::Write;
use std::sync::{Mutex, OnceLock};

use adtape::visible;
use clap::ValueEnum;
use serde_json::{Map, Value, json};

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// As text
    Text,
    /// As JSON, an object a line
    Json,
}

/// How bad something is; the words are those of SARIF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Note,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }
}

/// A place in a source, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Place {
    fn json(&self) -> Value {
        json!({ "file": self.file, "line": self.line, "column": self.column })
    }

    fn sarif(&self) -> Value {
        let region = json!({ "startLine": self.line, "startColumn": self.column });
        json!({ "physicalLocation": { "artifactLocation": { "uri": self.file }, "region": region } })
    }
}

/// What a run says.
#[derive(Clone, Debug)]
pub struct Message {
    pub level: Level,
    /// What kind of message it is: a name that stays, which `adtape explain` knows.
    pub code: &'static str,
    pub what: String,
    /// What to do; may be empty.
    pub help: String,
    /// The first is where it is, the others are further ones of the same cause.
    pub places: Vec<Place>,
    /// The whole message as text.
    pub text: String,
}

impl Message {
    fn json(&self) -> Value {
        let mut all = Map::new();
        all.insert("level".into(), self.level.word().into());
        all.insert("code".into(), self.code.into());
        all.insert("message".into(), self.what.as_str().into());
        if let Some(place) = self.places.first() {
            all.extend(place.json().as_object().cloned().unwrap_or_default());
        }
        if !self.help.is_empty() {
            all.insert("help".into(), self.help.as_str().into());
        }
        if let Some(also) = self.places.get(1..).filter(|also| !also.is_empty()) {
            all.insert("also".into(), also.iter().map(Place::json).collect());
        }
        all.into()
    }

    fn sarif(&self) -> Value {
        let help = if self.help.is_empty() { String::new() } else { format!("\nhelp: {}", self.help) };
        let message = json!({ "text": format!("{}{help}", self.what) });
        let places: Vec<Value> = self.places.iter().map(Place::sarif).collect();
        json!({ "ruleId": self.code, "level": self.level.word(), "message": message, "locations": places })
    }
}

static FORMAT: OnceLock<Format> = OnceLock::new();
/// What was said, where SARIF is wanted.
static SAID: Mutex<Vec<Message>> = Mutex::new(Vec::new());

/// Sets how messages are written; once for a process.
pub fn begin(format: Format) {
    let _ = FORMAT.set(format);
}

/// Writes a message.
pub fn emit(message: Message) {
    match FORMAT.get().unwrap_or(&Format::Text) {
        Format::Text => tell(&message.text),
        Format::Json => tell(&format!("{}\n", message.json())),
    }
    if let Ok(mut said) = SAID.lock() {
        said.push(message);
    }
}

/// All messages so far in SARIF 2.1.0.
pub fn sarif() -> String {
    let said = SAID.lock().map(|said| said.clone()).unwrap_or_default();
    let mut codes: Vec<&str> = said.iter().map(|message| message.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.iter().map(|code| json!({ "id": code })).collect();
    let results: Vec<Value> = said.iter().map(Message::sarif).collect();
    let driver = json!({ "name": "adtape", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let run = json!({ "tool": { "driver": driver }, "results": results });
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    format!("{:#}\n", json!({ "$schema": schema, "version": "2.1.0", "runs": [run] }))
}

/// Writes a message to standard error, in one write, whether or not anybody still reads there.
pub fn tell(message: &str) {
    let _ = std::io::stderr().lock().write_all(visible(message).as_bytes());
}
