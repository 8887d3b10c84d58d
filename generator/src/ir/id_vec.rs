//! Vectors that handles index: a handle of another kind does not compile.

use super::ids::Id;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A vector whose elements handles of kind `I` name; otherwise a `Vec`.
pub struct IdVec<I, T> {
    elements: Vec<T>,
    handles: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// No element.
    pub const fn new() -> Self {
        IdVec { elements: Vec::new(), handles: PhantomData }
    }

    /// Appends an element, and returns its handle.
    pub fn add(&mut self, element: T) -> I {
        self.elements.push(element);
        I::at(self.elements.len() - 1)
    }

    /// The handle of the element that is appended next.
    pub fn next(&self) -> I {
        I::at(self.elements.len())
    }

    /// All handles, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        (0..self.elements.len()).map(I::at)
    }

    /// All elements with their handles, in order.
    pub fn by_id(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.elements.iter().enumerate().map(|(index, element)| (I::at(index), element))
    }

    /// The element of a handle, if there is one.
    pub fn find(&self, id: I) -> Option<&T> {
        self.elements.get(id.position())
    }

    /// One element for each of `others`.
    pub fn for_each_of<U>(others: &IdVec<I, U>, element: T) -> Self
    where
        T: Clone,
    {
        vec![element; others.len()].into()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.elements[id.position()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.elements[id.position()]
    }
}

impl<I, T> Deref for IdVec<I, T> {
    type Target = Vec<T>;
    fn deref(&self) -> &Vec<T> {
        &self.elements
    }
}

impl<I, T> DerefMut for IdVec<I, T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.elements
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T: Clone> Clone for IdVec<I, T> {
    fn clone(&self) -> Self {
        self.elements.clone().into()
    }
}

impl<I, T: PartialEq> PartialEq for IdVec<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.elements == other.elements
    }
}

impl<I, T: Eq> Eq for IdVec<I, T> {}

impl<I, T: std::fmt::Debug> std::fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.elements.fmt(f)
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(elements: Vec<T>) -> Self {
        IdVec { elements, handles: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<E: IntoIterator<Item = T>>(elements: E) -> Self {
        elements.into_iter().collect::<Vec<T>>().into()
    }
}

impl<I, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IdVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter_mut()
    }
}
