//! Makes a program from a seed.
//!
//! A program uses a random part of the constructs only (`Swarm`), so that those which are seldom accepted together do
//! not hide each other. Subscripts are mostly within range by construction; what is not is found by the interpreter,
//! and another program takes its place.

mod arrays;
mod control;
mod expr;
mod pointers;
mod procs;
mod stmt;

use crate::ast::*;
use crate::prng::Prng;

use arrays::Pair;
pub use arrays::WITHIN;

/// What the statements at hand may use.
#[derive(Clone)]
struct Item {
    base: Base,
    ty: Ty,
    /// What an integer stays within.
    range: Option<(i64, i64)>,
    /// Elements behind a pointer, or of an array of variable extent.
    extent: usize,
    writable: bool,
}

/// Constructs that this program has.
struct Swarm {
    float: bool,
    structs: bool,
    globals: bool,
    heap: bool,
    variable: bool,
    copies: bool,
    switches: bool,
    gotos: bool,
    recursion: bool,
    marching: bool,
    pointers: bool,
    widths: bool,
    rows: bool,
    bits: bool,
    functions: bool,
    returns: bool,
    jumps: bool,
    effects: bool,
    swaps: bool,
    tables: bool,
    /// Pointers of the caller into one array.
    arrays: bool,
    /// A handler of another file.
    handlers: bool,
}

struct Maker {
    rng: Prng,
    program: Program,
    swarm: Swarm,
    tag: String,
    names: usize,
    // What belongs to the function at hand:
    vars: Vec<Var>,
    scope: Vec<Item>,
    ret: Ty,
    /// Nesting of loops that `break` and `continue` may leave; 0 within a switch that is in none.
    loops: usize,
    nesting: usize,
    budget: usize,
    jumps_out: bool,
    /// Procedures that may be called, and whether they have no effects.
    callees: Vec<(usize, bool)>,
    pure: bool,
    /// Pointers of the head into one array.
    pairs: Vec<Pair>,
    /// The helper that compares two pointers.
    within: Option<usize>,
    /// The variable that the handler writes, and the handler.
    told: Option<(usize, usize)>,
}

/// The program of a seed, the `attempt`-th one; most attempts are defined.
pub fn program(seed: u64, attempt: u64) -> Program {
    let mut rng = Prng::new(seed.wrapping_mul(1000) + attempt);
    let mut on = |percent| rng.chance(percent);
    // Drawn apart, so that programs without them stay as they are.
    let mut apart = Prng::new(seed.wrapping_mul(1000).wrapping_add(attempt) ^ 0x0a11_a5ed);
    let all = std::env::var("FORM").is_ok_and(|form| form == "arrays");
    let swarm = Swarm {
        float: on(12),
        structs: on(45),
        globals: on(35),
        heap: on(20),
        variable: on(15),
        copies: on(20),
        switches: on(25),
        gotos: on(15),
        recursion: on(20),
        marching: on(30),
        pointers: on(35),
        widths: on(40),
        rows: on(40),
        bits: on(30),
        functions: on(70),
        returns: on(25),
        jumps: on(45),
        effects: on(30),
        swaps: on(20),
        tables: on(30),
        arrays: apart.chance(if all { 100 } else { 12 }),
        handlers: apart.chance(if all { 30 } else { 5 }),
    };
    let program = Program {
        structs: Vec::new(),
        globals: Vec::new(),
        procs: Vec::new(),
        roles: Vec::new(),
        result: false,
        data: rng.next(),
        // From numbers of its own: programs without poles are what they would be if there were none.
        poles: Prng::new(seed.wrapping_mul(1000) + attempt + (1 << 40)).chance(30),
    };
    let maker = Maker {
        rng,
        program,
        swarm,
        tag: format!("_{seed}"),
        names: 0,
        vars: Vec::new(),
        scope: Vec::new(),
        ret: Ty::Void,
        loops: 0,
        nesting: 0,
        budget: 0,
        jumps_out: false,
        callees: Vec::new(),
        pure: false,
        pairs: Vec::new(),
        within: None,
        told: None,
    };
    maker.whole(seed)
}

/// Names of the library, of its headers' macros and types, and of what generated code declares for itself.
const OF_OTHERS: [&str; 14] = [
    "adtape_t",
    "adtape_self",
    "adtape_push_f64",
    "adtape_status_t",
    "ADTAPE_TAPE_H",
    "ADTAPE_STATUS_OK",
    "ADTAPE_CHECK",
    "uint64_t",
    "passes",
    "seed",
    "tape",
    "allocate_or_abort",
    "zero_or_product",
    "adtape",
];

