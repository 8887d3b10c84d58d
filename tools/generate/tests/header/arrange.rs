//! The header of a theme: cbindgen's output, made C and C++ alike.

use crate::themes::Theme;
use std::fs;
use std::path::Path;

/// What `include/adtape/<theme>.h` is to be.
pub fn header(root: &Path, theme: &Theme) -> String {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in theme.types {
        builder = builder.with_src(root.join(format!("src/{file}.rs")));
    }
    for (_, file) in theme.sections {
        builder = builder.with_src(root.join(theme.source(file)));
    }
    let mut text = Vec::new();
    builder.generate().expect("cbindgen").write(&mut text);
    arrange(root, theme, &String::from_utf8(text).expect("UTF-8"))
}

/// The declarations between the header's beginning and end, with a heading before each section.
fn arrange(root: &Path, theme: &Theme, text: &str) -> String {
    let mut out = beginning(theme);
    let mut section = "";
    for block in hot_state_first(&signed_numbers(&plain_enums(text))).split("\n\n") {
        let block = for_c(block);
        if let Some(name) = section_of(root, theme, &block).filter(|name| *name != section) {
            section = name;
            let rule = "-".repeat(100 - section.len());
            out += &format!("\n/* ---- {section} {rule} */\n");
        }
        out += "\n";
        out += block.trim_end();
        out += "\n";
    }
    let inlined = theme.inlined.map(|name| format!("\n#include \"{name}.h\"\n")).unwrap_or_default();
    out + "\n#ifdef __cplusplus\n}\n#endif\n" + &inlined + "\n#endif\n"
}

fn beginning(theme: &Theme) -> String {
    let guard = format!("ADTAPE_{}_H", theme.name.to_uppercase());
    let mut text = format!(
        "/* {}: {}.\n * Generated from src/ffi/{}; do not edit. */\n#ifndef {guard}\n#define {guard}\n\n",
        theme.header(),
        theme.purpose,
        theme.name
    );
    for need in theme.needs {
        text += &format!("#include \"{need}.h\"\n");
    }
    if theme.needs.is_empty() {
        text += "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n";
    }
    text + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + theme.by_hand
}

/// The hot state of a tape before the types that hold one. Functions take it by the name that Rust has for the tape around
/// it, so cbindgen puts it last.
fn hot_state_first(text: &str) -> String {
    let blocks = text.split("\n\n").filter(|block| !block.trim().is_empty());
    let (hot, mut blocks): (Vec<&str>, Vec<&str>) = blocks.partition(|block| block.trim_end().ends_with("} adtape_t;"));
    let user = blocks.iter().position(|block| block.contains("    adtape_t c;"));
    if let Some(hot) = hot.first() {
        blocks.insert(user.expect("the local copy of a tape's cursor"), hot);
    }
    blocks.join("\n\n")
}

/// `enum name : int32_t` and its typedef, which only C23 has, as an anonymous enum and a typedef.
fn plain_enums(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("#if __STDC_VERSION__") {
            // Keeps the branch for older C.
            let branch: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("#endif")).collect();
            if let Some(middle) = branch.iter().position(|line| line.starts_with("#else")) {
                out += &branch[middle + 1..].join("\n");
                out += "\n";
            }
        } else if line.starts_with("enum adtape_") && lines.peek().is_some_and(|next| next.starts_with("#if")) {
            out += "enum";
        } else {
            out += line;
            out += "\n";
        }
    }
    out.replace("_T_", "_").replace("void * ", "void *")
}

/// Sizes, counts and steps of structures as `int64_t`, the one type for them in C and Fortran: the library never has one
/// that does not fit. What is a pattern of bits stays unsigned.
fn signed_numbers(text: &str) -> String {
    const BITS: [&str; 5] = ["tape", "bits", "check", "fingerprint", "element_bytes"];
    let line = |line: &str| match line.strip_prefix("    uint64_t ").map(|name| name.trim_end_matches(';')) {
        Some(name) if !BITS.contains(&name) => format!("    int64_t {name};\n"),
        _ => format!("{line}\n").replace("    uint32_t label;", "    int32_t label;"),
    };
    text.lines().map(line).collect()
}

/// A block without what its comment says to Rust: the `# Safety` part, code, links; and without empty lines at the
/// comment's end.
fn for_c(block: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut skipping, mut in_code) = (false, false);
    for line in block.lines() {
        let comment = line.trim_start().starts_with("//");
        let fence = comment && line.contains("```");
        in_code ^= fence;
        skipping = comment && (skipping || line.contains("# Safety"));
        if skipping || in_code || fence {
            continue;
        }
        if !comment {
            while lines.last().is_some_and(|last| last.trim() == "//") {
                lines.pop();
            }
        }
        lines.push(if comment { line.replace("[`", "`").replace("`]", "`") } else { line.to_owned() });
    }
    lines.join("\n")
}

/// The section that a block declares something of.
fn section_of(root: &Path, theme: &Theme, block: &str) -> Option<&'static str> {
    let name = block.lines().find(|line| !line.starts_with("//")).and_then(function_name)?;
    let defines = |file: &str| {
        let source = fs::read_to_string(root.join(theme.source(file))).expect("a section's source");
        source.contains(&format!(" fn {name}(")) || source.contains(&format!(" static {name}:"))
    };
    theme.sections.iter().find(|(_, file)| defines(file)).map(|(section, _)| *section)
}

fn function_name(line: &str) -> Option<&str> {
    let start = line.find(" adtape_").map(|i| i + 1).or_else(|| line.find("*adtape_").map(|i| i + 1))?;
    let rest = &line[start..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let name = &rest[..end];
    if name.ends_with("_t") { function_name(&rest[end..]) } else { Some(name) }
}
