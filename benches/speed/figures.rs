//! The figures: what is measured, how much of it, and the bounds.

use crate::driver::Sweep;
use crate::programs::{has_clang, has_gnu_fortran};
use crate::table::{Bound, Row, Unit};

/// What runs the loops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// A C program linked with libadtape.a.
    Static,
    /// One linked with libadtape.so.
    Shared,
    /// One with Fortran loops and the kit's source compiled with -flto; GNU compilers only.
    Lto,
    /// The first, with the small adjoints compiled by clang.
    Clang,
    /// The first, in check mode.
    Checked,
    /// Loops over the Rust API.
    Rust,
}

/// One pair of loops: `count` pieces of `bytes` bytes each.
pub struct Figure {
    /// As the C program knows it.
    pub name: &'static str,
    pub runs: Runs,
    pub count: u64,
    pub bytes: u64,
    title: String,
    bound: Option<Bound>,
}

/// Doubles, bits and counts that stay in cache: a multiple of the block of the C loops.
const CACHED: u64 = 8192;
/// Doubles beyond every cache: 256 MiB.
const UNCACHED: u64 = 32 << 20;
/// Bytes of arrays beyond every cache, on each side.
const UNCACHED_BYTES: u64 = 512 << 20;
/// Bytes of first touch.
const TOUCHED_BYTES: u64 = 1 << 30;

fn figure(title: &str, runs: Runs, name: &'static str, count: u64, bytes: u64, bound: Option<Bound>) -> Figure {
    Figure { name, runs, count, bytes, title: title.to_owned(), bound }
}

/// All figures, in the order of the table.
pub fn figures() -> Vec<Figure> {
    let mut all = Vec::new();
    scalars(&mut all);
    arrays(&mut all);
    kit(&mut all);
    all
}

fn scalars(all: &mut Vec<Figure>) {
    use Bound::AtMost;
    use Runs::{Checked, Rust, Shared, Static};
    for (count, place) in [(CACHED, "in cache"), (UNCACHED, "out of cache")] {
        let mut add = |what: &str, name, bound| {
            all.push(figure(&format!("double, {what}, {place}"), Static, name, count, 8, Some(AtMost(bound))));
        };
        add("local cursor", "f64/local", 1.2);
        add("handle", "f64/handle", 2.0);
        add("adtape_self() kept", "f64/self_kept", 2.0);
        add("adtape_self() each time", "f64/self", 2.0);
    }
    for (what, name) in [
        ("local cursor, in cache, beside a loop that compares", "f64/local_compared"),
        ("handle, in cache, beside a loop that stores its cursor", "f64/handle_stored"),
        ("handle, in cache, beside one that compares and stores it", "f64/handle_held"),
    ] {
        all.push(figure(&format!("double, {what}"), Static, name, CACHED, 8, Some(AtMost(1.1))));
    }
    all.push(figure("control bit, local cursor", Static, "bit/local", CACHED, 8, Some(AtMost(1.5))));
    all.push(figure("control bit, handle", Static, "bit/handle", CACHED, 8, Some(AtMost(1.5))));
    all.push(figure("count below 128, handle", Static, "count/handle", CACHED, 8, None));
    // A cell of each stands for one operation.
    let stencil = "stencil adjoint, handle beside local cursor";
    all.push(figure(stencil, Static, "stencil/handle", CACHED, 8, Some(AtMost(1.1))));
    if has_clang() {
        let title = format!("{stencil}, clang");
        all.push(figure(&title, Runs::Clang, "stencil/handle", CACHED, 8, Some(AtMost(1.1))));
    } else {
        println!("SKIPPED stencil adjoint, clang: there is no clang");
    }
    let limited = "adjoint of limited increments, handle beside local cursor";
    all.push(figure(limited, Static, "stencil/limited", CACHED, 24, None));
    all.push(figure("double, call, static", Static, "f64/call", CACHED, 8, None));
    all.push(figure("double, call, shared", Shared, "f64/call", CACHED, 8, None));
    all.push(figure("double, call with handle, static", Static, "f64/call_handle", CACHED, 8, None));
    all.push(figure("double, Rust Tape", Rust, "f64/rust", CACHED, 8, None));
    all.push(figure("double, handle, check mode", Checked, "f64/handle", CACHED, 8, None));
}

