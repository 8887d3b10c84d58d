//! Messages name the lines of a Rust program that called.

use adtape::{Error, Heap, Objects, Tape, Type, with_thread_tape};
use std::process::Command;

/// `file:line`, as messages have it.
fn place(line: u32) -> String {
    format!("{}:{line}", file!())
}

/// Evaluates to the line that it stands on, after the call.
macro_rules! line_of {
    ($call:expr) => {{
        let _ = $call.expect("a push that fits");
        line!()
    }};
}

/// Pushes a thing and pops another; the line of the push, what was said of the pop, and the line of that.
type Mistake = fn(&Tape) -> (u32, Error, u32);

const MISTAKES: &[(&str, Mistake)] = &[
    ("a scalar", |t| (line_of!(t.push(1.0_f64)), t.pop::<i64>().unwrap_err(), line!())),
    ("a count of values", |t| (line_of!(t.push_slice(&[1.0; 3])), t.pop_slice(&mut [0.0; 2]).unwrap_err(), line!())),
    ("bits", |t| (line_of!(t.push_control(2, 3)), t.pop_control(2).unwrap_err(), line!())),
    ("bits beyond a word", |t| (line_of!(t.push_control(2, 63)), t.pop_control(64).unwrap_err(), line!())),
    ("a counter", |t| (line_of!(t.push_count(7)), t.pop::<u8>().unwrap_err(), line!())),
    ("no counter", |t| (line_of!(t.push(7_u8)), t.pop_count().unwrap_err(), line!())),
    ("a section", |t| {
        let mut x = [1.0; 4];
        // SAFETY: every second value of x.
        let pushed = line_of!(unsafe { t.push_section(Type::F64, x.as_ptr().cast(), &[2], &[16]) });
        // SAFETY: the first value of x.
        (pushed, unsafe { t.pop_section(Type::F64, x.as_mut_ptr().cast(), &[1], &[16]).unwrap_err() }, line!())
    }),
    ("a range", |t| {
        let a = Objects::of_process();
        (line_of!(a.push_range(t, 4096)), a.pop_pointer(t, 0, 0).unwrap_err(), line!())
    }),
    ("a pointer", |t| {
        let a = Objects::of_process();
        (line_of!(a.push_pointer(t, 4104)), a.pop_pair(t, 0, 0).unwrap_err(), line!())
    }),
    ("a pair", |t| {
        let a = Objects::of_process();
        (line_of!(a.push_pair(t, 4096, 8)), a.pop_range(t).unwrap_err(), line!())
    }),
    ("a range that ends", |t| {
        let a = Objects::of_process();
        (line_of!(a.live_end(t, 8192)), a.pop_pointer(t, 0, 0).unwrap_err(), line!())
    }),
    ("a block", |t| {
        let mut heap = Heap::new().expect("a heap");
        (line_of!(heap.alloc(t, 8)), t.pop::<f64>().unwrap_err(), line!())
    }),
    ("a block of zeros", |t| {
        let mut heap = Heap::new().expect("a heap");
        (line_of!(heap.alloc_zeroed(t, 8)), t.pop::<f64>().unwrap_err(), line!())
    }),
    ("an aligned block", |t| {
        let mut heap = Heap::new().expect("a heap");
        (line_of!(heap.alloc_aligned(t, 8, 64)), t.pop::<f64>().unwrap_err(), line!())
    }),
    ("a block that is freed", |t| {
        let mut heap = Heap::new().expect("a heap");
        let p = heap.alloc(t, 8).expect("a block");
        (line_of!(heap.free(t, p)), t.pop::<f64>().unwrap_err(), line!())
    }),
    ("a block that is freed and saved", |t| {
        let mut heap = Heap::new().expect("a heap");
        let p = heap.alloc(t, 8).expect("a block");
        (line_of!(heap.free_saving(t, p)), t.pop::<f64>().unwrap_err(), line!())
    }),
    ("a block that grows", |t| {
        let mut heap = Heap::new().expect("a heap");
        let p = heap.alloc(t, 8).expect("a block");
        (line_of!(heap.realloc(t, p, 800)), t.pop::<f64>().unwrap_err(), line!())
    }),
    ("a block that shrinks and is saved", |t| {
        let mut heap = Heap::new().expect("a heap");
        let p = heap.alloc(t, 800).expect("a block");
        (line_of!(heap.realloc_saving(t, p, 8)), t.pop::<f64>().unwrap_err(), line!())
    }),
    ("a mark of the heap", |t| {
        let mut heap = Heap::new().expect("a heap");
        (line_of!(heap.push_mark(t)), t.pop::<f64>().unwrap_err(), line!())
    }),
    ("the thread's tape", |_| {
        let pushed = with_thread_tape(|t| line_of!(t.push(1.0_f32)));
        (pushed, with_thread_tape(|t| t.pop::<f64>().unwrap_err()), line!())
    }),
];

