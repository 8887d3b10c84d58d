//! The examples in the pages of docs/: found, put into one source for each language, run.
//!
//! An example is a fenced block of C or Fortran. It is the body of a function or program, has checks in it and ends
//! with status 0, unless a comment on the line before says otherwise: `<!-- example: word, word -->`.
//!
//! | word | the block |
//! |---|---|
//! | `declarations` | is at file scope and agrees with the header |
//! | `whole` | is a whole program |
//! | `aborts` | ends with SIGABRT |
//! | `NAME=value` | runs with this environment variable |
//! | `ulimit -v 1000` | runs under this limit |
//! | `figures vary` | prints other figures each time |
//!
//! A block of text right after an example is what it prints, standard output first. There the program is called
//! model.c or model.f90, and its function main. `ADTAPE_BLESS=1 cargo test -p adtape-outside docs::` writes what is printed now.

use crate::common::{build_release, clean, root, run};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

const PAGES: [&str; 16] = [
    "reference",
    "reference/process",
    "reference/tape",
    "reference/objects",
    "reference/heap",
    "reference/checkpoint",
    "reference/driver",
    "reference/verify",
    "derivative-tests",
    "errors",
    "tools",
    "addresses",
    "heap",
    "checkpointing",
    "restoration",
    "insight",
];

/// A fenced block.
pub struct Block {
    pub page: &'static str,
    /// Of its first line in the page, from 1.
    line: usize,
    /// The nearest heading above.
    pub heading: String,
    pub language: String,
    words: Vec<String>,
    pub text: String,
    /// What it prints.
    pub output: Option<String>,
}

impl Block {
    pub fn is(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }

    fn runs(&self) -> bool {
        !self.is("declarations")
    }
}

pub fn page_path(name: &str) -> PathBuf {
    root().join(format!("docs/{name}.md"))
}

pub fn page(name: &str) -> String {
    fs::read_to_string(page_path(name)).unwrap_or_else(|error| panic!("docs/{name}.md: {error}"))
}

pub fn blocks(name: &'static str) -> Vec<Block> {
    let text = page(name);
    let mut found: Vec<Block> = Vec::new();
    let (mut heading, mut words) = (String::new(), Vec::new());
    // Whether nothing but empty lines came since the last example.
    let mut adjacent = false;
    let mut lines = text.lines().enumerate();
    while let Some((i, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            let text: String = body.iter().map(|line| format!("{line}\n")).collect();
            if language == "text" && adjacent {
                found.last_mut().expect("an example before").output = Some(text);
            } else if ["c", "fortran"].contains(&language) {
                let (heading, language) = (heading.clone(), language.to_owned());
                let words = std::mem::take(&mut words);
                found.push(Block { page: name, line: i + 2, heading, language, words, text, output: None });
            }
            adjacent = language != "text";
        } else if let Some(list) = line.strip_prefix("<!-- example: ") {
            words = list.trim_end_matches(" -->").split(", ").map(str::to_owned).collect();
        } else if !line.is_empty() {
            adjacent = false;
            if line.starts_with('#') {
                heading = line.trim_start_matches(['#', ' ']).to_owned();
            }
        }
    }
    found
}

/// Every example of a language.
pub fn examples(language: &str) -> Vec<Block> {
    let all = PAGES.into_iter().flat_map(blocks);
    let chosen: Vec<Block> = all.filter(|block| block.language == language).collect();
    assert!(chosen.len() > 20, "the pages have examples in {language}");
    chosen
}

// ---- one source, each block a procedure of its own ---------------------------------------------------

/// Where the compiler believes that the block begins: in the page, or where messages of the page have it.
fn place(block: &Block, model: &str) -> (usize, String) {
    match block.output {
        Some(_) => (1, model.to_owned()),
        None => (block.line, format!("docs/{}.md", block.page)),
    }
}

