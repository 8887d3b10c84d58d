//! The manual pages in `man/`, made of what the command says of itself. With ADTAPE_BLESS they are written anew.

use crate::options::Command;
use clap::CommandFactory;
use std::path::Path;

#[test]
fn manual_pages_are_those_of_the_command() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    let made = std::env::temp_dir().join(format!("adtape-man-{}", std::process::id()));
    std::fs::create_dir_all(&made).unwrap();
    clap_mangen::generate_to(Command::command().disable_help_subcommand(true), &made).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&made).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert!(names.len() > 5, "{names:?}");
    for name in &names {
        let text = std::fs::read_to_string(made.join(name)).unwrap();
        if std::env::var_os("ADTAPE_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(name), &text).unwrap();
        }
        let committed = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(committed == text, "man/{} is stale: make bless", name.to_string_lossy());
    }
    let committed: usize = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(committed, names.len(), "a page of no command is in man/");
    std::fs::remove_dir_all(&made).unwrap();
}