fn arrays(all: &mut Vec<Figure>) {
    use Bound::AtLeast;
    use Runs::Static;
    for (bytes, size) in
        [(1 << 10, "1 KiB"), (4 << 10, "4 KiB"), (64 << 10, "64 KiB"), (1 << 20, "1 MiB"), (8 << 20, "8 MiB")]
    {
        let title = format!("array, {size}, out of cache");
        all.push(figure(&title, Static, "array/memory", UNCACHED_BYTES / bytes, bytes, Some(AtLeast(0.85))));
    }
    for (bytes, size, count) in
        [(4 << 10, "4 KiB", 32), (64 << 10, "64 KiB", 16), (1 << 20, "1 MiB", 4), (8 << 20, "8 MiB", 1)]
    {
        let title = format!("array, {size}, in cache");
        all.push(figure(&title, Static, "array/cache", count, bytes, Some(AtLeast(0.95))));
    }
    for (bytes, size, count) in [(4 << 10, "4 KiB", 32), (64 << 10, "64 KiB", 16)] {
        let title = format!("array, {size}, behind a scalar, in cache");
        all.push(figure(&title, Static, "array/cache_after_scalar", count, bytes, None));
    }
    all.push(figure("every second of 2000 doubles", Static, "section/every_second", 10, 16000, None));
    all.push(figure("interior of a cube of 66^3 doubles", Static, "section/interior_3d", 1, 66 * 66 * 66 * 8, None));
    // Steps of a mesh of 10^5 cells, each a free and an allocation; the reverse sweep takes them back.
    let mesh = "adaptive mesh, free + alloc";
    all.push(figure(mesh, Static, "heap/mesh", 1_000_000, 8, Some(Bound::AtMost(1.5))));
    let mesh = "adaptive mesh with adjoints, free + alloc";
    all.push(figure(mesh, Static, "heap/mesh_adjoint", 1_000_000, 8, Some(Bound::AtMost(1.5))));
    let mesh = "adaptive mesh in cache, free + alloc";
    all.push(figure(mesh, Static, "heap/mesh_small", 1_000_000, 8, Some(Bound::AtMost(1.5))));
    all.push(figure("first touch of 1 GiB", Static, "touch/f64", TOUCHED_BYTES / 8, 8, Some(Bound::AtMost(0.5))));
    for (how, name) in [
        ("huge pages, 8 MiB populated at a time", "touch/populated_huge"),
        ("small pages, 256 KiB populated at a time", "touch/populated_small"),
        ("huge pages, a helper thread ahead", "touch/helper"),
    ] {
        let title = format!("first touch of 1 GiB of plain memory, {how}");
        all.push(figure(&title, Static, name, TOUCHED_BYTES / 8, 8, None));
    }
}

/// Calls of the kit layer.
fn kit(all: &mut Vec<Figure>) {
    use Bound::{AtLeast, AtMost};
    for (runs, how, bound) in [(Runs::Static, "static", 1.15), (Runs::Shared, "shared", 1.3)] {
        for (call, name) in [
            ("Real8", "kit/real8"),
            ("real8_", "kit/real8_fortran"),
            ("Control1b", "kit/control1b"),
            ("Control2b", "kit/control2b"),
        ] {
            all.push(figure(&format!("{call}, kit, {how}"), runs, name, CACHED, 8, Some(AtMost(bound))));
        }
    }
    let packed = "Control1b, kit, static, beside a call that packs bits";
    all.push(figure(packed, Runs::Static, "kit/control1b_packed", CACHED, 8, Some(AtMost(1.1))));
    if has_gnu_fortran() {
        all.push(figure("real8_, kit, Fortran -flto", Runs::Lto, "lto/real8", CACHED, 8, Some(AtMost(1.2))));
        all.push(figure("double, Fortran module -flto", Runs::Lto, "lto/module", CACHED, 8, Some(AtMost(1.2))));
    } else {
        println!("SKIPPED Fortran -flto: the Fortran compiler is not GNU's");
    }
    for (bytes, size, least) in [
        (1 << 10, "1 KiB", 1.3),
        (4 << 10, "4 KiB", 1.3),
        (64 << 10, "64 KiB", 1.3),
        (1 << 20, "1 MiB", 1.3),
        (8 << 20, "8 MiB", 1.3),
        (64 << 20, "64 MiB", 0.95),
    ] {
        let title = format!("Real8Array, kit, {size}, out of cache");
        let count = UNCACHED_BYTES / bytes;
        all.push(figure(&title, Runs::Static, "kit/array_memory", count, bytes, Some(AtLeast(least))));
    }
    // How much of the rate of reading memcpy, which those are compared with, leaves.
    for (bytes, size) in [(4 << 10, "4 KiB"), (64 << 10, "64 KiB"), (8 << 20, "8 MiB")] {
        let title = format!("memcpy out of memory to reading alone, {size}");
        all.push(figure(&title, Runs::Static, "array/memcpy", UNCACHED_BYTES / bytes, bytes, None));
    }
    for (bytes, size, count) in
        [(4 << 10, "4 KiB", 32), (64 << 10, "64 KiB", 16), (1 << 20, "1 MiB", 4), (8 << 20, "8 MiB", 1)]
    {
        let title = format!("Real8Array, kit, {size}, in cache");
        all.push(figure(&title, Runs::Static, "kit/array_cache", count, bytes, Some(AtLeast(0.95))));
    }
}

