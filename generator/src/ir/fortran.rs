//! What a program in Fortran says beyond the other parts: how its procedures are declared and where they stand.

use super::{GlobalId, Type};
use std::collections::BTreeMap;

/// The kind of integer that truth values are: 0 or 1.
pub const LOGICAL: &str = "logical";

/// The name of the type of texts.
pub const TEXT: &str = "character(*)";

/// The Fortran of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fortran {
    /// By procedure.
    pub procs: Vec<FortranProc>,
    /// Modules of procedures and variables of the program.
    pub modules: Vec<FortranModule>,
    /// By variable with static storage.
    pub globals: Vec<FortranGlobal>,
    /// Derived types, by the name of the struct.
    pub types: BTreeMap<String, FortranType>,
    /// COMMON blocks that procedures name.
    pub blocks: Vec<FortranBlock>,
    /// Texts of modules that nothing writes: the modules, by their names.
    pub texts: BTreeMap<String, usize>,
    /// Procedures that sweeps call as they are, by what calls name.
    pub passive: BTreeMap<String, FortranPassive>,
    /// Expressions of texts that sweeps evaluate, by what calls name: the words around and between the arguments.
    pub phrases: BTreeMap<String, Vec<String>>,
    /// Procedures of these that modules get: they allocate a variable, or ask whether it is allocated.
    pub allocations: BTreeMap<String, FortranAllocation>,
    /// By source of the command line.
    pub files: Vec<FortranFile>,
    /// Names that mean something at the level of procedures and modules: generated ones keep away from them.
    pub taken: Vec<String>,
}

impl Fortran {
    /// What is known of a procedure, by its name in the program: copies of one procedure share it.
    pub fn of(&self, name: &str) -> &FortranProc {
        self.procs.iter().find(|known| known.key == name).expect("a procedure of the sources")
    }

    /// The sources, each behind those whose modules it uses.
    pub fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        (0..self.files.len()).for_each(|file| self.place(file, &mut order, &mut Vec::new()));
        order
    }

    fn place(&self, file: usize, order: &mut Vec<usize>, open: &mut Vec<usize>) {
        if order.contains(&file) || open.contains(&file) {
            return;
        }
        open.push(file);
        self.needed(file).into_iter().for_each(|other| self.place(other, order, open));
        open.pop();
        order.push(file);
    }

    /// The sources whose modules a source uses.
    pub fn needed(&self, file: usize) -> Vec<usize> {
        let uses = &self.files[file].uses;
        let defines = |other: &usize| self.files[*other].modules.iter().any(|module| uses.contains(module));
        (0..self.files.len()).filter(|other| *other != file && defines(other)).collect()
    }
}

/// A procedure that computes nothing with a derivative, which sweeps call as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FortranPassive {
    /// Its own name.
    pub name: String,
    /// The module that contains it.
    pub module: Option<usize>,
}

/// A procedure that a module gets for an allocatable variable of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct FortranAllocation {
    /// The variable.
    pub global: GlobalId,
    /// Whether it is a function that says whether the variable is allocated; else a subroutine that allocates it.
    pub asks: bool,
}

/// Which modules a source defines, and which it uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FortranFile {
    /// Those that it defines.
    pub modules: Vec<String>,
    /// Those that it uses.
    pub uses: Vec<String>,
    /// Its lines as outputs have them: behind the preprocessor, in free form; none if they are as the source has them.
    pub copied: Option<String>,
}

/// A module in the sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FortranModule {
    /// Its name.
    pub name: String,
    /// The number of its source.
    pub source: u32,
    /// Names that it hides: whether PRIVATE names them, or all.
    pub hidden: BTreeMap<String, bool>,
    /// The line of its `contains` in what is copied of the source, from 1; none if it contains nothing.
    pub contains: Option<u32>,
    /// The line of its end.
    pub end: u32,
}

/// A derived type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FortranType {
    /// Its own name.
    pub name: String,
    /// The number of its module.
    pub module: usize,
    /// Whether all its components are members of the struct.
    pub whole: bool,
    /// The lower bounds of each component that is an array, the first dimension first, by the component's name.
    pub lowers: BTreeMap<String, Vec<i128>>,
    /// Members that are no components, by name: extents and lower bounds of components that are allocatable.
    pub inquiries: BTreeMap<String, Inquiry>,
    /// Whether no source declares it: it stands for an allocatable variable, its only component, which has the name of
    /// what is of this type.
    pub is_bare: bool,
}

