//! The reference: what a user of the standard library would write. Objects lie on a `Vec` as (base, offset); there are
//! no serials, labels, adjoints of another size, dead or waiting pointers, and no threads.

use crate::calls::{Calls, Record};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Plain {
    /// Base: bytes and a number.
    live: BTreeMap<usize, (usize, usize)>,
    /// Base of the forward sweep: bytes, base now, base of the adjoint.
    moved: BTreeMap<usize, (usize, usize, usize)>,
    tape: Vec<[usize; 2]>,
    births: usize,
}

impl Plain {
    fn insert(&mut self, base: usize, bytes: usize) {
        let below = self.live.range(..=base).next_back();
        assert!(below.is_none_or(|(base_below, (bytes, _))| base_below + bytes <= base));
        let above = self.live.range(base..).next();
        assert!(above.is_none_or(|(base_above, _)| base + bytes <= *base_above));
        self.births += 1;
        self.live.insert(base, (bytes, self.births));
    }

    fn now(&self, base: usize, offset: usize) -> usize {
        self.moved[&base].1 + offset
    }
}

impl Calls for Plain {
    fn live_add(&mut self, base: usize, bytes: usize, _: bool) {
        self.insert(base, bytes);
    }
    fn live_remove(&mut self, base: usize) {
        self.live.remove(&base).expect("alive");
    }
    fn live_end(&mut self, base: usize) {
        let (bytes, number) = self.live[&base];
        self.tape.extend([[number, 0], [base, bytes]]);
        self.live_remove(base);
    }
    fn pop_range(&mut self) -> Record {
        let [base, bytes] = self.tape.pop().expect("pushed");
        self.tape.pop();
        Record::plain(base, bytes)
    }
    fn push_pointer(&mut self, p: usize) {
        let (base, (bytes, _)) = self.live.range(..=p).next_back().expect("alive");
        assert!(p <= base + bytes);
        self.tape.push([*base, p - base]);
    }
    fn pop_pointer(&mut self) -> usize {
        let [base, offset] = self.tape.pop().expect("pushed");
        self.now(base, offset)
    }
    fn push_pair(&mut self, base: usize, offset: usize) {
        assert!(self.live.contains_key(&base));
        self.tape.push([base, offset]);
    }
    fn pop_pair(&mut self) -> usize {
        self.pop_pointer()
    }
    /// All that is alive enters the rebase map.
    fn begin_reverse(&mut self) {
        self.moved = self.live.iter().map(|(base, (bytes, _))| (*base, (*bytes, *base, 0))).collect();
    }
    fn end_reverse(&mut self) {
        self.moved.clear();
    }
    fn rebase_add(&mut self, record: &Record, new_base: usize, adjoint_base: usize) {
        self.insert(new_base, record.bytes);
        self.moved.insert(record.base, (record.bytes, new_base, adjoint_base));
    }
    fn rebase_pointer(&mut self, address: usize) -> usize {
        let (base, (bytes, now, _)) = self.moved.range(..=address).next_back().expect("moved");
        assert!(address <= base + bytes);
        now + (address - base)
    }
    fn rebase_remove(&mut self, new_base: usize, base: usize) {
        self.live.remove(&new_base).expect("alive");
        self.moved.remove(&base).expect("moved");
    }
}
