//! Programs of C as a tree: what the maker makes, the printer prints, the interpreter runs and the shrinker cuts.

/// Integer types; `I64` is `long`, `U64` is `size_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

impl Int {
    pub fn bits(self) -> u32 {
        match self {
            Int::I8 | Int::U8 => 8,
            Int::I16 | Int::U16 => 16,
            Int::I32 | Int::U32 => 32,
            Int::I64 | Int::U64 => 64,
        }
    }

    pub fn signed(self) -> bool {
        matches!(self, Int::I8 | Int::I16 | Int::I32 | Int::I64)
    }

    /// The value that a variable of this type holds after it is assigned `value`.
    pub fn wrap(self, value: i128) -> i128 {
        let modulus = 1_i128 << self.bits();
        let low = value.rem_euclid(modulus);
        if self.signed() && low >= modulus / 2 { low - modulus } else { low }
    }

    pub fn promoted(self) -> Int {
        if self.bits() < 32 { Int::I32 } else { self }
    }

    pub fn common(self, other: Int) -> Int {
        let (a, b) = (self.promoted(), other.promoted());
        match (a.bits(), b.bits()) {
            (x, y) if x == y => {
                if a.signed() {
                    b
                } else {
                    a
                }
            }
            (x, y) if x > y => a,
            _ => b,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    Void,
    Int(Int),
    F32,
    F64,
    /// The extent `VARIABLE` stands for an expression in the declaration.
    Array(Box<Ty>, usize),
    Struct(usize),
    Ptr(Box<Ty>),
}

pub const VARIABLE: usize = usize::MAX;

impl Ty {
    pub fn ptr(to: Ty) -> Ty {
        Ty::Ptr(Box::new(to))
    }

    pub fn array(of: Ty, extent: usize) -> Ty {
        Ty::Array(Box::new(of), extent)
    }

    pub fn real(&self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    pub fn scalar(&self) -> bool {
        matches!(self, Ty::F32 | Ty::F64 | Ty::Int(_))
    }

    /// The type in which two numbers are computed.
    pub fn common(&self, other: &Ty) -> Ty {
        match (self, other) {
            (Ty::F64, _) | (_, Ty::F64) => Ty::F64,
            (Ty::F32, _) | (_, Ty::F32) => Ty::F32,
            (Ty::Int(a), Ty::Int(b)) => Ty::Int(a.common(*b)),
            (Ty::Ptr(_), _) => self.clone(),
            _ => other.clone(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Local(usize),
    Global(usize),
}

/// A place in memory: a variable, then subscripts and members.
#[derive(Clone, Debug, PartialEq)]
pub struct Lv {
    pub base: Base,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Element of an array or behind a pointer; printed with a star if the flag is set.
    At(Expr, bool),
    Field(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Un {
    Minus,
    Not,
    Invert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Both,
    Either,
}

impl Bin {
    pub fn text(self) -> &'static str {
        match self {
            Bin::Add => "+",
            Bin::Sub => "-",
            Bin::Mul => "*",
            Bin::Div => "/",
            Bin::Rem => "%",
            Bin::And => "&",
            Bin::Or => "|",
            Bin::Xor => "^",
            Bin::Shl => "<<",
            Bin::Shr => ">>",
            Bin::Lt => "<",
            Bin::Le => "<=",
            Bin::Gt => ">",
            Bin::Ge => ">=",
            Bin::Eq => "==",
            Bin::Ne => "!=",
            Bin::Both => "&&",
            Bin::Either => "||",
        }
    }

    /// Whether the result is 0 or 1.
    pub fn truth(self) -> bool {
        self as u8 >= Bin::Lt as u8
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Int(i64, Int),
    Real(f64, bool),
    Load(Box<Lv>),
    /// `&lv`
    Addr(Box<Lv>),
    /// An array as the address of its first element.
    Decay(Box<Lv>),
    /// A pointer moved by an integer.
    Move(Box<Expr>, Box<Expr>),
    Un(Un, Box<Expr>),
    Bin(Bin, Box<Expr>, Box<Expr>),
    Cast(Ty, Box<Expr>),
    Cond(Box<[Expr; 3]>),
    /// A function of math.h, in float if the flag is set.
    Math(&'static str, Vec<Expr>, bool),
    Call(usize, Vec<Expr>),
    /// `++` and `--`: by how much, and whether the value is that from before.
    Bump(Box<Lv>, i64, bool),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    None,
    One(Expr),
    List(Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A local variable; the extent of a variable array.
    Decl(usize, Init, Option<Expr>),
    Assign(Lv, Option<Bin>, Expr),
    /// `a = b = e`
    Chain(Lv, Lv, Expr),
    /// `*p++ = e`
    March(Lv, i64, Option<Bin>, Expr),
    /// `a = *p++`
    Take(Lv, Option<Bin>, Lv, i64),
    Eval(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    For(Vec<Stmt>, Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    DoWhile(Vec<Stmt>, Expr),
    /// Labels, body, whether it falls through; the default comes last.
    Switch(Expr, Vec<(Vec<i64>, Vec<Stmt>, bool)>, Vec<Stmt>),
    Break,
    Continue,
    Return(Option<Expr>),
    /// To the only label of the function.
    Goto,
    Label,
    /// To, from, number of elements of this type, whether as `memmove`.
    Copy(Expr, Expr, usize, Ty, bool),
    /// `memset(…, 0, …)`
    Zero(Expr, usize, Ty),
    /// A block of the heap for a pointer variable: elements, whether zeroed, what is done with it before `free`.
    Heap(usize, Expr, bool, Vec<Stmt>),
    Block(Vec<Stmt>),
    /// Calls a procedure of another file.
    Tell(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    pub name: String,
    pub ty: Ty,
    /// Whether what it holds, or points to, is declared const.
    pub constant: bool,
    pub is_static: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Proc {
    pub name: String,
    pub ret: Ty,
    /// The first of the variables are parameters.
    pub params: usize,
    pub vars: Vec<Var>,
    pub body: Vec<Stmt>,
    pub is_static: bool,
    /// Whether another file has it: a handler that takes a text, whose source the generator does not see.
    pub is_outside: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    pub name: String,
    pub fields: Vec<(String, Ty)>,
    /// Whether its two pointers lead into one array.
    pub is_span: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    pub var: Var,
    pub init: Vec<f64>,
}

/// What the head does with a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Role {
    /// Elements behind a pointer.
    pub extent: usize,
    /// Where a pointer leads that has no object of its own: into that of another parameter, at an element.
    pub into: Option<(usize, usize)>,
    pub dependent: bool,
    pub independent: bool,
}

/// A program; its last procedure is the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub structs: Vec<Struct>,
    pub globals: Vec<Global>,
    pub procs: Vec<Proc>,
    pub roles: Vec<Role>,
    /// Whether the result is differentiated.
    pub result: bool,
    /// Where the data of its parameters come from.
    pub data: u64,
    /// Whether it has functions at poles, and data that lead there.
    pub poles: bool,
}

impl Program {
    pub fn head(&self) -> &Proc {
        self.procs.last().unwrap()
    }

    pub fn var<'a>(&'a self, proc: &'a Proc, base: Base) -> &'a Var {
        match base {
            Base::Local(at) => &proc.vars[at],
            Base::Global(at) => &self.globals[at].var,
        }
    }

    /// The type of a place.
    pub fn ty_of(&self, proc: &Proc, lv: &Lv) -> Ty {
        let mut ty = self.var(proc, lv.base).ty.clone();
        for step in &lv.steps {
            ty = match (step, ty) {
                (Step::At(..), Ty::Array(of, _) | Ty::Ptr(of)) => *of,
                (Step::Field(k), Ty::Struct(of)) => self.structs[of].fields[*k].1.clone(),
                (step, ty) => panic!("{step:?} of {ty:?}"),
            };
        }
        ty
    }

    /// The type of an expression.
    pub fn ty(&self, proc: &Proc, expr: &Expr) -> Ty {
        match expr {
            Expr::Int(_, ty) => Ty::Int(*ty),
            Expr::Real(_, float) | Expr::Math(_, _, float) => {
                if *float {
                    Ty::F32
                } else {
                    Ty::F64
                }
            }
            Expr::Load(lv) | Expr::Bump(lv, ..) => self.ty_of(proc, lv),
            Expr::Addr(lv) => Ty::ptr(self.ty_of(proc, lv)),
            Expr::Decay(lv) => match self.ty_of(proc, lv) {
                Ty::Array(of, _) => Ty::Ptr(of),
                ty => panic!("{ty:?} as an array"),
            },
            Expr::Move(base, _) => self.ty(proc, base),
            Expr::Un(Un::Not, _) => Ty::Int(Int::I32),
            Expr::Un(_, of) => match self.ty(proc, of) {
                Ty::Int(int) => Ty::Int(int.promoted()),
                ty => ty,
            },
            Expr::Bin(op, ..) if op.truth() => Ty::Int(Int::I32),
            Expr::Bin(Bin::Shl | Bin::Shr, a, _) => match self.ty(proc, a) {
                Ty::Int(int) => Ty::Int(int.promoted()),
                ty => ty,
            },
            Expr::Bin(_, a, b) => match (self.ty(proc, a), self.ty(proc, b)) {
                (Ty::Ptr(_), Ty::Ptr(_)) => Ty::Int(Int::I64),
                (a, b) => a.common(&b),
            },
            Expr::Cast(ty, _) => ty.clone(),
            Expr::Cond(of) => self.ty(proc, &of[1]).common(&self.ty(proc, &of[2])),
            Expr::Call(callee, _) => self.procs[*callee].ret.clone(),
        }
    }

    /// How many scalars a type has.
    pub fn cells(&self, ty: &Ty) -> usize {
        match ty {
            Ty::Array(of, extent) => self.cells(of) * extent,
            Ty::Struct(of) => self.structs[*of].fields.iter().map(|(_, ty)| self.cells(ty)).sum(),
            _ => 1,
        }
    }

    /// Its scalars one by one.
    pub fn flat(&self, ty: &Ty, out: &mut Vec<Ty>) {
        match ty {
            Ty::Array(of, extent) => (0..*extent).for_each(|_| self.flat(of, out)),
            Ty::Struct(of) => self.structs[*of].fields.iter().for_each(|(_, ty)| self.flat(ty, out)),
            _ => out.push(ty.clone()),
        }
    }
}
