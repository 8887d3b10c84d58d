//! Programs with the shared library: their pushes and pops are no calls through the linker's table.

use super::*;

#[test]
fn pushes_and_pops_of_a_program_with_the_shared_library_do_not_go_through_the_table() {
    let through_the_table = |how: How| {
        let program = compile(&cc(), &["hot_loop.c"], how, &[]);
        let code = stdout(Command::new("objdump").arg("-d").arg(&program));
        let calls = |end: &str| {
            ["pushReal8", "popReal8", "pushControl1b", "popInteger4"]
                .iter()
                .all(|name| code.lines().any(|line| line.contains("call") && line.ends_with(&format!("<{name}{end}>"))))
        };
        assert!(calls("@plt") != calls(""), "{how:?}");
        (calls("@plt"), passes(&program, &[], &[]))
    };
    let (table, said) = through_the_table(How::Table);
    assert!(table, "the test's own check");
    assert_eq!(through_the_table(How::Shared), (false, said));
}

/// Compiles one of the parts of `modules.c` to `into`.
fn part(part: &str, into: &Path, flags: &[&str], others: &[&Path]) {
    let mut command = Command::new(cc());
    command.args(["-O2", &format!("-D{part}")]).args(flags).arg(root().join("kit/tests/modules.c")).args(others);
    link(command.arg("-o").arg(into), How::Shared);
    run(&mut command);
}

/// The main program, a library that it is linked with and libraries that it opens share the thread's tape.
#[test]
fn libraries_of_one_program_share_the_tape() {
    let directory = scratch("kit-modules");
    let file = |name: &str| directory.join(name);
    let shared = ["-shared", "-fPIC"];
    part("LINKED", &file("liblinked.so"), &shared, &[]);
    // More than there would be room for if each took much of what is set aside for libraries that are opened.
    for i in 0..60 {
        part("OPENED", &file(&format!("opened{i}.so")), &shared, &[]);
    }
    part("MAIN", &file("main"), &[], &[&file("liblinked.so")]);
    // A library that was linked without the kit leaves its calls to what the program brings.
    let mut unlinked = Command::new(cc());
    unlinked.args(["-O2", "-DLINKED", "-Wl,-z,undefs"]).args(shared).arg(root().join("kit/tests/modules.c"));
    run(unlinked.arg("-o").arg(file("libunlinked.so")));
    part("MAIN", &file("main_unlinked"), &[], &[&file("libunlinked.so")]);
    for main in ["main", "main_unlinked"] {
        let library = directory.to_str().expect("a path");
        for settings in [&[][..], &[CHECK], &[PAGES]] {
            let settings: Vec<_> = [settings, &[("LD_LIBRARY_PATH", library)]].concat();
            assert_eq!(passes(&file(main), &[library, "60"], &settings), "passed\n", "{main} {settings:?}");
        }
    }
}

/// A plugin was unloaded while a thread lived that had used its tape: the thread's end called what was no longer there.
/// Each plugin that contains the archives takes static thread-local storage, of which there was enough for two.
#[test]
fn plugins_may_be_closed_before_the_threads_end_that_used_their_tapes() {
    let directory = scratch("kit-plugins");
    let source = root().join("kit/tests/plugin.c");
    let build = |name: &str, how: Option<How>, flags: &[&str]| {
        let into = directory.join(name);
        let mut command = Command::new(cc());
        command.arg("-O2").args(flags).arg("-I").arg(root().join("include")).arg(&source);
        match how {
            Some(How::Lto) => {
                command.arg("-flto").arg("-I").arg(root().join("kit/include"));
                command.arg(root().join("kit/adtape_kit_lto.c")).arg("-L").arg(build_release());
                command.args(["-ladtape", "-lm"]).arg(format!("-Wl,-rpath,{}", build_release().display()));
            }
            Some(how) => link(&mut command, how),
            None => _ = command.args(linked_statically()),
        }
        run(command.arg("-o").arg(&into));
        into
    };
    let plugin = ["-shared", "-fPIC"];
    let main = build("main", None, &["-DMAIN"]);
    let mut plugins = vec![build("plain.so", None, &["-shared", "-fPIC", "-DPLAIN"])];
    for (name, how) in [("static.so", How::Static), ("shared.so", How::Shared), ("lto.so", How::Lto)] {
        plugins.push(build(name, Some(how), &plugin));
    }
    let passed = |plugins: &[&Path]| {
        let arguments: Vec<_> = plugins.iter().map(|path| path.to_str().expect("a path")).collect();
        assert_eq!(passes(&main, &arguments, &[]), "passed\n", "{plugins:?}");
    };
    for plugin in &plugins {
        passed(&[plugin]);
    }
    passed(&plugins.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let copies = [1, 2, 3].map(|i| directory.join(format!("copy{i}.so")));
    copies.iter().for_each(|copy| _ = fs::copy(&plugins[1], copy).expect("a copy"));
    passed(&copies.each_ref().map(PathBuf::as_path));
    // Threads that open, use and close them at random, and end.
    let all = [&[PathBuf::from("--random")][..], &plugins].concat();
    passed(&all.iter().map(PathBuf::as_path).collect::<Vec<_>>());
}