/// What was pushed and popped in Rust was "at an unknown place": there is no return address to read.
#[test]
fn check_mode_names_the_lines_of_push_and_pop() {
    const CHILD: &str = "ADTAPE_TEST_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let mut child = Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "check_mode_names_the_lines_of_push_and_pop", "--nocapture"]);
        let output = child.env(CHILD, "1").env("ADTAPE_CHECK", "1").output().expect("a child");
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("went through all"), "{said}");
        return;
    }
    let addresses = Objects::of_process();
    for base in [4096, 8192] {
        addresses.live_add(base, 4096, adtape::RangeKind::Static, "x").expect("a range");
    }
    for (what, mistake) in MISTAKES {
        let (pushed, error, popped) = mistake(&Tape::new().expect("a tape"));
        let said = error.to_string();
        let lines: Vec<&str> = said.lines().collect();
        let find = |word: &str| lines.iter().find(|line| line.trim_start().starts_with(word)).copied();
        assert!(find("pushed:").is_some_and(|line| line.ends_with(&place(pushed))), "{what}, line {pushed}: {said}");
        assert!(find("popped:").is_some_and(|line| line.ends_with(&place(popped))), "{what}, line {popped}: {said}");
    }
    println!("went through all");
}

#[test]
fn errors_name_the_line_of_the_call() {
    let (tape, addresses) = (Tape::new().expect("a tape"), Objects::of_process());
    let mut heap = Heap::new().expect("a heap");
    let mut failures = vec![
        ("pop", tape.pop::<f64>().unwrap_err(), line!()),
        ("pop_slice", tape.pop_slice(&mut [0_i32; 3]).unwrap_err(), line!()),
        ("push_control", tape.push_control(0, 65).unwrap_err(), line!()),
        ("pop_control", tape.pop_control(3).unwrap_err(), line!()),
        ("pop_count", tape.pop_count().unwrap_err(), line!()),
        ("push_pointer", addresses.push_pointer(&tape, 64).unwrap_err(), line!()),
        ("push_pair", addresses.push_pair(&tape, 64, 8).unwrap_err(), line!()),
        ("pop_pointer", addresses.pop_pointer(&tape, 0, 0).unwrap_err(), line!()),
        ("pop_pair", addresses.pop_pair(&tape, 0, 0).unwrap_err(), line!()),
        ("push_range", addresses.push_range(&tape, 64).unwrap_err(), line!()),
        ("pop_range", addresses.pop_range(&tape).unwrap_err(), line!()),
        ("live_end", addresses.live_end(&tape, 64).unwrap_err(), line!()),
        ("pop_mark", heap.pop_mark(&tape).unwrap_err(), line!()),
    ];
    heap.begin_reverse().expect("a reversal point");
    failures.extend([
        ("undo_alloc", heap.undo_alloc(&tape).unwrap_err(), line!()),
        ("undo_free", heap.undo_free(&tape).unwrap_err(), line!()),
        ("undo_realloc", heap.undo_realloc(&tape).unwrap_err(), line!()),
    ]);
    for (call, error, line) in failures {
        let said = error.to_string();
        let named = said
            .match_indices(&place(line))
            .any(|(at, place)| !said[at + place.len()..].starts_with(|c: char| c.is_ascii_digit()));
        assert!(named, "{call}, line {line}: {said}");
    }
}
