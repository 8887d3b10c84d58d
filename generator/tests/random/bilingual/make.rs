//! Random programs, each in Fortran and in C: a module with variables of its own, functions, subroutines and a head
//! `f(n, x, y, z)`.

use super::text::{Both, Source, fill};
use crate::prng::Prng;

/// A variable that is a real.
#[derive(Clone)]
pub struct Real {
    pub name: Both,
    pub is_writable: bool,
    pub of_module: bool,
}

#[derive(Clone)]
pub struct Array {
    pub name: Both,
    pub extent: Both,
    pub of_module: bool,
}

/// The variable of a loop, which counts through arrays of this extent.
#[derive(Clone)]
pub struct Index {
    pub name: String,
    pub extent: String,
}

/// What a statement may name.
#[derive(Clone, Default)]
pub struct Scope {
    pub reals: Vec<Real>,
    pub arrays: Vec<Array>,
    /// Integers, and whether they may be set.
    pub ints: Vec<(String, bool)>,
    pub indices: Vec<Index>,
    pub logicals: Vec<String>,
    /// Loops around, by their names.
    pub loops: Vec<String>,
    pub matrices: Vec<String>,
    /// Whether a loop around may be left or gone on with.
    pub in_loop: bool,
    pub may_return: bool,
    /// Whether no branch and no loop is around.
    pub is_top: bool,
    /// Whether a value may be an element of an array. gfortran 12 sets the elements of a WHERE before it reads those.
    pub has_elements: bool,
    /// Whether the scope of a label is no switch.
    pub may_jump: bool,
}

pub struct Maker<'a> {
    pub rng: &'a mut Prng,
    pub scope: Scope,
    pub functions: usize,
    /// Whether there is a function `again` that calls itself.
    pub is_recursive: bool,
    /// Subroutines, and whether each takes an assumed shape.
    pub subroutines: Vec<bool>,
    /// Locals of the procedure that is made, declared in front of its statements.
    pub locals: Source,
    pub labels: usize,
    pub names: usize,
    /// What a `return` is.
    pub leave: Both,
}

/// A program in both languages.
pub struct Program {
    pub seed: u64,
    pub fortran: String,
    pub c: String,
}

const PRELUDE: &str = "#include <math.h>
#include <stdlib.h>
struct pair { double s, v[3]; };
static int wrapped(int i, int n) { int r = i % n; return r < 0 ? r + n + 1 : r + 1; }
static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }
static double sum_of(int n, const double *a) { double s = 0.0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static double product_of(int n, const double *a, const double *b) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}
static double largest_of(int n, const double *a) {
    double most = a[0];
    for (int i = 1; i < n; i++) if (a[i] > most) most = a[i];
    return most;
}
static double smallest_of(int n, const double *a) {
    double least = a[0];
    for (int i = 1; i < n; i++) if (a[i] < least) least = a[i];
    return least;
}
";

/// A function that calls itself.
const AGAIN_IN_FORTRAN: &str = "\
pure recursive function again(k, a) result(r)
  integer, intent(in) :: k
  real(8), intent(in) :: a
  real(8) :: r
  if (k <= 0) then
    r = a
  else
    r = sin(0.75d0 * again(k - 1, a + 0.125d0) + a)
  end if
end function again";
const AGAIN_IN_C: &str = "\
static double again(int k, double a) {
    if (k <= 0) return a;
    return sin(0.75 * again(k - 1, a + 0.125) + a);
}";

pub fn program(seed: u64) -> Program {
    let mut rng = Prng::new(seed.wrapping_mul(77) ^ 0x0F0F);
    let mut out = Source::default();
    out.fortran(&format!("module m{seed}\n  implicit none\n  type :: pair\n    real(8) :: s, v(3)\n  end type"));
    out.fortran("  real(8) :: g = 0.5d0\n  real(8) :: gw(4) = [0.1d0, -0.2d0, 0.3d0, 0.4d0]\ncontains");
    out.c(&format!("{PRELUDE}double g_{seed} = 0.5;\ndouble gw_{seed}[4] = {{0.1, -0.2, 0.3, 0.4}};"));
    let (functions, subroutines) = (rng.below(3), rng.below(3));
    let mut known = Vec::new();
    for k in 0..functions {
        Maker::new(&mut rng, k, &[]).function(seed, k, &mut out);
    }
    for k in 0..subroutines {
        let assumed = rng.chance(40);
        Maker::new(&mut rng, functions, &known).subroutine(seed, k, assumed, &mut out);
        known.push(assumed);
    }
    let mut head = Maker::new(&mut rng, functions, &known);
    head.is_recursive = head.rng.chance(30);
    if head.is_recursive {
        out.both(AGAIN_IN_FORTRAN, AGAIN_IN_C);
    }
    head.head(seed, &mut out);
    out.fortran("end module");
    Program { seed, fortran: out.fortran, c: out.c }
}

