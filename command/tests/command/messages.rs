//! Programs that send messages, through the generator, on 1 to 4 ranks under each MPI.

mod random;

use crate::common::{Scratch, libraries, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};

/// Debian puts the name of an MPI behind those of its commands.
const MPIS: [&str; 2] = ["mpich", "openmpi"];

/// The MPIs that are there, of those that `TEST_MPIS` names: `make test` takes the one whose ranks start soonest.
fn mpis() -> impl Iterator<Item = &'static str> {
    let wanted = std::env::var("TEST_MPIS").unwrap_or_else(|_| MPIS[0].to_owned());
    assert!(wanted.split_whitespace().all(|name| MPIS.contains(&name)), "TEST_MPIS is {wanted:?}, of {MPIS:?}");
    let is_wanted = move |mpi: &&str| wanted.split_whitespace().any(|name| name == *mpi);
    let is_here = |mpi: &&str| Command::new(format!("mpicc.{mpi}")).arg("--version").output().is_ok();
    MPIS.into_iter().filter(is_wanted).filter(is_here)
}

fn succeeds(output: &Output) {
    let said = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat();
    assert!(output.status.success(), "{said}");
}

/// The folder with libadtape_mpi for an MPI, which is built on the first call.
fn library(mpi: &str) -> &'static Path {
    static BUILT: [OnceLock<PathBuf>; 2] = [OnceLock::new(), OnceLock::new()];
    BUILT[usize::from(mpi == MPIS[1])].get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("messages-{mpi}"));
        let mut build = Command::new(root().join("mpi/build.sh"));
        build.arg(libraries()).arg(&folder).env("MPICC", format!("mpicc.{mpi}"));
        succeeds(&build.output().expect("a shell"));
        folder
    })
}

/// Compiles what was generated, and runs it on so many ranks.
fn agrees(
    folder: &Scratch,
    mpi: &str,
    has_tangent: bool,
    level: &str,
    ranks: impl Iterator<Item = u32>,
    settings: &[(&str, &str)],
) {
    let program = format!("program-{mpi}{level}");
    let warnings =
        ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-stringop-overflow", "-Wno-unused-function"];
    let mut build = Command::new(format!("mpicc.{mpi}"));
    build.current_dir(&folder.0).args(["-std=gnu11", level]).args(warnings);
    build.args((!has_tangent).then_some("-DWITHOUT_TANGENT"));
    build.arg(format!("-I{}", root().join("include").display()));
    build.arg(format!("-I{}", root().join("mpi/include").display())).args(["model_b.c", "driver.c"]);
    build.arg(library(mpi).join("libadtape_mpi.a")).arg(libraries().join("libadtape.a"));
    succeeds(&build.args(["-lm", "-lpthread", "-ldl", "-o", &program]).output().expect("a compiler"));
    for ranks in ranks {
        // Ranks that wait keep a core: one program at a time.
        static ALONE: Mutex<()> = Mutex::new(());
        let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut run = Command::new("timeout");
        run.current_dir(&folder.0).args(["-k", "5", "120", &format!("mpiexec.{mpi}"), "-n", &ranks.to_string()]);
        run.arg(format!("./{program}")).envs(settings.iter().copied());
        run.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        run.env("OMPI_MCA_mpi_yield_when_idle", "1").env("OMPI_MCA_rmaps_base_oversubscribe", "1");
        run.env("MPIR_CVAR_POLLS_BEFORE_YIELD", "1");
        let output = run.output().expect("timeout");
        let said = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat();
        assert!(output.status.success(), "{mpi}, {level}, {ranks} ranks, {settings:?}: {}\n{said}", output.status);
    }
}

/// A file of `tests/messages`.
fn files(name: &str) -> String {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    std::fs::read_to_string(from.join(format!("{name}.c"))).unwrap()
}