impl Figure {
    fn is_heap(&self) -> bool {
        self.name.starts_with("heap")
    }

    /// Whether the sweeps do more than push and pop.
    fn is_program(&self) -> bool {
        self.is_heap() || self.name.starts_with("stencil")
    }

    pub fn sweeps(&self) -> Vec<Sweep> {
        match self.name {
            name if name.starts_with("touch/") => vec![Sweep::Forward],
            "array/memcpy" => vec![Sweep::Reverse],
            _ => vec![Sweep::Forward, Sweep::Reverse],
        }
    }

    /// A round takes a good part of a second.
    pub fn is_long(&self) -> bool {
        self.count * self.bytes >= 64 << 20 || self.is_heap()
    }

    pub fn in_bytes(&self) -> bool {
        self.name.contains("array") || self.name.starts_with("section")
    }

    /// The benchmarks by the first part of their ids, and what each measures: a sweep or, where that takes long, both
    /// together.
    pub fn benchmarks(&self) -> Vec<(String, Vec<Sweep>)> {
        let kind = match self.runs {
            Runs::Static | Runs::Rust | Runs::Lto => "",
            Runs::Clang => "/clang",
            Runs::Shared => "/shared",
            Runs::Checked => "/check",
        };
        if self.is_long() {
            return vec![(format!("push_pop{kind}"), self.sweeps())];
        }
        self.sweeps().into_iter().map(|sweep| (format!("{}{kind}", sweep.operation()), vec![sweep])).collect()
    }

    /// The last part of the benchmark's id.
    pub fn size(&self) -> u64 {
        if self.in_bytes() { self.bytes } else { self.count }
    }

    /// A row of the table, from the times of a sweep in ns and their ratio.
    pub fn row(&self, sweep: Sweep, ours: f64, reference: f64, ratio: f64) -> Row {
        let bytes = (self.count * self.section_bytes()) as f64;
        Row {
            title: if self.sweeps().len() == 1 {
                self.title.clone()
            } else if self.is_program() {
                format!("{sweep:?}: {}", self.title).to_lowercase()
            } else {
                format!("{} {}", sweep.operation(), self.title)
            },
            // A rate's ratio is the other way round.
            ratio: if self.in_bytes() { 1.0 / ratio } else { ratio },
            ours: if self.in_bytes() { bytes / ours } else { ours / self.count as f64 },
            reference: if self.in_bytes() { bytes / reference } else { reference / self.count as f64 },
            unit: if self.in_bytes() { Unit::GigabytesPerSecond } else { Unit::Nanoseconds },
            bound: self.bound_of(sweep),
        }
    }

    fn bound_of(&self, sweep: Sweep) -> Option<Bound> {
        // Out of memory memcpy takes long arrays at nine tenths of the rate of reading alone, so a pop of 1.3 times memcpy
        // would outrun the memory.
        match sweep {
            Sweep::Reverse if self.name == "kit/array_memory" && self.bytes >= 64 << 10 => Some(Bound::AtLeast(0.95)),
            _ => self.bound,
        }
    }

    /// Bytes that go onto the tape for each piece.
    fn section_bytes(&self) -> u64 {
        match self.name {
            "section/every_second" => self.bytes / 2,
            "section/interior_3d" => 64 * 64 * 64 * 8,
            _ => self.bytes,
        }
    }
}