impl Maker<'_> {
    fn new<'a>(rng: &'a mut Prng, functions: usize, subroutines: &[bool]) -> Maker<'a> {
        Maker {
            rng,
            scope: Scope { may_return: true, is_top: true, has_elements: true, may_jump: true, ..Scope::default() },
            functions,
            is_recursive: false,
            subroutines: subroutines.to_vec(),
            locals: Source { depth: 1, ..Source::default() },
            labels: 0,
            names: 0,
            leave: Both::new("return", "return;"),
        }
    }

    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn add_real(&mut self, name: Both, is_writable: bool) {
        self.scope.reals.push(Real { name, is_writable, of_module: false });
    }

    pub fn add_array(&mut self, name: Both, extent: Both) {
        self.scope.arrays.push(Array { name, extent, of_module: false });
    }

    fn add_module(&mut self, seed: u64, is_writable: bool) {
        let g = Both::new("g", format!("g_{seed}"));
        self.scope.reals.push(Real { name: g, is_writable, of_module: true });
        let name = Both::new("gw", format!("gw_{seed}"));
        if is_writable || self.rng.chance(50) {
            self.scope.arrays.push(Array { name, extent: Both::same("4"), of_module: true });
        }
    }

    /// Variables of a procedure, each with a value.
    fn add_locals(&mut self, extent: &str, body: &mut Source) {
        for _ in 0..1 + self.rng.below(3) {
            let name = self.fresh("r");
            self.locals.both(&format!("real(8) :: {name}"), &format!("double {name};"));
            let value = self.leaf_or_constant();
            body.line(&fill(&format!("{name} = {{0}}"), &format!("{name} = {{0}};"), &[&value]));
            self.add_real(Both::same(name), true);
        }
        for _ in 0..1 + self.rng.below(2) {
            let name = self.fresh("k");
            self.locals.both(&format!("integer :: {name}"), &format!("int {name};"));
            let value = self.rng.within(0, 5);
            body.both(&format!("{name} = {value}"), &format!("{name} = {value};"));
            self.scope.ints.push((name, true));
        }
        if self.rng.chance(50) {
            let name = self.fresh("l");
            self.locals.both(&format!("logical :: {name}"), &format!("int {name};"));
            let is_true = self.rng.chance(50);
            let (f, c) = if is_true { (".true.", 1) } else { (".false.", 0) };
            body.both(&format!("{name} = {f}"), &format!("{name} = {c};"));
            self.scope.logicals.push(name);
        }
        for _ in 0..self.rng.below(3) {
            let name = self.fresh("w");
            self.locals.both(&format!("real(8) :: {name}({extent})"), &format!("double {name}[{extent}];"));
            let value = self.leaf_or_constant();
            let c = format!("for (int k_ = 0; k_ < {extent}; k_++) {name}[k_] = {{0}};");
            body.line(&fill(&format!("{name} = {{0}}"), &c, &[&value]));
            self.add_array(Both::same(name), Both::same(extent));
        }
        if self.rng.chance(35) {
            let name = self.fresh("p");
            self.locals.both(&format!("type(pair) :: {name}"), &format!("struct pair {name};"));
            let value = self.leaf_or_constant();
            body.line(&fill(&format!("{name}%s = {{0}}"), &format!("{name}.s = {{0}};"), &[&value]));
            let c = format!("for (int k_ = 0; k_ < 3; k_++) {name}.v[k_] = {{0}};");
            body.line(&fill(&format!("{name}%v = {{0}}"), &c, &[&value]));
            self.add_real(Both::new(format!("{name}%s"), format!("{name}.s")), true);
            self.add_array(Both::new(format!("{name}%v"), format!("{name}.v")), Both::same("3"));
        }
        if self.rng.chance(35) {
            let name = self.fresh("a");
            self.locals.both(&format!("real(8) :: {name}(3, 4)"), &format!("double {name}[4][3];"));
            let c = format!("for (int k_ = 0; k_ < 12; k_++) {name}[k_ / 3][k_ % 3] = 0.375;");
            body.both(&format!("{name} = 0.375d0"), &c);
            self.scope.matrices.push(name);
        }
    }

    fn leaf_or_constant(&mut self) -> Both {
        if self.scope.reals.is_empty() || self.rng.chance(40) { Both::real(self.rng.real()) } else { self.leaf() }
    }

    fn function(mut self, seed: u64, k: usize, out: &mut Source) {
        self.add_real(Both::same("a"), false);
        self.add_real(Both::same("b"), false);
        if self.rng.chance(40) {
            self.add_module(seed, false);
            // A function writes nothing that is not its own.
            self.scope.arrays.clear();
        }
        self.leave = Both::new("return", "return r;");
        let mut body = Source { depth: 1, ..Source::default() };
        body.both("r = a * 0.5d0", "r = a * 0.5;");
        self.add_real(Both::same("r"), true);
        self.add_locals("4", &mut body);
        self.block(&mut body, 2, 3);
        out.both(
            &format!("elemental function h{k}(a, b) result(r)"),
            &format!("static double h{k}(double a, double b) {{"),
        );
        out.fortran("  real(8), intent(in) :: a, b\n  real(8) :: r");
        out.c("    double r;");
        self.close(body, out, &format!("end function h{k}"), "    return r;\n}");
    }

    fn subroutine(mut self, seed: u64, k: usize, assumed: bool, out: &mut Source) {
        self.add_array(Both::same("v"), Both::same("m"));
        self.add_real(Both::new("a", "(*a)"), true);
        self.scope.ints.push(("k".into(), false));
        if self.rng.chance(40) {
            self.add_module(seed, true);
        }
        let mut body = Source { depth: 1, ..Source::default() };
        if assumed {
            body.fortran("m = size(v)");
        }
        // An automatic array has the extent of an argument.
        self.add_locals(if assumed { "5" } else { "m" }, &mut body);
        // A value that a call may leave out.
        let present = "if (present(o)) a = 0.5d0 * (a + sin(o))";
        body.both(present, "if (has_o) *a = 0.5 * (*a + sin(o));");
        self.block(&mut body, 2, 4);
        let (parameters, shape) = if assumed { ("v, a, k, o", ":") } else { ("m, v, a, k, o", "m") };
        let head = format!("static void s{k}(int m, double *v, double *a, int k, int has_o, double o) {{");
        out.both(&format!("subroutine s{k}({parameters})"), &head);
        out.fortran(if assumed { "  integer, intent(in) :: k" } else { "  integer, intent(in) :: m, k" });
        out.fortran(&format!("  real(8), intent(inout) :: v({shape}), a\n  real(8), intent(in), optional :: o"));
        if assumed {
            out.fortran("  integer :: m");
        }
        self.close(body, out, &format!("end subroutine s{k}"), "}");
    }

    fn head(mut self, seed: u64, out: &mut Source) {
        for name in ["x", "y"] {
            self.add_array(Both::same(name), Both::same("n"));
        }
        self.add_real(Both::new("z", "(*z)"), true);
        self.add_module(seed, true);
        let mut body = Source { depth: 1, ..Source::default() };
        self.add_locals("n", &mut body);
        self.block(&mut body, 3, 6);
        body.line(&fill("g = g * 0.5d0 + 0.25d0 * z", &format!("g_{seed} = g_{seed} * 0.5 + 0.25 * *z;"), &[]));
        body.line(&fill("gw(2) = sin(gw(2)) + g", &format!("gw_{seed}[1] = sin(gw_{seed}[1]) + g_{seed};"), &[]));
        let head = format!("void f_{seed}(int n, double *x, double *y, double *z) {{");
        out.both("subroutine f(n, x, y, z)", &head);
        out.fortran("  integer, intent(in) :: n\n  real(8), intent(inout) :: x(n), y(n), z");
        self.close(body, out, "end subroutine f", "}");
    }

    /// Locals, statements and the end of a procedure.
    fn close(self, body: Source, out: &mut Source, fortran: &str, c: &str) {
        out.fortran += &self.locals.fortran;
        out.c += &self.locals.c;
        out.fortran += &body.fortran;
        out.c += &body.c;
        out.both(fortran, c);
    }
}
