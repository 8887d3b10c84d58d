//! The nodes of a tree, in chunks that never move, so that readers may follow any number that they find.

use super::node::Node;
use crate::sync::OnceLock;

/// Enough for more nodes than there is memory for.
const CHUNKS: usize = if cfg!(loom) { 12 } else { 248 };
const FIRST_CHUNK: usize = if cfg!(loom) { 2 } else { 4 };
/// Each chunk adds one part in so many to the nodes of its kind. Leaves are nearly all of the memory, and what is not
/// in use yet is a small part of it; the others need few chunks.
const PARTS: [usize; 3] = [10, 2, 2];
/// A node's number is that of its chunk and, in so many low bits, that within the chunk. The highest bit is never set.
const INNER_BITS: u32 = 23;

pub(super) struct Nodes {
    chunks: [OnceLock<Box<[Node]>>; CHUNKS],
}

/// What a node is for. A chunk has one kind only: the inner nodes, which every search reads, share pages with each
/// other and not with leaves, and an old number never makes one kind pass for another.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Leaf,
    Inner,
    /// Bytes and value of one range that do not fit an entry.
    Aside,
}

/// The writer's account of the nodes.
#[derive(Default)]
pub(super) struct Account {
    chunks: usize,
    stocks: [Stock; 3],
}

/// The nodes of one kind.
#[derive(Default)]
struct Stock {
    nodes: usize,
    /// In no use.
    free: Vec<u32>,
}

impl Nodes {
    pub fn new() -> Nodes {
        Nodes { chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    /// `None` only for a number that a reader found while the tree was changed.
    #[inline]
    pub fn get(&self, id: u32) -> Option<&Node> {
        let chunk = self.chunks.get((id >> INNER_BITS) as usize)?.get()?;
        chunk.get((id & ((1 << INNER_BITS) - 1)) as usize)
    }

    /// For the writer, which sees the tree as it is.
    pub fn node(&self, id: u32) -> &Node {
        self.get(id).expect("the writer knows only nodes that exist")
    }
}

impl Account {
    /// Bytes of all nodes.
    #[allow(dead_code, reason = "for tests and the bench")]
    pub fn bytes(&self) -> usize {
        self.stocks.iter().map(|stock| stock.nodes * size_of::<Node>()).sum()
    }

    #[cfg(test)]
    pub fn in_use(&self) -> [usize; 3] {
        self.stocks.each_ref().map(|stock| stock.nodes - stock.free.len())
    }

    /// Makes sure that the next `count` nodes of a kind exist.
    pub fn reserve(&mut self, nodes: &Nodes, kind: Kind, count: usize) {
        let stock = &mut self.stocks[kind as usize];
        while stock.free.len() < count {
            let size = (stock.nodes / PARTS[kind as usize]).clamp(FIRST_CHUNK, 1 << INNER_BITS);
            assert!(self.chunks < CHUNKS, "more ranges than can be numbered");
            let chunk: Box<[Node]> = std::iter::repeat_with(Node::new).take(size).collect();
            assert!(nodes.chunks[self.chunks].set(chunk).is_ok(), "one writer at a time");
            let first = (self.chunks as u32) << INNER_BITS;
            // The lowest is taken next.
            stock.free.extend((first..first + size as u32).rev());
            stock.nodes += size;
            self.chunks += 1;
        }
    }

    /// An empty node; there must be one in reserve.
    pub fn take(&mut self, nodes: &Nodes, kind: Kind, origin: u64) -> u32 {
        let id = self.stocks[kind as usize].free.pop().expect("nodes are reserved first");
        nodes.node(id).clear(origin);
        id
    }

    pub fn give_back(&mut self, nodes: &Nodes, kind: Kind, id: u32) {
        nodes.node(id).clear(u64::MAX);
        self.stocks[kind as usize].free.push(id);
    }
}