/// Now and then, something of the program has a name that the output wants: a variable, a function, what is at file scope,
/// a tag, a member. From numbers of its own: other programs are what they would be if there were none.
fn clash(program: &mut Program, seed: u64) {
    let mut rng = Prng::new(seed.wrapping_mul(1000) + (1 << 41));
    if !rng.chance(20) {
        return;
    }
    let head = program.head().name.clone();
    let ends = ["_b", "_d", "_fwd", "_rev", "_bv", "_b_1", "_B_H"];
    let mut name = |own: bool| {
        let of_head = format!("{head}{}", rng.pick(&ends));
        // Programs share a file.
        if own || rng.chance(40) { of_head } else { rng.pick(&OF_OTHERS).to_string() }
    };
    let (shared, own) = (name(false), name(true));
    let at = |rng: &mut Prng, count: usize| (count > 0).then(|| rng.below(count));
    let helpers: Vec<usize> = (0..program.procs.len() - 1)
        .filter(|k| !program.procs[*k].is_outside && !program.procs[*k].name.starts_with(WITHIN))
        .collect();
    let mut rng = Prng::new(seed.wrapping_mul(1000) + (1 << 42));
    match rng.below(6) {
        0..=2 => {
            let of = at(&mut rng, program.procs.len()).unwrap_or(0);
            let proc = &mut program.procs[of];
            let params = proc.params;
            let is_free = proc.vars.iter().all(|var| var.name != shared);
            if let Some(k) = at(&mut rng, proc.vars.len() - params).filter(|_| is_free && !proc.is_outside) {
                proc.vars[params + k].name = shared;
            }
        }
        3 => {
            if let Some(k) = at(&mut rng, helpers.len()) {
                program.procs[helpers[k]].name = own;
            }
        }
        4 => {
            if let Some(k) = at(&mut rng, program.globals.len()) {
                program.globals[k].var.name = own;
            }
        }
        _ => {
            if let Some(k) = at(&mut rng, program.structs.len()) {
                let of = &mut program.structs[k];
                if rng.chance(50) { of.name = own } else { of.fields[0].0 = shared }
            }
        }
    }
}

impl Maker {
    fn whole(mut self, seed: u64) -> Program {
        if self.swarm.structs {
            self.structs();
        }
        if self.swarm.globals {
            self.globals();
        }
        if self.swarm.handlers {
            self.handler();
        }
        if self.swarm.arrays {
            self.comparing();
        }
        if self.swarm.functions {
            for _ in 0..self.rng.within(1, 3) {
                self.helper();
            }
        }
        self.head(seed);
        clash(&mut self.program, seed);
        self.program
    }

    fn structs(&mut self) {
        for at in 0..self.rng.within(1, 2) {
            let mut fields = Vec::new();
            for k in 0..self.rng.within(2, 4) {
                let ty = match self.rng.below(9) {
                    0..=2 => self.real_type(),
                    3 => Ty::array(self.real_type(), self.rng.below(3) + 2),
                    4 => self.int_type(),
                    5 => Ty::array(Ty::Int(Int::I32), 3),
                    6 if at > 0 => Ty::Struct(0),
                    7 if self.swarm.pointers => Ty::ptr(Ty::F64),
                    _ => Ty::F64,
                };
                fields.push((format!("m{k}"), ty));
            }
            fields.push(("v".into(), Ty::F64));
            self.program.structs.push(Struct { name: format!("S{at}{}", self.tag), fields, is_span: false });
        }
    }

    fn globals(&mut self) {
        for k in 0..self.rng.within(1, 3) {
            let mut constant = self.rng.chance(35);
            let (ty, count) = match self.rng.below(5) {
                0 => (self.real_type(), 1),
                1 => (Ty::Int(Int::I32), 1),
                2 => (Ty::array(Ty::Int(Int::I32), 5), 5),
                _ => (Ty::array(self.real_type(), 6), 6),
            };
            if !matches!(ty, Ty::Array(..)) {
                constant = false;
            }
            let integers = matches!(&ty, Ty::Int(_)) || matches!(&ty, Ty::Array(of, _) if matches!(**of, Ty::Int(_)));
            let value = |rng: &mut Prng| if integers { rng.below(4) as f64 } else { rng.real() };
            let init = (0..count).map(|_| value(&mut self.rng)).collect();
            let is_static = self.rng.chance(60);
            let name = format!("g{k}{}", self.tag);
            self.program.globals.push(Global { var: Var { name, ty, constant, is_static }, init });
        }
    }

    fn real_type(&mut self) -> Ty {
        if self.swarm.float && self.rng.chance(40) { Ty::F32 } else { Ty::F64 }
    }

    fn int_type(&mut self) -> Ty {
        let all = [Int::I8, Int::U8, Int::I16, Int::U16, Int::U32, Int::I64, Int::U64, Int::U32];
        if self.swarm.widths && self.rng.chance(60) { Ty::Int(self.rng.pick(&all)) } else { Ty::Int(Int::I32) }
    }

    /// A new name, now and then one that generated code may want for itself.
    fn name(&mut self, of: &str) -> String {
        self.names += 1;
        if self.rng.chance(4) {
            let nasty =
                ["tape", "seed_1", "i_1", "x_b", "x_d", "left", "test", "selector", "count", "again", "x", "gamma"];
            let name = self.rng.pick(&nasty).to_string();
            if self.vars.iter().all(|var| var.name != name) {
                return name;
            }
        }
        format!("{of}{}", self.names)
    }

    fn variable(&mut self, of: &str, ty: Ty) -> usize {
        let name = self.name(of);
        self.vars.push(Var { name, ty, constant: false, is_static: false });
        self.vars.len() - 1
    }

    /// Lets statements use a variable.
    fn show(&mut self, var: usize, range: Option<(i64, i64)>, extent: usize, writable: bool) {
        let ty = self.vars[var].ty.clone();
        let extent = if let Ty::Array(_, count) = ty
            && count != VARIABLE
        {
            count
        } else {
            extent
        };
        self.scope.push(Item { base: Base::Local(var), ty, range, extent, writable });
    }

    fn local(var: usize) -> Lv {
        Lv { base: Base::Local(var), steps: Vec::new() }
    }

    fn load(var: usize) -> Expr {
        Expr::Load(Box::new(Self::local(var)))
    }
}

pub fn number(value: i64) -> Expr {
    Expr::Int(value, Int::I32)
}

pub fn binary(op: Bin, a: Expr, b: Expr) -> Expr {
    Expr::Bin(op, Box::new(a), Box::new(b))
}