/// What an inquiry function says of a dimension of an allocatable component.
#[derive(Clone, Debug, PartialEq)]
pub struct Inquiry {
    /// `size` or `lbound`.
    pub function: &'static str,
    /// The component.
    pub component: String,
    /// The dimension, from 1.
    pub dim: usize,
}

/// A variable with static storage, or a constant array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FortranGlobal {
    /// Where it is declared.
    pub home: Home,
    /// As [`FortranProc::lowers`].
    pub lowers: Vec<Option<i128>>,
}

/// Where a variable with static storage is declared.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Home {
    /// In the module of this number.
    Module(usize),
    /// In a procedure, as a constant: its declaration.
    Constant(String),
    /// In a COMMON block.
    #[default]
    Block,
    /// In a procedure, with SAVE: its first value, as text.
    Saved(Option<String>),
}

impl FortranGlobal {
    /// The number of its module, if it is declared in one.
    pub fn module(&self) -> Option<usize> {
        match self.home {
            Home::Module(module) => Some(module),
            Home::Constant(_) | Home::Block | Home::Saved(_) => None,
        }
    }
}

/// A COMMON block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FortranBlock {
    /// Its name; empty for blank COMMON.
    pub name: String,
    /// Its memory, from its beginning to its end.
    pub parts: Vec<BlockPart>,
}

/// A part of the memory of a COMMON block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockPart {
    /// The name under which sweeps know it.
    pub name: String,
    /// The type of an element.
    pub elem: Type,
    /// The bounds of its dimensions, the first of Fortran first; none for a scalar.
    pub bounds: Vec<(i128, i128)>,
    /// The variable, if a procedure names it.
    pub global: Option<GlobalId>,
}

/// A procedure in the sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FortranProc {
    /// Its name in the program, where no two procedures have one name.
    pub key: String,
    /// Its own name.
    pub name: String,
    /// The variable of its result, if it has another name.
    pub result: Option<String>,
    /// The module that contains it.
    pub module: Option<usize>,
    /// Whether sweeps call a copy of it: another procedure contains it, or it is for certain procedures as arguments.
    pub is_copied: bool,
    /// Whether it is a function that returns an array or a derived type: its last dummy is the result.
    pub returns_memory: bool,
    /// By parameter.
    pub dummies: Vec<FortranDummy>,
    /// The constant lower bounds of an array's dimensions, the first of Fortran first, by the array's name; none for one
    /// that is no constant.
    pub lowers: BTreeMap<String, Vec<Option<i128>>>,
}

/// A dummy argument, or an extent that the call brings along.
#[derive(Clone, Debug, PartialEq)]
pub struct FortranDummy {
    /// What it is.
    pub kind: DummyKind,
    /// Its declared bounds, first dimension first, as text.
    pub bounds: Vec<String>,
    /// INTENT, as it is declared.
    pub intent: Option<&'static str>,
    /// Whether calls name it, because they leave out one in front of it.
    pub is_named: bool,
    /// The length of a text, if it is constant.
    pub length: Option<i128>,
    /// Whether it is allocatable.
    pub is_allocatable: bool,
}

/// What a parameter is in Fortran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DummyKind {
    /// A scalar that nobody writes: its value is passed.
    Value,
    /// A scalar: its address is passed.
    Scalar,
    /// An array: the address of its first element is passed.
    Array,
    /// The extent of a dimension, from 1, of the argument at this position, whose shape is assumed.
    Extent {
        /// The argument's position among the parameters.
        of: u32,
        /// The dimension.
        dim: u32,
    },
    /// The lower bound of a dimension, from 1, of the argument at this position, which is allocatable.
    Lower {
        /// The argument's position among the parameters.
        of: u32,
        /// The dimension.
        dim: u32,
    },
}

impl DummyKind {
    /// The argument whose bounds a call brings along by this.
    pub fn bound_of(self) -> Option<usize> {
        match self {
            DummyKind::Extent { of, .. } | DummyKind::Lower { of, .. } => Some(of as usize),
            DummyKind::Value | DummyKind::Scalar | DummyKind::Array => None,
        }
    }
}