/// The generated adjoint of a program in `tests/messages`, beside its tangent and differences.
fn program(name: &str, has_tangent: bool, is_proved: bool) -> Scratch {
    let folder = Scratch::new(&format!("messages-{name}"));
    folder.write("model.c", &files(name));
    folder.write("driver.c", &files("driver"));
    let mut command = vec!["adjoint", "model.c", "--head", "model(model)/(x)", "--explain"];
    command.extend(has_tangent.then_some("--tangent"));
    let said = folder.printed(&command);
    // What lies in a block of the stable heap is beyond the proof, and compared with differences all the same.
    assert!(said.contains(" procedures proved") && is_proved != said.contains("not proved"), "{said}");
    let all = std::env::var_os("TEST_ALL").is_some();
    for mpi in mpis() {
        agrees(&folder, mpi, has_tangent, "-O0", (1..=4).filter(|ranks| all || *ranks != 3), &[]);
        agrees(&folder, mpi, has_tangent, "-O2", 3..=3, &[("ADTAPE_CHECK", "1")]);
    }
    folder
}

#[test]
fn blocking_calls_are_reversed() {
    program("blocking", true, true);
}

/// Nobody says where adjoints are, and a communicator that the model makes gets its duplicate.
#[test]
fn halos_are_exchanged_both_ways() {
    let written = program("halo", true, true).read("model_b.c");
    assert!(
        !written.contains("live_add") && written.contains("adtape_MPI_Comm_dup(MPI_COMM_WORLD, &comm)"),
        "{written}"
    );
}

#[test]
fn messages_that_do_not_block_are_reversed_from_their_wait() {
    program("nonblocking", true, true);
}

/// Two dimensions, a communicator of the model's own, buffers in a struct.
#[test]
fn heat_in_a_plate_has_a_gradient() {
    program("heat", true, false);
}

/// A ring by Sendrecv, and messages in the order in which they come.
#[test]
fn particles_have_a_gradient() {
    program("particles", true, false);
}

/// Wait, Waitsome, Test, Testall, Testany, Testsome; requests of integers.
#[test]
fn requests_are_completed_in_every_way() {
    program("waits", true, false);
}

/// What a datatype of the program's own overwrites comes back. There is no tangent of it.
#[test]
fn columns_are_exchanged_by_a_datatype() {
    let folder = program("columns", false, true);
    let refused = folder.run(&["tangent", "model.c", "--head", "model(model)/(x)"]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("has a rule and no tangent"));
}

/// `--check` runs a driver on one rank.
#[test]
fn adjoints_check_themselves_on_one_rank() {
    let folder = Scratch::new("messages-check");
    folder.write("model.c", &files("nonblocking"));
    folder.write(
        "driver.c",
        "#include <adtape_mpi.h>
#include \"model_b.h\"
int main(int argc, char **argv) {
    double x[12], x_b[12] = {0};
    adtape_MPI_Init(&argc, &argv);
    for (int i = 0; i < 12; i++) x[i] = 1 + 0.1 * i * (i % 3);
    model_b(12, x, x_b, 1.0);
    return adtape_MPI_Finalize();
}
",
    );
    let Some(mpi) = mpis().next() else { return };
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    command.current_dir(&folder.0).args(["adjoint", "model.c", "--head", "model(model)/(x)", "--check", "driver.c"]);
    let includes = ["include", "mpi/include"].map(|folder| format!("-I{}", root().join(folder).display())).join(" ");
    let archives = [library(mpi).join("libadtape_mpi.a"), libraries().join("libadtape.a")];
    let archives = archives.map(|archive| archive.display().to_string()).join(" ");
    command.env("CC", format!("mpicc.{mpi}")).env("ADTAPE_FLAGS", format!("{includes} {archives} -lm -lpthread -ldl"));
    // Memory of the MPI's own.
    let output = command.env("ASAN_OPTIONS", "detect_leaks=0").output().expect("the command");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains(" operands compared, 0 wrong"), "{said}");
}

/// `requests[n++]` where a neighbour is there.
#[test]
fn requests_are_begun_on_conditions() {
    program("conditions", true, false);
}

/// As far as floats go.
#[test]
fn floats_travel_like_doubles() {
    let folder = Scratch::new("messages-floats");
    folder.write("model.c", &files("floats"));
    folder.write("driver.c", &files("driver").replace("1e-11", "1e-5").replace("1e-7", "0.3"));
    folder.printed(&["adjoint", "model.c", "--head", "model(model)/(x)", "--tangent"]);
    for mpi in mpis() {
        agrees(&folder, mpi, true, "-O1", 2..=3, &[]);
    }
}
