//! `adtape mpi`: calls of MPI that a converted program still makes itself.

use crate::common::Scratch;
use std::process::Command;

const MODEL: &str = "#include <adtape_mpi.h>
/* MPI_Put(in a comment) */
static double u[8];
void exchange(MPI_Win window, MPI_Request *r) {
    adtape_MPI_Isend(u, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, r);
    MPI_Get(u, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
    puts(\"MPI_Bcast(in a text)\");
    MPI_Wait(r, MPI_STATUS_IGNORE);
    MPI_Send(u, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* adtape: passive */
    MPI_Barrier(MPI_COMM_WORLD);
}
";

/// What is printed, and the exit status.
fn listed(scratch: &Scratch, files: &[&str]) -> (String, Option<i32>) {
    let output = scratch.run(&[&["mpi"], files].concat());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

fn runs(scratch: &Scratch, command: &[&str]) {
    let output = Command::new(command[0]).current_dir(&scratch.0).args(&command[1..]).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn calls_of_mpi_that_are_left_in_sources_are_listed_by_line() {
    let scratch = Scratch::new("mpi-sources");
    scratch.write("model.c", MODEL);
    scratch.write(
        "step.f90",
        "subroutine step(x, w)\n  use mpi, only: MPI_Put\n  ! call MPI_Gather(x)\n  \
         call Mpi_Bcast(x, 1, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)\n  call adtape_MPI_Send(x, 1)\n  \
         call MPI_ISSEND &\n    (x, 1)\nend subroutine\n",
    );
    scratch.write("old.f", "c     call MPI_SEND(x)\n      call MPI_RECV(x)\n");
    let (said, status) = listed(&scratch, &["."]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[..6],
        [
            "./model.c:6: MPI_Get has no counterpart: the derivative of what it moves is lost",
            "./model.c:8: MPI_Wait is not converted: adtape_MPI_Wait",
            "./old.f:2: MPI_Recv is not converted: adtape_MPI_Recv",
            "./step.f90:4: MPI_Bcast is not converted: adtape_MPI_Bcast",
            "./step.f90:6: MPI_Issend has no counterpart: the derivative of what it moves is lost",
            "calls that move values: 2 converted, 3 not converted, 2 without a counterpart, 1 marked as passive",
        ],
        "{said}"
    );
    assert!(lines.contains(
        &"help: MPI_Get: one-sided calls have none: send the values, or keep what has an adjoint out of windows"
    ));
    assert_eq!(status, Some(4));
    scratch.write("model.c", &MODEL.replace(" MPI_Get(", " get(").replace(" MPI_Wait", " adtape_MPI_Wait"));
    let (said, status) = listed(&scratch, &["model.c"]);
    assert_eq!(
        said,
        "calls that move values: 2 converted, 0 not converted, 0 without a counterpart, 1 marked as passive\n"
    );
    assert_eq!(status, Some(0));
}

/// What the compiler has made of calls in C and in Fortran with any of its modules.
const COMPILED: &str = "int MPI_Get(void), PMPI_Send(void), adtape_MPI_Recv(void), MPI_Comm_rank(void);
void mpi_bcast_(void), mpi_put_f08_(void), mpi_reduce_f08ts_(void);
void get(void) { MPI_Get(); adtape_MPI_Recv(); MPI_Comm_rank(); }
void others(void) { PMPI_Send(); mpi_bcast_(); mpi_put_f08_(); mpi_reduce_f08ts_(); }
";

#[test]
fn calls_of_mpi_in_objects_archives_and_programs_are_listed() {
    let scratch = Scratch::new("mpi-objects");
    scratch.write("model.c", COMPILED);
    // The library itself, as part of an archive or of a program.
    scratch.write("library.c", "int MPI_Isend(void);\nvoid adtape_MPI_Init(void) { MPI_Isend(); }\n");
    for source in ["model", "library"] {
        runs(&scratch, &["gcc", "-O1", "-fPIC", "-c", &format!("{source}.c"), "-o", &format!("{source}.o")]);
    }
    runs(&scratch, &["ar", "rcs", "all.a", "model.o", "library.o"]);
    runs(&scratch, &["gcc", "-shared", "model.o", "-o", "model.so"]);
    runs(&scratch, &["gcc", "-shared", "model.o", "library.o", "-o", "both.so"]);
    let lines = |place: &str| {
        [
            format!("{place}get: MPI_Get has no counterpart: the derivative of what it moves is lost"),
            format!("{place}others: MPI_Send is not converted: adtape_MPI_Send"),
            format!("{place}others: MPI_Bcast is not converted: adtape_MPI_Bcast"),
            format!("{place}others: MPI_Put has no counterpart: the derivative of what it moves is lost"),
            format!("{place}others: MPI_Reduce is not converted: adtape_MPI_Reduce"),
        ]
    };
    for (file, place) in [("model.o", "model.o: "), ("all.a", "all.a: model.o: ")] {
        let (said, status) = listed(&scratch, &[file]);
        for line in lines(place) {
            assert!(said.lines().any(|other| other == line), "{line} is missing in\n{said}");
        }
        assert!(said.contains("values: 1 converted, 3 not converted, 2 without a counterpart\n"), "{said}");
        assert_eq!(status, Some(4));
    }
    let (said, _) = listed(&scratch, &["model.so"]);
    assert!(said.contains("model.so: MPI_Reduce is not converted"), "{said}");
    assert!(said.contains("values: 1 converted, 3 not converted, 2 without a counterpart\n"), "{said}");
    // In one with the library inside its calls are not the program's.
    let (said, status) = listed(&scratch, &["both.so"]);
    assert!(said.contains("values: 1 converted, 0 not converted, 2 without a counterpart\n"), "{said}");
    assert!(said.contains("note: both.so contains libadtape_mpi, whose calls") && status == Some(4), "{said}");
}

#[test]
fn what_holds_no_calls_of_mpi_is_said() {
    let scratch = Scratch::new("mpi-wrong");
    scratch.write("notes.txt", "MPI_Send\n");
    scratch.write("cut.o", "\u{7f}ELF");
    for (file, part) in [
        ("notes.txt", "it is neither a source by its name nor machine code"),
        ("nothing.c", "nothing.c cannot be read: No such file"),
        ("cut.o", "cut.o cannot be read"),
        ("/dev/zero", "it is no file"),
    ] {
        let output = scratch.run(&["mpi", file]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && said.contains(part) && said.contains("help: give sources"),
            "{said}"
        );
    }
}