/// With the variable SAY_STATUS, an error that ends a program is said by its status.
const C_MAIN: &str = "
static void say_status(int32_t status, const char *message, void *user) {
    (void)message, (void)user;
    puts(adtape_status_name(status));
    exit(0);
}
int main(int n, char **argv) {
    if (getenv(\"SAY_STATUS\") != NULL) {
        must(adtape_process_set_error_handler(say_status, NULL));
    }
    switch (n > 1 ? atoi(argv[1]) : -1) {
";

/// The first block of the reference, which says what examples come after, is the head of the file.
pub fn c_source(blocks: &[Block]) -> String {
    let (mut out, mut cases) = (String::new(), String::new());
    for (i, block) in blocks.iter().enumerate() {
        let (line, file) = place(block, "model.c");
        let body = format!("#line {line} \"{file}\"\n{}", block.text);
        out += &match () {
            _ if !block.runs() => body,
            _ if block.is("whole") => format!("#define main example_{i}\n{body}\n#undef main\n"),
            _ => format!("static int example_{i}(void) {{\n{body}return 0;\n}}\n"),
        };
        if block.runs() {
            cases += &format!("case {i}: return example_{i}();\n");
        }
    }
    out + C_MAIN + &cases + "}\nreturn 99;\n}\n"
}

pub fn fortran_source(blocks: &[Block]) -> String {
    let (mut out, mut cases) = (String::new(), String::new());
    for (i, block) in blocks.iter().enumerate() {
        let (line, file) = place(block, "model.f90");
        let at = format!("# {line} \"{file}\"\n");
        out += &if block.is("whole") {
            let lines = block.text.lines().map(|line| match line {
                _ if line.starts_with("end program") => "end subroutine\n".to_owned(),
                _ if line.starts_with("program ") => format!("subroutine example_{i}()\n"),
                _ => format!("{line}\n"),
            });
            at + &lines.collect::<String>()
        } else {
            let head = "use, intrinsic :: iso_c_binding\nuse adtape\nimplicit none\n";
            format!("subroutine example_{i}()\n{head}{at}{}end subroutine\n", block.text)
        };
        cases += &format!("case ({i})\ncall example_{i}()\n");
    }
    out + &format!(
        "program docs\nimplicit none\ncharacter(8) :: argument\ninteger :: i\ncall get_command_argument(1, argument)\n\
         read (argument, *) i\nselect case (i)\n{cases}case default\nerror stop 99\nend select\nend program\n"
    )
}

// ---- running -----------------------------------------------------------------------------------------

/// The program, with the library as a user links it.
pub fn build(compiler: &str, arguments: &[&str], source: &Path) -> PathBuf {
    let (program, release) = (source.with_extension(""), build_release());
    let mut command = Command::new(compiler);
    command.current_dir(source.parent().expect("a directory")).arg(source).arg("-o").arg(&program);
    command.arg("-I").arg(root().join("include")).args(arguments);
    command.arg("-L").arg(release).arg(format!("-Wl,-rpath,{}", release.display())).args([
        "-ladtape",
        "-lpthread",
        "-lm",
    ]);
    run(&mut command);
    program
}

fn run_example(program: &Path, i: usize, block: &Block, say_status: bool) -> Output {
    let limit = block.words.iter().find(|word| word.starts_with("ulimit")).map_or("", String::as_str);
    let mut command = clean("sh");
    command.args(["-c", &format!("{limit}\nexec \"$0\" \"$1\"")]).arg(program).arg(i.to_string());
    command.envs(block.words.iter().filter_map(|word| word.split_once('=')));
    if say_status {
        command.env("SAY_STATUS", "1");
    }
    command.current_dir(program.parent().expect("a directory"));
    command.output().expect("sh runs")
}

/// What was printed, without the scratch directory, the numbers of the examples, and gfortran's backtrace.
fn printed(output: &Output, directory: &Path) -> String {
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    let said = said.split("\nProgram received signal").next().unwrap_or(&said);
    let mut said = said.replace(&format!("{}/", directory.display()), "");
    while let Some(start) = said.find("(example_") {
        let end = start + said[start..].find(')').expect("a closing parenthesis");
        said.replace_range(start + 1..end, "main");
    }
    said
}

/// Every number, with its unit, as one #.
fn without_figures(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive([' ', '(', ')', '\n', ',']) {
        out += if word.starts_with(|c: char| c.is_ascii_digit()) { "#" } else { word };
    }
    ["KiB", "MiB", "GiB"].iter().fold(out, |out, unit| out.replace(unit, "bytes")).replace("#bytes (#bytes)", "#bytes")
}

/// Puts what an example prints now into its page, and into the file of examples that a page of the reference is made of.
fn bless(block: &Block, said: &str) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let with = |output: &str| format!("{}```\n\n```text\n{output}```\n", block.text);
    let old = with(block.output.as_deref().expect("an example that prints"));
    let text = page(block.page);
    assert_eq!(text.matches(&old).count(), 1, "the example in docs/{}.md:{} is unique", block.page, block.line);
    fs::write(page_path(block.page), text.replace(&old, &with(said))).expect("docs/ is writable");
    let examples = fs::read_dir(root().join("docs/reference/examples")).expect("the examples of the reference");
    for path in examples.map(|entry| entry.expect("an entry").path()) {
        if fs::read_to_string(&path).ok() == block.output {
            fs::write(&path, said).expect("docs/ is writable");
        }
    }
}

/// What is wrong with an example, if anything.
fn fault(program: &Path, i: usize, block: &Block) -> Option<String> {
    let output = run_example(program, i, block, false);
    let said = printed(&output, program.parent().expect("a directory"));
    let as_told = if block.is("aborts") { output.status.signal() == Some(6) } else { output.status.success() };
    let vary = block.is("figures vary");
    let equal =
        |wanted: &String| if vary { without_figures(wanted) == without_figures(&said) } else { *wanted == said };
    let same = block.output.as_ref().is_none_or(equal);
    if as_told && !same && std::env::var_os("ADTAPE_BLESS").is_some() {
        bless(block, &said);
        return None;
    }
    let place = format!("docs/{}.md:{} ({})", block.page, block.line, block.heading);
    if !as_told || !same {
        return Some(format!("{place}: {}, and printed\n{said}", output.status));
    }
    // An error under the name of a status is that one.
    if block.language == "c" && block.is("aborts") && block.heading.starts_with("ADTAPE_STATUS_") {
        let said = String::from_utf8_lossy(&run_example(program, i, block, true).stdout).into_owned();
        return (said.trim() != block.heading).then(|| format!("{place}: the status is {said}"));
    }
    None
}

/// Runs all of them; the test fails if one does not do what its page says.
pub fn check_all(program: &Path, blocks: &[Block]) {
    let run = blocks.iter().enumerate().filter(|(_, block)| block.runs());
    let faults: Vec<String> = run.filter_map(|(i, block)| fault(program, i, block)).collect();
    assert!(faults.is_empty(), "\n{}\nWhat is printed now is put there by ADTAPE_BLESS=1", faults.join("\n"));
}
