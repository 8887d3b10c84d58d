//! The invariants of the tree, for tests.

use super::extent;
use super::node::{CAPACITY, MAX_DELTA, NONE};
use super::nodes::Account;
use super::tree::Tree;

struct Walk<'a> {
    tree: &'a Tree,
    leaves: Vec<u32>,
    inner: usize,
    aside: usize,
}

/// Panics at the first invariant that does not hold.
pub(super) fn check(tree: &Tree, account: &Account) {
    let (root, height) = tree.root();
    let mut walk = Walk { tree, leaves: Vec::new(), inner: 0, aside: 0 };
    walk.node(root, height, 0, u64::MAX);
    let ranges: Vec<_> = tree.iter().collect();
    assert_eq!(ranges.len(), tree.len(), "count of ranges");
    assert_eq!(ranges.iter().map(|range| range.bytes).sum::<u64>(), tree.covered(), "bytes in ranges");
    assert_eq!(tree.iter_hollow().count(), tree.hollow(), "count of hollow ones");
    let all: Vec<_> = tree.all().map(|there| there.range).collect();
    assert!(all.windows(2).all(|pair| pair[0].end() <= pair[1].base), "disjoint and in order");
    let mut previous = NONE;
    for (i, id) in walk.leaves.iter().enumerate() {
        let leaf = tree.nodes.node(*id);
        assert_eq!(leaf.previous(), previous, "link back");
        assert_eq!(leaf.next(), walk.leaves.get(i + 1).copied().unwrap_or(NONE), "link on");
        previous = *id;
    }
    assert_eq!(account.in_use(), [walk.leaves.len(), walk.inner, walk.aside], "nodes in use");
    assert!(height == 0 || tree.nodes.node(root).count() > 1, "a root with one child is left out");
}

impl Walk<'_> {
    /// A node for addresses from `low` on and below `high`.
    fn node(&mut self, id: u32, height: usize, low: u64, high: u64) {
        let node = self.tree.nodes.node(id);
        let (front, end, count) = (node.front(), node.end(), node.count());
        assert!(front == 0 || height == 0 && front < end, "a gap before entries of a leaf");
        assert!((0..front).all(|i| node.delta(i) == 0), "gap");
        for i in end..CAPACITY {
            let padding = node.get(i);
            assert_eq!((padding.wide, padding.narrow), (u64::MAX, u32::MAX), "padding");
        }
        if height > 0 {
            self.inner += 1;
            assert!(count > 0 && node.get(0).wide == low, "first key");
            for i in 0..count {
                let above = if i + 1 < count { node.get(i + 1).wide } else { high };
                assert!(node.get(i).wide < above, "keys in order");
                self.node(node.get(i).narrow, height - 1, node.get(i).wide, above);
            }
            return;
        }
        assert_eq!(node.origin(), low, "origin");
        assert!(count > 0 || self.leaves.is_empty(), "an empty leaf that is not the leftmost");
        for i in front..end {
            let delta = node.delta(i);
            assert!(delta <= MAX_DELTA && low + delta < high, "base in the leaf's part");
            assert!(i == front || node.delta(i - 1) < delta, "deltas in order");
            self.aside += usize::from(extent::unpack(node.get(i).wide).is_err());
        }
        self.leaves.push(id);
    }
}
