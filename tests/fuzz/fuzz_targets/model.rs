//! The naive model: a list of bytes, a list of pending bits, and whole copies of both at marks and regions.

use adtape::{Mark, Type};

/// What one pop takes.
#[derive(Clone, Copy, Debug)]
pub enum Pushed {
    Values(Type, usize),
    Control(u32),
    Count,
}

/// What a byte belongs to: a value, a full word of control bits, a count.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Value,
    Word,
    Count,
}

const WORD_BITS: usize = 62;

#[derive(Clone, Default)]
struct State {
    bytes: Vec<(u8, Kind)>,
    /// Fewer than a word's.
    bits: Vec<bool>,
    /// The bits of full words, in order.
    words: Vec<Vec<bool>>,
    counts: Vec<i64>,
    pushed: Vec<Pushed>,
    value_bytes: usize,
    total_bits: usize,
}

struct Taken {
    mark: Mark,
    state: State,
    /// Nothing below it was popped since, as far as is known.
    valid: bool,
}

const MARKS: usize = 4;

#[derive(Default)]
pub struct Model {
    now: State,
    levels: Vec<(State, [bool; MARKS])>,
    marks: [Option<Taken>; MARKS],
}

fn bytes_of_count(count: i64) -> usize {
    (64 - (count as u64 | 1).leading_zeros() as usize).div_ceil(7)
}

impl Model {
    pub fn len(&self) -> usize {
        self.now.bytes.len()
    }

    pub fn pending(&self) -> usize {
        self.now.bits.len()
    }

    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Bits on top that control can pop.
    pub fn bits(&self) -> usize {
        let full = self.now.bytes.iter().rev().take_while(|byte| byte.1 == Kind::Word).count() / 8;
        self.now.bits.len() + full * WORD_BITS
    }

    // ---- pushes ------------------------------------------------------------------------------------

    pub fn push_values(&mut self, ty: Type, count: usize, bytes: &[u8]) {
        self.now.bytes.extend(bytes.iter().map(|byte| (*byte, Kind::Value)));
        self.now.value_bytes += bytes.len();
        if count > 0 {
            self.now.pushed.push(Pushed::Values(ty, count));
        }
    }

    pub fn push_control(&mut self, value: u64, width: u32) {
        for i in (0..width).rev() {
            self.now.bits.push(value >> i & 1 == 1);
            if self.now.bits.len() == WORD_BITS {
                self.now.words.push(std::mem::take(&mut self.now.bits));
                self.now.bytes.extend([(0, Kind::Word); 8]);
            }
        }
        self.now.total_bits += width as usize;
        self.now.pushed.push(Pushed::Control(width));
    }

    pub fn push_count(&mut self, count: i64) {
        let n = bytes_of_count(count);
        self.now.counts.push(count);
        self.now.bytes.extend(std::iter::repeat_n((0, Kind::Count), n));
        self.now.value_bytes += n;
        self.now.pushed.push(Pushed::Count);
    }

    // ---- pops --------------------------------------------------------------------------------------

    /// The last push, as a pop that mirrors it.
    pub fn last(&self) -> Option<Pushed> {
        self.now.pushed.last().copied()
    }

    /// Something that can be popped now, near to what is wished.
    pub fn poppable(&self, ty: Type, wish: usize, bits_first: bool) -> Option<Pushed> {
        let bits = self.bits();
        if bits > 0 && (bits_first || self.now.bytes.last().is_none_or(|byte| byte.1 == Kind::Word)) {
            return Some(Pushed::Control(1 + (wish % bits.min(64)) as u32));
        }
        match self.now.bytes.last()?.1 {
            Kind::Count => Some(Pushed::Count),
            _ => {
                let most = self.now.bytes.iter().rev().take_while(|byte| byte.1 == Kind::Value).count();
                match most / ty.bytes() {
                    0 => Some(Pushed::Values(Type::Bytes, 1 + wish % most)),
                    values => Some(Pushed::Values(ty, wish.clamp(1, values))),
                }
            }
        }
    }

    pub fn pop_values(&mut self, ty: Type, count: usize, popped: &[u8]) {
        let rest = self.len() - popped.len();
        let expected: Vec<u8> = self.now.bytes.drain(rest..).map(|byte| byte.0).collect();
        assert!(popped == expected, "{count} of {ty:?} came back as something else");
        self.now.value_bytes -= popped.len();
        self.popped();
    }

    pub fn pop_control(&mut self, popped: u64, width: u32) {
        let mut value = 0;
        for i in 0..width {
            if self.now.bits.is_empty() {
                self.now.bits = self.now.words.pop().expect("a full word");
                self.now.bytes.truncate(self.now.bytes.len() - 8);
            }
            value |= u64::from(self.now.bits.pop().expect("a bit")) << i;
        }
        assert_eq!(popped, value, "{width} control bits");
        self.now.total_bits -= width as usize;
        self.popped();
    }

    pub fn pop_count(&mut self, popped: i64) {
        let count = self.now.counts.pop().expect("a count");
        assert_eq!(popped, count);
        let n = bytes_of_count(count);
        self.now.bytes.truncate(self.now.bytes.len() - n);
        self.now.value_bytes -= n;
        self.popped();
    }

    /// Where pops do not mirror pushes the list of pushes has no meaning but at the end, where it is rebuilt.
    fn popped(&mut self) {
        self.now.pushed.pop();
        self.forget_marks_above();
    }

    fn forget_marks_above(&mut self) {
        let (values, bits) = (self.now.value_bytes, self.now.total_bits);
        for mark in self.marks.iter_mut().flatten() {
            mark.valid &= mark.state.value_bytes <= values && mark.state.total_bits <= bits;
        }
    }

    // ---- regions and marks ---------------------------------------------------------------------------

    fn validity(&self) -> [bool; MARKS] {
        std::array::from_fn(|i| self.marks[i].as_ref().is_some_and(|mark| mark.valid))
    }

    pub fn start(&mut self) {
        self.levels.push((self.now.clone(), self.validity()));
    }

    pub fn reset(&mut self) {
        let (state, validity) = self.levels.last().expect("a region");
        self.now = state.clone();
        for (mark, valid) in self.marks.iter_mut().zip(validity) {
            if let Some(mark) = mark {
                mark.valid = *valid;
            }
        }
    }

    pub fn end(&mut self) {
        self.levels.pop();
    }

    pub fn take_mark(&mut self, slot: u8, mark: Mark) {
        let slot = usize::from(slot) % MARKS;
        self.marks[slot] = Some(Taken { mark, state: self.now.clone(), valid: true });
        for (_, validity) in &mut self.levels {
            validity[slot] = false;
        }
    }

    pub fn mark(&self, slot: u8) -> Option<(Mark, bool)> {
        self.marks[usize::from(slot) % MARKS].as_ref().map(|taken| (taken.mark, taken.valid))
    }

    /// Whether the mark lies above the top for certain.
    pub fn is_above(&self, slot: u8) -> bool {
        let place = |state: &State| (state.bytes.len(), state.bits.len());
        let taken = self.marks[usize::from(slot) % MARKS].as_ref();
        taken.is_some_and(|taken| place(&taken.state) > place(&self.now))
    }

    pub fn reset_to(&mut self, slot: u8) {
        let taken = self.marks[usize::from(slot) % MARKS].as_ref().expect("a mark");
        self.now = taken.state.clone();
        self.forget_marks_above();
    }
}
