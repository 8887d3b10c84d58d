//! Which form a program is brought into before its sweeps are made: the first in which nothing is in their way.
//!
//! | form | what it needs | what it is for |
//! |---|---|---|
//! | as it is | no block that may move | blocks that one block of code makes and frees |
//! | calls written out | functions that make or free memory for callers | blocks that outlive these functions |
//! | on the stable heap | blocks, or variables that memory leads to | lists, trees, rows that a loop allocates |
//! | without tests for memory | tests whether there was memory | blocks that are kept where there was memory |
//!
//! Where nothing of this helps, pointers that move in memory are held in variables, arguments are copied that a call
//! overwrites, pointers that a loop hands on are found by its index, or functions with pointers of no type are written
//! out. A program that the analyses do not understand gets only the last, which gives its pointers their types. Small
//! functions with structs are written out in all forms of an adjoint. Several adjoints at once go without the stable
//! heap.
//!
//! The analyses and the plan of the sweeps look at a form. The sweeps of one form are proved: no way leads back from there
//! to another form.

use std::borrow::Cow;

use super::{inline, stable};
use crate::flow::Head;
use crate::ir::Program;
use crate::refuse::{Class, Refusal};

/// What is done to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// [`inline::by_value`].
    Small,
    /// [`inline::constructors`].
    Constructors,
    /// [`inline::setters`].
    Setters,
    /// [`inline::untyped`].
    Untyped,
    /// [`inline::held`].
    Held,
    /// [`inline::copied`].
    Copied,
    /// [`inline::by_index`].
    Indexed,
    /// [`stable::moved`].
    Stable,
    /// [`inline::without_tests`].
    WithoutTests,
}

/// A program in some form.
#[derive(Clone, Debug)]
pub struct Form<'p> {
    /// The program.
    pub program: Cow<'p, Program>,
    /// How it came to this form.
    pub steps: Vec<Step>,
}

/// What is in the way of the sweeps of a form.
#[derive(Clone, Debug)]
pub struct Obstacles {
    /// What it is.
    pub refusals: Vec<Refusal>,
    /// Whether the analyses understand the program.
    pub understood: bool,
}

/// The forms of a program.
pub struct Forms<'a, T> {
    /// What is asked for.
    pub heads: &'a [Head],
    /// Whether several adjoints are computed at once.
    pub several: bool,
    /// What a form gives, unless something is in the way.
    pub look: &'a dyn Fn(&Form) -> Result<T, Obstacles>,
}

impl Obstacles {
    /// Whether another form may do without: what a program lacks, or what has no derivative, is the same in all.
    fn may_go(&self) -> bool {
        self.refusals.iter().all(|each| matches!(each.class, Class::Pointer | Class::NotProved | Class::Type))
    }
}

impl Form<'_> {
    fn with(&self, step: Step, write: impl Fn(&Program) -> Option<Program>) -> Option<Form<'static>> {
        let program = Cow::Owned(write(&self.program)?);
        Some(Form { program, steps: self.steps.iter().copied().chain([step]).collect() })
    }
}

impl<T> Forms<'_, T> {
    /// What the first form gives in which nothing is in the way of an adjoint.
    pub fn adjoint(&self, program: &Program) -> Result<T, Vec<Refusal>> {
        let form = Form { program: Cow::Borrowed(program), steps: Vec::new() };
        let obstacles = match self.with_blocks(&form) {
            Ok(found) => return Ok(found),
            Err(obstacles) if !obstacles.may_go() => return Err(obstacles.refusals),
            Err(obstacles) => obstacles,
        };
        let heads = self.heads;
        let understood = obstacles.understood.then_some(&form);
        let copied = understood.and_then(|form| form.with(Step::Copied, |p| inline::copied(p, heads)));
        let from = copied.as_ref().or(understood);
        let indexed = from.and_then(|form| form.with(Step::Indexed, |p| inline::by_index(p, heads)));
        let untyped = form.with(Step::Untyped, |p| inline::untyped(p, heads));
        let held = understood.and_then(|form| form.with(Step::Held, |p| inline::held(p, heads)));
        let mut others = [held, copied, indexed, untyped].into_iter().flatten();
        others.find_map(|other| self.with_blocks(&other).ok()).ok_or(obstacles.refusals)
    }

    /// What the first form gives in which nothing is in the way of a tangent.
    pub fn tangent(&self, program: &Program) -> Result<T, Vec<Refusal>> {
        let form = Form { program: Cow::Borrowed(program), steps: Vec::new() };
        let here = |form: &Form| {
            (self.look)(form).or_else(|obstacles| {
                let inlined = self.constructors(form);
                inlined.and_then(|inlined| (self.look)(&inlined).ok()).ok_or(obstacles)
            })
        };
        here(&form).or_else(|obstacles| {
            if !obstacles.may_go() {
                return Err(obstacles.refusals);
            }
            let setters = form.with(Step::Setters, |p| inline::setters(p, self.heads));
            let untyped = || form.with(Step::Untyped, |p| inline::untyped(p, self.heads));
            let held = || form.with(Step::Held, |p| inline::held(p, self.heads));
            let found = setters.and_then(|other| here(&other).ok());
            let found = found.or_else(|| here(&held()?).ok());
            found.or_else(|| here(&untyped()?).ok()).ok_or(obstacles.refusals)
        })
    }

    /// The forms for blocks: where they are, in their callers, on the stable heap.
    fn with_blocks(&self, form: &Form) -> Result<T, Obstacles> {
        let moves = stable::moves(&form.program);
        let stays = moves.is_none();
        let obstacles = match moves {
            Some(refusal) => Obstacles { refusals: vec![refusal], understood: true },
            None => match self.small(form) {
                Ok(found) => return Ok(found),
                Err(obstacles) => obstacles,
            },
        };
        if !obstacles.understood || !obstacles.may_go() {
            return Err(obstacles);
        }
        let mut inlined = stays.then(|| self.constructors(form)).flatten();
        if let Some(found) = inlined.as_ref().and_then(|inlined| self.small(inlined).ok()) {
            return Ok(found);
        }
        let obstacles = match self.on_heap(form) {
            Some(Ok(found)) => return Ok(found),
            // A program without blocks is refused for what its variables do.
            Some(Err(others)) if stable::makes_blocks(&form.program) => others,
            _ => obstacles,
        };
        if !stays {
            inlined = self.constructors(form);
        }
        inlined.and_then(|inlined| self.on_heap(&inlined)?.ok()).ok_or(obstacles)
    }

    /// On the stable heap; if something is in the way there, without what the program does where it gets no memory,
    /// because the stable heap ends it there. `None`: nothing goes there.
    fn on_heap(&self, form: &Form) -> Option<Result<T, Obstacles>> {
        if self.several {
            return None;
        }
        let moved = form.with(Step::Stable, |p| stable::moved(p, self.heads))?;
        Some(self.small(&moved).or_else(|obstacles| {
            let decided = moved.with(Step::WithoutTests, inline::without_tests);
            decided.and_then(|decided| self.small(&decided).ok()).ok_or(obstacles)
        }))
    }

    /// With calls of small functions with structs written out.
    fn small(&self, form: &Form) -> Result<T, Obstacles> {
        match form.with(Step::Small, |p| inline::by_value(p, self.heads)) {
            Some(written) => (self.look)(&written),
            None => (self.look)(form),
        }
    }

    fn constructors(&self, form: &Form) -> Option<Form<'static>> {
        form.with(Step::Constructors, |p| inline::constructors(p, self.heads))
    }
}
