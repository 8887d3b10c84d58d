//! Regions inside each other, numbered once: what asks each of them for its surroundings would else walk to the top each
//! time, which takes the square of the depth.

use super::{ItemId, Proc, RegionId};

/// The regions of a procedure in the order of its text, outer before inner.
pub struct Nesting {
    /// By region: its number.
    first: Vec<usize>,
    /// By region: the number behind that of the last one inside it.
    behind: Vec<usize>,
    order: Vec<RegionId>,
}

impl Nesting {
    /// Numbers the regions. `positions`: those of the procedure's items.
    pub fn new(proc: &Proc, positions: &[Option<(RegionId, usize)>]) -> Nesting {
        let count = proc.regions.len();
        let mut inner: Vec<Vec<RegionId>> = vec![Vec::new(); count];
        let mut open = Vec::new();
        for (at, region) in proc.regions.iter().enumerate() {
            match region.parent {
                Some((outer, _)) => inner[outer.index()].push(RegionId::new(at)),
                None => open.push(RegionId::new(at)),
            }
        }
        let position = |region: &RegionId| {
            let around = proc.regions[*region].parent;
            around.and_then(|(_, item)| positions[item.index()]).map(|(_, position)| position)
        };
        inner.iter_mut().for_each(|regions| regions.sort_by_key(|region| (position(region), region.index())));
        open.reverse();
        let mut nesting = Nesting { first: vec![0; count], behind: vec![0; count], order: Vec::with_capacity(count) };
        while let Some(region) = open.pop() {
            nesting.first[region.index()] = nesting.order.len();
            nesting.order.push(region);
            open.extend(inner[region.index()].iter().rev());
        }
        for &region in nesting.order.iter().rev() {
            let last = inner[region.index()].last().map(|last| nesting.behind[last.index()]);
            nesting.behind[region.index()] = last.unwrap_or(nesting.first[region.index()] + 1);
        }
        nesting
    }

    /// Whether a region is another one, or inside it.
    pub fn is_within(&self, region: RegionId, outer: RegionId) -> bool {
        (self.first[outer.index()]..self.behind[outer.index()]).contains(&self.first[region.index()])
    }

    /// The position of a region in the order of the text.
    pub fn number(&self, region: RegionId) -> usize {
        self.first[region.index()]
    }

    /// The regions, each behind those inside it.
    pub fn inner_first(&self) -> impl Iterator<Item = RegionId> {
        self.order.iter().rev().copied()
    }

    /// The innermost region around two.
    pub fn common(&self, proc: &Proc, a: RegionId, b: RegionId) -> RegionId {
        let around = |region: &RegionId| proc.regions[*region].parent.map(|(outer, _)| outer);
        let mut all = std::iter::successors(Some(a), around);
        all.find(|region| self.is_within(b, *region)).unwrap_or(RegionId(0))
    }
}

impl Proc {
    /// The region around another one, and the item there to which that belongs; `None` for one that nothing runs, too.
    pub fn around(&self, region: RegionId, positions: &[Option<(RegionId, usize)>]) -> Option<(RegionId, ItemId)> {
        let (_, item) = self.regions[region].parent?;
        let holds = self.items[item].kind.regions().contains(&region);
        let (outer, _) = positions[item.index()].filter(|_| holds)?;
        Some((outer, item))
    }

    /// By item: whether it, or one inside it, is as `is` says. An item that `hides` what is inside it is asked alone.
    pub fn holding(&self, is: impl Fn(ItemId) -> bool, hides: impl Fn(ItemId) -> bool) -> Vec<bool> {
        let positions = self.positions();
        let mut holding = vec![false; self.items.len()];
        for (at, region) in self.regions.iter().enumerate() {
            for &item in region.items.iter().filter(|item| is(**item)) {
                let mut here = Some((RegionId::new(at), item));
                while let Some((region, item)) = here
                    && !std::mem::replace(&mut holding[item.index()], true)
                {
                    here = self.around(region, &positions).filter(|(_, around)| !hides(*around));
                }
            }
        }
        holding
    }
}
