//! The procedures of a program.

use std::iter::Map;
use std::ops::{Index, IndexMut};
use std::slice::{Iter, IterMut};
use std::sync::Arc;

use super::{IdVec, Proc, ProcId};

/// Procedures, by handle. Copies of a program share those that no copy changes: programs are large, and passes change a
/// few procedures of them.
#[derive(Clone, Debug, Default)]
pub struct Procs {
    all: IdVec<ProcId, Arc<Proc>>,
}

/// All procedures, in order.
type Each<'a> = Map<Iter<'a, Arc<Proc>>, fn(&Arc<Proc>) -> &Proc>;

/// All procedures, in order, to be changed.
type EachMut<'a> = Map<IterMut<'a, Arc<Proc>>, fn(&mut Arc<Proc>) -> &mut Proc>;

impl Procs {
    /// No procedure.
    pub const fn new() -> Procs {
        Procs { all: IdVec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Appends a procedure, and returns its handle.
    pub fn add(&mut self, proc: Proc) -> ProcId {
        self.all.add(Arc::new(proc))
    }

    /// The handle of the procedure that is appended next.
    pub fn next(&self) -> ProcId {
        self.all.next()
    }

    /// All handles, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ProcId> + ExactSizeIterator + Clone + use<> {
        self.all.ids()
    }

    /// All procedures, in order.
    pub fn iter(&self) -> Each<'_> {
        self.all.iter().map(|proc| &**proc)
    }

    /// All procedures with their handles, in order.
    pub fn by_id(&self) -> impl DoubleEndedIterator<Item = (ProcId, &Proc)> + ExactSizeIterator {
        self.all.by_id().map(|(id, proc)| (id, &**proc))
    }

    /// The procedure of a handle, if there is one.
    pub fn find(&self, id: ProcId) -> Option<&Proc> {
        self.all.find(id).map(|proc| &**proc)
    }

    /// Changes all procedures, those that copies of the program share, too.
    pub fn iter_mut(&mut self) -> EachMut<'_> {
        self.all.iter_mut().map(Arc::make_mut)
    }

    /// Keeps the procedures for which `stays` holds.
    pub fn retain(&mut self, mut stays: impl FnMut(&Proc) -> bool) {
        self.all.retain(|proc| stays(proc));
    }
}

impl Index<ProcId> for Procs {
    type Output = Proc;
    fn index(&self, id: ProcId) -> &Proc {
        &self.all[id]
    }
}

impl IndexMut<ProcId> for Procs {
    fn index_mut(&mut self, id: ProcId) -> &mut Proc {
        Arc::make_mut(&mut self.all[id])
    }
}

impl FromIterator<Proc> for Procs {
    fn from_iter<E: IntoIterator<Item = Proc>>(procs: E) -> Procs {
        Procs { all: procs.into_iter().map(Arc::new).collect() }
    }
}

impl<'a> IntoIterator for &'a Procs {
    type Item = &'a Proc;
    type IntoIter = Each<'a>;
    fn into_iter(self) -> Each<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Procs {
    type Item = &'a mut Proc;
    type IntoIter = EachMut<'a>;
    fn into_iter(self) -> EachMut<'a> {
        self.iter_mut()
    }
}
